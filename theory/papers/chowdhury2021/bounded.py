"""chowdhury2021, Appendix A: the norms of states and controls (lemma-2) and of the Riccati matrices
(lemma-3).

**lemma-2.** ||x_{h+1}|| <= C_A ||x_h|| + C_B ||u_h|| + C_w <= 1 follows by induction from ||u_h||
<= gamma; but Assumption 1 says nothing about the gains, which are those of any Theta in S and grow
without bound as R tends to 0. The corrected bounds on gains and matrices are derived in proofs.md.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np
import sympy as sp
from flint import arb

from theory.claim import Basis, Records, Rigor, Severity, Trial, Witness, claim
from theory.formulas import downwards
from theory.papers.chowdhury2021 import rare_noise, scalar_choice, segment
from theory.papers.chowdhury2021.optimism import ScalarRun, second_set
from theory.papers.chowdhury2021.system import array_riccati, scalar_riccati, square_defect
from theory.rigor.balls import precision
from theory.rigor.kernel import Formal
from theory.rigor.symbolic import Term, nonnegative


def optimal_gain(horizon: int) -> Fraction:
    """|K_1| of a = b = 1/2, q = r = 1, exact."""
    half, unit = Fraction(1, 2), Fraction(1)
    return Fraction(abs(scalar_riccati(half, half, unit, unit, horizon)[1][0]))


class PricedRun(NamedTuple):
    """The run of :class:`ScalarRun` with R = ``price``, Q = 1, H = 2, w = 0."""

    start: ScalarRun
    price: float

    @property
    def gamma(self) -> float:
        """The largest gamma of Assumption 1 with C_A = |a|, C_B = |b|."""
        return (1 - self.start.a - self.start.noise) / self.start.b


RUN = PricedRun(ScalarRun(0.8, 0.5, 0.05, 0.1, 0.1), 0.05)


def least_control(run: PricedRun) -> tuple[arb, arb]:
    """Lower bounds, by balls, of |u| in the first step of episode 2 and of |x| after it for a
    minimiser of (9).

    The set is v (a - a^)^2 + lambda b^2 <= beta^2, a^2 + b^2 <= 1, symmetric in b, and the cost is
    Q x^2 + f, f = a^2 R/(R + b^2). f at (a^, b) with b^2 = min(beta^2/lambda, 1 - a^2) bounds the
    minimum from above; f >= a_0^2 R/(R + b^2) with a_0 = a^ - beta/sqrt(v) then bounds b^2 from
    below, and |u| = a|b|/(R + b^2), decreasing in b^2 beyond R, is at least a_0 b/(R + b^2) at the
    largest b.
    """
    a, price = arb(run.start.a), arb(run.price)
    centre, beta, v, lam = second_set(run.start)
    low = centre - beta / v.sqrt()
    wide = (beta**2 / lam).min(1 - centre**2)
    reached = centre**2 * price / (price + wide)
    least_square = low**2 * price / reached - price
    most = (1 - low**2).sqrt()
    control = low * most / (price + most**2)
    if not (bool(low > 0) and bool(least_square > price)):
        return arb(0), arb(0)
    return control, a + arb(
        run.start.b
    ) * control  # the sign of b~ that points the wrong way is a minimiser as well


def run_breaks(run: PricedRun) -> bool:
    """Whether Assumption 1 and the good event hold and every minimiser has |u| > gamma, one of each
    pair |x| > 1."""
    with precision(128):
        a, b, lam = arb(run.start.a), arb(run.start.b), arb(run.start.regulariser)
        _, beta, v, _ = second_set(run.start)
        admissible = bool(a**2 + b**2 <= 1) and 0 < run.start.noise < 1 and run.gamma >= 0
        good = bool(lam**2 * (a**2 / v + b**2 / lam) < beta**2)
        control, state = least_control(run)
        return admissible and good and bool(control > run.gamma) and bool(state > 1)


def induction(slack: sp.Expr) -> bool:
    """With |x| <= 1, |u| <= gamma, C_A + gamma C_B + C_w = 1 - e, e >= 0: 1 - (C_A |x| + C_B |u| +
    C_w) >= slack."""
    names = "C_A C_B C_w gamma e s t"
    ca, cb, cw, gamma, e, s, t = sp.symbols(names, nonnegative=True)  # |x| = 1 - s, |u| = gamma - t
    left_side = (1 - ca * (1 - s) - cb * (gamma - t) - cw).subs(cw, 1 - e - ca - gamma * cb)
    return nonnegative(
        sp.expand(left_side - slack), [Term(1, 1, (e,)), Term(1, 1, (ca, s)), Term(1, 1, (cb, t))]
    )


def gains_within(factor: float) -> bool:
    """||K_h|| <= (factor/2) sqrt(||P_{h+1}||/lambda_min(R)) ||A||: s/(1+s^2) <= 1/2 by algebra, and
    300 drawn systems, the scalar ones among them with b^2 P = r, where it is an equality."""
    s = sp.Symbol("s", nonnegative=True)
    if not nonnegative(sp.Rational(1, 2) * (1 + s**2) - s, [Term(sp.Rational(1, 2), s - 1)]):
        return False
    rng = np.random.default_rng(7)
    for case in range(300):
        n, d = (1, 1) if case < 20 else (int(rng.integers(1, 4)), int(rng.integers(1, 4)))
        theta = rng.standard_normal((n + d, n)) / np.sqrt(n * (n + d))
        a, b = theta[:n].T, theta[n:].T
        q, r = np.eye(n) * rng.uniform(0.1, 3), np.diag(rng.uniform(0.01, 1, d))
        p = array_riccati(a, b, q, r, 4)[1]
        if case < 20:
            r = b * b * p
        gain = np.linalg.solve(r + b.T @ p @ b, b.T @ p @ a)
        bound = np.sqrt(np.linalg.norm(p, 2) / np.diag(r).min()) * np.linalg.norm(a, 2) / 2
        if np.linalg.norm(gain, 2) > factor * bound * (1 + 1e-12):
            return False
    return True


@claim("chowdhury2021/lemma-2")
def lemma_2() -> Records:
    """Not implied by Assumption 1; true when the gains of every Theta that may be chosen are at
    most gamma."""
    control = downwards(float(least_control(RUN)[0].lower()), 4)
    start = RUN.start
    yield Trial(
        run_breaks,
        at=RUN,
        mutant_at=[
            RUN._replace(price=2.0),
            RUN._replace(start=RUN.start._replace(regulariser=1.0)),
        ],
        mutant=r"$R = 2$; $H_k = I$.",
    ).fails(
        "printed",
        Rigor.COUNTEREXAMPLE,
        domain=r"OFU-RL with the gains of $P_{h+1}$, second episode, on the good event.",
        evidence="A small $R$ can make large gains: every minimiser of (9) has a gain above "
        r"$\gamma$ (balls), and of each pair $\pm\tilde b$ one moves the state beyond 1.",
        severity=Severity.DOMAIN,
        witness=Witness(
            {
                "n": 1,
                "d": 1,
                "H": 2,
                "a": start.a,
                "b": start.b,
                "w": 0,
                "C_w": start.noise,
                "gamma": RUN.gamma,
                "Q": 1,
                "R": RUN.price,
                "x_1": 1,
                "H_k": f"{start.regulariser} I",
                "L_k": 0,
                "alpha": start.alpha,
                "episode": 2,
            },
            ("|u_1| is at most", RUN.gamma),
            ("it is at least", control),
        ),
    )
    yield Trial(
        # gamma = (1 - C_A - C_w)/C_B is the largest that Assumption 1 allows
        lambda case: 0 <= 1 - 2 * case[1] < optimal_gain(case[0]),
        at=(3, Fraction(2, 5)),
        mutant_at=(2, Fraction(2, 5)),
        mutant=r"$H = 2$.",
    ).fails(
        "step: the optimal policy of the true system",
        Rigor.COUNTEREXAMPLE,
        statement=r"The optimal gains of the true system are at most $\gamma$.",
        domain=r"This system, for which Assumption 1 (e) gives $\gamma \le 0.2$.",
        evidence="Assumption 1 does not bound the gains.",
        witness=Witness(
            {"n": 1, "d": 1, "H": 3, "a": 0.5, "b": 0.5, "Q": 1, "R": 1, "C_w": 0.4},
            ("|K_1| is at most gamma", 0.2),
            ("it is", float(optimal_gain(3))),
        ),
    )
    yield Trial(
        lambda case: induction(case[0]) and gains_within(case[1]),
        at=(sp.Integer(0), 1.0),
        mutant_at=[(sp.Rational(1, 1000), 1.0), (sp.Integer(0), 0.99)],
        mutant="A norm below 1 by 0.001; 0.99 of the bound on the gains.",
        scale=lambda c: (sp.Integer(0), c),
        tighter={"a state below 1 by 0.001": (sp.Rational(1, 1000), 1.0)},
    ).holds(
        "corrected",
        Rigor.DERIVED,
        statement=r"If (9) is taken over those $\Theta$ of the closed ball (equation-9) whose "
        r"gains $K_1, \ldots, K_H$ are at most $\gamma$, then $\|x\| \le 1$, $\|u\| \le \gamma$ "
        r"and $\|z\| \le \sqrt{1+\gamma^2}$ wherever there is a choice; on the good event there is "
        r"one if $\Theta_*$ is among them. For $\Theta$ with $\|A\| \le c$ the gains are at most "
        r"$\gamma$ when $\gamma \ge (c/2)\sqrt{D/\lambda_{\min}(R)}$, with $D \ge \|P_2\|$.",
        domain=r"Every $n$, $d$, $H$; $\gamma$ as in Assumption 1 (e). Controls cut at $\gamma$ "
        r"have the same norms; but lemma-6 needs $u = K_h x$, and $\Theta_*$ among these "
        r"$\Theta$.",
        evidence=r"Induction on $h$; for the gains $s/(1+s^2) \le 1/2$ at the singular values of "
        r"$P^{1/2}BR^{-1/2}$.",
        basis=Basis(
            proof="Norms of states and controls",
            uses=(
                "chowdhury2021/equation-4: corrected: the gains",
                "chowdhury2021/equation-9: corrected",
            ),
        ),
    )


NEAR = (1 - Fraction(1, 10**6), Fraction(1, 10**6))  # in S, and nearly without control


def exceeds(case: tuple[Fraction, int]) -> bool:
    """Whether a controllable scalar system in S has P_1 > share * q H: a = 1 - 10^-6, b = 10^-6, q
    = r = 1, exact."""
    share, horizon = case
    a, b = NEAR
    value = scalar_riccati(a, b, Fraction(1), Fraction(1), horizon)[0][0]
    return a**2 + b**2 <= 1 and b != 0 and value > share * horizon


def norms_within(factor: float) -> bool:
    """||P_h|| <= factor ||Q|| (H-h+1), and <= factor ||Q||/(1 - ||A||^2), on drawn systems of S and
    rank-one ones."""
    rng, horizon = np.random.default_rng(3), 6
    for case in range(200):
        n, d = int(rng.integers(1, 5)), int(rng.integers(1, 4))
        theta = rng.standard_normal((n + d, n))
        if case % 2:  # A near a projection onto the top eigenvector of Q, B small
            theta = np.zeros((n + d, n))
            theta[0, 0], theta[n:, :] = 1.0, 1e-4 * rng.standard_normal((d, n))
        theta /= max(1.0, float(np.linalg.norm(theta)))
        a, b = theta[:n].T, theta[n:].T
        q = np.diag(np.sort(rng.uniform(0.1, 2, n))[::-1])
        values = array_riccati(a, b, q, 0.5 * np.eye(d), horizon)
        top, size = float(q[0, 0]), float(np.linalg.norm(a, 2))
        norms = [np.linalg.norm(value, 2) for value in values[:horizon]]
        if any(
            norm > factor * top * (horizon - step) * (1 + 1e-9) for step, norm in enumerate(norms)
        ):
            return False
        if size < 1 and max(norms) > top / (1 - size**2) * (1 + 1e-9):
            return False
    return True


def choice_keeps(slack: float) -> bool:
    """The doubling of the horizon in proofs.md on drawn systems: ||P|| grows from tau to 2 tau
    steps by a factor of at
    most 1 + ``slack`` ||Q||/lambda_min(Q)."""
    rng = np.random.default_rng(11)
    for index in range(300):
        n, tau = int(rng.integers(1, 4)), int(rng.integers(1, 20))
        drawn = np.eye(n + 1, n) if index == 0 else rng.standard_normal((n + 1, n))
        drawn /= max(1.0, float(np.linalg.norm(drawn)))
        q = np.diag(10 ** rng.uniform(-1, 0, n))
        values = array_riccati(
            drawn[:n].T, drawn[n:].T, q, 10 ** rng.uniform(-2, 0) * np.eye(1), 2 * tau
        )
        long, short = (float(np.linalg.norm(values[step], 2)) for step in (0, tau))
        if long > (1 + slack * q.max() / q.diagonal().min()) * short * (1 + 1e-9):
            return False
    return True


@claim("chowdhury2021/lemma-3")
def lemma_3() -> Records:
    """True with D = ||Q|| H, the supremum over S."""
    near = [
        float(scalar_riccati(*NEAR, Fraction(1), Fraction(1), horizon)[0][0])
        for horizon in (10, 20)
    ]
    yield Trial(
        lambda factor: (
            square_defect() == 0 and norms_within(factor) and exceeds((Fraction(999, 1000), 50))
        ),
        at=1.0,
        mutant_at=0.99,
        mutant="0.99 of it.",
        scale=lambda c: c,
    ).holds(
        "printed",
        Rigor.DERIVED,
        statement=r"For each $H$ there is a $D$ with $\|P_h(\Theta)\| \le D$ for all $\Theta$ in "
        r"$S$ and all $h$: $D = \|Q\| H$, more closely $\|Q\|(H-h+1)$, and no smaller one.",
        domain=r"Every $n$, $d$, $H$; $Q \ge 0$ and $R > 0$.",
        evidence=r"$P_h \le Q + A^\top P_{h+1}A$ and $\|A\| \le 1$. Approached by $A$ near "
        r"$vv^\top$, $v$ the top eigenvector of $Q$, and small $B$.",
        basis=Basis(
            proof="The Riccati matrices are bounded",
            uses=("chowdhury2021/equation-4: reading: the recursion (4) alone",),
        ),
    )
    share, steps = Fraction(999, 1000), 100
    yield Trial(
        exceeds,
        at=(share, steps),
        mutant_at=(Fraction(1001, 1000), steps),
        mutant=r"More than $\|Q\| H$.",
    ).fails(
        "step: D as a constant in the orders of lemma-7 to theorem-3",
        Rigor.COUNTEREXAMPLE,
        statement=r"$D$ does not depend on $H$.",
        domain=r"$S$ holds this system, although $\|A_*\| \le C_A < 1$, and the first set holds "
        r"$S$ for $H_1 = \lambda I$, $L_1 = 0$.",
        evidence="So $D^2$ hides a factor $H^2$, while theorem-1 and theorem-3 display $H$.",
        witness=Witness(
            {"n": 1, "d": 1, "H": "10, then 20", "a": 1 - 1e-6, "b": 1e-6, "Q": 1, "R": 1},
            ("|P_1| at H = 10 is", near[0]),
            ("at H = 20 it is", near[1]),
        ),
    )
    yield from rare_noise.growing_choice()
    yield Trial(
        lambda case: scalar_choice.exhausted(case[2]) and scalar_choice.keeps(case[:2]),
        at=(1.0, 1.0, 2),
        mutant_at=[(0.99, 1.0, 2), (1.0, 1.1, 2), (1.0, 1.0, 1)],
        mutant=r"0.99 of $D_*$; a promise of 1.1 times the cost; no index $j \ge 2$ with $\tilde "
        r"P(j) \le P_*(j)$.",
        scale=lambda c: (c, 1.0, 2),
    ).holds(
        "reading: the optimistic choice, one state",
        Rigor.KERNEL,
        statement=r"If $n = 1$, on the good event $\|\tilde P_h\| \le D_* = \|Q\|/(1 - C_A^2)$ "
        r"for all $h$ and $H$, "
        "whatever the noise.",
        domain=r"Every $d$, $H \ge 2$, $R$, every law of the noise, with a variance of its own "
        r"at every step. Not all of $x_1$ and $w_1, \dots, w_{H-2}$ are 0 (else the regret is 0).",
        evidence="The two recursions cross at most once, on one side of which the choice is "
        "the smaller one.",
        basis=Basis(
            proof="One state",
            uses=(
                "chowdhury2021/lemma-3",
                "chowdhury2021/equation-5",
                "chowdhury2021/equation-9: corrected",
            ),
            formal=Formal(
                "chowdhury2021_one_state",
                "one_state",
                "one_state_mutant",
                ("<= q / (1 - C ^ 2)", "<= 99 / 100 * (q / (1 - C ^ 2))"),
            ),
        ),
    )
    yield Trial(
        choice_keeps,
        at=2.0,
        mutant_at=0.1,
        mutant=r"0.1 in place of the 2 before $\|Q\|$, on drawn systems.",
        scale=lambda c: 2 * c,
    ).holds(
        "reading: the optimistic choice, noise that excites every state",
        Rigor.DERIVED,
        statement=r"On the good event, if $\mathrm{Cov}\,w_h \ge \sigma^2 I$ at every step, "
        r"$\|\tilde P_h\| \le 2(1 + 2\|Q\|/\lambda_{\min}(Q))D_*(1/(H-1) + C_w^2)/\sigma^2$ for "
        r"$h \ge 2$, with $D_* = \|Q\|/(1 - C_A^2)$.",
        domain=r"Every $n$, $d$, $H \ge 2$, $R$; the choice (9) as printed or over the closed "
        "ball, where it exists.",
        evidence=r"The choice promises at most the true optimal cost; a $\tilde P$ that grew "
        "with $H$ would promise more.",
        basis=Basis(
            proof="The optimistic choice keeps D free of H",
            uses=(
                "chowdhury2021/lemma-3",
                "chowdhury2021/equation-5",
                "chowdhury2021/equation-9: corrected",
            ),
        ),
    )
    yield from segment.singular_covariance()
