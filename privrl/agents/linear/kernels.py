"""Compiled steps that the agents of linear mixture MDPs share; plain Python with
``NUMBA_DISABLE_JIT=1``.

**Regression.** Lambda = U'U by Cholesky, row by row. With Y = U'^-1 phi and y = U'^-1 u, the
estimate <Lambda^-1 u, phi> is y.Y and the squared norm phi' Lambda^-1 phi is Y.Y, for all pairs in
one forward substitution. By hand, since decisions hang on the last bits and LAPACK's depend on the
processor. Unsigned indices let inner loops be vectorised.
"""

import math

import numpy as np

from privrl.agents.blocks import Blocks
from privrl.agents.compiled import kernel
from privrl.agents.linear.records import (
    BASE,
    LOGARITHM_RATE,
    OF_EPISODES,
    OF_NOISE,
    OF_ROOT,
    ROOT_DETERMINANT,
    ROOT_FIXED,
    ROOT_LOGARITHM,
    Estimator,
    Growth,
    Layout,
    LinearKnown,
    LinearPath,
    LinearReleased,
    LinearScratch,
    LinearSums,
    LinearTally,
    LinearWorld,
    RegressionScratch,
    Sparse,
)
from privrl.agents.steps import count_episode
from privrl.agents.sums import Exact, Noisy
from privrl.types import FloatArray

FAR = -40.0  # exp of it is nothing beside 1
NONE, FIXED, EACH, BITS, SERIES = range(5)  # how the noise of a release grows, see `terms`


@kernel
def release(
    sums: LinearSums, noise: FloatArray, known: LinearKnown, finished: int, out: Noisy
) -> LinearReleased:
    """The sums with the counter's noise, in ``out``; the first plan reads no release."""
    variance = terms(known.growth, finished)
    exact, scales = sums.every, known.scales
    for j in range(out.size):
        out[j] = exact[j] + scales[j] * noise[j] if variance > 0 else exact[j]
    return LinearReleased(out, finished, variance)


@kernel
def terms(growth: Growth, finished: int) -> float:
    """Variance of the release after ``finished`` episodes, t batches, over that of a draw.

    Noise terms, where all are alike: none; a fixed bound; one for each batch; a weight for each set
    bit of t (trees); or, with w = ``weights`` and r = ``rates``, w_0 t + sum of w_(i+1) (1 -
    exp(r_i t)) (buffered Toeplitz noise).
    """
    if growth.mode == NONE or finished == 0:
        return growth.fixed if growth.mode == FIXED else 0.0
    if growth.mode == FIXED:
        return growth.fixed
    finished //= growth.every
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
    return float(total)


@kernel
def width_of(bonus: FloatArray, finished: int, n: float, determinant: float) -> float:
    """Factor of the bonus in episode k = finished + 1 at noise of variance n; ``determinant`` is ln
    det Lambda.

    BASE + OF_EPISODES k^(1/4) + OF_NOISE n^(1/4) + OF_ROOT sqrt(ROOT_FIXED
    + ROOT_LOGARITHM ln(1 + LOGARITHM_RATE (k - 1)) + ROOT_DETERMINANT determinant), each an entry
    of ``bonus``.
    """
    inside: float = bonus[ROOT_FIXED] + bonus[ROOT_DETERMINANT] * determinant
    if bonus[ROOT_LOGARITHM] > 0.0:
        inside += bonus[ROOT_LOGARITHM] * math.log(1.0 + bonus[LOGARITHM_RATE] * finished)
    total: float = bonus[BASE] + bonus[OF_ROOT] * math.sqrt(max(inside, 0.0))
    if bonus[OF_EPISODES] > 0.0:
        total += bonus[OF_EPISODES] * math.sqrt(math.sqrt(finished + 1.0))
    if bonus[OF_NOISE] > 0.0:
        total += bonus[OF_NOISE] * math.sqrt(math.sqrt(n))
    return total


