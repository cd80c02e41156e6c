"""Exact draws of the discrete Gaussian law, many at once: P(z) ~ exp(-z^2 / (2 s^2)), z in Z.

Nearly all draws are decided in floating point, by blocks, and every one of them exactly.

**Proposals.** With t = ceil(s / 4), let V have P(V >= v) = exp(-v / 4), let U be uniform among the
whole numbers from 0 to t - 1, and the sign be + or - alike; x = U + t V. So each x >= 0 is proposed
with a probability that is proportional to exp(-V / 4), V = floor(x / t). It is taken with
probability exp(-e),

    e = ((x / s)^2 - V / 2 + 1) / 2,

and never as -0. Since t >= s / 4, x / s >= V / 4, so that e >= (V / 4 - 1)^2 / 2 >= 0, and what is
taken is in proportion exp(-V / 4 - e) ~ exp(-(x / s)^2 / 2). Nothing else is needed: s is the
number that a double holds.

**Decisions.** All are whether a uniform number is below exp(-q) for a rational q >= 0. The number's
first 64 bits are compared with what is known of exp(-q), and where these leave it open, which takes
2^-38 of all proposals, more bits are drawn and exp(-q) is enclosed more narrowly
(:class:`Uniform`), as often as it takes. So a decision is that of real numbers.

- V: :func:`thresholds` holds floor(2^64 exp(-v / 4)). Of a number whose first 64 bits are w, w less
  than that says that it is below, w larger that it is not, and w equal leaves it open.
- e: x is below 2^53 and V / 2 + 1 a multiple of 1/2, so x / s, its square, the sum and the half
  err by less than 2^-51 ((x / s)^2 + V / 4 + 1) in doubles, rounded to nearest. As x / s >= V / 4,
  e >= (x / s - 1)^2 / 2, so this moves exp(-e) by less than 2^-51 (y^2 + y + 1) exp(-(y - 1)^2 / 2)
  < 2^-48 for y = x / s, and beyond e = 40 by less than the 2^-57 that exp(-e) is. :func:`falling`
  errs by less than 2^-48. ``DECISION_MARGIN`` = 2^-40 is more than all this and the 2^-53 that the
  bits of the uniform number leave open which a double does not hold.

Bits are the system's (``os.urandom``). How long it takes depends on how many proposals were
refused, which is independent of the draws, on 2^-38 of them for more, and by way of a processor's
caches on all. It was not made to take the same time always.
"""

import decimal
import functools
import math
import os
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privrl.checks import count, positive, require
from privrl.types import FloatArray, IntArray

MOST_SCALE = 2.0**45  # so that no proposal is beyond 2^53
DECISION_MARGIN = 2.0**-40  # of what decides in floating point
SLICES = 4  # of a scale: t is s / SLICES, rounded up
LAST_EXPONENT = 40  # beyond it no proposal is taken in floating point, nor V / 4 known
TABLE_NODES = 64  # of a table of exp, for one unit
SPARE = 1.7  # proposals for a draw: 1.5 on average for large scales
WORD = 64  # bits


def draws(scale: float, number: int) -> IntArray:
    """(number,), independent and exact; ``scale`` at most ``MOST_SCALE``."""
    require(positive("scale", scale) <= MOST_SCALE, "scale must be <= 2^45", scale=scale)
    taken: list[IntArray] = []
    missing = count("number", number)
    while missing > 0:
        some = _taken(float(scale), math.ceil(SPARE * missing) + 8)[:missing]
        taken.append(some)
        missing -= some.size
    return np.concatenate(taken)


def _taken(scale: float, proposals: int) -> IntArray:
    """Those of so many proposals that are taken, in order."""
    width = math.ceil(scale / SLICES)
    words = np.frombuffer(os.urandom(3 * 8 * proposals), np.uint64).reshape(3, proposals)
    inner = (words[0] & np.uint64(2 ** (width - 1).bit_length() - 1)).astype(np.int64)
    negative = words[0] >> np.uint64(WORD - 1) == 1
    blocks, open_blocks = _blocks(words[1])
    for place in np.flatnonzero(open_blocks):
        blocks[place] = Uniform(int(words[1][place])).blocks()
    # a block so far out is met once in exp(64) proposals, and would leave the whole numbers
    require(bool((blocks < 64 * SLICES).all()), "a draw must be within 64 scales", scale=scale)
    sizes = inner + width * blocks
    chance = falling(_exponents(sizes, blocks, scale))
    uniform = (words[2] >> np.uint64(11)).astype(np.float64) * 2.0**-53
    accepted = uniform < chance
    for place in np.flatnonzero(np.abs(uniform - chance) <= DECISION_MARGIN):
        exponent = exact_exponent(int(sizes[place]), int(blocks[place]), scale)
        accepted[place] = Uniform(int(words[2][place])).below(exponent)
    accepted &= (inner < width) & ~(negative & (sizes == 0))
    signed: IntArray = np.where(negative, -sizes, sizes)[accepted]
    return signed


