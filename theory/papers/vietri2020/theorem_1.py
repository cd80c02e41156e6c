"""vietri2020/theorem-1: what PUCB's outputs tell of a user under the printed noise, from below and
from above.

From below :mod:`policies_leak.short` (T = 3, a fixed order among ties), :mod:`policies_leak.long`
and :mod:`policies_leak.chain` (large T, ties in any way); from above the released counters that
a plan reads, all but the moves of the last step: 6H - 2 of 6H (:mod:`privacy`). Probabilities of
these events are far below any delta in use, so pure epsilon-JDP is what they refute.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from math import log, log2

import numpy as np

from privrl.agents.tabular.learner import aligned, released_sums
from privrl.agents.tabular.pucb import Confidence, PUCBWidths, plan
from privrl.agents.tabular.records import TabularPlan
from privrl.environments import random_mdp
from theory.claim import Basis, Records, Rigor, Severity, Trial, Verdict, Witness, claim
from theory.formulas import downwards, upwards
from theory.lemmas.tree import lengths_differ, levels, shift_costs
from theory.papers.vietri2020.policies_leak import finite, half_space, long, short
from theory.papers.vietri2020.policies_leak.chain_masses import largest_share
from theory.papers.vietri2020.policies_leak.chain_records import with_more_steps
from theory.papers.vietri2020.privacy import (
    LAST,
    SIZES,
    as_the_agent_does,
    base_two,
    corrected,
    counted,
    exceeded,
    largest_changes,
    loss,
    losses_by_exhaustion,
    natural,
    over,
)
from theory.rigor.kernel import Formal


@cache
def moves_are_read(step: int) -> bool:
    """Whether q changes when the next-state counts of ``step`` (0 or 1, H = 2) do, in drawn
    releases, all pairs known."""
    mdp, rng = random_mdp(2, 2, 2, 0), np.random.default_rng(2)
    changed = False
    for _ in range(50):
        released = np.concatenate([rng.uniform(900, 1000, 8), rng.uniform(0, 300, 8 + 16)])
        values = []
        for shift in (0.0, 50.0):
            every = aligned(released.size)
            every[:] = released
            arrays = released_sums(every, mdp)
            arrays.successors[step] += shift
            out = TabularPlan(np.zeros((2, 4)), np.zeros((3, 2)), np.zeros((2, 2), dtype=np.int64))
            plan(arrays, PUCBWidths(1.0, 2.0), Confidence(aligned(8), aligned(8)), out)
            values.append(out.q.copy())
        changed |= bool((values[0] != values[1]).any())
    return changed


def read_at_most(missing: int) -> bool:
    """Whether a user moves all that plans read by 6H - ``missing`` at most, and some user by that
    much, S >= 2."""
    return (
        moves_are_read(0)
        and not moves_are_read(1)
        and all(largest_changes(*size)[4] == 6 * size[2] - missing for size in SIZES if size[0] > 1)
    )


def from_above(most: tuple[float, float]) -> bool:
    """Whether ``most`` times (6H - 2)/(6H) covers the loss of all that plans read: base 2 and
    natural; T to 4096."""
    return all(
        loss(T, Fraction(6 * H - 2, H), scale(T)) <= bound * (6 * H - 2) / (6 * H)
        for T in range(2, LAST + 1)
        for H in (1, 2, 3, 10)
        for bound, scale in zip(most, (base_two, natural), strict=True)
    )


def tells(case: tuple[int, float, bool]) -> bool:
    """Whether the event of T = 3 leaks more than epsilon at (epsilon, beta, natural logarithm),
    the sizes being those of the agent, by quadrature; and whether the planner decides as claimed
    at drawn noise, with the same masses."""
    epsilon, beta, base = case
    setting = short.PrivateLearning(float(epsilon), beta, natural=base)
    if not (short.sizes_of_the_agent() and short.exceeds_closely(setting)):
        return False
    for counts in (0, 1):
        drawn, mass = short.decisions(setting, counts), float(short.integrated(setting, counts))
        if not drawn.agreed or abs(drawn.estimate - mass) > 5 * drawn.error:
            return False
    return True


def actions_tell() -> Records:
    """The theorem with natural logarithms: T = 3 with a fixed order among ties, large T with any;
    other readings."""
    beta = 0.1
    epsilon = short.mildest(beta)
    setting = short.PrivateLearning(float(epsilon), beta)
    loss = 2 * float((short.integrated(setting, 0) / short.integrated(setting, 1)).log())
    digits = -2 * float(short.integrated(setting, 0).log()) / log(10)
    adversary = long.shortest(beta)
    yield Trial(
        tells,
        at=(epsilon, beta, True),
        mutant_at=[(epsilon - 1, beta, True), (epsilon, beta, False)],
        mutant=rf"$\varepsilon = {epsilon - 1}$; a logarithm to base 2.",
        numbers={"tells_digits": digits},
    ).fails(
        "printed",
        Rigor.COUNTEREXAMPLE,
        statement=r"With natural logarithms and ties in a fixed order PUCB is $\varepsilon$-JDP.",
        domain=rf"These sizes; integers $\varepsilon$ from {epsilon} on and every "
        rf"$\varepsilon \ge {short.smallest(beta)}$.",
        evidence="Users 2 and 3 both take the action that loses ties, which user 1 in another "
        "state makes more likely; integrals in balls.",
        severity=Severity.CONSTANT,
        witness=Witness(
            {
                "T": 3,
                "S": 2,
                "A": 2,
                "H": 1,
                "beta": beta,
                "epsilon": epsilon,
                "ties": "to the first action",
                "probability of the event": 10.0**-digits,
            },
            ("loss at most", float(epsilon)),
            ("loss of the event", loss),
        ),
        basis=Basis(proof="What actions tell at T = 3"),
    )
    yield Trial(
        tells,
        at=(350, beta, True),
        mutant_at=(350, beta, False),
        mutant=r"A logarithm to base 2; in the theorem $e^{2.2 \varepsilon}$.",
    ).holds(
        "step: three users at epsilon = 350",
        Rigor.KERNEL,
        statement=r"The event of the record above has more than $e^{\varepsilon}$ times the "
        r"probability that it has with user 1 replaced.",
        domain=r"That instance with $\varepsilon = 350$; the law of the noise is a premise.",
        evidence="Boxes stand for the integrals.",
        basis=Basis(
            formal=Formal(
                "vietri2020_theorem_1",
                "theorem_1_refuted",
                "theorem_1_mutant",
                ("exp epsilon", "exp (22 / 10 * epsilon)"),
            )
        ),
    )
    yield Trial(
lambda case: (
            long.share(case) > 1
            and all(long.conditions(case).values())
            and long.least_noise(case)
            and long.ties_need_their_share(case)
            and long.planned(case)
        ),
at=adversary,
mutant_at=[
            adversary._replace(last=adversary.last - 1),
            adversary._replace(rare=adversary.rare + 60),
            adversary._replace(fresh=adversary.fresh + 200),
        ],
mutant="One level fewer; more visits of either action that is looked at.",
).fails(
"reading: ties broken in any way, natural logarithm",
Rigor.DERIVED,
statement=r"With natural logarithms PUCB is $\varepsilon$-JDP, ties broken in any way.",
domain=r"This instance, $\varepsilon \to \infty$.",
evidence="One user is replaced; later users are looked at, each pair before new noise.",
witness=Witness(
            {"T": f"2^{adversary.last} + 2", "S": 3, "A": 2, "H": 1, "beta": beta, "ties": "any"},
            ("loss over epsilon tends to at most", 1.0),
            ("it tends to at least", long.share(adversary)),
        ),
basis=Basis(proof="What actions tell, whatever the ties"),
)  # fmt: skip
    yield from finite.at_one_epsilon(beta)
    yield from with_more_steps()
    yield Trial(
        lambda literal: (
            levels(2) * ((short.by_letter(1) - short.by_letter(0)) if literal else 2) < 3 * log(3)
        ),
        at=True,
        mutant_at=False,
        mutant=r"$\tilde Q^+ = H$ there.",
    ).undecided(
        Verdict.OPEN,
        "reading: the branch below 2E by the letter",
        Rigor.EXACT,
        statement=r"PUCB is $\varepsilon$-JDP when $\tilde Q^+ = \min(H, \tilde Q + H)$ where "
        r"$\tilde n < 2E$, as "
        "algorithm 3 prints.",
        domain="Natural logarithm; the first plan then divides 0 by 0 and needs a convention.",
        evidence=r"The event of $T = 3$ then tells half as much, less than $\varepsilon$ as "
        r"$\varepsilon \to \infty$.",
    )
    yield Trial(
        half_space.tends,
        at=True,
        mutant_at=False,
        mutant=r"$\sum |a_i|$ in place of the largest.",
        tighter="an equality",
    ).holds(
        "step: what one comparison tells",
        Rigor.DERIVED,
        statement=r"For independent $X_i \sim \mathrm{Lap}(b)$ the loss of the event $\sum a_i X_i "
        r"\ge u$ under a change $d$ tends to $\sum a_i d_i/(b \max_i |a_i|)$ as $u \to \infty$.",
        domain=r"Every $a \ne 0$ and $d$.",
        evidence="Exact tails of seven sums.",
        basis=Basis(proof="Half-spaces"),
    )


def loss_factor(planned: int, log_: Callable[[float], float]) -> float:
    """What the released counters lose over epsilon, one user replaced."""
    return 2 * levels(planned - 1) / log_(planned)


@cache
def worst_count(log_: Callable[[float], float]) -> int:
    """The T at which they lose most."""
    return max(range(2, LAST + 1), key=lambda planned: loss_factor(planned, log_))


@cache
def bracket() -> tuple[tuple[float, float], tuple[float, float]]:
    """Between which numbers the best factor of epsilon for all T, H and epsilon lies: (from below),
    (from above), each to base 2 and with the natural logarithm, rounded outwards."""
    worst, largest = (upwards(loss_factor(worst_count(log_), log_), 3) for log_ in (log2, log))
    two, natural_log = (downwards(share, 3) for share in largest_share())
    return (two, natural_log), (worst, largest)


@claim("vietri2020/theorem-1")
def theorem_1() -> Records:
    """Fails with natural logarithms, by a constant; how far, from below and from above; the scale
    that suffices."""
    T = 10**6
    spent = {
        name: float(loss(T, Fraction(change), scale(T)))
        for name, change, scale in (
            ("two", 6, base_two),
            ("natural", 6, natural),
            ("removed", 3, natural),
        )
    }
    below, (worst, largest) = bracket()
    at = {"epsilon": 1, "T": T, "H": 10, "S": 2, "A": 2}
    rests = ("vietri2020/claim-1: corrected", "vietri2020/theorem-12: corrected: privacy")

    def witness(name: str) -> Witness:
        return Witness(
            at, ("loss at most", 1.0), ("exact loss of the released counters", spent[name])
        )

    yield from actions_tell()
    yield Trial(
        over(6),
        at=base_two,
        mutant_at=corrected,
        mutant="The corrected scale.",
    ).fails(
        "step: the released counters together are epsilon-DP, logarithm to base 2",
        Rigor.PROVED,
        statement=r"With node noise $\mathrm{Lap}((3H/\varepsilon) \log_2 T)$ the released "
        r"counters together are $\varepsilon$-DP.",
        domain=r"Every $T \ge 2$, $A$, $H$, $\varepsilon$ and $S \ge 2$: the factor is "
        r"$2 \lceil \log_2 T \rceil / \log_2 T \ge 2$.",
        evidence="Claim 1's 2, times the rounding of the tree's depth.",
        witness=witness("two"),
        basis=Basis(uses=rests),
    )
    yield Trial(
        lambda scale: over(6)(scale) and not exceeded(1)(scale),
        at=natural,
        mutant_at=corrected,
        mutant="The corrected scale.",
    ).fails(
        "step: the released counters together are epsilon-DP, natural logarithm",
        Rigor.PROVED,
        statement=r"With node noise $\mathrm{Lap}((3H/\varepsilon) \ln T)$ the released counters "
        r"together are $\varepsilon$-DP.",
        domain=r"Every $T \ge 2$, $A$, $H$, $\varepsilon$ and $S \ge 2$: the factor is "
        r"$2 \lceil \log_2 T \rceil / \ln T \ge 2/\ln 2$.",
        evidence="Attained by the first user and by the pair of claim 1.",
        witness=witness("natural"),
        basis=Basis(uses=rests),
    )
    yield Trial(
        over(3),
        at=natural,
        mutant_at=base_two,
        mutant=r"Base 2, where the loss is $\varepsilon$ at powers of two.",
    ).fails(
        "reading: neighbours by removal of a user, natural logarithm",
        Rigor.PROVED,
        statement=r"The released counters together are $\varepsilon$-DP when a user's contribution "
        "is removed.",
        domain=r"Every $T \ge 2$, $S$, $A$, $H$ and $\varepsilon$: the factor is "
        r"$\lceil \log_2 T \rceil/\ln T \ge 1/\ln 2$.",
        evidence="Claim 1's $H$, times the depth of the tree.",
        witness=witness("removed"),
        basis=Basis(
            uses=(
                "vietri2020/claim-1: corrected: one user removed",
                "vietri2020/theorem-12: corrected: privacy",
            )
        ),
    )
    yield Trial(
        lambda factor: (
            as_the_agent_does()
            and counted(2)
            and lengths_differ()
            and shift_costs()
            and all(
                losses_by_exhaustion(T, size) == factor * size[2] * corrected(T)
                for T in (2, 3, 4, 5, 9, 17)
                for size in SIZES
                if size[0] > 1
            )
        ),
        at=Fraction(1),
        mutant_at=[Fraction(99, 100), Fraction(101, 100)],
        mutant="0.99 or 1.01 times that scale.",
        scale=Fraction,
    ).holds(
        "corrected",
        Rigor.DERIVED,
        statement=r"With node noise of scale $6H\,\mathrm{levels}(T-1)/\varepsilon$ in every "
        r"counter, where $\mathrm{levels}(R) = \lfloor \log_2 R \rfloor + 1$, PUCB is "
        r"$\varepsilon$-JDP. Its counters together are then $\varepsilon$-DP, and for $S \ge 2$ "
        "not better.",
        domain=r"Every $S$, $A$, $H$, $\varepsilon$ and $T \ge 2$; $\pi_T$ is the final policy.",
        evidence="Claim 1 corrected, times the nodes of an item, over the scale; then adaptivity "
        "and the billboard lemma.",
        basis=Basis(
            proof="Theorem 1: the noise that suffices",
            uses=(*rests, "vietri2020/adaptivity", "vietri2020/lemma-2"),
        ),
    )

    yield Trial(
        lambda factor: (
            lengths_differ()
            and shift_costs()
            and all(
                losses_by_exhaustion(T, size) <= factor * size[2] * corrected(T)
                for T in (2, 3, 5, 9)
                for size in SIZES
            )
        ),
        at=Fraction(1),
        mutant_at=Fraction(599, 600),
        mutant="5.99 in place of 6.",
        scale=Fraction,
    ).holds(
        "step: the releases under the corrected noise",
        Rigor.KERNEL,
        statement=r"Under that noise the weight of any finite set of released values is at most "
        r"$e^{\varepsilon}$ times the weight with one user replaced, whatever trajectories do with "
        "earlier releases.",
        domain=r"Every $S$, $A$, $H \ge 1$, $T \ge 2$, $\varepsilon > 0$ and number of users.",
        evidence="Tree-levels, claim 1 corrected and adaptivity, used as they are.",
        basis=Basis(
            formal=Formal(
                "vietri2020_theorem_1_noise",
                "theorem_1_noise",
                "theorem_1_noise_not_5_99",
                ("6 * INR H", "599 / 100 * INR H"),
            )
        ),
    )
    yield Trial(
        lambda case: read_at_most(case[0]) and from_above(case[1]),
        at=(2, (worst, largest)),
        mutant_at=[
            (0, (worst, largest)),
            (2, (worst - 0.01, largest)),
            (2, (worst, largest - 0.01)),
        ],
        mutant=r"$6H$ in place of $6H - 2$; either factor smaller by 0.01.",
        scale=lambda c: (2, (worst * c, largest * c)),
        numbers={
            "above_two": upwards(worst, 3),
            "above_natural": upwards(largest, 3),
            "below_two": downwards(below[0], 3),
            "below_natural": downwards(below[1], 3),
        },
    ).holds(
        "corrected: the printed noise, at a larger epsilon",
        Rigor.DERIVED,
        statement=rf"With the printed noise PUCB is ${upwards(worst, 3):g} f \varepsilon$-JDP "
        rf"when $\log "
        rf"T$ is to base 2, and "
        rf"${upwards(largest, 3):g} f \varepsilon$-JDP when it is natural, $f = (6H - 2)/(6H)$.",
        domain="As in theorem 1 corrected.",
        evidence="No plan reads the transition counts of step $H$; the others move by at most "
        f"$6H - 2$. Both factors are largest at $T = {worst_count(log2)}$.",
        basis=Basis(
            proof="Theorem 1: the noise that suffices", uses=("vietri2020/theorem-1: corrected",)
        ),
    )
