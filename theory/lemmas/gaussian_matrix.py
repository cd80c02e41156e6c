r"""Operator norms of Gaussian matrices: as printed, sharper, exact for the smallest sizes, and
sampled.

Sources: chowdhury2021/lemma-11 and lemma-12 (printed twice, also as lemma-4), zhou2022/lemma-B.3
and lemma-B.4. A
*symmetric Gaussian matrix* there is n x n with independent N(0, sigma^2) entries on **and** above
the diagonal, so the diagonal has variance sigma^2 (not 2 sigma^2 as in the Gaussian orthogonal
ensemble). Printed: for every t > 0,

    rectangular m x n:  P(||A|| >= sigma (sqrt(m) + sqrt(n)) + t) <= exp(-t^2 / (2 sigma^2))
    symmetric n x n:  ||A|| <= 4 sigma sqrt(n) + 2t  with probability at least 1 - 2 exp(-t^2 / (2
    sigma^2)).

The proofs of both, of the sharper ||A|| <= 2 sqrt(n) + sqrt(2 - 1/n) t at the same probability, and
of the comparison of Gaussian processes by increments (Slepian, Sudakov-Fernique) stand in
theory/papers/chowdhury2021/proofs.md; their steps are the functions below. Gaussian concentration
(lemma-10, lemma-B.2) is cited.
"""

import functools
import itertools
import math

import mpmath as mp
import numpy as np
import sympy as sp
import z3
from flint import arb
from numpy.polynomial.legendre import leggauss

from privrl.checks import count, positive, require
from privrl.types import FloatArray
from theory.lemmas.chi_square import survival_ball
from theory.rigor.balls import precision
from theory.rigor.smt import Proof


def printed_symmetric(n: int, t: float, sigma: float = 1.0) -> float:
    """4 sigma sqrt(n) + 2t (chowdhury2021/lemma-12, zhou2022/lemma-B.4)."""
    return 4 * positive("sigma", sigma) * math.sqrt(count("n", n)) + 2 * t


def sharp_symmetric(n: int, t: float, sigma: float = 1.0) -> float:
    """2 sigma sqrt(n) + sqrt(2) t, exceeded with the same probability."""
    return 2 * positive("sigma", sigma) * math.sqrt(count("n", n)) + math.sqrt(2) * t


def sharpest_symmetric(n: int, t: float, sigma: float = 1.0) -> float:
    """2 sigma E||g|| + sqrt(2 - 1/n) t for g of n standard normals: what the proof gives before it
    is rounded up."""
    mean = math.sqrt(2) * math.exp(math.lgamma((n + 1) / 2) - math.lgamma(n / 2))
    return 2 * positive("sigma", sigma) * mean + math.sqrt(2 - 1 / n) * t


def rectangular(m: int, n: int, t: float, sigma: float = 1.0) -> float:
    """sigma (sqrt(m) + sqrt(n)) + t (chowdhury2021/lemma-11, zhou2022/lemma-B.3)."""
    return positive("sigma", sigma) * (math.sqrt(count("m", m)) + math.sqrt(count("n", n))) + t


def _vectors(n: int, names: str) -> tuple[list[sp.Symbol], ...]:
    return tuple(list(sp.symbols(f"{name}1:{n + 1}", real=True)) for name in names.split())


def _dot(left_side: list[sp.Symbol], right: list[sp.Symbol]) -> sp.Expr:
    return sum((x * y for x, y in zip(left_side, right, strict=True)), sp.Integer(0))


def increment_identity(n: int, *, diagonal_variance: sp.Expr | int = 1) -> sp.Expr:
    """E(X_u - X_v)^2 - (2 ||uu' - vv'||_F^2 - sum_i (u_i^2 - v_i^2)^2), expanded; zero for the
    papers' diagonal. It is one identity per pair i <= j, so n = 1, 2 hold every kind of term."""
    u, v = _vectors(n, "u v")
    diagonal = sum((u[i] ** 2 - v[i] ** 2) ** 2 for i in range(n))
    above = sum(
        (2 * u[i] * u[j] - 2 * v[i] * v[j]) ** 2 for i, j in itertools.combinations(range(n), 2)
    )
    frobenius = sum((u[i] * u[j] - v[i] * v[j]) ** 2 for i in range(n) for j in range(n))
    return sp.expand(diagonal_variance * diagonal + above - 2 * frobenius + diagonal)


