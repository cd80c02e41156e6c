"""What a mechanism costs: exact privacy curves, conversions and compositions, each rounded towards
safety.

Epsilon, delta and noise are rounded up, the admissible mu down, by more than the rounding errors of
the formulas can amount to. mu is the l2 sensitivity of a Gaussian release in units of its standard
deviation.

The curve of the Gaussian mechanism (Balle and Wang 2018, theorem 8; Dong, Roth and Su 2022,
corollary 2.13):

    delta(epsilon; mu) = Phi(-a) - e^epsilon Phi(-b), a = epsilon/mu - mu/2, b = epsilon/mu + mu/2.

Since e^epsilon phi(b) = phi(a), this is phi(a) (R(a) - R(b)) with R = (1 - Phi)/phi, the ratio of
Mills: no overflow. Where R(a) and R(b) are close the difference is the integral of -R'(z) = 1 - z
R(z) over [a, b]: no cancellation.

>>> round(gaussian_epsilon(1e-5, 0.25), 6)
0.926342
"""

import functools
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erfc, erfcx

from privrl.checks import positive, probability, real, require
from privrl.privacy.levels import levels
from privrl.privacy.rounding import UNIT, up
from privrl.types import FloatArray

LEAST_DELTA = 1e-290  # deltas below are reported as this one
FRACTION_DEPTH = 64  # of the continued fraction of Mills' ratio, used beyond FRACTION_FROM
FRACTION_FROM = 3.0
# Gauss-Legendre of ten points, right to 1.4e-15: written down, since numpy asks LAPACK for them,
# whose last bits depend on the processor
_HALF = (
    0.14887433898163122,
    0.4333953941292472,
    0.6794095682990244,
    0.8650633666889845,
    0.9739065285171717,
)
_HALF_WEIGHTS = (
    0.2955242247147528,
    0.2692667193099965,
    0.219086362515982,
    0.1494513491505804,
    0.06667134430868814,
)
NODES = np.array([*(-node for node in reversed(_HALF)), *_HALF])
WEIGHTS = np.array([*reversed(_HALF_WEIGHTS), *_HALF_WEIGHTS])


def laplace_family_epsilon(scale: float, l1_sensitivity: float, releases: int) -> float:
    """Exact pure-DP loss of a family of trees with Laplace(scale) nodes, rounded up.

    Parameters
    ----------
    scale : Laplace scale of a node, in the units of the data
    l1_sensitivity : largest total l1 change that one user makes in the family's streams, all in one
        time step
    releases : prefix sums released by every tree of the family

    The node that a release adds is the release minus an earlier one, so the releases are as good as
    the nodes, and a user at time 1 changes one node per level: levels * l1_sensitivity / scale is
    attained.
    """
    scale, change = positive("scale", scale), positive("l1_sensitivity", l1_sensitivity)
    return up(levels(releases) * change / scale)


def laplace_family_scale(epsilon: float, l1_sensitivity: float, releases: int) -> float:
    """Smallest Laplace scale of a node for which :func:`laplace_family_epsilon` is at most epsilon,
    rounded up."""
    epsilon, change = positive("epsilon", epsilon), positive("l1_sensitivity", l1_sensitivity)
    return up(levels(releases) * change / epsilon, 4 * UNIT)


def gaussian_curve(epsilon: ArrayLike, mu: ArrayLike) -> FloatArray:
    """:func:`gaussian_delta` on arrays that broadcast; the arguments are not checked."""
    epsilon, mu = np.broadcast_arrays(
        np.asarray(epsilon, dtype=np.float64), np.asarray(mu, dtype=np.float64)
    )
    with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
        quotient = epsilon / mu
        # beyond 40 the curve is below the least delta anyhow
        a = np.minimum(quotient - mu / 2, 1e3)
        b = np.minimum(quotient + mu / 2, 1e300)
        density = np.exp(-a * a / 2) / math.sqrt(2 * math.pi)
        upper_tail = erfc(a / math.sqrt(2)) / 2
        right = density * _mills(b)
        z = a[..., None] + mu[..., None] * ((NODES + 1) / 2)
        integral = density * mu * _mean(_mills_slope(np.clip(z, -40.0, 1e3)))
        value = np.where(right > 0.9 * upper_tail, integral, upper_tail - right)
        # a inherits UNIT * (quotient + |a|), which moves the curve by a factor of 1 + max(a, 0) at
        # most
        slack = UNIT * (
            512 + 4 * (1 + np.maximum(a, 0)) * (np.minimum(quotient, 1e200) + np.abs(a))
        )
        value = np.where(a >= 40, 0.0, value * (1 + slack))
    return np.asarray(np.clip(value, LEAST_DELTA, 1.0))


def gaussian_delta(epsilon: float, mu: float) -> float:
    """Exact delta(epsilon; mu) of a Gaussian release, rounded up; never below 1e-290. epsilon >= 0,
    mu > 0."""
    return float(gaussian_curve(_nonnegative("epsilon", epsilon), positive("mu", mu)))


