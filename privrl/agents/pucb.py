"""PUCB, private upper confidence bound (vietri2020/algorithm-2, algorithm-3): tabular, joint privacy by counters.

Symbols: n~, r~, m~ are the released counts, E = E_epsilon the width that covers their noise, beta' = beta / 4.

Deviations from the printed pseudo-code, each decided in the ledger:

- Where n~ < 2E, algorithm 3 divides by n~ (which may be zero or negative) and adds H; the proof (lemma-15) sets
  Q+ = H there. The kernel follows the proof.
- Ties are broken uniformly at random; the paper does not say how.

The paper's counter is the binary tree with Laplace noise. Any other of ``mechanisms.MECHANISMS`` does as well: proofs
use only that the released counts err by less than E at all times with probability 1 - beta', and privacy only that one
user changes all sums together by at most 6H in l1 and sqrt(6H) in l2 (replacement: three families, 2H changes of 1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numba import njit

from privrl.agents import tabular
from privrl.agents._counted import Counted
from privrl.agents.tabular import Learner, finish, greedy_step, play, played_step
from privrl.privacy import counters, mechanisms
from privrl.types import FloatArray, IntArray, TabularMDP, count, planned_episodes, probability, require

CALIBRATIONS = ("printed", "corrected", "tight")


@dataclass(frozen=True)
class Calibration:
    """What PUCB derives from its parameters before the first episode.

    Parameters
    ----------
    scale : Laplace scale, or Gaussian standard deviation, of one draw of the counter (0 without noise)
    e_epsilon : E_epsilon, half-width that covers every counter at every time
    logarithm : 2 ln(T / beta'), the numerator under the root of phi~
    law : ``laplace`` or ``gaussian``
    """

    scale: float
    e_epsilon: float
    logarithm: float
    law: str


@dataclass(frozen=True)
class PUCB(Counted):
    """PUCB over any counter.

    Parameters
    ----------
    epsilon : privacy parameter, > 0
    delta : 0 for Laplace noise; > 0 for Gaussian noise at (epsilon, delta), which the paper does not have
    beta : failure probability, in (0, 1)
    counter : ``tree`` (the paper's) or another of ``mechanisms.MECHANISMS`` whose draws can have the law
    calibration : ``printed`` (scale (3H/epsilon) log T, printed E_epsilon, natural logarithms), ``corrected`` (what
        epsilon-JDP under replacement needs: scale 6 H sensitivity/epsilon, where the tree's sensitivity is its levels,
        and an E in closed form that provably covers that noise; delta > 0: sqrt(6H) sensitivity/mu(epsilon, delta)),
        ``tight`` (the same noise; E from certified quantiles at the same failure probability)

    Raises
    ------
    ValueError
        A parameter out of range, or a combination that no calibration defines.
    """

    calibration: str = "printed"
    calibrations: ClassVar[tuple[str, ...]] = CALIBRATIONS
    name: ClassVar[str] = "pucb"

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.calibration != "printed" or self.counter == "none" or (self.counter == "tree" and self.delta == 0),
                "calibration printed exists for the tree counter with Laplace noise",
                counter=self.counter, delta=self.delta)

    def logarithm(self, planned: int) -> float:
        """2 ln(T / beta'), beta' = beta / 4 (lemma-13)."""
        return 2 * math.log(count("episodes", planned) / (self.beta / 4))

    def calibrate(self, mdp: TabularMDP, planned: int) -> Calibration:
        """Noise scale and confidence widths for ``planned`` episodes (at least 2 with a counter other than none)."""
        sums = tabular.width(mdp)  # N = 2SAH + S^2AH
        planned = count("episodes", planned, 1 if self.counter == "none" else 2)
        prime = self.beta / 4  # beta' (lemma-13)
        logarithm = self.logarithm(planned)
        if self.counter == "none":
            return Calibration(0.0, 0.0, logarithm, "laplace")
        if self.calibration == "printed":
            log = math.log(planned)  # algorithm 5 and E_epsilon print log; read as the natural logarithm
            scale = 3 * mdp.horizon / self.epsilon * log
            return Calibration(scale, 3 / self.epsilon * mdp.horizon * math.log(sums / prime) * log**2.5, logarithm,
                               "laplace")
        releases = planned - 1  # policies pi_1 .. pi_T read the sums after 0 .. T - 1 episodes
        cost = self.cost(planned, sums)
        scale = self.scale(cost, 6 * mdp.horizon, math.sqrt(6 * mdp.horizon))
        if self.calibration == "tight":
            quantile = mechanisms.counter_quantile(self.counter, releases, prime / sums, self.law)
            return Calibration(scale, scale * quantile, logarithm, self.law)
        # what a release consists of at most; a tree's live nodes are bounded by its levels, as in the paper
        largest = float(counters.levels(releases)) if self.counter == "tree" else cost.largest
        if self.delta > 0:
            width = math.sqrt(2 * largest * math.log(2 * sums * releases / prime))
        else:
            width = chernoff_width(prime / (sums * releases), round(largest))
        return Calibration(scale, scale * width, logarithm, self.law)

    def start(self, mdp: TabularMDP, planned: int, checkpoints: IntArray) -> PUCBLearner:
        """A learner before its first episode."""
        return PUCBLearner(tabular.learner(mdp, checkpoints), self.calibrate(mdp, planned_episodes(planned)))


@dataclass(eq=False)
class PUCBLearner:
    """A run of PUCB in progress."""

    state: Learner
    calibration: Calibration

    def advance(self, noise: FloatArray, coins: FloatArray, ties: FloatArray) -> None:
        """Play ``noise.shape[0]`` episodes; the blocks as :func:`privrl.agents.tabular.check_blocks` says."""
        state, made = self.state, self.calibration
        tabular.check_blocks(state, noise, coins, ties, state.statistics.size)
        _advance(noise, coins, ties, made.e_epsilon, made.logarithm, *state.arrays)


def chernoff_width(beta: float, terms: int) -> float:
    """A bound exceeded by |sum of ``terms`` Laplace(1)| with probability at most ``beta``.

    ln E exp(z X) = -ln(1 - z^2) <= 2 z^2 for |z| <= 1/sqrt 2; so sqrt(8 l) max(sqrt(terms), sqrt(l)) at l = ln(2/beta).
    """
    logarithm = math.log(2 / probability("beta", beta))
    return math.sqrt(8 * logarithm) * max(math.sqrt(count("terms", terms)), math.sqrt(logarithm))


@njit(cache=True, nogil=True, error_model="numpy")
def _advance(noise, coins, ties, e_epsilon, logarithm, statistics, q, values, masks,  # type: ignore[no-untyped-def]
             played, reachable, clock, totals, checkpoints, regret, optimum, transitions, rewards, cumulative, initial,
             first, bernoulli):
    horizon, states, actions, _ = transitions.shape
    pairs = states * actions
    to_r = horizon * pairs
    to_m = 2 * horizon * pairs
    cap = float(horizon)
    known = 2 * e_epsilon if e_epsilon > 0 else 0.5  # without noise: seen at least once
    factor = (1.0 + states * cap) * e_epsilon
    inverse = np.empty(to_r)
    bonus = np.empty(to_r)
    total = np.empty(pairs)
    columns = np.uint64(pairs)  # an unsigned index needs no check for negative ones, and so is vectorised
    for row in range(noise.shape[0]):
        # PrivQ (algorithm 3): the bonuses of all pairs at once, and then the plan, backwards over h
        for x in range(to_r):
            n = statistics[x] + noise[row, x]
            one = 1.0 / n
            ratio = e_epsilon * one
            phi = math.sqrt(logarithm / max(n - e_epsilon, 1.0))
            psi = factor * one * (3.0 + 2.0 * ratio)
            inverse[x] = one if n >= known else 0.0
            bonus[x] = (cap + 1.0) * phi + psi if n >= known else cap  # else: lemma-15
        seen = 0
        for x in range(to_r):
            seen += inverse[x] > 0
        changed = False  # whether the value of the policy in force changed at the step above
        for h in range(horizon - 1, -1, -1):
            if seen:  # as long as nothing is known, r~ and m~ are not read
                at = np.uint64(to_r + h * pairs)
                for x in range(columns):
                    total[x] = statistics[at + x] + noise[row, at + x]
                for after in range(states):
                    ahead = values[h + 1, after]
                    at = np.uint64(to_m + (h * states + after) * pairs)
                    for x in range(columns):
                        total[x] += ahead * (statistics[at + x] + noise[row, at + x])
                for x in range(pairs):
                    total[x] = min(cap, total[x] * inverse[h * pairs + x] + bonus[h * pairs + x])
                for s in range(states):
                    for a in range(actions):
                        q[a, s] = total[s * actions + a]
            else:
                for a in range(actions):
                    for s in range(states):
                        q[a, s] = cap
            changed |= greedy_step(h, q, values, masks, reachable)
            if changed:
                changed = played_step(h, masks, reachable, transitions, rewards, played)
        play(row, coins, ties, masks, rewards, cumulative, first, bernoulli, statistics)
        finish(played, initial, optimum, changed or clock[0] == 0, clock, totals, checkpoints, regret)