def _blocks(words: NDArray[np.uint64]) -> tuple[IntArray, NDArray[np.bool_]]:
    """V of uniform numbers, of which the first bits are known; and where these leave it open."""
    ends = thresholds()  # decreasing
    rising = ends[::-1]
    above = np.searchsorted(rising, words, side="right")  # ends that are at most w
    blocks = (ends.size - above).astype(np.int64)
    equal = rising[np.maximum(above - 1, 0)] == words
    return blocks, equal | (words < ends[-1])


def _exponents(sizes: IntArray, blocks: IntArray, scale: float) -> FloatArray:
    """e of each proposal, in doubles."""
    with np.errstate(over="ignore"):  # it is far beyond LAST_EXPONENT then
        ratio = sizes / scale
        exponents: FloatArray = (ratio * ratio - blocks * (2 / SLICES) + 1) / 2
    return exponents


def exact_exponent(size: int, block: int, scale: float) -> Fraction:
    """e of one proposal."""
    return ((size / Fraction(scale)) ** 2 - Fraction(2 * block, SLICES) + 1) / 2


def falling(exponents: FloatArray) -> FloatArray:
    """exp(-e) to within 2^-48, from a table and Taylor's polynomial; 0 from ``LAST_EXPONENT`` on.

    With r = e - k / 64, which is exact, the rest of the series is below r^7 / 7! < 2^-54; the
    table, five steps of the polynomial and the product err by less than 2^-49.
    """
    clipped = np.clip(exponents, 0, LAST_EXPONENT)
    nodes = (clipped * TABLE_NODES).astype(np.int64)
    rest = clipped - nodes / TABLE_NODES
    series = np.ones_like(rest)
    for term in range(6, 0, -1):
        series = 1 - rest / term * series
    chance: FloatArray = np.where(clipped < LAST_EXPONENT, _table()[nodes] * series, 0.0)
    return chance


@functools.cache
def _table() -> FloatArray:
    """exp(-k / TABLE_NODES), to the nearest double."""
    return np.array(
        [
            float(exp_between(Fraction(k, TABLE_NODES), WORD)[0])
            for k in range(LAST_EXPONENT * TABLE_NODES + 1)
        ]
    )


@functools.cache
def thresholds() -> NDArray[np.uint64]:
    """floor(2^64 exp(-v / SLICES)) for v = 1, 2, .., LAST_EXPONENT * SLICES."""
    ends = []
    for block in range(1, LAST_EXPONENT * SLICES + 1):
        low, high = (
            math.floor(2**WORD * end) for end in exp_between(Fraction(block, SLICES), 2 * WORD)
        )
        assert low == high
        ends.append(low)
    return np.array(ends, np.uint64)


class Uniform:
    """A uniform number in [0, 1), of which more bits are drawn as they are needed.

    Parameters
    ----------
    bits : the first 64 of them
    """

    def __init__(self, bits: int) -> None:
        self._bits, self._length = bits, WORD

    def below(self, exponent: Fraction) -> bool:
        """Whether it is below exp(-exponent)."""
        while True:
            low, high = exp_between(exponent, self._length)
            if Fraction(self._bits + 1, 2**self._length) <= low:
                return True
            if Fraction(self._bits, 2**self._length) >= high:
                return False
            self._bits = self._bits << WORD | int.from_bytes(os.urandom(WORD // 8), "little")
            self._length += WORD

    def blocks(self) -> int:
        """The largest v with the number below exp(-v / SLICES)."""
        block = 0
        while self.below(Fraction(block + 1, SLICES)):
            block += 1
        return block


def exp_between(exponent: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Numbers below and above exp(-exponent) that differ by much less than 2^-bits.

    Division and exp of :mod:`decimal` are correctly rounded, which moves the exponent x and the
    result by a share of 10^(1 - digits) / 2 each, and so the result by less than x + 1 times
    10^(1 - digits).
    """
    if exponent == 0:
        return Fraction(1), Fraction(1)
    far = min(exponent, Fraction(10**6))  # exp of it is not 0 in decimals
    digits = bits // 3 + 20
    with decimal.localcontext(decimal.Context(digits, decimal.ROUND_HALF_EVEN)):
        rounded = decimal.Decimal(far.numerator) / decimal.Decimal(far.denominator)
        value = rounded.copy_negate().exp()
    middle, spread = Fraction(value), (far + 1) * Fraction(1, 10 ** (digits - 1))
    return (middle * (1 - spread) if far == exponent else Fraction(0)), middle * (1 + spread)
