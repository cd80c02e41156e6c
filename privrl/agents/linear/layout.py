"""Layout of the released sums of linear mixture MDPs, and of the features that a regression scores.

A segment per step, step after step. A segment holds the sums of the transition regression, then
(zhou2022) those of the reward regression; each regression holds its Gram matrix and then its
vector. A Gram matrix is stored as its upper triangle, row by row, so the noise of a symmetric
matrix is one number per entry i <= j. With d1 and d2 features that makes H (d1 (d1 + 1)/2 + d1 [+
d2 (d2 + 1)/2 + d2]) columns.

**Blocks.** Where every pair (s, a) uses the coordinates of one block only (one-hot features: a
block per pair), the Gram matrices are block-diagonal whatever the data. Released by blocks, a Gram
matrix is the triangles of its blocks, the entries outside are zero and carry no noise, and the
coordinates are ordered by blocks. Without noise both forms agree.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from privrl.agents.linear.records import Layout
from privrl.checks import instance
from privrl.environments.linear_mixture import LinearMixtureMDP, blocks
from privrl.types import FloatArray, IntArray


def parts(features: FloatArray, by_blocks: bool) -> list[IntArray]:
    """Blocks of coordinates that are released and solved one by one; a single one unless
    ``by_blocks``."""
    return blocks(features) if by_blocks else [np.arange(features.shape[-1])]


def sums_of_step(sizes: Iterable[int]) -> int:
    """Running sums of one step: for each size d a triangle of d (d + 1)/2 and a vector of d."""
    return sum(size * (size + 1) // 2 + size for size in sizes)


def width(mdp: LinearMixtureMDP, by_blocks: bool, known_rewards: bool) -> int:
    """W, the number of running sums of a run."""
    instance("mdp", mdp, LinearMixtureMDP)
    kinds = [mdp.psi] if known_rewards else [mdp.psi, mdp.varphi]
    sizes = [block.size for kind in kinds for block in parts(kind, by_blocks)]
    return mdp.horizon * sums_of_step(sizes)


def reachable(mdp: LinearMixtureMDP) -> Any:
    """(H, S): states to which the support of the features allows some policy to come, a superset of
    the true ones."""
    support = (mdp.psi != 0).any(axis=-1)
    cells = np.zeros((mdp.horizon, mdp.states), dtype=np.bool_)
    cells[0] = mdp.initial > 0
    for step in range(mdp.horizon - 1):
        cells[step + 1] = support[cells[step]].any(axis=(0, 1))
    return cells


def layout(
    features: FloatArray, pieces: list[IntArray], cells: Any, offset: int
) -> tuple[Layout, int]:
    """Layout of a regression whose sums begin at ``offset`` of a segment, and where they end.

    ``features`` : (S, A, N, d), for N next states (rewards have one, which is always worth 1).
    """
    actions = features.shape[1]
    flat = features.reshape(-1, *features.shape[2:])
    distinct = np.unique(
        flat.reshape(flat.shape[0], -1), axis=0, return_index=True, return_inverse=True
    )
    twin = distinct[1][distinct[2].reshape(-1)]
    used = (flat != 0).any(axis=1)
    block = np.array(
        [next((b for b, block in enumerate(pieces) if row[block].any()), 0) for row in used],
        dtype=np.int64,
    )
    sizes = np.array([block.size for block in pieces], dtype=np.int64)
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
    result = Layout(
        dimension,
        sizes,
        grams,
        vectors,
        block,
        twin,
        _ints(first),
        _ints(groups),
        _ints(owner),
        _ints(starts),
        _ints(columns),
        _ints(heads),
        _ints(after),
        _ints(places),
        np.concatenate(slices),
    )
    return result, offset + int(triangles.sum()) + dimension


def _ints(values: list[int]) -> IntArray:
    """(len,), of 64 bits."""
    return np.array(values, dtype=np.int64)


def on_block(features: FloatArray, pieces: list[IntArray], block: IntArray) -> FloatArray:
    """The features (SA, rows, d) on each pair's own block, (SA, rows, largest block)."""
    out = np.zeros((*features.shape[:2], max(block.size for block in pieces)))
    for pair, b in enumerate(block):
        out[pair, :, : pieces[b].size] = features[pair][:, pieces[b]]
    return out
