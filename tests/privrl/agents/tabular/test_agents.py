"""Agents: one contract for all, their calibrations, plain Python, and what learning means.

That the kernels follow the pseudo-code stands in ``test_tabular.py``.
"""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privrl.agents.blocks import check_blocks
from privrl.agents.tabular import widths
from privrl.agents.tabular.pucb import PUCB
from privrl.agents.tabular.ubev import UBEV
from privrl.environments import chain, planning, random_mdp, riverswim, suite
from privrl.privacy import quantiles
from privrl.run import measure, simulate
from privrl.types import TabularMDP
from tests.contracts import refused, rejects
from tests.contracts_agents import TabularContract, under

SMALL = random_mdp(2, 3, 2, seed=4)
TINY = random_mdp(2, 2, 1, seed=1)  # 16 running sums


TestUBEV = under(TabularContract, SMALL, UBEV(0.2))
TestExactPUCB = under(TabularContract, riverswim(3, relabelled=True), PUCB(counter="none"))
# privacy so weak that counts pass 2 E within the few episodes of a test
TestPUCB = under(TabularContract, SMALL, PUCB(1e6))
TestTightPUCB = under(
    TabularContract, riverswim(3, 4, inhomogeneous=True), PUCB(1e6, calibration="tight")
)
TestGaussianPUCB = under(TabularContract, chain(3), PUCB(1e5, 1e-6, calibration="corrected"))
TestLocalPUCB = under(TabularContract, SMALL, PUCB(1e6, counter="local", calibration="tight"))
TestBLTPUCB = under(TabularContract, SMALL, PUCB(1e5, 1e-6, counter="blt", calibration="tight"))


def test_what_a_plan_runs_over_begins_at_a_line_of_the_cache() -> None:
    for mdp in (TINY, SMALL, random_mdp(5, 4, 3, seed=1)):
        state = PUCB(1.0).start(mdp, 10, np.array([1])).state
        for array in (state.sums.every, state.released.every, state.plan.q):
            assert array.ctypes.data % 64 == 0
            assert not array.any()


def wrong(fault: str) -> Any:
    """A twin of UBEV whose learner spoils what it is given, or what it has done."""

    class Learner:
        def __init__(self, learner: Any) -> None:
            self.learner, self.state = learner, learner.state

        def advance(self, noise: np.ndarray, coins: np.ndarray, ties: np.ndarray) -> None:
            check_blocks(noise, coins, ties, (None, SMALL.coins, SMALL.ties))
            if fault == "input":
                ties *= 0.5
            # small coins, and so the first states, come too often
            self.learner.advance(noise, coins**1.3 if fault == "environment" else coins, ties)
            if fault == "count":
                self.state.statistics[0] += 1

    class Twin(UBEV):
        def start(self, mdp: TabularMDP, planned: int, checkpoints: np.ndarray) -> Any:
            return Learner(super().start(mdp, planned, checkpoints))

    return Twin(0.2)


@pytest.mark.parametrize(
    ("fault", "trips"),
    [
        ("input", "test_the_cut_into_blocks_does_not_matter_and_nothing_given_is_changed"),
        ("environment", "test_the_environment_follows_its_distributions"),
        ("count", "test_every_step_is_counted_once"),
    ],
)
def test_the_contract_rejects(fault: str, trips: str) -> None:
    assert trips in rejects(TestUBEV, build=lambda self: wrong(fault))


def test_printed_is_the_paper_s_formula() -> None:
    cases = ((SMALL, 2, 3.0, 0.5), (riverswim(3), 1000, 0.5, 0.1), (chain(4, 6), 10**8, 0.01, 1e-6))
    for mdp, planned, epsilon, beta in cases:
        S, A, H, T = mdp.states, mdp.actions, mdp.horizon, planned
        prime = beta / 4
        calibration = PUCB(epsilon, beta=beta).calibrate(mdp, planned)
        assert calibration.scale == pytest.approx(3 * H / epsilon * math.log(T), rel=1e-14)
        width = (
            3 / epsilon * H * math.log((2 * S * A * H + S * S * A * H) / prime) * math.log(T) ** 2.5
        )
        assert calibration.e_epsilon == pytest.approx(width, rel=1e-13)
        assert calibration.logarithm == pytest.approx(2 * math.log(T / prime), rel=1e-14)


@pytest.mark.slow
@given(st.floats(1e-100, 1 - 1e-12), st.integers(1, 10**9))
def test_chernoff_width_bounds_the_exact_tail(beta: float, terms: int) -> None:
    exact = quantiles.laplace_sum_tail(widths.chernoff_width(beta, terms), terms)
    assert exact <= beta * (1 + 1e-9)


def test_without_noise_there_is_no_width() -> None:
    for calibration in PUCB.calibrations:
        calibrated = PUCB(counter="none", calibration=calibration).calibrate(SMALL, 1)
        assert (calibrated.scale, calibrated.e_epsilon) == (0.0, 0.0)
        assert calibrated.logarithm == pytest.approx(2 * math.log(40))


@pytest.mark.slow
def test_ubev_learns_and_play_that_knows_nothing_does_not() -> None:
    mdp = suite.tabular("vietri2020/riverswim-3-relabelled")
    assert measure.is_discriminating(mdp)
    known = simulate.run("ubev", mdp, UBEV(), episodes=10**4, replicates=20, seed=1)
    assert measure.users(known, mdp).never == 0
    # with epsilon = 1 no count comes near 2 E in 10^4 episodes: every action ties, and play is
    # uniform exactly
    blind = simulate.run("pucb", mdp, PUCB(1.0), episodes=10**4, replicates=20, seed=1)
    assert measure.users(blind, mdp).never == 20
    lost = planning.uniform_regret(mdp)
    np.testing.assert_allclose(blind.regret, np.tile(blind.episodes * lost, (20, 1)), rtol=1e-12)
    assert lost > 0.1


def test_limits_are_named() -> None:
    wide = random_mdp(1, 63, 1, seed=0)
    assert (
        refused(lambda: UBEV().start(wide, 10, [1]))  # type: ignore[arg-type]
        == "a tabular agent takes at most 62 actions, got actions=63"
    )
    assert "episodes must be <= 9007199254740992" in refused(
        lambda: PUCB(1.0).start(SMALL, 2**60, [1])  # type: ignore[arg-type]
    )
    assert "beta must be >= 1e-20" in refused(lambda: PUCB(1.0, beta=1e-21))
