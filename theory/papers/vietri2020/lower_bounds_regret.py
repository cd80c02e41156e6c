"""vietri2020, Section 6 and Appendix C.4: the regret lower bound, theorem-6.

As printed it holds for no constant: the regret is at most HT, and the bound grows without limit as
epsilon tends to 0. Cut off at HT, which is how a reader takes it, it fails as well, since its route
is lemma-9: the agent with secret arms (``theory.lemmas.secret_arms``) has a regret that is a
vanishing part of min(T, A ln(T)/epsilon). What is true
(``theory.papers.vietri2020.bounds.stated.lower_regret``) is proved in proofs.md, "The regret lower
bound".
"""

from fractions import Fraction
from functools import cache
from itertools import count, product
from math import comb, inf, log, sqrt

import numpy as np
import z3

from privrl.agents.agent import Agent
from privrl.agents.tabular.pucb import PUCB
from privrl.agents.tabular.ubev import UBEV
from privrl.environments import hard_mdp
from privrl.environments.planning import optimal
from privrl.run import simulate
from theory.claim import Basis, Records, Rigor, Severity, Trial, Witness, claim
from theory.formulas import upwards
from theory.lemmas.private_bandits import least_regret
from theory.lemmas.secret_arms import exploration
from theory.papers.vietri2020.bounds.stated import (
    lower_regret,
    per_pull,
    wrong_choices,
    wrong_pulls,
)
from theory.rigor.sampling import clopper_pearson
from theory.rigor.smt import Proof


def secret_regret(case: tuple[int, float, float, float, float]) -> tuple[float, float]:
    """The most that the agent with secret arms loses on any bandit (S = H = 1), and min(T, A
    ln(T)/epsilon).

    The case: A, epsilon, T, and alpha, beta of the commitment: T' users explore, then alpha T +
    beta T at most.
    """
    arms, epsilon, episodes, alpha, beta = case
    lost = exploration(arms, 1, alpha, beta, epsilon) + (alpha + beta) * episodes
    return float(lost), float(min(episodes, arms * log(episodes) / epsilon))


def secret_share(arms: int) -> float:
    """The quotient of the two at T = A^4, epsilon = A ln(T)/T: of the order 1/sqrt(A)."""
    episodes = float(arms) ** 4
    lost, order = secret_regret(
        (arms, arms * log(episodes) / episodes, episodes, arms**-0.5, 1 / arms)
    )
    return lost / order


