"""Private-LinOpt-PO (zhou2022/algorithm-2 with definition-6.3): policy optimisation by mirror descent, 4H counters.

Noise, shifts, widths and readings of the text are those of :mod:`privrl.agents.linear.linopt_vi`. Besides:

- eta = sqrt(2 ln A/(H T)), T = K H, as in the proof of theorem-5.1; algorithm 2 takes eta as given.
- The policy is kept as log-weights, the largest of a state at 0: the products of line 15 would leave the range of a
  double after some thousand episodes. Where all actions of a state have the same Q the policy does not move.
- The regret is that of the stochastic policy, exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numba import njit

from privrl.agents.linear import learner as linear
from privrl.agents.linear.kernels import draw_first, draw_next, feature, finish, record, score, terms
from privrl.agents.linear.learner import Learner
from privrl.agents.linear.linopt_vi import LinOpt
from privrl.agents.linear.widths import Calibration
from privrl.environments.linear_mixture import LinearMixtureMDP
from privrl.types import FloatArray, IntArray, planned_episodes


@dataclass(frozen=True)
class LinOptPO(LinOpt):
    """Private-LinOpt-PO over any counter; parameters as for :class:`privrl.agents.linear.linopt_vi.LinOpt`."""

    name: ClassVar[str] = "linopt-po"

    @staticmethod
    def eta(mdp: LinearMixtureMDP, planned: int) -> float:
        """Step size of the mirror descent (proof of theorem-5.1)."""
        return math.sqrt(2 * math.log(mdp.actions) / planned) / mdp.horizon

    def start(self, mdp: LinearMixtureMDP, planned: int, checkpoints: IntArray) -> PolicyOptimisation:
        """A learner before its first episode."""
        planned = planned_episodes(planned)
        made = self.calibrate(mdp, planned)
        state = linear.learner(mdp, checkpoints, made.by_blocks, known_rewards=False)
        return PolicyOptimisation(state, made, self.eta(mdp, planned))


@dataclass(eq=False)
class PolicyOptimisation:
    """A run of LinOpt-PO in progress; ``logits`` and ``policy`` (H, SA) are the log-weights and the policy in force."""

    state: Learner
    calibration: Calibration
    eta: float

    def __post_init__(self) -> None:
        self.work = linear.scratch(self.state)
        self.logits = np.zeros(self.state.q.shape)
        self.policy = np.full(self.state.q.shape, 1.0 / self.state.actions)

    def advance(self, noise: FloatArray, coins: FloatArray, ties: FloatArray) -> None:
        """Play ``noise.shape[0]`` episodes. Arguments as for value iteration; ``ties`` draw the actions."""
        state, made = self.state, self.calibration
        linear.check_blocks(state, noise, coins, ties)
        _advance(noise, coins, ties, self.eta, self.logits, self.policy, made.transitions, made.rewards, made.caps,
                 made.floor, made.growth, self.work, state.statistics, state.values, state.q, state.played,
                 state.cells, state.clock, state.totals, state.checkpoints, state.regret, state.optimum, state.rewards,
                 state.initial, state.first, state.bernoulli, state.actions, state.sparse, state.transitions,
                 state.reward_layout, state.varphi, state.segment)


@njit(cache=True, nogil=True, error_model="numpy")
def _advance(noise, coins, ties, eta, logits, policy, widths, reward_widths, caps, floor, growth,  # type: ignore[no-untyped-def]
             work, statistics, values, q, played, cells, clock, totals, checkpoints, regret, optimum, rewards, initial,
             first, bernoulli, actions, sparse, layout, reward_layout, varphi, segment):
    horizon, states = cells.shape
    upper, gain, phi = work.upper, work.gain, work.phi
    moved = True  # whether the policy moved since its value was computed; a block before may have ended with a move
    for row in range(noise.shape[0]):
        released = noise[row]
        n = terms(growth, clock[0])
        # lines 4 to 12: Q and V of the policy in force, backwards over h, and its exact value
        for h in range(horizon - 1, -1, -1):
            base = h * segment
            if h < horizon - 1:  # V_{H+1} = 0: the last step has no transition to predict
                clock[2] += score(h, base, layout, widths, values[h + 1], statistics, released, clock[0], n,
                                  work.space, upper)
            clock[2] += score(h, base, reward_layout, reward_widths, work.one, statistics, released, clock[0], n,
                              work.space, gain)
            for s in range(states):
                if not cells[h, s]:
                    continue
                value = 0.0
                for x in range(s * actions, s * actions + actions):
                    total = gain[reward_layout.twin[x]]
                    if h < horizon - 1:
                        total += upper[layout.twin[x]]
                    q[h, x] = max(floor, min(caps[h], total))
                    value += policy[h, x] * q[h, x]
                values[h, s] = value
        if moved:
            for h in range(horizon - 1, -1, -1):
                for s in range(states):
                    if not cells[h, s]:
                        continue
                    value = 0.0
                    for x in range(s * actions, s * actions + actions):
                        total = rewards[h, x]
                        for e in range(sparse.first[x], sparse.first[x + 1]):
                            total += sparse.chance[h, e] * played[h + 1, sparse.after[e]]
                        value += policy[h, x] * total
                    played[h, s] = value
        # lines 13 and 14: the episode and the sums
        s = draw_first(first, coins[row, 0])
        for h in range(horizon):
            x = s * actions
            last = x + actions - 1
            reached = policy[h, x]
            while ties[row, h] >= reached and x < last:
                x += 1
                reached += policy[h, x]
            after = draw_next(sparse, h, x, coins[row, 1 + 2 * h])
            base = h * segment
            if h < horizon - 1:
                feature(x, sparse, layout.sizes[layout.block[x]], values[h + 1], phi)
                record(base, layout, x, phi, values[h + 1, after], statistics)
            gained = rewards[h, x]
            if bernoulli:
                gained = 1.0 if coins[row, 2 + 2 * h] < gained else 0.0
            record(base, reward_layout, x, varphi[x], gained, statistics)
            s = after
        finish(played, initial, optimum, moved, clock, totals, checkpoints, regret)
        # line 15: mirror descent
        moved = False
        for h in range(horizon):
            for s in range(states):
                if not cells[h, s]:
                    continue
                low = high = q[h, s * actions]
                for x in range(s * actions + 1, s * actions + actions):
                    low = min(low, q[h, x])
                    high = max(high, q[h, x])
                if low == high:
                    continue
                moved = True
                top = -np.inf
                for x in range(s * actions, s * actions + actions):
                    logits[h, x] += eta * (q[h, x] - high)
                    top = max(top, logits[h, x])
                mass = 0.0
                for x in range(s * actions, s * actions + actions):
                    logits[h, x] -= top
                    policy[h, x] = math.exp(logits[h, x])
                    mass += policy[h, x]
                for x in range(s * actions, s * actions + actions):
                    policy[h, x] /= mass
