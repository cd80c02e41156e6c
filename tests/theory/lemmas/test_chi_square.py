"""The chi-square tail: its proof step by step, its certificate, and the incomplete gamma function."""

import math

import mpmath as mp
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from theory.lemmas import chi_square


@given(st.integers(1, 200), st.floats(0, 200))
def test_survival_by_scipy(freedom: int, threshold: float) -> None:
    other = stats.chi2.sf(threshold, freedom)
    assert chi_square.survival(freedom, threshold) == pytest.approx(other, rel=1e-9, abs=1e-300)


@given(st.integers(1, 500), st.floats(1e-6, 300))
def test_the_lemma_and_its_exponents_in_order(freedom: int, x: float) -> None:
    """exact <= best Chernoff <= -x, at any point."""
    threshold = chi_square.quantile_bound(freedom, x)
    best = chi_square.chernoff(freedom, threshold)
    tail = chi_square.survival(freedom, threshold)
    assert best <= -x + 1e-9 * (1 + x)
    assert tail == 0 or math.log(tail) <= best + 1e-9 * (1 + x)


def test_the_proof_and_its_broken_neighbours() -> None:
    assert chi_square.series_ratio() == 2 / sp.Symbol("k", integer=True, positive=True)
    assert chi_square.coefficients_ordered()
    assert not chi_square.coefficients_ordered(sp.Rational(99, 100))
    assert chi_square.exponent_identity() == 0
    s = sp.Symbol("s", positive=True)
    for constants in ((2, sp.Rational(19, 10)), (sp.Rational(19, 10), 2)):
        assert chi_square.exponent_identity(*constants).subs(s, 1) > 0


@pytest.mark.parametrize("freedom", [1, 2, 7, 64])
def test_the_march_certifies_and_stops(freedom: int) -> None:
    assert chi_square.certified_up_to(freedom, 60) == 60
    assert chi_square.certified_up_to(freedom, 60, root=1.0, linear=1.0) < 60


def test_no_constant_can_be_lowered() -> None:
    assert chi_square.tail_ball(1, 2000) < 1 < chi_square.tail_ball(1, 2000, linear=1.9)
    assert chi_square.tail_ball(10**6, 60) < 1 < chi_square.tail_ball(10**6, 60, root=1.9)
    with mp.workdps(30):
        other = mp.gammainc(mp.mpf("0.5"), (1 + 2 * mp.sqrt(2000) + mp.mpf(1.9) * 2000) / 2, regularized=True)
        assert float(other * mp.exp(2000)) == pytest.approx(float(chi_square.tail_ball(1, 2000, linear=1.9)), rel=1e-12)


@given(st.integers(1, 400), st.floats(1e-3, 100), st.floats(0.1, 10))
def test_norms(dimension: int, x: float, sigma: float) -> None:
    bounds = chi_square.norm_bounds(dimension, x, sigma)
    assert bounds.sharp <= bounds.triangle * (1 + 1e-12)
    assert bounds.doubled == pytest.approx(math.sqrt(2) * bounds.triangle)
    assert bounds.lipschitz <= bounds.triangle * (1 + 1e-12)
    for bound in bounds:
        assert stats.chi2.sf((bound / sigma) ** 2, dimension) <= math.exp(-x) * (1 + 1e-9)


def test_norm_steps() -> None:
    steps = chi_square.norm_steps()
    assert steps["triangle - sharp"].is_nonnegative
    assert steps["doubled - triangle"].is_nonnegative
    assert steps["doubled / triangle"] == sp.sqrt(2)
