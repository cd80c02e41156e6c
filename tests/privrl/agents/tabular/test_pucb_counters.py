"""PUCB over every counter: widths, derived independently; users before the first plan. The mutants are rejected."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from privrl.agents.tabular import learner as tabular
from privrl.agents.tabular import pucb
from privrl.agents.tabular.pucb import PUCB
from privrl.environments import random_mdp
from privrl.horizon import pucb as horizon
from privrl.privacy import quantiles
from privrl.privacy.counters import mechanisms
from tests.contracts import FALSE_ALARM

DELTA = 1e-6
PAIRS = [(name, law) for name in mechanisms.PRIVATE for law in mechanisms.laws(name)]
SMALL = random_mdp(3, 4, 2, seed=5)
TINY = random_mdp(2, 2, 1, seed=1)  # 16 running sums


def agent(counter: str, law: str, epsilon: float = 1.0, beta: float = 0.1, calibration: str = "tight",
          delta: float = DELTA) -> PUCB:
    return PUCB(epsilon, delta if law == "gaussian" else 0.0, beta, counter, calibration)


def test_the_tree_s_noise_is_bit_for_bit_what_the_long_runs_had() -> None:
    """How much any counter's is, stands in test_successors."""
    for epsilon in (0.1, 1.0, 10.0):
        made = PUCB(epsilon, calibration="corrected").calibrate(SMALL, 10**5)
        assert made.scale == 6 * SMALL.horizon * 17 / epsilon


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


@pytest.mark.parametrize(("counter", "law"), PAIRS)
def test_the_width_covers_the_noise_and_none_without_the_union_does(counter: str, law: str) -> None:
    """At beta' = 0.2475, large enough to be seen; without the union over sums, or over releases, too many fail."""
    runs, share = 3000, 0.99 / 4
    both = [agent(counter, law, beta=0.99, calibration=name, delta=1e-3).calibrate(TINY, 48)
            for name in ("tight", "corrected")]
    cost, quantile = mechanisms.counter_cost(counter, 47, law), mechanisms.counter_quantile
    one_sum = both[0].scale * quantile(counter, 47, share, law)
    one_release = both[0].scale * (
        math.sqrt(cost.largest) * float(stats.norm.isf(share / 16 / 2)) if law == "gaussian"
        else quantiles.local_quantile(share / 8, round(cost.largest)))
    if counter == "local":  # whose last release is nearly the worst: Levy's factor of two is all that the union costs
        one_release = 0.8 * both[0].e_epsilon
    tight, corrected, *wrong = failures(both[0], counter, [made.e_epsilon for made in both] + [one_sum, one_release],
                                        runs, seed=33)
    assert corrected <= tight
    assert not refuted(tight, runs, share)
    assert [refuted(outside, runs, share) for outside in wrong] == [True, True]


@pytest.mark.parametrize(("counter", "law"), PAIRS)
@pytest.mark.parametrize("planned", [2, 10**6])
def test_tight_widths_are_no_wider(counter: str, law: str, planned: int) -> None:
    for beta in (1e-4, 0.9):
        corrected, tight = (agent(counter, law, beta=beta, calibration=name).calibrate(TINY, planned)
                            for name in ("corrected", "tight"))
        assert tight.scale == corrected.scale
        assert 0 < tight.e_epsilon <= corrected.e_epsilon


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
