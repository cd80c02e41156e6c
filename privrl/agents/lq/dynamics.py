"""Compiled pieces of the LQ agents: Riccati recursion, gradient of the optimal cost, noise from
uniforms, regret.

Theta = [A, B]' has shape (n + d, n) throughout. Plain loops: the matrices are too small for a
library call.
"""

import math

from privrl.agents.compiled import kernel
from privrl.agents.lq.ellipsoid import copy, multiply
from privrl.agents.lq.records import LQWorld, Moments
from privrl.types import FloatArray

TAU = 2 * math.pi


@kernel
def riccati(
    theta: FloatArray,
    Q: FloatArray,
    R: FloatArray,
    P: FloatArray,
    K: FloatArray,
    pa: FloatArray,
    g: FloatArray,
) -> None:
    """P (H + 1, n, n) and K (H, d, n) of equations 3 and 4; scratch ``pa`` (p, n), ``g`` (d, p)."""
    horizon, d, n = K.shape
    P[horizon], K[horizon - 1] = 0.0, 0.0
    copy(Q, P[horizon - 1])
    for h in range(horizon - 2, -1, -1):
        multiply(theta, P[h + 1], pa)
        for i in range(
            d
        ):  # the system G K = -F, G = R + B'PB, F = B'PA, by elimination: G is positive definite
            for j in range(d):
                total = R[i, j]
                for k in range(n):
                    total += pa[n + i, k] * theta[n + j, k]
                g[i, j] = total
            for j in range(n):
                total = 0.0
                for k in range(n):
                    total += pa[n + i, k] * theta[j, k]
                g[i, d + j] = total
        for i in range(d):
            inverse = 1.0 / g[i, i]
            for k in range(i + 1, d):
                factor = g[k, i] * inverse
                for j in range(i + 1, d + n):
                    g[k, j] -= factor * g[i, j]
        for i in range(d - 1, -1, -1):
            inverse = 1.0 / g[i, i]
            for j in range(n):
                total = -g[i, d + j]
                for k in range(i + 1, d):
                    total -= g[i, k] * K[h, k, j]
                K[h, i, j] = total * inverse
        for i in range(n):  # Q + A'P(A + BK), symmetric
            for j in range(i, n):
                total = Q[i, j]
                for k in range(n):
                    closed = theta[j, k]
                    for m in range(d):
                        closed += theta[n + m, k] * K[h, m, j]
                    total += pa[i, k] * closed
                P[h, i, j] = total
                P[h, j, i] = total


@kernel
def cost(P: FloatArray, start: FloatArray, variance: float) -> float:
    """J_1^* from its Riccati matrices (equation 5)."""
    horizon, n = P.shape[0] - 1, P.shape[1]
    total = 0.0
    for h in range(1, horizon):
        for i in range(n):
            total += P[h, i, i]
    total *= variance
    for i in range(n):
        for j in range(n):
            total += start[i] * P[0, i, j] * start[j]
    return total


@kernel
def square_of(vector: FloatArray, target: FloatArray) -> None:
    """``target`` = x x'."""
    for i in range(vector.size):
        for j in range(vector.size):
            target[i, j] = vector[i] * vector[j]


@kernel
def follow(
    A: FloatArray, B: FloatArray, gain: FloatArray, variance: float, moments: Moments
) -> None:
    """E[x x'] one step on: (A + B gain) E[x x'] (A + B gain)' + variance I; E[x x'] (A + B gain)'
    stays in ``fore``."""
    moment, closed, fore = moments
    d, n = gain.shape
    for i in range(n):
        for j in range(n):
            total = A[i, j]
            for m in range(d):
                total += B[i, m] * gain[m, j]
            closed[i, j] = total
    multiply(moment, closed.T, fore)
    for i in range(n):
        for j in range(n):
            total = variance if i == j else 0.0
            for k in range(n):
                total += closed[i, k] * fore[k, j]
            moment[i, j] = total


@kernel
def gradient(
    theta: FloatArray,
    P: FloatArray,
    K: FloatArray,
    start: FloatArray,
    variance: float,
    grad: FloatArray,
    moments: Moments,
) -> None:
    """d J_1^*/d Theta = 2 sum_h E[z_h z_h'] Theta P_{h+1} into ``grad`` (n + d, n).

    The policy is optimal, so its own derivative drops out; what is left is that of the dynamics.
    """
    horizon, d, n = K.shape
    square_of(start, moments.moment)
    grad[:] = 0.0
    for h in range(horizon - 1):
        follow(theta[:n].T, theta[n:].T, K[h], variance, moments)
        for j in range(n):
            for i in range(n):
                total = 0.0
                for k in range(n):
                    total += moments.fore[i, k] * P[h + 1, k, j]
                total *= 2
                grad[i, j] += total
                for m in range(d):
                    grad[n + m, j] += K[h, m, i] * total


