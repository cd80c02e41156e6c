"""Noise and bonuses of the agents of linear mixture MDPs: the pieces that several calibrations
share.

What the noise of a release does to a regression, and the width that covers it:
``theory.lemmas.regression_widths``.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from privrl.agents.linear.kernels import BITS, EACH, FIXED, NONE, SERIES
from privrl.agents.linear.layout import parts
from privrl.agents.linear.records import (
    BASE,
    LOGARITHM_RATE,
    OF_NOISE,
    OF_ROOT,
    ROOT_DETERMINANT,
    ROOT_FIXED,
    ROOT_LOGARITHM,
    Growth,
    Widths,
)
from privrl.environments.linear_mixture import LinearMixtureMDP
from privrl.privacy import accounting
from privrl.privacy.counters import mechanisms
from privrl.privacy.counters.stream import levels
from privrl.privacy.gaussian_norms import (
    norm_bound,
    norm_quantile,
    operator_bound,
    operator_quantile,
)
from privrl.privacy.sensitivity import features_joint
from privrl.types import FloatArray, IntArray

COUNTERS = tuple(
    name for name in mechanisms.SINGLE if name == "none" or "gaussian" in mechanisms.laws(name)
)


@dataclass(frozen=True, eq=False)
class LinearCalibration:
    """What an agent derives from its parameters before the first episode."""

    #: fields that the multiplier of the widths moves
    multiplied: ClassVar[tuple[str, ...]] = ("transitions/bonus", "rewards/bonus")
    transitions: Widths  #: noise and bonus of the regression
    rewards: Widths  #: likewise
    caps: FloatArray  #: (H,), Q_h is clipped to it from above
    floor: float  #: and to this from below (-infinity: not at all)
    growth: Growth  #: variance of a release, see `kernels.terms`
    by_blocks: bool  #: whether the Gram matrices are released and solved block by block


@dataclass(frozen=True, eq=False)
class RegressionBounds:
    """What the agent knows of a regression before it starts."""

    sizes: FloatArray  #: (H,), bound of ||phi|| at a step
    bounds: FloatArray  #: (H,), bound of the target
    #: (H,), bound of the norm of phi phi' (entries i <= j), which grows with the square of phi
    released: FloatArray
    apart: bool  #: whether different pairs (s, a) have features without common coordinates
    dimension: int  #: coordinates of the largest block
    count: int  #: blocks
    theta: float  #: bound of the norm of theta on a block

    def change(self, step: int, gram: float, vector: float) -> float:
        """How far one replaced user moves both sums of a step, in units of their noise (l2)."""
        size, bound = float(self.sizes[step]), float(self.bounds[step])
        if size * bound == 0:
            return 0.0
        if not self.apart:
            return features_joint(size, bound, gram, vector).value
        # two pairs without common coordinates; or one pair, and then only the target moves, which
        # is less
        return math.sqrt(
            2 * ((float(self.released[step]) / gram) ** 2 + (size * bound / vector) ** 2)
        )


def multiplied(widths_: Widths, multiplier: float) -> Widths:
    """The same noise and shift, with the bonus times ``multiplier``: the parts outside the root of
    `kernels.width_of`, in place."""
    widths_.bonus[:, : OF_ROOT + 1] *= multiplier
    return widths_


def caps(mdp: LinearMixtureMDP, largest: float) -> FloatArray:
    """(H - h + 1) times the largest reward of a step, for h = 1..H."""
    return largest * np.arange(mdp.horizon, 0, -1, dtype=np.float64)


def transitions(mdp: LinearMixtureMDP, by_blocks: bool, largest: float = 1.0) -> RegressionBounds:
    """The regression on phi_V with V_{h+1} in [0, (H - h) ``largest``]."""
    norms, pieces = mdp.norms(), parts(mdp.psi, by_blocks)
    bounds = largest * np.arange(mdp.horizon - 1, -1, -1, dtype=np.float64)
    theta = mdp.block_bound if len(pieces) > 1 else mdp.theta_p_bound
    return RegressionBounds(
        norms.phi * bounds,
        bounds,
        norms.released * bounds**2,
        _apart(mdp.psi),
        max(block.size for block in pieces),
        len(pieces),
        theta,
    )


def rewards(mdp: LinearMixtureMDP, by_blocks: bool) -> RegressionBounds:
    """The regression on varphi with rewards in [0, 1]."""
    pieces = parts(mdp.varphi, by_blocks)
    squares = (mdp.varphi**2).sum(axis=-1)
    released = math.sqrt(float(((squares**2 + (mdp.varphi**4).sum(axis=-1)) / 2).max()))
    ones = np.ones(mdp.horizon)
    theta = (
        mdp.theta_r_bound
        if len(pieces) == 1
        else min(mdp.theta_r_bound, _reward_block_bound(mdp, pieces))
    )
    return RegressionBounds(
        ones * math.sqrt(float(squares.max())),
        ones,
        ones * released,
        _apart(mdp.varphi),
        max(block.size for block in pieces),
        len(pieces),
        theta,
    )


def _reward_block_bound(mdp: LinearMixtureMDP, pieces: list[IntArray]) -> float:
    """On a block of one coordinate with feature f a mean reward in [0, 1] leaves |theta| <= 1/f;
    else infinity."""
    if max(block.size for block in pieces) > 1:
        return math.inf
    largest = np.abs(mdp.varphi).max(axis=(0, 1))
    return float(1 / largest[largest > 0].min())


def _apart(features: FloatArray) -> bool:
    """Whether every coordinate is used by at most one pair (s, a)."""
    used = (
        features.reshape(features.shape[0] * features.shape[1], -1, features.shape[-1]) != 0
    ).any(axis=1)
    return bool((used.sum(axis=0) <= 1).all())


def nodes(counter: str, planned: int) -> int:
    """Noise draws that one user's data are part of in the papers' counters: the levels of a tree,
    or the own one."""
    return mechanisms.COUNTER_CLASSES[counter].nodes(max(planned - 1, 1))


def sensitivity(counter: str, planned: int) -> float:
    """How far (l2) one user moves the draws of a run of ``planned`` episodes, in units of the
    change of the sums."""
    return mechanisms.COUNTER_CLASSES[counter].node_sensitivity(max(planned - 1, 1))


def terms_of(counter: str, planned: int, fixed: bool) -> Growth:
    """Variance of every release of a run; ``fixed`` takes the largest one for every episode, and so
    does a counter of which no more is known."""
    kind = mechanisms.COUNTER_CLASSES[counter]
    releases, none = max(planned - 1, 1), np.zeros(0)
    if kind.growth == "none":
        return SILENT
    bound = kind.largest_variance(releases)
    if fixed or kind.growth == "fixed":
        return Growth(FIXED, bound, bound, none, none)
    if kind.growth == "each":
        return Growth(EACH, bound, 1.0, none, none)
    if kind.growth == "series":
        weights, rates = kind.series(releases)
        # without the slack, so from below
        least = float(weights[0] - weights[1:] @ np.expm1(rates))
        return Growth(SERIES, bound, least, weights * (1 + kind.slack), rates)
    powers = np.array([1 << level for level in range(levels(releases))])
    weights = kind.variance(powers, releases, "gaussian") * (1 + kind.slack)
    return Growth(BITS, bound, float(weights.min()), weights, none)


SILENT = Growth(NONE, 0.0, 0.0, np.zeros(0), np.zeros(0))


def widths(horizon: int) -> Widths:
    """All zeros, to be filled."""
    return Widths(
        np.zeros(horizon), np.zeros(horizon), np.zeros((horizon, 2)), np.zeros((horizon, 8))
    )


@dataclass(frozen=True)
class Level:
    """How failure probability is spread: each of three events of a regression gets ``alpha``, over
    H, K and blocks."""

    alpha: float
    horizon: int
    releases: int

    def gram_factor(self, dimension: int, count: int, sharp: bool) -> float:
        """Operator norm of a symmetric matrix of standard normals, at every step, episode and
        block."""
        if sharp:
            return operator_quantile(dimension, self.alpha / (self.horizon * self.releases * count))
        return operator_bound(dimension, self.horizon * self.releases * count / self.alpha)

    def vector_factor(self, dimension: int, count: int, sharp: bool) -> float:
        """Norm of a vector of standard normals, at every step, episode and block."""
        if sharp:
            return norm_quantile(dimension, self.alpha / (self.horizon * self.releases * count))
        return norm_bound(dimension, self.horizon * self.releases * count / self.alpha)


def under_root(horizon: int, alpha: float, dimension: int, growth: float) -> float:
    """2 ln(H/alpha) + d ln(1 + growth), under the root of lemma-3.1's widths."""
    return 2 * math.log(horizon / alpha) + dimension * math.log(1 + growth)


