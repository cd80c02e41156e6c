"""Exact noise: on the grid, of the stated law, by the counter's own matrix, and never drawn twice.

Draws come from the system's generator and have no seed. A statistical test rejects right noise with
probability 1e-9 at most, and accepts a wrong law of those below with about as little.
"""

import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from scipy.special import logsumexp, ndtr

from privrl.checks import count
from privrl.privacy import accounting, exact
from privrl.privacy.audit.counters import AttackedPair, attack, matrix
from privrl.privacy.counters.mechanisms import (
    COUNTER_CLASSES,
    EXACT,
    MECHANISMS,
    WHOLE,
    counter_cost,
    counter_variance,
    laws,
)
from privrl.privacy.exact import ExactNoise, finest_grid, on_grid, sample
from privrl.types import FloatArray
from theory.lemmas.counters import driven

ALPHA = 1e-9
BOTH = [(counter, law) for counter in WHOLE for law in laws(counter)]
SCALES = np.array([3.0, 40.0, 3.0])
GRID = 2.0**-20


def made(counter: str, law: str, releases: int = 60) -> ExactNoise:
    return ExactNoise(counter, SCALES.size, releases, SCALES, law, GRID)


@pytest.mark.parametrize(("counter", "law"), BOTH)
def test_noise_lies_on_the_grid_and_uses_its_last_bit(counter: str, law: str) -> None:
    block = made(counter, law).block(40) / GRID
    assert np.array_equal(block, np.rint(block)) and (block % 2 == 1).any()


