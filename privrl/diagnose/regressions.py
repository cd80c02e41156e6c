"""The two regressions of a replayed run on a linear mixture: whether the truth lies in the
ellipsoid around each estimate (zhou2022/lemma-3.1), and whether the regularisers are as assumed."""

import math
from typing import NamedTuple

import numpy as np

from privrl.agents.linear import widths as lw
from privrl.agents.linear.kernels import width_of
from privrl.agents.linear.ldp_ucrl_vtr import LDPUCRLVTR, largest_reward
from privrl.agents.linear.linopt_vi import LinOpt
from privrl.agents.linear.records import Estimator, Layout, Widths
from privrl.agents.linear.ucrl_vtr import UCRLVTR
from privrl.environments.linear_mixture import LinearMixtureMDP
from privrl.types import FloatArray, IntArray

MixtureAgents = LinOpt | LDPUCRLVTR | UCRLVTR
DIAGNOSIS_SLACK = 1e-9


def limits_of(
    mdp: LinearMixtureMDP, agent: MixtureAgents, planned: int, widths: Widths, which: int
) -> tuple[float, FloatArray, FloatArray]:
    """x, Gamma (H,) and Z (H,) of :mod:`privrl.agents.linear.widths`: ||N|| <= Gamma sqrt(n), ||z||
    <= Z sqrt(n)."""
    blocks = agent.calibrate(mdp, planned).by_blocks
    spread, tail = 1.0, math.inf
    if agent.calibration in ("corrected", "tight") and agent.counter != "none":
        if which == 0:
            known = lw.transitions(mdp, blocks, largest_reward(mdp) if agent.known_rewards else 1.0)
        else:
            known = lw.rewards(mdp, blocks)
        events = 3 if agent.known_rewards else 6
        level = lw.Level(agent.alpha / events, mdp.horizon, max(planned - 1, 1))
        sharp = agent.calibration == "tight"
        if sharp:
            spread = lw.sharpest(known, level)[1]
        tail = level.vector_factor(known.dimension, known.count, sharp)
    elif isinstance(agent, LinOpt):
        size = mdp.psi.shape[3] if which == 0 else mdp.varphi.shape[2]
        tail = math.sqrt(size) + math.sqrt(2 * math.log(4 * planned * mdp.horizon / agent.alpha))
    long = np.where(widths.vector > 0, np.where(widths.vector > 0, widths.vector, 1.0) * tail, 0.0)
    return spread, widths.shift[:, 1] / (1 + spread), long


class ReplayedRegression(NamedTuple):
    """One of the two regressions of a run."""

    features: FloatArray  #: (S, A, N, d)
    pieces: list[IntArray]  #: coordinates of each block
    theta: FloatArray  #: (H, d), the truth
    ahead: FloatArray  #: (K, H + 1, N), what the N next states are worth
    estimator: Estimator
    known: tuple[float, FloatArray, FloatArray]  #: as of :func:`limits_of`
    moves: bool  #: whether it is of transitions, of which the last step needs none


