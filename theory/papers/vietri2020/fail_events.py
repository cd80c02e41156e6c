"""vietri2020/lemma-13: the six families of definition-6, each with its union bound.

beta' = beta/4, L = 2 ln(T/beta'). As meant phi^ = sqrt(L/n^); definition-6 prints
sqrt((T/beta')/n^). See proofs.md, "Lemma 13: the fail event".
"""

from fractions import Fraction
from functools import cache

import mpmath as mp
import sympy as sp
import z3
from flint import arb

from privrl.agents.tabular.pucb import PUCB
from privrl.diagnose.tabular import replay, streams
from privrl.environments import random_mdp
from privrl.types import FloatArray, TabularMDP
from theory.claim import Basis, Records, Rigor, Trial, Witness, claim
from theory.formulas import upwards
from theory.papers.vietri2020.bounds.stated import counters
from theory.papers.vietri2020.coverage import covers_in_base_two
from theory.papers.vietri2020.theorem_12 import chernoff_proved
from theory.rigor.balls import precision
from theory.rigor.exact import at_precision
from theory.rigor.sampling import clopper_pearson, power_at_most, refutes_at_most
from theory.rigor.smt import Proof
from theory.rigor.symbolic import Term, identity, nonnegative


def visits_proved(share: Fraction, rate: int = 1) -> bool:
    """n^ >= share sum w - ln(1/delta)/rate for all times at once: sympy for the moment, balls for
    the constant."""
    w, lam, u = sp.symbols("w lambda u", positive=True)
    moment = (1 - w) + w * sp.exp(-lam)
    moment_identity = identity(moment, 1 - (1 - sp.exp(-lam)) * w)
    # so 1 - u <= e^(-u) for u >= 0
    tangent = identity(sp.diff(sp.exp(-u) - 1 + u, u), 1 - sp.exp(-u))
    with precision(128):
        return (
            moment_identity
            and tangent
            and bool((1 - (-arb(rate)).exp()) / rate > arb(share.numerator) / share.denominator)
        )


def hoeffding_proved(constant: Fraction) -> bool:
    """ln E exp(z (X - p)) <= constant z^2/8 for a coin X: the second derivative of the left is at
    most constant/4."""
    z = sp.Symbol("z", real=True)
    p, a, b = sp.symbols("p a b", positive=True)  # a = p e^z, b = 1 - p
    cumulant = sp.log(1 - p + p * sp.exp(z)) - p * z
    second = (
        sp.simplify(
            sp.diff(cumulant, z, 2) - p * (1 - p) * sp.exp(z) / (1 - p + p * sp.exp(z)) ** 2
        )
        == 0
    )
    gap = constant * (a + b) ** 2 - 4 * a * b
    return (
        bool(second) and cumulant.subs(z, 0) == 0 and nonnegative(sp.expand(gap), [Term(1, a - b)])
    )


MANY = 32  # tuples over T^3: 2 MANY T^3 (T - 1)/4^3 <= T^4 for every T


def closes_up_to(tuples: int) -> bool:
    """z3: 2 SAH (T - 1) (beta/4)^3 <= T^4 for SAH <= ``tuples`` T^3, every T and beta < 1, divided
    by T^3."""
    T, size, cube = z3.Reals("T size cube")  # size = SAH/T^3, cube = (beta/4)^3
    proof = Proof(T >= 2, size > 0, size <= tuples, cube > 0, cube < z3.Q(1, 64))
    return proof.shows(2 * size * (T - 1) * cube <= T)


def many_steps(horizon: int) -> bool:
    """S = A = 1, T = 13, beta = 0.9, coins of mean 0.17 at every step: P(F^R) > beta with phi^ as
    meant.

    Twelve rewards of 1 at some step deviate by 0.83 > phi^ = sqrt(2 ln(13/0.225)/12) = 0.822.
    """
    deviates = (
        at_precision(lambda: (1 - mp.mpf(17) / 100) ** 2 * 12 - 2 * mp.log(13 / mp.mpf("0.225")))
        > 0
    )
    excess = at_precision(
        lambda: -mp.expm1(horizon * mp.log1p(-((mp.mpf(17) / 100) ** 12))) - mp.mpf("0.9")
    )
    return bool(deviates and excess > 0)


