"""Naive transcriptions of the pseudo-code, in plain NumPy; they share no helper with the kernels.

They play on the noise and the uniforms that they are handed.
"""

import numpy as np


def value_of(P, R, initial, sets):
    """Value of playing uniformly among the listed actions of every (h, s); P (H, S, A, S), R (H, S,
    A)."""
    H, S, _, _ = P.shape
    V = np.zeros((H + 1, S))
    for h in reversed(range(H)):
        for s in range(S):
            V[h, s] = np.mean([R[h, s, a] + P[h, s, a] @ V[h + 1] for a in sets[h][s]])
    return initial @ V[0]


def best_value(P, R, initial):
    """Optimal expected total reward."""
    V = np.zeros(P.shape[1])
    for h in reversed(range(P.shape[0])):
        V = (R[h] + P[h] @ V).max(axis=1)
    return initial @ V


def play(mdp, plan, noise, coins, ties):
    """Run ``plan(n, r, m) -> Q`` on released counts; returns the exact regret per episode, and the
    counts."""
    P, R, p0 = mdp.transitions, mdp.rewards, mdp.initial
    H, S, A, _ = P.shape
    n, r, m = np.zeros((H, S, A)), np.zeros((H, S, A)), np.zeros((H, S, A, S))
    regrets = []
    for t in range(noise.shape[0]):
        zn, zr, zm = np.split(noise[t], [H * S * A, 2 * H * S * A])
        # m is laid out with the next state before the pair
        zm = zm.reshape(H, S, S * A).transpose(0, 2, 1).reshape(H, S, A, S)
        Q = plan(n + zn.reshape(H, S, A), r + zr.reshape(H, S, A), m + zm)
        sets = [[np.flatnonzero(Q[h, s] == Q[h, s].max()) for s in range(S)] for h in range(H)]
        regrets.append(best_value(P, R, p0) - value_of(P, R, p0, sets))
        s = int(np.searchsorted(np.cumsum(p0), coins[t, 0], side="right"))
        for h in range(H):
            a = int(sets[h][s][int(ties[t, h] * len(sets[h][s]))])
            cumulative = np.cumsum(P[h, s, a])
            after = min(int(np.searchsorted(cumulative, coins[t, 1 + 2 * h], side="right")), S - 1)
            reward = float(coins[t, 2 + 2 * h] < R[h, s, a]) if mdp.bernoulli else R[h, s, a]
            n[h, s, a] += 1
            r[h, s, a] += reward
            m[h, s, a, after] += 1
            s = after
    return np.array(regrets), (n, r, m)


def backwards(cell, H, S, A):
    """plan(n, r, m) -> Q: at every (h, s, a) what ``cell(n, r, m, h, V_{h+1})`` says, V of the best
    action."""

    def plan(n, r, m):
        V, Q = np.zeros((H + 1, S)), np.zeros((H, S, A))
        for h in reversed(range(H)):
            for s in range(S):
                for a in range(A):
                    Q[h, s, a] = cell(n[h, s, a], r[h, s, a], m[h, s, a], h, V[h + 1])
                V[h, s] = Q[h, s].max()
        return Q

    return plan


def pucb_plan(E, T, beta, H, S, A):
    """Algorithm 3, with Q+ = H where n~ < 2E (lemma-15)."""

    def cell(n, r, m, h, V):
        if n < 2 * E or n <= 0:
            return H
        phi = np.sqrt(2 * np.log(T / (beta / 4)) / max(n - E, 1))
        psi = (1 + S * H) * (3 * E / n + 2 * E**2 / n**2)
        total = r + sum(V[k] * m[k] for k in range(S))
        return min(H, total / n + (H + 1) * phi + psi)

    return backwards(cell, H, S, A)


def ubev_plan(delta, H, S, A):
    """Algorithm 1 of Dann, Lattimore and Brunskill (2017)."""

    def cell(n, r, m, h, V):
        if n == 0:
            return 1 + V.max()
        phi = np.sqrt((2 * np.log(np.log(max(np.e, n))) + np.log(18 * S * A * H / delta)) / n)
        return min(1, r / n + phi) + min(V.max(), m @ V / n + (H - 1 - h) * phi)

    return backwards(cell, H, S, A)


def private_ucbvi_plan(calibration, H, S, A):
    """``calibration``: the agent's calibration. r and m are released; n, which is not, is not
    read."""

    def cell(n, r, m, h, V):
        visits = sum(m)
        if visits <= 0:
            return H - h
        total = r + calibration.widths[h]
        total += sum(V[k] * max(m[k], 0) for k in range(S))
        total += calibration.factors[h] * np.sqrt(max(visits + calibration.surplus, 0))
        return min(H - h, max(0, total / visits))

    return backwards(cell, H, S, A)


def water_level(m, target):
    """tau with sum of max(m + tau, 0) = wanted > 0, by sorting."""
    above = np.sort(m)[::-1]
    levels = (target - np.cumsum(above)) / np.arange(1, above.size + 1)
    return max(level for level, least in zip(levels, above, strict=True) if least + level > 0)


def distribution(m, n, e):
    """Counts of next states that sum to within e of n, nearest to m in the largest entry, and 2e in
    equal parts."""
    if n + e < 0:
        return None
    shift, mass = 0.0, np.maximum(m, 0).sum()
    if not n - e <= mass <= n + e:
        target = min(max(mass, n - e), n + e)
        shift = water_level(m, target) if target > 0 else -np.abs(m).max()
    return np.maximum(m + shift, 0) + 2 * e / m.size


def dp_ucbvi_plan(calibration, H, S, A):
    """``calibration``: the agent's calibration."""

    def cell(n, r, m, h, V):
        k, counts = H - 1 - h, distribution(m, n, calibration.error)
        if counts is None or counts.sum() <= 0:
            return H - h
        N = counts.sum()
        P = counts / N
        spread = np.sqrt(N * (P @ (V - P @ V) ** 2))
        bonus = calibration.reward * np.sqrt(N) + 5 * calibration.error + calibration.constant * k
        bonus += max(calibration.deviation * spread, calibration.deviation**2 * k)
        return min(H - h, max(0, r / N + P @ V + bonus / N))

    return backwards(cell, H, S, A)
