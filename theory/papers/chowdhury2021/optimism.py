"""chowdhury2021, Section III-A: the optimistic choice (9).

Three things are asked of it: that the minimum is attained, that the agent can compute what is minimised, and that the
choice is optimistic.

**Attained.** S asks for a controllable pair, and so is not closed. For n = d = 1, H = 2, Q = R = 1 the cost is
x^2 (1 + a^2/(1 + b^2)) + E w^2, and [a, b] is controllable exactly when b != 0. OFU-RL (H_k = lambda I, L_k = 0) plays
u = 0 in its first episode, because the first confidence set holds a = 0; so its second estimate is (a^, 0) and its
second confidence set v (a - a^)^2 + lambda b^2 <= beta^2, v = s + lambda, s the sum of x^2. Put r = beta/sqrt(v), a_0 =
a^ - r > 0. In the set a >= a^ - r sqrt(1 - lambda b^2/beta^2) >= a_0 + r lambda b^2/(2 beta^2), so for b != 0

    a^2/(1 + b^2) > a_0^2   as soon as   r lambda/(beta^2 a_0) >= 1,

while (a_0, 0) has the cost a_0^2 and is the limit of controllable pairs in the set: the infimum is not attained.
The first episode of the private algorithm needs no such luck. No data are released yet, V_1 = 2 Lambda I, and beta_1 >=
sqrt(3 Lambda), so the first set holds all of S. With E w w' > 0 and H >= 3 the cost exceeds its infimum by at least a
multiple of trace(P_2 - Q) = trace(A'(Q^{-1} + BR^{-1}B')^{-1}A), zero at A = 0 only; and (0, B) has the
controllability matrix [B, 0, ...], of rank at most d. So for d < n there is no minimiser in S.

Nothing in the paper needs controllability (P_h and K_h exist without it), so the set without it, which is compact,
serves.

**Computable.** J* holds trace(P_{h+1} Cov w_h): see :mod:`theory.papers.chowdhury2021.system`. The order of two members
of S by J* can turn round with the variance of the noise.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import sympy as sp
from flint import arb

from theory.claim import Record, Rigor, Verdict, claim, decide
from theory.papers.chowdhury2021.system import riccati, scalar_riccati
from theory.rigor.balls import precision

# ---- a run whose second episode has no minimiser ---------------------------------------------------------------------


class Start(NamedTuple):
    """OFU-RL in a scalar system without noise (w = 0, which C_w > 0 allows), x_1 = 1, H = 2, Q = R = 1.

    C_A = |a|, C_B = |b|; gamma may be (1 - C_A - C_w)/C_B.
    """

    a: float
    b: float
    noise: float  # C_w
    regulariser: float  # lambda
    alpha: float


RUN = Start(0.5, 0.5, 1e-3, 0.25, 0.1)


def second_set(run: Start) -> tuple[arb, arb, arb, arb]:
    """a^, beta, v and lambda of the second confidence set, after one episode with u = 0, by balls."""
    a, lam = arb(run.a), arb(run.regulariser)
    s = 1 + a**2  # x_1 = 1, x_2 = a
    beta = arb(run.noise) * (2 * (2 / arb(run.alpha)).log() + (1 + s / lam).log()).sqrt() + lam.sqrt()
    return a * s / (s + lam), beta, s + lam, lam


def unattained(run: Start) -> bool:
    """Whether the argument at the head of this file is certified for the run: Assumption 1, the good event, the
    inequality."""
    with precision(128):
        a, b, lam = arb(run.a), arb(run.b), arb(run.regulariser)
        centre, beta, v, _ = second_set(run)
        admissible = bool(a**2 + b**2 <= 1 and a + arb(run.noise) < 1 and 0 < a < 1 and 0 < b < 1)
        # the estimate's error is lambda Theta in the norm of V^{-1}: the true system lies in the set
        good = bool(lam**2 * (a**2 / v + b**2 / lam) < beta**2)
        r = beta / v.sqrt()
        low = centre - r
        return admissible and good and bool(low > 0) and bool(r * lam >= beta**2 * low) and bool(low < 1)


def sampled_minimum(run: Start, points: int = 400) -> tuple[float, float]:
    """The cost a^2/(1 + b^2) at (a^ - r, 0), and the least on a grid of controllable points of the set."""
    centre, beta, v, lam = (float(value.mid()) for value in second_set(run))
    radius = beta / math.sqrt(v)
    angle = np.linspace(0, 2 * np.pi, 2 * points + 1)[None, :-1]
    size = np.linspace(0, 1, points)[:, None]
    a, b = centre + radius * size * np.cos(angle), beta / math.sqrt(lam) * size * np.sin(angle)
    inside = (a**2 + b**2 <= 1) & (np.abs(b) > 1e-9)
    return (centre - radius) ** 2, float((a**2 / (1 + b**2))[inside].min())


def set_is_fine(run: Start) -> bool:
    """The mutant's test: the infimum is below what the uncontrollable point has."""
    edge, least = sampled_minimum(run)
    return least < edge * (1 - 1e-9)


