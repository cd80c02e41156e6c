r"""The upper tail of a chi-square variable, and the norms of Gaussian vectors that the papers draw
from it.

Source: chowdhury2021/lemma-13 (printed twice, also as lemma-5) and zhou2022/lemma-B.5, both after
Laurent and Massart: for U chi-square with D degrees of freedom and every x > 0,

    P(U >= D + 2 sqrt(D x) + 2 x) <= exp(-x).

Proof: Chernoff at lambda = s/(1 + 2s), s = sqrt(x/D), with -lambda - ln(1 - 2 lambda)/2 <=
lambda^2/(1 - 2 lambda) term by term (:func:`series_ratio`), makes the exponent -D s^2 = -x
(:func:`exponent_identity`). Neither constant can be lowered: :func:`tail_ball` exhibits (D, x) at
which the neighbours fail.

The bounds that the papers draw from it for the norm of a Gaussian vector are those of
:class:`NormBounds`.
"""

import math
from typing import NamedTuple

import sympy as sp
from flint import arb

from privrl.checks import count, positive, real, require
from theory.rigor.balls import precision


def quantile_bound(freedom: float, x: float, *, root: float = 2.0, linear: float = 2.0) -> float:
    """``D + root sqrt(D x) + linear x``: the printed threshold, or with another constant a
    neighbour."""
    freedom, x = positive("freedom", freedom), real("x", x)
    require(x >= 0, "x must be >= 0", x=x)
    return freedom + root * math.sqrt(freedom * x) + linear * x


def survival(freedom: float, threshold: float) -> float:
    """P(U >= threshold), the regularised upper incomplete gamma function, evaluated with 106 bits
    and rounded once."""
    return float(survival_ball(freedom, threshold))


def survival_ball(freedom: float | arb, threshold: float | arb, *, bits: int = 106) -> arb:
    """P(U >= threshold) as a ball: Gamma(D/2, threshold/2) / Gamma(D/2)."""
    with precision(bits):
        # python-flint: z.gamma_upper(s) is Gamma(s, z), the argument before the order
        return (arb(threshold) / 2).gamma_upper(arb(freedom) / 2, regularized=1)


def chernoff(freedom: float, threshold: float) -> float:
    """ln of the best Chernoff bound on P(U >= threshold): 0 below the mean, -(u - D - D ln(u/D))/2
    above it."""
    freedom, threshold = positive("freedom", freedom), real("threshold", threshold)
    if threshold <= freedom:
        return 0.0
    excess = threshold / freedom - 1
    return -freedom * (excess - math.log1p(excess)) / 2


def series_ratio() -> sp.Expr:
    """2/k: the coefficient of lambda^k in -lambda - ln(1-2 lambda)/2 over that in lambda^2/(1-2
    lambda), k >= 2.

    The left side vanishes at 0 and has the derivative 2 lambda/(1 - 2 lambda), a geometric series
    with the coefficient 2^(k-1) of lambda^(k-1); integration divides it by k. The right side has
    the coefficient 2^(k-2).
    """
    k, lam = sp.Symbol("k", integer=True, positive=True), sp.Symbol("lambda")
    left_side, geometric = -lam - sp.log(1 - 2 * lam) / 2, 1 / (1 - 2 * lam)
    require(left_side.subs(lam, 0) == 0, "the left side must vanish at 0")
    slope = sp.simplify(sp.diff(left_side, lam) - 2 * lam * geometric)
    require(slope == 0, "the derivative must be 2 lambda/(1 - 2 lambda)", defect=slope)
    return sp.simplify((2 ** (k - 1) / k) / 2 ** (k - 2))


def coefficients_ordered(factor: sp.Expr | int = 1, order: int = 24) -> bool:
    """Whether -lambda - ln(1-2 lambda)/2 <= factor * lambda^2/(1-2 lambda) term by term: for all k
    >= 2, as the ratio 2/k of :func:`series_ratio` falls, and once more by expanding both sides to
    ``order``."""
    k = sp.Symbol("k", integer=True, positive=True)
    ratio = series_ratio()
    decreasing = sp.simplify(sp.diff(ratio, k)).is_negative is True
    for_all = bool(ratio.subs(k, 2) <= factor)
    lam = sp.Symbol("lambda")
    left_side = sp.series(-lam - sp.log(1 - 2 * lam) / 2, lam, 0, order).removeO()
    right = sp.series(factor * lam**2 / (1 - 2 * lam), lam, 0, order).removeO()
    difference = sp.Poly(sp.expand(right - left_side), lam)
    return (
        decreasing and for_all and all(coefficient >= 0 for coefficient in difference.all_coeffs())
    )


