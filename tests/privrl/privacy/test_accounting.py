"""Accounting against mpmath at 50 digits, ball arithmetic and dp-accounting; every number on the
safe side."""

import math
import os
import subprocess
import sys
from collections.abc import Callable

import dp_accounting
import mpmath
import numpy as np
import pytest
from flint import arb, ctx
from mpmath import mp

from privrl.privacy import accounting
from privrl.privacy.counters.stream import levels
from tests.contracts import refused
from theory.lemmas import zcdp
from theory.lemmas.gaussian_mechanism import curve as exact_delta

DRAWS = 200
CLOSE = 1e-12
Curve = Callable[[np.ndarray, np.ndarray], np.ndarray]


def log_uniform(rng: np.random.Generator, low: float, high: float, size: int) -> np.ndarray:
    return np.exp(rng.uniform(math.log(low), math.log(high), size))


def safe_above(computed: float, truth: mpmath.mpf) -> bool:
    """Not below the truth, and above it by 1e-12 relative at most."""
    return bool(truth <= computed <= truth * (1 + mpmath.mpf(CLOSE)))


def safe_below(computed: float, truth: mpmath.mpf) -> bool:
    return bool(truth * (1 - mpmath.mpf(CLOSE)) <= computed <= truth)


@pytest.fixture(autouse=True)
def _digits() -> None:
    mp.dps = 50


