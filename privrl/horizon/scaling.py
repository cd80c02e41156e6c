"""How many users private UCBVI needs before it has learnt, at sizes that were not run: measured
runs, and a scaling.

With so many visits n of a pair at step h, its bonus is below what the rest of the episode can
bring:

    W_h + c_h sqrt(L/2) sqrt(n + N) < n

(:mod:`privrl.agents.tabular.private_ucbvi`, planned for K users).

An episode visits one of S A pairs at each step, and bonuses of the H steps add up; so users =
factor * H S A n(K). The factor is what was measured, and nothing else. It hardly depends on sizes,
epsilon and counter where all states come up alike (``even`` worlds); where a state is reached by
one sequence of actions only (``river``), it is larger and grows.

That is so where a wrong action costs 1, the *gap* of the even worlds. For a smaller gap g the bonus
must be below g n, which takes n_g visits: n / g <= n_g <= n / g^2, like the former where the noise
decides and like the latter where the sample does (put n / g and n / g^2 into the inequality above).
How many users that takes was measured in one world (``GAPS``), and for no other does this module
say a number.
"""

import math
from typing import NamedTuple

import numpy as np

from privrl.agents.tabular.private_ucbvi import PrivateUCBVI, width
from privrl.checks import count, instance, positive, probability
from privrl.environments import riverswim
from privrl.privacy import quantiles
from privrl.privacy.counters import mechanisms
from privrl.run import learning, simulate
from privrl.types import TabularMDP

GAP = 1.0  # what a wrong action costs in the even worlds, wherever it is played
#: times the most that was measured: from there on "enough", tried on worlds that were held back
#: (:mod:`privrl.horizon.held_back`)
SAFE = 1.5
NARROW = 0.05  # a multiplier of the widths with which no run in an even world failed to learn


class Measured(NamedTuple):
    """Users before private UCBVI (tight, delta = 1e-6, seed 0) had learnt: the burn-in by growing
    windows, interval included; ``multiplier`` of the confidence widths."""

    world: str
    states: int
    actions: int
    horizon: int
    counter: str
    epsilon: float
    planned: int
    replicates: int
    multiplier: float
    users: int
    gap: float = GAP  #: of an even world

    @property
    def mdp(self) -> TabularMDP:
        """The world."""
        sizes = self.states, self.actions, self.horizon
        return (
            even(*sizes, self.gap)
            if self.world == "even"
            else riverswim(sizes[0], sizes[2], relabelled=True)
        )

    def measure(self) -> int | None:
        """The users, measured again."""
        agent = PrivateUCBVI(self.epsilon, 1e-6, counter=self.counter, multiplier=self.multiplier)
        run = simulate.run(
            "again", self.mdp, agent, episodes=self.planned, replicates=self.replicates
        )
        return learning.burn_in(run, self.mdp, growing=True).episode

    @property
    def factor(self) -> float:
        """Users over H S A n(K), with n of the proved widths."""
        return self.users / unit(
            PrivateUCBVI(self.epsilon, 1e-6, counter=self.counter), self.mdp, self.planned
        )


# with the widths as proved, (50, 4, 4) over blt at epsilon 100 had not learnt from 60,000: above
# 0.78
MEASURED_SCALING = (
    Measured("even", 2, 2, 2, "local", 10, 10**6, 3, 1.0, 50_119),
    Measured("even", 3, 2, 3, "local", 10, 10**6, 3, 1.0, 125_893),
    Measured("even", 10, 4, 5, "local", 100, 10**6, 2, 1.0, 580_000),
    Measured("even", 3, 2, 3, "blt", 10, 10**5, 3, 1.0, 1_585),
    Measured("even", 3, 2, 3, "blt", 2, 10**5, 3, 1.0, 5_012),
    Measured("even", 3, 2, 3, "blt", 1, 10**5, 3, 1.0, 9_000),
    Measured("even", 10, 4, 5, "blt", 10, 10**5, 3, 1.0, 30_000),
    Measured("even", 10, 4, 5, "blt", 2, 3 * 10**5, 2, 1.0, 117_000),
    Measured("even", 20, 4, 10, "blt", 100, 10**5, 2, 1.0, 63_096),
    Measured("even", 3, 2, 3, "smooth", 10, 10**5, 3, 1.0, 3_162),
    Measured("even", 3, 2, 3, "smooth", 2, 10**5, 3, 1.0, 10_000),
    Measured("even", 10, 4, 5, "smooth", 10, 10**5, 3, 1.0, 56_000),
    Measured("even", 3, 2, 3, "local", 10, 10**6, 3, NARROW, 7_943),
    Measured("even", 3, 2, 3, "blt", 10, 10**5, 4, NARROW, 158),
    Measured("even", 3, 2, 3, "blt", 2, 10**5, 4, NARROW, 631),
    Measured("even", 10, 4, 5, "blt", 10, 5 * 10**4, 4, NARROW, 3_500),
    Measured("even", 10, 4, 5, "blt", 2, 5 * 10**4, 4, NARROW, 14_500),
    Measured("even", 50, 4, 4, "blt", 10, 6 * 10**4, 2, NARROW, 48_000),
    Measured("even", 3, 2, 3, "smooth", 10, 10**5, 4, NARROW, 398),
    Measured("even", 3, 2, 3, "smooth", 2, 10**5, 4, NARROW, 1_585),
    Measured("even", 10, 4, 5, "smooth", 10, 5 * 10**4, 4, NARROW, 6_500),
    Measured("river", 3, 2, 3, "blt", 100, 10**5, 3, 1.0, 1_585),
    Measured("river", 3, 2, 3, "blt", 2, 3 * 10**5, 3, 1.0, 12_589),
    Measured("river", 4, 2, 4, "blt", 10, 3 * 10**5, 3, 1.0, 39_811),
    Measured("river", 4, 2, 4, "blt", 100, 3 * 10**5, 3, 1.0, 15_849),
)
GAPS = (  # the same as rows of MEASURED_SCALING but for the gap, planned for as many users
    Measured("even", 3, 2, 3, "blt", 10, 10**5, 3, 1.0, 1_585, 0.5),
    Measured("even", 3, 2, 3, "blt", 10, 10**5, 3, 1.0, 5_012, 0.2),
    Measured("even", 3, 2, 3, "blt", 10, 10**5, 3, 1.0, 14_000, 0.1),
    Measured("even", 3, 2, 3, "blt", 2, 10**5, 3, 1.0, 6_000, 0.5),
    Measured("even", 3, 2, 3, "blt", 2, 10**5, 3, 1.0, 16_000, 0.2),
    Measured("even", 3, 2, 3, "blt", 2, 10**5, 3, 1.0, 43_000, 0.1),
    Measured("even", 3, 2, 3, "blt", 10, 10**5, 4, NARROW, 316, 0.5),
    Measured("even", 3, 2, 3, "blt", 10, 10**5, 4, NARROW, 631, 0.2),
    Measured("even", 3, 2, 3, "blt", 10, 10**5, 4, NARROW, 1_259, 0.1),
    Measured("even", 3, 2, 3, "blt", 2, 10**5, 4, NARROW, 1_259, 0.5),
    Measured("even", 3, 2, 3, "blt", 2, 10**5, 4, NARROW, 2_512, 0.2),
    Measured("even", 3, 2, 3, "blt", 2, 10**5, 4, NARROW, 7_000, 0.1),
)


