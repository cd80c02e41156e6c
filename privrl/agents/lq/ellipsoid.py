"""Least points over the set of the optimistic step: an ellipsoid of V intersected with a ball;
small dense algebra.

Jacobi and Cholesky are by hand: decisions hang on their last bits, and LAPACK's depend on the
processor.
"""

import math

from privrl.agents.compiled import kernel
from privrl.agents.lq.records import Region
from privrl.types import FloatArray

#: low, high, value at low > 0, value at high
Bracket = tuple[float, float, float, float]


@kernel
def copy(source: FloatArray, target: FloatArray) -> None:
    """``target`` = ``source``, entry by entry."""
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[i, j] = source[i, j]


@kernel
def eigen(V: FloatArray, values: FloatArray, vectors: FloatArray) -> None:
    """Eigenvalues into ``values`` (p,), eigenvectors into the columns of ``vectors`` (p, p):
    Jacobi; V is used up."""
    p = values.size
    size = 0.0
    for i in range(p):
        for j in range(p):
            vectors[i, j] = 1.0 if i == j else 0.0
            size = max(size, abs(V[i, j]))
    for _ in range(50):
        largest = 0.0  # off the diagonal
        for i in range(p):
            for j in range(i + 1, p):
                largest = max(largest, abs(V[i, j]))
        if largest <= 1e-16 * size:
            break
        for i in range(p - 1):
            for j in range(i + 1, p):
                if V[i, j] == 0.0:
                    continue
                ratio = (V[j, j] - V[i, i]) / (2 * V[i, j])
                t = (1.0 if ratio >= 0 else -1.0) / (abs(ratio) + math.sqrt(ratio * ratio + 1))
                c = 1 / math.sqrt(t * t + 1)
                s = t * c
                for k in range(p):
                    first, two = V[k, i], V[k, j]
                    V[k, i], V[k, j] = c * first - s * two, s * first + c * two
                for k in range(p):
                    first, two = V[i, k], V[j, k]
                    V[i, k], V[j, k] = c * first - s * two, s * first + c * two
                for k in range(p):
                    first, two = vectors[k, i], vectors[k, j]
                    vectors[k, i], vectors[k, j] = c * first - s * two, s * first + c * two
    for i in range(p):
        values[i] = V[i, i]


@kernel
def multiply(factor: FloatArray, right: FloatArray, target: FloatArray) -> None:
    """``target`` = left right; with the eigenvectors of V (or their transpose) on the left, a
    change of basis."""
    for i in range(factor.shape[0]):
        for j in range(right.shape[1]):
            total = 0.0
            for k in range(factor.shape[1]):
                total += factor[i, k] * right[k, j]
            target[i, j] = total


@kernel
def factorise(M: FloatArray) -> None:
    """Cholesky's factor of a positive definite matrix into its lower triangle, one over the
    diagonal."""
    p = M.shape[0]
    for j in range(p):
        total = M[j, j]
        for k in range(j):
            total -= M[j, k] * M[j, k]
        inverse = 1.0 / math.sqrt(max(total, 1e-300))
        M[j, j] = inverse
        for i in range(j + 1, p):
            total = M[i, j]
            for k in range(j):
                total -= M[i, k] * M[j, k]
            M[i, j] = total * inverse


@kernel
def backsolve(M: FloatArray, right: FloatArray) -> None:
    """Solve with the factor of :func:`factorise`, in place; right (p, n)."""
    p, n = right.shape
    for j in range(n):
        for i in range(p):
            total = right[i, j]
            for k in range(i):
                total -= M[i, k] * right[k, j]
            right[i, j] = total * M[i, i]
        for i in range(p - 1, -1, -1):
            total = right[i, j]
            for k in range(i + 1, p):
                total -= M[k, i] * right[k, j]
            right[i, j] = total * M[i, i]


@kernel
def narrowed(bracket: Bracket, side: int, t: float, value: float) -> tuple[Bracket, int]:
    """The bracket (low, high, value at low > 0, value at high) with ``t`` as an end; and 1 where
    that is low, else -1.

    Regula falsi with Illinois' halving: the value at an end that stays for a second time counts
    half.
    """
    low, high, at_low, at_high = bracket
    if value > 0:
        return (t, high, value, at_high / 2 if side > 0 else at_high), 1
    return (low, t, at_low / 2 if side < 0 else at_low, value), -1


