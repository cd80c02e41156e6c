"""Naive transcriptions for the LQ agents, in plain NumPy; they share no helper with the kernels.

``certified_minimum`` is a branch and bound for equation 9 with n = d = 1: a lower bound of the global minimum that is
valid whatever the kernel thinks of the shape of the problem.
"""

import numpy as np
from scipy.optimize import brentq

from privrl.diagnose.lq import disturbances


def dp(A, B, Q, R, H):
    """Costs to go and gains, from dynamic programming over x'Px: list of P (last one zero) and list of K."""
    P, Ks, Ps = np.zeros_like(Q), [], [np.zeros_like(Q)]
    for _ in range(H):
        K = -np.linalg.inv(R + B.T @ P @ B) @ B.T @ P @ A
        P = Q + K.T @ R @ K + (A + B @ K).T @ P @ (A + B @ K)
        Ks.insert(0, K)
        Ps.insert(0, P)
    return Ps, Ks


def expected_cost(A, B, Q, R, x, var, Ks):
    """Cost of u = K_h x from second moments of the state, forwards."""
    S, total = np.outer(x, x), 0.0
    for K in Ks:
        total += np.trace((Q + K.T @ R @ K) @ S)
        S = (A + B @ K) @ S @ (A + B @ K).T + var * np.eye(len(x))
    return total


def optimal_cost(theta, system):
    """J_1^* of equation 5."""
    n = system.states
    Ps, _ = dp(theta[:n].T, theta[n:].T, system.Q, system.R, system.horizon)
    return system.start @ Ps[0] @ system.start + system.variance * sum(np.trace(P) for P in Ps[1:])


def scalar_cost(a, b, system):
    """The same for n = d = 1, for arrays and for complex numbers."""
    q, r = system.Q[0, 0], system.R[0, 0]
    P, total = q + 0 * a, 0 * a
    for _ in range(system.horizon - 1):
        total, P = total + P, q + a * a * r * P / (r + b * b * P)
    return system.start[0] ** 2 * P + system.variance * total


def scalar_optimist(V, U, beta, system, tie, grid=2001):
    """Theta~ for n = d = 1 on the edges of the ellipse, from a fine grid and the zero of a complex-step derivative."""
    hat = np.linalg.solve(V, U)[:, 0]
    # can a be 0? the nearest b in [-1, 1] by a grid would do; the quadratic has it exactly
    b0 = np.clip(hat[1] + V[0, 1] / V[1, 1] * hat[0], -1, 1)
    d = np.array([0.0, b0]) - hat
    if d @ V @ d <= beta**2:
        return np.array([0.0, b0]), "still"
    L = np.linalg.inv(np.linalg.cholesky(V)).T

    def at(angle):
        return [hat[i] + beta * (L[i, 0] * np.cos(angle) + L[i, 1] * np.sin(angle)) for i in (0, 1)]

    def slope(angle):
        a, b = at(angle + 1e-30j)
        return scalar_cost(a, b, system).imag / 1e-30

    angles = np.linspace(0, 2 * np.pi, grid)
    a, b = at(angles)
    values = np.where(a * a + b * b <= 1, scalar_cost(a, b, system), np.inf)
    low = np.flatnonzero((values <= np.roll(values, 1)) & (values <= np.roll(values, -1)) & (values < np.inf))
    found = []
    for angle in angles[low]:
        left, right = angle - angles[1], angle + angles[1]
        found.append(at(angle))
        if slope(left) < 0 < slope(right):
            found.append(at(brentq(slope, left, right, xtol=1e-15)))
        for end in (left, right):  # a corner with the unit circle
            if sum(x * x for x in at(end)) > 1:
                found.append(at(brentq(lambda t: sum(x * x for x in at(t)) - 1, angle, end, xtol=1e-15)))
    found = [np.array(point) for point in found if sum(x * x for x in point) <= 1 + 1e-13]
    costs = np.array([scalar_cost(*point, system) for point in found])
    equal = [point for point, cost in zip(found, costs, strict=True) if cost <= costs.min() * (1 + 1e-13)]
    equal = [point for point in equal if abs(point[1]) >= max(abs(one[1]) for one in equal) * 0.999]
    return (min if tie < 0.5 else max)(equal, key=lambda point: point[1]), "found"


