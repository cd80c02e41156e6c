"""One episode after another, step by step, from the uniforms that a simulation takes in the same
order.

What the gymnasium environments and :func:`privrl.environments.evaluate.estimate` play in. The
compiled agents play whole episodes in their kernels; from the same uniforms and actions these here
go the same way.
"""

import math
from functools import cached_property
from typing import Any

import numpy as np

from privrl.checks import array, count, require
from privrl.environments import planning
from privrl.environments.lq import LQSystem, disturbances
from privrl.types import FloatArray, TabularMDP


class FiniteEpisode:
    """An episode of a tabular MDP, from 1 + 2H uniforms: first state, then next state and reward
    for every step.

    ``step`` is the number of steps taken, 0 to H; ``state`` a number, or (n,) of an LQ system.
    """

    def __init__(self, mdp: TabularMDP) -> None:
        self.mdp, self.horizon, self.coins = mdp, mdp.horizon, mdp.coins
        self.step, self.state = mdp.horizon, 0
        self._coins = np.zeros(mdp.coins)
        self._first = _cumulative(mdp.initial)
        self._next = _cumulative(mdp.transitions)
        self._taken = (0, 0, 0)

    @cached_property
    def _gaps(self) -> FloatArray:
        """(H, S, A), V* - Q*."""
        values, action_values = planning.optimal(self.mdp)
        return np.asarray(values[:-1, :, None] - action_values)

    @property
    def gap(self) -> float:
        """V* - Q* of the last action, where it was taken."""
        return float(self._gaps[self._taken])

    def begin(self, coins: FloatArray) -> None:
        self._coins = coins
        self.step, self.state = 0, int(np.searchsorted(self._first, coins[0], side="right"))

    def act(self, action: Any) -> float:
        """The reward of an action in 0..A-1."""
        action_ = count(
            "action",
            action.item() if isinstance(action, np.ndarray) and action.size == 1 else action,
            0,
        )
        require(
            action_ < self.mdp.actions,
            f"action must be in 0..{self.mdp.actions - 1}",
            action=action_,
        )
        cell = self._taken = (self.step, self.state, action_)
        reward = float(self.mdp.rewards[cell])
        if self.mdp.bernoulli:
            reward = float(self._coins[2 + 2 * self.step] < reward)
        self.state = int(
            np.searchsorted(self._next[cell], self._coins[1 + 2 * self.step], side="right")
        )
        self.step += 1
        return reward


class LQEpisode:
    """An episode of an LQ system; a control longer than gamma, which assumption 1 excludes, is
    shortened to gamma."""

    def __init__(self, system: LQSystem) -> None:
        self.system, self.horizon, self.coins = system, system.horizon, system.coins
        self.step, self.state = system.horizon, system.start.copy()
        self._noise = np.zeros((system.horizon, system.states))
        self._apart, self._at = np.zeros(system.controls), 0

    @cached_property
    def _plan(self) -> tuple[FloatArray, FloatArray]:
        """Optimal gains (H, d, n), and R + B'P_{h+1}B (H, d, d)."""
        system = self.system
        costs, gains = planning.riccati(system.A, system.B, system.Q, system.R, system.horizon)
        return gains, system.R + system.B.T @ costs[1:] @ system.B

    @property
    def gap(self) -> float:
        """V* - Q* of the last control, where it was played: completing the square in equation 4."""
        return float(self._apart @ self._plan[1][self._at] @ self._apart)

    def begin(self, coins: FloatArray) -> None:
        self._noise = disturbances(self.system, coins[None])[0]
        self.step, self.state = 0, self.system.start.copy()

    def act(self, action: Any) -> float:
        """Minus the cost of a control (d,)."""
        system, x = self.system, self.state
        control = shortened(array("action", action, (system.controls,)), system.gamma)
        self._apart, self._at = control - self._plan[0][self.step] @ x, self.step
        cost = float(x @ system.Q @ x + control @ system.R @ control)
        self.state = system.A @ x + system.B @ control + self._noise[self.step]
        self.step += 1
        return -cost


def shortened(control: FloatArray, gamma: float) -> FloatArray:
    """``control`` where its norm is at most gamma, otherwise the control of norm gamma in its
    direction."""
    norm = math.hypot(*control)
    return control if norm <= gamma else np.asarray(control / norm * gamma)


Episode = FiniteEpisode | LQEpisode


def make(model: TabularMDP | LQSystem) -> Episode:
    """Episodes of ``model``."""
    return LQEpisode(model) if isinstance(model, LQSystem) else FiniteEpisode(model)


def _cumulative(rows: FloatArray) -> FloatArray:
    """Cumulative sums along the last axis; rounding must not leave a gap above the last state."""
    sums = np.cumsum(rows, axis=-1)
    sums[..., -1] = 1.0
    return sums
