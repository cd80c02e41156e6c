"""vietri2020, Appendix B.4: theorem-14, lemma-15, lemma-16, lemma-17.

For a tuple let N^ = r^ + sum V m^ and N~ the same of the released counts, V = V~_{h+1}; phi^ = sqrt(L/n^) as meant.

**lemma-15, another way.** On the good event with 0 <= V <= H: N^ <= (1+H) n^, since the moves add up to n^; N~ >= N^ -
(1+SH) E; n~ <= n^ + E; and n^ > n~ - E >= E > 0 where n~ >= 2E. Then N^/n^ - N~/n~ <= (2 + H + SH) E/n~, because

    (2+H+SH) E n^ - (N^ n~ - N~ n^) = n^ (N~ - N^ + (1+SH) E) + N^ (E - n~ + n^) + E ((1+H) n^ - N^) >= 0,

and that is at most psi~ = (1+SH) (3E/n~ + 2E^2/n~^2). The same with the roles exchanged bounds N~/n~ - N^/n^. The
printed proof needs N~ <= (1+SH) n~, which small S do not give. phi^ <= phi~ as n^ >= max(n~ - E, 1): n^ > n~ - E,
and n^ > 0 is a whole number.

**Order of the induction.** At step h, from V~_{h+1} >= V*_{h+1} >= 0 and V~_{h+1} <= H (it is clipped): lemma-15 at h
(it needs V >= 0), lemma-17 at h, so Q~+ >= Q* at h (also where it is H, as Q* <= H), so V~_h >= V*_h. Nothing is
circular.
"""

from __future__ import annotations

import functools
from fractions import Fraction

import mpmath as mp
import sympy as sp
import z3

from theory.claim import Record, Rigor, Verdict, claim, decide
from theory.papers.vietri2020.privq import below_the_truth, literal_q
from theory.rigor.exact import at_precision
from theory.rigor.smt import Proof
from theory.rigor.symbolic import Term, identity, nonnegative

S, H, E, n, nt, N, Nt = sp.symbols("S H E n nt N Nt", positive=True)  # n^, n~, N^, N~
PSI = (1 + S * H) * (3 * E / nt + 2 * E**2 / nt**2)


@functools.cache
def distance_proved(extra: sp.Expr | int = 0) -> bool:
    """|N^/n^ - N~/n~| <= (2 + H + SH - extra) E/n~ by the certificate above, in both directions."""
    bound = 2 + H + S * H - extra
    low, high = Nt - N + (1 + S * H) * E, N - Nt + (1 + S * H) * E
    short, long, room = E - nt + n, E + nt - n, (1 + H) * n - N
    one = nonnegative(sp.expand(bound * E * n - N * nt + Nt * n),
                      [Term(1, 1, (n, low)), Term(1, 1, (N, short)), Term(1, 1, (E, room))], (low, short, room))
    other = nonnegative(sp.expand(bound * E * n + N * nt - Nt * n),
                        [Term(1, 1, (n, high)), Term(1, 1, (N, long)), Term(1, 1, (E, room))], (high, long, room))
    return one and other


def psi_suffices(factor: Fraction) -> bool:
    """z3: (2 + H + SH) E/n~ <= factor psi~ for all H >= 1, SH >= H, n~ >= 2E > 0 (multiplied by n~^2/E)."""
    h, sh, e, x = z3.Reals("h sh e x")
    scaled = z3.Q(factor.numerator, factor.denominator) * (1 + sh) * (3 * x + 2 * e)
    return Proof(h >= 1, sh >= h, e > 0, x >= 2 * e).shows((2 + h + sh) * x <= scaled)


def distance_attained(states: int, worth: int, visits: int, width: Fraction) -> Fraction:
    """N^/n^ - N~/n~ in units of E/n~ at the extreme counts: rewards 1, all next states ``worth`` H, every error E."""
    top = (1 + worth) * visits
    released, count = top - (1 + states * worth) * width, visits + width
    return (Fraction(top, visits) - released / count) / (width / count)


def root_dominates(least: int) -> bool:
    """z3: n^ >= max(n~ - E, ``least``) for whole n^ with |n~ - n^| < E and n~ >= 2E > 0."""
    count = z3.Int("n")
    e, x = z3.Reals("e x")
    proof = Proof(e > 0, x >= 2 * e, x - count < e, count - x < e)
    return proof.shows(z3.And(z3.ToReal(count) >= x - e, count >= least))


# ---- lemma-15, theorem-14 --------------------------------------------------------------------------------------------


