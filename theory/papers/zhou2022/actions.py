"""zhou2022/theorem-6.4 on the actions: what another user is given shows more than is claimed at
large epsilon."""

import math
from typing import NamedTuple

from flint import arb

from theory.claim import Basis, Record, Rigor, Severity, Trial, Witness
from theory.lemmas.gaussian_mechanism import BITS, upper_normal
from theory.rigor.balls import precision


class Claimed(NamedTuple):
    """The printed noise for (epsilon, delta), held against (factor * epsilon, factor * delta)."""

    epsilon: float
    delta: float
    factor: float = 1.0
    horizon: int = 1  #: 1 needs users who begin in different states, 2 does not


def needed(at: Claimed) -> arb:
    """ln((1/2 - f - factor delta)/(Phi(-1/sigma) + f)): no smaller epsilon is private with that
    delta (a ball)."""
    with precision(BITS):
        # 1/sigma
        far = arb(at.epsilon) / (at.horizon * (32 * (4 * at.horizon / arb(at.delta)).log()).sqrt())
        lost = upper_normal(arb(99) / 100 * far + 2 * (4 + (8 * arb(16 * at.horizon).log()).sqrt()))
        return (
            (arb(1) / 2 - lost - arb(at.factor) * arb(at.delta)) / (upper_normal(far) + lost)
        ).log()


def shown(at: Claimed) -> bool:
    """Whether the second user's action alone exceeds the claim (balls)."""
    return bool(needed(at) > arb(at.factor) * arb(at.epsilon))


def shown_from(delta: float, horizon: int = 1) -> float:
    """The epsilon from which on the action exceeds (epsilon, delta): bisection above the least of
    needed - epsilon."""
    level = horizon**2 * math.log(4 * horizon / delta)
    low, high = 32 * level, 256 * level
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (
            (low, middle) if shown(Claimed(middle, delta, horizon=horizon)) else (middle, high)
        )
    return high


FROM = {1: 66, 2: 262}  # by H: epsilon from this times C ln(4H/delta) on, delta < 1/(4C)


def edges(starts: dict[int, int] = FROM) -> list[Claimed]:
    """The ends of that range for three constants, each at two delta."""
    return [
        Claimed(start * factor * math.log(4 * horizon / delta), delta, factor, horizon)
        for horizon, start in starts.items()
        for factor in (1.0, 10.0, 1000.0)
        for delta in (0.2499 / factor, 1e-9)
    ]


def record() -> Record:
    """theorem-6.4 as printed: the actions, a hidden constant, every epsilon > 0."""
    mild, delta = Claimed(2000.0, 1e-2, horizon=2), 1e-6
    from_on = {horizon: math.ceil(shown_from(delta, horizon)) for horizon in (1, 2)}
    return Trial(
        lambda instances: all(shown(instance) for instance in instances),
        at=[
            mild,
            Claimed(4100.0, delta, 1.0, 2),
            Claimed(42000.0, delta, 10.0, 2),
            Claimed(1000.0, delta),
            *edges(),
        ],
        mutant_at=[
            [Claimed(1700.0, 1e-2, 1.0, 2)],
            [Claimed(4060.0, delta, 1.0, 2)],
            [Claimed(42000.0, delta, 10.5, 2)],
            [Claimed(40000.0, delta, 10.0, 2)],
            [Claimed(965.0, delta)],
            edges({1: 64}),
            edges({2: 256}),
        ],
        mutant=r"at each instance a smaller $\varepsilon$ or a larger $C$",
    ).fails(
        "printed",
        Rigor.COUNTEREXAMPLE,
        statement=r"There is a constant $C$ such that for any $\varepsilon>0$ and "
        r"$\delta\in(0,1]$, with the noise of the theorem's proof, what Private-LinOpt-VI and "
        r"Private-LinOpt-PO give to the other users is $(C\varepsilon,C\delta)$-DP when one user "
        r"is replaced.",
        domain=rf"Value iteration, $\delta<1/(4C)$ and $\varepsilon\ge {FROM[2]}\,C\ln(8/\delta)$ "
        rf"with one first state ($H=2$), ${FROM[1]}\,C\ln(4/\delta)$ with two ($H=1$)",
        evidence=r"The statement names no noise; that of the proof is meant. The second user is "
        r"given the action of $-c$ where the noisy sum of rewards is negative. Assumption 1 forces "
        r"$\theta_r=0$ here, so in the model the reward 1 has probability 0: definition 2.2 speaks "
        r"of arbitrary users, trees of answers, and so admits it.",
        severity=Severity.DOMAIN,
        witness=Witness(
            {
                "C": 1,
                "epsilon": int(mild.epsilon),
                "delta": mild.delta,
                "K": 2,
                "H": 2,
                "d2": 1,
                "alpha": "any",
                "theta_r": 0,
                "first states": "the same for both users",
                "second states": "A for the first user and B for the second, whatever they do",
                "reward features": "1 for both actions at A, c and -c at B with beta_r c <= 1/10",
                "rewards": "1 for the first user at A, 0 for her neighbour and everywhere else",
            },
            ("as claimed the action of the second user is private at epsilon =", int(mild.epsilon)),
            ("it needs at least epsilon =", float(needed(mild).mid())),
            f"at delta = {delta:g} from epsilon = {from_on[2]} on, with two first states (H = 1) "
            f"from {from_on[1]} on",
        ),
        basis=Basis(proof="Theorem 6.4, the actions"),
    )
