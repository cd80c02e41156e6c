"""Certified tails and quantiles of counter noise, simultaneously over every release.

The tree counter releases at time t the sum of its live nodes, one per set bit of t; each node
carries its own noise. How far any of the releases 1..R strays is one number of one law, and it is
computed here without a union bound.

The recursion. Let ``D_k(u)`` be the probability that a release strictly inside a block of 2^k times
leaves [-x, x] when the nodes above the block sum to u. ``D_0 = 0``; a block of 2^(k+1) is an inner
half-block, then the release of its first half (a fresh node v, sum w = u + v), then an inner
half-block below w:

    D_{k+1} = 1 - (1 - D_k) (1 - T D_k),
    (T D)(u) = P(|u + v| > x) + integral over |w| <= x of f(w - u) D(w) dw,

because the three parts use different nodes. A general R is walked along its binary digits with the
same two steps.

The certificate, for Laplace noise. f is symmetric and unimodal, so ``1 - T D`` is, with ``1 - D``,
symmetric and falling in |u| (a convolution of symmetric unimodal functions is symmetric unimodal,
Wintner 1938; a product of such functions is too). So on a cell of a grid D lies between its values
at the two ends: the outer end gives an upper bound, the inner end a lower bound, and the mass of a
cell seen from a grid point is exact. Only sums and products of numbers >= 0 follow; after every
step the result is inflated (deflated) by more than their rounding can amount to, for IEEE doubles
with exp and expm1 good to 4 units in the last place and erfc to 16. For Gaussian noise, whose D is
steeper, the upper bound runs along chords, with a certified bound of what a chord can miss.

Everything is in units of the scale b (Laplace) or sigma (Gaussian) of one node: multiply by it
outside.
"""

import functools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erfc, erfcinv

from privrl.checks import count, positive, probability, require
from privrl.privacy.laplace_walk import union_after
from privrl.privacy.rounding import UNIT
from privrl.types import FloatArray

LAPLACE_CELLS = 65536
GAUSSIAN_CELLS = 2048
GAUSSIAN_REACH = 16.0
# beyond, exp(-x) nears the smallest doubles: the bound at this x is returned
FARTHEST_POINT = 600.0
SMALLEST_BETA = 1e-100
MOST_TERMS = 10**10


def tree_tail(x: float, releases: int, cells: int = LAPLACE_CELLS) -> float:
    """Certified upper bound of P(max over t <= releases of |noise_t| > x) for a tree with
    Laplace(1) nodes.

    Parameters
    ----------
    x : threshold > 0, in units of the node scale
    releases : R >= 1, number of releases
    cells : grid cells on [0, x], >= 1; more are tighter, every number gives an upper bound
    """
    return _laplace_tree(
        positive("x", x), count("releases", releases), count("cells", cells), upper=True
    )


def tree_tail_lower(x: float, releases: int, cells: int = LAPLACE_CELLS) -> float:
    """Certified lower bound of the probability that :func:`tree_tail` bounds from above; 0 beyond x
    = 600."""
    x, releases, cells = positive("x", x), count("releases", releases), count("cells", cells)
    return 0.0 if x > FARTHEST_POINT else _laplace_tree(x, releases, cells, upper=False)


def tree_quantile(beta: float, releases: int) -> float:
    """An x with P(max over t <= releases of |noise_t| > x) <= beta, certified, in units of the node
    scale.

    Smallest at five significant digits for the certified bound; the true quantile is below it by a
    few 1e-4 relative. beta is in [1e-100, 1).
    """
    return _tree_quantile(_tail_level(beta), count("releases", releases))


def tree_tail_gaussian(x: float, releases: int, cells: int = GAUSSIAN_CELLS) -> float:
    """Certified upper bound of P(max over t <= releases of |noise_t| > x) for a tree with N(0, 1)
    nodes.

    The smaller of the recursion's bound and of the union over the releases, grouped by their number
    of live nodes.
    """
    x, releases, cells = positive("x", x), count("releases", releases), count("cells", cells)
    union = _gaussian_union(x, releases)
    return union if x > FARTHEST_POINT else min(_gaussian_tree(x, releases, cells), union)


def tree_quantile_gaussian(beta: float, releases: int) -> float:
    """An x with P(max over t <= releases of |noise_t| > x) <= beta for N(0, 1) nodes, certified,
    five digits."""
    return _tree_quantile_gaussian(_tail_level(beta), count("releases", releases))


