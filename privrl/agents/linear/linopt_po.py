"""Private-LinOpt-PO (zhou2022/algorithm-2 with definition-6.3): policy optimisation by mirror
descent, 4H counters.

Noise, shifts, widths and readings of the text are those of :mod:`privrl.agents.linear.linopt_vi`.
Besides:

- eta = sqrt(2 ln A/(H T)), T = K H, as in the proof of theorem-5.1; algorithm 2 takes eta as given.
- The policy is kept as log-weights, the largest of a state at 0: the products of line 15 would
  leave the range of a double after some thousand episodes. Where all actions of a state have the
  same Q the policy does not move.
- The regret is that of the stochastic policy, exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from privrl.agents.blocks import Blocks
from privrl.agents.compiled import kernel
from privrl.agents.kind import agent
from privrl.agents.linear import learner
from privrl.agents.linear.kernels import finish, observe, release, step, upper_values
from privrl.agents.linear.linopt_vi import LinOpt
from privrl.agents.linear.records import (
    LinearKnown,
    LinearPath,
    LinearReleased,
    LinearScratch,
    LinearSums,
    LinearTally,
    LinearWorld,
)
from privrl.agents.steps import draw
from privrl.agents.sums import public
from privrl.checks import planned_episodes, require
from privrl.environments.linear_mixture import LinearMixtureMDP
from privrl.environments.problems import UNKNOWN_REWARDS
from privrl.types import Entries, FloatArray, IntArray


@agent(
    "linopt-po",
    title="LinOpt-PO",
    rank=4,
    paper="zhou2022",
    counter="tree",
    plays=UNKNOWN_REWARDS,
)
@dataclass(frozen=True)
class LinOptPO(LinOpt):
    """Private-LinOpt-PO over any counter; parameters as for
    :class:`privrl.agents.linear.linopt_vi.LinOpt`."""

    name: ClassVar[str] = "linopt-po"

    def __post_init__(self) -> None:
        super().__post_init__()
        require(
            self.every == 1,
            "every must be 1 for linopt-po, whose policy moves after every user",
            every=self.every,
        )

    @staticmethod
    def eta(mdp: LinearMixtureMDP, planned: int) -> float:
        """Step size of the mirror descent (proof of theorem-5.1)."""
        return math.sqrt(2 * math.log(mdp.actions) / planned) / mdp.horizon

    def start(
        self, mdp: LinearMixtureMDP, planned: int, checkpoints: IntArray
    ) -> PolicyOptimisation:
        """A learner before its first episode."""
        planned = planned_episodes(planned)
        calibration, pairs = self.calibrate(mdp, planned), (mdp.horizon, mdp.states * mdp.actions)
        nothing = PolicyPlan(
            np.zeros(pairs),
            np.zeros((mdp.horizon + 1, mdp.states)),
            np.zeros(pairs),
            np.full(pairs, 1.0 / mdp.actions),
            self.eta(mdp, planned),
            np.ones(1, dtype=np.bool_),
            np.zeros(1, dtype=np.int64),
        )
        state = learner.start(mdp, checkpoints, calibration, nothing, known_rewards=False)
        return PolicyOptimisation(state, calibration, advance, plan)


@public
class PolicyPlan(NamedTuple):
    """What the planner writes."""

    q: FloatArray  #: (H, SA), optimistic values of the pairs
    values: FloatArray  #: (H + 1, S), their means under the policy
    logits: FloatArray  #: (H, SA), log-weights
    policy: FloatArray  #: (H, SA), in force
    eta: float  #: step size of the mirror descent
    moved: Any  #: (1,), whether the policy moved since its value was computed
    failed: IntArray  #: (1,), regressions so far that were not positive definite


@dataclass(eq=False)
class PolicyOptimisation(learner.LinearLearner[PolicyPlan]):
    """A run of LinOpt-PO in progress."""

    def pick(self, step: int, state: int, uniform: float) -> int:
        actions = self.state.actions
        reached = np.cumsum(self.state.plan.policy[step, state * actions : (state + 1) * actions])
        # by inversion, as `play`
        return min(int(np.searchsorted(reached, uniform, side="right")), actions - 1)

    def add(self, entries: Entries) -> None:
        super().add(entries)
        improve(self.state.known, self.state.plan)  # the policy of the next user


@kernel
def plan(
    released: LinearReleased, known: LinearKnown, agent_plan: PolicyPlan, scratch: LinearScratch
) -> None:
    """Q and V of the policy in force, backwards over h (lines 4 to 12)."""
    for h in range(known.caps.size - 1, -1, -1):
        agent_plan.failed[0] += upper_values(
            h, released, known, agent_plan.values[h + 1], scratch, agent_plan.q[h]
        )
        for s in range(agent_plan.values.shape[1]):
            if known.reachable[h, s]:
                value = 0.0
                for x in range(s * known.actions, (s + 1) * known.actions):
                    value += agent_plan.policy[h, x] * agent_plan.q[h, x]
                agent_plan.values[h, s] = value


@kernel
def improve(known: LinearKnown, agent_plan: PolicyPlan) -> None:
    """Mirror descent (line 15)."""
    agent_plan.moved[0] = False
    actions = known.actions
    for h in range(agent_plan.q.shape[0]):
        for s in range(agent_plan.values.shape[1]):
            if not known.reachable[h, s]:
                continue
            low = high = agent_plan.q[h, s * actions]
            for x in range(s * actions + 1, (s + 1) * actions):
                low = min(low, agent_plan.q[h, x])
                high = max(high, agent_plan.q[h, x])
            if low == high:
                continue
            agent_plan.moved[0] = True
            top = -np.inf
            for x in range(s * actions, (s + 1) * actions):
                agent_plan.logits[h, x] += agent_plan.eta * (agent_plan.q[h, x] - high)
                top = max(top, agent_plan.logits[h, x])
            mass = 0.0
            for x in range(s * actions, (s + 1) * actions):
                agent_plan.logits[h, x] -= top
                agent_plan.policy[h, x] = math.exp(agent_plan.logits[h, x])
                mass += agent_plan.policy[h, x]
            for x in range(s * actions, (s + 1) * actions):
                agent_plan.policy[h, x] /= mass


@kernel
def play(
    world: LinearWorld, policy: FloatArray, blocks: Blocks, row: int, path: LinearPath
) -> None:
    """One episode, actions by inversion of the policy (H, SA) (line 13)."""
    s = path.states[0] = draw(world.first, blocks.coins[row, 0])
    actions = policy.shape[1] // world.reachable.shape[1]
    for h in range(policy.shape[0]):
        x = s * actions
        last = x + actions - 1
        reached = policy[h, x]
        while blocks.ties[row, h] >= reached and x < last:
            x += 1
            reached += policy[h, x]
        s = step(world, blocks, row, h, x, path)


@kernel
def tally(world: LinearWorld, agent_plan: PolicyPlan, record: LinearTally) -> None:
    """Exact values of the policy, where it moved; regret."""
    horizon, states = world.reachable.shape
    actions = agent_plan.policy.shape[1] // states
    first, after, chance = world.support.first, world.support.after, world.chance
    rewards, values, policy = world.rewards, record.values, agent_plan.policy
    if agent_plan.moved[0]:
        for h in range(horizon - 1, -1, -1):
            for s in range(states):
                if not world.reachable[h, s]:
                    continue
                value = 0.0
                for x in range(s * actions, (s + 1) * actions):
                    total = rewards[h, x]
                    for e in range(first[x], first[x + 1]):
                        total += chance[h, e] * values[h + 1, after[e]]
                    value += policy[h, x] * total
                values[h, s] = value
    finish(world, agent_plan.moved[0], record)


@kernel
def advance(
    blocks: Blocks,
    world: LinearWorld,
    known: LinearKnown,
    sums: LinearSums,
    agent_plan: PolicyPlan,
    record: LinearTally,
    path: LinearPath,
    scratch: LinearScratch,
) -> None:
    """Release, plan, play, observe, tally and improve, for the episodes of some blocks."""
    for row in range(blocks.noise.shape[0]):
        released = release(sums, blocks.noise[row], known, record.clock[0], scratch.released)
        plan(released, known, agent_plan, scratch)
        play(world, agent_plan.policy, blocks, row, path)
        observe(path, agent_plan.values, known, sums)  # line 14
        tally(world, agent_plan, record)
        improve(known, agent_plan)
