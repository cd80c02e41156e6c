"""The optimistic step for any n and d: a local method in the eigenbasis of V; see
:mod:`privrl.agents.lq.optimism`."""

import math

import numpy as np

from privrl.agents.compiled import allocating, kernel
from privrl.agents.lq.descent import damped_descend, descend, optimal_cost
from privrl.agents.lq.dynamics import follow, square_of
from privrl.agents.lq.ellipsoid import copy, eigen, multiply, nearest
from privrl.agents.lq.optimism import EMPTY, FOUND, LOST, STEPS, STILL
from privrl.agents.lq.records import LQKnown, LQPlan, LQReleased, LQScratch, Optimum, Region
from privrl.types import FloatArray

# damped steps that tell which side is best: at most, relative decrease to stop at, how often
ROUGH = (40, 1e-7, 2)
FINE = (200, 1e-10, 3)  # and those to the end
SHIFT_OF_B = 0.5  # how far B is moved to tell a direction
FIRST_STEPS = (3, 10)  # from every start, for one column of B and for more
LONGER = 5  # steps from the best of them on different sides
# how many those are; the best is followed to the end, after rough steps where several are close
SIDES = (2, 4)
CLOSE_SIDES = 1e-2  # for one column of B: a side this much above the best, relatively, is given up


@kernel
def moved_start(
    attempt: int, anchor: FloatArray, axis: FloatArray, vectors: FloatArray, point: FloatArray
) -> None:
    """``point`` = ``anchor``, in the eigenbasis, with B moved by SHIFT_OF_B in direction u along
    ``axis``, u in R^d.

    The u in the order of ``attempt``: minus and plus every axis, then every pair of axes with its
    four signs, 2 d^2 in all; for d = 2 they go round in steps of 45 degrees.
    """
    p, n = point.shape
    d = p - n
    first_axis, second_axis = attempt // 2, -1
    first, second = 1.0 if attempt & 1 else -1.0, 0.0
    if attempt >= 2 * d:
        pair = (attempt - 2 * d) // 4
        first_axis, second_axis = 0, 1
        for _ in range(pair):
            second_axis += 1
            if second_axis == d:
                first_axis += 1
                second_axis = first_axis + 1
        second = math.sqrt(0.5) if (attempt - 2 * d) & 2 else -math.sqrt(0.5)
        first *= math.sqrt(0.5)
    for i in range(p):
        for j in range(n):
            point[i, j] = anchor[i, j] + first * SHIFT_OF_B * axis[j] * vectors[n + first_axis, i]
            if second_axis >= 0:
                point[i, j] += second * SHIFT_OF_B * axis[j] * vectors[n + second_axis, i]


@allocating
def general_step(
    released: LQReleased, beta: float, known: LQKnown, agent_plan: LQPlan, scratch: LQScratch
) -> int:
    """Theta~ into ``agent_plan.theta``; beta < 0: see ``scalar_step``. Costs and gains of
    ``agent_plan`` are overwritten.

    ``agent_plan.warm``, the previous answer, is one of the starts, and is replaced by the answer.
    """
    theta, wide, V, U = agent_plan.theta, scratch.wide, released.gram, released.cross
    p, n = theta.shape
    d = p - n
    center, anchor, answer, point = wide[0], wide[1], wide[2], wide[3]
    vectors, used = scratch.square[0], scratch.square[1]
    axes, gain, values, lengths = np.empty((n, n)), np.empty((n, n)), np.empty(p), np.empty(n)
    optimum = Optimum(
        known, agent_plan.costs, agent_plan.gains, scratch.pa, scratch.gd, scratch.moments
    )
    copy(V, used)
    eigen(used, values, vectors)
    lowest = values[0]
    for i in range(1, p):
        lowest = min(lowest, values[i])
    if not lowest > 0:
        theta[:] = 0.0
        return LOST
    multiply(vectors.T, U, center)
    for i in range(p):
        for j in range(n):
            center[i, j] /= values[i]
    region = Region(V, U, vectors, values, center, beta)
    away = nearest(values, center, anchor)
    if beta < 0 or away > beta * beta:
        multiply(vectors, anchor, theta)
        return EMPTY
    if still(region, theta) or agent_plan.gains.shape[0] == 1:
        return STILL
    # the direction of B that helps most where B = 0: an eigenvector of sum_h P A E[x x'] A'P, P =
    # P_{h+1}
    multiply(vectors, anchor, theta)
    benefit(theta, optimum, gain)
    eigen(gain, lengths, axes)
    top = 0
    for i in range(1, n):
        if lengths[i] > lengths[top]:
            top = i
    more = 1 if d > 1 else 0
    starts = 1 + 2 * d * d
    every, costs = np.empty((starts, p, n)), np.empty(starts)
    for attempt in range(starts):
        if attempt == 0:
            multiply(vectors.T, agent_plan.warm, every[0])
        else:
            moved_start(attempt - 1, anchor, axes[:, top], vectors, every[attempt])
        costs[attempt] = abs(
            descend(every[attempt], np.inf, 1 + FIRST_STEPS[more], region, optimum, theta, wide)
        )
    # a longer look at the best ones that have B on different sides of the estimate: their minima
    # may lie close together
    chosen = np.empty(SIDES[more], dtype=np.int64)
    sides = 0
    while sides < chosen.size:
        cheapest = -1
        for attempt in range(starts):
            if cheapest < 0 or costs[attempt] < costs[cheapest]:
                free = True
                for i in range(sides):
                    free = (
                        free
                        and attempt != chosen[i]
                        and apart(every[attempt], every[chosen[i]], center, vectors, n)
                    )
                if free:
                    cheapest = attempt
        if cheapest < 0:
            break
        chosen[sides] = cheapest
        sides += 1
    # with literals descend would be compiled for each
    longer, steps = np.int64(LONGER), np.int64(STEPS)
    for i in range(sides):
        attempt = chosen[i]
        costs[attempt] = descend(
            every[attempt], costs[attempt], longer, region, optimum, theta, wide
        )
    best = np.inf
    for i in range(sides):
        best = min(best, abs(costs[chosen[i]]))
    followed = 0
    for i in range(sides):
        if more or abs(costs[chosen[i]]) <= best * (1 + CLOSE_SIDES):
            chosen[followed] = chosen[i]
            followed += 1
    least, done = np.inf, False
    for i in range(followed):
        copy(every[chosen[i]], point)
        now = costs[chosen[i]]
        if now < 0:
            now = descend(point, -now, steps, region, optimum, theta, wide)
        multiply(vectors, point, theta)
        ended = now > 0
        if not ended:
            now = -now
            if more or followed > 1:
                now = damped_descend(now, region, optimum, theta, scratch.square[2], wide, ROUGH)
        if i == 0 or now < least:
            least, done = now, ended
            copy(theta, answer)
    copy(answer, theta)
    if not done:
        damped_descend(least, region, optimum, theta, scratch.square[2], wide, FINE)
    copy(theta, agent_plan.warm)
    return FOUND