def certified_minimum(V, U, beta, system, tolerance=1e-8):
    """(lower, upper): the minimum of equation 9 lies between, for n = d = 1; both inf when the set is empty.

    The ellipse is cut into slices of constant b = b^ + wide sin t. On a cell of t the values of b and of a have
    explicit ranges, and J* grows with a^2 and falls with b^2. Ranges are widened by more than their rounding errors.
    """
    (v, c), (_, w) = V
    det = v * w - c * c
    a_hat, b_hat = np.linalg.solve(V, U)[:, 0]
    lean, wide, near = c / v, beta * np.sqrt(v / det), beta / np.sqrt(v)
    slack = 1e-12 * (1 + abs(a_hat) + abs(b_hat) + abs(lean) * wide + near + wide)
    low, high = np.array([-np.pi / 2]), np.array([np.pi / 2])
    upper = np.inf
    for _ in range(60):
        s1, s2 = np.sin(low), np.sin(high)
        cos = np.where(low * high <= 0, 1.0, np.maximum(np.cos(low), np.cos(high)))
        b1, b2 = b_hat + wide * s1 - slack, b_hat + wide * s2 + slack
        lean1, lean2 = np.minimum(lean * wide * s1, lean * wide * s2), np.maximum(lean * wide * s1, lean * wide * s2)
        a1, a2 = a_hat - lean2 - near * cos - slack, a_hat - lean1 + near * cos + slack
        least_a = np.where(a1 * a2 <= 0, 0.0, np.minimum(abs(a1), abs(a2)))
        least_b = np.where(b1 * b2 <= 0, 0.0, np.minimum(abs(b1), abs(b2)))
        most_b = np.minimum(1.0, np.maximum(abs(b1), abs(b2)))
        bound = scalar_cost(least_a, most_b, system) * (1 - 1e-13)
        # points of the set: the ends of the slice in the middle of the cell, and a = 0 in it
        middle = (low + high) / 2
        b = b_hat + wide * np.sin(middle)
        axis, half = a_hat - lean * wide * np.sin(middle), near * np.cos(middle)
        room = np.sqrt(np.maximum(0, 1 - b * b))
        first, last = np.maximum(axis - half, -room), np.minimum(axis + half, room)
        a = np.clip(0.0, first, np.maximum(first, last))
        inside = (first <= last) & (abs(b) <= 1)
        upper = min(upper, np.where(inside, scalar_cost(a, b, system), np.inf).min(initial=np.inf))
        kept = (least_a**2 + least_b**2 <= 1) & (bound < upper * (1 - tolerance))
        if not kept.any():
            return (upper * (1 - tolerance), upper) if upper < np.inf else (np.inf, np.inf)
        low, high, middle = low[kept], high[kept], middle[kept]
        low, high = np.concatenate((low, middle)), np.concatenate((middle, high))
    raise AssertionError("the bounds did not meet")


def scalar_choice(system, planner, tie):
    """Line 5 for n = d = 1: the optimist, or the estimate itself."""

    def choose(k, V, U, radius):
        if planner == "optimistic":
            return scalar_optimist(V, U, radius, system, tie)[0][:, None]
        theta = np.linalg.solve(V, U)
        assert np.sum(theta * theta) <= 1
        return theta

    return choose


def play(system, made, noise, coins_to_noise, choose):
    """Algorithm 1 for any n and d, the choice of line 5 left to ``choose(k, V, U, radius)``; gains, regret, radii."""
    n, d, H = system.states, system.controls, system.horizon
    p = n + d
    G, X = np.zeros((p, p)), np.zeros((p, n))
    best = optimal_cost(system.theta, system)
    out = []
    for k in range(len(noise)):
        N, upper = np.zeros((p, p)), p * (p + 1) // 2
        N[np.triu_indices(p)] = made.sigma_gram * noise[k, :upper]
        N = N + N.T - np.diag(np.diag(N))
        V = G + N + made.eta * np.eye(p)
        U = X + made.sigma_cross * noise[k, upper:].reshape(p, n)
        inner = np.eye(p) + G / made.lambda_min if made.exact else V / made.lambda_min
        radius = system.c_w * np.sqrt(made.logarithm + n * max(0.0, np.linalg.slogdet(inner)[1]))
        radius += np.sqrt(made.lambda_max) + made.nu
        theta = choose(k, V, U, radius)
        _, Ks = dp(theta[:n].T, theta[n:].T, system.Q, system.R, H)
        Ks = [K * min(1.0, made.clip / max(np.linalg.norm(K, 2), 1e-300)) for K in Ks]
        lost = expected_cost(system.A, system.B, system.Q, system.R, system.start, system.variance, Ks) - best
        out.append((np.array(Ks), lost, radius))
        x = system.start
        for K, w in zip(Ks, coins_to_noise[k], strict=True):
            z = np.concatenate((x, K @ x))
            x = system.A @ z[:n] + system.B @ z[n:] + w
            G += np.outer(z, z)
            X += np.outer(z, x)
    return [np.array(column) for column in zip(*out, strict=True)]


def trajectories(system, gains, coins):
    """States (K, H + 1, n) and controls (K, H, d) under the gains (K, H, d, n) and the uniforms (K, system.coins)."""
    noise = disturbances(system, coins)
    x = np.tile(system.start, (len(gains), 1))
    states, controls = [x], []
    for h in range(system.horizon):
        controls.append(np.einsum("kij,kj->ki", gains[:, h], x))
        x = x @ system.A.T + controls[-1] @ system.B.T + noise[:, h]
        states.append(x)
    return np.stack(states, axis=1), np.stack(controls, axis=1)
