"""vietri2020, Section 6.2 and Appendices C.1, C.3: the PAC lower bound, lemma-10 and theorem-5.

In order of consequence: the chain needs lemma-9, and under joint privacy the factor A is not there
(``theory.lemmas.secret_arms``); its last display does not grow as beta tends to 0; and lemma-8 is
applied to each state with a failure probability that holds for the MDP as a whole.

What is true stands in proofs.md, "The PAC lower bound".
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from math import ceil, isclose, log

import numpy as np
import sympy as sp
import z3

from privrl.environments import hard_mdp
from privrl.environments.planning import optimal, value
from privrl.types import FloatArray
from theory.claim import Basis, Record, Records, Rigor, Severity, Trial, Witness, claim
from theory.lemmas.coupling import affinity_squared, error_divergence, mean_error_divergence
from theory.lemmas.private_bandits import least_failure
from theory.lemmas.secret_arms import averages_of_secret_arms, exploration, worst_losses
from theory.papers.vietri2020.bounds.stated import lower_pac
from theory.papers.vietri2020.lower_bounds_bandit import fewest
from theory.rigor.smt import Proof
from theory.rigor.symbolic import identity

BETA = 0.1
MDPSize = tuple[int, int, int]  # S, A, H


def printed_last_line(size: MDPSize, alpha: float, beta: float, epsilon: float) -> float:
    """HS(A-1)/(336 epsilon alpha) ln(7/(4 + 24 beta)), the end of the proof of lemma-10."""
    S, A, H = size
    return H * S * (A - 1) / (336 * epsilon * alpha) * log(7 / (4 + 24 * beta))


def displayed(size: MDPSize, alpha: float, beta: float, epsilon: float) -> float:
    """HS(A-1)/(336 epsilon alpha) ln(1/beta): what lemma-10 and theorem-5 display, with that
    constant."""
    S, A, H = size
    return H * S * (A - 1) / (336 * epsilon * alpha) * log(1 / beta)


PACCase = tuple[
    MDPSize, float, Callable[[MDPSize, float, float, float], float]
]  # .., epsilon, the bound


def _secret_arms(case: PACCase) -> tuple[int, float]:
    """Users that are enough to explore all policies, and episodes that the bound asks for; alpha =
    H/28,
    beta = 1/10."""
    (S, A, H), epsilon, bound = case
    alpha = H / 28
    return (
        exploration(A ** (S * H), H, alpha, BETA, epsilon),
        bound((S, A, H), alpha, BETA, epsilon),
    )


def _secret_arms_need_less(case: PACCase) -> bool:
    """Whether the agent needs fewer users than the bound asks for, at alpha = H/28, and its
    quotient with
    SAH ln(1/beta)/(epsilon alpha) tends to 0 with A alone, for every constant."""
    S, _, H = case[0]
    users, episodes = _secret_arms(case)
    actions, states, horizon, beta = sp.symbols("A S H beta", positive=True)
    quotient = (
        4
        * (states * horizon * sp.log(actions) + sp.log(2 / beta))
        / (states * actions * sp.log(1 / beta))
    )
    vanishes = (
        sp.limit(quotient.subs({states: S, horizon: H, beta: sp.Rational(1, 10)}), actions, sp.oo)
        == 0
    )
    return bool(vanishes and users < episodes)


@cache
def _secret_arms_are_private(x: Fraction) -> bool:
    """The bound of ``secret_arms`` (z3), and every output of small agents: joint loss within it,
    the trace's beyond."""

    losses = ((arms, *worst_losses(arms, users, x)) for arms, users in product((2, 3), (1, 2)))
    return averages_of_secret_arms() and all(
        joint <= (1 + x / arms) / (1 - x / arms) and revealed > joint
        for arms, joint, revealed in losses
    )


