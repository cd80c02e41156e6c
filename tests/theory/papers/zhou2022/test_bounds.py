"""The functions of the bounds by a second road: displays multiplied out, tails turned round, sums
added up user by user."""

import functools
import math

import numpy as np
import pytest

from privrl.privacy.accounting import gaussian_mu
from privrl.types import Calibration
from theory.derive_noise import mixture_weight
from theory.papers.zhou2022 import bounds

H, K, EPSILON, DELTA, ALPHA = 4, 10**4, 2.0, 1e-5, 0.05


@functools.cache
def printed() -> bounds.Constants:
    return bounds.constants(3, 2, H, K, EPSILON, DELTA, ALPHA)


@functools.cache
def tight() -> bounds.Constants:
    return bounds.constants(3, 2, H, K, EPSILON, DELTA, ALPHA, "tight")


def test_the_displays() -> None:
    c, T, level = printed(), H * K, math.log(1 / ALPHA)
    kappa_p = math.log(1 + K * H**2 / c.p.low)  # ||phi||^2 <= d H^2 over d
    kappa_r = math.log(1 + K / (2 * c.r.low))
    first = 2 * c.beta_p[0] * math.sqrt(T * 2 * H * 3 * kappa_p)
    second = 2 * H * c.beta_r * math.sqrt(T * 2 * H * 2 * kappa_r)
    plain, mirror = bounds.displayed_terms(c), bounds.displayed_terms(c, 7)
    assert (plain.transitions, plain.rewards) == pytest.approx((first, second))
    assert (mirror.transitions, mirror.rewards) == pytest.approx((first, second))
    # Azuma, T differences of at most H: exp(-b^2/(2 T H^2)); four times as much in policy
    # optimisation, and there a term more
    assert math.exp(-(plain.martingale**2) / (2 * T * H**2)) == pytest.approx(ALPHA)
    assert math.exp(-((mirror.martingale / 4) ** 2) / (2 * T * H**2)) == pytest.approx(ALPHA)
    assert plain.mirror == 0
    assert mirror.mirror**2 == pytest.approx(2 * H**3 * T * math.log(7))
    known = bounds.constants(3, 1, H, K, EPSILON, DELTA, ALPHA)
    assert bounds.displayed_terms(known).rewards == pytest.approx(
        2 * H * known.beta_r * math.sqrt(2 * T * H * math.log(1 + K / known.r.low))
    )
    assert level > 0


def test_the_statements() -> None:
    c, T, d = printed(), H * K, 3
    kappa = math.log(1 + K * H**2 / min(c.p.low, c.r.low))
    private = math.sqrt(d * max(c.p.high, c.r.high)) + max(c.p.nu, c.r.nu)
    first = math.sqrt(T * H**3) * (math.log(H / ALPHA) + d * kappa)
    third = math.sqrt(T * H * d * kappa) * private
    assert bounds.stated(c) == pytest.approx(first + third)
    assert bounds.stated(c, 5) == pytest.approx(first + third + math.sqrt(T * H**3 * math.log(5)))
    bound = bounds.stated_private(d, H, K, EPSILON, DELTA, ALPHA)
    levels = math.sqrt(math.sqrt(math.log(H / DELTA) * math.log(T / ALPHA)))
    private = levels * d * d / math.sqrt(math.sqrt(d)) * math.sqrt(T) * H**2 / math.sqrt(EPSILON)
    public = d * math.sqrt(T * H**3) * math.log(T / ALPHA)
    assert bound == pytest.approx(public + private * math.log(T))


