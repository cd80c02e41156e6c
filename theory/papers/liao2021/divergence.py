"""liao2021/lemma-5.4: the KL divergence of privatised histories.

Printed: KL of the histories <= 2 min(4, e^{2 eps}) (e^eps - 1)^2 times the expected sum of KL(f^M_1(y|x_t),
f^M_2(y|x_t)), with the laws f^M of the **privatised** rewards on the right. By (5.1) the policy terms are the same
under both parameters and cancel, so the left side **is** that sum, with the factor 1 (chain rule; when the contexts
are privatised too and x_t is not part of the history, at most that sum, by data processing). So the printed
inequality says nothing where its factor is at least 1, and is false where the factor is below 1, for eps < 0.391:
one round, one context, randomised response.

Meant are the laws f of the **raw** rewards on the right. Then the constant can be far smaller. For an eps-LDP
channel q with outputs m_i(z) = E_{f_i} q(z|y) and TV the total variation of f_1, f_2:

    |m_1(z) - m_2(z)| <= (max_y q(z|y) - min_y q(z|y)) TV <= (e^eps - 1) min_y q(z|y) TV,   m_2(z) >= min_y q(z|y),
    KL(m_1, m_2) <= sum_z (m_1 - m_2)^2/m_2 <= (e^eps - 1)^2 TV^2 <= (e^eps - 1)^2/2 KL(f_1, f_2)   (Pinsker),

which is at most a quarter of the printed constant. For Bernoulli rewards (those of the lower bound) every channel is a
post-processing of randomised response (Kairouz, Oh and Viswanath 2014), and with the privatised means in
[1/(1+e^eps), e^eps/(1+e^eps)]

    KL(q_1, q_2) = int_{q_2}^{q_1} (q_1 - x)/(x (1-x)) dx <= (cosh(eps) - 1) TV^2 <= (cosh(eps) - 1)/2 KL(f_1, f_2).

cosh(eps) - 1 is the best constant before TV^2: it is reached as both means tend to 1.
"""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import sympy as sp
import z3

from theory.claim import Record, Rigor, Verdict, claim, decide
from theory.rigor.smt import Proof


def bernoulli_divergence(p: mp.mpf, q: mp.mpf) -> mp.mpf:
    """KL of Bernoulli(p) from Bernoulli(q), q in (0, 1)."""
    terms = [(p, q), (1 - p, 1 - q)]
    return mp.fsum(a * mp.log(a / b) for a, b in terms if a > 0)


def response(mean: mp.mpf, epsilon: mp.mpf) -> mp.mpf:
    """Mean of a privatised Bernoulli(mean): the bit is kept with probability e^eps/(1 + e^eps), else turned."""
    keep = mp.exp(epsilon) / (1 + mp.exp(epsilon))
    return keep * mean + (1 - keep) * (1 - mean)


def printed_factor(epsilon: float | mp.mpf) -> mp.mpf:
    """2 min(4, e^{2 eps}) (e^eps - 1)^2."""
    grown = mp.exp(mp.mpf(epsilon))
    return 2 * min(mp.mpf(4), grown**2) * (grown - 1) ** 2


def crossing() -> float:
    """The epsilon at which the printed factor is 1: sqrt(2) e^eps (e^eps - 1) = 1."""
    return float(mp.log((1 + mp.sqrt(1 + 2 * mp.sqrt(2))) / 2))


def chain_rule_breaks(case: tuple[float, str]) -> bool:
    """Whether one round of randomised response breaks KL(histories) <= factor * KL(right), right: privatised or raw
    laws."""
    epsilon, laws = case
    with mp.workdps(50):
        means = mp.mpf("0.4"), mp.mpf("0.6")
        seen = [response(mean, mp.mpf(epsilon)) for mean in means]
        left = bernoulli_divergence(*seen)  # one round: the history is the one privatised reward
        right = left if laws == "privatised" else bernoulli_divergence(*means)
        return bool(left > printed_factor(epsilon) * right)


GRID = tuple(mp.mpf(k) / 20 for k in range(21))


