"""Explicit constants and regret bounds of Private-LinOpt-VI and Private-LinOpt-PO (zhou2022,
theorems 4.1, 5.1, 6.5).

K episodes of H steps, features of d1 and d2 dimensions, epsilon and delta of the privacy, alpha the
failure probability of assumption-2, as in the paper: every bound holds with probability 1 - 4
alpha. Regret is in units of reward, logarithms are natural, but for m = ceil(log2 K).

Counters: ``tree`` (the paper's), ``local`` (remark-6.9: every user adds her own noise, m is 1 for
the noise and K - 1 of them add up; the paper gives no formulas, so these are its own ones with that
change), ``none`` (Z = I, no noise), and, not for ``printed``, every other counter of
:mod:`privrl.privacy.counters.mechanisms` with Gaussian draws, at its squared sensitivity in the
place of m in the noise and its largest variance in the place of m noise terms. Calibrations:
``printed``; ``corrected`` (the noise that exact accounting of all 4H counters together asks for,
values in [0, H - h], else as printed); ``tight`` (besides, the sharp norm of a symmetric Gaussian
matrix and the exact chi-square quantile). The agents' ``tight`` also spreads the noise over steps
and statistics, and needs fewer episodes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import log, log1p, sqrt

from privrl.agents.linear.layout import sums_of_step
from privrl.agents.linear.widths import Level, under_root
from privrl.checks import choice, count, positive, probability
from privrl.privacy import noise
from privrl.privacy.accounting import gaussian_mu
from privrl.privacy.counters import mechanisms
from privrl.privacy.counters.matrix import VARIANCE_SLACK
from privrl.privacy.noise_scales.zhou2022 import printed_zhou2022
from privrl.types import CALIBRATIONS, Calibration
from theory.bound_terms import BoundTerms
from theory.derive_noise import mixture_weight
from theory.papers.vietri2020.bounds.proved import last_crossing


def counters_of(paper: str) -> tuple[str, ...]:
    """Those with Gaussian noise whose every release has one law: none, the paper's own, the other
    papers', and those that take less noise."""
    known = (
        name
        for name in mechanisms.MECHANISMS
        if name == "none" or (name in mechanisms.PRIVATE and "gaussian" in mechanisms.laws(name))
    )
    first = ("none", noise.paper(paper).counter)
    return tuple(sorted(known, key=lambda name: (*(name != leader for leader in first),)))


COUNTERS = counters_of("zhou2022")
PAPER = tuple(name for name in COUNTERS if name in mechanisms.OF_THE_PAPERS)


@dataclass(frozen=True)
class MixtureRegularity:
    """Assumption-2 for one of the two regressions of a step.

    Parameters
    ----------
    low, high, nu : lambda_min, lambda_max and nu
    gram, vector : standard deviation of one noise in the Gram matrix and in the vector
    summed : how many of them a release may hold; largest variance of a release over that of a draw
    """

    low: float
    high: float
    nu: float
    gram: float
    vector: float
    summed: float


@dataclass(frozen=True)
class Constants:
    """Everything that the regret bounds need.

    Parameters
    ----------
    p, r : the regularity of transitions and rewards
    beta_p : per step h = 1..H; all equal for ``printed``
    beta_r : of every step
    phi : ||phi_V|| <= phi max V; theta_p, theta_r : bounds of the parameters; sqrt(d1), sqrt(d1),
        sqrt(d2) by assumption-1
    """

    dim_p: int
    dim_r: int
    horizon: int
    episodes: int
    alpha: float
    p: MixtureRegularity
    r: MixtureRegularity
    beta_p: tuple[float, ...]
    beta_r: float
    phi: float
    theta_p: float
    theta_r: float


