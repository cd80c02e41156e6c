r"""The Gaussian mechanism: its exact curve, the classical calibration, and one shape that all
papers' theorems share.

Adding N(0, sigma^2 I) to a query of l2 sensitivity Delta gives (epsilon, delta)-DP exactly when
delta >= curve(epsilon; mu) with mu = Delta/sigma (Balle and Wang 2018); by rotation only the
direction of the difference matters, so one dimension suffices:

    curve(epsilon; mu) = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu).

Source liao2021/lemma-3.8: for 0 < epsilon < 1 and c^2 > 2 ln(1.25/delta), sigma >= c Delta/epsilon
gives (epsilon, delta)-DP.

The shape. In that lemma, and in the privacy theorems of chowdhury2021 and zhou2022, mu = epsilon/c
and the delta aimed at is A exp(-B c^2). So everything rests on

    g(c, epsilon) = curve(epsilon; epsilon/c) = Phi(a - c) - e^{2ac} Phi(-a - c), a = epsilon/(2c),

and on three facts, each checked by a function of this file; M(x) = (1 - Phi(x))/phi(x) is Mills'
ratio.

1. For fixed c, g increases in epsilon: as e^{2ac} phi(a + c) = phi(a - c), dg/da = 2 phi(a - c) (1
   - c M(a + c)), and x M(x) < 1 for x > 0 (:func:`derivative_identity`, :func:`mills_below`). So a
   calibration that works at one epsilon works at all smaller ones with the same c, and a box of
   epsilons is decided at its upper end.
2. By the same identity g(c, epsilon) = phi(c - a) (M(c - a) - M(c + a)), and phi(c - a) = e^{-c^2/2
   + epsilon/2 - a^2/2}/sqrt(2 pi).
3. M decreases from sqrt(pi/2) at 0. So for c >= a:  g(c, epsilon) e^{c^2/2} <= e^{epsilon/2} M(c -
   a)/sqrt(2 pi) <= e^{epsilon/2}/2.

Proof of the lemma for every delta in (0, 1): by 1 take epsilon = 1; the aim is 1.25 e^{-c^2/2}. If
c >= sqrt(1/2) then c >= a and fact 3 gives e^{1/2}/2 = 0.824... < 1.25. Else c > sqrt(2 ln 1.25) =
0.668... and g <= Phi(a - c) <= Phi(0.081) < 0.54 while 1.25 e^{-c^2/2} >= 1.25 e^{-1/4} > 0.97. So
1.25 is generous; :func:`least_constant` is the best one.

Adaptivity, of data that depend on earlier releases: :func:`adaptive_loss`, and the proof in
chowdhury2021's proofs.md.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import mpmath as mp
import numpy as np
import sympy as sp
from flint import arb

from privrl.checks import positive, probability, require
from privrl.privacy import accounting
from theory.rigor.balls import above, precision

BITS = 160


def classical_sigma(
    epsilon: float, delta: float, sensitivity: float = 1.0, *, constant: float = 1.25
) -> float:
    """sqrt(2 ln(constant/delta)) sensitivity / epsilon, the infimum of the sigmas that
    liao2021/lemma-3.8 allows."""
    root = math.sqrt(2 * math.log(constant / probability("delta", delta)))
    return root * positive("sensitivity", sensitivity) / positive("epsilon", epsilon)


def curve(epsilon: float | mp.mpf, mu: float | mp.mpf, *, digits: int = 50) -> mp.mpf:
    """The exact delta at ``epsilon`` >= 0, ``mu`` >= 0, to about ``digits`` digits minus the
    cancelled ones."""
    with mp.workdps(digits):
        epsilon, mu = mp.mpf(epsilon), mp.mpf(mu)
        require(
            bool(epsilon >= 0 and mu >= 0),
            "epsilon and mu must be >= 0",
            epsilon=float(epsilon),
            mu=float(mu),
        )
        if mu == 0:
            return mp.mpf(0)
        return mp.ncdf(mu / 2 - epsilon / mu) - mp.exp(epsilon) * mp.ncdf(-mu / 2 - epsilon / mu)


def upper_normal(x: arb) -> arb:
    """1 - Phi(x) for a ball."""
    return (x / arb(2).sqrt()).erfc() / 2


def _mills(x: arb) -> arb:
    """Mills' ratio (1 - Phi(x))/phi(x) for a ball; the two ends are enough, because it
    decreases."""

    def at(point: arb) -> arb:
        return (arb.pi() / 2).sqrt() * (point * point / 2).exp() * (point / arb(2).sqrt()).erfc()

    return at(arb(x.lower())).union(at(arb(x.upper())))


def curve_ball(epsilon: arb, mu: arb, *, bits: int = BITS) -> arb:
    """The exact curve as a ball."""
    with precision(bits):
        return upper_normal(epsilon / mu - mu / 2) - epsilon.exp() * upper_normal(
            epsilon / mu + mu / 2
        )


class Aim(NamedTuple):
    """A Gaussian release whose change over deviation is ``mu``, and the (epsilon, delta) that are
    tried; balls."""

    epsilon: arb
    delta: arb
    mu: arb

    @property
    def spent(self) -> arb:
        """The delta that the release really gives at epsilon."""
        return curve_ball(self.epsilon, self.mu)


def leaks(aim: Aim) -> bool:
    """Whether the release is certified to exceed its delta."""
    return bool(aim.spent > aim.delta)


def calibrated(points: float, epsilons: int, deltas: Sequence[float]) -> bool:
    """Whether curve(epsilon; mu) <= delta by balls at mu = gaussian_mu(epsilon, delta) *
    ``points``, for as many epsilons from 0.001 to 100 and these deltas."""
    return all(
        curve_ball(arb(epsilon), arb(accounting.gaussian_mu(epsilon, delta) * points)) <= arb(delta)
        for epsilon in np.geomspace(1e-3, 100, epsilons).tolist()
        for delta in deltas
    )


def derivative_identity() -> sp.Expr:
    """dg/da - 2 phi(a - c) (1 - c M(a + c)) for g = Phi(a - c) - e^{2ac} Phi(-a - c), in symbols;
    zero."""
    a, c = sp.symbols("a c", positive=True)

    def density(x: sp.Expr) -> sp.Expr:
        return sp.exp(-(x**2) / 2) / sp.sqrt(2 * sp.pi)

    def tail(x: sp.Expr) -> sp.Expr:
        return sp.erfc(x / sp.sqrt(2)) / 2

    g = tail(c - a) - sp.exp(2 * a * c) * tail(a + c)
    defect = sp.diff(g, a) - 2 * density(a - c) * (1 - c * tail(a + c) / density(a + c))
    return sp.simplify(sp.expand(defect * sp.exp((a - c) ** 2 / 2)))


def mills_below() -> sp.Expr:
    """d/dx of (phi(x)/x - (1 - Phi(x))), in symbols: -phi(x)/x^2 < 0.

    The difference tends to 0 at infinity and decreases, so it is positive: x M(x) < 1 for x > 0.
    And M' = x M - 1 < 0.
    """
    x = sp.Symbol("x", positive=True)
    density = sp.exp(-(x**2) / 2) / sp.sqrt(2 * sp.pi)
    slope = sp.diff(density / x - sp.erfc(x / sp.sqrt(2)) / 2, x)
    return sp.simplify(slope / density * x**2)


def classical_proof(constant: str = "1.25") -> dict[str, bool]:
    """The steps of the proof of liao2021/lemma-3.8 in the docstring, each decided by a symbolic
    identity or a ball."""
    big = arb(constant)  # a string, read as the decimal
    edge, half = (2 * big.log()).sqrt(), arb("0.5").sqrt()
    shift = arb("0.5") / edge - edge  # the largest a - c, at the smallest c
    return {
        "g increases in epsilon": derivative_identity() == 0 and mills_below() == -1,
        "c >= sqrt(1/2): exp(1/2)/2 < constant": bool(arb("0.5").exp() / 2 < big),
        "c < sqrt(1/2): Phi(a - c) is below the aim at sqrt(1/2)": bool(
            1 - upper_normal(shift) < big * arb("-0.25").exp()
        ),
        "sqrt(1/2) lies above the smallest c": bool(edge < half),
    }


class Shape(NamedTuple):
    """A calibration mu = epsilon/c aimed at delta = A exp(-B c^2), for c >= least, where delta is
    largest."""

    a: float  #: A > 0
    b: float  #: B in (0, 1/2]
    least: float  #: smallest c, > 0


def runs(shape: Shape, mu: Callable[[float, float], float]) -> bool:
    """Whether ``mu(epsilon, delta)``, of the noise that the package draws, is the shape's: epsilon
    sqrt(B/ln(A/delta))."""
    return all(
        math.isclose(
            mu(epsilon, delta),
            epsilon * math.sqrt(shape.b / math.log(shape.a / delta)),
            rel_tol=1e-12,
        )
        for epsilon in (0.1, 3.0)
        for delta in (1e-9, 0.1)
    )


def aim_ratio(shape: Shape, epsilon: float | arb, c: arb) -> arb:
    """curve(epsilon; epsilon/c) / (A exp(-B c^2)) as a ball; the calibration is private where this
    is at most 1.

    For c well above a: phi and M (fact 2), which does not cancel; else the curve itself.
    """
    e = arb(epsilon)
    a = e / (2 * c)
    coarse = (
        (upper_normal(c - a) - e.exp() * upper_normal(c + a))
        * (arb(shape.b) * c * c).exp()
        / arb(shape.a)
    )
    if not c - a > 0:
        return coarse
    scale = (e / 2 - a * a / 2 - (arb("0.5") - arb(shape.b)) * c * c).exp() / (2 * arb.pi()).sqrt()
    fine = scale * (_mills(c - a) - _mills(c + a)) / arb(shape.a)
    return fine if fine.rad() < coarse.rad() else coarse


def neglected_tail(shape: Shape, epsilon: float, start: float) -> bool:
    """Whether fact 3 settles every c >= start: e^{epsilon/2 - (1/2 - B) c^2}/(sqrt(2 pi) (c - a))
    <= A, which falls."""
    c, e = arb(start), arb(epsilon)
    a = e / (2 * c)
    if not c - a > 0 or shape.b > 0.5:
        return False
    bound = (e / 2 - (arb("0.5") - arb(shape.b)) * c * c).exp() / ((2 * arb.pi()).sqrt() * (c - a))
    return bool(bound <= arb(shape.a))


def certify_shape(shape: Shape, epsilon: float, *, start: float = 64.0) -> bool:
    """Whether the shape is private at ``epsilon``, hence (fact 1) at every smaller one, for
    **every** c >= least.

    Balls on [least, start] and :func:`neglected_tail` above. False: refuted at some c, or fact 3
    does not reach down to ``start``.
    """
    fits = 0 < shape.b <= 0.5 and shape.a > 0 and shape.least > 0
    require(fits, "a shape needs A > 0, 0 < B <= 1/2 and least > 0", shape=shape)
    with precision(BITS):
        if not neglected_tail(shape, epsilon, start):
            return False
        return above(
            lambda c: 1 - aim_ratio(shape, epsilon, c),
            [(shape.least, max(start, shape.least))],
            bits=BITS,
        )


def shape_threshold(shape: Shape, c: float, *, high: float = 1e4) -> float:
    """The largest epsilon (rounded down) with privacy for this c, unique by fact 1; infinity above
    ``high``, or 0."""
    with mp.workdps(60):
        big, aim = mp.mpf(c), mp.mpf(shape.a) * mp.exp(-mp.mpf(shape.b) * mp.mpf(c) ** 2)

        def private(epsilon: mp.mpf) -> bool:
            return bool(curve(epsilon, epsilon / big, digits=60) <= aim)

        low, top = mp.mpf("1e-18"), mp.mpf(high)
        if not private(low):
            return 0.0
        if private(top):
            return math.inf
        while top / low > 1 + mp.mpf("1e-13"):
            middle = mp.sqrt(low * top)
            low, top = (middle, top) if private(middle) else (low, middle)
        return math.nextafter(float(low), 0.0)


def first_failure(delta: float, *, constant: float = 1.25) -> float:
    """The epsilon (rounded down) beyond which :func:`classical_sigma` stops giving (epsilon,
    delta)-DP."""
    c = math.sqrt(2 * math.log(constant / probability("delta", delta)))
    return shape_threshold(Shape(delta * math.exp(c * c / 2), 0.5, c), c)


def least_constant(epsilon: float = 1.0) -> tuple[float, float]:
    """The least that could replace 1.25 up to ``epsilon``, sup over c of curve(epsilon; epsilon/c)
    e^{c^2/2}; and c.

    It is attained at a c above sqrt(2 ln constant), that is at a delta below 1, so it is needed.
    """
    with mp.workdps(40):

        def height(c: mp.mpf) -> mp.mpf:
            return curve(epsilon, mp.mpf(epsilon) / c, digits=40) * mp.exp(c * c / 2)

        grid = [mp.mpf(k) / 200 for k in range(1, 1200)]
        best = max(grid, key=height)
        low, high = best - mp.mpf("0.005"), best + mp.mpf("0.005")
        golden = (mp.sqrt(5) - 1) / 2
        while high - low > mp.mpf("1e-12"):
            left_side, right = high - golden * (high - low), low + golden * (high - low)
            low, high = (left_side, high) if height(left_side) < height(right) else (low, right)
        return float(height(low)), float(low)


class AdaptiveLoss(NamedTuple):
    """The log-density ratio of all nodes under two neighbouring adaptive streams, against the
    claimed form."""

    #: log ratio minus the sum over nodes that hold t of (D xi + D^2/2), with sigma = 1; zero
    defect: sp.Expr
    shift_precedes: (
        bool  #: whether D is a function of nodes released before every node that holds t
    )
    nodes: int  #: how many nodes hold t


def adaptive_loss(
    releases: int, time: int, *, leak: bool = False, local: bool = False
) -> AdaptiveLoss:
    """Where item t changes by D, the log-density ratio is the sum of D xi_s + D^2/2 over the nodes
    s that hold t, for undefined functions as data, in symbols.

    ``local``: node s holds item s alone, the message of one user. ``leak`` lets item ``time`` + 1
    read the raw item ``time`` and not only the releases: then the identity must fail.
    """
    require(1 <= time <= releases, "time must be in 1..releases", time=time, releases=releases)
    nodes = sp.symbols(f"y1:{releases + 1}", real=True)
    first_item = {s: s - (1 if local else s & -s) for s in range(1, releases + 1)}  # minus one
    chosen_items = [
        sp.Function(name)(*nodes[: time - 1]) if time > 1 else sp.Symbol(name)
        for name in ("u", "v")
    ]

    def means(item: sp.Expr) -> list[sp.Expr]:
        items = [
            sp.Function(f"f{i}")(sp.Integer(i), *nodes[: i - 1]) for i in range(1, releases + 1)
        ]
        items[time - 1] = item
        if leak and time < releases:
            items[time] = items[time] + item
        return [sum(items[start:s], sp.Integer(0)) for s, start in first_item.items()]

    first, second = means(chosen_items[0]), means(chosen_items[1])
    ratio = sum(
        ((y - b) ** 2 - (y - a) ** 2) / 2 for y, a, b in zip(nodes, first, second, strict=True)
    )
    covering = [s for s, start in first_item.items() if start < time <= s]
    shift = chosen_items[0] - chosen_items[1]
    claimed = sum(shift * (nodes[s - 1] - first[s - 1]) + shift**2 / 2 for s in covering)
    precedes = shift.free_symbols.isdisjoint({nodes[s - 1] for s in covering})
    return AdaptiveLoss(sp.expand(ratio - claimed), precedes, len(covering))


def adaptive_delta(epsilon: float, shift: float, reaction: float, *, step: float = 0.02) -> float:
    """delta(epsilon) of two nodes that hold item 1, the second with ``reaction * sin(5 y_1)`` on
    top, sigma = 1.

    The integral of (p - e^epsilon p')_+ over the plane, to about 1e-5; the claim is curve(epsilon;
    sqrt(2) shift).
    """
    first = np.arange(-9, 9 + shift, step)[:, None]
    second = np.arange(-9 - abs(reaction), 9 + shift + abs(reaction), step)[None, :]
    later = second - reaction * np.sin(5 * first)
    density = np.exp(-((first - shift) ** 2 + (later - shift) ** 2) / 2)
    unshifted = np.exp(-(first**2 + later**2) / 2)
    return float(
        np.maximum(density - math.exp(epsilon) * unshifted, 0).sum() * step * step / (2 * math.pi)
    )
