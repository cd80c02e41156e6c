r"""vietri2020/theorem-1: what actions tell of a user when T is large, for every tie rule (natural
logarithm, H = 1).

The proof stands in proofs.md (what actions tell, whatever the ties). Three states, two actions;
idle users start in the third state. Only the first half of the users before t = 2^m visit the
first two states. Then, in the limit of large epsilon, where E tends to 0 and conf~(n) to c(n) = 2
sqrt(lambda/n), lambda = 2 ln(T/beta'):

- *new trajectory*, state 2: y' has N' visits without reward, so Q+(y') = c(N') = theta' < 1, and
  x' has n_0 visits, c (n_0 + 1) >= 1 + theta'. Under D' user t adds a visit with reward 1 to x'.
  That the user 2^k + 1 plays y' costs n_0 units of noise under D and n_0 + 2 under D'
  (:func:`cheapest`).
- *old trajectory*, state 1: y has N visits, Q+(y) = theta, and x is so that one visit with reward
  1, user t's under D, makes Q+(x) = theta. That the user 2^k + 2 plays x costs nothing under D and
  nearly one unit under D'.

Each release that is read is made of nodes that nobody has read before, so the costs of all levels
k = m .. M add up.
"""

import math
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from theory.papers.vietri2020.policies_leak.short import ACTIONS, Numbers, greedy

STATES = 3


class LongAdversary(NamedTuple):
    """All numbers of the construction; T = 2^last + 2, t = 2^first."""

    last: int  #: M
    first: int  #: m
    known: int  #: N, visits of y
    fresh: int  #: visits of x before user t
    competitor: int  #: N', visits of y'
    rare: int  #: n_0, visits of x'
    beta: float

    @property
    def logarithm(self) -> float:
        """lambda = 2 ln(T/beta')."""
        return 2 * (math.log(2.0**self.last + 2) + math.log(4 / self.beta))

    @property
    def looks(self) -> int:
        """L = M - m + 1, the levels that are looked at."""
        return self.last - self.first + 1


def bonus(n: float, logarithm: float) -> float:
    """c(n), the limit of conf~ with H = 1."""
    return 2 * math.sqrt(logarithm / max(n, 1.0))


def edge(n: float, theta: float, logarithm: float) -> float:
    """G(n) = n (theta - c(n)): the reward sum at which n visits have Q+ = theta."""
    return n * (theta - bonus(n, logarithm))


def rewards(adversary: LongAdversary) -> list[float]:
    """The reward sums of x under D' before each of the L looks: x of D is tied with y at each.

    Before user t it is G(fresh + 1) - 1, and each user who plays x for the event adds G(n + 1) -
    G(n).
    """
    lam = adversary.logarithm
    theta = bonus(adversary.known, lam)
    n = adversary.fresh + 1
    return [edge(n + j, theta, lam) - 1 for j in range(adversary.looks)]


def deficits(adversary: LongAdversary) -> list[float]:
    """By how much the reward sum of x falls short of a tie with y under D' at each look."""
    lam = adversary.logarithm
    theta = bonus(adversary.known, lam)
    short = rewards(adversary)
    return [edge(adversary.fresh + j, theta, lam) - total for j, total in enumerate(short)]


def conditions(adversary: LongAdversary) -> dict[str, bool]:
    """What the proof asks of the numbers, each by its name."""
    lam = adversary.logarithm
    theta, rival_bonus = bonus(adversary.known, lam), bonus(adversary.competitor, lam)
    visits = adversary.known + adversary.fresh + adversary.competitor + adversary.rare
    paid = [edge(adversary.fresh + j + 1, theta, lam) - edge(adversary.fresh + j, theta, lam)
            for j in range(1, adversary.looks)]  # fmt: skip
    return {
        "the first half has room": visits <= 2 ** (adversary.first - 1),
        "theta < 1 and theta' < 1": theta < 1 and rival_bonus < 1,
        "c(n_0 + 1) >= 1 + theta'": bonus(adversary.rare + 1, lam) >= 1 + rival_bonus,
        "x' is rarer than y'": adversary.rare + 1 <= adversary.competitor,
        "y' is far from the cap": adversary.competitor * (1 - rival_bonus) >= adversary.rare + 2,
        "another action of user t is dear": adversary.rare >= 2 * adversary.looks,
        "rewards are in [0, 1]": (
            0 <= rewards(adversary)[0] <= adversary.fresh and all(0 <= value <= 1 for value in paid)
        ),
        "y is far from the cap": adversary.known * (1 - theta) >= 3,
        "deficits are in [0, 1]": all(0 < value <= 1 for value in deficits(adversary)),
    }


