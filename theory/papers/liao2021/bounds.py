"""Explicit constants and regret bounds of LDP-UCRL-VTR (liao2021, theorems 5.2 and 5.6, lemma 5.5).

The constants come from zhou2022's analysis of changing regularisers
(:mod:`theory.papers.zhou2022.bounds`), applied to the noise of K - 1 users, with the shift r = 2
Sigma, Sigma a bound of the noise matrix over the whole run, and rewards known. Noise, regression
and martingale fail with probability alpha each: upper bounds hold with probability 1 - 3 alpha.
They take values clipped to [0, H - h + 1] and features with (3.1).

Calibrations: ``printed`` (sigma with epsilon under the root), ``corrected`` (the noise that exact
accounting of a whole message asks for, values in [0, H - h]), ``tight`` (besides, the sharp norm of
a symmetric Gaussian matrix and the exact chi-square quantile). The paper's beta has a constant that
it does not name; beta here is what the analysis needs.

Counters: ``local``, the paper's, and ``none``; and for ``corrected`` and ``tight`` those of a
trusted server, under which the same algorithm is jointly private: what it costs that each user
speaks alone is the difference.
"""

from collections.abc import Sequence
from math import exp, expm1, inf, log, sqrt, tanh

import numpy as np

from privrl.agents.linear.layout import sums_of_step
from privrl.checks import choice, count, positive, probability
from privrl.privacy.accounting import gaussian_mu
from privrl.privacy.noise_scales.liao2021 import printed_beta_liao2021, printed_liao2021
from privrl.types import CALIBRATIONS, Calibration
from theory.derive_noise import mixture_weight
from theory.papers.zhou2022 import bounds as zhou

NOTHING = zhou.MixtureRegularity(1.0, 1.0, 0.0, 0.0, 0.0, 0)
# rewards are known, so there is no T2
displayed_terms, regret_terms = (
    zhou.displayed_terms,
    zhou.regret_terms,
)


def sigma(
    horizon: int, epsilon: float, delta: float, calibration: Calibration = "printed"
) -> float:
    """Standard deviation of one noise; H = 1 sends no data, and needs none.

    printed: 4 H^3 sqrt(2 ln(2.5H/delta)/epsilon); corrected and tight: sqrt(4.5 sum_h
    (H-h)^4)/mu(epsilon, delta) (liao2021/theorem-5.1, corrected)."""
    choice("calibration", calibration, CALIBRATIONS)
    H, epsilon, delta = (
        count("horizon", horizon),
        positive("epsilon", epsilon),
        probability("delta", delta),
    )
    if calibration == "printed":
        return printed_liao2021(epsilon, delta, H)
    return H**2 * sqrt(mixture_weight(H)) / gaussian_mu(epsilon, delta)


def constants(
    dimension: int,
    horizon: int,
    episodes: int,
    epsilon: float,
    delta: float,
    alpha: float,
    calibration: Calibration = "printed",
    counter: str = "local",
) -> zhou.Constants:
    """Noise, regularity and widths for K planned episodes, in the form of zhou2022's assumption-2
    and lemma-3.1.

    By (3.1) ||phi_V|| <= max V, and by definition-3.1 ||theta_h|| <= sqrt(d).
    """
    choice("counter", counter, zhou.COUNTERS if calibration != "printed" else ("none", "local"))
    d, H, K = (
        count("dimension", dimension),
        count("horizon", horizon),
        count("episodes", episodes, 2),
    )
    alpha = probability("alpha", alpha, one=True)
    regular = NOTHING
    if counter != "none" and H > 1:
        moved, summed = zhou.released(counter, K)
        node_noise = sigma(H, epsilon, delta, calibration) * sqrt(moved)
        # alpha/2 in all, alpha/(2KH) each
        regular = zhou.regularity(d, (1.0, 1.0), node_noise, summed, (K, H, 2 * alpha), calibration)
    tops = [float(H if calibration == "printed" else H - h) for h in range(1, H + 1)]
    fixed = sqrt(d) * sqrt(regular.high) + regular.nu
    betas = tuple(
        zhou.radius(top / 2, H, alpha, d, K * top**2 / (d * regular.low)) + fixed for top in tops
    )
    return zhou.Constants(d, 0, H, K, alpha, regular, NOTHING, betas, 0.0, 1.0, sqrt(d), 0.0)


def stated(
    dimension: int, horizon: int, episodes: int, epsilon: float, delta: float, alpha: float
) -> float:
    """The right side of theorem-5.2 with the constant 1."""
    d, H, T = dimension, horizon, horizon * episodes
    return float(
        d**1.25 * H**1.75 * T**0.75 * log(d * T / alpha) * log(H / delta) ** 0.25 / sqrt(epsilon)
    )


def stated_beta(
    dimension: int,
    horizon: int,
    step: int,
    episode: int,
    planned: int,
    epsilon: float,
    delta: float,
    alpha: float,
) -> float:
    """beta_h of theorem-5.2 at user k with the constant 1."""
    remaining = np.array([horizon - step + 1.0])
    at_first = printed_beta_liao2021(
        1.0, dimension, remaining, horizon * planned, epsilon, delta, alpha
    )
    return float(at_first[0] * episode**0.25)