@pytest.mark.parametrize(("counter", "law"), BOTH)
@pytest.mark.parametrize("releases", [1, 20, 100])
def test_rows_one_at_a_time_are_those_of_the_counters_matrix(
    counter: str, law: str, releases: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over unit vectors as draws, restored in the middle: the rows are B itself, however they are
    asked for."""
    width = 2 * releases + 50  # more than there are draws
    units: dict[str, Iterator[float]] = {}

    def unit(law: str, scale: float, number: int) -> FloatArray:
        # none are refused, as by ``sample``
        return np.fromiter(units["next"], np.float64, count("number", number))

    monkeypatch.setattr(exact, "sample", unit)
    units["next"] = iter(np.eye(width).ravel())
    stream, rows = ExactNoise(counter, width, releases, 1.0, law, GRID), []
    for released in range(1, releases + 1):
        rows.append(stream.block(1)[0] / GRID)
        if released == releases // 2:
            saved_state = stream.state()
            stream = ExactNoise(counter, width, releases, 1.0, law, GRID)
            stream.restore(saved_state)
    units["next"] = iter(np.eye(width).ravel())
    block = ExactNoise(counter, width, releases, 1.0, law, GRID).block(releases) / GRID
    noise_matrix = driven(
        COUNTER_CLASSES[counter](width, releases, 1.0, np.random.default_rng(0), law)
    )
    assert np.array_equal(rows, noise_matrix) and np.array_equal(block, noise_matrix)
    assert np.array_equal(
        (noise_matrix**2).sum(axis=1),
        counter_variance(counter, np.arange(1, releases + 1), releases, law),
    )


def test_state_of_another_counter_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"state must be of the same counter|must be finite, of shape"
    ):
        made("smooth", "laplace").restore(made("tree", "laplace").state())
    with pytest.raises(
        ValueError, match=r"state must be of the same counter|must be finite, of shape"
    ):
        made("tree", "laplace", 41).restore(made("tree", "laplace", 400).state())


@pytest.mark.parametrize("counter", [name for name in MECHANISMS if name not in EXACT])
def test_counters_without_exact_form_are_refused(counter: str) -> None:
    with pytest.raises(ValueError, match="for simulation only"):
        ExactNoise(counter, 1, 10, 1.0, "gaussian", GRID)


def test_what_would_leave_the_grid_is_refused() -> None:
    with pytest.raises(ValueError, match="law must be one of laplace"):
        ExactNoise("signed", 1, 10, 1.0, "gaussian", GRID)
    with pytest.raises(ValueError, match="grid must be a power of two"):
        ExactNoise("tree", 1, 10, 1.0, "laplace", 0.3)
    with pytest.raises(ValueError, match="scale must be > 0"):
        ExactNoise("tree", 2, 10, [1.0, 0.0], "laplace", GRID)
    for counter, law in BOTH:
        grid = finest_grid(counter, 100, law, 7.0, 1000.0)
        ExactNoise(counter, 1, 100, 7.0, law, grid)
        assert grid * exact.MOST_GRID_STEPS >= 1000.0
        with pytest.raises(ValueError, match="grid must be >= finest_grid"):
            ExactNoise(counter, 1, 100, 7.0, law, grid / 8)


def test_a_draw_that_leaves_the_grid_is_refused_before_it_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = made("tree", "laplace")
    monkeypatch.setattr(exact, "sample", lambda law, scale, number: np.full(number, 2.0**50))
    with pytest.raises(ValueError, match="a draw must stay on the grid"):
        stream.block(1)
    assert not stream.state()["_stack"].any()


def probabilities(law: str, scale: float, most: int) -> FloatArray:
    """P(z), |z| < most, and both tails at the ends."""
    z = np.arange(-60 * int(scale), 60 * int(scale) + 1)
    weight = np.exp(-np.abs(z) / scale) if law == "laplace" else np.exp(-(z**2) / (2 * scale**2))
    weight /= weight.sum()
    inner = np.abs(z) < most
    return np.concatenate(([weight[z <= -most].sum()], weight[inner], [weight[z >= most].sum()]))


def p_value(draws: FloatArray, law: str, scale: float, most: int) -> float:
    counts = np.bincount(
        np.clip(draws, -most, most).astype(np.int64) + most, minlength=2 * most + 1
    )
    return float(stats.chisquare(counts, draws.size * probabilities(law, scale, most)).pvalue)


@pytest.mark.slow
@pytest.mark.parametrize("law", ["laplace", "gaussian"])
@pytest.mark.parametrize("scale", [1.7, 6.0])
def test_draws_have_the_stated_law(law: str, scale: float) -> None:
    """Chi-square, every cell with some 30 expected draws or more; a scale a fifth off and the other
    law are seen."""
    number = 10_000
    most = 1 + next(m for m in range(200) if probabilities(law, scale, m + 2)[0] < 30 / number)
    draws = sample(law, scale, number)
    assert p_value(draws, law, scale, most) > ALPHA
    wrong_law = "gaussian" if law == "laplace" else "laplace"
    for wrong in (sample(law, 1.2 * scale, number), sample(wrong_law, scale, number)):
        assert p_value(wrong, law, scale, most) < ALPHA


@pytest.mark.parametrize("law", ["laplace", "gaussian"])
def test_every_column_has_its_own_scale(law: str) -> None:
    """By the mean of |z|, of continuous laws in all but the last digits: within 7 deviations of
    4000 draws."""
    stream = ExactNoise("local", 4000, 1, np.tile([3.0, 40.0], 2000), law, GRID)
    sizes = np.abs(stream.block(1)[0].reshape(2000, 2)).mean(axis=0) / np.array([3.0, 40.0])
    mean, deviation = (
        (1.0, 1.0) if law == "laplace" else (math.sqrt(2 / math.pi), math.sqrt(1 - 2 / math.pi))
    )
    assert (np.abs(sizes - mean) < 7 * deviation / math.sqrt(2000)).all()


def renyi(scale: float, shift: float, alpha: float) -> float:
    """Divergence of the discrete Gaussian from what is around ``shift``, by summation."""
    z = np.arange(-600, 601)
    zero, shifted = (-((z - at) ** 2) / (2 * scale**2) for at in (0, shift))
    zero, shifted = zero - logsumexp(zero), shifted - logsumexp(shifted)
    return float(logsumexp(alpha * shifted + (1 - alpha) * zero)) / (alpha - 1)


@pytest.mark.parametrize("scale", [0.4, 1.0, 7.5])
def test_a_shift_along_the_grid_costs_no_more_than_a_continuous_one(scale: float) -> None:
    for shift in (1, 2, 5):
        for alpha in (1.1, 2.0, 7.0):
            assert renyi(scale, shift, alpha) <= alpha * shift**2 / (2 * scale**2) * (1 + 1e-9)
    # off the grid it may: why contributions are rounded first
    assert renyi(0.4, 0.6, 1.1) > 1.1 * 0.6**2 / (2 * 0.4**2)


def test_matrices_of_exact_counters_are_whole() -> None:
    """C = B^-1 A, with one draw a release: what keeps a user's change on the grid."""
    for counter, law in BOTH:
        if counter == "signed":  # enumerated in test_signed_digits
            continue
        noise_matrix = matrix(counter, 60, law)
        right = np.linalg.inv(noise_matrix) @ np.tri(60)
        assert np.array_equal(noise_matrix, np.rint(noise_matrix)) and np.allclose(
            right, np.rint(right), atol=1e-9
        )
        order = 1 if law == "laplace" else 2
        worst = np.linalg.norm(np.rint(right), ord=order, axis=0).max()
        assert worst <= counter_cost(counter, 60, law).sensitivity <= worst * (1 + 1e-12)


def test_rounding_is_bounded_and_attained() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(1000, 2, 7))
    scale = np.linspace(0.5, 3, 7)
    grid = 2.0**-4
    for law in ("laplace", "gaussian"):
        norm: Callable[[NDArray[np.float64]], FloatArray] = (
            (lambda d: np.abs(d / scale).sum(axis=-1))
            if law == "laplace"
            else (lambda d: np.sqrt(((d / scale) ** 2).sum(axis=-1)))
        )
        moved = norm(np.diff(on_grid(values, grid), axis=1)[:, 0]) - norm(
            np.diff(values, axis=1)[:, 0]
        )
        for counter in ("local", "tree"):
            bound = exact.rounding(counter, 50, law, scale, grid, 7)
            sensitivity = counter_cost(counter, 50, law).sensitivity
            assert (sensitivity * moved <= bound).all()
        ends = np.stack([np.full(7, -0.5001), np.full(7, 0.5001)]) * grid
        gained = norm(np.diff(on_grid(ends, grid), axis=0)[0])
        assert gained == pytest.approx(2 * norm(np.full(7, grid)), rel=1e-9)  # from 1 grid to 2


