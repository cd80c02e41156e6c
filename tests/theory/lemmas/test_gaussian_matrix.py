"""Norms of Gaussian matrices: identities, exact laws by integration and by sampling, and bounds
that must break."""

import numpy as np
import pytest
from flint import arb
from scipy import integrate, stats

from theory.lemmas import gaussian_matrix as gm
from theory.rigor.sampling import clopper_pearson


def test_what_breaks_the_identities() -> None:
    assert gm.increment_identity(2, diagonal_variance=2) != 0
    assert not gm.increment_step("3.99")  # type: ignore[arg-type]


@pytest.mark.parametrize("threshold", [0.3, 1.0, 2.5, 4.0])
def test_exact_law_by_another_integral(threshold: float) -> None:
    """n = 2: the eigenvalues of (a, b; b, c) lie in (-x, x) iff |a| < x and b^2/(x+a) - x < c < x -
    b^2/(x-a)."""
    x = threshold
    nodes, weights = np.polynomial.legendre.leggauss(600)
    a, b = nodes[:, None] * x, nodes[None, :] * x
    chance = stats.norm.cdf(x - b**2 / (x - a)) - stats.norm.cdf(-x + b**2 / (x + a))
    inside = np.maximum(chance, 0) * stats.norm.pdf(a) * stats.norm.pdf(b)
    value = float(weights @ inside @ weights) * x * x
    assert 1 - value == pytest.approx(gm.exact_exceedance(2, x), abs=2e-5)
    assert gm.exact_exceedance(1, x) == pytest.approx(2 * stats.norm.sf(x), rel=1e-12)


@pytest.mark.parametrize("n", [1, 2])
def test_samples_follow_the_exact_law(n: int) -> None:
    norms = gm.sample_norms(n, 4000, np.random.default_rng(5))
    for x in (0.5, 1.5, 2.5):
        low, high = clopper_pearson(int((norms >= x).sum()), 4000)
        assert low <= gm.exact_exceedance(n, x) <= high


def test_the_least_factor_on_the_printed_bound() -> None:
    limit = 2 * (-(arb(1000) ** 2) / 2).exp()
    assert gm.tail_below(64, 0.69 * (32 + 2000)) > limit
    assert gm.tail_below(64, 0.71 * (32 + 2000)) < limit


def test_rectangular() -> None:
    assert gm.rectangular(4, 9, 1.5, 2.0) == pytest.approx(2 * (2 + 3) + 1.5)
    assert gm.rectangular_exceedance(3, 2.0) == pytest.approx(stats.chi.sf(2.0, 3), rel=1e-12)


def test_maxima_of_three_by_quadrature() -> None:
    """Independent variables of variances 1, 4, 9: E max by integrating 1 - F on both sides."""
    scales = (1.0, 2.0, 3.0)

    def chance(x: float) -> float:
        return float(np.prod([stats.norm.cdf(x / s) for s in scales]))

    value = integrate.quad(lambda x: 1 - chance(x), 0, 40)[0] - integrate.quad(chance, -40, 0)[0]
    increments = np.add.outer(np.square(scales), np.square(scales)) - 2 * np.diag(np.square(scales))
    assert gm.expected_maximum(increments) == pytest.approx(value, abs=1e-8)


def test_the_mean_of_a_norm() -> None:
    assert float(gm.mean_norm_steps(5)[0]) == pytest.approx(stats.chi.mean(5))
