"""UBEV (Dann, Lattimore and Brunskill 2017, algorithm 1): the base of PUCB, without privacy.

    phi(n) = sqrt((2 llnp(max(e, n)) + ln(18 S A H / beta)) / n),  llnp(x) = ln(max(1, ln x)),
    Q(s, a, h) = min(1, r/n + phi) + min(max V(., h+1), m . V(., h+1) / n + (H - h) phi)

with h counted from 1, and both minima at their caps where n = 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from privrl.agents.blocks import Blocks
from privrl.agents.compiled import inlined, kernel
from privrl.agents.kind import agent
from privrl.agents.settings import check
from privrl.agents.sums import public
from privrl.agents.tabular.kernels import maximise, play, tally
from privrl.agents.tabular.learner import DenseLearner, TabularState, start, width
from privrl.agents.tabular.records import (
    TabularPlan,
    TabularReleased,
    TabularSums,
    TabularTally,
    TabularWorld,
)
from privrl.checks import planned_episodes
from privrl.environments.problems import TABULAR
from privrl.privacy.counters.none import NoneCounter
from privrl.privacy.counters.stream import Counter
from privrl.types import FloatArray, IntArray, TabularMDP

TABLE = 1 << 17  # phi(n) is looked up below this count, and computed above


@agent(
    "ubev",
    title="UBEV",
    rank=2,
    paper="vietri2020",
    counter="none",
    plays=TABULAR,
)
@dataclass(frozen=True)
class UBEV:
    """UBEV with failure probability ``beta`` in (0, 1) and phi times ``multiplier``.

    It has no counter, no calibration, and no privacy.
    """

    beta: float = 0.1
    multiplier: float = 1.0
    name: ClassVar[str] = "ubev"
    counter: ClassVar[str] = "none"
    calibration: ClassVar[str] = "printed"
    calibrations: ClassVar[tuple[str, ...]] = ("printed",)
    epsilon: ClassVar[float] = math.inf
    delta: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        check(self)

    def noise(self, mdp: TabularMDP, planned: int, rng: np.random.Generator) -> Counter:
        """An empty stream: UBEV reads no noise."""
        width(mdp)  # held against the same requirements as every agent's
        return NoneCounter(1, max(planned_episodes(planned) - 1, 1), 1.0, rng)

    def start(self, mdp: TabularMDP, planned: int, checkpoints: IntArray) -> UBEVLearner:
        """A learner before its first episode; ``planned`` does not enter the algorithm."""
        return UBEVLearner(start(mdp, checkpoints, private=False), self, planned_episodes(planned))


class UBEVLearner(DenseLearner):
    """A run of UBEV in progress."""

    def __init__(self, state: TabularState[TabularWorld], agent: UBEV, planned: int) -> None:
        super().__init__(state, agent, None)
        self.constant = math.log(18 * state.sums.visits.size / agent.beta)
        self.table = np.empty(min(TABLE, planned + 1))
        fill(self.table, self.constant, agent.multiplier)
        self.scratch = np.zeros((3, state.sums.visits.size))
        self.widths = UBEVWidths(self.constant, agent.multiplier, self.table, self.scratch)

    def play(self, blocks: Blocks) -> None:
        advance(blocks, self.widths, *self.state.records)

    def noise_scales(self) -> FloatArray:
        return np.zeros(self.state.statistics.size)

    def renew(self, noise: FloatArray, *, scaled: bool) -> None:
        plan(self.state.released, self.widths, self.state.plan)


@public
class UBEVWidths(NamedTuple):
    """ln(18 SAH / beta), the multiplier, phi(n) by n as far as it goes, (3, HSA): a count + 1, its
    phi, one over it."""

    constant: float
    multiplier: float
    table: FloatArray
    scratch: FloatArray


@kernel
def phi(n: float, constant: float) -> float:
    """Half-width of the confidence interval after ``n`` >= 1 observations in [0, 1]."""
    return math.sqrt((2.0 * math.log(math.log(max(math.e, n))) + constant) / n)


@kernel
def fill(table: FloatArray, constant: float, multiplier: float) -> None:
    """Write phi(n), times the multiplier, at n."""
    table[0] = 1e300  # stands for infinity: wider than any cap, and 0 times it is 0
    for n in range(1, table.size):
        table[n] = multiplier * phi(float(n), constant)


@inlined
def plan(released: TabularReleased, bounds: UBEVWidths, agent_plan: TabularPlan) -> None:
    """Lines 2 to 11, backwards over h."""
    constant, multiplier, table, scratch = bounds
    every, _, r, m = released
    q, values, greedy = agent_plan
    known, widths, inverse = scratch[0], scratch[1], scratch[2]
    horizon, states, _ = m.shape
    pairs = np.uint64(r.shape[1])
    for x in range(np.uint64(inverse.size)):
        n = every[x]
        if known[x] != n + 1.0:  # few counts change in an episode
            known[x] = n + 1.0
            widths[x] = table[int(n)] if n < table.size else multiplier * phi(n, constant)
            inverse[x] = 1.0 / max(n, 1.0)
    for h in range(horizon - 1, -1, -1):
        at, cap, later = np.uint64(h) * pairs, 0.0, float(horizon - 1 - h)
        for x in range(pairs):
            q[h, x] = later * widths[at + x]
        for after in range(states):
            ahead = values[h + 1, after]
            cap = max(cap, ahead)
            for x in range(pairs):
                q[h, x] += m[h, after, x] * inverse[at + x] * ahead
        for x in range(pairs):
            # without visits r = m = 0, and both minima are the caps
            mean = r[h, x] / max(every[at + x], 1.0)
            q[h, x] = min(1.0, mean + widths[at + x]) + min(cap, q[h, x])
        maximise(h, q, values, greedy)


@kernel
def advance(
    blocks: Blocks,
    bounds: UBEVWidths,
    world: TabularWorld,
    sums: TabularSums,
    released: TabularReleased,
    agent_plan: TabularPlan,
    record: TabularTally,
) -> None:
    """Algorithm 1, for the episodes of some blocks; what is released are the sums themselves."""
    for row in range(blocks.coins.shape[0]):
        plan(released, bounds, agent_plan)
        play(world, agent_plan.greedy, blocks, row, sums)  # lines 12 to 17
        tally(world, agent_plan.greedy, record)
