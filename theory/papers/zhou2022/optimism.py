"""zhou2022/lemma-7.2, equation-3 (= equation-7) and equation-6: what the good event gives, step by
step.

By Cauchy and Schwarz the two errors at a pair are at most Gamma_p and Gamma_r; from there on z3
decides every step.
"""

from fractions import Fraction

import numpy as np
import z3

from theory.claim import Basis, Records, Rigor, Trial, Witness, claim
from theory.lemmas import linear_mixture as lm
from theory.rigor.smt import Proof

BETAS = (0.6, 0.3)
DRAWS = 60


def by_value_iteration(draw: int) -> bool:
    """Whether a draw is planned by value iteration; the others are planned for a drawn policy."""
    return draw % 2 == 0


def low_estimates(draw: int) -> bool:
    """Whether the estimates of a draw are as low as the ellipsoids allow; the others are high."""
    return draw % 3 != 0


def _cut(x: z3.ArithRef, cap: z3.ArithRef) -> z3.ArithRef:
    smaller = z3.If(cap <= x, cap, x)
    return z3.If(smaller >= 0, smaller, z3.RealVal(0))


def excess_within(factor: Fraction, share: Fraction = Fraction(1), capped: bool = True) -> bool:
    """z3: 0 <= Q - y <= ``factor`` Gamma for all errors of at most ``share`` Gamma; ``capped``: y
    <= H - h + 1."""
    x, y, gamma, error, cap = z3.Reals("x y gamma error cap")
    width_share = z3.Q(share.numerator, share.denominator)
    hypotheses = [
        gamma >= 0,
        error >= -width_share * gamma,
        error <= width_share * gamma,
        x == y + error + gamma,
        y >= 0,
        cap >= 1,
    ]
    proof = Proof(*hypotheses, *([y <= cap] if capped else []))
    q = _cut(x, cap)
    return proof.shows(
        z3.And(q - y >= 0, q - y <= z3.Q(factor.numerator, factor.denominator) * gamma)
    )


def induction_step(bonuses: int) -> bool:
    """z3: Q >= Q* from V^k_{h+1} >= V*_{h+1}; with one bonus in place of two it does not follow."""
    ep, er, gp, gr, reward, ahead, best, cap = z3.Reals("ep er gp gr reward ahead best cap")
    proof = Proof(
        gp >= 0,
        gr >= 0,
        ep >= -gp,
        er >= -gr,
        ahead >= best,
        best >= 0,
        reward >= 0,
        reward + best <= cap,
    )
    x = reward + er + ahead + ep + gp + (gr if bonuses == 2 else 0)
    return proof.shows(_cut(x, cap) >= reward + best)


def one_step(factor: float) -> bool:
    """z3: equation-6 from Q - y <= 2 Gamma: V^k - V^pi <= P(V^k - V^pi) + factor Gamma."""
    q, reward, ahead, followed, gamma = z3.Reals("q reward ahead followed gamma")
    proof = Proof(gamma >= 0, q - (reward + ahead) <= 2 * gamma)
    return proof.shows(q - (reward + followed) <= (ahead - followed) + factor * gamma)


def drawn(case: tuple[float, float], seed: int = 72) -> bool:
    """Drawn mixtures, estimates at the edge, plans with case[0] times the widths: optimism,
    equation-3 with 2 * case[1] in place of 2, and equation-6."""
    rng = np.random.default_rng(seed)
    scale, factor = case
    planned = (scale * BETAS[0], scale * BETAS[1])
    for k in range(DRAWS):
        mixture = lm.draw(rng, 3, 2, 2, 3)
        horizon, states, actions = mixture.sizes
        policy = (
            None
            if by_value_iteration(k)
            else rng.dirichlet(np.ones(actions), size=(horizon, states))
        )
        sign = -1.0 if low_estimates(k) else 1.0
        estimates = lm.worst_estimates(
            mixture, BETAS, rng, sign=sign, policy=policy, planned=planned
        )
        plan = lm.plan(mixture, estimates, planned, policy)
        transitions, rewards = lm.tables(mixture)
        target = rewards + np.einsum("hsat,ht->hsa", transitions, plan.values[1:])
        excess = plan.q - target
        if excess.min() < -1e-9 or (excess - factor * 2 * plan.bonus).max() > 1e-9:
            return False
        if policy is None:
            greedy = np.eye(actions)[plan.q.argmax(axis=2)]
            gap = plan.values - lm.value(mixture, greedy)
            ahead = np.einsum("hsat,ht,hsa->hs", transitions, gap[1:], greedy)
            lost = gap[:-1] - ahead - 2 * (plan.bonus * greedy).sum(axis=2)
            if (plan.values - lm.value(mixture)).min() < -1e-9 or lost.max() > 1e-9:
                return False
    return True


