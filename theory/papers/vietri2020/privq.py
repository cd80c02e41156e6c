"""vietri2020/algorithm-3, PrivQ: as printed, and with the cases of lemma-15.

One step of the induction of theorem-14 is also tried here on extreme histories inside the good event, exhaustively.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import inf, sqrt

import mpmath as mp

from theory.claim import Record, Rigor, Severity, Verdict, Witness, claim, decide

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
    """S = A = H = 1, after one user with reward 1/2 = Q*: r~ = 30 and this n~ < 2E."""
    return literal_q(Fraction(30), count, 1) < Fraction(1, 2)


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
    return (
        decide(
            below_the_truth, at=Fraction(-10), mutant_at=(Fraction(10), Fraction(100)), several_mutants=True,
            of="printed", severity=Severity.WORDING,
            statement=r"As printed: $\tilde{Q} = (\tilde{r} + \sum \tilde{V} \tilde{m})/\tilde{n}$ is defined and "
            r"$\tilde{Q}^+ = \min(H, \tilde{Q} + \mathrm{conf})$ is optimistic at every released count.",
            verdict=Verdict.FAILS, rigor=Rigor.COUNTEREXAMPLE,
            witness=Witness({"S": 1, "A": 1, "H": 1, "T": 1000, "epsilon": 1, "beta": 0.1, "one user with reward": 0.5},
                            ("probability of Q+ < Q* at most", 0.1),
                            ("its probability in episode 2", float(literal_failure(3 * mp.log(1000, 2))))),
            domain=r"Every $T$ and $\varepsilon$ of interest, as long as $\tilde{n}$ may be below 0.",
            evidence=r"Before the first release $\tilde{n} = 0$, and every tuple reads 0/0. Later $\tilde{n}$ may be "
            r"negative: $\tilde{r} = 30$ and $\tilde{n} = -10$ give $\tilde{Q}^+ = -2$. A tuple of which nothing is "
            r"known then looks worthless. The display that ends the proof of lemma 15 has what is meant: "
            r"$\tilde{Q}^+ = H$ where $\tilde{n} < 2E$.",
            mutant=r"$\tilde{n} = 10$ or 100, where the same line is optimistic."),
        decide(
            lambda variant: worst_margin(variant)[0] >= 0, at=Variant(),
            mutant_at=(Variant(literal=True), Variant(psi=0.2), Variant(bonus=0.5)), several_mutants=True,
            of="corrected", verdict=Verdict.HOLDS, rigor=Rigor.EXACT,
            statement=r"With $\tilde{Q}^+ = H$ where $\tilde{n} < 2E$ every line can be executed, and a step of PrivQ "
            "is optimistic on the good event.", uses=("vietri2020/theorem-14: corrected",),
            domain=f"{cases} extreme histories, $S = 2$, $H = 2$; for all parameters it is theorem 14 corrected.",
            evidence="Rewards and moves at the edge of the good event, every noise at its extreme, next values $V^*$ "
            rf"or $H$: the least $\tilde{{Q}}^+ - Q^*$ is {margin:.4f}.",
            mutant=r"Algorithm 3 as printed; a fifth of $\tilde{\psi}$; half of $(H+1) \tilde{\varphi}$."),
    )
