r"""vietri2020/theorem-1: from which epsilon on, and at which T, the adversary of
:mod:`~theory.papers.vietri2020.policies_leak.chain` tells more than epsilon: both probabilities in
balls, and a search for the smallest T.

The proof stands in proofs.md ("What actions tell with more steps").
"""

import math
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import NamedTuple

from flint import arb

from theory.papers.vietri2020.policies_leak.chain import (
    ACTIONS,
    AHEAD,
    COUNTERS,
    NATURAL,
    STATES,
    TWO,
    Chain,
    ChainAdversary,
    PrintedNoise,
    conditions,
    share,
    sizes,
)
from theory.papers.vietri2020.policies_leak.finite import LogMasses
from theory.rigor.balls import precision

BITS = 192
VALUES = (0.6, 0.7, 0.8, 0.9, 0.97)
LOWS = (0.02, 0.04, 0.07, 0.1, 0.15)
ROOMS = (5, 10, 40, 160)  # L over the squared looks, at least
START, LAST, STEP = 40, 400, 20  # powers of 2 that are searched, coarsely first


def polynomial(size: arb, noises: int) -> arb:
    """At least ln of the sum of size^i/i! over i < ``noises``, for size >= noises."""
    if not size >= noises:
        raise ValueError(f"size must be >= noises, got size={size}, noises={noises}")
    return arb(noises).log() + (noises - 1) * size.log() - arb(noises).lgamma()


class Nodes(NamedTuple):
    """How many noises a level and user t read, and how far those of a release move a counter."""

    level: int
    before: int
    moved: arb  #: where each noise of a level is b at most
    moved_before: arb


def nodes(chain: Chain) -> Nodes:
    """2H nodes a level, m before user t, each with all counters."""
    horizon, b = chain.horizon, chain.size.scale
    counters = STATES * ACTIONS * COUNTERS * horizon
    read = 1 + (2 * horizon - 1).bit_length()
    first = chain.adversary.first
    return Nodes(counters * 2 * horizon, counters * first, read * b, first * b)


def unsettled(chain: Chain, moved: arb) -> arb:
    """How far noise up to ``moved`` in every counter moves a settled value."""
    weight = chain.horizon * (chain.horizon + 2) * COUNTERS
    return weight * moved / (min(chain.adversary.settled, chain.adversary.low) - 1)


def swing(chain: Chain, step: int, moved: arb) -> arb:
    """How far it moves the sum of x_h against a tie."""
    visits = chain.fresh[step] + 1 + chain.per_level(step) * chain.adversary.looks
    weights = 2 + STATES * chain.horizon
    return weights * moved + (2 * visits + 2) * unsettled(chain, moved)


def small_noise(chain: Chain) -> dict[str, bool]:
    """What the proof asks of b and E, each by its name."""
    read = nodes(chain)
    b, width, _ = chain.size
    looks = chain.adversary.looks
    known = chain.conf(chain.adversary.settled)
    return {
        "E and b are small against one user": (
            bool(2 * width + 2 * read.moved + b < arb("0.25")) and bool(read.moved_before < 1)
        ),
        "x_h stays ahead": all(
            bool((2 * looks + 2) * chain.drift + swing(chain, step, read.moved) <= AHEAD)
            for step in chain.steps
        ),
        "a visit with a move to N is enough": all(
            bool(swing(chain, step, read.moved) < arb("0.0005")) for step in chain.steps
        ),
        "y'_1 is above 0": bool(unsettled(chain, read.moved) + chain.drift < known),
        "V(F) stays below 1": bool(unsettled(chain, read.moved_before) < arb("0.1")),
    }


def at_a_look(chain: Chain) -> arb:
    """At least ln of the probability under D that all users of a level do as claimed."""
    read = nodes(chain)
    b, width, _ = chain.size
    half, window = arb(2).log(), ((arb(1).exp() - 1) / 2).log()
    within = (1 - (-arb(1)).exp()).log()
    steep = 2 * chain.states + chain.root
    total = (read.level - 2 * chain.horizon) * within
    for step in chain.steps:
        n = chain.adversary.rare[step - 1]
        moves = n * (chain.zeta[step + 1] + unsettled(chain, read.moved))
        fall = moves + steep * (2 * width + 2 * read.moved + b)
        fall += (1 + STATES * chain.horizon) * read.moved
        total += window - (n - 2 * width - read.moved) / b - half - fall / b
    return total


def of_user_t(chain: Chain) -> arb:
    """At least ln of the probability under D that user t plays x_h at O at all steps."""
    read = nodes(chain)
    within = (1 - (-arb(1)).exp()).log()
    total = read.before * within
    for step in chain.steps:
        raised = chain.before(step) + swing(chain, step, read.moved_before)
        total -= arb(2).log() + raised / chain.size.scale
    return total


def masses(adversary: ChainAdversary, epsilon: float, private: PrintedNoise) -> LogMasses:
    """Both bounds, given the past: all looks, and user t's own action."""
    with precision(BITS):
        chain = Chain(adversary, sizes(adversary, epsilon, private))
        read, b, looks = nodes(chain), chain.size.scale, adversary.looks
        least = looks * at_a_look(chain) + of_user_t(chain)
        alone = sum((chain.elsewhere(step) for step in chain.steps), arb(0))
        most = chain.horizon * arb(2).log() - (looks * chain.look - chain.evaded) / b
        most += looks * polynomial(chain.look / b, read.level)
        most += polynomial(alone / b, read.before)
        return LogMasses(least, most)