def gaussian_epsilon(delta: float, mu: float) -> float:
    """Smallest epsilon >= 0 with delta(epsilon; mu) <= delta, rounded up; infinite for delta =
    0."""
    delta, mu = probability("delta", delta, zero=True), positive("mu", mu)
    require(mu <= 1e150, "mu must be <= 1e150", mu=mu)
    if delta <= 2 * LEAST_DELTA:
        return math.inf
    if gaussian_delta(0.0, mu) <= delta:
        return 0.0
    high = mu * (mu / 2 + 1)
    while gaussian_curve(high, mu) > delta:
        high *= 2
    return _safe(lambda epsilon: gaussian_curve(epsilon, mu), delta, 0.0, high, outward=1)


def gaussian_mu(epsilon: float, delta: float) -> float:
    """Largest mu whose Gaussian release is (epsilon, delta)-DP, rounded down: noise sigma =
    sensitivity / mu.

    ``epsilon`` : >= 0; ``delta`` : in [1e-280, 1)
    """
    return _gaussian_mu(_nonnegative("epsilon", epsilon), _delta(delta))


@functools.lru_cache(maxsize=4096)  # a horizon asks for the same pair at every number of episodes
def _gaussian_mu(epsilon: float, delta: float) -> float:
    low = high = 1.0
    while gaussian_curve(epsilon, low) > delta:
        low /= 4
    while gaussian_curve(epsilon, high) <= delta:
        high *= 4
    return _safe(lambda mu: gaussian_curve(epsilon, mu), delta, high, low, outward=-1)


def bun_steinke_epsilon(rho: float, delta: float) -> float:
    """rho + 2 sqrt(rho ln(1/delta)), rounded up (Bun and Steinke 2016, proposition 1.3): the
    papers' conversion."""
    rho, delta = positive("rho", rho), _delta(delta)
    return up(rho + 2 * math.sqrt(rho * -math.log(delta)), 16 * UNIT)


def optimal_zcdp_epsilon(rho: float, delta: float) -> float:
    """Best epsilon of rho-zCDP at delta by Renyi orders, rounded up (Canonne, Kamath and Steinke
    2020, corollary 13).

    The least over alpha = 1 + s > 1 of alpha rho + ln(1 - 1/alpha) + (ln(1/delta) - ln alpha) / s;
    every s is safe, and the derivative vanishes once, where rho s^2 + ln(1 + s) = ln(1/delta).
    """
    rho, logarithm = positive("rho", rho), -math.log(_delta(delta))

    def excess(power: float) -> float:
        return rho * math.exp(2 * power) + math.log1p(math.exp(power)) - logarithm

    high = min((math.log(logarithm) - math.log(rho)) / 2, math.log(math.expm1(logarithm)))
    s = math.exp(_root(excess, high - 1, high))
    terms = ((1 + s) * rho, -math.log1p(1 / s), logarithm / s, -math.log1p(s) / s)
    return max(0.0, math.fsum(terms) + 16 * UNIT * sum(map(abs, terms)))


def _nonnegative(name: str, value: float) -> float:
    number = real(name, value)
    require(
        math.isfinite(number) and number >= 0, f"{name} must be >= 0 and finite", **{name: value}
    )
    return number


def _delta(delta: float) -> float:
    number = probability("delta", delta)
    require(number >= 1e-280, "delta must be >= 1e-280", delta=delta)
    return number


def _mean(heights: FloatArray) -> FloatArray:
    """Mean over an interval, of heights (.., 10) at the nodes, in one order on every processor.

    BLAS adds in another order, or without rounding the products, on another one.
    """
    total = heights[..., 0] * (WEIGHTS[0] / 2)
    for node in range(1, NODES.size):
        total = total + heights[..., node] * (WEIGHTS[node] / 2)
    return np.asarray(total)


def _mills(z: FloatArray) -> FloatArray:
    """R(z) = (1 - Phi(z)) / phi(z)."""
    return np.asarray(math.sqrt(math.pi / 2) * erfcx(z / math.sqrt(2)))


def _mills_slope(z: FloatArray) -> FloatArray:
    """-R'(z) = 1 - z R(z) > 0; for large z by R = 1 / (z + c), c = 1 / (z + 2 / (z + 3 / ..)),
    where it is R c."""
    far = np.maximum(z, FRACTION_FROM)
    rest = far.copy()
    for depth in range(FRACTION_DEPTH, 1, -1):
        rest = far + depth / rest
    tail = 1 / rest
    return np.asarray(
        np.where(
            z > FRACTION_FROM, tail / (far + tail), 1 - z * _mills(np.minimum(z, FRACTION_FROM))
        )
    )


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """A zero near which the function changes sign, from a guess that is widened until it does."""
    from scipy.optimize import brentq  # slow to import, and not every process needs it

    step = 1.0
    while function(low) * function(high) > 0:
        low, high, step = low - step, high + step / 8, 2 * step
    return float(brentq(function, low, high, xtol=1e-14, rtol=4 * np.finfo(float).eps, maxiter=500))


def _safe(
    curve: Callable[[float], FloatArray], delta: float, unsafe: float, safe: float, outward: int
) -> float:
    """The argument nearest to where the rounded-up ``curve`` meets delta, on the side where curve
    <= delta."""
    from scipy.optimize import brentq  # slow to import, and not every process needs it

    def excess(x: float) -> float:
        return float(np.log(curve(x))) - math.log(delta)

    root = float(
        brentq(excess, unsafe, safe, xtol=1e-300, rtol=4 * np.finfo(float).eps, maxiter=500)
    )
    step = math.ulp(root)
    while curve(root) > delta:
        root, step = root + outward * step, 2 * step
    return root
