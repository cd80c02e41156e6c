"""One function per displayed bound, with explicit constants, symbol by symbol.

All take planned sizes: ``states`` S, ``actions`` A, ``horizon`` H, ``episodes`` T, and the paper's
``epsilon`` and ``beta``; values are in units of reward (regret) or of counts (errors). Logarithms
are natural (see vietri2020/theorem-12 for the readings).
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, inf, log, log1p, sqrt
from typing import Literal

from privrl.agents.tabular.widths import chernoff_width
from privrl.checks import choice, count, positive, probability, real, require
from privrl.privacy.noise_scales.vietri2020 import printed_width_vietri2020
from theory.bound_terms import Binding, BoundTerms, largest, least
from theory.lemmas.coupling import mean_error_divergence

StatedForm = Literal["printed", "derived"]
Privacy = Literal["policies", "joint"]


def trivial_regret(horizon: int, episodes: int) -> float:
    """H T: no agent can lose more, since rewards lie in [0, 1]."""
    return float(count("horizon", horizon)) * count("episodes", episodes)


def theorem_12_error(episodes: int, epsilon: float, beta: float, base: float = 0.0) -> float:
    """(4/epsilon) ln(1/beta) log(T)^2.5, vietri2020/theorem-12; ``base`` of log(T), 0 for the
    natural logarithm."""
    logarithm = log(count("episodes", episodes)) / (log(base) if base else 1.0)
    return float(
        4 / positive("epsilon", epsilon) * log(1 / probability("beta", beta)) * logarithm**2.5
    )


def tree_error(scale: float, releases: int, beta: float) -> float:
    """An error that all R releases of a Laplace tree respect with probability 1 - beta, for node
    noise of this scale.

    sqrt(8) scale sqrt(l) max(sqrt(levels), sqrt(l)) with l = ln(2R/beta): Chernoff's bound with the
    moment generating function of Laplace(b) at most exp(2 (lambda b)^2) for |lambda b| <=
    1/sqrt(2), and a union bound over releases (vietri2020/theorem-12, corrected).
    """
    scale, releases = positive("scale", scale), count("releases", releases)
    return scale * chernoff_width(probability("beta", beta) / releases, releases.bit_length())


def counters(states: int, actions: int, horizon: int) -> int:
    """N = 2SAH + S^2 AH, the number of counters of PUCB (vietri2020, Section 3)."""
    S, A, H = count("states", states), count("actions", actions), count("horizon", horizon)
    return 2 * S * A * H + S * S * A * H


def printed_width(
    states: int, actions: int, horizon: int, episodes: int, epsilon: float, beta: float
) -> float:
    """E = (3/epsilon) H log(N/beta') log(T)^(5/2) with beta' = beta/4
    (vietri2020/equation-e-epsilon, lemma-13)."""
    return printed_width_vietri2020(
        positive("epsilon", epsilon),
        horizon,
        count("episodes", episodes),
        counters(states, actions, horizon),
        probability("beta", beta) / 4,
    )


@dataclass(frozen=True)
class Theorem4Terms(BoundTerms):
    """The sum behind theorem 4: the last lines of Appendix B.2 that hide no constants, by term, in
    units of reward."""

    martingale: float  #: inequality (15), H^2 sqrt(T log(T/beta) / 2)
    sampling: (
        float  #: inequality (22), (H+1) sqrt(L) sqrt(TH) sqrt(SAH ln T) with L = 2 ln(T/beta')
    )
    noise: float  #: the lines before (26)
    start: float  #: (17), the episodes that meet a tuple with fewer than 3E visits


def theorem_4_terms(
    states: int,
    actions: int,
    horizon: int,
    episodes: int,
    epsilon: float,
    beta: float,
    form: StatedForm = "printed",
) -> Theorem4Terms:
    """The explicit terms behind vietri2020/theorem-4 (Appendix B.2), E and beta' = beta/4 as
    printed.

    The last display hides constants in polylog factors; the last lines before it that do not are
    used. Where the printed lines disagree with each other there are two forms:

    - ``printed``: noise 5 S^2 A H^2 E log T (the line before 26); start (3/epsilon) S A H^3
      log(N/beta') log(T)^(5/2) (the right end of 17, and the last display);
    - ``derived``: noise (1 + SH) 5 E SAH log T (what line 25 gives); start 3 E S A H^2 (the left
      side of 17, three times the right one).

    ``derived`` follows the displayed lines and is not a proof of them: each step has its own row in
    the ledger.

    Raises
    ------
    ValueError
        A size below 1, epsilon <= 0, beta outside (0, 1), an unknown form.
    """
    choice("form", form, ("printed", "derived"))
    width = printed_width(states, actions, horizon, episodes, epsilon, beta)
    S, A, H, T = states, actions, horizon, episodes
    logarithm = log(T)
    sampling = (H + 1) * sqrt(2 * log(4 * T / beta)) * sqrt(T * H) * sqrt(S * A * H * logarithm)
    if form == "printed":
        noise, start = 5 * S * S * A * H * H * width * logarithm, S * A * H * H * width
    else:
        noise, start = (1 + S * H) * 5 * width * S * A * H * logarithm, 3 * width * S * A * H * H
    return Theorem4Terms(H * H * sqrt(T * log(T / beta) / 2), sampling, noise, start)


def theorem_4_bound(
    states: int,
    actions: int,
    horizon: int,
    episodes: int,
    epsilon: float,
    beta: float,
    form: StatedForm = "printed",
) -> float:
    """The sum of :func:`theorem_4_terms`."""
    return theorem_4_terms(states, actions, horizon, episodes, epsilon, beta, form).total


DECREASING_FROM = 34  # > e^3.5


def vacuity_horizon(
    states: int,
    actions: int,
    horizon: int,
    epsilon: float,
    beta: float,
    form: StatedForm = "printed",
) -> int:
    """The smallest T from which on the bound of theorem 4 stays below the trivial H T.

    Every term divided by T decreases for T >= 34: the derivative of log(T)^a T^(-b) has the sign of
    a/b - log T, and a/b is at most 3.5 here (log(T)^(7/2)/T); log(T/beta) or log(4T/beta) for
    log(T) make it the more negative. At T = 34 the sampling term alone exceeds H T (at least 2.02
    times, at S = A = H = 1 and beta near 1). So there is one crossing beyond 34; below, the bound
    can dip under H T at T = 1, where log T vanishes, and that does not last.
    """

    def below(episodes: int) -> bool:
        bound = theorem_4_bound(states, actions, horizon, episodes, epsilon, beta, form)
        return bound < trivial_regret(horizon, episodes)

    require(
        not below(DECREASING_FROM),
        "the bound must be above H T at T = 34",
        episodes=DECREASING_FROM,
    )
    return first_true(below, DECREASING_FROM, 2 * DECREASING_FROM)


def first_true(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The integer from which on ``holds``, false at ``low``, is true; ``high``, or as often doubled
    as it takes."""
    while not holds(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


PRIVACY, SAMPLING, FINAL = "privacy", "sampling", "privacy of the final policy"  # what binds


def per_pull(gap: float, epsilon: float = inf) -> float:
    """The value of :func:`per_pull_binding`."""
    return per_pull_binding(gap, epsilon).value


def per_pull_binding(gap: float, epsilon: float = inf) -> Binding:
    """Divergence that one pull can add between means 1/2 and 1/2 + gap: min(epsilon gap, kl(1/2,
    1/2 + gap)).

    The first by privacy (theory.lemmas.coupling), the second without; ``epsilon`` infinite for no
    privacy.
    """
    gap = probability("gap", gap)
    require(gap <= 0.5, "gap must be <= 1/2, so that 1/2 + gap is a probability", gap=gap)
    plain = -log1p(-4 * gap * gap) / 2 if gap < 0.5 else inf
    private = inf if real("epsilon", epsilon) == inf else positive("epsilon", epsilon) * gap
    return least({SAMPLING: plain, PRIVACY: private})


def lower_pac(
    states: int,
    actions: int,
    horizon: int,
    alpha: float,
    beta: float,
    epsilon: float,
    privacy: Privacy = "policies",
    share: float = 1 / 7,
) -> float:
    """The value of :func:`lower_pac_binding`."""
    return lower_pac_binding(states, actions, horizon, alpha, beta, epsilon, privacy, share).value


def lower_pac_binding(
    states: int,
    actions: int,
    horizon: int,
    alpha: float,
    beta: float,
    epsilon: float,
    privacy: Privacy = "policies",
    share: float = 1 / 7,
) -> Binding:
    """Episodes that an agent needs before its final policy is alpha-optimal with probability 1 -
    beta on every hard MDP
    (vietri2020/lemma-10 and theorem-5, corrected): n = S - 2 first states, m = A - 1 arms beside
    arm 0.

    Parameters
    ----------
    epsilon : infinite for agents without privacy
    privacy : "policies": all policies together, first states public, are epsilon-DP (agents proved
        private by the billboard lemma, PUCB among them); "joint": epsilon-JDP
        (vietri2020/definition-3), where the factor m is lost
    share : of first states at which an alpha-optimal policy may err; the paper takes 1/7. The gap
        is then 2 alpha/(share H) <= 1/2

    Raises
    ------
    ValueError
        S < 3, A < 2, alpha > share H/4, or share + (1 - share) beta >= 1/2.
    """
    n, m = count("states", states, 3) - 2, count("actions", actions, 2) - 1
    choice("privacy", privacy, ("policies", "joint"))
    gap = 2 * positive("alpha", alpha) / (probability("share", share) * count("horizon", horizon))
    require(gap <= 0.5, "alpha must be <= share H/4", alpha=alpha, share=share, horizon=horizon)
    failing = share + (1 - share) * probability("beta", beta)
    require(failing < 0.5, "share + (1 - share) beta must be < 1/2", share=share, beta=beta)
    divergence = mean_error_divergence(failing)
    pull = per_pull_binding(gap, epsilon if privacy == "policies" else inf)
    terms = {pull.term: n * (m * divergence / pull.value)}
    if epsilon != inf:
        final = max(divergence, (1 - failing) * log(m) - log(2))
        terms[FINAL] = n * (final / (positive("epsilon", epsilon) * gap))
    return largest(terms)


def lower_count(
    states: int,
    actions: int,
    horizon: int,
    alpha: float,
    beta: float,
    epsilon: float,
    share: float = 1 / 10,
) -> float:
    """The value of :func:`lower_count_binding`."""
    return lower_count_binding(states, actions, horizon, alpha, beta, epsilon, share).value


def lower_count_binding(
    states: int,
    actions: int,
    horizon: int,
    alpha: float,
    beta: float,
    epsilon: float,
    share: float = 1 / 10,
) -> Binding:
    """Episodes that are not alpha-optimal (vietri2020/definition-1), for agents whose policies are
    private together.

    f >= share (T - 1), T the bound of :func:`lower_pac` for the majority of the policies, which
    errs at most at a part 2 share (1 - share)/(1 - 2 share) of the first states (proofs.md,
    "Episodes that are not alpha-optimal"), for agents that play T - 1 episodes or more.
    """
    n, m = count("states", states, 3) - 2, count("actions", actions, 2) - 1
    gap = 2 * positive("alpha", alpha) / (probability("share", share) * count("horizon", horizon))
    require(gap <= 0.5, "alpha must be <= share H/4", alpha=alpha, share=share, horizon=horizon)
    require(share < 0.25, "share must be < 1/4", share=share)
    wrong = 2 * share * (1 - share) / (1 - 2 * share)
    failing = wrong + (1 - wrong) * probability("beta", beta)
    require(failing < 0.5, "the majority must be right more often than not", share=share, beta=beta)
    pull = per_pull_binding(gap, epsilon)
    pulled = share * (n * m * mean_error_divergence(failing) / pull.value - 1)
    return largest({pull.term: pulled, "none": 0.0})


GAPS = tuple(0.5 / 2 ** (i / 4) for i in range(56))  # 1/2 down to 3.6e-5
PRIORS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98)  # probability of the instance without a special arm


def lower_regret(
    states: int,
    actions: int,
    horizon: int,
    episodes: int,
    epsilon: float,
    privacy: Privacy = "policies",
    *,
    gap: float | None = None,
    first_paid: bool = True,
) -> float:
    """The value of :func:`lower_regret_binding`."""
    return lower_regret_binding(
        states, actions, horizon, episodes, epsilon, privacy, gap=gap, first_paid=first_paid
    ).value


def lower_regret_binding(
    states: int,
    actions: int,
    horizon: int,
    episodes: int,
    epsilon: float,
    privacy: Privacy = "policies",
    *,
    gap: float | None = None,
    first_paid: bool = True,
) -> Binding:
    """Expected regret that an agent must have on some hard MDP of this size (vietri2020/theorem-6,
    corrected).

    Parameters
    ----------
    epsilon, privacy : as for :func:`lower_pac`
    gap : alpha' of the MDPs, at most 1/2; the best of a grid where None
    first_paid : rewards H or 0 an episode (section 6.2), else H - 1 or 0 (Appendix C.4;
        ``entry_reward=False``)

    Raises
    ------
    ValueError
        S < 3, A < 2, a number out of range.
    """
    n, m = count("states", states, 3) - 2, count("actions", actions, 2) - 1
    planned, paid = (
        count("episodes", episodes),
        count("horizon", horizon) - (0 if first_paid else 1),
    )
    choice("privacy", privacy, ("policies", "joint"))
    visits = planned / n
    # visits of one first state are binomial, and the bounds are concave in them with value 0 at 0
    spread = max(0.0, 1 - sqrt((n - 1) / planned) / 2)
    best = Binding(0.0, "none")
    for gap_ in GAPS if gap is None else (gap,):
        pull = per_pull_binding(gap_, epsilon if privacy == "policies" else inf)
        terms = {pull.term: wrong_pulls(visits, m, pull.value)}
        if epsilon != inf:
            choice_by_choice = per_pull_binding(gap_, epsilon)
            private = positive("epsilon", epsilon) * gap_
            chosen = wrong_choices(visits, m, choice_by_choice.value, private)
            terms[f"{choice_by_choice.term}, choice by choice"] = chosen
        wrong = largest(terms)
        best = max(
            best, wrong.times(n * paid * gap_ / 2 * spread), key=lambda binding: binding.value
        )
    return best


def wrong_pulls(visits: float, m: int, kappa: float, priors: tuple[float, ...] = PRIORS) -> float:
    """Least expected wrong pulls in N visits of a state, on average over I_s = 0 (probability w)
    and I_s = a (else).

    With x_a the pulls of arm a under I_s = 0: x_a + E_a[N - n_a] >= N (1 - TV) >= (N/2) e^(-kappa
    x_a), by Bretagnolle and Huber. So the mean is at least sum_a inf_x (w - v) x + v (N/2)
    e^(-kappa x), v = (1 - w)/m.
    """
    best = 0.0
    for prior in priors:
        v = (1 - prior) / m
        u = prior - v
        if u <= 0:  # m = 1, w = 1/2: x + max(0, (N/2) e^(-kappa x) - x) >= (N/4) e^(-kappa x) + x/2
            u = v = prior / 2
        ratio = v * visits * kappa / (2 * u)
        best = max(best, m * (v * visits / 2 if ratio <= 1 else u / kappa * (1 + log(ratio))))
    return best


def wrong_choices(visits: float, m: int, kappa: float, private: float) -> float:
    """The same when only what others see of the past is private: each choice alone, by the visits
    before it.

    Two instances: (1/4) e^(-kappa k) after k visits. m instances (Fano): 1 - (k epsilon gap + ln
    2)/ln m.
    """
    two = (1 - exp(-kappa * visits)) / (4 * kappa)
    if m < 3:
        return two
    start = 1 - log(2) / log(m)
    length = min(visits, start * log(m) / private)
    return max(two, start * length - private * length**2 / (2 * log(m)))
