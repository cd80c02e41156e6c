r"""vietri2020/theorem-1: from which epsilon on the adversary of
:mod:`~theory.papers.vietri2020.policies_leak.long` tells more than epsilon, ties broken in any way
(natural logarithm, H = 1).

There epsilon tends to infinity; here both probabilities of the event, given the past, are bounded
in closed form at one epsilon, in balls. The proof stands in proofs.md ("At which epsilon"). All
rewards of x are set with the bonus that the algorithm uses at this epsilon, so that x ties with y
under D.
"""

import math
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from flint import arb

from theory.claim import Basis, Records, Rigor, Trial, Witness
from theory.formulas import downwards, upwards
from theory.papers.vietri2020.bonus import confidence
from theory.papers.vietri2020.policies_leak import long
from theory.papers.vietri2020.policies_leak.long import STATES, LongAdversary
from theory.papers.vietri2020.policies_leak.short import (
    ACTIONS,
    LeakSizes,
    Numbers,
    greedy,
    numbers,
)
from theory.rigor.balls import precision

BITS = 192
COUNTERS = 2 * STATES * ACTIONS + STATES**2 * ACTIONS
LASTS = tuple(range(52, 200, 2))
SEARCHED = 64  # the last power of 2 at one epsilon


def sizes(adversary: LongAdversary, epsilon: float) -> LeakSizes:
    """b, E and lambda of T = 2^last + 2 at this epsilon, as balls."""
    log = (arb(2) ** adversary.last + 2).log()
    prime = arb(adversary.beta) / 4
    scale = 3 * log / arb(epsilon)
    width = scale * (COUNTERS / prime).log() * log ** arb("1.5")
    return LeakSizes(scale, width, 2 * (log - prime.log()))


def bonus(n: float, size: LeakSizes) -> arb:
    """conf~(n) at n >= 2E, H = 1."""
    phi = (size.logarithm / (arb(n) - size.width).max(arb(1))).sqrt()
    ball: arb = confidence(STATES, 1, phi, size.width / n)
    return ball


class OldTrajectory(NamedTuple):
    """x of state 1 against y, which has ``known`` visits and the value ``theta``."""

    fresh: int  #: visits of x before user t
    totals: tuple[arb, ...]  #: reward sums of x under D' before each look
    deficits: tuple[arb, ...]  #: what they fall short of a tie under D'
    theta: arb


def edge(n: int, theta: arb, size: LeakSizes) -> arb:
    """G(n) = n (theta - conf~(n)): the reward sum at which n visits tie with y."""
    return n * (theta - bonus(n, size))


def old_trajectory(adversary: LongAdversary, size: LeakSizes) -> OldTrajectory:
    """The rewards that tie x with y under D at every look."""
    theta = bonus(adversary.known, size)
    fresh = adversary.known
    while not edge(fresh + 1, theta, size) > 1:
        fresh += 1
    edges = [edge(fresh + j, theta, size) for j in range(adversary.looks + 1)]
    return OldTrajectory(
        fresh,
        tuple(value - 1 for value in edges[1:]),
        tuple(low - high + 1 for low, high in pairwise(edges)),
        theta,
    )


def conditions(adversary: LongAdversary, epsilon: float) -> dict[str, bool]:
    """What the proof asks besides :func:`long.conditions`, each by its name."""
    size = sizes(adversary, epsilon)
    old, (b, width, _) = old_trajectory(adversary, size), size
    known, steps = adversary.known, [1 - deficit for deficit in old.deficits]
    visits = known + old.fresh + adversary.competitor + adversary.rare
    return {
        "the first half has room": visits <= 2 ** (adversary.first - 1),
        "noise is small": bool(8 * adversary.first * b < 1) and bool(2 * width < arb("0.5")),
        "rewards are in [0, 1]": (
            bool(old.totals[0] >= 0)
            and bool(old.totals[0] <= old.fresh)
            and all(bool(step >= 0) and bool(step <= 1) for step in steps)
        ),
        "deficits are in [0, 1]": all(0 < deficit <= 1 for deficit in old.deficits),
        "y is far from the cap": bool(known * (1 - old.theta) >= 3),
        "y moves little": bool(
            bonus(known - 1, size) + arb(1) / (known - 1) <= 1 - width - arb("0.01")
        ),
    }


def gamma_tail(beyond: arb, noises: int) -> arb:
    """ln P(|Z_1| + .. + |Z_k| >= u) for ``noises`` Laplace variables of scale 1."""
    total, term = arb(1), arb(1)
    for i in range(1, noises):
        term *= beyond / i
        total += term
    return total.log() - beyond


