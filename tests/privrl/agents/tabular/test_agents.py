"""Agents: one contract for all, their calibrations, plain Python, and what learning means.

That the kernels follow the pseudo-code stands in ``test_tabular.py``.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from privrl.agents.tabular import learner as tabular
from privrl.agents.tabular import pucb, ubev, widths
from privrl.agents.tabular.pucb import PUCB
from privrl.agents.tabular.ubev import UBEV
from privrl.environments import chain, planning, random_mdp, riverswim, suite
from privrl.privacy import accounting, quantiles, sensitivity
from privrl.privacy.counters import stream as counters
from privrl.run import learning, simulate
from privrl.run.simulate import Agent
from privrl.types import TabularMDP
from tests.contracts import (
    FALSE_ALARM,
    not_counts,
    not_inside_unit,
    not_numbers,
    not_positive,
    refused,
    rejects,
)
from tests.contracts_agents import AgentContract

SMALL = random_mdp(2, 3, 2, seed=4)
TINY = random_mdp(2, 2, 1, seed=1)  # 16 running sums


# --- the contract --------------------------------------------------------------------------------------------------


class TestUBEV(AgentContract):
    mdp = SMALL
    reads_noise = False

    def build(self) -> Agent:
        return UBEV(0.2)


class TestExactPUCB(AgentContract):
    mdp = riverswim(3, relabelled=True)
    reads_noise = False

    def build(self) -> Agent:
        return PUCB(counter="none")


class TestPUCB(AgentContract):
    mdp = SMALL

    def build(self) -> Agent:
        return PUCB(1e6)  # so that counts pass 2 E within the few episodes of a test


class TestTightPUCB(AgentContract):
    mdp = riverswim(3, 4, inhomogeneous=True)

    def build(self) -> Agent:
        return PUCB(1e6, calibration="tight")


class TestGaussianPUCB(AgentContract):
    mdp = chain(3)

    def build(self) -> Agent:
        return PUCB(1e5, 1e-6, calibration="corrected")


class TestLocalPUCB(AgentContract):
    mdp = SMALL

    def build(self) -> Agent:
        return PUCB(1e6, counter="local", calibration="tight")


def wrong(part: str) -> Any:
    """A twin of UBEV whose learner spoils what it is given, or what it has done."""

    class Learner:
        def __init__(self, learner: Any) -> None:
            self.learner, self.state = learner, learner.state

        def advance(self, noise: np.ndarray, coins: np.ndarray, ties: np.ndarray) -> None:
            tabular.check_blocks(self.state, noise, coins, ties)
            if part == "input":
                ties *= 0.5
            # small coins, and so the first states, come too often
            self.learner.advance(noise, coins**1.3 if part == "environment" else coins, ties)
            if part == "count":
                self.state.statistics[0] += 1

    class Twin(UBEV):
        def start(self, mdp: TabularMDP, planned: int, checkpoints: np.ndarray) -> Any:
            return Learner(super().start(mdp, planned, checkpoints))

    return Twin(0.2)


@pytest.mark.parametrize(("part", "trips"), [
    ("input", "test_the_cut_into_blocks_does_not_matter_and_nothing_given_is_changed"),
    ("environment", "test_the_environment_follows_its_distributions"),
    ("count", "test_every_step_is_counted_once"),
])
def test_the_contract_rejects(part: str, trips: str) -> None:
    assert trips in rejects(TestUBEV, build=lambda self: wrong(part))


# --- calibrations --------------------------------------------------------------------------------------------------


def test_printed_numbers_by_hand() -> None:
    # S = 3, A = 2, H = 3, T = 1000, epsilon = 1/2, beta = 0.1: N = 2*18 + 54 = 90, beta' = 0.025
    made = PUCB(0.5, beta=0.1).calibrate(riverswim(3), 1000)
    assert made.law == "laplace"
    assert made.scale == pytest.approx(124.33959502167846, rel=1e-14)  # (3 * 3 / 0.5) * 6.907755278982137
    # (3 / 0.5) * 3 * ln(90 / 0.025) * ln(1000)^(5/2) = 18 * 8.188689124444202 * 125.4128...
    assert made.e_epsilon == pytest.approx(18 * 8.188689124444202 * 6.907755278982137**2.5, rel=1e-13)
    assert made.logarithm == pytest.approx(2 * 10.596634733096073, rel=1e-14)  # 2 ln(40000)


def test_printed_is_the_paper_s_formula() -> None:
    for mdp, planned, epsilon, beta in ((SMALL, 2, 3.0, 0.5), (chain(4, 6), 10**8, 0.01, 1e-6)):
        S, A, H, T = mdp.states, mdp.actions, mdp.horizon, planned
        prime = beta / 4
        made = PUCB(epsilon, beta=beta).calibrate(mdp, planned)
        assert made.scale == pytest.approx(3 * H / epsilon * math.log(T), rel=1e-14)
        width = 3 / epsilon * H * math.log((2 * S * A * H + S * S * A * H) / prime) * math.log(T) ** 2.5
        assert made.e_epsilon == pytest.approx(width, rel=1e-13)
        assert made.logarithm == pytest.approx(2 * math.log(T / prime), rel=1e-14)


@pytest.mark.parametrize("calibration", ["corrected", "tight"])
@pytest.mark.parametrize("planned", [2, 3, 1000, 1024, 1025, 10**7])
def test_the_noise_gives_exactly_the_privacy_that_was_asked_for(calibration: str, planned: int) -> None:
    for mdp, epsilon in ((SMALL, 0.3), (riverswim(3, 7), 2.0)):
        moved = sensitivity.vietri2020("all", mdp.horizon, states=mdp.states)
        tree = PUCB(epsilon, calibration=calibration).calibrate(mdp, planned)
        loss = accounting.laplace_family_epsilon(tree.scale, moved.value, planned - 1)
        assert loss == pytest.approx(epsilon, rel=1e-12)
        local = PUCB(epsilon, counter="local", calibration=calibration).calibrate(mdp, planned)
        assert accounting.laplace_family_epsilon(local.scale, moved.value, 1) == pytest.approx(epsilon, rel=1e-12)


@pytest.mark.parametrize("planned", [2, 1000, 10**6])
def test_gaussian_noise_gives_exactly_the_privacy_that_was_asked_for(planned: int) -> None:
    moved = sensitivity.vietri2020("all", SMALL.horizon, states=SMALL.states, norm="l2").value
    for counter, releases in (("tree", planned - 1), ("local", 1)):
        made = PUCB(0.7, 1e-5, counter=counter, calibration="corrected").calibrate(SMALL, planned)
        assert made.law == "gaussian"
        mu = accounting.gaussian_tree_mu(made.scale, moved, releases)
        assert accounting.gaussian_epsilon(1e-5, mu) == pytest.approx(0.7, rel=1e-9)


@pytest.mark.parametrize("planned", [2, 3, 1000, 1024, 10**6])
def test_printed_noise_does_not_give_what_it_claims(planned: int) -> None:
    moved = sensitivity.vietri2020("all", SMALL.horizon, states=SMALL.states)
    made = PUCB(0.3).calibrate(SMALL, planned)
    loss = accounting.laplace_family_epsilon(made.scale, moved.value, planned - 1)
    assert loss == pytest.approx(2 * counters.levels(planned - 1) / math.log(planned) * 0.3, rel=1e-12)
    assert loss > 2.88 * 0.3


@pytest.mark.parametrize("counter", ["tree", "local"])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("planned", [2, 100, 10**6])
def test_tight_widths_are_no_wider(counter: str, delta: float, planned: int) -> None:
    for beta in (1e-4, 0.9):
        agent = PUCB(1.0, delta, beta, counter, "corrected")
        corrected = agent.calibrate(SMALL, planned)
        tight = replace(agent, calibration="tight").calibrate(SMALL, planned)
        assert tight.scale == corrected.scale
        assert 0 < tight.e_epsilon <= corrected.e_epsilon


@given(st.floats(1e-100, 1 - 1e-12), st.integers(1, 10**9))
def test_chernoff_width_bounds_the_exact_tail(beta: float, terms: int) -> None:
    exact = quantiles.laplace_sum_tail(widths.chernoff_width(beta, terms), terms)
    assert exact <= beta * (1 + 1e-9)


def failures(made: pucb.Calibration, counter: str, planned: int, runs: int, shrink: float = 1.0) -> int:
    """In how many runs some sum's noise leaves [-E, E] at some release."""
    sums, releases = tabular.width(TINY), planned - 1
    broad = counters.make(counter, sums * runs, releases, made.scale, np.random.default_rng(21), made.law)
    outside = np.zeros(runs, dtype=bool)
    for _ in range(releases):
        outside |= (np.abs(broad.block(1)).reshape(runs, sums) > made.e_epsilon * shrink).any(axis=1)
    return int(outside.sum())