def even(states: int, actions: int, horizon: int, gap: float = GAP, seed: int = 0) -> TabularMDP:
    """Every state equally likely next, whatever is done; one action of each step and state, drawn,
    pays 1 with probability ``gap``, the others nothing."""
    S, A, H = count("states", states), count("actions", actions), count("horizon", horizon)
    right = np.random.default_rng(seed).integers(A, size=(H, S))
    return TabularMDP(
        f"even-{S}x{A}-h{H}" + ("" if gap == GAP else f"-gap-{gap:g}"),
        np.full((S, A, S), 1 / S),
        probability("gap", gap, one=True) * np.eye(A)[right],
        np.full(S, 1 / S),
        horizon=H,
    )


def visits(agent: PrivateUCBVI, mdp: TabularMDP, planned: int, gap: float = GAP) -> float:
    """n(K) of the step at which it is least, with ``gap`` n on the right."""
    calibration = instance("agent", agent, PrivateUCBVI).calibrate(mdp, planned)
    gap = positive("gap", gap)
    return min(
        ((factor + math.sqrt(factor**2 + 4 * gap * (gap * calibration.surplus + wide))) / (2 * gap))
        ** 2
        - calibration.surplus
        for wide, factor in zip(calibration.widths, calibration.factors, strict=True)
    )


def unit(agent: PrivateUCBVI, mdp: TabularMDP, planned: int) -> float:
    """H S A n(K)."""
    return mdp.horizon * mdp.states * mdp.actions * visits(agent, mdp, planned)


def needed(agent: PrivateUCBVI, mdp: TabularMDP, factor: float) -> float:
    """The users K of a run that is planned for them and has learnt by its end: K = factor H S A
    n(K); infinite where no run can be planned for so many. (n grows more slowly than K.)"""
    last, users, most = 0.0, 2.0, float(mechanisms.most_releases(agent.counter, width(mdp)))
    if agent.counter == "local" and agent.delta == 0:
        # where the certified quantile of a walk ends
        most = min(most, quantiles.MOST_TERMS // (mdp.states + 1))
    for _ in range(60):
        if abs(users - last) <= 1e-3 * users or users > most:
            break
        last, users = users, factor * unit(agent, mdp, max(2, math.ceil(users)))
    return math.inf if users > most else max(last, users)


def factors(world: str, multiplier: float = 1.0) -> tuple[float, float]:
    """The least and the largest factor that was measured."""
    factors_ = [
        row.factor for row in MEASURED_SCALING if (row.world, row.multiplier) == (world, multiplier)
    ]
    return min(factors_), max(factors_)


def growth() -> dict[float, tuple[float, float]]:
    """By gap the least and the largest number of users over those of the same run with gap 1, all
    widths together."""
    base = {row[:-2]: row.users for row in MEASURED_SCALING}
    ratios: dict[float, list[float]] = {}
    for row in GAPS:
        ratios.setdefault(row.gap, []).append(row.users / base[row[:-2]])
    return {gap: (min(values), max(values)) for gap, values in ratios.items()}


def within(mdp: TabularMDP, epsilon: float) -> tuple[str, bool]:
    """The sizes and epsilons of the even worlds that were measured, in words, and whether these are
    within."""
    sizes = {
        "states": mdp.states,
        "actions": mdp.actions,
        "horizon": mdp.horizon,
        "epsilon": epsilon,
    }
    ranges = {
        name: sorted(
            getattr(row, name)
            for row in MEASURED_SCALING
            if (row.world, row.multiplier) == ("even", 1)
        )
        for name in sizes
    }
    return (
        ", ".join(f"{name} {ends[0]:g} to {ends[-1]:g}" for name, ends in ranges.items()),
        all(ranges[name][0] <= value <= ranges[name][-1] for name, value in sizes.items()),
    )
