"""PUCB, private upper confidence bound (vietri2020/algorithm-2, algorithm-3): tabular, joint
privacy by counters.

Symbols: n~, r~, m~ are the released counts, E = E_epsilon the width that covers their noise, beta'
= beta / 4.

Deviations from the printed pseudo-code, each decided in the ledger:

- Where n~ < 2E, algorithm 3 divides by n~ (which may be zero or negative) and adds H; the proof
  (lemma-15) sets Q+ = H there. The kernel follows the proof.
- Ties are broken uniformly at random; the paper does not say how.

The paper's counter is the binary tree with Laplace noise. Any other of ``mechanisms.MECHANISMS``
does as well: proofs use only that the released counts err by less than E at all times with
probability 1 - beta', and privacy only that one user changes all sums together by at most 6H in l1
and sqrt(6H) in l2 (replacement: three families, 2H changes of 1).
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
from privrl.agents.tabular.kernels import maximise, play, reaches, release, release_step, tally
from privrl.agents.tabular.learner import DenseLearner, aligned, start, width
from privrl.agents.tabular.records import (
    TabularPlan,
    TabularReleased,
    TabularSums,
    TabularTally,
    TabularWorld,
)
from privrl.agents.tabular.settings import CounterAgent, StreamNoise
from privrl.agents.tabular.widths import chernoff_width
from privrl.checks import count, planned_episodes, require
from privrl.environments.problems import TABULAR
from privrl.privacy.counters import mechanisms
from privrl.privacy.counters import stream as counters
from privrl.privacy.noise_scales.vietri2020 import printed_vietri2020, printed_width_vietri2020
from privrl.privacy.sensitivity import vietri2020
from privrl.types import FloatArray, IntArray, TabularMDP


@dataclass(frozen=True)
class PUCBCalibration(StreamNoise):
    """What PUCB derives from its parameters before the first episode."""

    multiplied: ClassVar[tuple[str, ...]] = ("e_epsilon", "logarithm")
    #: E_epsilon, half-width that covers every counter at every time, times the multiplier
    e_epsilon: float
    #: 2 ln(T / beta'), the numerator under the root of phi~, times the multiplier's square
    logarithm: float


@agent(
    "pucb",
    title="PUCB",
    rank=1,
    paper="vietri2020",
    counter="tree",
    plays=TABULAR,
)
@dataclass(frozen=True)
class PUCB(CounterAgent):
    """PUCB over any counter; parameters as for
    :class:`privrl.agents.tabular.settings.CounterAgent`.

    The paper has the counter ``tree`` and delta = 0. ``printed``: scale (3H/epsilon) log T, printed
    E_epsilon, natural logarithms. ``corrected``: what epsilon-JDP under replacement needs, the
    scale 6 H sensitivity/epsilon, where the tree's sensitivity is its levels, and an E in closed
    form that provably covers that noise (delta > 0: sqrt(6H) sensitivity/mu(epsilon, delta)).
    ``tight``: the same noise, E from certified quantiles at the same failure probability.
    ``pruned``: ``tight`` without m of step H, which no plan reads, as V at H + 1 is 0: those sums
    are not released, and a user changes the others by at most 6H - 2 in l1.
    """

    calibration: str = "printed"
    calibrations: ClassVar[tuple[str, ...]] = ("printed", "corrected", "tight", "pruned")
    name: ClassVar[str] = "pucb"

    def __post_init__(self) -> None:
        super().__post_init__()
        require(
            self.calibration != "printed"
            or self.counter == "none"
            or (self.counter == "tree" and self.delta == 0),
            "calibration printed exists for the tree counter with Laplace noise",
            counter=self.counter,
            delta=self.delta,
        )
        require(
            self.calibration != "printed" or self.counter == "none" or self.every == 1,
            "every must be 1 for calibration printed, whose noise is for a release an episode",
            every=self.every,
        )

    def logarithm(self, planned: int) -> float:
        """2 ln(T / beta'), beta' = beta / 4 (lemma-13), times the multiplier's square, as it stands
        under a root."""
        return self.multiplier**2 * (2 * math.log(count("episodes", planned) / (self.beta / 4)))

    def calibrate(self, mdp: TabularMDP, planned: int) -> PUCBCalibration:
        """Noise scale and confidence widths for ``planned`` episodes (at least 2 with a counter
        other than none)."""
        return self.of_sizes(self.released(mdp), mdp.horizon, planned)

    def released(self, mdp: TabularMDP) -> int:
        """Columns of n, r and m, the last S^2 A of which ``pruned`` leaves out."""
        sums = width(mdp)
        return sums - mdp.states**2 * mdp.actions if self.calibration == "pruned" else sums

    def of_sizes(self, sums: int, horizon: int, planned: int) -> PUCBCalibration:
        """The same for so many released ``sums``, N = 2SAH + S^2AH but for ``pruned``."""
        planned = count("episodes", planned, 1 if self.counter == "none" else 2)
        prime = self.beta / 4  # beta' (lemma-13)
        logarithm = self.logarithm(planned)
        if self.counter == "none":
            return PUCBCalibration("laplace", 0.0, 0.0, logarithm)
        if self.calibration == "printed":
            # algorithm 5 and E_epsilon print log; read as the natural logarithm
            scale = printed_vietri2020(self.epsilon, horizon, planned)
            error = printed_width_vietri2020(self.epsilon, horizon, planned, sums, prime)
            return PUCBCalibration("laplace", scale, self.multiplier * error, logarithm)
        # policies pi_1 .. pi_T read the sums after 0 .. T - 1 episodes
        releases = self.releases(planned)
        cost = self.cost(planned, sums)
        family = "read" if self.calibration == "pruned" else "all"
        scale = self.scale(
            cost, *(vietri2020(family, horizon, norm=norm).value for norm in ("l1", "l2"))
        )
        if self.calibration != "corrected":
            quantile = mechanisms.counter_quantile(self.counter, releases, prime / sums, self.law)
            return PUCBCalibration(self.law, scale, self.multiplier * (scale * quantile), logarithm)
        # what a release consists of at most; a tree's live nodes are bounded by its levels, as in
        # the paper
        largest = float(counters.levels(releases)) if self.counter == "tree" else cost.largest
        if self.delta > 0:
            bound = math.sqrt(2 * largest * math.log(2 * sums * releases / prime))
        else:
            bound = chernoff_width(prime / (sums * releases), round(largest))
        return PUCBCalibration(self.law, scale, self.multiplier * (scale * bound), logarithm)

    def start(self, mdp: TabularMDP, planned: int, checkpoints: IntArray) -> PUCBLearner:
        """A learner before its first episode."""
        state = start(mdp, checkpoints, private=self.counter != "none")
        calibration = self.calibrate(mdp, planned_episodes(planned))
        columns = None if self.counter == "none" else self.released(mdp)
        return PUCBLearner(state, calibration, columns)


@dataclass(eq=False)
class PUCBLearner(DenseLearner):
    """A run of PUCB in progress."""

    def __post_init__(self) -> None:
        size = self.state.released.visits.size
        self.confidence = Confidence(aligned(size), aligned(size))
        self.widths = PUCBWidths(self.calibration.e_epsilon, self.calibration.logarithm)

    def play(self, blocks: Blocks) -> None:
        advance(blocks, self.widths, self.confidence, *self.state.records)

    def renew(self, noise: FloatArray, *, scaled: bool) -> None:
        state = self.state
        if self.widths.e_epsilon > 0:
            release(state.sums, noise, 0, state.released)
        plan(state.released, self.widths, self.confidence, state.plan)


@public
class PUCBWidths(NamedTuple):
    """E and 2 ln(T / beta'), which the plan's bonuses are made of."""

    e_epsilon: float
    logarithm: float


@public
class Confidence(NamedTuple):
    """1 / n~ (0 where n~ < 2E) and conf~ (H there) of every pair, (HSA,) each."""

    inverse: FloatArray
    bonus: FloatArray


@inlined
def least_known(widths: PUCBWidths) -> float:
    """The least n~ of a pair that is known; without noise it was seen at least once."""
    return 2 * widths.e_epsilon if widths.e_epsilon > 0 else 0.5


@inlined
def plan(
    released: TabularReleased, widths: PUCBWidths, confidence: Confidence, agent_plan: TabularPlan
) -> None:
    """PrivQ (algorithm 3), with the cases of lemma-15."""
    for h in range(agent_plan.greedy.shape[0] - 1, -1, -1):
        plan_step(h, released, widths, confidence, agent_plan)


@inlined
def plan_step(
    h: int,
    released: TabularReleased,
    widths: PUCBWidths,
    confidence: Confidence,
    agent_plan: TabularPlan,
) -> None:
    """Step h of the plan; while nothing of it is known, all its sums would be multiplied by 0."""
    _, visits, r, m = released
    e_epsilon, logarithm = widths
    inverse, bonus = confidence
    q, values, greedy = agent_plan
    horizon, states, _ = m.shape
    cap, known, pairs = float(horizon), least_known(widths), np.uint64(r.shape[1])
    at = np.uint64(h) * pairs
    factor = (1.0 + states * cap) * e_epsilon
    if reaches(visits, h, known):
        for x in range(pairs):  # conf~ := (H + 1) phi~ + psi~ if n~ >= 2 E else H
            n = visits[h, x]
            per_visit = 1.0 / n
            phi = math.sqrt(logarithm / max(n - e_epsilon, 1.0))
            psi = factor * per_visit * (3.0 + 2.0 * (e_epsilon * per_visit))
            inverse[at + x] = per_visit if n >= known else 0.0
            bonus[at + x] = (cap + 1.0) * phi + psi if n >= known else cap
        for x in range(pairs):  # Q~ := (r~ + sum over s' of V~ m~) / n~
            q[h, x] = r[h, x]
        for after in range(states):
            ahead = values[h + 1, after]
            for x in range(pairs):
                q[h, x] += ahead * m[h, after, x]
        for x in range(pairs):  # Q~+ := min(H, Q~ + conf~)
            q[h, x] = min(cap, q[h, x] * inverse[at + x] + bonus[at + x])
    else:
        for x in range(pairs):
            inverse[at + x], bonus[at + x], q[h, x] = 0.0, cap, cap
    maximise(h, q, values, greedy)


@kernel
def advance(
    blocks: Blocks,
    widths: PUCBWidths,
    confidence: Confidence,
    world: TabularWorld,
    sums: TabularSums,
    released: TabularReleased,
    agent_plan: TabularPlan,
    record: TabularTally,
) -> None:
    """PUCB (algorithm 2), for the episodes of some blocks."""
    for row in range(blocks.coins.shape[0]):
        for h in range(
            agent_plan.greedy.shape[0] - 1, -1, -1
        ):  # Private planning, of sums that are still in the cache
            if widths.e_epsilon > 0:  # without noise, the sums themselves are released
                release_step(h, sums, blocks.noise, row, least_known(widths), released)
            plan_step(h, released, widths, confidence, agent_plan)
        play(world, agent_plan.greedy, blocks, row, sums)  # Execute, Observe, Feed
        tally(world, agent_plan.greedy, record)