class LogMasses(NamedTuple):
    """Logarithms of the event's probability given the past."""

    least: arb  #: under D, at least
    most: arb  #: under D', at most

    @property
    def loss(self) -> arb:
        return self.least - self.most


def masses(adversary: LongAdversary, epsilon: float) -> LogMasses:
    """Both bounds, all looks and user t's own action included."""
    with precision(BITS):
        size = sizes(adversary, epsilon)
        b, width, lam = size
        old, looks, nodes = old_trajectory(adversary, size), adversary.looks, adversary.first
        kappa, root, half = width / b, lam.sqrt(), arb(2).log()
        within = (1 - (-arb(1)).exp()).log()  # |Z| <= 1
        # the new trajectory: visits of x' brought to 2E, the sum as far as its bonus asks
        steep = 2 * root + 2 * (1 + STATES)
        down = (adversary.rare - width * 2) / b
        under_d = ((arb(1).exp() - 1) / 2).log() - down - steep * (2 * kappa + 1) - 2 * half
        saved = width * (2 * root * (1 + width) + 4 * (1 + STATES))  # what E can save at y'
        others = gamma_tail((adversary.rare + 2 - saved) / b, 4)
        untouched = gamma_tail((adversary.rare - saved) / b, 4)
        elsewhere = gamma_tail((adversary.rare - saved) / b, 4 * nodes)
        least, most = looks * under_d, looks * others
        second = elsewhere + looks * untouched  # user t of D' played y'
        most = most + (1 + (second - most).exp()).log()
        # the old trajectory
        for j, deficit in enumerate(old.deficits):
            ratio = max(1.01, (old.fresh + j + 3) / (adversary.known - 1))
            least += -half - 8 * ratio + 7 * within
            most += gamma_tail(deficit / (arb(ratio) * b), 8)
        ratio = max(1.01, (old.fresh + 3) / (adversary.known - 1))
        least += -half - old.deficits[0] / b - 4 * nodes * ratio + (4 * nodes - 1) * within
        return LogMasses(least, most)


def exceeds(adversary: LongAdversary, epsilon: float) -> bool:
    """Whether the event tells more than epsilon, with all conditions of the proof."""
    return (
        all(long.conditions(adversary).values())
        and all(conditions(adversary, epsilon).values())
        and bool(masses(adversary, epsilon).loss > epsilon)
    )


