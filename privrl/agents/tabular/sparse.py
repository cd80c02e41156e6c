"""Private UCBVI where it is public which states can follow which pair
(:class:`privrl.environments.SparseMDP`).

Released are r (H, SA) and, of m, the Z cells (s, a, s') that are possible: H (SA + Z) sums in place
of SAH (1 + S). The others are zero whatever the data, so nothing is lost, and a user moves one cell
of each family a step as before: the sensitivity is the same. In the proof sums over s' run over the
cells of a pair, so that B, the largest number of cells of a pair, stands for S
(``theory.lemmas.private_ucbvi``). On a support of all states it is the dense agent, cell by cell in
another order. Cells follow their pairs, x = s A + a, by increasing next state.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from privrl.agents.blocks import Blocks, account
from privrl.agents.compiled import inlined, kernel
from privrl.agents.steps import MAX_ACTIONS, draw_action
from privrl.agents.sums import Exact, Noisy, public, secret
from privrl.agents.tabular.kernels import adopt, finish, maximise
from privrl.agents.tabular.learner import TabularState
from privrl.agents.tabular.records import TabularPlan, TabularReleased, TabularSums, TabularTally
from privrl.agents.tabular.ucbvi import Bonus, UCBVILearner
from privrl.agents.trajectory import Trajectory
from privrl.checks import instance, require
from privrl.environments.sparse import SparseMDP
from privrl.types import Entries, FloatArray, IntArray


@secret
class SparseWorld(NamedTuple):
    """The true environment, read-only; no planner reads it.

    As :class:`privrl.agents.tabular.records.TabularWorld`, by cells.
    """

    chance: FloatArray  #: (H, Z), probability of a cell
    rewards: FloatArray
    initial: FloatArray
    first: FloatArray
    reachable: IntArray
    optimum: float
    bernoulli: bool


@public
class Cells(NamedTuple):
    """What is public: at step h cells ``heads[h, x]`` to ``heads[h, x + 1]`` belong to the pair x,
    and lead to ``after``."""

    heads: IntArray  #: (H, SA + 1)
    after: IntArray  #: (H, Z)


@public
class SparseKnown(NamedTuple):
    """What is known before the first episode: cells, the stretches of r and m, and the bonus."""

    cells: Cells
    ratios: FloatArray
    bonus: Bonus


def start(mdp: SparseMDP, checkpoints: IntArray, *, pruned: bool = False) -> SparseState:
    """A state that has seen nothing; checkpoints increasing, at least 1.

    ``pruned`` : whether states after the last step are not told apart: a pair has one cell there

    In the sums r (H, SA) and m (H, Z) are views of ``every``; n (H, SA) is not: n~ is the sum of m~
    of a pair's cells.
    """
    instance("mdp", mdp, SparseMDP)
    require(
        mdp.actions <= MAX_ACTIONS,
        f"a tabular agent takes at most {MAX_ACTIONS} actions",
        actions=mdp.actions,
    )
    horizon, states = mdp.horizon, mdp.states
    chance, rewards, heads = mdp.chance, mdp.rewards.reshape(horizon, -1), mdp.first
    values, reachable = (
        np.zeros((horizon + 1, states)),
        np.zeros((horizon + 1, states), dtype=np.int64),
    )
    for h in reversed(range(horizon)):
        ahead = np.add.reduceat(chance[h] * values[h + 1, mdp.after], heads[:-1])
        values[h] = (rewards[h] + ahead).reshape(states, -1).max(axis=1)
    reachable[0], owner = (
        mdp.initial > 0,
        np.repeat(np.arange(rewards.shape[1]), np.diff(heads)) // mdp.actions,
    )
    for h in range(horizon):
        reachable[h + 1, mdp.after[(reachable[h, owner] > 0) & (chance[h] > 0)]] = 1
    first, cells = np.cumsum(mdp.initial), every_step(mdp)
    first[-1] = 1.0
    if pruned:
        number = rewards.shape[1]
        cells.heads[-1], cells.after[-1] = np.arange(number + 1), 0
        chance = chance.copy()
        chance[-1] = np.arange(chance.shape[1]) < number
    world = SparseWorld(
        chance,
        rewards,
        mdp.initial,
        first,
        reachable[:-1].copy(),
        float(mdp.initial @ values[0]),
        mdp.bernoulli,
    )
    plan = TabularPlan(
        np.zeros(rewards.shape),
        np.zeros((horizon + 1, states)),
        np.zeros((horizon, states), dtype=np.int64),
    )
    tally = TabularTally(
        np.zeros_like(plan.greedy), np.zeros_like(plan.values), *account(checkpoints)
    )
    every, n, r, m = views(mdp)
    sums = TabularSums(Exact(every), Exact(n), Exact(r), Exact(m))
    every, n, r, m = views(mdp)
    return SparseState(
        world,
        sums,
        TabularReleased(Noisy(every), Noisy(n), Noisy(r), Noisy(m)),
        plan,
        tally,
        cells,
    )


def every_step(mdp: SparseMDP) -> Cells:
    """The possible cells, at every step the same."""
    steps = (mdp.horizon, 1)
    return Cells(np.tile(mdp.first, steps), np.tile(mdp.after, steps))


def views(mdp: SparseMDP) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Zeros for the sums, n beside them, and r and m in them."""
    shape = (mdp.horizon, mdp.states * mdp.actions)
    every = np.zeros(mdp.rewards.size + mdp.chance.size)
    r, m = np.split(every, [mdp.rewards.size])
    return every, np.zeros(shape), r.reshape(shape), m.reshape(mdp.chance.shape)


