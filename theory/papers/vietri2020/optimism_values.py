"""vietri2020, Appendix B.4, lemma-16: optimism of the values, and its last displays."""

from fractions import Fraction
from math import sqrt
from typing import NamedTuple

from privrl.checks import require
from theory.claim import Basis, Records, Rigor, Severity, Trial, Witness, claim
from theory.papers.vietri2020.bounds.stated import printed_width
from theory.papers.vietri2020.optimism import (
    AGENT,
    ALGORITHM_3_REFUTED,
    literal_q,
    step_corrected,
)


class Counted(NamedTuple):
    """A tuple's counts before some episode of T = 1000: exact visits and rewards, and released."""

    visits: int
    rewards: int
    released_visits: int
    released_rewards: int


PLAN = (1, 1, 1, 1000, 100.0, 0.1)  # S, A, H, T, epsilon, beta of these counts
MEAN = 0.5  # r


def tilde_reward(counted: Counted) -> float:
    """r~/n~ - r + phi^ for counts of the good event at which the tuple is known, n~ >= 2E."""
    width = printed_width(*PLAN)
    phi = sqrt(AGENT.logarithm(PLAN[3]) / counted.visits)
    errors = (
        counted.released_visits - counted.visits,
        counted.released_rewards - counted.rewards,
    )
    require(max(map(abs, errors)) < width, "releases must err by less than E", errors=errors)
    require(counted.released_visits >= 2 * width, "n~ must be >= 2E", counted=counted)
    deviation = abs(counted.rewards / counted.visits - MEAN)
    require(deviation < phi, "the mean must deviate by less than phi^", deviation=deviation)
    return counted.released_rewards / counted.released_visits - MEAN + phi


@claim("vietri2020/lemma-16")
def lemma_16() -> Records:
    """The induction holds for the algorithm with its two cases, not for algorithm-3 as printed."""
    yield Trial(
        lambda count: literal_q(count) < Fraction(1, 2),
        at=Fraction(-10),
        mutant_at=Fraction(10),
        mutant=r"$\tilde{n} = 10$; in the theorem every count with $\tilde{n} \ge 2E$.",
    ).fails(
        "printed",
        Rigor.KERNEL,
        statement="On the good event the value function of algorithm 3 as printed is optimistic.",
        domain=r"Some counts with $\tilde{n} < 2E$; in the theorem $T = 2$, $E = 31$.",
        evidence=r"The case $\tilde{Q}^+ = H$ of lemma 15's proof is missing.",
        severity=Severity.WORDING,
        witness=Witness(
            {"S": 1, "A": 1, "H": 1, "T": 1000, "epsilon": 1, "r~": 30, "n~": -10},
            ("V~ >= V* =", 0.5),
            ("V~ =", float(literal_q(Fraction(-10)))),
        ),
        basis=Basis(formal=ALGORITHM_3_REFUTED),
    )
    yield step_corrected(
        "lemma_16",
        "V_tilde",
        uses=("vietri2020/theorem-14: corrected",),
        statement=r"With $\tilde{Q}^+ = H$ where $\tilde{n} < 2E$: $V^*_h \le \tilde{V}_h \le H$ "
        r"at all $h$ on "
        "the good event.",
        evidence="Induction from the last step.",
    )
    known = Counted(visits=100, rewards=10, released_visits=117, released_rewards=-7)
    yield Trial(
        lambda counted: tilde_reward(counted) < 0,
        at=known,
        mutant_at=known._replace(released_visits=100, released_rewards=10),
        mutant="The exact counts.",
    ).fails(
        "step: the last displays",
        Rigor.COUNTEREXAMPLE,
        statement=r"$\tilde{r}/\tilde{n} - r + \hat{\varphi} > 0$ on the good event, with these "
        "accents, as in the text that was read.",
        domain=r"A known tuple, $\tilde{n} \ge 2E$; $\hat{\varphi}$ as meant.",
        evidence=r"It is true of the exact $\hat{r}/\hat{n}$, which the paper may have meant.",
        witness=Witness(
            {
                **dict(zip(("S", "A", "H", "T", "epsilon", "beta"), PLAN, strict=True)),
                "E (natural logarithms)": printed_width(*PLAN),
                "r": MEAN,
                "n^": known.visits,
                "r^": known.rewards,
                "r~": known.released_rewards,
                "n~": known.released_visits,
            },
            ("above", 0.0),
            ("left side", tilde_reward(known)),
        ),
    )
