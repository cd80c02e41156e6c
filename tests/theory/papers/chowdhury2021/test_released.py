"""chowdhury2021: what the policies read, the first episode's choice, the constants of the lower
bound."""

import math

import numpy as np
import pytest

from privrl.agents.lq import optimism as lq_optimism
from privrl.agents.lq.private_ofu_rl import PrivateOFURL
from privrl.environments.lq import lq_instance
from theory.papers.chowdhury2021 import bounds, lower, released


def _data(users: int, last: tuple[float, float]) -> tuple[float, float]:
    """Z'Z and Z'X by adding up trajectories."""
    gram = cross = 0.0
    for user in range(users):
        x2, x3 = last if user == users - 1 else released.USUAL
        for x, after in ((1.0, x2), (x2, x3)):
            gram, cross = gram + x * x, cross + x * after
    return gram, cross


def test_sums_by_trajectories() -> None:
    for last in (released.USUAL, released.OTHER):
        assert released.sums(7, last) == pytest.approx(_data(7, last), rel=1e-12)
    noise = [after - 0.6 * x for x, after in ((1.0, 0.45), (0.45, 0.27))]
    assert all(abs(w) <= 0.15 + 1e-12 for w in noise)  # admissible responses


def test_two_controls_by_the_agents_own_step() -> None:
    """A small instance in floating point: one V and U, two radii, u = 0 and u != 0."""
    v, w, u_b, wide, narrow = 100.0, 50.0, 5.0, 4.0, 3.9
    u_a = math.sqrt(v) * 3.95
    controls = []
    for beta in (wide, narrow):
        theta = np.zeros((2, 1))
        lq_optimism.scalar_step(
            np.diag([v, w]),
            np.array([[u_a], [u_b]]),
            beta,
            lq_optimism.ScalarCosts(1.0, 1.0, 1.0, 0.0, 2),
            theta,
        )
        a, b = theta[:, 0]
        controls.append(-a * b / (1 + b * b))
    assert controls[0] == 0
    assert abs(controls[1]) > 1e-5


def test_the_agent_plays_zero_there() -> None:
    instance = lq_instance(2, 1)
    learner = PrivateOFURL(epsilon=1.0, calibration="printed").start(instance, 10, np.array([1]))
    noise = np.zeros((1, learner.state.statistics.size))
    learner.advance(noise, np.full((1, instance.coins), 0.5), np.zeros((1, instance.ties)))
    assert np.abs(learner.state.gains).max() < 1e-9
    assert learner.state.last == "still"


def test_constants_of_the_lower_bound() -> None:
    """H = 2: above 0.159 a q sqrt(K/I) once t may be small, and 0.2771 of it in the limit (0.2669
    by a cruder step)."""
    top = lower.limit()
    assert top == pytest.approx(0.27710, abs=2e-5)
    for a, c in ((0.5, 0.4), (0.6, 0.3)):
        shares = []
        for K in (10**6, 10**9, 10**13):
            shares.append(
                bounds.lower_regret(K, 2, 1.0, 1.0, a, c) / (a * c / math.pi * math.sqrt(K))
            )
        assert all(0.159 < share < top for share in shares)
        assert shares[1:] == pytest.approx([top, top], rel=0.02)  # t lies on a grid
