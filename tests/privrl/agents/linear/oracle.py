"""Naive transcriptions of liao2021/algorithm-1, zhou2022/algorithm-1 and -2: plain NumPy, dense, no
helper shared.

They play on the noise and the uniforms that they are handed and record every plan and the exact
regret. The formulas of noise, shift and width are written out again, in the functions ``.._rule``.
"""

import numpy as np


def unpack(row, H, sizes):
    """A row of standard normals as, step by step, a symmetric matrix and a vector for each size."""
    out, at = [], 0
    for _ in range(H):
        step = []
        for d in sizes:
            W = np.zeros((d, d))
            for i in range(d):
                for j in range(i, d):
                    W[i, j] = W[j, i] = row[at]
                    at += 1
            step.append((W, np.array(row[at : at + d])))
            at += d
        out.append(step)
    assert at == len(row)
    return out


def play(env, rule, noise, coins, ties, *, known, policy_steps=None):
    """Play the episodes.

    ``rule(k)`` gives for episode k = 1, 2, .. and both regressions: ``gram`` and ``vector`` (H,),
    standard deviations of the noise of a release; ``shift`` (H,); ``width(h, logdet)``; and
    ``caps`` (H,), ``floor``. ``policy_steps`` is eta of mirror descent; None plays greedily.
    """
    psi, varphi, tp, tr = (np.array(x) for x in (env.psi, env.varphi, env.theta_p, env.theta_r))
    S, A, _, d1 = psi.shape
    d2, H = varphi.shape[2], tp.shape[0]
    P = np.clip(np.einsum("xyzi,hi->hxyz", psi, tp), 0, None)
    R = np.einsum("xyi,hi->hxy", varphi, tr)
    start = np.array(env.initial)
    best = np.zeros(S)
    for h in reversed(range(H)):
        best = (R[h] + P[h] @ best).max(axis=1)
    G, U = np.zeros((H, d1, d1)), np.zeros((H, d1))
    Gr, Ur = np.zeros((H, d2, d2)), np.zeros((H, d2))
    logits = np.zeros((H, S, A))
    regrets, plans = [], []
    for k in range(1, noise.shape[0] + 1):
        p, r, caps, floor = rule(k)
        N = unpack(noise[k - 1], H, [d1] if known else [d1, d2])
        V, Q = np.zeros((H + 1, S)), np.zeros((H, S, A))
        pi = np.zeros((H, S, A))
        for h in reversed(range(H)):
            phi = np.einsum("xyzi,z->xyi", psi, V[h + 1])
            L = G[h] + p["gram"][h] * N[h][0][0] + p["shift"][h] * np.eye(d1)
            u = U[h] + p["vector"][h] * N[h][0][1]
            inverse = np.linalg.inv(L)
            q = phi @ (inverse @ u)
            q = q + p["width"](h, np.linalg.slogdet(L)[1]) * np.sqrt(
                np.einsum("xyi,ij,xyj->xy", phi, inverse, phi)
            )
            if known:
                q = q + R[h]
            else:
                L = Gr[h] + r["gram"][h] * N[h][1][0] + r["shift"][h] * np.eye(d2)
                u = Ur[h] + r["vector"][h] * N[h][1][1]
                inverse = np.linalg.inv(L)
                length = np.sqrt(np.einsum("xyi,ij,xyj->xy", varphi, inverse, varphi))
                q = q + varphi @ (inverse @ u) + r["width"](h, np.linalg.slogdet(L)[1]) * length
            Q[h] = np.maximum(floor, np.minimum(caps[h], q))
            if policy_steps is None:
                for s in range(S):
                    tied = Q[h, s] >= Q[h, s].max() - 1e-9 * caps[0]
                    pi[h, s] = tied / tied.sum()
                V[h] = Q[h].max(axis=1)
            else:
                weights = np.exp(logits[h] - logits[h].max(axis=1, keepdims=True))
                pi[h] = weights / weights.sum(axis=1, keepdims=True)
                V[h] = (pi[h] * Q[h]).sum(axis=1)
        value = np.zeros(S)
        for h in reversed(range(H)):
            value = (pi[h] * (R[h] + P[h] @ value)).sum(axis=1)
        regrets.append(start @ (best - value))
        plans.append(V)
        s = int(np.searchsorted(np.cumsum(start), coins[k - 1, 0], side="right"))
        for h in range(H):
            a = int(np.searchsorted(np.cumsum(pi[h, s]), ties[k - 1, h], side="right"))
            after = int(
                np.searchsorted(np.cumsum(P[h, s, a]), coins[k - 1, 1 + 2 * h], side="right")
            )
            reward = float(coins[k - 1, 2 + 2 * h] < R[h, s, a]) if env.bernoulli else R[h, s, a]
            phi = psi[s, a].T @ V[h + 1]
            G[h] += np.outer(phi, phi)
            U[h] += phi * V[h + 1, after]
            Gr[h] += np.outer(varphi[s, a], varphi[s, a])
            Ur[h] += varphi[s, a] * reward
            s = after
        if policy_steps is not None:
            logits = logits + policy_steps * Q
    return np.array(regrets), np.array(plans), (G, U, Gr, Ur)


