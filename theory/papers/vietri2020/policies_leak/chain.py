r"""vietri2020/theorem-1: what actions tell of a user when T is large and H >= 2, ties broken in any
way: the adversary and what its proof asks.

The proof stands in proofs.md ("What actions tell with more steps"). Four states at each of H steps,
two actions:

- *N*, new trajectory: x'_h has few visits, y'_h is known. User t of D' adds to x'_h a visit, a
  reward 1 and a move to N. That a user plays y'_h at every step costs 2 + V(N) units of noise more
  under D' at each step h < H, and 2 at step H.
- *O*, old trajectory: x_h is as good as y_h, of value 1, and a little better, once user t of D has
  added a visit, a reward 1 and a move to O. Under D' it falls short by 3/2 and less at h < H, 1/2
  at H.
- *Z*, of a value near 0, where moves go that tell nothing; *F*, from where idle users go where they
  are needed.

A level k = m .. M has 2H users, who read nodes that nobody has read before: 2^k + 1 plays y'_h at N
at all steps; A_h, h = 1 .. H, plays x_h at O, goes on to N and plays y'_g there for g > h, so that
no plan of hers has V(N) > 1; B_h, h < H, plays x_h with a smaller reward, so that x_h is again
as good as it was. T = 2^M + 2H, t = 2^m.

All numbers are balls, at a finite epsilon or in the limit (E = b = 0).
"""

import math
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from flint import arb

STATES, ACTIONS = 4, 2
COUNTERS = 2 + STATES  # of a pair: visits, rewards, moves
AHEAD = arb("0.01")  # by how much the sum of x_h exceeds a tie under D


class PrintedNoise(NamedTuple):
    """The base of the printed logarithm, and beta."""

    natural: bool
    beta: float

    def log(self, number: arb) -> arb:
        return number.log() if self.natural else number.log() / arb(2).log()


NATURAL, TWO = PrintedNoise(natural=True, beta=0.1), PrintedNoise(natural=False, beta=0.1)


class ChainAdversary(NamedTuple):
    """All whole numbers of the construction, and V(N)."""

    horizon: int  #: H >= 2
    last: int  #: M
    first: int  #: m
    value: float  #: of N from the second step on, v
    settled: int  #: L, visits of y'_h and of y_h
    low: int  #: l, visits of each action at Z at step h are l (h - 1)
    idle: int  #: visits of each action at F
    rare: tuple[int, ...]  #: n_h, visits of x'_h

    @property
    def looks(self) -> int:
        """The levels M - m + 1."""
        return self.last - self.first + 1

    @property
    def visits_of_looks(self) -> int:
        """J, at least what looks and user t add to the visits of a pair at N or Z."""
        return self.horizon * self.looks + 1


class ChainSizes(NamedTuple):
    """b, E and lambda = 2 ln(T/beta') of T = 2^M + 2H, as balls."""

    scale: arb
    width: arb
    logarithm: arb


def planned(adversary: ChainAdversary) -> arb:
    """T."""
    return arb(2) ** adversary.last + 2 * adversary.horizon


def sizes(adversary: ChainAdversary, epsilon: float, private: PrintedNoise) -> ChainSizes:
    """The printed scale and width at this epsilon; both 0 at epsilon = inf."""
    horizon, prime = adversary.horizon, arb(private.beta) / 4
    logarithm = 2 * (planned(adversary) / prime).log()
    if epsilon == math.inf:
        return ChainSizes(arb(0), arb(0), logarithm)
    log = private.log(planned(adversary))
    scale = 3 * horizon * log / arb(epsilon)
    counters = 2 * STATES * ACTIONS * horizon + STATES**2 * ACTIONS * horizon
    width = scale * private.log(counters / prime) * log ** arb("1.5")
    return ChainSizes(scale, width, logarithm)


