"""chowdhury2021, Section III-A: the optimistic choice (9): is the minimum attained, computable, and
optimistic?

The instances and the repair are worked out in proofs.md (the optimistic choice exists).
"""

import math
from fractions import Fraction
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
import sympy as sp
from flint import arb

from theory.claim import Basis, Records, Rigor, Severity, Trial, Witness, claim
from theory.papers.chowdhury2021.system import riccati, scalar_riccati
from theory.rigor.balls import precision


class ScalarRun(NamedTuple):
    """OFU-RL in a scalar system without noise (w = 0, which C_w > 0 allows), x_1 = 1, H = 2, Q = R
    = 1."""

    a: float  #: C_A = |a|
    b: float  #: C_B = |b|; gamma may be (1 - C_A - C_w)/C_B
    noise: float  #: C_w
    regulariser: float  #: lambda
    alpha: float


RUN = ScalarRun(0.5, 0.5, 1e-3, 0.25, 0.1)


def second_set(run: ScalarRun) -> tuple[arb, arb, arb, arb]:
    """a^, beta, v and lambda of the second confidence set, after one episode with u = 0, by
    balls."""
    a, lam = arb(run.a), arb(run.regulariser)
    s = 1 + a**2  # x_1 = 1, x_2 = a
    beta = (
        arb(run.noise) * (2 * (2 / arb(run.alpha)).log() + (1 + s / lam).log()).sqrt() + lam.sqrt()
    )
    return a * s / (s + lam), beta, s + lam, lam


def unattained(run: ScalarRun) -> bool:
    """Whether the argument of proofs.md is certified for the run: Assumption 1, the good event, the
    inequality."""
    with precision(128):
        a, b, lam = arb(run.a), arb(run.b), arb(run.regulariser)
        centre, beta, v, _ = second_set(run)
        admissible = bool(a**2 + b**2 <= 1 and a + arb(run.noise) < 1 and 0 < a < 1 and 0 < b < 1)
        # the estimate's error is lambda Theta in the norm of V^{-1}: the true system lies in the
        # set
        good = bool(lam**2 * (a**2 / v + b**2 / lam) < beta**2)
        r = beta / v.sqrt()
        low = centre - r
        return (
            admissible
            and good
            and bool(low > 0)
            and bool(r * lam >= beta**2 * low)
            and bool(low < 1)
        )


def sampled_minimum(run: ScalarRun, points: int = 400) -> tuple[float, float]:
    """The cost a^2/(1 + b^2) at (a^ - r, 0), and the least on a grid of controllable points of the
    set."""
    centre, beta, v, lam = (float(value.mid()) for value in second_set(run))
    radius = beta / math.sqrt(v)
    angle = np.linspace(0, 2 * np.pi, 2 * points + 1)[None, :-1]
    size = np.linspace(0, 1, points)[:, None]
    a, b = centre + radius * size * np.cos(angle), beta / math.sqrt(lam) * size * np.sin(angle)
    inside = (a**2 + b**2 <= 1) & (np.abs(b) > 1e-9)
    return (centre - radius) ** 2, float((a**2 / (1 + b**2))[inside].min())


class FirstPrivateEpisode(NamedTuple):
    """Sizes of the first episode of Private-OFU-RL; Q = R = I, x_1 = e_1, E w w' = I/4, V_1 = eta
    I, eta = 2 Lambda."""

    states: int
    controls: int
    horizon: int
    shift: sp.Rational = sp.Integer(2)  #: eta/Lambda


def excess(first: FirstPrivateEpisode, a: sp.Matrix, b: sp.Matrix) -> sp.Expr:
    """J*_1 - x'Qx - the sum of trace(Q Cov) over h = 2..H: what a system costs beyond the infimum;
    exact."""
    n, d = first.states, first.controls
    values = riccati(
        sp.ImmutableMatrix(a), sp.ImmutableMatrix(b), sp.eye(n), sp.eye(d), first.horizon
    )[0]
    later = sum(((p - sp.eye(n)).trace() for p in values[1 : first.horizon]), sp.Integer(0))
    return sp.nsimplify((values[0] - sp.eye(n))[0, 0] + later / 4)


def controllable(a: sp.Matrix, b: sp.Matrix) -> bool:
    """Whether [B, AB, ..., A^{n-1}B] has rank n."""
    return bool(sp.Matrix.hstack(*(a**i * b for i in range(a.rows))).rank() == a.rows)