@kernel
def least_linear(
    g: FloatArray, values: FloatArray, center: FloatArray, beta: float, result: FloatArray
) -> None:
    """argmin of <g, Y> over sum v_i |Y_i - c_i|^2 <= beta^2 and |Y| <= 1, a set with inner points,
    into ``result``.

    The weighted mean q of both constraints, with weight t for the ball, is an ellipsoid around the
    set. Its least is explicit, and at the right t fulfils both with equality: the largest of these
    lower bounds. The difference of the two norms falls in t; :func:`narrowed` and a bisection now
    and then.
    """
    p, n = g.shape
    bracket, side, t = (0.0, 1.0, 0.0, 0.0), 0, 0.0
    inverse = 1 / (beta * beta)
    for turns in range(64):
        norm, level = 0.0, 1.0
        for i in range(p):
            weight = (1 - t) * values[i] * inverse
            total = weight + t
            squares, middles = 0.0, 0.0
            for j in range(n):
                squares += g[i, j] * g[i, j]
                middles += center[i, j] * center[i, j]
            norm += squares / total
            level -= weight * middles * (t / total)
        scale = math.sqrt(max(level, 0.0) / norm) if norm > 0 else 0.0
        ball, ellipsoid = 0.0, 0.0
        for i in range(p):
            weight = (1 - t) * values[i] * inverse
            total = weight + t
            for j in range(n):
                entry = (weight * center[i, j] - scale * g[i, j]) / total
                result[i, j] = entry
                ball += entry * entry
                ellipsoid += values[i] * inverse * (entry - center[i, j]) ** 2
        excess = math.sqrt(ball) - math.sqrt(ellipsoid)
        if turns == 0:
            if ball <= 1:
                return
            bracket, t = (0.0, 1.0, excess, 0.0), 1.0
            continue
        if turns == 1:
            if ellipsoid <= 1:
                return
            bracket = (0.0, 1.0, bracket[2], excess)
        else:
            bracket, side = narrowed(bracket, side, t, excess)
        low, high, at_low, at_high = bracket
        if turns > 1 and (abs(excess) < 1e-13 or high - low <= 1e-15 * t):
            return
        t = (low + high) / 2 if turns % 4 == 3 else low + at_low / (at_low - at_high) * (high - low)


@kernel
def damped_linear(
    g: FloatArray,
    origin: FloatArray,
    damps: tuple[float, float],
    region: Region,
    hat: FloatArray,
    k_of: FloatArray,
    result: FloatArray,
    scratch: tuple[FloatArray, FloatArray, FloatArray],
) -> None:
    """argmin of <g, T> + damp_0/2 |A - A_0|^2 + damp_1/2 |B - B_0|^2 over the set, for T = [A, B]',
    into ``result``.

    As :func:`least_linear`: one multiplier for the weighted mean of both constraints (Newton on one
    over the norm), and the weight t that fulfils both with equality (regula falsi). ``k_of`` (2,
    p): eigenvalues of V, squared lengths of the estimate in its eigenbasis; ``hat`` is the
    estimate.
    """
    p, n = g.shape
    V, U, beta = region.V, region.U, region.beta
    M, right, pull = scratch
    bracket, side, t = (0.0, 1.0, 0.0, 0.0), 0, 0.0
    for turns in range(40):
        share = (1 - t) / (beta * beta)
        least = 0.0
        for i in range(p):
            least += share * k_of[0, i] * t / (share * k_of[0, i] + t) * k_of[1, i]
        radius = math.sqrt(max(1 - least, 1e-300))
        mu = 0.0
        ball, ellipsoid = 0.0, 0.0
        for _ in range(50):
            for i in range(p):
                damp = damps[0] if i < n else damps[1]
                for j in range(p):
                    M[i, j] = mu * share * V[i, j]
                M[i, i] += mu * t + damp
                for j in range(n):
                    right[i, j] = mu * share * U[i, j] + damp * origin[i, j] - g[i, j]
            factorise(M)
            copy(right, result)
            backsolve(M, result)
            ball, ellipsoid = -1.0, -1.0
            for i in range(p):
                for j in range(n):
                    total = 0.0
                    for k in range(p):
                        total += V[i, k] * (result[k, j] - hat[k, j])
                    ellipsoid += total * (result[i, j] - hat[i, j]) / (beta * beta)
                    ball += result[i, j] ** 2
                    pull[i, j] = share * total + t * result[i, j]
                    right[i, j] = pull[i, j]
            value = (1 - t) * ellipsoid + t * ball
            if value <= 1e-13:
                break
            backsolve(M, right)
            curve = 0.0
            for i in range(p):
                for j in range(n):
                    curve += right[i, j] * pull[i, j]
            square = value + radius * radius
            step = square / curve * (math.sqrt(square) / radius - 1)
            if step <= 1e-15 * mu:
                break
            mu += step
        phi = ball - ellipsoid
        if turns == 0:
            if ball <= 1e-12:
                return
            bracket, t = (0.0, 1.0, phi, 0.0), 1.0
            continue
        if turns == 1:
            if ellipsoid <= 1e-12:
                return
            bracket = (0.0, 1.0, bracket[2], phi)
        else:
            bracket, side = narrowed(bracket, side, t, phi)
        low, high, phi_low, phi_high = bracket
        if turns > 1 and (abs(phi) < 1e-11 or high - low <= 1e-15):
            return
        t = (
            (low + high) / 2
            if turns % 6 == 5
            else low + phi_low / (phi_low - phi_high) * (high - low)
        )


@kernel
def nearest(values: FloatArray, center: FloatArray, point: FloatArray) -> float:
    """The point of the unit ball nearest to ``center`` in the norm of V, and its squared distance:
    Newton on 1/|Y|."""
    p, n = center.shape
    mu, away = 0.0, 0.0
    for _ in range(100):
        square, curve = 0.0, 0.0
        for i in range(p):
            for j in range(n):
                point[i, j] = values[i] * center[i, j] / (values[i] + mu)
                square += point[i, j] ** 2
                curve += point[i, j] ** 2 / (values[i] + mu)
        norm = math.sqrt(square)
        if norm <= 1 + 1e-14:
            break
        mu += square / curve * (norm - 1)
    for i in range(p):
        for j in range(n):
            away += values[i] * (point[i, j] - center[i, j]) ** 2
    return away
