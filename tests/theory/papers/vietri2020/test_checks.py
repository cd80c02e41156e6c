"""The checks of vietri2020: verdicts, numbers derived independently, and mutants that are false."""

from fractions import Fraction
from itertools import product
from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from theory.lemmas.tree import levels, lowbit, sampled_maxima, tail
from theory.papers.vietri2020 import adaptivity, counters, privacy, theorem_12
from theory.papers.vietri2020.bounds.stated import theorem_12_error, tree_error
from theory.rigor.sampling import clopper_pearson


@given(st.integers(2, 4), st.integers(1, 3), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_users_as_trees(states: int, actions: int, horizon: int, seed: int) -> None:
    """Users given as whole trees, met under a random policy: never beyond 2H, and the attaining pair attains 6H."""
    generator = np.random.default_rng(seed)
    policy = generator.integers(actions, size=(horizon, states))

    def meet(tree: dict[tuple[int, ...], tuple[int, int]]) -> dict[tuple[object, ...], int]:
        streams: dict[tuple[object, ...], int] = {}
        history: tuple[int, ...] = ()
        state = tree[history][0]
        for h in range(horizon):
            action = int(policy[h, state])
            history = (*history, action)
            after, reward = tree[history]
            for key, value in ((("n", h, state, action), 1), (("m", h, state, action, after), 1),
                               (("r", h, state, action), reward)):  # fmt: skip
                streams[key] = streams.get(key, 0) + value
            state = after
        return streams

    def change(one: dict[tuple[object, ...], int], other: dict[tuple[object, ...], int], family: str) -> int:
        keys = {key for key in (*one, *other) if key[0] == family}
        return sum(abs(one.get(key, 0) - other.get(key, 0)) for key in keys)

    histories = [actions_ for length in range(horizon + 1) for actions_ in product(range(actions), repeat=length)]
    first, second = (
        {history: (int(generator.integers(states)), int(generator.integers(2))) for history in histories} for _ in "ab"
    )
    stays = [dict.fromkeys(histories, (state, 1)) for state in (0, 1)]
    for family in "nmr":
        assert change(meet(first), meet(second), family) <= 2 * horizon
        assert change(meet(stays[0]), meet(stays[1]), family) == 2 * horizon


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


def test_the_printed_noise_at_two_releases_by_integration() -> None:
    """T = 2: the loss 2/ln 2 as the log-ratio of two-dimensional densities on a grid of releases."""
    scale = log(2)  # epsilon = 1

    def density(first: float, second: float, stream: tuple[float, float]) -> float:
        nodes = (first - stream[0], second - stream[0] - stream[1])
        return exp(-sum(abs(node) for node in nodes) / scale) / (2 * scale) ** 2

    points = [i / 4 for i in range(-20, 21)]
    ratios = [log(density(a, b, (1, 0)) / density(a, b, (0, 0))) for a in points for b in points]
    assert max(ratios) == pytest.approx(2 / log(2))
    assert max(ratios) == pytest.approx(levels(2) / log(2))


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


def test_the_loss_of_all_counters_by_densities() -> None:
    """H = 1, S = 2, T = 3: all nodes of all counters at one point, two users, printed noise; epsilon = 1."""
    planned, scale = 3, 3 * log(3)
    loss = 0.0
    for _family in "nmr":
        for sign in (1, -1):  # the old tuple loses one, the new one gains one
            for _node in range(levels(planned - 1)):
                z = 5.0 * sign
                loss += (abs(z) - abs(z - sign)) / scale
    assert loss == pytest.approx(2 * levels(planned - 1) / log(planned))


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


@given(st.floats(1e-6, 1e6), st.floats(2, 1e3))
def test_claim_2_in_numbers(y: float, quotient: float) -> None:
    x = quotient * y
    assert 1 / (x - y) <= (1 / x + 2 * y / x**2) * (1 + 1e-12)
    assert 1 / (2 * y - y) > 1 / (2 * y) + 1.999 * y / (2 * y) ** 2
