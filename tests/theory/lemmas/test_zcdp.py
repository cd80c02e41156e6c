"""The optimal conversion from zero-concentrated DP."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from theory.lemmas import zcdp


@given(st.floats(1e-4, 50), st.floats(1e-12, 0.5))
def test_the_optimal_one_by_plain_minimisation(rho: float, delta: float) -> None:
    def bound(log_s: float) -> float:
        s = math.exp(log_s)
        return (1 + s) * rho + (math.log(1 / delta) - math.log1p(s)) / s - math.log1p(1 / s)

    best = optimize.minimize_scalar(bound, bounds=(-20, 20), method="bounded", options={"xatol": 1e-10}).fun
    ours = float(zcdp.optimal(rho, delta))
    assert ours == pytest.approx(max(best, 0), rel=1e-8, abs=1e-9)
