r"""vietri2020/theorem-1: what actions tell of a user when T is large and H = 2, also with
logarithms to base 2.

As :mod:`~theory.papers.vietri2020.policies_leak.long`, with two steps, where a transition to a
state of value 1 tells a unit
more. The proof stands in proofs.md (two steps). Four states; at the first step N (new), O (old)
and I (idle), at the second N, G of value 1, Z of a value near 0 and F, where idle users end. conf~
tends to c(n) = 3 sqrt(lambda/n), and values are cut at 2.

- *new trajectory*: at N, x'_1 has n_1 visits and y'_1 is known; then at N again, x'_2 has n_2
  visits and y'_2 is known, of value 1. User t of D' adds a visit with reward 1 to both, and a move
  from N to N. That the user 2^k + 1 plays y'_1 and y'_2 costs 5 units more under D'.
- *old trajectory*: at O user t of D adds to x_1 a visit with reward 1 and a move to G, 2 units but
  for what is small.

So 7 units a look against 3H = 6 a level.
"""

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from privrl.agents.tabular.learner import aligned, released_sums
from privrl.agents.tabular.pucb import Confidence, PUCBWidths, plan
from privrl.agents.tabular.records import TabularPlan
from privrl.environments import random_mdp

STATES, ACTIONS, STEPS = 4, 2, 2
NEW, OLD, IDLE, FREE = 0, 1, 2, 3  # at the second step: N, G, Z, F


class TwoStepAdversary(NamedTuple):
    """All numbers of the construction; T = 2^last + 2, t = 2^first."""

    last: int  #: M
    first: int  #: m
    known: int  #: visits of y_1 at O
    fresh: int  #: visits of x_1 at O before user t
    competitor: int  #: visits of y'_1
    settled: int  #: visits of y'_2 and of each action at G: value 1
    low: int  #: visits of each action at Z: value c(low)
    rare: tuple[int, int]  #: n_1 and n_2
    beta: float

    @property
    def logarithm(self) -> float:
        """lambda = 2 ln(T/beta')."""
        return 2 * (math.log(2.0**self.last + 2) + math.log(4 / self.beta))

    @property
    def looks(self) -> int:
        """L = M - m + 1."""
        return self.last - self.first + 1


def bonus(n: float, logarithm: float) -> float:
    """c(n), the limit of conf~ with H = 2."""
    return 3 * math.sqrt(logarithm / max(n, 1.0))


def edge(n: float, adversary: TwoStepAdversary) -> float:
    """G(n) = n (c(N) - c(n)): what x_1 needs beyond moves to Z for a tie with y_1 at n visits."""
    lam = adversary.logarithm
    return n * (bonus(adversary.known, lam) - bonus(n, lam))


def rewards(adversary: TwoStepAdversary) -> list[float]:
    """The reward sums of x_1 under D' before each look; under D, where user t adds 1 + V(G) -
    V(Z), x_1 wins or ties."""
    slack = 2 - bonus(adversary.low, adversary.logarithm)
    return [edge(adversary.fresh + 1 + j, adversary) - slack for j in range(adversary.looks)]


def deficits(adversary: TwoStepAdversary) -> list[float]:
    """By how much they fall short of a tie under D'."""
    return [
        edge(adversary.fresh + j, adversary) - total for j, total in enumerate(rewards(adversary))
    ]


