"""liao2021/lemma-5.5: lower bounds for bandits under epsilon-LDP with explicit constants, X =
min(2, e^epsilon) (e^epsilon - 1); proofs.md, "Bandits". (theorem-5.6 stands in
:mod:`theory.papers.liao2021.mixtures`.)
"""

from itertools import product
from math import ceil, exp, expm1, sqrt, tanh

import numpy as np
import z3
from scipy import stats

from theory.claim import Basis, Records, Rigor, Severity, Trial, Witness, claim
from theory.papers.liao2021 import bounds
from theory.rigor.smt import Proof

BEST = sqrt(3) / 8  # c of lemma-5.5


def denominator(epsilon: float, abstract: bool = False) -> float:
    """X = min(2, e^eps) (e^eps - 1); in the abstract e^eps (e^eps - 1)."""
    return (exp(epsilon) if abstract else min(2.0, exp(epsilon))) * expm1(epsilon)


def denominators_ordered(factor: int = 2) -> bool:
    """z3: min(2, e) (e - 1) >= factor (e - 1)/(e + 1) for e = e^epsilon > 1; tanh(epsilon/2) = (e -
    1)/(e + 1)."""
    e = z3.Real("e")
    least = z3.If(e <= 2, e, z3.RealVal(2))
    return Proof(e > 1).shows(least * (e - 1) * (e + 1) >= factor * (e - 1))


def bernoulli_step(factor: float = 1.0) -> bool:
    """KL(Bern(p), Bern(q)) <= factor (p - q)^2/(2 min x(1-x)) on a grid of [1/4, 3/4] and of
    [3/(4H), 5/(4H)]."""
    for low, high in ((0.25, 0.75), (0.25, 5 / 12), (0.075, 0.125), (0.0075, 0.0125)):
        p, q = np.meshgrid(*[np.linspace(low, high, 21)] * 2)
        divergence = p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))
        if (divergence > factor * (p - q) ** 2 / (2 * low * (1 - low)) + 1e-15).any():
            return False
    return True


def majority_regret(rounds: int, epsilon: float, gap: float) -> float:
    """Bayes regret, d = 1, theta = +-gap, of the best learner behind randomised response, the best
    channel for bits: both actions tell the same, and the likelier sign is played. Exact."""
    shift = tanh(epsilon / 2) * gap
    total = 0.0
    for observed in range(rounds):
        wins = np.arange(observed + 1)
        law = stats.binom.pmf(wins, observed, 0.5 + shift)
        total += (
            2 * gap * float(law[2 * wins < observed].sum() + law[2 * wins == observed].sum() / 2)
        )
    return total


MOST = 120  # rounds of the exact Bayes regret


def exact_above(factor: float) -> bool:
    """Whether factor times the bound at this gap is below :func:`majority_regret`, over a grid (d =
    1)."""
    return all(
        factor * bounds.lower_bandit(1, rounds, epsilon, gap)
        <= majority_regret(rounds, epsilon, gap) + 1e-12
        for epsilon, rounds, gap in product(
            (0.1, 0.5, 1.0, 3.0), (1, 3, 10, 40, MOST), (0.25, 0.1, 0.02)
        )
    )


def range_covered(constant: float) -> bool:
    """lower_bandit >= constant d sqrt(T)/X at T = 4 d^2/X^2 and above, over a grid of (epsilon, d,
    T)."""
    epsilons, multiples = np.geomspace(1e-3, 8, 25).tolist(), (1.0, 1.5, 3.0, 10.0, 1e3, 1e6)
    for epsilon, d, times in product(epsilons, (1, 3, 20), multiples):
        x = denominator(epsilon)
        rounds = int(np.ceil(max(1.0, times * 4 * d**2 / x**2)))
        if bounds.lower_bandit(d, rounds, epsilon) < constant * d * sqrt(rounds) / x * (1 - 1e-12):
            return False
    return True


def pieces(factor: float) -> bool:
    """The steps of "Bandits" in proofs.md, and ``factor`` times the bound at a gap below the exact
    regret."""
    return (
        denominators_ordered()
        and not denominators_ordered(3)
        and bernoulli_step()
        and exact_above(factor)
    )


def revealed_regret(rounds: int, epsilon: float, delta: float, gap: float) -> float:
    """Bayes regret, d = 1, theta = +-gap, of the best learner that sees each bit with probability
    delta, else a random response; exact, over the counts of (shown wins, shown losses, random wins,
    random losses)."""
    near = tanh(epsilon / 2) * gap
    good = [
        delta * (0.5 + gap),
        delta * (0.5 - gap),
        (1 - delta) * (0.5 + near),
        (1 - delta) * (0.5 - near),
    ]
    bad = [good[1], good[0], good[3], good[2]]
    total = 0.0
    for observed in range(rounds):
        for counts in product(range(observed + 1), repeat=3):
            if sum(counts) <= observed:
                cells = (*counts, observed - sum(counts))
                laws = [stats.multinomial.pmf(cells, observed, p) for p in (good, bad)]
                total += 2 * gap * float(min(laws)) / 2 if observed else gap
    return total


def least_mean(base: float, dimension: int, rounds: float, epsilon: float) -> float:
    """The least of the means <theta, x> + base, x in {-1, 1}^d and theta in {-Delta, Delta}^d, with
    the paper's Delta = sqrt(base)/(X sqrt(T))."""
    return base - dimension * sqrt(base) / (denominator(epsilon) * sqrt(rounds))