# ---- the first episode of the private algorithm ----------------------------------------------------------------------


class First(NamedTuple):
    """Sizes of the first episode of Private-OFU-RL; Q = R = I, x_1 = e_1, E w w' = I/4, V_1 = eta I with eta = 2
    Lambda."""

    states: int
    controls: int
    horizon: int
    shift: sp.Rational = sp.Integer(2)  # eta/Lambda


def excess(first: First, a: sp.Matrix, b: sp.Matrix) -> sp.Expr:
    """J*_1 - x'Qx - the sum of trace(Q Cov) over h = 2..H: what a system costs beyond the infimum; exact."""
    n, d = first.states, first.controls
    values = riccati(sp.ImmutableMatrix(a), sp.ImmutableMatrix(b), sp.eye(n), sp.eye(d), first.horizon)[0]
    later = sum(((p - sp.eye(n)).trace() for p in values[1 : first.horizon]), sp.Integer(0))
    return sp.nsimplify((values[0] - sp.eye(n))[0, 0] + later / 4)


def controllable(a: sp.Matrix, b: sp.Matrix) -> bool:
    """Whether [B, AB, ..., A^{n-1}B] has rank n."""
    return bool(sp.Matrix.hstack(*(a**i * b for i in range(a.rows))).rank() == a.rows)


def nothing_to_choose(first: First) -> bool:
    """Whether (9) has no minimiser in the first episode: the set holds S, the infimum is approached along controllable
    pairs, and no candidate that attains it is controllable.

    Candidates: A = 0 with B = I/2 cut to d columns, and for d = 1 the shift A = e_1 e_2'/2, which has A x_1 = 0, with
    B = e_2/2. That there are no others is the identity at the head of this file.
    """
    n, d = first.states, first.controls
    whole = first.shift < 3  # beta_1 >= sqrt(lambda_max) = sqrt(3 Lambda), and V_1 = eta I: radius sqrt(3 Lambda/eta)
    zero, half = sp.zeros(n, n), sp.Rational(1, 2)
    candidates = [(zero, sp.Matrix(n, d, lambda i, j: half if i == j else 0))]
    if (n, d) == (2, 1):
        candidates.append((sp.Matrix([[0, half], [0, 0]]), sp.Matrix([0, half])))
    attained = any(excess(first, a, b) == 0 and controllable(a, b) for a, b in candidates)
    turn = sp.Matrix(n, n, lambda i, j: 1 if j == i + 1 else 0)  # A = t turn with B = e_n/2 is controllable for t > 0
    end = sp.Matrix(n, d, lambda i, j: half if i == n - 1 and j == 0 else 0)
    near = [excess(first, sp.Rational(1, 10**k) * turn, end) for k in (1, 2, 3)]
    approached = controllable(turn / 10, end) and all(0 < gap < sp.Rational(2, 100**k) for k, gap in enumerate(near, 1))
    return bool(whole) and approached and not attained


