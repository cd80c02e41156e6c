"""vietri2020, Appendix B.6: lemma-19, lemma-20, lemma-21, lemma-22.

W is the sum of a tuple's past visit probabilities w_i, i < t; l = ln(SAH/beta').

**Nice episodes.** As meant: for every tuple w_t < w_min, or W/4 >= l + 2E with beta' = beta/4, the
beta' of F^N (definition-7 prints w_t <= w_min and beta; appendix B.1 prints these, without "for
every tuple"). See proofs.md.
"""

from fractions import Fraction
from functools import cache
from itertools import product
from math import ceil, log

import mpmath as mp
import numpy as np
import sympy as sp
import z3

from theory.claim import Basis, Records, Rigor, Severity, Trial, Verdict, Witness, claim
from theory.papers.vietri2020.bounds.proved import not_nice as bound_not_nice
from theory.papers.vietri2020.bounds.stated import counters, printed_width
from theory.rigor.exact import at_precision
from theory.rigor.kernel import Formal
from theory.rigor.smt import Proof
from theory.rigor.symbolic import identity

EARLIER = 120  # episodes before the one on the edge
EDGE_VISITS, EDGE_RELEASED = 6, Fraction(-399, 100)  # of the tuple with w_t = w_min


def on_the_edge(strict: bool) -> bool:
    """S = 2, A = H = alpha = 1, first states 1/6 (which is w_min) and 5/6: with w_t <= w_min in
    definition-7 (or, if ``strict``, w_t < w_min) a nice episode, for beta and for beta', in which
    the released count of the first is not above W/4 + E. beta = 0.1, E = 10.
    """

    def excess() -> mp.mpf:
        rare, frequent = mp.mpf(EARLIER) / 6, 5 * mp.mpf(EARLIER) / 6
        visits, e = EDGE_VISITS, mp.mpf(10)
        released = mp.mpf(EDGE_RELEASED.numerator) / EDGE_RELEASED.denominator
        floor = mp.log(8 / mp.mpf("0.1"))
        nice = (min(rare, frequent) if strict else frequent) / 4 - floor - 2 * e
        good = min(visits - rare / 2 + floor, EARLIER - visits - frequent / 2 + floor)
        near = e - (visits - released)
        return min(nice, good, near, rare / 4 + e - released)

    return bool(at_precision(excess) > 0)


PAST = 92  # visit probabilities of 184 episodes


def short_of_the_count(logarithms: int) -> bool:
    """S = 2, A = H = 1, first state 1/2: with ln(SAH/beta) in definition-7 (or, for 4,
    ln(4SAH/beta)) a nice episode whose released count is not above W/4 + E. beta = 0.1, E = 10, 184
    episodes so far, 42 visits, n~ = 32.01.
    """

    def excess() -> mp.mpf:
        past, visits, released, e = mp.mpf(PAST), mp.mpf(42), mp.mpf("32.01"), mp.mpf(10)
        nice = past / 4 - mp.log(logarithms * 2 / mp.mpf("0.1")) - 2 * e
        good = visits - past / 2 + mp.log(8 / mp.mpf("0.1"))
        near = e - (visits - released)
        return min(nice, good, near, past / 4 + e - released)

    return bool(at_precision(excess) > 0)


def nice_counts(doubled: int, scale: float = 1.0) -> bool:
    """z3: W/4 >= l + ``doubled`` E, n^ >= W/2 - l, n~ > n^ - E, l >= 0 give scale n~ > W/4 + E and
    scale n~ > 2E."""
    past, floor, e, visits, released = z3.Reals("W l E n released")
    proof = Proof(
        e > 0,
        floor >= 0,
        past / 4 >= floor + doubled * e,
        visits >= past / 2 - floor,
        released > visits - e,
    )
    known = Fraction(scale) * released
    return proof.shows(z3.And(known > past / 4 + e, known > 2 * e))