def _unclipped_exceeds(visits: int) -> bool:
    """H = 1, n~ < 2E: Q~+ = H = 1 against Q^+ = Q^ + 2 phi^ after this many visits with reward 1; L = 2 ln(8/0.1)."""
    return bool(at_precision(lambda: 1 + 2 * mp.sqrt(2 * mp.log(80) / visits) - 1) > 0) if visits else False


def _proof_step(states: int) -> bool:
    """z3: N~ <= (1+SH) n~ at this S, for every H >= 1 and all counts of the good event with n~ >= 2E.

    It is what turns 2E N~/n~^2 into 2 (1+SH) E/n~, the third of the three E/n~ in psi~.
    """
    h, e, x, count, top, released = z3.Reals("h e x count top released")
    proof = Proof(h >= 1, e > 0, x >= 2 * e, count > x - e, count < x + e, top >= 0, top <= (1 + h) * count,
                  released < top + (1 + states * h) * e)
    return proof.shows(released <= (1 + states * h) * x)


def _sketch_line(visits: int) -> bool:
    """S = H = 1, E = 1, extreme counts: Q^ - Q~ > (1/n~ + 2E/n~^2) (1+SH) E, against the sketch's display."""
    count = Fraction(visits + 1)
    return distance_attained(1, 1, visits, Fraction(1)) / count > (1 / count + 2 / count**2) * 2


def _left_root_larger(printed: bool) -> bool:
    """x > 2 ln x at x = T/beta' = 8, and from there on as the difference rises; not when both sides are 2 ln x."""
    rises = identity(sp.diff(nt - 2 * sp.log(nt), nt), 1 - 2 / nt)
    return rises and bool(at_precision(lambda: (8 if printed else 2 * mp.log(8)) - 2 * mp.log(8)) > 0)


@claim("vietri2020/lemma-15")
def lemma_15() -> tuple[Record, ...]:
    """Fails as printed where Q^+ is not clipped; where it is used it holds, with a third of psi~ to spare."""
    return (
        decide(
            _unclipped_exceeds, at=1, mutant_at=0, of="printed",
            statement="Q~+ >= Q^+ for all tuples on the good event, Q~+ with the two cases of the proof",
            verdict=Verdict.FAILS, rigor=Rigor.COUNTEREXAMPLE,
            domain="a tuple with n^ >= 1 and n~ < 2E, or any where Q^+ > H when Q~+ is clipped as in algorithm-3",
            evidence="H = 1, T = 2, one visit with reward 1: Q~+ = H = 1, and Q^+ = 1 + 2 sqrt(2 ln 80) = 6.9 (with "
            "the printed phi^ more). What is used is only Q~+ >= min(H, Q^+).",
            mutant="no visit (then Q^+ is not defined)"),
        decide(
            lambda case: distance_proved(case[0]) and psi_suffices(case[1]) and root_dominates(case[2]),
            at=(0, Fraction(1), 1), mutant_at=((1, Fraction(1), 1), (0, Fraction(66, 100), 1), (0, Fraction(1), 2)),
            several_mutants=True, of="corrected",
            statement="on the good event with 0 <= V~ <= H: Q~+ >= Q^+ (equation 28 against 27, phi^ as meant) where "
            "n~ >= 2E, and Q~+ = H >= min(H, Q^+) elsewhere",
            verdict=Verdict.HOLDS, rigor=Rigor.PROVED, domain="every S, A, H, E > 0, all counts",
            evidence="|Q^ - Q~| <= (2 + H + SH) E/n~ <= 2 (1+SH) E/n~ by a certificate, whereas psi~ >= 3 (1+SH) "
            "E/n~. The constant is attained up to the strictness of the good event for every S, H and n^ (rewards 1, "
            "next states worth H, every error E). At S = 1 and large n~ two thirds of psi~ are needed, not less; at "
            "large S a third. V~ >= 0, which the proof does not mention, comes from the induction.",
            mutant="one E/n~ less; 0.66 psi~; n^ >= 2 in place of n^ >= 1", sharpness=2 / 3),
        decide(
            lambda worth: distance_attained(3, worth, 7, Fraction(5, 2)) == 2 + 2 + 6, at=2, mutant_at=1,
            of="step: the constant",
            statement="(2 + H + SH) E/n~ is attained in the limit by the extreme counts",
            verdict=Verdict.HOLDS, rigor=Rigor.EXACT, domain="S = 3, H = 2, n^ = 7, E = 5/2",
            evidence="N^/n^ - N~/n~ = 10 E/n~, in fractions.", mutant="next states worth H - 1"),
        decide(
            lambda states: not _proof_step(states), at=1, mutant_at=5, of="step: from (29) to psi~",
            statement="(1/n~ + 2E/n~^2)(N~ + (1+SH) E) <= N~/n~ + 3 (1+SH) E/n~ + 2 (1+SH) E^2/n~^2",
            verdict=Verdict.FAILS, rigor=Rigor.COUNTEREXAMPLE,
            domain="S = 1 (every H); the line needs N~ <= (1+SH) n~, which the good event gives for S >= 3 + 2/H",
            evidence="S = H = 1, n~ = 2E, n^ -> 3E, all rewards 1 and V~ = 1: N~ -> 8E, and (1+SH) n~ = 4E. z3: true "
            "for every H from S = 5 on. (29) itself is true.",
            mutant="S = 5, where it follows"),
        decide(
            _sketch_line, at=9, mutant_at=1, of="step: the sketch in section 5",
            statement="Q^ <= Q~ + (1/n~ + 2E/n~^2)(1+SH) E",
            verdict=Verdict.FAILS, rigor=Rigor.COUNTEREXAMPLE,
            domain="S = H = 1, E = 1, n^ = 9, n~ = 10: Q^ - Q~ = 0.4 > 0.24",
            evidence="the term 2E N~/n~^2 is left out. The display also equates the right side with Q~ + psi~, whose "
            "first term is three times as large; psi~ itself suffices. (r~ <= n~ + 2E <= 2 n~ there is true.)",
            mutant="n^ = 1, n~ = 2, where the display holds"),
        decide(
            _left_root_larger, at=True, mutant_at=False, of="step: phi^ <= phi~ as printed",
            statement="sqrt((T/beta')/n^) <= sqrt(2 ln(T/beta')/max(n~ - E, 1))",
            verdict=Verdict.FAILS, rigor=Rigor.PROVED,
            domain="every T, beta at n~ - E = n^ (approached): x > 2 ln x for every x = T/beta' >= 8",
            evidence="x - 2 ln x is 3.84 at x = 8 and rises. The numerator under the left root lacks its 2 ln.",
            mutant="2 ln(T/beta') under both roots"),
    )


