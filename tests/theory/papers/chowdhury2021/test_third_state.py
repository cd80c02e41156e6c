"""Three states and a path: second roads to what the record of lemma-8 says."""

import math

import numpy as np
import pytest

from theory.papers.chowdhury2021 import third_state
from theory.papers.chowdhury2021.bounds import LQRegularity, Problem, radius
from theory.papers.chowdhury2021.system import array_riccati
from theory.papers.chowdhury2021.third_state import THETA_0, ThirdState


def test_the_radius_is_that_of_lemma_1() -> None:
    instance = ThirdState(40)
    values = third_state.path_facts(instance)
    lam, known = float(values.regulariser), float(values.known)
    a, feed, noise = float(instance.a), float(instance.feed), float(instance.noise)
    regular = LQRegularity(lam, lam, math.sqrt(lam * (1 + a**2)), 0.0, 0.0)
    problem = Problem(3, 1, 40, 1.0, 1.0, 1.0, noise * math.sqrt(1 + feed**2))
    ratio = math.log(known / lam)  # the other entries are lambda
    assert radius(problem, 0.1, regular, ratio) == pytest.approx(float(values.radius), rel=1e-12)
    assert float(values.radius) ** 2 == pytest.approx(known * a**2, rel=1e-12)


def test_assumption_1_and_controllability() -> None:
    instance = ThirdState(40)
    a, b = third_state.matrices(instance)
    bound = float(instance.noise) * math.hypot(1, float(instance.feed))
    assert np.linalg.norm(a, 2) + np.linalg.norm(b, 2) + bound <= 1
    assert np.linalg.norm(np.vstack([a.T, b.T])) <= 1
    assert np.linalg.matrix_rank(np.hstack([b, a @ b, a @ a @ b]), tol=1e-9) == 3


def test_what_theta_0_costs() -> None:
    """P(tau) = diag(1, tau, 1), so the cost of step 3 of the proof."""
    values = array_riccati(THETA_0[:3].T, THETA_0[3:].T, np.eye(3), np.eye(1), 30)
    assert np.array_equal(values[0], np.diag([1.0, 30.0, 1.0]))


@pytest.mark.parametrize("horizon", [50, 200])
def test_the_proved_sum_lies_below_the_played_one(horizon: int) -> None:
    """Theta_0 is a member of the set and is no dearer than itself: what is proved of every choice
    holds for it, and is not far off."""
    instance = ThirdState(horizon)
    played, proved = third_state.played_sum(instance, THETA_0), third_state.third_sum(instance)
    fed = float(instance.feed) * float(instance.noise)
    by_hand = sum(fed**2 * (horizon - h) for h in range(2, horizon)) + sum(
        float(instance.a) ** (2 * h) for h in range(1, horizon)
    )
    assert played == pytest.approx(by_hand - fed**2 * (horizon - 2), rel=1e-12)
    assert 0.6 * played < proved.least < played


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_whatever_is_no_dearer_pays(seed: int) -> None:
    cheap, least = third_state.drawn_sums(ThirdState(10), 3000, seed)
    assert cheap > 5 and least >= third_state.third_sum(ThirdState(10)).least


@pytest.mark.slow
def test_a_frequent_noise_lets_others_in() -> None:
    frequent = ThirdState(10, rarity=1e8)
    cheap, least = third_state.drawn_sums(frequent, 3000, 0)
    assert cheap > 5 and least < third_state.drawn_sums(ThirdState(10), 3000, 0)[1]
    assert not third_state.path_facts(frequent).admissible


def test_the_mean_over_signs_is_small() -> None:
    """The noise with fair signs at every step in place of rarely: what a path gains, others lose.
    The mean of the sum of Delta'' is J_1 - J~_1, below H times the largest cost of a step."""
    instance, rng = ThirdState(6), np.random.default_rng(3)
    true_a, true_b = third_state.matrices(instance)
    theta = THETA_0 + 0.05 * rng.standard_normal((4, 3))
    a, b = theta[:3].T, theta[3:].T
    values = array_riccati(a, b, np.eye(3), np.eye(1), 6)
    shock = float(instance.noise) * np.array([0.0, -float(instance.feed), 1.0])
    sums, costs = [], []
    for path in range(2**6):
        x, total, cost = np.array([1.0, 0.0, 0.0]), 0.0, 0.0
        for step in range(6):
            p = values[step + 1]
            u = -np.linalg.solve(np.eye(1) + b.T @ p @ b, b.T @ p @ a @ x)
            cost += float(x @ x + u @ u)
            known, guessed = true_a @ x + true_b @ u, a @ x + b @ u
            total += float(known @ p @ known - guessed @ p @ guessed)
            x = known + (1 - 2 * (path >> step & 1)) * shock
        sums.append(total)
        costs.append(cost)
    start = np.array([1.0, 0.0, 0.0])
    promised = start @ values[0] @ start + sum(shock @ p @ shock for p in values[1:])
    assert np.mean(sums) == pytest.approx(np.mean(costs) - promised, rel=1e-9)


@pytest.mark.parametrize("constant", [1.0, 10.0])
def test_no_constant_covers_it(constant: float) -> None:
    first = third_state.first_exceeding(constant)
    assert third_state.exceeds_order(ThirdState(first), constant)
    assert not third_state.exceeds_order(ThirdState(first // 2), constant)
    assert third_state.exceeds_order(ThirdState(100 * first), 10 * constant)