@kernel
def loss(K: FloatArray, world: LQWorld, moments: Moments) -> float:
    """Expected cost of the gains K minus the optimum: sum_h tr (K_h - K*_h)' G_h (K_h - K*_h) E[x_h
    x_h'].

    K*_h and G_h = R + B'P_{h+1}B are ``best`` and ``weights`` of the world.
    """
    horizon, d, n = K.shape
    moment, best, weights = moments.moment, world.best, world.weights
    square_of(world.start, moment)
    result = 0.0
    for h in range(horizon):
        for i in range(d):
            for j in range(d):
                inner = 0.0
                for k in range(n):
                    for m in range(n):
                        inner += (
                            (K[h, i, k] - best[h, i, k])
                            * moment[k, m]
                            * (K[h, j, m] - best[h, j, m])
                        )
                result += weights[h, i, j] * inner
        follow(world.A, world.B, K[h], world.variance, moments)
    return result


@kernel
def clip_gains(K: FloatArray, gamma: float, scratch: tuple[FloatArray, FloatArray]) -> int:
    """Scale every gain to operator norm at most ``gamma``; how many were larger. ``scratch`` is two
    (n, n).

    The norm is found by repeated squaring of K'K, whose trace is an upper bound that the powers
    tighten: the gain that is played is never above gamma, and below it by a factor of 1e-9 at most.
    """
    horizon, d, n = K.shape
    clipped = 0
    for h in range(horizon):
        square = 0.0
        for i in range(d):
            for j in range(n):
                square += K[h, i, j] * K[h, i, j]
        if square <= gamma * gamma:  # Frobenius norm: the common case
            continue
        norm = math.sqrt(operator_square(K, h, scratch[0], scratch[1]))
        if norm > gamma:
            clipped += 1
            for i in range(d):
                for j in range(n):
                    K[h, i, j] *= gamma / norm
    return clipped


@kernel
def operator_square(K: FloatArray, h: int, power_of: FloatArray, square: FloatArray) -> float:
    """||K_h||^2 from above, to 1e-9: (trace of (K'K)^(2^k))^(2^-k), n^(2^-k) - 1 too large at
    most."""
    n = K.shape[2]
    multiply(K[h].T, K[h], power_of)
    log_norm, power = 0.0, 1.0
    for _ in range(32):
        trace = 0.0
        for i in range(n):
            trace += power_of[i, i]
        if not trace > 0:
            return 0.0
        log_norm += math.log(trace) / power
        multiply(power_of, power_of, square)
        for i in range(n):
            for j in range(n):
                power_of[i, j] = square[i, j] / (trace * trace)
        power *= 2
    return math.exp(log_norm)


@kernel
def cosine_quantile(uniform: float) -> float:
    """Quantile of the density cos^2(pi w / 2) on [-1, 1], whose distribution function is (1 + w +
    sin(pi w)/pi)/2.

    With s = pi (1 - |w|): s - sin s = 2 pi min(uniform, 1 - uniform), convex; Newton after the
    series in the cube root.
    """
    tail = TAU * min(uniform, 1 - uniform)
    root: float = (6 * tail) ** (1 / 3)
    s = min(root * (1 + root * root * (1 / 60 + root * root / 1400)), math.pi)
    for _ in range(
        20 if root > 0.01 else 0
    ):  # below that the series is exact, and s - sin s is not
        change = (s - math.sin(s) - tail) / (1 - math.cos(s))
        s -= change
        if abs(change) <= 1e-9:  # squared in the next step
            break
    return s / math.pi - 1 if uniform < 0.5 else 1 - s / math.pi


@kernel
def disturbance(
    law: int, radius: float, coins: FloatArray, row: int, at: int, noise: FloatArray
) -> None:
    """w_h into ``noise`` (n,) from the uniforms coins[row, at:]; laws 0 ball, 1 sphere, 2 box, 3
    rademacher, 4 cosine (indices into ``privrl.environments.lq.NOISES``)."""
    n = noise.size
    if law >= 2 or n == 1:
        side = radius / math.sqrt(n)
        for i in range(n):
            uniform = coins[row, at + i]
            if law in (0, 2):
                noise[i] = side * (2 * uniform - 1)
            elif law == 4:
                noise[i] = side * cosine_quantile(uniform)
            else:
                noise[i] = side if uniform >= 0.5 else -side
        return
    length = radius
    if n == 2:
        if law == 0:
            length *= math.sqrt(coins[row, at + 1])
        noise[0] = length * math.cos(TAU * coins[row, at])
        noise[1] = length * math.sin(TAU * coins[row, at])
        return
    square = 0.0
    for i in range(0, n, 2):  # Box and Muller
        far = math.sqrt(-2 * math.log(1 - coins[row, at + i]))
        angle = TAU * coins[row, at + i + 1]
        noise[i] = far * math.cos(angle)
        square += noise[i] ** 2
        if i + 1 < n:
            noise[i + 1] = far * math.sin(angle)
            square += noise[i + 1] ** 2
    if not square > 0:  # all uniforms were zero
        noise[0], square = 1.0, 1.0
    if law == 0:
        length *= coins[row, at + 2 * ((n + 1) // 2)] ** (1.0 / n)
    for i in range(n):
        noise[i] *= length / math.sqrt(square)
