"""The functions of the bounds by a second road: matrices that attain them, tails turned round, the
displays multiplied out."""

import math

import mpmath as mp
import numpy as np
import pytest

from theory.papers.chowdhury2021 import bounds
from theory.papers.chowdhury2021.bounds import LQRegularity, Problem

PROBLEM = Problem(2, 1, 5, 0.5, 0.4, 1.3, 0.15)
REGULAR = LQRegularity(3.0, 9.0, 0.7)
ALPHA, K = 0.2, 60


def test_costs_and_values() -> None:
    assert PROBLEM.cost == 1.3
    drifting = Problem(2, 1, 5, 0.5, 0.4, 1.3, 0.15, drift=0.8)
    assert drifting.value == pytest.approx(0.4 * sum(0.8 ** (2 * j) for j in range(4)))
    # x_1 is everybody's, u_H is nobody's: states 2..H and controls 1..H-1, at their largest
    states, controls = np.ones(6), np.full(6, 0.5)
    states[1], controls[5] = 0, 0
    episode = 0.4 * (states[1:] ** 2).sum() + 1.3 * (controls[1:] ** 2).sum()
    assert bounds.trivial_regret(PROBLEM, 7) == pytest.approx(7 * episode)
    assert bounds.batch_factor(0.0) == pytest.approx(bounds.batch_factor(1e-9))


