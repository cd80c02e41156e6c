r"""vietri2020/theorem-1: what actions tell of a user when PUCB is short and the noise is as
printed.

**The instance.** S = 2, A = 2, H = 1. Under D user 1 starts in state 1, under D' in state 2, where
every reward is 1; all later users start in state 2 under both. Before the first release all values
are tied at H, so user 1 plays the first action; the tuple x = (2, first action) has the counts (n,
r) = (0, 0) under D and (1, 1) under D'. The event: the users 2^k + 1 play the second action, y.
The release 2^k that each reads is one node a counter, drawn there and read by nobody before, so
her choice rests on fresh noise. With ties to the first action she plays y only if Q+(x) < H, that
is

    n~ >= 2E  and  r~ < G(n~) = n~ (1 - conf~(n~)),

far from both pairs of counts. From (1, 1) both n~ and r~ have to be pulled down, from (0, 0)
neither: 2 units of 1/b for each node that is looked at, less 4 E/b for the way up to 2E.

Closed forms bound both masses (:func:`masses`); the integral over n~ gives them to any precision
(:func:`integrated`), and the package's planner is asked at drawn points (:func:`decisions`).
"""

import math
from functools import cache
from typing import NamedTuple

import numpy as np
from flint import acb, arb

from privrl.agents.tabular.learner import aligned, released_sums
from privrl.agents.tabular.pucb import PUCB, Confidence, PUCBWidths, plan
from privrl.agents.tabular.records import TabularPlan
from privrl.environments import random_mdp
from privrl.types import FloatArray
from theory.lemmas.tree import levels
from theory.papers.vietri2020.bonus import confidence
from theory.rigor.balls import precision

STATES, ACTIONS = 2, 2
WIDE = 10  # counts up to here keep conf~ above 1 (checked), so that G < 0


class PrivateLearning(NamedTuple):
    """Private learning of the instance, with what a reading may change."""

    epsilon: float
    beta: float
    planned: int = 3  #: T
    natural: bool = True  #: whether log T is to base e; else to base 2


class LeakSizes(NamedTuple):
    """The numbers that PrivQ and the counters hold, as balls; H = 1."""

    scale: arb  #: b, of the noise of a node
    width: arb  #: E
    logarithm: arb  #: 2 ln(T/beta')


def sizes(setting: PrivateLearning) -> LeakSizes:
    """b = (3/epsilon) log T, E = b ln(N/beta') (log T)^1.5 with N = 2SA + S^2 A, and 2
    ln(T/beta'), beta' = beta/4."""
    prime = arb(setting.beta) / 4
    log = arb(setting.planned).log() / (1 if setting.natural else arb(2).log())
    scale = 3 * log / arb(setting.epsilon)
    counters = 2 * STATES * ACTIONS + STATES**2 * ACTIONS
    width = scale * (counters / prime).log() * log ** arb("1.5")
    return LeakSizes(scale, width, 2 * (setting.planned / prime).log())


@cache
def sizes_of_the_agent() -> bool:
    """Whether :func:`sizes` are what the agent calibrates as printed (natural logarithms)."""
    for epsilon, beta, planned in ((1.0, 0.1, 3), (300.0, 0.5, 5), (40.0, 0.01, 1000)):
        agent = PUCB(epsilon=epsilon, beta=beta, calibration="printed")
        calibration = agent.calibrate(random_mdp(STATES, ACTIONS, 1, 0), planned)
        numbers = (calibration.scale, calibration.e_epsilon, calibration.logarithm)
        balls = sizes(PrivateLearning(epsilon, beta, planned))
        if not np.allclose(numbers, [float(ball.mid()) for ball in balls], rtol=1e-12):
            return False
    return True


def bonus(n: arb, size: LeakSizes) -> arb:
    """conf~ at n >= 2E with H = 1: 2 phi~ + psi~, decreasing in n."""
    phi = (size.logarithm / (n - size.width).max(arb(1))).sqrt()
    ball: arb = confidence(STATES, 1, phi, size.width / n)
    return ball


class Masses(NamedTuple):
    """Bounds of the probability that Q+(x) < H at one node."""

    least: arb  #: from the counts (0, 0), at least
    most: arb  #: from the counts (1, 1), at most