@claim("zhou2022/lemma-7.2")
def lemma_7_2() -> Records:
    """Optimism holds; a case of the printed proof is missing."""
    yield Trial(
        lambda case: induction_step(case[0]) and drawn((case[1], 1.0)),
        at=(2, 1.0),
        mutant_at=[(1, 1.0), (2, 0.9)],
        mutant="one bonus in place of two; plans with 0.9 of the widths",
        scale=lambda c: (2, c),
        tighter={"one of the two bonuses": (1, 1.0)},
    ).holds(
        "printed",
        Rigor.PROVED,
        statement=r"On the good event $Q_h^k(s,a)\ge Q_h^*(s,a)$ and $V_h^k(s)\ge V_h^*(s)$ for "
        r"all $s,a,k,h$.",
        domain=r"Every linear mixture MDP, every $\Lambda>0$, all estimates in the good event",
        evidence="z3 proves the step of the induction over $h$, cuts included.",
    )
    yield Trial(
        lambda step: (cap := 2 - step + 1) < 2 and max(0, min(cap, cap + 1)) != cap + 1,
        at=2,
        mutant_at=1,
        mutant="$h=1$, where the cut is at $H$",
    ).fails(
        "step: the two cases",
        Rigor.COUNTEREXAMPLE,
        statement=r"Either $Q_h^k\ge H$, or $Q_h^k$ is the sum of estimates and bonuses, as in "
        r"line (a).",
        domain=r"$h\ge 2$, where the sum exceeds the cut $H-h+1<H$",
        evidence=r"The missing case is $Q_h^k=H-h+1\ge Q_h^*$.",
        witness=Witness(
            {"H": 2, "h": 2, "sum of estimates and bonuses": 2},
            ("Q is at least 2 or equal to", 2),
            ("it is", 1),
        ),
    )


@claim("zhou2022/equation-3")
def equation_3() -> Records:
    """Holds for both algorithms, with the constant 2."""
    unit = Fraction(1)
    yield Trial(
        lambda case: excess_within(*case) and drawn((1.0, float(case[0]) / 2)),
        at=(Fraction(2), unit, True),
        mutant_at=[
            (Fraction(19, 10), unit, True),
            (Fraction(2), Fraction(11, 10), True),
            (Fraction(2), unit, False),
        ],
        mutant=r"1.9 in place of 2; errors of $1.1\,\Gamma$; $r_h+\mathbb{P}_hV_{h+1}^k$ above "
        r"the cut",
        scale=lambda c: (Fraction(2 * c), unit, True),
        tighter={
            "errors of 1.1 times the bonus": (Fraction(2), Fraction(11, 10), True),
            "values above the cut": (Fraction(2), unit, False),
        },
    ).holds(
        "printed",
        Rigor.PROVED,
        statement=r"On the good event "
        r"$2(\Gamma_{h,p}^k+\Gamma_{h,r}^k)(s,a)\ge-\iota_h^k(s,a)\ge 0$ for all $s,a,k,h$, "
        r"where $\iota_h^k=r_h+\mathbb{P}_hV_{h+1}^k-Q_h^k$.",
        domain="Both algorithms, whatever policy $V^k$ is taken under; all estimates in the good "
        "event",
        evidence=r"z3 proves it from the two errors. The cut is $H-h+1$, as in both algorithms; "
        r"$r_h+\mathbb{P}_hV_{h+1}^k$ is no larger, as $V_{h+1}^k\le H-h$.",
    )


@claim("zhou2022/equation-6")
def equation_6() -> Records:
    """Holds on the good event."""
    yield Trial(
        lambda factor: (
            one_step(factor) and excess_within(Fraction(factor)) and drawn((1.0, factor / 2))
        ),
        at=2.0,
        mutant_at=1.0,
        mutant=r"$\Gamma$ in place of $2\,\Gamma$",
        scale=lambda c: 2 * c,
    ).holds(
        "printed",
        Rigor.PROVED,
        statement=r"On the good event "
        r"$V_h^k(s)-V_h^{\pi^k}(s)\le\mathbb{P}_h[V_{h+1}^k-V_{h+1}^{\pi^k}](s,a)"
        r"+2\Gamma_{h,p}^k(s,a)+2\Gamma_{h,r}^k(s,a)$ "
        r"at $a=\pi_h^k(s)$, with $\Gamma$ the two bonuses.",
        domain="Algorithm 1, every linear mixture MDP, all estimates in the good event, every "
        "state",
        evidence=r"Equation (3) at the greedy action and the Bellman equation of $\pi^k$.",
        basis=Basis(uses=("zhou2022/equation-3",)),
    )