def never_with_the_printed_root(case: tuple[int, float]) -> bool:
    """z3: scale T/beta' > n^ for n^ <= T - 1 + extra, so the printed phi^ exceeds every deviation;
    (extra, scale)."""
    T, share, n = z3.Reals("T share n")
    proof = Proof(T >= 2, share > 0, share < 1, n >= 1, n <= T - 1 + case[0])
    return proof.shows(Fraction(case[1]) * proof.quotient(T, share) > n)


RUNS, EPISODES, SEED = 150, 300, 11
NOTICED = 0.4  # a failure rate of runs that the test is to notice


@cache
def _streams() -> tuple[TabularMDP, PUCB, tuple[FloatArray, FloatArray, FloatArray]]:
    mdp, agent = random_mdp(3, 2, 3, 0), PUCB(epsilon=1000.0, beta=0.1)
    return mdp, agent, streams(mdp, agent, EPISODES, EPISODES, RUNS, SEED)


def _failed(factor: float) -> int:
    """Runs in which some family deviated, with ``factor`` E in the place of E; epsilon is large:
    tuples get known."""
    mdp, agent, drawn = _streams()
    diagnosis = replay(
        mdp, agent, EPISODES, drawn, width=factor * agent.calibrate(mdp, EPISODES).e_epsilon
    )
    return int((~diagnosis.good).sum())


def _all_shares(rate: int) -> bool:
    """Each family's union in the symbols of the statement, phi^2 n = ``rate`` ln(T/beta'); and 4
    beta' = beta."""
    tuples, T, share = sp.symbols("SAH T share", positive=True)
    one_side = sp.exp(-2 * rate * sp.log(T / share))  # Hoeffding: exp(-2 n phi^2)
    means = identity(tuples * (T - 1) * 2 * one_side, 2 * tuples * (T - 1) * (share / T) ** 4)
    visits = identity(tuples * sp.exp(-sp.log(tuples / share)), share)
    return (
        means
        and visits
        and visits_proved(Fraction(1, 2))
        and hoeffding_proved(Fraction(1))
        and chernoff_proved()
    )