def masses(setting: PrivateLearning) -> Masses:
    r"""Closed forms, for 2E < 1 < 2 phi~ - 7/2 (else a ``ValueError``).

    On [2E, 1 + E] G(n) = n (1 - c) - 9E - 6E^2/n with c = 2 phi~ free of n. As 6E^2/n is convex,
    3E - 1.5 (n - 2E) <= 6E^2/n <= 3E. From (0, 0): the integral of e^(-n/b)/(2b) e^(G/b)/2 over
    [2E, 1 + E]. From (1, 1): over [2E, 1] in the same way with e^((n-1)/b)/(2b) e^((G-1)/b)/2; G
    is convex, so at most max(G(1), G(10)) on [1, 10], which leaves a mass e^((G-1)/b)/2 at most;
    and n~ > 10 has e^(-9/b)/2.
    """
    size = sizes(setting)
    b, width, c = size.scale, size.width, 2 * size.logarithm.sqrt()
    if not (bool(2 * width < 1) and bool(c > 4.5) and bool(bonus(arb(WIDE), size) > 1)):
        raise ValueError(f"2E must be < 1 and 2 phi~ > 4.5, got setting={setting}")
    kappa = width / b
    low = (-12 * kappa).exp() * ((-2 * c * kappa).exp() - (-c * (1 + width) / b).exp()) / (4 * c)
    steep = c - arb("3.5")
    near = (-2 / b - 15 * kappa - 2 * steep * kappa).exp() / (4 * steep)
    ends = [n * (1 - bonus(arb(n), size)) for n in (1, WIDE)]
    beyond = ((ends[0].max(ends[1]) - 1) / b).exp() / 2 + (arb(1 - WIDE) / b).exp() / 2
    return Masses(low, near + beyond)


def competitor(setting: PrivateLearning) -> arb:
    """At least the probability that Q+(y) = H in all releases that are looked at.

    Before the first: n~ < 2E. Later y has the counts (j, j), j >= 1, if the rewards of y are 1,
    and r~ >= 0 with n~ <= 10 suffices, as conf~ > 1 there; j <= levels(T-1) <= 9 is asked.
    """
    size = sizes(setting)
    looks = levels(setting.planned - 1)
    if looks > WIDE - 1:
        raise ValueError(f"levels must be <= {WIDE - 1}, got planned={setting.planned}")
    sure = 1 - (-2 * size.width / size.scale).exp() / 2
    for visits in range(1, looks):
        tails = [(-arb(far) / size.scale).exp() / 2 for far in (WIDE - visits, visits)]
        sure *= (1 - tails[0]) * (1 - tails[1])
    return sure


def spent(setting: PrivateLearning) -> arb:
    """At most ln(P_D(event)/P_D'(event)): levels(T-1) nodes, each from (0, 0) and from (1, 1)."""
    least, most = masses(setting)
    return levels(setting.planned - 1) * (least / most).log() + competitor(setting).log()


def exceeds(setting: PrivateLearning) -> bool:
    """Whether the event leaks more than epsilon, by balls."""
    with precision(256):
        return bool(spent(setting) > arb(setting.epsilon))


@cache
def smallest(beta: float, planned: int = 3) -> int:
    """The smallest integer epsilon up to 5000 at which the closed forms exceed it; they do beyond,
    too.

    They do: with kappa = E/b and c, which epsilon does not enter, ln(least/most) is at least 2/b -
    4 kappa - ln(c/(c - 3.5)) plus logarithms of 1 - e^(-.../b), all of which grow as b falls, and
    2 levels/b grows faster than epsilon.
    """
    low, high = 1, 5000
    while low < high:
        middle = (low + high) // 2
        try:
            enough = exceeds(PrivateLearning(float(middle), beta, planned))
        except ValueError:
            enough = False
        low, high = (low, middle) if enough else (middle + 1, high)
    return low


def slope(planned: int, natural: bool = True) -> float:
    """What loss/epsilon tends to as epsilon grows: 2 levels(T-1)/(3 log T)."""
    log = math.log(planned) if natural else math.log2(planned)
    return 2 * levels(planned - 1) / (3 * log)


def integrated(setting: PrivateLearning, counts: int) -> arb:
    """The probability that Q+(x) < H at one node from (counts, counts), counts 0 or 1, up to 10;
    rigorous quadrature.

    Second derivation: nothing of :func:`masses` is used but the definition of the event.
    """
    with precision(192):
        size = sizes(setting)
        b, width = acb(size.scale), acb(size.width)
        logarithm = acb(size.logarithm)

        def density(n: acb, analytic: bool, rising: bool, flat: bool) -> acb:
            root = acb(1) if flat else (n - width).sqrt(analytic=analytic)
            phi = logarithm.sqrt() / root
            edge = n - 2 * phi * n - (1 + STATES) * (3 * width + 2 * width**2 / n)
            away = (n - counts) if rising else (counts - n)
            return (away / b).exp() / (2 * b) * ((edge - counts) / b).exp() / 2

        pieces = [(1 + size.width, arb(WIDE), False, False)]  # from, to, rising, phi~ free of n
        if counts:
            pieces += [(2 * size.width, arb(1), True, True), (arb(1), 1 + size.width, False, True)]
        else:
            pieces += [(2 * size.width, 1 + size.width, False, True)]
        total = acb(0)
        for start, end, rising, flat in pieces:

            def piece(n: acb, analytic: bool, up: bool = rising, level: bool = flat) -> acb:
                return density(n, analytic, up, level)

            total += acb.integral(piece, acb(start), acb(end), rel_tol=2.0**-60, abs_tol=0)
        return total.real