@dataclass(eq=False)
class SparseState(TabularState[SparseWorld]):
    """As the base class, with records by cells, and the public ``cells``."""

    cells: Cells


class SparseLearner(UCBVILearner[SparseWorld]):
    """A run of private UCBVI by cells in progress."""

    state: SparseState

    def play(self, blocks: Blocks) -> None:
        known = SparseKnown(self.state.cells, self.ratios, self.bonus)
        advance(blocks, known, *self.state.records)

    def renew(self, noise: FloatArray, *, scaled: bool) -> None:
        state, ratios = self.state, self.ratios
        release(
            state.sums,
            noise,
            0,
            np.ones_like(ratios) if scaled else ratios,
            state.cells,
            state.released,
        )
        plan(state.released, self.bonus, state.cells, state.plan)

    def play_on(self, blocks: Blocks) -> None:
        state = self.state
        follow(blocks, state.cells, state.world, state.sums, state.plan, state.tally)

    def entries(self, trajectory: Trajectory) -> Entries:
        states_seen, pairs, gained = self.steps(trajectory)
        heads, after = self.state.cells
        steps, ones, cells = np.arange(pairs.size), np.ones(pairs.size), []
        for h, x in enumerate(pairs):
            begin, end = heads[h, x : x + 2]
            cell = begin + int(np.searchsorted(after[h, begin:end], states_seen[h + 1]))
            require(
                cell < end and after[h, cell] == states_seen[h + 1],
                "the support must allow every step",
                step=h,
                pair=int(x),
                next=int(states_seen[h + 1]),
            )
            cells.append(h * after.shape[1] + cell)
        r = steps * self.state.sums.rewards.shape[1] + pairs
        places = np.concatenate([r, self.state.sums.rewards.size + np.array(cells)])
        released = places < self._released
        values = np.concatenate([gained, ones])
        return Entries(places[released], values[released], self._released)


@inlined
def release(
    sums: TabularSums,
    noise: FloatArray,
    row: int,
    ratios: FloatArray,
    cells: Cells,
    released: TabularReleased,
) -> None:
    """Add stretched noise to r and m; the sum of m~ stands for n~."""
    _, _, r, m = sums
    _, n_noisy, r_noisy, m_noisy = released
    heads, _ = cells
    horizon, pairs = r.shape
    for h in range(horizon):
        at, to = h * pairs, horizon * pairs + h * m.shape[1]
        for x in range(pairs):
            r_noisy[h, x] = r[h, x] + ratios[0, h] * noise[row, at + x]
            total = 0.0
            for cell in range(heads[h, x], heads[h, x + 1]):
                m_noisy[h, cell] = m[h, cell] + ratios[1, h] * noise[row, to + cell]
                total += m_noisy[h, cell]
            n_noisy[h, x] = total


