"""One state, and the radius as printed: second roads to what the records say."""

import math

import numpy as np
import pytest

from theory.lemmas.tree import lowbit
from theory.papers.chowdhury2021 import printed_radius, scalar_choice
from theory.papers.chowdhury2021.bounds import SCALAR, Problem
from theory.papers.chowdhury2021.system import scalar_riccati


def test_the_recursion_is_that_of_equation_4() -> None:
    a, b, q, r = 0.6, 0.5, 1.0, 0.3
    mine = scalar_choice.values(np.array([a * a]), np.array([b * b / r]), 7)[0]
    theirs = scalar_riccati(a, b, q, r, 7)[0]
    assert np.allclose(mine, np.array(theirs[:7], dtype=float)[::-1])


@pytest.mark.slow
def test_optimism_is_what_keeps_d() -> None:
    assert scalar_choice.largest_share(pairs=1000)[1] <= 1 + 1e-12
    assert scalar_choice.largest_share(pairs=1000, slack=1.2)[1] > 1.1


def test_one_state_in_the_bounds() -> None:
    problem = Problem(1, 1, 50, 0.5, 1.0, 1.0, 0.2, optimism=0.6)
    assert problem.value == pytest.approx(1 / 0.64)
    assert Problem(1, 1, 2, 0.5, 1.0, 1.0, 0.2, optimism=0.6).value == 1.0
    with pytest.raises(ValueError, match="states must be 1"):
        Problem(2, 1, 2, 0.5, 1.0, 1.0, 0.2, optimism=0.6)


def test_the_likelihood_by_a_change_of_variables() -> None:
    """The densities of (Y_1..Y_K) under two users: through the nodes' noise and a numeric
    Jacobian, and as the conditional Gaussians of the proof."""
    rng, K, start = np.random.default_rng(4), 7, 3.0
    sums = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])
    others = np.where(np.arange(K + 1) >= 3, sums + 0.5, sums)
    squares = [2 + 0.3 * np.log1p(total) for total in (sums, others)]
    y = (sums + start + rng.standard_normal(K + 1)) / squares[0]

    def noise(total: np.ndarray, square: np.ndarray, visible: np.ndarray) -> np.ndarray:
        released = square * visible - total - start
        released[0] = 0
        return np.array([released[k] - released[k - lowbit(k)] for k in range(1, K + 1)])

    logs = []
    for total, square in zip((sums, others), squares, strict=True):
        nodes = noise(total, square, y)
        step = 1e-6
        columns = [noise(total, square, y + step * np.eye(K + 1)[k]) for k in range(1, K + 1)]
        jacobian = (np.array(columns).T - nodes[:, None]) / step
        logs.append(-(nodes @ nodes) / 2 + np.linalg.slogdet(jacobian)[1])
    ratio = squares[1] / squares[0]
    first = second = 0.0
    for k in range(1, K + 1):
        before = k - lowbit(k)
        conditional = squares[0][before] * y[before] if before else start
        point = squares[0][k] * y[k]
        first += -((point - conditional - (sums[k] - sums[before])) ** 2) / 2
        mean = (ratio[before] * conditional + others[k] - others[before]) / ratio[k]
        second += -((point - mean) ** 2) * ratio[k] ** 2 / 2 + math.log(ratio[k])
    assert logs[1] - logs[0] == pytest.approx(second - first, abs=1e-5)


def test_the_range_of_the_printed_radius() -> None:
    episodes = printed_radius.most_episodes(SCALAR, 1.0, 1e-6)
    assert 10**6 < episodes < 10**8
    assert printed_radius.private((SCALAR, 1.0, 1e-6, episodes))
    assert not printed_radius.private((SCALAR, 1.0, 1e-6, 2 * episodes))
    assert printed_radius.most_episodes(SCALAR, 60.0, 1e-6) == 0


def test_streams_that_favour_the_adversary() -> None:
    for pair in printed_radius.PAIRS:
        added, bound, _ = printed_radius.measured(pair)
        assert 0.02 * bound < added < bound
