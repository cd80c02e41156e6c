"""PUCB over better counters: the algorithm, the privacy and the width, each against another road; mutants rejected."""

from __future__ import annotations

import functools
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from privrl.agents import registry
from privrl.agents.tabular import learner as tabular
from privrl.agents.tabular import pucb
from privrl.agents.tabular.pucb import PUCB
from privrl.environments import random_mdp
from privrl.horizon import pucb as horizon
from privrl.privacy import accounting, quantiles, sensitivity
from privrl.privacy.counters import mechanisms
from privrl.privacy.counters import stream as counters
from privrl.run.simulate import Agent
from privrl.run.sweep import Plan
from tests.contracts import FALSE_ALARM, not_counts, refused
from tests.contracts_agents import AgentContract
from tests.privrl.agents.tabular import oracle
from tests.privrl.agents.tabular.test_tabular import blocks, compare
from theory.lemmas.counters import driven

DELTA = 1e-6
PAIRS = [(name, law) for name in mechanisms.PRIVATE for law in mechanisms.laws(name)]
NEW = [(name, law) for name, law in PAIRS if name not in counters.COUNTERS]
# one draw a release; what the draws of ``signed`` cost is decided in theory.lemmas.signed_digits
SQUARE = [(name, law) for name, law in PAIRS if name != "signed"]
SMALL = random_mdp(3, 4, 2, seed=5)
TINY = random_mdp(2, 2, 1, seed=1)  # 16 running sums


def agent(counter: str, law: str, epsilon: float = 1.0, beta: float = 0.1, calibration: str = "tight",
          delta: float = DELTA) -> PUCB:
    return PUCB(epsilon, delta if law == "gaussian" else 0.0, beta, counter, calibration)


class TestToeplitzPUCB(AgentContract):
    mdp = random_mdp(2, 3, 2, seed=4)

    def build(self) -> Agent:
        return agent("blt", "gaussian", 1e5)


# --- the algorithm -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("counter", "law", "epsilon"), [("blt", "gaussian", 3e3), ("signed", "laplace", 3e3)])
def test_it_equals_the_pseudo_code(counter: str, law: str, epsilon: float) -> None:
    """The naive plan with the counter's noise and its E; with twice the E it decides otherwise."""
    made, episodes, mdp = agent(counter, law, epsilon, 0.3), 600, random_mdp(2, 2, 2, seed=5)
    noise, coins, ties = blocks(mdp, made, episodes, seed=11)
    H, S, A = mdp.rewards.shape
    width = made.calibrate(mdp, 10**6).e_epsilon
    compare(mdp, made, oracle.pucb_plan(width, 10**6, 0.3, H, S, A), noise, coins, ties, episodes)
    with pytest.raises(AssertionError):
        compare(mdp, made, oracle.pucb_plan(2 * width, 10**6, 0.3, H, S, A), noise, coins, ties, episodes)


# --- privacy ---------------------------------------------------------------------------------------------------------


@functools.cache
def moved(counter: str, law: str, releases: int) -> float:
    """How far one user with a unit change moves the draws: the longest column of C = B^-1 A, from the stream itself."""
    made = mechanisms.make(counter, releases, releases, 1.0, np.random.default_rng(0), law)
    columns = np.linalg.solve(driven(made), np.tril(np.ones((releases, releases))))
    return float(np.linalg.norm(columns, 1 if law == "laplace" else 2, axis=0).max())


def loss(counter: str, law: str, releases: int, scale: float) -> float:
    """Exact privacy loss at DELTA (Laplace: at 0) of one user's whole episode, replaced, in all families together."""
    norm = "l1" if law == "laplace" else "l2"
    change = sensitivity.vietri2020("all", SMALL.horizon, states=SMALL.states, norm=norm).value
    distance = moved(counter, law, releases) * change / scale
    return distance if law == "laplace" else accounting.gaussian_epsilon(DELTA, distance)


@pytest.mark.parametrize(("counter", "law"), SQUARE)
@pytest.mark.parametrize("planned", [2, 3, 41])
def test_the_noise_gives_exactly_the_privacy_that_was_asked_for(counter: str, law: str, planned: int) -> None:
    for epsilon in (0.3, 4.0):
        made = agent(counter, law, epsilon).calibrate(SMALL, planned)
        spent = loss(counter, law, planned - 1, made.scale)
        assert spent == pytest.approx(epsilon, rel=1e-9)
        assert made.scale == agent(counter, law, epsilon, calibration="corrected").calibrate(SMALL, planned).scale


