r"""Self-normalised concentration, the determinant-trace step and the elliptical potential, as the
papers use them.

Sources: chowdhury2021/lemma-1 and the last lines of its theorem-1, zhou2022/lemma-3.1 (appendix A)
and the sums T1, T2 of section 7.1; all after Abbasi-Yadkori, Pal and Szepesvari (2011). Throughout
V_t = lambda I + sum_{s<=t} x_s x_s' with predictable x_s in R^p (x_s may depend on everything
before the noise w_s).

Vector noise, matrix form. Let w_s in R^n have E[exp(<a, w_s>) | past] <= exp(R^2 |a|^2/2) for every
a. With S_t = sum x_s w_s' (p x n), with probability at least 1 - alpha, for all t at once,

    trace(S_t' V_t^{-1} S_t) <= R^2 (2 ln(1/alpha) + n ln det(V_t)/det(lambda I)).

n = 1 is the usual bound. The proof (a mixture over Gaussian matrices, Ville) and that of the sums
over episodes stand in theory/papers/chowdhury2021/proofs.md; their steps are the functions below.
Elliptical potential: ln det V_T/det V_0 is the sum of ln(1 + |x_t|^2_{V_{t-1}^{-1}}), and min(1, z)
<= ln(1 + z)/ln 2 for z >= 0, so

    sum_t min(1, |x_t|^2_{V_{t-1}^{-1}}) <= (1/ln 2) ln det V_T/det V_0,  and 1/ln 2 = 1.4427 < 2,
    the papers' factor.

The minimum cannot be dropped unless lambda >= X^2: one large vector breaks it. When V is refreshed
only every H vectors (chowdhury2021, claim-2) the sum is at most H times the bound; without that H
it fails (:func:`batch_potential`).
"""

import math
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import sympy as sp
from flint import arb

from privrl.checks import count, positive, probability, require
from privrl.types import FloatArray
from theory.rigor.balls import above


def log_determinant_bound(dimension: int, vectors: int, norm: float, regulariser: float) -> float:
    """p ln(1 + T X^2/(p lambda)), at least ln det V_T/det(lambda I)."""
    p = count("dimension", dimension)
    return p * math.log1p(
        count("vectors", vectors, 0) * norm**2 / (p * positive("regulariser", regulariser))
    )


def mixture_identity(dimension: int) -> sp.Expr:
    """Defect of the Gaussian integral of the proof for p = ``dimension`` (1 or 2), in symbols;
    zero.

    int exp(<xi, s> - xi'G xi/2) dN(0, I/lambda)(xi) = (lambda^p/det(G + lambda I))^{1/2} exp(s'(G +
    lambda I)^{-1}s/2).
    """
    p = count("dimension", dimension)
    require(p <= 2, "dimension must be 1 or 2", dimension=p)
    lam, gap = sp.symbols("lambda g", positive=True)
    s = sp.Matrix(sp.symbols(f"s1:{p + 1}", real=True))
    low, off = sp.symbols("h k", real=True)
    # G = [[g, k], [k, h^2 + k^2/g]]: every positive semidefinite matrix with g > 0
    gram = sp.Matrix([[gap]]) if p == 1 else sp.Matrix([[gap, off], [off, low**2 + off**2 / gap]])
    regularised = gram + lam * sp.eye(p)
    xi = sp.Matrix(sp.symbols(f"x1:{p + 1}", real=True))
    exponent = (xi.T * s)[0] - (xi.T * regularised * xi)[0] / 2
    value: sp.Expr = sp.Integer(1)
    # int exp(-a x^2/2 + b x + c) dx = sqrt(2 pi/a) exp(b^2/(2a) + c), one variable after the other
    for variable in xi:
        polynomial = sp.Poly(sp.expand(exponent), variable)
        square, linear, rest = (polynomial.coeff_monomial(variable**k) for k in (2, 1, 0))
        value *= sp.sqrt(2 * sp.pi / (-2 * square))
        exponent = sp.simplify(linear**2 / (-4 * square) + rest)
    value *= (lam / (2 * sp.pi)) ** sp.Rational(p, 2)
    in_exponent = sp.simplify(exponent - (s.T * regularised.inv() * s)[0] / 2)
    factor = sp.simplify(value**2 - lam**p / regularised.det())
    return sp.Abs(in_exponent) + sp.Abs(factor)


def rank_one_identity(dimension: int) -> sp.Expr:
    """det(V + xx') - det(V)(1 + x'V^{-1}x) for a symbolic symmetric V, expanded; zero. V^{-1} is
    adj(V)/det(V)."""
    p = count("dimension", dimension)
    entries = {(i, j): sp.Symbol(f"v{i}{j}") for i in range(p) for j in range(i, p)}
    matrix = sp.Matrix(p, p, lambda i, j: entries[min(i, j), max(i, j)])
    x = sp.Matrix(sp.symbols(f"x1:{p + 1}"))
    return sp.expand((matrix + x * x.T).det() - matrix.det() - (x.T * matrix.adjugate() * x)[0])


