"""Norms of Gaussian noise: certified quantiles of a vector's, certified upper bounds of a symmetric
matrix's.

A vector of m standard normals exceeds sqrt(q) with the probability of chi-square with m degrees of
freedom beyond q; its quantile is found in doubles and raised until balls prove it. A symmetric m x
m matrix with independent standard normal entries on and above the diagonal has

    P(||A|| > 2 E||g|| + sqrt(2 - 1/m) t) <= 2 exp(-t^2/2),    g of m standard normals

(zhou2022/lemma-B.4 and chowdhury2021/lemma-12 before they are rounded up; proved in
``theory.lemmas``). For m = 1 it is one normal variable, and the quantile is exact. Everything is in
units of the entries' standard deviation.
"""

import functools
import math

import numpy as np
from flint import arb, ctx
from numpy.typing import ArrayLike
from scipy.special import gammaincc, gammainccinv

from privrl.checks import array, count, probability, require
from privrl.types import FloatArray

SMALLEST = 1e-280  # below, doubles run out of digits
LARGEST_DIMENSION = 2**31  # dimensions beyond are no one's, and their quantiles would be loose


def norm_quantile(dimension: int, failure: float) -> float:
    """Certified x with P(||g|| > x) <= failure for g of ``dimension`` standard normals.

    Sharp to about 1e-11 relative at failures of at most a half and dimensions up to 10^7.

    ``dimension`` : in 1..2^31; ``failure`` : in [1e-280, 1)
    """
    return _norm_quantile(*_taken(dimension, failure))


def operator_quantile(dimension: int, failure: float) -> float:
    """Certified x with P(||A|| > x) <= failure for a symmetric Gaussian matrix of this dimension;
    ranges as above."""
    dimension, failure = _taken(dimension, failure)
    if dimension == 1:
        return _norm_quantile(1, failure)
    return (
        2 * mean_norm(dimension) + math.sqrt((2 - 1 / dimension) * 2 * math.log(2 / failure))
    ) * (1 + 1e-14)


def operator_bound(dimension: int, odds: float) -> float:
    """4 sqrt(m) + sqrt(8 ln(2 odds)): what P(||A|| > x) <= 1/``odds`` allows for x as the papers
    print it (zhou2022/lemma-B.4, chowdhury2021/lemma-12), for a symmetric Gaussian matrix."""
    return 4 * math.sqrt(dimension) + math.sqrt(8 * math.log(2 * odds))


def norm_bound(dimension: int, odds: float) -> float:
    """sqrt(m) + sqrt(2 ln odds): the same of a vector (zhou2022/lemma-B.5)."""
    return math.sqrt(dimension) + math.sqrt(2 * math.log(odds))


def operator_tail(thresholds: ArrayLike, dimension: int) -> FloatArray:
    """Upper bound of P(||A|| > x) for every threshold x >= 0, to rounding; exact in dimension 1."""
    x, dimension = _thresholds(thresholds), count("dimension", dimension)
    if dimension == 1:
        return norm_tail(x, 1)
    over = np.maximum(x - 2 * mean_norm(dimension), 0.0)
    return np.asarray(np.minimum(1.0, 2 * np.exp(-(over**2) / (2 * (2 - 1 / dimension)))))


def norm_tail(thresholds: ArrayLike, dimension: int) -> FloatArray:
    """P(||g|| > x) for every threshold x >= 0, to rounding."""
    x = _thresholds(thresholds)
    return np.asarray(gammaincc(count("dimension", dimension) / 2, x * x / 2))


def mean_norm(dimension: int) -> float:
    """E||g||, at least and to about 1e-15 relative."""
    return _mean_norm(count("dimension", dimension))


def _taken(dimension: int, failure: float) -> tuple[int, float]:
    dimension, failure = (
        count("dimension", dimension, 1, LARGEST_DIMENSION),
        probability("failure", failure),
    )
    require(failure >= SMALLEST, f"failure must be >= {SMALLEST:g}", failure=failure)
    return dimension, failure


def _thresholds(values: ArrayLike) -> FloatArray:
    try:
        axes = np.ndim(values)
    except ValueError:  # ragged, which `array` says
        axes = 0
    x = array("thresholds", values, (None,) * axes)
    require(bool((x >= 0).all()), "thresholds must be >= 0", thresholds=float(x.min()))
    return x


@functools.lru_cache(4096)
def _mean_norm(dimension: int) -> float:
    size = arb(dimension)
    with ctx.workprec(
        53 if dimension < 10 else 192
    ):  # the logarithms grow with the dimension, not their difference
        mean = arb(2).sqrt() * (((size + 1) / 2).lgamma() - (size / 2).lgamma()).exp()
        return math.nextafter(float(mean.upper()), math.inf)


@functools.lru_cache(4096)
def _norm_quantile(dimension: int, failure: float) -> float:
    guess, step = math.sqrt(2 * float(gammainccinv(dimension / 2, failure))), 2e-15
    with ctx.workprec(53):  # the result is remembered, and must not depend on who asks first
        while True:
            x = guess * (1 + step)
            # python-flint: z.gamma_upper(s) is Gamma(s, z), the argument before the order
            if (arb(x) ** 2 / 2).gamma_upper(arb(dimension) / 2, regularized=1) <= arb(failure):
                return x
            step *= 2
