"""What the tabular agents share: the learner's arrays, the environment's step, exact regret at checkpoints.

The kernels of ``pucb`` and ``ubev`` call the compiled pieces below; each is plain Python under ``NUMBA_DISABLE_JIT=1``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from privrl import planning
from privrl.types import MOST_EPISODES, FloatArray, IntArray, TabularMDP, array, instance, require

MAX_ACTIONS = 62  # the set of greedy actions of a state is one 64-bit mask


@dataclass(eq=False)
class Learner:
    """Everything that changes during a run, and what the simulation knows; the kernels write into these arrays.

    Pairs x = s A + a run fastest, so that the compiled loops over them are vectorised.

    Parameters
    ----------
    statistics : (W,), exact running sums, laid out as n (H, SA), r (H, SA), m (H, S, SA) with the next state first
    values : (H + 1, S), optimistic values of the last plan
    greedy : (H, S), bit a is set when action a attains the maximum in the last plan; 0 before the first
    played : (H + 1, S), exact values of the policy in force, which plays uniformly among the greedy actions
    reachable : (H, S), whether any policy can come to s at step h; elsewhere a change of plan costs nothing
    clock : (2,), finished episodes, checkpoints passed
    totals : (2,), regret so far, regret of one episode of the policy in force
    checkpoints : (C,), numbers of finished episodes at which regret is recorded
    regret : (C,), filled as the checkpoints pass
    optimum : V*, expected total reward of the optimal policy
    transitions : (H, SA, S), probability of the next state after a pair
    rewards : (H, SA), mean rewards
    cumulative : (H, S, A, S), transitions summed over the next state; first : (S,), the same of the first state
    """

    statistics: FloatArray
    values: FloatArray
    greedy: IntArray
    played: FloatArray
    reachable: NDArray[np.bool_]
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
    actions: int

    @property
    def finished(self) -> int:
        """Episodes played so far."""
        return int(self.clock[0])


def width(mdp: TabularMDP) -> int:
    """W, the number of running sums of the tabular agents: 2SAH + S^2AH (vietri2020, section 3)."""
    instance("mdp", mdp, TabularMDP)
    return mdp.horizon * mdp.states * mdp.actions * (2 + mdp.states)


def check_blocks(state: Learner, noise: FloatArray, coins: FloatArray, ties: FloatArray) -> None:
    """``ValueError`` unless the blocks fit the learner: a kernel reads what it is given, unchecked."""
    instance("noise", noise, np.ndarray)
    rows, sums = noise.shape if noise.ndim == 2 else (0, 0)
    horizon = state.greedy.shape[0]
    for name, block, columns in (("noise", noise, sums), ("coins", coins, 1 + 2 * horizon), ("ties", ties, horizon)):
        instance(name, block, np.ndarray)
        require(block.shape == (rows, columns) and block.dtype == np.float64 and rows > 0,
                f"{name} must be float64 of shape (rows, {columns}), as many rows in every block, at least one",
                shape=block.shape, dtype=str(block.dtype))
    for name, block in (("coins", coins), ("ties", ties)):
        low, high = float(block.min()), float(block.max())
        require(low >= 0 and high < 1, f"{name} must be in [0, 1)", smallest=low, largest=high)
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(noise.sum())  # one pass that vectorises; an overflow of finite numbers is told apart below
    require(math.isfinite(total) or bool(np.isfinite(noise).all()), "noise must be finite", noise="NaN or infinity")


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
    cumulative = np.cumsum(mdp.transitions, axis=-1)
    cumulative[..., -1] = 1.0  # rounding must not leave a gap above the last state
    first = np.cumsum(mdp.initial)
    first[-1] = 1.0
    reachable = np.zeros((horizon, states), dtype=np.bool_)
    reachable[0] = mdp.initial > 0
    for step in range(horizon - 1):
        reachable[step + 1] = (mdp.transitions[step][reachable[step]] > 0).any(axis=(0, 1))
    return Learner(
        statistics=np.zeros(width(mdp)),
        values=np.zeros((horizon + 1, states)),
        greedy=np.zeros((horizon, states), dtype=np.int64),
        played=np.zeros((horizon + 1, states)),
        reachable=reachable,
        clock=np.zeros(2, dtype=np.int64),
        totals=np.zeros(2),
        checkpoints=marks,
        regret=np.zeros(marks.size),
        optimum=float(mdp.initial @ values[0]),
        transitions=mdp.transitions.reshape(horizon, states * actions, states).copy(),
        rewards=mdp.rewards.reshape(horizon, states * actions).copy(),
        cumulative=cumulative,
        initial=mdp.initial.copy(),
        first=first,
        bernoulli=mdp.bernoulli,
        actions=actions,
    )


@njit(cache=True, nogil=True, error_model="numpy")
def draw_first(first, uniform):  # type: ignore[no-untyped-def]  # numba infers the types
    """The first state, by inversion of the cumulative distribution; ``uniform`` in [0, 1)."""
    state = 0
    while uniform >= first[state]:
        state += 1
    return state


@njit(cache=True, nogil=True, error_model="numpy")
def draw_next(cumulative, h, s, a, uniform):  # type: ignore[no-untyped-def]
    """The next state, by inversion of the cumulative distribution; ``uniform`` in [0, 1)."""
    after = 0
    for state in range(cumulative.shape[3] - 1):  # counted, not searched: no branch to mispredict
        after += uniform >= cumulative[h, s, a, state]
    return after


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
def greedy_step(h, q, actions, values, greedy, reachable):  # type: ignore[no-untyped-def]
    """Maxima and sets of maximisers of q (SA,) at step h; whether a reachable set changed."""
    changed = False
    for s in range(greedy.shape[1]):
        best = q[s * actions]
        mask = 1
        for a in range(1, actions):
            value = q[s * actions + a]
            if value > best:
                best = value
                mask = 1 << a
            elif value == best:
                mask |= 1 << a
        values[h, s] = best
        if mask != greedy[h, s]:
            greedy[h, s] = mask
            changed = changed or reachable[h, s]
    return changed


@njit(cache=True, nogil=True, error_model="numpy")
def played_step(h, actions, greedy, transitions, rewards, played):  # type: ignore[no-untyped-def]
    """Exact values at step h of playing uniformly among the greedy actions; whether one of them changed."""
    states = greedy.shape[1]
    changed = False
    for s in range(states):
        mask = greedy[h, s]
        if mask & (mask - 1) == 0:  # one greedy action, the common case
            x = s * actions
            while mask > 1:
                mask >>= 1
                x += 1
            total = rewards[h, x]
            for after in range(states):
                total += transitions[h, x, after] * played[h + 1, after]
        else:
            total = 0.0
            ties = 0
            for a in range(actions):
                if (mask >> a) & 1:
                    x = s * actions + a
                    ties += 1
                    total += rewards[h, x]
                    for after in range(states):
                        total += transitions[h, x, after] * played[h + 1, after]
            total /= ties
        changed |= total != played[h, s]
        played[h, s] = total
    return changed


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