def released(counter: str, episodes: int) -> tuple[float, float]:
    """Squared sensitivity and largest variance of a counter for K - 1 releases; for the tree both
    are m."""
    K = count("episodes", episodes, 2)
    if choice("counter", counter, COUNTERS[1:]) in PAPER:
        levels = (K - 1).bit_length()
        return (levels, levels) if counter == "tree" else (1, K - 1)
    cost = mechanisms.counter_cost(counter, K - 1)
    return cost.sensitivity**2, cost.largest * (1 + VARIANCE_SLACK)


def noise_unit(
    horizon: int, levels: float, epsilon: float, delta: float, calibration: Calibration
) -> float:
    """sigma/Delta: the noise of a node in units of the printed sensitivity, for the 4H counters of
    an episode.

    ``levels`` : m, or a squared sensitivity. printed: H sqrt(32 m ln(4H/delta))/epsilon. corrected
        and tight: sqrt(m
    w)/mu(epsilon, delta) (zhou2022/theorem-6.4, corrected)."""
    epsilon, delta = positive("epsilon", epsilon), probability("delta", delta)
    if calibration == "printed":
        return printed_zhou2022(epsilon, delta, horizon, levels)
    return sqrt(levels * mixture_weight(horizon, rewards=True)) / gaussian_mu(epsilon, delta)


def matrix_norm(
    dimension: int, episodes: int, horizon: int, alpha: float, calibration: Calibration
) -> float:
    """Sigma/(sigma sqrt(m)): exceeded by the norm of one release with probability at most
    alpha/(4KH).

    d is the matrix's own size: d1 for the transitions, where the paper has d >= max(d1, d2).
    printed and corrected: 4 sqrt(d) + sqrt(8 ln(8KH/alpha)), lemma-B.4; tight: what its proof gives
    before it is rounded up, exact for d = 1."""
    level = Level(alpha / 4, horizon, episodes)
    return level.gram_factor(dimension, 1, sharp=calibration == "tight")


def vector_norm(
    dimension: int, episodes: int, horizon: int, alpha: float, calibration: Calibration
) -> float:
    """The same for a vector: sqrt(d) + sqrt(2 ln(4KH/alpha)) (lemma-B.5); tight: the exact
    quantile."""
    level = Level(alpha / 4, horizon, episodes)
    return level.vector_factor(dimension, 1, sharp=calibration == "tight")


def regularity(
    dimension: int,
    sizes: tuple[float, float],
    unit: float,
    summed: float,
    setting: tuple[int, int, float],
    calibration: Calibration,
) -> MixtureRegularity:
    """Assumption-2 for noise of ``unit`` times the ``sizes`` of matrix and vector; ``setting``: K,
    H and alpha."""
    episodes, horizon, alpha = setting
    root = sqrt(summed)
    gram, vector = unit * sizes[0], unit * sizes[1]
    # Sigma; Z = N + 2 Sigma I
    shift = gram * root * matrix_norm(dimension, episodes, horizon, alpha, calibration)
    nu = vector * root * vector_norm(dimension, episodes, horizon, alpha, calibration) / sqrt(shift)
    return MixtureRegularity(shift, 3 * shift, nu, gram, vector, summed)


def radius(scale: float, horizon: int, alpha: float, dimension: int, growth: float) -> float:
    """R sqrt(2 ln(H/alpha) + d ln(1 + growth)), the noise of the data in lemma-3.1."""
    return scale * sqrt(under_root(horizon, alpha, dimension, growth))