@claim("vietri2020/lemma-19")
def lemma_19() -> Records:
    """Fails on an edge and through beta against beta'; true with one reading of both."""
    yield Trial(
        short_of_the_count,
        at=1,
        mutant_at=4,
        mutant=r"$\beta'$ in the definition.",
    ).fails(
        "printed",
        Rigor.COUNTEREXAMPLE,
        statement=r"In a nice episode by definition 7, with $\ln(SAH/\beta)$, on the good event: "
        r"$w_t < w_{\min}$ or $\tilde{n} > W/4 + E$ for every tuple, where $W = \sum_{i<t} w_i$.",
        domain="This instance.",
        evidence=r"The definition has $\beta$ where the event of the visits has $\beta'$.",
        severity=Severity.WORDING,
        witness=Witness(
            {
                "S": 2,
                "A": 1,
                "H": 1,
                "beta": 0.1,
                "E": 10,
                "first states": "1/2 and 1/2, w_min at most 1/2",
                "t": 185,
                "n^": 42,
            },
            ("n~ above W/4 + E =", PAST / 4 + 10),
            ("n~ =", 32.01),
        ),
    )
    yield Trial(
        on_the_edge,
        at=False,
        mutant_at=True,
        mutant=r"$w_t < w_{\min}$ in the definition.",
    ).fails(
        "reading: visits with probability exactly w_min",
        Rigor.COUNTEREXAMPLE,
        statement=r"The same for $w_t = w_{\min}$.",
        domain=r"$w_t = w_{\min}$ only.",
        evidence=r"Definition 7 has $w_t \le w_{\min}$ where appendix B.1 has $<$.",
        witness=Witness(
            {
                "S": 2,
                "A": 1,
                "H": 1,
                "alpha": 1,
                "beta": 0.1,
                "E": 10,
                "first states": "1/6, which is w_min, and 5/6",
                "t": EARLIER + 1,
                "n^": EDGE_VISITS,
            },
            ("n~ above W/4 + E =", EARLIER / 24 + 10),
            ("n~ =", float(EDGE_RELEASED)),
        ),
    )
    yield Trial(
        lambda case: nice_counts(*case),
        at=(2, 1.0),
        mutant_at=(1, 1.0),
        mutant="$E$ in place of $2E$ in the definition.",
        raised=lambda c: (2, 1 / c),
        tighter={"half of the past": (1, 1.0)},
    ).holds(
        "corrected",
        Rigor.PROVED,
        statement=r"With $w_t < w_{\min}$ and $\beta'$ in definition 7: in a nice episode, on "
        r"the good event, $\tilde{n} > W/4 + E > 2E$ wherever $w_t \ge w_{\min}$.",
        domain=r"Every $S$, $A$, $H$, $\beta$, $E > 0$, $w_{\min} > 0$.",
        evidence=r"$\tilde{n} > \hat{n} - E \ge W/2 - \ln(SAH/\beta') - E$, then a solver.",
    )


def not_nice(planned: int) -> int:
    """How many episodes are not nice at S = A = H = epsilon = 1, beta = 0.1: those with W = t - 1 <
    4 (l + 2E)."""
    return min(planned, ceil(4 * log(4 / 0.1) + 8 * printed_width(1, 1, 1, planned, 1.0, 0.1)))


PRINTED = 120  # the constant of lemma-20
TIMES = 12  # 4/w_min at w_min = alpha/(3SH^2), in units of S^2AH^3/alpha over SAH
WIDE = 6  # 2E in units of H y/epsilon


def units_as_used() -> bool:
    """Whether :data:`TIMES` and :data:`WIDE` are those of the bound and the E that run: the
    bound is 12 (x + 6 H y/epsilon) in units of S^2AH^3/alpha, and SAH at most for rounding up."""
    for S, A, H, T, epsilon, beta, alpha in (
        (1, 1, 1, 3, 3.0, 0.5, 1.0),
        (3, 2, 4, 10**6, 0.5, 0.1, 2.0),
    ):
        x = log(4 * S * A * H / beta)
        y = log(counters(S, A, H) * 4 / beta) * log(T) ** 2.5
        E = printed_width(S, A, H, T, epsilon, beta)
        bound = bound_not_nice(S, A, H, E, beta, alpha / (3 * S * H * H))
        told = TIMES * (x + WIDE * H * y / epsilon) * S * S * A * H**3 / alpha
        if not told * (1 - 1e-12) <= bound <= (told + S * A * H) * (1 + 1e-12):
            return False
    return True


