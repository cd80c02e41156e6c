"""Compiled pieces that the agents of linear mixture MDPs share; layout and names as in :mod:`privrl.agents.linear`.

All of them run as plain Python with ``NUMBA_DISABLE_JIT=1``. Unsigned indices let the inner loops be vectorised.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

FAR = -40.0  # exp of it is nothing beside 1
TIE = 1e-9  # actions whose Q agree to within this share of the cap are tied
NONE, FIXED, EACH, BITS, SERIES = range(5)  # how the noise of a release grows, see `terms`


@njit(cache=True, nogil=True, error_model="numpy")
def terms(growth, finished):  # type: ignore[no-untyped-def]  # numba infers the types
    """Variance of the release after t = ``finished`` episodes, over that of a draw: noise terms, where all are alike.

    None; a fixed bound; one for each episode; a weight for each set bit of t (trees); or, with w = ``weights`` and r =
    ``rates``, w_0 t + sum of w_(i+1) (1 - exp(r_i t)) (buffered Toeplitz noise).
    """
    if growth.mode == NONE or finished == 0:
        return growth.fixed if growth.mode == FIXED else 0.0
    if growth.mode == FIXED:
        return growth.fixed
    if growth.mode == EACH:
        return float(finished)
    total = 0.0
    if growth.mode == BITS:
        level = 0
        while finished:
            if finished & 1:
                total += growth.weights[level]
            finished >>= 1
            level += 1
        return total
    total = growth.weights[0] * finished
    for i in range(growth.rates.size):
        exponent = growth.rates[i] * finished
        total += growth.weights[i + 1] * (1.0 if exponent < FAR else -math.expm1(exponent))
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def width_of(bonus, finished, n, determinant):  # type: ignore[no-untyped-def]
    """Factor of the bonus in episode k = finished + 1 at noise of variance n; ``determinant`` is ln det Lambda.

    bonus = (b0, .., b7):  b0 + b1 k^(1/4) + b2 n^(1/4) + b3 sqrt(b4 + b5 ln(1 + b6 (k - 1)) + b7 determinant).
    """
    inside = bonus[4] + bonus[7] * determinant
    if bonus[5] > 0.0:
        inside += bonus[5] * math.log(1.0 + bonus[6] * finished)
    total = bonus[0] + bonus[3] * math.sqrt(max(inside, 0.0))
    if bonus[1] > 0.0:
        total += bonus[1] * math.sqrt(math.sqrt(finished + 1.0))
    if bonus[2] > 0.0:
        total += bonus[2] * math.sqrt(math.sqrt(n))
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def substitute(u, m, y, rows, n, estimate, square):  # type: ignore[no-untyped-def]
    """Cholesky and forward substitution in place; ln det, or NaN where the matrix is not positive definite.

    ``u`` : upper triangle by rows; ``y`` (m,) the vector; ``rows`` (m n,) the features of n pairs, pairs fastest;
    ``estimate`` and ``square`` (n,) are filled. Unsigned indices let the loops be vectorised.
    """
    one = np.uint64(1)
    left = np.uint64(m)
    pairs = np.uint64(n)
    at = np.uint64(0)
    here = np.uint64(0)  # position in y
    line = np.uint64(0)  # position in rows
    for p in range(pairs):
        estimate[p] = 0.0
        square[p] = 0.0
    product = 1.0
    determinant = 0.0
    while left > 0:
        pivot = u[at]
        if not pivot > 0.0:
            return np.nan
        product *= pivot
        if product > 1e200 or product < 1e-200:
            determinant += math.log(product)
            product = 1.0
        inverse = 1.0 / math.sqrt(pivot)
        for j in range(left):
            u[at + j] *= inverse
        y[here] *= inverse
        ahead = y[here]
        for p in range(pairs):
            value = rows[line + p] * inverse
            rows[line + p] = value
            estimate[p] += ahead * value
            square[p] += value * value
        below = at + left
        down = line + pairs
        for i in range(one, left):
            factor = u[at + i]
            rest = left - i
            for j in range(rest):
                u[below + j] -= factor * u[at + i + j]
            y[here + i] -= factor * ahead
            for p in range(pairs):
                rows[down + p] -= factor * rows[line + p]
            below += rest
            down += pairs
        at += left
        here += one
        line += pairs
        left -= one
    return determinant + math.log(product)


@njit(cache=True, nogil=True, error_model="numpy")
def score(h, base, layout, widths, ahead, statistics, noise, finished, n, work, upper):  # type: ignore[no-untyped-def]
    """Estimate plus bonus of every reachable pair at step h into ``upper`` (SA,); returns regressions that failed.

    ``base`` : first column of the step's segment; ``ahead`` : V_{h+1}; ``work`` : scratch. A matrix that is not
    positive definite leaves everything possible: ``upper`` is infinite there.
    """
    failed = 0
    shift = widths.shift[h, 0] + widths.shift[h, 1] * math.sqrt(n)
    for group in range(layout.first[h], layout.first[h + 1]):
        g = layout.groups[group]
        b = layout.owner[g]
        m = layout.sizes[b]
        start = layout.starts[g]
        pairs = layout.starts[g + 1] - start
        triangle = m * (m + 1) // 2
        u = work[:triangle]
        y = work[triangle : triangle + m]
        rows = work[triangle + m : triangle + m + m * pairs]
        estimate = work[triangle + m + m * pairs : triangle + m + (m + 1) * pairs]
        square = work[triangle + m + (m + 1) * pairs : triangle + m + (m + 2) * pairs]
        at = np.uint64(base + layout.grams[b])
        to = np.uint64(base + layout.vectors[b])
        if n > 0:
            scale = widths.gram[h]
            for j in range(np.uint64(triangle)):
                u[j] = statistics[at + j] + scale * noise[at + j]
            scale = widths.vector[h]
            for j in range(np.uint64(m)):
                y[j] = statistics[to + j] + scale * noise[to + j]
        else:
            for j in range(np.uint64(triangle)):
                u[j] = statistics[at + j]
            for j in range(np.uint64(m)):
                y[j] = statistics[to + j]
        diagonal = 0
        for i in range(m):
            u[diagonal] += shift
            diagonal += m - i
        size = np.uint64(m * pairs)
        for j in range(size):
            rows[j] = 0.0
        for entry in range(layout.heads[g], layout.heads[g + 1]):
            worth = ahead[layout.after[entry]]
            place = np.uint64(layout.places[entry])
            for j in range(size):
                rows[j] += worth * layout.slices[place + j]
        determinant = substitute(u, m, y, rows, pairs, estimate, square)
        if not math.isnan(determinant):
            factor = width_of(widths.bonus[h], finished, n, determinant)
            for c in range(pairs):
                value = estimate[c] + factor * math.sqrt(square[c])
                upper[layout.columns[start + c]] = np.inf if math.isnan(value) else value
        else:
            failed += 1
            for c in range(pairs):
                upper[layout.columns[start + c]] = np.inf
    return failed


@njit(cache=True, nogil=True, error_model="numpy")
def feature(x, sparse, m, ahead, out):  # type: ignore[no-untyped-def]
    """phi_V of the pair x on its block into ``out`` (m,), for V = ``ahead`` (S,)."""
    size = np.uint64(m)
    for i in range(size):
        out[i] = 0.0
    for e in range(sparse.first[x], sparse.first[x + 1]):
        value = ahead[sparse.after[e]]
        entry = np.uint64(e)
        for i in range(size):
            out[i] += value * sparse.weight[entry, i]


@njit(cache=True, nogil=True, error_model="numpy")
def record(base, layout, x, phi, target, statistics):  # type: ignore[no-untyped-def]
    """Add phi phi' and phi * target of the pair x to the sums of its block."""
    b = layout.block[x]
    m = layout.sizes[b]
    at = np.uint64(base + layout.grams[b])
    to = np.uint64(base + layout.vectors[b])
    for i in range(np.uint64(m)):
        factor = phi[i]
        for j in range(np.uint64(m) - i):
            statistics[at + j] += factor * phi[i + j]
        at += np.uint64(m) - i
        statistics[to + i] += factor * target