@kernel
def apart(
    point: FloatArray, other_point: FloatArray, center: FloatArray, vectors: FloatArray, n: int
) -> bool:
    """Whether the B of two points, seen from that of the estimate, include more than some 45
    degrees."""
    p = point.shape[0]
    inner, first, second = 0.0, 0.0, 0.0
    for m in range(n, p):
        for j in range(n):
            a, b = 0.0, 0.0
            for i in range(p):
                a += vectors[m, i] * (point[i, j] - center[i, j])
                b += vectors[m, i] * (other_point[i, j] - center[i, j])
            inner += a * b
            first += a * a
            second += b * b
    return inner <= 0.7 * math.sqrt(first * second)


@kernel
def benefit(theta: FloatArray, optimum: Optimum, result: FloatArray) -> None:
    """sum_h P_{h+1} A E[x_h x_h'] A' P_{h+1} for the A of ``theta``, B = 0, into ``result`` (n,
    n)."""
    horizon, _, n = optimum.K.shape
    P, moment = optimum.P, optimum.moments.moment
    theta[n:] = 0.0
    optimal_cost(theta, optimum)
    result[:] = 0.0
    square_of(optimum.known.start, moment)
    for h in range(horizon - 1):
        follow(theta[:n].T, theta[n:].T, optimum.K[h], 0.0, optimum.moments)
        for i in range(n):
            for j in range(n):
                for k in range(n):
                    for m in range(n):
                        result[i, j] += P[h + 1, i, k] * moment[k, m] * P[h + 1, m, j]
        for i in range(n):
            moment[i, i] += optimum.known.variance


@allocating
def still(region: Region, theta: FloatArray) -> bool:
    """Whether the set holds a Theta with A = 0; the one nearest to the estimate into ``theta``.

    Least of sum v_i |(E' Theta)_i - c_i|^2 over B with ||B||_F <= 1: (W + mu) B = (E_u' v c), W =
    V_uu.
    """
    vectors, values, center = region.vectors, region.values, region.center
    p, n = theta.shape
    d = p - n
    W, right = np.empty((d, d)), np.empty((d, n))
    for i in range(d):
        for j in range(d):
            total = 0.0
            for k in range(p):
                total += vectors[n + i, k] * values[k] * vectors[n + j, k]
            W[i, j] = total
        for j in range(n):
            total = 0.0
            for k in range(p):
                total += vectors[n + i, k] * values[k] * center[k, j]
            right[i, j] = total
    weights, basis, turned = np.empty(d), np.empty((d, d)), np.empty((d, n))
    eigen(W, weights, basis)
    multiply(basis.T, right, turned)
    mu = 0.0
    for _ in range(100):
        square, curve = 0.0, 0.0
        for i in range(d):
            for j in range(n):
                entry = turned[i, j] / (weights[i] + mu)
                square += entry * entry
                curve += entry * entry / (weights[i] + mu)
        norm = math.sqrt(square)
        if norm <= 1 + 1e-14:
            break
        mu += square / curve * (norm - 1)
    for i in range(d):
        for j in range(n):
            turned[i, j] /= weights[i] + mu
    multiply(basis, turned, right)
    theta[:n] = 0.0
    copy(right, theta[n:])
    distance = 0.0
    for k in range(p):
        for j in range(n):
            total = -center[k, j]
            for i in range(d):
                total += vectors[n + i, k] * right[i, j]
            distance += values[k] * total * total
    return distance <= region.beta * region.beta