@kernel
def substitute(
    u: FloatArray,
    m: int,
    y: FloatArray,
    rows: FloatArray,
    n: int,
    estimate: FloatArray,
    square: FloatArray,
) -> float:
    """Cholesky and forward substitution in place; ln det, or NaN where the matrix is not positive
    definite.

    ``u`` : upper triangle by rows; ``y`` (m,) the vector; ``rows`` (m n,) the features of n pairs,
        pairs fastest;
    ``estimate`` and ``square`` (n,) are filled. Unsigned indices let the loops be vectorised.
    """
    unit = np.uint64(1)
    remaining = np.uint64(m)
    pairs = np.uint64(n)
    at = np.uint64(0)
    position = np.uint64(0)  # position in y
    line = np.uint64(0)  # position in rows
    for p in range(pairs):
        estimate[p] = 0.0
        square[p] = 0.0
    product = 1.0
    determinant = 0.0
    while remaining > 0:
        pivot = u[at]
        if not pivot > 0.0:
            return np.nan
        product *= pivot
        if product > 1e200 or product < 1e-200:
            determinant += math.log(product)
            product = 1.0
        inverse = 1.0 / math.sqrt(pivot)
        for j in range(remaining):
            u[at + j] *= inverse
        y[position] *= inverse
        ahead = y[position]
        for p in range(pairs):
            value = rows[line + p] * inverse
            rows[line + p] = value
            estimate[p] += ahead * value
            square[p] += value * value
        below = at + remaining
        down = line + pairs
        for i in range(unit, remaining):
            factor = u[at + i]
            rest = remaining - i
            for j in range(rest):
                u[below + j] -= factor * u[at + i + j]
            y[position + i] -= factor * ahead
            for p in range(pairs):
                rows[down + p] -= factor * rows[line + p]
            below += rest
            down += pairs
        at += remaining
        position += unit
        line += pairs
        remaining -= unit
    return determinant + math.log(product)


@kernel
def score(
    h: int,
    estimator: Estimator,
    ahead: FloatArray,
    released: LinearReleased,
    work: RegressionScratch,
    upper: FloatArray,
) -> int:
    """Estimate plus bonus of every reachable pair at step h into ``upper`` (SA,); returns
    regressions that failed.

    ``ahead`` : V_{h+1}. A matrix that is not positive definite leaves everything possible:
        ``upper`` is infinite there.
    """
    layout, widths, n, sums = estimator.layout, estimator.widths, released.variance, released.sums
    base = h * estimator.segment
    slices, failed = layout.slices, 0
    shift = widths.shift[h, 0] + widths.shift[h, 1] * math.sqrt(n)
    for group in range(layout.first[h], layout.first[h + 1]):
        g = layout.groups[group]
        b = layout.owner[g]
        m = layout.sizes[b]
        start = layout.starts[g]
        pairs = layout.starts[g + 1] - start
        triangle = m * (m + 1) // 2
        u, y, rows = work.triangle[:triangle], work.vector[:m], work.features[: m * pairs]
        estimate, square = work.estimates, work.squares
        at = np.uint64(base + layout.grams[b])
        to = np.uint64(base + layout.vectors[b])
        for j in range(np.uint64(triangle)):
            u[j] = sums[at + j]
        for j in range(np.uint64(m)):
            y[j] = sums[to + j]
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
                rows[j] += worth * slices[place + j]
        determinant = substitute(u, m, y, rows, pairs, estimate, square)
        if not math.isnan(determinant):
            factor = width_of(widths.bonus[h], released.finished, n, determinant)
            for c in range(pairs):
                value = estimate[c] + factor * math.sqrt(square[c])
                upper[layout.columns[start + c]] = np.inf if math.isnan(value) else value
        else:
            failed += 1
            for c in range(pairs):
                upper[layout.columns[start + c]] = np.inf
    return failed