@cache
def candidates(last: int, beta: float) -> tuple[LongAdversary, ...]:
    """Adversaries of T = 2^last + 2 that meet the conditions of the limit."""
    return tuple(
        adversary
        for first in range(10, last // 2)
        for adversary in long.on_the_grid(last, first, beta)
    )


def smallest_epsilon(adversary: LongAdversary) -> float:
    """The smallest epsilon of one digit at which :func:`exceeds`, inf if none below 1e12."""
    for exponent in range(4, 12):
        for digit in range(1, 10):
            if exceeds(adversary, digit * 10.0**exponent):
                return digit * 10.0**exponent
    return math.inf


@cache
def shortest(epsilon: float, beta: float) -> LongAdversary | None:
    """The adversary with the smallest T found that exceeds this epsilon, None up to
    2^SEARCHED."""
    for last in range(long.shortest(beta).last, SEARCHED + 1):
        every = candidates(last, beta)
        if not every:
            continue
        adversary = max(every, key=lambda case: (long.share(case) - 1) / case.looks)
        if exceeds(adversary, epsilon):
            return adversary
    return None


@cache
def first_seen(beta: float) -> tuple[tuple[LongAdversary, float], ...]:
    """(adversary, smallest epsilon found) of T = 2^50 + 2, the smallest, and of the T that needs
    the least epsilon."""
    least = long.shortest(beta)
    pairs = [(least, smallest_epsilon(least))]
    for last in LASTS:
        adversaries = candidates(last, beta)
        if not adversaries:
            continue
        adversary = max(adversaries, key=lambda a: (long.share(a) - 1) / a.looks)
        pairs.append((adversary, smallest_epsilon(adversary)))
        if pairs[-1][1] > 2 * min(epsilon for _, epsilon in pairs):
            break
    return pairs[0], min(pairs[1:], key=lambda pair: pair[1])


def _masks(
    number: Numbers, adversary: LongAdversary, old: tuple[float, float], new: tuple[float, ...]
) -> tuple[int, int]:
    """The greedy sets of the first two states: 1 is x or x' alone, 2 is y or y' alone. ``new`` has
    visits and sums of x' and of y'."""
    pairs = STATES * ACTIONS
    released = np.zeros(2 * pairs + STATES * pairs)
    released[:4] = old[0], adversary.known, new[0], new[2]
    released[pairs : pairs + 4] = old[1], 0.0, new[1], new[3]
    chosen = greedy(released, number, STATES)
    return chosen[0], chosen[1]


def planned(adversary: LongAdversary, epsilon: float) -> bool:
    """Whether the package's PrivQ decides as the proof says at every look: the event under D at the
    noise of :func:`masses`, not under D' at the same noise, and again with two units and the
    deficit more."""
    size = sizes(adversary, epsilon)
    number, old = numbers(size), old_trajectory(adversary, size)
    b, width, lam = number
    steep = 2 * math.sqrt(lam) + 2 * (1 + STATES)
    visits, fall = 2 * width + b / 2, steep * (2 * width + b)
    for look in range(adversary.looks):
        rival = adversary.competitor + look
        n, tie = old.fresh + look, float(old.totals[look].mid()) + 1
        more = 8 * b * max(1.01, (n + 3) / (adversary.known - 1))
        short = float(old.deficits[look].mid())
        lowered = adversary.rare - visits
        quiet = _masks(number, adversary, (n + 1, tie - more), (adversary.rare, 0, rival, b))
        event = _masks(number, adversary, (n + 1, tie + more), (visits, -fall, rival, b))
        same = (adversary.rare + 1 - lowered, 1 - fall, rival, b)
        missed = _masks(number, adversary, (n, tie - 1 + more), same)
        paid = _masks(number, adversary, (n, tie - 1 + short + more), (visits, -fall, rival, b))
        if (quiet, event, missed, paid) != ((2, 1), (1, 2), (2, 1), (1, 2)):
            return False
    return True


def no_less_noise(
    adversary: LongAdversary, epsilon: float, units: float = 2.0, draws: int = 2000
) -> bool:
    """Whether the planner plays x' alone under D' at all drawn noise of size n_0 + ``units``, less
    what the proof lets E save: visits of x' brought low, the rest shared out at random."""
    size, rng = sizes(adversary, epsilon), np.random.default_rng(17)
    number = numbers(size)
    saved = number.width * (2 * math.sqrt(number.logarithm) * 1.1 + 4 * (1 + STATES))
    total = (adversary.rare + units) - saved
    for index in range(draws):
        rest = rng.uniform(0, 1) ** 3 * 5.0 + max(0.0, units - 1 - saved)
        down = min(total - rest, adversary.rare + 1 - 2 * number.width)
        rest = total - down
        share = rng.dirichlet(np.full(3, 0.3)) * rest if index else np.array([rest, 0.0, 0.0])
        new = (
            adversary.rare + 1 - down,
            1 - share[0],
            adversary.competitor - share[1],
            share[2],
        )
        if _masks(number, adversary, (adversary.known, 0.0), new)[1] & 2:
            return False
    return True


def at_one_epsilon(beta: float) -> Records:
    """The record of theorem-1 at a finite epsilon."""
    adversary, epsilon = first_seen(beta)[1]
    loss, exponent = float(masses(adversary, epsilon).loss), math.floor(math.log10(epsilon))
    epsilon_text = rf"{upwards(epsilon / 10.0**exponent, 2):g} \cdot 10^{{{exponent}}}"
    yield Trial(
        lambda case: (
            exceeds(*case) and exceeds(case[0], 1000 * case[1]) and planned(*case)
            and no_less_noise(*case)
        ),
        at=(adversary, epsilon),
        mutant_at=[
            (adversary, epsilon / 2),
            (adversary._replace(last=adversary.last - 3), epsilon),
            (adversary._replace(rare=adversary.rare + 60), epsilon),
        ],
        mutant=r"Half that $\varepsilon$; three levels fewer; more visits of an action that is "
        "looked at.",
    ).fails(
        "reading: ties broken in any way, natural logarithm, at one epsilon",
        Rigor.DERIVED,
        statement=r"PUCB is $\varepsilon$-JDP, ties broken in any way.",
        domain=rf"These sizes; every $\varepsilon \ge {epsilon_text}$.",
        evidence="As in the record above, by balls.",
        witness=Witness(
            {
                "T": f"2^{adversary.last} + 2", "S": 3, "A": 2, "H": 1, "beta": beta,
                "epsilon": epsilon, "ties": "any",
            },
            ("loss at most", epsilon),
            ("loss of the event at least", downwards(loss, 6)),
        ),
        basis=Basis(proof="At which epsilon"),
    )  # fmt: skip
