"""The binary tree with every release estimated from all of its nodes (Honaker 2015, online: nodes
that are complete).

The noise of a full binary tree is drawn, a unit draw for each complete dyadic block. The sum over a
block of length 2^k is then known from the own node (variance 1) and from the two halves (twice
v_{k-1}); the best combination has

    v_k = 2 v_{k-1} / (1 + 2 v_{k-1}) = 2^k / (2^(k+1) - 1),
    weights v_k for the node, 1 - v_k for the halves,

and a release adds the blocks of its set bits. Of the nodes that end at time t = (odd) 2^j only this
estimate is ever used: its error is a mean that earlier blocks give and a fresh part of variance r_j
= v_j^2 + (1 - v_j)^2 r_{j-1}, which one Gaussian draw stands for. So the stream costs one draw a
release.

**Sensitivity.** One user is in floor(log2 R) + 1 nodes. But the nodes are not released, only the
estimates; the exact column of C = B^-1 A runs along the blocks t_0 < t_1 < .. of lengths 2^j0 <
2^j1 < .. that hold the user, with squares 1/r_j0 and (1 - prod_{j_l < i <= j_(l+1)} (1 - v_i))^2 /
r_j(l+1); every rising sequence of levels up to floor(log2 R) occurs, and the longest path is found
by dynamic programming. It is 9 to 15 % below the number of nodes.

Gaussian draws only. With Laplace nodes the estimates stay private, as they are computed from the
nodes, but cost two draws a release, and the smooth binary mechanism does better with one.
"""

import functools
import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from privrl.privacy.counters import bits
from privrl.privacy.counters.matrix import Cost
from privrl.privacy.counters.stream import Counter, levels
from privrl.privacy.rounding import UNIT, up
from privrl.types import FloatArray


@njit(cache=True, nogil=True)
def _honaker_rows(
    block: FloatArray,
    left_halves: FloatArray,
    sums: FloatArray,
    halves: FloatArray,
    fresh: FloatArray,
    start: int,
) -> None:
    """Draws to noise of releases from start on; ``left[j]``, ``sums[j]``: last block and last
    release at level j."""
    rows, width = block.shape
    for row in range(rows):
        time = start + row
        low = 0
        while not (time >> low) & 1:
            low += 1
        above = low + 1
        while above < sums.shape[0] - 1 and not (time >> above) & 1:
            above += 1
        spread = fresh[low]
        for column in range(width):
            block[row, column] *= spread
        for level in range(low):  # what the halves say, smallest first
            weight = halves[low, level]
            for column in range(width):
                block[row, column] += weight * left_halves[level, column]
        for column in range(width):
            left_halves[low, column] = block[row, column]
        if above < sums.shape[0] - 1 and (time >> above) & 1 == 1:
            for column in range(width):
                block[row, column] += sums[above, column]
        if low > 0:
            for column in range(width):
                sums[low, column] = block[row, column]


def _block_variances(top: int) -> FloatArray:
    """v_0 .. v_top."""
    return np.array([1 / (2 - 0.5**level) for level in range(top + 1)])


@functools.cache
def _weights(top: int) -> tuple[FloatArray, FloatArray]:
    """(top + 1, top + 1) weights of the left blocks by level of the new one, and (top + 1,)
    standard deviations."""
    variances = _block_variances(top)
    halves, fresh = np.zeros((top + 1, top + 1)), np.ones(top + 1)
    for level in range(1, top + 1):
        rest = 1 - variances[level]
        halves[level, :level] = rest * halves[level - 1, :level]
        halves[level, level - 1] = rest
        fresh[level] = variances[level] ** 2 + rest**2 * fresh[level - 1]
    return halves, np.sqrt(fresh)


class HonakerCounter(Counter):
    """Two rows of memory a level, one draw a release."""

    name = "honaker"
    summary = "binary tree, all complete nodes combined"
    rank = 3
    growth = "bits"
    audited = True
    dyadic = True
    laws = ("gaussian",)

    def _begin(self) -> None:
        top = levels(self.releases) - 1
        self._halves, self._fresh = _weights(top)
        self._left, self._stack = np.zeros((top + 1, self.width)), np.zeros((top + 2, self.width))

    def _sums(self, rows: int) -> FloatArray:
        block = self._draws(rows)
        _honaker_rows(block, self._left, self._stack, self._halves, self._fresh, self.released + 1)
        return block

    @staticmethod
    def variance(times: NDArray[np.int64], releases: int, law: str = "gaussian") -> FloatArray:
        """Variance of each release in ``times``: v_j added over the set bits."""
        return bits.variances(times, _block_variances(levels(releases) - 1))

    @staticmethod
    def cost(releases: int, law: str = "gaussian") -> Cost:
        """Exact but for the groups, which take blocks of level 10 and above for alike."""
        top = levels(releases) - 1
        each = _block_variances(top)
        mean = math.fsum(each[j] * bits.with_bit(releases, j) for j in range(top + 1)) / releases
        variances, numbers = bits.groups(releases, each)
        return Cost(
            "gaussian",
            up(math.sqrt(_longest(top)), 64 * UNIT),
            bits.largest(releases, each),
            mean,
            variances,
            numbers,
            2 * levels(releases),
            4.0,
        )


def _longest(top: int) -> float:
    """Largest squared column: the heaviest rising sequence of levels."""
    variances, fresh = _block_variances(top), _weights(top)[1] ** 2
    best: list[float] = []
    for level in range(top + 1):
        norm, weight = 1 / fresh[level], 1.0
        for before in range(level - 1, -1, -1):
            weight *= 1 - variances[before + 1]
            norm = max(norm, best[before] + (1 - weight) ** 2 / fresh[level])
        best.append(float(norm))
    return max(best)
