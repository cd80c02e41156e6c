"""vietri2020, Section 6 and Appendix C.1: theorem-5, the PAC lower bound.

It is lemma-10 for agents that are epsilon-JDP without public first states, and shares its fate:
false for joint privacy, where an agent with secret arms needs no factor A; true in order for agents
whose policies together are private. Beside these stand the bounds on the number of episodes that
are not alpha-optimal (definition-1), which PAC counts. The proofs stand in proofs.md, "The PAC
lower bound" and after.
"""

from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, inf, isclose, log

import mpmath as mp
import numpy as np

from theory.claim import Basis, Records, Rigor, Trial, claim
from theory.formulas import downwards, upwards
from theory.lemmas.coupling import error_divergence, mean_error_divergence
from theory.lemmas.secret_arms import sampled_successes, weight
from theory.papers.vietri2020.bounds.stated import (
    lower_count,
    lower_pac,
    per_pull,
)
from theory.papers.vietri2020.lower_bounds_pac import BETA, secret_arms_fail
from theory.papers.vietri2020.lower_bounds_regret import EPISODES, EPSILON, GAP, HardSize, runs
from theory.rigor.exact import at_precision
from theory.rigor.sampling import clopper_pearson


@cache
def sampled(users: int) -> tuple[float, float]:
    """Lower confidence bounds on the success of the agent with secret arms: on I = 0, and on I =
    1."""
    arms = 32
    generator = np.random.default_rng(20)
    x = weight(arms, 1e-3)
    first, second = np.full(arms, 0.5), np.full(arms, 0.5)
    first[0] = second[0] = 0.75
    second[1] = 1.0
    hits = [
        sampled_successes(means, good, users, x, 4_000, generator)
        for means, good in ((first, 0), (second, 1))
    ]
    return clopper_pearson(hits[0], 4_000)[0], clopper_pearson(hits[1], 4_000)[0]


def pulls_with_private_policies() -> float:
    """Pulls that the same task needs when all actions together are epsilon-DP: 31 kl(0.9,
    0.1)/(epsilon/2)."""
    return 31 * error_divergence(BETA) / (1e-3 * 0.5)


def needle_bound(
    depth: int, actions: int, horizon: int, alpha: float, beta: float, epsilon: float
) -> tuple[int, float]:
    """(S, episodes) for agents with private policies on a tree of A^depth leaves, each a bandit of
    A arms.

    One pair of leaf and arm leads to "+" with probability 1/2 + gap/2, at most one other with 1/2 +
    gap, all others with 1/2; "+" pays H - depth. To be alpha-optimal one must choose the best pair
    when (H - depth) gap/2 > alpha, so lemma-8 corrected applies to A^(depth+1) arms, gap down to 2
    alpha/(H - depth).
    """
    leaves = actions**depth
    states = leaves + (leaves - 1) // (actions - 1) + 2
    return states, (leaves * actions - 1) * (horizon - depth) * error_divergence(beta) / (
        2 * epsilon * alpha
    )


def _needle_has_the_order(constant: Fraction) -> bool:
    """Whether the needle's bound is at least constant SAH ln(1/beta)/(epsilon alpha) for H >= 2
    depth, beta <= 1/8.

    With L leaves: LA - 1 >= 3LA/4; S <= 2L + 1 <= 5L/2; H - depth >= H/2; kl(1 - beta, beta) >= 0.7
    ln(1/beta), whose difference (0.3 - 2 beta) ln(1/beta) + (1 - 2 beta) ln(1 - beta) decreases up
    to 1/8 and is positive there. The product of the four is 0.0525 after division by 2. And the
    bound itself on a grid.
    """
    edge = at_precision(lambda: mp.mpf("0.05") * mp.log(8) + mp.mpf("0.75") * mp.log(mp.mpf(7) / 8))
    chain = Fraction(3, 4) * Fraction(2, 5) * Fraction(1, 2) * Fraction(7, 10) / 2
    sizes = product(range(1, 9), (2, 3, 5, 50), (1 / 8, 1e-2, 1e-9))
    return bool(edge > 0 and chain >= constant) and all(
        bound >= constant * states * actions * 2 * depth * log(1 / beta)
        for depth, actions, beta in sizes
        for states, bound in (needle_bound(depth, actions, 2 * depth, 1.0, beta, 1.0),)
    )


