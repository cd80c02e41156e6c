"""zhou2022/theorem-6.4 on the actions: what another user is given already shows more than is claimed at large epsilon.

Definition 2.2 is about the actions given to the other users. Take Private-LinOpt-VI with K = 2 users and H = d_2 = 1.
The reward feature of the first user's state is 1 for both actions; that of the second user's state is c for action 1
and -c for action 2 (first states are fixed in advance, theta_r = 0). A user is the tree of her answers (section 2.2):
one first user answers 1, the other 0. The plan of the second episode reads

    Lambda = 1 + N + 2 Sigma,   u = r + z,   N, z ~ N(0, sigma^2),   sigma = sqrt(32 ln(4/delta))/epsilon

(ceil(log2 K) = ceil(ln K) = 1), and theta-hat = u/Lambda. The value of the next step is zero, so Q = c theta-hat + b
for action 1 and -c theta-hat + b for action 2, both with the bonus b = beta_r c/sqrt(Lambda), cut to [0, 1]. With
beta_r c <= 1/10 and Lambda > 1/100 one has 0 < b < 1: no cut makes a tie, and action 2 is taken exactly if u < 0. So

    P(action 2 | r = 0) >= 1/2 - f,   P(action 2 | r = 1) <= Phi(-1/sigma) + f,   f = P(Lambda <= 1/100),
    f <= Phi(-(0.99/sigma + 2 (4 + sqrt(8 ln 16)))),

as Sigma >= sigma (4 + sqrt(8 ln(8KH/alpha))) with alpha <= 1. The printed noise is then not (epsilon, delta)-JDP where
1/2 - f - delta > e^epsilon (Phi(-1/sigma) + f). The logarithm of the right side is about epsilon - epsilon^2/(64
ln(4/delta)): every constant in O(epsilon, delta) is passed by some epsilon.

Policy optimisation does not show it at K = 2: its second policy is the first one times exp(eta Q^1), and no user is in
Q^1.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from flint import arb

from theory.claim import Record, Rigor, Verdict, decide
from theory.lemmas.gaussian_mechanism import BITS
from theory.rigor.balls import precision


class Claimed(NamedTuple):
    """The printed noise for (epsilon, delta), held against (factor * epsilon, factor * delta)."""

    epsilon: float
    delta: float
    factor: float = 1.0


def _below(x: arb) -> arb:
    """Phi(-x) for a ball."""
    return (x / arb(2).sqrt()).erfc() / 2


def needed(at: Claimed) -> arb:
    """ln((1/2 - f - factor delta)/(Phi(-1/sigma) + f)): no smaller epsilon is private with that delta (a ball)."""
    with precision(BITS):
        far = arb(at.epsilon) / (32 * (4 / arb(at.delta)).log()).sqrt()  # 1/sigma
        lost = _below(arb(99) / 100 * far + 2 * (4 + (8 * arb(16).log()).sqrt()))
        return ((arb(1) / 2 - lost - arb(at.factor) * arb(at.delta)) / (_below(far) + lost)).log()


def shown(at: Claimed) -> bool:
    """Whether the second user's action alone exceeds the claim (balls)."""
    return bool(needed(at) > arb(at.factor) * arb(at.epsilon))


def shown_from(delta: float) -> float:
    """The epsilon from which on the action exceeds (epsilon, delta): bisection above the least of needed - epsilon."""
    low, high = 32 * math.log(4 / delta), 256 * math.log(4 / delta)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if shown(Claimed(middle, delta)) else (middle, high)
    return high


def records() -> tuple[Record, ...]:
    """Two readings of theorem-6.4, about the actions themselves."""
    small = float(needed(Claimed(250.0, 0.1)).mid())
    large = float(needed(Claimed(1000.0, 1e-6)).mid())
    return (
        decide(
            shown, at=Claimed(250.0, 0.1), mutant_at=[Claimed(230.0, 0.1), Claimed(965.0, 1e-6), Claimed(250.0, 1e-6)],
            several_mutants=True, of="reading: the actions themselves, O is the constant 1, every epsilon > 0",
            statement="with the printed noise the actions that Private-LinOpt-VI gives to the other users are "
            "(epsilon, delta)-DP for every epsilon > 0, one user replaced",
            verdict=Verdict.FAILS, rigor=Rigor.COUNTEREXAMPLE,
            domain="large epsilon only; K = 2, H = d_2 = 1: from epsilon = "
            + ", ".join(f"{shown_from(delta):.0f} at delta = {delta:g}" for delta in (0.1, 1e-2, 1e-6)),
            evidence="The first user's feature is 1, the second chooses between features c and -c with one bonus and "
            "takes -c where the noisy sum of rewards is negative: probability 1/2 if the first one answered 0, "
            f"Phi(-1/sigma) if he answered 1. At the claim (250, 0.1) this needs epsilon = {small:.0f}, at (1000, "
            f"1e-6) {large:.0f}. Below these epsilon the instance shows nothing, although the counters already fail. "
            "theta_r = 0: the answer 1 is one that a user's tree may hold, of probability zero in the MDP.",
            mutant="epsilon = 230 at delta = 0.1; epsilon = 965 and 250 at delta = 1e-6"),
        decide(
            shown, at=Claimed(10000.0, 1e-6, 10.0),
            mutant_at=[Claimed(10000.0, 1e-6, 10.5), Claimed(9000.0, 1e-6, 10.0)], several_mutants=True,
            of="reading: the actions themselves, some constant C, every epsilon > 0",
            statement="for some C the actions that Private-LinOpt-VI gives to the other users are (C epsilon, C "
            "delta)-DP for every epsilon > 0",
            verdict=Verdict.FAILS, rigor=Rigor.COUNTEREXAMPLE,
            domain="every C: at delta < 1/(4C) and epsilon above about 64 C ln(4/delta)",
            evidence="The same two users: what the action needs grows like epsilon^2/(64 ln(4/delta)). Shown at C = "
            "10, delta = 1e-6, epsilon = 10000.",
            mutant="C = 10.5 at the same epsilon; epsilon = 9000"),
    )
