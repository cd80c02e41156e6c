"""Every environment under one contract, the broken twins of that contract, and bad input."""

from __future__ import annotations

import functools
import itertools
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privrl import environments
from privrl.environments import chain, hard_mdp, random_mdp, riverswim
from privrl.types import TabularMDP
from tests.contracts import (
    EnvironmentContract,
    HomogeneousContract,
    HorizonContract,
    digest,
    not_counts,
    not_flags,
    not_inside_unit,
    not_numbers,
    refused,
    rejects,
)

# --- contracts -----------------------------------------------------------------------------------------------------


class TestRiverSwim3(HomogeneousContract):
    name, fingerprint = "riverswim-3", "4c3207f5dd85ac14"

    def build(self) -> TabularMDP:
        return riverswim(3)

    def longer(self) -> TabularMDP:
        return riverswim(3, 4)


class TestRiverSwim6(HomogeneousContract):
    name, fingerprint = "riverswim-6-h20", "499dae8289d58f33"

    def build(self) -> TabularMDP:
        return riverswim(6, 20)

    def longer(self) -> TabularMDP:
        return riverswim(6, 21)


class TestRiverSwimNormalised(EnvironmentContract):
    name, fingerprint = "riverswim-4-h8-normalised-coins", "4c3d4fb0abfaed8b"

    def build(self) -> TabularMDP:
        return riverswim(4, 8, normalised=True, bernoulli=True)


class TestRiverSwimInhomogeneous(HorizonContract):
    name, fingerprint = "riverswim-6-h12-inhomogeneous", "29032f33c0ebcccb"

    def build(self) -> TabularMDP:
        return riverswim(6, 12, inhomogeneous=True)

    def longer(self) -> TabularMDP:
        return riverswim(6, 13, inhomogeneous=True)


class TestRiverSwimRelabelled(HorizonContract):
    name, fingerprint = "riverswim-3-relabelled", "639687cc8dae8ab7"

    def build(self) -> TabularMDP:
        return riverswim(3, relabelled=True)

    def longer(self) -> TabularMDP:
        return riverswim(3, 4, relabelled=True)


class TestRiverSwimOfAnotherSeed(HorizonContract):
    name, fingerprint = "riverswim-2-h5-inhomogeneous-relabelled-seed11", "63d73c41e0fa32c3"

    def build(self) -> TabularMDP:
        return riverswim(2, 5, inhomogeneous=True, relabelled=True, seed=11)

    def longer(self) -> TabularMDP:
        return riverswim(2, 6, inhomogeneous=True, relabelled=True, seed=11)


class TestHard(HomogeneousContract):
    name, fingerprint = "hard-3x2-h4-alpha0.25-i0.1.2", "5f2f4a18807aaf87"

    def build(self) -> TabularMDP:
        return hard_mdp(3, 2, 0.25, (0, 1, 2), 4)

    def longer(self) -> TabularMDP:
        return hard_mdp(3, 2, 0.25, (0, 1, 2), 5)


class TestHardLate(HomogeneousContract):
    name, fingerprint = "hard-1x1-h2-alpha0.5-i1-late", "566404e4605c75a6"

    def build(self) -> TabularMDP:
        return hard_mdp(1, 1, 0.5, [1], 2, entry_reward=False)

    def longer(self) -> TabularMDP:
        return hard_mdp(1, 1, 0.5, [1], 3, entry_reward=False)


class TestRandom(EnvironmentContract):
    name, fingerprint = "random-5x3-h4-seed2", "806ea1aad0c535fc"

    def build(self) -> TabularMDP:
        return random_mdp(5, 3, 4, 2)


class TestChain(HomogeneousContract):
    name, fingerprint = "chain-3", "a246213bf0ddcb59"

    def build(self) -> TabularMDP:
        return chain(3)

    def longer(self) -> TabularMDP:
        return chain(3, 4)


# --- broken twins: the contract can fail ---------------------------------------------------------------------------


