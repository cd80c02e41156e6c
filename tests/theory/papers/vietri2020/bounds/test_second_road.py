"""Bounds of vietri2020 by a second road: minima and integrals taken by numbers, sums written
out."""

import math

import numpy as np
import pytest
from scipy import optimize
from scipy.integrate import quad

from privrl.agents.tabular.dp_ucbvi import DPUCBVI
from privrl.agents.tabular.private_ucbvi import PrivateUCBVI
from privrl.agents.tabular.pucb import PUCB
from privrl.environments import random_mdp
from privrl.privacy.quantiles import tree_quantile
from theory.lemmas.coupling import mean_error_divergence
from theory.papers.vietri2020.bounds import proved, stated, successors


@pytest.mark.parametrize(("visits", "m", "kappa"), [(500, 3, 0.02), (7, 1, 0.5), (2, 5, 0.01)])
def test_wrong_pulls_are_a_minimum(visits: float, m: int, kappa: float) -> None:
    """The least of (w - v) x + v (N/2) e^(-kappa x) over x >= 0 for each arm, the best prior."""
    best = 0.0
    for prior in stated.PRIORS:
        v = (1 - prior) / m
        if prior > v:

            def lost(x: float, v: float = v, u: float = prior - v) -> float:
                return u * x + v * visits / 2 * math.exp(-kappa * x)

        else:  # two instances alike

            def lost(x: float, v: float = prior) -> float:
                return v * x / 2 + v * visits / 4 * math.exp(-kappa * x)

        least = optimize.minimize_scalar(lost, bounds=(0, 50 / kappa), method="bounded").fun
        best = max(best, m * min(least, lost(0.0)))
    assert stated.wrong_pulls(visits, m, kappa) == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize(
    ("visits", "m", "kappa", "private"),
    [(50, 2, 0.1, 0.1), (400, 9, 0.5, 0.01), (20, 9, 0.5, 0.01), (9, 40, 1e-3, 0.3)],
)
def test_wrong_choices_are_integrals(visits: float, m: int, kappa: float, private: float) -> None:
    """e^(-kappa k)/4 and, by Fano, 1 - (k epsilon gap + ln 2)/ln m, over the visits k before."""
    two = quad(lambda k: math.exp(-kappa * k) / 4, 0, visits)[0]
    fano = 0.0
    if m >= 3:
        end = min(visits, (math.log(m) - math.log(2)) / private)
        fano = quad(lambda k: 1 - (k * private + math.log(2)) / math.log(m), 0, end)[0]
    assert stated.wrong_choices(visits, m, kappa, private) == pytest.approx(max(two, fano))


def test_lower_bounds_of_counts_and_regret_at_one_gap() -> None:
    S, A, H, alpha, beta, epsilon, half = 6, 5, 4, 0.05, 0.1, 0.01, 0.1
    count = stated.lower_count(S, A, H, alpha, beta, epsilon, half)
    gap = 2 * alpha / (half * H)
    wrong = 2 * half * (1 - half) / (1 - 2 * half)
    failing = 1 - (1 - wrong) * (1 - beta)
    pull = min(epsilon * gap, -math.log(1 - 4 * gap**2) / 2)
    users = (S - 2) * (A - 1) * mean_error_divergence(failing) / pull
    assert count == pytest.approx(half * (users - 1))
    T, gap = 10**5, 0.1
    regret = stated.lower_regret(S, A, H, T, epsilon, gap=gap)
    pull = min(epsilon * gap, -math.log(1 - 4 * gap**2) / 2)
    wrong_visits = max(
        stated.wrong_pulls(T / 4, 4, pull), stated.wrong_choices(T / 4, 4, pull, epsilon * gap)
    )
    spread = 1 - math.sqrt(3 / T) / 2
    assert regret == pytest.approx(4 * H * gap / 2 * spread * wrong_visits)