def gain(adversary: LongAdversary) -> float:
    """At least the cost of the event under D' less that under D, in units of noise.

    2 a look for the new trajectory, deficit (N - 1)/(n + 1) for the old one, less 1 since user t
    must play x under D.
    """
    shares = [
        value * min(1.0, (adversary.known - 1) / (adversary.fresh + j + 1))
        for j, value in enumerate(deficits(adversary))
    ]
    return 2 * adversary.looks + sum(shares) - 1


def share(adversary: LongAdversary) -> float:
    """What loss/epsilon tends to, at least, as epsilon grows: gain/(3 ln T)."""
    return gain(adversary) / (3 * math.log(2.0**adversary.last + 2))


def build(last: int, first: int, theta: float, rival: float, beta: float) -> LongAdversary:
    """The adversary whose y and y' have about these values; rare as large as the conditions
    allow."""
    lam = 2 * (math.log(2.0**last + 2) + math.log(4 / beta))
    known = math.ceil(4 * lam / theta**2)
    competitor = math.ceil(4 * lam / rival**2)
    level = bonus(known, lam)
    fresh = known
    while edge(fresh + 1, level, lam) < 1:
        fresh += 1
    value = bonus(competitor, lam)
    rare = math.floor(min(4 * lam / (1 + value) ** 2 - 1, competitor * (1 - value) - 2))
    return LongAdversary(last, first, known, fresh, competitor, rare, beta)


THETAS = tuple(float(theta) for theta in np.arange(0.05, 0.95, 0.05))
RIVALS = (0.6, 0.65, 0.7, 0.75)  # theta'


def on_the_grid(last: int, first: int, beta: float, target: float = 1.0) -> Iterator[LongAdversary]:
    """The adversaries over a grid of theta and theta' that meet every condition and whose share
    exceeds ``target``."""
    total = 2.0**last + 2
    if 3 * (last - first + 1) - 1 <= target * 3 * math.log(total):
        return  # a look is worth three units at most
    for theta in THETAS:
        if 2 * 4 * 2 * (math.log(total) + math.log(4 / beta)) / theta**2 > 2 ** (first - 1):
            continue  # what is known has no room
        pairs = [build(last, first, theta, rival, beta) for rival in RIVALS]
        if share(pairs[0]) > target:  # the same for every theta'
            yield from (pair for pair in pairs if all(conditions(pair).values()))


@cache
def shortest(beta: float, target: float = 1.0) -> LongAdversary:
    """The adversary with the smallest T found on the grid whose share exceeds ``target``."""
    for last in range(10, 2000):
        for first in range(5, last):
            for adversary in on_the_grid(last, first, beta, target):
                return adversary
    raise ValueError(f"target must be below 1/ln 2, got target={target}")


def cheapest(counts: tuple[int, int], competitor: int, logarithm: float) -> float:
    """The least l1 noise with Q+(x') <= Q+(y'), by a grid of n~ of both and the best r~ for each
    pair.

    From x' with ``counts`` and y' with so many visits and no reward. Second derivation of the
    proof's n + r.
    """
    n, r = counts
    visits = np.concatenate([[1e-9], np.linspace(0.01, n + 1, 40 * n), np.linspace(n, 12 * n, 400)])
    rivals = np.concatenate([[1e-9, competitor], np.linspace(0.5, 2 * competitor, 401)])
    x, y = visits[:, None], rivals[None, :]
    first = 2 * np.sqrt(logarithm / np.maximum(x, 1))
    second = 2 * np.sqrt(logarithm / np.maximum(y, 1))
    moved = np.abs(x - n) + np.abs(y - competitor)
    tie = np.clip(y * (r / x + first - second), 0, np.maximum(y * (1 - second), 0))
    costs = []
    for raised in (np.zeros_like(moved), tie, np.maximum(y * (1 - second), 0) + 0 * x):
        value = raised / y + second
        fall = np.where(value >= 1 - 1e-12, 0.0, np.maximum(r - x * (value - first), 0))
        costs.append(moved + raised + fall)
    return float(min(cost.min() for cost in costs))


