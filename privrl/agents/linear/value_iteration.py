"""Optimistic value iteration on released sums: the kernels of UCRL-VTR, LDP-UCRL-VTR and LinOpt-VI.

The three agents differ in what they derive beforehand (noise, shift, widths, caps) and in whether
the rewards are known. Actions whose Q agree within 1e-9 times the cap count as tied (they would
agree but for rounding), and an action is drawn uniformly among them.
"""

from typing import Any, ClassVar, NamedTuple

import numpy as np

from privrl.agents.blocks import Blocks
from privrl.agents.compiled import kernel
from privrl.agents.linear import learner
from privrl.agents.linear.kernels import finish, observe, release, step, upper_values
from privrl.agents.linear.layout import width
from privrl.agents.linear.records import (
    LinearKnown,
    LinearPath,
    LinearReleased,
    LinearScratch,
    LinearSums,
    LinearTally,
    LinearWorld,
)
from privrl.agents.linear.widths import LinearCalibration
from privrl.agents.steps import draw, draw_action
from privrl.agents.sums import public
from privrl.checks import planned_episodes
from privrl.environments.linear_mixture import LinearMixtureMDP
from privrl.privacy.counters import mechanisms
from privrl.privacy.counters.stream import Counter
from privrl.types import FloatArray, IntArray

TIE = 1e-9  # actions whose Q agree to within this share of the cap are tied


@public
class ValuePlan(NamedTuple):
    """What the planner writes."""

    q: FloatArray  #: (H, SA), optimistic values of the pairs
    values: FloatArray  #: (H + 1, S), their maxima
    greedy: (
        IntArray  #: (H, S), bit a is set when action a attains the maximum; 0 before the first plan
    )
    moved: Any  #: (H,), whether a set of the step differs from the plan before
    failed: IntArray  #: (1,), regressions so far that were not positive definite


class ValueIteration(learner.LinearLearner[ValuePlan]):
    """A run of optimistic value iteration in progress."""

    def play_on(self, blocks: Blocks) -> None:
        state = self.state
        follow(blocks, state.world, state.known, state.sums, state.plan, state.tally, state.path)


class MixtureAgent:
    """What agents of linear mixture MDPs share; those of liao2021 know the rewards."""

    counter: str
    known_rewards: ClassVar[bool] = True

    def calibrate(self, mdp: LinearMixtureMDP, planned: int) -> LinearCalibration:
        """What the agent derives from its parameters before the first episode."""
        raise NotImplementedError

    def plans(self, planned: int) -> int:
        """Plans of a run of so many episodes."""
        return planned

    def noise(self, mdp: LinearMixtureMDP, planned: int, rng: np.random.Generator) -> Counter:
        """The counter's stream of standard normals for a run of ``planned`` episodes; the kernel
        scales them."""
        calibration = self.calibrate(mdp, planned_episodes(planned))
        columns = width(mdp, calibration.by_blocks, self.known_rewards)
        return mechanisms.make(
            self.counter, columns, max(self.plans(planned) - 1, 1), 1.0, rng, "gaussian"
        )

    def start(
        self, mdp: LinearMixtureMDP, planned: int, checkpoints: IntArray
    ) -> learner.LinearLearner[Any]:
        """A learner before its first episode."""
        return begin(
            mdp,
            checkpoints,
            self.calibrate(mdp, planned_episodes(planned)),
            known_rewards=self.known_rewards,
        )


def begin(
    mdp: LinearMixtureMDP,
    checkpoints: IntArray,
    calibration: LinearCalibration,
    *,
    known_rewards: bool,
) -> ValueIteration:
    """A learner before its first episode."""
    horizon, states = mdp.horizon, mdp.states
    nothing = ValuePlan(
        np.zeros((horizon, states * mdp.actions)),
        np.zeros((horizon + 1, states)),
        np.zeros((horizon, states), dtype=np.int64),
        np.zeros(horizon, dtype=np.bool_),
        np.zeros(1, dtype=np.int64),
    )
    state = learner.start(mdp, checkpoints, calibration, nothing, known_rewards=known_rewards)
    return ValueIteration(state, calibration, advance, plan)