def covers_lemma_20(bound: Fraction) -> bool:
    """z3: 12 (x + 2 H y 3/epsilon) + 1/(SH) <= 120 H y/epsilon for epsilon <= ``bound`` H, where x
    = ln(SAH/beta') >= ln 4, y = ln(N/beta') ln(T)^2.5 >= x (T >= 3): the sum in units of
    S^2AH^3/alpha, rounding up included (alpha <= H).
    """
    if not units_as_used():
        return False
    x, y, h, states, epsilon = z3.Reals("x y h states epsilon")
    proof = Proof(
        h >= 1, states >= 1, epsilon > 0, epsilon <= bound * h, x >= z3.Q(138, 100), y >= x
    )
    rate = proof.quotient(h * y, epsilon)
    return proof.shows(TIMES * (x + WIDE * rate) + 1 <= PRINTED * rate)


def at_most(scale: float) -> bool:
    """z3: the j-th episode with w_t >= least and past W < needed has j - 1 < scale needed/least: W
    >= (j - 1) least."""
    required, least, past, j = z3.Reals("needed least past j")
    proof = Proof(least > 0, required > 0, j >= 1, past >= (j - 1) * least, past < required)
    return proof.shows((j - 1) * least < Fraction(scale) * required)


def bound_counts(scale: float) -> bool:
    """Whether ``scale`` of the bound that is used covers the episodes that are not nice, counted:
    SAH tuples in turn, w_t = w_min in each of their episodes, W/4 < ln(4SAH/beta) + 2E; and the
    bound counts no more than one episode a tuple besides."""
    for states, actions, horizon, width, beta, least in (
        (1, 1, 1, Fraction(73, 10), 0.1, Fraction(1, 3)),
        (2, 3, 2, Fraction(40), 0.2, Fraction(1, 50)),
        (3, 2, 4, Fraction(0), 1e-6, Fraction(1, 100)),
    ):
        tuples = states * actions * horizon
        missing = Fraction(mp.log(4 * tuples / mp.mpf(beta)).__float__()) + 2 * width
        short = 0
        while short * least / 4 < missing:
            short += 1
        bound = scale * bound_not_nice(states, actions, horizon, float(width), beta, float(least))
        if not tuples * short <= bound <= tuples * (short + 1):
            return False
    return True


@claim("vietri2020/lemma-20")
def lemma_20() -> Records:
    """The printed constant suffices for epsilon <= 3H; the count by pigeonhole."""
    most = Fraction(3)  # epsilon over H
    yield Trial(
        covers_lemma_20,
        at=most,
        mutant_at=Fraction(30),
        mutant=r"$\varepsilon$ up to $30 H$.",
    ).undecided(
        Verdict.UNSPECIFIED,
        "printed",
        Rigor.PROVED,
        statement=r"At most $(120 S^2AH^4/(\alpha \varepsilon)) \ln(N/\beta') \ln(T)^{2.5}$ "
        "episodes are not nice, $N = 2SAH + S^2AH$, the polylogarithm of the printed $E$ with "
        "natural logarithms.",
        domain=r"$\varepsilon \le 3H$, $T \ge 3$, $\alpha \le H$; nice as in lemma 19 "
        r"corrected, $w_{\min} = \alpha/(3SH^2)$.",
        evidence="The corrected number, by a solver.",
        basis=Basis(uses=("vietri2020/lemma-20: corrected",)),
    )
    huge, polylog = 1e9, 1e6
    yield Trial(
        lambda epsilon: PRINTED * polylog / epsilon < 1,
        at=huge,
        mutant_at=1.0,
        mutant=r"$\varepsilon = 1$.",
    ).fails(
        "reading: every epsilon",
        Rigor.COUNTEREXAMPLE,
        statement=r"At most $120 S^2AH^4/(\alpha \varepsilon)$ times a polylogarithm, for every "
        r"$\varepsilon$.",
        domain=r"$S = A = H = \alpha = 1$, $\varepsilon$ above 120 times the polylogarithm.",
        evidence="The first episode is never nice.",
        witness=Witness(
            {"S": 1, "A": 1, "H": 1, "alpha": 1, "epsilon": huge, "polylog": polylog},
            ("episodes at most", PRINTED * polylog / huge),
            ("episodes that are not nice at least", 1),
        ),
    )
    long, share = 10**5, log(counters(1, 1, 1) / (0.1 / 4))  # T, ln(N/beta')
    yield Trial(
        lambda power: not_nice(long) > PRINTED * share * log(long) ** power,
        at=0.0,
        mutant_at=2.5,
        mutant=r"$\ln(N/\beta') \ln(T)^{2.5}$.",
    ).fails(
        "reading: a polylogarithm without T",
        Rigor.COUNTEREXAMPLE,
        statement=r"The same with a polylogarithm of $S$, $A$, $H$ and $1/\beta$ alone.",
        domain="Every polylogarithm without $T$, once $T$ is large.",
        evidence=r"$\lceil 4 \ln(4/\beta) + 8E \rceil$ episodes are not nice at $S = A = H = 1$, "
        "and $E$ grows with $T$.",
        witness=Witness(
            {
                "S": 1,
                "A": 1,
                "H": 1,
                "alpha": 1,
                "epsilon": 1,
                "beta": 0.1,
                "T": long,
                "polylog": "ln(N/beta')",
                "log T of E": "natural",
            },
            ("episodes at most", int(PRINTED * share)),
            ("episodes that are not nice", not_nice(long)),
        ),
    )
    yield Trial(
        lambda scale: at_most(scale) and nice_counts(2) and bound_counts(scale),
        at=1.0,
        mutant_at=0.99,
        mutant="0.99 of that number for each tuple.",
        scale=lambda c: c,
    ).holds(
        "corrected",
        Rigor.DERIVED,
        statement=r"On the good event at most $SAH \lceil 4 (\ln(SAH/\beta') + 2E)/w_{\min} "
        r"\rceil$ episodes are not nice.",
        domain=r"Every $S$, $A$, $H$, $w_{\min}$, $E > 0$; nice as in lemma 19 corrected.",
        evidence=r"The $j$-th episode with $w_t \ge w_{\min}$ of a tuple has a past $W \ge (j-1) "
        r"w_{\min}$.",
        basis=Basis(proof="Nice episodes"),
    )


