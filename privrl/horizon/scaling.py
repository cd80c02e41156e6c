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
How many users that takes was measured in one world (``GAPS``): there it is 0.27 to 0.32 times H S A
n_g, less than half of the largest factor at gap 1. So the largest factor times H S A n_g is taken
as what is enough, for gaps within ``GAPS``. Where states come up unequally often, but each with a
probability of ``share`` / S or more whatever is done, as many visits of the rarest take 1 / share
times the users at most. Both were tried on worlds that were held back
(:mod:`privrl.horizon.held_back`).
"""

import math
from typing import NamedTuple

import numpy as np

from privrl.agents.tabular.private_ucbvi import PrivateUCBVI, width
from privrl.checks import count, instance, positive, probability
from privrl.environments import SparseMDP, riverswim
from privrl.privacy import quantiles
from privrl.privacy.counters import mechanisms
from privrl.run import measure, simulate
from privrl.types import TabularMDP

DELTA = 1e-6  # of all that was measured, and of every answer that was tried
GAP = 1.0  # what a wrong action costs in the even worlds, wherever it is played
#: times the most that was measured: from there on "enough", tried on worlds that were held back
#: (:mod:`privrl.horizon.held_back`)
SAFE = 1.5
LEAST_GAP = 0.1  # that was measured, and for which "enough" was tried
LEAST_SHARE = 0.5  # how often a state comes up, over 1 / S, in the worlds in which it was
NARROW = 0.05  # a multiplier of the widths with which no run in an even world failed to learn


class Measured(NamedTuple):
    """Users before private UCBVI (tight, delta = 1e-6, seed 0) had learnt, by
    :mod:`privrl.run.measure`; ``multiplier`` of the confidence widths."""

    world: str
    states: int
    actions: int
    horizon: int
    counter: str
    epsilon: float
    planned: int
    users: float  #: the median over replicates
    low: float  #: and its 95 % interval
    high: float
    multiplier: float = 1.0
    gap: float = GAP  #: of an even world
    last: int | None = None  #: users that were played; all by default
    replicates: int = 8

    @property
    def setting(self) -> tuple[object, ...]:
        """All that was run but the gap."""
        sizes = self.states, self.actions, self.horizon
        return (self.world, *sizes, self.counter, self.epsilon, self.planned, self.multiplier)

    @property
    def mdp(self) -> TabularMDP:
        """The world."""
        sizes = self.states, self.actions, self.horizon
        return (
            even(*sizes, self.gap)
            if self.world == "even"
            else riverswim(sizes[0], sizes[2], relabelled=True)
        )

    def measure(self) -> measure.Users:
        """The users, measured again."""
        agent = PrivateUCBVI(self.epsilon, DELTA, counter=self.counter, multiplier=self.multiplier)
        return _measured(self.mdp, agent, self.planned, self.last, 0, self.replicates)

    @property
    def factor(self) -> float:
        """Users over H S A n(K), with n of the proved widths."""
        return self.users / unit(
            PrivateUCBVI(self.epsilon, DELTA, counter=self.counter), self.mdp, self.planned
        )


def _measured(
    mdp: TabularMDP,
    agent: PrivateUCBVI,
    planned: int,
    last: int | None,
    seed: int,
    replicates: int,
) -> measure.Users:
    """Users before it has learnt."""
    marks = measure.marks(planned)
    marks = marks[marks <= (planned if last is None else last)]
    regret = [
        simulate.replicate(mdp, agent, planned, last, seed, index, marks=marks)
        for index in range(replicates)
    ]
    lost = measure.reference(mdp, agent.name)
    return measure.Users(measure.first_users(marks, np.array(regret), lost), measure.STEP)


# left out, as they take minutes: (20, 4, 10), and (10, 4, 5) at epsilon 2, over smooth and over
# local. With the widths as proved, (50, 4, 4) over blt at epsilon 100 had not learnt from 60,000:
# above 0.78
MEASURED_SCALING = (
    Measured("even", 2, 2, 2, "local", 10, 10**6, 44_966, 39_163.29, 49_304.05),
    Measured("even", 3, 2, 3, "local", 10, 10**6, 118_270, 107_863.55, 135_791.63),
    Measured("even", 3, 2, 3, "blt", 10, 10**5, 1_525, 1_358.95, 1_633.52),
    Measured("even", 3, 2, 3, "blt", 2, 10**5, 4_931, 4_497.06, 5_406.32),
    Measured("even", 3, 2, 3, "blt", 1, 10**5, 8_972, 7_814.70, 10_301.65),
    Measured(
        "even", 10, 4, 5, "blt", 10, 10**5, 32_575, 31_108.88, 34_110.21, last=50_119, replicates=6
    ),
    Measured("even", 3, 2, 3, "smooth", 10, 10**5, 2_838, 2_588.03, 3_111.02),
    Measured("even", 3, 2, 3, "smooth", 2, 10**5, 10_070, 8_972.16, 11_295.38),
    Measured("even", 4, 2, 10, "blt", 100, 10**5, 3_741, 3_572.63, 4_101.60, last=30_200),
    Measured(
        "even", 20, 2, 3, "blt", 100, 10**5, 5_795, 5_407.17, 6_207.38, last=20_893, replicates=6
    ),
    Measured("even", 3, 2, 3, "local", 10, 10**6, 5_795, 4_497.06, 8_568.65, multiplier=NARROW),
    Measured("even", 3, 2, 3, "blt", 10, 10**5, 109, 60.16, 164.40, multiplier=NARROW),
    Measured("even", 3, 2, 3, "blt", 2, 10**5, 580.5, 375.31, 714.14, multiplier=NARROW),
    Measured(
        "even",
        10,
        4,
        5,
        "blt",
        10,
        5 * 10**4,
        3_184.5,
        2_837.28,
        3_572.80,
        multiplier=NARROW,
        last=10_000,
        replicates=6,
    ),
    Measured(
        "even",
        10,
        4,
        5,
        "blt",
        2,
        5 * 10**4,
        13_900,
        12_385.30,
        15_591.74,
        multiplier=NARROW,
        last=25_119,
        replicates=6,
    ),
    Measured("even", 3, 2, 3, "smooth", 10, 10**5, 284, 206.28, 450.27, multiplier=NARROW),
    Measured("even", 3, 2, 3, "smooth", 2, 10**5, 1_184.5, 939.71, 1_358.13, multiplier=NARROW),
    Measured(
        "even",
        10,
        4,
        5,
        "smooth",
        10,
        5 * 10**4,
        6_807,
        6_500.63,
        7_462.89,
        multiplier=NARROW,
        last=15_136,
        replicates=6,
    ),
    Measured(
        "even",
        30,
        2,
        3,
        "blt",
        10,
        5 * 10**4,
        5_163,
        4_930.63,
        5_928.84,
        multiplier=NARROW,
        last=20_893,
        replicates=6,
    ),
    Measured(
        "even", 50, 4, 4, "blt", 10, 6 * 10**4, 44_966, 42_942.20, 47_085.18, multiplier=NARROW
    ),
    Measured("river", 3, 2, 3, "blt", 100, 10**5, 984, 819.38, 1_129.85),
    Measured("river", 3, 2, 3, "blt", 2, 3 * 10**5, 12_969, 11_295.65, 15_591.74),
    Measured("river", 4, 2, 4, "blt", 10, 3 * 10**5, 24_711, 19_628.92, 35_717.55),
    Measured("river", 4, 2, 4, "blt", 100, 3 * 10**5, 9_183.5, 7_463.27, 10_787.52),
)
GAPS = (  # the same as rows of MEASURED_SCALING but for the gap, planned for as many users
    Measured("even", 3, 2, 3, "blt", 10, 10**5, 1_490, 1_358.95, 1_633.52, gap=0.5),
    Measured("even", 3, 2, 3, "blt", 10, 10**5, 4_396, 3_572.63, 5_163.39, gap=0.2),
    Measured("even", 3, 2, 3, "blt", 10, 10**5, 9_848.5, 7_814.70, 11_827.32, gap=0.1),
    Measured("even", 3, 2, 3, "blt", 2, 10**5, 5_047, 4_709.07, 5_661.82, gap=0.5),
    Measured("even", 3, 2, 3, "blt", 2, 10**5, 14_235, 10_786.64, 17_095.42, gap=0.2),
    Measured("even", 3, 2, 3, "blt", 2, 10**5, 30_409, 23_598.82, 35_717.55, gap=0.1),
    Measured("even", 3, 2, 3, "blt", 10, 10**5, 248, 179.54, 312.04, multiplier=NARROW, gap=0.5),
    Measured("even", 3, 2, 3, "blt", 10, 10**5, 569.5, 326.61, 857.60, multiplier=NARROW, gap=0.2),
    Measured(
        "even", 3, 2, 3, "blt", 10, 10**5, 1_131, 651.30, 1_490.06, multiplier=NARROW, gap=0.1
    ),
    Measured("even", 3, 2, 3, "blt", 2, 10**5, 840, 651.30, 1_238.75, multiplier=NARROW, gap=0.5),
    Measured(
        "even", 3, 2, 3, "blt", 2, 10**5, 2_153, 1_238.63, 2_971.75, multiplier=NARROW, gap=0.2
    ),
    Measured(
        "even", 3, 2, 3, "blt", 2, 10**5, 4_516.5, 2_710.27, 6_806.34, multiplier=NARROW, gap=0.1
    ),
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


def visits(
    agent: PrivateUCBVI, mdp: TabularMDP | SparseMDP, planned: int, gap: float = GAP
) -> float:
    """n(K) of the step at which it is least, with ``gap`` n on the right."""
    calibration = instance("agent", agent, PrivateUCBVI).calibrate(mdp, planned)
    gap = positive("gap", gap)
    return min(
        ((factor + math.sqrt(factor**2 + 4 * gap * (gap * calibration.surplus + wide))) / (2 * gap))
        ** 2
        - calibration.surplus
        for wide, factor in zip(calibration.widths, calibration.factors, strict=True)
    )


def unit(agent: PrivateUCBVI, mdp: TabularMDP, planned: int, gap: float = GAP) -> float:
    """H S A n(K)."""
    return mdp.horizon * mdp.states * mdp.actions * visits(agent, mdp, planned, gap)


def needed(agent: PrivateUCBVI, mdp: TabularMDP, factor: float, gap: float = GAP) -> float:
    """The users K of a run that is planned for them and has learnt by its end: K = factor H S A
    n(K); infinite where no run can be planned for so many. (n grows more slowly than K.)"""
    last, users, most = 0.0, 2.0, float(mechanisms.most_releases(agent.counter, width(mdp)))
    if agent.counter == "local" and agent.delta == 0:
        # where the certified quantile of a walk ends
        most = min(most, quantiles.MOST_TERMS // (mdp.states + 1))
    for _ in range(60):
        if abs(users - last) <= 1e-3 * users or users > most:
            break
        last, users = users, factor * unit(agent, mdp, max(2, math.ceil(users)), gap)
    return math.inf if users > most else max(last, users)


def until_learnt(
    agent: PrivateUCBVI, mdp: TabularMDP, planned: int, factor: float, gap: float = GAP
) -> float:
    """Users before a run planned for ``planned`` has learnt: factor H S A n(planned); where these
    are more than were planned, of a run that is planned for as many as it takes. A multiple of the
    users to a plan: before the first one only a plan without data acts."""
    users = factor * unit(agent, mdp, planned, gap)
    if users > planned:  # then so is this, as n grows more slowly than K
        users = needed(agent, mdp, factor, gap)
    return users if math.isinf(users) else float(math.ceil(users / agent.every) * agent.every)


def factors(world: str, multiplier: float = 1.0) -> tuple[float, float]:
    """The least and the largest factor that was measured."""
    factors_ = [
        row.factor for row in MEASURED_SCALING if (row.world, row.multiplier) == (world, multiplier)
    ]
    return min(factors_), max(factors_)


def growth() -> dict[float, tuple[float, float]]:
    """By gap the least and the largest number of users over those of the same run with gap 1, all
    widths together."""
    base = {row.setting: row.users for row in MEASURED_SCALING}
    ratios: dict[float, list[float]] = {}
    for row in GAPS:
        ratios.setdefault(row.gap, []).append(row.users / base[row.setting])
    return {gap: (min(values), max(values)) for gap, values in ratios.items()}


def share(mdp: TabularMDP) -> float:
    """How often the rarest state comes up at least, at every step and whatever is done, over 1 / S;
    at most 1."""
    least = min(float(mdp.transitions.min()), float(mdp.initial.min()))
    if least * mdp.states < LEAST_SHARE:  # which a state that cannot follow some other one is
        least = _rarest(mdp)
    ratio = least * mdp.states
    return 1.0 if ratio > 1 - 1e-9 else ratio


def _rarest(mdp: TabularMDP) -> float:
    """A bound of the probability of every state at every step, step by step; met where the action
    does not decide what follows."""
    reached = mdp.initial
    least = float(reached.min())
    for transitions in mdp.transitions[:-1]:
        reached = reached @ transitions.min(axis=1)
        least = min(least, float(reached.min()))
    return least


def within(mdp: TabularMDP, epsilon: float) -> tuple[str, list[str]]:
    """The sizes and epsilons of the even worlds that were measured, in words, and which of these
    are outside."""
    asked = {
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
        for name in asked
    }
    return (
        ", ".join(f"{name} {ends[0]:g} to {ends[-1]:g}" for name, ends in ranges.items()),
        [name for name, value in asked.items() if not ranges[name][0] <= value <= ranges[name][-1]],
    )
