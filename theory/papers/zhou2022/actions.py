"""zhou2022/theorem-6.4 on the actions: what another user is given shows more than is claimed at large epsilon."""

import math
from typing import NamedTuple

from flint import arb

from theory.claim import Record, Rigor, Severity, Verdict, Witness, decide
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


def record() -> Record:
    """theorem-6.4 as printed: the actions, a hidden constant, every epsilon > 0."""
    mild, delta = Claimed(1000.0, 1e-6), 1e-6
    from_on = ", ".join(f"{shown_from(one):.0f} at delta = {one:g}" for one in (0.1, 1e-2, delta))
    return decide(
        lambda instances: all(shown(one) for one in instances), at=[mild, Claimed(10000.0, delta, 10.0)],
        mutant_at=[[Claimed(965.0, delta)], [Claimed(250.0, delta)], [Claimed(10000.0, delta, 10.5)],
                   [Claimed(9000.0, delta, 10.0)]],
        several_mutants=True, of="printed",
        statement=r"There is a constant $C$ such that for any $\varepsilon>0$ and $\delta\in(0,1]$, with the printed "
        r"noise, what Private-LinOpt-VI and Private-LinOpt-PO give to the other users is $(C\varepsilon,C\delta)$-DP "
        r"when one user is replaced.",
        verdict=Verdict.FAILS, rigor=Rigor.COUNTEREXAMPLE, severity=Severity.DOMAIN,
        domain=r"Value iteration, $\varepsilon$ above about $64\,C\ln(4/\delta)$ and $\delta<1/(4C)$; shown for $C=1$ "
        r"at $\varepsilon=1000$ and for $C=10$ at $\varepsilon=10000$, $\delta=10^{-6}$",
        evidence=r"A hidden constant cannot cover every $\varepsilon$: the conversion of the proof gives one counter "
        r"$\varepsilon/4+\varepsilon^2/(64\ln(4/\delta))$, quadratic in $\varepsilon$, and two users show the growth. "
        r"The feature of the first one is 1; the second chooses between the features $c$ and $-c$ and takes $-c$ "
        r"where the noisy sum of rewards is negative. Within the range of the corrected records, which has all usual "
        r"$\varepsilon$, the constant 1 suffices.",
        mutant=r"$C=1$ at $\varepsilon=965$ and 250; $C=10.5$ at the same $\varepsilon$; $C=10$ at $\varepsilon=9000$",
        witness=Witness({"C": 1, "epsilon": int(mild.epsilon), "delta": delta, "K": 2, "H": 1, "d2": 1,
                         "answers of the first user": "1 or 0"},
                        ("as claimed the action of the second user is private at epsilon", int(mild.epsilon)),
                        ("it needs epsilon", float(needed(mild).mid())),
                        f"from epsilon = {from_on} on for C = 1; no instance is known at smaller epsilon"))