@claim("vietri2020/lemma-13")
def lemma_13() -> Records:
    """Holds; with phi^ as meant wherever the tuples are not astronomically many."""
    S, A, H = wide = (3, 2, 10)
    # ones at some of 10^10 steps
    twelve = float(-mp.expm1(10**10 * mp.log1p(-(mp.mpf("0.17") ** 12))))
    yield Trial(
        lambda case: (
            _all_shares(case[0])
            and never_with_the_printed_root((0, 1.0))
            and covers_in_base_two(case[1])
            and closes_up_to(case[2])
        ),
        at=(2, 1.0, MANY),
        mutant_at=[(1, 1.0, MANY), (2, 0.39, MANY), (2, 1.0, 2 * MANY)],
        mutant=r"$\hat{\varphi} = \sqrt{\ln(T/\beta')/\hat{n}}$; a smaller $E$; "
        rf"${2 * MANY}\,T^3$ tuples.",
    ).holds(
        "printed",
        Rigor.DERIVED,
        statement=r"$P(F) \le \beta$ with $\hat{\varphi} = \sqrt{2 \ln(T/\beta')/\hat{n}}$ as the "
        "algorithm has it, and with logarithms to base 2 in the noise and in $E$.",
        domain=r"Every $T \ge 2$ and $S$, $A$, $H$, $\beta$ with $2 SAH (T-1) (\beta/4)^3 "
        rf"\le T^4$, as up to ${MANY}\,T^3$ tuples have; no limit with $\hat{{\varphi}}$ "
        "as definition 6 prints it. With natural logarithms from $T = 4$ on.",
        evidence=r"Visits, rewards, transitions and releases have at most $\beta/4$ each.",
        basis=Basis(
            proof="Lemma 13: the fail event",
            uses=(
                "vietri2020/equation-e-epsilon",
                "vietri2020/equation-e-epsilon: corrected: T >= 4",
            ),
        ),
    )
    yield Trial(
        many_steps,
        at=10**10,
        mutant_at=10**9,
        mutant="$H = 10^9$.",
    ).fails(
        "reading: any number of tuples",
        Rigor.COUNTEREXAMPLE,
        statement=r"$P(F) \le \beta$ with $\hat{\varphi} = \sqrt{2 \ln(T/\beta')/\hat{n}}$ for "
        r"all $S$, $A$, $H$.",
        domain=r"$2 SAH (T-1) (\beta/4)^3 > T^4$ only.",
        evidence=r"The proof's union is over $T$ rounds only.",
        witness=Witness(
            {"S": 1, "A": 1, "T": 13, "beta": 0.9, "H": 10**10, "coins of mean": 0.17},
            ("probability at most", 0.9),
            ("probability of the deviation", twelve),
        ),
    )
    yield Trial(
        visits_proved,
        at=Fraction(1, 2),
        mutant_at=Fraction(7, 10),
        mutant="0.7 in place of 1/2.",
        raised=lambda c: Fraction(1, 2) * Fraction(c),
    ).holds(
        "step: the visits",
        Rigor.DERIVED,
        statement=r"$\hat{n} \ge \frac{1}{2} \sum_i w_i - \ln(SAH/\beta')$ for all tuples and "
        r"all times with probability $1 - \beta'$.",
        domain=r"Every $S$, $A$, $H$, $T$, $\beta$ and any policy that depends on the past.",
        evidence=r"$\exp((1 - 1/e) \sum_i w_i - \hat{n})$ is a supermartingale, and $1 - 1/e "
        "> 1/2$.",
        basis=Basis(proof="Lemma 13: the fail event"),
    )
    yield Trial(
        never_with_the_printed_root,
        at=(0, 1.0),
        mutant_at=(100, 1.0),
        mutant="More visits than episodes.",
        scale=lambda c: (0, c),
        tighter={"more visits than episodes": (100, 1.0)},
    ).holds(
        "step: rewards and transitions with the printed root",
        Rigor.PROVED,
        statement=r"With $\hat{\varphi} = \sqrt{(T/\beta')/\hat{n}}$ neither of the two events "
        "that contain it ever occurs.",
        domain=r"Every $T$ and $\beta$; tuples with $\hat{n} \ge 1$.",
        evidence=r"$\hat{n} < T < T/\beta'$, so $\hat{\varphi} > 1$ exceeds every deviation.",
    )
    yield Trial(
        lambda fed: fed != counters(*wide),
        at=S * A * H + S * S * A * H,
        mutant_at=2 * S * A * H + S * S * A * H,
        mutant="$2SAH + S^2AH$.",
    ).fails(
        "step: number of private counters",
        Rigor.COUNTEREXAMPLE,
        statement="There are $SAH + S^2AH$ private counters.",
        domain="Every $S$, $A$, $H$.",
        evidence="There are three families, as in $E$ itself.",
        witness=Witness(
            {"S": S, "A": A, "H": H},
            ("counters", S * A * H + S * S * A * H),
            ("counters of algorithm 2:", counters(*wide)),
        ),
    )
    yield Trial(
        lambda factor: not refutes_at_most(_failed(factor), RUNS, 0.1),
        at=1.0,
        mutant_at=0.125,
        mutant="An eighth of $E$.",
    ).holds(
        "reading: on runs",
        Rigor.STATISTICAL,
        statement=f"{RUNS} runs do not refute $P(F) \\le \\beta$.",
        domain=rf"A random MDP with $S = 3$, $A = 2$, $H = 3$, $\varepsilon = 1000$, $T = "
        rf"{EPISODES}$, $\beta = 0.1$, the printed noise (natural logarithm).",
        evidence=f"{_failed(1.0)} runs left the good event, so a run leaves it with "
        f"probability at most {upwards(clopper_pearson(_failed(1.0), RUNS)[1], 3):g} "
        "at error level $10^{-9}$. The test would notice a failure rate of "
        f"{NOTICED:g} with probability {power_at_most(RUNS, 0.1, NOTICED):.4f}.",
    )