def constants(
    dim_p: int,
    dim_r: int,
    horizon: int,
    episodes: int,
    epsilon: float,
    delta: float,
    alpha: float,
    calibration: Calibration = "printed",
    counter: str = "tree",
    *,
    phi: float | None = None,
    theta_p: float | None = None,
    theta_r: float | None = None,
) -> Constants:
    """Noise, regularity and widths of lemma-3.1 and theorem-6.5.

    Parameters
    ----------
    dim_p, dim_r : d1 and d2
    episodes : planned K >= 2
    alpha : failure probability of assumption-2; the bounds hold with 1 - 4 alpha
    phi, theta_p, theta_r : norms, where they are known to be smaller than assumption-1 allows
    """
    choice("calibration", calibration, CALIBRATIONS)
    choice("counter", counter, COUNTERS if calibration != "printed" else PAPER)
    d1, d2 = count("dim_p", dim_p), count("dim_r", dim_r)
    H, K = count("horizon", horizon), count("episodes", episodes, 2)
    alpha = probability("alpha", alpha, one=True)
    size, long_p, long_r = (
        positive(name, value if value is not None else sqrt(d))
        for name, value, d in (("phi", phi, d1), ("theta_p", theta_p, d1), ("theta_r", theta_r, d2))
    )
    if counter == "none":
        p = r = MixtureRegularity(1.0, 1.0, 0.0, 0.0, 0.0, 0)
    else:
        levels, summed = released(counter, K)
        unit = noise_unit(H, levels, epsilon, delta, calibration)
        p = regularity(d1, ((size * H) ** 2, size * H**2), unit, summed, (K, H, alpha), calibration)
        r = regularity(d2, (1.0, 1.0), unit, summed, (K, H, alpha), calibration)
    tops = [float(H if calibration == "printed" else H - h) for h in range(1, H + 1)]
    fixed = long_p * sqrt(p.high) + p.nu
    beta_p = tuple(
        radius(top / 2, H, alpha, d1, K * (size * top) ** 2 / (d1 * p.low)) + fixed for top in tops
    )
    beta_r = radius(0.5, H, alpha, d2, K / (d2 * r.low)) + long_r * sqrt(r.high) + r.nu
    return Constants(d1, d2, H, K, alpha, p, r, beta_p, beta_r, size, long_p, long_r)


@dataclass(frozen=True)
class MixtureRegretTerms(BoundTerms):
    """A regret bound, term by term.

    Parameters
    ----------
    transitions, rewards : the two sums of bonuses, T1 and T2
    martingale : T3, or (ii) of policy optimisation
    mirror : (i) of policy optimisation; 0 for value iteration
    """

    transitions: float
    rewards: float
    martingale: float
    mirror: float = 0.0


def displayed_terms(bound_constants: Constants, actions: int | None = None) -> MixtureRegretTerms:
    """T1, T2 and T3 as section 7.1 displays them, or (i), (ii) and (iii) of section 8 for
    ``actions`` A.

    T1 = 2 beta_p sqrt(KH) sqrt(2 H d1 ln(1 + K H^2/lambda_min,p)), T2 = 2 H beta_r sqrt(KH) sqrt(2
    H d2 ln(1 + K/(d2 lambda_min,r))), 0 where rewards are known (d2 = 0), T3 = H sqrt(2 K H
    ln(1/alpha)); (i) = sqrt(2 H^3 T ln A), (ii) = 4 H sqrt(2 T ln(1/alpha))."""
    H, K, T, level = (
        bound_constants.horizon,
        bound_constants.episodes,
        bound_constants.horizon * bound_constants.episodes,
        log(1 / bound_constants.alpha),
    )
    growth = K * (bound_constants.phi * H) ** 2 / (bound_constants.dim_p * bound_constants.p.low)
    first = (
        2
        * max(bound_constants.beta_p)
        * sqrt(K * H)
        * sqrt(2 * H * bound_constants.dim_p * log1p(growth))
    )
    reward_growth = (
        K / (bound_constants.dim_r * bound_constants.r.low) if bound_constants.dim_r else 0.0
    )
    second = (
        2
        * H
        * bound_constants.beta_r
        * sqrt(K * H)
        * sqrt(2 * H * bound_constants.dim_r * log1p(reward_growth))
    )
    if actions is None:
        return MixtureRegretTerms(first, second, H * sqrt(2 * K * H * level))
    return MixtureRegretTerms(
        first,
        second,
        4 * H * sqrt(2 * T * level),
        sqrt(2 * H**3 * T * log(count("actions", actions))),
    )