def gradient_identity(n: int) -> sp.Expr:
    """|gradient of u'Au in the entries on and above the diagonal|^2 - (2 (sum u_i^2)^2 - sum
    u_i^4), expanded; zero."""
    (u,) = _vectors(n, "u")
    gradient = [u[i] ** 2 for i in range(n)] + [
        2 * u[i] * u[j] for i, j in itertools.combinations(range(n), 2)
    ]
    squares = sum(entry**2 for entry in gradient)
    return sp.expand(squares - 2 * sum(x**2 for x in u) ** 2 + sum(x**4 for x in u))


def rectangular_increment_identity(m: int, n: int) -> sp.Expr:
    """The displayed step of lemma-11's proof: ||uv' - u'v'||_F^2 on unit vectors; returns the
    defect, zero.

    ||uv' - pq'||^2 = ||u-p||^2 + ||v-q||^2 + 2 (u.p - 1)(1 - v.q) modulo |u| = |p| = |v| = |q| = 1.
    """
    u, p = _vectors(n, "u p")
    v, q = _vectors(m, "v q")
    left_side = sum((u[i] * v[j] - p[i] * q[j]) ** 2 for i in range(n) for j in range(m))
    general = _dot(u, u) * _dot(v, v) + _dot(p, p) * _dot(q, q) - 2 * _dot(u, p) * _dot(v, q)
    require(sp.expand(left_side - general) == 0, "the Frobenius norm of uv' - pq' must split")
    c, d = sp.symbols("c d", real=True)
    unit = 2 - 2 * c * d
    return sp.expand(unit - ((2 - 2 * c) + (2 - 2 * d) + 2 * (c - 1) * (1 - d)))


def increment_step(factor: float | int = 4) -> bool:
    """z3: 4 (1 - c^2) <= factor * (2 - 2c) for every c in [-1, 1] (the step from the process to 2
    <g, u>)."""
    c = z3.Real("c")
    return Proof(c >= -1, c <= 1).shows(4 * (1 - c * c) <= z3.RealVal(str(factor)) * (2 - 2 * c))


def interpolation_identity(size: int) -> sp.Expr:
    """Defect of the identity of the smoothed maximum for an index set of ``size`` points and a
    symbolic C; zero."""
    x, bend = sp.symbols(f"x1:{count('size', size) + 1}", real=True), sp.Symbol("b", positive=True)
    entries = {
        (i, j): sp.Symbol(f"c{i}{j}", real=True) for i in range(size) for j in range(i, size)
    }
    soft = sp.log(sum(sp.exp(bend * value) for value in x)) / bend
    weights = [sp.diff(soft, value) for value in x]
    pairs = [(i, j) for i in range(size) for j in range(size)]
    left_side = sum(entries[min(i, j), max(i, j)] * sp.diff(weights[i], x[j]) for i, j in pairs)
    increments = {
        (i, j): entries[i, i] + entries[j, j] - 2 * entries[min(i, j), max(i, j)] for i, j in pairs
    }
    right = bend / 2 * sum(weights[i] * weights[j] * increments[i, j] for i, j in pairs)
    return sp.simplify(sp.together(left_side - right))


def expected_maximum(increments: FloatArray, mean: float = 0.0) -> float:
    """E max of at most three jointly Gaussian variables with one common mean, from E(X_i - X_j)^2;
    (T, T), T <= 3.

    Two: mean + d/sqrt(2 pi), d^2 the increment. Three: max(a, b) + max(a, c) + max(b, c) is twice
    the largest plus the middle one, which has the common mean by symmetry.
    """
    distances = np.sqrt(np.asarray(increments, dtype=np.float64))
    size = len(distances)
    require(size <= 3, "at most three variables have this closed form", size=size)
    total = float(np.triu(distances, 1).sum())
    return mean + total / math.sqrt(2 * math.pi) / (2 if size == 3 else 1)


