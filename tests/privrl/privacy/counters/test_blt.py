"""Buffered Toeplitz noise: closed forms against series, the points against a search, few rows for
long runs."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from privrl.privacy.counters import blt, mechanisms
from privrl.privacy.counters.blt import BLTCounter, Design
from theory.lemmas.counters import driven


def series(design: Design, number: int) -> tuple[np.ndarray, np.ndarray]:
    """b and c by multiplying out: c of its factors one at a time, b = 1 / ((1 - x) c) by
    division."""
    c = np.zeros(number)
    c[0] = 1.0
    for pole, zero in zip(design.poles, design.zeros, strict=True):
        c[1:] -= zero * c[:-1].copy()
        for i in range(1, number):
            c[i] += pole * c[i - 1]
    b = np.zeros(number)
    for i in range(number):
        b[i] = 1.0 - c[1 : i + 1] @ b[:i][::-1]
    return b, c


@settings(max_examples=30)
@given(st.integers(1, 400), st.integers(1, 9))
def test_closed_forms(releases: int, buffers: int) -> None:
    design = blt.design(releases, buffers)
    b, c = series(design, releases)
    assert design.squared_norm() == pytest.approx(float(c @ c), rel=1e-8)
    np.testing.assert_allclose(
        design.variance(np.arange(1, releases + 1)), np.cumsum(b**2), rtol=1e-8
    )
    assert design.mean() == pytest.approx(float(np.cumsum(b**2).mean()), rel=1e-8)


@given(st.integers(1, 2**53), st.integers(1, 16))
def test_poles_and_zeros_take_turns(releases: int, buffers: int) -> None:
    design = blt.design(releases, buffers)
    points = np.column_stack([design.poles, design.zeros]).ravel()
    assert (np.diff(points) < 0).all()
    assert 0 < points[-1] < points[0] < 1
    assert (design.weights > 0).all() and (design.shares > 0).all()
    assert design.weights.sum() == pytest.approx(1.0, rel=1e-9)


def test_the_stream_is_the_series() -> None:
    for releases, buffers in ((1, 2), (7, 1), (90, 3), (200, 6)):
        counter = BLTCounter(releases, releases, 1.0, np.random.default_rng(0), buffers=buffers)
        b, _ = series(counter.design, releases)
        lags = np.subtract.outer(np.arange(releases), np.arange(releases))
        np.testing.assert_allclose(
            driven(counter), np.where(lags >= 0, b[np.abs(lags)], 0.0), atol=1e-12
        )


@pytest.mark.slow
@pytest.mark.parametrize("releases", [100, 10**4, 10**6, 10**8])
def test_no_search_finds_much_better_points(releases: int) -> None:
    buffers = blt.design(releases).buffers

    def made(steps: np.ndarray) -> float:
        """Logarithm of the product for distances to one given by logarithms of their ratios."""
        near = np.exp(-np.cumsum(np.exp(steps)[::-1])[::-1])
        poles, zeros = 1 - near[::2], 1 - near[1::2]
        decays = np.append(1.0, zeros)
        fractions = blt._fractions(1 - decays, 1 - poles), blt._fractions(1 - poles, 1 - zeros)
        design = Design(releases, buffers, poles, zeros, decays, *fractions)
        return math.log(design.squared_norm() * float(design.variance(np.array([releases]))[0]))

    start = blt.design(releases)
    points = np.column_stack([1 - start.poles, 1 - start.zeros]).ravel()
    steps = np.log(-np.diff(np.append(np.log(points), 0.0))[::1] * -1.0)
    ours = math.log(BLTCounter.cost(releases).product)
    assert made(steps) == pytest.approx(ours, abs=1e-6)
    optimum = minimize(made, steps, method="BFGS", options={"maxiter": 300})
    assert ours - 0.001 <= float(optimum.fun) <= ours


def test_few_rows_and_one_percent() -> None:
    rows = {10**3: 4, 10**4: 5, 10**5: 6, 10**6: 6, 10**8: 8}
    for releases, memory in rows.items():
        cost = mechanisms.counter_cost("blt", releases)
        root = ((math.log(16 * releases) + np.euler_gamma) / math.pi) ** 2
        assert cost.memory == memory
        assert root < cost.product <= 1.01 * root
    counter = BLTCounter(3, 10**12, 1.0, np.random.default_rng(0))
    counter.block(100)
    assert counter._buffers.shape[0] <= 11
    assert blt.design(2**53).buffers == 16  # safe, and no longer near the best
