"""liao2021: the verdicts of the regret bounds and of section 6.2, and their numbers by another road."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privrl.privacy import accounting
from privrl.privacy.sensitivity import liao2021 as sensitivity
from theory import bounds_liao2021 as bounds
from theory import ledger
from theory.claim import REGISTRY
from theory.numbering import CLAIM, items
from theory.papers.liao2021 import divergence, experiments, history, lower
from theory.papers.liao2021 import regret as upper

EXPECTED = {
    "theorem-5.2": "holds corrected",
    "equation-5.1": "holds corrected",
    "lemma-5.4": "holds corrected",
    "lemma-5.5": "holds corrected",
    "theorem-5.6": "holds corrected",
    "section-6.2-sigma": "holds corrected",
    "section-6.2-beta": "unspecified",
}


@pytest.mark.parametrize("name", EXPECTED)
def test_verdicts(name: str) -> None:
    (row,) = ledger.run(f"liao2021/{name}")
    assert "error" not in row
    assert row["verdict"] == EXPECTED[name]
    for record in row["records"]:
        assert record["mutant_rejected"] is True
        assert all(record[key] for key in ("of", "statement", "domain", "evidence", "mutant"))


def test_every_claim_has_a_check() -> None:
    ledger.load_checks()
    claims = [item.id for item in items() if item.id.startswith("liao2021/") and item.role == CLAIM]
    assert set(claims) <= set(REGISTRY)


# ---- lemma-5.4: the contraction


@given(st.floats(0.01, 6), st.integers(2, 5), st.integers(2, 5), st.integers(0, 2**31))
def test_contraction_of_channels(epsilon: float, letters: int, outputs: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = np.exp(rng.uniform(0, epsilon / 2, size=(letters, outputs)))
    rows /= rows.sum(axis=1, keepdims=True)
    assert (rows.max(axis=0) / rows.min(axis=0)).max() <= math.exp(epsilon) * (1 + 1e-12)
    one, two = rng.dirichlet(np.ones(letters), size=2) * (1 - 1e-3) + 1e-3 / letters
    private, raw = ((a * np.log(a / b)).sum() for a, b in ((one @ rows, two @ rows), (one, two)))
    assert private <= math.tanh(epsilon / 2) ** 2 * raw + 1e-13


@given(st.floats(0.01, 8))
def test_the_sharp_constant_against_the_others(epsilon: float) -> None:
    sharp = math.tanh(epsilon / 2) ** 2
    assert sharp <= float(divergence.printed_factor(epsilon)) / 8
    assert sharp <= min(1.0, (math.cosh(epsilon) - 1) / 2)


# ---- equation-5.1


@pytest.mark.parametrize("private", [False, True])
def test_laws_are_laws(private: bool) -> None:
    for rounds in (1, 2):
        assert sum(history.law(rounds, private).values()) == Fraction(1)
        assert sum(history.summed_product(rounds, private).values()) == Fraction(1)


# ---- upper bounds


def test_horizons() -> None:
    rows = {(row.counter, row.calibration): row for row in bounds.horizons(2, 2, 1.0, 0.1, 0.01)}
    printed, corrected, tight = (rows["local", name] for name in ("printed", "corrected", "tight"))
    assert printed.below_trivial > corrected.below_trivial > tight.below_trivial
    assert printed.start > corrected.start > tight.start > rows["none", "printed"].start
    for K, above in ((tight.start - 1, True), (tight.start, False)):
        assert (bounds.start_ratio(bounds.constants(2, 2, K, 1.0, 0.1, 0.01, "tight")) >= 1) is above
    with pytest.raises(ValueError, match="horizon must be >= 2"):
        bounds.horizons(2, 1, 1.0, 0.1, 0.01)


def test_noise_scales() -> None:
    least = sensitivity("message", 5).value / accounting.gaussian_mu(0.7, 0.1)
    assert bounds.sigma(5, 0.7, 0.1, "tight") == pytest.approx(least)
    assert bounds.sigma(5, 0.7, 0.1) == pytest.approx(4 * 125 * math.sqrt(2 * math.log(125) / 0.7))
    assert bounds.constants(2, 1, 10, 1.0, 0.1, 0.1).p == bounds.NOTHING


@given(st.integers(1, 8), st.integers(2, 12), st.integers(2, 10**9), st.floats(0.05, 50))
def test_the_sharper_bound_is_sharper(dimension: int, horizon: int, episodes: int, epsilon: float) -> None:
    made = bounds.constants(dimension, horizon, episodes, epsilon, 0.1, 0.01)
    assert bounds.regret_terms(made).total <= bounds.displayed_terms(made).total
    assert made.r == bounds.NOTHING


def test_powers() -> None:
    assert upper.power("epsilon", "printed") == pytest.approx(-0.25)
    assert upper.power("epsilon", "corrected") == pytest.approx(-0.5)
    assert upper.power("H", "corrected") == pytest.approx(2.5)
    assert bounds.stated(2, 3, 100, 4.0, 0.1, 0.01) == pytest.approx(bounds.stated(2, 3, 100, 1.0, 0.1, 0.01) / 2)


# ---- lower bounds


@given(st.floats(0.02, 6), st.integers(1, 60), st.floats(0.001, 0.25))
def test_bandits_below_the_best_learner(epsilon: float, rounds: int, gap: float) -> None:
    assert bounds.lower_bandit(1, rounds, epsilon, gap) <= lower.majority_regret(rounds, epsilon, gap) + 1e-12


@given(st.integers(1, 30), st.integers(1, 10**6), st.floats(0.02, 6))
def test_bandit_bound_by_its_two_cases(dimension: int, rounds: int, epsilon: float) -> None:
    shrink = math.tanh(epsilon / 2)
    value = bounds.lower_bandit(dimension, rounds, epsilon)
    assert value <= bounds.lower_bandit(dimension, rounds, math.inf) / shrink * (1 + 1e-12)
    if rounds >= 0.75 * dimension**2 / shrink**2:
        assert value == pytest.approx(math.sqrt(3) / 16 * dimension * math.sqrt(rounds) / shrink)
    else:
        assert value >= rounds / 8


@given(st.integers(2, 12), st.integers(3, 40), st.integers(1, 10**7), st.floats(0.05, 6))
def test_mixture_bound_is_possible(dimension: int, horizon: int, episodes: int, epsilon: float) -> None:
    """Below the regret of uniform play on the family at the largest gap: wrong signs half the time."""
    gap = 1 / (bounds.SLACK * horizon * (dimension - 1))
    best = lower.chain_value([1 / horizon + (dimension - 1) * gap] * horizon)
    uniform = episodes * (best - lower.chain_value([1 / horizon] * horizon))
    assert 0 < bounds.lower_mixture(dimension, horizon, episodes, epsilon) <= uniform


def test_a_small_mixture_by_enumeration() -> None:
    """H = 3, d = 2, K = 2, the goal's bit of step 1 through randomised response: the best learner's wrong signs of
    step 1, by exhaustion, are above the share of step 1 in the bound."""
    epsilon, horizon = 1.0, 3
    gap, keep = 1 / (bounds.SLACK * horizon), math.exp(epsilon) / (1 + math.exp(epsilon))

    def seen(sign: int, action: int) -> float:
        goal = 1 / horizon + sign * action * gap
        return keep * goal + (1 - keep) * (1 - goal)

    wrong = 0.5  # first episode
    for bit in (0, 1):  # second episode: the likelier sign after action 1
        law = [0.5 * (seen(s, 1) if bit else 1 - seen(s, 1)) for s in (1, -1)]
        wrong += min(law)
    low = 0.75 / horizon
    share = 2 / 2 * (1 - math.tanh(epsilon / 2) * gap * math.sqrt(2 / (low * (1 - low))))
    assert wrong >= share


def test_abstract_and_theorem() -> None:
    assert lower.denominator(0.3) == pytest.approx(lower.denominator(0.3, abstract=True))
    assert lower.denominator(3.0) < lower.denominator(3.0, abstract=True)


# ---- section 6.2


@pytest.mark.parametrize("states", [2, 3, 6])
def test_the_noise_of_the_experiments(states: int) -> None:
    horizon = 2 * states
    change = sensitivity("message", horizon, one_hot_states=states).value / horizon**2
    assert math.sqrt(experiments.message_weight(states)) == pytest.approx(change)
    least = change / accounting.gaussian_mu(1.0, experiments.DELTA)
    assert experiments.overpay(states, 1.0) == pytest.approx(experiments.sigma(horizon, 1.0) / least)
    assert experiments.vector_change(states, True) == pytest.approx(math.sqrt(2 * states))


def test_the_bonus_of_the_experiments() -> None:
    assert experiments.least_c(3, 4.0) == pytest.approx(experiments.least_c(3, 1.0) / 2, rel=0.05)
    assert experiments.spread((10, 1.0, 1.5)) == pytest.approx((20 / 2) ** 1.5, rel=0.05)