def kernel_identity() -> sp.Expr:
    """P - P b (r + b'P b)^{-1} b'P - (P^{-1} + b r^{-1} b')^{-1} for two states and one control; zero."""
    p1, p2, p3, r = sp.symbols("p1 p2 p3 r", positive=True)
    value, b = sp.Matrix([[p1, p2], [p2, p3]]), sp.Matrix(sp.symbols("b1 b2", real=True))
    left = value - value * b * b.T * value / (r + (b.T * value * b)[0])
    return (left - (value.inv() + b * b.T / r).inv()).applyfunc(sp.simplify).norm()


# ---- two systems whose order turns with the noise --------------------------------------------------------------------

FIRST, SECOND = (Fraction(1, 2), Fraction(1, 5)), (Fraction(7, 12), Fraction(3, 5))


def optimal_cost(system: tuple[Fraction, Fraction], variance: Fraction, horizon: int = 3) -> Fraction:
    """J*_1 at x = 1 for n = d = 1, q = r = 1: P_1 + variance (P_2 + ... + P_H), exact."""
    values, _ = scalar_riccati(*system, Fraction(1), Fraction(1), horizon)
    return Fraction(values[0] + variance * sum(values[1:], Fraction(0)))


def order_turns(case: tuple[int, Fraction]) -> bool:
    """Whether the cheaper of the two systems without noise costs more with noise +-0.6, C_w = ``case[1]`` <= 1.

    Both stand in S; noise identically zero and the fair signs +-0.6 both meet Assumption 1 (d) with C_w = 0.6.
    """
    horizon, size = case
    none, signs = Fraction(0), size**2
    inside = all(a**2 + b**2 <= 1 and b != 0 for a, b in (FIRST, SECOND))
    before = optimal_cost(FIRST, none, horizon) - optimal_cost(SECOND, none, horizon)
    after = optimal_cost(FIRST, signs, horizon) - optimal_cost(SECOND, signs, horizon)
    return inside and size < 1 and before > 0 > after


# ---- the repair ------------------------------------------------------------------------------------------------------


def attained_on_closure(controllable: bool) -> bool:
    """Whether the minimum over the set, with or without b != 0, is reached for :data:`RUN` and four of its
    neighbours.

    Without controllability the set is compact and J* continuous, since P_h are rational functions of Theta whose
    denominators det(R + B'PB) >= det R > 0; so the answer is always yes.
    """
    runs = [RUN, *(RUN._replace(a=a) for a in (0.5, 0.6, 0.7, 0.8))]
    return not controllable or not any(unattained(run) for run in runs)


def least_possible(shift: Fraction) -> bool:
    """Whether P_h >= q + shift for all Theta, with equality at a = 0: the least cost that any system has."""
    grid = [Fraction(i, 7) for i in range(-7, 8)]
    for a in grid:
        for b in grid:
            values, _ = scalar_riccati(a, b, Fraction(1), Fraction(1, 3), 4)
            if any(p < 1 + shift for p in values[:-1]):
                return False
    return all(p == 1 for p in scalar_riccati(Fraction(0), Fraction(1, 2), Fraction(1), Fraction(1), 4)[0][:-1])