@cache
def exceeds_closely(setting: PrivateLearning) -> bool:
    """Whether the event leaks more than epsilon, by :func:`integrated` and the mass e^(-9/b)/2
    beyond 10."""
    with precision(192):
        size = sizes(setting)
        if not (bool(2 * size.width < 1) and bool(bonus(arb(WIDE), size) > 1)):
            raise ValueError(f"2E must be < 1 and conf~(10) > 1, got setting={setting}")
        beyond = (arb(1 - WIDE) / size.scale).exp() / 2
        least, most = integrated(setting, 0), integrated(setting, 1) + beyond
        total = levels(setting.planned - 1) * (least / most).log() + competitor(setting).log()
        return bool(total > arb(setting.epsilon))


@cache
def mildest(beta: float, planned: int = 3) -> int:
    """The smallest integer epsilon from which on, up to :func:`smallest`, the event is seen to
    leak more."""
    epsilon = smallest(beta, planned)
    while exceeds_closely(PrivateLearning(float(epsilon - 1), beta, planned)):
        epsilon -= 1
    return epsilon


class Numbers(NamedTuple):
    """b, E and 2 ln(T/beta') as floats, which the planner reads."""

    scale: float
    width: float
    logarithm: float


def numbers(size: LeakSizes) -> Numbers:
    """The midpoints of the balls."""
    return Numbers(*(float(ball.mid()) for ball in size))


def greedy(released: FloatArray, number: Numbers, states: int = STATES) -> tuple[int, ...]:
    """The greedy sets of all states by the package's PrivQ with H = 1, as masks, for one release
    of all counters."""
    mdp = random_mdp(states, ACTIONS, 1, 0)
    every = aligned(released.size)
    every[:] = released
    pairs = states * ACTIONS
    out = TabularPlan(
        np.zeros((1, pairs)),
        np.zeros((2, states)),
        np.zeros((1, states), dtype=np.int64),
    )
    widths = PUCBWidths(number.width, number.logarithm)
    plan(released_sums(every, mdp), widths, Confidence(aligned(pairs), aligned(pairs)), out)
    return tuple(int(mask) for mask in out.greedy[0])


class DrawnDecisions(NamedTuple):
    """What the planner did at drawn points of noise."""

    estimate: float  #: of the mass of one node, by weights
    error: float  #: its standard error
    agreed: bool  #: whether it chose the second action alone exactly where the event is claimed


def decisions(
    setting: PrivateLearning, counts: int, points: int = 1000, seed: int = 5
) -> DrawnDecisions:
    """Draw the noise of x near the event, ask the planner, and weigh: an estimate of the mass of
    one node.

    n~ is 2E plus an exponential variable of scale b/(2 phi~ + counts) and r~ is G(2E) plus a
    Laplace one of scale 2b; m~ and y have the noise that they have; the weight is the ratio of the
    densities.
    """
    rng, number = np.random.default_rng(seed), numbers(sizes(setting))
    b, width, logarithm = number
    pairs = STATES * ACTIONS
    x, y = ACTIONS, ACTIONS + 1  # the pairs of the second state

    def threshold(n: float) -> float:
        root, share = math.sqrt(logarithm / max(n - width, 1.0)), width / n
        return n * (1 - 2 * root - (1 + STATES) * (3 * share + 2 * share**2))

    edge, short = threshold(2 * width), b / (2 * math.sqrt(logarithm) - 2)
    weights, agreed = np.zeros(points), True
    for index in range(points):
        n = 2 * width + short * rng.exponential()
        r = edge + 2 * b * rng.laplace()
        released = b * rng.laplace(size=2 * pairs + STATES * pairs)
        released[[x, pairs + x]] = n, r
        chosen = greedy(released, number)[1] == 2  # the mask of the second action alone
        if released[y] < 2 * width:
            agreed &= chosen == (r < threshold(n))
        if chosen:
            target = math.exp(-(abs(n - counts) + abs(r - counts)) / b) / (2 * b) ** 2
            proposal = math.exp(-(n - 2 * width) / short - abs(r - edge) / (2 * b))
            weights[index] = target / (proposal / (short * 4 * b))
    return DrawnDecisions(float(weights.mean()), float(weights.std() / math.sqrt(points)), agreed)


def by_letter(counts: int) -> float:
    """The least noise with Q+(x) < H, E -> 0, when n~ < 2E gives min(H, r~/n~ + H) as printed,
    from (counts, counts).

    A ratio below 0 needs one of n~ and r~ below 0 and the other above: from (1, 1) one unit in
    place of two.
    """
    ways = []
    for sign in (1, -1):  # of n~; r~ has the other one, or is 0 in the limit
        ways.append(max(0, -sign * counts) + max(0, sign * counts))
    return float(min(ways))