@njit(cache=True, nogil=True, error_model="numpy")
def greedy_step(h, q, actions, values, greedy, cells, slack):  # type: ignore[no-untyped-def]
    """Maxima and sets of maximisers of q (SA,) at step h, ties within ``slack``; whether a set changed."""
    changed = False
    for s in range(greedy.shape[1]):
        if not cells[h, s]:
            continue
        best = q[s * actions]
        for a in range(1, actions):
            best = max(best, q[s * actions + a])
        mask = 0
        for a in range(actions):
            if q[s * actions + a] >= best - slack:
                mask |= 1 << a
        values[h, s] = best
        if mask != greedy[h, s]:
            greedy[h, s] = mask
            changed = True
    return changed


@njit(cache=True, nogil=True, error_model="numpy")
def played_step(h, actions, greedy, cells, sparse, rewards, played):  # type: ignore[no-untyped-def]
    """Exact values at step h of playing uniformly among the greedy actions; whether one of them changed."""
    changed = False
    for s in range(greedy.shape[1]):
        if not cells[h, s]:
            continue
        mask = greedy[h, s]
        total = 0.0
        ties = 0
        for a in range(actions):
            if (mask >> a) & 1:
                x = s * actions + a
                ties += 1
                total += rewards[h, x]
                for e in range(sparse.first[x], sparse.first[x + 1]):
                    total += sparse.chance[h, e] * played[h + 1, sparse.after[e]]
        total /= ties
        changed |= total != played[h, s]
        played[h, s] = total
    return changed


