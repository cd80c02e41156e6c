"""Conversions from zero-concentrated DP: order, derivation, and what the papers' noise gives."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from privrl.privacy import accounting
from theory.lemmas import zcdp

RHO, DELTA = st.floats(1e-6, 50), st.floats(1e-15, 0.5)


@settings(max_examples=30)
@given(RHO, DELTA)
def test_order(rho: float, delta: float) -> None:
    assert zcdp.ordered(rho, delta)


@given(st.floats(1e-4, 50), st.floats(1e-12, 0.5))
def test_the_optimal_one_by_plain_minimisation(rho: float, delta: float) -> None:
    def bound(log_s: float) -> float:
        s = math.exp(log_s)
        return (1 + s) * rho + (math.log(1 / delta) - math.log1p(s)) / s - math.log1p(1 / s)

    best = optimize.minimize_scalar(bound, bounds=(-20, 20), method="bounded", options={"xatol": 1e-10}).fun
    ours = float(zcdp.optimal(rho, delta))
    assert ours == pytest.approx(max(best, 0), rel=1e-8, abs=1e-9)


@settings(max_examples=30)
@given(st.floats(1e-4, 20), st.floats(1e-12, 0.4))
def test_exact_by_accounting(rho: float, delta: float) -> None:
    exact = float(zcdp.exact_gaussian(rho, delta))
    assert accounting.gaussian_epsilon(delta, math.sqrt(2 * rho)) == pytest.approx(exact, rel=1e-8, abs=1e-12)
    assert accounting.bun_steinke_epsilon(rho, delta) == pytest.approx(float(zcdp.bun_steinke(rho, delta)), rel=1e-12)


def test_derivation() -> None:
    assert zcdp.peak() == (0, 0)
    assert zcdp.minimiser_gap() == 0
    assert zcdp.negative_correction()