def conditions(adversary: TwoStepAdversary) -> dict[str, bool]:
    """What the proof asks of the numbers, each by its name."""
    lam = adversary.logarithm
    low, looks = bonus(adversary.low, lam), adversary.looks
    first_rare, two = adversary.rare[0] + 1, adversary.rare[1] + 1
    rival = bonus(adversary.competitor, lam) + low + (looks + 1) / adversary.competitor
    visits = (
        adversary.known + adversary.fresh + adversary.competitor + sum(adversary.rare)
        + 3 * adversary.settled + 4 * adversary.low
    )  # fmt: skip
    paid = [edge(adversary.fresh + j + 1, adversary) - edge(adversary.fresh + j, adversary)
            for j in range(1, looks)]  # fmt: skip
    widest = 2 + 9 * lam / (4 * rival) + first_rare
    return {
        "the first half has room": visits <= 2 ** (adversary.first - 1),
        "values below 1": max(low, rival, bonus(adversary.known, lam) + low) < 1,
        "c(n_1 + 1) >= 1 + value of y'_1": bonus(first_rare, lam) >= 1 + rival,
        "c(n_2 + 1) >= 2": bonus(two, lam) >= 2,
        "rare against known": max(first_rare, two) <= adversary.competitor,
        "y'_1 is far from 1": adversary.competitor * (1 - rival) >= first_rare + 4,
        "values of the second step are dear": (
            min(adversary.settled, adversary.low) >= 8 * (adversary.competitor + widest)
        ),
        "y'_2 is far from its rivals": adversary.settled >= 40 * (two + 2),
        "another action of user t is dear": (
            adversary.rare[0] >= 6 * looks + 2 and adversary.rare[1] >= 2 * looks + 1
        ),
        "looks hardly move the value of Z": (
            adversary.rare[0] * (low - bonus(adversary.low + looks, lam)) <= 0.03
        ),
        "rewards are in [0, 1]": (
            0 <= rewards(adversary)[0] <= adversary.fresh and all(0 <= value <= 1 for value in paid)
        ),
        "y_1 is far from the cap": adversary.known * (1 - bonus(adversary.known, lam) - low) >= 8,
        "deficits are in [0, 2]": all(0 < value <= 2 for value in deficits(adversary)),
    }


def gain(adversary: TwoStepAdversary) -> float:
    """At least the cost of the event under D' less that under D, in units of noise; 0.04 a look
    for what is small."""
    shares = [
        value * 0.99 * min(1.0, (adversary.known - 3) / (adversary.fresh + j + 4))
        for j, value in enumerate(deficits(adversary))
    ]
    return (5 - 0.04) * adversary.looks + sum(shares) - 2


def share(adversary: TwoStepAdversary, natural: bool = False) -> float:
    """What loss/epsilon tends to, at least, as epsilon grows: gain/(6 log T)."""
    total = 2.0**adversary.last + 2
    return gain(adversary) / (6 * (math.log(total) if natural else math.log2(total)))


def build(last: int, first: int, theta: float, low: float, beta: float) -> TwoStepAdversary:
    """The adversary whose y_1 has c = theta and whose Z has this value; the rest follows."""
    lam = 2 * (math.log(2.0**last + 2) + math.log(4 / beta))
    known, bottom = math.ceil(9 * lam / theta**2), math.ceil(9 * lam / low**2)
    competitor = math.ceil(9 * lam / 0.3**2)
    adversary = TwoStepAdversary(last, first, known, known, competitor, 1, bottom, (0, 0), beta)
    fresh = known
    while edge(fresh + 1, adversary) < 2 - low:
        fresh += 1
    rival = bonus(competitor, lam) + low + (adversary.looks + 1) / competitor
    rare = (math.floor(9 * lam / (1 + rival) ** 2) - 2, math.floor(9 * lam / 4) - 2)
    least = math.ceil(8 * (competitor + 4 + 9 * lam / (4 * rival) + rare[0])) + 1
    return adversary._replace(fresh=fresh, settled=least, low=max(bottom, least), rare=rare)


@cache
def shortest(beta: float, natural: bool = False) -> TwoStepAdversary:
    """The adversary with the smallest T found whose share exceeds 1, over a grid of theta and the
    value of Z."""
    for last in range(20, 1000):
        for first in range(12, 40):
            if 7 * (last - first + 1) <= 6 * last * (math.log(2) if natural else 1):
                break
            for theta in (0.1, 0.15, 0.2, 0.25, 0.3, 0.4):
                for low in (0.02, 0.03, 0.05, 0.07, 0.1, 0.15):
                    if 9 * last / low**2 > 2 ** (first - 1):
                        continue
                    adversary = build(last, first, theta, low, beta)
                    if share(adversary, natural) > 1 and all(conditions(adversary).values()):
                        return adversary
    raise ValueError(f"no adversary was found, got beta={beta}")


