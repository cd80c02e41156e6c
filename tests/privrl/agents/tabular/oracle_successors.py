"""Naive transcriptions of the successors' plans, in plain NumPy; they share no helper with the kernels."""

import numpy as np

from tests.privrl.agents.tabular.oracle import backwards


def private_ucbvi_plan(made, H, S, A):
    """``made``: the agent's calibration. r and m are released; n, which is not, is not read."""

    def cell(n, r, m, h, V):
        seen = sum(m)
        if seen <= 0:
            return H - h
        total = r + made.widths[h]
        total += sum(V[k] * max(m[k], 0) for k in range(S))
        total += made.factors[h] * np.sqrt(max(seen + made.surplus, 0))
        return min(H - h, max(0, total / seen))

    return backwards(cell, H, S, A)


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

    def cell(n, r, m, h, V):
        k, counts = H - 1 - h, distribution(m, n, made.error)
        if counts is None or counts.sum() <= 0:
            return H - h
        N = counts.sum()
        P = counts / N
        spread = np.sqrt(N * (P @ (V - P @ V) ** 2))
        bonus = made.reward * np.sqrt(N) + 5 * made.error + made.constant * k
        bonus += max(made.deviation * spread, made.deviation**2 * k)
        return min(H - h, max(0, r / N + P @ V + bonus / N))

    return backwards(cell, H, S, A)
