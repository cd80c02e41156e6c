"""Honaker's tree: the covariance of the best estimates, and a sensitivity below the number of nodes."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privrl.privacy.counters import honaker
from privrl.privacy.counters.honaker import HonakerCounter
from privrl.privacy.counters.stream import levels
from theory.lemmas.counters import exact_costs, least_squares_covariance, noise_matrix


@pytest.mark.parametrize("releases", [1, 2, 3, 4, 7, 11, 16])
def test_the_stream_has_the_covariance_of_least_squares(releases: int) -> None:
    covariance = least_squares_covariance(releases)
    noise = noise_matrix("honaker", releases)
    np.testing.assert_allclose(noise @ noise.T, np.array(covariance, dtype=float), rtol=1e-12)
    exact = float(max(exact_costs(covariance)))
    assert HonakerCounter.cost(releases).sensitivity ** 2 == pytest.approx(exact, rel=1e-12)


def test_exact_costs_of_small_trees() -> None:
    worst = [max(exact_costs(least_squares_covariance(releases))) for releases in (1, 2, 4, 8)]
    assert worst == [1, Fraction(9, 5), Fraction(19, 7), Fraction(297, 85)]


def test_nodes_drawn_one_by_one_give_the_same_law() -> None:
    """The definition, with all nodes: sampled second moments against the stream's."""
    releases, columns = 12, 60_000
    rng = np.random.default_rng(5)
    variance = [1.0, 2 / 3, 4 / 7, 8 / 15]
    blocks: dict[tuple[int, int], np.ndarray] = {}
    rows = []
    for time in range(1, releases + 1):
        length, level = 1, 0
        while time % length == 0:
            node = rng.standard_normal(columns)
            if level:
                halves = blocks[time - length, length // 2] + blocks[time - length // 2, length // 2]
                node = variance[level] * node + (1 - variance[level]) * halves
            blocks[time - length, length] = node
            length, level = 2 * length, level + 1
        total, start = np.zeros(columns), 0
        for level in range(3, -1, -1):
            if time >> level & 1:
                total = total + blocks[start, 1 << level]
                start += 1 << level
        rows.append(total)
    noise = noise_matrix("honaker", releases)
    deviation = 7 * np.sqrt(2 / columns) * (noise**2).sum(axis=1).max()
    assert np.abs(np.array(rows) @ np.array(rows).T / columns - noise @ noise.T).max() <= deviation


@given(st.integers(1, 10**12))
def test_sensitivity_and_variance(releases: int) -> None:
    cost = HonakerCounter.cost(releases)
    squared, nodes = cost.sensitivity**2, levels(releases)
    assert 0.84 * nodes <= squared <= nodes * (1 + 1e-12)
    assert nodes / 2 - 1 <= cost.largest <= nodes / 2 + 0.81
    assert cost.mean <= cost.largest


def test_the_noisiest_release() -> None:
    for releases in range(1, 300):
        each = HonakerCounter.variance(np.arange(1, releases + 1), releases)
        assert HonakerCounter.cost(releases).largest == pytest.approx(each.max(), rel=1e-12)
        for level in range(levels(releases)):
            expected = sum(time >> level & 1 for time in range(1, releases + 1))
            assert honaker._with_bit(releases, level) == expected
