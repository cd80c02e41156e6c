"""Optimistic value iteration on released sums: the kernel of UCRL-VTR, LDP-UCRL-VTR and LinOpt-VI.

The three agents differ in what they derive beforehand (noise, shift, widths, caps) and in whether the rewards are
known.
"""

from __future__ import annotations

from dataclasses import dataclass

from numba import njit

from privrl.agents.linear import learner as linear
from privrl.agents.linear.kernels import (
    TIE,
    draw_action,
    draw_first,
    draw_next,
    feature,
    finish,
    greedy_step,
    played_step,
    record,
    score,
    terms,
)
from privrl.agents.linear.learner import Learner
from privrl.agents.linear.widths import Calibration
from privrl.types import FloatArray


@dataclass(eq=False)
class ValueIteration:
    """A run in progress of an agent that plans by optimistic value iteration."""

    state: Learner
    calibration: Calibration
    known_rewards: bool

    def __post_init__(self) -> None:
        self.work = linear.scratch(self.state)

    def advance(self, noise: FloatArray, coins: FloatArray, ties: FloatArray) -> None:
        """Play ``noise.shape[0]`` episodes.

        Parameters
        ----------
        noise : (rows, W), row i is the noise (before scaling) of the sums that episode i of this block plans with
        coins : (rows, 1 + 2H), uniforms of the environment: first state, then next state and reward per step
        ties : (rows, H), uniforms that break ties
        """
        state, made = self.state, self.calibration
        linear.check_blocks(state, noise, coins, ties)
        _advance(noise, coins, ties, made.transitions, made.rewards, self.known_rewards, made.caps, made.floor,
                 made.growth, self.work, state.statistics, state.values, state.q, state.greedy, state.played,
                 state.cells, state.clock, state.totals, state.checkpoints, state.regret, state.optimum, state.rewards,
                 state.initial, state.first, state.bernoulli, state.actions, state.sparse,
                 state.transitions, state.reward_layout, state.varphi, state.segment)


@njit(cache=True, nogil=True, error_model="numpy")
def _advance(noise, coins, ties, widths, reward_widths, known_rewards, caps, floor, growth,  # type: ignore[no-untyped-def]
             work, statistics, values, q, greedy, played, cells, clock, totals, checkpoints, regret, optimum, rewards,
             initial, first, bernoulli, actions, sparse, layout, reward_layout, varphi, segment):
    horizon, states = greedy.shape
    upper, gain, phi = work.upper, work.gain, work.phi
    slack = TIE * caps[0]
    for row in range(noise.shape[0]):
        released = noise[row]
        n = terms(growth, clock[0])
        # liao2021 lines 5 to 8, zhou2022 lines 3 to 12: Q and V, backwards over h
        changed = False  # whether the value of the policy in force changed at the step above
        for h in range(horizon - 1, -1, -1):
            base = h * segment
            if h < horizon - 1:  # V_{H+1} = 0: the last step has no transition to predict
                clock[2] += score(h, base, layout, widths, values[h + 1], statistics, released, clock[0], n,
                                  work.space, upper)
            if not known_rewards:
                clock[2] += score(h, base, reward_layout, reward_widths, work.one, statistics, released, clock[0], n,
                                  work.space, gain)
            for s in range(states):
                if cells[h, s]:
                    for x in range(s * actions, s * actions + actions):
                        total = rewards[h, x] if known_rewards else gain[reward_layout.twin[x]]
                        if h < horizon - 1:
                            total += upper[layout.twin[x]]
                        q[h, x] = max(floor, min(caps[h], total))
            changed |= greedy_step(h, q[h], actions, values, greedy, cells, slack)
            if changed:
                changed = played_step(h, actions, greedy, cells, sparse, rewards, played)
        # liao2021 lines 9 to 18, zhou2022 lines 13 and 14: the episode and the sums
        s = draw_first(first, coins[row, 0])
        for h in range(horizon):
            a = draw_action(greedy[h, s], ties[row, h])
            x = s * actions + a
            after = draw_next(sparse, h, x, coins[row, 1 + 2 * h])
            base = h * segment
            if h < horizon - 1:
                feature(x, sparse, layout.sizes[layout.block[x]], values[h + 1], phi)
                record(base, layout, x, phi, values[h + 1, after], statistics)
            if not known_rewards:
                gained = rewards[h, x]
                if bernoulli:
                    gained = 1.0 if coins[row, 2 + 2 * h] < gained else 0.0
                record(base, reward_layout, x, varphi[x], gained, statistics)
            s = after
        finish(played, initial, optimum, changed or clock[0] == 0, clock, totals, checkpoints, regret)