def determinant_step() -> bool:
    """ln y <= y - 1 for y > 0, the step behind det <= (trace/p)^p: the gap is convex, zero and flat
    at y = 1."""
    y = sp.Symbol("y", positive=True)
    gap = y - 1 - sp.log(y)
    convex = sp.diff(gap, y, 2).is_positive
    return bool(convex and gap.subs(y, 1) == 0 and sp.diff(gap, y).subs(y, 1) == 0)


def minimum_step(factor: str) -> bool:
    """Whether min(1, z) <= factor * ln(1 + z) for all z >= 0, for a decimal ``factor`` >= 0.

    On [0, 1] factor * ln(1+z) - z is concave and 0 at 0, so z = 1 decides: factor >= 1/ln 2; beyond
    1 the right side grows.
    """
    z = sp.Symbol("z", positive=True)
    concave = sp.diff(sp.log(1 + z) - z, z, 2).is_negative
    return bool(concave) and above(lambda f: f * arb(2).log() - 1, [(factor, factor)])


class Potential(NamedTuple):
    """The two sides of the elliptical potential lemma on one sequence."""

    clipped: float  #: sum of min(1, |x|^2 in the inverse)
    plain: float  #: the same without the minimum
    log_ratio: float  #: ln det V_T / det V_0


def potential(vectors: Sequence[Sequence[float]], regulariser: float) -> Potential:
    """The sums for V refreshed after every vector. ``vectors``: (T, p)."""
    return batch_potential([[list(vector)] for vector in vectors], regulariser)


def batch_potential(episodes: Sequence[Sequence[Sequence[float]]], regulariser: float) -> Potential:
    """The sums for V refreshed after every episode of vectors. ``episodes``: (K, H, p)."""
    blocks = np.asarray(episodes, dtype=np.float64)
    matrix = positive("regulariser", regulariser) * np.eye(blocks.shape[2])
    start = np.linalg.slogdet(matrix)[1]
    clipped = plain = 0.0
    for block in blocks:
        norms = np.einsum("hi,ij,hj->h", block, np.linalg.inv(matrix), block)
        clipped, plain = clipped + float(np.minimum(1, norms).sum()), plain + float(norms.sum())
        matrix = matrix + block.T @ block
    return Potential(clipped, plain, float(np.linalg.slogdet(matrix)[1] - start))


def crossing_probability(
    steps: int, sizes: tuple[int, ...], regulariser: int, alpha: float, factor: float = 1.0
) -> float:
    """The largest probability, over all adaptive choices of x_t, that ``factor`` times the bound is
    violated by ``steps``; exact, p = n = 1, by dynamic programming over (t, S_t, V_t).

    The noise is a fair sign (R = 1), x_t is any of ``sizes`` (integers, so that the state is a pair
    of integers)."""
    steps, lam = count("steps", steps), count("regulariser", regulariser)
    level = 2 * math.log(1 / probability("alpha", alpha))

    @cache
    def value(remaining: int, total: int, weight: int) -> float:
        if total * total > factor**2 * weight * (level + math.log(weight / lam)):
            return 1.0
        if remaining == 0:
            return 0.0
        return max(
            sum(value(remaining - 1, abs(total + step), weight + size**2) for step in (size, -size))
            / 2
            for size in sizes
        )

    return value(steps, 0, lam)


def sample_paths(
    steps: int,
    dimension: int,
    columns: int,
    regulariser: float,
    replicates: int,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """(replicates, steps) of trace(S'V^{-1}S) and of ln det V_t/det(lambda I), for noise uniform on
    the unit sphere.

    x_t is chosen against the bound: the direction of the heaviest column of V^{-1}S (a random one
    at the start), so that noise already collected is collected again.
    """
    p, n = count("dimension", dimension), count("columns", columns)
    matrix = np.broadcast_to(regulariser * np.eye(p), (replicates, p, p)).copy()
    sums = np.zeros((replicates, p, n))
    traces, logs = np.empty((2, replicates, steps))
    for step in range(steps):
        inverse = np.linalg.inv(matrix)
        pull = inverse @ sums
        heaviest = np.take_along_axis(
            pull, np.abs(pull).sum(axis=1).argmax(axis=1)[:, None, None], axis=2
        )[:, :, 0]
        heaviest = heaviest + 1e-3 * rng.standard_normal((replicates, p))
        x = heaviest / np.linalg.norm(heaviest, axis=1, keepdims=True)
        noise = rng.standard_normal((replicates, n))
        noise /= np.linalg.norm(noise, axis=1, keepdims=True)
        sums += x[:, :, None] * noise[:, None, :]
        matrix += x[:, :, None] * x[:, None, :]
        traces[:, step] = np.einsum("rij,rij->r", sums, np.linalg.inv(matrix) @ sums)
        logs[:, step] = np.linalg.slogdet(matrix)[1] - p * math.log(regulariser)
    return traces, logs


def ratio_to_radius(
    traces: FloatArray, logs: FloatArray, alpha: float, columns: int, scale: float = 1.0
) -> FloatArray:
    """(replicates,) largest over time of trace(S'V^{-1}S)/radius^2: above 1 on a path that violates
    the bound."""
    level = 2 * math.log(1 / probability("alpha", alpha))
    return np.asarray((traces / (scale**2 * (level + columns * logs))).max(axis=1))