@claim("chowdhury2021/equation-9")
def equation_9() -> tuple[Record, ...]:
    """Not always attained, even in the first episode; not computable from the algorithm's inputs; both repairs are
    cheap."""
    centre, beta, v, lam = (float(value.mid()) for value in second_set(RUN))
    radius = beta / math.sqrt(v)
    before = [float(optimal_cost(system, Fraction(0))) for system in (FIRST, SECOND)]
    after = [float(optimal_cost(system, Fraction(9, 25))) for system in (FIRST, SECOND)]
    return (
        decide(
            lambda run: unattained(run) and not set_is_fine(run), at=RUN,
            mutant_at=[RUN._replace(a=0.85), RUN._replace(regulariser=0.05)], several_mutants=True,
            of="reading: the minimum over C_k and S is attained on the good event",
            statement="in every episode of OFU-RL the cost J* has a minimiser in C_k and S",
            verdict=Verdict.FAILS, rigor=Rigor.COUNTEREXAMPLE,
            domain="n = d = 1, H = 2, Q = R = 1, a = b = 1/2, w = 0, C_w = 0.001, x_1 = 1, H_k = I/4, L_k = 0, alpha = "
            "0.1: the second episode",
            evidence=f"the first policy is u = 0, so the second estimate is ({centre:.4f}, 0), beta = {beta:.4f}, "
            f"radii {radius:.4f} and {beta / math.sqrt(lam):.4f}. The cost tends to 1 + {centre - radius:.5f}^2 along "
            "controllable pairs that tend to b = 0, and is larger at each of them (balls). With a set that has "
            "shrunk more (a = 0.85) it is attained. No proof uses controllability.",
            mutant="a = 0.85, or H_k = I/20, where larger |b| is cheaper"),
        decide(
            lambda first: kernel_identity() == 0 and nothing_to_choose(first), at=First(2, 1, 3),
            mutant_at=[First(2, 2, 3), First(2, 1, 2), First(2, 1, 3, sp.Integer(4))], several_mutants=True,
            of="reading: the minimum over C_1 and S is attained in the first episode of Private-OFU-RL",
            statement="(9) has a minimiser in the first episode of Algorithm 1",
            verdict=Verdict.FAILS, rigor=Rigor.PROVED,
            domain="every d < n, H >= 3, positive definite covariance of w, every x_1, Q, R, epsilon, delta; decided "
            "in rational numbers at n = 2, d = 1, H = 3, Q = R = I, Cov w = I/4",
            evidence="no coincidence is needed: V_1 = 2 Lambda I and beta_1 >= sqrt(3 Lambda), so the set holds all of "
            "S; a cost beyond the infimum is zero at A = 0 only, and (0, B) is not controllable for d < n; shifts A -> "
            "0 approach it. In the closed ball the minimisers are (0, B), and u = 0.",
            mutant="d = n; H = 2, where A x_1 = 0 is enough; eta = 4 Lambda, where the set need not hold S"),
        decide(
            order_turns, at=(3, Fraction(3, 5)), mutant_at=[(2, Fraction(3, 5)), (3, Fraction(2, 5))],
            several_mutants=True, of="reading: the choice can be made from the inputs of Algorithm 1",
            statement="which of two members of S has the smaller J*_1 is a function of K, H, epsilon, delta, gamma, "
            "C_w, alpha, Q, R, x_1 and the released statistics",
            verdict=Verdict.FAILS, rigor=Rigor.COUNTEREXAMPLE,
            domain="n = d = 1, H = 3, Q = R = 1, x_1 = 1, C_w = 0.6: w = 0 against w = +-0.6",
            evidence=f"J* of (1/2, 1/5) and (7/12, 3/5): {before[0]:.5f} > {before[1]:.5f} without noise, "
            f"{after[0]:.5f} < {after[1]:.5f} with variance 0.36 (rational numbers). (5) holds the covariances of "
            "w_1, ..., w_(H-1), which Assumption 1 bounds and no input gives. For H = 2 they add the same to every "
            "Theta.",
            mutant="H = 2; or signs of size 0.4"),
        decide(
            lambda controllable: attained_on_closure(controllable) and least_possible(Fraction(0)), at=False,
            mutant_at=True, of="corrected",
            statement="over C_k and {||Theta||_F <= 1}, controllable or not, a minimiser exists whenever the set is "
            "not empty, and on the good event its cost is at most J*_1(Theta_*, x); the covariances of the noise are "
            "an input",
            verdict=Verdict.HOLDS, rigor=Rigor.PROVED,
            domain="every n, d, H, Q >= 0, R > 0. Where the set is empty, which the good event excludes, the paper "
            "leaves the policy open; gains are bounded by nothing (lemma-2)",
            evidence="the set is compact, P_h and so J* continuous, as det(R + B'PB) >= det R > 0; and Theta_* is in "
            "the set. P_h >= Q always, with equality at A = 0: as long as the set holds some Theta with A = 0, a "
            "minimiser plays u = 0.",
            mutant="with controllability, which the run above defeats"),
    )