def test_widths() -> None:
    """Radius, sqrt(lambda_max) theta and nu; values in [0, H] as printed, in [0, H - h] else; the
    constants of noise in lambda and nu by their own functions."""
    m = (K - 1).bit_length()
    units = (
        H / EPSILON * math.sqrt(32 * m * math.log(4 * H / DELTA)),
        math.sqrt(m * mixture_weight(H, rewards=True)) / gaussian_mu(EPSILON, DELTA),
    )
    all_tops = ([H] * H, [H - h for h in range(1, H + 1)])
    for c, tops, unit in zip((printed(), tight()), all_tops, units, strict=True):
        calibration: Calibration = "printed" if c is printed() else "tight"
        p = bounds.regularity(
            3, (3 * H**2, math.sqrt(3) * H**2), unit, m, (K, H, ALPHA), calibration
        )
        r = bounds.regularity(2, (1, 1), unit, m, (K, H, ALPHA), calibration)
        assert c.alpha == ALPHA
        assert (c.p.low, c.p.high, c.p.nu) == pytest.approx((p.low, p.high, p.nu))
        assert (c.phi, c.theta_p, c.theta_r) == pytest.approx(
            (math.sqrt(3), math.sqrt(3), math.sqrt(2))
        )
        sizes = (3 * H**2 * unit, math.sqrt(3) * H**2 * unit, m)
        assert (c.p.gram, c.p.vector, c.p.summed) == pytest.approx(sizes)
        assert (c.r.gram, c.r.vector, c.r.summed) == pytest.approx((unit, unit, m))
        assert (c.r.low, c.r.high, c.r.nu) == pytest.approx((r.low, r.high, r.nu))
        for beta, top in zip(c.beta_p, tops, strict=True):
            sampling = beta - math.sqrt(3 * p.high) - p.nu
            growth = 3 * math.log(1 + K * 3 * top**2 / (3 * p.low))
            wide = (2 * math.log(H / ALPHA) + growth) * top**2 / 4
            assert sampling**2 == pytest.approx(wide)
        sampling = c.beta_r - math.sqrt(2 * r.high) - r.nu
        growth = 2 * math.log(1 + K / (2 * r.low))
        assert sampling**2 == pytest.approx((2 * math.log(H / ALPHA) + growth) / 4)
    quiet = bounds.constants(3, 2, H, K, EPSILON, DELTA, ALPHA, "tight", "none")
    assert (quiet.p.low, quiet.p.high, quiet.p.nu, quiet.r.low) == (1.0, 1.0, 0.0, 1.0)
    for name, levels in (("tree", (14, 14)), ("local", (1, K - 1))):
        assert bounds.released(name, K) == levels


def test_the_sum_of_bonuses_against_users() -> None:
    """Features in one direction after the other: sum of min(cap, 2 beta ||x||) where the matrix
    grows with each."""
    for cap, beta, size, low in ((3.0, 2.0, 1.0, 1.0), (1.0, 0.3, 2.0, 5.0), (2.0, 50.0, 1.0, 0.1)):
        d, users = 2, 4000
        weights, total = np.full(d, low), 0.0
        for k in range(users):
            square = size**2 / weights[k % d]
            total += min(cap, 2 * beta * math.sqrt(square))
            weights[k % d] += size**2
        growth = users * size**2 / (d * low)
        bound = bounds.bonus_sum(cap, beta, users, d, growth)
        assert total <= bound <= cap * users
        # x of equal norms: d ln(1 + growth) = users ln(1 + z) with 2 beta sqrt(z) the mean bonus,
        # and the chord of ln(1 + z) to the cap
        z_cap = (cap / (2 * beta)) ** 2
        mean_square = cap**2 * d * math.log(1 + growth) / users / math.log(1 + z_cap)
        assert bound == pytest.approx(users * min(cap, math.sqrt(mean_square)))
    assert bounds.bonus_sum(1.0, 1.0, 10, 0, 1.0) == 0


