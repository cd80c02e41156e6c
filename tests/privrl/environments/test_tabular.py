"""Every environment under one contract, the broken twins of that contract, and bad input."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from privrl.environments import chain, hard_mdp, random_mdp, riverswim
from privrl.types import TabularMDP
from tests.contracts import (
    EnvironmentContract,
    HomogeneousContract,
    HorizonContract,
    digest,
    refused,
    rejects,
)


def under(
    contract: type[EnvironmentContract],
    name: str,
    fingerprint: str,
    make: Callable[[int], TabularMDP],
) -> type:
    """The tests of a contract on ``make(0)``; ``make(1)`` lasts a step longer."""
    return type(
        name,
        (contract,),
        {
            "name": name,
            "fingerprint": fingerprint,
            "build": lambda self: make(0),
            "longer": lambda self: make(1),
        },
    )


TestRiverSwim3 = under(
    HomogeneousContract, "riverswim-3", "4c3207f5dd85ac14", lambda more: riverswim(3, 3 + more)
)
TestRiverSwim6 = under(
    HomogeneousContract, "riverswim-6-h20", "499dae8289d58f33", lambda more: riverswim(6, 20 + more)
)
TestRiverSwimNormalised = under(
    EnvironmentContract,
    "riverswim-4-h8-normalised-coins",
    "4c3d4fb0abfaed8b",
    lambda more: riverswim(4, 8, normalised=True, bernoulli=True),
)
TestRiverSwimInhomogeneous = under(
    HorizonContract,
    "riverswim-6-h12-inhomogeneous",
    "29032f33c0ebcccb",
    lambda more: riverswim(6, 12 + more, inhomogeneous=True),
)
TestRiverSwimRelabelled = under(
    HorizonContract,
    "riverswim-3-relabelled",
    "639687cc8dae8ab7",
    lambda more: riverswim(3, 3 + more, relabelled=True),
)
TestRiverSwimOfAnotherSeed = under(
    HorizonContract,
    "riverswim-2-h5-inhomogeneous-relabelled-seed11",
    "63d73c41e0fa32c3",
    lambda more: riverswim(2, 5 + more, inhomogeneous=True, relabelled=True, seed=11),
)
TestHard = under(
    HomogeneousContract,
    "hard-3x2-h4-alpha0.25-i0.1.2",
    "5f2f4a18807aaf87",
    lambda more: hard_mdp(3, 2, 0.25, (0, 1, 2), 4 + more),
)
TestHardLate = under(
    HomogeneousContract,
    "hard-1x1-h2-alpha0.5-i1-late",
    "566404e4605c75a6",
    lambda more: hard_mdp(1, 1, 0.5, [1], 2 + more, entry_reward=False),
)
TestRandom = under(
    EnvironmentContract,
    "random-5x3-h4-seed2",
    "806ea1aad0c535fc",
    lambda more: random_mdp(5, 3, 4, 2),
)
TestChain = under(
    HomogeneousContract, "chain-3", "a246213bf0ddcb59", lambda more: chain(3, 3 + more)
)


class TestTheContract:
    """Each test of the contract trips over the twin that it is there for."""

    sound = TestRiverSwimRelabelled

    @staticmethod
    def twin(**changed: Any) -> TabularMDP:
        mdp = riverswim(3, relabelled=True)
        for (
            attribute,
            value,
        ) in changed.items():  # past the validation of the record, or there would be nothing to see
            object.__setattr__(mdp, attribute, value)
        return mdp

    @pytest.mark.parametrize(
        ("broken", "tripped"),
        [
            ({"name": "riverswim-3-shuffled"}, "test_name_and_numbers_are_permanent"),
            ({"bernoulli": True}, "test_name_and_numbers_are_permanent"),
            (
                {"transitions": np.array(riverswim(3, relabelled=True).transitions)},
                "test_is_frozen",
            ),
            ({"initial": np.eye(3, dtype=np.float32)[0]}, "test_is_frozen"),
            ({"transitions": riverswim(3).transitions * 1.01}, "test_shapes_and_distributions"),
            ({"initial": np.array([2.0, -1.0, 0.0])}, "test_shapes_and_distributions"),
            ({"rewards": np.full((3, 3, 2), 1.5)}, "test_shapes_and_distributions"),
            ({"rewards": np.full((3, 3, 2), 1.5)}, "test_optimal_values_dominate"),
            ({"rewards": np.full((3, 3, 2), 0.5)}, "test_there_is_something_to_learn"),
            (
                {"rewards": riverswim(3, relabelled=True, normalised=True).rewards},
                "test_a_step_more_is_worth_no_less",
            ),
        ],
    )
    def test_a_broken_twin_is_rejected(self, broken: dict[str, Any], tripped: str) -> None:
        assert tripped in rejects(self.sound, build=lambda _: self.twin(**broken))

    def test_an_environment_that_ignores_its_seed_is_rejected(self) -> None:
        seeds = itertools.count(1)
        failed = rejects(
            self.sound, build=lambda _: riverswim(3, relabelled=True, seed=next(seeds))
        )
        assert "test_same_arguments_same_bytes" in failed

    def test_a_changing_river_is_not_homogeneous(self) -> None:
        failed = rejects(TestRiverSwim3, build=lambda _: riverswim(3, relabelled=True))
        assert "test_every_step_is_alike" in failed
        growing = np.arange(1, 4)[:, None, None] / 3 * np.ones((1, 3, 2))
        failed = rejects(TestRiverSwim3, build=lambda _: self.twin(rewards=1 - growing[::-1] ** 8))
        assert "test_values_fall_as_the_episode_ends" not in failed  # falling rewards fall
        costs = riverswim(3).rewards - 0.5
        assert "test_values_fall_as_the_episode_ends" in rejects(
            TestRiverSwim3, build=lambda _: self.twin(rewards=costs)
        )

    def test_another_seed_has_another_fingerprint(self) -> None:
        prints = {digest(random_mdp(2, 2, 2, seed)) for seed in range(5)}
        prints |= {digest(riverswim(2, bernoulli=coins)) for coins in (False, True)}
        assert len(prints) == 7


def test_equal_names_mean_equal_mdps() -> None:
    switches = ("inhomogeneous", "relabelled", "normalised", "bernoulli")
    built = [
        riverswim(states, horizon, **dict(zip(switches, chosen, strict=True)), seed=seed)
        for states, horizon in ((2, None), (2, 2), (2, 3), (3, 3))
        for chosen in itertools.product((False, True), repeat=4)
        for seed in (0, 1)
    ]
    built += [
        chain(2),
        chain(2, 3),
        chain(3),
        *(random_mdp(2, 2, 2, seed) for seed in (0, 1)),
        random_mdp(2, 2, 3, 0),
    ]
    built += [
        hard_mdp(2, m, alpha, instance, horizon, entry_reward=paid)
        for m, alpha, horizon, paid in itertools.product(
            (1, 2), (0.1, 0.1000001), (2, 3), (True, False)
        )
        for instance in ((0, 1), (1, 0))
    ]
    fingerprints: dict[str, set[str]] = {}
    for mdp in built:
        fingerprints.setdefault(mdp.name, set()).add(digest(mdp))
    assert all(len(prints) == 1 for prints in fingerprints.values())
    # and other names, other MDPs
    assert len(set.union(*fingerprints.values())) == len(fingerprints)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: riverswim(1), "states must be "),
        (lambda: chain(4, 3), "horizon must be "),
        (lambda: hard_mdp(1, 1, 0.5000001, (0,), 2), "alpha must be "),
        (lambda: hard_mdp(1, 1, 0.1, (2,), 2), "every arm of "),
        (lambda: hard_mdp(1, 1, 0.1, (0.5,), 2), "arm of "),  # type: ignore[arg-type]
        (lambda: hard_mdp(2, 1, 0.1, (0, 1, 0), 2), "instance must "),
        (lambda: hard_mdp(2, 1, 0.1, 3, 2), "instance "),  # type: ignore[arg-type]
        (lambda: hard_mdp(1, 1, 0.1, (0,), 1, entry_reward=False), "horizon must be >= 2"),
    ],
)
def test_what_only_the_family_knows_is_refused(call: Any, says: str) -> None:
    assert refused(call).startswith(says)
