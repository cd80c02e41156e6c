"""The square-root factorisation (Fichtenberger, Henzinger and Upadhyay 2022): B = C = A^(1/2),
Toeplitz.

The coefficients of (1 - x)^(-1/2), f_0 = 1, f_k = f_(k-1) (2k - 1) / (2k), convolve with themselves
to ones. So release t has variance f_0^2 + .. + f_(t-1)^2, growing like ln(t) / pi, and the squared
sensitivity is its last value,

    s_R = sum of f_k^2 over k < R,    (ln(16 R) + gamma) / pi up to O(1/R).

Computed by convolution: chunks of 64 rows directly, and after 2^p chunks the last 2^p are carried
into the next 2^p by the Fourier transform. That takes O(log^2 R) steps a release but keeps all
draws, 2 R rows of memory: this is the reference; the streams of long runs are
:mod:`privrl.privacy.counters.blt`, which comes as near as asked with a few rows.

Gaussian draws only: a column of C is long in l1, about 2 sqrt(R / pi).
"""

import functools
import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from privrl.checks import count, require
from privrl.privacy.counters.matrix import Cost, group_times, grouped
from privrl.privacy.counters.stream import Counter
from privrl.privacy.rounding import up
from privrl.types import FloatArray

CHUNK = 64
MOST_TOEPLITZ_RELEASES = 2**24
MOST_DRAWS = 2**27  # a gigabyte of draws


@njit(cache=True, nogil=True)
def _convolve_rows(sums: FloatArray, draws: FloatArray, coefficients: FloatArray) -> None:
    """Add the convolution of a chunk of draws to its sums."""
    rows, width = draws.shape
    for row in range(rows):
        for source in range(row + 1):
            weight = coefficients[row - source]
            for column in range(width):
                sums[row, column] += weight * draws[source, column]


@functools.lru_cache(maxsize=4)
def _coefficients(number: int) -> FloatArray:
    """f_0 .. f_(number - 1)."""
    k = np.arange(1, number, dtype=np.float64)
    return np.cumprod(np.append(1.0, (2 * k - 1) / (2 * k)))


def root_norm(releases: float) -> float:
    """(ln(16 R) + gamma) / pi: s_R up to O(1/R)."""
    return (math.log(16 * releases) + float(np.euler_gamma)) / math.pi


class SqrtCounter(Counter):
    """Every draw is kept; releases * width at most 2^27."""

    name = "sqrt"
    summary = "square root of the matrix of ones"
    rank = 6
    growth = "fixed"  # like a logarithm, and it has no short form
    audited = True
    few_rows = False
    laws = ("gaussian",)

    def _begin(self) -> None:
        count("releases", self.releases, 1, MOST_TOEPLITZ_RELEASES)
        require(
            self.releases * self.width <= MOST_DRAWS,
            f"releases * width must be <= {MOST_DRAWS} for sqrt, "
            "which keeps every draw (blt keeps a few rows)",
            releases=self.releases,
            width=self.width,
        )
        padded = -(-self.releases // CHUNK) * CHUNK
        self._kept, self._made = np.zeros((padded, self.width)), np.zeros((padded, self.width))
        self._done = 0

    def _sums(self, rows: int) -> FloatArray:
        while self._done < self.released + rows:
            self._extend()
        return self._made[self.released : self.released + rows].copy()

    def _extend(self) -> None:
        """One chunk more: its draws, their own convolution, and what the draws so far carry into
        later chunks."""
        start, stop = self._done, min(self._done + CHUNK, self.releases)
        self._kept[start:stop] = self._draws(stop - start)
        _convolve_rows(self._made[start:stop], self._kept[start:stop], _coefficients(CHUNK))
        self._done = stop
        chunks = start // CHUNK + 1
        span = (chunks & -chunks) * CHUNK
        if stop < self.releases:
            kernel = np.fft.rfft(_coefficients(2 * span))[:, None]
            carried = np.fft.rfft(self._kept[stop - span : stop], n=2 * span, axis=0)
            carried *= kernel
            target = self._made[stop : stop + span]
            target += np.fft.irfft(carried, n=2 * span, axis=0)[span : span + target.shape[0]]

    @classmethod
    def most_releases(cls, width: int) -> int:
        """Every draw is kept."""
        return min(MOST_TOEPLITZ_RELEASES, MOST_DRAWS // width)

    @staticmethod
    def variance(times: NDArray[np.int64], releases: int, law: str = "gaussian") -> FloatArray:
        """s_t for each t in ``times``."""
        return np.cumsum(
            _coefficients(count("releases", releases, 1, MOST_TOEPLITZ_RELEASES)) ** 2
        )[np.asarray(times) - 1]

    @staticmethod
    def cost(releases: int, law: str = "gaussian") -> Cost:
        """Exact."""
        releases = count("releases", releases, 1, MOST_TOEPLITZ_RELEASES)
        each = np.cumsum(_coefficients(releases) ** 2)
        times = group_times(releases)
        variances, numbers = grouped(each[times - 1], times)
        padded = -(-releases // CHUNK) * CHUNK
        return Cost(
            "gaussian",
            up(math.sqrt(float(each[-1])), 1e-12),
            float(each[-1]),
            float(each.mean()),
            variances,
            numbers,
            2 * padded,
            CHUNK + 5 * math.log2(2 * releases) ** 2,
        )
