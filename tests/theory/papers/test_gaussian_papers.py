"""The privacy claims of chowdhury2021, liao2021 and zhou2022: verdicts, and numbers derived independently."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privrl.environments import planning
from privrl.privacy import accounting
from theory import derive_noise
from theory.lemmas.tree import levels, live_nodes, touched
from theory.papers import tree_levels
from theory.papers.chowdhury2021 import privacy as chowdhury
from theory.papers.chowdhury2021 import sensitivity
from theory.papers.liao2021 import divergence, features
from theory.papers.liao2021 import privacy as liao
from theory.papers.zhou2022 import privacy as zhou


@given(st.integers(2, 1500))
def test_counts_by_paths(episodes: int) -> None:
    row, releases = tree_levels.counts()[episodes - 1], episodes - 1
    assert row.used_blocks == max(len(touched(t, releases)) for t in range(1, releases + 1)) == levels(releases)
    assert row.in_release == max(len(live_nodes(t)) for t in range(1, releases + 1))
    assert row.all_blocks == row.used_blocks == tree_levels.base_two(episodes)


@pytest.mark.parametrize("system", [sensitivity.TURNING, sensitivity.CROSSING, chowdhury.ALONE, chowdhury.JOINT])
def test_users_obey_the_system(system: sensitivity.Instance) -> None:
    """The noise that the two trajectories need under any gains of norm gamma stays within C_w = 1 - C_A - gamma C_B."""
    assert sensitivity.admissible(system)
    limit = 1 - system.small * (1 + system.gamma)
    for states in sensitivity.trajectories(system):
        assert np.linalg.norm(states, axis=1).max() <= 1
        for sign in (-1.0, 0.0, 1.0):
            drift = system.small * (1 + sign * system.gamma) * states[:-1]
            assert np.linalg.norm(states[1:] - drift, axis=1).max() <= limit + 1e-12


def test_gains_by_the_riccati_iteration() -> None:
    """||K_h|| <= q H/2 over random Theta with Frobenius norm at most 1, whichever P_h the gain holds."""
    rng, horizon, q = np.random.default_rng(3), 6, 0.3
    for _ in range(200):
        theta = rng.standard_normal((2, 4))
        theta *= rng.uniform(0, 1) / np.linalg.norm(theta)
        a, b = theta[:, :2], theta[:, 2:]
        for p in planning.riccati(a, b, q * np.eye(2), np.eye(2), horizon)[0]:
            gain = np.linalg.solve(np.eye(2) + b.T @ p @ b, b.T @ p @ a)
            assert np.linalg.norm(gain, 2) <= q * horizon / 2


@given(st.integers(1, 5), st.integers(1, 4), st.integers(1, 6))
def test_scaled_one_hot_parameters(states: int, actions: int, horizon: int) -> None:
    rng = np.random.default_rng(states + 10 * actions)
    kernel = rng.dirichlet(np.full(states, 0.1), size=states * actions)
    assert np.linalg.norm(kernel) * math.sqrt(states) <= math.sqrt(states**2 * actions) + 1e-9
    assert features.largest_norm(states, horizon) == states * horizon**2


def test_the_message_by_the_algorithm() -> None:
    """First episode, rewards 1, bonus 1: V_{h+1} = H - h by the recursion, and the squared change is the weight."""
    horizon, states = 4, 2
    following, total = np.zeros(states), 0.0
    for h in range(horizon, 0, -1):
        phi = np.diag(following)  # states that stay, phi_V(s) = V(s) e_s
        if h < horizon + 1:
            gram = np.outer(phi[0], phi[0]) - np.outer(phi[1], phi[1])
            vector = phi[0] * following[0] - phi[1] * following[1]
            total += float((np.triu(gram) ** 2).sum() + (vector**2).sum())
        following = np.minimum(horizon - h + 1, 1 + np.linalg.norm(phi, axis=1))
        assert np.allclose(following, horizon - h + 1)
    assert total / horizon**4 == pytest.approx(derive_noise.mixture_weight(horizon, features="orthogonal"))


def test_the_printed_noise_below_its_range() -> None:
    weight = derive_noise.mixture_weight(4, features="orthogonal")
    assert liao.leaks(liao.Aim(0.005, 1e-300, 4, weight))
    assert not liao.leaks(liao.Aim(0.0068, 1e-300, 4, derive_noise.mixture_weight(4)))
    edge = liao.last_failure(1e-9, weight, 4)
    assert liao.leaks(liao.Aim(edge * 0.999, 1e-9, 4, weight))
    assert not liao.leaks(liao.Aim(edge * 1.001, 1e-9, 4, weight))


@given(st.floats(0.0068, 50), st.floats(1e-15, 0.999), st.integers(2, 60))
def test_the_printed_noise_in_its_range(epsilon: float, delta: float, horizon: int) -> None:
    weight = derive_noise.mixture_weight(horizon)
    mu = derive_noise.liao2021_printed_mu(epsilon, delta, weight, horizon)
    assert accounting.gaussian_delta(epsilon, mu) <= delta


@given(st.floats(0.01, 3), st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_divergences(epsilon: float, first: float, second: float) -> None:
    grown = math.exp(epsilon)
    seen = [float(divergence.response(mean, epsilon)) for mean in (first, second)]
    private = sum(p * math.log(p / q) for p, q in ((seen[0], seen[1]), (1 - seen[0], 1 - seen[1])))
    assert private <= (math.cosh(epsilon) - 1) * (first - second) ** 2 + 1e-14
    assert private <= (grown - 1) ** 2 * (first - second) ** 2 + 1e-14


@given(st.floats(0.01, 24.8), st.floats(1e-12, 1, exclude_max=True), st.integers(1, 60))
def test_zhou_in_its_range(epsilon: float, delta: float, horizon: int) -> None:
    weight = derive_noise.mixture_weight(horizon, rewards=True)
    mu = epsilon * math.sqrt(weight / (32 * horizon**2 * math.log(4 * horizon / delta)))
    assert accounting.gaussian_delta(epsilon, mu) <= delta


def test_zhou_users_and_limits() -> None:
    assert [zhou.reward_change(h) for h in (1, 2, 5)] == pytest.approx([1.0, 5.0, 17.0])
    for constant in (2.0, 10.0, 50.0):
        epsilon = 1.3 * 64 * constant * 4 * math.log(8e6) / 5
        assert zhou.leaks(zhou.Aim(epsilon, 1e-6, 2, constant))
    assert zhou.overpay(1.0, 1e-6, 10) > 7
    rows = zhou.thresholds((1e-6,), 3)
    assert rows[0][1] < rows[0][2]
