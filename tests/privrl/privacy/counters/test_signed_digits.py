"""Signed digits against their definition, which :mod:`theory.lemmas.signed_digits` enumerates."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privrl.privacy.counters import signed_digits
from privrl.privacy.counters.signed_digits import SignedCounter
from privrl.privacy.counters.stream import Counter
from tests.contracts import rejects
from tests.contracts_agents import StreamContract, spoilt
from theory.lemmas.counters import driven
from theory.lemmas.signed_digits import factors


class TestSigned(StreamContract):
    law = "laplace"

    def build(self, width: int, releases: int, seed: int, scale: float = 1.0) -> Counter:
        return SignedCounter(width, releases, scale, np.random.Generator(np.random.SFC64(seed)))

    def test_another_seed_gives_other_noise_and_scale_is_a_factor(self) -> None:
        assert not (self.sums(70, 50, seed=1) == self.sums(70, 50, seed=2)).any()
        assert np.array_equal(
            self.build(9, 40, 5, scale=0.25).block(40) * 4, self.sums(9, 40, seed=5)
        )


def test_the_contract_rejects() -> None:
    twin = spoilt(SignedCounter, lambda counter: counter._digits.fill(0))
    failures = rejects(
        TestSigned,
        build=lambda self, width, releases, seed, scale=1.0: twin(
            width, releases, scale, np.random.default_rng(seed)
        ),
    )
    assert "test_the_cut_into_blocks_does_not_matter" in failures


def noise_of(releases: int) -> np.ndarray:
    """(R, draws) answer of the stream to unit vectors in place of draws."""
    return driven(SignedCounter(2 * releases + 50, releases, 1.0, np.random.default_rng(0)))


@pytest.mark.parametrize("releases", [1, 2, 5, 11, 17, 40, 60, 99, 150])
def test_the_stream_is_the_mechanism(releases: int) -> None:
    levels, allowance = signed_digits._shape(releases)
    noise, items = factors(levels, allowance, releases)
    stream_noise = noise_of(releases)
    np.testing.assert_array_equal(stream_noise @ stream_noise.T, noise @ noise.T)
    assert set(np.unique(stream_noise)) <= {-1.0, 0.0, 1.0}
    cost = SignedCounter.cost(releases)
    assert items.sum(axis=0).max() == cost.sensitivity
    counted = np.abs(noise).sum(axis=1)
    np.testing.assert_array_equal(
        SignedCounter.variance(np.arange(1, releases + 1), releases), counted
    )
    assert (cost.largest, cost.mean) == (counted.max(), pytest.approx(counted.mean()))
    assert dict(zip(cost.variances, cost.numbers, strict=True)) == {
        size: number for size, number in enumerate(np.bincount(counted)) if number
    }


def test_far_from_the_beginning() -> None:
    """A level deeper: h = 3 and w = 11, covariances of every hundredth release by digits."""
    releases = 1000
    noise = noise_of(releases)
    digits = signed_digits._digits(np.arange(1, releases + 1), *signed_digits._shape(releases))
    for first_release, two in itertools.product(range(0, releases, 37), repeat=2):
        shared = 0
        for first, second in zip(digits[first_release], digits[two], strict=True):
            shared += min(abs(first), abs(second)) if first * second > 0 else 0
            if first != second:
                break
        assert noise[first_release] @ noise[two] == shared


@settings(max_examples=30)
@given(st.integers(1, 10**12))
def test_shape(releases: int) -> None:
    levels, allowance = signed_digits._shape(releases)
    assert signed_digits._vectors(levels, allowance) >= 2 * releases + 1
    assert signed_digits._vectors(levels, allowance - 1) < 2 * releases + 1
    total = sum(2**i * math.comb(levels, i) * math.comb(allowance, i) for i in range(levels + 1))
    assert signed_digits._vectors(levels, allowance) == total
    assert SignedCounter.cost(releases).largest <= allowance


def test_at_a_million() -> None:
    assert signed_digits._shape(10**6) == (5, 24)
    counter = SignedCounter(2, 10**6, 1.0, np.random.default_rng(0))
    for _ in range(5):
        counter.block(10_000)
    assert counter._marks.shape == (5, 25, 2)
    assert counter._buffer.shape[0] <= 10_100  # one draw a release, and bursts of at most w + 1
