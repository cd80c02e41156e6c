"""liao2021, Section 3.1: which feature maps satisfy (3.1), and what the two examples need for it.

(3.1) asks ||phi_V(s, a)|| <= H for every V: S -> [0, H], and definition-3.1 asks ||theta_h|| <= sqrt(d) beside it.

**One-hot features** (example-3.3, d = S^2 A): phi_V(s, a) has the entries V(s') at (s, a, s'), so ||phi_V||^2 = sum
V(s')^2, with the supremum S H^2 at V = H. (3.1) fails for S >= 2. theta_h has S A rows of probabilities, each of
norm at most 1, so ||theta_h|| <= sqrt(S A), far below sqrt(d) = S sqrt(A). Dividing the features by sqrt(S) and
multiplying theta by it satisfies both: ||phi_V|| <= H and ||theta_h|| <= sqrt(S) sqrt(S A) = sqrt(d), and both are
attained (deterministic transitions).

**Feature embedding** (example-3.4): phi' M psi = sum phi_i M_ij psi_j. The entry of vec(psi phi') at (j, i) is psi_j
phi_i, that of vec(M) at (i, j) is M_ij; under one convention for vec, by columns or by rows, the inner product is
psi' M phi, which needs d_1 = d_2 to make sense as a pairing of equal positions and differs unless M is symmetric.
vec(M') in place of vec(M) is right. The norms are not assumed by the example; they hold when ||phi|| <= 1, ||sum
psi(s') V(s')|| <= H and ||M||_F <= sqrt(d_1 d_2).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import sympy as sp
import z3

from theory.claim import Record, Rigor, Verdict, claim, decide
from theory.rigor.smt import Proof

# ------------------------------------------------------------------------------------------- one-hot features


def one_hot_norm(values: tuple[Fraction, ...], states: int, actions: int) -> Fraction:
    """||phi_V(s, a)||^2 for one-hot features, largest over (s, a), from the features as vectors of length S^2 A."""
    size = states * states * actions
    best = Fraction(0)
    for s, a in itertools.product(range(states), range(actions)):
        vector = [Fraction(0)] * size
        for target in range(states):
            vector[(s * actions + a) * states + target] += values[target]
        best = max(best, sum((entry * entry for entry in vector), Fraction(0)))
    return best


def largest_norm(states: int, horizon: int) -> Fraction:
    """max over V in {0, H}^S of ||phi_V||^2, A = 2; the corners of the cube suffice, as the norm is convex in V."""
    corners = itertools.product((Fraction(0), Fraction(horizon)), repeat=states)
    return max(one_hot_norm(values, states, 2) for values in corners)


def within(scale: Callable[[int], Fraction]) -> bool:
    """Whether features divided by sqrt(scale(S)) satisfy (3.1), for S = 1..6 and H = 1..3 (squares, exact)."""
    sizes = itertools.product(range(1, 7), range(1, 4))
    return all(largest_norm(states, horizon) <= scale(states) * horizon**2 for states, horizon in sizes)


def scaled_for_all(power: int) -> bool:
    """z3, every S by induction: sum of S squares of values in [0, H] is at most S^power H^2 (power 1; 0 fails at S =
    2)."""
    total, value, horizon, states = z3.Reals("total value horizon states")
    given = Proof(value >= 0, value <= horizon, horizon > 0, states >= 1)
    bound = states * horizon * horizon if power == 1 else horizon * horizon
    following = (states + 1) * horizon * horizon if power == 1 else horizon * horizon
    start = given.shows(value * value <= horizon * horizon)
    return start and given.shows(z3.Implies(total <= bound, total + value * value <= following))


def parameter_norm(rows: int, states: int) -> bool:
    """Whether ||sqrt(S) theta||^2 <= d for S = ``states`` and S A = ``rows`` rows of probabilities; attained by 0-1
    rows.

    A row in the simplex has sum p^2 <= sum p = 1. So S * rows <= S^2 A = d, with equality for deterministic
    transitions.
    """
    p = [z3.Real(f"p{i}") for i in range(states)]
    row = Proof(*(entry >= 0 for entry in p), sum(p) == 1).shows(sum(entry * entry for entry in p) <= 1)
    return row and states * rows == states**2 * (rows // states)


@claim("liao2021/equation-3.1")
def equation_3_1() -> tuple[Record, ...]:
    """The supremum of one-hot ||phi_V||, and the scaling that repairs it."""
    return (
        decide(
            lambda states: largest_norm(states, 1) > 1, at=2, mutant_at=1, of="printed",
            statement="one-hot features (the tabular MDPs that the class is said to contain) satisfy ||phi_V|| <= H",
            verdict=Verdict.FAILS, rigor=Rigor.COUNTEREXAMPLE, domain="every S >= 2, A >= 1, H",
            evidence="S = 2, V = H everywhere: phi_V(s, a) has two entries H, norm sqrt(2) H. The supremum is "
            "sqrt(S) H, exactly, over the corners of [0, H]^S for S <= 6.",
            mutant="S = 1, where the norm is H"),
        decide(
            lambda scale: within(scale) and scaled_for_all(1) and not scaled_for_all(0), at=Fraction,
            mutant_at=lambda states: Fraction(max(1, states - 1)), of="corrected",
            statement="one-hot features divided by sqrt(S) satisfy (3.1)",
            verdict=Verdict.HOLDS, rigor=Rigor.PROVED, domain="every S, A, H",
            evidence="sum over S states of V^2/S <= H^2, by induction (z3), and exact at the corners for S <= 6; "
            "attained at V = H.",
            mutant="division by sqrt(S - 1)", sharpness=1.0),
    )


@claim("liao2021/example-3.3")
def example_3_3() -> tuple[Record, ...]:
    """A tabular MDP is in the class after scaling, not as printed."""
    return (
        decide(
            lambda states: largest_norm(states, 2) > 4, at=3, mutant_at=1, of="printed",
            statement="a tabular MDP with one-hot features and theta_h its transition probabilities belongs to the "
            "class of definition-3.1",
            verdict=Verdict.FAILS, rigor=Rigor.COUNTEREXAMPLE, domain="every S >= 2",
            evidence="P = <phi, theta> holds, and ||theta|| <= sqrt(SA) <= sqrt(d); but definition-3.1 also asks "
            "(3.1), which one-hot features break by sqrt(S) (equation-3.1).",
            mutant="S = 1"),
        decide(
            lambda scale: within(scale) and all(parameter_norm(s * a, s) for s in (1, 2, 3, 4) for a in (1, 2, 3)),
            at=Fraction, mutant_at=lambda _: Fraction(1), of="corrected",
            statement="phi = e/sqrt(S), theta = sqrt(S) P: ||phi_V|| <= H and ||theta|| <= S sqrt(A) = sqrt(d), d = "
            "S^2 A",
            verdict=Verdict.HOLDS, rigor=Rigor.PROVED, domain="every S, A, H",
            evidence="A row of probabilities has sum of squares at most 1 (z3, rows of 1 to 4), SA rows times S make "
            "d. Both bounds are attained, by V = H and by deterministic transitions: there is no room for a smaller "
            "scale.",
            mutant="no scaling", sharpness=1.0),
    )


# ----------------------------------------------------------------------------------------- feature embeddings


def pairing(transpose: bool, order: str, sizes: tuple[int, int]) -> sp.Expr:
    """<vec(psi phi'), vec(M)> (or vec(M')) - phi' M psi for symbolic phi (d_1), psi (d_2), M (d_1 x d_2); order C or
    F."""
    rows, columns = sizes
    phi, psi = sp.symbols(f"f1:{rows + 1}"), sp.symbols(f"g1:{columns + 1}")
    matrix = np.array([[sp.Symbol(f"m{i}{j}") for j in range(columns)] for i in range(rows)], dtype=object)
    outer = np.array([[y * x for x in phi] for y in psi], dtype=object)
    kernel = sum(phi[i] * matrix[i, j] * psi[j] for i in range(rows) for j in range(columns))
    flat = (matrix.T if transpose else matrix).flatten(order=order)  # type: ignore[arg-type]
    return sp.expand(sum(x * y for x, y in zip(outer.flatten(order=order), flat, strict=True)) - kernel)  # type: ignore[arg-type]


def represents(transpose: bool) -> bool:
    """Whether the inner product is the transition kernel, under both conventions, for sizes up to 3."""
    sizes = [(rows, columns) for rows in (1, 2, 3) for columns in (1, 2, 3)]
    return all(pairing(transpose, order, size) == 0 for size in sizes for order in ("C", "F"))


def embedded_norms() -> bool:
    """||vec(x y')|| = ||x|| ||y|| in symbols (3 x 2): so ||phi_V|| <= H when ||phi|| <= 1 and ||sum psi V|| <= H."""
    x, y = sp.symbols("x1:4", real=True), sp.symbols("y1:3", real=True)
    entries = sum((a * b) ** 2 for a in x for b in y)
    return bool(sp.expand(entries - sum(a**2 for a in x) * sum(b**2 for b in y)) == 0)


@claim("liao2021/example-3.4")
def example_3_4() -> tuple[Record, ...]:
    """A transposition, and norms that the example does not assume."""
    return (
        decide(
            lambda transpose: not represents(transpose), at=False, mutant_at=True,
            of="reading: one convention for both vec",
            statement="P = <vec(psi phi'), vec(M)>",
            verdict=Verdict.FAILS, rigor=Rigor.COUNTEREXAMPLE,
            domain="M not symmetric (d_1 = d_2), or d_1 and d_2 both above 1 and different",
            evidence=f"d_1 = d_2 = 2: the inner product minus phi' M psi is {pairing(False, 'F', (2, 2))}; it is "
            "psi' M phi that is written. Stacking columns or rows makes no difference. And nothing in the example "
            "bounds ||phi_V|| by H.",
            mutant="vec(M') in place of vec(M)"),
        decide(
            lambda transpose: represents(transpose) and embedded_norms(), at=True, mutant_at=False, of="corrected",
            statement="phi(s'|s,a) = vec(psi phi') with theta = vec(M'); in the class when ||phi|| <= 1, ||sum "
            "psi(s')V(s')|| <= H for V in [0, H] and ||M||_F <= sqrt(d_1 d_2)",
            verdict=Verdict.HOLDS, rigor=Rigor.PROVED,
            domain="every d_1, d_2 (symbols for sizes up to 3 x 3; the identity is one per entry)",
            evidence="Identity in symbols under both conventions; the norm of an outer product is the product of the "
            "norms.",
            mutant="vec(M), as printed"),
    )