def _chain(largest: Fraction) -> bool:
    """phi = 6/7, alpha' = 14 alpha/H: 2 alpha/(H alpha') = 1/7, 24 * 14 = 336, 1/(4 (1 - phi (1 -
    beta))) = 7/(4 + 24 beta), and 1 - phi (1 - beta) < 1/4 for beta < ``largest``."""
    alpha, H, beta = sp.symbols("alpha H beta", positive=True)
    phi = sp.Rational(6, 7)
    failing = 1 - phi * (1 - beta)
    same = identity(2 * alpha / (H * (14 * alpha / H)), 1 - phi) and identity(
        1 / (4 * failing), 7 / (4 + 24 * beta)
    )
    b = z3.Real("beta")
    bounded = Proof(b > 0, b < largest).shows(1 - z3.Q(6, 7) * (1 - b) < z3.Q(1, 4))
    return same and 24 * 14 == 336 and bounded


def gaps(instance: int, m: int = 3, gap: float = 0.25) -> FloatArray:
    """What each arm loses in its first state on the hard MDP with n = 1, in units of H alpha'."""
    mdp = hard_mdp(1, m, gap, (instance,), 4)
    q = optimal(mdp)[1][0, 0]
    return np.asarray((q.max() - q) / (4 * gap))


def _one_wrong_state_is_fine(n: int) -> bool:
    """Whether arm 0 everywhere is alpha-optimal on I = (0, .., 0, 1), for alpha' = 14 alpha/H,
    alpha = H/56."""
    mdp = hard_mdp(n, 1, 0.25, (*(0,) * (n - 1), 1), 4)
    policy = np.zeros((4, n + 2), dtype=np.int64)
    return float(mdp.initial @ optimal(mdp)[0][0]) - value(mdp, policy) <= 4 / 56 + 1e-12


CASES = ((4, 6.0, 0.1, 0.5), (4, 4.0, 0.2, 0.5), (4, 5.0, 0.15, 0.5))  # T, epsilon, beta, gap


def _fewest(case: tuple[int, float, float, float]) -> tuple[float, float]:
    """Least pulls of arm 1 on I = 0 by private mechanisms that are right on I = 0 and I = 1, and
    the bound's count."""
    rounds, epsilon, beta, gap = case
    pulls = fewest((rounds, epsilon, beta, (0.5 + gap / 2, 0.5), (0.5 + gap / 2, 0.5 + gap)))
    return pulls, mean_error_divergence(beta) / (epsilon * gap)


def _as_stated(constant: float) -> bool:
    """Whether lower_pac is the stated bound, with ``constant`` in place of 14 and where privacy
    binds: of private policies, and of the final policy alone."""
    for S, A, H, share, beta, epsilon in (
        (12, 11, 2, 700, 0.1, 1e-3),
        (3, 2, 20, 30, 1e-9, 1e-4),
        (5, 10**4, 1, 50, 0.3, 1e-6),
    ):
        alpha, b = H / share, (1 + 6 * beta) / 7
        divergence = log(1 / (4 * b * (1 - b)))
        unit = H * (S - 2) / (constant * epsilon * alpha)
        final = unit * max(divergence, (1 - b) * log(A - 1) - log(2))
        policies = max(unit * (A - 1) * divergence, final)
        if not (
            isclose(lower_pac(S, A, H, alpha, beta, epsilon), policies)
            and isclose(lower_pac(S, A, H, alpha, beta, epsilon, "joint"), final)
        ):
            return False
    return True


def _pulls_suffice(scale: float) -> bool:
    """The per-state bound against all private mechanisms; it is convex in the failure, so it may be
    averaged."""
    b = sp.Symbol("b", positive=True)
    curvature = sp.diff(-sp.log(4 * b * (1 - b)), b, 2)
    convex = identity(curvature, 1 / b**2 + 1 / (1 - b) ** 2)
    return (
        convex
        and affinity_squared()
        and all(scale * bound <= least for least, bound in map(_fewest, CASES))
    )


FINALS = tuple((rounds, epsilon) for rounds in (1, 2, 3) for epsilon in (0.2, 1.0, 4.0))