@pytest.mark.parametrize(("counter", "law"), [pair for pair in SQUARE if pair[0] != "local"])
def test_noise_without_the_counter_s_sensitivity_gives_less(counter: str, law: str) -> None:
    made = agent(counter, law).calibrate(SMALL, 41)
    forgotten = made.scale / mechanisms.counter_cost(counter, 40, law).sensitivity
    assert loss(counter, law, 40, forgotten) > 1.5


@pytest.mark.parametrize(("counter", "law"), PAIRS)
def test_the_scale_is_change_times_sensitivity_over_the_budget(counter: str, law: str) -> None:
    made = agent(counter, law, 0.7, calibration="corrected").calibrate(SMALL, 10**5)
    cost = mechanisms.counter_cost(counter, 10**5 - 1, law)
    budget = 0.7 if law == "laplace" else accounting.gaussian_mu(0.7, DELTA)
    change = 6 * SMALL.horizon if law == "laplace" else math.sqrt(6 * SMALL.horizon)
    assert made.law == law
    assert made.scale == pytest.approx(change * cost.sensitivity / budget, rel=1e-14)


def test_the_tree_s_noise_is_bit_for_bit_what_the_long_runs_had() -> None:
    for epsilon in (0.1, 1.0, 10.0):
        made = PUCB(epsilon, calibration="corrected").calibrate(SMALL, 10**5)
        assert made.scale == 6 * SMALL.horizon * 17 / epsilon


# --- widths ----------------------------------------------------------------------------------------------------------


def failures(made: pucb.Calibration, counter: str, widths: list[float], runs: int, seed: int) -> list[int]:
    """In how many runs some sum's noise leaves [-E, E] at one of 47 releases, per E."""
    sums = tabular.width(TINY)
    stream = mechanisms.make(counter, sums * runs, 47, made.scale, np.random.default_rng(seed), made.law)
    largest = np.zeros(sums * runs)
    for _ in range(47):
        np.maximum(largest, np.abs(stream.block(1)[0]), out=largest)
    worst = largest.reshape(runs, sums).max(axis=1)
    return [int((worst > width).sum()) for width in widths]


def refuted(outside: int, runs: int, share: float) -> bool:
    """Clopper and Pearson's lower bound at FALSE_ALARM is above the share that may fail."""
    return bool(stats.binomtest(outside, runs).proportion_ci(1 - 2 * FALSE_ALARM, "exact").low > share)


@pytest.mark.parametrize(("counter", "law"), NEW)
def test_the_width_covers_the_noise_and_none_without_the_union_does(counter: str, law: str) -> None:
    """At beta' = 0.2475, large enough to be seen; without the union over sums, or over releases, too many fail."""
    covered(counter, law, seed=33)


def covered(counter: str, law: str, seed: int) -> None:
    runs, share = 1500, 0.99 / 4
    both = [agent(counter, law, beta=0.99, calibration=name, delta=1e-3).calibrate(TINY, 48)
            for name in ("tight", "corrected")]
    cost, quantile = mechanisms.counter_cost(counter, 47, law), mechanisms.counter_quantile
    one_sum = both[0].scale * quantile(counter, 47, share, law)
    one_release = both[0].scale * (
        math.sqrt(cost.largest) * float(stats.norm.isf(share / 16 / 2)) if law == "gaussian"
        else quantiles.laplace_sum_quantile(share / 16, round(cost.largest)))
    tight, corrected, *wrong = failures(both[0], counter, [made.e_epsilon for made in both] + [one_sum, one_release],
                                        runs, seed)
    assert corrected <= tight
    assert not refuted(tight, runs, share)
    assert [refuted(outside, runs, share) for outside in wrong] == [True, True]


@pytest.mark.parametrize(("counter", "law"), NEW)
@pytest.mark.parametrize("planned", [2, 10**6])
def test_tight_widths_are_no_wider(counter: str, law: str, planned: int) -> None:
    for beta in (1e-4, 0.9):
        corrected, tight = (agent(counter, law, beta=beta, calibration=name).calibrate(TINY, planned)
                            for name in ("corrected", "tight"))
        assert tight.scale == corrected.scale
        assert 0 < tight.e_epsilon <= corrected.e_epsilon