def points_of_the_curve(size: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """epsilon and mu in [1e-4, 50] with deltas between 1e-15 and 0.5 or so, some at epsilon = 0."""
    rng = np.random.default_rng(seed)
    mu = log_uniform(rng, 1e-4, 50, size)
    epsilon = mu * np.maximum(rng.uniform(-1, 7.5, size) + mu / 2, rng.uniform(0, 1, size) * mu / 2)
    epsilon[::40] = 0
    return epsilon, mu


def test_gaussian_delta_at_fifty_digits() -> None:
    for epsilon, mu in zip(*points_of_the_curve(DRAWS, 1), strict=True):
        assert safe_above(accounting.gaussian_delta(epsilon, mu), exact_delta(epsilon, mu))


def never_below(curve: Curve, epsilon: np.ndarray, mu: np.ndarray) -> bool:
    """Whether the curve is nowhere below the truth, by balls of 300 bits that decide every
    comparison."""
    ctx.prec = 300
    root = arb(2).sqrt()
    for number, (budget, two, computed_delta) in enumerate(
        zip(epsilon, mu, curve(epsilon, mu), strict=True)
    ):
        exact, scale = arb(budget), arb(two)
        quotient = exact / scale
        upper = ((quotient - scale / 2) / root).erfc() - exact.exp() * (
            (quotient + scale / 2) / root
        ).erfc()
        decided = 2 * arb(computed_delta) - upper
        if decided < 0:
            return False
        assert decided >= 0 or computed_delta == 1.0, f"undecided at point {number}"
    return True


@pytest.mark.slow
def test_gaussian_curve_is_never_below_the_truth() -> None:
    """100,000 random points; the same with nothing added for rounding is below the truth within a
    few thousand."""
    epsilon, mu = points_of_the_curve(100_000, 2)
    assert never_below(accounting.gaussian_curve, epsilon, mu)
    few = slice(0, 5000)
    assert not never_below(
        lambda e, m: accounting.gaussian_curve(e, m) * (1 - 1e-13), epsilon[few], mu[few]
    )


def test_gaussian_curve_far_out() -> None:
    rng = np.random.default_rng(3)
    mu = log_uniform(rng, 1e-12, 1e5, 3000)
    epsilon = mu * np.maximum(rng.uniform(-3, 36, 3000) + mu / 2, 0)
    assert never_below(accounting.gaussian_curve, epsilon, mu)
    assert accounting.gaussian_delta(0.0, 1e-300) == accounting.gaussian_delta(1e300, 1.0) == 1e-290
    assert accounting.gaussian_delta(0.0, 1e300) == accounting.gaussian_delta(1e300, 1e200) == 1.0
    assert accounting.gaussian_delta(1e5, 440.0) < accounting.gaussian_delta(1e5, 450.0)


@pytest.mark.slow
def test_gaussian_epsilon_and_mu_at_fifty_digits() -> None:
    rng = np.random.default_rng(4)
    for mu, delta in zip(
        log_uniform(rng, 1e-4, 50, DRAWS), log_uniform(rng, 1e-15, 0.5, DRAWS), strict=True
    ):
        epsilon = accounting.gaussian_epsilon(delta, mu)
        if epsilon == 0:
            assert exact_delta(0, mu) <= delta
        else:
            truth = mpmath.findroot(
                lambda e, m=mu, d=delta: exact_delta(e, m) - d,
                (epsilon, epsilon * (1 + 1e-9)),
                verify=False,
            )
            assert safe_above(epsilon, truth)
            assert not safe_above(epsilon * (1 - 1e-12), truth)
            assert not safe_above(epsilon * (1 + 2e-12), truth)
    epsilons = log_uniform(rng, 1e-4, 100, DRAWS)
    epsilons[::20] = 0
    for epsilon, delta in zip(epsilons, log_uniform(rng, 1e-15, 0.5, DRAWS), strict=True):
        mu = accounting.gaussian_mu(epsilon, delta)
        truth = mpmath.findroot(
            lambda m, e=epsilon, d=delta: exact_delta(e, m) - d, (mu, mu * (1 + 1e-9)), verify=False
        )
        assert safe_below(mu, truth)
        assert not safe_below(mu * (1 + 1e-12), truth)


@pytest.mark.slow
def test_gaussian_functions_agree_with_dp_accounting() -> None:
    """To 1e-9, where dp-accounting is right: its difference of two tails cancels where epsilon and
    mu are small."""
    rng = np.random.default_rng(5)
    for mu, delta in zip(
        log_uniform(rng, 1e-3, 50, DRAWS), log_uniform(rng, 1e-15, 0.5, DRAWS), strict=True
    ):
        theirs = dp_accounting.get_epsilon_gaussian(1 / mu, delta, tol=1e-15)
        assert accounting.gaussian_epsilon(delta, mu) == pytest.approx(theirs, rel=1e-9, abs=1e-12)
    for epsilon, delta in zip(
        log_uniform(rng, 1e-2, 100, DRAWS), log_uniform(rng, 1e-15, 0.5, DRAWS), strict=True
    ):
        theirs = dp_accounting.get_sigma_gaussian(epsilon, delta, tol=1e-15)
        assert 1 / accounting.gaussian_mu(epsilon, delta) == pytest.approx(theirs, rel=1e-9)


@pytest.mark.slow
def test_gaussian_round_trips_and_edges() -> None:
    for epsilon in (0.0, 1e-8, 0.3, 7.0, 700.0, 5000.0):
        for delta in (1e-280, 1e-15, 1e-6, 0.5, 0.999):
            mu = accounting.gaussian_mu(epsilon, delta)
            assert (
                accounting.gaussian_delta(epsilon, mu)
                <= delta
                < accounting.gaussian_delta(epsilon, mu * (1 + 1e-9))
            )
            assert accounting.gaussian_epsilon(delta, mu) <= epsilon * (1 + 1e-9) + 1e-14
    assert accounting.gaussian_epsilon(0.0, 1.0) == math.inf
    assert accounting.gaussian_epsilon(0.5, 1e-6) == 0.0
    assert accounting.gaussian_mu(0.0, 1e-15) == pytest.approx(
        1e-15 * math.sqrt(2 * math.pi), rel=1e-12
    )


def test_tree_scales_are_safe_and_tight() -> None:
    for releases in (1, 2, 3, 4, 1023, 1024, 10**9):
        nodes = levels(releases)
        # intervals [1, 2^level] complete by then
        assert nodes == sum(2**level <= releases for level in range(64))
        scale = accounting.laplace_family_scale(0.7, 20.0, releases)
        assert accounting.laplace_family_epsilon(scale, 20.0, releases) == pytest.approx(
            0.7, rel=1e-14
        )
        assert mpmath.mpf(nodes) * 20 / mpmath.mpf(scale) <= mpmath.mpf(0.7)
        assert (
            mpmath.mpf(accounting.laplace_family_epsilon(3.0, 20.0, releases))
            >= mpmath.mpf(nodes) * 20 / 3
        )


@pytest.mark.slow
def test_conversions_at_fifty_digits() -> None:
    rng = np.random.default_rng(6)
    draws = zip(
        log_uniform(rng, 5e-9, 1250, DRAWS), log_uniform(rng, 1e-15, 0.5, DRAWS), strict=True
    )
    for rho, delta in draws:
        logarithm = -mpmath.log(mpmath.mpf(delta))
        simple = accounting.bun_steinke_epsilon(rho, delta)
        assert safe_above(simple, rho + 2 * mpmath.sqrt(rho * logarithm))
        best, truth = (
            accounting.optimal_zcdp_epsilon(rho, delta),
            zcdp.optimal(rho, delta, digits=50),
        )
        assert accounting.gaussian_epsilon(delta, math.sqrt(2 * rho)) <= best * (1 + CLOSE) + CLOSE
        assert best <= simple
        if truth <= 0:
            assert best <= 1e-15
            continue
        assert safe_above(best, truth)


def test_limits_are_named() -> None:
    assert "epsilon must be >= 0" in refused(lambda: accounting.gaussian_mu(-1.0, 1e-6))
    assert "delta must be >= 1e-280" in refused(lambda: accounting.gaussian_mu(1.0, 1e-281))
    assert "[0, 1)" in refused(lambda: accounting.gaussian_epsilon(1.0, 1.0))


POINTS = """
import numpy as np
from privrl.privacy import accounting
rng = np.random.default_rng(8)
found = [accounting.gaussian_mu(*pair) for pair in np.exp(rng.uniform(-9, 0, (200, 2)))]
found.append(float(accounting.gaussian_curve(*np.exp(rng.uniform(-3, 1, (2, 50, 40)))).sum()))
print(np.array(found).tobytes().hex())
"""


@pytest.mark.slow
def test_the_bits_do_not_depend_on_the_kernels_of_blas() -> None:
    """On an x86-64 processor; elsewhere the setting says nothing."""
    outputs = set()
    for core in ("", "Nehalem", "Haswell"):
        surroundings = {**os.environ, "OPENBLAS_CORETYPE": core}
        outputs.add(
            subprocess.run(
                [sys.executable, "-c", POINTS],
                env=surroundings,
                capture_output=True,
                check=True,
            ).stdout
        )
    assert len(outputs) == 1


def test_the_nodes_are_those_of_gauss_and_legendre() -> None:
    nodes, weights = np.polynomial.legendre.leggauss(10)
    assert np.abs(accounting.NODES - nodes).max() <= 2e-16
    assert np.abs(accounting.WEIGHTS / weights - 1).max() <= 4e-15
    for degree in range(20):
        moment = float((accounting.WEIGHTS * accounting.NODES**degree).sum())
        assert moment == pytest.approx((1 + (-1) ** degree) / (degree + 1), abs=1e-14)


@pytest.mark.parametrize(("rho", "delta"), [(0.1, 0.9), (3.0, 0.6), (1e-3, 0.95), (40.0, 0.99)])
def test_the_best_renyi_order_is_found_at_large_delta(rho: float, delta: float) -> None:
    """Against a fine grid of orders, where ln(1/delta) is small."""
    s = np.geomspace(1e-9, 1e9, 200_001)
    orders = (1 + s) * rho - np.log1p(1 / s) + (math.log(1 / delta) - np.log1p(s)) / s
    assert accounting.optimal_zcdp_epsilon(rho, delta) == pytest.approx(
        max(0.0, float(orders.min())), rel=1e-6, abs=1e-9
    )
