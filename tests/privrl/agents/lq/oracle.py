"""Naive transcriptions for the LQ agents, in plain NumPy; they share no helper with the kernels.

``certified_minimum`` is a branch and bound for equation 9 with n = d = 1: a lower bound of the
global minimum that is valid whatever the kernel thinks of the shape of the problem.
"""

import numpy as np


def dp(A, B, Q, R, H):
    """Costs to go and gains, from dynamic programming over x'Px: list of P (last one zero) and list
    of K."""
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


def certified_minimum(V, U, beta, system, tolerance=1e-8):
    """(lower, upper): the minimum of equation 9 lies between, for n = d = 1; both inf when the set
    is empty.

    The ellipse is cut into slices of constant b = b^ + wide sin t. On a cell of t the values of b
    and of a have explicit ranges, and J* grows with a^2 and falls with b^2. Ranges are widened by
    more than their rounding errors.
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
        lean1, lean2 = (
            np.minimum(lean * wide * s1, lean * wide * s2),
            np.maximum(lean * wide * s1, lean * wide * s2),
        )
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
        undecided = (least_a**2 + least_b**2 <= 1) & (bound < upper * (1 - tolerance))
        if not undecided.any():
            return (upper * (1 - tolerance), upper) if upper < np.inf else (np.inf, np.inf)
        low, high, middle = low[undecided], high[undecided], middle[undecided]
        low, high = np.concatenate((low, middle)), np.concatenate((middle, high))
    raise AssertionError("the bounds did not meet")


def play(system, calibration, noise, coins_to_noise, choose):
    """Algorithm 1 for any n and d, the choice of line 5 left to ``choose(k, V, U, radius)``; gains
    and regret."""
    n, d, H = system.states, system.controls, system.horizon
    p = n + d
    G, X = np.zeros((p, p)), np.zeros((p, n))
    best = optimal_cost(system.theta, system)
    out = []
    for k in range(len(noise)):
        N, upper = np.zeros((p, p)), p * (p + 1) // 2
        N[np.triu_indices(p)] = calibration.sigma_gram * noise[k, :upper]
        N = N + N.T - np.diag(np.diag(N))
        V = G + N + calibration.eta * np.eye(p)
        U = X + calibration.sigma_cross * noise[k, upper:].reshape(p, n)
        inner = (
            np.eye(p) + G / calibration.lambda_min
            if calibration.exact
            else V / calibration.lambda_min
        )
        radius = system.c_w * np.sqrt(
            calibration.logarithm + n * max(0.0, np.linalg.slogdet(inner)[1])
        )
        radius += np.sqrt(calibration.lambda_max) + calibration.nu
        theta = choose(k, V, U, radius)
        _, Ks = dp(theta[:n].T, theta[n:].T, system.Q, system.R, H)
        Ks = [K * min(1.0, calibration.clip / max(np.linalg.norm(K, 2), 1e-300)) for K in Ks]
        lost = (
            expected_cost(system.A, system.B, system.Q, system.R, system.start, system.variance, Ks)
            - best
        )
        out.append((np.array(Ks), lost))
        x = system.start
        for K, w in zip(Ks, coins_to_noise[k], strict=True):
            z = np.concatenate((x, K @ x))
            x = system.A @ z[:n] + system.B @ z[n:] + w
            G += np.outer(z, z)
            X += np.outer(z, x)
    return [np.array(column) for column in zip(*out, strict=True)]
