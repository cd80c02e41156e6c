"""What every tabular learner holds, and the blocks of randomness that it accepts."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from privrl.agents.acting import Acting, finite_steps, known_choice
from privrl.agents.blocks import Blocks, Progress, account, check_blocks
from privrl.agents.steps import draw_action
from privrl.agents.tabular.kernels import follow
from privrl.agents.tabular.records import Plan, Released, Sums, Tally, World
from privrl.agents.trajectory import Trajectory
from privrl.environments import planning
from privrl.types import FloatArray, IntArray, TabularMDP, count, instance, require

MAX_ACTIONS = 62  # the set of greedy actions of a state is one 64-bit integer


@dataclass(eq=False)
class State(Progress):
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
    def greedy(self) -> IntArray:
        """(H, S), the sets of actions that the last plan chooses from."""
        return self.plan.greedy

    @property
    def actions(self) -> int:
        """A."""
        return int(self.plan.q.shape[1] // self.greedy.shape[1])


@dataclass(eq=False)
class Learner(Acting):
    """A run in progress."""

    state: State
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

    def play_on(self, blocks: Blocks) -> None:
        one = self.state
        follow(blocks, one.world, one.sums, one.plan, one.tally)

    def noise_scales(self) -> FloatArray:
        return np.full(self.state.statistics.size, float(self.calibration.scale))

    def choose(self, step: int, state: int, uniform: float) -> int:
        greedy = self.state.greedy
        at = known_choice(step, greedy.shape[0], uniform), count("state", state, 0)
        require(at[1] < greedy.shape[1], f"state must be < {greedy.shape[1]}", state=state)
        require(bool(greedy[at]), "prepare must come before the first choice", step=step)
        return int(draw_action(greedy[at], uniform))

    def contribution(self, trajectory: Trajectory) -> FloatArray:
        seen, pairs, gained = self.steps(trajectory)
        n, r, m = (np.zeros_like(part) for part in self.state.sums[1:])
        steps = np.arange(pairs.size)
        n[steps, pairs], r[steps, pairs], m[steps, seen[1:], pairs] = 1.0, gained, 1.0
        return np.concatenate([part.ravel() for part in (n, r, m)])[-self.noise_scales().size :]

    def steps(self, trajectory: Trajectory) -> tuple[IntArray, IntArray, FloatArray]:
        """States (H + 1,), pairs (H,) and rewards (H,) of an episode, checked."""
        horizon, states = self.state.greedy.shape
        seen, actions, gained = finite_steps(trajectory, horizon, states, self.state.actions)
        return seen, seen[:-1] * self.state.actions + actions, gained


def width(mdp: TabularMDP) -> int:
    """W, the number of running sums of the tabular agents: 2SAH + S^2AH (vietri2020, section 3)."""
    instance("mdp", mdp, TabularMDP)
    return mdp.horizon * mdp.states * mdp.actions * (2 + mdp.states)


def start(mdp: TabularMDP, checkpoints: IntArray, *, private: bool = True) -> State:
    """A state that has seen nothing; checkpoints increasing, at least 1.

    Without privacy, ``Released`` are the exact sums themselves.
    """
    instance("mdp", mdp, TabularMDP)
    require(mdp.actions <= MAX_ACTIONS, f"a tabular agent takes at most {MAX_ACTIONS} actions", actions=mdp.actions)
    horizon, states = mdp.rewards.shape[:2]
    sums = Sums(*views(aligned(width(mdp)), mdp))
    released = Released(*(views(aligned(width(mdp)), mdp) if private else sums))
    plan = Plan(aligned(mdp.rewards.size).reshape(horizon, -1), np.zeros((horizon + 1, states)),
                np.zeros((horizon, states), dtype=np.int64))
    tally = Tally(np.zeros_like(plan.greedy), np.zeros_like(plan.values), *account(checkpoints))
    return State(world(mdp), sums, released, plan, tally)


def aligned(size: int) -> FloatArray:
    """Zeros from the beginning of a line of the cache on: wide loads and stores that cross lines take twice as long."""
    zeros = np.zeros(size + 7)
    return zeros[-zeros.ctypes.data // 8 % 8 :][:size]


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
    pairs = (mdp.horizon, -1, mdp.states)
    made = World(mdp.transitions.reshape(pairs), mdp.rewards.reshape(mdp.horizon, -1),
                 cumulative.reshape(pairs), mdp.initial.copy(), first, reachable, float(mdp.initial @ values[0]),
                 mdp.bernoulli)
    for one in made:
        if isinstance(one, np.ndarray):
            one.flags.writeable = False
    return made
