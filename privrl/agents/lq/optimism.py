"""The optimistic step of OFU-RL: least J_1^*(Theta, x_1) over the ellipsoid and S (chowdhury2021/equation-9).

The set is {||Theta - Theta^||_V <= beta} within the ball ||Theta||_F <= 1. S also asks for controllable pairs, which
are dense in the ball: the infimum over S is the minimum over the ball, and only the latter is sure to be attained.

J* >= x_1'Q x_1 + sum of tr Cov Q, with equality where A = 0. So where the set holds a Theta with A = 0 that is the
answer, and the policy is u = 0; this is what happens as long as little is known. Elsewhere:

- n = d = 1: J* grows with a^2 and falls with b^2, the set lies on one side of a = 0, and the minimiser is on its edge
  towards a = 0. One variable is left, the angle on the ellipse: a grid, then a safeguarded root of the exact derivative
  in every basin. The tests hold it against a certified global minimum.
- else: a local method in the eigenbasis of V from several starts. The gradient is 2 sum_h E[z_h z_h'] Theta P_{h+1},
  the least of a linear function over the set has one dual variable, and the steps are Frank and Wolfe's with a line
  search. What it returns is feasible; that it is the global minimum is measured, not proved.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

LOST, STILL, FOUND, EMPTY = 0, 1, 2, 3  # V not positive definite; A = 0 is possible; solved; the set is empty
GRID = 24
ROOT_STEPS = 8
STEPS = 8
GAP = 1e-8  # relative Frank-Wolfe gap at which the general method stops


@njit(cache=True, nogil=True, error_model="numpy")
def scalar_cost(a, b, q, r, first, variance, horizon):  # type: ignore[no-untyped-def]  # numba infers the types
    """J_1^* of a scalar system; ``first`` is x_1^2."""
    ahead = q  # P_H
    total = 0.0
    for _ in range(horizon - 1):
        total += ahead
        ahead = q + a * a * r * ahead / (r + b * b * ahead)
    return first * ahead + variance * total


@njit(cache=True, nogil=True, error_model="numpy")
def scalar_slope(a, b, da, db, q, r, first, variance, horizon):  # type: ignore[no-untyped-def]
    """Derivative of :func:`scalar_cost` along (da, db)."""
    ahead, slope, total = q, 0.0, 0.0
    for _ in range(horizon - 1):
        total += slope
        below = r + b * b * ahead
        above = a * a * r * ahead
        d_below = 2 * b * db * ahead + b * b * slope
        d_above = r * (2 * a * da * ahead + a * a * slope)
        slope = (d_above - above * d_below / below) / below
        ahead = q + above / below
    return first * slope + variance * total


@njit(cache=True, nogil=True, error_model="numpy")
def scalar_step(v00, v01, v11, u0, u1, beta, q, r, first, variance, horizon, theta):  # type: ignore[no-untyped-def]
    """Theta~ for n = d = 1 into ``theta`` (2, 1); beta < 0 asks for the estimate itself, moved into the unit disc."""
    det = v00 * v11 - v01 * v01
    if not (v00 > 0 and det > 0):
        theta[0, 0], theta[1, 0] = 0.0, 0.0
        return LOST
    a_hat = (v11 * u0 - v01 * u1) / det
    b_hat = (v00 * u1 - v01 * u0) / det
    a, b, away = a_hat, b_hat, 0.0
    size = math.sqrt(a * a + b * b)
    if size > 1:  # nearest point of the disc in the norm of V: (V + mu) theta = U, Newton on 1/|theta|
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
    if horizon == 1 or v00 * a_hat**2 - 2 * v01 * a_hat * shift + v11 * shift**2 <= beta * beta:
        theta[0, 0], theta[1, 0] = 0.0, still
        return STILL
    side = 1.0 if a > 0 else -1.0
    a_hat *= side
    lean = side * v01 / v00
    wide = beta * math.sqrt(v00 / det)  # of the ellipse in b
    near = beta / math.sqrt(v00)
    # the edge towards a = 0: b = b^ + wide sin t, a = a^ - lean wide sin t - near cos t
    inside = math.asin(min(1.0, max(-1.0, (b - b_hat) / wide)))
    low, high = -math.pi / 2, math.pi / 2
    for end in range(2):
        bad = low if end == 0 else high
        s, c = math.sin(bad), math.cos(bad)
        good = inside
        if (a_hat - lean * wide * s - near * c) ** 2 + (b_hat + wide * s) ** 2 > 1:
            for _ in range(50):
                middle = (good + bad) / 2
                s, c = math.sin(middle), math.cos(middle)
                if (a_hat - lean * wide * s - near * c) ** 2 + (b_hat + wide * s) ** 2 > 1:
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
    s, c = math.sin(t), math.cos(t)
    value = scalar_cost(a_hat - lean * wide * s - near * c, b_hat + wide * s, q, r, first, variance, horizon)
    for step in range(GRID + 1):
        if step < GRID:
            ahead = low + (step + 1) * width
            s, c = math.sin(ahead), math.cos(ahead)
            after = scalar_cost(a_hat - lean * wide * s - near * c, b_hat + wide * s, q, r, first, variance, horizon)
        else:
            ahead, after = t, np.inf
        if value <= before and value <= after:  # a basin
            left = max(low, t - width)
            right = min(high, t + width)
            found = t
            s, c = math.sin(left), math.cos(left)
            slope_l = scalar_slope(a_hat - lean * wide * s - near * c, b_hat + wide * s, near * s - lean * wide * c,
                                   wide * c, q, r, first, variance, horizon)
            s, c = math.sin(right), math.cos(right)
            slope_r = scalar_slope(a_hat - lean * wide * s - near * c, b_hat + wide * s, near * s - lean * wide * c,
                                   wide * c, q, r, first, variance, horizon)
            if slope_l < 0 < slope_r:
                last = 0
                for turn in range(ROOT_STEPS):  # regula falsi with Illinois' halving, and a bisection now and then
                    found = (left + right) / 2 if turn % 8 == 7 else right - slope_r * (right - left) / (
                        slope_r - slope_l)
                    s, c = math.sin(found), math.cos(found)
                    slope = scalar_slope(a_hat - lean * wide * s - near * c, b_hat + wide * s,
                                         near * s - lean * wide * c, wide * c, q, r, first, variance, horizon)
                    if slope < 0:
                        left, slope_l = found, slope
                        if last < 0:
                            slope_r /= 2
                        last = -1
                    elif slope > 0:
                        right, slope_r = found, slope
                        if last > 0:
                            slope_l /= 2
                        last = 1
                    else:
                        break
                    if right - left < 1e-15 or abs(slope) < 1e-16:
                        break
            s, c = math.sin(found), math.cos(found)
            least = scalar_cost(a_hat - lean * wide * s - near * c, b_hat + wide * s, q, r, first, variance, horizon)
            if least < best:
                best, at = least, found
        before, value, t = value, after, ahead
    s, c = math.sin(at), math.cos(at)
    theta[0, 0] = side * (a_hat - lean * wide * s - near * c)
    theta[1, 0] = b_hat + wide * s
    return FOUND
