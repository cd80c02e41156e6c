r"""vietri2020/theorem-1: at which T actions tell more than epsilon, for each epsilon and H: a count
for every H, beside what is proved for H = 1 and 2.

The adversary of :mod:`~theory.papers.vietri2020.policies_leak.two_steps` with a chain of H steps,
four states at each. At every step h < H the new trajectory adds to x'_h at N a visit, a reward 1
and a move to N, whose value is ``value`` there; at step H a visit and a reward. The old one adds
to x_h at O a reward 1 and a move to O. A look at level k is H + 1 users: the first walks from N to
N and plays y'_h at each step, the others play x_h at O, a user for each h; idle users lead there.

**A count, no proof.** What a look costs more under D' is summed up as in the proof of two steps
(:func:`gain`), and at a finite epsilon what E costs at each look is taken off to the first order
(:func:`price`). The package's planner decides as claimed at the noise that is counted
(:func:`planned`), and no noise of one pair alone is cheaper (:func:`alone`). That none of all pairs
together is, is proved for the events of H = 1 and 2 in the modules beside this one only.
"""

import math
from collections.abc import Mapping
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np

from privrl.agents.tabular.learner import aligned, released_sums
from privrl.agents.tabular.pucb import Confidence, PUCBWidths, plan
from privrl.agents.tabular.records import TabularPlan
from privrl.environments import random_mdp

