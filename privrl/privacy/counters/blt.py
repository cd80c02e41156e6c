"""Buffered linear Toeplitz noise (Dvijotham, McMahan, Pillutla, Steinke and Thakurta 2024): the
root in few rows.

C is the Toeplitz matrix of a rational function in place of (1 - x)^(-1/2), and B of what remains:

    c(x) = prod_j (1 - q_j x) / (1 - p_j x),  b(x) = 1 / ((1 - x) c(x)),  d factors, d "buffers".

With 1 > p_1 > q_1 > p_2 > q_2 > .. > 0 both have positive partial fractions: c_i is a sum of powers
of the p_j, and b_i = w_0 + w_1 q_1^i + .. + w_d q_d^i. So the noise is kept in d + 1 rows, each
multiplied by its q and increased by the draw, and all sums of squares are geometric: sensitivity
and every variance in closed form, without cancellation.

The points are not searched for. With x = 1 - y the function is wanted like y^(-1/2) for y in
[kappa, U], where kappa is some 1/R; Zolotarev's best relative approximation there has its poles and
zeros at

    y = -kappa U (sn/cn)^2(l K / (2d + 1)),  l = 1, 3, .. (poles) and 2, 4, .. (zeros),  modulus^2 =
    1 - kappa,

(elliptic functions), which gives p, q = 1 / (1 + |y|). With kappa = 2.7/R and U = 0.92 largest
variance times squared sensitivity lies within 0.1 % of the best that a search over all 2d points
finds (R = 10^2 .. 10^8, d as below), and its excess over the square root's falls like exp(-2 pi^2 d
/ ln(4/kappa)). By default d is the smallest with an excess of 1 % at most: 3 for 10^3 releases, 5
for 10^6.

Gaussian draws only, as for the square root.
"""

import functools
import math
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.special import ellipj, ellipkm1

from privrl.checks import count
from privrl.privacy.counters.matrix import MOST_RELEASES, Cost, group_times, grouped
from privrl.privacy.counters.stream import Counter
from privrl.privacy.counters.toeplitz import root_norm
from privrl.privacy.rounding import up
from privrl.types import FloatArray

MOST_BUFFERS = 16
NEAREST, FARTHEST = 2.7, 0.92  # kappa R and U
# doubles near one are not finer; the design is safe, and no longer best, beyond 10^14 releases
LEAST_KAPPA = 1e-14
EXCESS = 1.01


@njit(cache=True, nogil=True)
def _blt_rows(
    block: FloatArray,
    buffers: FloatArray,
    decays: FloatArray,
    weights: FloatArray,
    draw: FloatArray,
) -> None:
    """Draws to noise in place; ``buffers[j]`` is sum_i decays[j]^i z_(t - i), ``draw`` a row of
    scratch."""
    rows, width = block.shape
    for row in range(rows):
        weight = weights[0]
        for column in range(width):
            fresh = block[row, column]
            draw[column] = fresh
            carried = buffers[0, column] + fresh
            buffers[0, column] = carried
            block[row, column] = weight * carried
        for j in range(1, decays.shape[0]):
            decay, weight = decays[j], weights[j]
            for column in range(width):
                carried = decay * buffers[j, column] + draw[column]
                buffers[j, column] = carried
                block[row, column] += weight * carried


@dataclass(frozen=True, eq=False)
class Design:
    """Poles and zeros of c, and partial fractions; all numbers are the doubles that the stream runs
    on."""

    releases: int  #: R
    buffers: int  #: d
    poles: FloatArray  #: (d,), p_j
    zeros: FloatArray  #: (d,), q_j
    decays: FloatArray  #: (d + 1,): 1, q_1, .., q_d
    weights: FloatArray  #: (d + 1,); b_i is the sum of weights * decays^i
    shares: FloatArray  #: (d,); c_i is the sum of shares * poles^i for i >= 1

    def squared_norm(self) -> float:
        """c_0^2 + .. + c_(R-1)^2: c_0 = 1 and c_i = sum of shares p^i after it."""
        if self.releases == 1:
            return 1.0
        near = 1 - self.poles
        first = self.shares * self.poles
        return 1.0 + float(first @ _geometric(near, self.releases - 1.0) @ first)

    def variance(self, times: NDArray[np.int64]) -> FloatArray:
        """b_0^2 + .. + b_(t-1)^2 for each t in ``times``."""
        terms, near = np.asarray(times, dtype=np.float64), 1 - self.decays
        variance_ = self.weights[0] ** 2 * terms
        for j in range(1, near.size):
            for i in range(j + 1):
                closed = near[i] + near[j] * (1 - near[i])
                logarithm = math.log1p(-near[i]) + math.log1p(-near[j])
                share = (1 + (i < j)) * self.weights[i] * self.weights[j] / closed
                variance_ -= share * np.expm1(terms * logarithm)
        return np.asarray(variance_)

    def mean(self) -> float:
        """The same, on average over t = 1..R: b_i^2 is in R - i of them."""
        near, releases = 1 - self.decays, float(self.releases)
        closed = _distances(near)
        with np.errstate(divide="ignore", invalid="ignore"):
            inner = (releases - (1 - closed) * _geometric(near, releases)) / closed
        inner[0, 0] = releases * (releases + 1) / 2
        return float(self.weights @ inner @ self.weights) / releases


def _fractions(ends: FloatArray, zeros: FloatArray) -> FloatArray:
    """Partial fractions of prod (1 - (1 - z) x) / prod (1 - (1 - e) x) from the distances z, e to
    one."""
    fractions = []
    for j, end in enumerate(ends):
        others = np.delete(ends, j)
        above, below = (zeros - end) / (1 - end), (others - end) / (1 - end)
        fractions.append(math.prod(above.tolist()) / math.prod(below.tolist()))
    return np.array(fractions)