def bonus_sum(cap: float, beta: float, episodes: int, dimension: int, growth: float) -> float:
    """At least sum over K episodes of min(cap, 2 beta ||x||), x in the norm of the inverse of the
    matrix before.

    min(1, b z) <= ln(1 + z)/ln(1 + 1/b) for z >= 0 (concave on [0, 1/b], equal at its ends), b = (2
    beta/cap)^2, and sum ln(1 + ||x||^2) <= d ln(1 + growth); then Cauchy and Schwarz. Never more
    than cap K.
    """
    if dimension == 0 or growth == 0:
        return 0.0
    squares = cap**2 * dimension * log1p(growth) / log1p((cap / (2 * beta)) ** 2)
    return min(cap * episodes, sqrt(episodes * squares))


def regret_terms(bound_constants: Constants, actions: int | None = None) -> MixtureRegretTerms:
    """The bound that is proved here: the same decomposition, each step h with its own cap H - h + 1
    and values in [0, H - h], min(c, x + y) <= min(c, x) + min(c, y) in place of the factor H,
    1/ln(1 + 1/b) in place of 2 b, and Hoeffding's constant for the intervals that the terms really
    have (given the good event, which an episode's past decides); mirror descent by Hoeffding's
    lemma: H ln A/eta + eta K sum_h (H-h+1)^2/8 at the printed eta.
    """
    H, K, level = bound_constants.horizon, bound_constants.episodes, log(1 / bound_constants.alpha)
    low_p, low_r = (
        bound_constants.dim_p * bound_constants.p.low,
        bound_constants.dim_r * bound_constants.r.low,
    )
    transitions = sum(
        bonus_sum(
            H - h + 1,
            bound_constants.beta_p[h - 1],
            K,
            bound_constants.dim_p,
            K * (bound_constants.phi * (H - h)) ** 2 / low_p,
        )
        for h in range(1, H + 1)
    )
    reward_growth = K / low_r if bound_constants.dim_r else 0.0
    rewards = sum(
        bonus_sum(H - h + 1, bound_constants.beta_r, K, bound_constants.dim_r, reward_growth)
        for h in range(1, H + 1)
    )
    after = sum((H - h) ** 2 for h in range(1, H + 1))
    if actions is None:
        return MixtureRegretTerms(transitions, rewards, sqrt(K * after * level / 2))
    capped = sum((H - h + 1) ** 2 for h in range(1, H + 1))
    spread = log(count("actions", actions, 2))
    eta = sqrt(2 * spread / (H * H * K))
    mirror = H * spread / eta + eta * K * capped / 8
    return MixtureRegretTerms(transitions, rewards, sqrt(K * (after + capped) * level / 2), mirror)


def stated(bound_constants: Constants, actions: int | None = None) -> float:
    """The right side of theorem-4.1 (5.1 for ``actions``) with the constant 1 in place of O."""
    H, T, d = (
        bound_constants.horizon,
        bound_constants.horizon * bound_constants.episodes,
        max(bound_constants.dim_p, bound_constants.dim_r),
    )
    kappa = log1p(
        bound_constants.episodes * H**2 / min(bound_constants.p.low, bound_constants.r.low)
    )
    private = sqrt(d * max(bound_constants.p.high, bound_constants.r.high)) + max(
        bound_constants.p.nu, bound_constants.r.nu
    )
    first = sqrt(T * H**3) * (log(H / bound_constants.alpha) + d * kappa)
    mirror = 0.0 if actions is None else sqrt(T * H**3 * log(actions))
    return first + mirror + sqrt(T * H * d * kappa) * private


def stated_private(
    dimension: int, horizon: int, episodes: int, epsilon: float, delta: float, alpha: float
) -> float:
    """The right side of theorem-6.5, equation (4), with the constant 1 in place of O."""
    d, H, T = dimension, horizon, horizon * episodes
    first = d * sqrt(T * H**3) * log(T / alpha)
    return float(
        first
        + (log(H / delta) * log(T / alpha)) ** 0.25
        / sqrt(epsilon)
        * d**1.75
        * sqrt(T * H**4)
        * log(T)
    )