STATES, ACTIONS = 4, 2
NEW, OLD, LOW, FREE = 0, 1, 2, 3
THETAS = (0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
RIVALS = (0.3, 0.45, 0.6)
LOWS = (0.05, 0.1, 0.15, 0.2)
VALUES = (0.7, 0.85, 1.0)
LAST, STEP = 160, 8


class PrintedNoise(NamedTuple):
    """The base of the printed logarithm, and beta."""

    base: float
    beta: float

    def log(self, number: float) -> float:
        return math.log(number) / math.log(self.base)


NATURAL, TWO = PrintedNoise(math.e, 0.1), PrintedNoise(2.0, 0.1)


class ChainAdversary(NamedTuple):
    """All numbers of the construction; T = 2^last + H + 1, t = 2^first, H >= 2."""

    horizon: int
    last: int  #: M
    first: int  #: m
    value: float  #: of N and O from the second step on
    known: int  #: visits of y_1 at O
    competitor: int  #: visits of y'_1 at N
    settled: int  #: visits of y'_h and y_h, h >= 2
    low: int  #: visits of each action at Z
    beta: float

    @property
    def logarithm(self) -> float:
        """lambda = 2 ln(T/beta')."""
        return 2 * (math.log(self.planned) + math.log(4 / self.beta))

    @property
    def planned(self) -> float:
        """T."""
        return 2.0**self.last + self.horizon + 1

    @property
    def looks(self) -> int:
        """L = M - m + 1."""
        return self.last - self.first + 1

    def bonus(self, n: float) -> float:
        """c(n) = (H + 1) sqrt(lambda/n), the limit of conf~."""
        return (self.horizon + 1) * math.sqrt(self.logarithm / max(n, 1.0))

    @property
    def bottom(self) -> float:
        """The value of Z, 0 after step H."""
        return self.bonus(self.low)

    @property
    def rival(self) -> float:
        """At most the value of y'_1, all looks included."""
        return self.bonus(self.competitor) + self.bottom + (self.looks + 1) / self.competitor

    def rare(self, step: int) -> int:
        """n_h, visits of x'_h: as many as c(n_h + 1) >= 1 + the value of y'_h allows, less 1."""
        bound = 1 + (self.rival if step == 1 else self.value)
        return math.floor((self.horizon + 1) ** 2 * self.logarithm / bound**2) - 2

    def below(self, step: int) -> float:
        """The value of Z at the next step."""
        return self.bottom if step < self.horizon else 0.0

    def units(self, step: int) -> float:
        """What a reward 1 and a move to O add to the sum of x_h, beside a move to Z."""
        return 1.0 + (self.value - self.bottom if step < self.horizon else 0.0)

    def edge(self, step: int, n: float) -> float:
        """G_h(n): what x_h needs beyond moves to Z for a tie with y_h at n visits."""
        tie = self.bonus(self.known) if step == 1 else self.value - self.below(step)
        return n * (tie - self.bonus(n))

    def fresh(self, step: int) -> int:
        """Visits of x_h before user t: the least n with G_h(n + 1) >= :meth:`units`."""
        tie = self.bonus(self.known) if step == 1 else self.value - self.below(step)
        wide = (self.horizon + 1) * math.sqrt(self.logarithm)
        root = (wide + math.sqrt(wide**2 + 4 * tie * self.units(step))) / (2 * tie)
        return math.ceil(root**2) - 1

    def deficit(self, step: int, look: int) -> float:
        """By how much x_h falls short of a tie with y_h under D'."""
        n = self.fresh(step) + look
        return self.units(step) - (self.edge(step, n + 1) - self.edge(step, n))


def conditions(adversary: ChainAdversary) -> dict[str, bool]:
    """What the proof of two steps asks, for each step."""
    steps = range(1, adversary.horizon + 1)
    rare = [adversary.rare(step) for step in steps]
    wide = (adversary.horizon + 1) ** 2 * adversary.logarithm
    spread = wide / (4 * adversary.rival) + max(rare)
    return {
        "the first half has room at every step": room(adversary) <= 2 ** (adversary.first - 1),
        "values below 1": (
            max(adversary.bottom, adversary.rival, adversary.bonus(adversary.known)) < 1
            and adversary.bonus(adversary.known) + adversary.bottom < 1
            and adversary.bonus(adversary.settled) + adversary.bottom < adversary.value
        ),
        "y'_1 is far from 1": (
            adversary.competitor * (1 - adversary.rival) >= rare[0] + 4
            and rare[0] + 1 <= adversary.competitor
        ),
        "values of later steps are dear": (
            min(adversary.settled, adversary.low) >= 8 * (adversary.competitor + spread)
        ),
        "y'_h is far from 1.2": adversary.settled >= 40 * (max(rare[1:]) + 2),
        "y_1 is far from the cap": (
            adversary.known * (1 - adversary.bonus(adversary.known) - adversary.bottom) >= 8
        ),
        "deficits are positive": all(
            adversary.deficit(step, look) > 0 for step in steps for look in (0, adversary.looks - 1)
        ),
    }


def gain(adversary: ChainAdversary) -> float:
    """Units of noise that the event costs more under D', counted.

    A look gains 2 + V(N) at step h < H and 2 at step H; user t of D' may play y'_h instead, at the
    cost of n_h/H (n_H at step H). The old trajectory gains its deficits at each look, less what
    user t pays under D; 0.02 a step and look for what is small.
    """
    total, looks, last = 0.0, adversary.looks, adversary.horizon
    for step in range(1, last + 1):
        told = 2.0 + (adversary.value if step < last else 0.0)
        elsewhere = adversary.rare(step) / (last if step < last else 1)
        total += min((told - 0.02) * looks, elsewhere)
        n = adversary.fresh(step) + looks + 4
        spared = 0.99 * (min(1.0, (adversary.known - 3) / n) if step == 1 else 1.0)
        total += looks * spared * adversary.deficit(step, looks - 1)
        total -= adversary.deficit(step, 0)
    return total


def price(horizon: int, levels: tuple[int, int], epsilon: float, private: PrintedNoise) -> float:
    """What E costs over all looks of ``levels`` = (M, m), in units of the loss and to the first
    order: at each step the sum of x'_h has to follow a bonus at 2E, and y'_h may be raised by what
    E hides (steps 1 and 3 of "At which epsilon"); inf where E is not small against one user."""
    log = private.log(2.0 ** levels[0] + horizon + 1)
    counters = 2 * STATES * ACTIONS * horizon + STATES**2 * ACTIONS * horizon
    kappa = private.log(4 * counters / private.beta) * log**1.5
    width = kappa * 3 * horizon * log / epsilon
    if 2 * width >= 0.5:
        return math.inf
    logarithm = 2 * math.log(4 * (2.0 ** levels[0] + horizon + 1) / private.beta)
    wide = (horizon + 1) * math.sqrt(logarithm)
    states = 1 + STATES * horizon
    down = (wide + 2 * states) * (2 * kappa + 1)
    saved = kappa * (wide * (1 + width) + 4 * states)
    return float((levels[0] - levels[1] + 1) * horizon * (down + saved))


def share(adversary: ChainAdversary, epsilon: float, private: PrintedNoise) -> float:
    """loss/epsilon, counted: gain/(3 H log T), less the price over epsilon."""
    limit = gain(adversary) / (3 * adversary.horizon * private.log(adversary.planned))
    if epsilon == math.inf:
        return limit
    levels = (adversary.last, adversary.first)
    return limit - price(adversary.horizon, levels, epsilon, private) / epsilon


def build(
    horizon: int, levels: tuple[int, int], shape: tuple[float, ...], beta: float
) -> ChainAdversary:
    """The adversary of ``levels`` = (M, m) and ``shape`` = (c of y_1, c of y'_1, value of Z, value
    of N and O); the rest follows."""
    theta, rival, low, value = shape
    adversary = ChainAdversary(horizon, *levels, value, 1, 1, 1, 1, beta)
    wide = (horizon + 1) ** 2 * adversary.logarithm
    adversary = adversary._replace(
        known=math.ceil(wide / theta**2),
        competitor=math.ceil(wide / rival**2),
        low=math.ceil(wide / low**2),
    )
    spread = wide / (4 * adversary.rival) + max(adversary.rare(1), adversary.rare(2))
    dear = math.ceil(8 * (adversary.competitor + spread)) + 1
    settled = max(dear, 40 * (adversary.rare(2) + 2), math.ceil(4 * wide / value**2))
    return adversary._replace(settled=settled, low=max(adversary.low, dear))


def room(adversary: ChainAdversary) -> int:
    """Visits at the step that needs most, 2^(m - 1) at most."""
    steps = range(2, adversary.horizon + 1)
    later = max(adversary.rare(step) + adversary.fresh(step) for step in steps)
    start = adversary.known + adversary.competitor + adversary.rare(1) + adversary.fresh(1)
    return max(start, later + 2 * adversary.settled + 4 * adversary.low)


def candidates(horizon: int, last: int, beta: float) -> list[ChainAdversary]:
    """The adversaries of T = 2^last + H + 1 that meet all conditions, the smallest t for each
    shape."""
    every = []
    for shape in product(THETAS, RIVALS, LOWS, VALUES):
        first = min(last, 20)
        for _ in range(2):
            adversary = build(horizon, (last, first), shape, beta)
            first = min(last, (room(adversary) - 1).bit_length() + 1)
        adversary = build(horizon, (last, first), shape, beta)
        if all(conditions(adversary).values()):
            every.append(adversary)
    return every


@cache
def shortest(
    horizon: int, epsilon: float, private: PrintedNoise = NATURAL
) -> ChainAdversary | None:
    """The adversary with the smallest T found whose share exceeds 1, None up to 2^LAST."""

    def best(last: int) -> ChainAdversary | None:
        log = private.log(2.0**last + horizon + 1)
        look = (5 * horizon - 2) / (3 * horizon * log)  # at most what one gains
        if epsilon < math.inf:
            look -= price(horizon, (last, last), epsilon, private) / epsilon
        if last * look <= 1:
            return None
        every = candidates(horizon, last, private.beta)
        if not every:
            return None
        adversary = max(every, key=lambda case: share(case, epsilon, private))
        return adversary if share(adversary, epsilon, private) > 1 else None

    coarse = next((last for last in range(24, LAST + 1, STEP) if best(last)), None)
    if coarse is None:
        return None
    return next(filter(None, map(best, range(coarse - STEP + 1, coarse + 1))))


Policies = tuple[tuple[int, ...], tuple[int, ...]]
TINY = 1e-6


class Pair(NamedTuple):
    """The released counters of a pair: visits, rewards, and moves by next state."""

    visits: float
    rewards: float
    moves: Mapping[int, float]


def new_pair(adversary: ChainAdversary, step: int, primed: bool, units: float | None) -> Pair:
    """x'_h, with noise: its visits down to nearly 0, and of what user t of D' told and of moves to
    Z so much taken back that ``units`` of the former are gone. None: without noise."""
    add, rare = int(primed), adversary.rare(step)
    moves = {LOW: rare, NEW: add}
    if units is None:
        return Pair(rare + add, add, moves)
    told = add * (1 + (adversary.value if step < adversary.horizon else 0))
    fall = adversary.below(step) * rare + units * told + 2 * TINY * adversary.bonus(1)
    return Pair(TINY, add - fall, moves)


def old_pair(
    adversary: ChainAdversary, step: int, primed: bool, look: int, units: float | None
) -> Pair:
    """x_h: under D a tie with y_h, under D' short of it by the deficit, of which ``units`` are
    added as noise."""
    fresh = adversary.fresh(step) + look
    total = adversary.edge(step, fresh + 1) - adversary.units(step)
    if units is not None:
        total += TINY + units * int(primed) * adversary.deficit(step, look)
    if primed:
        return Pair(fresh, total, {LOW: fresh})
    return Pair(fresh + 1, total + 1, {LOW: fresh, OLD: 1})


def masks(
    adversary: ChainAdversary, primed: bool, units: float | None = None, look: int = 0
) -> Policies:
    """The greedy sets at N and at O of every step by the package's PrivQ, at E of epsilon = 1e18
    (natural logarithm), for the counts of D or of D' (``primed``); 1 is x alone, 2 is y alone."""
    horizon, pairs = adversary.horizon, STATES * ACTIONS
    every = aligned(horizon * pairs * (2 + STATES))
    arrays = released_sums(every, random_mdp(STATES, ACTIONS, horizon, 0))
    log = math.log(adversary.planned)
    width = 3e-18 * horizon * math.log(4 * every.size / adversary.beta) * log**2.5
    settled = adversary.settled + look
    sure = settled * (adversary.value - adversary.bonus(settled))
    for step in range(1, horizon + 1):
        below, first = adversary.below(step), step == 1
        rivals, known = adversary.competitor + look, adversary.known
        released = {
            (NEW, 0): new_pair(adversary, step, primed, units),
            (OLD, 0): old_pair(adversary, step, primed, look, units),
            (NEW, 1): Pair(rivals, 0.0, {LOW: rivals})
            if first
            else Pair(settled, sure - below * settled, {LOW: settled}),
            (OLD, 1): Pair(known, 0.0, {LOW: known})
            if first
            else Pair(settled, sure - below * settled, {LOW: settled}),
        }
        for action in range(ACTIONS):
            released[LOW, action] = released[FREE, action] = Pair(adversary.low, 0.0, {})
        for (state, action), pair in released.items():
            at = state * ACTIONS + action
            arrays.visits[step - 1, at], arrays.rewards[step - 1, at] = pair[:2]
            for after, moved in pair.moves.items():
                arrays.successors[step - 1, after, at] = moved
    out = TabularPlan(
        np.zeros((horizon, pairs)),
        np.zeros((horizon + 1, STATES)),
        np.zeros((horizon, STATES), dtype=np.int64),
    )
    confidence = Confidence(aligned(horizon * pairs), aligned(horizon * pairs))
    plan(arrays, PUCBWidths(width, adversary.logarithm), confidence, out)
    return tuple(out.greedy[:, NEW].tolist()), tuple(out.greedy[:, OLD].tolist())


def planned(adversary: ChainAdversary) -> bool:
    """Whether the planner decides as counted at the first and the last look: x' without noise, the
    event under D with the visits of x'_h alone, at no step under D' with that noise or with 0.98 of
    the units besides, and under D' with all of them."""
    calm, event = (1,) * adversary.horizon, (2,) * adversary.horizon
    for look in (0, adversary.looks - 1):
        if any(masks(adversary, primed, None, look)[0] != calm for primed in (False, True)):
            return False
        if masks(adversary, primed=False, units=0.0, look=look) != (event, calm):
            return False
        less, all_of_it = (
            [masks(adversary, primed=True, units=units, look=look) for units in some]
            for some in ((0.0, 0.98), (1.0,))
        )
        if less != [(calm, event)] * 2 or all_of_it != [(event, calm)]:
            return False
    return True


def cheapest(adversary: ChainAdversary, step: int, primed: bool) -> float:
    """The least noise of x'_h alone with which y'_h is played, by a grid of its visits, when all
    other values are what they are in the event."""
    add, rare = int(primed), adversary.rare(step)
    total = add * (1 + (adversary.value if step < adversary.horizon else 0))
    total += adversary.below(step) * rare
    value = adversary.value
    if step == 1:
        value = adversary.bonus(adversary.competitor) + adversary.bottom
    visits = np.concatenate([[TINY], np.linspace(0.1, rare + 1, 500), np.geomspace(1, 1e7, 2000)])
    bonus = (adversary.horizon + 1) * np.sqrt(adversary.logarithm / np.maximum(visits, 1))
    fall = np.maximum(0, total - visits * (value - bonus))
    return float((np.abs(rare + add - visits) + fall).min())


def alone(adversary: ChainAdversary, slack: float = 1e-2) -> bool:
    """Whether :func:`cheapest` is n_h + V(Z) n_h under D, and larger by what a look gains of D'."""
    for step in range(1, adversary.horizon + 1):
        told = 2 + (adversary.value if step < adversary.horizon else 0)
        least = adversary.rare(step) * (1 + adversary.below(step))
        for primed, cost in ((False, least), (True, least + told)):
            if abs(cheapest(adversary, step, primed) - cost) > slack:
                return False
    return True