@cache
def pulls_without_privacy(gap: float, failing: float) -> tuple[int, float]:
    """Fewest pulls of arm 1 with which any agent without privacy errs on I = 0 and I = 1 with a
    mean of at most ``failing``, and what the bound of one state asks for (n = m = 1).

    Arm 0 has the same mean in both, so an agent learns most by pulling arm 1 alone; the likelihood
    ratio is best, and its mean error after k pulls is (1 - TV(Bin(k, 1/2), Bin(k, 1/2 + gap)))/2.
    """
    k, up, down = 0, 0.5 + gap, 0.5 - gap
    while (
        sum(comb(k, i) * min(0.5**k, up**i * down ** (k - i)) for i in range(k + 1)) / 2 > failing
    ):
        k += 1
    return k, mean_error_divergence(failing) / per_pull(gap)


STATES = tuple(product((0.25, 0.125, 0.0625), (0.25, 0.2286, 0.2, 0.15)))  # gap, failing


def _first_term(at: tuple[float, float]) -> bool:
    """Whether lower_pac without privacy is at least (S-2)(A-1) (H/alpha)^2/constant for alpha <=
    H/56, beta <= 1/8, and ``scale`` times its bound of one state at most the fewest pulls of all
    agents."""
    constant, scale = at
    grid = product((3, 7), (2, 9), (1, 20), (1, 3, 100), (1 / 8, 0.01, 1e-9))
    return all(
        lower_pac(S, A, H, H / 56 / fraction, beta, inf) * (1 + 1e-12)
        >= (S - 2) * (A - 1) * (56 * fraction) ** 2 / constant
        for S, A, H, fraction, beta in grid
    ) and all(
        scale * bound <= pulls
        for pulls, bound in (pulls_without_privacy(*state) for state in STATES)
    )


SHARE = 0.08
LOST, LONG = 292, 15  # of the bound H (S-2)/(LOST epsilon alpha), after LONG times as many episodes
ALPHA_BETA, EXAMPLE_EPSILON = (0.1, BETA), 0.01


def _counted_in_expectation(scale: float, lost: float) -> bool:
    """Whether sum_t (exp(-k t)/4 - c)^+/(1 - c) is at least scale (1/k) (1/4 - c - c ln(1/(4c)))/(1
    - c), c = 0.08; and at k = 2 epsilon alpha/(c H n), whose terms end in time, that is at least
    ``scale`` H n/(``lost`` epsilon alpha)."""
    closed = (0.25 - SHARE - SHARE * log(1 / (4 * SHARE))) / (1 - SHARE)
    if closed * SHARE / 2 < scale / lost or log(1 / (4 * SHARE)) * SHARE / 2 > LONG / LOST:
        return False
    return not any(
        np.maximum(np.exp(-rate * np.arange(int(3 / rate))) / 4 - SHARE, 0).sum() / (1 - SHARE)
        < scale * closed / rate
        for rate in (1e-5, 1e-4, 1e-3)
    )