def least_noise(adversary: LongAdversary, slack: float = 1e-6) -> bool:
    """Whether :func:`cheapest` gives n_0 under D and n_0 + 2 under D'."""
    lam, n = adversary.logarithm, adversary.rare
    costs = [cheapest(counts, adversary.competitor, lam) for counts in ((n, 0), (n + 1, 1))]
    return abs(costs[0] - n) < slack and abs(costs[1] - n - 2) < slack


def ties_need_their_share(adversary: LongAdversary, scale: float = 1.0, points: int = 4000) -> bool:
    """Whether no drawn noise of l1 size below ``scale`` times the share of :func:`gain` makes x of
    D' tie with y."""
    rng, lam = np.random.default_rng(3), adversary.logarithm
    n, total, short = adversary.fresh, rewards(adversary)[0], deficits(adversary)[0]
    size = scale * short * min(1.0, (adversary.known - 1) / (n + 1))
    z = rng.laplace(size=(points, 4))
    z[:4] = np.array([[0, 1, 0, 0], [0, 0, 0, -1], [-1, 0, 0, 0], [0, 0, 1, 0]])
    z *= 0.999 * size / np.abs(z).sum(axis=1, keepdims=True)
    x = (total + z[:, 1]) / (n + z[:, 0]) + 2 * np.sqrt(lam / (n + z[:, 0]))
    visits = adversary.known + z[:, 2]
    y = z[:, 3] / visits + 2 * np.sqrt(lam / visits)
    return bool((x < np.minimum(y, 1)).all())


def planned(adversary: LongAdversary, epsilon: float = 1e15) -> bool:
    """Whether the package's PrivQ decides as the proof says, at the noise that the event needs, at
    every look.

    E and lambda are those of T = 2^M + 2 and of a large epsilon. Masks: 1 is x alone, 2 is y alone.
    """
    log = math.log(2.0**adversary.last + 2)
    counters = 2 * STATES * ACTIONS + STATES**2 * ACTIONS
    width = 3 / epsilon * math.log(counters * 4 / adversary.beta) * log**2.5
    number, tiny = Numbers(3 * log / epsilon, width, adversary.logarithm), 1e-4
    pairs = STATES * ACTIONS

    def chosen(old: tuple[float, float], new: tuple[float, float], look: int) -> tuple[int, int]:
        released = np.zeros(2 * pairs + STATES * pairs)
        released[:4] = old[0], adversary.known, new[0], adversary.competitor + look
        released[pairs : pairs + 4] = old[1], 0.0, new[1], 0.0
        masks = greedy(released, number, STATES)
        return masks[0], masks[1]

    down, share_of_x = adversary.rare - 3 * width, rewards(adversary)
    for look, total in enumerate(share_of_x):
        n = adversary.fresh + look
        short = deficits(adversary)[look]
        quiet = chosen((n + 1, total + 1 - tiny), (adversary.rare, 0), look)
        under_d = chosen((n + 1, total + 1 + tiny), (adversary.rare - down, -tiny), look)
        same_noise = chosen((n, total + tiny), (adversary.rare + 1 - down, 1 - tiny), look)
        more_noise = chosen(
            (n, total + short + tiny), (adversary.rare + 1 - (down + 1), 1 - (1 + tiny)), look
        )
        if (quiet, under_d, same_noise, more_noise) != ((2, 1), (1, 2), (2, 1), (1, 2)):
            return False
    return True