@pytest.mark.parametrize("counter", ["tree", "local"])
@pytest.mark.parametrize("calibration", ["corrected", "tight"])
@pytest.mark.parametrize("delta", [0.0, 1e-3])
def test_the_width_covers_the_noise(counter: str, calibration: str, delta: float) -> None:
    """At beta' = 0.2475, large enough to be seen: Clopper and Pearson's lower bound at FALSE_ALARM stays below it."""
    runs, prime = 3000, 0.99 / 4
    made = PUCB(1.0, delta, 0.99, counter, calibration).calibrate(TINY, 48)

    def refuted(shrink: float) -> bool:
        outside = failures(made, counter, 48, runs, shrink)
        return bool(stats.binomtest(outside, runs).proportion_ci(1 - 2 * FALSE_ALARM, "exact").low > prime)

    assert not refuted(1.0)
    if calibration == "tight":
        assert refuted(0.8)  # the test would see a width that is a fifth too small
        if counter == "tree" and delta == 0:  # nothing is given away beyond the union over independent sums
            outside = failures(made, counter, 48, runs)
            sharp = 1 - (1 - prime / 16) ** 16
            assert stats.binomtest(outside, runs, sharp).pvalue > FALSE_ALARM
    else:
        assert refuted(0.3)


def test_without_noise_there_is_no_width() -> None:
    for calibration in pucb.CALIBRATIONS:
        made = PUCB(counter="none", calibration=calibration).calibrate(SMALL, 1)
        assert (made.scale, made.e_epsilon) == (0.0, 0.0)
        assert made.logarithm == pytest.approx(2 * math.log(40))