def _visits_reach_mean(at: tuple[int, int]) -> bool:
    """Whether Pr[T_s >= T/S] < 1/2 for T_s binomial (T, 1/n), S = n + 2."""
    episodes, n = at
    p, least = Fraction(1, n), -(-episodes // (n + 2))
    return 1 - sum(
        comb(episodes, k) * p**k * (1 - p) ** (episodes - k) for k in range(least)
    ) < Fraction(1, 2)


def _logs(power: Fraction) -> bool:
    """z3: with t = ln T, s = ln S >= 0 and t >= 1.1 s, t - s >= power t."""
    t, s = z3.Reals("t s")
    return Proof(s >= 0, t >= z3.Q(11, 10) * s).shows(t - s >= power * t)


def _starts_without_regret(state: str) -> bool:
    """Whether no policy loses anything from this state of the hard MDP."""
    mdp = hard_mdp(2, 2, 0.2, (1, 2), 3)
    q = optimal(mdp)[1][0]
    return bool(np.ptp(q[{"1": 0, "+": 2, "-": 3}[state]]) <= 1e-12)


CASES = tuple(
    (rounds, epsilon, gap)
    for rounds in (1, 2, 3, 4)
    for epsilon in (0.2, 1.0, 4.0)
    for gap in (0.5, 0.25)
)


@cache
def _least(rounds: int, epsilon: float, gap: float, prior: float) -> tuple[float, float]:
    """Least mean regret of all private mechanisms on n = m = H = 1, and what the bound says, for
    one prior."""
    first, second = (0.5 + gap / 2, 0.5), (0.5 + gap / 2, 0.5 + gap)
    exact = least_regret(rounds, epsilon, [(prior, first), (1 - prior, second)])
    return exact, gap / 2 * wrong_pulls(rounds, 1, per_pull(gap, epsilon), (prior,))


@cache
def _least_joint(rounds: int, epsilon: float, gap: float) -> float:
    """Least mean regret of all jointly private agents on n = m = H = 1, over the bound of two
    instances."""
    prior = [(0.5, (0.5 + gap / 2, 0.5)), (0.5, (0.5 + gap / 2, 0.5 + gap))]
    bound = gap / 2 * wrong_choices(rounds, 1, per_pull(gap, epsilon), epsilon * gap)
    return least_regret(rounds, epsilon, prior, joint=True) / bound


def _spread_suffices(shift: float) -> bool:
    """E[min(N/mu, 1)] >= 1 - sqrt((n-1)/T)/2 + shift for binomial N, and psi(N)/N decreases for
    both bounds."""
    for n, episodes in ((2, 2), (2, 10), (5, 20), (20, 40), (3, 200)):
        p, mean = 1 / n, episodes / n
        terms = (
            comb(episodes, k) * p**k * (1 - p) ** (episodes - k) * min(k / mean, 1)
            for k in range(episodes + 1)
        )
        if sum(terms) < 1 - sqrt((n - 1) / episodes) / 2 + shift:
            return False
    grid = np.linspace(0, 400, 801)
    for m, epsilon in ((1, 0.1), (3, 1.0), (8, 0.01)):
        kappa = per_pull(0.5, epsilon)
        pulls = [wrong_pulls(float(v), m, kappa, (0.8,)) for v in grid]
        for values in np.array(
            [pulls, [wrong_choices(float(v), m, kappa, epsilon * 0.5) for v in grid]]
        ):
            # a maximum of concave functions with value 0 at 0: psi(v)/v decreases, which is what is
            # used
            if (np.diff(values[1:] / grid[1:]) > 1e-12).any() or (np.diff(values) < -1e-12).any():
                return False
    return True


HardSize = tuple[int, int, int]  # n, m, H
SIZES: tuple[HardSize, ...] = (
    (1, 1, 2),
    (2, 1, 2),
    (4, 1, 2),
    (8, 1, 2),
    (2, 3, 2),
    (2, 7, 2),
    (2, 1, 4),
    (2, 1, 8),
    (4, 3, 4),
)
EPISODES, GAP, REPLICATES, BETA = 10_000, 0.25, 6, 0.1
EPSILON = 0.01  # of PUCB: small enough that privacy, not sampling, decides the bound


@cache
def runs() -> tuple[tuple[str, HardSize, float, float], ...]:
    """(agent, (n, m, H), regret, bound) of every run: exact regret; instances, drawn from the prior
    with w = 1/2, and seeds are each run's own, so that runs are independent."""
    agents: tuple[tuple[Agent, float], ...] = (
        (UBEV(BETA), inf),
        (PUCB(epsilon=EPSILON, beta=BETA, calibration="corrected"), EPSILON),
    )
    rows, seeds = [], count()
    for n, m, horizon in SIZES:
        generator = np.random.default_rng(n + 10 * m + 100 * horizon)
        for (agent, epsilon), _ in product(agents, range(REPLICATES)):
            special = generator.integers(1, m + 1, size=n) * (generator.random(n) < 0.5)
            mdp = hard_mdp(n, m, GAP, special.tolist(), horizon, entry_reward=False)
            played = simulate.run(
                "vietri2020/hard", mdp, agent, episodes=EPISODES, seed=next(seeds)
            )
            bound = lower_regret(
                n + 2, m + 1, horizon, EPISODES, epsilon, gap=GAP, first_paid=False
            )
            rows.append((agent.name, (n, m, horizon), float(played.regret[0, -1]), bound))
    return tuple(rows)


FIRST = 70  # the square root of HSAT over this is lost without privacy too


@cache
def _least_first_term() -> float:
    """The least quotient of the bound without privacy and sqrt(HSAT), T >= SA."""
    return min(
        lower_regret(S, A, H, S * A * times, inf, first_paid=paid) / sqrt(H * S * A * S * A * times)
        for S, A, H, times in product(
            (3, 4, 20, 200), (2, 9, 100), (1, 2, 20), (1, 10, 1000, 10**6)
        )
        for paid in ((True, False) if H > 1 else (True,))
    )


def displayed(S: float, A: float, H: float, T: float, epsilon: float, constant: float) -> float:
    """``constant`` times what theorem-6 displays, sqrt(HSAT) + SAH log(T)/epsilon."""
    return constant * (sqrt(H * S * A * T) + S * A * H * log(T) / epsilon)


@claim("vietri2020/theorem-6")
def theorem_6() -> Records:
    """False when cut off at HT, and as printed; explicit bounds for private policies and for joint
    privacy."""
    case = (10**4, 1e-7, 1.6e12, 0.0221, 1e-3)
    lost, order = secret_regret(case)
    quotients = [
        exact / bound
        for exact, bound in (_least(*instance, prior) for instance in CASES for prior in (0.5, 0.8))
    ]
    shared = [_least_joint(*instance) for instance in CASES if instance[0] < 4]
    smallest = min(regret / bound for _, _, regret, bound in runs())
    reached = 1 - sum(comb(159, k) * (1 / 98) ** k * (1 - 1 / 98) ** (159 - k) for k in (0, 1))
    yield Trial(
        lambda case: (
            secret_regret(case)[0] < 0.05 * secret_regret(case)[1]
            and all(secret_share(100 * arms) < secret_share(arms) / 5 for arms in (100, 10**4))
        ),
        at=case,
        mutant_at=(10**3, 1e-7, 1.6e11, 0.0625, 1e-2),
        mutant="A tenth of the arms.",
    ).fails(
        "printed",
        Rigor.COUNTEREXAMPLE,
        statement=r"For every $\varepsilon$-JDP agent and $T \ge S^{1.1}$ the expected regret is "
        r"at least a constant times $\min(HT, \sqrt{HSAT} + SAH \log(T)/\varepsilon)$ on some "
        r"MDP.",
        domain=r"Every constant, once $A$ is large and $\varepsilon$ small enough; $S = H = 1$.",
        evidence="With secret arms for $T'$ users, then a commitment (theorem 5), the regret is at "
        r"most $T' + (\alpha + \beta) T$ on every bandit.",
        severity=Severity.SUBSTANCE,
        witness=Witness(
            {
                "S": 1,
                "H": 1,
                "A": case[0],
                "epsilon": case[1],
                "T": case[2],
                "constant": 0.05,
                "alpha of the commitment": case[3],
                "beta of the commitment": case[4],
            },
            ("regret at least", 0.05 * order),
            ("regret at most", lost),
        ),
        basis=Basis(proof="An agent with secret arms"),
    )
    short = {"S": 3, "A": 3, "H": 3, "T": 10, "epsilon": 0.01, "constant": 0.05}
    yield Trial(
        lambda instance: displayed(**instance) > instance["H"] * instance["T"],
        at=short,
        mutant_at={**short, "epsilon": 10.0},
        mutant=r"$\varepsilon = 10$ with the same constant.",
    ).fails(
        "reading: without the cut at HT",
        Rigor.COUNTEREXAMPLE,
        statement=r"The same with $\sqrt{HSAT} + SAH \log(T)/\varepsilon$ in place of the least.",
        domain=r"Every constant $c$: $\varepsilon < c SA \ln(T)/T$.",
        evidence="No regret exceeds $HT$.",
        witness=Witness(
            short,
            ("regret at least", displayed(**short)),
            ("regret at most HT =", short["H"] * short["T"]),
        ),
    )
    yield Trial(
        lambda scale: all(value >= scale for value in quotients) and _spread_suffices(0.0),
        at=1.0,
        mutant_at=2.5,
        mutant="Two and a half times the bound.",
        raised=lambda c: c,
    ).holds(
        "corrected: private policies",
        Rigor.DERIVED,
        statement=r"If all policies together are $\varepsilon$-DP for fixed first states, the "
        r"expected regret on some hard MDP is at least $n (h g/2)(1 - \sqrt{(n-1)/T}/2)\, m "
        r"\max_w \inf_x ((w-v) x + v (T/2n) e^{-\kappa x})$ with $v = (1-w)/m$, $\kappa = "
        r"\min(\varepsilon g, \mathrm{kl}(1/2, 1/2 + g))$, $n = S-2$, $m = A-1$, $h = H$ or "
        r"$H-1$ and any $g \le 1/2$: of the order $SAH \ln(\varepsilon T/(SA))/\varepsilon$ for "
        r"$T$ above $SA/\varepsilon$ and $S$.",
        domain=r"Every $S \ge 3$, $A \ge 2$, $H$, $T$, $\varepsilon > 0$ (infinite: no privacy).",
        evidence="`lower_regret`; linear programs over small private mechanisms find no less.",
        basis=Basis(
            proof="The regret lower bound",
            uses=(
                "vietri2020/lemma-9: corrected: private policies",
                "vietri2020/lemma-8: corrected",
            ),
        ),
    )
    yield Trial(
        lambda constant: constant <= _least_first_term(),
        at=1 / FIRST,
        mutant_at=1 / (FIRST - 2),
        mutant=f"{FIRST - 2} in place of {FIRST}.",
        raised=lambda c: c / FIRST,
    ).holds(
        "corrected: the first term",
        Rigor.EXACT,
        statement=r"Every agent, private or not, has on some hard MDP an expected regret of at "
        rf"least $\sqrt{{HSAT}}/{FIRST}$ for $T \ge SA$.",
        domain=r"$S$ of 3, 4, 20 and 200, $A$ of 2, 9 and 100, $H$ of 1, 2 and 20, $T/(SA)$ of "
        r"1, 10, 1000 and $10^6$; rewards $H$ or 0, and for $H \ge 2$ also $H - 1$ or 0.",
        evidence=r"The bound above with $\varepsilon$ infinite.",
        basis=Basis(uses=("vietri2020/theorem-6: corrected: private policies",)),
    )
    yield Trial(
        lambda scale: all(value >= scale for value in shared) and _spread_suffices(0.0),
        at=1.0,
        mutant_at=2.5,
        mutant="Two and a half times the bound.",
        raised=lambda c: c,
    ).holds(
        "corrected: joint privacy",
        Rigor.DERIVED,
        statement=r"An $\varepsilon$-JDP agent has on some hard MDP an expected regret of at "
        r"least $n (h g/8)(1 - \sqrt{(n-1)/T}/2)(1 - e^{-\kappa T/n})/\kappa$, which at $g = 1/2$ "
        r"tends to $(S-2) h/(8\varepsilon)$ as $T$ grows.",
        domain=r"Every $S \ge 3$, $A \ge 2$, $H$, $T$, $\varepsilon > 0$, $g \le 1/2$; $n$, $h$ "
        r"and $\kappa$ as for private policies.",
        evidence=r"After $k$ visits of a state the laws of its next action are within a divergence "
        r"of $\varepsilon g k$.",
        basis=Basis(proof="The regret lower bound"),
    )
    yield Trial(
        lambda scale: all(regret > scale * bound for _, _, regret, bound in runs()),
        at=1.0,
        mutant_at=1.05 * smallest,
        mutant="A bound above the lowest run.",
        raised=lambda c: c,
    ).holds(
        "corrected: runs",
        Rigor.STATISTICAL,
        statement=rf"UBEV (no privacy) and PUCB (corrected, $\varepsilon = {EPSILON}$) stay "
        rf"above the bound of private policies ($\varepsilon$ infinite for UBEV) on hard MDPs with "
        rf"$\alpha' = {GAP}$.",
        domain="{} sizes with $n \\le {}$, $m \\le {}$, $2 \\le H \\le {}$".format(
            len(SIZES), *(max(size[i] for size in SIZES) for i in range(3))
        )
        + f"; $T = {EPISODES}$, {REPLICATES} instances and seeds a size, rewards $H - 1$ or 0, "
        rf"$\beta = {BETA}$.",
        evidence=f"{len(runs())} independent runs, none below: a run is with probability at most "
        f"{upwards(clopper_pearson(0, len(runs()))[1], 2):g} at error level $10^{{-9}}$.",
    )
    yield Trial(
        _visits_reach_mean,
        at=(159, 98),
        mutant_at=(200, 98),
        mutant="$T = 200$.",
    ).fails(
        "step: Pr[T_s >= T/S] = 1/2",
        Rigor.COUNTEREXAMPLE,
        statement="A binomial variable reaches its mean $T/S$ with probability 1/2.",
        domain=r"This instance, the least $T \ge S^{1.1}$.",
        evidence="The mean is $T/(S-2)$.",
        witness=Witness(
            {"S": 100, "T": 159},
            ("probability", 0.5),
            ("probability of two visits or more", reached),
        ),
    )
    yield Trial(
        lambda n: (1 - Fraction(1, n)) ** 159 > 0,
        at=98,
        mutant_at=1,
        mutant="One first state.",
    ).fails(
        "step: Markov's inequality for log(T_s)",
        Rigor.COUNTEREXAMPLE,
        statement=r"$E[\log(T_s)] \ge \log(T/S) \Pr[\log(T_s) \ge \log(T/S)]$.",
        domain="Two first states or more.",
        evidence="A state may go without a visit.",
        witness=Witness(
            {"S": 100, "T": 159},
            ("expectation of log(T_s) at least", log(1.59) * reached),
            ("minus infinity, as a state has no visit with probability", (1 - 1 / 98) ** 159),
        ),
    )
    yield Trial(
        _logs,
        at=Fraction(1, 11),
        mutant_at=Fraction(1, 10),
        mutant=r"$\log(T)/10$.",
        raised=lambda c: Fraction(1, 11) * Fraction(c),
    ).holds(
        "step: T >= S^1.1",
        Rigor.PROVED,
        statement=r"$\log(T/S) \ge \log(T)/11$.",
        domain=r"Every $S \ge 1$, $T \ge S^{1.1}$.",
        evidence=r"$\log S \le \log(T)/1.1$.",
    )
    yield Trial(
        _starts_without_regret,
        at="-",
        mutant_at="1",
        mutant="One of the first states.",
    ).fails(
        "step: for any initial state, in Section 6",
        Rigor.COUNTEREXAMPLE,
        statement="The regret is large from every initial state.",
        domain="The absorbing states of the MDP of the proof.",
        evidence="All actions are alike there.",
        witness=Witness(
            {"n": 2, "m": 2, "initial state": "the absorbing state -"},
            ("regret above", 0.0),
            ("regret", 0.0),
        ),
    )
