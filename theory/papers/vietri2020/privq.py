"""vietri2020/algorithm-3, PrivQ: as printed, and with the cases of lemma-15.

One step of the induction of theorem-14 is also tried here on extreme histories inside the good event, exhaustively.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import inf, sqrt

import mpmath as mp

from theory.claim import Record, Rigor, Verdict, claim, decide

# ---- one step of the induction, exhaustively on extreme counts -------------------------------------------------------


@dataclass(frozen=True)
class Variant:
    """PrivQ and its broken twins.

    Parameters
    ----------
    psi : factor on psi~
    bonus : factor on (H+1) phi~
    literal : divide by n~ also where n~ < 2E, as algorithm-3 is printed
    """

    psi: float = 1.0
    bonus: float = 1.0
    literal: bool = False


def worst_margin(variant: Variant, horizon: int = 2, width: float = 0.75, logarithm: float = 0.01) -> tuple[float, int]:
    """The least Q~+ - Q* over extreme histories inside the good event, S = 2, and their number.

    Mean reward, next-state law and V* on a grid; estimates within phi^ and H phi^ (the least is attained at the ends);
    every noise at +-E (1 - 1e-9); every next value V* or H.
    """
    worst, cases = inf, 0
    top, edge = float(horizon), 1 - 1e-9
    for visits, p, mean in product((1, 2, 5, 40, 4000), (0.0, 0.3, 1.0), (0.0, 0.5, 1.0)):
        phi = sqrt(logarithm / visits)
        reward = max(0.0, mean - edge * phi) * visits
        for star in product((0.0, top - 1), repeat=2):
            exact = mean + p * star[0] + (1 - p) * star[1]
            apart = int(edge * horizon * phi * visits)
            for moved in sorted({0, visits, *(round(p * visits) + sign * apart for sign in (-1, 0, 1))}):
                if not 0 <= moved <= visits:
                    continue
                if abs((moved / visits - p) * (star[0] - star[1])) >= horizon * phi:
                    continue
                for values in product(*({value, top} for value in star)):
                    for signs in product((-edge, edge), repeat=4):
                        count = visits + signs[0] * width
                        total = reward + signs[1] * width
                        total += values[0] * (moved + signs[2] * width)
                        total += values[1] * (visits - moved + signs[3] * width)
                        worst = min(worst, _q_plus(total, count, top, width, logarithm, variant) - exact)
                        cases += 1
    return worst, cases


def _q_plus(total: float, count: float, top: float, width: float, logarithm: float, variant: Variant) -> float:
    if count < 2 * width:
        return min(top, total / count + top) if variant.literal else top
    phi = sqrt(logarithm / max(count - width, 1.0))
    psi = (1 + 2 * top) * (3 * width / count + 2 * (width / count) ** 2)
    return min(top, total / count + variant.bonus * (top + 1) * phi + variant.psi * psi)


# ---- algorithm-3 -----------------------------------------------------------------------------------------------------


def literal_q(released: Fraction, count: Fraction, horizon: int) -> Fraction:
    """Q~+ at the last step by algorithm-3 as printed where n~ < 2E: min(H, r~/n~ + H)."""
    return min(Fraction(horizon), released / count + horizon)


def below_the_truth(count: Fraction) -> bool:
    """S = A = H = 1, after one user with reward 1/2 = Q*: r~ = 1/2 (no noise on it) and this n~ < 2E."""
    return literal_q(Fraction(1, 2), count, 1) < Fraction(1, 2)


def literal_failure(scale: mp.mpf) -> mp.mpf:
    """P(Q~+ < Q*) at the second episode, S = A = H = 1, reward 1/2: P((1/2 + bY)/(1 + bX) < -1/2), X, Y Laplace."""
    b = mp.mpf(scale)

    def upper(y: mp.mpf) -> mp.mpf:  # P(Y > y)
        return mp.exp(-y) / 2 if y >= 0 else 1 - mp.exp(y) / 2

    def positive(x: mp.mpf) -> mp.mpf:  # n~ > 0: Y < -(n~ + 1)/(2b)
        return mp.exp(-abs(x)) / 2 * upper((2 + b * x) / (2 * b))

    def negative(x: mp.mpf) -> mp.mpf:  # n~ < 0: Y > (|n~| - 1)/(2b)
        return mp.exp(-abs(x)) / 2 * upper((-2 - b * x) / (2 * b))

    zero = -1 / b
    return mp.quad(positive, [zero, 0, 5, 40, 200]) + mp.quad(negative, [-200, -40, zero - 5, -2 / b, zero])


@claim("vietri2020/algorithm-3")
def algorithm_3() -> tuple[Record, ...]:
    """Division by a count that may be zero or negative; Q+ = H there repairs it."""
    margin, cases = worst_margin(Variant())
    chance = float(literal_failure(3 * mp.log(2)))
    return (
        decide(
            below_the_truth, at=Fraction(-1, 10), mutant_at=(Fraction(1), Fraction(1, 10)), several_mutants=True,
            of="printed",
            statement="Q~ = (r~ + sum V~ m~)/n~ is defined, and Q~+ = min(H, Q~ + conf) optimistic, at every count",
            verdict=Verdict.FAILS, rigor=Rigor.COUNTEREXAMPLE, domain="S = A = H = 1, T = 2, every epsilon",
            evidence="before the first release n~ = 0: 0/0 in every tuple. Later n~ may be below 0: one user with "
            "reward 1/2, r~ = 1/2, n~ = -1/10: Q~ = -5 and Q~+ = -4 < Q* = 1/2, inside the good event if E > 1.1. At "
            f"T = 2, epsilon = 1 this happens with probability {chance:.3f}; as epsilon falls it tends to 1/3. Such a "
            "tuple looks worthless although nothing is known of it.",
            mutant="n~ = 1 or n~ = 1/10, where the same line is optimistic"),
        decide(
            lambda variant: worst_margin(variant)[0] >= 0, at=Variant(),
            mutant_at=(Variant(literal=True), Variant(psi=0.2), Variant(bonus=0.5)), several_mutants=True,
            of="corrected",
            statement="with Q~+ = H where n~ < 2E (lemma-15's display) every line can be executed, and one step of "
            "PrivQ is optimistic on the good event",
            verdict=Verdict.HOLDS, rigor=Rigor.EXACT,
            domain=f"{cases} extreme histories, S = 2, H = 2; for all parameters by theorem-14",
            evidence="counts 1 to 4000, rewards and moves at the edge of F^R and F^V, every noise at +-E, next "
            f"values V* or H: the least Q~+ - Q* is {margin:.4f}.",
            mutant="algorithm-3 as printed; 0.2 psi~; half of (H+1) phi~"),
    )