def confident(
    known: RegressionBounds,
    gram: FloatArray,
    vector: FloatArray,
    level: Level,
    growth: Growth,
    *,
    spread: float,
    sharp: bool,
    regulariser: float,
) -> Widths:
    """Shift and width that cover the true parameter with the failure probability of ``level``."""
    widths_ = widths(level.horizon)
    m = known.dimension
    widths_.gram[:], widths_.vector[:] = gram, vector
    for step in range(level.horizon):
        big = (
            float(gram[step]) * level.gram_factor(m, known.count, sharp) if gram[step] > 0 else 0.0
        )
        # before the first release there are no data
        lambda_0 = regulariser + spread * big * math.sqrt(growth.least)
        widths_.shift[step] = regulariser, (1 + spread) * big
        bonus = widths_.bonus[step]
        bonus[BASE] = math.sqrt(regulariser) * known.theta
        if big > 0:
            long = float(vector[step]) * level.vector_factor(m, known.count, sharp)
            bonus[OF_NOISE] = math.sqrt((2 + spread) * big) * known.theta + long / math.sqrt(
                spread * big
            )
        bonus[OF_ROOT] = float(known.bounds[step]) / 2
        bonus[ROOT_FIXED] = 2 * math.log(level.horizon * known.count / level.alpha)
        if sharp and growth.mode == NONE and known.dimension > 0:
            bonus[ROOT_FIXED] -= m * math.log(regulariser)
            bonus[ROOT_DETERMINANT] = 1.0  # the determinant itself: without noise it may be used
        else:
            bonus[ROOT_LOGARITHM], bonus[LOGARITHM_RATE] = (
                m,
                float(known.sizes[step]) ** 2 / (m * lambda_0),
            )
    return widths_


