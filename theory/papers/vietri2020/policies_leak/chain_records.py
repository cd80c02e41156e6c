"""The records of vietri2020/theorem-1 for two steps and more, ties broken in any way."""

from typing import NamedTuple

from theory.claim import Basis, Records, Rigor, Trial, Witness
from theory.formulas import downwards
from theory.papers.vietri2020.policies_leak import chain_planner
from theory.papers.vietri2020.policies_leak.chain import (
    NATURAL,
    TWO,
    Chain,
    ChainAdversary,
    PrintedNoise,
    sizes,
)
from theory.papers.vietri2020.policies_leak.chain_masses import (
    FAR,
    exceeds,
    largest_share,
    masses,
    shortest,
)

CLEAR = 1e11  # an epsilon at which E is small enough for the planner's doubles to see each unit


class Case(NamedTuple):
    """An adversary, and the epsilon that its event exceeds."""

    adversary: ChainAdversary
    epsilon: float
    private: PrintedNoise


def tells_more(case: Case) -> bool:
    """Whether the event tells more than epsilon by balls, all conditions met; the planner decides
    so; the least noise is found again on a grid; no tried noise is cheaper; and A_h has to be seen
    at N, as x_h would win at half the price otherwise."""
    if not exceeds(*case):
        return False
    chain = Chain(case.adversary, sizes(case.adversary, max(case.epsilon, CLEAR), case.private))
    look = float(chain.look.mid())
    return (
        chain_planner.planned(chain)
        and look <= chain_planner.least_by_grid(chain) <= look + 0.2
        and chain_planner.none_is_cheaper(chain, missing=0.1, drawn=300)
        and not chain_planner.none_is_cheaper(chain, missing=0.0, drawn=1)
        and chain_planner.half_price(chain, 1, pinned=False)
        and not chain_planner.half_price(chain, 1, pinned=True)
    )


def mutants(case: Case) -> list[Case]:
    """Fewer levels, a third of epsilon, x'_h seen too often, settled values that are cheap."""
    adversary = case.adversary
    return [
        case._replace(adversary=adversary._replace(last=adversary.last - 3)),
        case._replace(epsilon=case.epsilon / 3),
        case._replace(adversary=adversary._replace(rare=tuple(10 * n for n in adversary.rare))),
        case._replace(adversary=adversary._replace(settled=adversary.settled // 20)),
    ]


MUTANT = (
    r"Three levels fewer; a third of $\varepsilon$; more visits of an action that is looked at, "
    r"or fewer of its rival."
)


def case_of(horizon: int, epsilon: float, private: PrintedNoise) -> Case:
    """The smallest T found at this epsilon."""
    adversary = shortest(horizon, epsilon, private)
    if adversary is None:
        raise ValueError(f"epsilon must be larger, got epsilon={epsilon}, horizon={horizon}")
    return Case(adversary, epsilon, private)


def witness_of(case: Case) -> Witness:
    """The instance, with its loss."""
    adversary = case.adversary
    return Witness(
        {
            "T": f"2^{adversary.last} + {2 * adversary.horizon}", "S": 4, "A": 2,
            "H": adversary.horizon, "beta": case.private.beta, "epsilon": case.epsilon,
            "ties": "any",
        },
        ("loss at most", case.epsilon),
        ("loss of the event at least", downwards(float(masses(*case).loss), 6)),
    )  # fmt: skip


def with_more_steps() -> Records:
    """At one epsilon, with natural logarithms and to base 2."""
    three, two = case_of(3, 1e9, NATURAL), case_of(2, 1e9, NATURAL)
    base_two = case_of(5, 1e12, TWO)
    far, levels, _ = FAR
    share_two, share = largest_share()
    yield Trial(
        lambda cases: all(tells_more(case) for case in cases),
        at=[two, three],
        mutant_at=[[case] for case in (*mutants(two), *mutants(three))],
        mutant=MUTANT,
    ).fails(
        "reading: ties broken in any way, natural logarithm, two and three steps",
        Rigor.DERIVED,
        statement=r"PUCB is $\varepsilon$-JDP, ties broken in any way.",
        domain=rf"This instance, and $H = {three.adversary.horizon}$, "
        rf"$T = 2^{{{three.adversary.last}}} + {2 * three.adversary.horizon}$ with the other "
        "numbers.",
        evidence="As in the records above.",
        witness=witness_of(two),
        basis=Basis(proof="What actions tell with more steps"),
    )
    yield Trial(
        tells_more,
        at=base_two,
        mutant_at=mutants(base_two),
        mutant="As in the record above.",
    ).fails(
        "reading: ties broken in any way, logarithm to base 2",
        Rigor.DERIVED,
        statement=r"PUCB is $\varepsilon$-JDP with node noise $\mathrm{Lap}((3H/\varepsilon) "
        r"\log_2 T)$.",
        domain="This instance. For $H = 1$ it is open.",
        evidence=rf"As in the records above. With the same $S$, $A$ and $\beta$ at $H = {far}$, "
        rf"$T = 2^{{{levels}}} + {2 * far}$ the loss tends to at least "
        rf"{downwards(share_two, 4):g} times $\varepsilon$ as $\varepsilon \to \infty$, and with "
        rf"natural logarithms to at least {downwards(share, 4):g} times.",
        witness=witness_of(base_two),
        basis=Basis(proof="What actions tell with more steps"),
    )
