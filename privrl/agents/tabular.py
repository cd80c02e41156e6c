"""What the tabular agents share: the learner's arrays, the environment's step, exact regret at checkpoints.

The kernels of ``pucb`` and ``ubev`` call the compiled pieces below; each is plain Python under ``NUMBA_DISABLE_JIT=1``.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from privrl import planning
from privrl.agents import _lanes
from privrl.agents._lanes import LANES, count, load, lowest_bit, spread, store, where
from privrl.types import MOST_EPISODES, FloatArray, IntArray, TabularMDP, array, instance, require

MAX_ACTIONS = 62  # the set of greedy actions of a state is one 64-bit mask


@dataclass(eq=False)
class Learner:
    """Everything that changes during a run, and what the simulation knows; the kernels write into these arrays.

    Pairs are x = s A + a in the running sums. Elsewhere states run fastest, padded with zeros to W', a multiple of
    eight: kernels take eight states at a time (see ``_lanes``).

    Parameters
    ----------
    statistics : (W,), exact running sums, laid out as n (H, SA), r (H, SA), m (H, S, SA) with the next state first
    q : (A, W'), optimistic values of one step of the plan being made
    values : (H + 1, W'), optimistic values of the last plan
    masks : (H, W'), bit a is set when action a attains the maximum in the last plan; 0 before the first
    played : (H + 1, W'), exact values of the policy in force, which plays uniformly among the greedy actions; kept
        where it matters, at the reachable states
    reachable : (H, W'), 1 when a policy can come to s at step h; elsewhere, 0, a change of plan costs nothing
    clock : (2,), finished episodes, checkpoints passed
    totals : (2,), regret so far, regret of one episode of the policy in force
    checkpoints : (C,), numbers of finished episodes at which regret is recorded
    regret : (C,), filled as the checkpoints pass
    optimum : V*, expected total reward of the optimal policy
    transitions : (H, S, A, W'), probability of the next state, the second index, after a pair
    rewards : (H, A, W'), mean rewards
    cumulative : (H, S, A, W'), transitions summed over the next state, the last index; 1 from the last state on
    first : (S,), the same of the first state
    """

    statistics: FloatArray
    q: FloatArray
    values: FloatArray
    masks: IntArray
    played: FloatArray
    reachable: IntArray
    clock: IntArray
    totals: FloatArray
    checkpoints: IntArray
    regret: FloatArray
    optimum: float
    transitions: FloatArray
    rewards: FloatArray
    cumulative: FloatArray
    initial: FloatArray
    first: FloatArray
    bernoulli: bool

    @property
    def greedy(self) -> IntArray:
        """(H, S), the masks of the states, without the padding."""
        return self.masks[:, : self.initial.size]

    @property
    def finished(self) -> int:
        """Episodes played so far."""
        return int(self.clock[0])

    @property
    def arrays(self) -> tuple[Any, ...]:
        """What every kernel takes after its agent's own arguments, in the order of the parameters above."""
        return (self.statistics, self.q, self.values, self.masks, self.played, self.reachable, self.clock, self.totals,
                self.checkpoints, self.regret, self.optimum, self.transitions, self.rewards, self.cumulative,
                self.initial, self.first, self.bernoulli)


def width(mdp: TabularMDP) -> int:
    """W, the number of running sums of the tabular agents: 2SAH + S^2AH (vietri2020, section 3)."""
    instance("mdp", mdp, TabularMDP)
    return mdp.horizon * mdp.states * mdp.actions * (2 + mdp.states)


def check_blocks(state: Learner, noise: FloatArray, coins: FloatArray, ties: FloatArray,
                 released: int | None = None) -> None:
    """``ValueError`` unless the blocks fit the learner: a kernel reads what it is given, unchecked.

    Parameters
    ----------
    noise : (rows, ``released``), row i is the noise of the sums that episode i of this block plans with; any width
        where ``released`` is None
    coins : (rows, 1 + 2H), uniforms of the environment: first state, then next state and reward per step
    ties : (rows, H), uniforms that break ties
    """
    instance("noise", noise, np.ndarray)
    rows, sums = noise.shape if noise.ndim == 2 else (0, 0)
    horizon = state.masks.shape[0]
    for name, block, columns in (("noise", noise, sums), ("coins", coins, 1 + 2 * horizon), ("ties", ties, horizon)):
        instance(name, block, np.ndarray)
        if block.shape != (rows, columns) or block.dtype != np.float64 or rows == 0:
            require(False,
                    f"{name} must be float64 of shape (rows, {columns}), as many rows in every block, at least one",
                    shape=block.shape, dtype=str(block.dtype))
    for name, block in (("coins", coins), ("ties", ties)):
        if not _all_inside(block.reshape(-1), 0.0, 1.0):  # one pass; a second one only for the message
            require(False, f"{name} must be in [0, 1)", smallest=float(block.min()), largest=float(block.max()))
    require(_all_inside(noise.reshape(-1), -sys.float_info.max, math.inf), "noise must be finite",
            noise="NaN or infinity")
    require(released in (None, sums), f"noise must have {released} columns, one per released sum", shape=noise.shape)


def learner(mdp: TabularMDP, checkpoints: IntArray) -> Learner:
    """A learner that has seen nothing; checkpoints increasing, at least 1."""
    instance("mdp", mdp, TabularMDP)
    require(mdp.actions <= MAX_ACTIONS, f"a tabular agent takes at most {MAX_ACTIONS} actions", actions=mdp.actions)
    given = array("checkpoints", checkpoints, (None,))
    whole = bool((given == np.floor(given)).all() and given[-1] <= MOST_EPISODES)
    require(whole and bool((np.diff(given) > 0).all()) and given[0] >= 1,
            f"checkpoints must be whole, increase, and be in 1..{MOST_EPISODES}", checkpoints=given.tolist()[:5])
    marks = given.astype(np.int64)
    horizon, states, actions = mdp.rewards.shape
    values, _ = planning.optimal(mdp)
    pairs = (horizon, actions, _lanes.padded(states))
    reachable = np.zeros((horizon, states), dtype=np.bool_)
    reachable[0] = mdp.initial > 0
    for step in range(horizon - 1):
        reachable[step + 1] = (mdp.transitions[step][reachable[step]] > 0).any(axis=(0, 1))
    first = np.cumsum(mdp.initial)
    first[-1] = 1.0  # rounding must not leave a gap above the last state
    made = Learner(
        statistics=np.zeros(width(mdp)),
        q=_lanes.zeros(pairs[1:]),
        values=_lanes.zeros((horizon + 1, pairs[2])),
        masks=_lanes.zeros((horizon, pairs[2]), np.int64),
        played=_lanes.zeros((horizon + 1, pairs[2])),
        reachable=_lanes.zeros((horizon, pairs[2]), np.int64),
        clock=np.zeros(2, dtype=np.int64),
        totals=np.zeros(2),
        checkpoints=marks,
        regret=np.zeros(marks.size),
        optimum=float(mdp.initial @ values[0]),
        transitions=_lanes.zeros((horizon, states, *pairs[1:])),
        rewards=_lanes.zeros(pairs),
        cumulative=_lanes.zeros((horizon, states, *pairs[1:])),
        initial=mdp.initial.copy(),
        first=first,
        bernoulli=mdp.bernoulli,
    )
    made.reachable[:, :states] = reachable
    made.transitions[..., :states] = mdp.transitions.transpose(0, 3, 2, 1)
    made.rewards[..., :states] = mdp.rewards.transpose(0, 2, 1)
    made.cumulative[..., :states] = np.cumsum(mdp.transitions, axis=-1)
    made.cumulative[..., states - 1 :] = 1.0  # for the same reason
    return made


# ``inline``: a call would count the references to its arrays, which costs more than most of what is called here


@njit(cache=True, nogil=True, error_model="numpy")
def _all_inside(flat, low, high):  # type: ignore[no-untyped-def]  # numba infers the types
    """Whether every number is >= ``low`` and < ``high``; NaN is not."""
    inside = 0
    for i in range(0, flat.size - LANES + 1, LANES):
        eight = load(flat, (i,))
        inside += count((eight >= low) & (eight < high))
    for i in range(flat.size - flat.size % LANES, flat.size):
        inside += flat[i] >= low and flat[i] < high
    return inside == flat.size


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def draw_first(first, uniform):  # type: ignore[no-untyped-def]  # numba infers the types
    """The first state, by inversion of the cumulative distribution; ``uniform`` in [0, 1)."""
    state = 0
    while uniform >= first[state]:
        state += 1
    return state


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def draw_next(cumulative, h, s, a, uniform):  # type: ignore[no-untyped-def]
    """The next state, by inversion of the cumulative distribution; ``uniform`` in [0, 1)."""
    states = cumulative.shape[3]
    after = 0  # counted, not searched: no branch to mispredict
    for state in range(0, states - LANES + 1, LANES):
        after += count(load(cumulative, (h, s, a, state)) <= uniform)
    for state in range(states - states % LANES, states):  # none where the last axis is padded
        after += uniform >= cumulative[h, s, a, state]
    return after


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def draw_action(mask, uniform):  # type: ignore[no-untyped-def]
    """One of the greedy actions, uniformly: ties are never broken by index."""
    if mask & (mask - 1):  # more than one
        ties = 0
        rest = mask
        while rest:
            rest &= rest - 1
            ties += 1
        for _ in range(int(uniform * ties)):
            mask &= mask - 1
    return lowest_bit(mask)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def greedy_step(h, q, values, masks, reachable):  # type: ignore[no-untyped-def]
    """Maxima and sets of maximisers of q (A, W') at step h; whether a reachable set changed."""
    changed = 0
    for s in range(0, q.shape[1], LANES):
        best = load(q, (0, s))
        mask = spread(1)
        for a in range(1, q.shape[0]):
            value = load(q, (a, s))
            mask = where(value > best, 1 << a, where(value == best, mask | (1 << a), mask))
            best = where(value > best, value, best)
        store(values, (h, s), best)
        changed += count((mask != load(masks, (h, s))) & (load(reachable, (h, s)) > 0))
        store(masks, (h, s), mask)
    return changed > 0


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def look_ahead(h, a, s, total, weights, values):  # type: ignore[no-untyped-def]
    """``total`` and the values of the next state, weighted (H, S, A, W'), of action a in eight states from s on."""
    for after in range(weights.shape[1]):
        total = total + load(weights, (h, after, a, s)) * values[h + 1, after]
    return total


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def played_step(h, masks, reachable, transitions, rewards, played):  # type: ignore[no-untyped-def]
    """Exact values at step h of playing uniformly among the greedy actions; whether one of them changed."""
    changed = 0
    for s in range(0, masks.shape[1], LANES):
        mask = load(masks, (h, s))
        matters = load(reachable, (h, s)) > 0
        total = spread(0.0)
        if count(((mask & (mask - 1)) != 0) & matters):  # a tie
            ties = spread(0.0)
            for a in range(rewards.shape[1]):
                chosen = (mask & (1 << a)) != 0
                total = where(chosen, look_ahead(h, a, s, total + load(rewards, (h, a, s)), transitions, played), total)
                ties = where(chosen, ties + 1.0, ties)
            total = total / ties
        else:  # no action waits for the sum of another
            for a in range(rewards.shape[1]):
                chosen = mask == (1 << a)
                total = where(chosen, look_ahead(h, a, s, load(rewards, (h, a, s)), transitions, played), total)
        changed += count((total != load(played, (h, s))) & matters)
        store(played, (h, s), total)
    return changed > 0


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def play(row, coins, ties, masks, rewards, cumulative, first, bernoulli, statistics):  # type: ignore[no-untyped-def]
    """One episode by the plan in force, with the uniforms of a row; its visits, rewards and next states are counted."""
    horizon, actions, states = rewards.shape[0], rewards.shape[1], first.size
    pairs = states * actions
    s = draw_first(first, coins[row, 0])
    for h in range(horizon):
        a = draw_action(masks[h, s], ties[row, h])
        after = draw_next(cumulative, h, s, a, coins[row, 1 + 2 * h])
        x = s * actions + a
        reward = rewards[h, a, s]
        if bernoulli:
            reward = 1.0 if coins[row, 2 + 2 * h] < reward else 0.0
        statistics[h * pairs + x] += 1.0
        statistics[(horizon + h) * pairs + x] += reward
        statistics[(2 * horizon + h * states + after) * pairs + x] += 1.0
        s = after


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
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