def covering(
    agent: Any,
    known: list[RegressionBounds],
    ratios: list[tuple[float, float]],
    planned: int,
    growth: Growth,
    events: int = 3,
) -> list[Widths]:
    """Noise, shift and width of each regression for the calibrations ``corrected`` and ``tight``.

    ``ratios`` : proportions (gram, vector) of ``corrected``; ``planned`` : plans; ``events`` : of a
        regression that may fail; together they have the agent's alpha.
    """
    horizon, sharp = known[0].sizes.size, agent.calibration == "tight"
    level = Level(agent.alpha / (events * len(known)), horizon, max(planned - 1, 1))
    zeros = np.zeros(horizon)
    shapes, noise = [(1.0, 1.0, 1.0)] * len(known), [(zeros, zeros)] * len(known)
    if agent.counter != "none":
        mu = private_mu(agent.epsilon, agent.delta, agent.counter, planned)
        if sharp:
            shapes = [sharpest(regression, level) for regression in known]
            noise = tight_noise(known, shapes, mu)
        else:
            noise = [(zeros + gram, zeros + vector) for gram, vector in common(known, ratios, mu)]
    return [
        multiplied(
            confident(
                regression,
                *pair,
                level,
                growth,
                spread=shape[1],
                sharp=sharp,
                regulariser=agent.regulariser,
            ),
            agent.multiplier,
        )
        for regression, pair, shape in zip(known, noise, shapes, strict=True)
    ]


def common(
    known: list[RegressionBounds], ratios: list[tuple[float, float]], mu: float
) -> list[tuple[float, float]]:
    """The common multiple of ``ratios`` (gram, vector) with which all sums of all steps together
    have ``mu``."""
    squares = [
        regression.change(step, *ratio) ** 2
        for regression, ratio in zip(known, ratios, strict=True)
        for step in range(regression.sizes.size)
    ]
    factor = math.sqrt(math.fsum(squares)) / mu
    return [(gram * factor, vector * factor) for gram, vector in ratios]


def sharpest(known: RegressionBounds, level: Level) -> tuple[float, float, float]:
    """Vector over Gram noise (in units of bound over size), and x, with the least width; and that
    width, by a grid.

    The noise part of the width at one term, at a given privacy, is what is compared; it is the same
    for every step up to scale.
    """
    step = int(np.argmax(known.bounds))
    size, bound = float(known.sizes[step]), float(known.bounds[step])
    if size * bound == 0:
        return 1.0, 1.0, 1.0
    g, z = (
        factor(known.dimension, known.count, sharp=True)
        for factor in (level.gram_factor, level.vector_factor)
    )
    spreads = np.geomspace(0.005, 4, 81)
    best = (math.inf, 1.0, 1.0)
    for ratio in np.geomspace(0.1, 10, 41):
        vector = float(ratio) * bound / size
        sigma = known.change(step, 1.0, vector)  # at mu = 1
        noise = np.sqrt(sigma) * (
            np.sqrt((2 + spreads) * g) * known.theta + vector * z / np.sqrt(spreads * g)
        )
        at = int(np.argmin(noise))
        best = min(best, (float(noise[at]), float(ratio), float(spreads[at])))
    return best[1], best[2], best[0] / math.sqrt(known.change(step, 1.0, best[1] * bound / size))


def tight_noise(
    known: list[RegressionBounds], shapes: list[tuple[float, float, float]], mu: float
) -> list[tuple[FloatArray, FloatArray]]:
    """Standard deviations per step that make the sum of the widths smallest at a total ``mu``.

    A width grows with F sqrt(sigma), its privacy with (change/sigma)^2; so sigma goes with
    (change^2/F)^(2/5).
    """
    powers, changes = [], []
    for regression, (ratio, _, factor) in zip(known, shapes, strict=True):
        units = np.array(
            [
                ratio * b / s if s * b > 0 else 0.0
                for s, b in zip(regression.sizes, regression.bounds, strict=True)
            ]
        )
        moved = np.array(
            [regression.change(h, 1.0, unit) if unit > 0 else 0.0 for h, unit in enumerate(units)]
        )
        changes.append((moved, units))
        powers.append((moved**2 / factor) ** 0.4)
    total = math.fsum(
        float(((moved[power > 0] / power[power > 0]) ** 2).sum())
        for (moved, _), power in zip(changes, powers, strict=True)
    )
    factor = math.sqrt(total) / mu
    return [
        (power * factor, power * factor * units)
        for (_, units), power in zip(changes, powers, strict=True)
    ]


def private_mu(epsilon: float, delta: float, counter: str, planned: int) -> float:
    """mu that one draw may have, so that all draws that a user moves are (epsilon, delta)-private,
    exactly."""
    return accounting.gaussian_mu(epsilon, delta) / sensitivity(counter, planned)