class CounterNoise(NamedTuple):
    """What is added to the released counters that matter, (n, r, moves to N, moves to Z) or (n,
    r)."""

    new_one: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0)  #: x'_1
    new_two: tuple[float, ...] = (0.0, 0.0)  #: x'_2
    rival_one: tuple[float, ...] = (0.0, 0.0)  #: y'_1
    rival_two: tuple[float, ...] = (0.0, 0.0)  #: y'_2
    old: tuple[float, ...] = (0.0, 0.0)  #: x_1
    bottom: tuple[float, ...] = (0.0, 0.0)  #: both actions at Z


def masks(
    adversary: TwoStepAdversary,
    noise: CounterNoise,
    primed: bool,
    look: int = 0,
    epsilon: float = 1e15,
) -> tuple[int, int, int]:
    """The greedy sets at N and O of the first step and at N of the second, by the package's PrivQ,
    for the counts of D or of D' (``primed``) at a look; 1 is the first action (x) alone, 2 the
    second."""
    lam, log = adversary.logarithm, math.log2(2.0**adversary.last + 2)
    counters = 2 * STATES * ACTIONS * STEPS + STATES**2 * ACTIONS * STEPS
    width = 3 / epsilon * STEPS * math.log2(counters * 4 / adversary.beta) * log**2.5
    mdp = random_mdp(STATES, ACTIONS, STEPS, 0)
    pairs, every = STATES * ACTIONS, aligned(counters)
    arrays = released_sums(every, mdp)
    n, r, m = arrays.visits, arrays.rewards, arrays.successors

    def put(step: int, state: int, action: int, visits: float, reward: float) -> int:
        pair = state * ACTIONS + action
        n[step, pair], r[step, pair] = visits, reward
        return pair

    def settled(visits: float) -> float:
        return visits * (1 - bonus(visits, lam))

    first_rare, two = adversary.rare
    add = int(primed)
    x = put(0, NEW, 0, first_rare + add + noise.new_one[0], add + noise.new_one[1])
    m[0, NEW, x], m[0, IDLE, x] = add + noise.new_one[2], first_rare + noise.new_one[3]
    y = put(0, NEW, 1, adversary.competitor + look + noise.rival_one[0], noise.rival_one[1])
    m[0, NEW, y], m[0, IDLE, y] = look, adversary.competitor
    total = rewards(adversary)[look] + (1 - add) + noise.old[1]
    x = put(0, OLD, 0, adversary.fresh + look + (1 - add) + noise.old[0], total)
    m[0, OLD, x], m[0, IDLE, x] = 1 - add, adversary.fresh + look
    y = put(0, OLD, 1, adversary.known, 0.0)
    m[0, IDLE, y] = adversary.known
    put(1, NEW, 0, two + add + noise.new_two[0], add + noise.new_two[1])
    put(1, NEW, 1, adversary.settled + look + noise.rival_two[0],
        settled(adversary.settled + look) + noise.rival_two[1])  # fmt: skip
    for action in range(ACTIONS):
        put(1, OLD, action, adversary.settled, settled(adversary.settled))
        put(1, IDLE, action, adversary.low + noise.bottom[0], noise.bottom[1])
        put(1, FREE, action, adversary.low, 0.0)
    out = TabularPlan(
        np.zeros((STEPS, pairs)),
        np.zeros((STEPS + 1, STATES)),
        np.zeros((STEPS, STATES), dtype=np.int64),
    )
    confidence = Confidence(aligned(STEPS * pairs), aligned(STEPS * pairs))
    plan(arrays, PUCBWidths(width, lam), confidence, out)
    return int(out.greedy[0, NEW]), int(out.greedy[0, OLD]), int(out.greedy[1, NEW])