@kernel
def upper_values(
    h: int,
    released: LinearReleased,
    known: LinearKnown,
    ahead: FloatArray,
    scratch: LinearScratch,
    q: FloatArray,
) -> int:
    """Q_h of the reachable pairs into ``q`` (SA,), clipped; returns regressions that failed.
    ``ahead`` : V_{h+1}."""
    last = h == known.caps.size - 1  # V_{H+1} = 0: the last step has no transition to predict
    failed = 0
    if not last:
        failed += score(h, known.transitions, ahead, released, scratch.work, scratch.upper)
    estimated = known.means.shape[1] == 0
    if estimated:
        failed += score(h, known.rewards, scratch.unit, released, scratch.work, scratch.gain)
    # taken out of the tuples once: numba counts references whenever a tuple or an array is taken
    # out of another
    reachable, means, gain, upper = known.reachable[h], known.means, scratch.gain, scratch.upper
    twin, twin_r = known.transitions.layout.twin, known.rewards.layout.twin
    actions, floor, cap = known.actions, known.floor, known.caps[h]
    for s in range(reachable.size):
        if reachable[s]:
            for x in range(s * actions, (s + 1) * actions):
                total = gain[twin_r[x]] if estimated else means[h, x]
                if not last:
                    total += upper[twin[x]]
                q[x] = max(floor, min(cap, total))
    return failed


@kernel
def observe(path: LinearPath, values: FloatArray, known: LinearKnown, sums: LinearSums) -> None:
    """Add the statistics of an episode to the exact sums; ``values`` (H + 1, S) are those of its
    plan."""
    transitions, rewards = known.transitions, known.rewards
    exact, horizon = sums.every, path.pairs.size
    for h in range(horizon):
        x, base = path.pairs[h], h * transitions.segment
        if h < horizon - 1:
            feature(
                x,
                known.psi,
                transitions.layout.sizes[transitions.layout.block[x]],
                values[h + 1],
                path.phi,
            )
            record(base, transitions.layout, x, path.phi, values[h + 1, path.states[h + 1]], exact)
        if known.means.shape[1] == 0:
            record(base, rewards.layout, x, known.varphi[x], path.rewards[h], exact)


@kernel
def feature(x: int, psi: Sparse, m: int, ahead: FloatArray, out: FloatArray) -> None:
    """phi_V of the pair x on its block into ``out`` (m,), for V = ``ahead`` (S,)."""
    size = np.uint64(m)
    for i in range(size):
        out[i] = 0.0
    for e in range(psi.first[x], psi.first[x + 1]):
        value = ahead[psi.after[e]]
        entry = np.uint64(e)
        for i in range(size):
            out[i] += value * psi.weight[entry, i]


@kernel
def record(
    base: int, layout: Layout, x: int, phi: FloatArray, target: float, statistics: Exact
) -> None:
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


@kernel
def draw_next(world: LinearWorld, h: int, x: int, uniform: float) -> int:
    """The next state after the pair x at step h, by inversion; ``uniform`` in [0, 1)."""
    support, chance = world.support, world.chance
    first = support.first
    entry = first[x]
    last = first[x + 1] - 1
    total = chance[h, entry]
    while uniform >= total and entry < last:
        entry += 1
        total += chance[h, entry]
    while chance[h, entry] == 0.0:  # rounding must not lead to a state of probability zero
        entry -= 1
    return int(support.after[entry])


@kernel
def step(world: LinearWorld, blocks: Blocks, row: int, h: int, x: int, path: LinearPath) -> int:
    """The next state after the pair x at step h, recorded with its reward."""
    after = draw_next(world, h, x, blocks.coins[row, 1 + 2 * h])
    gained = world.rewards[h, x]
    if world.bernoulli:
        gained = 1.0 if blocks.coins[row, 2 + 2 * h] < gained else 0.0
    path.pairs[h], path.rewards[h], path.states[h + 1] = x, gained, after
    return after


@kernel
def finish(world: LinearWorld, changed: bool, record: LinearTally) -> None:
    """Count the episode and its exact regret, also at a checkpoint; ``changed``: whether
    ``record.values`` did."""
    if changed:
        value = 0.0
        for s in range(world.initial.size):
            value += world.initial[s] * record.values[0, s]
        record.totals[1] = world.optimum - value
    count_episode(record.clock, record.totals, record.checkpoints, record.regret)
