"""Certified tails against closed forms, the exact law and quadrature in many digits.

That counters stay within the quantiles as often as they may is in ``counters/test_mechanisms.py``.
"""

import math

import mpmath
import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, special, stats

from privrl.privacy import quantiles
from tests.contracts import refused
from theory.lemmas import tree


@pytest.mark.parametrize("releases", [1, 2, 3, 4, 5, 7])
def test_tree_tail_encloses_the_exact_law(releases: int) -> None:
    ctx.prec = 200
    for x in (0.3, 1.0, 4.0, 15.0, 45.0):
        truth = tree.tail_ball(x, releases)
        assert truth.rad() < truth.mid() * 1e-20
        for cells in (1, 7, 300, 20000):
            assert arb(quantiles.tree_tail_lower(x, releases, cells)) < truth
            assert truth < arb(quantiles.tree_tail(x, releases, cells))
        assert float(arb(quantiles.tree_tail(x, releases)) / truth) - 1 < 2e-3
    # the check has teeth: the bound for one release less, or for an x one part in a thousand off,
    # is no bound
    truth = tree.tail_ball(15.0, releases)
    assert not truth < arb(quantiles.tree_tail(15.0 * 1.001, releases, 20000))
    if releases > 1:
        assert not truth < arb(quantiles.tree_tail(15.0, releases - 1))


