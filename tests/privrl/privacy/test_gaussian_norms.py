"""Norms of Gaussian noise against many digits, the proof's own formula, and simulation."""

import itertools
import math
from collections.abc import Iterator

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privrl.privacy import gaussian_norms as norms
from tests.contracts import FALSE_ALARM, refused
from theory.lemmas import gaussian_matrix
from theory.rigor.sampling import clopper_pearson

DIMENSIONS = (1, 2, 3, 6, 18, 301)
FAILURES = (0.9, 0.5, 1e-3, 1e-9, 1e-40, 1e-250)


@pytest.fixture(autouse=True, scope="module")
def many_digits() -> Iterator[None]:
    with mpmath.workdps(60):
        yield


def true_tail(x: mpmath.mpf, dimension: int) -> mpmath.mpf:
    """P(||g|| > x) in 60 digits."""
    return mpmath.gammainc(
        mpmath.mpf(dimension) / 2, mpmath.mpf(x) ** 2 / 2, mpmath.inf, regularized=True
    )


def covers(x: float, dimension: int, failure: float) -> bool:
    return bool(true_tail(mpmath.mpf(x), dimension) <= mpmath.mpf(failure))


def bound(dimension: int, failure: float) -> mpmath.mpf:
    """What the proof gives for a symmetric matrix, in 60 digits."""
    mean = mpmath.sqrt(2) * mpmath.gammaprod(
        [mpmath.mpf(dimension + 1) / 2], [mpmath.mpf(dimension) / 2]
    )
    size = mpmath.mpf(2) - mpmath.mpf(1) / dimension
    return 2 * mean + mpmath.sqrt(2 * size * mpmath.log(2 / mpmath.mpf(failure)))


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_the_quantile_of_a_vector_is_certified_and_sharp(dimension: int) -> None:
    for failure in FAILURES:
        x = norms.norm_quantile(dimension, failure)
        assert covers(x, dimension, failure)
        assert not covers(x * (1 - 1e-10), dimension, failure)
        assert not covers(x * 0.99, dimension, failure)  # the nearest false neighbour


def test_in_one_dimension_both_are_the_two_sided_normal_quantile() -> None:
    for failure in FAILURES:
        x = norms.operator_quantile(1, failure)
        assert (
            x == norms.norm_quantile(1, failure)
            and mpmath.erfc(mpmath.mpf(x) / mpmath.sqrt(2)) <= failure
        )
        one_sided = norms.norm_quantile(1, min(2 * failure, 0.999))
        # a quantile for one side is too small
        assert one_sided < x and not covers(one_sided, 1, failure)
        if (
            failure <= 1e-3
        ):  # and far below the bound of the other dimensions, let alone of the papers
            assert x < float(bound(1, failure)) - 1


@pytest.mark.parametrize("dimension", DIMENSIONS[1:])
def test_the_bound_of_a_matrix_is_the_proof_s_from_above(dimension: int) -> None:
    for failure in FAILURES:
        x, exact = norms.operator_quantile(dimension, failure), bound(dimension, failure)
        assert exact <= mpmath.mpf(x) <= exact * (1 + mpmath.mpf("1e-13"))
        assert not exact <= mpmath.mpf(x) * mpmath.mpf("0.99")
        # the lemma whose proof the ledger checks, at the same t
        t = math.sqrt(2 * math.log(2 / failure))
        assert x == pytest.approx(gaussian_matrix.sharpest_symmetric(dimension, t), rel=1e-12)
        assert (
            x
            < gaussian_matrix.sharp_symmetric(dimension, t)
            < gaussian_matrix.printed_symmetric(dimension, t)
        )


def test_the_mean_of_a_norm_is_from_above() -> None:
    for dimension in (*DIMENSIONS, 10**6):
        half = mpmath.mpf(dimension) / 2
        exact = mpmath.sqrt(2) * mpmath.exp(
            mpmath.loggamma(half + mpmath.mpf(1) / 2) - mpmath.loggamma(half)
        )
        mean_norm = mpmath.mpf(norms.mean_norm(dimension))
        assert exact <= mean_norm <= exact * (1 + mpmath.mpf("1e-15")) and mean_norm < mpmath.sqrt(
            dimension
        )
        assert not exact <= mean_norm * (1 - mpmath.mpf("1e-15"))


@given(st.integers(1, 60), st.floats(1e-200, 0.99))
@settings(max_examples=25)
def test_tails_undo_quantiles(dimension: int, failure: float) -> None:
    for tail, quantile in (
        (norms.norm_tail, norms.norm_quantile),
        (norms.operator_tail, norms.operator_quantile),
    ):
        assert tail(quantile(dimension, failure), dimension) == pytest.approx(failure, rel=1e-8)


def test_tails_fall_and_keep_the_shape() -> None:
    x = np.linspace(0, 30, 301).reshape(7, 43)
    for tail, dimension in itertools.product((norms.norm_tail, norms.operator_tail), (1, 2, 7)):
        tails = tail(x, dimension)
        assert (
            tails.shape == x.shape and tails.flat[0] == 1.0 and (np.diff(tails.ravel()) <= 0).all()
        )
        assert tail(3.0, dimension).shape == ()
    assert (
        norms.operator_tail(x, 3) >= norms.norm_tail(x, 1)
    ).all()  # a matrix is no shorter than one of its entries


@pytest.mark.parametrize(
    ("dimension", "trials"), [(1, 10**5), (2, 40_000), (3, 40_000), (8, 10_000)]
)
def test_matrices_are_longer_no_more_often_than_they_may_be(dimension: int, trials: int) -> None:
    """A bound for m > 1, so that only a far smaller one is seen to be false: half of it, at failure
    1e-3."""
    norm_samples = gaussian_matrix.sample_norms(dimension, trials, np.random.default_rng(dimension))
    failure = 1e-3
    x = norms.operator_quantile(dimension, failure)
    assert clopper_pearson(int((norm_samples > x).sum()), trials, FALSE_ALARM)[0] <= failure
    assert clopper_pearson(int((norm_samples > x / 2).sum()), trials, FALSE_ALARM)[0] > failure
    marks = np.quantile(norm_samples, [0.5, 0.9, 0.99])  # and so for the whole tail
    for mark, most in zip(marks, norms.operator_tail(marks, dimension), strict=True):
        assert clopper_pearson(int((norm_samples > mark).sum()), trials, FALSE_ALARM)[0] <= most


def test_the_smallest_failure_is_named() -> None:
    for quantile, dimension in itertools.product(
        (norms.norm_quantile, norms.operator_quantile), (1, 2)
    ):
        quantile(dimension, norms.SMALLEST)
        sentence = refused(lambda quantile=quantile, n=dimension: quantile(n, norms.SMALLEST / 2))
        assert sentence.startswith("failure must be >= 1e-280")


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_printed_bounds_by_their_tails(dimension: int) -> None:
    """Beyond 4 sqrt(m) + 2 t and sqrt(m) + sqrt(2 x) lie 2 exp(-t^2/2) and exp(-x): one in so
    many; neither is below what is certified."""
    for odds in (3.0, 1e6):
        wide, long = norms.operator_bound(dimension, odds), norms.norm_bound(dimension, odds)
        t, x = (wide - 4 * math.sqrt(dimension)) / 2, (long - math.sqrt(dimension)) ** 2 / 2
        assert 2 * math.exp(-(t**2) / 2) * odds == pytest.approx(1)
        assert math.exp(-x) * odds == pytest.approx(1)
        assert wide >= norms.operator_quantile(dimension, 1 / odds)
        assert long >= norms.norm_quantile(dimension, 1 / odds)
