"""Exact draws of the discrete Gaussian law: floating point decides as real numbers do, and the law
is the stated one."""

import math
import os
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from privrl.privacy import discrete_gaussian
from privrl.privacy.discrete_gaussian import (
    DECISION_MARGIN,
    LAST_EXPONENT,
    MOST_SCALE,
    SLICES,
    Uniform,
    draws,
    exact_exponent,
    exp_between,
    falling,
    thresholds,
)

ALPHA = 1e-9  # a test that fails by chance fails so often


def bits(seed: int) -> Callable[[int], bytes]:
    """In place of the system's generator: the same bits each time."""
    rng = np.random.default_rng(seed)
    return rng.bytes


def taylor(exponent: Fraction) -> tuple[Fraction, Fraction]:
    """Bounds of exp(-exponent), for exponents up to 64, by the series of its 64th part and six
    squares, in units of 2^-320; each of some 60 roundings is one of them, and all together 2^20."""
    unit = 2**320
    small = exponent.numerator * unit // (64 * exponent.denominator)
    total = term = unit
    for n in range(1, 80):
        term = -term * small // (n * unit)
        total += term
    for _ in range(6):
        total = total * total // unit
    return Fraction(total - 2**20, unit), Fraction(total + 2**20, unit)


@pytest.mark.parametrize("scale", [0.3, 1.0, 7.7, 1e4 / 3, 2.0**44 / 3])
def test_floating_point_decides_as_real_numbers_do(
    monkeypatch: pytest.MonkeyPatch, scale: float
) -> None:
    """With the same bits: all proposals decided by fractions, and almost none."""
    monkeypatch.setattr(os, "urandom", bits(1))
    fast = discrete_gaussian._taken(scale, 600)
    monkeypatch.setattr(os, "urandom", bits(1))
    monkeypatch.setattr(discrete_gaussian, "DECISION_MARGIN", 2.0)
    assert np.array_equal(discrete_gaussian._taken(scale, 600), fast) and fast.size > 20