class TestTheContract:
    """Each test of the contract trips over the twin that it is there for."""

    sound = TestRiverSwimRelabelled
    calls: ClassVar[list[int]] = []

    @staticmethod
    def twin(**changed: Any) -> TabularMDP:
        mdp = riverswim(3, relabelled=True)
        for part, value in changed.items():  # past the validation of the record, or there would be nothing to see
            object.__setattr__(mdp, part, value)
        return mdp

    def another_each_time(self) -> TabularMDP:
        self.calls.append(0)
        return riverswim(3, relabelled=True, seed=len(self.calls))

    def test_the_sound_one_passes(self) -> None:
        assert rejects(self.sound) == set()

    @pytest.mark.parametrize(("broken", "tripped"), [
        ({"name": "riverswim-3-shuffled"}, "test_name_and_numbers_are_permanent"),
        ({"bernoulli": True}, "test_name_and_numbers_are_permanent"),
        ({"transitions": np.array(riverswim(3, relabelled=True).transitions)}, "test_is_frozen"),
        ({"initial": np.eye(3, dtype=np.float32)[0]}, "test_is_frozen"),
        ({"transitions": riverswim(3).transitions * 1.01}, "test_shapes_and_distributions"),
        ({"initial": np.array([2.0, -1.0, 0.0])}, "test_shapes_and_distributions"),
        ({"rewards": np.full((3, 3, 2), 1.5)}, "test_shapes_and_distributions"),
        ({"rewards": np.full((3, 3, 2), 1.5)}, "test_optimal_values_dominate"),
        ({"rewards": np.full((3, 3, 2), 0.5)}, "test_there_is_something_to_learn"),
        ({"rewards": riverswim(3, relabelled=True, normalised=True).rewards}, "test_a_step_more_is_worth_no_less"),
    ])
    def test_a_broken_twin_is_rejected(self, broken: dict[str, Any], tripped: str) -> None:
        assert tripped in rejects(self.sound, build=lambda _: self.twin(**broken))

    def test_an_environment_that_ignores_its_seed_is_rejected(self) -> None:
        assert "test_same_arguments_same_bytes" in rejects(self.sound, build=lambda _: self.another_each_time())

    def test_a_changing_river_is_not_homogeneous(self) -> None:
        failed = rejects(TestRiverSwim3, build=lambda _: riverswim(3, relabelled=True))
        assert "test_every_step_is_alike" in failed
        growing = np.arange(1, 4)[:, None, None] / 3 * np.ones((1, 3, 2))
        failed = rejects(TestRiverSwim3, build=lambda _: self.twin(rewards=1 - growing[::-1] ** 8))
        assert "test_values_fall_as_the_episode_ends" not in failed  # falling rewards fall
        costs = riverswim(3).rewards - 0.5
        assert "test_values_fall_as_the_episode_ends" in rejects(
            TestRiverSwim3, build=lambda _: self.twin(rewards=costs))

    def test_another_seed_has_another_fingerprint(self) -> None:
        prints = {digest(random_mdp(2, 2, 2, seed)) for seed in range(5)}
        prints |= {digest(riverswim(2, bernoulli=coins)) for coins in (False, True)}
        assert len(prints) == 7


def test_equal_names_mean_equal_mdps() -> None:
    switches = ("inhomogeneous", "relabelled", "normalised", "bernoulli")
    built = [
        riverswim(states, horizon, **dict(zip(switches, chosen, strict=True)), seed=seed)
        for states, horizon in ((2, None), (2, 2), (2, 3), (3, 3))
        for chosen in itertools.product((False, True), repeat=4) for seed in (0, 1)
    ]
    built += [chain(2), chain(2, 3), chain(3), *(random_mdp(2, 2, 2, seed) for seed in (0, 1)), random_mdp(2, 2, 3, 0)]
    built += [hard_mdp(2, m, alpha, instance, horizon, entry_reward=paid) for m, alpha, horizon, paid in
              itertools.product((1, 2), (0.1, 0.1000001), (2, 3), (True, False)) for instance in ((0, 1), (1, 0))]
    fingerprints: dict[str, set[str]] = {}
    for mdp in built:
        fingerprints.setdefault(mdp.name, set()).add(digest(mdp))
    assert all(len(prints) == 1 for prints in fingerprints.values())
    assert len(set.union(*fingerprints.values())) == len(fingerprints)  # and other names, other MDPs


