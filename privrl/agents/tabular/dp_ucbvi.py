"""DP-UCBVI (Qiao and Wang 2023): Bernstein bonuses on released counts that were made a
distribution.

Cited (the paper's design, as its authors restate it for games in 2024): n, r and m are released by
a counter, or by every user; each is within e = E/4 of what it counts; counts of next states are
made a distribution P = N(.)/N (:func:`make_counts`); the bonus is a Bernstein one under P with a
private term of the order H S E/N. Ours: constants of the bonus, the noise that gives the privacy
that is asked for, true counters, and no calibration ``printed``. Rewards are unknown here. Proofs:
``theory.lemmas.dp_ucbvi``. With k = H - 1 - h,

    bonus = sqrt(N L_0/2) + 5e + max(a sqrt(N var_P(V+)), a^2 k) + B k,
    Q+ = min(H - h, (r~ + N P V+ + bonus)/N).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from privrl.agents.blocks import Blocks
from privrl.agents.compiled import inlined, kernel
from privrl.agents.kind import agent
from privrl.agents.sums import public
from privrl.agents.tabular.kernels import maximise, play, release, tally
from privrl.agents.tabular.learner import DenseLearner, start, width
from privrl.agents.tabular.records import (
    TabularPlan,
    TabularReleased,
    TabularSums,
    TabularTally,
    TabularWorld,
)
from privrl.agents.tabular.settings import CounterAgent, StreamNoise
from privrl.agents.tabular.widths import blocks as blocks_of_visits
from privrl.agents.tabular.widths import elementary, hoeffding
from privrl.checks import count, planned_episodes
from privrl.environments.problems import TABULAR
from privrl.privacy.counters import mechanisms
from privrl.types import FloatArray, IntArray, TabularMDP

FEW = 20  # visits below which nothing is said of the variance


@dataclass(frozen=True)
class DPUCBVICalibration(StreamNoise):
    """What DP-UCBVI derives from its parameters before the first episode."""

    multiplied: ClassVar[tuple[str, ...]] = ("error", "reward", "deviation", "constant")
    error: float  #: e, which no sum's noise exceeds
    reward: float  #: sqrt(L_0 / 2)
    deviation: float  #: a
    constant: float  #: B


@agent(
    "dp-ucbvi",
    title="DP-UCBVI",
    rank=6,
    paper="vietri2020",
    counter="tree",
    calibration="tight",
    plays=TABULAR,
)
@dataclass(frozen=True)
class DPUCBVI(CounterAgent):
    """DP-UCBVI over any counter; parameters as for
    :class:`privrl.agents.tabular.settings.CounterAgent`."""

    name: ClassVar[str] = "dp-ucbvi"

    def calibrate(self, mdp: TabularMDP, planned: int) -> DPUCBVICalibration:
        """Noise and constants for ``planned`` episodes (at least 2 with a counter other than
        none)."""
        sums, states = width(mdp), mdp.states
        planned = count("episodes", planned, 1 if self.counter == "none" else 2)
        pairs, tight, level = sums // (2 + states), self.calibration == "tight", self.beta / 6
        single = math.log(pairs * planned / level)
        eta, log = blocks_of_visits(pairs, planned, level) if tight else (1.0, single)
        if eta * log > single:
            eta, log = 1.0, single
        root = math.sqrt(2 * eta * log)
        share = FEW / (FEW - 1)
        plain = root * (math.sqrt(2 * single * share) + math.sqrt(share) / 2) + log / 3
        reward = math.sqrt(hoeffding(pairs, planned, level, tight) / 2)
        if self.counter == "none":
            return self._scaled("laplace", 0.0, 0.0, reward, root, max(plain, FEW))
        cost, releases = self.cost(planned, sums), self.releases(planned)
        moved = 6 * mdp.horizon  # three families, two cells of each a step
        scale = self.scale(cost, moved, math.sqrt(moved))
        level = self.beta / 2 / sums
        error = scale * (
            mechanisms.counter_quantile(self.counter, releases, level, cost.law)
            if tight
            else elementary(cost, releases, level)
        )
        constant = max(plain + root * math.sqrt(2 * error * (states - 1)), FEW) + error * (
            states + 3
        )
        return self._scaled(cost.law, scale, error, reward, root, constant)

    def _scaled(self, law: str, scale: float, *widths: float) -> DPUCBVICalibration:
        """The calibration with e, sqrt(L_0 / 2), a and B times the multiplier."""
        return DPUCBVICalibration(law, scale, *(self.multiplier * width for width in widths))

    def start(self, mdp: TabularMDP, planned: int, checkpoints: IntArray) -> DPUCBVILearner:
        """A learner before its first episode."""
        return DPUCBVILearner(
            start(mdp, checkpoints), self.calibrate(mdp, planned_episodes(planned)), width(mdp)
        )


class DPUCBVILearner(DenseLearner):
    """A run of DP-UCBVI in progress."""

    @property
    def bonus(self) -> DPUCBVIBonus:
        """As the kernels read it."""
        calibration = self.calibration
        return DPUCBVIBonus(
            calibration.error,
            calibration.reward,
            calibration.deviation,
            calibration.constant,
            np.empty(self.state.world.first.size),
        )

    def play(self, blocks: Blocks) -> None:
        advance(blocks, self.bonus, *self.state.records)

    def renew(self, noise: FloatArray, *, scaled: bool) -> None:
        release(self.state.sums, noise, 0, self.state.released)
        plan(self.state.released, self.bonus, self.state.plan)


@public
class DPUCBVIBonus(NamedTuple):
    """e, sqrt(L_0 / 2), a and B, as in :class:`DPUCBVICalibration`, and scratch (S,)."""

    error: float
    reward: float
    deviation: float
    constant: float
    counts: FloatArray


@kernel
def make_counts(counts: FloatArray, total: float, error: float) -> float:
    """Replace released counts of next states by the optimum and add the 2e; their sum, or 0 where
    there is no optimum.

    The optimum is max(count + tau, 0) with the shift tau of least size that brings the sum within
    ``error`` of ``total``: for every tau it lies within max(|tau|, -least count) of the counts, and
    no other x >= 0 with its sum is nearer. A positive sum is reached by tau with active counts
    alone, which are found by leaving out (Michelot 1986).
    """
    states = counts.size
    positive_sum = 0.0
    for s in range(states):
        positive_sum += max(counts[s], 0.0)
    low, high = total - error, total + error
    if high < 0.0:
        return 0.0
    tau = 0.0
    if positive_sum < low or positive_sum > high:
        target = min(max(positive_sum, low), high)
        tau = np.inf  # all are active in the first pass
        active, active_before = states + 2, states + 1
        while (
            0 < active_before < active
        ):  # they only become fewer: a count within rounding of -tau cannot come back for ever
            active, active_before, fixed_sum = active_before, 0, 0.0
            for s in range(states):
                if counts[s] + tau > 0.0:
                    active_before += 1
                    fixed_sum += counts[s]
            if active_before:
                tau = (target - fixed_sum) / active_before
    positive_sum = 0.0
    for s in range(states):
        counts[s] = max(counts[s] + tau, 0.0) + 2.0 * error / states
        positive_sum += counts[s]
    return positive_sum


@inlined
def plan(released: TabularReleased, bonus: DPUCBVIBonus, agent_plan: TabularPlan) -> None:
    """Q+ as in the module, backwards over h."""
    _, visits, r, m = released
    error, reward, deviation, constant, counts = bonus
    q, values, greedy = agent_plan
    horizon, states, pairs = m.shape
    for h in range(horizon - 1, -1, -1):
        cap, reach = float(horizon - h), float(horizon - 1 - h)
        for x in range(pairs):
            for after in range(states):
                counts[after] = m[h, after, x]
            n = make_counts(counts, visits[h, x], error)
            if n <= 0.0:
                q[h, x] = cap
                continue
            mean, square = 0.0, 0.0
            for after in range(states):
                mean += counts[after] * values[h + 1, after]
            for after in range(states):
                square += counts[after] * (values[h + 1, after] - mean / n) ** 2
            more = reward * math.sqrt(n) + 5.0 * error + constant * reach
            more += max(deviation * math.sqrt(square), deviation * deviation * reach)
            q[h, x] = max(0.0, min(cap, (r[h, x] + mean + more) / n))
        maximise(h, q, values, greedy)


@kernel
def advance(
    blocks: Blocks,
    bonus: DPUCBVIBonus,
    world: TabularWorld,
    sums: TabularSums,
    released: TabularReleased,
    agent_plan: TabularPlan,
    record: TabularTally,
) -> None:
    """DP-UCBVI, for the episodes of some blocks."""
    for row in range(blocks.coins.shape[0]):
        release(sums, blocks.noise, row, released)
        plan(released, bonus, agent_plan)
        play(world, agent_plan.greedy, blocks, row, sums)
        tally(world, agent_plan.greedy, record)