@cache
def _best_final(rounds: int, epsilon: float) -> tuple[float, float]:
    """For n = m = 1, gap = 1/2: T epsilon gap, and the divergence that the least mean failure (JDP)
    asks for."""
    prior = [(0.5, (0.75, 0.5)), (0.5, (0.75, 1.0))]
    return rounds * epsilon * 0.5, mean_error_divergence(
        least_failure(rounds, epsilon, prior, joint=True)
    )


HIDDEN = (3, 1.5, 0.1)  # T, epsilon, beta


def _pulls(joint: bool) -> tuple[float, float]:
    """Least pulls of arm 1 on (1/2, 0) when right on it and on (1/2, 1), and what lemma-8 corrected
    asks for."""
    rounds, epsilon, beta = HIDDEN
    return fewest((rounds, epsilon, beta, (0.5, 0.0), (0.5, 1.0)), joint=joint), error_divergence(
        beta
    ) / epsilon


def _costs_below(cut: float) -> tuple[float, float]:
    """Two states at b = (1 + 6 beta)/7 each, and the least of two with beta_1 + beta_2 = 2b, when a
    state costs ln(1/(4 beta_s)) up to ``cut`` and nothing beyond."""
    b = (1 + 6 * BETA) / 7

    def cost(failure: float) -> float:
        return log(1 / (4 * failure)) if failure <= cut else 0.0

    return 2 * cost(b), min(
        cost(b + shift) + cost(b - shift) for shift in np.linspace(1e-6, b / 2, 200)
    )


def secret_arms_fail(statement: str) -> Record:
    """The record of the agent with secret arms, for both statements."""
    size, epsilon = (1, 10_000, 1), 1e-8
    users, episodes = _secret_arms((size, epsilon, displayed))
    return Trial(
        lambda case: _secret_arms_are_private(Fraction(1)) and _secret_arms_need_less(case),
        at=(size, epsilon, displayed),
        mutant_at=[
            ((1, 5_000, 1), epsilon, displayed),
            (size, epsilon, printed_last_line),
            (size, 1e-6, displayed),
        ],
        mutant=r"Half of the arms; a hundred times that $\varepsilon$; the logarithm of the "
        r"proof's last line in place of $\ln(1/\beta)$.",
    ).fails(
        "printed",
        Rigor.COUNTEREXAMPLE,
        statement=statement,
        domain=r"The second term, for every constant once $A$ is large and $\varepsilon$ small "
        r"enough, for any $S$, "
        r"$H$, $\beta$.",
        evidence="Each of $T$ users plays a policy drawn in secret; then one is committed to, "
        r"with weights that grow with the returns. This is $\varepsilon$-JDP, and $(\alpha, "
        r"\beta)$-PAC on every MDP for a $T$ that loses the factor $A$ as $\varepsilon$ tends to "
        "0.",
        severity=Severity.SUBSTANCE,
        witness=Witness(
            {"S": 1, "A": size[1], "H": 1, "alpha": 1 / 28, "beta": BETA, "epsilon": epsilon},
            (
                "with the constant 1/336 of the proof the episodes needed are at least",
                ceil(episodes),
            ),
            ("episodes that are enough: at most", users),
        ),
        basis=Basis(proof="An agent with secret arms"),
    )


