"""The bound below every counter, and quantiles by unions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from privrl.privacy.counters import matrix, mechanisms


@pytest.mark.parametrize("releases", [1, 2, 10, 200])
def test_the_bound_is_the_nuclear_norm(releases: int) -> None:
    values = np.linalg.svd(np.tril(np.ones((releases, releases))), compute_uv=False)
    expected = (values.sum() / releases) ** 2
    assert expected * (1 - 1e-10) <= matrix.lower_bound(releases) <= expected


def test_long_runs_continue_short_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = (10, 100, 3000, 2**20)
    summed = [matrix.lower_bound(releases) for releases in sizes]
    monkeypatch.setattr(matrix, "SUMMED", 0)
    for releases, value in zip(sizes, summed, strict=True):
        closed = matrix.lower_bound(releases)
        assert value * (1 - 1 / releases**1.5) - 1e-9 <= closed <= value * (1 + 1e-11)


@pytest.mark.slow
@given(
    st.sampled_from([name for name in mechanisms.PRIVATE if name not in ("sqrt", "signed")]),
    st.integers(1, 10**15),
)
def test_nothing_lies_below_the_bound(name: str, releases: int) -> None:
    # Gaussian draws
    bound, cost = (
        matrix.lower_bound(releases),
        mechanisms.counter_cost(name, releases),
    )
    assert bound <= cost.average * (1 + 1e-9)
    assert cost.average <= cost.product * (1 + 1e-9)


def test_union_quantiles_by_hand() -> None:
    groups = np.array([1.0, 4.0]), np.array([3.0, 2.0])
    cost = matrix.Cost("gaussian", 1.0, 4.0, 2.2, *groups, 1, 1.0)
    x = matrix.union_quantile(cost, 0.01)
    assert 6 * stats.norm.sf(x) + 4 * stats.norm.sf(x / 2) <= 0.01
    assert 6 * stats.norm.sf(0.9999 * x) + 4 * stats.norm.sf(0.9999 * x / 2) > 0.01
    laplace = matrix.Cost("laplace", 1.0, 1.0, 1.0, np.array([1.0]), np.array([5.0]), 1, 1.0)
    assert matrix.union_quantile(laplace, 0.01) == pytest.approx(math.log(500), rel=1e-4)