def test_what_the_first_bits_leave_open_is_decided_by_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Uniform numbers one unit of their 64 bits below, at and above exp(-e)."""
    scale, inner, block = 1e6 / 7, 12_345, 3
    width = math.ceil(scale / SLICES)
    size = inner + width * block
    low, high = taylor(exact_exponent(size, block, scale))
    word = math.floor(2**64 * low)
    assert word == math.floor(2**64 * high)
    ends = [int(end) for end in thresholds()]
    for last, following, taken in (
        (word - 1, b"", [size]),
        (word + 1, b"", []),
        (word, bytes(64), [size]),  # the next bits are zeros
        (word, b"\xff" * 64, []),
    ):
        words = [inner, ends[block] + 1, last]
        content = iter([np.array(words, np.uint64).tobytes()])
        monkeypatch.setattr(os, "urandom", lambda n, c=content, f=following: next(c, f[:n]))
        assert discrete_gaussian._taken(scale, 1).tolist() == taken


def test_blocks_are_told_apart_at_their_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = [int(end) for end in thresholds()]
    assert len(ends) == LAST_EXPONENT * SLICES and ends == sorted(ends, reverse=True)
    for v in (1, 2, 7, 80):  # exact integers, by another road
        low, high = (math.floor(2**64 * end) for end in taylor(Fraction(v, SLICES)))
        assert ends[v - 1] == low == high
    words = np.array([2**64 - 1, ends[0] + 1, ends[0] - 1, ends[4] - 1, ends[4] + 1], np.uint64)
    blocks, left_open = discrete_gaussian._blocks(words)
    assert blocks.tolist() == [0, 0, 1, 5, 4] and not left_open.any()
    _, left_open = discrete_gaussian._blocks(np.array([ends[0], ends[-1] - 1, 0], np.uint64))
    assert left_open.all()
    for following, block in ((bytes(8), 1), (b"\xff" * 8, 0)):
        monkeypatch.setattr(os, "urandom", lambda n, f=following: f[:n])
        assert Uniform(ends[0]).blocks() == block


def test_errors_in_floating_point_are_within_the_margin() -> None:
    rng = np.random.default_rng(3)
    exponents = np.concatenate(
        (rng.uniform(0, 41, 200), [0.0, 1 / 64, LAST_EXPONENT - 1e-9, LAST_EXPONENT])
    )
    exact = [taylor(Fraction(float(e)))[0] for e in exponents]
    errors = [abs(Fraction(float(p)) - q) for p, q in zip(falling(exponents), exact, strict=True)]
    assert max(errors) < Fraction(2) ** -48
    for scale in (0.7, 1e3 / 7, 2.0**45):
        blocks = rng.integers(0, 40, 100)
        sizes = rng.integers(0, max(math.ceil(scale / SLICES), 1), 100)
        sizes = sizes + math.ceil(scale / SLICES) * blocks
        for e, size, block in zip(
            discrete_gaussian._exponents(sizes, blocks, scale), sizes, blocks, strict=True
        ):
            true = exact_exponent(int(size), int(block), scale)
            assert true >= 0
            moved = abs(math.exp(-float(true)) * math.expm1(float(Fraction(float(e)) - true) * -1))
            assert moved < 2.0**-48 < DECISION_MARGIN / 100


def test_bounds_of_exp_hold_it_and_draw_together() -> None:
    for exponent in (Fraction(1, 3), Fraction(7), Fraction(39) + Fraction(1, 10**30)):
        for size in (64, 128, 192):
            low, high = exp_between(exponent, size)
            assert low <= taylor(exponent)[1] and taylor(exponent)[0] <= high
            assert 0 < high - low < Fraction(1, 2 ** (size + 20))
    assert exp_between(Fraction(0), 64) == (1, 1)
    low, high = exp_between(Fraction(10**12), 64)
    assert low == 0 < high < Fraction(1, 10**400_000)


def cells(scale: float, number: int) -> tuple[int, "np.ndarray[tuple[int], np.dtype[np.float64]]"]:
    """Expected draws at -most, .., most, tails at the ends, of 30 or more."""
    z = np.arange(math.ceil(60 * scale) + 2)
    weight = np.exp(-(z**2) / (2 * scale**2))
    weight = np.concatenate((weight[:0:-1], weight)) / (2 * weight.sum() - 1)
    middle = z.size - 1
    most = next(m for m in range(middle, -1, -1) if number * weight[middle + m :].sum() >= 30)
    inner = weight[middle - most : middle + most + 1].copy()
    inner[0] = inner[-1] = weight[middle + most :].sum()
    return most, inner * number


@pytest.mark.parametrize("scale", [0.6, 1.0, 3.3, 20.0])
def test_draws_have_the_discrete_gaussian_law(scale: float) -> None:
    """Chi-square; a scale 6 % off is seen."""
    number = 60_000
    for actual, right in ((scale, True), (1.06 * scale, False)):
        most, expected = cells(scale, number)
        counts = np.bincount(np.clip(draws(actual, number), -most, most) + most)
        assert counts.sum() == number
        assert (stats.chisquare(counts, expected).pvalue > ALPHA) == right


def test_wide_draws_are_normal_to_their_last_bits() -> None:
    """By the distribution function, and the last bits by their frequencies."""
    scale, number = 2.0**45 / 1.7, 40_000
    many = draws(scale, number)
    assert stats.kstest(many / scale, stats.norm.cdf).pvalue > ALPHA
    assert stats.kstest(many / scale * 1.1, stats.norm.cdf).pvalue < ALPHA
    for last in (np.bincount(many & 15, minlength=16), np.bincount((many > 0).astype(int))):
        assert stats.chisquare(last).pvalue > ALPHA


def test_as_many_as_were_asked_for_and_none_beyond_the_largest_scale() -> None:
    assert [draws(5.0, number).size for number in (1, 2, 1001)] == [1, 2, 1001]
    with pytest.raises(ValueError, match=r"scale must be <= 2\^45"):
        draws(2 * MOST_SCALE, 1)
    with pytest.raises(ValueError, match="scale must be > 0"):
        draws(0.0, 1)
    assert not draws(1e-300, 50).any()