@claim("vietri2020/theorem-14")
def theorem_14() -> tuple[Record, ...]:
    """Optimism holds; the displayed comparison with Q^+ does not at every tuple."""
    return (
        decide(
            lambda count: literal_q(Fraction(1, 2), count, 1) < 1 and below_the_truth(count), at=Fraction(-1, 10),
            mutant_at=Fraction(1), of="printed",
            statement="Q~+ of equation 28 at every tuple, whatever n~: Q~+ >= Q^+",
            verdict=Verdict.FAILS, rigor=Rigor.COUNTEREXAMPLE,
            domain="n~ < 0 (equation 28 divides by n~ without cases; so does algorithm-3)",
            evidence="r~ = 1/2, n~ = -1/10: even with H added Q~+ = -4 < 1/2 <= Q^+.", mutant="n~ = 1"),
        decide(
            _unclipped_exceeds, at=1, mutant_at=0, of="reading: Q~+ with the cases of lemma-15",
            statement="Q~+ >= Q^+ at every tuple",
            verdict=Verdict.FAILS, rigor=Rigor.COUNTEREXAMPLE, domain="n^ = 1, n~ < 2E: Q~+ = H < Q^+ = 6.9 (lemma-15)",
            evidence="the non-private Q^+ is not clipped at H. Nothing that is used depends on it.", mutant="no visit"),
        decide(
            lambda case: distance_proved(case[0]) and psi_suffices(Fraction(1)) and one_step(case[1]), at=(0, 1),
            mutant_at=((1, 1), (0, 0)), several_mutants=True, of="corrected",
            statement="on the good event Q~+ >= min(H, Q^+) >= Q* at all tuples and all times, Q~+ = H where n~ < 2E",
            verdict=Verdict.HOLDS, rigor=Rigor.PROVED,
            domain="every S, A, H, T, E > 0, all histories in the good event",
            evidence="lemma-15 and lemma-17 at step h from V~ >= V* at step h + 1, and Q* <= H.",
            mutant="one E/n~ less in lemma-15; H phi^ in place of (H+1) phi^ in lemma-17"),
    )


# ---- lemma-16, lemma-17 ----------------------------------------------------------------------------------------------


def one_step(extra: int) -> bool:
    """z3: rewards within phi, P V* within H phi, V~ >= V*: r- + P^V~ + (H + extra) phi >= r + P V*."""
    h, phi, reward, moves, ahead = z3.Reals("h phi reward moves ahead")
    proof = Proof(h >= 1, phi > 0, reward > -phi, moves > -h * phi, ahead >= 0)
    return proof.shows(reward + moves + ahead + (h + extra) * phi >= 0)