def regression_terms(
    regression: ReplayedRegression, sums: FloatArray, noise: FloatArray, n: IntArray
) -> tuple[FloatArray, ...]:
    """Distance, radius, least, regular, limits (K, H, ..) and Gamma (K, H, S, A)."""
    features, pieces, theta, ahead, estimator, known, moves = regression
    layout, widths, segment = estimator
    episodes, horizon = len(sums), theta.shape[0]
    shape = (episodes, horizon)
    distance, radius, least = np.zeros(shape), np.zeros(shape), np.full(shape, np.inf)
    regular, limits = np.zeros((*shape, 3)), np.zeros((*shape, 3))
    regular[..., 0] = np.inf
    gamma = np.zeros((*shape, *features.shape[:2]))
    spread, big, long = known
    root, active = np.sqrt(n), (n > 0).astype(np.float64)
    for h in range(horizon):
        shift = widths.shift[h, 0] + widths.shift[h, 1] * root  # (K,)
        limits[:, h, 0] = widths.shift[h, 0] + spread * big[h] * root
        limits[:, h, 1] = widths.shift[h, 0] + (2 + spread) * big[h] * root
        if big[h] > 0:
            limits[:, h, 2] = (
                long[h] * np.sqrt(root / (spread * big[h])) if math.isfinite(long[h]) else math.inf
            )
        phi = np.einsum("xyzi,kz->kxyi", features, ahead[:, h + 1])
        for b, piece in enumerate(pieces):
            gram, vector = _unpack(sums, h * segment, layout, b)
            noise_gram, noise_vector = _unpack(noise, h * segment, layout, b)
            z = active[:, None] * widths.vector[h] * noise_vector
            regulariser = active[:, None, None] * widths.gram[h] * noise_gram + shift[
                :, None, None
            ] * np.eye(piece.size)
            values, axes = np.linalg.eigh(regulariser)
            along = np.einsum("kij,ki->kj", axes, z)
            regular[:, h, 0] = np.minimum(regular[:, h, 0], values[:, 0])
            regular[:, h, 1] = np.maximum(regular[:, h, 1], values[:, -1])
            squares = (along**2 / np.where(values > 0, values, np.nan)).sum(axis=1)
            length = np.where(np.isnan(squares), np.inf, np.sqrt(squares))
            regular[:, h, 2] = np.maximum(regular[:, h, 2], length)
            matrix = gram + regulariser
            values, axes = np.linalg.eigh(matrix)
            least[:, h] = np.minimum(least[:, h], values[:, 0])
            if moves and h == horizon - 1:  # V_{H+1} = 0: nothing is estimated
                continue
            fine = values[:, 0] > 0
            inverse = np.where(fine[:, None], 1 / np.where(values > 0, values, 1.0), 0.0)
            logs = np.log(np.where(values > 0, values, 1.0)).sum(axis=1)
            width = np.array([width_of(widths.bonus[h], k, n[k], logs[k]) for k in range(episodes)])
            difference = np.einsum(
                "kij,kj->ki", matrix, np.broadcast_to(theta[h, piece], (episodes, piece.size))
            )
            # Lambda (theta - theta^), in the axes of Lambda
            difference = np.einsum("kij,ki->kj", axes, difference - vector - z)
            apart = np.sqrt((difference**2 * inverse).sum(axis=1))
            ratio = np.where(fine, apart / np.where(width > 0, width, np.nan), np.inf)
            # a width of zero
            ratio = np.where(np.isnan(ratio), np.where(apart > DIAGNOSIS_SLACK, np.inf, 0.0), ratio)
            distance[:, h] = np.maximum(distance[:, h], ratio)
            radius[:, h] = np.maximum(radius[:, h], width)
            turned = np.einsum("kij,kxyi->kxyj", axes, phi[..., piece])
            norm = np.sqrt((turned**2 * inverse[:, None, None]).sum(axis=-1))
            bonus = np.where(fine[:, None, None], width[:, None, None] * norm, np.inf)
            mine = (features[..., piece] != 0).any(axis=(2, 3))
            gamma[:, h] = np.where(mine, bonus, gamma[:, h])
    return distance, radius, least, regular, limits, gamma


def _unpack(
    sums: FloatArray, base: int, layout: Layout, block: int
) -> tuple[FloatArray, FloatArray]:
    """Symmetric matrices (K, m, m) and vectors (K, m) of one block of a step, from rows (K, W)."""
    m = int(layout.sizes[block])
    upper = np.triu_indices(m)
    gram = np.zeros((len(sums), m, m))
    at, to = base + int(layout.grams[block]), base + int(layout.vectors[block])
    triangle = sums[:, at : at + len(upper[0])]
    gram[:, upper[0], upper[1]] = gram[:, upper[1], upper[0]] = triangle
    return gram, sums[:, to : to + m]


def no_regression(like: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
    """A regression that is not there: covered, regular, without a bonus."""
    distance, radius, least, regular, limits, gamma = (np.zeros_like(array_) for array_ in like)
    return distance, radius, least + 1.0, regular, limits, gamma
