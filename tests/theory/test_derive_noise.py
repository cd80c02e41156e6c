"""Noise scales: the derivations by numbers, a weight against random users, the shapes against the
accounting."""

import math

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from privrl.privacy import accounting, noise
from privrl.privacy.sensitivity import control_sums
from theory import derive_noise as ns
from theory.ledger import ROOT

# a paper's scales are derived by symbols where it has a module of that
DERIVED = sorted(
    path.parent.name for path in (ROOT / "theory/papers").glob("*/noise_derivation.py")
)


@pytest.mark.parametrize("paper", DERIVED)
def test_the_symbols_have_the_numbers_that_agents_use(paper: str) -> None:
    problem = noise.setting(paper, epsilon=0.7, horizon=6, episodes=3000)
    values = {
        "epsilon": problem.epsilon,
        "delta": problem.delta,
        "H": problem.horizon,
        "T": problem.episodes,
        "gamma": problem.gamma,
        "d": problem.dimension,
        "m": (problem.episodes - 1).bit_length(),
    }
    for row, scale in zip(ns.derive(paper), noise.noise(paper, problem).scales, strict=True):
        formula = row.explicit("printed")
        number = formula.subs({symbol: values[symbol.name] for symbol in formula.free_symbols})
        assert (row.name, float(number)) == (scale.name, pytest.approx(scale.printed, rel=1e-12))


def test_which_derivations_meet_the_printed_scale() -> None:
    assert ns.derive("vietri2020")[0].ratio == 1
    assert sp.simplify(ns.derive("liao2021")[0].ratio - 1 / sp.sqrt(ns.EPSILON)) == 0
    for row, share in (
        (ns.derive("chowdhury2021")[1], ns.EPSILON / 2),
        (ns.derive("zhou2022")[3], ns.EPSILON / (4 * ns.HORIZON)),
    ):
        assert sp.simplify(row.ratio - (1 + sp.sqrt(1 + share / ns.LOG)) / 2) == 0


@pytest.mark.slow
@given(st.floats(0.01, 20), st.floats(1e-12, 0.5))
def test_derived_scales_solve_the_conversion(epsilon: float, delta: float) -> None:
    """chowdhury2021: rho of the derived noise converts to epsilon/2 at delta/2; that of the printed
    noise to more."""
    values = {ns.EPSILON: epsilon, ns.DELTA: delta, ns.HORIZON: 1, ns.LEVELS: 1, ns.GAMMA: 0}
    row = ns.derive("chowdhury2021")[0]
    reached = {}
    for which in ("printed", "derived"):
        sigma = float(row.explicit(which).subs(values))
        reached[which] = accounting.bun_steinke_epsilon(1 / (2 * sigma**2), delta / 2)
    assert reached["derived"] == pytest.approx(epsilon / 2, rel=1e-9)
    assert reached["printed"] > epsilon / 2


@pytest.mark.slow
@given(st.integers(1, 4), st.integers(1, 3), st.floats(0, 3), st.integers(0, 2**32 - 1))
def test_no_pair_of_users_beats_the_weight(
    horizon: int, states: int, gamma: float, seed: int
) -> None:
    """Random states of norm 1 and random gains of norm gamma, changing from step to step."""
    rng = np.random.default_rng(seed)
    gains = rng.standard_normal((horizon, states, states))
    gains *= gamma / np.linalg.norm(gains, 2, axis=(1, 2))[:, None, None]
    sums = []
    for _ in range(2):
        trajectory = rng.standard_normal((horizon + 1, states))
        trajectory /= np.linalg.norm(trajectory, axis=1, keepdims=True)
        controls = np.einsum("hij,hj->hi", gains, trajectory[:-1])
        sums.append(control_sums(trajectory, controls))
    scales = horizon * (1 + gamma) ** 2, horizon * (1 + gamma)
    weight = sum((np.linalg.norm(a - b) / s) ** 2 for a, b, s in zip(*sums, scales, strict=True))
    assert weight <= float(ns.chowdhury2021_weights(gamma).most) + 1e-9


@pytest.mark.parametrize("delta", [1e-9, 1e-3, 0.4])
def test_thresholds_by_the_accounting(delta: float) -> None:
    """At the threshold of a shape the printed noise meets (epsilon, delta), by formulas written out
    again."""
    weight, horizon = 3.0, 4
    cases = (
        (
            ns.chowdhury2021_shape(weight),
            lambda e: e * math.sqrt(weight / (8 * math.log(2 / delta))),
        ),
        (ns.counter_shape(1.0, 0.5), lambda e: e / math.sqrt(2 * math.log(1 / delta))),
        (ns.counter_shape(4.0, 0.5), lambda e: 2 * e / math.sqrt(2 * math.log(1 / delta))),
        (
            ns.zhou2022_shape(weight, horizon),
            lambda e: e * math.sqrt(weight / (32 * 16 * math.log(16 / delta))),
        ),
        (
            ns.liao2021_shape(weight, horizon),
            lambda e: e * math.sqrt(weight / (32 * 16 * math.log(10 / delta))),
        ),
    )
    for shape, mu in cases:
        edge = ns.threshold(shape, delta)
        assert accounting.gaussian_delta(edge, mu(edge)) == pytest.approx(delta, rel=1e-6)
    printed = ns.liao2021_printed_mu(0.3, delta, weight, horizon)
    assert printed == pytest.approx(
        math.sqrt(weight * 256 * 0.3) / (4 * 64 * math.sqrt(2 * math.log(10 / delta)))
    )