def exceeds(adversary: ChainAdversary, epsilon: float, private: PrintedNoise = NATURAL) -> bool:
    """Whether the event tells more than epsilon, with all conditions of the proof."""
    with precision(BITS):
        if epsilon == math.inf:
            chain = Chain(adversary, sizes(adversary, epsilon, private))
            return bool(share(adversary, private) > 1) and all(conditions(chain).values())
        chain = Chain(adversary, sizes(adversary, epsilon, private))
        return (
            all(small_noise(chain).values())
            and all(conditions(chain).values())
            and bool(masses(adversary, epsilon, private).loss > epsilon)
        )


class ChainShape(NamedTuple):
    """V(N), V(Z), and L over the squared number of looks, at least."""

    value: float
    low: float
    room: int


def build(
    horizon: int, levels: tuple[int, int], shape: ChainShape, private: PrintedNoise
) -> ChainAdversary:
    """The adversary of ``levels`` = (M, m) and of this shape; x'_h has as many visits as its bonus
    allows and as user t's other action asks for."""
    last, first = levels
    looks = last - first + 1
    logarithm = 2 * (last * math.log(2) + math.log(4 / private.beta)) + 1e-6
    wide = (horizon + 1) ** 2 * logarithm
    rare = []
    for step in range(1, horizon + 1):
        value = (shape.value if step > 1 else shape.low + 0.05) + 0.02
        told = 2 + shape.value if step < horizon else 2
        enough = told * looks * (horizon if step < horizon else 1)
        rare.append(min(math.ceil(1.001 * enough), math.floor(wide / (1 + value) ** 2) - 2))
    fresh = wide / (1 - shape.low) ** 2 * 1.01 + 2 * looks + 20
    look = sum(rare) * (1 + shape.low) + 5 * horizon
    settled = look + (horizon + 2) * (6 * look + 3 * horizon * fresh)
    settled = math.ceil(max(1.02 * settled, shape.room * looks**2, wide / 0.045**2))
    falls = sum(1 / math.sqrt(step) for step in range(1, horizon))
    low = math.ceil(
        max(
            wide * (falls / shape.low) ** 2,
            settled + (fresh + max(rare)) / 2,
            600 * shape.low * horizon * looks**2,
        )
    )
    moves = 2 * settled + max(rare) + fresh + 2 * low
    idle = math.ceil(max(settled, 4 * horizon * (horizon - 2) * moves, wide * (8 * horizon) ** 2))
    return ChainAdversary(horizon, last, first, shape.value, settled, low, idle, tuple(rare))


def room(adversary: ChainAdversary, wide: float) -> int:
    """The first power of 2 whose half has room for all visits."""
    visits = 2 * (adversary.idle + adversary.low * (adversary.horizon - 1) + adversary.settled)
    return math.ceil(visits + max(adversary.rare) + 2 * wide).bit_length() + 1


def candidates(horizon: int, last: int, private: PrintedNoise) -> Iterator[ChainAdversary]:
    """The adversaries of T = 2^last + 2H, one of each shape, with the smallest t."""
    wide = (horizon + 1) ** 2 * 2 * (last + 6)
    for shape in map(ChainShape._make, product(VALUES, LOWS, ROOMS)):
        first = min(last, 28)
        for _ in range(3):
            first = min(last, room(build(horizon, (last, first), shape, private), wide))
        yield build(horizon, (last, first), shape, private)


@cache
def best(horizon: int, last: int, private: PrintedNoise) -> ChainAdversary | None:
    """The adversary of T = 2^last + 2H with the largest share, if any meets the conditions."""
    with precision(BITS):
        every = sorted(
            candidates(horizon, last, private),
            key=lambda adversary: -float(share(adversary, private).mid()),
        )
        for adversary in every:
            if all(conditions(Chain(adversary, sizes(adversary, math.inf, private))).values()):
                return adversary
    return None


@cache
def shortest(
    horizon: int, epsilon: float = math.inf, private: PrintedNoise = NATURAL
) -> ChainAdversary | None:
    """The adversary with the smallest T found that tells more than epsilon, None up to 2^LAST."""

    def telling(last: int) -> ChainAdversary | None:
        adversary = best(horizon, last, private)
        return adversary if adversary and exceeds(adversary, epsilon, private) else None

    coarse = next((last for last in range(START, LAST + 1, STEP) if telling(last)), None)
    if coarse is None:
        return None
    return next(filter(None, map(telling, range(coarse - STEP + 1, coarse + 1))))


FAR = (
    24,
    20_000,
    ChainShape(0.999, 0.003, 1000),
)  # H, M and shape of the largest share that was found


@cache
def far_share(horizon: int) -> tuple[float, float]:
    """The share at M and the shape of :data:`FAR`, at least, to base 2 and with natural logarithms.

    Raises
    ------
    ValueError
        A condition of the proof is not met.
    """
    _, last, shape = FAR
    with precision(BITS):
        wide = (horizon + 1) ** 2 * 2 * (last + 6)
        first = 60
        for _ in range(3):
            first = room(build(horizon, (last, first), shape, TWO), wide)
        adversary = build(horizon, (last, first), shape, TWO)
        chain = Chain(adversary, sizes(adversary, math.inf, TWO))
        failing = [name for name, met in conditions(chain).items() if not met]
        if failing:
            raise ValueError(f"the conditions of the proof must be met, got failing={failing}")
        two, natural = (share(adversary, private).lower() for private in (TWO, NATURAL))
        return float(two) * (1 - 1e-12), float(natural) * (1 - 1e-12)


def largest_share() -> tuple[float, float]:
    """The largest share found over all H and T, to base 2 and with natural logarithms."""
    return far_share(FAR[0])
