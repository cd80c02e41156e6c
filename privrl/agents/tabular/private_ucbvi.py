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

import dataclasses
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
from privrl.types import Entries, FloatArray, IntArray, TabularMDP


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

    ``pruned``: ``tight``, but where an episode ends states are not told apart: the value of each
    is 0, so that a plan needs no more than n of the last step, with one draw in place of S. And
    Gaussian noise is shared among the steps so that the sum of W_h is least.
    """

    calibrations: ClassVar[tuple[str, ...]] = ("corrected", "tight", "pruned")
    takes_sparse: ClassVar[bool] = True  #: as a problem

    @property
    def name(self) -> str:
        """``private-ucbvi``; ``ldp-ucbvi`` over ``local`` and ``ucbvi`` over ``none``."""
        return {"none": "ucbvi", "local": "ldp-ucbvi"}.get(self.counter, "private-ucbvi")

    def calibrate(self, mdp: TabularMDP | SparseMDP, planned: int) -> UCBVICalibration:
        """Noise and widths for ``planned`` episodes (at least 2 with a counter other than none)."""
        sums = self.released(mdp)
        planned = count("episodes", planned, 1 if self.counter == "none" else 2)
        horizon, states = mdp.horizon, mdp.fan if isinstance(mdp, SparseMDP) else mdp.states
        pairs, tight = mdp.rewards.size, self.calibration != "corrected"
        fans = [states] * horizon  # next states that are told apart
        if self.calibration == "pruned":
            fans[-1] = 1
        lengths = [float(horizon - h) for h in range(horizon)]
        most = hoeffding(pairs, planned, self.beta / 2, tight)
        factors = tuple(self.multiplier * (c * math.sqrt(most / 2)) for c in lengths)
        if self.counter == "none":
            ones, zeros = (1.0,) * horizon, (0.0,) * horizon
            return UCBVICalibration("laplace", 0.0, ones, zeros, 0.0, factors, ones)
        cost, releases = self.cost(planned, sums), self.releases(planned)
        level = self.beta / 4 / pairs  # of one pair's bonus, and of its n~
        stretches = [1.0] * horizon
        if not tight:
            ratios = [1.0] * horizon
            scale = self.scale(cost, *change(ratios, stretches))
            error = scale * elementary(cost, releases, 2 * level / (1 + states))
            widths, surplus = [(1 + states * c) * error for c in lengths], states * error
        elif cost.law == "gaussian":
            spreads = [(fan - 1) * c * c + 1 for fan, c in zip(fans, lengths, strict=True)]
            if self.calibration == "pruned":
                stretches = shares(spreads)
            ratios = [
                stretch * spread**0.25 for stretch, spread in zip(stretches, spreads, strict=True)
            ]
            scale = self.scale(cost, *change(ratios, stretches))
            error = scale * mechanisms.counter_quantile(self.counter, releases, level, cost.law)
            widths = [
                error * math.sqrt(ratio**2 + stretch**2 * spread)
                for ratio, stretch, spread in zip(ratios, stretches, spreads, strict=True)
            ]
            surplus = error * max(
                stretch * math.sqrt(fan) for stretch, fan in zip(stretches, fans, strict=True)
            )
        else:
            ratios = lengths
            scale = self.scale(cost, *change(ratios, stretches))
            errors = {
                fan: scale * several(self.counter, cost, fan + 1, releases, level)
                for fan in set(fans)
            }
            widths = [c * errors[fan] for fan, c in zip(fans, lengths, strict=True)]
            surplus = scale * several(self.counter, cost, max(fans), releases, level)
        widths, surplus = [self.multiplier * width_ for width_ in widths], self.multiplier * surplus
        return UCBVICalibration(
            cost.law, scale, tuple(ratios), tuple(widths), surplus, factors, tuple(stretches)
        )

    def released(self, mdp: TabularMDP | SparseMDP) -> int:
        """Columns of r, then of m."""
        if self.calibration != "pruned":
            return width(mdp)
        successors = (width(mdp) - mdp.rewards.size) // mdp.horizon
        return width(mdp) - successors + mdp.states * mdp.actions

    def start(
        self, mdp: TabularMDP | SparseMDP, planned: int, checkpoints: IntArray
    ) -> UCBVILearner[Any]:
        """A learner before its first episode."""
        calibration = self.calibrate(mdp, planned_episodes(planned))
        columns, pruned = self.released(mdp), self.calibration == "pruned"
        if isinstance(mdp, SparseMDP):
            state = sparse.start(mdp, checkpoints, pruned=pruned)
            return sparse.SparseLearner(state, calibration, columns)
        state_ = start(ending(mdp) if pruned else mdp, checkpoints)
        return PrivateUCBVILearner(state_, calibration, columns)


class PrivateUCBVILearner(UCBVILearner[TabularWorld]):
    """A run of private UCBVI in progress; no column of noise belongs to n."""

    def play_on(self, blocks: Blocks) -> None:
        state = self.state
        follow(blocks, state.world, state.sums, state.plan, state.tally)

    def play(self, blocks: Blocks) -> None:
        advance(blocks, self.ratios, self.bonus, *self.state.records)

    def renew(self, noise: FloatArray, *, scaled: bool) -> None:
        ratios = np.ones_like(self.ratios) if scaled else self.ratios
        for h in range(ratios.shape[1]):
            release_step(h, self.state.sums, noise, 0, ratios, self.state.released)
        plan(self.state.released, self.bonus, self.state.plan)

    def add(self, entries: Entries) -> None:
        super().add(entries)
        sums = self.state.sums
        cells = entries.places - sums.rewards.size
        steps, _, pairs = np.unravel_index(cells[cells >= 0], sums.successors.shape)
        np.add.at(sums.visits, (steps, pairs), entries.values[cells >= 0])  # no plan reads it


def width(mdp: TabularMDP | SparseMDP) -> int:
    """Number of released sums, SAH (1 + S): r and m; of a sparse problem H (SA + Z), for Z possible
    (s, a, s')."""
    if isinstance(mdp, SparseMDP):
        return mdp.rewards.size + mdp.chance.size
    return learner.width(instance("mdp", mdp, TabularMDP)) // (2 + mdp.states) * (1 + mdp.states)


def ending(mdp: TabularMDP) -> TabularMDP:
    """The same problem with one state, the first, after the last step; its values are the same."""
    transitions = mdp.transitions.copy()
    transitions[-1] = np.arange(mdp.states) == 0
    return dataclasses.replace(mdp, transitions=transitions)


def change(ratios: list[float], stretches: list[float]) -> tuple[float, float]:
    """Largest change of all sums together by one user, in units of their scales, r's and m's: in l1
    and in l2 (replacement)."""
    scales = list(zip(stretches, ratios, strict=True))
    return (
        2 * math.fsum(1 / m + 1 / r for m, r in scales),
        math.sqrt(2 * math.fsum(1 / m**2 + 1 / r**2 for m, r in scales)),
    )


def shares(spreads: list[float]) -> list[float]:
    """Stretches t_h of the steps that make sum W_h least, over the first one's.

    With K_h in ``spreads`` and rho_h = K_h^(1/4) t_h, a step adds 2 k_h / t_h^2 to the square of a
    user's change, k_h = 1 + K_h^(-1/2), and W_h is w_h t_h times the error, w_h^2 = K_h^(1/2) +
    K_h. By Hoelder's inequality (sum k_h / t_h^2)^(1/2) sum w_h t_h is least where t_h^3 is
    proportional to k_h / w_h: then it is (sum (k_h w_h^2)^(1/3))^(3/2).
    """
    stretches = [(math.sqrt(1 + math.sqrt(spread)) / spread**0.75) ** (1 / 3) for spread in spreads]
    return [stretch / stretches[0] for stretch in stretches]


@inlined
def release_step(
    h: int,
    sums: TabularSums,
    noise: FloatArray,
    row: int,
    ratios: FloatArray,
    released: TabularReleased,
) -> None:
    """Add stretched noise to r and m of step h; the sum of m~ stands for n~."""
    _, _, r, m = sums
    _, n_noisy, r_noisy, m_noisy = released
    horizon, states, _ = m.shape
    at, pairs = np.uint64(h * r.shape[1]), np.uint64(r.shape[1])
    for x in range(pairs):
        r_noisy[h, x] = r[h, x] + ratios[0, h] * noise[row, at + x]
        n_noisy[h, x] = 0.0
    # next states that have columns: one in the last step, where they are not told apart
    columns = min(states, noise.shape[1] // r.shape[1] - horizon - h * states)
    for after in range(columns):
        at = np.uint64(horizon + h * states + after) * pairs
        for x in range(pairs):
            m_noisy[h, after, x] = m[h, after, x] + ratios[1, h] * noise[row, at + x]
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
