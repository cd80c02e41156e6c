"""The functions of the bounds by a second road: displays, channels tried by numbers, sums added up
step by step."""

import math

import numpy as np
import pytest

from privrl.privacy import accounting, sensitivity
from privrl.privacy.counters import mechanisms
from theory.papers.liao2021 import bounds
from theory.papers.zhou2022 import bounds as zhou

D, H, K, EPSILON, DELTA, ALPHA = 3, 4, 5000, 2.0, 1e-4, 0.05


def test_the_statements() -> None:
    T = H * K
    bound = bounds.stated(D, H, K, EPSILON, DELTA, ALPHA)
    roots = (D**5 * H**7 * T**3 * math.log(H / DELTA) / EPSILON**2) ** 0.25
    assert bound == pytest.approx(roots * math.log(D * T / ALPHA))
    bound = bounds.stated_beta(D, H, 2, 100, K, EPSILON, DELTA, ALPHA)
    roots = (D**3 * 3**6 * 100 * math.log(3 / DELTA) / EPSILON**2) ** 0.25
    assert bound == pytest.approx(roots * math.log(D * T / ALPHA))
    for epsilon in (0.1, 3.0):
        bound = bounds.stated_lower(D, H, 900.0, epsilon)
        factor = min(2, math.e**epsilon) * (math.e**epsilon - 1)
        assert bound == pytest.approx(D * H * 30 / factor)


def test_widths() -> None:
    """One user's noise summed over K - 1 users, shares of alpha/2 over 2 K H norms; values in [0,
    H] as printed, [0, H - h] else."""
    for calibration in ("printed", "corrected", "tight"):
        c = bounds.constants(D, H, K, EPSILON, DELTA, ALPHA, calibration)
        sigma = bounds.sigma(H, EPSILON, DELTA, calibration)
        share = ALPHA / 2 / (K * H)
        shift = sigma * math.sqrt(K - 1) * zhou.matrix_norm(D, 1, 1, 4 * share, calibration)
        long = sigma * math.sqrt(K - 1) * zhou.vector_norm(D, 1, 1, 4 * share, calibration)
        assert (c.phi, c.theta_p, c.p.summed) == pytest.approx((1, math.sqrt(D), K - 1))
        assert (c.p.gram, c.p.vector) == pytest.approx((sigma, sigma))
        assert c.p.low == pytest.approx(shift)
        assert c.p.high == pytest.approx(3 * shift)
        assert c.p.nu == pytest.approx(long / math.sqrt(shift))
        for h, beta in enumerate(c.beta_p, 1):
            top = H if calibration == "printed" else H - h
            sampling = beta - math.sqrt(D * c.p.high) - c.p.nu
            growth = D * math.log(1 + K * top**2 / (D * c.p.low))
            wide = (2 * math.log(H / ALPHA) + growth) * top**2 / 4
            assert sampling**2 == pytest.approx(wide)
        shares = [zhou.least_bonus(c, h) / (H - h) for h in range(1, H)]
        assert bounds.start_ratio(c) == pytest.approx(min(shares))


@pytest.mark.parametrize("counter", ["local", "tree", "honaker"])
def test_a_draw_is_as_large_as_a_user_moves_draws(counter: str) -> None:
    """sigma times the l2 change of the counter's draws by a unit change of one user; the noise of a
    release from those draws."""
    c = bounds.constants(D, H, K, EPSILON, DELTA, ALPHA, "corrected", counter)
    cost = mechanisms.counter_cost(counter, K - 1)
    levels = (K - 1).bit_length()
    moved = {"local": 1.0, "tree": math.sqrt(levels)}.get(counter, cost.sensitivity)
    summed = {"local": K - 1.0, "tree": levels}.get(counter, cost.largest)
    sigma = bounds.sigma(H, EPSILON, DELTA, "corrected")
    assert (c.p.gram, c.p.vector) == pytest.approx((sigma * moved, sigma * moved))
    assert c.p.summed == pytest.approx(summed, rel=1e-3)
    assert c.alpha == ALPHA
    assert c.theta_p == pytest.approx(math.sqrt(D))


@pytest.mark.parametrize("horizon", [2, 3, 6])
def test_a_message_costs_what_is_asked_for(horizon: int) -> None:
    """The largest change of all 2H parts of a message is mu of (epsilon, delta) times sigma."""
    change = sensitivity.liao2021("message", horizon).value
    for calibration in ("corrected", "tight"):
        sigma = bounds.sigma(horizon, EPSILON, DELTA, calibration)
        assert change / sigma == pytest.approx(accounting.gaussian_mu(EPSILON, DELTA))