def laplace_sum_tail(x: float, terms: int) -> float:
    """Certified upper bound, sharp to 1e-8 relative, of P(|sum of ``terms`` independent Laplace(1)|
    > x).

    The absolute value of the sum of k is a mixture of Gamma(m, 1), m = 1..k, with the weights
    C(2k - 1 - m, k - 1) / 2^(2k - 1 - m); nothing cancels. x > 0, terms in 1..10^10.
    """
    return _laplace_sum_tail(positive("x", x), count("terms", terms, 1, MOST_TERMS))


def local_quantile(beta: float, releases: int) -> float:
    """An x with P(max over t <= releases of |v_1 + ... + v_t| > x) <= beta, certified, for v_i
    Laplace(1).

    By Levy's inequality: twice the tail of the last sum. It is sharp up to lower order, because the
    walk that has crossed is as likely to end above as below the point where it crossed.
    """
    return _laplace_sum_quantile(_tail_level(beta) / 2, count("releases", releases, 1, MOST_TERMS))


def local_quantile_gaussian(beta: float, releases: int) -> float:
    """An x with P(max over t <= releases of |v_1 + ... + v_t| > x) <= beta, certified, for v_i N(0,
    1); as above."""
    level, number = _tail_level(beta) / 2, count("releases", releases)
    # more than erfcinv can be off
    return math.sqrt(2 * number) * float(erfcinv(level)) * (1 + 1e-9)


def _tail_level(beta: float) -> float:
    level = probability("beta", beta)
    require(level >= SMALLEST_BETA, f"beta must be >= {SMALLEST_BETA}", beta=beta)
    return level


def _union_step(first: FloatArray, second: FloatArray) -> FloatArray:
    """1 - (1 - first) (1 - second), which keeps small numbers exact to a few roundings and rises in
    both."""
    return np.minimum(first + second * (1 - first), 1.0)


@functools.lru_cache(maxsize=1024)
def _laplace_tree(x: float, releases: int, cells: int, upper: bool) -> float:
    x = min(x, FARTHEST_POINT)
    cells = max(cells, math.ceil(x))  # a cell is at most one scale wide
    width = x / cells
    grid = np.arange(cells + 1) * width
    mirrored = np.exp(-grid)
    slack = (8 * cells + 16 * x + 64) * UNIT
    step = functools.partial(
        union_after,
        outside=(mirrored[::-1] + mirrored * math.exp(-x)) / 2,
        mirrored=mirrored,
        weight=-math.expm1(-width),
        shrink=math.exp(-width),
        upper=upper,
        factor=1 + slack if upper else 1 - slack,
    )
    inside = np.zeros(cells + 1)  # D_k: the interior of a block of 2^k times, by the sum above it
    rest = np.zeros(cells + 1)  # the times that remain once the higher digits have been walked
    for level in range(releases.bit_length()):  # along the binary digits, lowest first
        if releases >> level & 1:
            rest = step(inside, rest)
        if releases >> (level + 1):
            inside = step(inside, inside)
    return float(rest[0])


def _normal_tail(x: ArrayLike) -> FloatArray:
    return np.asarray(erfc(np.asarray(x, dtype=np.float64) / math.sqrt(2)) / 2)


def _slope(value: FloatArray) -> FloatArray:
    """Bound of |(T D)'| where T D <= ``value``: p sqrt(2 ln(1/p)), past its top the top e^{-1/2}.

    (T D)(u) = p is the mean of a g in [0, 1] under N(u, 1). Its slope is p times the shift of the
    mean that the weights g / p <= 1 / p cause; their divergence is at most ln(1/p), and a shift by
    m takes m^2 / 2 (Donsker, Varadhan).
    """
    top = math.exp(-0.5)
    p = np.clip(value, 1e-300, top)
    return np.asarray(p * np.sqrt(-2 * np.log(p)))


