"""The chi-square tail against the incomplete gamma function; the ledger has its proof and its
certificate."""

import math

import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from theory.lemmas import chi_square


@given(st.integers(1, 200), st.floats(0, 200))
def test_survival_by_scipy(freedom: int, threshold: float) -> None:
    reference = stats.chi2.sf(threshold, freedom)
    assert chi_square.survival(freedom, threshold) == pytest.approx(reference, rel=1e-9, abs=1e-300)


@given(st.integers(1, 500), st.floats(1e-6, 300))
def test_the_lemma_and_its_exponents_in_order(freedom: int, x: float) -> None:
    """exact <= best Chernoff <= -x, at any point."""
    threshold = chi_square.quantile_bound(freedom, x)
    best = chi_square.chernoff(freedom, threshold)
    tail = chi_square.survival(freedom, threshold)
    assert best <= -x + 1e-9 * (1 + x)
    assert tail == 0 or math.log(tail) <= best + 1e-9 * (1 + x)


def test_coefficients_a_hundredth_smaller_are_not_ordered() -> None:
    assert not chi_square.coefficients_ordered(sp.Rational(99, 100))


@pytest.mark.slow
@given(st.integers(1, 400), st.floats(1e-3, 100), st.floats(0.1, 10))
def test_norms(dimension: int, x: float, sigma: float) -> None:
    bounds = chi_square.norm_bounds(dimension, x, sigma)
    assert bounds.sharp <= bounds.triangle * (1 + 1e-12)
    assert bounds.doubled == pytest.approx(math.sqrt(2) * bounds.triangle)
    assert bounds.lipschitz <= bounds.triangle * (1 + 1e-12)
    for bound in bounds:
        assert stats.chi2.sf((bound / sigma) ** 2, dimension) <= math.exp(-x) * (1 + 1e-9)