def raw_constant_holds(case: tuple[str, float]) -> bool:
    """Whether KL(privatised) <= scale * constant(eps) * KL(raw) for randomised response over a grid, to 40 digits.

    Constants: ``printed``, ``general`` (e^eps - 1)^2/2, ``binary`` (cosh(eps) - 1)/2 (there also against TV^2).
    """
    which, scale = case
    with mp.workdps(40):
        for epsilon in map(mp.mpf, ("0.01", "0.1", "0.5", "1", "2", "4")):
            grown = mp.exp(epsilon)
            general, binary = (grown - 1) ** 2 / 2, (mp.cosh(epsilon) - 1) / 2
            constants = {"printed": printed_factor(epsilon), "general": general, "binary": binary}
            for first in GRID:
                for second in GRID[1:-1]:
                    if first == second:
                        continue
                    private = bernoulli_divergence(response(first, epsilon), response(second, epsilon))
                    bound = scale * constants[which]
                    if private > bound * bernoulli_divergence(first, second):
                        return False
                    if which == "binary" and private > 2 * bound * (first - second) ** 2:
                        return False
    return True


def general_steps(factor: int = 1) -> bool:
    """z3: from low <= q(z|y) <= e low for all y follows (m_1 - m_2)^2 <= factor (e - 1)^2 TV^2 low m_2; factor 1.

    m_1 - m_2 is the difference of two averages of q weighted by TV each (the parts where f_1 and f_2 differ), so it
    is at most TV (e - 1) low in size, and m_2 >= low. Summed over z with sum low <= 1 this is the bound on the
    chi-square divergence.
    """
    low, high, up, down, tv, second, e = z3.Reals("low high up down tv second e")
    inside = (up >= low, up <= high, down >= low, down <= high)
    given = Proof(low > 0, high <= e * low, e >= 1, *inside, tv >= 0, tv <= 1, second >= low)
    gap = up - down
    sized = given.shows(z3.And(gap <= (e - 1) * low, gap >= -(e - 1) * low))
    # with |gap| <= (e - 1) low and low <= m_2: square and multiply, step by step
    square, bound = z3.Reals("square bound")
    squares = Proof(square >= 0, bound >= 0, square <= bound, low > 0, second >= low)
    return sized and squares.shows(square * low <= factor * bound * second)


def divergence_steps() -> dict[str, bool]:
    """The symbolic steps of the binary case."""
    q, p, epsilon = sp.symbols("q p epsilon", positive=True)
    divergence = p * sp.log(p / q) + (1 - p) * sp.log((1 - p) / (1 - q))
    slope = sp.simplify(sp.diff(divergence, q) + (p - q) / (q * (1 - q)))
    keep = sp.exp(epsilon) / (1 + sp.exp(epsilon))
    shrink = 2 * keep - 1  # the privatised means differ by this times TV
    at_edge = shrink**2 / (2 * keep * (1 - keep))
    edge = sp.simplify((at_edge - sp.cosh(epsilon) + 1).rewrite(sp.exp))
    return {
        "dKL/dq = -(p - q)/(q (1 - q))": slope == 0,
        "shrink^2/(2 q (1 - q)) at the edge is cosh(eps) - 1": edge == 0,
    }


def edge_ratio(epsilon: float) -> float:
    """KL/TV^2 for two means near 1, over cosh(eps) - 1: tends to 1."""
    with mp.workdps(60):
        first, second = mp.mpf(1), 1 - mp.mpf("1e-12")
        private = bernoulli_divergence(response(first, mp.mpf(epsilon)), response(second, mp.mpf(epsilon)))
        return float(private / (first - second) ** 2 / (mp.cosh(epsilon) - 1))


def channels_hold(scale: float) -> bool:
    """Whether KL <= scale (e^eps - 1)^2 TV^2 for drawn eps-LDP channels on three inputs and four outputs (and
    staircases)."""
    rng = np.random.default_rng(54)
    for epsilon in (0.05, 0.5, 1.5):
        for _ in range(300):
            # two levels, rows normalised: the ratios within a column stay within e^eps
            levels = np.where(rng.random((3, 4)) < 0.5, 1.0, math.exp(epsilon / 2))
            channel = levels / levels.sum(axis=1, keepdims=True)
            if (channel.max(axis=0) / channel.min(axis=0)).max() > math.exp(epsilon):
                continue
            laws = rng.dirichlet(np.ones(3) / 2, size=2)
            outputs, distance = laws @ channel, float(np.abs(laws[0] - laws[1]).sum() / 2)
            divergence = float((outputs[0] * np.log(outputs[0] / outputs[1])).sum())
            if divergence > scale * (math.expm1(epsilon) * distance) ** 2 + 1e-15:
                return False
    return True


