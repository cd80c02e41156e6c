"""vietri2020, Appendix B.2: equation-15, equation-17, and the regret bound that can be proved
(theorem-4 corrected).

The proofs stand in proofs.md, "The sum of the bonuses" and "The regret bound".
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from math import ceil, exp, inf, isclose, log, sqrt

import numpy as np
import sympy as sp
import z3

from privrl.agents.tabular.pucb import PUCB
from privrl.environments import random_mdp, riverswim
from privrl.privacy.counters.tree import TreeCounter
from privrl.run import simulate
from privrl.run.simulate import Agent
from privrl.types import Calibration
from theory.claim import Basis, Records, Rigor, Severity, Trial, Witness, claim
from theory.papers.vietri2020.bonus import bonus, confidence
from theory.papers.vietri2020.bounds.proved import (
    growth,
    regret_bound,
    regret_terms,
)
from theory.papers.vietri2020.bounds.stated import (
    printed_width,
    theorem_4_bound,
    trivial_regret,
    vacuity_horizon,
)
from theory.papers.vietri2020.fail_events import hoeffding_proved
from theory.papers.vietri2020.gap import moments_proved, step_proved
from theory.papers.vietri2020.optimism import distance_proved, one_step, psi_suffices
from theory.rigor.kernel import Formal
from theory.rigor.sampling import clopper_pearson
from theory.rigor.smt import Proof
from theory.rigor.symbolic import identity


def azuma_proved(share: sp.Rational) -> bool:
    """T differences in intervals of length c = H^2: the sum exceeds H^2 sqrt(share T ln(1/delta))
    with at most delta.

    exp(-z b + T z^2 c^2/8) at z = 4b/(T c^2) is delta, and Hoeffding's lemma; bonuses in [0, H] add
    up to [0, H^2].
    """
    T, H, log_d = sp.symbols("T H l", positive=True)
    c = H**2
    b = c * sp.sqrt(share * T * log_d)
    z = 4 * b / (T * c**2)
    h, mean = z3.Reals("h mean")
    inside = Proof(h >= 1, mean >= 0, mean <= h).shows(z3.And(h * mean >= 0, h * mean <= h * h))
    return (
        identity(-z * b + T * z**2 * c**2 / 8, -log_d) and hoeffding_proved(Fraction(1)) and inside
    )


def _psi_exceeds(multiple: int) -> bool:
    """Whether psi~ at n~ = ``multiple`` E is above H for every S and H: an identity, and z3."""
    S, H, E = sp.symbols("S H E", positive=True)
    share = sp.Rational(3, multiple) + sp.Rational(2, multiple**2)
    psi = (1 + S * H) * (3 * E / (multiple * E) + 2 * E**2 / (multiple * E) ** 2)
    h, sh = z3.Reals("h sh")
    above = Fraction(int(share.p), int(share.q)) * (1 + sh) > h
    return identity(psi, share * (1 + S * H)) and Proof(h >= 1, sh >= h).shows(above)


EPISODES_15, RUNS_15 = 30_000, 120


@cache
def deviations(clipped: bool) -> tuple[int, float]:
    """Runs in which (15) fails, and how often (lower confidence bound): S = 10, A = H = 1, first
    states 0.9/0.1, epsilon = 1, beta = 0.1, printed noise (base e) on the visits of the two states
    that occur.
    """
    T, S, share = EPISODES_15, 10, 0.025
    E, scale, generator = printed_width(S, 1, 1, T, 1.0, 0.1), 3 * log(T), np.random.default_rng(15)
    first = generator.random((T, RUNS_15)) < 0.9
    bonuses = []
    for visited in (first, ~first):
        exact = np.vstack([np.zeros((1, RUNS_15)), visited[:-1].cumsum(axis=0)])
        noise = TreeCounter(RUNS_15, T, scale, generator).block(T - 1)
        released = exact + np.vstack([np.zeros((1, RUNS_15)), noise])
        known = np.maximum(released, 2 * E)
        phi = np.sqrt(2 * log(T / share) / np.maximum(known - E, 1))
        conf = confidence(S, 1, phi, E / known)
        if not isclose(conf[-1, 0], bonus(S, 1, known[-1, 0], E, 2 * log(T / share))):
            raise AssertionError("the bonus must be algorithm 3's")
        conf = np.where(released >= 2 * E, conf, 1.0)
        bonuses.append(np.minimum(conf, 1.0) if clipped else conf)
    met = np.where(first, *bonuses)
    excess = (0.9 * bonuses[0] + 0.1 * bonuses[1] - met).sum(axis=0)
    failed = int((excess > sqrt(T * log(1 / share) / 2)).sum())
    return failed, clopper_pearson(failed, RUNS_15)[0]


@claim("vietri2020/equation-15")
def equation_15() -> Records:
    """The printed bonus is not at most H; clipped there, the inequality holds."""
    failed, low = deviations(clipped=False)
    yield Trial(
        lambda clipped: deviations(clipped)[1] > 0.025,
        at=False,
        mutant_at=True,
        mutant="Bonuses clipped at $H$.",
    ).fails(
        "printed",
        Rigor.STATISTICAL,
        domain="Bonuses as algorithm 3 prints them.",
        evidence=r"The frequent state is known, with a bonus above $H$, while the rare one is not. "
        r"$\beta' = \beta/4$, error level $10^{-9}$.",
        severity=Severity.DOMAIN,
        witness=Witness(
            {
                "S": 10,
                "A": 1,
                "H": 1,
                "T": EPISODES_15,
                "epsilon": 1,
                "beta": 0.1,
                "first states": "0.9, 0.1, 0, ...",
                "log T of the noise": "natural",
            },
            ("probability at most", 0.025),
            (f"probability ({failed} of {RUNS_15} runs) at least", low),
        ),
    )
    yield Trial(
        _psi_exceeds,
        at=2,
        mutant_at=4,
        mutant=r"$\tilde{n} = 4E$.",
    ).fails(
        "step: the bonus is at most H",
        Rigor.PROVED,
        statement="The bonus is bounded by $H$.",
        domain=r"Every $S$, $H$, $E > 0$, at $\tilde{n} = 2E$.",
        evidence=r"$\tilde{\psi}$ alone is $(3/2 + 2/4)(1 + SH) = 2 (1 + SH)$ there.",
        witness=Witness(
            {"S": 3, "H": 3, "n~": "2E"}, ("bonus at most", 3), ("psi~ alone is", 2 * (1 + 3 * 3))
        ),
    )
    yield Trial(
        azuma_proved,
        at=sp.Rational(1, 2),
        mutant_at=sp.Rational(1, 4),
        mutant="1/4 in place of 1/2 under the root.",
        scale=lambda c: sp.Rational(Fraction(c) ** 2) / 2,
    ).holds(
        "corrected",
        Rigor.DERIVED,
        statement=r"With $\min(H, \mathrm{conf})$ in place of conf it holds for each $T$ with "
        r"probability $1 - \beta'$.",
        domain=r"Every $S$, $A$, $H$, $T$, $\beta'$.",
        evidence="The differences lie in an interval of length $H^2$.",
        basis=Basis(proof="The sum of the bonuses"),
    )


@cache
def most_outside(horizon: int, pairs: int, least: int) -> int:
    """The largest number of episodes, over all plays, that meet a tuple with fewer than ``least``
    visits."""

    @cache
    def more(state: tuple[tuple[int, ...], ...]) -> int:
        return max((1 + more(choices) for choices in _plays(state, least)), default=0)

    return more(tuple((0,) * pairs for _ in range(horizon)))


def _plays(state: tuple[tuple[int, ...], ...], least: int) -> set[tuple[tuple[int, ...], ...]]:
    """The states after one episode that meets a short tuple."""
    plays: set[tuple[tuple[tuple[int, ...], ...], bool]] = {((), False)}
    for row in state:
        grown = set()
        for value in set(row):
            index = row.index(value)
            after = tuple(sorted((*row[:index], min(value + 1, least), *row[index + 1 :])))
            grown |= {((*rows, after), short or value < least) for rows, short in plays}
        plays = grown
    return {tuple(sorted(rows)) for rows, short in plays if short}


SHAPES = ((1, 2, 3), (1, 4, 2), (2, 2, 1), (2, 2, 3), (2, 3, 2), (3, 2, 1), (3, 2, 2), (3, 3, 1))


def outside(horizon: int, pairs: int, least: int) -> int:
    """k (H (SA - 1) + 1): the most episodes that meet a tuple with fewer than k visits
    (proofs.md)."""
    return least * (horizon * (pairs - 1) + 1)


def first_visits(scale: float) -> bool:
    """z3: of the visits n = 0, 1, .. of a tuple those with n < x are the first ceil(x), times
    ``scale``."""
    n, k, x = z3.Int("n"), z3.Int("k"), z3.Real("x")
    proof = Proof(x > 0, z3.ToReal(k) >= x, z3.ToReal(k) < x + 1, n >= 0, z3.ToReal(n) < x)
    return proof.shows(z3.ToReal(n) + 1 <= Fraction(scale) * z3.ToReal(k))


@claim("vietri2020/equation-17")
def equation_17() -> Records:
    """The pigeonhole is per tuple and step; counted per visit 3E SAH^2 is saved."""
    S, A, H, T = 6, 1, 3, 10**7
    E = printed_width(S, A, H, T, 1.0, BETA)
    yield Trial(
        lambda horizon: most_outside(horizon, 2, 1) > 1 * 2,
        at=2,
        mutant_at=1,
        mutant="$H = 1$, where it holds ($3E$ whole).",
    ).fails(
        "printed",
        Rigor.KERNEL,
        statement="At most $3E\\,SA$ episodes meet a tuple with fewer than $3E$ visits.",
        domain=r"$H \ge 2$, $SA \ge 2$, some choice of actions, an MDP in which every path is "
        "possible and $T$ large; in the theorem $S = 1$, $A = H = 2$, $E = 1/3$.",
        evidence="Fill one tuple of each step first, then the others one by one.",
        severity=Severity.DOMAIN,
        witness=Witness(
            {
                "S": S,
                "A": A,
                "H": H,
                "T": T,
                "epsilon": 1,
                "beta": BETA,
                "E (natural logarithms)": E,
            },
            ("episodes at most", int(3 * E * S * A)),
            ("episodes", outside(H, S * A, ceil(3 * E))),
        ),
        basis=Basis(
            formal=Formal(
                "vietri2020_equation_17",
                "equation_17_printed_refuted",
                "equation_17_printed_mutant",
                ("3 * E * INR nS", "(3 * E + 1) * INR H * INR nS"),
            )
        ),
    )
    yield Trial(
        lambda extra: all(most_outside(*shape) == outside(*shape) + extra for shape in SHAPES),
        at=0,
        mutant_at=[-1, 1],
        mutant="One episode fewer, or one more.",
    ).holds(
        "corrected",
        Rigor.DERIVED,
        statement=r"At most $\lceil 3E \rceil (H (SA - 1) + 1)$ episodes meet such a tuple.",
        domain="Every $S$, $A$, $H$, $E$; attained by some choice of actions where every path is "
        "possible and $T$ is large.",
        evidence=f"Exhaustion over all plays at {len(SHAPES)} small shapes finds that number.",
        basis=Basis(proof="The sum of the bonuses"),
    )
    yield Trial(
        first_visits,
        at=1.0,
        mutant_at=0.99,
        mutant="0.99 of that number.",
        scale=lambda c: c,
    ).holds(
        "corrected: counted by visits",
        Rigor.KERNEL,
        statement=r"The visits to tuples with fewer than $3E$ visits number at most $SAH \lceil "
        r"3E \rceil$, so their bonuses $\min(H, \mathrm{conf})$ add up to at most $\lceil 3E "
        r"\rceil SAH^2$.",
        domain="Every $S$, $A$, $H$, $E$.",
        evidence=r"Each tuple is short at its first $\lceil 3E \rceil$ visits.",
        basis=Basis(
            formal=Formal(
                "vietri2020_equation_17",
                "equation_17",
                "equation_17_mutant",
                ("INR nS * INR nA * INR H * INR k", "99 / 100 * (INR nS * INR nA * INR H * INR k)"),
                also=("equation_17_bonuses",),
            )
        ),
    )


@dataclass(frozen=True)
class Pieces:
    """The constants of the proof."""

    root: Fraction = Fraction(2)  #: sum of 1/sqrt(max(k, 1)) for k < K at most root sqrt(K)
    share: Fraction = Fraction(1, 6)  #: of beta, for each of means, transitions and martingale
    growth: int = 1  #: whether over-estimates may grow by kappa a step
    means: int = 1  #: how often (H+1) phi^ (or what replaces it) enters beside the bonus


def sums_proved(root: Fraction) -> bool:
    """The three sums over one tuple's visits: induction by z3, and a logarithm's tangent."""
    u, v, x, a = z3.Reals("u v x a")
    step = Proof(u > 0, v > 0, u * u == v * v + 1)  # u = sqrt(K), v = sqrt(K - 1), K >= 2
    roots = step.shows(step.quotient(1, u) <= root * (u - v)) and Proof(u == 1).shows(root * u >= 2)
    squares = Proof(x > 1)
    telescopes = squares.shows(
        squares.quotient(1, x * x) <= squares.quotient(1, x - 1) - squares.quotient(1, x)
    )
    z = sp.Symbol("z", positive=True)
    # 1/x <= ln x - ln(x - 1), z = 1/x
    tangent = identity(sp.diff(-sp.log(1 - z) - z, z), z / (1 - z))
    return roots and telescopes and tangent and Proof(a > 0).shows(a + a > a)


def variation_proved(states: int) -> bool:
    """z3: a signed measure of total 0 against values in [0, H] is at most H times its largest mass
    of a subset."""
    d = z3.Reals(" ".join(f"d{i}" for i in range(states)))
    V = z3.Reals(" ".join(f"V{i}" for i in range(states)))
    h = z3.Real("h")
    proof = Proof(sum(d) == 0, h >= 1, *(z3.And(value >= 0, value <= h) for value in V))
    return proof.shows(
        sum(a * b for a, b in zip(d, V, strict=True)) <= h * sum(z3.If(a > 0, a, 0) for a in d)
    )


@cache
def bound_proved(pieces: Pieces) -> bool:
    """Every step of the regret bound."""
    return (
        distance_proved()
        and psi_suffices(Fraction(1))
        and one_step((1, 1.0))
        and moments_proved()
        and step_proved(pieces.growth, pieces.means)
        and sums_proved(pieces.root)
        and variation_proved(3)
        and azuma_proved(sp.Rational(1, 2))
        and 2 * Fraction(1, 4) + 3 * pieces.share <= 1
    )


BETA = 0.1
CASES: tuple[tuple[float, str, Calibration, int], ...] = (
    (inf, "none", "corrected", 30_000),
    (1000.0, "tree", "corrected", 100_000),
    (1000.0, "tree", "printed", 150_000),
)


@cache
def _runs() -> tuple[tuple[float, float, float], ...]:
    """(largest regret over 2 seeds, bound, H T) of PUCB on two MDPs, where the bound is below H
    T."""
    run_rows = []
    for mdp in (random_mdp(3, 2, 3, 0), riverswim(3, relabelled=True, seed=4)):
        for epsilon, counter, calibration, planned in CASES:
            agent: Agent = PUCB(
                epsilon=epsilon, beta=BETA, counter=counter, calibration=calibration
            )
            run = simulate.run("bound", mdp, agent, episodes=planned, replicates=2, seed=1)
            bound = regret_bound(3, 2, 3, planned, epsilon, BETA, calibration)
            run_rows.append((float(run.regret[:, -1].max()), bound, trivial_regret(3, planned)))
    return tuple(run_rows)


Sizes = tuple[tuple[int, int, int], ...]
SIZES: Sizes = ((2, 2, 2), (3, 2, 3), (6, 2, 20), (20, 5, 10))
MANY: Sizes = ((1000, 2, 20),)


def printed_over_proved(epsilon: float, sizes: Sizes = SIZES) -> float:
    """Least quotient of printed sum and proved bound, both with the printed E, from the sum's
    vacuity horizon on."""
    worst = inf
    for size in sizes:
        first = vacuity_horizon(*size, epsilon, BETA)
        for planned in (first, 10 * first, 1000 * first):
            proved = regret_bound(*size, planned, epsilon, BETA, "printed")
            worst = min(worst, theorem_4_bound(*size, planned, epsilon, BETA) / proved)
    return worst


@cache
def sums_within(factor: float) -> bool:
    """Whether each term of ``regret_terms``, times ``factor``, covers the sum that it stands for;
    the martingale's is where Hoeffding and Azuma leave it the probability beta/6: differences in
    intervals of length H times the step's weight.

    The sums are added visit by visit: every tuple of a step is visited equally often, every
    released count is as small as the good event allows (n~ = n^ - E), and the first ceil(3E) visits
    of a tuple are charged H.
    """
    for S, A, H, visits, E in (
        (3, 2, 3, 30_000, 0),
        (3, 2, 3, 30_000, 20),
        (2, 2, 1, 5000, 7.3),
        (6, 2, 4, 9000, 2),
    ):
        T, lam = visits * S * A, 0.25
        terms, share = regret_terms(S, A, H, T, E, BETA, lam), BETA / 6
        weights = [growth(lam) ** h if H > 1 else 1.0 for h in range(H)]
        n = np.arange(max(ceil(3 * E), 1), visits, dtype=float)
        least = np.maximum(n - E, 1)  # n~
        psi = (1 + S * H) * (3 * E / least + 2 * (E / least) ** 2) + (2 + H + S * H) * E / least
        root = float((1 / np.sqrt(np.maximum(n - 2 * E, 1))).sum())
        union = sqrt(log(S * A * H * (T - 1) / share) / 2)
        moved = (
            S * H * log(S * S * A * max(H - 1, 1) / share) / lam * float((1 / n).sum())
            if H > 1
            else 0.0
        )
        sums = {
            "start": H * ceil(3 * E) * sum(weights),
            "noise": float(psi.sum()) * sum(weights),
            "sampling": (H + 1) * sqrt(2 * log(4 * T / BETA)) * root * sum(weights),
            "deviation": union
            * float((1 / np.sqrt(n)).sum())
            * sum(w * (H - h) for h, w in enumerate(weights)),
            "transitions": moved * sum(weights[:-1]),
        }
        level = (factor * terms.martingale) ** 2 * 2 / (T * sum((w * H) ** 2 for w in weights))
        if exp(-level) > share * (1 + 1e-9):
            return False
        if any(S * A * value > factor * getattr(terms, name) for name, value in sums.items()):
            return False
    return True


SIZES_OF_ORDER = (*SIZES, (2, 2, 1), (200, 5, 5))
EPISODES_OF_ORDER, EPSILONS_OF_ORDER = (100, 10**5, 10**9), (1e-3, 0.1, 1.0)


@cache
def orders() -> tuple[tuple[float, float], ...]:
    """The proved bound for the printed noise over H^2 sqrt(SAT) + (SAH^3 + S^2AH^3)/epsilon, and
    ln(S^2AHT/beta)."""
    order_ratios = []
    for (S, A, H), T, epsilon in product(SIZES_OF_ORDER, EPISODES_OF_ORDER, EPSILONS_OF_ORDER):
        order = H * H * sqrt(S * A * T) + (S + 1) * S * A * H**3 / epsilon
        order_ratios.append(
            (
                regret_bound(S, A, H, T, epsilon, BETA, "printed") / order,
                log(S * S * A * H * T / BETA),
            )
        )
    return tuple(order_ratios)


def largest(rows: tuple[tuple[float, float], ...], power: float) -> float:
    """The largest quotient when the order has a logarithm to this power."""
    return max(float(quotient / logarithm**power) for quotient, logarithm in rows)


def proved_regret() -> Records:
    """Records of theorem-4: the bound that is proved beside the printed sum."""
    yield Trial(
        lambda case: bound_proved(case[0]) and sums_within(case[1]),
        at=(Pieces(), 1.0),
        mutant_at=[
            (Pieces(root=Fraction(19, 10)), 1.0),
            (Pieces(share=Fraction(1, 5)), 1.0),
            (Pieces(growth=0), 1.0),
            (Pieces(means=0), 1.0),
            (Pieces(), 0.5),
        ],
        mutant="Each of four steps weakened; half of the bound.",
        scale=lambda c: (Pieces(), c),
    ).holds(
        "corrected",
        Rigor.DERIVED,
        statement=r"With probability $1 - \beta$ the regret is at most a sum of six explicit terms "
        r"(`regret_terms`), at the $\lambda$ where it is least.",
        domain=r"Every $S$, $A$, $H$, $T \ge 4$, $\beta$ with $SAH (T-1) (\beta/4)^3 \le T^4$, "
        r"and any $E$ that covers the noise at $\beta/4$; PrivQ with $\tilde{Q}^+ = H$ where "
        r"$\tilde{n} < 2E$.",
        evidence="Over-estimates add up along a trajectory; each sum is added visit by visit.",
        basis=Basis(
            proof="The regret bound",
            uses=(
                "vietri2020/lemma-18: corrected",
                "vietri2020/lemma-13",
                "vietri2020/equation-15: corrected",
                "vietri2020/equation-17: corrected: counted by visits",
            ),
        ),
    )
    yield Trial(
        lambda case: printed_over_proved(*case) >= 1,
        at=(1.0, SIZES),
        mutant_at=(1e12, MANY),
        mutant=r"Many states and a huge $\varepsilon$.",
    ).holds(
        "step: the printed sum, by another derivation",
        Rigor.EXACT,
        statement="Where the printed sum is below $HT$ it is not below the proved bound with the "
        "same $E$.",
        domain=r"$\varepsilon = 1$, $\beta = 0.1$, $(S, A, H)$ of "
        + ", ".join(f"${size}$" for size in SIZES)
        + ", and 1, 10 and 1000 times the $T$ from which on the printed sum is below $HT$.",
        evidence="Both are computed.",
    )
    yield Trial(
        lambda factor: all(
            regret <= factor * bound < trivial for regret, bound, trivial in _runs()
        ),
        at=1.0,
        mutant_at=0.01,
        mutant="A hundredth of the bound.",
        scale=lambda c: c,
    ).holds(
        "corrected: on runs",
        Rigor.EXACT,
        statement="The regret of PUCB is below the proved bound, and that is below $HT$.",
        domain=r"A random MDP and relabelled RiverSwim, $S = 3$, $A = 2$, $H = 3$, 2 seeds; no "
        r"noise with $T = 30000$; $\varepsilon = 1000$ with $T = 100000$ for the corrected noise, "
        rf"150000 for the printed; $\beta = {BETA}$.",
        evidence="The regret of a run is exact.",
    )