class Chain:
    """What follows from an adversary at one size of noise."""

    def __init__(self, adversary: ChainAdversary, size: ChainSizes) -> None:
        self.adversary, self.size = adversary, size
        self.horizon = adversary.horizon
        self.steps = range(1, self.horizon + 1)
        self.root = (self.horizon + 1) * size.logarithm.sqrt()  # c(n) = root/sqrt(n)
        self.states = 1 + STATES * self.horizon  # of psi~

    def conf(self, n: int | arb) -> arb:
        """conf~(n) at n >= 2E."""
        share = self.size.width / n
        spread = (arb(n) - self.size.width).max(arb(1)).sqrt()
        return self.root / spread + self.states * (3 * share + 2 * share**2)

    def inside(self, step: int) -> bool:
        """Whether a next step follows."""
        return step < self.horizon

    @cached_property
    def zeta(self) -> dict[int, arb]:
        """V(Z) at steps 2 .. H, at most, and 0 after step H."""
        values = {self.horizon + 1: arb(0)}
        for step in range(self.horizon, 1, -1):
            low = self.adversary.low * (step - 1)
            values[step] = values[step + 1] + self.conf(low)
        return values

    @cached_property
    def drift(self) -> arb:
        """By how much the looks lower V(Z) at most."""
        return self.zeta[2] * self.adversary.visits_of_looks / self.adversary.low

    @cached_property
    def raised(self) -> arb:
        """By how much the looks raise the value of y'_h at most, J/L."""
        return arb(self.adversary.visits_of_looks) / self.adversary.settled

    def new_value(self, step: int) -> arb:
        """v_h, the value of y'_h before the looks: without rewards at step 1."""
        if step > 1:
            return arb(self.adversary.value)
        return self.conf(self.adversary.settled) + self.zeta[2]

    def edge(self, n: int) -> arb:
        """G(n) = n (1 - conf~(n)): the sum at which n visits tie with y_h."""
        return n * (1 - self.conf(n))

    def units(self, step: int) -> int:
        """What user t of D adds to the sum of x_h."""
        return 2 if self.inside(step) else 1

    def per_level(self, step: int) -> int:
        """Visits that the users of a level add to x_h."""
        return 2 if self.inside(step) else 1

    @cached_property
    def fresh(self) -> dict[int, int]:
        """f_h, visits of x_h before user t: the fewest at which its rewards are 0 or more."""
        visits = {}
        for step in self.steps:
            slope, units = float((1 - self.zeta[step + 1]).mid()), self.units(step)
            wide = float(self.root.mid())
            n = math.floor(
                ((wide + math.sqrt(wide**2 + 4 * slope * max(0, units - 2))) / (2 * slope)) ** 2
            )
            while not self.rewards(step, n) >= 0:
                n += 1
            visits[step] = n
        return visits

    def rewards(self, step: int, n: int) -> arb:
        """R_h, the rewards of x_h before user t if it has n visits."""
        return self.edge(n + 1) + AHEAD - self.units(step) - self.zeta[step + 1] * n

    def slope(self, step: int, look: int) -> arb:
        """G(n) - G(n - 1) at the visits of x_h under D at a look."""
        n = self.fresh[step] + 1 + self.per_level(step) * look
        return self.edge(n) - self.edge(n - 1)

    def later_reward(self, step: int, look: int) -> arb:
        """The reward of the last user of a level who plays x_h, which restores AHEAD."""
        n = self.fresh[step] + 1 + self.per_level(step) * look
        if not self.inside(step):
            return self.edge(n + 1) - self.edge(n)
        return self.edge(n + 2) - self.edge(n) - self.adversary.value - self.zeta[step + 1]

    def shortfall(self, step: int) -> arb:
        """At least what x_h falls short of y_h by under D' at each look, E and the looks'
        traces off."""
        looks = self.adversary.looks
        traces = looks * self.raised + (looks + 1) * self.drift
        last = self.slope(step, looks - 1)
        return self.units(step) - last - AHEAD - traces - self.states * self.size.width

    def before(self, step: int) -> arb:
        """What x_h falls short of y_h by when user t of D plays it."""
        f = self.fresh[step]
        return self.units(step) - AHEAD - (self.edge(f + 1) - self.edge(f))

    def told(self, step: int) -> arb:
        """Units by which y'_h costs more under D' at a look."""
        if not self.inside(step):
            return arb(2)
        return 2 + self.adversary.value - self.drift * (1 + self.adversary.rare[step - 1])

    def down(self, step: int) -> arb:
        """What y'_h costs under D at a look, E and b aside: visits, and moves to Z."""
        n = self.adversary.rare[step - 1]
        return n * (1 + self.zeta[step + 1])

    def required(self, step: int) -> arb:
        """g_h: what the new and the old trajectory cost under D' at step h of a look."""
        return self.down(step) + self.told(step) + self.shortfall(step)

    @cached_property
    def look(self) -> arb:
        """C, the least noise of a look under D'."""
        return sum((self.required(step) for step in self.steps), arb(0))

    def elsewhere(self, step: int) -> arb:
        """The least noise with which user t of D' plays y'_h: weights are H at most."""
        return arb(self.adversary.rare[step - 1]) / (self.horizon if self.inside(step) else 1)

    @cached_property
    def evaded(self) -> arb:
        """What user t of D' saves over all looks by playing y'_h where that is cheaper."""
        saved = arb(0)
        for step in self.steps:
            lost = 2 + (self.adversary.value if self.inside(step) else 0)
            saved += (self.adversary.looks * lost - self.elsewhere(step)).max(arb(0))
        return saved

    @cached_property
    def gain(self) -> arb:
        """Units of noise that the event costs more under D', E and b aside."""
        looks = sum((self.told(step) + self.shortfall(step) for step in self.steps), arb(0))
        once = sum((self.before(step) for step in self.steps), arb(0))
        return self.adversary.looks * looks - self.evaded - once

    @cached_property
    def spread(self) -> arb:
        """K: what a change of all settled values by 1 can spare, at most."""
        visits = (self.fresh[step] + self.per_level(step) * (self.adversary.looks + 1)
                  for step in self.steps)  # fmt: skip
        return 6 * self.look + 3 * sum(visits)

    def routed(self) -> int:
        """Moves from F to other states at a step, at most."""
        adversary = self.adversary
        fresh = max(self.fresh.values())
        return 2 * adversary.settled + max(adversary.rare) + fresh + 2 * adversary.low

    def chains_of_o(self) -> Iterator[bool]:
        """Whether raising V(O) at the steps a .. b spares less than it costs."""
        most = arb(self.horizon - 1) / self.horizon  # of phi = d/(1 + d), as values are below H
        for start in range(2, self.horizon + 1):
            total, chained = arb(0), arb(0)
            for end in range(start, self.horizon + 1):
                total += self.fresh[end] - 2 - self.required(end - 1)
                if end > start:
                    chained += self.fresh[end - 1]
                yield bool(total >= most * chained)