def telescopes(scale: str) -> bool:
    """sum a_k/A_k <= scale (ln(m/a_min) + 1): the tangent of the logarithm, and every sequence of a
    grid."""
    x = sp.Symbol("x", positive=True)
    # so ln x <= x - 1, x = A_{k-1}/A_k
    tangent = identity(sp.diff(x - 1 - sp.log(x), x), (x - 1) / x)
    worst = mp.mpf(-10)
    grid = [
        a
        for m in range(1, 6)
        for a in product((Fraction(1, 100), Fraction(1, 7), Fraction(1)), repeat=m)
    ]
    long = [(Fraction(1),) * m for m in (8, 40, 200)]  # harmonic sums, near the bound for every m
    for values in (*grid, *long):
        total, partial = mp.mpf(0), Fraction(0)
        for value in values:
            partial += value
            total += mp.mpf((value / partial).numerator) / (value / partial).denominator
        bound = mp.log(len(values) / mp.mpf(min(values).numerator) * min(values).denominator) + 1
        worst = max(worst, total - mp.mpf(scale) * bound)
    return tangent and bool(worst <= 0)


@claim("vietri2020/lemma-22")
def lemma_22() -> Records:
    """True with the index that is meant."""
    printed, bound = 1 / 0.01 + 1 / 1.01, log(2 / 0.01) + 1
    yield Trial(
        lambda i: ((0.01, 1.0)[i - 1] / 0.01 + (0.01, 1.0)[i - 1] / 1.01) > bound,
        at=2,
        mutant_at=1,
        mutant="$i = 1$, at the same $a$ and $m$.",
    ).fails(
        "printed",
        Rigor.KERNEL,
        domain="A fixed $i$ and sequences that begin small.",
        evidence="$a_k$ is meant.",
        severity=Severity.WORDING,
        witness=Witness(
            {"a": "(0.01, 1)", "i": 2, "m": 2}, ("sum at most", bound), ("sum", printed)
        ),
        basis=Basis(
            formal=Formal(
                "vietri2020_lemma_22",
                "lemma_22_printed_refuted",
                "lemma_22_printed_mutant",
                ("a i / total", "a k / total"),
            )
        ),
    )
    yield Trial(
        telescopes,
        at="1",
        mutant_at=["0.999", "0.5"],
        mutant="0.999 of the bound.",
        scale=str,
    ).holds(
        "corrected",
        Rigor.KERNEL,
        statement=r"For $a_k \in [a_{\min}, 1]$ the sum of $a_k/(a_1 + \cdots + a_k)$ over $k "
        r"\le m$ is at most $\ln(m e/a_{\min})$.",
        domain=r"Every $m \ge 1$ and $a_{\min} > 0$.",
        evidence=r"$a_k/A_k \le \ln(A_k/A_{k-1})$ for the partial sums $A_k$, which telescopes.",
        basis=Basis(
            formal=Formal(
                "vietri2020_lemma_22",
                "lemma_22",
                "lemma_22_mutant",
                ("ln (INR m", "999 / 1000 * ln (INR m"),
            )
        ),
    )