def test_better_counters_have_smaller_widths() -> None:
    """At 10^6 episodes and epsilon = 1: the order that the choice of a counter rests on."""
    laplace, gaussian = (
        [agent(name, law).calibrate(SMALL, 10**6).e_epsilon for name in names]
        for law, names in (("laplace", ("local", "tree", "smooth", "signed")),
                           ("gaussian", ("local", "tree", "smooth", "honaker", "blt"))))
    assert laplace == sorted(laplace, reverse=True)
    assert gaussian == sorted(gaussian, reverse=True)
    assert laplace[1] > 3 * laplace[3] > 9 * gaussian[4]


# --- refusals, names, horizons ---------------------------------------------------------------------------------------


def test_what_no_calibration_defines_is_refused() -> None:
    assert refused(lambda: PUCB(1.0, counter="blt", calibration="tight")).startswith(
        "the counter blt must have gaussian noise (laplace: delta = 0, gaussian: delta > 0), got delta=0")
    assert "laplace noise" in refused(lambda: PUCB(1.0, 1e-6, counter="signed", calibration="tight"))
    for counter in ("smooth", "signed", "local"):
        assert "printed exists for the tree" in refused(lambda counter=counter: PUCB(1.0, counter=counter))
    most = mechanisms.most_releases("sqrt", tabular.width(SMALL))
    agent("sqrt", "gaussian").calibrate(SMALL, most + 1)
    assert refused(lambda: agent("sqrt", "gaussian").calibrate(SMALL, most + 2)).startswith(
        f"episodes must be <= {most + 1} over the counter sqrt")


def test_registry_and_plans_take_every_counter() -> None:
    for name, law in NEW:
        delta = DELTA if law == "gaussian" else 0.0
        made = Plan("vietri2020/riverswim-3", counter=name, delta=delta, calibration="tight").build_agent()
        assert made == PUCB(1.0, delta, 0.1, name, "tight")
    known: dict[str, Any] = {"epsilon": 1.0, "delta": 0.5, "beta": 0.1, "calibration": "printed"}
    assert refused(lambda: registry.make("pucb", counter="sqroot", **known)).startswith("counter must be one of none")
    assert registry.make("ubev", counter="blt", **known).counter == "none"  # of no use to it


@pytest.mark.parametrize(("counter", "law"), [("tree", "laplace"), ("signed", "laplace"), ("blt", "gaussian")])
def test_the_start_is_where_a_plan_can_first_differ(counter: str, law: str) -> None:
    """By walking up, one planned T after the other."""
    made = agent(counter, law, 1e4)
    found = horizon.start(made, 2, 2, 2)
    assert found.episodes is not None
    mdp = random_mdp(2, 2, 2, 0)

    def possible(planned: int) -> bool:
        width = made.calibrate(mdp, planned).e_epsilon
        return horizon.bonus(made, mdp, planned, planned + width) < mdp.horizon

    assert [possible(planned) for planned in range(found.episodes - 4, found.episodes + 1)] == [False] * 4 + [True]
    assert found.e_epsilon == made.calibrate(mdp, found.episodes).e_epsilon


def test_where_no_number_of_episodes_is_enough() -> None:
    found = horizon.start(agent("sqrt", "gaussian", 1e-4), 2, 2, 2)
    assert (found.episodes, found.searched) == (None, mechanisms.most_releases("sqrt", 32) + 1)
    made = PUCB(1.0, calibration="corrected")
    never = horizon.crossing(made, TINY, lambda planned, width: False)
    assert never == (None, made.calibrate(TINY, horizon.limit(made, TINY)).e_epsilon)


@settings(max_examples=6)
@given(st.floats(0.01, 1e3), st.integers(2, 10**12))
def test_a_crossing_holds_at_its_own_width(epsilon: float, times: int) -> None:
    made = replace(agent("blt", "gaussian"), epsilon=epsilon)
    found, width = horizon.crossing(made, TINY, lambda planned, width: planned > times + 3 * width)
    assert found is not None
    assert width == made.calibrate(TINY, found).e_epsilon
    assert found > times + 3 * width
    earlier = math.floor(found * 0.998) - 1
    assert earlier < 2 or earlier <= times + 3 * made.calibrate(TINY, earlier).e_epsilon


@settings(max_examples=20)
@given(not_counts(1))
def test_bad_input_is_refused(width: Any) -> None:
    assert refused(lambda: mechanisms.most_releases("sqrt", width)).startswith("width must be ")
