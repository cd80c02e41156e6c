"""The optimistic step of OFU-RL: least J_1^*(Theta, x_1) over the ellipsoid and S
(chowdhury2021/equation-9).

The set is {||Theta - Theta^||_V <= beta} within the ball ||Theta||_F <= 1. S also asks for
controllable pairs, which are dense in the ball: the infimum over S is the minimum over the ball,
and only the latter is sure to be attained.

J* >= x_1'Q x_1 + sum of tr Cov Q, with equality where A = 0. So where the set holds a Theta with A
= 0 that is the answer, and the policy is u = 0; this is what happens as long as little is known.
Elsewhere:

- n = d = 1: J* grows with a^2 and falls with b^2, the set lies on one side of a = 0, and the
  minimiser is on its edge towards a = 0. One variable is left, the angle on the ellipse: a grid,
  then a safeguarded root of the exact derivative in every basin. The tests hold it against a
  certified global minimum.
- else: a local method in the eigenbasis of V from several starts. The gradient is 2 sum_h E[z_h
  z_h'] Theta P_{h+1}, the least of a linear function over the set has one dual variable, and the
  steps are Frank and Wolfe's with a line search. What it returns is feasible; that it is the global
  minimum is measured, not proved.
"""

import math
from typing import NamedTuple

import numpy as np

from privrl.agents.compiled import kernel
from privrl.agents.lq.ellipsoid import narrowed
from privrl.types import FloatArray

# V not positive definite; A = 0 is possible; solved; the set is empty
LOST, STILL, FOUND, EMPTY = (
    0,
    1,
    2,
    3,
)
GRID = 24
ROOT_STEPS = 8
STEPS = 8
FRANK_WOLFE_GAP = 1e-8  # relative Frank-Wolfe gap at which the general method stops


class ScalarCosts(NamedTuple):
    """A scalar system's costs Q and R, x_1^2, the variance of its noise, and H."""

    q: float
    r: float
    first: float
    variance: float
    horizon: int


class Edge(NamedTuple):
    """The edge of the set towards a = 0, by the angle t: b = b^ + wide sin t, a = a^ - lean wide
    sin t - near cos t."""

    a_hat: float
    b_hat: float
    lean: float
    wide: float
    near: float


@kernel
def scalar_cost(a: float, b: float, scalar: ScalarCosts) -> float:
    """J_1^* of a scalar system."""
    q, r = scalar.q, scalar.r
    ahead = q  # P_H
    total = 0.0
    for _ in range(scalar.horizon - 1):
        total += ahead
        ahead = q + a * a * r * ahead / (r + b * b * ahead)
    return scalar.first * ahead + scalar.variance * total


@kernel
def scalar_slope(a: float, b: float, da: float, db: float, scalar: ScalarCosts) -> float:
    """Derivative of :func:`scalar_cost` along (da, db)."""
    q, r = scalar.q, scalar.r
    ahead, slope, total = q, 0.0, 0.0
    for _ in range(scalar.horizon - 1):
        total += slope
        below = r + b * b * ahead
        above = a * a * r * ahead
        d_below = 2 * b * db * ahead + b * b * slope
        d_above = r * (2 * a * da * ahead + a * a * slope)
        slope = (d_above - above * d_below / below) / below
        ahead = q + above / below
    return scalar.first * slope + scalar.variance * total


@kernel
def outside(t: float, edge: Edge) -> bool:
    """Whether the point of the edge lies outside the unit disc."""
    s, c = math.sin(t), math.cos(t)
    return (edge.a_hat - edge.lean * edge.wide * s - edge.near * c) ** 2 + (
        edge.b_hat + edge.wide * s
    ) ** 2 > 1


@kernel
def cost_at(t: float, edge: Edge, scalar: ScalarCosts) -> float:
    """J_1^* at a point of the edge."""
    s, c = math.sin(t), math.cos(t)
    return scalar_cost(
        edge.a_hat - edge.lean * edge.wide * s - edge.near * c, edge.b_hat + edge.wide * s, scalar
    )


@kernel
def slope_at(t: float, edge: Edge, scalar: ScalarCosts) -> float:
    """Its derivative by the angle."""
    s, c = math.sin(t), math.cos(t)
    return scalar_slope(
        edge.a_hat - edge.lean * edge.wide * s - edge.near * c,
        edge.b_hat + edge.wide * s,
        edge.near * s - edge.lean * edge.wide * c,
        edge.wide * c,
        scalar,
    )


