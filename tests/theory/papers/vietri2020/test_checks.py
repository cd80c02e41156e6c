"""The checks of vietri2020: verdicts, numbers derived independently, and mutants that are false."""

from fractions import Fraction
from itertools import product
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from theory.lemmas.tree import levels, lowbit, sampled_maxima, tail
from theory.papers.vietri2020 import adaptivity, counters, privacy, theorem_12
from theory.papers.vietri2020.bounds.stated import theorem_12_error, tree_error
from theory.rigor.sampling import clopper_pearson


def test_algorithm_5_by_hand() -> None:
    """T = 4 on paper: nodes {1}, {1,2}, {3}, {1..4}; the printed output line releases nothing before t = 4."""
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
            held = transcript.blocks[time - 1]
            assert sum(len(held.get(j, ())) for j in digits) == time & planned


@given(st.integers(1, 300), st.integers(1, 300))
def test_the_loss_is_attained_by_releases(releases: int, item: int) -> None:
    depth = sum(1 for t in range(1, releases + 1) if t - lowbit(t) < item <= t)
    assert theorem_12.attained_loss(releases, Fraction(1), item) == depth <= levels(releases)


def test_the_error_bound_fails_near_one_and_holds_at_a_half_in_samples() -> None:
    """T = 2 sampled: at beta = 0.99 both errors stay within the bound with probability 5e-4, not 1e-2."""
    generator = np.random.default_rng(3)
    largest = sampled_maxima(2, 100_000, generator) * log(2)  # epsilon = 1
    for beta, holds in ((0.99, False), (0.5, True)):
        low, high = clopper_pearson(int((largest <= theorem_12_error(2, 1.0, beta)).sum()), 100_000)
        assert (low > 1 - beta) if holds else (high < 1 - beta)


@pytest.mark.parametrize("planned", [2, 3, 7, 50, 10**5])
@pytest.mark.parametrize("beta", [0.5, 0.3, 0.01, 1e-8])
def test_the_error_bound_up_to_a_half_by_the_exact_law(planned: int, beta: float) -> None:
    assert tail(theorem_12_error(planned, 1.0, beta) / log(planned), planned) <= beta


def test_thresholds_are_crossings() -> None:
    edge = theorem_12.threshold(2, 0)
    factor = theorem_12.printed_factor(2)
    assert (1 - edge**factor) ** 2 == pytest.approx(1 - edge, rel=1e-6)  # two independent nodes, by hand
    assert theorem_12.threshold(2, 1) == 1.0


@given(st.integers(1, 10**6), st.floats(1e-12, 0.999))
def test_the_corrected_bound_by_the_exact_law(releases: int, beta: float) -> None:
    assert tail(tree_error(1.0, releases, beta), releases) <= beta


def test_the_factors_of_theorem_1() -> None:
    factor = [2 * levels(T - 1) / log(T) for T in range(2, 5000)]
    assert min(factor) == pytest.approx(2 / log(2))
    assert max(factor) == pytest.approx(6 / log(5))
    assert float(privacy.loss(5, Fraction(6), 3 * log(5))) == pytest.approx(6 / log(5))


def test_the_adaptive_law_is_a_law_and_depends_on_the_releases() -> None:
    """Probabilities add up for every user sequence; with replies that ignore the action the law is another one."""
    outcomes = np.array(list(product(range(5), repeat=3))).reshape(-1, 3, 1)
    listens, ignores = np.array([(0, 1)] * 3), np.array([(0, 0)] * 3)
    totals = []
    laws = []
    for trees in (listens, ignores):
        law = adaptivity._released_law(trees, outcomes, 5, adaptivity.honest(5), False)
        totals.append(int(law.sum()))
        laws.append(law)
    assert totals == [(4 + 2 + 2 + 1 + 1) ** 3] * 2
    assert (laws[0] != laws[1]).any()