@njit(cache=True, nogil=True, error_model="numpy")
def draw_first(first, uniform):  # type: ignore[no-untyped-def]
    """The first state, by inversion of the cumulative distribution; ``uniform`` in [0, 1)."""
    state = 0
    while uniform >= first[state]:
        state += 1
    return state


@njit(cache=True, nogil=True, error_model="numpy")
def draw_next(sparse, h, x, uniform):  # type: ignore[no-untyped-def]
    """The next state after the pair x at step h, by inversion; ``uniform`` in [0, 1)."""
    entry = sparse.first[x]
    last = sparse.first[x + 1] - 1
    total = sparse.chance[h, entry]
    while uniform >= total and entry < last:
        entry += 1
        total += sparse.chance[h, entry]
    while sparse.chance[h, entry] == 0.0:  # rounding must not lead to a state of probability zero
        entry -= 1
    return sparse.after[entry]


@njit(cache=True, nogil=True, error_model="numpy")
def draw_action(mask, uniform):  # type: ignore[no-untyped-def]
    """One of the greedy actions, uniformly: ties are never broken by index."""
    ties = 0
    rest = mask
    while rest:
        rest &= rest - 1
        ties += 1
    for _ in range(int(uniform * ties)):
        mask &= mask - 1
    action = 0
    while not (mask >> action) & 1:
        action += 1
    return action


@njit(cache=True, nogil=True, error_model="numpy")
def finish(played, initial, optimum, changed, clock, totals, checkpoints, regret):  # type: ignore[no-untyped-def]
    """Count the episode and its exact regret; record at a checkpoint."""
    if changed:
        value = 0.0
        for s in range(initial.size):
            value += initial[s] * played[0, s]
        totals[1] = optimum - value
    clock[0] += 1
    totals[0] += totals[1]
    if clock[1] < checkpoints.size and checkpoints[clock[1]] == clock[0]:
        regret[clock[1]] = totals[0]
        clock[1] += 1
