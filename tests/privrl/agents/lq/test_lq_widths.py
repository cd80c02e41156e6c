"""Private-OFU-RL over every Gaussian counter: its privacy, and the widths of the releases' norms,
derived anew.

Widths are held by balls for the sums of their tails, and against every release by itself.
"""

import math

import numpy as np
import pytest
from flint import arb
from scipy.optimize import brentq
from scipy.stats import chi2

from privrl.agents.lq.private_ofu_rl import PrivateOFURL
from privrl.agents.lq.widths import norm_widths
from privrl.environments import lq_instance, lq_scalar
from privrl.privacy import accounting, sensitivity
from privrl.privacy.counters import mechanisms

COUNTERS = ("tree", "local", "honaker", "smooth", "sqrt", "blt")
FAILURE = 0.025


def mean(m):
    """E||g||, a ball."""
    return arb(2).sqrt() * ((arb(m + 1) / 2).lgamma() - (arb(m) / 2).lgamma()).exp()


def matrix_tail(x, p):
    """2 exp(-t^2/2) at x = 2 E||g|| + sqrt(2 - 1/p) t, a ball; 1 where x is smaller or the tail
    larger."""
    t = (arb(x) - 2 * mean(p)) / (2 - arb(1) / p).sqrt()
    return min((2 * (-t * t / 2).exp() if t > 0 else arb(1), arb(1)), key=float)


def vector_tail(x, m):
    """P(||g|| > x), a ball."""
    return (arb(x) ** 2 / 2).gamma_upper(arb(m) / 2, regularized=1)


def holds(width, tail, size, cost, failure=FAILURE):
    """Whether balls prove that the sum of the tails over all releases is at most ``failure``."""
    deviations = [arb(float(variance)).sqrt() for variance in cost.variances]
    total = sum(
        (
            arb(float(number)) * tail(arb(width) / deviation, size)
            for number, deviation in zip(cost.numbers, deviations, strict=True)
        ),
        arb(0),
    )
    return bool(total <= arb(failure))


@pytest.mark.parametrize("counter", COUNTERS)
def test_balls_prove_both_widths_and_refuse_less(counter):
    releases = 10**6 if counter in ("tree", "smooth") else 60
    cost = mechanisms.counter_cost(counter, releases)
    for n, p in ((1, 2), (2, 3), (1, 4), (3, 5)):
        x, y = norm_widths(cost.variances, cost.numbers, n, p, FAILURE)
        for width, tail, size in ((x, matrix_tail, p), (y, vector_tail, n * p)):
            assert holds(width, tail, size, cost)
            assert not holds(width * (1 - 1e-9), tail, size, cost)  # as good as the sum allows
            assert not holds(width, tail, size + 1, cost)  # one entry, one row more
            assert not holds(width, tail, size, cost, FAILURE / 2)


@pytest.mark.parametrize("counter", COUNTERS)
def test_the_radius_against_a_sum_over_every_release(counter):
    """Lambda and nu of `tight` again: no groups, scipy's chi-square and root. A mean variance is
    noticed."""
    system, planned, alpha = lq_instance(2, 1), 400, 0.1
    calibration = PrivateOFURL(2.0, alpha=alpha, counter=counter, calibration="tight").calibrate(
        system, planned
    )
    variances = mechanisms.counter_variance(counter, np.arange(1, planned), planned - 1)

    def roots(variances):
        gaps = [
            lambda x: (
                (
                    2
                    * np.exp(
                        -(np.maximum(x / np.sqrt(variances) - 2 * math.sqrt(8 / math.pi), 0) ** 2)
                        / 2
                        / (5 / 3)
                    )
                )
                .clip(max=1)
                .sum()
                - alpha / 4
            ),
            lambda y: chi2.sf(y * y / variances, 6).sum() - alpha / 4,
        ]
        return [brentq(gap, 1, 1e3, xtol=1e-9) for gap in gaps]

    x, y = roots(variances)
    quantiles = (
        calibration.lambda_min / calibration.sigma_gram,
        calibration.nu * math.sqrt(calibration.lambda_min) / calibration.sigma_cross,
    )
    # the others are grouped, each group at its largest
    exact = 1e-7 if counter in ("tree", "smooth") else 5e-3
    assert (1 - 1e-9) * x <= quantiles[0] <= x * (1 + exact)
    assert (1 - 1e-9) * y <= quantiles[1] <= y * (1 + exact)
    assert quantiles > tuple(np.multiply(1.005, roots(np.full(planned - 1, variances.mean()))))


def test_sizes_of_many_releases_and_small_failures():
    """2^400 releases, as a search for a horizon asks, and the narrowest case by hand: one
    release."""
    live = np.arange(1.0, 401)
    numbers = np.array([float(math.comb(400, int(bits))) for bits in live])
    x, y = norm_widths(live, numbers, 1, 2, FAILURE)
    assert 200 < y < 600 and x > y
    x, y = norm_widths([4.0], [1], 1, 2, 0.01)
    # two entries: exp(-y^2/2)
    assert y == pytest.approx(2 * math.sqrt(-2 * math.log(0.01)), rel=1e-9)
    assert x == pytest.approx(
        2 * (math.sqrt(2 * math.pi) + math.sqrt(1.5 * 2 * math.log(200))), rel=1e-9
    )


@pytest.mark.parametrize("calibration", ["corrected", "tight"])
@pytest.mark.parametrize("counter", COUNTERS)
def test_the_noise_gives_exactly_what_is_asked_for(counter, calibration):
    """What one user moves of both statistics of an episode, in units of the noise, times the
    counter's sensitivity."""
    tight = calibration == "tight"
    for system in (lq_scalar(), lq_instance(2, 2)):
        calibrated = PrivateOFURL(0.7, 1e-5, counter=counter, calibration=calibration).calibrate(
            system, 65
        )
        moved = sensitivity.chowdhury2021_joint(
            system.horizon,
            system.gamma,
            calibrated.sigma_gram,
            calibrated.sigma_cross,
            states=system.states,
            controls=system.controls,
            common_start=tight,
            last_control=not tight,
        )[1]
        cost = mechanisms.counter_cost(counter, 64).sensitivity
        assert moved * cost == pytest.approx(accounting.gaussian_mu(0.7, 1e-5), rel=1e-9)
        assert counter == "local" or cost > 1.2  # so that a forgotten sensitivity would be noticed


@pytest.mark.parametrize("counter", COUNTERS)
def test_tight_widths_are_narrower_in_units_of_the_noise(counter):
    system, planned = lq_instance(2, 1), 1000
    tight, loose = (
        PrivateOFURL(2.0, alpha=0.3, counter=counter, calibration=calibration).calibrate(
            system, planned
        )
        for calibration in ("tight", "corrected")
    )
    assert tight.lambda_min / tight.sigma_gram < loose.lambda_min / loose.sigma_gram
    assert tight.nu * math.sqrt(tight.lambda_min) / tight.sigma_cross < (
        loose.nu * math.sqrt(loose.lambda_min) / loose.sigma_cross
    )
    assert (tight.eta, tight.lambda_max) == (2 * tight.lambda_min, 3 * tight.lambda_min)
