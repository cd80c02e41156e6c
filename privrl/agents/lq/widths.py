"""How far the noise of a run's releases gets: one width for every Gram matrix, one for every
product of it.

A release of variance v has N, a symmetric p x p matrix, and L, p x n, with independent entries of
standard deviation sqrt(v) times that of a draw (on and above the diagonal of N). Over releases of
variances v_1, ..., v_R

    P(some ||N_k|| > x) <= sum_k t_p(x / sqrt(v_k)),
    P(some ||L_k||_F > y) <= sum_k q_{np}(y / sqrt(v_k)),

t_p the tail of the operator norm and q_m that of a vector of m standard normals
(``privrl.privacy.gaussian_norms``). The releases of a counter may depend on each other in any way,
and each counts with its own variance: of the first 10^5 releases of a tree two have 16 live nodes,
the most, and 57 % have 8 or fewer.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from privrl.checks import array, count, probability, require
from privrl.privacy.gaussian_norms import SMALLEST, norm_tail, operator_bound, operator_tail
from privrl.types import FloatArray

MARGIN = 1e-9  # of a sum of tails, for their rounding: theirs is below 1e-10


def norm_widths(
    variances: ArrayLike, numbers: ArrayLike, states: int, dimension: int, failure: float
) -> tuple[float, float]:
    """x and y as above, each left with probability at most ``failure``, in units of the draws'
    standard deviations.

    Both come from the safe side: the smallest number that a bisection finds to 12 digits for which
    the sum of the tails, raised by ``MARGIN`` for rounding, is at most ``failure``.

    Parameters
    ----------
    variances, numbers : (G,) each; at most so many releases (>= 0, and some) have at most this
        variance (> 0), in units of that of a draw
    states, dimension : n and p; N is p x p and L is p x n
    failure : of each of the two, in (0, 1); over the number of releases at least 1e-280
    """
    spread = array("variances", variances, (None,))
    times = array("numbers", numbers, spread.shape)
    states, dimension = count("states", states), count("dimension", dimension)
    failure = probability("failure", failure)
    require(bool((spread > 0).all()), "variances must be positive", variances=variances)
    require(
        bool((times >= 0).all()) and times.sum() >= 1,
        "numbers must be >= 0 and 1 or more together",
        numbers=numbers,
    )
    require(
        failure >= SMALLEST * times.sum(),
        f"failure must be >= {SMALLEST:g} for a release",
        failure=failure,
    )
    deviations = np.sqrt(spread)
    return (
        _least(lambda x: operator_tail(x, dimension), deviations, times, failure),
        _least(lambda x: norm_tail(x, states * dimension), deviations, times, failure),
    )


def printed_norm_widths(states: int, dimension: int, odds: float) -> tuple[float, float]:
    """x and y as section IV-B of chowdhury2021 prints them, each left by one release with
    probability at most 1/``odds``: 4 sqrt(p) + sqrt(8 ln(2 odds)), sqrt(2np) + sqrt(4 ln odds)."""
    return (
        operator_bound(dimension, odds),
        math.sqrt(2 * states * dimension) + math.sqrt(4 * math.log(odds)),
    )


def _least(
    tail: Callable[[FloatArray], FloatArray],
    deviations: FloatArray,
    numbers: FloatArray,
    failure: float,
) -> float:
    """The smallest x for which the sum of the tails beyond x is at most ``failure``, from above:
    ``high`` always is."""

    def enough(x: float) -> bool:
        return float(numbers @ tail(x / deviations)) * (1 + MARGIN) <= failure

    low, high = 0.0, float(deviations.max())
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
