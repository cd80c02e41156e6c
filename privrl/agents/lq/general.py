"""The optimistic step for any n and d: a local method in the eigenbasis of V; see :mod:`privrl.agents.lq.optimism`."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from privrl.agents.lq.dynamics import cost, gradient, riccati
from privrl.agents.lq.ellipsoid import copy, damped_linear, eigen, fill, least_linear, nearest, turn, turn_back
from privrl.agents.lq.optimism import EMPTY, FOUND, GAP, LOST, STEPS, STILL

LOOSE = 1e-2  # damping of B over that of A
ROUGH = (40, 1e-7, 2)  # damped steps that tell which side is best: at most, relative decrease to stop at, how often
FINE = (200, 1e-10, 3)  # and those to the end
NUDGE = 0.5  # how far B is moved to tell a direction
TASTE = (3, 10)  # steps from every start, for one column of B and for more
LONGER = 5  # steps from the best of them on different sides
KEPT = (2, 4)  # how many those are; the best is followed to the end, after rough steps where several are close
CLOSE = 1e-2  # for one column of B: a side this much above the best, relatively, is given up


@njit(cache=True, nogil=True, error_model="numpy")
def descend(point, now, steps, vectors, values, center, beta, Q, R, start, variance,  # type: ignore[no-untyped-def]
            theta, P, K, g, slope, aim, trial, moment, closed, fore, pa, gd):
    """Frank-Wolfe steps from a point, in the eigenbasis.

    ``now`` is its cost; infinite where it lies outside the set and only gives the first direction.
    Returns the cost reached, with a minus sign where the gap is still above :data:`GAP`.
    """
    p, n = point.shape
    turn_back(vectors, point, theta)
    riccati(theta, Q, R, P, K, pa, gd)
    for _ in range(steps):
        gradient(theta, P, K, start, variance, g, moment, closed, fore)
        turn(vectors, g, slope)
        least_linear(slope, values, center, beta, aim)
        fall = 0.0
        for i in range(p):
            for j in range(n):
                fall += slope[i, j] * (aim[i, j] - point[i, j])
        if now < np.inf and fall >= -GAP * now:
            return now
        share = 1.0
        after = now
        for _ in range(12):
            for i in range(p):
                for j in range(n):
                    trial[i, j] = point[i, j] + share * (aim[i, j] - point[i, j])
            turn_back(vectors, trial, theta)
            riccati(theta, Q, R, P, K, pa, gd)
            after = cost(P, start, variance)
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


@njit(cache=True, nogil=True, error_model="numpy")
def damped_descend(now, vectors, values, center, V, U, beta, Q, R, start, variance, theta, P, K,  # type: ignore[no-untyped-def]
                   moment, closed, fore, pa, gd, M, wide, effort):
    """From ``theta``, a point of the set, by damped steps with momentum; the cost reached.

    Needed where A = 0 is only just excluded: there J* is nearly |A|^2, its gradient fades, and Frank and Wolfe's steps
    go from side to side. The damping of A adapts to the curvature; B, along which J* is nearly linear or concave, moves
    almost freely. Momentum (Nesterov's) is for ridges along which J* hardly falls; it starts again where J* would rise.
    """
    p, n = theta.shape
    right, pull, hat, g, old, origin = wide[1], wide[3], wide[4], wide[5], wide[6], wide[7]
    k_of = np.empty((2, p))
    for i in range(p):
        k_of[0, i] = values[i]
        k_of[1, i] = 0.0
        for j in range(n):
            k_of[1, i] += center[i, j] ** 2
    turn_back(vectors, center, hat)
    copy(theta, old)
    copy(theta, origin)
    damp, momentum = 1.0, 1.0
    small = 0
    for _ in range(effort[0]):
        riccati(origin, Q, R, P, K, pa, gd)  # of the point that the step is from, which may lie outside the set
        gradient(origin, P, K, start, variance, g, moment, closed, fore)
        level = cost(P, start, variance)
        after = now
        for _ in range(30):
            damped_linear(g, origin, damp, LOOSE * damp, V, U, hat, k_of, beta, theta, M, right, pull)
            riccati(theta, Q, R, P, K, pa, gd)
            after = cost(P, start, variance)
            model = level
            for i in range(p):
                for j in range(n):
                    apart = theta[i, j] - origin[i, j]
                    model += g[i, j] * apart + 0.5 * damp * (1.0 if i < n else LOOSE) * apart * apart
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


@njit(cache=True, nogil=True, error_model="numpy")
def nudge(attempt, anchor, axis, vectors, point):  # type: ignore[no-untyped-def]
    """``point`` = ``anchor``, in the eigenbasis, with B moved by NUDGE in direction u along ``axis``, u in R^d.

    The u in the order of ``attempt``: minus and plus every axis, then every pair of axes with its four signs, 2 d^2 in
    all; for d = 2 they go round in steps of 45 degrees.
    """
    p, n = point.shape
    d = p - n
    one, other = attempt // 2, -1
    first, second = 1.0 if attempt & 1 else -1.0, 0.0
    if attempt >= 2 * d:
        pair = (attempt - 2 * d) // 4
        one, other = 0, 1
        for _ in range(pair):
            other += 1
            if other == d:
                one += 1
                other = one + 1
        second = math.sqrt(0.5) if (attempt - 2 * d) & 2 else -math.sqrt(0.5)
        first *= math.sqrt(0.5)
    for i in range(p):
        for j in range(n):
            point[i, j] = anchor[i, j] + first * NUDGE * axis[j] * vectors[n + one, i]
            if other >= 0:
                point[i, j] += second * NUDGE * axis[j] * vectors[n + other, i]


@njit(cache=True, nogil=True, error_model="numpy")
def general_step(V, U, beta, Q, R, start, variance, theta, warm, P, K, wide, square):  # type: ignore[no-untyped-def]
    """Theta~ into ``theta`` (n + d, n); beta < 0: see ``scalar_step``. P and K are written over.

    Parameters
    ----------
    V : (p, p), used up; U : (p, n), p = n + d
    warm : (p, n), a point to start from besides (the previous answer), replaced by the answer
    wide : (8, p, n), square : (3, p, p), to work in
    """
    p, n = theta.shape
    d = p - n
    center, anchor, answer, point, aim = wide[0], wide[1], wide[2], wide[3], wide[4]
    g, slope, trial = wide[5], wide[6], wide[7]
    vectors, kept = square[0], square[1]
    moment, closed, fore, axes = np.empty((n, n)), np.empty((n, n)), np.empty((n, n)), np.empty((n, n))
    values, lengths = np.empty(p), np.empty(n)
    pa, gd = np.empty((p, n)), np.empty((d, p))
    for i in range(p):
        for j in range(p):
            kept[i, j] = V[i, j]
    eigen(V, values, vectors)
    lowest = values[0]
    for i in range(1, p):
        lowest = min(lowest, values[i])
    if not lowest > 0:
        fill(theta, 0.0)
        return LOST
    turn(vectors, U, center)
    for i in range(p):
        for j in range(n):
            center[i, j] /= values[i]
    away = nearest(values, center, anchor)
    if beta < 0 or away > beta * beta:
        turn_back(vectors, anchor, theta)
        return EMPTY
    if still(vectors, values, center, beta, n, theta) or K.shape[0] == 1:
        return STILL
    # the direction of B that helps most where B = 0: an eigenvector of sum_h P A E[x x'] A'P, P = P_{h+1}
    turn_back(vectors, anchor, theta)
    benefit(theta, Q, R, start, variance, P, K, closed, moment, fore, pa, gd)
    eigen(closed, lengths, axes)
    top = 0
    for i in range(1, n):
        if lengths[i] > lengths[top]:
            top = i
    more = 1 if d > 1 else 0
    starts = 1 + 2 * d * d
    every, costs = np.empty((starts, p, n)), np.empty(starts)
    for attempt in range(starts):
        if attempt == 0:
            turn(vectors, warm, every[0])
        else:
            nudge(attempt - 1, anchor, axes[:, top], vectors, every[attempt])
        costs[attempt] = abs(descend(every[attempt], np.inf, 1 + TASTE[more], vectors, values, center, beta, Q, R,
                                     start, variance, theta, P, K, g, slope, aim, trial, moment, closed, fore, pa, gd))
    # a longer look at the best ones that have B on different sides of the estimate: their minima may lie close together
    chosen = np.empty(KEPT[more], dtype=np.int64)
    sides = 0
    while sides < chosen.size:
        found = -1
        for attempt in range(starts):
            if found < 0 or costs[attempt] < costs[found]:
                free = True
                for i in range(sides):
                    free = free and attempt != chosen[i] and apart(every[attempt], every[chosen[i]], center, vectors, n)
                if free:
                    found = attempt
        if found < 0:
            break
        chosen[sides] = found
        sides += 1
    longer, steps = np.int64(LONGER), np.int64(STEPS)  # with literals descend would be compiled for each
    for i in range(sides):
        attempt = chosen[i]
        costs[attempt] = descend(every[attempt], costs[attempt], longer, vectors, values, center, beta, Q, R, start,
                                 variance, theta, P, K, g, slope, aim, trial, moment, closed, fore, pa, gd)
    best = np.inf
    for i in range(sides):
        best = min(best, abs(costs[chosen[i]]))
    followed = 0
    for i in range(sides):
        if more or abs(costs[chosen[i]]) <= best * (1 + CLOSE):
            chosen[followed] = chosen[i]
            followed += 1
    least, done = np.inf, False
    for i in range(followed):
        copy(every[chosen[i]], point)
        now = costs[chosen[i]]
        if now < 0:
            now = descend(point, -now, steps, vectors, values, center, beta, Q, R, start, variance, theta, P, K, g,
                          slope, aim, trial, moment, closed, fore, pa, gd)
        turn_back(vectors, point, theta)
        ended = now > 0
        if not ended:
            now = -now
            if more or followed > 1:
                now = damped_descend(now, vectors, values, center, kept, U, beta, Q, R, start, variance, theta, P, K,
                                     moment, closed, fore, pa, gd, square[2], wide, ROUGH)
        if i == 0 or now < least:
            least, done = now, ended
            copy(theta, answer)
    copy(answer, theta)
    if not done:
        damped_descend(least, vectors, values, center, kept, U, beta, Q, R, start, variance, theta, P, K, moment,
                       closed, fore, pa, gd, square[2], wide, FINE)
    copy(theta, warm)
    return FOUND


@njit(cache=True, nogil=True, error_model="numpy")
def apart(one, two, center, vectors, n):  # type: ignore[no-untyped-def]
    """Whether the B of two points, seen from that of the estimate, include more than some 45 degrees."""
    p = one.shape[0]
    inner, first, second = 0.0, 0.0, 0.0
    for m in range(n, p):
        for j in range(n):
            a, b = 0.0, 0.0
            for i in range(p):
                a += vectors[m, i] * (one[i, j] - center[i, j])
                b += vectors[m, i] * (two[i, j] - center[i, j])
            inner += a * b
            first += a * a
            second += b * b
    return inner <= 0.7 * math.sqrt(first * second)


@njit(cache=True, nogil=True, error_model="numpy")
def benefit(theta, Q, R, start, variance, P, K, result, moment, fore, pa, gd):  # type: ignore[no-untyped-def]
    """sum_h P_{h+1} A E[x_h x_h'] A' P_{h+1} for the A of ``theta``, B = 0, into ``result`` (n, n); P, K replaced."""
    horizon, d, n = K.shape
    for m in range(d):
        for j in range(n):
            theta[n + m, j] = 0.0
    riccati(theta, Q, R, P, K, pa, gd)
    fill(result, 0.0)
    for i in range(n):
        for j in range(n):
            moment[i, j] = start[i] * start[j]
    for h in range(horizon - 1):
        for i in range(n):  # E[x x'] A'
            for j in range(n):
                total = 0.0
                for k in range(n):
                    total += moment[i, k] * theta[k, j]
                fore[i, j] = total
        for i in range(n):
            for j in range(n):
                total = 0.0
                for k in range(n):
                    total += theta[k, i] * fore[k, j]
                moment[i, j] = total
        for i in range(n):
            for j in range(n):
                for k in range(n):
                    for m in range(n):
                        result[i, j] += P[h + 1, i, k] * moment[k, m] * P[h + 1, m, j]
        for i in range(n):
            moment[i, i] += variance


@njit(cache=True, nogil=True, error_model="numpy")
def still(vectors, values, center, beta, n, theta):  # type: ignore[no-untyped-def]
    """Whether the set holds a Theta with A = 0; the one nearest to the estimate into ``theta``.

    Least of sum v_i |(E' Theta)_i - c_i|^2 over B with ||B||_F <= 1: (W + mu) B = (E_u' v c), W = V_uu.
    """
    p = values.size
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
    turn(basis, right, turned)
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
    turn_back(basis, turned, right)
    fill(theta, 0.0)
    for i in range(d):
        for j in range(n):
            theta[n + i, j] = right[i, j]
    distance = 0.0
    for k in range(p):
        for j in range(n):
            total = -center[k, j]
            for i in range(d):
                total += vectors[n + i, k] * right[i, j]
            distance += values[k] * total * total
    return distance <= beta * beta
