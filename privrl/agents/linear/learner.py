"""A run in progress of an agent of linear mixture MDPs: its records, made before the first episode.

Values are computed for those (h, s) that the support of the features allows to be reached; no other
value enters a decision, a sum or the regret. V_{H+1} = 0, so the last step's transition regression
is never solved.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from privrl.agents.acting import Acting, finite_steps, known_choice
from privrl.agents.blocks import Blocks, Tallied, account, check_blocks
from privrl.agents.linear.kernels import observe, release
from privrl.agents.linear.layout import layout, on_block, parts, reachable
from privrl.agents.linear.records import (
    Estimator,
    LinearKnown,
    LinearPath,
    LinearReleased,
    LinearScratch,
    LinearSums,
    LinearTally,
    LinearWorld,
    RegressionScratch,
    Sparse,
)
from privrl.agents.linear.widths import LinearCalibration
from privrl.agents.steps import MAX_ACTIONS, draw_action
from privrl.agents.sums import Exact, Noisy
from privrl.agents.trajectory import Trajectory
from privrl.checks import count, instance, require
from privrl.environments import planning
from privrl.environments.linear_mixture import LinearMixtureMDP
from privrl.types import FloatArray, IntArray

VALUE_ROUNDING = 1e-12  # of values that are means of values


class Values(Protocol):
    """What every planner of the family writes, whatever else."""

    @property
    def values(self) -> FloatArray:
        """(H + 1, S), optimistic values."""


PlanT = TypeVar("PlanT", bound=Values)


@dataclass(eq=False)
class LinearState(Tallied, Generic[PlanT]):
    """Everything that a run consists of; the kernels write into the arrays."""

    world: LinearWorld
    known: LinearKnown
    sums: LinearSums
    plan: PlanT
    tally: LinearTally
    path: LinearPath
    scratch: LinearScratch

    @property
    def statistics(self) -> FloatArray:
        """(W,), the exact running sums, which only the counter reads."""
        return self.sums.every

    @property
    def actions(self) -> int:
        """A."""
        return self.known.actions

    @property
    def greedy(self) -> IntArray:
        """(H, S), the sets of actions that the last plan of value iteration chooses from."""
        plan: Any = self.plan
        return np.asarray(plan.greedy)


@dataclass(eq=False)
class LinearLearner(Acting, Generic[PlanT]):
    """A run in progress."""

    state: LinearState[PlanT]
    calibration: LinearCalibration
    #: plays blocks that fit
    kernel: Callable[
        [
            Blocks,
            LinearWorld,
            LinearKnown,
            LinearSums,
            PlanT,
            LinearTally,
            LinearPath,
            LinearScratch,
        ],
        None,
    ]
    #: plans on what was released
    planner: Callable[[LinearReleased, LinearKnown, PlanT, LinearScratch], None]

    def advance(self, noise: FloatArray, coins: FloatArray, ties: FloatArray) -> None:
        state = self.state
        horizon = state.known.reachable.shape[0]
        blocks = check_blocks(noise, coins, ties, (state.statistics.size, 1 + 2 * horizon, horizon))
        self.kernel(
            blocks,
            state.world,
            state.known,
            state.sums,
            state.plan,
            state.tally,
            state.path,
            state.scratch,
        )

    def noise_scales(self) -> FloatArray:
        return self.state.known.scales.copy()

    def renew(self, noise: FloatArray, *, scaled: bool) -> None:
        state = self.state
        known = (
            state.known._replace(scales=np.ones_like(state.known.scales)) if scaled else state.known
        )
        released = release(state.sums, noise[0], known, state.finished, state.scratch.released)
        self.planner(released, state.known, state.plan, state.scratch)

    def choose(self, step: int, state: int, uniform: float) -> int:
        reachable = self.state.known.reachable
        at = known_choice(step, reachable.shape[0], uniform), count("state", state, 0)
        require(at[1] < reachable.shape[1], f"state must be < {reachable.shape[1]}", state=state)
        require(
            bool(reachable[at]),
            "the features must allow to reach the state at the step",
            step=step,
            state=state,
        )
        return self.pick(*at, uniform)

    def pick(self, step: int, state: int, uniform: float) -> int:
        """The action of value iteration at a reachable state."""
        require(
            bool(self.state.greedy[step, state]),
            "prepare must come before the first choice",
            step=step,
        )
        return int(draw_action(self.state.greedy[step, state], uniform))

    def contribution(self, trajectory: Trajectory) -> FloatArray:
        state, known = self.state, self.state.known
        horizon, states = known.reachable.shape
        states_seen, actions, gained = finite_steps(trajectory, horizon, states, known.actions)
        require(
            bool(known.reachable[0, states_seen[0]]),
            "the first state must have probability > 0",
            state=int(states_seen[0]),
        )
        pairs, first = states_seen[:-1] * known.actions + actions, known.psi.first
        for h, x in enumerate(pairs):
            require(
                states_seen[h + 1] in known.psi.after[first[x] : first[x + 1]],
                "the features must allow every step",
                step=h,
                state=int(states_seen[h]),
                action=int(actions[h]),
                next=int(states_seen[h + 1]),
            )
        # a user of local privacy need not trust whoever sent the plan
        values, added = state.plan.values, np.zeros(state.statistics.size)
        covered = bool(
            (values[:-1] >= 0).all()
            and (values[:-1] <= known.caps[:, None] * (1 + VALUE_ROUNDING)).all()
        )
        require(
            covered or known.floor < 0,
            "the values of a plan must be those that the noise is made for",
            smallest=float(values.min()),
            largest=float(values.max()),
        )
        observe(
            LinearPath(states_seen, pairs, gained.copy(), state.path.phi),
            values,
            known,
            LinearSums(Exact(added)),
        )
        return added


def start(
    mdp: LinearMixtureMDP,
    checkpoints: IntArray,
    calibration: LinearCalibration,
    plan: PlanT,
    *,
    known_rewards: bool,
) -> LinearState[PlanT]:
    """A state that has seen nothing; checkpoints increasing, at least 1."""
    instance("mdp", mdp, LinearMixtureMDP)
    require(
        not known_rewards or getattr(mdp, "known_rewards", True),
        "the agent must be told the mean rewards",
        mdp=mdp.name,
    )
    require(
        mdp.actions <= MAX_ACTIONS,
        f"a linear agent takes at most {MAX_ACTIONS} actions",
        actions=mdp.actions,
    )
    table = mdp.tabular()
    horizon, states, actions = table.rewards.shape
    pairs = states * actions
    cells = reachable(mdp)
    pieces, pieces_r = (
        parts(mdp.psi, calibration.by_blocks),
        parts(mdp.varphi, calibration.by_blocks),
    )
    transitions, segment = layout(mdp.psi, pieces, cells, 0)
    reward_layout, end = layout(mdp.varphi[:, :, None], pieces_r, cells, segment)
    segment = segment if known_rewards else end
    estimators = [
        Estimator(transitions, calibration.transitions, segment),
        Estimator(reward_layout, calibration.rewards, segment),
    ]
    psi = on_block(mdp.psi.reshape(pairs, states, -1), pieces, transitions.block)
    varphi = on_block(mdp.varphi.reshape(pairs, 1, -1), pieces_r, reward_layout.block)[:, 0]
    where = [np.flatnonzero(rows.any(axis=1)) for rows in psi]
    after, owner = (
        np.concatenate(where).astype(np.int64),
        np.repeat(np.arange(pairs), [len(cells) for cells in where]),
    )
    sparse = Sparse(
        np.searchsorted(owner, np.arange(pairs + 1)).astype(np.int64),
        after,
        psi[owner, after].copy(),
    )
    scales = _scales(estimators[: 1 if known_rewards else 2])
    rewards = table.rewards.reshape(horizon, pairs)
    means = rewards.copy() if known_rewards else np.zeros((horizon, 0))
    known = LinearKnown(
        estimators[0],
        estimators[1],
        means,
        calibration.caps,
        calibration.floor,
        calibration.growth,
        scales,
        sparse,
        np.ascontiguousarray(varphi),
        cells,
        actions,
    )
    first = np.cumsum(table.initial)
    first[-1] = 1.0
    values, _ = planning.optimal(table)
    chance = table.transitions.reshape(horizon, pairs, states)[:, owner, after].copy()
    world = LinearWorld(
        rewards.copy(),
        chance,
        sparse,
        table.initial.copy(),
        first,
        cells,
        float(table.initial @ values[0]),
        table.bernoulli,
    )
    tally = LinearTally(np.zeros((horizon + 1, states)), *account(checkpoints))
    path = LinearPath(
        np.zeros(horizon + 1, dtype=np.int64),
        np.zeros(horizon, dtype=np.int64),
        np.zeros(horizon),
        np.zeros(psi.shape[2]),
    )
    largest = int(max(transitions.sizes.max(), reward_layout.sizes.max()))
    work = RegressionScratch(
        triangle=np.zeros(largest * (largest + 1) // 2),
        vector=np.zeros(largest),
        features=np.zeros(largest * pairs),
        estimates=np.zeros(pairs),
        squares=np.zeros(pairs),
    )
    scratch = LinearScratch(
        work, np.zeros(pairs), np.zeros(pairs), np.ones(1), Noisy(np.zeros(scales.size))
    )
    return LinearState(
        world, known, LinearSums(Exact(np.zeros(scales.size))), plan, tally, path, scratch
    )


def _scales(estimators: list[Estimator]) -> FloatArray:
    """(W,), standard deviation of a draw of the noise, in the order of the layout."""
    sizes = [
        size
        for estimator in estimators
        for size in (
            (estimator.layout.sizes * (estimator.layout.sizes + 1) // 2).sum(),
            estimator.layout.dimension,
        )
    ]
    # (.., H)
    deviations = np.stack(
        [
            scales
            for estimator in estimators
            for scales in (estimator.widths.gram, estimator.widths.vector)
        ]
    )
    return np.concatenate([np.repeat(step, sizes) for step in deviations.T])