def test_the_package_names_its_environments() -> None:
    assert set(environments.__all__) == {
        "chain", "hard_mdp", "random_mdp", "riverswim", "LQSystem", "lq_instance", "lq_scalar", "random_lq",
        "LinearMixtureMDP", "embedding", "hard_mixture", "mixture", "one_hot", "random_mixture"}
    assert all(callable(getattr(environments, name)) for name in environments.__all__)


# --- bad input -----------------------------------------------------------------------------------------------------


@given(not_counts(2), not_counts(1), not_counts(0), not_flags())
def test_riverswim_refuses(states: Any, horizon: Any, seed: Any, switch: Any) -> None:
    assert refused(lambda: riverswim(states)).startswith("states must be ")
    if horizon is not None:
        assert refused(lambda: riverswim(3, horizon)).startswith("horizon must be ")
    assert refused(lambda: riverswim(3, seed=seed)).startswith("seed must be ")
    for name in ("inhomogeneous", "relabelled", "normalised", "bernoulli"):
        message = refused(functools.partial(riverswim, 3, **{name: switch}))
        assert message.startswith(f"{name} must be True or False, got {name}=")


@given(not_counts(1), not_inside_unit() | st.floats(0.5, 1, exclude_min=True), not_counts(0) | st.just(2))
def test_hard_refuses(number: Any, alpha: Any, arm: Any) -> None:
    assert refused(lambda: hard_mdp(number, 1, 0.1, (0,), 2)).startswith("n must be ")
    assert refused(lambda: hard_mdp(1, number, 0.1, (0,), 2)).startswith("m must be ")
    assert refused(lambda: hard_mdp(1, 1, alpha, (0,), 2)).startswith("alpha must be ")
    assert refused(lambda: hard_mdp(1, 1, 0.1, (arm,), 2)).startswith(("arm of instance must be ", "every arm of "))
    assert refused(lambda: hard_mdp(1, 1, 0.1, (0,), number)).startswith("horizon must be ")
    assert refused(lambda: hard_mdp(1, 1, 0.1, (0,), 1, entry_reward=False)).startswith("horizon must be >= 2")


@given(not_numbers() | st.lists(st.integers(0, 1), max_size=4).filter(lambda x: len(x) != 2), not_flags())
def test_hard_refuses_an_instance_that_is_none(instance: Any, paid: Any) -> None:
    assert refused(lambda: hard_mdp(2, 1, 0.1, instance, 2)).startswith(("instance must ", "arm of instance must "))
    assert refused(lambda: hard_mdp(2, 1, 0.1, (0, 1), 2, entry_reward=paid)).startswith("entry_reward must be True")


@given(not_counts(1), not_counts(0))
def test_random_refuses(number: Any, seed: Any) -> None:
    assert refused(lambda: random_mdp(number, 2, 2, 0)).startswith("states must be ")
    assert refused(lambda: random_mdp(2, number, 2, 0)).startswith("actions must be ")
    assert refused(lambda: random_mdp(2, 2, number, 0)).startswith("horizon must be ")
    assert refused(lambda: random_mdp(2, 2, 2, seed)).startswith("seed must be ")


@given(not_counts(2), st.integers(2, 9).flatmap(lambda s: st.tuples(st.just(s), st.integers(1, s - 1) | not_counts(1))))
def test_chain_refuses(states: Any, short: tuple[int, Any]) -> None:
    assert refused(lambda: chain(states)).startswith("states must be ")
    if short[1] is not None:
        assert refused(lambda: chain(*short)).startswith("horizon must be ")


def test_whole_floats_and_numpy_numbers_are_taken() -> None:
    whole: Any = 3.0, np.int64(4), np.int32(0)
    assert riverswim(whole[0], whole[1], seed=whole[2]).name == "riverswim-3-h4"
    assert hard_mdp(2, 1, np.float64(0.25), np.array([0, 1]), whole[0]).name == hard_mdp(2, 1, 0.25, (0, 1), 3).name
