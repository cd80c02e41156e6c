"""Honaker's tree: the covariance of the best estimates, and a sensitivity below the number of
nodes."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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


@given(st.integers(1, 10**12))
def test_sensitivity_and_variance(releases: int) -> None:
    cost = HonakerCounter.cost(releases)
    squared, nodes = cost.sensitivity**2, levels(releases)
    assert 0.84 * nodes <= squared <= nodes * (1 + 1e-12)
    assert nodes / 2 - 1 <= cost.largest <= nodes / 2 + 0.81
    assert cost.mean <= cost.largest
