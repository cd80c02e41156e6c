"""What a counter costs: its factorisation, how far one user moves its draws, and the variance of
every release.

A counter releases A x + B z: x the contributions (one row per episode), A the lower-triangular
matrix of ones, z its draws. With A = B C this is B (C x + z), and a user at time t moves draw r by
C[r, t] times the own change. Most counters take one fresh draw a release; then B is lower
triangular and C = B^-1 A.

**Sensitivity.** The largest l2 norm of a column of C for Gaussian draws (l1 for Laplace draws): a
user whose contribution changes by 1 moves the draws by at most that much, so that the privacy is
that of one Gaussian release with mu = sensitivity * change / scale (of one Laplace release with
epsilon = sensitivity * change / scale). For Gaussian draws and square B it depends on the
covariance B B' of the noise alone.

**Adaptive inputs.** Contributions may depend on earlier releases, at no cost, for every B and C
with A = B C. Let the user at time t change by d, which may depend on the releases before t. The run
with draws z and the changed run with draws z - C[:, t] d release the same: before t, since (B C)[s,
t] = 0 for s < t, and from t on, since later contributions are the same functions of the same
releases. As d does not change along C[:, t], the map of the draws is one to one and keeps volumes.
So Laplace densities differ by a factor of at most exp(||C[:, t]||_1 |d| / scale); and the log-ratio
of Gaussian densities is C[:, t]' z d / scale^2 plus a constant, where C[:, t]' z is independent of
what was released before t, with which it is uncorrelated: given the past it is that of one Gaussian
release. (Denisov, McMahan, Rush, Smith and Guha Thakurta 2022, theorem 2.1, for Gaussian noise.)

**Lower bound.** For every B, C with A = B C, mean variance and largest squared column are at least
||B||_F^2 / R and
||C||_F^2 / R, and ||A||_* <= ||B||_F ||C||_F; so (||A||_* / R)^2 bounds largest and mean variance
of every counter with Gaussian noise at unit sensitivity from below.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, erfc

from privrl.checks import count, positive, probability, require
from privrl.privacy.quantiles import SMALLEST_BETA, invert, laplace_sum_tail
from privrl.privacy.rounding import UNIT, up
from privrl.types import FloatArray

# what the closed forms of variances may lack in rounding, relative; seen: 1e-14
VARIANCE_SLACK = 1e-12
MOST_RELEASES = 2**53  # as many as episodes
SUMMED = 2**20  # singular values that are added one by one


@dataclass(frozen=True, eq=False)
class Cost:
    """What a counter costs that serves a number of releases."""

    law: str  #: of the draws, ``laplace`` or ``gaussian``
    #: largest l2 (Laplace: l1) change of the draws by a unit change of one user, rounded up
    sensitivity: float
    largest: float  #: variance of a release over that of a draw, the largest
    mean: float  #: and on average over the releases
    variances: FloatArray  #: (G,); at most `numbers` releases have at most this variance
    numbers: NDArray[np.float64]  #: (G,), all releases together
    memory: int  #: rows of numbers that a stream keeps between two releases
    steps: float  #: multiplications and additions per sum and release, beside the drawing

    @property
    def product(self) -> float:
        """Largest variance of a release over that of one Gaussian release with the same privacy:
        times 1/(2 rho)."""
        return self.sensitivity**2 * self.largest

    @property
    def average(self) -> float:
        """The same of the mean variance."""
        return self.sensitivity**2 * self.mean


def grouped(
    variances: FloatArray, times: NDArray[np.int64]
) -> tuple[FloatArray, NDArray[np.float64]]:
    """Groups for a variance that grows with time: releases between two of ``times`` count as the
    later one."""
    return np.asarray(variances) * (1 + VARIANCE_SLACK), np.diff(times, prepend=0).astype(
        np.float64
    )


def group_times(releases: int) -> NDArray[np.int64]:
    """Times that end the groups, 64 in each power of two."""
    steps = np.geomspace(1, releases, 64 * releases.bit_length())
    return np.unique(np.append(np.ceil(steps).astype(np.int64), releases).clip(1, releases))


def union_quantile(cost: Cost, beta: float) -> float:
    """An x with P(some release beyond x) <= beta in units of the scale of a draw, certified, five
    digits.

    By the union over the releases, each with its own law. Neighbouring releases share most of their
    noise, and yet little is lost: at levels of interest they seldom fail together.
    """
    beta = probability("beta", beta)
    require(beta >= SMALLEST_BETA, f"beta must be >= {SMALLEST_BETA}", beta=beta)
    if cost.law == "gaussian":
        deviations = np.sqrt(cost.variances)

        def tail(x: float) -> float:
            return min(1.0, float(cost.numbers @ erfc(x / deviations / math.sqrt(2))) * (1 + 1e-9))

    else:
        terms = [round(float(value)) for value in cost.variances]

        def tail(x: float) -> float:
            each = [
                number * laplace_sum_tail(x, live)
                for number, live in zip(cost.numbers, terms, strict=True)
            ]
            return min(1.0, math.fsum(each) * (1 + 1e-12))

    logarithm = math.log(2 * float(cost.numbers.sum())) - math.log(beta)
    return invert(tail, beta, 2 * math.sqrt(2 * cost.largest * logarithm) + logarithm)


def lower_bound(releases: int) -> float:
    """(||A||_* / R)^2, rounded down: no Gaussian noise has less variance, largest or mean, at unit
    sensitivity.

    The singular values of A are 1 / (2 sin x_j), x_j = (2j - 1) pi / (4R + 2), j = 1..R: (A' A)^-1
    is tridiagonal. For many releases the sum of 1/x_j is a digamma value, and that of 1/sin x - 1/x
    is its integral but for a term in the width squared: the function is convex, and its slope grows
    from 1/6 to 4/pi^2.
    """
    releases = count("releases", releases, 1, MOST_RELEASES)
    cell = math.pi / (2 * releases + 1)
    if releases <= SUMMED:
        values = 1 / np.sin((np.arange(releases) + 0.5) * cell)
        total = math.fsum(values) / 2
    else:
        end = releases * cell
        smooth = math.log(math.tan(end / 2) / end) + math.log(2)
        reciprocal = float(digamma(releases + 0.5)) + np.euler_gamma + math.log(4)
        total = (reciprocal + smooth - cell**2 / 48) / (2 * cell)
    return (total / releases) ** 2 * (1 - 1e-12)


def summed_cost(
    law: str, sensitivity: float, live: Sequence[int], memory: int, steps: float
) -> Cost:
    """That of a counter of whose releases ``found[j]`` are sums of j draws."""
    numbers = np.array(live, dtype=np.float64)
    terms = np.flatnonzero(numbers).astype(np.float64)
    numbers = numbers[numbers > 0]
    mean = float(numbers @ terms) / sum(live)
    return Cost(law, sensitivity, float(terms.max()), mean, terms, numbers, memory, steps)


def root_mean(cost: Cost) -> float:
    """Standard deviation of the noisiest release at unit change and unit privacy (mu = 1; Laplace:
    epsilon = 1)."""
    single = 2.0 if cost.law == "laplace" else 1.0
    return up(
        positive("sensitivity", cost.sensitivity) * math.sqrt(single * cost.largest), 64 * UNIT
    )
