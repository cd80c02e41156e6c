"""Refusals, and the contracts of environments; those of counters and agents are in
``tests.contracts_agents``.

A contract is a mixin whose ``test_...`` methods speak of what ``build`` returns. A test class
inherits it and says what to build; a broken twin of what is built must fail the contract
(``rejects``). ``refused`` says how bad input must be turned away.
"""

import dataclasses
import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from privrl.environments import planning
from privrl.types import TabularMDP

EXACT = 1e-12  # agreement of two float computations of order one
FALSE_ALARM = 1e-9  # level of a statistical test: so often would it fail on what is right


def refused(call: Callable[[], object]) -> str:
    """The message with which ``call`` refuses: one short sentence of ours, the requirement and then
    the value."""
    with pytest.raises(ValueError, match=", got ") as caught:
        call()
    message = str(caught.value)
    assert type(caught.value) is ValueError, "a library's own error came through"
    assert "\n" not in message
    assert len(message) <= 300
    requirement, _, reported = message.partition(", got ")
    assert requirement.strip()
    assert reported.strip()
    return message


def says(requirement: str, reported: str, call: Callable[[], object]) -> None:
    """``call`` is refused with this requirement, and shows this value."""
    message = refused(call)
    assert message.startswith(requirement) and reported in message


def rejects(contract: type, **overrides: object) -> set[str]:
    """Names of the tests of ``contract`` that fail when its attributes are overridden: what a twin
    trips over."""
    twin = type("Twin", (contract,), overrides)()
    failed = set()
    for name in dir(twin):
        if name.startswith("test_"):
            try:
                getattr(twin, name)()
            except (AssertionError, pytest.fail.Exception):
                failed.add(name)
    return failed


def digest(mdp: Any) -> str:
    """Fingerprint of the numbers of an environment to twelve decimals, and of what else it is made
    of."""
    if not isinstance(mdp, TabularMDP):  # every field, by name
        hasher = hashlib.sha256()
        for field in dataclasses.fields(mdp):
            value = getattr(mdp, field.name)
            number = isinstance(value, (float, np.ndarray))
            encoded = (np.round(value, 12) + 0.0).tobytes() if number else repr(value).encode()
            hasher.update(field.name.encode() + encoded)
        return hasher.hexdigest()[:16]
    hasher = hashlib.sha256(f"{mdp.transitions.shape}{mdp.bernoulli}".encode())
    for numbers in (mdp.transitions, mdp.rewards, mdp.initial):
        hasher.update((np.round(numbers, 12) + 0.0).tobytes())
    return hasher.hexdigest()[:16]


class EnvironmentContract:
    """What every environment keeps to."""

    name: str  # permanent: a stored result is found by it
    fingerprint: str  # and so are the numbers that the name stands for

    def build(self) -> TabularMDP:
        raise NotImplementedError

    def test_name_and_numbers_are_permanent(self) -> None:
        mdp = self.build()
        assert mdp.name == self.name
        assert digest(mdp) == self.fingerprint

    def test_same_arguments_same_bytes(self) -> None:
        first, two = self.build(), self.build()
        assert first.name == two.name
        assert first.bernoulli is two.bernoulli
        for attribute in ("transitions", "rewards", "initial"):
            assert np.array_equal(getattr(first, attribute), getattr(two, attribute))

    def test_is_frozen(self) -> None:
        mdp = self.build()
        for attribute in ("transitions", "rewards", "initial"):
            numbers = getattr(mdp, attribute)
            assert not numbers.flags.writeable
            assert numbers.dtype == np.float64
        for attribute in (field.name for field in dataclasses.fields(mdp)):
            try:
                setattr(mdp, attribute, getattr(mdp, attribute))
            except dataclasses.FrozenInstanceError:
                continue
            raise AssertionError(f"{attribute} can be replaced")

    def test_shapes_and_distributions(self) -> None:
        mdp = self.build()
        horizon, states, actions = mdp.horizon, mdp.states, mdp.actions
        assert mdp.transitions.shape == (horizon, states, actions, states)
        assert mdp.rewards.shape == (horizon, states, actions)
        assert mdp.initial.shape == (states,)
        for rows in (mdp.transitions, mdp.initial):
            assert (rows >= 0).all()
            assert np.abs(rows.sum(axis=-1) - 1).max() <= EXACT
        assert (mdp.rewards >= 0).all()
        assert (mdp.rewards <= 1).all()

    def test_optimal_values_dominate(self) -> None:
        mdp = self.build()
        best, _ = planning.optimal(mdp)
        steps_to_go = np.arange(mdp.horizon, -1, -1)[:, None]
        assert (best >= 0).all()
        assert (best <= steps_to_go + EXACT).all()
        for policy in (
            planning.uniform_policy(mdp),
            *(planning.constant_policy(mdp, a) for a in range(mdp.actions)),
        ):
            assert (planning.policy_values(mdp, policy) <= best + EXACT).all()

    def test_there_is_something_to_learn(self) -> None:
        mdp = self.build()
        best, _ = planning.optimal(mdp)
        assert planning.value(mdp, planning.uniform_policy(mdp)) < float(mdp.initial @ best[0])


class HorizonContract(EnvironmentContract):
    """For environments in which an episode may last a step longer and is otherwise the same."""

    def longer(self) -> TabularMDP:
        raise NotImplementedError

    def test_a_step_more_is_worth_no_less(self) -> None:
        short, long = self.build(), self.longer()
        assert long.horizon == short.horizon + 1
        assert np.array_equal(long.transitions[:-1], short.transitions)
        assert np.array_equal(long.rewards[:-1], short.rewards)
        assert (planning.optimal(long)[0][0] >= planning.optimal(short)[0][0] - EXACT).all()


class HomogeneousContract(HorizonContract):
    """For environments whose steps are all alike: with more steps to go there is no less to
    earn."""

    def test_every_step_is_alike(self) -> None:
        mdp = self.build()
        assert (mdp.transitions == mdp.transitions[0]).all()
        assert (mdp.rewards == mdp.rewards[0]).all()

    def test_values_fall_as_the_episode_ends(self) -> None:
        best, _ = planning.optimal(self.build())
        assert (np.diff(best, axis=0) <= EXACT).all()
