"""The square root of the matrix of ones, by convolution in chunks."""

import math

import numpy as np
import pytest
from scipy.linalg import toeplitz
from scipy.special import gammaln

from privrl.privacy.counters.toeplitz import CHUNK, SqrtCounter, root_norm
from theory.lemmas.counters import driven


def coefficients(number: int) -> np.ndarray:
    """Gamma(k + 1/2) / (Gamma(1/2) k!)."""
    k = np.arange(number)
    return np.exp(gammaln(k + 0.5) - gammaln(0.5) - gammaln(k + 1))


@pytest.mark.parametrize("releases", [1, 2, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 500])
def test_it_is_the_square_root(releases: int) -> None:
    noise = driven(SqrtCounter(releases, releases, 1.0, np.random.default_rng(0)))
    np.testing.assert_allclose(noise, np.tril(toeplitz(coefficients(releases))), atol=1e-13)
    np.testing.assert_allclose(noise @ noise, np.tril(np.ones((releases, releases))), atol=1e-12)


def test_the_norm_grows_like_a_logarithm() -> None:
    for releases in (10, 10**3, 10**6):
        exact = math.fsum(coefficients(releases) ** 2)
        assert SqrtCounter.cost(releases).sensitivity ** 2 == pytest.approx(exact, rel=1e-9)
        assert abs(root_norm(releases) - exact) <= 0.1 / releases