@claim("liao2021/lemma-5.4")
def lemma_5_4() -> tuple[Record, ...]:
    """False for small epsilon as printed; true, with room, for the raw rewards."""
    steps = all(divergence_steps().values()) and general_steps() and not general_steps(0)
    edges = ", ".join(f"{edge_ratio(e):.6f}" for e in (0.1, 1.0, 4.0))
    return (
        decide(
            chain_rule_breaks,
            at=(0.3, "privatised"),
            mutant_at=[(0.3, "raw"), (0.4, "privatised")],
            several_mutants=True,
            of="printed",
            verdict=Verdict.FAILS,
            rigor=Rigor.COUNTEREXAMPLE,
            domain=f"every epsilon < {crossing():.4f}; above, the printed inequality is weaker than the chain rule",
            evidence="One round, one context, rewards Bernoulli(0.4) and (0.6), randomised response: the history is "
            "the privatised reward, so the left side equals the sum on the right, and at epsilon = 0.3 the factor "
            f"is {float(printed_factor(0.3)):.3f}.",
            mutant="the laws of the raw rewards on the right; epsilon = 0.4 with the printed ones",
        ),
        decide(
            raw_constant_holds,
            at=("printed", 1.0),
            mutant_at=("printed", 0.1),
            of="reading: f in place of f^M on the right",
            statement="KL(histories) <= 2 min(4, e^{2 eps})(e^eps - 1)^2 sum E KL(f_1(y|x_t), f_2(y|x_t)), raw "
            "rewards",
            verdict=Verdict.HOLDS,
            rigor=Rigor.PROVED,
            domain="every epsilon, T and reward law; Bernoulli rewards on a grid of (epsilon, theta_1, theta_2) "
            "exactly",
            evidence="Weaker than the next record by the factor 4 min(4, e^{2 eps}).",
            mutant="a tenth of the constant; an eighth is the best as epsilon tends to 0",
            sharpness=0.125,
        ),
        decide(
            lambda scale: steps and raw_constant_holds(("general", scale)) and channels_hold(scale),
            at=1.0,
            mutant_at=0.45,
            of="corrected",
            statement="KL(histories) <= (e^eps - 1)^2/2 sum E KL(f_1(y|x_t), f_2(y|x_t)), raw rewards, any eps-LDP "
            "channel",
            verdict=Verdict.HOLDS,
            rigor=Rigor.PROVED,
            domain="every epsilon, T, reward law and channel, contexts privatised or not",
            evidence="Chain rule, |m_1 - m_2| <= (e^eps - 1) TV min q and m_2 >= min q (z3), KL <= chi-square, "
            "Pinsker. Drawn channels on three inputs agree.",
            mutant="the constant times 0.45",
        ),
        decide(
            lambda scale: steps and raw_constant_holds(("binary", scale)),
            at=1.0,
            mutant_at=0.9,
            of="corrected",
            statement="Bernoulli rewards: KL(histories) <= (cosh(eps) - 1)/2 sum E KL(f_1(y|x_t), f_2(y|x_t))",
            verdict=Verdict.HOLDS,
            rigor=Rigor.PROVED,
            domain="every epsilon and T, Bernoulli rewards, any eps-LDP channel (randomised response is extremal: "
            "cited)",
            evidence="KL as an integral of (q_1 - x)/(x (1-x)), the weight largest at the edge of the privatised "
            f"means; in symbols. KL/TV^2 over cosh(eps) - 1 for means near 1, epsilon = 0.1, 1, 4: {edges}.",
            mutant="the constant times 0.9 (against TV^2)",
            sharpness=1.0,
        ),
    )
