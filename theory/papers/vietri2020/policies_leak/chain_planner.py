r"""vietri2020/theorem-1: the event of :mod:`~theory.papers.vietri2020.policies_leak.chain` by the
package's planner, and the least noise that it needs by two other roads.

- :func:`planned`: PrivQ on the exact counts of a level and the noise of the proof decides as
  claimed, user by user.
- :func:`least_by_grid`: the least noise of a look, by a recursion over the steps and a grid of
  visits and of values of O. It shares no inequality with the proof.
- :func:`none_is_cheaper`: tried noise of less size, on all counters of a level, by the planner.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from privrl.agents.tabular.learner import aligned, released_sums
from privrl.agents.tabular.pucb import Confidence, PUCBWidths, plan
from privrl.agents.tabular.records import TabularPlan
from privrl.environments import random_mdp
from privrl.types import FloatArray
from theory.papers.vietri2020.policies_leak.chain import (
    ACTIONS,
    COUNTERS,
    STATES,
    Chain,
)
from theory.papers.vietri2020.policies_leak.chain_masses import nodes

NEW, OLD, LOW, FREE = 0, 1, 2, 3
KNOWN = 1  # the action y; x is 0
VISITS, REWARDS = 0, 1  # of a pair's counters; 2 + s are the moves to s


class SeenUser(NamedTuple):
    """A user of a level: where she decides what is looked at. step 0 is the user 2^k + 1."""

    step: int
    again: bool = False  #: B_h, else A_h

    def sees(self, horizon: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The steps at which she is seen to play y'_h at N, and x_h at O."""
        if self.again:
            return (), (self.step,)
        old = (self.step,) if self.step else ()
        return tuple(range(self.step + 1, horizon + 1)), old


def users(horizon: int) -> Iterator[SeenUser]:
    """The users of a level in their order."""
    yield SeenUser(0)
    for step in range(1, horizon + 1):
        yield SeenUser(step)
        if step < horizon:
            yield SeenUser(step, again=True)


def counts(chain: Chain, primed: bool, look: int, user: SeenUser) -> FloatArray:
    """The exact counts that ``user`` of a look meets under D or D' (``primed``), (H, S, A,
    2 + S); looks are told to add what keeps the proof's ties, rewards at Z and F are 0."""
    adversary, horizon = chain.adversary, chain.horizon
    zeta = {step: float(value.mid()) for step, value in chain.zeta.items()}
    exact = np.zeros((horizon, STATES, ACTIONS, COUNTERS))
    add, told = int(primed), int(not primed)
    for step in chain.steps:
        inside, at = chain.inside(step), exact[step - 1]
        n, fresh = adversary.rare[step - 1], chain.fresh[step]
        at[NEW, 0, [VISITS, REWARDS]] = n + add, add
        seen = step * look + (0 if user.step == 0 else min(user.step, step))
        value = float(chain.new_value(step).mid())
        settled = adversary.settled
        bonus = float(chain.conf(settled).mid())
        paid = settled * (value - bonus - zeta[step + 1]) if step > 1 else 0.0
        paid += 0.0 if inside else seen * value
        at[NEW, KNOWN, [VISITS, REWARDS]] = settled + seen, paid
        at[OLD, KNOWN, [VISITS, REWARDS]] = settled, settled * (1 - bonus - zeta[step + 1])
        went = look + int(user.step > step or (user.step == step and user.again))
        back = look + int(user.step > step)
        visits = fresh + (went + back if inside else back)
        rewards = float(chain.rewards(step, fresh).mid())
        rewards += sum(float(chain.later_reward(step, j).mid()) for j in range(back))
        at[OLD, 0, [VISITS, REWARDS]] = visits + told, rewards + told
        at[LOW, :, VISITS] = adversary.low * max(1, step - 1)
        at[FREE, :, VISITS] = adversary.idle
        if inside:
            at[NEW, 0, [2 + LOW, 2 + NEW]] = n, add
            at[NEW, KNOWN, [2 + LOW, 2 + NEW]] = settled, seen
            at[OLD, KNOWN, 2 + LOW] = settled
            at[OLD, 0, [2 + LOW, 2 + NEW, 2 + OLD]] = fresh + back, went, told
            at[LOW, :, 2 + LOW] = at[LOW, :, VISITS]
            at[FREE, :, 2 + FREE] = adversary.idle
    return exact


