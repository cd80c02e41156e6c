"""What the agents of linear mixture MDPs share: layout of the released sums, regression, value iteration, exact regret.

**Layout of the counter.** Step after step, a segment per step. A segment holds the sums of the transition regression,
then (zhou2022) those of the reward regression; each regression holds its Gram matrix and then its vector. A Gram matrix
is stored as its upper triangle, row by row, so the noise of a symmetric matrix is one number per entry i <= j. With d1
and d2 features that makes H (d1 (d1 + 1)/2 + d1 [+ d2 (d2 + 1)/2 + d2]) columns. The counter draws standard normals,
and the kernels multiply by the standard deviations.

**Blocks.** Where every pair (s, a) uses the coordinates of one block only (one-hot features: a block per pair), the
Gram matrices are block-diagonal whatever the data. Released by blocks, a Gram matrix is the triangles of its blocks,
the entries outside are zero and carry no noise, and the coordinates are ordered by blocks. Without noise both forms
agree.

**Regression.** Lambda = U'U by Cholesky, row by row. With Y = U'^-1 phi and y = U'^-1 u, the estimate <Lambda^-1 u,
phi> is y.Y and the squared norm phi' Lambda^-1 phi is Y.Y, for all pairs in one forward substitution.

**Dead work.** Values are computed for those (h, s) that the support of the features allows to be reached; no other
value enters a decision, a sum or the regret. V_{H+1} = 0, so the last step's transition regression is never solved.

**Ties.** Actions whose Q agree within 1e-9 times the cap count as tied (they would agree but for rounding), and an
action is drawn uniformly among them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from privrl import planning
from privrl.environments.linear_mixture import LinearMixtureMDP, blocks
from privrl.types import MOST_EPISODES, FloatArray, IntArray, array, instance, require

MAX_ACTIONS = 62  # the set of greedy actions of a state is one 64-bit mask


class Layout(NamedTuple):
    """Where one regression finds its sums in the segment of a step, and which pairs it scores at which step.

    A *design* is a block with pairs (without twins) that a step can reach, and their features for unit values of the
    next states that they use: phi_V of all its pairs is the sum of V(s') times a slice. Steps share designs.
    """

    dimension: int
    sizes: IntArray  # (B,), coordinates of a block
    grams: IntArray  # (B,), first entry of its triangle in the segment
    vectors: IntArray  # (B,), first entry of its vector in the segment
    block: IntArray  # (SA,), block of a pair
    twin: IntArray  # (SA,), the first pair with the same features, which alone is scored
    first: IntArray  # (H + 1,), first group of a step
    groups: IntArray  # (G,), designs of the steps
    owner: IntArray  # (D,), block of a design
    starts: IntArray  # (D + 1,), first column of a design
    columns: IntArray  # (C,), pairs
    heads: IntArray  # (D + 1,), first next state of a design
    after: IntArray  # (N,), next states
    places: IntArray  # (N,), first entry of the slice (m P,), pairs fastest
    slices: FloatArray  # the slices, one after the other


class Sparse(NamedTuple):
    """psi by pairs, for those next states where it is not zero, in the order of the blocks."""

    first: IntArray  # (SA + 1,), first entry of a pair
    after: IntArray  # (E,), next state
    weight: FloatArray  # (E, largest block), psi(s, a, s') on the block of the pair
    chance: FloatArray  # (H, E), true probability, for the exact regret


class Widths(NamedTuple):
    """Noise and bonus of one regression, see :mod:`privrl.agents.linear.widths`."""

    gram: FloatArray  # (H,), standard deviation of the noise in a Gram entry
    vector: FloatArray  # (H,)
    shift: FloatArray  # (H, 2): lambda, growth; the Gram matrix gets (lambda + growth sqrt(n)) I
    bonus: FloatArray  # (H, 8), see `width`


class Growth(NamedTuple):
    """Variance of the release after t episodes, over that of a draw, from above: see `linear_kernels.terms`."""

    mode: int
    fixed: float  # the largest of a run
    least: float  # the least after the first episode, from below
    weights: FloatArray  # of the set bits of t; or of t, and then of the exponentials
    rates: FloatArray  # (E,), of the exponentials, negative


class Work(NamedTuple):
    """Scratch of a kernel."""

    space: FloatArray
    upper: FloatArray  # (SA,), estimate plus bonus of the transitions; gain (SA,), of the rewards
    gain: FloatArray
    phi: FloatArray  # (largest block,)
    one: FloatArray  # (1,), what the only "next state" of the reward regression is worth


@dataclass(eq=False)
class Learner:
    """Everything that changes during a run, and what the simulation knows; the kernels write into these arrays.

    Parameters
    ----------
    statistics : (W,), exact running sums
    values : (H + 1, S), values of the last plan; q : (H, SA)
    greedy : (H, S), bit a is set when action a is played; 0 before the first plan
    played : (H + 1, S), exact values of the policy in force
    cells : (H, S), whether the support of the features allows to come to s at step h
    clock : (3,), finished episodes, checkpoints passed, regressions that were not positive definite
    totals : (2,), regret so far, regret of one episode of the policy in force
    checkpoints, regret : (C,)
    optimum : V*, expected total reward of the optimal policy
    rewards : (H, SA), mean rewards; initial, first : (S,)
    """

    statistics: FloatArray
    values: FloatArray
    q: FloatArray
    greedy: IntArray
    played: FloatArray
    cells: Any
    clock: IntArray
    totals: FloatArray
    checkpoints: IntArray
    regret: FloatArray
    optimum: float
    rewards: FloatArray
    initial: FloatArray
    first: FloatArray
    bernoulli: bool
    actions: int
    sparse: Sparse = field(repr=False)
    transitions: Layout = field(repr=False)
    reward_layout: Layout = field(repr=False)
    varphi: FloatArray = field(repr=False)  # (SA, largest block), on the block of the pair
    segment: int = 0

    @property
    def finished(self) -> int:
        """Episodes played so far."""
        return int(self.clock[0])


def parts(features: FloatArray, by_blocks: bool) -> list[IntArray]:
    """Blocks of coordinates that are released and solved one by one; a single one unless ``by_blocks``."""
    return blocks(features) if by_blocks else [np.arange(features.shape[-1])]


def width(mdp: LinearMixtureMDP, by_blocks: bool, known_rewards: bool) -> int:
    """W, the number of running sums of a run: see the layout above."""
    instance("mdp", mdp, LinearMixtureMDP)
    kinds = [mdp.psi] if known_rewards else [mdp.psi, mdp.varphi]
    sizes = [part.size for kind in kinds for part in parts(kind, by_blocks)]
    return mdp.horizon * sum(size * (size + 1) // 2 + size for size in sizes)


def reachable(mdp: LinearMixtureMDP) -> Any:
    """(H, S): states to which the support of the features allows some policy to come, a superset of the true ones."""
    support = (mdp.psi != 0).any(axis=-1)
    cells = np.zeros((mdp.horizon, mdp.states), dtype=np.bool_)
    cells[0] = mdp.initial > 0
    for step in range(mdp.horizon - 1):
        cells[step + 1] = support[cells[step]].any(axis=(0, 1))
    return cells


def _layout(features: FloatArray, pieces: list[IntArray], cells: Any, offset: int) -> tuple[Layout, int]:
    """Layout of a regression whose sums begin at ``offset`` of a segment; and where they end.

    ``features`` : (S, A, N, d), for N next states (rewards have one, which is always worth 1).
    """
    actions = features.shape[1]
    flat = features.reshape(-1, *features.shape[2:])
    found = np.unique(flat.reshape(flat.shape[0], -1), axis=0, return_index=True, return_inverse=True)
    twin = found[1][found[2].reshape(-1)]
    used = (flat != 0).any(axis=1)
    block = np.array([next((b for b, part in enumerate(pieces) if row[part].any()), 0) for row in used], dtype=np.int64)
    sizes = np.array([part.size for part in pieces], dtype=np.int64)
    triangles = sizes * (sizes + 1) // 2
    grams = offset + np.cumsum(triangles) - triangles
    vectors = offset + int(triangles.sum()) + np.cumsum(sizes) - sizes
    known: dict[tuple[int, ...], int] = {}
    first, starts, heads, slices, filled = [0], [0], [0], [np.zeros(0)], 0
    groups: list[int] = []
    owner: list[int] = []
    columns: list[int] = []
    after: list[int] = []
    places: list[int] = []
    for row in cells:
        pairs = np.unique(twin[np.repeat(row, actions)])
        for b in np.unique(block[pairs]):
            chosen = pairs[block[pairs] == b]
            design = known.setdefault((int(b), *chosen.tolist()), len(owner))
            groups.append(design)
            if design < len(owner):
                continue
            owner.append(int(b))
            columns += chosen.tolist()
            starts.append(len(columns))
            for state in np.flatnonzero((flat[chosen] != 0).any(axis=(0, 2))):
                after.append(int(state))
                places.append(filled)
                slices.append(flat[chosen, state][:, pieces[b]].T.ravel())
                filled += slices[-1].size
            heads.append(len(after))
        first.append(len(groups))
    dimension = int(sizes.sum())
    made = Layout(dimension, sizes, grams, vectors, block, twin, _ints(first), _ints(groups), _ints(owner),
                  _ints(starts), _ints(columns), _ints(heads), _ints(after), _ints(places), np.concatenate(slices))
    return made, offset + int(triangles.sum()) + dimension


def _ints(values: list[int]) -> IntArray:
    return np.array(values, dtype=np.int64)


def _on_block(features: FloatArray, pieces: list[IntArray], block: IntArray) -> FloatArray:
    """(SA, rows, d) features to (SA, rows, largest block), each pair on its own block."""
    out = np.zeros((*features.shape[:2], max(part.size for part in pieces)))
    for pair, b in enumerate(block):
        out[pair, :, : pieces[b].size] = features[pair][:, pieces[b]]
    return out


def learner(mdp: LinearMixtureMDP, checkpoints: IntArray, by_blocks: bool, known_rewards: bool) -> Learner:
    """A learner that has seen nothing; checkpoints increasing, at least 1."""
    instance("mdp", mdp, LinearMixtureMDP)
    require(mdp.actions <= MAX_ACTIONS, f"a linear agent takes at most {MAX_ACTIONS} actions", actions=mdp.actions)
    given = array("checkpoints", checkpoints, (None,))
    whole = bool((given == np.floor(given)).all() and given[-1] <= MOST_EPISODES)
    require(whole and bool((np.diff(given) > 0).all()) and given[0] >= 1,
            f"checkpoints must be whole, increase, and be in 1..{MOST_EPISODES}", checkpoints=given.tolist()[:5])
    table = mdp.tabular()
    horizon, states, actions = table.rewards.shape
    pairs = states * actions
    cells = reachable(mdp)
    pieces = parts(mdp.psi, by_blocks)
    transitions, segment = _layout(mdp.psi, pieces, cells, 0)
    pieces_r = parts(mdp.varphi, by_blocks)
    reward_layout, end = _layout(mdp.varphi[:, :, None], pieces_r, cells, segment)
    psi = _on_block(mdp.psi.reshape(pairs, states, -1), pieces, transitions.block)
    where = [np.flatnonzero(rows.any(axis=1)) for rows in psi]
    ends = np.cumsum([0] + [found.size for found in where]).astype(np.int64)
    after = np.concatenate(where).astype(np.int64)
    owner = np.repeat(np.arange(pairs), np.diff(ends))
    flat = table.transitions.reshape(horizon, pairs, states)
    values, _ = planning.optimal(table)
    first = np.cumsum(table.initial)
    first[-1] = 1.0
    varphi = _on_block(mdp.varphi.reshape(pairs, 1, -1), pieces_r, reward_layout.block)[:, 0]
    return Learner(
        statistics=np.zeros(width(mdp, by_blocks, known_rewards)),
        values=np.zeros((horizon + 1, states)),
        q=np.zeros((horizon, pairs)),
        greedy=np.zeros((horizon, states), dtype=np.int64),
        played=np.zeros((horizon + 1, states)),
        cells=cells,
        clock=np.zeros(3, dtype=np.int64),
        totals=np.zeros(2),
        checkpoints=given.astype(np.int64),
        regret=np.zeros(given.size),
        optimum=float(table.initial @ values[0]),
        rewards=table.rewards.reshape(horizon, pairs).copy(),
        initial=table.initial.copy(),
        first=first,
        bernoulli=table.bernoulli,
        actions=actions,
        sparse=Sparse(ends, after, psi[owner, after].copy(), flat[:, owner, after].copy()),
        transitions=transitions,
        reward_layout=reward_layout,
        varphi=np.ascontiguousarray(varphi),
        segment=segment if known_rewards else end,
    )


def scratch(state: Learner) -> Work:
    """Room for the largest block with all pairs."""
    pairs = state.q.shape[1]
    largest = int(max(state.transitions.sizes.max(), state.reward_layout.sizes.max()))
    space = np.zeros(largest * (largest + 1) // 2 + largest + (largest + 2) * pairs)
    return Work(space, np.zeros(pairs), np.zeros(pairs), np.zeros(state.sparse.weight.shape[1]), np.ones(1))


def check_blocks(state: Learner, noise: FloatArray, coins: FloatArray, ties: FloatArray) -> None:
    """``ValueError`` unless the blocks fit the learner: a kernel reads what it is given, unchecked."""
    instance("noise", noise, np.ndarray)
    rows = noise.shape[0] if noise.ndim == 2 else 0
    horizon, sums = state.greedy.shape[0], state.statistics.size
    for name, block, columns in (("noise", noise, sums), ("coins", coins, 1 + 2 * horizon), ("ties", ties, horizon)):
        instance(name, block, np.ndarray)
        require(block.shape == (rows, columns) and block.dtype == np.float64 and rows > 0,
                f"{name} must be float64 of shape (rows, {columns}), as many rows in every block, at least one",
                shape=block.shape, dtype=str(block.dtype))
    for name, block in (("coins", coins), ("ties", ties)):
        low, high = float(block.min()), float(block.max())
        require(low >= 0 and high < 1, f"{name} must be in [0, 1)", smallest=low, largest=high)
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(noise.sum())
    require(math.isfinite(total) or bool(np.isfinite(noise).all()), "noise must be finite", noise="NaN or infinity")
