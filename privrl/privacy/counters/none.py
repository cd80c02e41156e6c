"""No noise: the zero stream."""

import numpy as np
from numpy.typing import NDArray

from privrl.privacy.counters.matrix import Cost
from privrl.privacy.counters.stream import Counter
from privrl.types import FloatArray


class NoneCounter(Counter):
    """No noise: the base agents run on exact sums."""

    name = "none"
    summary = "exact sums"
    rank = 0
    growth = "none"
    of_the_papers = True
    audited = False

    def _sums(self, rows: int) -> FloatArray:
        if self._buffer.shape[0] < rows:
            self._buffer = np.zeros((rows, self.width))
        return self._buffer[:rows]

    @staticmethod
    def cost(releases: int, law: str = "gaussian") -> Cost:
        """It gives no privacy at any price."""
        raise ValueError("counter must add noise to have a cost, got counter='none'")

    @staticmethod
    def variance(times: NDArray[np.int64], releases: int, law: str = "gaussian") -> FloatArray:
        """Zero."""
        return np.zeros(np.asarray(times).shape)

    @classmethod
    def largest_variance(cls, releases: int) -> float:
        """Zero."""
        return 0.0

    @classmethod
    def nodes(cls, releases: int) -> int:
        """One, of draws that are all zero."""
        return 1