def ucrl_vtr_rule(env, K, c, *, tuned, largest):
    """Section 6.2 of liao2021, log(1/K) read as log K; or (tuned) all of it times c, with the
    largest value."""
    H, (S, A) = env.theta_p.shape[0], env.psi.shape[:2]
    zeros, ones = np.zeros(H), np.ones(H)

    def width(h, logdet):
        root = np.sqrt(2 * np.log(K) + logdet)
        if tuned:
            return c * (np.sqrt(S * A) + (H - h) * largest * root)
        return c * np.sqrt(S * A) + (H - h) * root

    p = {"gram": zeros, "vector": zeros, "shift": ones, "width": width}
    return lambda k: (p, None, np.arange(H, 0, -1) * (largest if tuned else 1.0), -np.inf)


def ldp_rule(env, K, c, epsilon, delta, alpha, *, tuned, largest):
    """Algorithm 1 with theorem-5.2 (printed), or section 6.2 (tuned), r = 2 Gamma_k."""
    d, H = env.psi.shape[3], env.theta_p.shape[0]
    log = np.log(2.5 * H / delta)
    sigma = 4 * H * np.sqrt(2 * log) / epsilon if tuned else 4 * H**3 * np.sqrt(2 * log / epsilon)

    def rule(k):
        big = sigma * np.sqrt(k - 1) * (4 * np.sqrt(d) + np.sqrt(8 * np.log(8 * K * H / alpha)))

        def width(h, _):
            beta = c * d**0.75 * (H - h) ** 1.5 * k**0.25
            if not tuned:
                beta *= (
                    np.log(d * K * H / alpha) * np.log((H - h) / delta) ** 0.25 / np.sqrt(epsilon)
                )
            return beta

        p = {
            "gram": np.full(H, sigma),
            "vector": np.full(H, sigma),
            "shift": np.full(H, 1 + 2 * big),
            "width": width,
        }
        return p, None, np.arange(H, 0, -1) * (largest if tuned else 1.0), -np.inf

    return rule


def linopt_rule(env, K, epsilon, delta, alpha, counter):
    """theorem-6.4, theorem-6.5 and lemma-3.1; remark-6.9 for ``local``; lambda = 1 without
    noise."""
    H, d1, d2 = env.theta_p.shape[0], env.psi.shape[3], env.varphi.shape[2]
    levels = int(np.floor(np.log2(K - 1))) + 1
    m, live = {"tree": (levels, levels), "local": (1, K - 1), "none": (0, 0)}[counter]
    out = []
    for d, delta1, delta2, scale, trace in (
        (d1, d1 * H**2, np.sqrt(d1) * H**2, H, H**2),
        (d2, 1.0, 1.0, 1, 1 / d2),
    ):
        if counter == "none":
            s1 = s2 = shift = nu = 0.0
            shift = least = most = 1.0
        else:
            s1, s2 = (
                H * size / epsilon * np.sqrt(32 * m * np.log(4 * H / delta))
                for size in (delta1, delta2)
            )
            big = s1 * np.sqrt(live) * (4 * np.sqrt(d) + np.sqrt(8 * np.log(8 * K * H / alpha)))
            shift, least, most = 2 * big, big, 3 * big
            nu = s2 * np.sqrt(live / big) * (np.sqrt(d) + np.sqrt(2 * np.log(4 * K * H / alpha)))
        beta = (
            scale / 2 * np.sqrt(2 * np.log(H / alpha) + d * np.log(1 + K * trace / least))
            + np.sqrt(d * most)
            + nu
        )
        out.append(
            {
                "gram": np.full(H, s1),
                "vector": np.full(H, s2),
                "shift": np.full(H, shift),
                "width": lambda h, _, beta=beta: beta,
            }
        )
    return lambda k: (out[0], out[1], np.arange(H, 0, -1), 0.0)