@dataclass(frozen=True)
class Horizon:
    """How many episodes an agent needs.

    Parameters
    ----------
    below_trivial : the smallest K from which on the regret bound is below H K; None: the counter
        cannot serve so many
    start : the smallest K from which on a bonus is below the range of the values
        (:func:`start_ratio`)
    """

    counter: str
    calibration: str
    below_trivial: int | None
    start: int | None


def least_bonus(bound_constants: Constants, step: int) -> float:
    """Gamma_p + Gamma_r of a pair with the longest features, all of the K - 1 users before having
    had the same ones: Lambda is at most lambda_max + (K - 1) ||phi||^2 in that direction."""
    users_before, ahead = (
        bound_constants.episodes - 1,
        bound_constants.phi * (bound_constants.horizon - step),
    )
    moves = (
        bound_constants.beta_p[step - 1]
        * ahead
        / sqrt(users_before * ahead**2 + bound_constants.p.high)
        if ahead > 0
        else 0.0
    )
    return moves + bound_constants.beta_r / sqrt(users_before + bound_constants.r.high)


def start_ratio(bound_constants: Constants) -> float:
    """min over h of :func:`least_bonus` over the cap H - h + 1; optimism can guide the agent where
    it is below 1.

    r + P V lies in [0, H - h + 1], so a longer bonus says nothing about it. Shorter features:
    earlier. It is no lower bound of the burn-in, since estimates differ before."""
    return min(
        least_bonus(bound_constants, h) / (bound_constants.horizon - h + 1)
        for h in range(1, bound_constants.horizon + 1)
    )


def crossing(ratio: Callable[[int], float], counter: str, width: int) -> int | None:
    """The first episode from which on ``ratio`` < 1, within what the counter can serve for
    ``width`` sums; None: not before. The ratios of ``honaker`` and ``smooth`` rise in steps of a
    few percent within a doubling; up to those."""
    if counter in PAPER:
        return last_crossing(ratio)
    most = mechanisms.most_releases(counter, width) + 1
    return last_crossing(lambda K: ratio(min(K, most))) if ratio(most) < 1 else None


def horizons(
    dim_p: int, dim_r: int, horizon: int, epsilon: float, delta: float, alpha: float
) -> tuple[Horizon, ...]:
    """Of value iteration, for every counter and calibration."""
    dimensions = count("dim_p", dim_p), count("dim_r", dim_r)
    width = count("horizon", horizon) * sums_of_step(dimensions)
    return tuple(
        crossings(
            lambda K, *how: constants(dim_p, dim_r, horizon, K, epsilon, delta, alpha, *how),
            start_ratio,
            calibration,
            counter,
            width,
        )
        for counter in COUNTERS
        for calibration in known(counter)
    )


def crossings(
    constants_of: Callable[[int, Calibration, str], Constants],
    start: Callable[[Constants], float],
    calibration: Calibration,
    counter: str,
    width: int,
) -> Horizon:
    """For the constants ``constants_of`` of K; ``printed`` is the displayed bound, the others are
    the sharper one."""
    terms = displayed_terms if calibration == "printed" else regret_terms

    def share(K: int) -> float:
        bound_constants = constants_of(K, calibration, counter)
        return terms(bound_constants).total / (bound_constants.horizon * K)

    return Horizon(
        counter,
        calibration,
        crossing(share, counter, width),
        crossing(lambda K: start(constants_of(K, calibration, counter)), counter, width),
    )


def known(counter: str) -> tuple[Calibration, ...]:
    """The calibrations of a counter that differ from each other."""
    if counter == "none":
        return CALIBRATIONS[0], CALIBRATIONS[2]
    return CALIBRATIONS if counter in PAPER else CALIBRATIONS[1:]
