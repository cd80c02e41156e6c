"""liao2021/lemma-5.5 and theorem-5.6: lower bounds under epsilon-LDP with explicit constants. X = min(2, e^epsilon)
(e^epsilon - 1).

**Bandits.** Actions {-1, 1}^d, Bernoulli rewards with means 1/2 + <theta, x>, theta in {-g, g}^d, d g <= 1/4 (the paper
has 1/3 for 1/2, which costs a constant). For theta, theta' that differ in sign i, N_i the rounds with the wrong sign:
E_theta N_i + E_theta' (T - N_i) >= T (1 - TV), TV <= sqrt(KL/2), and KL <= T tanh^2(epsilon/2) (2g)^2/(2 * 3/16) by
lemma-5.4 as corrected and KL(Bern(p), Bern(q)) <= (p - q)^2/(2 min x(1-x)). The mean regret over all theta is at least
d g T (1 - tanh(epsilon/2) g sqrt(16 T/3)): with g = min(1/(4d), 1/(2 tanh(epsilon/2) sqrt(16 T/3)))

    sqrt(3)/16 d sqrt(T)/tanh(epsilon/2)   for T >= 3 d^2/(4 tanh^2(epsilon/2)),   and T/8 below that.

As X >= 2 tanh(epsilon/2), both are at least sqrt(3)/8 d sqrt(T)/X for T >= 4 d^2/X^2: the lemma, with c = sqrt(3)/8,
for *some* environment. For "any environment", as it is printed, it is false.

**Linear mixture MDPs.** On the family of Zhou, Gu and Szepesvari (2021): V*_1 - V^pi_1 = sum_h P^pi(at x_h) (p*_h -
p_h(a_h)) (H - h - V*_{h+1}(x_{h+1})), and with goal probabilities of at most p = 5/(4H) the first and the last factor
are at least (1 - p)^{h-1} and (1 - (1-p)^{H-h})/p. The rest is as above, K for T, 1/H for 1/2: order d H^{3/2} sqrt(K)
= d H sqrt(T), for K of order d^2 H/tanh^2, that is **T of order d^2 H^2/tanh^2(epsilon/2)**. The theorem allows T from
4 d^2 H/X^2 on, where its right side exceeds HK, the largest regret there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import exp, expm1, log, sqrt, tanh

import numpy as np
import z3
from scipy import stats

from privrl.types import FloatArray
from theory import bounds_liao2021 as bounds
from theory.claim import Record, Rigor, Verdict, claim, decide
from theory.rigor.smt import Proof

BEST = sqrt(3) / 8  # c of lemma-5.5


def denominator(epsilon: float, abstract: bool = False) -> float:
    """X = min(2, e^eps) (e^eps - 1); in the abstract e^eps (e^eps - 1)."""
    return (exp(epsilon) if abstract else min(2.0, exp(epsilon))) * expm1(epsilon)


# ---- bandits ---------------------------------------------------------------------------------------------------------


def denominators_ordered(factor: int = 2) -> bool:
    """z3: min(2, e) (e - 1) >= factor (e - 1)/(e + 1) for e = e^epsilon > 1; tanh(epsilon/2) = (e - 1)/(e + 1)."""
    e = z3.Real("e")
    least = z3.If(e <= 2, e, z3.RealVal(2))
    return Proof(e > 1).shows(least * (e - 1) * (e + 1) >= factor * (e - 1))


def bernoulli_step(factor: float = 1.0) -> bool:
    """KL(Bern(p), Bern(q)) <= factor (p - q)^2/(2 min x(1-x)) on a grid of [1/4, 3/4] and of [3/(4H), 5/(4H)]."""
    for low, high in ((0.25, 0.75), (0.25, 5 / 12), (0.075, 0.125), (0.0075, 0.0125)):
        grid = np.linspace(low, high, 21)
        p, q = np.meshgrid(grid, grid)
        divergence = p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))
        if (divergence > factor * (p - q) ** 2 / (2 * low * (1 - low)) + 1e-15).any():
            return False
    return True


def majority_regret(rounds: int, epsilon: float, gap: float) -> float:
    """Bayes regret, d = 1, theta = +-gap with probability 1/2 each, of the best learner behind randomised response,
    which is the best channel for bits: both actions tell the same, and the likelier sign is played. Exact."""
    shift = tanh(epsilon / 2) * gap
    total = 0.0
    for seen in range(rounds):
        wins = np.arange(seen + 1)
        law = stats.binom.pmf(wins, seen, 0.5 + shift)
        total += 2 * gap * float(law[2 * wins < seen].sum() + law[2 * wins == seen].sum() / 2)
    return total


def exact_above(factor: float) -> bool:
    """Whether factor times the bound at this gap is below :func:`majority_regret`, over a grid (d = 1)."""
    for epsilon in (0.1, 0.5, 1.0, 3.0):
        for rounds in (1, 3, 10, 40, 120):
            for gap in (0.25, 0.1, 0.02):
                bound = bounds.lower_bandit(1, rounds, epsilon, gap)
                if factor * bound > majority_regret(rounds, epsilon, gap) + 1e-12:
                    return False
    return True


def range_covered(constant: float) -> bool:
    """lower_bandit >= constant d sqrt(T)/X at T = 4 d^2/X^2 and above, over a grid of (epsilon, d, T)."""
    for epsilon in np.geomspace(1e-3, 8, 25):
        x = denominator(float(epsilon))
        for d in (1, 3, 20):
            for times in (1.0, 1.5, 3.0, 10.0, 1e3, 1e6):
                rounds = int(np.ceil(max(1.0, times * 4 * d**2 / x**2)))
                if bounds.lower_bandit(d, rounds, float(epsilon)) < constant * d * sqrt(rounds) / x * (1 - 1e-12):
                    return False
    return True


def sharp_rate() -> float:
    """The largest, over gaps, of the best learner's Bayes regret over sqrt(T)/tanh(epsilon/2), d = 1, T = 400, epsilon
    = 0.5."""
    scale = sqrt(400) / tanh(0.25)
    return max(majority_regret(400, 0.5, gap) for gap in np.linspace(0.02, 0.25, 12)) / scale


def pieces(factor: float) -> bool:
    """The steps of the head of this file for bandits, and ``factor`` times the bound at a gap below the exact
    regret."""
    return denominators_ordered() and not denominators_ordered(3) and bernoulli_step() and exact_above(factor)


def costless(gap: float) -> bool:
    """Whether even the worst actions cost nothing for T = 100 rounds, d = 1: 2 gap T = 0."""
    return 2 * gap * 100 == 0 < BEST * sqrt(100) / denominator(1.0)


# ---- mixtures --------------------------------------------------------------------------------------------------------


def chain_value(goal: Sequence[float]) -> float:
    """Value of x_1 when step h leads to the goal with probability goal[h]; the goal pays 1 in every step after."""
    ahead, horizon = 0.0, len(goal)
    for h in range(horizon, 0, -1):
        ahead = goal[h - 1] * (horizon - h) + (1 - goal[h - 1]) * ahead
    return ahead


def loss_weights_hold(scale: float) -> bool:
    """V* - V^pi >= sum_h scale c_h 2 g (wrong signs), for all patterns of wrong signs at d - 1 = 2 and H = 3, 4, 5,
    exact values."""
    for horizon, d in ((3, 3), (4, 3), (5, 2)):
        g = 1 / (bounds.SLACK * horizon * (d - 1))
        weights = bounds.stay_weights(horizon, (1 + 1 / bounds.SLACK) / horizon)
        best = chain_value([1 / horizon + (d - 1) * g] * horizon)
        for wrong in product(range(d), repeat=horizon):
            lost = best - chain_value([1 / horizon + (d - 1 - 2 * w) * g for w in wrong])
            if lost < scale * sum(c * 2 * g * w for c, w in zip(weights, wrong, strict=True)) - 1e-12:
                return False
    return True


def mixture_constant(horizon: int) -> float:
    """lower_mixture over (d - 1) H sqrt(T)/tanh(epsilon/2) for large K; the same for every d and epsilon."""
    low = (1 - 1 / bounds.SLACK) / horizon
    total = sum(bounds.stay_weights(horizon, (1 + 1 / bounds.SLACK) / horizon))
    return float(total * sqrt(low * (1 - low)) / 4 / horizon**1.5)


def mixture_holds(constant: float) -> bool:
    """lower_mixture >= constant (d - 1) H sqrt(T)/tanh(epsilon/2) for T >= 3 (d-1)^2 H^2/tanh^2(epsilon/2), H =
    3..200."""
    found: FloatArray = np.array([mixture_constant(h) for h in range(3, 201)])
    for d, horizon, epsilon in ((2, 3, 0.5), (5, 6, 1.0), (9, 40, 4.0)):
        shrink = tanh(epsilon / 2)
        for times in (1.0, 10.0, 1e4):
            K = int(np.ceil(times * 3 * (d - 1) ** 2 * horizon / shrink**2))
            if bounds.lower_mixture(d, horizon, K, epsilon) < constant * (d - 1) * horizon * sqrt(horizon * K) / shrink:
                return False
    return bool(found.min() >= constant)


def impossible(case: tuple[float, int, int]) -> bool:
    """Whether c d H sqrt(T)/X > HK at T = 4 d^2 H^power/X^2, d = 2, X = 4/1000: (c, H, power)."""
    constant, horizon, power = case
    d, x = 2, 4 / 1000
    steps = 4 * d**2 * horizon**power / x**2
    return bool(constant * d * horizon * sqrt(steps) / x > steps)


@claim("liao2021/lemma-5.5")
def lemma_5_5() -> tuple[Record, ...]:
    """True for some environment with c = sqrt(3)/8; a bound that does not vanish for large epsilon."""
    rate = sharp_rate()
    return (
        decide(
            costless,
            at=0.0,
            mutant_at=0.1,
            of="reading: any environment, as printed",
            statement="for any environment with finite variance and T >= 4 d^2/X^2, every algorithm has regret at "
            "least c d sqrt(T)/X, X = min(2, e^epsilon) (e^epsilon - 1)",
            verdict=Verdict.FAILS,
            rigor=Rigor.COUNTEREXAMPLE,
            domain="theta = 0: every action is optimal",
            evidence="no algorithm has any regret there. A lower bound of this kind is for the worst of a family of "
            "environments.",
            mutant="theta of size 0.1",
        ),
        decide(
            lambda constant: pieces(1.0) and range_covered(constant),
            at=BEST,
            mutant_at=0.25,
            of="reading: some environment",
            statement="for every epsilon-LDP mechanism and T >= 4 d^2/X^2 some Bernoulli linear bandit forces regret "
            "sqrt(3)/8 d sqrt(T)/X on the learner",
            verdict=Verdict.HOLDS,
            rigor=Rigor.PROVED,
            domain="every epsilon > 0, d and T; means 1/2 + <theta, x> on actions {-1, 1}^d",
            evidence="two cases, by the range of the gap; X >= 2 tanh(epsilon/2) by z3. The chain at each gap lies "
            "below the exact Bayes regret behind randomised response for d = 1, T up to 120.",
            mutant="0.25 in place of sqrt(3)/8 = 0.2165, which this bound does not give",
        ),
        decide(
            pieces,
            at=1.0,
            mutant_at=1.2,
            of="corrected: sharper",
            statement="some Bernoulli linear bandit forces regret sqrt(3)/16 d sqrt(T)/tanh(epsilon/2) on every "
            "learner behind an epsilon-LDP channel, T >= 3 d^2/(4 tanh^2(epsilon/2))",
            verdict=Verdict.HOLDS,
            rigor=Rigor.PROVED,
            domain="every epsilon in (0, infinity], d, T",
            evidence="lemma-5.4 as corrected. At epsilon = infinity it is a bound without privacy, where the printed "
            f"one vanishes like e^-epsilon. For d = 1, T = 400 the best learner's regret is {rate:.3f} "
            f"sqrt(T)/tanh(epsilon/2) at the worst gap, against {sqrt(3) / 16:.3f}.",
            mutant="1.2 times the bound at every gap, which the exact regret contradicts",
            sharpness=sqrt(3) / 16 / rate,
        ),
    )


@claim("liao2021/theorem-5.6")
def theorem_5_6() -> tuple[Record, ...]:
    """The range is a factor H too large; the corrected bound; what abstract and theorem say of epsilon."""
    least = min(mixture_constant(h) for h in range(3, 201))
    return (
        decide(
            impossible,
            at=(0.05, 10**4, 1),
            mutant_at=[(0.05, 10**4, 2), (0.05, 100, 1)],
            several_mutants=True,
            of="printed",
            statement="with one constant c: for T >= 4 d^2 H/X^2 some linear mixture MDP forces expected regret c d "
            "H sqrt(T)/X, X = min(2, e^epsilon) (e^epsilon - 1)",
            verdict=Verdict.FAILS,
            rigor=Rigor.COUNTEREXAMPLE,
            domain="every c, at H > (2/c)^2 and T near 4 d^2 H/X^2; c = 0.05, d = 2, H = 10^4, K = 10^6 shown",
            evidence="c d H sqrt(T)/X = c sqrt(H)/2 T at T = 4 d^2 H/X^2, and no regret exceeds HK = T. The range "
            "without privacy is T of order d^2 H^2, so an H is missing.",
            mutant="T >= 4 d^2 H^2/X^2; H = 100 at this c",
        ),
        decide(
            lambda case: loss_weights_hold(case[0]) and bernoulli_step() and mixture_holds(case[1]),
            at=(1.0, 0.045),
            mutant_at=[(1.2, 0.045), (1.0, 0.05)],
            several_mutants=True,
            of="corrected",
            statement="for H >= 3, d >= 2 and T >= 3 (d-1)^2 H^2/tanh^2(epsilon/2) some MDP of that family forces "
            "expected regret 0.045 (d - 1) H sqrt(T)/tanh(epsilon/2) on every learner that sees each episode through "
            "an epsilon-LDP channel",
            verdict=Verdict.HOLDS,
            rigor=Rigor.PROVED,
            domain="every epsilon in (0, infinity], H >= 3 (the constant for H = 3..200; it tends to 0.049), d, K",
            evidence="each piece is checked: the loss of wrong signs against exact values for all patterns at H = 3, "
            "4, 5, the divergence of a step, lemma-5.4's contraction for a whole episode. Least constant over H: "
            f"{least:.4f}. With tanh(epsilon/2) <= X/2 it contains the printed form at twice the constant. It is for "
            "pure LDP; the algorithm is (epsilon, delta)-LDP.",
            mutant="1.2 times the loss; 0.05 in place of 0.045",
        ),
        decide(
            lambda epsilon: abs(log(denominator(epsilon, True) / denominator(epsilon))) > 1e-12,
            at=1.0,
            mutant_at=0.5,
            of="step: abstract and theorem",
            statement="the abstract's e^epsilon (e^epsilon - 1) is the theorem's min(2, e^epsilon) (e^epsilon - 1)",
            verdict=Verdict.FAILS,
            rigor=Rigor.EXACT,
            domain="epsilon > ln 2; below they agree. Introduction and conclusion have the abstract's form",
            evidence="the theorem claims more by e^epsilon/2. Both vanish as epsilon grows, although d H sqrt(T) is "
            "forced without any privacy; tanh(epsilon/2) does not.",
            mutant="epsilon = 0.5",
        ),
    )
