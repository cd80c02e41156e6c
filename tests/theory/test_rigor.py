"""Each helper proves something true, and rejects its false neighbour."""

import mpmath as mp
import numpy as np
import pytest
import sympy as sp
import z3
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from theory.rigor import UndecidedError, balls, exact, sampling, smt, symbolic

x, y = sp.symbols("x y", positive=True)


def test_identities() -> None:
    assert symbolic.identity(sp.log(x * y), sp.log(x) + sp.log(y))
    assert symbolic.identity((x**2 - y**2) / (x - y), x + y)
    assert not symbolic.identity(sp.log(x * y), sp.log(x) + sp.log(y) + sp.Rational(1, 10**30))
    assert not symbolic.identity((x + 1) ** 2, x**2 + 1)


def test_certificates_of_nonnegativity() -> None:
    terms = [symbolic.Term(1, x - y)]
    assert symbolic.nonnegative(x**2 + y**2 - 2 * x * y, terms)
    assert not symbolic.nonnegative(x**2 + y**2 - 3 * x * y, terms)
    assert symbolic.nonnegative(y * (x - y), [symbolic.Term(1, 1, (y, x - y))], hypotheses=(x - y,))
    # x >= y was not given
    assert not symbolic.nonnegative(y * (x - y), [symbolic.Term(1, 1, (y, x - y))])
    assert not symbolic.nonnegative(-(x**2), [symbolic.Term(-1, x)])


def test_a_square_of_an_unknown_kind_is_refused() -> None:
    z = sp.Symbol("z")
    with pytest.raises(ValueError, match="declared real, got symbol=z"):
        symbolic.nonnegative(z**2, [symbolic.Term(1, z)])


def test_z3_proves_and_refutes() -> None:
    a, b = z3.Reals("a b")
    proof = smt.Proof(a > 0, b > 0)
    assert proof.shows(a * a + b * b >= 2 * a * b)
    assert not proof.shows(a * a + b * b > 2 * a * b)
    assert proof.allows(a > b)
    assert not proof.allows(a < 0)


def test_contradicting_hypotheses_prove_nothing() -> None:
    a = z3.Real("a")
    with pytest.raises(ValueError, match="the hypotheses must have a model"):
        smt.Proof(a > 0, a < 0)


def test_a_quotient_needs_a_denominator_that_cannot_vanish() -> None:
    a, b = z3.Reals("a b")
    with pytest.raises(ValueError, match="denominator must not vanish"):
        smt.Proof(a >= 0).quotient(1, a)
    proof = smt.Proof(a > 0, b >= a)
    assert proof.shows(proof.quotient(1, b) <= proof.quotient(1, a))
    unguarded = z3.Solver()  # why the guard: z3 is free to choose the value of 1/0
    unguarded.add(a == 0, 1 / a != 0)
    assert unguarded.check() == z3.sat


def test_balls_certify_and_refute() -> None:
    assert balls.above(lambda t: t.exp() - 1 - t, [("0.001", 5)])
    assert not balls.above(lambda t: t.exp() - 1 - t * arb("1.01"), [("0.001", 5)])
    assert balls.above(lambda s, t: s * s + t * t - s * t, [("0.1", 3), ("0.1", 3)])


def test_balls_say_when_they_cannot_decide() -> None:
    with pytest.raises(UndecidedError, match="50 boxes did not decide"):
        balls.above(lambda t: t * t, [(-1, 1)], budget=50)
    with pytest.raises(ValueError, match="low <= high"):
        balls.above(lambda t: t, [(2, 1)])


def test_the_precision_of_the_process_is_given_back() -> None:
    before = ctx.prec
    with pytest.raises(ZeroDivisionError), balls.precision(300):
        raise ZeroDivisionError
    assert ctx.prec == before


def test_positive_beyond() -> None:
    assert balls.positive_beyond([-3, 0, 1], 2)  # x^2 - 3 beyond 2
    assert not balls.positive_beyond([-3, 0, 1], 1)
    assert not balls.positive_beyond([5, 0, -1], 2)
    assert balls.positive_beyond([arb(-2), arb(0), -1 / arb(2).log(), arb(2).sqrt()], arb(3).sqrt())


def test_two_precisions_must_agree() -> None:
    assert exact.at_precision(lambda: mp.exp(mp.mpf(-1))) > mp.mpf("0.3678")
    with pytest.raises(ArithmeticError, match="20 digits do not suffice"):
        exact.at_precision(lambda: (mp.exp(mp.mpf(10) ** -30) - 1) * mp.mpf(10) ** 30, digits=20)


def test_exhaustion_of_nothing_is_refused() -> None:
    assert exact.holds_for_all(range(5), lambda n: n < 5, least=5)
    assert not exact.holds_for_all(range(6), lambda n: n < 5)
    with pytest.raises(ValueError, match="at least 1 cases, got 0"):
        exact.holds_for_all([], lambda n: False)


@settings(max_examples=25)
@given(st.integers(1, 200), st.floats(0, 1), st.sampled_from([0.05, 1e-9]))
def test_the_interval_holds_its_level(trials: int, share: float, level: float) -> None:
    """Exact coverage at one truth: the successes whose interval misses it have probability at most
    the level."""
    truth = 0.03 + 0.94 * share
    rows = [sampling.clopper_pearson(k, trials, level) for k in range(trials + 1)]
    law = stats.binom.pmf(range(trials + 1), trials, truth)
    assert sum(
        p for p, (low, high) in zip(law, rows, strict=True) if not low <= truth <= high
    ) <= level * (1 + 1e-9)


def test_a_false_bound_is_refuted_and_a_true_one_is_not() -> None:
    generator = np.random.default_rng(7)
    successes = int((generator.random(20_000) < 0.1).sum())
    assert not sampling.refutes_at_most(successes, 20_000, 0.1)
    assert sampling.refutes_at_most(successes, 20_000, 0.08)
    assert sampling.power_at_most(20_000, 0.08, 0.1) > 0.99
    assert sampling.power_at_most(20_000, 0.1, 0.1) <= sampling.LEVEL
    assert sampling.LEVEL * sampling.CHECKS <= 1e-6


def test_bad_samples_are_refused() -> None:
    with pytest.raises(ValueError, match="successes must be <= trials"):
        sampling.clopper_pearson(5, 4)
    with pytest.raises(ValueError, match="level must be in"):
        sampling.clopper_pearson(1, 4, 0.0)
