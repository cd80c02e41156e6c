"""chowdhury2021, Section II-A: the Riccati iteration (4) with the gains (3), and the optimal cost
(5).

One step of dynamic programming. Let J_{h+1}(x) = x'Px + c, P = P_{h+1} >= 0, and G = R + B'PB,
positive definite as R is. For noise with mean zero that is independent of the past, E J_{h+1}(Ax +
Bu + w) = (Ax + Bu)'P(Ax + Bu) + E w'Pw + c, and (:func:`square_defect`, for matrices of every size)

    u'Ru + (Ax + Bu)'P(Ax + Bu) = (u - Kx)'G(u - Kx) + x'(A'PA - A'PB G^{-1} B'PA)x,
    K = -G^{-1}B'PA.

So the minimum is (4), it is attained by u = Kx alone, and the gain of step h holds P_{h+1}.
Equation (3) prints P_h.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import sympy as sp
from scipy.linalg import solve_discrete_are

from privrl.types import FloatArray
from theory.claim import Records, Rigor, Severity, Trial, Witness, claim

CLOSE = 1e-10  # of two solutions of the algebraic equation


def riccati(a: Any, b: Any, q: Any, r: Any, horizon: int) -> tuple[list[Any], list[Any]]:
    """P_1..P_{H+1} and K_1..K_H for sympy matrices, the gains with P_{h+1}."""
    values: list[Any] = [sp.zeros(*q.shape)]
    gains: list[Any] = []
    for _ in range(horizon):
        p = values[0]
        inner = (r + b.T * p * b).inv()
        values.insert(0, q + a.T * p * a - a.T * p * b * inner * b.T * p * a)
        gains.insert(0, -inner * b.T * p * a)
    return values, gains


def scalar_riccati(a: Any, b: Any, q: Any, r: Any, horizon: int) -> tuple[list[Any], list[Any]]:
    """The same for n = d = 1, with numbers of any kind (fractions, balls, arrays): p = q + a^2 p
    r/(r + b^2 p)."""
    values: list[Any] = [q * 0]
    gains: list[Any] = []
    for _ in range(horizon):
        p = values[0]
        values.insert(0, q + a * a * p * r / (r + b * b * p))
        gains.insert(0, -a * b * p / (r + b * b * p))
    return values, gains


def array_riccati(
    a: FloatArray, b: FloatArray, q: FloatArray, r: FloatArray, horizon: int
) -> list[FloatArray]:
    """P_1..P_{H+1} in floating point."""
    values = [np.zeros_like(q)]
    for _ in range(horizon):
        p = values[0]
        values.insert(
            0, q + a.T @ p @ a - a.T @ p @ b @ np.linalg.solve(r + b.T @ p @ b, b.T @ p @ a)
        )
    return values


def square_defect(sign: int = -1, share: int = 1) -> sp.Expr:
    """Left minus right of the display with w in the next state and ``share`` w'Pw on the right,
    less the terms linear in w, whose mean is zero; for matrices of every size (symbols that do not
    commute). Zero for the sign of (4)."""
    names = "A A' B B' P G G^{-1} x x' u u' w w'"
    a, at, b, bt, p, g, gi, x, xt, u, ut, w, wt = sp.symbols(names, commutative=False)
    r, k, kt = g - bt * p * b, -gi * bt * p * a, -at * p * b * gi
    left_side = ut * r * u + (xt * at + ut * bt + wt) * p * (a * x + b * u + w)
    right = (ut - xt * kt) * g * (u - k * x) + xt * (
        at * p * a + sign * at * p * b * gi * bt * p * a
    ) * x
    right += share * wt * p * w
    expanded = sp.expand(sp.expand(left_side - right).subs(g * gi, 1).subs(gi * g, 1))
    return sp.expand(expanded + expanded.subs({w: -w, wt: -wt}, simultaneous=True)) / 2


LONG, SYSTEMS = 400, ((1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (4, 2))  # H; n and d


def stationary_gap() -> float:
    """Largest relative distance of P_1 at H = :data:`LONG` to the solution of the algebraic
    equation, systems of :data:`SYSTEMS` in S."""
    rng, worst = np.random.default_rng(20210), 0.0
    for n, d in SYSTEMS:
        theta = rng.standard_normal((n + d, n))
        theta /= np.linalg.norm(theta) * 1.01
        a, b = theta[:n].T, theta[n:].T
        root, control_root = rng.standard_normal((n, n)), rng.standard_normal((d, d))
        q, r = root @ root.T + 0.1 * np.eye(n), control_root @ control_root.T + 0.1 * np.eye(d)
        first = array_riccati(a, b, q, r, LONG)[0]
        limit = solve_discrete_are(a, b, q, r)
        worst = max(worst, float(np.abs(first - limit).max() / np.abs(limit).max()))
    return worst


class Tree(NamedTuple):
    """A system with finitely many noise values, all rational."""

    a: sp.Matrix
    b: sp.Matrix
    q: sp.Matrix
    r: sp.Matrix
    start: sp.Matrix
    noise: Sequence[tuple[sp.Rational, sp.Matrix]]  #: probability, value
    horizon: int


def _tree(mean: int = 0) -> Tree:
    """Three noise values in two dimensions, of mean (``mean``/10, 0)."""
    half, third = sp.Rational(1, 2), sp.Rational(1, 3)
    noise = [
        (half, sp.Matrix([sp.Rational(1, 10), sp.Rational(-1, 5)])),
        (third, sp.Matrix([sp.Rational(-1, 10), sp.Rational(2, 5)])),
        (sp.Rational(1, 6), sp.Matrix([sp.Rational(-1, 10), sp.Rational(-1, 5)])),
    ]
    a = sp.Matrix([[sp.Rational(1, 2), third], [sp.Rational(-1, 5), sp.Rational(2, 5)]])
    b = sp.Matrix([sp.Rational(1, 4), third])
    q = sp.Matrix([[2, half], [half, 1]])
    moved = [(share, shock + sp.Matrix([sp.Rational(mean, 10), 0])) for share, shock in noise]
    return Tree(a, b, q, sp.Matrix([[half]]), sp.Matrix([half, sp.Rational(3, 5)]), moved, 3)


def tree_optimum(system: Tree) -> tuple[sp.Expr, sp.Expr]:
    """Least expected cost over all causal policies, and the first control (d = 1): one control per
    history, the cost a quadratic in all of them, minimised by a linear system."""
    histories = [
        path
        for step in range(system.horizon)
        for path in product(range(len(system.noise)), repeat=step)
    ]
    index = {path: position for position, path in enumerate(histories)}
    size, n = len(histories), system.a.shape[0]
    constant, linear, square = sp.Integer(0), sp.zeros(size, 1), sp.zeros(size, size)
    # x = fixed + slope * controls, and the probability, for each history
    states: dict[tuple[int, ...], tuple[Any, Any, Any]] = {
        (): (system.start, sp.zeros(n, size), sp.Integer(1))
    }
    for path in histories:
        fixed, slope, chance = states[path]
        row = sp.zeros(1, size)
        row[index[path]] = 1
        constant += chance * (fixed.T * system.q * fixed)[0]
        linear += 2 * chance * slope.T * system.q * fixed
        square += chance * (slope.T * system.q * slope + row.T * system.r * row)
        for value, (share, shock) in enumerate(system.noise):
            moved = system.a * fixed + shock
            states[(*path, value)] = (moved, system.a * slope + system.b * row, chance * share)
    best = square.LUsolve(-linear / 2)
    return sp.nsimplify(constant + (linear.T * best)[0] / 2), best[0]


def displayed_cost(system: Tree, shift: int = 1) -> sp.Expr:
    """(5) at the first step: x'P_1 x + sum over h of E w'P_{h+shift} w; the paper has shift 1."""
    values, _ = riccati(system.a, system.b, system.q, system.r, system.horizon)
    padded = [*values, values[-1]]
    total = (system.start.T * values[0] * system.start)[0]
    for step in range(system.horizon):
        total += sum(
            share * (shock.T * padded[step + shift] * shock)[0] for share, shock in system.noise
        )
    return sp.nsimplify(total)


def displayed_control(system: Tree, shift: int) -> sp.Expr:
    """The first control with the gain -(R + B'PB)^{-1}B'PA x at P = P_{1+shift}; (3) prints shift
    0."""
    p = riccati(system.a, system.b, system.q, system.r, system.horizon)[0][shift]
    return (
        -(system.r + system.b.T * p * system.b).inv() * system.b.T * p * system.a * system.start
    )[0]


def printed_loss(horizon: int, variance: Fraction, shift: int = 0) -> Fraction:
    """Cost above the optimum of the gains with P_{h+shift}: n = d = 1, a = b = 1/2, q = r = 1, x_1
    = 1; exact."""
    unit, half = Fraction(1), Fraction(1, 2)
    values, best = scalar_riccati(half, half, unit, unit, horizon)
    lost, square = Fraction(0), Fraction(1)
    for step in range(horizon):
        p = values[step + shift]
        gain = -p / 4 / (1 + p / 4)
        lost += (1 + values[step + 1] / 4) * (gain - best[step]) ** 2 * square
        square = (half + half * gain) ** 2 * square + variance
    return lost


@cache
def _optimum(mean: int) -> tuple[sp.Expr, sp.Expr]:
    return tree_optimum(_tree(mean))


def gains_right(shift: int) -> bool:
    """Whether the gain with P_{h+shift} is optimal: on the tree, and at n = d = H = 1."""
    return bool(
        displayed_control(_tree(), shift) == _optimum(0)[1]
        and printed_loss(1, Fraction(0), shift) == 0
    )


@claim("chowdhury2021/equation-4")
def equation_4() -> Records:
    """The recursion is right; the gains of (3) need P_{h+1}."""
    loss = printed_loss(2, Fraction(1, 100))
    yield Trial(
        lambda shift: not gains_right(shift),
        at=0,
        mutant_at=1,
        mutant=r"$P_{h+1}$ in place of $P_h$, which is optimal.",
    ).fails(
        "printed",
        Rigor.COUNTEREXAMPLE,
        statement=r"With $P_h$ of (4), $K_h = -(R + B^\top P_h B)^{-1} B^\top P_h A$ is the "
        r"optimal gain at step $h$.",
        domain="Every system whose printed $K_H$ is not zero.",
        evidence="At the last step no control pays, since $P_{H+1} = 0$.",
        severity=Severity.WORDING,
        witness=Witness(
            {
                "n": 1,
                "d": 1,
                "A": 0.5,
                "B": 0.5,
                "Q": 1,
                "R": 1,
                "H": 2,
                "x_1": 1,
                "variance of w": 0.01,
            },
            ("regret of an episode", 0.0),
            ("with the printed gains", float(loss)),
        ),
    )
    yield Trial(
        lambda sign: square_defect(sign) == 0 and stationary_gap() < CLOSE,
        at=-1,
        mutant_at=1,
        mutant="The last term added instead of subtracted.",
        tighter="an identity: there is nothing to tighten",
    ).holds(
        "reading: the recursion (4) alone",
        Rigor.PROVED,
        statement=r"$P_h = Q + A^\top P_{h+1} A - A^\top P_{h+1} B (R + B^\top P_{h+1} B)^{-1} "
        r"B^\top P_{h+1} A$ from $P_{H+1} = 0$ is the matrix of the optimal cost to go.",
        domain=r"Every $n$, $d$, $H$, $A$, $B$; $Q \ge 0$ and $R > 0$; noise of mean zero "
        "with second moments, independent of the past.",
        evidence="Completing the square, in symbols that do not commute.",
    )
    yield Trial(
        lambda shift: square_defect() == 0 and gains_right(shift),
        at=1,
        mutant_at=0,
        mutant=r"$P_h$ in place of $P_{h+1}$.",
        tighter="an identity: there is nothing to tighten",
    ).holds(
        "corrected: the gains",
        Rigor.PROVED,
        statement=r"$K_h = -(R + B^\top P_{h+1} B)^{-1} B^\top P_{h+1} A$, so $K_H = 0$: any "
        r"other $u$ at step $h$, with the optimal controls after it, costs $(u - K_h x)^\top (R + "
        r"B^\top P_{h+1} B)(u - K_h x)$ more.",
        domain="As the record before.",
        evidence="The same identity, from the last step back.",
    )


@claim("chowdhury2021/equation-5")
def equation_5() -> Records:
    """True for noise of mean zero that is independent of the past; it holds the second moments of
    the noise."""
    yield Trial(
        lambda case: (
            square_defect() == 0
            and bool(_optimum(case[0])[0] == displayed_cost(_tree(case[0]), case[1]))
        ),
        at=(0, 1),
        mutant_at=[(0, 0), (1, 1)],
        mutant=r"$P_{h'}$ in place of $P_{h'+1}$; or noise with a mean.",
        tighter={"P of the wrong step": (0, 0), "noise with a mean": (1, 1)},
    ).holds(
        "printed",
        Rigor.PROVED,
        domain=r"Every $n$, $d$, $H$ and all causal policies; $Q \ge 0$ and $R > 0$; noise of mean "
        "zero with second moments, independent of the past.",
        evidence="One step of dynamic programming with its noise, in symbols that do not commute.",
    )
