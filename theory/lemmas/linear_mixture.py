r"""Small linear mixture MDPs with random rewards, exact planning, LinOpt's optimistic plan: nothing
from the agents.

psi(s'|s, a) holds the probabilities of d base models, theta_h a point of the simplex: phi_V(s, a) =
(P_1 V, .., P_d V) has norm at most sqrt(d) max V, and <phi_V, theta_h> = P_h V. Reward features are
uniform on [0, 1]^e/sqrt(e), theta_r a point of the simplex times sqrt(e).
"""

from typing import NamedTuple

import numpy as np

from privrl.checks import count
from privrl.types import FloatArray


class Mixture(NamedTuple):
    """One MDP; shapes psi (S, A, S, d), theta_p (H, d), varphi (S, A, e), theta_r (H, e)."""

    psi: FloatArray
    theta_p: FloatArray
    varphi: FloatArray
    theta_r: FloatArray

    @property
    def sizes(self) -> tuple[int, int, int]:
        """H, S, A."""
        return self.theta_p.shape[0], self.psi.shape[0], self.psi.shape[1]


class ThetaEstimate(NamedTuple):
    """What the plan reads of one step: estimates (d,) and (e,), Lambda (d, d) and (e, e)."""

    theta_p: FloatArray
    gram_p: FloatArray
    theta_r: FloatArray
    gram_r: FloatArray


class MixturePlan(NamedTuple):
    """Q (H, S, A), V (H + 1, S) and the two bonuses together (H, S, A)."""

    q: FloatArray
    values: FloatArray
    bonus: FloatArray


def draw(
    rng: np.random.Generator, states: int, actions: int, dimension: int, horizon: int
) -> Mixture:
    """A random mixture with d = e = ``dimension``."""
    d, spread = count("dimension", dimension), np.full(states, 0.5)
    psi = np.moveaxis(rng.dirichlet(spread, size=(d, states, actions)), 0, -1)
    varphi = rng.random((states, actions, d)) / np.sqrt(d)
    corners = rng.dirichlet(np.full(d, 0.5), size=(2, horizon))
    return Mixture(psi, corners[0], varphi, corners[1] * np.sqrt(d))


def phi(mixture: Mixture, values: FloatArray) -> FloatArray:
    """phi_V (S, A, d) for V (S,)."""
    return np.asarray(np.einsum("satd,t->sad", mixture.psi, values))


def tables(mixture: Mixture) -> tuple[FloatArray, FloatArray]:
    """P (H, S, A, S) and r (H, S, A)."""
    return (
        np.einsum("satd,hd->hsat", mixture.psi, mixture.theta_p),
        np.einsum("sad,hd->hsa", mixture.varphi, mixture.theta_r),
    )


def value(mixture: Mixture, policy: FloatArray | None = None) -> FloatArray:
    """V* (H + 1, S), or the value of ``policy`` (H, S, A) of probabilities."""
    transitions, rewards = tables(mixture)
    horizon, states, _ = mixture.sizes
    values = np.zeros((horizon + 1, states))
    for h in range(horizon - 1, -1, -1):
        q = rewards[h] + transitions[h] @ values[h + 1]
        values[h] = q.max(axis=1) if policy is None else (policy[h] * q).sum(axis=1)
    return values


def norms(features: FloatArray, gram: FloatArray) -> FloatArray:
    """(x' Lambda^{-1} x)^{1/2} over the last axis."""
    return np.asarray(
        np.sqrt(np.einsum("...i,ij,...j->...", features, np.linalg.inv(gram), features))
    )


def plan(
    mixture: Mixture,
    estimates: list[ThetaEstimate],
    betas: tuple[float, float],
    policy: FloatArray | None = None,
) -> MixturePlan:
    """Lines 3 to 11 of zhou2022/algorithm-1, or lines 4 to 12 of algorithm-2 for a ``policy`` (H,
    S, A)."""
    horizon, states, actions = mixture.sizes
    q, bonus = np.zeros((2, horizon, states, actions))
    values = np.zeros((horizon + 1, states))
    for h in range(horizon - 1, -1, -1):
        estimate, moves = estimates[h], phi(mixture, values[h + 1])
        bonus[h] = betas[0] * norms(moves, estimate.gram_p) + betas[1] * norms(
            mixture.varphi, estimate.gram_r
        )
        q[h] = np.clip(
            mixture.varphi @ estimate.theta_r + moves @ estimate.theta_p + bonus[h],
            0.0,
            horizon - h,
        )
        values[h] = q[h].max(axis=1) if policy is None else (policy[h] * q[h]).sum(axis=1)
    return MixturePlan(q, values, bonus)


def worst_estimates(
    mixture: Mixture,
    betas: tuple[float, float],
    rng: np.random.Generator,
    *,
    sign: float = -1.0,
    policy: FloatArray | None = None,
    planned: tuple[float, float] | None = None,
) -> list[ThetaEstimate]:
    """Estimates on the edge of the confidence sets, as low (or high, ``sign`` = 1) as they allow at
    a drawn pair of each step; Lambda random. Made step by step from the last, for the plan that
    uses them with the factors ``planned``."""
    horizon, states, actions = mixture.sizes
    estimates: list[ThetaEstimate] = []
    values = np.zeros(states)
    for h in range(horizon - 1, -1, -1):
        pair = int(rng.integers(states)), int(rng.integers(actions))
        moves = phi(mixture, values)
        shifted, grams = [], []
        parts = (
            (mixture.theta_p[h], moves, betas[0]),
            (mixture.theta_r[h], mixture.varphi, betas[1]),
        )
        for theta, features, beta in parts:
            size = theta.size
            square = rng.standard_normal((size, size + 1))
            gram = square @ square.T * rng.choice([0.1, 1.0, 100.0]) + 0.01 * np.eye(size)
            toward = np.linalg.solve(gram, features[pair])
            length = float(norms(features[pair], gram))
            shifted.append(theta + sign * beta * toward / length if length > 0 else theta.copy())
            grams.append(gram)
        estimates.insert(0, ThetaEstimate(shifted[0], grams[0], shifted[1], grams[1]))
        step = Mixture(mixture.psi, mixture.theta_p[h:], mixture.varphi, mixture.theta_r[h:])
        values = plan(
            step, estimates, planned or betas, None if policy is None else policy[h:]
        ).values[0]
    return estimates
