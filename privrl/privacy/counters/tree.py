"""The binary mechanism (vietri2020/algorithm-5, as meant).

At time t one node is drawn, for the dyadic interval that ends at t and has the length of the lowest
set bit of t, and the noise of the release is the sum of the live nodes, one per set bit of t. The
sum without the node just drawn is the release at t with its lowest set bit cleared, so one addition
a release is enough, and log2(releases) rows of memory.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from privrl.privacy import quantiles
from privrl.privacy.counters.matrix import Cost, summed_cost
from privrl.privacy.counters.stream import Counter, levels
from privrl.privacy.rounding import UNIT, up
from privrl.types import FloatArray


@njit(cache=True, nogil=True)
def add_nodes(block: FloatArray, stack: FloatArray, start: int) -> None:
    """Node draws to noise of releases start, start + 1, ..; ``stack[j]`` is the release that ended
    at level j."""
    rows, width = block.shape
    for row in range(rows):
        time = start + row
        low = 0
        while not (time >> low) & 1:
            low += 1
        above = low + 1
        while above < stack.shape[0] - 1 and not (time >> above) & 1:
            above += 1
        # the last row of the stack stays zero: it stands for "no set bit above"
        parent = above if (time >> above) & 1 == 1 else stack.shape[0] - 1
        if parent < stack.shape[0] - 1:
            for column in range(width):
                block[row, column] += stack[parent, column]
        if low > 0:  # level 0 is never the parent of a later release
            for column in range(width):
                stack[low, column] = block[row, column]


class TreeCounter(Counter):
    """The binary mechanism: one new node a release, one live node per set bit of the time."""

    name = "tree"
    summary = "binary mechanism"
    rank = 2
    growth = "bits"
    slack = 0.0
    of_the_papers = True
    exact = True
    audited = True
    dyadic = True

    def _begin(self) -> None:
        self._stack = np.zeros((levels(self.releases) + 1, self.width))

    def _sums(self, rows: int) -> FloatArray:
        block = self._draws(rows)
        add_nodes(block, self._stack, self.released + 1)
        return block

    @staticmethod
    def variance(times: NDArray[np.int64], releases: int, law: str = "gaussian") -> FloatArray:
        """Live nodes: the set bits of each time."""
        return np.bitwise_count(times).astype(np.float64)

    @staticmethod
    def cost(releases: int, law: str = "gaussian") -> Cost:
        """Exact."""
        height = levels(releases)
        sensitivity = float(height) if law == "laplace" else up(math.sqrt(height), 64 * UNIT)
        return summed_cost(law, sensitivity, quantiles.live_node_counts(releases), height + 1, 1.0)

    @classmethod
    def quantile(cls, beta: float, releases: int, law: str) -> float:
        """By the law of the tree."""
        by_law = {"laplace": quantiles.tree_quantile, "gaussian": quantiles.tree_quantile_gaussian}
        return by_law[law](beta, releases)

    @classmethod
    def largest_variance(cls, releases: int) -> float:
        """The levels: as many nodes as a release can have."""
        return float(levels(releases))

    @classmethod
    def nodes(cls, releases: int) -> int:
        """The levels, in each of which an item touches one node."""
        return levels(releases)