@claim("liao2021/lemma-5.5")
def lemma_5_5() -> Records:
    """True for some environment with c = sqrt(3)/8; a bound that does not vanish for large
    epsilon."""
    bandits = ("liao2021/lemma-5.4: corrected",)
    yield Trial(
        lambda gap: 2 * gap * 100 == 0 < BEST * sqrt(100) / denominator(1.0),
        at=0.0,
        mutant_at=0.1,
        mutant=r"$\theta$ of size 0.1",
    ).fails(
        "printed",
        Rigor.COUNTEREXAMPLE,
        domain=r"$\theta = 0$, where every action is optimal",
        evidence="In any one environment always playing its best action costs nothing.",
        severity=Severity.WORDING,
        witness=Witness(
            {"theta": 0.0, "d": 1, "T": 100, "epsilon": 1.0, "c": BEST},
            ("the regret is at least", BEST * sqrt(100) / denominator(1.0)),
            ("it is", 0.0),
        ),
    )
    yield Trial(
        lambda constant: pieces(1.0) and range_covered(constant),
        at=BEST,
        mutant_at=0.25,
        mutant=r"0.25 in place of $\sqrt{3}/8$",
        raised=lambda c: BEST * c,
    ).holds(
        "corrected",
        Rigor.DERIVED,
        statement=r"For every $\varepsilon$-LDP mechanism, $T \ge 4d^2/X^2$ and learner there is "
        r"a Bernoulli linear bandit on which the learner's expected regret is at least "
        r"$\frac{\sqrt{3}}{8} d \sqrt{T}/X$",
        domain=r"every $\varepsilon > 0$ and $d$; means $1/2 + \langle \theta, x \rangle$ on the "
        r"actions $\{-1, 1\}^d$",
        evidence=r"$X \ge 2\tanh(\varepsilon/2)$ for every $\varepsilon$.",
        basis=Basis(proof="Bandits", uses=bandits),
    )
    yield Trial(
        pieces,
        at=1.0,
        mutant_at=1.2,
        mutant="1.2 times the bound at every gap",
    ).holds(
        "corrected: sharper",
        Rigor.DERIVED,
        statement=r"For every learner behind an $\varepsilon$-LDP channel and $T \ge "
        r"3d^2/(4\tanh^2(\varepsilon/2))$ there is a Bernoulli linear bandit on which its "
        r"expected regret is at least $\frac{\sqrt{3}}{16} d \sqrt{T}/\tanh(\varepsilon/2)$",
        domain=r"every $\varepsilon$ in $(0, \infty]$ and $d$; means and actions as in the "
        "corrected record",
        evidence=r"At $\varepsilon = \infty$ it is a bound without privacy, where the printed "
        r"one vanishes like $e^{-\varepsilon}$.",
        basis=Basis(proof="Bandits", uses=bandits),
    )
    base_mean, d, wide = 0.2, 10, 1.0  # delta of the means, d and epsilon of the witness
    at_least = ceil(4 * d**2 / denominator(wide) ** 2)  # rounds
    yield Trial(
        lambda base: (
            least_mean(base, d, 4 * d**2 / denominator(wide) ** 2, wide) < -1e-12
            and least_mean(base, d, at_least, wide) < 0
        ),
        at=base_mean,
        mutant_at=[0.25, 1 / 3],
        mutant=r"$\delta = 1/4$; $\delta = 1/3$",
    ).fails(
        "step: the base mean",
        Rigor.EXACT,
        statement=r"With $\Delta = \sqrt{\delta}/(X\sqrt{T})$ and $T \ge 4d^2/X^2$ the means "
        r"$\langle \theta, x \rangle + \delta$, $x$ in $\{-1, 1\}^d$ and $\theta$ in $\{-\Delta, "
        r"\Delta\}^d$, are probabilities for $0 \le \delta \le 1/3$",
        domain=r"every $\delta$ in $(0, 1/4)$ (a mean here), $d$ and $\varepsilon$, for $4d^2/X^2 "
        r"\le T < d^2/(\delta X^2)$; $\Delta$, actions and signs are those of the hard MDPs, as "
        "the paper's proof of the lemma is not in our copy",
        evidence=r"The least mean is $\delta - d\Delta$.",
        witness=Witness(
            {"delta": base_mean, "d": d, "epsilon": wide, "T": at_least},
            ("the least mean is at least", 0.0),
            ("it is", least_mean(base_mean, d, at_least, wide)),
        ),
    )
    channels, gaps = ((0.0, 0.1), (0.2, 0.05), (1.0, 0.3)), (0.25, 0.1)
    yield Trial(
        lambda case: all(
            case[0] * bounds.lower_bandit(1, n, epsilon, gap, delta * case[1])
            <= revealed_regret(n, epsilon, delta, gap) + 1e-12
            for (epsilon, delta), n, gap in product(channels, (1, 4, 12), gaps)
        ),
        at=(1.0, 1.0),
        mutant_at=[(1.3, 1.0), (1.0, 0.0)],
        mutant=r"1.3 times the bound at every gap; $\delta$ left out",
    ).holds(
        r"corrected: $(\varepsilon, \delta)$",
        Rigor.DERIVED,
        statement=r"For every learner behind an $(\varepsilon, \delta)$-LDP channel and $T \ge "
        r"3d^2/(4t^2)$, $t^2 = \delta + (1-\delta)\tanh^2(\varepsilon/2)$, there is a Bernoulli "
        r"linear bandit on which its expected regret is at least $\frac{\sqrt{3}}{16} d "
        r"\sqrt{T}/t$",
        domain=r"every $\varepsilon \ge 0$ and $\delta$ in [0, 1], not both 0, and $d$; means and "
        "actions as in the corrected record",
        evidence=r"The steps are those for $\tanh(\varepsilon/2)$, with $t$ in its place.",
        basis=Basis(proof="Bandits", uses=(r"liao2021/lemma-5.4: corrected: (epsilon, delta)",)),
    )
