r"""chowdhury2021: the optimistic choice with one state keeps D free of H, whatever the noise (part
of lemma-3).

With tau steps to go P(tau + 1) = f(P(tau)), P(1) = q, f(p) = q + A p/(1 + S p), A = a^2, S = B
R^{-1} B', and J_1 is a sum of P(1), ..., P(H) with weights >= 0: x_1^2 and the variances of the
noise. See proofs.md (one state).
"""

from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import sympy as sp

from privrl.types import FloatArray


@cache
def ratio_is_monotone() -> bool:
    """In symbols: (f - q)/(g - q) has a derivative of the sign of S* - S, and f(p) <= q + A p/(1 +
    S q) for p >= q."""
    p, q, big, small, third, true = sp.symbols("p q A S T B", positive=True)
    ratio = (big * p / (1 + small * p)) / (third * p / (1 + true * p))
    slope = sp.simplify(sp.diff(ratio, p) * third * (1 + small * p) ** 2 / big - (true - small))
    chord = big * p / (1 + small * q) - big * p / (1 + small * p)
    gap = big * small * p * (p - q) / ((1 + small * q) * (1 + small * p))
    return bool(slope == 0 and sp.simplify(chord - gap) == 0)


def values(square: FloatArray, control: FloatArray, horizon: int) -> FloatArray:
    """P(1), ..., P(horizon) of many systems with q = 1, a row each."""
    rows = [np.ones_like(square)]
    for _ in range(horizon - 1):
        rows.append(1 + square * rows[-1] / (1 + control * rows[-1]))
    return np.array(rows).T


@cache
def largest_share(
    pairs: int = 100_000, slack: float = 1.0, horizon: int = 40, seed: int = 29
) -> tuple[int, float]:
    """How many optimistic pairs were drawn, and the largest P~(tau) (1 - a*^2)/q among them.

    Weights are drawn with many zeros, also a single one; the chosen system may have |a| >= 1. Half
    of the pairs are near each other, where the share is largest. ``slack`` is a factor on J* in
    the premise: 1 for optimism.
    """
    rng, pairs_tried, most = np.random.default_rng(seed), 0, 0.0
    while pairs_tried < pairs:
        size = 100_000
        true = rng.uniform(0, 0.98, size) ** 2
        true_control = 10 ** rng.uniform(-6, 2, size)
        near = rng.random(size) < 0.5
        square = np.where(near, true * 10 ** rng.normal(0, 0.01, size), rng.uniform(0, 2, size))
        control = np.where(near, true_control * 10 ** rng.normal(0, 0.3, size),
                           10 ** rng.uniform(-6, 2, size))  # fmt: skip
        weights = rng.exponential(size=(size, horizon)) * (
            rng.random((size, horizon)) < rng.uniform(0, 1, (size, 1)) ** 3
        )
        weights[np.arange(size), rng.integers(1, horizon, size)] += rng.exponential(size=size)
        chosen, optimal = values(square, control, horizon), values(true, true_control, horizon)
        optimistic = (weights * chosen).sum(axis=1) <= slack * (weights * optimal).sum(axis=1)
        pairs_tried += int(optimistic.sum())
        most = max(most, float((chosen[optimistic, -1] * (1 - true[optimistic])).max()))
    return pairs_tried, most


def keeps(case: tuple[float, float]) -> bool:
    """Whether no optimistic pair of 10^5 exceeds ``factor`` q/(1 - a*^2), ``case`` = (factor,
    slack of the premise)."""
    factor, slack = case
    return ratio_is_monotone() and largest_share(slack=slack)[1] <= factor * (1 + 1e-12)


@cache
def exhausted(least: int = 2, horizon: int = 6) -> bool:
    """In rational numbers, for all pairs on a grid: if P~(j) <= P*(j) for some j >= ``least`` (1
    for a mutant: P(1) = q always), then P~(horizon) <= q/(1 - a*^2). A second road: no weights, no
    floats."""
    squares = [Fraction(k, 5) for k in (0, 1, 2, 3, 4, 5, 7)]
    controls = [Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(5)]
    rows: dict[tuple[Fraction, Fraction], list[Fraction]] = {}
    for square, control in product(squares, controls):
        row = [Fraction(1)]
        for _ in range(horizon - 1):
            row.append(1 + square * row[-1] / (1 + control * row[-1]))
        rows[square, control] = row
    for (square, _), optimal in rows.items():
        if square >= 1:
            continue
        for chosen in rows.values():
            premise = any(chosen[j] <= optimal[j] for j in range(least - 1, horizon))
            if premise and chosen[-1] * (1 - square) > 1:
                return False
    return True