def _distances(near: FloatArray) -> FloatArray:
    """1 - p p' from 1 - p and 1 - p'."""
    return np.asarray(near[:, None] + near * (1 - near[:, None]))


def _geometric(near: FloatArray, terms: float) -> FloatArray:
    """Sum of (p p')^i over i < terms, for every pair."""
    logarithms = np.log1p(-near)
    closed = _distances(near)
    with np.errstate(divide="ignore", invalid="ignore"):
        sums = -np.expm1(terms * (logarithms[:, None] + logarithms)) / closed
    return np.asarray(np.where(closed > 0, sums, terms))


@functools.lru_cache(maxsize=256)
def _design(releases: int, buffers: int) -> Design:
    kappa = min(max(NEAREST / releases, LEAST_KAPPA), 0.5)
    steps = np.arange(1, 2 * buffers + 1) / (2 * buffers + 1)
    sine, cosine, _, _ = ellipj(steps * ellipkm1(kappa), 1 - kappa)
    # the same on every machine
    sizes = [float(f"{size:.10g}") for size in kappa * FARTHEST * (sine / cosine) ** 2]
    points = np.array([1 / (1 + size) for size in sizes])
    poles, zeros = points[::2], points[1::2]
    decays = np.append(1.0, zeros)
    # 1 - p is exact for a double p >= 1/2, and rounded once below
    counter_design = Design(
        releases,
        buffers,
        poles,
        zeros,
        decays,
        _fractions(1 - decays, 1 - poles),
        _fractions(1 - poles, 1 - zeros),
    )
    for numbers in (
        counter_design.poles,
        counter_design.zeros,
        counter_design.decays,
        counter_design.weights,
        counter_design.shares,
    ):
        numbers.setflags(write=False)
    return counter_design


def design(releases: int, buffers: int | None = None) -> Design:
    """The design for R releases with d buffers; by default as few as exceed the square root's
    product by 1 % at most.

    ``releases``, ``buffers`` : in 1..2^53 and in 1..16
    """
    releases = count("releases", releases, 1, MOST_RELEASES)
    if buffers is not None:
        return _design(releases, count("buffers", buffers, 1, MOST_BUFFERS))
    target = EXCESS * max(root_norm(releases), 1.0) ** 2
    least, best = math.inf, _design(releases, 1)
    for number in range(1, MOST_BUFFERS + 1):
        counter_design = _design(releases, number)
        product = counter_design.squared_norm() * float(
            counter_design.variance(np.array([releases]))[0]
        )
        if product < least:
            least, best = product, counter_design
        if product <= target:
            break
    return best


def noise_rows(draws: FloatArray, buffers: FloatArray, design: Design) -> None:
    """Draws (rows, W) to noise, B times them, in place; ``buffers`` (d + 1, W) go on, from 0."""
    _blt_rows(draws, buffers, design.decays, design.weights, np.empty(draws.shape[1]))


class BLTCounter(Counter):
    """d + 1 rows of memory, two multiplications and two additions for each of them a release."""

    name = "blt"
    summary = "buffered linear Toeplitz, near the root"
    rank = 7
    growth = "series"
    audited = True
    filtered = True
    laws = ("gaussian",)

    def __init__(
        self,
        width: int,
        releases: int,
        scale: float,
        rng: np.random.Generator,
        law: str = "gaussian",
        buffers: int | None = None,
    ) -> None:
        super().__init__(width, releases, scale, rng, law)
        self.design = design(self.releases, buffers)
        self._buffers = np.zeros((self.design.decays.size, self.width))
        self._draw = np.empty(self.width)

    def _sums(self, rows: int) -> FloatArray:
        block = self._draws(rows)
        _blt_rows(block, self._buffers, self.design.decays, self.design.weights, self._draw)
        return block

    @staticmethod
    def variance(times: NDArray[np.int64], releases: int, law: str = "gaussian") -> FloatArray:
        """Variance of each release in ``times``."""
        return design(releases).variance(times)

    @classmethod
    def series(cls, releases: int) -> tuple[FloatArray, FloatArray]:
        """The variance as constants and exponentials in t.

        Squares of b_i = sum of w q^i, each product of powers summed over i < t to
        (1 - (q q')^t)/(1 - q q'), and t for the buffer that forgets nothing (q = q' = 1).
        """
        counter_design = design(releases)
        near = 1 - counter_design.decays
        pairs = [(i, j) for j in range(1, near.size) for i in range(j + 1)]
        shares = [
            (1 + (i < j))
            * counter_design.weights[i]
            * counter_design.weights[j]
            / (near[i] + near[j] * (1 - near[i]))
            for i, j in pairs
        ]
        rates = [math.log1p(-near[i]) + math.log1p(-near[j]) for i, j in pairs]
        return np.array([counter_design.weights[0] ** 2, *shares]), np.array(rates)

    @staticmethod
    def cost(releases: int, law: str = "gaussian", buffers: int | None = None) -> Cost:
        """Closed forms, with a slack of 1e-12 for their rounding in what must not be too small."""
        counter_design = design(releases, buffers)
        times = group_times(counter_design.releases)
        variances, numbers = grouped(counter_design.variance(times), times)
        return Cost(
            "gaussian",
            up(math.sqrt(counter_design.squared_norm()), 1e-12),
            float(counter_design.variance(times[-1:])[0]),
            counter_design.mean(),
            variances,
            numbers,
            counter_design.decays.size,
            4.0 * counter_design.decays.size,
        )
