"""Signed digits: sums from both sides, for Laplace noise.

Like :mod:`privrl.privacy.counters.smooth_binary`, whose strings say how many blocks to add on each
level, but blocks may be
taken away as well (Andersson, Pagh, Steiner and Torkamani 2025 do so with the same range for every
digit; here the digits share one allowance). A release is a vector of h digits with |d_1| + .. +
|d_h| <= w, in lexicographic order from zero on. On level i the places with d_(i+1) = .. = d_h = 0
that share d_1 .. d_(i-1) are marks, and between two neighbours of them lies a block with one draw;
d_i > 0 adds the d_i blocks to the right of the middle mark, d_i < 0 takes away those to the left of
it. What lies after the release cancels, so draws may be used before their block is complete; by
:mod:`privrl.privacy.counters.matrix` no more is needed, adaptive inputs included. An item lies in
at most one block a level:

    sensitivity h in l1, at most w draws in a release, variance 2 w h^2 at epsilon = 1,

and there are (N(h, w) - 1) / 2 releases, with the Delannoy numbers N(h, w) = sum_i 2^i C(h, i) C(w,
i). At 10^6 releases h = 5 and w = 24: 0.62 of the smooth mechanism's variance and a thirteenth of
the binary tree's.

A stream keeps the marks to the left of the place where it is: h (w + 2) rows; and takes one draw a
release on average, in bursts of w + 1 at most. With Gaussian draws blt is better by far.
"""

import functools

import numpy as np
from numba import njit
from numpy.typing import NDArray

from privrl.checks import count
from privrl.privacy.counters.matrix import MOST_RELEASES, Cost, summed_cost
from privrl.privacy.counters.stream import Counter
from privrl.types import FloatArray, IntArray

MOST_LEVELS, MOST_BLOCKS = 40, 1000


@njit(cache=True, nogil=True)
def _advance(digits: IntArray, allowance: int) -> tuple[int, int, int]:
    """The next vector in place: the level that was raised, what is left there, and the draws that
    it takes."""
    allowance_ = allowance
    level, room = 0, allowance
    for i in range(digits.shape[0]):  # the deepest level that may rise
        if abs(digits[i] + 1) <= allowance_:
            level, room = i, allowance_
        allowance_ -= abs(digits[i])
    digits[level] += 1
    room -= abs(digits[level])
    for i in range(level + 1, digits.shape[0]):
        digits[i] = 0
    draws = 1 if digits[level] > 0 else 0
    if level + 1 < digits.shape[0]:
        digits[level + 1] = -room
        draws += room
    return level, room, draws


@njit(cache=True, nogil=True)
def _count_draws(digits: IntArray, allowance: int, rows: int) -> int:
    """Draws that the next releases take."""
    copy = digits.copy()
    total = 0
    for _ in range(rows):
        total += _advance(copy, allowance)[2]
    return total


@njit(cache=True, nogil=True)
def _signed_rows(
    block: FloatArray,
    draws: FloatArray,
    digits: IntArray,
    marks: FloatArray,
    values: FloatArray,
    allowance: int,
) -> None:
    """Noise of the next releases; ``marks[i, m]``: m left of the middle one, ``values[i]``: at
    level i's digit."""
    rows, width = block.shape
    levels = digits.shape[0]
    used = 0
    for row in range(rows):
        level, room, _ = _advance(digits, allowance)
        if digits[level] > 0:
            for column in range(width):
                values[level, column] += draws[used, column]
            used += 1
        else:
            for column in range(width):
                values[level, column] = marks[level, -digits[level], column]
        if level + 1 < levels:
            for column in range(width):
                marks[level + 1, 0, column] = values[level, column]
            for m in range(1, room + 1):
                for column in range(width):
                    marks[level + 1, m, column] = (
                        marks[level + 1, m - 1, column] - draws[used, column]
                    )
                used += 1
            for i in range(
                level + 1, levels
            ):  # below there is no allowance left but where room is zero
                for column in range(width):
                    values[i, column] = marks[level + 1, room, column]
                    if i > level + 1:
                        marks[i, 0, column] = values[i, column]
        for column in range(width):
            block[row, column] = values[levels - 1, column]


