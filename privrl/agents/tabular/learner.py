"""What every tabular learner holds, and the blocks of randomness that it accepts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from privrl.agents.tabular.records import Blocks, Plan, Released, Sums, Tally, World
from privrl.environments import planning
from privrl.types import MOST_EPISODES, FloatArray, IntArray, TabularMDP, array, instance, require

MAX_ACTIONS = 62  # the set of greedy actions of a state is one 64-bit integer


@dataclass(eq=False)
class State:
    """Everything that a run consists of; the kernels write into the arrays."""

    world: World
    sums: Sums
    released: Released
    plan: Plan
    tally: Tally

    @property
    def records(self) -> tuple[World, Sums, Released, Plan, Tally]:
        """What a kernel takes after its agent's own arguments."""
        return self.world, self.sums, self.released, self.plan, self.tally

    @property
    def statistics(self) -> FloatArray:
        """(W,), the exact running sums n, r, m."""
        return self.sums.every

    @property
    def regret(self) -> FloatArray:
        """(C,), filled as the checkpoints pass."""
        return self.tally.regret

    @property
    def greedy(self) -> IntArray:
        """(H, S), the sets of actions that the last plan chooses from."""
        return self.plan.greedy

    @property
    def actions(self) -> int:
        """A."""
        return int(self.world.rewards.shape[2])

    @property
    def finished(self) -> int:
        """Episodes played so far."""
        return int(self.tally.clock[0])


@dataclass(eq=False)
class Learner:
    """A run in progress.

    Parameters
    ----------
    calibration : what the agent derived before the first episode
    columns : of noise; any number where it is None
    """

    state: State
    calibration: Any
    columns: int | None

    def advance(self, noise: FloatArray, coins: FloatArray, ties: FloatArray) -> None:
        """Play ``noise.shape[0]`` episodes; the blocks as :class:`privrl.agents.tabular.records.Blocks` says."""
        self.play(check_blocks(self.state, noise, coins, ties, self.columns))

    def play(self, blocks: Blocks) -> None:
        """Play blocks that fit."""
        raise NotImplementedError


def width(mdp: TabularMDP) -> int:
    """W, the number of running sums of the tabular agents: 2SAH + S^2AH (vietri2020, section 3)."""
    instance("mdp", mdp, TabularMDP)
    return mdp.horizon * mdp.states * mdp.actions * (2 + mdp.states)


def check_blocks(state: State, noise: FloatArray, coins: FloatArray, ties: FloatArray,
                 released: int | None = None) -> Blocks:
    """The blocks, or ``ValueError`` unless they fit the learner: a kernel reads what it is given, unchecked.

    ``noise`` has ``released`` columns; any number where that is None.
    """
    instance("noise", noise, np.ndarray)
    rows, sums = noise.shape if noise.ndim == 2 else (0, 0)
    horizon = state.greedy.shape[0]
    for name, block, columns in (("noise", noise, sums), ("coins", coins, 1 + 2 * horizon), ("ties", ties, horizon)):
        instance(name, block, np.ndarray)
        if block.shape != (rows, columns) or block.dtype != np.float64 or rows == 0:
            require(False,
                    f"{name} must be float64 of shape (rows, {columns}), as many rows in every block, at least one",
                    shape=block.shape, dtype=str(block.dtype))
    for name, block in (("coins", coins), ("ties", ties)):
        smallest, largest = float(block.min()), float(block.max())
        require(smallest >= 0 and largest < 1, f"{name} must be in [0, 1)", smallest=smallest, largest=largest)
    require(math.isfinite(noise.sum()), "noise must be finite", noise="NaN or infinity")
    require(released in (None, sums), f"noise must have {released} columns, one per released sum", shape=noise.shape)
    return Blocks(noise, coins, ties)


def start(mdp: TabularMDP, checkpoints: IntArray, *, private: bool = True) -> State:
    """A state that has seen nothing; checkpoints increasing, at least 1.

    Without privacy, ``Released`` are the exact sums themselves.
    """
    instance("mdp", mdp, TabularMDP)
    require(mdp.actions <= MAX_ACTIONS, f"a tabular agent takes at most {MAX_ACTIONS} actions", actions=mdp.actions)
    given = array("checkpoints", checkpoints, (None,))
    whole = bool((given == np.floor(given)).all() and given[-1] <= MOST_EPISODES)
    require(whole and bool((np.diff(given) > 0).all()) and given[0] >= 1,
            f"checkpoints must be whole, increase, and be in 1..{MOST_EPISODES}", checkpoints=given.tolist()[:5])
    horizon, states, actions = mdp.rewards.shape
    sums = Sums(*views(np.zeros(width(mdp)), mdp))
    released = Released(*(views(np.zeros(width(mdp)), mdp) if private else sums))
    plan = Plan(np.zeros((horizon, states * actions)), np.zeros((horizon + 1, states)),
                np.zeros((horizon, states), dtype=np.int64))
    tally = Tally(np.zeros_like(plan.greedy), np.zeros_like(plan.values), np.zeros(2, dtype=np.int64), np.zeros(2),
                  given.astype(np.int64), np.zeros(given.size))
    return State(world(mdp), sums, released, plan, tally)


def views(every: FloatArray, mdp: TabularMDP) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """The sums, and n, r and m in them."""
    horizon, pairs = mdp.horizon, mdp.states * mdp.actions
    n, r, m = np.split(every, [horizon * pairs, 2 * horizon * pairs])
    return every, n.reshape(horizon, pairs), r.reshape(horizon, pairs), m.reshape(horizon, mdp.states, pairs)


def world(mdp: TabularMDP) -> World:
    """The environment as the kernels read it."""
    values, _ = planning.optimal(mdp)
    reachable = np.zeros((mdp.horizon, mdp.states), dtype=np.int64)
    reachable[0] = mdp.initial > 0
    for step in range(mdp.horizon - 1):
        reachable[step + 1] = (mdp.transitions[step][reachable[step] > 0] > 0).any(axis=(0, 1))
    cumulative, first = np.cumsum(mdp.transitions, axis=-1), np.cumsum(mdp.initial)
    cumulative[..., -1] = first[-1] = 1.0  # rounding must not leave a gap above the last state
    made = World(np.array(mdp.transitions), np.array(mdp.rewards), cumulative, np.array(mdp.initial), first, reachable,
                 float(mdp.initial @ values[0]), mdp.bernoulli)
    for one in made:
        if isinstance(one, np.ndarray):
            one.flags.writeable = False
    return made