@functools.lru_cache(maxsize=1024)
def _gaussian_tree(x: float, releases: int, cells: int) -> float:
    """Upper bound by chords: where -D'' <= c on a cell of width h, D lies below its chord plus c
    h^2 / 8.

    As phi'' >= -phi, -(T D)'' <= T D; so c grows in a step to c + T D + 2 |D'| |(T D)'|, slopes
    from `_slope`.
    """
    # cells of sigma / 32 or finer: the quadrature below is good to 1e-20
    cells = max(cells, math.ceil(32 * x))
    width = x / cells
    near_enough = 2 * cells * width <= GAUSSIAN_REACH  # what lies farther counts as failed
    reach = 2 * cells if near_enough else math.ceil(GAUSSIAN_REACH / width)
    lost = 2 * float(_normal_tail(GAUSSIAN_REACH)) if reach < 2 * cells else 0.0
    nodes, parts = np.polynomial.legendre.leggauss(8)
    share = (nodes + 1) / 2
    density = np.exp(-(((np.arange(reach)[:, None] + share) * width) ** 2) / 2) * (
        parts * width / math.sqrt(8 * math.pi)
    )
    # weight of the near and of the far end of the j-th cell
    near, far = (
        density @ (1 - share),
        density @ share,
    )
    side = np.append(near[1:], 0.0) + far  # of the point that is j = 1, 2, .. cells away
    kernel = np.concatenate((side[::-1], [2 * near[0]], side))
    grid = np.arange(cells + 1) * width
    outside = _normal_tail(x - grid) + _normal_tail(x + grid) + lost
    far = np.concatenate((far, np.zeros(2 * cells - reach)))
    # of x and -x
    ends = np.append(far[:cells][::-1], near[0]) + np.append(far[cells - 1 :], 0.0)[: cells + 1]

    def smooth(values: FloatArray) -> FloatArray:
        inner = values[:-1]
        line = np.concatenate((np.zeros(reach), inner[:0:-1], inner, np.zeros(reach + 1)))
        return np.asarray(np.convolve(line[cells - 1 :], kernel, mode="valid") + values[-1] * ends)

    def step(values: FloatArray, bend: FloatArray) -> FloatArray:
        # bend[j]: bound of -D'' on the cell inside point j
        worst = np.maximum(bend, np.append(bend[1:], 0.0))
        return np.minimum((smooth(values + worst * (width * width / 8)) + outside) * factor, 1.0)

    factor = 1 + 1e-9 + (16 * x * x + 8 * reach) * UNIT
    inside, rest = np.zeros(cells + 1), np.zeros(cells + 1)
    inside_bend, rest_bend = np.zeros(cells + 1), np.zeros(cells + 1)
    inside_slope = np.zeros(cells + 1)
    for level in range(releases.bit_length()):
        if releases >> level & 1:
            after = step(rest, rest_bend)
            rest_bend = inside_bend + after + 2 * inside_slope * _slope(after)
            rest = _union_step(inside, after)
        if releases >> (level + 1):
            after = step(inside, inside_bend)
            inside_bend = inside_bend + after + 2 * inside_slope * _slope(after)
            inside_slope = inside_slope + _slope(after)
            inside = _union_step(inside, after)
    return min(1.0, float(rest[0]) * factor)


def live_node_counts(releases: int) -> list[int]:
    """How many of the times 1..releases have exactly j live nodes (set bits), for j = 0..levels;
    entry 0 is 0."""
    releases = count("releases", releases)
    numbers = [0] * (releases.bit_length() + 1)
    above = 0  # set bits higher than the digit that is being lowered
    for level in range(releases.bit_length() - 1, -1, -1):
        if releases >> level & 1:
            for below in range(level + 1):
                numbers[above + below] += math.comb(level, below)
            above += 1
    numbers[above] += 1
    numbers[0] -= 1  # time 0 releases nothing
    return numbers


def _gaussian_union(x: float, releases: int) -> float:
    total = sum(
        number * 2 * float(_normal_tail(x / math.sqrt(live)))
        for live, number in enumerate(live_node_counts(releases))
        if number
    )
    return min(1.0, total * (1 + 1e-10))