@inlined
def plan(released: TabularReleased, bonus: Bonus, cells: Cells, agent_plan: TabularPlan) -> None:
    """Q+ as in :mod:`privrl.agents.tabular.private_ucbvi`, backwards over h."""
    _, n, r, m = released
    widths, surplus, factors = bonus
    q, values, greedy = agent_plan
    heads, after = cells
    horizon, pairs = r.shape
    for h in range(horizon - 1, -1, -1):
        cap, width, factor = float(horizon - h), widths[h], factors[h]
        for x in range(pairs):
            total = r[h, x] + width
            for cell in range(heads[h, x], heads[h, x + 1]):
                total += values[h + 1, after[h, cell]] * max(m[h, cell], 0.0)
            bound = (total + factor * math.sqrt(max(n[h, x] + surplus, 0.0))) / n[h, x]
            q[h, x] = max(0.0, min(cap, bound)) if n[h, x] > 0.0 else cap
        maximise(h, q, values, greedy)


@inlined
def play(
    world: SparseWorld, cells: Cells, greedy: IntArray, blocks: Blocks, row: int, sums: TabularSums
) -> None:
    """Follow the plan for one episode, with the uniforms of a row, and count rewards and next
    states."""
    chance, means, _, first, _, _, bernoulli = world
    _, coins, ties = blocks
    _, _, rewards, successors = sums
    heads, after = cells
    horizon, states = greedy.shape
    actions = means.shape[1] // states
    s = 0
    while coins[row, 0] >= first[s]:
        s += 1
    for h in range(horizon):
        x = s * actions + draw_action(greedy[h, s], ties[row, h])
        cell, last = heads[h, x], heads[h, x + 1] - 1
        reached = chance[h, cell]
        while coins[row, 1 + 2 * h] >= reached and cell < last:
            cell += 1
            reached += chance[h, cell]
        while chance[h, cell] == 0.0:  # rounding must not lead to a state of probability zero
            cell -= 1
        reward = means[h, x]
        if bernoulli:
            reward = 1.0 if coins[row, 2 + 2 * h] < reward else 0.0
        rewards[h, x] += reward
        successors[h, cell] += 1.0
        s = after[h, cell]


@inlined
def evaluate(
    h: int, greedy: IntArray, world: SparseWorld, cells: Cells, values: FloatArray
) -> bool:
    """Compute the exact values at step h of playing uniformly among the greedy actions; whether one
    has changed."""
    chance, rewards, _, _, reachable, _, _ = world
    heads, after = cells
    states = greedy.shape[1]
    actions = rewards.shape[1] // states
    changed = False
    for s in range(states):
        if reachable[h, s]:
            total, ties = 0.0, 0
            for a in range(actions):
                if (greedy[h, s] >> a) & 1:
                    x = s * actions + a
                    ties += 1
                    total += rewards[h, x]
                    for cell in range(heads[h, x], heads[h, x + 1]):
                        total += chance[h, cell] * values[h + 1, after[h, cell]]
            total /= ties
            changed |= total != values[h, s]
            values[h, s] = total
    return changed


@inlined
def tally(world: SparseWorld, cells: Cells, greedy: IntArray, record: TabularTally) -> None:
    """Count an episode and the exact regret of its plan; record at a checkpoint."""
    _, _, initial, _, reachable, optimum, _ = world
    changed = False  # whether the value of the plan changed at the step above
    for h in range(greedy.shape[0] - 1, -1, -1):
        changed |= adopt(h, greedy, record.greedy, reachable)
        if changed:
            changed = evaluate(h, greedy, world, cells, record.values)
    finish(initial, optimum, changed, record)


@kernel
def follow(
    blocks: Blocks,
    cells: Cells,
    world: SparseWorld,
    sums: TabularSums,
    agent_plan: TabularPlan,
    record: TabularTally,
) -> None:
    """Play the episodes of some blocks by the plan in force."""
    for row in range(blocks.coins.shape[0]):
        play(world, cells, agent_plan.greedy, blocks, row, sums)
        tally(world, cells, agent_plan.greedy, record)


@kernel
def advance(
    blocks: Blocks,
    known: SparseKnown,
    world: SparseWorld,
    sums: TabularSums,
    released: TabularReleased,
    agent_plan: TabularPlan,
    record: TabularTally,
) -> None:
    """Private UCBVI by cells, for the episodes of some blocks."""
    cells = known.cells
    for row in range(blocks.coins.shape[0]):
        release(sums, blocks.noise, row, known.ratios, cells, released)
        plan(released, known.bonus, cells, agent_plan)
        play(world, cells, agent_plan.greedy, blocks, row, sums)
        tally(world, cells, agent_plan.greedy, record)
