"""Counters: one contract for all, the tree against its definition, and broken twins that the
contract rejects."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privrl.privacy.audit.faults import plant
from privrl.privacy.counters import stream as counters
from privrl.privacy.counters import tree
from privrl.privacy.counters.local import LocalCounter
from privrl.privacy.counters.none import NoneCounter
from privrl.privacy.counters.stream import Counter
from privrl.privacy.counters.tree import TreeCounter
from tests.contracts import rejects
from tests.contracts_agents import StreamContract
from tests.privrl.privacy.counters.test_mechanisms import rng, under


class TestNone(StreamContract):
    def build(self, width: int, releases: int, seed: int, scale: float = 1.0) -> Counter:
        return NoneCounter(width, releases, scale, rng(seed))

    def test_there_is_no_noise(self) -> None:
        assert not self.sums(7, 50, seed=1).any()


TestLocalLaplace, TestLocalGaussian = under("local", "laplace"), under("local")
TestTreeLaplace, TestTreeGaussian = under("tree", "laplace"), under("tree")


def prefix_sums_of_nodes(draws: np.ndarray) -> np.ndarray:
    """The binary mechanism as defined: one variable per dyadic interval, and (0, t] as a union of
    such intervals."""
    nodes = {}
    releases = np.zeros_like(draws)
    for time in range(1, draws.shape[0] + 1):
        length = 1
        while time % (2 * length) == 0:
            length *= 2
        nodes[time - length, time] = draws[time - 1]
        start, length = 0, 1 << 40
        while start < time:
            if start + length <= time:
                releases[time - 1] += nodes[start, start + length]
                start += length
            length //= 2
    return releases


def recorded(counter: Counter, cuts: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """What a counter drew and what it released."""
    drawn: list[np.ndarray] = []
    original = counter._draws

    def draws(rows: int) -> np.ndarray:
        block = original(rows)
        drawn.append(block.copy())
        return block

    counter._draws = draws  # type: ignore[method-assign]
    released = [counter.block(rows).copy() for rows in cuts]
    return np.vstack(drawn), np.vstack(released)


@settings(max_examples=30)
@given(
    st.lists(st.integers(1, 120), min_size=1, max_size=5),
    st.integers(1, 5),
    st.sampled_from(counters.LAWS),
    st.integers(0, 100),
)
def test_the_tree_is_the_binary_mechanism_to_the_last_bit(
    cuts: list[int], width: int, law: str, more: int
) -> None:
    # a tree made for more releases than are taken has more levels, and the same noise
    drawn, released = recorded(TreeCounter(width, sum(cuts) + more, 3.0, rng(4), law), cuts)
    np.testing.assert_array_equal(released, prefix_sums_of_nodes(drawn))
    drawn, released = recorded(LocalCounter(width, sum(cuts), 3.0, rng(4), law), cuts)
    np.testing.assert_array_equal(released, np.cumsum(drawn, axis=0))


def test_the_tree_far_from_its_beginning() -> None:
    """Integers in place of noise make every sum exact; the releases around a power of two, and long
    after it."""
    counter = TreeCounter(1, 2**14 + 50, 1.0, rng(0))
    numbers = rng(1).integers(-1000, 1000, (2**14 + 50, 1)).astype(float)
    given_out = iter(np.split(numbers.copy(), [1000, 2**13, 2**14 - 1]))
    counter._draws = lambda rows: next(given_out)  # type: ignore[method-assign]
    cuts = [1000, 2**13 - 1000, 2**13 - 1, 51]
    released = np.vstack([counter.block(rows).copy() for rows in cuts])
    np.testing.assert_array_equal(released, prefix_sums_of_nodes(numbers))


@given(st.integers(1, 10**18))
def test_levels(releases: int) -> None:
    levels = counters.levels(releases)
    assert 2 ** (levels - 1) <= releases < 2**levels
    if releases <= 10**6:
        # the first item sits in the nodes (0, 1], (0, 2], (0, 4], ..., as far as they end by the
        # last release
        assert levels == sum(1 for level in range(64) if 2**level <= releases)


def test_memory_is_one_row_per_level() -> None:
    counter = TreeCounter(3, 10**15, 1.0, rng(0))
    counter.block(1000)
    assert counter._stack.shape == (counters.levels(10**15) + 1, 3)
    assert counter._buffer.shape == (1000, 3)


class Forgetful(TreeCounter):
    """Every block begins a new tree."""

    def _sums(self, rows: int) -> np.ndarray:
        block = self._draws(rows)
        tree.add_nodes(block, np.zeros_like(self._stack), 1)
        return block


class Endless(TreeCounter):
    """It serves whatever is asked."""

    def block(self, rows: int) -> np.ndarray:
        self.releases = max(self.releases, self.released + rows)
        return super().block(rows)


class SharedSigns(TreeCounter):
    """One sign bit for two neighbouring columns."""

    def _draws(self, rows: int) -> np.ndarray:
        block = super()._draws(rows)
        pairs = block[:, : self.width // 2 * 2].reshape(rows, -1, 2)
        pairs[:, :, 1] = np.copysign(pairs[:, :, 1], pairs[:, :, 0])
        return block


class OtherLaw(TreeCounter):
    """Gaussian noise of the same variance under the name of Laplace."""

    def _draws(self, rows: int) -> np.ndarray:
        return self.rng.normal(0, self.scale * 2**0.5, (rows, self.width))


def twin(kind: type[TreeCounter] | str) -> Any:
    """A counter of that kind, or the tree with that fault."""
    return lambda self, width, releases, seed, scale=1.0: (
        plant(kind, "tree", width, releases, rng(seed), "laplace", group=width)
        if isinstance(kind, str)
        else kind(width, releases, scale, rng(seed), "laplace")
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "trips"),
    [
        ("redrawn", {"test_draws_follow_the_law"}),
        ("missing-level", {"test_draws_follow_the_law", "test_every_release_has_its_variance"}),
        ("shared", {"test_draws_are_independent"}),
        (Forgetful, {"test_the_cut_into_blocks_does_not_matter"}),
        (Endless, {"test_it_stops_after_the_last_release"}),
        (SharedSigns, {"test_draws_are_independent"}),
        (OtherLaw, {"test_draws_follow_the_law"}),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_the_contract_rejects(kind: type[TreeCounter] | str, trips: set[str]) -> None:
    assert trips <= rejects(TestTreeLaplace, build=twin(kind))


@pytest.mark.slow
def test_the_contract_accepts_what_is_right() -> None:
    assert rejects(TestTreeLaplace, build=twin(TreeCounter)) == set()
    wide = rejects(
        TestTreeLaplace,
        build=lambda self, width, releases, seed, scale=1.0: TreeCounter(
            width, releases, 1.05 * scale, rng(seed)
        ),
    )
    assert {"test_draws_follow_the_law"} <= wide  # 5 % on the scale is seen
