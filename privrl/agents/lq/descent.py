"""Ways down J_1^* over the confidence set, for any n and d: Frank and Wolfe's steps, and damped
ones with momentum; see :mod:`privrl.agents.lq.general`."""

import math

import numpy as np

from privrl.agents.compiled import allocating, kernel
from privrl.agents.lq.dynamics import cost, gradient, riccati
from privrl.agents.lq.ellipsoid import copy, damped_linear, least_linear, multiply
from privrl.agents.lq.optimism import FRANK_WOLFE_GAP
from privrl.agents.lq.records import Optimum, Region
from privrl.types import FloatArray

LOOSE = 1e-2  # damping of B over that of A


@kernel
def optimal_cost(theta: FloatArray, optimum: Optimum) -> float:
    """J_1^*(theta, x_1); its Riccati matrices and gains stay in ``optimum``."""
    known = optimum.known
    riccati(theta, known.Q, known.R, optimum.P, optimum.K, optimum.pa, optimum.gd)
    return cost(optimum.P, known.start, known.variance)


@kernel
def slope_at(theta: FloatArray, optimum: Optimum, g: FloatArray) -> None:
    """Gradient of J_1^* at ``theta``, whose Riccati matrices ``optimum`` holds, into ``g``."""
    known = optimum.known
    gradient(theta, optimum.P, optimum.K, known.start, known.variance, g, optimum.moments)


@kernel
def descend(
    point: FloatArray,
    now: float,
    steps: int | np.int64,
    region: Region,
    optimum: Optimum,
    theta: FloatArray,
    wide: FloatArray,
) -> float:
    """Frank-Wolfe steps from a point, in the eigenbasis.

    ``now`` is its cost; infinite where it lies outside the set and only gives the first direction.
    Returns the cost reached, with a minus sign where the gap is still above
    :data:`FRANK_WOLFE_GAP`.
    """
    p, n = point.shape
    aim, g, slope, trial = wide[4], wide[5], wide[6], wide[7]
    multiply(region.vectors, point, theta)
    optimal_cost(theta, optimum)
    for _ in range(steps):
        slope_at(theta, optimum, g)
        multiply(region.vectors.T, g, slope)
        least_linear(slope, region.values, region.center, region.beta, aim)
        fall = 0.0
        for i in range(p):
            for j in range(n):
                fall += slope[i, j] * (aim[i, j] - point[i, j])
        if now < np.inf and fall >= -FRANK_WOLFE_GAP * now:
            return now
        share = 1.0
        after = now
        for _ in range(12):
            for i in range(p):
                for j in range(n):
                    trial[i, j] = point[i, j] + share * (aim[i, j] - point[i, j])
            multiply(region.vectors, trial, theta)
            after = optimal_cost(theta, optimum)
            bend = after - now - share * fall
            ideal = -fall * share * share / (2 * bend) if bend > 0 else np.inf
            if ideal >= 0.5 * share:
                break
            share = max(ideal, 0.02 * share)
        if after >= now:
            break
        now = after
        copy(trial, point)
    return -now


@allocating
def damped_descend(
    now: float,
    region: Region,
    optimum: Optimum,
    theta: FloatArray,
    M: FloatArray,
    wide: FloatArray,
    effort: tuple[int, float, int],
) -> float:
    """From ``theta``, a point of the set, by damped steps with momentum; the cost reached.

    Needed where A = 0 is only just excluded: there J* is nearly |A|^2, its gradient fades, and
    Frank and Wolfe's steps go from side to side. The damping of A adapts to the curvature; B, along
    which J* is nearly linear or concave, moves almost freely. Momentum (Nesterov's) is for ridges
    along which J* hardly falls; it starts again where J* would rise.
    """
    p, n = theta.shape
    right, pull, hat, g, old, origin = wide[1], wide[3], wide[4], wide[5], wide[6], wide[7]
    k_of = np.empty((2, p))
    for i in range(p):
        k_of[0, i] = region.values[i]
        k_of[1, i] = 0.0
        for j in range(n):
            k_of[1, i] += region.center[i, j] ** 2
    multiply(region.vectors, region.center, hat)
    copy(theta, old)
    copy(theta, origin)
    damp, momentum = 1.0, 1.0
    small = 0
    for _ in range(effort[0]):
        # of the point that the step is from, which may lie outside the set
        level = optimal_cost(origin, optimum)
        slope_at(origin, optimum, g)
        after = now
        for _ in range(30):
            damped_linear(
                g, origin, (damp, LOOSE * damp), region, hat, k_of, theta, (M, right, pull)
            )
            after = optimal_cost(theta, optimum)
            model = level
            for i in range(p):
                for j in range(n):
                    apart = theta[i, j] - origin[i, j]
                    model += (
                        g[i, j] * apart + 0.5 * damp * (1.0 if i < n else LOOSE) * apart * apart
                    )
            if after <= model + 1e-15 * now:
                break
            damp *= 2
        if not after < now:
            if momentum == 1.0:
                break
            momentum = 1.0
            copy(old, origin)
            continue
        small = small + 1 if now - after <= effort[1] * now else 0
        now = after
        ahead = (1 + math.sqrt(1 + 4 * momentum * momentum)) / 2
        share = (momentum - 1) / ahead
        for i in range(p):
            for j in range(n):
                origin[i, j] = theta[i, j] + share * (theta[i, j] - old[i, j])
                old[i, j] = theta[i, j]
        momentum = ahead
        if small >= effort[2]:
            break
        damp *= 0.6
    copy(old, theta)
    return now