def test_determinants_are_attained() -> None:
    """Vectors of the largest size, as many on each axis."""
    p, vectors = PROBLEM.dimension, 30
    z = np.tile(np.eye(p) * math.sqrt(1.25), (vectors // p, 1))
    gram = z.T @ z
    plain = np.linalg.slogdet(np.eye(p) + gram / REGULAR.least)[1]
    assert bounds.log_ratio(PROBLEM, vectors, REGULAR.least) == pytest.approx(plain)
    noisy = np.linalg.slogdet((gram + REGULAR.most * np.eye(p)) / REGULAR.least)[1]
    assert bounds.released_ratio(PROBLEM, vectors, REGULAR) == pytest.approx(noisy)


@pytest.mark.parametrize("gamma", [0.5, 3.0])
@pytest.mark.parametrize("drift", [None, 0.3])
def test_the_martingales_spend_half_of_alpha_each(gamma: float, drift: float | None) -> None:
    """Hoeffding and Azuma: exp(-2 b^2/sum of squared ranges)."""
    problem = Problem(2, 1, 5, gamma, 0.4, 1.3, 0.15, drift=drift)
    terms = bounds.regret_terms(problem, K, ALPHA, REGULAR)
    steps = range(1, 6)
    ranges = [(0.4 + gamma**2 * 1.3) * (5 - h) for h in steps]  # costs still to come after step h
    spent = math.exp(-2 * terms.cost**2 / (K * sum(r * r for r in ranges)))
    assert spent == pytest.approx(ALPHA / 2)
    predicted = sum((0.4 * (5 - h)) ** 2 for h in steps)
    if drift is not None:
        predicted = min(predicted, sum(problem.value**2 for h in steps if h < 5))
    spent = math.exp(-2 * terms.prediction**2 / (K * predicted))
    assert spent == pytest.approx(ALPHA / 2)


def test_the_third_sum_is_the_product_of_the_claims() -> None:
    terms = bounds.regret_terms(PROBLEM, K, ALPHA, REGULAR)
    p = PROBLEM.dimension
    ratio = p * math.log(1 + K * 5 * 1.25 / (p * 3.0))
    noisy = p * math.log((9.0 + (K - 1) * 5 * 1.25 / p) / 3.0)
    beta = 0.15 * math.sqrt(2 * math.log(2 / ALPHA) + 2 * noisy) + 3.0 + 0.7
    product = bounds.claim_1_bound(PROBLEM, K) * bounds.claim_2_bound(PROBLEM, beta, ratio, 3.0)
    assert terms.sampling + terms.regulariser == pytest.approx(product)
    assert terms.regulariser / terms.sampling == pytest.approx(3.7 / (beta - 3.7))


def test_the_printed_lines() -> None:
    """C (1 + gamma^2) H and 2 D times sqrt(2 K H ln(2/alpha)), and claim-1 times claim-2, D = C
    H."""
    terms = bounds.regret_terms(PROBLEM, K, ALPHA, REGULAR, "printed")
    D, H, p = 1.3 * 5, 5, 3
    root = math.sqrt(2 * K * H * math.log(2 / ALPHA))
    assert terms.cost == pytest.approx(1.3 * 1.25 * H * root)
    assert terms.prediction == pytest.approx(2 * D * root)
    ratio = p * math.log(1 + K * H * 1.5**2 / (p * 3.0))
    beta = 0.15 * math.sqrt(2 * math.log(2 / ALPHA) + 2 * ratio) + 3.0 + 0.7
    claims = 2 * D * 1.5 * math.sqrt(H * K), 2 * math.sqrt(H) * D * 1.5 * beta * math.sqrt(ratio)
    assert terms.sampling + terms.regulariser == pytest.approx(claims[0] * claims[1])
    assert terms.regulariser / terms.sampling == pytest.approx(3.7 / (beta - 3.7))
    cheap = Problem(2, 1, 5, 0.5, 0.01, 0.02, 0.15)  # C H < 1, so D = 1
    assert bounds.regret_terms(cheap, K, ALPHA, REGULAR, "printed").prediction == pytest.approx(
        2 * root
    )


def test_the_radius_by_its_tail() -> None:
    """exp(((beta - offset)/C_w)^2) = (2/alpha)^2 det^n; C_w, n and alpha each where it stands."""
    offset = math.sqrt(REGULAR.most) + REGULAR.nu
    for ratio in (0.0, 2.5):
        sampling = (bounds.radius(PROBLEM, ALPHA, REGULAR, ratio) - offset) / PROBLEM.noise
        assert math.exp(sampling**2) == pytest.approx((2 / ALPHA) ** 2 * math.exp(2 * ratio))


def test_the_first_control() -> None:
    """The first k for which (k - 1) H vectors are no fewer than the number that keeps u = 0, at
    sizes where a hundredth shows."""
    for most in (9000.0, 90000.0):
        regular = LQRegularity(most / 3, most, 0.7)
        least = bounds.blind_until(PROBLEM, ALPHA, regular)
        first = bounds.first_episode(PROBLEM, ALPHA, regular)
        H = PROBLEM.horizon
        assert first > 100
        assert (first - 2) * H < least <= (first - 1) * H
        # x^2 = c (x + lambda_min) at that number x
        c = (bounds.radius(PROBLEM, ALPHA, regular, 0.0) - regular.nu) ** 2
        assert least**2 == pytest.approx(c * (least + regular.least))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("horizon", "drift", "widest", "start"),
    [(2, 0.5, None, 1.0), (4, 0.9, None, 0.6), (3, 0.7, 2.0, 0.8)],
)
@pytest.mark.parametrize("episodes", [1, 10**4, 10**7])
def test_the_lower_bound_is_a_root(
    episodes: int, horizon: int, drift: float, widest: float | None, start: float
) -> None:
    """Van Trees at each t of the grid: the positive root of the polynomial of degree four in
    sqrt(R/(rK)), b = t times a draw from the density cos^2(pi w/2); Riccati's step by completing
    the square, sums of a^(2i) in closed form."""
    q, r, c = 0.8, 1.7, 0.3
    a2 = drift * drift
    ahead = [q * (1 - a2**n) / (1 - a2) for n in range(1, horizon)]  # last step first
    top = widest if widest is not None else math.sqrt((1 - drift) * (1 + drift)) / 2
    variance = float(mp.quad(lambda w: w * w * mp.cos(mp.pi * w / 2) ** 2, [-1, 1]))
    moved = sum(p * p for p in ahead[:-1]) + (ahead[-1] * start) ** 2
    spread = drift / r * math.sqrt(moved * variance)
    best = 0.0
    for quarter in range(120):
        t, p = top * 2 ** (-quarter / 4), 0.0
        for _ in range(horizon - 1):  # min over u of r u^2 + p (a + t u)^2
            u = -drift * t * p / (r + t * t * p)
            p = q + r * u * u + p * (drift + t * u) ** 2
        gain = drift * start * t * p / (r + t * t * p) / t
        information = episodes * (math.pi / c) ** 2
        shift = t * spread
        squares = information * np.polymul([1, 0, 0], np.polymul([1, shift], [1, shift]))
        squares[2] += (math.pi / t) ** 2
        squares[4] -= gain**2
        roots = np.roots(squares)
        real = [float(root.real) for root in roots if abs(root.imag) < 1e-12 and root.real > 0]
        best = max(best, r * episodes * real[0] ** 2)
    bound = bounds.lower_regret(episodes, horizon, q, r, drift, c, start, widest)
    assert bound == pytest.approx(best, rel=1e-6)
