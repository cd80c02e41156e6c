"""Own noise: every user adds fresh noise to the own contribution, a random walk for the sums."""

from typing import ClassVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from privrl.privacy import quantiles
from privrl.privacy.counters.matrix import Cost, group_times, grouped
from privrl.privacy.counters.stream import Counter
from privrl.privacy.trust import Trust
from privrl.types import FloatArray


@njit(cache=True, nogil=True)
def _walk_rows(block: FloatArray, last: FloatArray) -> None:
    """Fresh draws to their running sums, in place."""
    rows, width = block.shape
    for row in range(rows):
        for column in range(width):
            last[column] += block[row, column]
            block[row, column] = last[column]


class LocalCounter(Counter):
    """A random walk: the noise that every user has added so far."""

    name = "local"
    summary = "random walk: every user's own noise"
    rank = 1
    growth = "each"
    trust: ClassVar[Trust] = "none"
    each_user = True
    slack = 0.0
    of_the_papers = True
    exact = True
    audited = True

    def _begin(self) -> None:
        self._last = np.zeros(self.width)

    def _sums(self, rows: int) -> FloatArray:
        block = self._draws(rows)
        _walk_rows(block, self._last)
        return block

    @staticmethod
    def variance(times: NDArray[np.int64], releases: int, law: str = "gaussian") -> FloatArray:
        """As many draws as releases."""
        return np.asarray(times).astype(np.float64)

    @staticmethod
    def cost(releases: int, law: str = "gaussian") -> Cost:
        """Exact but for the groups, which count releases of nearly the same time as the last of
        them."""
        times = group_times(releases)
        variances, numbers = grouped(times.astype(np.float64), times)
        return Cost(
            law,
            1.0,
            float(releases),
            (releases + 1) / 2,
            np.round(variances) if law == "laplace" else variances,
            numbers,
            1,
            1.0,
        )

    @classmethod
    def nodes(cls, releases: int) -> int:
        """The own one."""
        return 1

    @classmethod
    def quantile(cls, beta: float, releases: int, law: str) -> float:
        """By the law of the walk."""
        by_law = {
            "laplace": quantiles.local_quantile,
            "gaussian": quantiles.local_quantile_gaussian,
        }
        return by_law[law](beta, releases)