def lowered(adversary: TwoStepAdversary, primed: bool, scale: float = 1.0) -> CounterNoise:
    """The noise that the proof names: visits of x'_1 and x'_2 down to nearly 0, the sums down to
    nearly 0, and x_1 up by its deficit under D'; ``scale`` below 1 for less than the proof's total
    in the sums."""
    add, tiny = int(primed), 1e-4
    first_rare, two = adversary.rare
    floor = bonus(adversary.low, adversary.logarithm) * first_rare
    return CounterNoise(
        (tiny - (first_rare + add), -scale * (add + floor) - 100 * tiny, -scale * add, 0.0),
        (tiny - (two + add), -scale * add - 100 * tiny),
        old=(0.0, tiny + scale * add * deficits(adversary)[0]),
    )


def planned(adversary: TwoStepAdversary) -> bool:
    """Whether the planner decides as the proof says at every look: x without noise, the event
    under D with n_1 + n_2 and a little, not under D' with the same, and under D' with five units
    more and the deficit of x_1."""
    event = (2, 1, 2)
    for look in range(adversary.looks):
        calm = [masks(adversary, CounterNoise(), primed, look) for primed in (False, True)]
        least, most = lowered(adversary, primed=False), lowered(adversary, primed=True)
        if look:
            most = most._replace(old=(0.0, 1e-4 + deficits(adversary)[look]))
        policies = (
            masks(adversary, least._replace(old=(0.0, 1e-4)), primed=False, look=look),
            masks(adversary, least, primed=True, look=look),
            masks(adversary, most, primed=True, look=look),
        )
        if any(policy[0] != 1 or policy[2] != 1 for policy in calm) or calm[1][1] != 2:
            return False
        if policies[0] != event or policies[1] != (1, 2, 1) or policies[2] != event:
            return False
    return True


def attacks(adversary: TwoStepAdversary, total: float, drawn: int) -> list[CounterNoise]:
    """Noise of size ``total`` at most under D': x'_1 brought to many numbers of visits, with the
    sum that these need, and x'_2 as in the proof; then drawn noise on all counters that user 2^k +
    1's choices read."""
    rng, lam = np.random.default_rng(7), adversary.logarithm
    first_rare, two = adversary.rare
    low = bonus(adversary.low, lam)
    rival = bonus(adversary.competitor, lam) + low
    second = (1e-4 - (two + 1), -1.01)
    tried = []
    for visits in np.concatenate(
        [[1e-4], np.linspace(1, first_rare + 1, 40), np.geomspace(1, 1e6, 60)]
    ):
        summed = max(0.0, 2 + low * first_rare - visits * (rival - bonus(visits, lam)) + 1e-2)
        tried.append(CounterNoise((visits - first_rare - 1, -summed, 0.0, 0.0), second))
    for _ in range(drawn):
        down = (1 - rng.uniform(0, 0.02, 2) * rng.integers(0, 2, 2)) * (first_rare + 1, two + 1)
        signs = np.where(rng.random(11) < 0.9, 1, -1)
        v = (total - down.sum()) * rng.dirichlet(np.full(11, 0.25)) * signs
        down = np.minimum(down, (first_rare + 1 - 1e-4, two + 1 - 1e-4))
        noise = CounterNoise((-down[0], -v[0], -v[1], -v[2]), (-down[1], -v[3]), (-v[4], v[5]),
                      (-v[6] + v[7], -v[8]), bottom=(-v[9] / 2, v[10] / 2))  # fmt: skip
        tried.append(noise)
    return [noise for noise in tried if size_of(noise) <= total]


def size_of(noise: CounterNoise) -> float:
    """The l1 size; what is added at Z is added to both actions."""
    once = (*noise.new_one, *noise.new_two, *noise.rival_one, *noise.rival_two, *noise.old)
    return sum(map(abs, once)) + 2 * sum(map(abs, noise.bottom))


def five_are_needed(adversary: TwoStepAdversary, units: float, drawn: int = 1000) -> bool:
    """Whether no tried noise of size n_1 + n_2 + V(Z) n_1 + ``units`` lets user 2^k + 1 play y'_1
    and y'_2 under D'."""
    first_rare, two = adversary.rare
    total = first_rare + two + bonus(adversary.low, adversary.logarithm) * first_rare + units
    for noise in attacks(adversary, total, drawn):
        policies = masks(adversary, noise, primed=True)
        if policies[0] & 2 and policies[2] & 2:
            return False
    return True