@functools.cache
def _vectors(levels: int, allowance: int) -> int:
    """N(h, w): vectors of h digits within the allowance; 0 below none."""
    if allowance < 0:
        return 0
    if levels == 0 or allowance == 0:
        return 1
    return (
        _vectors(levels - 1, allowance)
        + _vectors(levels, allowance - 1)
        + _vectors(levels - 1, allowance - 1)
    )


@functools.cache
def _shape(releases: int) -> tuple[int, int]:
    """Levels and allowance with the least w h^2."""
    shapes: list[tuple[int, int, int]] = []
    for levels in range(1, MOST_LEVELS + 1):
        best = min(shapes)[0] if shapes else MOST_BLOCKS**3
        for allowance in range(1, min(MOST_BLOCKS, best // levels**2) + 1):
            if _vectors(levels, allowance) > 2 * releases:
                shapes.append((allowance * levels**2, levels, allowance))
                break
    return min(shapes)[1:]


def _digits(times: NDArray[np.int64], levels: int, allowance: int) -> NDArray[np.int64]:
    """(n, h) digits of the releases ``times``."""
    rest = np.asarray(times, dtype=np.int64) + (_vectors(levels, allowance) - 1) // 2
    allowance_, digits = (
        np.full(rest.shape, allowance),
        np.zeros((*rest.shape, levels), dtype=np.int64),
    )
    for level in range(levels):
        sizes = np.array(
            [_vectors(levels - 1 - level, room) for room in range(allowance + 1)], dtype=np.int64
        )
        digit, open_ = -allowance_, np.ones(rest.shape, dtype=bool)
        for _ in range(2 * allowance):
            size = sizes[np.maximum(allowance_ - np.abs(digit), 0)]
            open_ &= rest >= size
            if not open_.any():
                break
            rest = np.where(open_, rest - size, rest)
            digit = np.where(open_, digit + 1, digit)
        digits[..., level] = digit
        allowance_ = allowance_ - np.abs(digit)
    return digits


def _up_to(digits: list[int], allowance: int) -> list[int]:
    """How many vectors not after this one have sum of sizes s, s = 0..w."""
    counts = [0] * (allowance + 1)
    used = 0
    for level, last in enumerate(digits):
        rest = len(digits) - 1 - level
        for digit in range(-(allowance - used), last):
            for size in range(used + abs(digit), allowance + 1):
                over = size - used - abs(digit)
                counts[size] += _vectors(rest, over) - (
                    _vectors(rest, over - 1) if rest else over > 0
                )
        used += abs(last)
    counts[used] += 1
    return counts


class SignedCounter(Counter):
    """Laplace draws, in bursts."""

    name = "signed"
    summary = "signed digits, blocks from both sides"
    rank = 5
    growth = "fixed"
    exact = True
    audited = False  # draws come in bursts
    laws = ("laplace",)

    def _begin(self) -> None:
        levels, self._allowance = _shape(count("releases", self.releases, 1, MOST_RELEASES))
        self._digits = np.zeros(levels, dtype=np.int64)
        self._marks = np.zeros((levels, self._allowance + 1, self.width))
        self._values = np.zeros((levels, self.width))
        self._block = np.empty((0, self.width))

    def _sums(self, rows: int) -> FloatArray:
        draws = self._draws(_count_draws(self._digits, self._allowance, rows))
        if self._block.shape[0] < rows:
            self._block = np.empty((rows, self.width))
        block = self._block[:rows]
        _signed_rows(block, draws, self._digits, self._marks, self._values, self._allowance)
        return block

    def place(self, released: int) -> dict[str, IntArray]:
        """The digits of the last release."""
        return {"_digits": _digits(np.array([released]), self._digits.size, self._allowance)[0]}

    @staticmethod
    def variance(times: NDArray[np.int64], releases: int, law: str = "laplace") -> FloatArray:
        """Draws in each release of ``times``."""
        return np.asarray(
            np.abs(_digits(np.asarray(times), *_shape(releases))).sum(axis=-1), dtype=np.float64
        )

    @staticmethod
    def cost(releases: int, law: str = "laplace") -> Cost:
        """Exact."""
        levels, allowance = _shape(releases)
        last = _digits(np.array([releases]), levels, allowance)[0].tolist()
        counts = [
            late - early
            for late, early in zip(
                _up_to(last, allowance), _up_to([0] * levels, allowance), strict=True
            )
        ]
        return summed_cost("laplace", float(levels), counts, levels * (allowance + 2), 2.0)
