"""What every tabular learner holds, and the blocks of randomness that it accepts."""

from dataclasses import dataclass
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np

from privrl.agents.acting import Acting, finite_steps, known_choice
from privrl.agents.blocks import Blocks, Tallied, account, check_blocks
from privrl.agents.steps import MAX_ACTIONS, draw_action
from privrl.agents.sums import Exact, Noisy
from privrl.agents.tabular.kernels import follow
from privrl.agents.tabular.records import (
    TabularPlan,
    TabularReleased,
    TabularSums,
    TabularTally,
    TabularWorld,
)
from privrl.agents.trajectory import Trajectory
from privrl.checks import count, instance, require
from privrl.environments import planning
from privrl.types import Entries, FloatArray, IntArray, TabularMDP

WorldT = TypeVar("WorldT", bound=NamedTuple)  # by pairs and next states, or by cells


@dataclass(eq=False)
class TabularState(Tallied, Generic[WorldT]):
    """Everything that a run consists of; the kernels write into the arrays."""

    world: WorldT
    sums: TabularSums
    released: TabularReleased
    plan: TabularPlan
    tally: TabularTally

    @property
    def records(self) -> tuple[WorldT, TabularSums, TabularReleased, TabularPlan, TabularTally]:
        """What a kernel takes after its agent's own arguments."""
        return self.world, self.sums, self.released, self.plan, self.tally

    @property
    def statistics(self) -> FloatArray:
        """(W,), the exact running sums n, r, m."""
        return self.sums.every

    @property
    def greedy(self) -> IntArray:
        """(H, S), the sets of actions that the last plan chooses from."""
        return self.plan.greedy

    @property
    def actions(self) -> int:
        """A."""
        return int(self.plan.q.shape[1] // self.greedy.shape[1])


@dataclass(eq=False)
class TabularLearner(Acting, Generic[WorldT]):
    """A run in progress."""

    state: TabularState[WorldT]
    calibration: Any  #: what the agent derived before the first episode
    columns: int | None  #: of noise; None where it is not read
    any_plan: ClassVar[bool] = True  #: what is counted depends on the episode alone
    rounds_to_users: ClassVar[bool] = True  #: counts are whole, and a reward stays in [0, 1]

    def advance(self, noise: FloatArray, coins: FloatArray, ties: FloatArray) -> None:
        horizon = self.state.greedy.shape[0]
        self.play(check_blocks(noise, coins, ties, (self.columns, 1 + 2 * horizon, horizon)))

    def play(self, blocks: Blocks) -> None:
        """Play blocks that fit."""
        raise NotImplementedError

    def noise_scales(self) -> FloatArray:
        size = self.state.statistics.size if self.columns is None else self.columns
        return np.full(size, float(self.calibration.scale))

    @property
    def places(self) -> slice:
        return slice(self.unreleased, self.unreleased + self._released)

    @property
    def unreleased(self) -> int:
        """Statistics before the first released sum."""
        return 0

    @property
    def moved(self) -> int:
        # n, r, m, of both episodes
        return min(6 * int(self.state.greedy.shape[0]), self._released)

    def choose(self, step: int, state: int, uniform: float) -> int:
        greedy = self.state.greedy
        at = known_choice(step, greedy.shape[0], uniform), count("state", state, 0)
        require(at[1] < greedy.shape[1], f"state must be < {greedy.shape[1]}", state=state)
        require(bool(greedy[at]), "prepare must come before the first choice", step=step)
        return int(draw_action(greedy[at], uniform))

    def contribution(self, trajectory: Trajectory) -> FloatArray:
        return self.entries(trajectory).row()

    def entries(self, trajectory: Trajectory) -> Entries:
        states_seen, pairs, gained = self.steps(trajectory)
        horizon, states, number = self.state.sums.successors.shape
        steps, ones = np.arange(horizon), np.ones(horizon)
        n = steps * number + pairs
        m = (steps * states + states_seen[1:]) * number + pairs
        # in the order of the sums: n, r, m
        places = np.concatenate([n, horizon * number + n, 2 * horizon * number + m])
        places -= self.places.start
        released = (places >= 0) & (places < self._released)
        values = np.concatenate([ones, gained, ones])
        return Entries(places[released], values[released], self._released)

    def steps(self, trajectory: Trajectory) -> tuple[IntArray, IntArray, FloatArray]:
        """States (H + 1,), pairs (H,) and rewards (H,) of an episode, checked."""
        horizon, states = self.state.greedy.shape
        states_seen, actions, gained = finite_steps(trajectory, horizon, states, self.state.actions)
        return states_seen, states_seen[:-1] * self.state.actions + actions, gained


class DenseLearner(TabularLearner[TabularWorld]):
    """A run in a world that is given by pairs and next states."""

    def play_on(self, blocks: Blocks) -> None:
        state = self.state
        follow(blocks, state.world, state.sums, state.plan, state.tally)


def width(mdp: TabularMDP) -> int:
    """W, the number of running sums of the tabular agents: 2SAH + S^2AH (vietri2020, section 3)."""
    instance("mdp", mdp, TabularMDP)
    return mdp.horizon * mdp.states * mdp.actions * (2 + mdp.states)


def start(
    mdp: TabularMDP, checkpoints: IntArray, *, private: bool = True
) -> TabularState[TabularWorld]:
    """A state that has seen nothing; checkpoints increasing, at least 1.

    Without privacy, ``TabularReleased`` are the exact sums themselves.
    """
    instance("mdp", mdp, TabularMDP)
    require(
        mdp.actions <= MAX_ACTIONS,
        f"a tabular agent takes at most {MAX_ACTIONS} actions",
        actions=mdp.actions,
    )
    horizon, states = mdp.rewards.shape[:2]
    sums = exact_sums(aligned(width(mdp)), mdp)
    released = released_sums(aligned(width(mdp)) if private else sums.every, mdp)
    plan = TabularPlan(
        aligned(mdp.rewards.size).reshape(horizon, -1),
        np.zeros((horizon + 1, states)),
        np.zeros((horizon, states), dtype=np.int64),
    )
    tally = TabularTally(
        np.zeros_like(plan.greedy), np.zeros_like(plan.values), *account(checkpoints)
    )
    return TabularState(world(mdp), sums, released, plan, tally)


def aligned(size: int) -> FloatArray:
    """Zeros from the beginning of a line of the cache on: wide loads and stores that cross lines
    take twice as long."""
    zeros = np.zeros(size + 7)
    return zeros[-zeros.ctypes.data // 8 % 8 :][:size]


def views(
    every: FloatArray, mdp: TabularMDP
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """The sums, and n, r and m in them."""
    horizon, pairs = mdp.horizon, mdp.states * mdp.actions
    n, r, m = np.split(every, [horizon * pairs, 2 * horizon * pairs])
    return (
        every,
        n.reshape(horizon, pairs),
        r.reshape(horizon, pairs),
        m.reshape(horizon, mdp.states, pairs),
    )


def exact_sums(every: FloatArray, mdp: TabularMDP) -> TabularSums:
    """The record of exact sums (W,)."""
    n, r, m = views(every, mdp)[1:]
    return TabularSums(Exact(every), Exact(n), Exact(r), Exact(m))


def released_sums(every: FloatArray, mdp: TabularMDP) -> TabularReleased:
    """The record of released sums (W,)."""
    n, r, m = views(every, mdp)[1:]
    return TabularReleased(Noisy(every), Noisy(n), Noisy(r), Noisy(m))


def world(mdp: TabularMDP) -> TabularWorld:
    """The environment as the kernels read it."""
    values, _ = planning.optimal(mdp)
    reachable = np.zeros((mdp.horizon, mdp.states), dtype=np.int64)
    reachable[0] = mdp.initial > 0
    for step in range(mdp.horizon - 1):
        reachable[step + 1] = (mdp.transitions[step][reachable[step] > 0] > 0).any(axis=(0, 1))
    cumulative, first = np.cumsum(mdp.transitions, axis=-1), np.cumsum(mdp.initial)
    cumulative[..., -1] = first[-1] = 1.0  # rounding must not leave a gap above the last state
    pairs = (mdp.horizon, -1, mdp.states)
    world_ = TabularWorld(
        mdp.transitions.reshape(pairs),
        mdp.rewards.reshape(mdp.horizon, -1),
        cumulative.reshape(pairs),
        mdp.initial.copy(),
        first,
        reachable,
        float(mdp.initial @ values[0]),
        mdp.bernoulli,
    )
    for array in world_:
        if isinstance(array, np.ndarray):
            array.flags.writeable = False
    return world_