# --- plain Python --------------------------------------------------------------------------------------------------

PLAIN = """
import numpy as np
from privrl import PUCB, UBEV, simulate
from privrl.environments import random_mdp, riverswim

AGENTS = (PUCB(1e4, beta=0.9), PUCB(1e3, beta=0.9, calibration="tight"),
          PUCB(1e3, 1e-6, 0.9, counter="local", calibration="tight"), PUCB(beta=0.9, counter="none"), UBEV(0.9))
for mdp in (random_mdp(1, 3, 1, 0), riverswim(2)):
    for agent in AGENTS:
        run = simulate.run("plain", mdp, agent, episodes=450, seed=9)
        print(" ".join(float(value).hex() for value in run.regret[0]))
"""


def test_plain_python_gives_the_same_bits(capsys: pytest.CaptureFixture[str]) -> None:
    surroundings = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    plain = subprocess.run([sys.executable, "-c", PLAIN], env=surroundings, capture_output=True, text=True, check=True)
    exec(PLAIN, {})
    compiled = capsys.readouterr().out
    assert len(set(compiled.splitlines())) == 10  # each run took decisions of its own
    assert plain.stdout == compiled


# --- learning ------------------------------------------------------------------------------------------------------


def test_ubev_learns_and_play_that_knows_nothing_does_not() -> None:
    mdp = suite.tabular("vietri2020/riverswim-3-relabelled")
    assert learning.is_discriminating(mdp)
    known = simulate.run("ubev", mdp, UBEV(), episodes=10**4, replicates=20, seed=1)
    assert learning.learns(known, mdp)
    # with epsilon = 1 no count comes near 2 E in 10^4 episodes: every action ties, and play is uniform exactly
    blind = simulate.run("pucb", mdp, PUCB(1.0), episodes=10**4, replicates=20, seed=1)
    assert not learning.learns(blind, mdp)
    lost = learning.uniform_regret(mdp)
    np.testing.assert_allclose(blind.regret, np.tile(blind.episodes * lost, (20, 1)), rtol=1e-12)
    assert lost > 0.1


def test_pucb_without_noise_learns_too() -> None:
    mdp = suite.tabular("vietri2020/riverswim-3-relabelled")
    exact = simulate.run("pucb", mdp, PUCB(counter="none"), episodes=5 * 10**4, replicates=20, seed=2)
    assert learning.learns(exact, mdp)


def test_ties_are_broken_uniformly() -> None:
    """Actions in a state where everything ties, against the uniform law: exact binomials for each action."""
    mdp = random_mdp(1, 5, 1, seed=0)
    learner = PUCB(1e-3).start(mdp, 10**6, np.array([1]))
    rng = np.random.default_rng(0)
    learner.advance(np.zeros((20000, learner.state.statistics.size)), rng.random((20000, 3)), rng.random((20000, 1)))
    for taken in learner.state.statistics[:5]:
        assert stats.binomtest(int(taken), 20000, 1 / 5).pvalue > FALSE_ALARM
    # the ends of [0, 1) belong to the first and to the last action
    edge = PUCB(1e-3).start(mdp, 10**6, np.array([1]))
    edge.advance(np.zeros((2, 15)), np.zeros((2, 3)), np.array([[0.0], [1 - 2.0**-53]]))
    assert edge.state.statistics[:5].tolist() == [1, 0, 0, 0, 1]