def conditions(chain: Chain) -> dict[str, bool]:
    """What the proof asks of the numbers, each by its name."""
    adversary, horizon = chain.adversary, chain.horizon
    settled, looks = adversary.settled, adversary.looks
    fresh = max(chain.fresh.values())
    room = 2 * adversary.idle + 2 * adversary.low * (horizon - 1) + 2 * settled
    stiff = min(settled, adversary.low, adversary.idle) - chain.look
    known = chain.conf(settled) + chain.zeta[2]
    far = horizon * chain.conf(adversary.idle)
    far += arb(2 * adversary.visits_of_looks * horizon**2) / adversary.idle
    spread = arb(horizon * (horizon - 2) * chain.routed()) / adversary.idle
    rewards = [chain.later_reward(s, j) for s in chain.steps for j in (0, looks - 1)]
    return {
        "the first half has room at every step": (
            room + max(adversary.rare) + fresh <= 2 ** (adversary.first - 1)
            and 2 * adversary.low >= max(adversary.rare) + fresh + 2 * settled
            and 2**adversary.first > 2 * horizon
        ),
        "values are in (0, 1]": (
            bool(known <= adversary.value)
            and bool(adversary.value + chain.raised <= 1)
            and bool(chain.drift < chain.conf(settled) / 2)
        ),
        "c(n_h + 1) >= 1 + the value of y'_h": all(
            bool(chain.root / (arb(n + 1)).sqrt() >= 1 + chain.new_value(step) + chain.raised)
            for step, n in zip(chain.steps, adversary.rare, strict=True)
        ),
        "settled values are dear": bool(stiff >= (horizon + 2) * chain.spread),
        "V(O) is dear": all(chain.chains_of_o()),
        "V(F) is small": bool(far + spread <= arb("0.5")),
        "rewards are in [0, 1]": (
            all(bool(chain.rewards(step, f) <= f) for step, f in chain.fresh.items())
            and all(bool(value >= 0) and bool(value <= 1) for value in rewards)
        ),
        "a visit with a move to N keeps x_h ahead": all(
            bool(adversary.value - chain.drift >= chain.slope(step, looks) + arb("0.001"))
            for step in chain.steps[:-1]
        ),
        "traces of the looks are below AHEAD": bool(2 * (2 * looks + 2) * chain.drift <= AHEAD),
        "x_h falls short": all(bool(chain.shortfall(step) > 0) for step in chain.steps),
    }


def share(adversary: ChainAdversary, private: PrintedNoise) -> arb:
    """What loss/epsilon tends to, at least, as epsilon grows: gain/(3 H log T)."""
    chain = Chain(adversary, sizes(adversary, math.inf, private))
    return chain.gain / (3 * adversary.horizon * private.log(planned(adversary)))