def test_the_proved_terms() -> None:
    """Step by step: cap H - h + 1, values up to H - h; Hoeffding for the intervals of the
    martingale; mirror descent at the printed eta."""
    c = tight()
    plain, mirror = bounds.regret_terms(c), bounds.regret_terms(c, 7)
    transitions = rewards = 0.0
    for h in range(1, H + 1):
        growth = K * 3 * (H - h) ** 2 / (3 * c.p.low)
        transitions += bounds.bonus_sum(H - h + 1, c.beta_p[h - 1], K, 3, growth)
        rewards += bounds.bonus_sum(H - h + 1, c.beta_r, K, 2, K / (2 * c.r.low))
    assert plain.transitions == pytest.approx(transitions)
    assert plain.rewards == pytest.approx(rewards)
    ranges = [H - h for h in range(1, H + 1)]
    spent = math.exp(-2 * plain.martingale**2 / (K * sum(r**2 for r in ranges)))
    assert spent == pytest.approx(ALPHA)
    more = [*ranges, *(H - h + 1 for h in range(1, H + 1))]
    spent = math.exp(-2 * mirror.martingale**2 / (K * sum(r**2 for r in more)))
    assert spent == pytest.approx(ALPHA)
    eta = math.sqrt(2 * math.log(7) / (H**2 * K))
    descent = sum(math.log(7) / eta + eta * K * (H - h + 1) ** 2 / 8 for h in range(1, H + 1))
    assert mirror.mirror == pytest.approx(descent)


def test_the_least_bonus() -> None:
    """After K - 1 users with the same longest features, in their direction."""
    for h in range(1, H + 1):
        phi = math.sqrt(3) * (H - h)
        moves = tight().beta_p[h - 1] * math.sqrt(phi**2 / ((K - 1) * phi**2 + tight().p.high))
        paid = tight().beta_r * math.sqrt(1 / (K - 1 + tight().r.high))
        assert bounds.least_bonus(tight(), h) == pytest.approx(moves + paid)
    shares = [bounds.least_bonus(tight(), h) / (H - h + 1) for h in range(1, H + 1)]
    assert bounds.start_ratio(tight()) == pytest.approx(min(shares))


def test_norms_of_noise_by_their_tails() -> None:
    """Lemma-B.4's 4 sqrt(d) + 2 t and lemma-B.5's sqrt(d) + sqrt(2 x), turned round: 2 exp(-t^2/2)
    and exp(-x) are alpha/(4KH)."""
    share = ALPHA / (4 * K * H)
    for d in (1, 5):
        t = (bounds.matrix_norm(d, K, H, ALPHA, "corrected") - 4 * math.sqrt(d)) / 2
        assert 2 * math.exp(-(t**2) / 2) == pytest.approx(share)
        x = (bounds.vector_norm(d, K, H, ALPHA, "printed") - math.sqrt(d)) ** 2 / 2
        assert math.exp(-x) == pytest.approx(share)


def test_the_radius_by_its_determinant() -> None:
    """exp((beta/R)^2) = (H/alpha)^2 (1 + growth)^d."""
    wide = (bounds.radius(1.5, H, ALPHA, 3, 7.0) / 1.5) ** 2
    assert math.exp(wide) == pytest.approx((H / ALPHA) ** 2 * 8.0**3)


def test_the_proved_terms_where_no_cap_binds() -> None:
    """Small widths and regularisers: every step's bonuses add up below (H - h + 1) K."""
    quiet = bounds.MixtureRegularity(2.0, 2.0, 0.0, 0.0, 0.0, 0)
    betas = tuple(2.0 - h / 10 for h in range(1, H + 1))
    c = bounds.Constants(3, 2, H, K, ALPHA, quiet, quiet, betas, 1.5, 1.2, 1.0, 1.0)
    transitions = 0.0
    for h, beta in enumerate(betas, 1):
        reach, b = 1.2 * (H - h), (2 * beta / (H - h + 1)) ** 2
        logs = 3 * math.log(1 + K * reach * reach / (3 * 2.0))
        squares = (H - h + 1) ** 2 * logs / math.log(1 + 1 / b)
        assert math.sqrt(K * squares) < (H - h + 1) * K
        transitions += math.sqrt(K * squares)
    assert bounds.regret_terms(c).transitions == pytest.approx(transitions)