def nothing_to_choose(first: FirstPrivateEpisode) -> bool:
    """Whether (9) has no minimiser in the first episode: the set holds S, the infimum is approached
    along controllable pairs, and no candidate that attains it is controllable.

    Candidates: A = 0 with B = I/2 cut to d columns, and for d = 1 the shift A = e_1 e_2'/2, which
    has A x_1 = 0, with B = e_2/2. That there are no others is :func:`kernel_identity`.
    """
    n, d = first.states, first.controls
    # beta_1 >= sqrt(lambda_max) = sqrt(3 Lambda), and V_1 = eta I: radius sqrt(3 Lambda/eta)
    covers_ball = first.shift < 3
    zero, half = sp.zeros(n, n), sp.Rational(1, 2)
    candidates = [(zero, sp.Matrix(n, d, lambda i, j: half if i == j else 0))]
    if (n, d) == (2, 1):
        candidates.append((sp.Matrix([[0, half], [0, 0]]), sp.Matrix([0, half])))
    attained = any(excess(first, a, b) == 0 and controllable(a, b) for a, b in candidates)
    # A = t turn with B = e_n/2 is controllable for t > 0
    turn = sp.Matrix(n, n, lambda i, j: 1 if j == i + 1 else 0)
    end = sp.Matrix(n, d, lambda i, j: half if i == n - 1 and j == 0 else 0)
    near = [excess(first, sp.Rational(1, 10**k) * turn, end) for k in (1, 2, 3)]
    approached = controllable(turn / 10, end) and all(
        0 < gap < sp.Rational(2, 100**k) for k, gap in enumerate(near, 1)
    )
    return bool(covers_ball) and approached and not attained and kernel_identity() == 0


@cache
def kernel_identity() -> sp.Expr:
    """P - P b (r + b'P b)^{-1} b'P - (P^{-1} + b r^{-1} b')^{-1} for two states and one control;
    zero."""
    p1, p2, p3, r = sp.symbols("p1 p2 p3 r", positive=True)
    value, b = sp.Matrix([[p1, p2], [p2, p3]]), sp.Matrix(sp.symbols("b1 b2", real=True))
    left_side = value - value * b * b.T * value / (r + (b.T * value * b)[0])
    return (left_side - (value.inv() + b * b.T / r).inv()).applyfunc(sp.simplify).norm()


FIRST, SECOND = (Fraction(1, 2), Fraction(1, 5)), (Fraction(3, 5), Fraction(13, 20))


def optimal_cost(
    system: tuple[Fraction, Fraction], variance: Fraction, horizon: int = 3
) -> Fraction:
    """J*_1 at x = 1 for n = d = 1, q = r = 1: P_1 + variance (P_2 + ... + P_H), exact."""
    values, _ = scalar_riccati(*system, Fraction(1), Fraction(1), horizon)
    return Fraction(values[0] + variance * sum(values[1:], Fraction(0)))


def order_turns(case: tuple[int, Fraction]) -> bool:
    """Whether the cheaper of the two systems without noise costs more with noise +-``case[1]``;
    either can be the true one, as both stand in S with a + C_w < 1, and noise identically zero
    meets Assumption 1 (d) as the fair signs do."""
    horizon, size = case
    none, signs = Fraction(0), size**2
    inside = all(a**2 + b**2 <= 1 and b != 0 and a + size < 1 for a, b in (FIRST, SECOND))
    before = optimal_cost(FIRST, none, horizon) - optimal_cost(SECOND, none, horizon)
    after = optimal_cost(FIRST, signs, horizon) - optimal_cost(SECOND, signs, horizon)
    return inside and before > 0 > after


def infimum_reached(run: ScalarRun, controllable: bool) -> bool:
    """Whether the cost of (a^ - r, 0), a member of the closed set, is at most that of every
    controllable pair on a grid of the second set; ``controllable``: whether one of these pairs has
    that cost."""
    edge, least = sampled_minimum(run)
    return least <= edge if controllable else edge <= least


def cheapest(first: Fraction) -> bool:
    """Whether a system with a = ``first`` costs nothing beyond P_h = q, the least that any has; for
    b on a grid."""
    return all(
        p == 1
        for b in range(-7, 8)
        for p in scalar_riccati(first, Fraction(b, 8), Fraction(1), Fraction(1), 4)[0][:-1]
    )


def least_possible() -> bool:
    """Whether P_h >= q for all Theta: with :func:`cheapest` at a = 0, the least cost that any
    system has."""
    grid = [Fraction(i, 7) for i in range(-7, 8)]
    return all(
        p >= 1
        for a, b in product(grid, grid)
        for p in scalar_riccati(a, b, Fraction(1), Fraction(1, 3), 4)[0][:-1]
    )