def start_ratio(bound_constants: zhou.Constants) -> float:
    """min over h < H of the bonus of a pair with the longest features over H - h, when all users
    before had the same features; optimism can guide the agent where it is below 1. As in zhou2022,
    that is no lower bound of the burn-in."""
    H = bound_constants.horizon
    return min((zhou.least_bonus(bound_constants, h) / (H - h) for h in range(1, H)), default=0.0)


def horizons(
    dimension: int,
    horizon: int,
    epsilon: float,
    delta: float,
    alpha: float,
    *,
    counters: Sequence[str] = zhou.COUNTERS,
) -> tuple[zhou.Horizon, ...]:
    """The number of users before the regret bound is below H K, and before its bonuses say
    anything; H >= 2."""
    width = count("horizon", horizon, 2) * sums_of_step([count("dimension", dimension)])
    for name in counters:
        choice("counter", name, zhou.COUNTERS)

    return tuple(
        zhou.crossings(
            lambda K, *how: constants(dimension, horizon, K, epsilon, delta, alpha, *how),
            start_ratio,
            calibration,
            counter,
            width,
        )
        for counter in zhou.counters_of("liao2021")
        if counter in counters
        for calibration in (
            zhou.known(counter) if counter in ("none", "local") else CALIBRATIONS[1:]
        )
    )


SLACK = 4  # the gaps are at most 1/SLACK of what the means leave room for


def contraction(epsilon: float, delta: float = 0.0) -> float:
    """sqrt(delta + (1 - delta) tanh^2(epsilon/2)): an (epsilon, delta)-LDP channel multiplies KL
    divergences by at most its square, and no smaller number will do (liao2021/lemma-5.4,
    corrected)."""
    return sqrt(delta + (1 - delta) * tanh(epsilon / 2) ** 2)


def variation_constant(epsilon: float) -> float:
    """c = (e^epsilon - 1)^2/min(2 e^epsilon, e^epsilon + 2): an epsilon-LDP channel on any alphabet
    leaves a KL divergence of at most c TV^2, and no smaller c will do (liao2021/lemma-5.4,
    corrected); infinite without privacy."""
    grown = exp(epsilon) if epsilon < 350 else inf
    return (grown - 1) ** 2 / min(2 * grown, grown + 2) if grown < inf else inf


def lower_bandit(
    dimension: int, rounds: int, epsilon: float, gap: float | None = None, delta: float = 0.0
) -> float:
    """Expected regret that every learner that sees rewards through an (epsilon, delta)-LDP channel
    has on some Bernoulli linear bandit with actions {-1, 1}^d (liao2021/lemma-5.5, corrected);
    epsilon = inf: no privacy.

    Means 1/2 + <theta, x>, theta in {-g, g}^d, d g <= 1/4. The mean over all theta is at least d g
    T (1 - shrink g sqrt(16 T/3)), shrink = :func:`contraction` (proofs.md, "Bandits"); g by default
    the best that is allowed.
    """
    d, T, shrink = (
        count("dimension", dimension),
        count("rounds", rounds),
        contraction(epsilon, delta),
    )
    rate = shrink * sqrt(16 * T / 3)
    g = min(1 / (SLACK * d), 1 / (2 * rate)) if gap is None else positive("gap", gap)
    return d * g * T * max(0.0, 1 - rate * g)


def stay_weights(horizon: int, most: float) -> list[float]:
    """c_h = P(no goal before step h) (expected steps lost by not reaching it at h), at goal
    probability ``most``: less than at any smaller one."""
    stay = 1 - most
    return [stay ** (h - 1) * (1 - stay ** (horizon - h)) / most for h in range(1, horizon + 1)]


def lower_mixture(
    dimension: int, horizon: int, episodes: int, epsilon: float, delta: float = 0.0
) -> float:
    """Expected regret that every learner that sees each episode through an (epsilon, delta)-LDP
    channel has on some linear mixture MDP of the family of Zhou, Gu and Szepesvari (2021)
    (liao2021/theorem-5.6, corrected); epsilon = inf: no privacy.

    In x_h action a of {-1, 1}^(d-1) leads to the goal with probability 1/H + <mu_h, a>, mu_h in
    {-g, g}^(d-1), (d-1) g <= 1/(4H) (proofs.md, "Mixtures"). For delta = 0 the smaller of two
    bounds of what one sign tells counts.
    """
    d, H, K = (
        count("dimension", dimension, 2),
        count("horizon", horizon, 3),
        count("episodes", episodes),
    )
    low = (1 - 1 / SLACK) / H
    rate = contraction(epsilon, delta) * sqrt(K / (low * (1 - low)))
    if delta == 0:
        rate = min(rate, sqrt(2 * variation_constant(epsilon) * K))
    g = min(1 / (SLACK * H * (d - 1)), 1 / (2 * rate))
    return sum(stay_weights(H, (1 + 1 / SLACK) / H)) * (d - 1) * g * K * max(0.0, 1 - rate * g)


def stated_lower(dimension: int, horizon: int, steps: float, epsilon: float) -> float:
    """d H sqrt(T)/(min(2, e^epsilon) (e^epsilon - 1)): theorem-5.6 without its constant; H = 1:
    lemma-5.5."""
    return dimension * horizon * sqrt(steps) / (min(2.0, exp(epsilon)) * expm1(epsilon))