def masks(chain: Chain, released: FloatArray) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The greedy sets at N and at O of every step by the package's PrivQ: 1 is x alone, 2 is y
    alone."""
    horizon, pairs = chain.horizon, STATES * ACTIONS
    every = aligned(horizon * pairs * COUNTERS)
    arrays = released_sums(every, random_mdp(STATES, ACTIONS, horizon, 0))
    flat = released.reshape(horizon, pairs, COUNTERS)
    arrays.visits[:], arrays.rewards[:] = flat[..., VISITS], flat[..., REWARDS]
    arrays.successors[:] = np.moveaxis(flat[..., 2:], 2, 1)
    out = TabularPlan(
        np.zeros((horizon, pairs)),
        np.zeros((horizon + 1, STATES)),
        np.zeros((horizon, STATES), dtype=np.int64),
    )
    widths = PUCBWidths(float(chain.size.width.mid()), float(chain.size.logarithm.mid()))
    confidence = Confidence(aligned(horizon * pairs), aligned(horizon * pairs))
    plan(arrays, widths, confidence, out)
    return tuple(out.greedy[:, NEW].tolist()), tuple(out.greedy[:, OLD].tolist())


def noise_of_the_proof(
    chain: Chain, primed: bool, units: tuple[float, float] = (1.0, 1.0), look: int = 0
) -> FloatArray:
    """The noise of the node [1..2^k]: x'_h down to a little above 2E visits and its sum as far as
    its bonus asks; under D' besides ``units`` times what the new and the old trajectory tell."""
    noise = np.zeros((chain.horizon, STATES, ACTIONS, COUNTERS))
    b, width = float(chain.size.scale.mid()), float(chain.size.width.mid())
    moved = float(nodes(chain).moved.mid())
    steep = 2 * chain.states + float(chain.root.mid())
    for step in chain.steps:
        n, zeta = chain.adversary.rare[step - 1], float(chain.zeta[step + 1].mid())
        visits, fall = 2 * width + moved + b / 2, zeta * n + steep * (2 * width + 2 * moved + b)
        at = noise[step - 1]
        at[NEW, 0, VISITS] = visits - n
        at[NEW, 0, REWARDS] = -fall
        if primed:
            value = chain.adversary.value if chain.inside(step) else 0.0
            at[NEW, 0, VISITS] -= 1.0
            at[NEW, 0, REWARDS] -= units[0] * (1 + value + float(chain.raised.mid()))
            at[OLD, 0, REWARDS] = units[1] * (short_by(chain, step, look) + 1e-3)
    return noise


def short_by(chain: Chain, step: int, look: int = 0) -> float:
    """What x_h falls short of a tie by under D', without the traces that the proof gives away."""
    return float((chain.units(step) - chain.slope(step, look)).mid()) - 0.01


def decides(chain: Chain, primed: bool, noise: FloatArray, look: int) -> bool:
    """Whether all users of a level do as the event asks, with this noise in their common node."""
    for user in users(chain.horizon):
        new, old = user.sees(chain.horizon)
        at_n, at_o = masks(chain, counts(chain, primed, look, user) + noise)
        if any(at_n[step - 1] != 2 for step in new) or any(at_o[step - 1] != 1 for step in old):
            return False
    return True


def planned(chain: Chain) -> bool:
    """Whether the planner decides as the proof says at the first and the last look: x' at all steps
    without noise; the event under D with the noise of the proof; x' at all steps under D' with that
    noise, or with 0.98 of what the new trajectory tells besides; not x_h for any A_h with 0.98 of
    what the old one does; and the event under D' with all of it."""
    calm = (1,) * chain.horizon
    for look in (0, chain.adversary.looks - 1):
        least = noise_of_the_proof(chain, primed=False)
        for primed in (False, True):
            if masks(chain, counts(chain, primed, look, SeenUser(0)))[0] != calm:
                return False
        if not decides(chain, primed=False, noise=least, look=look):
            return False
        for units in (0.0, 0.98):
            noise = noise_of_the_proof(chain, primed=True, units=(units, 1.0), look=look)
            exact = counts(chain, primed=True, look=look, user=SeenUser(0))
            if masks(chain, exact + noise)[0] != calm:
                return False
            noise = noise_of_the_proof(chain, primed=True, units=(1.0, units), look=look)
            for step in chain.steps:
                exact = counts(chain, primed=True, look=look, user=SeenUser(step))
                if masks(chain, exact + noise)[1][step - 1] != 2:
                    return False
        noise = noise_of_the_proof(chain, primed=True, look=look)
        if not decides(chain, primed=True, noise=noise, look=look):
            return False
    return True