def _majority_errs_at_most(fraction: Fraction) -> bool:
    """Whether the majority of T policies is wrong at no more than ``fraction`` of the n states,
    when a tenth of them may be wrong everywhere and the others at a tenth of the states: counted
    for n and T up to 60.

    A state needs half of the policies; beyond those that are wrong everywhere it takes one place of
    another each.
    """
    return all(
        min(n, (policies - lost) * (n // 10) // (-(-policies // 2) - lost)) <= fraction * n
        for n in range(1, 61)
        for policies in range(10, 61)
        for lost in (policies // 10,)
    )


def _count_as_stated(fraction: Fraction) -> bool:
    """Whether lower_count is (T' - 1)/10 where privacy binds, T' the PAC bound of a final policy
    that may err at this ``fraction`` of the states."""
    for S, A, H, alpha, beta, epsilon in (
        (12, 11, 20, 0.1, 0.1, 0.01),
        (3, 2, 40, 1.0, 1e-6, 1e-3),
        (9, 5, 8, 0.05, 0.3, 1e-4),
    ):
        b = float(fraction) + (1 - float(fraction)) * beta
        episodes = H * (S - 2) * (A - 1) / (20 * epsilon * alpha) * log(1 / (4 * b * (1 - b)))
        if not isclose(lower_count(S, A, H, alpha, beta, epsilon), (episodes - 1) / 10):
            return False
    return True


@cache
def counted() -> tuple[tuple[str, HardSize, float, float], ...]:
    """(agent, (n, m, H), a lower bound of the episodes that are not alpha-optimal, from the regret;
    bound), theorem-6's runs, alpha = (H-1) alpha'/20."""
    rows = []
    for agent, (n, m, horizon), regret, _ in runs():
        alpha = (horizon - 1) * GAP / 20
        wrong = (regret - alpha * EPISODES) / ((horizon - 1) * GAP - alpha)
        epsilon = EPSILON if agent == "pucb" else inf
        rows.append(
            (
                agent,
                (n, m, horizon),
                wrong,
                lower_count(n + 2, m + 1, horizon - 1, alpha, BETA, epsilon),
            )
        )
    return tuple(rows)


@claim("vietri2020/theorem-5")
def theorem_5() -> Records:
    """As lemma-10: false for joint privacy; true for private policies, the factor ln(1/beta) by
    another MDP."""
    enough = 60_000
    sample, private_pulls = sampled(enough), pulls_with_private_policies()
    pucb_counts = [
        (size, wrong, bound) for agent, size, wrong, bound in counted() if agent == "pucb"
    ]
    quotient = min(wrong / bound for _, wrong, bound in pucb_counts)
    plain = min(
        pulls / bound for pulls, bound in (pulls_without_privacy(*state) for state in STATES)
    )
    yield secret_arms_fail("")
    yield Trial(
        _needle_has_the_order,
        at=Fraction(1, 20),
        mutant_at=Fraction(1, 4),
        mutant="1/4 in place of 1/20.",
    ).holds(
        "corrected: private policies",
        Rigor.DERIVED,
        statement=r"If all policies together are $\varepsilon$-DP for fixed first states, and the "
        r"final policy is $\alpha$-optimal with probability $1 - \beta$ on every MDP with $S = L + "
        r"(L-1)/(A-1) + 2$ states, $L = A^D$, then $T \ge SAH \ln(1/\beta)/(20 \varepsilon "
        r"\alpha)$.",
        domain=r"Every $A \ge 2$, $D \ge 1$, $H \ge 2D$, $\varepsilon > 0$, $\alpha < (H - D)/4$ "
        r"and $\beta \le 1/8$.",
        evidence="A tree with a bandit at each leaf and one better pair of leaf and arm.",
        basis=Basis(proof="A tree with one better pair", uses=("vietri2020/lemma-8: corrected",)),
    )
    yield Trial(
        _first_term,
        at=(1568.0, 1.0),
        mutant_at=[(1567.0, 1.0), (1568.0, 1.05 * plain)],
        mutant="1567 in place of 1568; more than the fewest pulls of any agent.",
        raised=lambda c: (1568.0 / c, 1.0),
    ).holds(
        "corrected: the first term",
        Rigor.DERIVED,
        statement=r"Every agent, private or not, needs $T \ge H^2 (S-2)(A-1)/(1568 \alpha^2)$ "
        r"episodes before its final policy is $\alpha$-optimal with probability $1 - \beta$ on "
        r"every hard MDP.",
        domain=r"Every $S \ge 3$, $A \ge 2$, $\alpha \le H/56$, $\beta \le 1/8$, any "
        r"$\varepsilon$.",
        evidence="On the paper's own MDPs.",
        basis=Basis(proof="The first term"),
    )
    yield Trial(
        lambda users: min(sampled(users)) > 1 - BETA and users < private_pulls,
        at=enough,
        mutant_at=[30_000, 120_000],
        mutant="Half as many users, and twice as many.",
    ).holds(
        "corrected: what joint privacy allows",
        Rigor.STATISTICAL,
        statement=r"An $\varepsilon$-JDP agent identifies the best of 32 arms with probability $1 "
        rf"- \beta$ after {enough} users at $\beta = 0.1$, $\varepsilon = 0.001$ and $\alpha' = "
        f"1/2$, where private actions need {private_pulls:.0f} pulls.",
        domain="The hard MDPs with one first state and $H = 1$: all instances, two up to symmetry; "
        "4000 agents each.",
        evidence="The agent succeeds with probability at least "
        f"{downwards(min(sample), 4):g} at error level $10^{{-9}}$.",
        basis=Basis(proof="An agent with secret arms", uses=("vietri2020/lemma-8: corrected",)),
    )
    yield Trial(
        lambda case: _counted_in_expectation(*case),
        at=(1.0, LOST),
        mutant_at=[(1.05, LOST), (1.0, LOST - 1)],
        mutant=f"{LOST - 1} in place of {LOST}.",
        raised=lambda c: (c, LOST),
    ).holds(
        "corrected: episodes that are not alpha-optimal, joint privacy",
        Rigor.DERIVED,
        statement=r"Every $\varepsilon$-JDP agent has on some hard MDP an expected number of at "
        rf"least $H (S-2)/({LOST} \varepsilon \alpha)$ episodes that are not $\alpha$-optimal.",
        domain=r"Every $S \ge 3$, $A \ge 2$, $\varepsilon > 0$, $\alpha \le H/50$; "
        rf"$T \ge {LONG} H (S-2)/({LOST} \varepsilon \alpha)$.",
        evidence=r"The first action of an episode is $\varepsilon$-DP in the users before it.",
        basis=Basis(proof="Episodes that are not alpha-optimal"),
    )
    wrong = Fraction(9, 40)
    yield Trial(
        lambda fraction: _majority_errs_at_most(fraction) and _count_as_stated(fraction),
        at=wrong,
        mutant_at=Fraction(8, 40),
        mutant="8/40 of the states.",
    ).holds(
        "corrected: episodes that are not alpha-optimal, private policies",
        Rigor.DERIVED,
        statement=r"If all policies together are $\varepsilon$-DP for fixed first states and with "
        r"probability $1 - \beta$, on every hard MDP, at most $f$ episodes are not "
        r"$\alpha$-optimal, "
        r"then $f \ge (T' - 1)/10$, $T' = H (S-2)(A-1)/(20 \varepsilon \alpha) \ln(1/(4b(1-b)))$, "
        r"$b = (9 + 31\beta)/40$.",
        domain=r"Every $S \ge 3$, $A \ge 2$, $\varepsilon > 0$, $\alpha \le H/40$, "
        r"$\beta < 11/31$, $T \ge T' - 1$.",
        evidence=f"The majority of $10 f$ policies errs at most at {wrong} of the states.",
        basis=Basis(
            proof="Episodes that are not alpha-optimal",
            uses=("vietri2020/lemma-10: corrected: private policies",),
        ),
    )
    yield Trial(
        lambda scale: all(wrong > scale * bound for _, wrong, bound in pucb_counts),
        at=1.0,
        mutant_at=1.05 * quotient,
        mutant="A bound above the lowest run.",
        raised=lambda c: c,
    ).holds(
        "corrected: runs",
        Rigor.STATISTICAL,
        statement=rf"PUCB (corrected, $\varepsilon = {EPSILON}$) has more episodes that are not "
        r"$\alpha$-optimal than the bound of private policies.",
        domain=rf"The runs of theorem 6: $T = {EPISODES}$, $\alpha' = {GAP}$, $\alpha = (H-1) "
        rf"\alpha'/20$, $\beta = {BETA}$; $H - 1$ for $H$ in the bound, as the first step pays 0.",
        evidence=f"{len(pucb_counts)} independent runs, none below: a run is with probability at "
        f"most {upwards(clopper_pearson(0, len(pucb_counts))[1], 2):g} at error level "
        "$10^{-9}$.",
    )
