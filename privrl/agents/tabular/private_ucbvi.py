"""Private UCBVI (Chowdhury and Zhou 2022), joint or local privacy by the counter: Hoeffding bonuses
on released sums.

Cited: optimistic value iteration on private sums of rewards and of next states, whatever hands
these out: a counter in one place (joint privacy) or every user (local). Ours: which sums, how much
noise on each, and the bonuses, as the paper's constants are not at hand. There is no calibration
``printed``. Proofs: ``theory.lemmas.private_ucbvi``.

What is released are r (H, SA) and m (H, S, SA); n~ is the sum of m~ over the next state. With c_h =
H - h,

    Q+(s, a) = min(c_h, [r~ + sum_s' max(m~(s'), 0) V+(s') + W_h + c_h sqrt(L/2) sqrt(n~ + N)] /
    n~), Q+(s, a) = c_h if n~ <= 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from privrl.agents.blocks import Blocks
from privrl.agents.compiled import inlined, kernel
from privrl.agents.kind import agent
from privrl.agents.tabular import learner, sparse
from privrl.agents.tabular.kernels import follow, maximise, play, tally
from privrl.agents.tabular.learner import start
from privrl.agents.tabular.records import (
    TabularPlan,
    TabularReleased,
    TabularSums,
    TabularTally,
    TabularWorld,
)
from privrl.agents.tabular.settings import CounterAgent
from privrl.agents.tabular.ucbvi import Bonus, UCBVICalibration, UCBVILearner
from privrl.agents.tabular.widths import elementary, hoeffding, several
from privrl.checks import count, instance, planned_episodes
from privrl.environments.problems import TABULAR
from privrl.environments.sparse import SparseMDP
from privrl.privacy.counters import mechanisms
from privrl.types import FloatArray, IntArray, TabularMDP


@agent(
    "private-ucbvi",
    title="private UCBVI",
    rank=3,
    paper="vietri2020",
    counter="tree",
    calibration="tight",
    plays=TABULAR,
    advised=True,
)
@agent(
    "ldp-ucbvi",
    title="private UCBVI",
    rank=4,
    paper="vietri2020",
    counter="local",
    calibration="tight",
    plays=TABULAR,
)
@agent(
    "ucbvi",
    title="UCBVI",
    rank=5,
    paper="vietri2020",
    counter="none",
    calibration="tight",
    plays=TABULAR,
)
@dataclass(frozen=True)
class PrivateUCBVI(CounterAgent):
    """Private UCBVI over any counter; parameters as for
    :class:`privrl.agents.tabular.settings.CounterAgent`.

    On a :class:`privrl.environments.SparseMDP` only the counts of next states that can occur are
    released, and their largest number B at a pair stands for S in noise and bonuses
    (:mod:`privrl.agents.tabular.sparse`).
    """

    takes_sparse: ClassVar[bool] = True  #: as a problem

    @property
    def name(self) -> str:
        """``private-ucbvi``; ``ldp-ucbvi`` over ``local`` and ``ucbvi`` over ``none``."""
        return {"none": "ucbvi", "local": "ldp-ucbvi"}.get(self.counter, "private-ucbvi")

    def calibrate(self, mdp: TabularMDP | SparseMDP, planned: int) -> UCBVICalibration:
        """Noise and widths for ``planned`` episodes (at least 2 with a counter other than none)."""
        sums = width(mdp)
        planned = count("episodes", planned, 1 if self.counter == "none" else 2)
        horizon, states = mdp.horizon, mdp.fan if isinstance(mdp, SparseMDP) else mdp.states
        pairs, tight = mdp.rewards.size, self.calibration == "tight"
        lengths = [float(horizon - h) for h in range(horizon)]
        most = hoeffding(pairs, planned, self.beta / 2, tight)
        factors = tuple(self.multiplier * (c * math.sqrt(most / 2)) for c in lengths)
        if self.counter == "none":
            return UCBVICalibration(
                "laplace", 0.0, (1.0,) * horizon, (0.0,) * horizon, 0.0, factors
            )
        cost, releases = self.cost(planned, sums), self.releases(planned)
        level = self.beta / 4 / pairs  # of one pair's bonus, and of its n~
        if not tight:
            ratios = [1.0] * horizon
            scale = self.scale(cost, *change(ratios))
            error = scale * elementary(cost, releases, 2 * level / (1 + states))
            widths, surplus = [(1 + states * c) * error for c in lengths], states * error
        elif cost.law == "gaussian":
            spreads = [(states - 1) * c * c + 1 for c in lengths]
            ratios = [spread**0.25 for spread in spreads]
            scale = self.scale(cost, *change(ratios))
            error = scale * mechanisms.counter_quantile(self.counter, releases, level, cost.law)
            widths = [
                error * math.sqrt(ratio**2 + spread)
                for ratio, spread in zip(ratios, spreads, strict=True)
            ]
            surplus = error * math.sqrt(states)
        else:
            ratios = lengths
            scale = self.scale(cost, *change(ratios))
            error = scale * several(self.counter, cost, states + 1, releases, level)
            widths = [c * error for c in lengths]
            surplus = scale * several(self.counter, cost, states, releases, level)
        widths, surplus = [self.multiplier * width_ for width_ in widths], self.multiplier * surplus
        return UCBVICalibration(cost.law, scale, tuple(ratios), tuple(widths), surplus, factors)

    def released(self, mdp: TabularMDP | SparseMDP) -> int:
        """Columns of r, then of m."""
        return width(mdp)

    def start(
        self, mdp: TabularMDP | SparseMDP, planned: int, checkpoints: IntArray
    ) -> UCBVILearner[Any]:
        """A learner before its first episode."""
        calibration = self.calibrate(mdp, planned_episodes(planned))
        if isinstance(mdp, SparseMDP):
            return sparse.SparseLearner(sparse.start(mdp, checkpoints), calibration, width(mdp))
        return PrivateUCBVILearner(start(mdp, checkpoints), calibration, width(mdp))


class PrivateUCBVILearner(UCBVILearner[TabularWorld]):
    """A run of private UCBVI in progress; no column of noise belongs to n."""

    def play_on(self, blocks: Blocks) -> None:
        state = self.state
        follow(blocks, state.world, state.sums, state.plan, state.tally)

    def play(self, blocks: Blocks) -> None:
        advance(blocks, self.ratios, self.bonus, *self.state.records)

    def renew(self, noise: FloatArray, *, scaled: bool) -> None:
        ratios = np.ones_like(self.ratios) if scaled else self.ratios
        for h in range(ratios.size):
            release_step(h, self.state.sums, noise, 0, ratios, self.state.released)
        plan(self.state.released, self.bonus, self.state.plan)

    def absorb(self, contribution: FloatArray) -> None:
        super().absorb(contribution)
        sums = self.state.sums
        sums.visits[...] = sums.successors.sum(axis=1)  # no plan reads it


def width(mdp: TabularMDP | SparseMDP) -> int:
    """Number of released sums, SAH (1 + S): r and m; of a sparse problem H (SA + Z), for Z possible
    (s, a, s')."""
    if isinstance(mdp, SparseMDP):
        return mdp.rewards.size + mdp.chance.size
    return learner.width(instance("mdp", mdp, TabularMDP)) // (2 + mdp.states) * (1 + mdp.states)


def change(ratios: list[float]) -> tuple[float, float]:
    """Largest change of all sums together by one user, in units of their scales: in l1 and in l2
    (replacement)."""
    return (
        2 * math.fsum(1 + 1 / ratio for ratio in ratios),
        math.sqrt(2 * math.fsum(1 + 1 / ratio**2 for ratio in ratios)),
    )


@inlined
def release_step(
    h: int,
    sums: TabularSums,
    noise: FloatArray,
    row: int,
    ratios: FloatArray,
    released: TabularReleased,
) -> None:
    """Add noise to r of step h, stretched by rho_h, and to m; the sum of m~ stands for n~."""
    _, _, r, m = sums
    _, n_noisy, r_noisy, m_noisy = released
    horizon, states, _ = m.shape
    at, pairs = np.uint64(h * r.shape[1]), np.uint64(r.shape[1])
    for x in range(pairs):
        r_noisy[h, x] = r[h, x] + ratios[h] * noise[row, at + x]
        n_noisy[h, x] = 0.0
    for after in range(states):
        at = np.uint64(horizon + h * states + after) * pairs
        for x in range(pairs):
            m_noisy[h, after, x] = m[h, after, x] + noise[row, at + x]
            n_noisy[h, x] += m_noisy[h, after, x]


@inlined
def plan(released: TabularReleased, bonus: Bonus, agent_plan: TabularPlan) -> None:
    """Q+ as in the module, backwards over h."""
    for h in range(agent_plan.greedy.shape[0] - 1, -1, -1):
        plan_step(h, released, bonus, agent_plan)


@inlined
def plan_step(h: int, released: TabularReleased, bonus: Bonus, agent_plan: TabularPlan) -> None:
    """Step h of the plan."""
    _, n, r, m = released
    widths, surplus, factors = bonus
    q, values, greedy = agent_plan
    horizon, states, _ = m.shape
    pairs = np.uint64(r.shape[1])
    cap, width, factor = float(horizon - h), widths[h], factors[h]
    for x in range(pairs):
        q[h, x] = r[h, x] + width
    for after in range(states):
        ahead = values[h + 1, after]
        for x in range(pairs):
            q[h, x] += ahead * max(m[h, after, x], 0.0)
    for x in range(pairs):
        bound = (q[h, x] + factor * math.sqrt(max(n[h, x] + surplus, 0.0))) / n[h, x]
        q[h, x] = max(0.0, min(cap, bound)) if n[h, x] > 0.0 else cap
    maximise(h, q, values, greedy)


@kernel
def advance(
    blocks: Blocks,
    ratios: FloatArray,
    bonus: Bonus,
    world: TabularWorld,
    sums: TabularSums,
    released: TabularReleased,
    agent_plan: TabularPlan,
    record: TabularTally,
) -> None:
    """Private UCBVI, for the episodes of some blocks."""
    for row in range(blocks.coins.shape[0]):
        for h in range(
            agent_plan.greedy.shape[0] - 1, -1, -1
        ):  # what is released of a step is still in the cache when read
            release_step(h, sums, blocks.noise, row, ratios, released)
            plan_step(h, released, bonus, agent_plan)
        play(world, agent_plan.greedy, blocks, row, sums)
        tally(world, agent_plan.greedy, record)