def least_by_grid(chain: Chain, points: int = 25) -> float:
    """The least noise of the first look under D', for all values of O from 1 to H on a grid and the
    best visits of x'_h and x_h on another; settled values as they are."""
    adversary, horizon = chain.adversary, chain.horizon
    width, root = float(chain.size.width.mid()), float(chain.root.mid())

    def sum_needed(visits: FloatArray, value: FloatArray | float) -> FloatArray:
        share = width / np.maximum(visits, 2 * width + 1e-12)
        conf = root / np.sqrt(np.maximum(visits - width, 1.0))
        conf += chain.states * (3 * share + 2 * share**2)
        return visits * (value - conf)

    raised = np.concatenate([[0.0], np.geomspace(1e-3, horizon - 1, points - 1)])
    later = np.zeros(1)  # least cost of all later steps, by how far O is raised at the next step
    weights = np.ones(1)
    for step in reversed(chain.steps):
        n, fresh = adversary.rare[step - 1] + 1, chain.fresh[step]
        zeta, told = float(chain.zeta[step + 1].mid()), 1.0
        if chain.inside(step):
            told += adversary.value + zeta * adversary.rare[step - 1]
        grid = np.concatenate(
            [[2 * width + 1e-9], np.linspace(0.05, n, 800), np.geomspace(n, 9 * n, 200)]
        )
        fall = np.maximum(told - sum_needed(grid, float(chain.new_value(step).mid())), 0)
        new = (np.abs(n - grid)[:, None] + fall[:, None] / weights).min(axis=0)
        total = float(chain.rewards(step, fresh).mid()) + zeta * fresh
        around = np.concatenate(
            [[2 * width + 1e-9], np.linspace(1, fresh, 800), fresh + np.geomspace(1e-2, fresh, 100)]
        )
        values = 1 + (raised if step > 1 else raised[:1])
        rise = np.maximum(sum_needed(around[:, None], values[None, :]) - total, 0)
        moved = np.abs(around - fresh)[:, None, None]
        old = (moved + rise[:, :, None] / weights).min(axis=0)
        later = (old + new + later).min(axis=1)
        weights = values
    return float(later[0])


def none_is_cheaper(chain: Chain, missing: float, drawn: int, seed: int = 7) -> bool:
    """Whether no tried noise of the size of the proof's less ``missing`` brings the event about
    under D'.

    What is missing is taken at one drawn place; at others up to a unit or two are taken and given
    to counters drawn among all that a plan reads.
    """
    rng = np.random.default_rng(seed)
    start = noise_of_the_proof(chain, primed=True)
    used = [tuple(place) for place in np.argwhere(start)]
    for index in range(drawn):
        noise, spare = start.copy(), -missing
        for place in rng.permutation(len(used))[: rng.integers(1, 4)]:
            at = used[place]
            taken = min(abs(noise[at]), max(0.0, -spare) + index * rng.exponential(0.5) / drawn)
            noise[at] -= math.copysign(taken, noise[at])
            spare += taken
        if spare < -1e-12:
            continue
        places = rng.integers(0, noise.size, 3)
        signs = np.where(rng.random(3) < 0.5, 1.0, -1.0)
        noise.reshape(-1)[places] += spare * rng.dirichlet(np.full(3, 0.4)) * signs
        if decides(chain, primed=True, noise=noise, look=0):
            return False
    return True


def half_price(chain: Chain, step: int, pinned: bool) -> bool:
    """Whether x_h wins under D' with half its shortfall as a move to N, the visits of x'_g at later
    steps pulled below 2E; ``pinned`` if A_h is also seen to play y'_g there."""
    noise = noise_of_the_proof(chain, primed=True)
    for later in range(step + 1, chain.horizon + 1):
        noise[later - 1, NEW, 0, VISITS] -= 3 * float(chain.size.width.mid()) + 1e-6
    noise[step - 1, OLD, 0, REWARDS] = 0.0
    noise[step - 1, OLD, 0, 2 + NEW] = 0.5 * short_by(chain, step) + 1e-2
    user = SeenUser(step)
    at_n, at_o = masks(chain, counts(chain, primed=True, look=0, user=user) + noise)
    seen = user.sees(chain.horizon)[0]
    return at_o[step - 1] == 1 and (not pinned or all(at_n[g - 1] == 2 for g in seen))
