"""liao2021/equation-5.1: the law of the privatised history.

Printed: the product over t of M_pi(x~_t | H~_{t-1}) f^M(y~_t | x_t), where H~ holds the privatised contexts x~ and
rewards y~. When contexts are not privatised (x~ = x) this is the chain rule. When they are, x_t stands on the right and
not on the left, so the product is no function of the history; and with x~_t in the place of x_t it is another law:
given x~_t the context x_t is random, and y~_t depends on it. What is true is the sum over x_t,

    P(H~_T) = prod_t sum_x pi(x | H~_{t-1}) M(x~_t | x) f^M(y~_t | x).

For lemma-5.4 it does no harm: the KL divergence of the histories is at most that of the histories with x_t in them.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from theory.claim import Record, Rigor, Verdict, claim, decide

History = tuple[tuple[int, int], ...]  # (x~, y~) per round
KEEP = Fraction(3, 4)  # randomised response at epsilon = ln 3


def policy(context: int, history: History) -> Fraction:
    """pi(x | H~): context 1 is likelier after rewards."""
    one = Fraction(1 + sum(seen for _, seen in history), 2 + len(history))
    return one if context == 1 else 1 - one


def channel(shown: int, context: int, private: bool) -> Fraction:
    """M(x~ | x): randomised response, or the identity."""
    keep = KEEP if private else Fraction(1)
    return keep if shown == context else 1 - keep


def reward(seen: int, context: int) -> Fraction:
    """f^M(y~ | x): a fair bit in context 0 and 3/4 in context 1, after its own randomised response."""
    mean = KEEP * (Fraction(1, 2), Fraction(3, 4))[context]
    mean += (1 - KEEP) * (1 - (Fraction(1, 2), Fraction(3, 4))[context])
    return mean if seen else 1 - mean


def law(rounds: int, private: bool) -> dict[History, Fraction]:
    """The law of (x~, y~) by adding up every way in which it can come about."""
    out: dict[History, Fraction] = {(): Fraction(1)}
    for _ in range(rounds):
        grown: dict[History, Fraction] = {}
        for (history, weight), x, shown, seen in product(out.items(), (0, 1), (0, 1), (0, 1)):
            part = weight * policy(x, history) * channel(shown, x, private) * reward(seen, x)
            grown[(*history, (shown, seen))] = grown.get((*history, (shown, seen)), Fraction(0)) + part
        out = grown
    return out


def printed_product(rounds: int, private: bool) -> dict[History, Fraction]:
    """prod M_pi(x~ | H~) f^M(y~ | x), with x~ in the place of x, M_pi(x~ | H~) = sum_x pi(x | H~) M(x~ | x)."""
    out: dict[History, Fraction] = {}
    for history in product(product((0, 1), (0, 1)), repeat=rounds):
        weight = Fraction(1)
        for t, (shown, seen) in enumerate(history):
            weight *= sum(policy(x, history[:t]) * channel(shown, x, private) for x in (0, 1)) * reward(seen, shown)
        out[history] = weight
    return out


def summed_product(rounds: int, private: bool, conditioned: bool = True) -> dict[History, Fraction]:
    """prod sum_x pi(x | H~) M(x~ | x) f^M(y~ | x); ``conditioned`` False: a policy that does not look at the
    history."""
    out: dict[History, Fraction] = {}
    for history in product(product((0, 1), (0, 1)), repeat=rounds):
        weight = Fraction(1)
        for t, (shown, seen) in enumerate(history):
            past = history[:t] if conditioned else ()
            weight *= sum((policy(x, past) * channel(shown, x, private) * reward(seen, x) for x in (0, 1)), Fraction(0))
        out[history] = weight
    return out


@claim("liao2021/equation-5.1")
def equation_5_1() -> tuple[Record, ...]:
    """The chain rule when contexts are shown; a sum is missing when they are privatised."""
    return (
        decide(
            lambda private: all(law(n, private) == printed_product(n, private) for n in (1, 2, 3)), at=False,
            mutant_at=True, of="reading: contexts are not privatised",
            statement="P(H_T) = prod pi(x_t | H_{t-1}) f^M(y~_t | x_t)",
            verdict=Verdict.HOLDS, rigor=Rigor.EXACT,
            domain="the chain rule; up to three rounds with a policy that follows the history, in rational numbers",
            evidence="pi may depend on everything before, and the reward on its context alone, as the text says.",
            mutant="privatised contexts"),
        decide(
            lambda private: law(1, private) != printed_product(1, private), at=True, mutant_at=False,
            of="reading: contexts are privatised, as the equation prints them",
            statement="P(H~_T) = prod M_pi(x~_t | H~_{t-1}) f^M(y~_t | x_t), as a function of H~_T = (x~_t, y~_t)_t",
            verdict=Verdict.FAILS, rigor=Rigor.COUNTEREXAMPLE,
            domain="one round, two contexts, randomised response at epsilon = ln 3",
            evidence="x_t is no part of the history. With x~_t in its place: P(x~ = 1, y~ = 1) is "
            f"{law(1, True)[((1, 1),)]}, and the product {printed_product(1, True)[((1, 1),)]}.",
            mutant="contexts that are shown as they are"),
        decide(
            lambda conditioned: all(law(n, True) == summed_product(n, True, conditioned) for n in (1, 2, 3)), at=True,
            mutant_at=False, of="corrected",
            statement="P(H~_T) = prod_t sum_x pi(x | H~_{t-1}) M(x~_t | x) f^M(y~_t | x)",
            verdict=Verdict.HOLDS, rigor=Rigor.EXACT,
            domain="up to three rounds, in rational numbers; for T rounds by induction, as round t looks at H~_{t-1} "
            "only",
            evidence="lemma-5.4 needs an upper bound of the KL divergence only, and with x_t added to the history "
            "that is the chain rule (data processing).",
            mutant="a policy that ignores the history"),
    )
