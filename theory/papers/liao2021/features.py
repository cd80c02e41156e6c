"""liao2021, Section 3.1: which feature maps satisfy (3.1), and what the two examples need for it
(see proofs.md)."""

import itertools
import math
from fractions import Fraction
from functools import cache

import numpy as np
import sympy as sp
import z3

from theory.claim import Basis, Records, Rigor, Severity, Trial, Witness, claim
from theory.rigor.smt import Proof


@cache
def largest_norm(states: int, horizon: int) -> Fraction:
    """max over V in {0, H}^S, the corners of the cube, and (s, a), A = 2, of ||phi_V||^2, which is
    convex in V."""
    # (s, a), s', entries
    features = np.eye(2 * states**2, dtype=int).reshape(2 * states, states, -1)
    corners = np.array(list(itertools.product((0, horizon), repeat=states)))
    return Fraction(int((np.einsum("vt,kte->vke", corners, features) ** 2).sum(axis=2).max()))


def scaled_for_all(power: int, factor: float = 1.0) -> bool:
    """z3, every S by induction: S squares of values in [0, H] sum to at most factor S^power H^2,
    power 0 or 1."""
    total, value, horizon, states = z3.Reals("total value horizon states")
    proof = Proof(value >= 0, value <= horizon, horizon > 0, states >= 1)
    bound, following = (
        (factor * size * horizon * horizon if power else factor * horizon * horizon)
        for size in (states, states + 1)
    )
    start = proof.shows(value * value <= factor * horizon * horizon)
    return start and proof.shows(z3.Implies(total <= bound, total + value * value <= following))


def in_class(case: tuple[int, float]) -> bool:
    """Whether features over S^(power/2) obey (3.1) and theta its bound, both squared and times
    ``factor``: z3 for all sizes, as S^2 A squares p^2 <= p add up to S A, and exact at the corners
    for S <= 4, H <= 2."""
    power, factor = case
    p = z3.Real("p")
    rows = Proof(p >= 0, p <= 1).shows(p * p <= factor * p)
    sizes = itertools.product(range(1, 5), (1, 2))
    corners = all(largest_norm(s, h) <= Fraction(factor) * s**power * h**2 for s, h in sizes)
    return rows and corners and scaled_for_all(power, factor)


@claim("liao2021/example-3.3")
def example_3_3() -> Records:
    """A tabular MDP is in the class after scaling, not as printed."""
    norm = math.sqrt(largest_norm(3, 6))
    yield Trial(
        lambda states: largest_norm(states, 6) > 36,
        at=3,
        mutant_at=1,
        mutant="one state",
    ).fails(
        "printed",
        Rigor.COUNTEREXAMPLE,
        domain=r"every $S \ge 2$, $A$ and $H$",
        evidence=r"$V = H$ everywhere gives $\lVert\phi_V\rVert = \sqrt{S} H$.",
        severity=Severity.CONSTANT,
        witness=Witness(
            {"S": 3, "A": 2, "H": 6, "V": "6 in every state"},
            ("the norm of phi_V is at most", 6.0),
            ("it is", norm),
        ),
    )
    yield Trial(
        in_class,
        at=(1, 1.0),
        mutant_at=(0, 1.0),
        mutant="no scaling",
        scale=lambda c: (1, c),
        tighter={"no scaling": (0, 1.0)},
    ).holds(
        "corrected",
        Rigor.PROVED,
        statement=r"With $\phi = e_{(s,a,s')}/\sqrt{S}$ and $\theta_h = \sqrt{S} P_h$ every "
        r"tabular MDP is in the class, $d = S^2 A$: $\lVert\phi_V\rVert \le H$ and "
        r"$\lVert\theta_h\rVert \le \sqrt{d}$",
        domain=r"every $S$, $A$ and $H$",
        evidence="The sum of $V^2/S$ over $S$ states is at most $H^2$, and a row of "
        "probabilities has squares that sum to at most 1.",
    )


def design_norms(factor: float) -> bool:
    """Whether the change of features of proofs.md makes all phi_V/H at most 1 and every theta that
    has inner products of at most 1 with them at most sqrt(factor m), for drawn features and for
    the unit vectors; m, the largest leverage of the design u, is d but for 2 % (multiplicative
    updates) and d for unit vectors, where theta of all ones attains it."""
    rng = np.random.default_rng(32)
    for d in (2, 3, 5):
        for points in (np.eye(d), rng.standard_normal((4 * d, d)) * np.geomspace(1, 50, d)):
            u = np.full(len(points), 1 / len(points))
            for _ in range(2000):
                gram = (points.T * u) @ points
                leverage = np.einsum("id,dk,ik->i", points, np.linalg.inv(gram), points)
                u *= leverage / d
            most = leverage.max()
            thetas = np.concatenate([rng.standard_normal((500, d)), np.ones((1, d))])
            thetas /= np.abs(points @ thetas.T).max(axis=0)[:, None]
            # squared norms after the change
            changed = most * np.einsum("id,dk,ik->i", thetas, gram, thetas)
            if most > 1.02 * d or changed.max() > factor * most * (1 + 1e-9):
                return False
    return True