@functools.lru_cache(maxsize=256)
def _laplace_sum_tail(x: float, terms: int) -> float:
    # far beyond every quantile that is served, and no longer arrays
    x = min(x, 1000 + 40 * math.sqrt(terms))
    # mixture components that are written out
    most = min(terms, math.ceil(math.sqrt(x * x + 200.0 * terms) + 100))
    first = _first_weight(terms)
    import mpmath  # slow to import, and seldom needed

    with mpmath.workdps(40):
        mode = min(int(x), most - 1)
        peak = mpmath.exp(
            mode * mpmath.ln(mpmath.mpf(x)) - mpmath.mpf(x) - mpmath.loggamma(mode + 1)
        )
    index = np.arange(1, most, dtype=np.float64)
    ratios = 2 * (terms - index) / (2 * terms - 1 - index)
    weights = first * np.concatenate(([1.0], np.cumprod(ratios)))
    # Poisson(x) probabilities 0..most-1 outward from the mode; far ones may underflow, which 1e-290
    # covers
    up = np.cumprod(x / np.arange(mode + 1, most, dtype=np.float64))
    down = np.cumprod(np.arange(mode, 0, -1, dtype=np.float64) / x)[::-1]
    # P(Gamma(m, 1) > x), m = 1..most
    survival = np.cumsum(float(peak) * np.concatenate((down, [1.0], up)))
    total = float(np.dot(weights, survival))
    if most < terms:  # the ratios fall with m, so the rest is below a geometric series
        ratio = 2 * (terms - most) / (2 * terms - 1 - most)
        total += float(weights[-1]) * ratio / (1 - ratio)
    return min(1.0, total * (1 + (32 * most + 1000) * UNIT) + 1e-290)


@functools.lru_cache(maxsize=4096)
def _first_weight(terms: int) -> float:
    """Of Gamma(1, 1) in the mixture that the absolute value of the sum is."""
    import mpmath

    with mpmath.workdps(40):
        logarithm = (
            mpmath.loggamma(2 * terms - 1)
            - 2 * mpmath.loggamma(terms)
            - (2 * terms - 2) * mpmath.ln(2)
        )
        return float(mpmath.exp(logarithm))


def invert(tail: Callable[[float], float], beta: float, near: float) -> float:
    """The smallest five-digit x, as far as the certified ``tail`` tells, with tail(x) <= beta;
    ``near`` is a guess."""
    return _five_digits(tail, beta, _root(tail, beta, near, 2.0))


def _five_digits(tail: Callable[[float], float], beta: float, guess: float) -> float:
    """The same, from a guess on either side that is good to a few units of the fifth digit."""
    unit = Fraction(10) ** (math.floor(math.log10(guess)) - 4)
    multiple = math.ceil(Fraction(guess) / unit)
    while tail(float(multiple * unit)) > beta:
        multiple += 1
    while multiple > 1 and tail(float((multiple - 1) * unit)) <= beta:
        multiple -= 1
    return float(multiple * unit)


@functools.lru_cache(maxsize=256)
def _laplace_sum_quantile(beta: float, terms: int) -> float:
    start = 2 * math.sqrt(terms * -math.log(beta / 2)) - math.log(beta / 2)
    return invert(lambda x: _laplace_sum_tail(x, terms), beta, start)


@functools.lru_cache(maxsize=256)
def _tree_quantile(beta: float, releases: int) -> float:
    near = 2.0 * releases.bit_length() - math.log(beta)
    wide = _root(
        lambda x: _laplace_tree(x, releases, LAPLACE_CELLS // 16, upper=True), beta, near, 2.0
    )
    half = _root(
        lambda x: _laplace_tree(x, releases, LAPLACE_CELLS // 8, upper=True), beta, wide, 1.001
    )
    # the bound exceeds the truth by about as much as a cell is wide, so that two coarse ones tell
    # the fine one
    return _five_digits(
        lambda x: _laplace_tree(x, releases, LAPLACE_CELLS, upper=True),
        beta,
        half - 7 / 8 * (wide - half),
    )


def _root(tail: Callable[[float], float], beta: float, near: float, factor: float) -> float:
    """Where a falling ``tail`` crosses beta, to 1e-8; searched from ``near`` by growing powers of
    ``factor``."""
    from scipy.optimize import brentq  # slow to import, and not every process needs it

    def excess(x: float) -> float:
        return math.log(max(tail(x), 1e-320)) - math.log(beta)

    low = high = near
    while excess(high) > 0:
        low, high, factor = high, high * factor, factor**2
    while excess(low) <= 0:
        high, low, factor = low, low / factor, factor**2
    return float(brentq(excess, low, high, xtol=1e-300, rtol=1e-8))


@functools.lru_cache(maxsize=256)
def _tree_quantile_gaussian(beta: float, releases: int) -> float:
    start = math.sqrt(2 * releases.bit_length() * (math.log(2 * releases) - math.log(beta)))
    # a chord misses so little that a coarse grid tells four digits and mostly the fifth
    start = _root(lambda x: tree_tail_gaussian(x, releases, GAUSSIAN_CELLS // 8), beta, start, 1.1)
    return _five_digits(lambda x: tree_tail_gaussian(x, releases), beta, start)