@pytest.mark.parametrize(
    ("releases", "x"), [(15, 6.0), (100, 3.0), (1000, 20.0), (12345, 20.0), (999_999, 34.0)]
)
def test_tree_tail_of_larger_trees(releases: int, x: float) -> None:
    truth = tree.tail(x, releases)
    margin = 1e-11 * truth
    assert (
        quantiles.tree_tail_lower(x, releases) - margin
        < truth
        < quantiles.tree_tail(x, releases) + margin
    )
    assert not truth < quantiles.tree_tail(1.01 * x, releases) + margin
    assert not truth < quantiles.tree_tail(x, releases * 98 // 100) + margin


def blur(x: float, odd: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Midpoints of ``odd`` cells of [-x, x], the mass of each under N(u, 1) at every midpoint u,
    and their width."""
    width = 2 * x / odd
    points = (np.arange(odd) - odd // 2) * width
    apart = np.abs(points[:, None] - points[None, :])
    kernel = -np.diff(stats.norm.sf(apart[..., None] + np.array([-width / 2, width / 2])), axis=-1)[
        ..., 0
    ]
    return points, kernel, width


def extrapolated_tail(x: float, releases: int, cells: int) -> float:
    """The same law for Gaussian nodes, in the order of time, by dense midpoint rules and one
    Richardson step."""

    def rule(odd: int) -> float:
        points, kernel, _ = blur(x, odd)
        survive = [np.ones(points.size)]  # the interior of a block of 2^k, by the sum above it
        while len(survive) < releases.bit_length():
            survive.append(survive[-1] * (kernel @ survive[-1]))
        after = np.ones(points.size)
        for level in range(releases.bit_length()):
            if releases >> level & 1:
                after = survive[level] * (kernel @ after)
        return float(1 - after[odd // 2])

    coarse, fine = rule(cells), rule(3 * cells)
    return fine + (fine - coarse) / 8


@pytest.mark.slow
@pytest.mark.parametrize("releases", [3, 1000, 10**6, 10**9])
@pytest.mark.parametrize("beta", [0.3, 1e-4, 1e-15])
def test_tree_quantile_is_safe_and_tight(releases: int, beta: float) -> None:
    x = quantiles.tree_quantile(beta, releases)
    assert quantiles.tree_tail_lower(x, releases) <= quantiles.tree_tail(x, releases) <= beta
    assert quantiles.tree_tail(x, releases) <= 1.03 * quantiles.tree_tail_lower(x, releases)
    # nothing a thousandth smaller would do
    assert quantiles.tree_tail_lower(0.999 * x, releases) > beta
    assert float(f"{x:.5g}") == x


def test_tree_tail_at_its_ends() -> None:
    assert quantiles.tree_tail(1e-3, 10**6) == 1.0
    assert 0 < quantiles.tree_tail(1e6, 10**6) < 1e-200
    assert quantiles.tree_tail_lower(1e6, 10**6) == 0.0


def test_tree_tail_gaussian_on_small_trees() -> None:
    for x in (0.5, 2.0, 4.0):
        single = 2 * stats.norm.sf(x)
        pair_probability, _ = integrate.quad(
            lambda m, x=x: stats.norm.pdf(m) * (stats.norm.cdf(x - m) - stats.norm.cdf(-x - m)),
            -x,
            x,
            epsabs=1e-14,
        )
        truths = {1: single, 2: 1 - (1 - single) ** 2, 3: 1 - (1 - single) * pair_probability}
        for releases, truth in truths.items():
            bound = quantiles.tree_tail_gaussian(x, releases)
            assert truth * (1 - 1e-9) < bound < truth * 1.001
            assert not truth * (1 - 1e-9) < quantiles.tree_tail_gaussian(x * 1.002, releases)
    # by the union
    assert quantiles.tree_tail_gaussian(30.0, 2) == pytest.approx(4 * stats.norm.sf(30.0), rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("releases", "x"), [(3, 1.0), (7, 4.0), (100, 2.5), (100, 8.0), (5000, 6.0), (5000, 13.0)]
)
def test_tree_tail_gaussian_is_above_the_truth_and_near_it(releases: int, x: float) -> None:
    truth, upper = extrapolated_tail(x, releases, 301), quantiles.tree_tail_gaussian(x, releases)
    assert truth * (1 - 1e-8) < upper < truth * 1.01
    # on its coarsest grid
    assert truth * (1 - 1e-8) < quantiles._gaussian_tree(x, releases, 1) < truth * 1.01
    assert extrapolated_tail(x, 2 * releases, 301) > upper  # for twice the releases it is no bound
    assert upper <= quantiles.tree_tail_gaussian(x, releases, 64)


@pytest.mark.slow
@pytest.mark.parametrize(("beta", "releases"), [(0.3, 10), (1e-6, 10**4), (1e-15, 10**9)])
def test_tree_quantile_gaussian(beta: float, releases: int) -> None:
    x = quantiles.tree_quantile_gaussian(beta, releases)
    assert (
        quantiles.tree_tail_gaussian(x, releases)
        <= beta
        < quantiles.tree_tail_gaussian(0.9999 * x, releases)
    )
    live = max(j for j, number in enumerate(quantiles.live_node_counts(releases)) if number)
    assert 2 * stats.norm.sf(x / math.sqrt(live)) < beta  # one release alone must not exceed it


@given(st.integers(1, 3000))
def test_live_node_counts(releases: int) -> None:
    counts = quantiles.live_node_counts(releases)
    counted = np.bincount(
        [time.bit_count() for time in range(1, releases + 1)], minlength=len(counts)
    )
    assert counts == counted.tolist()


def bessel_tail(x: float, terms: int) -> mpmath.mpf:
    """P(|sum| > x) from the density |x|^(k - 1/2) K_{k - 1/2}(|x|) / (sqrt(pi) 2^(k - 1/2)
    Gamma(k)), by quadrature."""
    with mpmath.workdps(30):
        half = mpmath.mpf(terms) - 0.5
        constant = 2 / (mpmath.sqrt(mpmath.pi) * 2**half * mpmath.gamma(terms))
        width = math.sqrt(2 * terms) + 1
        points = [mpmath.mpf(x) + width * share for share in (0, 1, 3, 8, 20)] + [mpmath.inf]
        return mpmath.quad(lambda y: constant * y**half * mpmath.besselk(half, y), points)


@pytest.mark.slow
@pytest.mark.parametrize("terms", [1, 2, 5, 40])
def test_laplace_sum_tail_encloses_the_bessel_integral(terms: int) -> None:
    for x in (0.1, math.sqrt(terms), 6 * math.sqrt(terms), 30.0 + terms):
        truth = bessel_tail(x, terms)
        bound = quantiles.laplace_sum_tail(x, terms)
        assert truth * (1 - mpmath.mpf(10) ** -15) < bound < truth * (1 + mpmath.mpf(10) ** -8)
        assert not truth < quantiles.laplace_sum_tail(x * (1 + 1e-6), terms)


def test_laplace_sum_tail_of_many_terms_is_nearly_normal() -> None:
    for terms in (10**6, 10**9):
        for deviations in (0.5, 3.0, 6.0):
            x = deviations * math.sqrt(2 * terms)
            ratio = quantiles.laplace_sum_tail(x, terms) / (2 * stats.norm.sf(deviations))
            # the next term of the expansion: excess kurtosis 3 / terms
            hazard = stats.norm.pdf(deviations) / stats.norm.sf(deviations)
            edge = 1 + (deviations**3 - 3 * deviations) * hazard / (8 * terms)
            assert ratio == pytest.approx(edge, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("terms", [1, 7, 10**4, 10**9])
@pytest.mark.parametrize("beta", [0.4, 1e-7, 1e-90])
def test_local_quantile_is_levy_with_the_exact_tail(terms: int, beta: float) -> None:
    x = quantiles.local_quantile(beta, terms)
    assert (
        2 * quantiles.laplace_sum_tail(x, terms)
        <= beta
        < 2 * quantiles.laplace_sum_tail(x * 0.9999, terms)
    )


@pytest.mark.parametrize("beta", [0.9, 0.3, 1e-7, 1e-60, 1e-100])
def test_local_quantile_gaussian_is_levy_with_the_exact_tail(beta: float) -> None:
    for releases in (1, 1000, 10**10):
        x = mpmath.mpf(quantiles.local_quantile_gaussian(beta, releases))
        with mpmath.workdps(30):
            assert 2 * mpmath.erfc(x / mpmath.sqrt(2 * releases)) <= beta
            assert (
                2 * mpmath.erfc(x * (1 - mpmath.mpf(10) ** -8) / mpmath.sqrt(2 * releases)) > beta
            )


def test_the_slope_bound_of_the_chords() -> None:
    """phi(Phi^{-1}(p)), the steepest that a smoothed indicator can be, stays below the bound
    used."""
    p = np.concatenate((np.logspace(-250, -1, 400), np.linspace(0.1, 1, 400)))
    steepest = stats.norm.pdf(special.ndtri(p))
    assert (steepest <= quantiles._slope(p)).all()
    assert not (
        1.01 * np.sqrt(2 * np.log(1 / p[:400])) * p[:400] <= quantiles._slope(p[:400])
    ).any()


def test_the_curvature_bound_of_the_chords() -> None:
    """-D'' <= c by the recursion, against second differences; D is not convex, so that a bare chord
    is no bound."""
    x, odd = 1.5, 1201
    points, kernel, width = blur(x, odd)
    outside = stats.norm.sf(x - points) + stats.norm.sf(x + points)
    inside, bend, slope = (np.zeros(odd) for _ in range(3))
    concave = 0.0
    for _ in range(6):
        after = kernel @ inside + outside
        bend = bend + after + 2 * slope * quantiles._slope(after)
        slope = slope + quantiles._slope(after)
        inside = 1 - (1 - inside) * (1 - after)
        second = -np.diff(inside, 2) / width**2
        first = np.abs(np.diff(inside)) / width
        assert (second <= bend[1:-1] + 1e-6).all()
        assert (first <= slope[1:] + 1e-6).all()
        concave = max(concave, float(second.max()))
    assert concave > 0.1


def test_limits_are_named() -> None:
    assert "1e-100" in refused(lambda: quantiles.tree_quantile(1e-101, 5))
    assert "10000000000" in refused(lambda: quantiles.local_quantile(0.1, 10**10 + 1))
    assert "cells must be >= 1" in refused(lambda: quantiles.tree_tail(1.0, 5, 0))