@claim("liao2021/remark-3.2")
def remark_3_2() -> Records:
    """The class is as wide as the remark says, whatever the norms of the given features."""
    yield Trial(
        design_norms,
        at=1.0,
        mutant_at=0.9,
        mutant=r"$\sqrt{0.9 d}$ in place of $\sqrt{d}$",
        scale=lambda c: c,
    ).holds(
        "printed",
        Rigor.DERIVED,
        statement=r"Whenever $P_h(s' \mid s,a) = \langle \phi(s' \mid s,a), \theta_h \rangle$ "
        "with features of dimension $d$, one linear change of the features puts the MDP into the "
        "class of definition 3.1; tabular MDPs and feature embeddings are of this kind",
        domain=r"every finite $S$ and $A$, every $H$ and $d$",
        evidence=r"The bound $\sqrt{d}$ of the definition is the one that this change gives.",
        basis=Basis(proof="The class is as wide as its dimension"),
    )


def pairing(transpose: bool, order: str, sizes: tuple[int, int]) -> sp.Expr:
    """<vec(psi phi'), vec(M)> (or vec(M')) - phi' M psi for symbolic phi, psi and M of these sizes;
    order C or F."""
    rows, columns = sizes
    phi, psi = sp.symbols(f"f1:{rows + 1}"), sp.symbols(f"g1:{columns + 1}")
    matrix = np.array(
        [[sp.Symbol(f"m{i}{j}") for j in range(columns)] for i in range(rows)], dtype=object
    )
    outer = np.array([[y * x for x in phi] for y in psi], dtype=object)
    kernel = sum(phi[i] * matrix[i, j] * psi[j] for i in range(rows) for j in range(columns))
    flat = (matrix.T if transpose else matrix).flatten(order=order)  # type: ignore[arg-type]
    stacked = outer.flatten(order=order)  # type: ignore[arg-type]
    return sp.expand(sum(x * y for x, y in zip(stacked, flat, strict=True)) - kernel)


def represents(transpose: bool) -> bool:
    """Whether the inner product is the transition kernel, under both conventions, for sizes up to
    3."""
    sizes = [(rows, columns) for rows in (1, 2, 3) for columns in (1, 2, 3)]
    return all(pairing(transpose, order, size) == 0 for size in sizes for order in ("C", "F"))


@claim("liao2021/example-3.4")
def example_3_4() -> Records:
    """A transposition is missing."""
    phi, psi, matrix = (
        np.array([1.0, 0.0]),
        np.array([0.0, 1.0]),
        np.array([[0.9, 0.1], [0.2, 0.8]]),
    )
    model, printed = (
        float(phi @ matrix @ psi),
        float(np.outer(psi, phi).flatten("F") @ matrix.flatten("F")),
    )
    yield Trial(
        lambda transpose: not represents(transpose),
        at=False,
        mutant_at=True,
        mutant=r"$\mathrm{vec}(M_h^\top)$ in place of $\mathrm{vec}(M_h)$",
    ).fails(
        "printed",
        Rigor.COUNTEREXAMPLE,
        domain=r"$M_h$ square, where $\psi^\top M_h \phi \ne \phi^\top M_h \psi$, with one "
        "convention for both vec",
        evidence=r"For square $M_h$ the inner product is $\psi^\top M_h \phi$.",
        severity=Severity.WORDING,
        witness=Witness(
            {"M": "[[0.9, 0.1], [0.2, 0.8]]", "phi(s, a)": "(1, 0)", "psi(s')": "(0, 1)"},
            ("P(s'|s, a) =", model),
            ("the inner product is", printed),
        ),
    )
    yield Trial(
        represents,
        at=True,
        mutant_at=False,
        mutant=r"$\mathrm{vec}(M_h)$, as printed",
    ).holds(
        "corrected",
        Rigor.DERIVED,
        statement=r"With $\theta_h = \mathrm{vec}(M_h^\top)$ a feature embedding is a linear "
        r"mixture of dimension $d_1 d_2$; one linear change of the features gives it the norms of "
        "definition 3.1",
        domain=r"every $d_1$ and $d_2$, every finite $S$ and $A$",
        evidence="Entry by entry the two sides are the same sum.",
        basis=Basis(proof="The class is as wide as its dimension", uses=("liao2021/remark-3.2",)),
    )
