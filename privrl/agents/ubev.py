"""UBEV (Dann, Lattimore and Brunskill 2017, algorithm 1): the base of PUCB, without privacy.

    phi(n) = sqrt((2 llnp(max(e, n)) + ln(18 S A H / beta)) / n),  llnp(x) = ln(max(1, ln x)),
    Q(s, a, h) = min(1, r/n + phi) + min(max V(., h+1), m . V(., h+1) / n + (H - h) phi)

with h counted from 1, and both minima at their caps where n = 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numba import njit

from privrl.agents import _lanes, tabular
from privrl.agents._lanes import LANES, largest, load, store, where
from privrl.agents.tabular import (
    Learner,
    draw_action,
    draw_first,
    draw_next,
    finish,
    greedy_step,
    look_ahead,
    played_step,
)
from privrl.privacy import counters
from privrl.types import FloatArray, IntArray, TabularMDP, instance, planned_episodes, probability

TABLE = 1 << 17  # phi(n) is looked up below this count, and computed above


@dataclass(frozen=True)
class UBEV:
    """UBEV with failure probability ``beta`` in (0, 1). It has no counter, no calibration, and no privacy."""

    beta: float = 0.1
    name: ClassVar[str] = "ubev"
    counter: ClassVar[str] = "none"
    calibration: ClassVar[str] = "printed"
    epsilon: ClassVar[float] = math.inf
    delta: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "beta", probability("beta", self.beta))

    def noise(self, mdp: TabularMDP, planned: int, rng: np.random.Generator) -> counters.Counter:
        """An empty stream: UBEV reads no noise."""
        tabular.width(mdp)  # held against the same requirements as every agent's
        instance("rng", rng, np.random.Generator)
        return counters.NoneCounter(1, max(planned_episodes(planned) - 1, 1))

    def start(self, mdp: TabularMDP, planned: int, checkpoints: IntArray) -> UBEVLearner:
        """A learner before its first episode; ``planned`` does not enter the algorithm."""
        return UBEVLearner(tabular.learner(mdp, checkpoints), self.beta, planned_episodes(planned))


class UBEVLearner:
    """A run of UBEV in progress."""

    def __init__(self, state: Learner, beta: float, planned: int) -> None:
        horizon, states, actions, width = state.transitions.shape
        self.state = state
        self.constant = math.log(18 * states * actions * horizon / beta)
        self.table = _phi_table(min(TABLE, planned + 1), self.constant)
        # what a plan needs of every (h, s, a), kept current as counts change: capped reward, (H - h) phi, m / n
        self.reward = _lanes.zeros((horizon, actions, width))
        self.bonus = _lanes.zeros((horizon, actions, width))
        self.reward[..., :states], self.bonus[..., :states] = 1.0, math.inf
        self.frequency = _lanes.zeros(state.transitions.shape)

    def advance(self, noise: FloatArray, coins: FloatArray, ties: FloatArray) -> None:
        """Play ``noise.shape[0]`` episodes; the noise itself is not read. Arguments as for PUCB."""
        state = self.state
        tabular.check_blocks(state, noise, coins, ties)
        _advance(noise.shape[0], coins, ties, self.constant, self.table, self.reward, self.bonus, self.frequency,
                 *state.arrays)


@njit(cache=True, nogil=True, error_model="numpy")
def phi(n, constant):  # type: ignore[no-untyped-def]  # numba infers the types
    """Half-width of the confidence interval after ``n`` >= 1 observations in [0, 1]."""
    return math.sqrt((2.0 * math.log(math.log(max(math.e, n))) + constant) / n)


@njit(cache=True, nogil=True, error_model="numpy")
def _phi_table(size, constant):  # type: ignore[no-untyped-def]
    table = np.empty(size)
    table[0] = np.inf
    for n in range(1, size):
        table[n] = phi(float(n), constant)
    return table


@njit(cache=True, nogil=True, error_model="numpy")
def _advance(rows, coins, ties, constant, table, reward, bonus, frequency, statistics, q, values, masks,  # type: ignore[no-untyped-def]
             played, reachable, clock, totals, checkpoints, regret, optimum, transitions, rewards, cumulative, initial,
             first, bernoulli):
    horizon, states, actions, width = transitions.shape
    pairs = states * actions
    to_r = horizon * pairs
    to_m = 2 * horizon * pairs
    for row in range(rows):
        # plan: lines 2 to 11, backwards over h, in eight states at a time
        changed = False  # whether the value of the policy in force changed at the step above
        for h in range(horizon - 1, -1, -1):
            cap = 0.0
            for s in range(0, width, LANES):
                cap = max(cap, largest(load(values, (h + 1, s))))
            for s in range(0, width, LANES):
                for a in range(actions):
                    ahead = look_ahead(h, a, s, load(bonus, (h, a, s)), frequency, values)
                    store(q, (a, s), load(reward, (h, a, s)) + where(ahead < cap, ahead, cap))
            changed |= greedy_step(h, q, values, masks, reachable)
            if changed:
                changed = played_step(h, masks, reachable, transitions, rewards, played)
        # the episode: lines 12 to 17
        s = draw_first(first, coins[row, 0])
        for h in range(horizon):
            a = draw_action(masks[h, s], ties[row, h])
            after = draw_next(cumulative, h, s, a, coins[row, 1 + 2 * h])
            gained = rewards[h, a, s]
            if bernoulli:
                gained = 1.0 if coins[row, 2 + 2 * h] < gained else 0.0
            at = h * pairs + s * actions + a
            statistics[at] += 1.0
            statistics[to_r + at] += gained
            counts = to_m + h * states * pairs + s * actions + a  # of the next states, at every `pairs`-th place
            statistics[counts + after * pairs] += 1.0
            n = statistics[at]
            phi_n = table[int(n)] if n < table.size else phi(n, constant)
            reward[h, a, s] = min(1.0, statistics[to_r + at] / n + phi_n)
            bonus[h, a, s] = (horizon - 1 - h) * phi_n
            one = 1.0 / n
            for other in range(states):
                frequency[h, other, a, s] = statistics[counts + other * pairs] * one
            s = after
        finish(played, initial, optimum, changed or clock[0] == 0, clock, totals, checkpoints, regret)
