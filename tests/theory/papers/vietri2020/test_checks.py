"""The checks of vietri2020: verdicts, numbers derived independently, and mutants that are false."""

from fractions import Fraction
from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from theory.lemmas.tree import levels, lowbit
from theory.papers.vietri2020 import adaptivity, counters, privacy, theorem_12


def test_algorithm_5_by_hand() -> None:
    """T = 4 on paper: nodes {1}, {1,2}, {3}, {1..4}; the printed output line releases nothing
    before t = 4."""
    transcript = counters.transcribe(4)
    assert transcript.blocks == ({0: (1,)}, {1: (1, 2)}, {0: (3,), 1: (1, 2)}, {2: (1, 2, 3, 4)})
    assert transcript.noises == ({0: 1}, {1: 2}, {0: 3, 1: 2}, {2: 4})
    assert counters.shortfall(4, lambda time, planned: time & planned) == [0, 1, 0, 3]


def test_printed_output_agrees_with_a_run_of_it() -> None:
    """The closed form against the output line applied to the transcript, level by level."""
    transcript = counters.transcribe(64)
    for planned in range(1, 65):
        digits = [j for j in range(planned.bit_length()) if planned >> j & 1]
        for time in range(1, planned + 1):
            block = transcript.blocks[time - 1]
            assert sum(len(block.get(j, ())) for j in digits) == time & planned


@given(st.integers(1, 300), st.integers(1, 300))
def test_the_loss_is_attained_by_releases(releases: int, item: int) -> None:
    depth = sum(1 for t in range(1, releases + 1) if t - lowbit(t) < item <= t)
    assert theorem_12.attained_loss(releases, Fraction(1), item) == depth <= levels(releases)


def test_the_adaptive_law_is_a_law_and_depends_on_the_releases() -> None:
    """Probabilities add up for every user sequence; with replies that ignore the action the law is
    another one."""
    outcomes = np.array(list(product(range(5), repeat=3))).reshape(-1, 3, 1)
    listens, ignores = np.array([(0, 1)] * 3), np.array([(0, 0)] * 3)
    totals = []
    laws = []
    for trees in (listens, ignores):
        law = adaptivity._released_law(trees, outcomes, 5, adaptivity.honest(5), redrawn=False)
        totals.append(int(law.sum()))
        laws.append(law)
    assert totals == [(4 + 2 + 2 + 1 + 1) ** 3] * 2
    assert (laws[0] != laws[1]).any()


def test_the_released_counters_lose_more_than_epsilon_where_the_change_is_large_enough() -> None:
    assert privacy.levels_cover() and not privacy.levels_cover(1)
    assert privacy.over(6)(privacy.base_two) and not privacy.over(3)(privacy.base_two)
    assert privacy.over(3)(privacy.natural) and not privacy.over(2)(privacy.natural)
