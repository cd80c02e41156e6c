r"""chowdhury2021/theorem-2 with the radius as printed: private up to a number of episodes, and why
not beyond.

The set of (8) is a function of Y_k = (V_k, U_k)/beta_k^2, also where beta_k reads the data: so
policies are post-processing of the Y_k. Neighbours whose Y agree have V'_k = r_k V_k with r_k =
beta'_k^2/beta_k^2, which earlier Y and the users decide. Each release adds one fresh node, so the
Y_k are Gaussian releases in turn, with means that differ by one user's change and by (r_k - 1)
times what has been summed, and with scales that differ by r_k. The proof stands in proofs.md (the
radius as printed).
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq

from privrl.types import FloatArray
from theory import derive_noise
from theory.lemmas.tree import lowbit
from theory.papers.chowdhury2021 import bounds
from theory.papers.chowdhury2021.bounds import LQRegularity, Problem

ALPHA = 0.1
TAIL = 0.01  # the share of delta for noise outside of the range that the proof supposes


class Release(NamedTuple):
    """What the proof needs of Private-OFU-RL as printed, all lengths in units of the node noise."""

    episodes: int
    entries: int  #: free entries of a node: p(p+1)/2 + pn
    levels: int  #: m
    drift: float  #: rho >= |ln r_k|
    user: float  #: what one user adds to (G, Z'X), at most
    summed: float  #: the norm of (V, U) at every time, but for probability TAIL delta
    change: float  #: of all nodes together when one user is replaced


def drift(problem: Problem, alpha: float, regular: LQRegularity, trace: float) -> float:
    """At most |ln(beta'^2/beta^2)| when two users with trace(Gram) <= ``trace`` replace each other.

    Either raises ln det by at most trace/lambda_min, and d ln beta^2/d ln det = C_w n/(root beta),
    root^2 = 2 ln(2/ alpha) + n ln det, is largest where ln det is 0.
    """
    root = math.sqrt(2 * math.log(2 / alpha))
    least = bounds.radius(problem, alpha, regular, 0.0)
    return problem.noise * problem.states * trace / (regular.least * root * least)


def release(
    problem: Problem, episodes: int, epsilon: float, delta: float, alpha: float = ALPHA
) -> Release:
    """The sizes for the printed noise and Assumption 2's constants as printed; gains within
    gamma."""
    regular = bounds.regularity(problem, episodes, epsilon, delta, alpha, "printed")
    n, p, levels = problem.states, problem.dimension, (episodes - 1).bit_length()
    entries = p * (p + 1) // 2 + p * n
    trace = problem.horizon * problem.size
    user = problem.horizon * math.hypot(
        problem.size / regular.sigma_gram, math.sqrt(problem.size) / regular.sigma_cross
    )
    noise = math.sqrt(levels) * (
        math.sqrt(entries) + math.sqrt(2 * math.log(episodes / (TAIL * delta)))
    )
    shift = 2 * regular.least * math.sqrt(p) / regular.sigma_gram  # eta I, eta = 2 Lambda
    weight = float(derive_noise.chowdhury2021_weights(problem.gamma).most)
    change = math.sqrt(weight) * epsilon / math.sqrt(8 * math.log(2 / delta))
    size = drift(problem, alpha, regular, trace)
    return Release(episodes, entries, levels, size, user, episodes * user + shift + noise, change)


def extra(sizes: Release, share: float = 1.0) -> float:
    """At most what the radii add to the change of all nodes: e^(2 rho) rho (4 sqrt(m) W + K s)."""
    rho = sizes.drift
    moved = 4 * math.sqrt(sizes.levels) * sizes.summed + sizes.episodes * sizes.user
    return share * math.exp(2 * rho) * rho * moved


def renyi(order: float, ratio: float) -> float:
    """Renyi divergence of N(0, 1) from N(0, 1/ratio^2), per entry; needs 1 + order (ratio^-2 - 1)
    > 0."""
    variance = 1 / ratio**2
    mixed = 1 + order * (variance - 1)
    return (order * math.log(variance) - math.log(mixed)) / (2 * (order - 1))


def spent(sizes: Release, delta: float) -> float:
    """An epsilon at which the Y_k are (epsilon, delta)-DP: D_a <= a R for all a with a t <= 1/4, t
    = e^(2 rho) - 1, R = (change + extra)^2/(2 (1 - a t)) + K entries t^2/2; converted at one
    order; inf where no order is small enough."""
    spread = math.expm1(2 * sizes.drift)
    log_share = math.log(1 / (delta * (1 - TAIL)))
    square = (sizes.change + extra(sizes)) ** 2
    order = 1 + math.sqrt(2 * log_share / square)
    order = min(order, 0.25 / spread)
    if order <= 1:
        return math.inf
    rate = square / (2 * (1 - order * spread)) + sizes.episodes * sizes.entries * spread**2 / 2
    return order * rate + log_share / (order - 1)


def most_episodes(problem: Problem, epsilon: float, delta: float) -> int:
    """The largest K, up to a unit of its third digit, for which :func:`spent` is at most epsilon;
    0 if none."""

    def gap(log_episodes: float) -> float:
        sizes = release(problem, round(math.exp(log_episodes)), epsilon, delta)
        return min(spent(sizes, delta), 10 * epsilon) - epsilon

    if gap(math.log(2)) > 0:
        return 0
    episodes = math.exp(brentq(gap, math.log(2), math.log(1e15), xtol=1e-4))
    unit = 10 ** (math.floor(math.log10(episodes)) - 1)
    return int(int(episodes / unit) * unit)


def private(case: tuple[Problem, float, float, int]) -> bool:
    """Whether (problem, epsilon, delta, K) is within the range that is proved."""
    problem, epsilon, delta, episodes = case
    return spent(release(problem, episodes, epsilon, delta), delta) <= epsilon


def orders_agree(factor: float) -> bool:
    """:func:`renyi` by quadrature, and at most ``factor`` a t^2/2 for t = max |r^-2 - 1|, a t <=
    1/4, on a grid."""
    for order in (1.5, 4.0, 40.0):
        for x in (-0.25 / order, -0.01 / order, 0.003 / order, 0.25 / order):
            ratio = (1 + x) ** -0.5

            def mass(z: float, a: float = order, r: float = ratio) -> float:
                log_p, log_q = -z * z / 2, -z * z * r * r / 2 + math.log(r)
                return math.exp(a * log_p + (1 - a) * log_q) / math.sqrt(2 * math.pi)

            numeric = math.log(quad(mass, -40, 40, limit=200, epsabs=0, epsrel=1e-13)[0])
            exact = renyi(order, ratio)
            if abs(numeric / (order - 1) - exact) > 1e-9 * max(1.0, exact):
                return False
            if exact > factor * order * x * x / 2:
                return False
    return True


class AdversaryStream(NamedTuple):
    """A stream that favours the adversary: others in one direction of two, user t in the other
    under D only."""

    episodes: int
    user: int  #: t
    each: float  #: trace of a user's Gram matrix
    least: float  #: lambda_min
    noise: float  #: C_w
    most: float  #: sqrt(lambda_max) + nu

    def squares(self) -> tuple[FloatArray, FloatArray]:
        """beta_k^2 after k = 0..episodes users, under D and D' (user t gives nothing)."""
        k = np.arange(self.episodes + 1)
        along = np.log1p(np.maximum(k - (k >= self.user), 0) * self.each / self.least)
        across = np.where(k >= self.user, np.log1p(self.each / self.least), 0.0)
        root = 2 * math.log(2 / ALPHA)
        radii = [self.noise * np.sqrt(root + g) + self.most for g in (along + across, along)]
        return radii[0] ** 2, radii[1] ** 2


def measured(
    pair: AdversaryStream, sigma: float = 1.0, seed: int = 1
) -> tuple[float, float, float]:
    """Norm of what the radii add over all nodes, the bound of :func:`extra`, and the sum of |ln
    r_k|'s bound, for one draw of the noise of V's diagonal; a road to the sizes without the
    proof's estimates."""
    rng, K = np.random.default_rng(seed), pair.episodes
    first_square, two = pair.squares()
    ratio = two / first_square
    exact = np.zeros((K + 1, 2))  # under D, along and across
    exact[:, 0] = (np.arange(K + 1) - (np.arange(K + 1) >= pair.user)) * pair.each
    exact[pair.user :, 1] = pair.each
    primed = exact.copy()
    primed[:, 1] = 0
    nodes = sigma * rng.standard_normal((K + 1, 2))
    noisy = np.zeros((K + 1, 2))
    start = 2 * pair.least
    added, largest = np.zeros((K + 1, 2)), start * math.sqrt(2)
    for k in range(1, K + 1):
        before = k - lowbit(k)
        noisy[k] = noisy[before] + nodes[k]
        total = exact[before] + noisy[before] + start
        largest = max(largest, float(np.linalg.norm(exact[k] + noisy[k] + start)))
        block = primed[k] - primed[before]
        added[k] = ((ratio[k] - ratio[before]) * total + (ratio[k] - 1) * block) / ratio[k]
    rho = pair.noise * (pair.each / pair.least) / (
        math.sqrt(2 * math.log(2 / ALPHA))
        * (pair.noise * math.sqrt(2 * math.log(2 / ALPHA)) + pair.most)
    )  # fmt: skip
    sizes = Release(K, 2, K.bit_length(), rho, pair.each / sigma, largest / sigma, 0.0)
    return float(np.linalg.norm(added)) / sigma, extra(sizes), float(np.abs(np.log(ratio)).max())


PAIRS = (
    AdversaryStream(1023, 1, 5.0, 40.0, 0.15, 12.0),
    AdversaryStream(1023, 200, 5.0, 40.0, 0.5, 12.0),
    AdversaryStream(4095, 1, 1.0, 300.0, 0.9, 30.0),
)


def blocks_add_up(factor: float) -> bool:
    """Whether the sum of lowbit(k)^2 over k < K is at most ``factor`` K^2 for K to 2049, and
    sqrt(8 m) W + sqrt(``factor``) K s, which it gives with W >= K s, at most the bracket of
    :func:`extra`."""
    total = 0
    for episodes in range(2, 2050):
        total += lowbit(episodes - 1) ** 2
        if total > factor * episodes**2:
            return False
    return math.sqrt(8) + math.sqrt(factor) <= 4 + 1  # m >= 1; W = K s is where it is tightest


def structure(share: float) -> bool:
    """Whether ``share`` of :func:`extra` covers what was measured, and rho the ratios, on streams
    with r far from 1."""
    for pair in PAIRS:
        squares, _, ratio = measured(pair)
        rho = pair.noise * (pair.each / pair.least) / (
            math.sqrt(2 * math.log(2 / ALPHA))
            * (pair.noise * math.sqrt(2 * math.log(2 / ALPHA)) + pair.most)
        )  # fmt: skip
        if ratio > rho or squares > share * measured(pair)[1]:
            return False
    return True


def told_by_scale(problem: Problem, epsilon: float, delta: float, episodes: int) -> float:
    """By how many standard deviations the sums of squares of the fresh nodes' Y differ, |r - 1|
    sqrt(2 q K/2), when all users but t and the last ones are silent: user t has w = C_w at every
    step, or none."""
    regular = bounds.regularity(problem, episodes, epsilon, delta, ALPHA, "printed")
    state, trace = 0.0, 0.0
    for _ in range(problem.horizon - 1):
        state = (1 - problem.noise) / (1 + problem.gamma) * state + problem.noise
        trace += state**2
    radii = [
        bounds.radius(problem, ALPHA, regular, math.log1p(total / regular.least))
        for total in (trace, 0.0)
    ]
    p = problem.dimension
    entries = p * (p + 1) / 2 + p * problem.states
    return float(((radii[0] / radii[1]) ** 2 - 1) * math.sqrt(entries * episodes))
