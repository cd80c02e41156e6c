"""Naive transcriptions of the successors' plans, in plain NumPy; they share no helper with the kernels."""

import numpy as np


def private_ucbvi_plan(made, H, S, A):
    """``made``: the agent's calibration. r and m are released; n, which is not, is not read."""

    def plan(n, r, m):
        V = np.zeros((H + 1, S))
        Q = np.zeros((H, S, A))
        for h in reversed(range(H)):
            for s in range(S):
                for a in range(A):
                    seen = sum(m[h, s, a])
                    if seen <= 0:
                        Q[h, s, a] = H - h
                        continue
                    total = r[h, s, a] + made.widths[h]
                    total += sum(V[h + 1, k] * max(m[h, s, a, k], 0) for k in range(S))
                    total += made.factors[h] * np.sqrt(max(seen + made.surplus, 0))
                    Q[h, s, a] = min(H - h, max(0, total / seen))
                V[h, s] = Q[h, s].max()
        return Q

    return plan


def water_level(m, wanted):
    """tau with sum of max(m + tau, 0) = wanted > 0, by sorting."""
    above = np.sort(m)[::-1]
    levels = (wanted - np.cumsum(above)) / np.arange(1, above.size + 1)
    return max(level for level, least in zip(levels, above, strict=True) if least + level > 0)


def distribution(m, n, e):
    """Counts of next states that sum to within e of n, nearest to m in the largest entry, and 2e in equal parts."""
    if n + e < 0:
        return None
    shift, held = 0.0, np.maximum(m, 0).sum()
    if not n - e <= held <= n + e:
        wanted = min(max(held, n - e), n + e)
        shift = water_level(m, wanted) if wanted > 0 else -np.abs(m).max()
    return np.maximum(m + shift, 0) + 2 * e / m.size


def dp_ucbvi_plan(made, H, S, A):
    """``made``: the agent's calibration."""

    def plan(n, r, m):
        V = np.zeros((H + 1, S))
        Q = np.zeros((H, S, A))
        for h in reversed(range(H)):
            k = H - 1 - h
            for s in range(S):
                for a in range(A):
                    counts = distribution(m[h, s, a], n[h, s, a], made.error)
                    if counts is None or counts.sum() <= 0:
                        Q[h, s, a] = H - h
                        continue
                    N = counts.sum()
                    P = counts / N
                    spread = np.sqrt(N * (P @ (V[h + 1] - P @ V[h + 1]) ** 2))
                    bonus = made.reward * np.sqrt(N) + 5 * made.error + made.constant * k
                    bonus += max(made.deviation * spread, made.deviation**2 * k)
                    Q[h, s, a] = min(H - h, max(0, r[h, s, a] / N + P @ V[h + 1] + bonus / N))
                V[h, s] = Q[h, s].max()
        return Q

    return plan
