"""The search for optimistic pairs of two states: second roads to its recursion and its premise."""

import numpy as np
import pytest

from theory.papers.chowdhury2021 import segment
from theory.papers.chowdhury2021.system import array_riccati


@pytest.mark.parametrize("seed", range(3))
def test_the_recursion_is_that_of_equation_4(seed: int) -> None:
    rng, horizon = np.random.default_rng(seed), 9
    pairs = segment.draw(rng, 5)
    cost, squares = segment.costs(pairs.chosen, horizon, pairs.start)
    for row, theta in enumerate(pairs.chosen):
        a, b = theta[:4].reshape(2, 2), theta[4:, None]
        values = array_riccati(a, b, np.eye(2), np.eye(1), horizon)
        x = pairs.start[row]
        later = values[1:horizon]  # P_2 .. P_H
        expected = x @ values[0] @ x + sum(value[0, 0] for value in later)
        assert cost[row] == pytest.approx(expected, rel=1e-9)
        summed = sum(float(value[:, 0] @ value[:, 0]) for value in later)
        assert squares[row] == pytest.approx(summed / horizon, rel=1e-9)


def test_pairs_are_systems_of_s() -> None:
    pairs = segment.draw(np.random.default_rng(1), 200)
    for theta, most in ((pairs.chosen, 1.0), (pairs.true, segment.MOST)):
        assert np.linalg.norm(theta, axis=1).max() <= 1 + 1e-12
        norms = np.linalg.norm(theta[:, :4].reshape(-1, 2, 2), 2, axis=(1, 2))
        assert norms.max() <= most + 1e-12


def test_optimism_alone_is_not_enough() -> None:
    """A direction that lasts and that the noise feeds by 1/sqrt(H): the sum of squares over H grows
    like H, and the true system costs more; along the segment the cost falls."""
    sums = []
    for horizon in (16, 64):
        fed = 1 / np.sqrt(4 * horizon)
        chosen = np.array([[0.0, 0.0, fed, 1 - 1 / horizon, 0.0, 0.0]])
        true = np.array([[segment.MOST, 0.0, 0.0, 0.0, 0.0, 0.0]])
        pairs = segment.Pairs(segment.within(chosen, 1.0), true, np.zeros((1, 2)))
        rows, squares = segment.meet(pairs, horizon, segment.ENDS)
        assert len(rows) == 1
        sums.append(float(squares[0]))
        assert not len(segment.meet(pairs, horizon, segment.SEGMENT)[0])
    assert sums[1] - 1 > 3 * (sums[0] - 1)


@pytest.mark.slow
def test_what_the_search_finds() -> None:
    (short, long), (near, far) = (
        [segment.search(horizon, shares, 5000, seed=5).climbed for horizon in (8, 24)]
        for shares in (segment.ENDS, segment.SEGMENT)
    )
    assert long > 1.5 * short
    assert far < 1.6 * near < long