def norm_concentration(dimension: int, end: float, *, variance: float = 1.0) -> float:
    """The largest t up to ``end`` with P(||g|| >= E||g|| + s) <= exp(-s^2/(2 variance)) certified
    for all s <= t.

    By a march as in :func:`theory.lemmas.chi_square.certified_up_to`, g of ``dimension`` standard
    normals.
    """
    mean, reached = mean_norm_steps(dimension)[0], 0.0
    while reached < end:
        tail = survival_ball(dimension, (mean + arb(reached)) ** 2)
        step = float((-2 * arb(variance) * tail.log()).sqrt().lower()) * (1 - 1e-14)
        if step <= reached:
            return reached
        reached = step
    return end


def mean_norm_steps(n: int) -> tuple[arb, arb]:
    """(E||g||, sqrt(n)) as balls; Jensen says that the first is at most the second."""
    size = arb(count("n", n))
    return arb(2).sqrt() * (((size + 1) / 2).lgamma() - (size / 2).lgamma()).exp(), size.sqrt()


# nodes and weights: an eigenvalue problem, solved once for every size
legendre = functools.cache(leggauss)


def exact_exceedance(n: int, threshold: float) -> float:
    """P(||A|| >= threshold) for sigma = 1 and n = 1 or 2, to about 1e-13.

    n = 2: ||A|| = |s| + r with s = (a + c)/2 ~ N(0, 1/2) and r = |(w, b)|, w = (a - c)/2 ~ N(0,
    1/2) independent of s, b ~ N(0, 1); P(r > q) = (1/2 pi) int exp(-q^2 h) / (sqrt(1/2) 2 h)
    dtheta, 2h = 2 cos^2 + sin^2."""
    n = count("n", n)
    require(n <= 2, "n must be 1 or 2", n=n)
    x = positive("threshold", threshold)
    if n == 1:
        return math.erfc(x / math.sqrt(2))
    # periodic and analytic: the trapezoid rule converges geometrically
    angles = np.arange(256) * (2 * np.pi / 256)
    twice = 2 * np.cos(angles) ** 2 + np.sin(angles) ** 2
    nodes, weights = legendre(160)
    s = (nodes + 1) * x / 2
    tail = (np.exp(-np.outer((x - s) ** 2, twice) / 2) / (twice * math.sqrt(0.5))).mean(axis=1)
    density = 2 / math.sqrt(math.pi) * np.exp(-(s**2))  # of |s|, s ~ N(0, 1/2)
    return float((weights * x / 2 * density * tail).sum() + math.erfc(x))


def rectangular_exceedance(m: int, threshold: float) -> float:
    """P(||A|| >= threshold) for an m x 1 matrix, sigma = 1: a chi variable with m degrees of
    freedom."""
    half = mp.mpf(positive("threshold", threshold)) ** 2 / 2
    return float(mp.gammainc(mp.mpf(count("m", m)) / 2, half, regularized=True))


def sample_norms(n: int, replicates: int, rng: np.random.Generator) -> FloatArray:
    """(replicates,) operator norms of symmetric Gaussian matrices with sigma = 1."""
    n, replicates = count("n", n), count("replicates", replicates)
    entries = rng.standard_normal((replicates, n, n))
    matrices = np.triu(entries) + np.swapaxes(np.triu(entries, 1), 1, 2)
    return np.asarray(np.abs(np.linalg.eigvalsh(matrices)).max(axis=1))


def tail_below(n: int, threshold: float, *, bits: int = 128) -> arb:
    """A ball around P(|N(0, 2 - 1/n)| >= threshold), a lower bound on P(||A|| >= threshold) for
    sigma = 1."""
    with precision(bits):
        return (arb(threshold) / (2 * (2 - arb(1) / count("n", n))).sqrt()).erfc()
