"""Riccati recursion, costs, regret and bounds of LQ systems: against SciPy, dynamic programming and
played episodes."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privrl.environments import lq_instance, lq_scalar, planning, random_lq
from privrl.environments.lq import NOISES
from tests.contracts import refused
from tests.privrl.agents.lq import oracle

SYSTEMS = [
    lq_instance(1, 1),
    lq_instance(2, 1),
    lq_instance(2, 2),
    lq_instance(4, 2),
    random_lq(3, 2, 4, 7),
    random_lq(1, 3, 3, 2),
    *(lq_instance(2, 1, noise=noise) for noise in NOISES),
]
named = pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)


def other_gains(system, seed=0):
    return (
        np.random.default_rng(seed).normal(size=(system.horizon, system.controls, system.states))
        / 3
    )


@named
def test_equations_3_to_5_against_dynamic_programming(system):
    Ps, Ks = oracle.dp(system.A, system.B, system.Q, system.R, system.horizon)
    costs, gains = planning.riccati(system.A, system.B, system.Q, system.R, system.horizon)
    np.testing.assert_allclose(costs, Ps, atol=1e-13)
    np.testing.assert_allclose(gains, Ks, atol=1e-13)
    assert not costs[-1].any() and not gains[-1].any()  # P_{H+1} = 0, hence u_H = 0
    assert (planning.lq_gains(system) == gains).all()
    assert planning.lq_optimum(system) == pytest.approx(
        oracle.optimal_cost(system.theta, system), rel=1e-13
    )


@named
def test_cost_and_regret_against_two_other_computations(system):
    optimum = planning.lq_optimum(system)
    for seed in range(5):
        gains = other_gains(system, seed)
        cost = planning.lq_cost(system, gains)
        forwards = oracle.expected_cost(
            system.A, system.B, system.Q, system.R, system.start, system.variance, gains
        )
        assert cost == pytest.approx(forwards, rel=1e-12)
        assert planning.lq_regret(system, gains) == pytest.approx(
            cost - optimum, rel=1e-9, abs=1e-13
        )
    best = planning.lq_gains(system)
    assert planning.lq_cost(system, best) == pytest.approx(optimum, rel=1e-13)
    assert planning.lq_regret(system, best) == pytest.approx(0.0, abs=1e-25)
    # no cancellation: a change of 1e-9 in the gains costs a multiple of 1e-18
    near = planning.lq_regret(system, best + 1e-9)
    assert near == pytest.approx(1e-12 * planning.lq_regret(system, best + 1e-3), rel=1e-2)


@named
def test_other_dynamics_under_the_same_cost(system):
    theta = 0.5 * np.random.default_rng(1).normal(size=system.theta.shape)
    n = system.states
    gains = planning.lq_gains(system, theta)
    assert planning.lq_optimum(system, theta) == pytest.approx(
        oracle.optimal_cost(theta, system), rel=1e-12
    )
    np.testing.assert_allclose(
        gains,
        oracle.dp(theta[:n].T, theta[n:].T, system.Q, system.R, system.horizon)[1],
        atol=1e-12,
    )
    assert planning.lq_cost(system, gains, theta) == pytest.approx(
        planning.lq_optimum(system, theta), rel=1e-12
    )
    zero = planning.lq_zero(system)
    assert zero.shape == gains.shape and not zero.any()


@pytest.mark.slow
def test_the_best_constant_gain():
    for system in (lq_scalar(), lq_instance(2, 1)):
        gain, regret = planning.lq_best_constant_gain(system)
        steady = np.broadcast_to(gain, (system.horizon, *gain.shape))
        assert regret == pytest.approx(planning.lq_regret(system, steady), rel=1e-12) and regret > 0
        for change in np.eye(gain.size).reshape(-1, *gain.shape):
            for sign in (-1e-3, 1e-3):
                assert planning.lq_regret(system, steady + sign * change) > regret
        assert regret < planning.lq_regret(system, planning.lq_zero(system))
    grid = np.linspace(-1, 1, 20001)
    least = min(planning.lq_regret(lq_scalar(), np.full((5, 1, 1), value)) for value in grid[::20])
    assert planning.lq_best_constant_gain(lq_scalar())[1] == pytest.approx(least, rel=1e-2)


@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 6), st.integers(0, 10**6))
@settings(max_examples=80, deadline=None)
def test_the_bounds_hold_on_s(n, d, horizon, seed):
    system = random_lq(n, d, horizon, seed % 50)
    theta = np.random.default_rng(seed).normal(size=(n + d, n)) * np.random.default_rng(
        seed + 1
    ).random((n + d, 1))
    theta /= np.linalg.norm(theta)
    costs, gains = planning.riccati(theta[:n].T, theta[n:].T, system.Q, system.R, horizon)
    for h in range(1, horizon + 1):
        assert np.linalg.norm(costs[h - 1], 2) <= planning.lq_cost_bound(system, h) * (1 + 1e-12)
        assert np.linalg.norm(gains[h - 1], 2) <= planning.lq_gain_bound(system, h) * (1 + 1e-12)
    assert (
        planning.lq_cost_bound(system, horizon + 1) == 0 == planning.lq_gain_bound(system, horizon)
    )


def test_the_bounds_are_attained():
    """D by A near vv', B near 0; the gain's bound at h = H - 1 by the scalar system with b^2 =
    r/(2r + D)."""
    system = lq_scalar(6)
    costs, _ = planning.riccati([[1 - 1e-9]], [[1e-9]], system.Q, system.R, 6)
    for h in range(1, 7):
        assert costs[h - 1, 0, 0] == pytest.approx(planning.lq_cost_bound(system, h), rel=1e-7)
    q, r = system.Q[0, 0], system.R[0, 0]
    b = math.sqrt(r / (2 * r + q))
    gains = planning.riccati([[math.sqrt(1 - b * b)]], [[b]], system.Q, system.R, 2)[1]
    assert abs(gains[0, 0, 0]) == pytest.approx(planning.lq_gain_bound(system, 5), rel=1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.eye(2), np.ones((3, 1)), np.eye(2), np.eye(1), 3), "B must have shape (2, "),
        ((np.eye(2), np.ones((2, 1)), -np.eye(2), np.eye(1), 3), "Q must be positive semidefinite"),
        (
            (np.eye(2), np.ones((2, 1)), np.eye(2), np.zeros((1, 1)), 3),
            "R must be positive definite",
        ),
        (
            (np.eye(2), np.ones((2, 1)), [[1.0, 1.0], [0.0, 1.0]], np.eye(1), 3),
            "Q must be symmetric, got skew=1.0",
        ),
    ],
)
def test_riccati_refuses(arguments, message):
    assert message in refused(lambda: planning.riccati(*arguments))


def test_gains_and_dynamics_of_another_shape_are_refused():
    system = lq_instance(2, 1)
    for wrong in (np.zeros((4, 1, 2)), np.zeros((5, 2, 1))):
        assert refused(lambda wrong=wrong: planning.lq_cost(system, wrong)).startswith(
            "gains must "
        )
        assert refused(lambda wrong=wrong: planning.lq_regret(system, wrong)).startswith(
            "gains must "
        )
    assert refused(lambda: planning.lq_optimum(system, np.zeros((2, 3)))).startswith("theta must ")
    assert "step must be <= horizon + 1" in refused(lambda: planning.lq_cost_bound(system, 7))