@kernel
def basin_root(t: float, low_edge: float, right: float, edge: Edge, scalar: ScalarCosts) -> float:
    """Where the slope changes its sign between ``low_edge`` and ``right``; ``t`` where it does
    not."""
    root = t
    at_left, at_right = -slope_at(low_edge, edge, scalar), -slope_at(right, edge, scalar)
    if at_left > 0 > at_right:
        bracket, side = (low_edge, right, at_left, at_right), 0
        for turn in range(ROOT_STEPS):  # and a bisection now and then
            low_edge, right, at_left, at_right = bracket
            root = (
                (low_edge + right) / 2
                if turn % 8 == 7
                else right - at_right * (right - low_edge) / (at_right - at_left)
            )
            value = -slope_at(root, edge, scalar)
            bracket, side = narrowed(bracket, side, root, value)
            if bracket[1] - bracket[0] < 1e-15 or not abs(value) >= 1e-16:
                break
    return root


@kernel
def scalar_step(
    V: FloatArray, U: FloatArray, beta: float, scalar: ScalarCosts, theta: FloatArray
) -> int:
    """Theta~ for n = d = 1 into ``theta`` (2, 1); beta < 0 asks for the estimate itself, moved into
    the unit disc."""
    v00, v01, v11, u0, u1 = V[0, 0], V[0, 1], V[1, 1], U[0, 0], U[1, 0]
    det = v00 * v11 - v01 * v01
    if not (v00 > 0 and det > 0):
        theta[0, 0], theta[1, 0] = 0.0, 0.0
        return LOST
    a_hat = (v11 * u0 - v01 * u1) / det
    b_hat = (v00 * u1 - v01 * u0) / det
    a, b, away = a_hat, b_hat, 0.0
    size = math.sqrt(a * a + b * b)
    if (
        size > 1
    ):  # nearest point of the disc in the norm of V: (V + mu) theta = U, Newton on 1/|theta|
        mu = 0.0
        for _ in range(100):
            w00, w11 = v00 + mu, v11 + mu
            det_mu = w00 * w11 - v01 * v01
            a = (w11 * u0 - v01 * u1) / det_mu
            b = (w00 * u1 - v01 * u0) / det_mu
            square = a * a + b * b
            size = math.sqrt(square)
            if size <= 1 + 1e-14:
                break
            curve = (w11 * a * a - 2 * v01 * a * b + w00 * b * b) / det_mu
            mu += square / curve * (size - 1)
        away = v00 * (a - a_hat) ** 2 + 2 * v01 * (a - a_hat) * (b - b_hat) + v11 * (b - b_hat) ** 2
    if beta < 0 or away > beta * beta:
        theta[0, 0], theta[1, 0] = a, b
        return EMPTY
    still = min(1.0, max(-1.0, b_hat + v01 / v11 * a_hat))
    shift = still - b_hat
    if (
        scalar.horizon == 1
        or v00 * a_hat**2 - 2 * v01 * a_hat * shift + v11 * shift**2 <= beta * beta
    ):
        theta[0, 0], theta[1, 0] = 0.0, still
        return STILL
    side = 1.0 if a > 0 else -1.0
    a_hat *= side
    lean = side * v01 / v00
    wide = beta * math.sqrt(v00 / det)  # of the ellipse in b
    near = beta / math.sqrt(v00)
    edge = Edge(a_hat, b_hat, lean, wide, near)
    inside = math.asin(min(1.0, max(-1.0, (b - b_hat) / wide)))
    low, high = -math.pi / 2, math.pi / 2
    for end in range(2):
        bad = low if end == 0 else high
        good = inside
        if outside(bad, edge):
            for _ in range(50):
                middle = (good + bad) / 2
                if outside(middle, edge):
                    bad = middle
                else:
                    good = middle
        else:
            good = bad
        if end == 0:
            low = good
        else:
            high = good
    best, at = np.inf, inside
    before = np.inf
    width = (high - low) / GRID
    t = low
    value = cost_at(t, edge, scalar)
    for step in range(GRID + 1):
        if step < GRID:
            ahead = low + (step + 1) * width
            after = cost_at(ahead, edge, scalar)
        else:
            ahead, after = t, np.inf
        if value <= before and value <= after:  # a basin
            root = basin_root(t, max(low, t - width), min(high, t + width), edge, scalar)
            least = cost_at(root, edge, scalar)
            if least < best:
                best, at = least, root
        before, value, t = value, after, ahead
    s, c = math.sin(at), math.cos(at)
    theta[0, 0] = side * (a_hat - lean * wide * s - near * c)
    theta[1, 0] = b_hat + wide * s
    return FOUND