@claim("chowdhury2021/equation-9")
def equation_9() -> Records:
    """Not always attained, even in the first episode; not computable from the inputs; both repairs
    are cheap."""
    before, after = (
        [float(optimal_cost(system, Fraction(v, 100))) for system in (FIRST, SECOND)]
        for v in (0, 9)
    )
    edge, least = sampled_minimum(RUN)
    usual, signs = FirstPrivateEpisode(2, 1, 3), (3, Fraction(3, 10))
    near = excess(
        usual, sp.Matrix([[0, sp.Rational(1, 1000)], [0, 0]]), sp.Matrix([0, sp.Rational(1, 2)])
    )
    scalar = {
        "n": 1,
        "d": 1,
        "H": 3,
        "Q": 1,
        "R": 1,
        "x_1": 1,
        "C_w": float(signs[1]),
        "w": f"+-{float(signs[1])} with fair signs",
        "first system": f"({FIRST[0]}, {FIRST[1]})",
        "second system": f"({SECOND[0]}, {SECOND[1]})",
    }
    yield Trial(
        lambda case: nothing_to_choose(case[0]) and order_turns(case[1]),
        at=(usual, signs),
        mutant_at=[
            (FirstPrivateEpisode(2, 2, 3), signs),
            (FirstPrivateEpisode(2, 1, 2), signs),
            (FirstPrivateEpisode(2, 1, 3, sp.Integer(4)), signs),
            (usual, (2, Fraction(3, 10))),
            (usual, (3, Fraction(1, 10))),
        ],
        mutant=r"$d = n$; $H = 2$, for either; $\eta = 4\Lambda$ with $\lambda_{\max} = "
        r"3\Lambda$; signs of size 0.1.",
    ).fails(
        "printed",
        Rigor.COUNTEREXAMPLE,
        statement=r"In every episode $J_1^*$ has a minimiser in $\mathcal{C}_k \cap S$, and 'can "
        r"be computed from (5)' with what Algorithm 1 is given.",
        domain="The cost: $H = 3$. The minimiser: as in the next record.",
        evidence=r"(5) holds the covariances of $w_1, \ldots, w_{H-1}$, which no input gives; "
        "and $S$, which asks for controllable pairs, is not closed.",
        severity=Severity.WORDING,
        witness=Witness(
            scalar,
            ("at w = 0 the first costs more by", before[0] - before[1]),
            ("with the noise by", after[0] - after[1]),
        ),
    )
    yield Trial(
        nothing_to_choose,
        at=usual,
        mutant_at=[FirstPrivateEpisode(2, 2, 3), FirstPrivateEpisode(2, 1, 2)],
        mutant="$d = n$; $H = 2$.",
    ).fails(
        "step: a minimiser in the first episode",
        Rigor.COUNTEREXAMPLE,
        statement=r"In the first episode $J_1^*$ has a minimiser in $\mathcal{C}_1 \cap S$.",
        domain=r"Algorithm 1 with its $\eta = 2\Lambda$; $d < n$, $H \ge 3$, a positive definite "
        "covariance of $w$.",
        evidence="The first set holds all of $S$. Over the closed ball the infimum is attained "
        "at $A = 0$ only, and $(0, B)$ is not controllable for $d < n$.",
        witness=Witness(
            {
                "n": 2,
                "d": 1,
                "H": 3,
                "Q": "I",
                "R": "I",
                "Cov w": "I/4",
                "x_1": "e_1",
                "A": "e_1 e_2'/1000",
                "B": "e_2/2",
            },
            ("a minimiser costs beyond the infimum", 0.0),
            ("this controllable pair does", float(near)),
        ),
    )
    shrunk = RUN._replace(a=0.85)
    yield Trial(
        lambda run: unattained(run) and infimum_reached(run, controllable=False),
        at=RUN,
        mutant_at=[shrunk, RUN._replace(regulariser=0.05)],
        mutant="$a = 0.85$; $H_k = I/20$.",
    ).fails(
        "reading: with as many controls as states, on the good event",
        Rigor.COUNTEREXAMPLE,
        statement=r"In every episode of OFU-RL $J_1^*$ has a minimiser in $\mathcal{C}_k \cap S$.",
        domain=r"$n = d = 1$, $H = 2$: the second episode.",
        evidence=r"The cost tends to its infimum along controllable pairs with $b \to 0$, and is "
        "larger at each of them (balls).",
        witness=Witness(
            {
                "n": 1,
                "d": 1,
                "H": 2,
                "Q": 1,
                "R": 1,
                "a": RUN.a,
                "b": RUN.b,
                "w": 0,
                "C_w": RUN.noise,
                "x_1": 1,
                "H_k": "I/4",
                "L_k": 0,
                "alpha": RUN.alpha,
                "episode": 2,
            },
            ("least cost beyond the infimum", 0.0),
            ("on a grid of controllable pairs", least - edge),
        ),
    )
    yield Trial(
        lambda case: infimum_reached(*case[0]) and cheapest(case[1]) and least_possible(),
        at=((RUN, False), Fraction(0)),
        mutant_at=[
            ((RUN, True), Fraction(0)),
            ((RUN._replace(a=0.85), False), Fraction(0)),
            ((RUN, False), Fraction(1, 10)),
        ],
        mutant="Controllable pairs only; a minimiser at the same place for $a = 0.85$; $a = 1/10$ "
        "in place of $A = 0$.",
    ).holds(
        "corrected",
        Rigor.DERIVED,
        statement=r"Over $\mathcal{C}_k \cap \{\|\Theta\|_F \le 1\}$, controllable or not, a "
        r"minimiser exists whenever the set is not empty, and on the good event its cost is at "
        r"most $J_1^*(\Theta_*, x)$. The "
        "covariances of the noise are an input.",
        domain=r"Every $n$, $d$, $H$; $Q \ge 0$ and $R > 0$.",
        evidence=r"The set is compact and $J_1^*$ is continuous, as $\det(R + B^\top P B) \ge "
        r"\det R > 0$; and $\Theta_*$ is in the set.",
        basis=Basis(proof="The optimistic choice exists", uses=("chowdhury2021/equation-5",)),
    )