@kernel
def plan(
    released: LinearReleased, known: LinearKnown, agent_plan: ValuePlan, scratch: LinearScratch
) -> None:
    """Q and V, backwards over h (liao2021/algorithm-1 lines 5 to 8, zhou2022/algorithm-1 lines 3 to
    12)."""
    slack = TIE * known.caps[0]
    for h in range(known.caps.size - 1, -1, -1):
        agent_plan.failed[0] += upper_values(
            h, released, known, agent_plan.values[h + 1], scratch, agent_plan.q[h]
        )
        agent_plan.moved[h] = maximise(h, known, agent_plan, slack)


@kernel
def maximise(h: int, known: LinearKnown, agent_plan: ValuePlan, slack: float) -> bool:
    """Maxima of Q and their sets of maximisers at step h, ties within ``slack``; whether a set
    changed."""
    changed = False
    q, actions = agent_plan.q[h], known.actions
    for s in range(agent_plan.greedy.shape[1]):
        if not known.reachable[h, s]:
            continue
        best = q[s * actions]
        for a in range(1, actions):
            best = max(best, q[s * actions + a])
        mask = 0
        for a in range(actions):
            if q[s * actions + a] >= best - slack:
                mask |= 1 << a
        agent_plan.values[h, s] = best
        if mask != agent_plan.greedy[h, s]:
            agent_plan.greedy[h, s] = mask
            changed = True
    return changed


@kernel
def play(world: LinearWorld, greedy: IntArray, blocks: Blocks, row: int, path: LinearPath) -> None:
    """One episode, actions uniform among the greedy ones (liao2021 line 9 to 11, zhou2022 line
    13)."""
    s = path.states[0] = draw(world.first, blocks.coins[row, 0])
    actions = world.rewards.shape[1] // greedy.shape[1]
    for h in range(greedy.shape[0]):
        s = step(
            world,
            blocks,
            row,
            h,
            s * actions + draw_action(greedy[h, s], blocks.ties[row, h]),
            path,
        )


@kernel
def tally(world: LinearWorld, agent_plan: ValuePlan, record: LinearTally) -> None:
    """Exact values of playing uniformly among the greedy actions, from the last step that changed
    on; regret."""
    horizon, states = agent_plan.greedy.shape
    actions = world.rewards.shape[1] // states
    first, after, chance = world.support.first, world.support.after, world.chance
    rewards, values, greedy, reachable = (
        world.rewards,
        record.values,
        agent_plan.greedy,
        world.reachable,
    )
    changed = False
    for h in range(horizon - 1, -1, -1):
        if not (changed or agent_plan.moved[h]):
            continue
        changed = False
        for s in range(states):
            if not reachable[h, s]:
                continue
            total = 0.0
            ties = 0
            for a in range(actions):
                if (greedy[h, s] >> a) & 1:
                    x = s * actions + a
                    ties += 1
                    total += rewards[h, x]
                    for e in range(first[x], first[x + 1]):
                        total += chance[h, e] * values[h + 1, after[e]]
            total /= ties
            changed |= total != values[h, s]
            values[h, s] = total
    finish(world, changed or record.clock[0] == 0, record)


@kernel
def follow(
    blocks: Blocks,
    world: LinearWorld,
    known: LinearKnown,
    sums: LinearSums,
    agent_plan: ValuePlan,
    record: LinearTally,
    path: LinearPath,
) -> None:
    """Play, observe and tally by the plan in force, for the episodes of some blocks."""
    for row in range(blocks.coins.shape[0]):
        play(world, agent_plan.greedy, blocks, row, path)
        observe(path, agent_plan.values, known, sums)
        tally(world, agent_plan, record)
        for h in range(agent_plan.greedy.shape[0]):
            agent_plan.moved[h] = False  # the value of the plan is known from the first episode on


@kernel
def advance(
    blocks: Blocks,
    world: LinearWorld,
    known: LinearKnown,
    sums: LinearSums,
    agent_plan: ValuePlan,
    record: LinearTally,
    path: LinearPath,
    scratch: LinearScratch,
) -> None:
    """Release, plan, play, observe and tally, for the episodes of some blocks."""
    for row in range(blocks.noise.shape[0]):
        released = release(sums, blocks.noise[row], known, record.clock[0], scratch.released)
        plan(released, known, agent_plan, scratch)
        play(world, agent_plan.greedy, blocks, row, path)
        observe(path, agent_plan.values, known, sums)  # liao2021 lines 12 to 18, zhou2022 line 14
        tally(world, agent_plan, record)
