"""Private UCBVI (Chowdhury and Zhou 2022), joint or local privacy by the counter: Hoeffding bonuses on released sums.

Cited: optimistic value iteration on private sums of rewards and of next states, whatever hands these out: a counter in
one place (joint privacy) or every user (local). Ours: which sums, how much noise on each, and the bonuses, as the
paper's constants are not at hand. There is no calibration ``printed``.

**What is released.** r (H, SA) and m (H, S, SA), sums of rewards and counts of next states. n is not: n~ is the sum of
m~ over the next state. With a family less, each of the others needs less noise. Step h of a user moves one cell of m by
1 and one of r by at most 1. The noise of r at step h is rho_h times that of m, so replacing a user changes the draws of
m's scale by at most 2 sum_h (1 + 1/rho_h) in l1 and the root of 2 sum_h (1 + 1/rho_h^2) in l2 (attained by users who
share no state and are both paid 1 in every step; two states or more).

**Bonus.** Steps count from 0; c_h = H - h bounds Q*_h. With V = V*_{h+1}, Q = Q*_h(s, a), n visits so far:

    r~ + sum_s' m~(s') V(s') - n~ Q = [sum of n terms with mean 0] + [noise of r + sum_s' (V(s') - Q) noise of m(s')].

V and Q are no random variables. So the first bracket is a sum of n independent terms, each in an interval of length
c_h: it stays above -c_h sqrt(n L / 2). The second is one stream of the counter's noise with known weights: it stays
above -W_h. With n <= n~ + N, and with m~ replaced by its positive part,

    Q+(s, a) = min(c_h, [r~ + sum_s' max(m~(s'), 0) V+(s') + W_h + c_h sqrt(L/2) sqrt(n~ + N)] / n~),   c_h if n~ <= 0,

is at least Q by induction backwards over h: V+ >= V >= 0 and the weights are >= 0. That is all that optimism takes; it
fails with probability beta at most.

- W_h ``tight``, Gaussian: the weights have l2 norm sqrt(rho_h^2 + K_h) at most, K_h = (S - 1) c_h^2 + 1. (Let all V be
  below Q: the largest is at least Q - 1. All above: the least is Q, since Q >= min V. Else, with j of them above, it is
  j (c_h - 1 - Q)^2 + (S - j) Q^2 at most.) Times the certified quantile of one stream at level beta / (4 SAH).
  rho_h = K_h^(1/4) makes (1 + 1/rho^2) (rho^2 + K_h) least.
- W_h ``tight``, Laplace: rho_h = c_h, so that no weight exceeds c_h. The law of a weighted sum of symmetric unimodal
  draws spreads out as a weight grows (Birnbaum 1948): at every release it is inside that of S + 1 draws times c_h.
- W_h ``corrected``: every sum within E of what it counts, at all releases, by a tail bound in closed form and a union:
  W_h = (1 + S c_h) E, rho_h = 1. The shape of bonus that the paper has.
- N: the same for the S draws of n~, at level beta / 4.
- L ``corrected``: ln(2 SAH T / beta), a union over the numbers of visits 1..T. ``tight``: Hoeffding's inequality holds
  for the largest of the first j sums as well (Doob), so a union over J blocks (eta^(j-1), eta^j] of visits is enough:
  L = eta ln(2 SAH J / beta), the best of some eta > 1.

No sum enters with itself as a divisor's threshold: where n~ is small the bonus is above c_h by itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit

from privrl.agents import _successors, tabular
from privrl.agents._counted import Counted
from privrl.agents.tabular import Learner, finish, greedy_step, play, played_step
from privrl.privacy import mechanisms
from privrl.types import FloatArray, IntArray, TabularMDP, count, instance, planned_episodes


@dataclass(frozen=True)
class Calibration:
    """What private UCBVI derives from its parameters before the first episode.

    Parameters
    ----------
    law : ``laplace`` or ``gaussian``
    scale : Laplace scale, or standard deviation, of a draw of m (0 without noise)
    ratios : (H,), rho_h: the draws of r at step h have ``scale`` rho_h
    widths : (H,), W_h
    surplus : N, how much n may exceed n~
    factors : (H,), c_h sqrt(L / 2)
    """

    law: str
    scale: float
    ratios: tuple[float, ...]
    widths: tuple[float, ...]
    surplus: float
    factors: tuple[float, ...]


@dataclass(frozen=True)
class PrivateUCBVI(Counted):
    """Private UCBVI over any counter.

    Parameters
    ----------
    epsilon : privacy parameter, > 0
    delta : 0 for Laplace noise, > 0 for Gaussian noise at (epsilon, delta)
    beta : failure probability, in (0, 1)
    counter : ``local`` for local privacy, ``none`` for UCBVI itself, every other of ``mechanisms.MECHANISMS`` for joint
    calibration : ``corrected`` or ``tight``, see above; both give the privacy that is asked for

    Raises
    ------
    ValueError
        A parameter out of range, or a counter that cannot have the noise.
    """

    @property
    def name(self) -> str:
        """``private-ucbvi``; ``ldp-ucbvi`` over ``local`` and ``ucbvi`` over ``none``."""
        return {"none": "ucbvi", "local": "ldp-ucbvi"}.get(self.counter, "private-ucbvi")

    def calibrate(self, mdp: TabularMDP, planned: int) -> Calibration:
        """Noise and widths for ``planned`` episodes (at least 2 with a counter other than none)."""
        sums = width(mdp)
        planned = count("episodes", planned, 1 if self.counter == "none" else 2)
        horizon, states = mdp.horizon, mdp.states
        pairs, tight = sums // (1 + states), self.calibration == "tight"
        lengths = [float(horizon - h) for h in range(horizon)]
        most = _successors.hoeffding(pairs, planned, self.beta / 2, tight)
        factors = tuple(c * math.sqrt(most / 2) for c in lengths)
        if self.counter == "none":
            return Calibration("laplace", 0.0, (1.0,) * horizon, (0.0,) * horizon, 0.0, factors)
        cost, releases = self.cost(planned, sums), planned - 1
        level = self.beta / 4 / pairs  # of one pair's bonus, and of its n~
        if not tight:
            ratios = [1.0] * horizon
            scale = self.scale(cost, *change(ratios))
            error = scale * _successors.elementary(cost, releases, 2 * level / (1 + states))
            widths, surplus = [(1 + states * c) * error for c in lengths], states * error
        elif cost.law == "gaussian":
            spreads = [(states - 1) * c * c + 1 for c in lengths]
            ratios = [spread**0.25 for spread in spreads]
            scale = self.scale(cost, *change(ratios))
            error = scale * mechanisms.counter_quantile(self.counter, releases, level, cost.law)
            widths = [error * math.sqrt(ratio**2 + spread) for ratio, spread in zip(ratios, spreads, strict=True)]
            surplus = error * math.sqrt(states)
        else:
            ratios = lengths
            scale = self.scale(cost, *change(ratios))
            error = scale * _successors.several(self.counter, cost, states + 1, releases, level)
            widths = [c * error for c in lengths]
            surplus = scale * _successors.several(self.counter, cost, states, releases, level)
        return Calibration(cost.law, scale, tuple(ratios), tuple(widths), surplus, factors)

    def released(self, mdp: TabularMDP) -> int:
        """Columns of r, then of m."""
        return width(mdp)

    def start(self, mdp: TabularMDP, planned: int, checkpoints: IntArray) -> PrivateUCBVILearner:
        """A learner before its first episode."""
        return PrivateUCBVILearner(tabular.learner(mdp, checkpoints), self.calibrate(mdp, planned_episodes(planned)))


@dataclass(eq=False)
class PrivateUCBVILearner:
    """A run of private UCBVI in progress."""

    state: Learner
    calibration: Calibration

    def advance(self, noise: FloatArray, coins: FloatArray, ties: FloatArray) -> None:
        """Play ``noise.shape[0]`` episodes; arguments as for PUCB, but no column of noise belongs to n."""
        state, made = self.state, self.calibration
        states = state.initial.size
        tabular.check_blocks(state, noise, coins, ties, state.statistics.size // (2 + states) * (1 + states))
        _advance(noise, coins, ties, np.array(made.ratios), np.array(made.widths), made.surplus,
                 np.array(made.factors), *state.arrays)


def width(mdp: TabularMDP) -> int:
    """Number of released sums, SAH (1 + S): r and m."""
    return tabular.width(instance("mdp", mdp, TabularMDP)) // (2 + mdp.states) * (1 + mdp.states)


def change(ratios: list[float]) -> tuple[float, float]:
    """Largest change of all sums together by one user, in units of their scales: in l1 and in l2 (replacement)."""
    return (2 * math.fsum(1 + 1 / ratio for ratio in ratios),
            math.sqrt(2 * math.fsum(1 + 1 / ratio**2 for ratio in ratios)))


@njit(cache=True, nogil=True, error_model="numpy")
def _advance(noise, coins, ties, ratios, widths, surplus, factors, statistics, q, values, masks,  # type: ignore[no-untyped-def]
             played, reachable, clock, totals, checkpoints, regret, optimum, transitions, rewards, cumulative, initial,
             first, bernoulli):
    horizon, states, actions, _ = transitions.shape
    pairs = states * actions
    cells = horizon * pairs  # r begins here in the statistics, and m in the noise
    total = np.empty(pairs)
    seen = np.empty(pairs)
    columns = np.uint64(pairs)  # an unsigned index needs no check for negative ones, and so is vectorised
    for row in range(noise.shape[0]):
        # the plan, backwards over h
        changed = False  # whether the value of the policy in force changed at the step above
        for h in range(horizon - 1, -1, -1):
            cap = float(horizon - h)
            ratio, wide, factor = ratios[h], widths[h], factors[h]
            at = np.uint64(cells + h * pairs)
            drawn = np.uint64(h * pairs)
            for x in range(columns):
                total[x] = statistics[at + x] + ratio * noise[row, drawn + x] + wide
                seen[x] = 0.0
            for after in range(states):
                ahead = values[h + 1, after]
                at = np.uint64(2 * cells + (h * states + after) * pairs)
                drawn = np.uint64(cells + (h * states + after) * pairs)
                for x in range(columns):
                    released = statistics[at + x] + noise[row, drawn + x]
                    seen[x] += released
                    total[x] += ahead * max(released, 0.0)
            for s in range(states):
                for a in range(actions):
                    n = seen[s * actions + a]
                    bonus = factor * math.sqrt(max(n + surplus, 0.0))
                    bound = (total[s * actions + a] + bonus) / n
                    q[a, s] = max(0.0, min(cap, bound)) if n > 0.0 else cap
            changed |= greedy_step(h, q, values, masks, reachable)
            if changed:
                changed = played_step(h, masks, reachable, transitions, rewards, played)
        play(row, coins, ties, masks, rewards, cumulative, first, bernoulli, statistics)
        finish(played, initial, optimum, changed or clock[0] == 0, clock, totals, checkpoints, regret)
