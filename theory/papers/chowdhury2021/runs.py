"""Runs of OFU-RL and of Private-OFU-RL in a scalar system, with every sum of the regret proof
(Appendix C to E).

Written for the checks, apart from the package's agent: n = d = 1, the choice (9) on a grid of the
confidence set to which the true system is added, so that on the good event the choice is optimistic
to the last digit. Gains use P_{h+1} (equation-4). All arrays have one entry per replicate.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from privrl.types import FloatArray
from theory.papers.chowdhury2021.system import scalar_riccati


class ScalarSystem(NamedTuple):
    """x_+ = a x + b u + w, cost q x^2 + r u^2, w uniform on [-noise, noise]."""

    a: float
    b: float
    q: float
    r: float
    noise: float
    gamma: float
    horizon: int


# |K_h| <= q (H-1) |a||b|/r <= 0.4 <= gamma for every Theta in S; C_A + gamma C_B + C_w = 1
SYSTEM = ScalarSystem(0.4, 0.4, 0.2, 1.0, 0.4, 0.5, 5)


class Regulariser(NamedTuple):
    """H_k = N_k + shift I with N_k, L_k from two trees; without noise H_k = shift I and L_k = 0."""

    shift: float
    sigma_gram: float = 0.0
    sigma_cross: float = 0.0
    least: float = 0.0  #: lambda_min; 0: shift
    most: float = 0.0  #: lambda_max; 0: shift
    nu: float = 0.0


@dataclass(frozen=True)
class Played:
    """Sums over all episodes and steps, shape (replicates,)."""

    regret: FloatArray
    cost: FloatArray  #: sum of Delta
    prediction: FloatArray  #: sum of Delta'
    estimation: FloatArray  #: sum of Delta''
    sums: FloatArray  #: left of claim-1
    differences: FloatArray  #: left of claim-2
    log_ratio: FloatArray  #: ln det(G + lambda_min I)/det(lambda_min I), all K episodes in G
    beta: FloatArray  #: beta_K
    coverage: FloatArray  #: largest ||Theta_* - estimate||_{V_k}/beta_k over k
    largest: FloatArray  #: largest |x|, |u|/gamma


def tree_noise(
    shape: tuple[int, ...], sigma: float, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """Total noise of the releases 0, 1, 2, ... of the binary mechanism; release 0 is empty."""
    nodes: dict[int, FloatArray] = {}
    time = 0
    while True:
        yield np.sum(list(nodes.values()), axis=0) if nodes else np.zeros(shape)
        time += 1
        level = (time & -time).bit_length() - 1
        nodes = {key: value for key, value in nodes.items() if key > level}
        nodes[level] = sigma * rng.standard_normal(shape)


def _choose(
    estimate: Any,
    matrix: FloatArray,
    beta: Any,
    start: FloatArray,
    system: ScalarSystem,
    inside: Any,
) -> FloatArray:
    """The cheapest grid point of C_k and the unit disc, among them the true system if it is in C_k,
    (replicates, 2)."""
    angle = np.linspace(0, 2 * np.pi, 41)[:-1]
    size = np.linspace(0, 1, 21)[1:]
    disc = np.stack(
        [np.outer(size, np.cos(angle)).ravel(), np.outer(size, np.sin(angle)).ravel()], axis=1
    )
    disc = np.concatenate([np.zeros((1, 2)), disc])
    values, vectors = np.linalg.eigh(matrix)
    roots = vectors / np.sqrt(values)[:, None, :]
    points = estimate[:, None, :] + beta[:, None, None] * np.einsum("rij,pj->rpi", roots, disc)
    circle = disc[-40:]
    offset = circle[None] - estimate[:, None, :]
    on = np.einsum("rpi,rij,rpj->rp", offset, matrix, offset) <= beta[:, None] ** 2
    truth = np.array([system.a, system.b])
    every = np.concatenate(
        [
            points,
            np.broadcast_to(circle, (len(beta), *circle.shape)),
            np.broadcast_to(truth, (len(beta), 1, 2)),
        ],
        axis=1,
    )
    allowed = np.concatenate([(points**2).sum(axis=2) <= 1, on, inside[:, None]], axis=1)
    prices, _ = scalar_riccati(
        every[..., 0], every[..., 1], np.float64(system.q), np.float64(system.r), system.horizon
    )
    cost = prices[0] * start[:, None] ** 2 + system.noise**2 / 3 * sum(prices[1:])
    best = np.where(allowed, cost, np.inf).argmin(axis=1)
    return np.asarray(every[np.arange(len(beta)), best])


def play(
    system: ScalarSystem,
    regulariser: Regulariser,
    alpha: float,
    episodes: int,
    replicates: int,
    seed: int,
) -> Played:
    """Run the algorithm; regret and all differences are exact expectations or values along the
    path."""
    rng = np.random.default_rng(seed)
    least, most = regulariser.least or regulariser.shift, regulariser.most or regulariser.shift
    grams = tree_noise((replicates, 3), regulariser.sigma_gram, rng)
    crosses = tree_noise((replicates, 2), regulariser.sigma_cross, rng)
    gram, cross = np.zeros((replicates, 2, 2)), np.zeros((replicates, 2))
    truth, variance = np.array([system.a, system.b]), system.noise**2 / 3
    totals = {
        name: np.zeros(replicates)
        for name in (
            "regret",
            "cost",
            "prediction",
            "estimation",
            "sums",
            "differences",
            "coverage",
            "largest",
        )
    }
    best, _ = scalar_riccati(system.a, system.b, system.q, system.r, system.horizon)
    beta: FloatArray = np.zeros(replicates)
    for _ in range(episodes):
        entries = next(grams)
        noise = np.stack([entries[:, [0, 1]], entries[:, [1, 2]]], axis=1)
        matrix = gram + noise + regulariser.shift * np.eye(2)
        estimate = np.linalg.solve(matrix, (cross + next(crosses))[..., None])[..., 0]
        before = np.linalg.slogdet(np.eye(2) + gram / least)[1]
        beta = (
            system.noise * np.sqrt(2 * math.log(2 / alpha) + before)
            + math.sqrt(most)
            + regulariser.nu
        )
        error = truth - estimate
        distance = np.sqrt(np.einsum("ri,rij,rj->r", error, matrix, error))
        totals["coverage"] = np.maximum(totals["coverage"], distance / beta)
        start = rng.uniform(-1, 1, replicates)
        chosen = _choose(estimate, matrix, beta, start, system, distance <= beta)
        planned, gains = scalar_riccati(
            chosen[:, 0], chosen[:, 1], np.float64(system.q), np.float64(system.r), system.horizon
        )
        # cost to go of the policy in the true system: real[h] x^2 + spread[h]
        real, spread = [np.zeros(replicates)], [np.zeros(replicates)]
        for gain in reversed(gains):
            spread.insert(0, spread[0] + variance * real[0])
            real.insert(
                0, system.q + system.r * gain**2 + (system.a + system.b * gain) ** 2 * real[0]
            )
        totals["regret"] += (real[0] - best[0]) * start**2 + spread[0] - variance * sum(best[1:])
        x = start
        for step in range(system.horizon):
            u = gains[step] * x
            z = np.stack([x, u], axis=1)
            known, guessed = z @ truth, (z * chosen).sum(axis=1)
            after = known + rng.uniform(-system.noise, system.noise, replicates)
            expected, price = known**2 + variance, planned[step + 1]
            totals["cost"] += real[step + 1] * (expected - after**2)
            totals["prediction"] += price * (after**2 - expected)
            totals["estimation"] += price * (known**2 - guessed**2)
            totals["sums"] += price * (np.abs(known) + np.abs(guessed)) ** 2
            totals["differences"] += price * (np.abs(known) - np.abs(guessed)) ** 2
            totals["largest"] = np.maximum(
                totals["largest"], np.maximum(np.abs(after), np.abs(u) / system.gamma)
            )
            gram += z[:, :, None] * z[:, None, :]
            cross += z * after[:, None]
            x = after
    totals["sums"], totals["differences"] = np.sqrt(totals["sums"]), np.sqrt(totals["differences"])
    ratio = np.linalg.slogdet(np.eye(2) + gram / least)[1]
    return Played(**totals, log_ratio=ratio, beta=beta)
