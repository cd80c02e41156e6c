"""The smooth binary mechanism (Andersson and Pagh 2023): a binary tree of which only balanced
leaves are used.

Leaves of a tree of height h are bit strings; item t sits at the t-th string s_(t-1) that has
exactly k ones, in rising order, so that C(h, k) >= R + 1 strings serve R releases. Release t reads
all leaves before s_t: one left sibling for each one of s_t, k nodes. An item is part of a left
child for each of its zeros: h - k draws. So sensitivity and variance are both known in advance,

    Gaussian:  (h - k) k,     Laplace:  (h - k)^2 * 2 k    at unit privacy and change,

and h, k are chosen to make that the least; their paper has k = h/2. Laplace noise is served better
by few zeros and many ones: at 10^6 releases 6 zeros and 27 ones, an eighth of the binary tree's
variance.

From one string to the next the lowest run of m ones, at distance z from the end, turns from 0 1^m
0^z into 1 0^(z+1) 1^(m-1). The siblings of the m - 1 ones at the very end hold no item at all:
strings there have k - 1 ones at most. Their noise is left out here (the paper draws it, so that all
releases have one law): a release is the sum of k less the ones at the end, and costs one draw and
one addition. Since every draw is a difference of two releases, the releases tell as much as the
nodes, and the sensitivity is exact.
"""

import functools
import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from privrl.checks import count
from privrl.privacy.counters.matrix import MOST_RELEASES, Cost, summed_cost
from privrl.privacy.counters.stream import Counter
from privrl.privacy.rounding import UNIT, up
from privrl.types import FloatArray, IntArray

HIGHEST = 62  # a string is one machine word


@njit(cache=True, nogil=True)
def _smooth_rows(block: FloatArray, stack: FloatArray, string: NDArray[np.uint64]) -> None:
    """Draws to noise of the next releases; ``stack[c]`` is the sum of the nodes of the first c ones
    of the string."""
    rows, width = block.shape
    word = string[0]
    unit = np.uint64(1)
    for row in range(rows):
        zeros = np.uint64(0)
        while not (word >> zeros) & unit:
            zeros += unit
        ones = np.uint64(0)
        while (word >> (zeros + ones)) & unit:
            ones += unit
        word = (((word >> (zeros + ones)) | unit) << (zeros + ones)) | (
            (unit << (ones - unit)) - unit
        )
        upper = word >> (zeros + ones + unit)
        before = 0  # ones above the new one
        while upper:
            before += 1 if upper & unit else 0
            upper >>= unit
        if before > 0:
            for column in range(width):
                block[row, column] += stack[before, column]
        for column in range(width):
            stack[before + 1, column] = block[row, column]
    string[0] = word


@functools.cache
def _shape(releases: int, law: str) -> tuple[int, int]:
    """Height and ones with the least variance at unit privacy; of equals, the lower tree."""
    power = 2 if law == "laplace" else 1
    shape = min(
        ((height - ones) ** power * ones, height, ones)
        for height in range(2, HIGHEST + 1)
        for ones in range(1, height)
        if math.comb(height, ones) > releases
    )
    return shape[1], shape[2]


def _string(rank: NDArray[np.int64], height: int, ones: int) -> NDArray[np.int64]:
    """The strings of these ranks, counted from 0."""
    ones_left, rest, strings = (
        np.full(rank.shape, ones),
        rank.copy(),
        np.zeros(rank.shape, dtype=np.int64),
    )
    table = np.array(
        [[math.comb(n, k) for k in range(ones + 1)] for n in range(height)], dtype=np.int64
    )
    for place in range(height - 1, -1, -1):
        smaller = table[place, ones_left]  # strings that have a zero here
        bit = rest >= smaller
        rest -= np.where(bit, smaller, 0)
        ones_left -= bit
        strings |= bit.astype(np.int64) << place
    return strings


def _trailing(strings: NDArray[np.int64]) -> NDArray[np.int64]:
    """Ones at the end."""
    return np.asarray(np.bitwise_count(strings & ~(strings + 1)), dtype=np.int64)


def _below(value: int, height: int, ones: int) -> int:
    """How many strings of that height and that many ones are smaller than ``value``."""
    smaller = 0
    for place in range(height - 1, -1, -1):
        if value >> place & 1:
            smaller += math.comb(place, ones) if ones >= 0 else 0
            ones -= 1
    return smaller


def _live(releases: int, height: int, ones: int) -> list[int]:
    """How many of the releases 1..R have j live nodes, j = 0..k."""
    last = int(_string(np.array([releases]), height, ones)[0])
    at_least = []  # strings up to the last one that end with r ones
    for run in range(ones + 1):
        ends = (1 << run) - 1
        at_least.append(_below(last >> run, height - run, ones - run) + (last & ends == ends))
    at_least.append(0)
    exactly = [at_least[run] - at_least[run + 1] for run in range(ones + 1)]
    exactly[ones] -= 1  # the first string is no release
    return exactly[::-1]


class SmoothCounter(Counter):
    """k + 1 rows of memory, one draw and one addition a release."""

    name = "smooth"
    summary = "smooth binary mechanism"
    rank = 4
    growth = "fixed"  # all but a few of its variances are nearly alike
    exact = True
    audited = True

    def _begin(self) -> None:
        _, ones = _shape(count("releases", self.releases, 1, MOST_RELEASES), self.law)
        self._stack = np.zeros((ones + 1, self.width))
        self._string = np.array([(1 << ones) - 1], dtype=np.uint64)

    def _sums(self, rows: int) -> FloatArray:
        block = self._draws(rows)
        _smooth_rows(block, self._stack, self._string)
        return block

    def place(self, released: int) -> dict[str, IntArray]:
        """The string of the last release."""
        return {"_string": _string(np.array([released]), *_shape(self.releases, self.law))}

    @staticmethod
    def variance(times: NDArray[np.int64], releases: int, law: str = "laplace") -> FloatArray:
        """Live nodes of each release in ``times``."""
        height, ones = _shape(releases, law)
        return np.asarray(
            ones - _trailing(_string(np.asarray(times), height, ones)), dtype=np.float64
        )

    @staticmethod
    def cost(releases: int, law: str = "laplace") -> Cost:
        """Exact."""
        height, ones = _shape(releases, law)
        zeros = height - ones
        return summed_cost(
            law,
            float(zeros) if law == "laplace" else up(math.sqrt(zeros), 64 * UNIT),
            _live(releases, height, ones),
            ones + 1,
            1.0,
        )