@claim("vietri2020/lemma-10")
def lemma_10() -> Records:
    """The factor A is not there under joint privacy; the chain line by line; what holds with
    private policies."""
    least = [least / bound for least, bound in map(_fewest, CASES)]
    finals = [_best_final(*case) for case in FINALS]
    spare = [spent / divergence for spent, divergence in finals]
    pulls, pulls_bound = _pulls(joint=True)
    shown, epsilon, beta = HIDDEN
    two, cheaper = _costs_below((1 + 6 * BETA) / 7)
    yield secret_arms_fail(
        r"An agent that is $\varepsilon$-JDP with public first states and $(\alpha, \beta)$-PAC "
        r"needs a constant times $SAH^2/\alpha^2 + SAH \ln(1/\beta)/(\varepsilon \alpha)$ "
        r"episodes on some MDP."
    )
    yield Trial(
        lambda joint: _pulls(joint)[0] < _pulls(joint)[1],
        at=True,
        mutant_at=False,
        mutant=r"$\varepsilon$-DP of all actions.",
    ).fails(
        "step: lemma 8 for an agent that is jointly private",
        Rigor.COUNTEREXAMPLE,
        statement=r"An $\varepsilon$-JDP agent pulls an arm as often as an $\varepsilon$-DP "
        r"bandit mechanism must.",
        domain="This instance.",
        evidence="Linear programs over all agents of three users.",
        witness=Witness(
            {
                "T": shown,
                "S": 1,
                "H": 1,
                "A": 2,
                "epsilon": epsilon,
                "beta": beta,
                "means": "(1/2, 0) and (1/2, 1)",
            },
            ("pulls of the second arm by lemma 8 corrected at least", pulls_bound),
            ("least pulls under joint privacy", pulls),
        ),
    )
    yield Trial(
        _chain,
        at=Fraction(1, 8),
        mutant_at=Fraction(1, 7),
        mutant=r"$\beta$ up to 1/7.",
        tighter={"beta up to 1/7": Fraction(1, 7)},
    ).holds(
        "step: the constants from (46) on",
        Rigor.PROVED,
        statement=r"$\phi = 6/7$ and $\alpha' = 14 \alpha/H$ give 336 and $7/(4 + 24\beta)$, and "
        "failure below 1/4.",
        domain=r"Every $H$, $\alpha \le H/28$ and $\beta < 1/8$.",
        evidence=r"$1 - \phi (1 - \beta) = (1 + 6\beta)/7$, a quarter at $\beta = 1/8$.",
    )
    rare = 1e-6  # beta
    yield Trial(
        lambda factor: Proof(z3.Real("beta") > 0).shows(factor * 4 + 24 * z3.Real("beta") > 4),
        at=Fraction(1),
        mutant_at=Fraction(0),
        mutant=r"$\ln(7/(24\beta))$.",
    ).fails(
        "step: the logarithm of the last line",
        Rigor.PROVED,
        statement=r"$\ln(7/(4 + 24\beta))$ is of the order $\ln(1/\beta)$.",
        domain=r"$\beta$ to 0.",
        evidence=r"It stays below $\ln(7/4)$: an $\alpha$-optimal policy may err at a seventh "
        "of the states.",
        witness=Witness(
            {"beta": rare},
            ("ln(1/beta) / 10 =", log(1 / rare) / 10),
            ("ln(7/(4 + 24 beta)) =", log(7 / (4 + 24 * rare))),
        ),
    )
    yield Trial(
        _one_wrong_state_is_fine,
        at=7,
        mutant_at=6,
        mutant="Six first states.",
    ).fails(
        "step: lemma 8 at each state",
        Rigor.COUNTEREXAMPLE,
        statement="Lemma 8 applies at each state where the agent is right with probability above "
        "3/4 on the instance at hand.",
        domain=r"Seven first states, $\alpha' = 14 \alpha/H$.",
        evidence=r"On $I = (0, \ldots, 0, 1)$ arm 0 everywhere loses exactly $\alpha$, so that an "
        r"$(\alpha, \beta)$-PAC agent may always play arm 0 at state 7.",
        witness=Witness(
            {"first states": 7, "m": 1, "instance": "(0, .., 0)", "at state 7": "arm 0 always"},
            ("pulls of arm 1 at state 7 above", 0),
            ("pulls of it", 0),
        ),
    )
    yield Trial(
        lambda least: any(
            int((gaps(instance) >= least - 1e-12).sum()) < 3 for instance in range(4)
        ),
        at=1.0,
        mutant_at=0.5,
        mutant=r"$\alpha'/2$.",
    ).fails(
        "step: each state has A - 1 arms that are alpha'-suboptimal",
        Rigor.COUNTEREXAMPLE,
        statement=r"$A - 1$ arms lose $\alpha'$ in every instance.",
        domain="The class of Figure 2.",
        evidence=r"For $I_s = 0$ all $A - 1$ arms lose $\alpha'/2$.",
        witness=Witness(
            {"m": 3, "I_s": 0},
            ("arms said to lose alpha':", 3),
            ("arms that do", int((gaps(0) >= 1 - 1e-12).sum())),
        ),
    )
    yield Trial(
        lambda cut: _costs_below(cut)[1] < _costs_below(cut)[0] - 1e-9,
        at=(1 + 6 * BETA) / 7,
        mutant_at=0.25,
        mutant=r"The indicator of $\beta_s < 1/4$.",
    ).fails(
        "step: the minimum over the failure probabilities",
        Rigor.COUNTEREXAMPLE,
        statement=r"With the indicator of $\beta_s \le 1 - \phi (1 - \beta)$ equal $\beta_s$ "
        "minimise the sum.",
        domain="Two first states.",
        evidence="A state just above the edge costs nothing.",
        witness=Witness(
            {"first states": 2, "beta": BETA},
            ("least sum, in units of H (A-1)/(336 epsilon alpha):", two),
            ("a smaller one", cheaper),
        ),
    )
    yield Trial(
        lambda case: _pulls_suffice(case[0]) and _as_stated(case[1]),
        at=(1.0, 14),
        mutant_at=[(1.05 * min(least), 14), (1.0, 13)],
        mutant="A larger multiple than private mechanisms of 4 rounds allow (linear programs); "
        "13 in place of 14.",
        raised=lambda c: (c, 14),
    ).holds(
        "corrected: private policies",
        Rigor.DERIVED,
        statement=r"If all policies together are $\varepsilon$-DP for fixed first states, and "
        r"the final policy is $\alpha$-optimal with probability $1 - \beta$ on every hard MDP, "
        r"$\alpha \le H/28$, then $T \ge H (S-2)(A-1)/(14 \varepsilon \alpha) \ln(1/(4b(1-b)))$ "
        r"with $b = (1 + 6\beta)/7$.",
        domain=r"Every $S \ge 3$, $A \ge 2$, $\varepsilon > 0$, $\beta < 5/12$.",
        evidence="Lemma 8 corrected at each first state, averaged over the instances.",
        basis=Basis(
            proof="The PAC lower bound",
            uses=(
                "vietri2020/lemma-9: corrected: private policies",
                "vietri2020/lemma-8: corrected",
            ),
        ),
    )
    yield Trial(
        lambda case: (
            all(spent >= case[0] * divergence for spent, divergence in finals)
            and _as_stated(case[1])
        ),
        at=(1.0, 14),
        mutant_at=[(1.05 * min(spare), 14), (1.0, 13)],
        mutant="A larger multiple than agents of up to three users allow (linear programs); 13 in "
        "place of 14.",
        raised=lambda c: (c, 14),
    ).holds(
        "corrected: joint privacy",
        Rigor.DERIVED,
        statement=r"An $\varepsilon$-JDP agent whose final policy is $\alpha$-optimal with "
        r"probability $1 - \beta$ on every hard MDP needs $T \ge H (S-2)/(14 \varepsilon \alpha) "
        r"\max(\ln(1/(4b(1-b))), (1-b) \ln(A-1) - \ln 2)$ with $b = (1 + 6\beta)/7$.",
        domain=r"Every $S \ge 3$, $A \ge 2$, $\varepsilon > 0$, $\alpha \le H/28$, $\beta < 5/12$.",
        evidence=r"The final policy alone is $\varepsilon$-DP, and every user who starts in "
        "$s$ counts for all arms.",
        basis=Basis(proof="The PAC lower bound"),
    )
