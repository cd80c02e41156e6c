"""Compiled steps that the tabular agents share; each is plain Python under ``NUMBA_DISABLE_JIT=1``.

Long loops run over an unsigned index: it needs no check for negative ones, and so they are
vectorised.
"""

import numpy as np

from privrl.agents.blocks import Blocks
from privrl.agents.compiled import inlined, kernel
from privrl.agents.steps import count_episode, draw, draw_action, lowest
from privrl.agents.tabular.records import (
    TabularPlan,
    TabularReleased,
    TabularSums,
    TabularTally,
    TabularWorld,
)
from privrl.types import FloatArray, IntArray


@inlined
def release(sums: TabularSums, noise: FloatArray, row: int, released: TabularReleased) -> None:
    """Add a row of noise to all sums."""
    add(sums, noise, row, 0, sums.every.size, released)


@inlined
def release_step(
    h: int, sums: TabularSums, noise: FloatArray, row: int, least: float, released: TabularReleased
) -> None:
    """Add a row of noise to n of step h, and to r and m if an n~ reaches ``least``; otherwise no
    plan reads them."""
    horizon, states, pairs = sums.successors.shape
    add(sums, noise, row, h * pairs, pairs, released)
    if reaches(released.visits, h, least):
        add(sums, noise, row, (horizon + h) * pairs, pairs, released)
        add(sums, noise, row, (2 * horizon + h * states) * pairs, states * pairs, released)


@inlined
def add(
    sums: TabularSums, noise: FloatArray, row: int, start: int, size: int, released: TabularReleased
) -> None:
    """Add a row of noise to ``size`` sums from ``start`` on; those beyond its columns are not
    released."""
    exact, noisy, first = sums.every, released.every, np.uint64(start)
    for x in range(np.uint64(min(size, noise.shape[1] - start))):
        noisy[first + x] = exact[first + x] + noise[row, first + x]


@inlined
def reaches(visits: FloatArray, h: int, least: float) -> bool:
    """Whether a count of step h is ``least`` or more."""
    number = 0
    for x in range(np.uint64(visits.shape[1])):
        number += visits[h, x] >= least
    return number > 0


@inlined
def maximise(h: int, q: FloatArray, values: FloatArray, greedy: IntArray) -> None:
    """Write the maxima of q at step h, and who attains them."""
    states = np.uint64(greedy.shape[1])
    actions = np.uint64(q.shape[1]) // states
    for s in range(states):
        best, mask = q[h, s * actions], 1
        for a in range(np.uint64(1), actions):  # no branch, since it would be mispredicted
            value, bit = q[h, s * actions + a], int(1 << np.int64(a))
            mask = mask | bit if value == best else mask
            mask = bit if value > best else mask
            best = max(best, value)
        values[h, s], greedy[h, s] = best, mask


@inlined
def play(
    world: TabularWorld, greedy: IntArray, blocks: Blocks, row: int, sums: TabularSums
) -> None:
    """Follow the plan for one episode, with the uniforms of a row, and count visits, rewards and
    next states."""
    _, means, cumulative, _, first, _, _, bernoulli = world
    _, coins, ties = blocks
    _, visits, rewards, successors = sums
    horizon, states = greedy.shape
    actions = means.shape[1] // states
    s = draw(first, coins[row, 0])
    for h in range(horizon):
        a = draw_action(greedy[h, s], ties[row, h])
        x = s * actions + a
        after = draw(cumulative[h, x], coins[row, 1 + 2 * h])
        reward = means[h, x]
        if bernoulli:
            reward = 1.0 if coins[row, 2 + 2 * h] < reward else 0.0
        visits[h, x] += 1.0
        rewards[h, x] += reward
        successors[h, after, x] += 1.0
        s = after


@inlined
def evaluate(h: int, greedy: IntArray, world: TabularWorld, values: FloatArray) -> bool:
    """Compute the exact values at step h of playing uniformly among the greedy actions; whether one
    has changed."""
    transitions, rewards, _, _, _, reachable, _, _ = world
    states = np.uint64(greedy.shape[1])
    actions = np.uint64(rewards.shape[1]) // states
    changed = False
    for s in range(states):
        if reachable[h, s]:
            total, ties, rest = 0.0, 0, greedy[h, s]
            while rest:
                x = s * actions + np.uint64(lowest(rest))
                rest &= rest - 1
                ties += 1
                total += rewards[h, x]
                for after in range(states):
                    total += transitions[h, x, after] * values[h + 1, after]
            total /= ties
            changed |= total != values[h, s]
            values[h, s] = total
    return changed


@inlined
def adopt(h: int, greedy: IntArray, last: IntArray, reachable: IntArray) -> bool:
    """Copy the greedy sets of step h to ``last``; whether one of a reachable state is another."""
    changed = 0
    for s in range(np.uint64(greedy.shape[1])):
        changed += (greedy[h, s] != last[h, s]) & (reachable[h, s] > 0)
        last[h, s] = greedy[h, s]
    return changed > 0


@inlined
def tally(world: TabularWorld, greedy: IntArray, record: TabularTally) -> None:
    """Count an episode and the exact regret of its plan; record at a checkpoint."""
    _, _, _, initial, _, reachable, optimum, _ = world
    changed = False  # whether the value of the plan changed at the step above
    for h in range(greedy.shape[0] - 1, -1, -1):
        changed |= adopt(h, greedy, record.greedy, reachable)
        if changed:
            changed = evaluate(h, greedy, world, record.values)
    finish(initial, optimum, changed, record)


@inlined
def finish(initial: FloatArray, optimum: float, changed: bool, record: TabularTally) -> None:
    """Count an episode, and the regret of its plan; ``changed``: whether the exact values of the
    first step did."""
    _, values, clock, totals, checkpoints, regret = record
    if changed or clock[0] == 0:
        value = 0.0
        for s in range(initial.size):
            value += initial[s] * values[0, s]
        totals[1] = optimum - value
    count_episode(clock, totals, checkpoints, regret)


@kernel
def follow(
    blocks: Blocks,
    world: TabularWorld,
    sums: TabularSums,
    agent_plan: TabularPlan,
    record: TabularTally,
) -> None:
    """Play the episodes of some blocks by the plan in force."""
    for row in range(blocks.coins.shape[0]):
        play(world, agent_plan.greedy, blocks, row, sums)
        tally(world, agent_plan.greedy, record)