def literal_next_below(count: Fraction) -> bool:
    """S = A = 1, H = 2, T = 2, beta = 0.1, one visit: Q^+ at step 1 is below 0 <= Q*, for either phi^.

    Step 2 is planned by algorithm-3 as printed: r~ = -1, n~ = ``count`` < 2E, so V~_2 = min(H, r~/n~ + H). The
    reward is at most 1, and (H + 1) phi^ at most 3 * 9, since T/beta' = 80 < 81.
    """
    ahead = min(Fraction(2), Fraction(-1) / count + 2)
    return 1 + ahead + 3 * 9 < 0


@claim("vietri2020/lemma-17")
def lemma_17() -> tuple[Record, ...]:
    """Holds from V~ >= V* one step later, which algorithm-3 as printed does not give."""
    return (
        decide(
            literal_next_below, at=Fraction(1, 100), mutant_at=Fraction(1),
            of="reading: V~ of algorithm-3 by its letter",
            statement="on the good event Q^+, with V~ from algorithm-3 as printed, is at least Q*",
            verdict=Verdict.FAILS, rigor=Rigor.COUNTEREXAMPLE,
            domain="S = A = 1, H = 2, T = 2, beta = 0.1, after one user; E = 13.2 at epsilon = 1",
            evidence="released at step 2: r~ = -1, n~ = 1/100. Then V~_2 = -98, and Q^+ at step 1 is at most 1 - 98 "
            "+ 27 = -70 < Q*. The proof cites lemma-16, which fails for the same reason.",
            mutant="n~ = 1"),
        decide(
            one_step, at=1, mutant_at=0, of="corrected",
            statement="on the good event Q^+ >= Q* where V~ >= V* one step later; PrivQ with Q~+ = H where n~ < 2E "
            "gives that",
            verdict=Verdict.HOLDS, rigor=Rigor.PROVED,
            domain="every tuple with n^ >= 1 (Q^+ is 0/0 elsewhere), phi^ as printed or as meant",
            evidence="linear in the deviations of r^/n^ (> -phi^) and of P^V* (> -H phi^), and P^ (V~ - V*) >= 0. With "
            "phi^ alone in the bonus, as the sketch says ('if we inflate by phi~'), it does not follow.",
            mutant="H phi^ in place of (H+1) phi^", sharpness=1.0),
    )


def _tilde_reward(noise: Fraction) -> bool:
    """r~/n~ - r + phi^ < 0 inside the good event: r = 1/2, n^ = 100, r^/n^ = 0.3, phi^ = 0.21, n~ = 100 + noise."""
    return Fraction(30) / (100 + noise) - Fraction(1, 2) + Fraction(21, 100) < 0


@claim("vietri2020/lemma-16")
def lemma_16() -> tuple[Record, ...]:
    """The induction holds for the algorithm with its two cases, not for algorithm-3 as printed."""
    return (
        decide(
            below_the_truth, at=Fraction(-1, 10), mutant_at=Fraction(1), of="printed",
            statement="the value function from algorithm-3, by its letter, is optimistic on the good event",
            verdict=Verdict.FAILS, rigor=Rigor.COUNTEREXAMPLE, domain="S = A = H = 1, after one user",
            evidence="V~ = Q~+ = -4 < V* = 1/2 at r~ = 1/2, n~ = -1/10 (algorithm-3).", mutant="n~ = 1"),
        decide(
            lambda case: distance_proved(case[0]) and psi_suffices(Fraction(1)) and one_step(case[1]), at=(0, 1),
            mutant_at=((1, 1), (0, 0)), several_mutants=True, of="corrected",
            statement="with Q~+ = H where n~ < 2E: V*_h <= V~_h <= H at all h on the good event",
            verdict=Verdict.HOLDS, rigor=Rigor.PROVED,
            domain="every S, A, H, T, E > 0, all histories in the good event",
            evidence="induction over h in the order of the module's docstring; the proof's step inserts lemma-15 at "
            "h, which needs V~_{h+1} >= 0, and leaves out the clipping at H, which is harmless as Q* <= H.",
            mutant="one E/n~ less in lemma-15; H phi^ in place of (H+1) phi^"),
        decide(
            _tilde_reward, at=Fraction(5), mutant_at=Fraction(0), of="step: the last displays",
            statement="r~/n~ - r + phi^ > 0 on the good event, and V~_h where V~_{h+1} is meant",
            verdict=Verdict.FAILS, rigor=Rigor.COUNTEREXAMPLE,
            domain="r = 1/2, n^ = 100, r^ = r~ = 30, phi^ = 0.21, n~ = 105, E > 5",
            evidence="30/105 - 0.29 < 0. The exact r^/n^ is meant, to which the line before had passed; in two "
            "displays V~_h stands where V~_{h+1} is meant.",
            mutant="the exact counts: 0.3 - 0.29 > 0"),
    )