def divergence(p: np.ndarray, q: np.ndarray) -> float:
    return float((p * np.log(p / q)).sum())


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.0), (2.0, 0.0), (0.5, 0.2)])
def test_contraction_is_attained_by_randomised_response(epsilon: float, delta: float) -> None:
    """With probability delta the bit itself, told to be so, else randomised response: the share of
    KL of two near bits that is left."""
    near = (0.5, 0.5 + 1e-4)
    keep = math.exp(epsilon) / (1 + math.exp(epsilon))

    def report(p: float) -> np.ndarray:
        answer = p * keep + (1 - p) * (1 - keep)
        return np.array(
            [delta * p, delta * (1 - p), (1 - delta) * answer, (1 - delta) * (1 - answer)]
        )

    bits = [np.array([p, 1 - p]) for p in near]
    first, second = (report(p)[report(p) > 0] for p in near)
    left = divergence(first, second) / divergence(*bits)
    assert bounds.contraction(epsilon, delta) ** 2 == pytest.approx(left, rel=1e-3)


@pytest.mark.parametrize("epsilon", [0.3, 3.0])
def test_variation_constant_is_attained(epsilon: float) -> None:
    """Two inputs one of which raises an answer by e^epsilon: few and many answers, near laws."""
    e, t = math.exp(epsilon), 1e-5
    best = 0.0
    for rare in np.geomspace(1e-6, 1, 4001)[:-1] / (1 + e):
        # inputs: "up" answers 1 with probability e rare (or its most), "down" with rare
        up, down = min(e * rare, 1 - (1 - rare) / e), rare
        p = np.array([t * up + (1 - t) * down, 1 - t * up - (1 - t) * down])
        q = np.array([t * down + (1 - t) * up, 1 - t * down - (1 - t) * up])
        mid = np.array([(up + down) / 2, 1 - (up + down) / 2])
        near = np.array([mid[0] + t * (up - down), mid[1] - t * (up - down)])
        best = max(best, divergence(near, mid) / t**2, divergence(p, q) / (1 - 2 * t) ** 2)
    assert best <= bounds.variation_constant(epsilon) * (1 + 1e-3)
    closed = min(2 * e, e + 2)
    assert bounds.variation_constant(epsilon) == pytest.approx((e - 1) ** 2 / closed)


@pytest.mark.parametrize(("rounds", "epsilon"), [(10, 1.0), (10**5, 0.3), (10**6, math.inf)])
def test_the_bandit_at_its_best_gap(rounds: int, epsilon: float) -> None:
    """d g T (1 - shrink g sqrt(16 T/3)) over the gaps that leave means within 1/4 of 1/2."""
    shrink = math.tanh(epsilon / 2)
    gaps = np.linspace(0, 1 / (4 * D), 20001)
    values = D * gaps * rounds * (1 - shrink * gaps * math.sqrt(16 * rounds / 3))
    bound = bounds.lower_bandit(D, rounds, epsilon)
    assert bound == pytest.approx(values.max(), rel=1e-4)
    assert bounds.lower_bandit(D, rounds, epsilon, gap=0.01) == pytest.approx(
        D * 0.01 * rounds * max(0.0, 1 - shrink * 0.01 * math.sqrt(16 * rounds / 3))
    )


def test_stay_weights_are_steps_lost() -> None:
    """P(no goal before step h), times the steps after h that the goal would have paid."""
    p, horizon = 0.3, 6
    for h, weight in enumerate(bounds.stay_weights(horizon, p), 1):
        lost = sum((1 - p) ** j for j in range(horizon - h))
        assert weight == pytest.approx((1 - p) ** (h - 1) * lost)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.2, 0.0), (5.0, 0.0), (0.2, 0.1)])
def test_the_mixture_at_its_best_gap(epsilon: float, delta: float) -> None:
    low, most = 0.75 / H, 1.25 / H
    shrink = math.sqrt(delta + (1 - delta) * math.tanh(epsilon / 2) ** 2)
    rate = shrink * math.sqrt(K / (low * (1 - low)))
    if not delta:
        e = math.exp(epsilon)
        rate = min(rate, math.sqrt(2 * (e - 1) ** 2 / min(2 * e, e + 2) * K))
    gaps = np.linspace(0, 1 / (4 * H * (D - 1)), 20001)
    weights = sum(bounds.stay_weights(H, most))
    values = weights * (D - 1) * gaps * K * (1 - rate * gaps)
    assert bounds.lower_mixture(D, H, K, epsilon, delta) == pytest.approx(values.max(), rel=1e-4)
