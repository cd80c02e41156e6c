"""liao2021: the verdicts of the regret bounds and of section 6.2, and numbers derived
independently."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from privrl.privacy import accounting
from privrl.privacy.sensitivity import liao2021 as sensitivity
from theory import ledger
from theory.papers.liao2021 import bounds, experiments, lower, mixtures, privacy
from theory.papers.liao2021 import regret as upper
from theory.papers.zhou2022.bounds import matrix_norm, vector_norm


@pytest.mark.parametrize("epsilon", [0.2, math.log(2), 1.0, 2.0])
def test_the_linear_programme_by_a_grid(epsilon: float) -> None:
    """2c as the largest E (a - a')^2 with both means 1, over laws on a grid of ratios (three
    letters)."""
    grid = np.exp(np.linspace(-epsilon, epsilon, 41))
    wide = math.exp(epsilon) * (1 + 1e-9)
    points = np.array([(x, y) for x in grid for y in grid if max(1, x, y) <= min(1, x, y) * wide])
    solution = linprog(
        -((points[:, 0] - points[:, 1]) ** 2),
        A_eq=np.vstack([np.ones(len(points)), points.T]),
        b_eq=np.ones(3),
        method="highs",
    )
    assert -solution.fun == pytest.approx(2 * bounds.variation_constant(epsilon), rel=1e-6)


@pytest.mark.slow
def test_horizons() -> None:
    rows = {(row.counter, row.calibration): row for row in bounds.horizons(2, 2, 1.0, 0.1, 0.01)}
    printed, corrected, tight = (rows["local", name] for name in ("printed", "corrected", "tight"))
    assert printed.below_trivial > corrected.below_trivial > tight.below_trivial
    assert printed.start > corrected.start > tight.start > rows["none", "printed"].start
    for K, above in ((tight.start - 1, True), (tight.start, False)):
        assert (
            bounds.start_ratio(bounds.constants(2, 2, K, 1.0, 0.1, 0.01, "tight")) >= 1  # type: ignore[arg-type]
        ) is above
    for name in ("corrected", "tight"):  # a trusted server's counters, jointly private
        for better, worse in (
            ("blt", "smooth"),
            ("smooth", "honaker"),
            ("honaker", "tree"),
            ("tree", "local"),
        ):
            assert rows[better, name].start < rows[worse, name].start
            assert rows[better, name].below_trivial < rows[worse, name].below_trivial
    with pytest.raises(ValueError, match="counter must be one of none, local, got counter='tree'"):
        bounds.constants(2, 2, 10, 1.0, 0.1, 0.01, "printed", "tree")
    with pytest.raises(ValueError, match="horizon must be >= 2"):
        bounds.horizons(2, 1, 1.0, 0.1, 0.01)


@given(
    st.integers(1, 8),
    st.integers(2, 12),
    st.integers(2, 10**12),
    st.floats(0.05, 50),
    st.floats(1e-6, 0.3),
)
def test_each_bound_is_above_the_sharper_one(
    d: int, horizon: int, K: int, epsilon: float, alpha: float
) -> None:
    constants = bounds.constants(d, horizon, K, epsilon, 0.1, alpha)
    assert (
        bounds.regret_terms(constants).total
        <= bounds.displayed_terms(constants).total
        <= upper.displayed(constants)
    )
    assert constants.r == bounds.NOTHING


def test_the_display_with_epsilon_outside_the_root() -> None:
    """theorem-5.2 at d = H = 2, by hand: below HK from 5.13e12 users on at epsilon = 1, from 4.6e10
    on at 10."""
    for epsilon, K in ((1.0, 5.124e12), (10.0, 4.599e10)):
        sigma = 32 * math.sqrt(2 * math.log(50)) / epsilon * math.sqrt(K - 1)
        total = sigma * (4 * math.sqrt(2) + math.sqrt(8 * math.log(800 * K)))
        nu = sigma * (math.sqrt(2) + math.sqrt(2 * math.log(400 * K))) / math.sqrt(total)
        kappa = math.log1p(4 * K / total)
        value = math.sqrt(16 * K) * (math.log(200) + 2 * kappa)
        value = 2 * math.sqrt(2) * (value + math.sqrt(8 * K * kappa) * (math.sqrt(6 * total) + nu))
        assert (
            upper.share(int(K), epsilon)
            == pytest.approx(value / (2 * K))
            == pytest.approx(1, rel=1e-3)
        )


def test_with_the_cut_at_h_the_last_values_are_rewards() -> None:
    """algorithm-1-text: V_2, .., V_{H-1} = H and V_H = 1, 4.5 a step; the most is at H = 4, and H =
    2 moves by 1."""
    ratios = [
        4.5 * (sum(h**4 for _ in range(2, h)) + 1) / h**4 / (32 * h**2) for h in range(2, 300)
    ]
    assert (
        max(ratios)
        == ratios[2]
        == pytest.approx(privacy.cut_at_horizon())
        == pytest.approx(0.017612, rel=1e-4)
    )
    assert ratios[0] == pytest.approx(4.5 / 16 / 128)


def test_the_better_action_is_abandoned() -> None:
    """Algorithm 1 itself on the instance of theorem-5.2, c = 1, r_k = 2 Sigma_k: once with the
    printed beta, in every episode with H in the place of H - h + 1."""
    H, K = 100, 400
    sigma = bounds.sigma(H, 1.0, 0.1)
    norm = matrix_norm(2, K, H, 0.02, "printed")
    for remaining, most in ((2, 1), (H, K)):
        rng = np.random.default_rng(5)
        gram, vector, played = np.eye(2), np.zeros(2), 0
        for k in range(1, K + 1):
            total = gram + (2 * sigma * norm * math.sqrt(k - 1) if k > 1 else 0.0) * np.eye(2)
            inverse = np.linalg.inv(total)
            beta = bounds.stated_beta(2, H, H - remaining + 1, k, K, 1.0, 0.1, 0.01)
            if min(2.0, (inverse @ vector)[0] + beta * math.sqrt(inverse[0, 0])) > 0.75:
                played += 1
                gram, vector = gram + np.diag([1.0, 0.0]), vector + np.array([1.0, 0.0])
            noise = rng.standard_normal((2, 2)) * sigma
            gram, vector = (
                gram + np.triu(noise) + np.triu(noise, 1).T,
                vector + rng.standard_normal(2) * sigma,
            )
        assert played == most


def test_the_ledger_says_for_which_horizons_the_better_action_is_abandoned() -> None:
    (row,) = (row for row in ledger.recorded() if row["id"] == "liao2021/theorem-5.2")
    evidence = ledger.words(row["records"][0], "evidence")
    assert f"from $H = {upper.stuck_from(1.0)}$ on" in evidence
    for constant in upper.CONSTANTS:
        horizon = upper.stuck_from(constant)
        assert upper.late_bonus(horizon, 2, upper.MANY) * constant < 0.75
        assert not upper.abandoned((horizon - 1, constant, 2), upper.MANY)


def test_beyond_three_times_that_horizon_the_bonus_falls() -> None:
    """What stuck_beyond does not try one by one: at larger H the bonus is smaller, and the rest
    stays below 1/2 + 1/(2 (1 + s))."""
    for constant in upper.CONSTANTS:
        least = 3 * upper.stuck_from(constant)
        horizons = [least, least + 1, 2 * least, 10 * least, 1000 * least]
        bonuses = [upper.late_bonus(horizon, 2, upper.MANY) for horizon in horizons]
        assert bonuses == sorted(bonuses, reverse=True)
        assert all(upper.abandoned((horizon, constant, 2), upper.MANY) for horizon in horizons)


def test_a_run_plays_the_better_action_once_or_always() -> None:
    """The compact run against the one above, and one width for all steps."""
    assert upper.plays((100, 1.0, 2), 400) == 1
    assert upper.plays((100, 1.0, 100), 400) == 400


def test_two_users_with_two_features_reach_the_supremum() -> None:
    """theorem-5.1 with d = 2, which is the least: two states, kept with probability sqrt(1/2), else
    lost to a state of value 0; features at 120 degrees and of norm 1, theta of norm sqrt(2), (3.1)
    at all corners."""
    first_feature, two = (
        np.array([math.cos(a), math.sin(a)]) for a in (7 * math.pi / 12, -math.pi / 12)
    )
    theta = math.sqrt(2) * (first_feature + two)
    lost = [theta / 2 - vector for vector in (first_feature, two)]
    assert np.linalg.norm(theta) <= math.sqrt(2) + 1e-12
    for stay, gone in zip((first_feature, two), lost, strict=True):
        assert stay @ theta == pytest.approx(math.sqrt(0.5))
        assert (stay + gone) @ theta == pytest.approx(1.0)
        assert (
            max(np.linalg.norm(stay), np.linalg.norm(gone), np.linalg.norm(stay + gone))
            <= 1 + 1e-12
        )
    for horizon in (2, 5):
        total = 0.0
        for ahead in range(1, horizon):  # V of the kept state, H - h
            gram = ahead**2 * (np.outer(first_feature, first_feature) - np.outer(two, two))
            total += (gram[np.triu_indices(2)] ** 2).sum() + (
                (ahead**2 * (first_feature - two)) ** 2
            ).sum()
        assert total == pytest.approx(sensitivity("message", horizon).value ** 2)


@given(st.integers(1, 10**4), st.integers(1, 10**6), st.integers(1, 1000), st.floats(1e-9, 0.5))
def test_an_honest_server_moves_estimates_little(
    d: int, episodes: int, horizon: int, alpha: float
) -> None:
    """theorem-5.1: by |z|/Sigma < 1, and by sqrt(3) |theta| where the regulariser lies between
    Sigma and 3 Sigma."""
    assert vector_norm(d, episodes, horizon, alpha, "printed") < matrix_norm(
        d, episodes, horizon, alpha, "printed"
    )


@given(st.integers(2, 12), st.integers(3, 40), st.integers(1, 10**7), st.floats(0.05, 6))
def test_mixture_bound_is_possible(
    dimension: int, horizon: int, episodes: int, epsilon: float
) -> None:
    """Below the regret of uniform play on the family at the largest gap: wrong signs half the
    time."""
    gap = 1 / (bounds.SLACK * horizon * (dimension - 1))
    best = mixtures.chain_value([1 / horizon + (dimension - 1) * gap] * horizon)
    uniform = episodes * (best - mixtures.chain_value([1 / horizon] * horizon))
    assert 0 < bounds.lower_mixture(dimension, horizon, episodes, epsilon) <= uniform


def test_a_distance_of_two_may_be_rounded_upwards(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = mixtures.total_variation
    assert exact(5, 1) == pytest.approx(2, rel=1e-13)
    for error, holds in ((1e-15, True), (1e-9, False)):
        monkeypatch.setattr(
            mixtures, "total_variation", lambda H, h, error=error: exact(H, h) * (1 + error)
        )
        assert mixtures.small_epsilon(0.03) is holds


def test_abstract_and_theorem() -> None:
    assert lower.denominator(0.3) == pytest.approx(lower.denominator(0.3, abstract=True))
    assert lower.denominator(3.0) < lower.denominator(3.0, abstract=True)


@pytest.mark.parametrize("states", [2, 3, 6])
def test_the_noise_of_the_experiments(states: int) -> None:
    horizon = 2 * states
    change = sensitivity("message", horizon, one_hot_states=states).value / horizon**2
    assert math.sqrt(experiments.message_weight(states)) == pytest.approx(change)
    least = change / accounting.gaussian_mu(1.0, experiments.DELTA)
    assert experiments.overpay(states, 1.0) == pytest.approx(
        experiments.sigma(horizon, 1.0) / least
    )
    assert experiments.vector_change(states, replaced=True) == pytest.approx(math.sqrt(2 * states))


def test_the_bonus_of_the_experiments() -> None:
    assert experiments.least_c(3, 4.0) == pytest.approx(experiments.least_c(3, 1.0) / 2, rel=0.05)
    assert experiments.spread((10, 1.0, 1.5)) == pytest.approx((20 / 2) ** 1.5, rel=0.05)