def exponent_identity(root: sp.Expr | int = 2, linear: sp.Expr | int = 2) -> sp.Expr:
    """The exponent over D at lambda = s/(1+2s), plus s^2: zero for the printed constants, positive
    for smaller ones, where the proof gives less than exp(-x)."""
    s = sp.Symbol("s", positive=True)
    lam = s / (1 + 2 * s)
    return sp.simplify(lam**2 / (1 - 2 * lam) - lam * (root * s + linear * s**2) + s**2)


def tail_ball(
    freedom: float, x: float, *, root: float = 2.0, linear: float = 2.0, bits: int = 106
) -> arb:
    """P(U >= D + root sqrt(D x) + linear x) * exp(x) as a ball; the lemma says that it is at most
    1."""
    with precision(bits):
        big, point = arb(freedom), arb(x)
        threshold = big + arb(root) * (big * point).sqrt() + arb(linear) * point
        return survival_ball(big, threshold, bits=bits) * point.exp()


def certified_up_to(
    freedom: int, end: float, *, root: float = 2.0, linear: float = 2.0, steps: int = 2000
) -> float:
    """The largest x, at most ``end``, reached by a march that certifies the lemma on [0, x], each
    step by balls.

    On [a, b] the tail at the threshold of x is at most the tail at the threshold of a, and exp(-x)
    >= exp(-b). So the lemma holds on [a, b] for b = -ln P(a), rounded down; the march goes on from
    b, and stops where it cannot move.
    """
    reached = 0.0
    for _ in range(steps):
        if reached >= end:
            return end
        threshold = (
            arb(freedom)
            + arb(root) * (arb(freedom) * arb(reached)).sqrt()
            + arb(linear) * arb(reached)
        )
        step = float((-survival_ball(freedom, threshold).log()).lower())
        step -= 1e-12 * max(1.0, step)  # the conversion to float may round up
        if step <= reached:
            return reached
        reached = step
    return min(reached, end)


class NormBounds(NamedTuple):
    """Bounds on ||g|| for g of D independent N(0, sigma^2), each exceeded with probability at most
    exp(-x)."""

    sharp: float  #: sigma sqrt(D + 2 sqrt(D x) + 2x)
    triangle: float  #: sigma (sqrt(D) + sqrt(2x)), zhou2022/theorem-6.5
    doubled: float  #: sigma (sqrt(2D) + sqrt(4x)), chowdhury2021/theorem-3
    lipschitz: float  #: sigma (E||g||/sigma + sqrt(2x)), Gaussian concentration


def norm_bounds(dimension: int, x: float, sigma: float = 1.0) -> NormBounds:
    """The four bounds of :class:`NormBounds`; E||g|| = sqrt(2) Gamma((D+1)/2)/Gamma(D/2)."""
    dimension, sigma = count("dimension", dimension), positive("sigma", sigma)
    mean = math.sqrt(2) * math.exp(math.lgamma((dimension + 1) / 2) - math.lgamma(dimension / 2))
    return NormBounds(
        sharp=sigma * math.sqrt(quantile_bound(dimension, x)),
        triangle=sigma * (math.sqrt(dimension) + math.sqrt(2 * x)),
        doubled=sigma * (math.sqrt(2 * dimension) + math.sqrt(4 * x)),
        lipschitz=sigma * (mean + math.sqrt(2 * x)),
    )


def norm_steps() -> dict[str, sp.Expr]:
    """The squares of the norm bounds minus the next smaller one, in symbols D, x > 0; each is
    manifestly >= 0."""
    freedom, x = sp.symbols("D x", positive=True)
    sharp = freedom + 2 * sp.sqrt(freedom * x) + 2 * x
    triangle = (sp.sqrt(freedom) + sp.sqrt(2 * x)) ** 2
    doubled = (sp.sqrt(2 * freedom) + sp.sqrt(4 * x)) ** 2
    return {
        "triangle - sharp": sp.simplify(sp.expand(triangle - sharp)),
        "doubled - triangle": sp.factor(sp.expand(doubled - triangle)),
        "doubled / triangle": sp.simplify(
            sp.sqrt(sp.simplify(sp.expand(doubled) / sp.expand(triangle)))
        ),
    }
