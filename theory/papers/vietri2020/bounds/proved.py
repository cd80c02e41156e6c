"""Explicit bounds for PUCB that can be proved, and what the paper's own PAC proof adds up to
(vietri2020, Appendix B).

The regret bound is proved in ``theory.papers.vietri2020.gap`` and the PAC bound in ``.pac``. Both
hold for the algorithm as printed (its bonuses, Q+ = H where n~ < 2E), for any noise that E covers
with probability 1 - beta/4. Logarithms are natural; regret in units of reward, PAC bounds in
episodes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, expm1, inf, log, sqrt

from privrl.checks import choice, count, positive, probability, require
from privrl.privacy.quantiles import tree_quantile
from privrl.types import CALIBRATIONS, Calibration
from theory.bound_terms import BoundTerms
from theory.papers.vietri2020.bounds.stated import (
    counters,
    first_true,
    printed_width,
    tree_error,
    trivial_regret,
)

# the free parameter of the transitions' event, tried in turn
LAMBDAS = tuple(2.0 ** (-k / 2) for k in range(41))


def width(
    states: int,
    actions: int,
    horizon: int,
    episodes: int,
    epsilon: float,
    beta: float,
    calibration: Calibration = "corrected",
) -> float:
    """E, for the printed noise or for the noise that epsilon-JDP needs.

    - ``printed``: vietri2020/equation-e-epsilon; covers the printed noise for every T >= 4;
    - ``corrected``: node noise of scale 6 H levels(T-1)/epsilon, covered at every time by all
      counters at failure probability beta/4
      (``theory.papers.vietri2020.bounds.stated.tree_error``);
    - ``tight``: the same noise and failure probability, E from the certified quantile.

    Raises
    ------
    ValueError
        A size below 1, episodes < 4, epsilon <= 0, beta outside (0, 1), an unknown calibration.
    """
    choice("calibration", calibration, CALIBRATIONS)
    T = count("episodes", episodes, 4)
    if calibration == "printed":
        return printed_width(states, actions, horizon, T, epsilon, beta)
    share = probability("beta", beta) / 4 / counters(states, actions, horizon)
    releases = T - 1
    scale = 6 * horizon * releases.bit_length() / positive("epsilon", epsilon)
    return (
        scale * tree_quantile(share, releases)
        if calibration == "tight"
        else tree_error(scale, releases, share)
    )


def optimism_slack(states: int, actions: int, horizon: int, episodes: int, beta: float) -> float:
    """SAH (T-1) (beta'/T)^4 / beta': the sampling part of the fail event, in shares of beta' =
    beta/4.

    What the bounds below need at most 1; it is 0.0004 already at S = 6, A = 2, H = 20, T = 10, beta
    = 0.1.
    """
    T = count("episodes", episodes)
    return counters(states, actions, horizon) / (states + 2) * (T - 1) * (beta / 4) ** 3 / T**4


def growth(lam: float) -> float:
    """kappa = (e^lambda - 1)/lambda, the factor by which an over-estimate grows in one step
    back."""
    return float(expm1(positive("lam", lam)) / lam)


@dataclass(frozen=True)
class PUCBRegretTerms(BoundTerms):
    """The regret bound that can be proved, term by term."""

    #: tuples with fewer than 3E visits, H a visit: ceil(3E) <= 3E + 1 of them for each tuple
    start: float
    sampling: float  #: the bonuses (H+1) phi~
    deviation: float  #: over-estimates of rewards and of P V*
    noise: float  #: psi~ and the released counts' own errors
    transitions: float  #: P^ against P on V~ - V*, which the paper's fail event does not cover
    martingale: float  #: first states, actions and next states against their expectation


def regret_terms(
    states: int,
    actions: int,
    horizon: int,
    episodes: int,
    width: float,
    beta: float,
    lam: float | None = None,
    summed: int | None = None,
) -> PUCBRegretTerms:
    """A bound of PUCB's regret that holds with probability 1 - beta when E = ``width`` covers the
    noise at beta/4.

    Parameters
    ----------
    width : E >= 0 (0: exact counts)
    lam : lambda > 0: each transition frequency is at most kappa P + ln(S^2 A
        (H-1)/(beta/6))/(lambda n), and over-estimates grow by kappa = (e^lambda - 1)/lambda a step.
        None: by total variation, no growth, and a factor sqrt(S) in the leading term.
    summed : bound the regret of this many episodes among the T, picked by any rule that looks at
        the past only

    Raises
    ------
    ValueError
        Sizes out of range, or T so small that the sampling events are not below beta/4
        (:func:`optimism_slack`).
    """
    count("episodes", episodes, 2)
    require(width >= 0, "width must be >= 0", width=width)
    slack = optimism_slack(states, actions, horizon, episodes, probability("beta", beta))
    require(slack <= 1, "SAH (T-1) (beta/4)^3 must be <= T^4", share=slack)
    S, A, H, T, E = states, actions, horizon, episodes, float(width)
    m = T if summed is None else count("summed", summed)
    pairs, share = S * A, beta / 6
    moving = S > 1 and H > 1  # otherwise no next state matters
    kappa = growth(lam) if lam is not None and moving else 1.0
    weights = [kappa**h for h in range(H)]
    total, earlier = sum(weights), sum(weights[:-1])
    L = 2 * log(4 * T / beta)
    root = 2 * sqrt(pairs * m)  # sum over one step's visits of 1/sqrt(n)
    first = max(3 * E, 1.0)  # where a tuple is charged its bonus, and no longer H
    lowest = max(2 * E, 1 - E)  # the smallest n~ that enters psi~
    ones = E / lowest + E * log(1 + m / (pairs * lowest))  # sum of E/n~ over one tuple
    squares = (E / lowest) ** 2 + E * E / lowest
    noise = (3 * (1 + S * H) + 2 + H + S * H) * ones + 2 * (1 + S * H) * squares
    union = log(pairs * H * (T - 1) / share)
    if not moving or lam is not None:
        reach = sum(weight * (H - h) for h, weight in enumerate(weights)) if moving else H * total
        deviation = reach * sqrt(union / 2) * root
    else:
        deviation = H * sqrt(union / 2) * root
    transitions = 0.0
    if moving and lam is not None:
        rate = S * H * log(S * pairs * (H - 1) / share) / lam
        transitions = earlier * pairs * rate * (1 / first + log(1 + m / (pairs * first)))
    elif moving:
        # 2^S - 2 of them
        subsets = S * log(2) + log(1 - 2.0 ** (1 - S)) + log(pairs * (H - 1) * (T - 1) / share)
        transitions = (H - 1) * H * sqrt(subsets / 2) * root
    return PUCBRegretTerms(
        start=H * pairs * (3 * E + 1) * total,
        sampling=(H + 1) * sqrt(L) * total * root,
        deviation=deviation,
        noise=pairs * total * noise,
        transitions=transitions,
        martingale=H * sqrt(m * sum(weight**2 for weight in weights) * log(1 / share) / 2),
    )


def best_regret_terms(
    states: int,
    actions: int,
    horizon: int,
    episodes: int,
    width: float,
    beta: float,
    summed: int | None = None,
) -> tuple[PUCBRegretTerms, float | None]:
    """The smallest of the bounds over lambda and total variation, and the lambda (None: total
    variation).

    Which one is smallest is known before the run, so no probability is lost by choosing.
    """
    choices: list[float | None] = [None, *LAMBDAS]
    candidates = (
        (regret_terms(states, actions, horizon, episodes, width, beta, lam, summed), lam)
        for lam in choices
    )
    return min(candidates, key=lambda pair: pair[0].total)


def regret_bound(
    states: int,
    actions: int,
    horizon: int,
    episodes: int,
    epsilon: float,
    beta: float,
    calibration: Calibration = "corrected",
) -> float:
    """The best regret bound proved for PUCB, vietri2020/theorem-4 corrected; epsilon = inf: exact
    counts."""
    E = (
        0.0
        if epsilon == inf
        else width(states, actions, horizon, episodes, epsilon, beta, calibration)
    )
    return best_regret_terms(states, actions, horizon, episodes, E, beta)[0].total


def regret_horizon(
    states: int,
    actions: int,
    horizon: int,
    epsilon: float,
    beta: float,
    calibration: Calibration = "corrected",
) -> int:
    """The smallest T from which on :func:`regret_bound` stays below H T."""
    return last_crossing(
        lambda T: (
            regret_bound(states, actions, horizon, T, epsilon, beta, calibration)
            / trivial_regret(horizon, T)
        )
    )


def last_crossing(ratio: Callable[[int], float]) -> int:
    """The smallest T > 8 from which on ``ratio`` < 1, for a ratio that falls where the tree's depth
    stays the same.

    The depth changes after T = 2^k, where E and so the ratio jump up by less than a factor 1 + 2/k;
    over a block (2^k, 2^(k+1)] a ratio like T^(-1/2) loses more. So the block before three in a row
    that begin below 1 holds it.

    Raises
    ------
    ValueError
        The ratio does not fall below 1 before T = 2^400.
    """
    k = 3
    while any(ratio((1 << later) + 1) >= 1 for later in (k, k + 1, k + 2)):
        k += 1
        require(k < 400, "a ratio must fall below 1", exponent=k)
    low, high = (1 << (k - 1)) + 1, 1 << k
    if k == 3 or ratio(high) >= 1:
        return high + 1
    return first_true(lambda T: ratio(T) < 1, low, high)


@dataclass(frozen=True)
class PacTerms(BoundTerms):
    """A bound of the number of episodes whose policy loses more than alpha."""

    not_nice: float  #: episodes in which some likely tuple has too few past visits
    sampling: float  #: nice episodes by the terms in 1/sqrt(n)
    noise: float  #: nice episodes by the terms in 1/n


def not_nice(
    states: int, actions: int, horizon: int, width: float, beta: float, least: float
) -> float:
    """SAH (4 (ln(SAH/beta') + 2E)/w_min + 1), vietri2020/lemma-20 corrected (with + 1 for rounding
    up)."""
    tuples = states * actions * horizon
    return tuples * (4 * (log(4 * tuples / beta) + 2 * width) / positive("least", least) + 1)


def derived_pac_terms(
    states: int, actions: int, horizon: int, episodes: int, width: float, beta: float, alpha: float
) -> PacTerms:
    """What Appendix B.1 adds up to when lemma-18 is taken as it stands, with w_min = alpha/(3 S
    H^2) and thirds.

    Lemma-21 with r = 2 and C (log T + D) = 2 (H+1)^2 ln(T/beta'), and with r = 1 and 10 (1 + SH) E.
    """
    S, A, H, T = states, actions, horizon, count("episodes", episodes, 2)
    least = positive("alpha", alpha) / (3 * S * H * H)
    logarithm = log(T * exp(1) / least)
    return PacTerms(
        not_nice=not_nice(S, A, H, width, beta, least),
        sampling=8
        * 2
        * (H + 1) ** 2
        * log(4 * T / beta)
        * S
        * A
        * H**2
        * logarithm
        * (3 / alpha) ** 2,
        noise=8 * 10 * (1 + S * H) * width * S * A * H * logarithm * 3 / alpha,
    )


def pac_bound(
    states: int,
    actions: int,
    horizon: int,
    episodes: int,
    epsilon: float,
    beta: float,
    alpha: float,
    calibration: Calibration = "corrected",
) -> int:
    """The best PAC bound proved for PUCB (vietri2020/theorem-3 corrected): with probability 1 -
    beta fewer than this many episodes lose more than alpha; epsilon = inf: exact counts.

    The smallest m with alpha m >= the regret bound of m episodes among the T: m episodes that lose
    more than alpha each would lose more than alpha m together, and whether an episode is one of
    them is known before it begins.
    """
    E = (
        0.0
        if epsilon == inf
        else width(states, actions, horizon, episodes, epsilon, beta, calibration)
    )
    alpha = positive("alpha", alpha)

    return first_true(
        lambda m: (
            best_regret_terms(states, actions, horizon, episodes, E, beta, m)[0].total <= alpha * m
        ),
        0,
        1,
    )


def pac_horizon(
    states: int,
    actions: int,
    horizon: int,
    epsilon: float,
    beta: float,
    alpha: float,
    calibration: Calibration = "corrected",
) -> int:
    """The smallest T from which on :func:`pac_bound` is at most T, the number of episodes there
    are.

    alpha m >= bound(m) at m = T, which is the regret bound of all T episodes below alpha T.
    """
    return last_crossing(
        lambda T: (
            regret_bound(states, actions, horizon, T, epsilon, beta, calibration) / (alpha * T)
        )
    )