@pytest.mark.parametrize("law", ["laplace", "gaussian"])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 8.0, 100.0])
def test_the_nominal_epsilon_gives_the_asked_guarantee_and_hardly_more(
    law: str, epsilon: float
) -> None:
    for delta in (1e-9, 1e-3):
        size = exact.exact_size(law, epsilon, delta)
        assert (
            exact.exact_epsilon(law, size, delta)
            <= epsilon
            < exact.exact_epsilon(law, size * (1 + 1e-9), delta)
        )
        nominal = exact.nominal_epsilon(law, epsilon, delta)
        used = nominal if law == "laplace" else accounting.gaussian_mu(nominal, delta)
        assert size * (1 - 1.1 * exact.LOSS_SLACK) < used <= size * (1 - exact.LOSS_SLACK)
        assert nominal < epsilon


@pytest.mark.parametrize("step", [0.02, 0.3, 0.7, 1.0])
def test_the_discrete_law_is_near_the_rounded_one(step: float) -> None:
    """The distance is below the bound, and of its order."""
    z = np.arange(-int(12 / step) - 2, int(12 / step) + 3)
    discrete = np.exp(-((z * step) ** 2) / 2)
    rounded = np.diff(ndtr(np.append(z - 0.5, z[-1] + 0.5) * step))
    distance = np.abs(discrete / discrete.sum() - rounded).sum() / 2
    assert step**2 / 90 < distance <= step**2 / 9
    assert exact.apart(7, [1.0, 2.0], 0.5, 2) == pytest.approx(7 * (0.25 + 0.0625) / 9, rel=1e-12)
    assert exact.apart(1, 0.25, 0.5, 1) == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 8.0])
def test_on_a_fine_grid_the_curve_of_the_continuous_law_holds(epsilon: float) -> None:
    delta, mu = 1e-6, accounting.gaussian_mu(epsilon, 1e-6)
    fine = exact.LOSS_SLACK * delta / (1 + math.exp(epsilon)) * (1 - 1e-9)
    size = exact.exact_size("gaussian", epsilon, delta, fine)
    assert mu * (1 - 1e-3) < size < mu
    assert exact.exact_epsilon("gaussian", size, delta, fine) <= epsilon
    assert exact.nominal_epsilon("gaussian", epsilon, delta, 0.0, fine) == pytest.approx(
        epsilon, rel=1e-3
    )
    for coarse in (fine * 1.01, 1.0):  # tau is what is missing of delta
        assert exact.exact_size("gaussian", epsilon, delta, coarse) == exact.exact_size(
            "gaussian", epsilon, delta
        )
    assert exact.exact_epsilon("gaussian", size, delta) > epsilon


def test_conversion_is_that_of_zero_concentrated_privacy() -> None:
    mu = 0.3
    best = min(
        a * mu**2 / 2 + math.log1p(-1 / a) + (math.log(1e6) - math.log(a)) / (a - 1)
        for a in np.geomspace(1.0001, 1e4, 20_000)
    )
    assert exact.exact_epsilon("gaussian", mu, 1e-6) == pytest.approx(best, rel=1e-6)
    assert exact.exact_epsilon("gaussian", mu, 1e-6) > accounting.gaussian_epsilon(1e-6, mu)


@pytest.mark.slow
@pytest.mark.parametrize(("counter", "law"), [("tree", "laplace"), ("smooth", "gaussian")])
def test_the_attacks_on_counters_find_half_the_scale_and_no_more_than_the_guarantee(
    counter: str, law: str
) -> None:
    """The last of two users, in one sum, at epsilon 1 or mu = 1."""
    pair = AttackedPair(counter, law, np.ones(1), 2, 2)
    pair = AttackedPair(counter, law, pair.change / pair.size(), 2, 2)
    delta = 0.0 if law == "laplace" else 1e-6
    for scale in (1.0, 0.5):
        outcome = attack(
            pair,
            np.random.default_rng(0),
            trials=2000,
            delta=delta,
            alpha=ALPHA,
            noise=lambda width, releases, rng, scale=scale: ExactNoise(
                counter, width, releases, scale, law, GRID
            ),
        )
        assert outcome.lower > 0.2 * outcome.exact
        assert outcome.refuted == (scale < 1)