def test_the_best_bound_is_one_of_them() -> None:
    sizes = (3, 2, 3, 10**6, 50.0, 0.1)
    terms, lam = proved.best_regret_terms(*sizes)
    assert terms == proved.regret_terms(*sizes, lam)
    assert all(proved.regret_terms(*sizes, x).total >= terms.total for x in proved.LAMBDAS)
    exact = proved.regret_terms(2, 2, 2, 1000, 0.0, 0.1)  # exact counts: one visit is charged
    assert exact.start == pytest.approx(2 * 4 * 2)
    assert exact.noise == 0


def test_the_last_crossing_of_a_falling_ratio() -> None:
    for first in range(9, 300):
        assert proved.last_crossing(lambda T, first=first: first / T) == first + 1


def test_a_ratio_that_rises_once_more_is_crossed_later() -> None:
    """Below 1 from 3,601 on, at 8,193 three times as large, below 1 again from 32,401 on."""
    assert proved.last_crossing(lambda T: (60 if T <= 2**13 else 180) / T**0.5) == 32_401


MDP, T, BETA = random_mdp(3, 2, 4, seed=0), 5000, 0.1


def test_the_excess_of_private_ucbvi() -> None:
    """r~ + sum m~ V + W + bonus over n~ at the worst that the events allow, against r + P V, V = c
    - 1 in every next state; sums (r - n r) + (m - n P) V at c sqrt(n L_S/2), each released sum E
    higher, n~ N lower under the division and N higher in the bonus."""
    agent = PrivateUCBVI(epsilon=5.0, beta=BETA, calibration="tight")
    ours = agent.calibrate(MDP, T)
    bound, free = successors.excess(agent, 3, 2, 4, T)
    N = ours.surplus
    assert free == N
    sampling = math.log(3 * 24 * T * 2**3 / BETA)
    error = ours.scale * tree_quantile(BETA / 3 / (24 * 4), T - 1)
    for h in range(4):
        c = 4.0 - h
        for n in (N + 50.0, 10 * N, 1e9):
            n_released = n - N
            rewards_and_moves = c * math.sqrt(n * sampling / 2) + ours.ratios[h] * error
            rewards_and_moves += 3 * (c - 1) * error
            own = ours.widths[h] + ours.factors[h] * math.sqrt(n + N + N)
            # n (r + P V) <= n c is divided by n - N in place of n
            excess = (rewards_and_moves + own + c * n) / n_released - c
            assert float(bound(h, n)) == pytest.approx(min(c, excess), rel=1e-9)


def test_the_excess_of_dp_ucbvi() -> None:
    """The same with the counts made: their sum is within 6e of n, at least n; Popoviciu's variance
    k^2/4 of values in [0, k]."""
    agent = DPUCBVI(epsilon=5.0, beta=BETA, calibration="tight")
    ours = agent.calibrate(MDP, T)
    bound, free = successors.excess(agent, 3, 2, 4, T)
    assert free == 0
    e, a = ours.error, ours.deviation
    sampling = math.log(3 * 24 * T * 2**3 / BETA)
    for h in range(4):
        c, k = 4.0 - h, 3.0 - h
        for n in (100.0, 1e5, 1e9):
            visits = n + 4 * e
            values = np.array([0.0, k])
            bernstein = max(a * math.sqrt(visits * values.var()), a**2 * k)
            total = c * math.sqrt(n * sampling / 2) + ours.reward * math.sqrt(visits)
            total += bernstein + ours.constant * k + e * (3 + 3) * k + 6 * e
            assert float(bound(h, n)) == pytest.approx(min(c, total / n))


@pytest.mark.parametrize("calibration", ["corrected", "tight"])
def test_the_width_is_the_agent_s_at_powers_of_two(calibration: str) -> None:
    """T - 1 releases, where a level more begins."""
    mdp = random_mdp(2, 2, 3, seed=0)
    for T in (16, 17, 18):
        agent = PUCB(0.7, 0.0, 0.1, "tree", calibration)
        width = proved.width(2, 2, 3, T, 0.7, 0.1, calibration)  # type: ignore[arg-type]
        assert width == pytest.approx(agent.calibrate(mdp, T).e_epsilon)
