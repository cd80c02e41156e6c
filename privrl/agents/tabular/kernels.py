"""Compiled steps that the tabular agents share; each is plain Python under ``NUMBA_DISABLE_JIT=1``.

They are inlined: a call would count the references to its arrays, which costs more than most of what is called here.
For the same reason they unpack their tuples first. Long loops run over an unsigned index: it needs no check for
negative ones, and so they are vectorised.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from privrl.agents.tabular.records import Blocks, Released, Sums, Tally, World
from privrl.types import FloatArray, IntArray


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def release(sums: Sums, noise: FloatArray, row: int, released: Released) -> None:
    """Add a row of noise to all sums."""
    exact, noisy = sums.every, released.every
    for x in range(np.uint64(exact.size)):
        noisy[x] = exact[x] + noise[row, x]


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def maximise(h: int, q: FloatArray, values: FloatArray, greedy: IntArray) -> None:
    """Write the maxima of q at step h, and who attains them."""
    states = greedy.shape[1]
    actions = q.shape[1] // states
    for s in range(states):
        best, mask = q[h, s * actions], 1
        for a in range(1, actions):
            value = q[h, s * actions + a]
            mask = 1 << a if value > best else mask | (1 << a) if value == best else mask
            best = max(best, value)
        values[h, s], greedy[h, s] = best, mask


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def draw_first(cumulative: FloatArray, uniform: float) -> int:
    """Draw a state by inversion of its cumulative distribution; ``uniform`` in [0, 1)."""
    state = 0
    while uniform >= cumulative[state]:
        state += 1
    return state


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def draw_action(greedy: int, uniform: float) -> int:
    """Draw one of the greedy actions, uniformly: ties are never broken by index."""
    ties, rest = 0, greedy
    while rest:
        rest &= rest - 1
        ties += 1
    left, action = int(uniform * ties), 0
    while left or not (greedy >> action) & 1:
        left -= (greedy >> action) & 1
        action += 1
    return action


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def play(world: World, greedy: IntArray, blocks: Blocks, row: int, sums: Sums) -> None:
    """Follow the plan for one episode, with the uniforms of a row, and count visits, rewards and next states."""
    _, means, cumulative, _, first, _, _, bernoulli = world
    _, coins, ties = blocks
    _, visits, rewards, successors = sums
    horizon, _, actions = means.shape
    s = draw_first(first, coins[row, 0])
    for h in range(horizon):
        a = draw_action(greedy[h, s], ties[row, h])
        after = 0
        while coins[row, 1 + 2 * h] >= cumulative[h, s, a, after]:
            after += 1
        reward = means[h, s, a]
        if bernoulli:
            reward = 1.0 if coins[row, 2 + 2 * h] < reward else 0.0
        x = s * actions + a
        visits[h, x] += 1.0
        rewards[h, x] += reward
        successors[h, after, x] += 1.0
        s = after


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def evaluate(h: int, greedy: IntArray, world: World, values: FloatArray) -> bool:
    """Compute the exact values at step h of playing uniformly among the greedy actions; whether one has changed."""
    transitions, rewards, _, _, _, reachable, _, _ = world
    _, states, actions = rewards.shape
    changed = False
    for s in range(states):
        if reachable[h, s]:
            total, ties = 0.0, 0
            for a in range(actions):
                if (greedy[h, s] >> a) & 1:
                    ties += 1
                    total += rewards[h, s, a]
                    for after in range(states):
                        total += transitions[h, s, a, after] * values[h + 1, after]
            total /= ties
            changed |= total != values[h, s]
            values[h, s] = total
    return changed


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def tally(world: World, greedy: IntArray, record: Tally) -> None:
    """Count an episode and the exact regret of its plan; record at a checkpoint."""
    _, _, _, initial, _, reachable, optimum, _ = world
    last, values, clock, totals, checkpoints, regret = record
    horizon, states = greedy.shape
    changed = False  # whether the value of the plan changed at the step above
    for h in range(horizon - 1, -1, -1):
        for s in range(states):
            if greedy[h, s] != last[h, s]:
                last[h, s] = greedy[h, s]
                changed |= reachable[h, s] > 0
        if changed:
            changed = evaluate(h, greedy, world, values)
    if changed or clock[0] == 0:
        value = 0.0
        for s in range(states):
            value += initial[s] * values[0, s]
        totals[1] = optimum - value
    clock[0] += 1
    totals[0] += totals[1]
    if clock[1] < checkpoints.size and checkpoints[clock[1]] == clock[0]:
        regret[clock[1]] = totals[0]
        clock[1] += 1
