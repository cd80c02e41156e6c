r"""Explicit regret bounds of OFU-RL and Private-OFU-RL (chowdhury2021/theorem-1, theorem-3), symbol
by symbol.

Two forms. ``printed``: the displayed lines of the appendix multiplied out, hidden constants taken
from the lines that hide them, D = max(1, C H). ``proved``: what the checks in
``theory.papers.chowdhury2021`` establish. Both suppose what lemma-2 states (asked of the choice in
(9), see lemma-2) and gains with P_{h+1} (equation-4).

``alpha`` is the agent's own confidence level. Its sets hold Theta_* for all k with probability 1 -
alpha when the constants of Assumption 2 are taken at alpha/2 (``corrected``, ``tight``); as printed
it is 1 - 3 alpha/2. The two martingales take alpha/2 each, so the proved bounds hold with
probability 1 - 2 alpha (printed: 1 - 5 alpha/2).

Logarithms are natural; regret in units of cost.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from math import ceil, inf, isfinite, log, log1p, pi, sqrt
from typing import Literal

from privrl.agents.lq import agent, kernels
from privrl.agents.lq.widths import norm_widths, printed_norm_widths
from privrl.checks import choice, count, positive, probability, real, require
from privrl.privacy import accounting, sensitivity
from privrl.privacy.counters.stream import levels
from privrl.privacy.noise_scales.chowdhury2021 import (
    printed_chowdhury2021,
    printed_sizes_chowdhury2021,
)
from privrl.privacy.quantiles import live_node_counts
from privrl.types import CALIBRATIONS, Calibration
from theory.bound_terms import BoundTerms
from theory.lemmas.self_normalised import log_determinant_bound
from theory.papers.vietri2020.bounds.proved import last_crossing

RadiusForm = Literal["printed", "proved"]
FORMS = ("printed", "proved")
_mu = cache(accounting.gaussian_mu)


@dataclass(frozen=True)
class Problem:
    """What the bounds know of a system.

    Raises
    ------
    ValueError
        A size below 1, gamma < 0, a cost <= 0, noise or drift outside (0, 1).
    """

    states: int  #: n
    controls: int  #: d
    horizon: int  #: H
    gamma: float  #: bound on the controls
    state_cost: float  #: bound on ||Q||
    control_cost: float  #: bound on ||R||
    noise: float  #: C_w
    drift: float | None = (
        None  #: C_A < 1 if the choice (9) is restricted to ||A|| <= C_A, else None
    )
    optimism: float | None = (
        None  #: C_A < 1 of the true system, for n = 1: optimism bounds D by it (lemma-3)
    )

    def __post_init__(self) -> None:
        for name in ("states", "controls", "horizon"):
            count(name, getattr(self, name))
        require(
            isfinite(real("gamma", self.gamma)) and self.gamma >= 0,
            "gamma must be >= 0 and finite",
            gamma=self.gamma,
        )
        positive("state_cost", self.state_cost)
        positive("control_cost", self.control_cost)
        probability("noise", self.noise)
        if self.drift is not None:
            probability("drift", self.drift)
        if self.optimism is not None:
            probability("optimism", self.optimism)
            require(self.states == 1, "states must be 1 for optimism", states=self.states)

    @property
    def cost(self) -> float:
        """C, the bound on both."""
        return max(self.state_cost, self.control_cost)

    @property
    def size(self) -> float:
        """1 + gamma^2, the bound on ||z||^2."""
        return 1 + self.gamma**2

    @property
    def dimension(self) -> int:
        """n + d."""
        return self.states + self.controls

    @property
    def value(self) -> float:
        """D >= ||P_2||: ||Q|| (H-1), with ``optimism`` at most ||Q||/(1 - C_A^2), with ``drift``
        the geometric sum."""
        if self.drift is None:
            sum_of_costs = self.state_cost * (self.horizon - 1)
            if self.optimism is None:
                return sum_of_costs
            return min(sum_of_costs, self.state_cost / (1 - self.optimism**2))
        return self.state_cost * (1 - self.drift ** (2 * (self.horizon - 1))) / (1 - self.drift**2)

    @property
    def reach(self) -> float:
        """2 rho = 1 - C_w + sqrt(1 + gamma^2) >= |Theta_*'z| + |Theta~'z|."""
        return 1 - self.noise + sqrt(self.size)


SCALAR = Problem(1, 1, 5, 0.5, 0.4, 1.0, 0.15)  # privrl.environments.lq.lq_scalar: a = 0.6, b = 0.5


def trivial_regret(problem: Problem, episodes: int) -> float:
    """K (H-1)(||Q|| + gamma^2 ||R||) under lemma-2's norms: every policy pays for x_1, and none for
    u_H."""
    K = count("episodes", episodes)
    return (
        K * (problem.horizon - 1) * (problem.state_cost + problem.gamma**2 * problem.control_cost)
    )


@dataclass(frozen=True)
class LQRegularity:
    """lambda_min, lambda_max, nu of Assumption 2, and the noise of a node of each counter that they
    cover."""

    least: float
    most: float
    nu: float
    sigma_gram: float = 0.0
    sigma_cross: float = 0.0

    def __post_init__(self) -> None:
        positive("least", self.least)
        require(
            positive("most", self.most) >= self.least,
            "most must be >= least",
            least=self.least,
            most=self.most,
        )
        require(real("nu", self.nu) >= 0, "nu must be >= 0", nu=self.nu)


@cache
def _change(horizon: int, gamma: float, states: int, controls: int, tight: bool) -> float:
    """One user replaced, both counters, in units of H (1+gamma)^2 and H (1+gamma)."""
    return sensitivity.chowdhury2021_joint(
        horizon,
        gamma,
        *printed_sizes_chowdhury2021(horizon, gamma),
        states=states,
        controls=controls,
        common_start=tight,
        last_control=not tight,
    )[1]


def noise_scale(
    problem: Problem, epsilon: float, delta: float, calibration: Calibration = "corrected"
) -> float:
    """Noise of a node in units of sqrt(m) times the printed sensitivity.

    ``printed``: as in :mod:`privrl.privacy.noise`. ``corrected``: what (epsilon, delta) of both
    counters together needs when one user is replaced (theorem-2). ``tight``: the same, users share
    x_1 and u_H = 0.
    """
    choice("calibration", calibration, CALIBRATIONS)
    epsilon, delta = positive("epsilon", epsilon), probability("delta", delta)
    if calibration == "printed":
        return printed_chowdhury2021(epsilon, delta)
    change = _change(
        problem.horizon, problem.gamma, problem.states, problem.controls, calibration == "tight"
    )
    return change / _mu(epsilon, delta)


@lru_cache(4096)
def _norms(releases: int, states: int, dimension: int, failure: float) -> tuple[float, float]:
    """What no release of two trees' noise leaves but for probability ``failure`` each, in units of
    sigma_1, sigma_2."""
    live = {bits: float(times) for bits, times in enumerate(live_node_counts(releases)) if times}
    return norm_widths(list(live), list(live.values()), states, dimension, failure)


def regularity(
    problem: Problem,
    episodes: int,
    epsilon: float,
    delta: float,
    alpha: float,
    calibration: Calibration = "corrected",
) -> LQRegularity:
    """Section IV-B's lambda_min = Lambda, lambda_max = 3 Lambda and nu, as
    privrl.agents.lq.private_ofu_rl has them.

    ``printed``: at alpha. ``corrected``: the same displays at alpha/2, which lemma-1 needs, over K
    - 1 releases. ``tight``: also at alpha/2, each release with the nodes that it has, not m: the
      sums over the releases of the tails
    2 exp(-t^2/2) beyond 2 E||g|| + sqrt(2 - 1/p) t (theory.lemmas.gaussian_matrix) and of
    chi-square are alpha/4 each.
    """
    K, p, n = count("episodes", episodes, 2), problem.dimension, problem.states
    alpha = probability("alpha", alpha)
    m = levels(K - 1)  # ceil(log2 K)
    scale = noise_scale(problem, epsilon, delta, calibration) * sqrt(m)
    sizes = printed_sizes_chowdhury2021(problem.horizon, problem.gamma)
    gram, cross = (scale * size for size in sizes)
    if calibration == "tight":
        largest, longest = _norms(K - 1, n, p, alpha / 4)
        bound, length = gram * largest, cross * longest
    else:
        users = K if calibration == "printed" else 2 * (K - 1)
        largest, longest = printed_norm_widths(n, p, 2 * users / alpha)
        bound, length = gram * sqrt(m) * largest, cross * sqrt(m) * longest
    return LQRegularity(bound, 3 * bound, length / sqrt(bound), gram, cross)


def log_ratio(problem: Problem, vectors: int, least: float) -> float:
    """(n+d) ln(1 + N (1+gamma^2)/((n+d) lambda_min)) >= ln det(G + lambda_min I)/det(lambda_min I)
    for N vectors z."""
    return log_determinant_bound(problem.dimension, vectors, sqrt(problem.size), least)


def released_ratio(problem: Problem, vectors: int, regular: LQRegularity) -> float:
    """(n+d) ln((lambda_max + N (1+gamma^2)/(n+d))/lambda_min) >= ln det(V_k/lambda_min), which
    beta_k of an agent has that reads released statistics only (theorem-2, corrected radius); that
    is >= ln det(I + G_k/lambda_min)."""
    p = problem.dimension
    return p * log((regular.most + vectors * problem.size / p) / regular.least)


def radius(problem: Problem, alpha: float, regular: LQRegularity, ratio: float) -> float:
    """beta = C_w sqrt(2 ln(2/alpha) + n ln det ratio) + sqrt(lambda_max) + nu (lemma-1)."""
    offset = sqrt(regular.most) + regular.nu
    failure = agent.logarithm(2, probability("alpha", alpha))
    return kernels.radius(problem.noise, failure, problem.states, ratio, offset)


def batch_factor(value: float) -> float:
    """t/ln(1+t), 1 at 0."""
    require(real("value", value) >= 0, "value must be >= 0", value=value)
    return value / log1p(value) if value > 0 else 1.0


def claim_1_bound(problem: Problem, episodes: int) -> float:
    """sqrt(D) (1 - C_w + sqrt(1+gamma^2)) sqrt((H-1)K) (claim-1 corrected)."""
    return sqrt(problem.value * (problem.horizon - 1) * count("episodes", episodes)) * problem.reach


def claim_2_bound(problem: Problem, beta: float, ratio: float, least: float) -> float:
    """2 sqrt(D) min(beta sqrt(kappa/ln(1+kappa)), max(beta, rho) sqrt((H-1)/ln H)) sqrt(ratio)
    (claim-2 corrected)."""
    steps = problem.horizon - 1
    if steps == 0:
        return 0.0
    kappa = steps * problem.size / positive("least", least)
    by_size = beta * sqrt(batch_factor(kappa))
    by_minimum = max(beta, problem.reach / 2) * sqrt(batch_factor(steps))
    return 2 * sqrt(problem.value * ratio) * min(by_size, by_minimum)


@dataclass(frozen=True)
class LQRegretTerms(BoundTerms):
    """A regret bound, term by term."""

    cost: float  #: sum of Delta, real costs to come against their expectation
    prediction: float  #: sum of Delta', the same of predicted costs
    sampling: float  #: the part of sum of Delta'' from the noise w in beta
    regulariser: (
        float  #: the part from sqrt(lambda_max) + nu: regularisation, and the whole cost of privacy
    )


def regret_terms(
    problem: Problem,
    episodes: int,
    alpha: float,
    regular: LQRegularity,
    form: RadiusForm = "proved",
) -> LQRegretTerms:
    """The bound of theorem-1 for given constants of Assumption 2; theorem-3 with those of
    :func:`regularity`.

    ``proved`` holds with probability 1 - 2 alpha, whether beta_k has det(I + G_k/lambda_min) or
    det(V_k/lambda_min). ``printed``: |Delta| <= C (1+gamma^2) H, |Delta'| <= 2 D by Azuma
    (two-sided, alpha each), claim-1 times claim-2.
    """
    choice("form", form, FORMS)
    K, H = count("episodes", episodes), problem.horizon
    if form == "printed":
        D = max(1.0, problem.cost * H)
        ratio = log_determinant_bound(problem.dimension, K * H, 1 + problem.gamma, regular.least)
        root = sqrt(2 * K * H * log(2 / probability("alpha", alpha)))
        outer = 4 * D**2 * (1 + problem.gamma) ** 2 * H * sqrt(K * ratio)
        full_radius, privacy = (
            radius(problem, alpha, regular, ratio),
            sqrt(regular.most) + regular.nu,
        )
        return LQRegretTerms(
            problem.cost * problem.size * H * root,
            2 * D * root,
            outer * (full_radius - privacy),
            outer * privacy,
        )
    ratio = log_ratio(problem, K * H, regular.least)
    beta = radius(problem, alpha, regular, released_ratio(problem, (K - 1) * H, regular))
    level = log(2 / probability("alpha", alpha)) / 2
    squares = (H - 1) * H * (2 * H - 1) / 6
    by_step = problem.state_cost + problem.gamma**2 * problem.control_cost
    cost = by_step * sqrt(K * squares * level)
    prediction = min(problem.state_cost * sqrt(squares), problem.value * sqrt(H - 1)) * sqrt(
        K * level
    )
    third = claim_1_bound(problem, K) * claim_2_bound(problem, beta, ratio, regular.least)
    share = (sqrt(regular.most) + regular.nu) / beta
    return LQRegretTerms(cost, prediction, third * (1 - share), third * share)


def regret_bound(
    problem: Problem,
    episodes: int,
    alpha: float,
    epsilon: float,
    delta: float,
    calibration: Calibration = "corrected",
    form: RadiusForm = "proved",
    regulariser: float = 1.0,
) -> float:
    """Theorem 3's explicit bound; epsilon = inf: theorem 1's with H_k = ``regulariser`` I and L_k =
    0."""
    if epsilon == inf:
        plain = positive("regulariser", regulariser)
        return regret_terms(problem, episodes, alpha, LQRegularity(plain, plain, 0.0), form).total
    regular = regularity(problem, episodes, epsilon, delta, alpha, calibration)
    return regret_terms(problem, episodes, alpha, regular, form).total


def vacuity_horizon(
    problem: Problem,
    alpha: float,
    epsilon: float,
    delta: float,
    calibration: Calibration = "corrected",
    form: RadiusForm = "proved",
) -> int:
    """The K from which on :func:`regret_bound` is below :func:`trivial_regret`, up to 3e-4; needs H
    >= 2.

    Where ln(1 + HK(1+gamma^2)/((n+d) Lambda)) grows like K the bound exceeds the trivial one;
    beyond, the ratio falls like K^(-1/2) up to logarithms, with jumps by less than a factor 1 + 1/m
    where m changes. With ``tight`` it rises a little where a release with many nodes comes in: a
    later K, by 3 10^-4 at most where tried, may be above again.
    """
    require(
        problem.horizon >= 2,
        "horizon must be >= 2, there is no regret at 1",
        horizon=problem.horizon,
    )
    return last_crossing(
        lambda K: (
            regret_bound(problem, K, alpha, epsilon, delta, calibration, form)
            / trivial_regret(problem, K)
        )
    )


def horizons(problem: Problem, alpha: float, epsilon: float, delta: float) -> dict[str, int]:
    """:func:`vacuity_horizon` per calibration as proved, and under ``lines`` of the printed lines
    and noise."""
    vacuity_horizons: dict[str, int] = {
        name: vacuity_horizon(problem, alpha, epsilon, delta, name) for name in CALIBRATIONS
    }
    return {
        **vacuity_horizons,
        "lines": vacuity_horizon(problem, alpha, epsilon, delta, "printed", "printed"),
    }


def blind_until(problem: Problem, alpha: float, regular: LQRegularity) -> float:
    """An agent in episode k with (k-1) H below this number plays u = 0, surely where Assumption 2's
    bounds hold.

    (c + sqrt(c^2 + 4 c lambda_min))/2 with c = (beta_1 - nu)^2; the proof stands in proofs.md.
    """
    c = (radius(problem, alpha, regular, 0.0) - regular.nu) ** 2
    return (c + sqrt(c * c + 4 * c * regular.least)) / 2


def first_episode(problem: Problem, alpha: float, regular: LQRegularity) -> int:
    """The first episode late enough for a control other than 0 (:func:`blind_until`)."""
    return ceil(blind_until(problem, alpha, regular) / problem.horizon) + 1


def start_horizon(
    problem: Problem,
    alpha: float,
    epsilon: float,
    delta: float,
    calibration: Calibration = "corrected",
) -> int:
    """A planned K from which on :func:`first_episode` is at most K, but for jumps just short of a
    power of two."""
    privacy_setting = (epsilon, delta, alpha, calibration)
    return last_crossing(
        lambda K: (
            first_episode(problem, alpha, regularity(problem, K, *privacy_setting)) / (K + 0.5)
        )
    )


def lower_regret(
    episodes: int,
    horizon: int,
    state_cost: float,
    control_cost: float,
    drift: float,
    noise: float,
    start: float = 1.0,
    widest: float | None = None,
) -> float:
    """Expected regret that every agent has on some scalar system with a = ``drift``, |b| <=
    ``widest``: van Trees.

    n = d = 1, x_1 = ``start``, noise with density cos^2(pi w/(2c))/c on [-c, c], c = ``noise``; the
    smallest R that solves the inequality of theorem-1's record, at the best t of a grid (derived in
    proofs.md). Of order sqrt(K).
    """
    K, H = count("episodes", episodes), count("horizon", horizon, 2)
    q, r = positive("state_cost", state_cost), positive("control_cost", control_cost)
    a, c = probability("drift", drift), probability("noise", noise)
    x = probability("start", start, one=True)
    top = 0.5 * sqrt(1 - a * a) if widest is None else positive("widest", widest)
    tails = [q * sum(a ** (2 * i) for i in range(H - h + 1)) for h in range(2, H + 1)]  # p_2..p_H
    # s M
    gain = a / r * sqrt(((tails[0] * x) ** 2 + sum(p * p for p in tails[1:])) * (1 / 3 - 2 / pi**2))
    fisher = (pi / c) ** 2
    best = 0.0
    for t in (top / 2 ** (i / 4) for i in range(120)):
        p = 0.0
        for _ in range(H - 1):
            p = q + a * a * p * r / (r + t * t * p)
        m = a * x / (r / p + t * t)
        # rho = sqrt(R/(rK)); rho^2 (I K (rho + t M)^2 + pi^2/t^2) >= m^2
        low, high = (
            0.0,
            m * t + m * c,
        )
        for _ in range(80):
            rho = (low + high) / 2
            enough = rho * rho * (fisher * K * (rho + t * gain) ** 2 + (pi / t) ** 2) >= m * m
            low, high = (low, rho) if enough else (rho, high)
        best = max(best, r * K * low * low)
    return best
