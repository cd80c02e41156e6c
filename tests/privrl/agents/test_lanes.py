"""Eight lanes compiled, in plain Python, and one number at a time: the same bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numba import njit

from privrl.agents import _lanes
from privrl.agents._lanes import LANES, count, largest, load, lowest_bit, spread, store, where

EDGES = [0.0, -0.0, 1.0, np.nextafter(1, 0), np.nextafter(1, 2), 1e308, -1e308, 5e-324, np.inf]
REAL = arrays.arrays(np.float64, (3, LANES), elements=st.one_of(st.sampled_from(EDGES), st.floats(-1e6, 1e6)))
WHOLE = arrays.arrays(np.int64, (3, LANES), elements=st.one_of(st.integers(0, 3), st.integers(-(2**61), 2**61)))


def arithmetic(one, two, scalar, result):
    a, b = load(one, (0,)), load(two, (0,))
    store(result, (0, 0), a + b)
    store(result, (1, 0), a * scalar)
    store(result, (2, 0), scalar - b)
    store(result, (3, 0), where(a > b, a, b))
    store(result, (4, 0), where(a <= b, scalar, b))
    store(result, (5, 0), spread(scalar) / (b * b + 1.0))
    return count(a >= b), count(a < scalar), count(a == b), count(a != b), largest(a)


def bits(one, two, scalar, result):
    a, b = load(one, (0,)), load(two, (0,))
    store(result, (0, 0), a & b)
    store(result, (1, 0), a | scalar)
    store(result, (2, 0), a & (b - 1))
    store(result, (3, 0), where((a != b) & (b > scalar), a, 1 << 61))
    store(result, (4, 0), where((a == scalar) | (a < b), spread(scalar), b))
    store(result, (5, 0), a)
    return count(a >= b), count(a < scalar), count(a == b), count(a != b), lowest_bit((scalar & 7) | 8)


COMPILED = {one: njit(one) for one in (arithmetic, bits)}


def both(kernel: Callable[..., Any], numbers: np.ndarray) -> tuple[np.ndarray, tuple[Any, ...], np.ndarray]:
    """What the compiled and the plain kernel write, one array each, and what they return: equal, or it fails."""
    scalar = numbers.dtype.type(numbers[2, 0])
    results = np.zeros((2, 6, LANES), dtype=numbers.dtype)
    with np.errstate(all="ignore"):
        told = [run(numbers[0].copy(), numbers[1].copy(), scalar, into)
                for run, into in zip((COMPILED[kernel], kernel), results, strict=True)]
    assert told[0] == told[1]
    return results[0], told[0], results[1]


@settings(max_examples=60, deadline=None)
@given(REAL)
def test_reals_compiled_and_plain(numbers: np.ndarray) -> None:
    compiled, _, plain = both(arithmetic, numbers)
    # to the last bit, but for the sign of a NaN
    np.testing.assert_array_equal(compiled, plain)
    seen = ~np.isnan(compiled)
    np.testing.assert_array_equal(np.signbit(compiled[seen]), np.signbit(plain[seen]))


@settings(max_examples=60, deadline=None)
@given(WHOLE)
def test_whole_numbers_compiled_and_plain(numbers: np.ndarray) -> None:
    compiled, _, plain = both(bits, numbers)
    np.testing.assert_array_equal(compiled, plain)


def test_one_number_at_a_time() -> None:
    """Against Python's own floats and integers; no sum and product are fused into one rounding."""
    rng = np.random.default_rng(3)
    numbers = rng.normal(size=(3, LANES))
    found, told, _ = both(arithmetic, numbers)
    one, two, scalar = numbers[0].tolist(), numbers[1].tolist(), float(numbers[2, 0])
    rows = [(a + b, a * scalar, scalar - b, max(a, b), scalar if a <= b else b, scalar / (b * b + 1.0))
            for a, b in zip(one, two, strict=True)]
    assert found.T.tolist() == [list(row) for row in rows]
    pairs = list(zip(one, two, strict=True))
    assert told == (sum(a >= b for a, b in pairs), sum(a < scalar for a in one), sum(a == b for a, b in pairs),
                    sum(a != b for a, b in pairs), max(one))


@njit
def dot(weights, values, total):
    for after in range(values.size):
        total = total + load(weights, (after, 0)) * values[after]
    return total


@njit
def dot_of(weights, values, result):
    store(result, (0,), dot(weights, values, spread(0.5)))


def test_sums_are_not_reassociated() -> None:
    rng = np.random.default_rng(5)
    weights, values, found = rng.normal(size=(9, LANES)), rng.normal(size=9), np.empty(LANES)
    dot_of(weights, values, found)
    other = 0
    for lane in range(LANES):
        total = backwards = 0.5
        for after in range(9):
            total += float(weights[after, lane]) * float(values[after])
            backwards += float(weights[8 - after, lane]) * float(values[8 - after])
        assert found[lane] == total
        other += total != backwards
    assert other  # another order would have been seen


@njit
def move(source, target, at):
    store(target, at, load(source, at))


@pytest.mark.parametrize("at", [(0, 1, 0), (1, 2, 8), (1, 0, 3)])
def test_load_and_store_take_neighbours_and_nothing_else(at: tuple[int, int, int]) -> None:
    source = np.arange(2 * 3 * 16, dtype=np.float64).reshape(2, 3, 16) + 1
    for run in (move, move.py_func):
        target = np.zeros_like(source)
        run(source, target, at)
        expected = np.zeros_like(source)
        expected[at[0], at[1], at[2] : at[2] + LANES] = source[at[0], at[1], at[2] : at[2] + LANES]
        np.testing.assert_array_equal(target, expected)


def test_padding_and_alignment() -> None:
    assert [_lanes.padded(size) for size in (1, 7, 8, 9, 16, 17)] == [8, 8, 8, 16, 16, 24]
    for dtype in (np.float64, np.int64):
        made = _lanes.zeros((3, 2, 16), dtype)
        assert made.shape == (3, 2, 16)
        assert made.dtype == dtype
        assert made.ctypes.data % 64 == 0
        assert made.flags.c_contiguous
        assert not made.any()