def eighths(past: int) -> bool:
    """z3: W/4 >= (W + w)/8 for w <= 1 and W >= ``past``."""
    total, w = z3.Reals("W w")
    return Proof(total >= past, w >= 0, w <= 1).shows(total / 4 >= (total + w) / 8)


@cache
def _nice_sums(seed: int) -> tuple[float, float]:
    """Sum over nice episodes of the r = 2 term squared, and 8 SAH^2 ln(T e/w_min), for random visit
    probabilities: SA = 4, H = 2, T = 3000, C (log T + D) = 1; n~ - E = W/4, the least that lemma-19
    allows."""
    rng = np.random.default_rng(seed)
    total, past, least = 0.0, np.zeros((2, 4)), 0.02
    for _ in range(3000):
        w = rng.dirichlet(np.full(4, 0.3), size=2)
        likely = w >= least
        if (past[likely] / 4 >= 2).all():
            gap = float((w[likely] / np.sqrt(past[likely] / 4)).sum())
            total += gap**2
        past += w
    return total, 8 * 4 * 2 * 2 * (1 + log(3000 / least))


@claim("vietri2020/lemma-21")
def lemma_21() -> Records:
    """The explicit bound behind the polylog; slips in its proof."""
    statement = (
        r"The weighted sum is at most $\alpha'$ on all but $8 C SAH^r (\log T + D) \ln(T "
        r"e/w_{\min})/(\alpha')^r$ nice episodes."
    )
    yield Trial(
        lambda case: (
            eighths(case[0])
            and telescopes(case[1])
            and _nice_sums(0)[0] <= case[2] * _nice_sums(0)[1]
        ),
        at=(1, "1", 1.0),
        mutant_at=[(0, "1", 1.0), (1, "0.9", 1.0), (1, "1", 0.1)],
        mutant="Nothing known of the past; nine tenths of lemma 22; a smaller bound for the sum.",
    ).undecided(
        Verdict.UNSPECIFIED,
        "printed",
        Rigor.DERIVED,
        statement=statement,
        domain=r"Every $r \ge 1$, $C > 0$, $D \ge 1$ and $\alpha' > 0$; the tuples with "
        r"$w_t \ge w_{\min}$, on the good event; nice as in lemma 19 corrected.",
        evidence="Hoelder's inequality, then lemmas 19 and 22.",
        basis=Basis(
            proof="Nice episodes",
            uses=("vietri2020/lemma-19: corrected", "vietri2020/lemma-22: corrected"),
        ),
    )
    met = Fraction(31, 10)  # the weighted sum of an episode, above alpha' = 3; r = 1
    yield Trial(
        lambda power: met < 3**power,
        at=2,
        mutant_at=1,
        mutant=r"$(\alpha')^r$.",
    ).fails(
        "step: the last line",
        Rigor.COUNTEREXAMPLE,
        statement=r"Each episode that is counted adds at least $(\alpha')^2$ to the sum, as the "
        "last line has it.",
        domain="This instance.",
        evidence=r"It adds more than $(\alpha')^r$.",
        witness=Witness(
            {"alpha'": 3, "r": 1, "weighted sum of an episode": float(met)},
            ("it adds at least", 9.0),
            ("it adds", float(met)),
        ),
    )
    yield Trial(
        lambda copies: Fraction(1, 4) > Fraction(1, 4) ** copies,
        at=2,
        mutant_at=1,
        mutant="One factor $C$.",
    ).fails(
        "step: Hoelder's inequality",
        Rigor.COUNTEREXAMPLE,
        statement="The display after the mention of Hoelder's inequality, with a second $C$ "
        "inside.",
        domain="$C < 1$.",
        evidence="$C$ stands there once too often.",
        witness=Witness(
            {"C": 0.25, "r": 1, "H": 1, "tuples": 1, "w": 1, "(log T + D)/(n~ - E)": 1},
            ("left at most", 0.25**2),
            ("left", 0.25),
        ),
    )