def test_played_values_are_those_of_the_planner() -> None:
    """The value in force after some episodes, against exact planning of the greedy sets."""
    learner = UBEV().start(SMALL, 10**4, np.array([1]))
    rng = np.random.default_rng(8)
    learner.advance(np.zeros((3000, 1)), rng.random((3000, 5)), rng.random((3000, 2)))
    greedy = learner.state.greedy
    bits = (greedy[..., None] >> np.arange(3)) & 1
    value = planning.value(SMALL, bits / bits.sum(axis=-1, keepdims=True))
    assert learner.state.tally.totals[1] == pytest.approx(learner.state.world.optimum - value, abs=1e-12)


def test_phi_by_hand() -> None:
    constant = math.log(18 * 2 * 3 * 2 / 0.2)
    learner = UBEV(0.2).start(SMALL, 10**4, np.array([1]))
    assert learner.constant == constant
    for n, inner in ((1, 0.0), (2, 0.0), (100, math.log(math.log(100)))):
        assert learner.table[n] == pytest.approx(math.sqrt((2 * inner + constant) / n), rel=1e-14)
    assert learner.table.size == 10**4 + 1
    assert UBEV().start(SMALL, 10**9, np.array([1])).table.size == ubev.TABLE


# --- bad input -----------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(not_numbers(), not_positive(), not_inside_unit(), not_counts(2), st.sampled_from(["tree", "local"]))
def test_bad_input_is_refused(other: Any, epsilon: Any, beta: Any, planned: Any, counter: str) -> None:
    assert refused(lambda: PUCB(other)).startswith("epsilon must be ")
    assert refused(lambda: PUCB(epsilon)).startswith("epsilon must be ")
    assert refused(lambda: PUCB(1.0, counter=other)).startswith("counter must be one of ")
    assert refused(lambda: PUCB(1.0, calibration=other)).startswith("calibration must be one of ")
    assert refused(lambda: PUCB(1.0, beta=beta)).startswith("beta must be ")
    assert refused(lambda: UBEV(beta)).startswith("beta must be ")
    if not (isinstance(beta, (int, float)) and beta == 0):
        assert refused(lambda: PUCB(1.0, beta, calibration="tight")).startswith("delta must be ")
    if not (isinstance(epsilon, float) and epsilon == math.inf):
        assert refused(lambda: PUCB(epsilon, counter="none")).startswith("epsilon must be ")
    agent = PUCB(1.0, counter=counter, calibration="corrected")
    assert refused(lambda: agent.calibrate(SMALL, planned)).startswith("episodes must be ")
    assert refused(lambda: agent.noise(SMALL, planned, np.random.default_rng(0))).startswith("episodes must be ")
    for one in (agent, UBEV(), PUCB(counter="none")):
        for broken in (other, planned):
            assert refused(lambda one=one, broken=broken: one.start(broken, 10, [1])).startswith("mdp must be ")
        assert refused(lambda one=one: one.start(SMALL, other, [1])).startswith("episodes must be ")


@pytest.mark.parametrize("marks", [[], [0], [1, 1], [2, 1], [1.5], [math.nan], [[1]], [2**60], ["1"], None], ids=str)
def test_checkpoints_that_do_not_increase_are_refused(marks: Any) -> None:
    assert refused(lambda: UBEV().start(SMALL, 10, marks)).startswith("checkpoints must ")


@pytest.mark.parametrize(("settings_", "says"), [
    ({"counter": "local"}, "calibration printed exists for the tree counter with Laplace noise"),
    ({"delta": 0.1}, "calibration printed exists for the tree counter with Laplace noise"),
    ({"counter": "Tree"}, "counter must be one of none, local, tree"),
    ({"calibration": "best"}, "calibration must be one of printed, corrected, tight"),
])
def test_what_no_calibration_defines_is_refused(settings_: dict[str, Any], says: str) -> None:
    assert refused(lambda: PUCB(1.0, **settings_)).startswith(says)


def test_limits_are_named() -> None:
    wide = random_mdp(1, 63, 1, seed=0)
    assert refused(lambda: UBEV().start(wide, 10, [1])) == "a tabular agent takes at most 62 actions, got actions=63"
    assert "episodes must be <= 9007199254740992" in refused(lambda: PUCB(1.0).start(SMALL, 2**60, [1]))
    assert "beta must be >= 1e-20" in refused(lambda: PUCB(1.0, beta=1e-21))
