"""Contracts, written once and inherited, and the bad input that every public entry point is offered.

A contract is a mixin whose ``test_...`` methods speak of what ``build`` returns. A test class inherits it and says what
to build; a broken twin of what is built must fail the contract (``rejects``).
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from scipy import stats

from privrl import planning
from privrl.privacy.counters import Counter
from privrl.simulate import Agent
from privrl.types import TabularMDP

EXACT = 1e-12  # agreement of two float computations of order one
FALSE_ALARM = 1e-9  # level of a statistical test: so often would it fail on what is right


# --- bad input ---------------------------------------------------------------------------------------------------


def refused(call: Callable[[], object]) -> str:
    """The message with which ``call`` refuses: one short sentence of ours, the requirement and then the value."""
    with pytest.raises(ValueError, match=", got ") as caught:
        call()
    message = str(caught.value)
    assert type(caught.value) is ValueError, "a library's own error came through"
    assert "\n" not in message
    assert len(message) <= 300
    requirement, _, got = message.partition(", got ")
    assert requirement.strip()
    assert got.strip()
    return message


def not_numbers() -> st.SearchStrategy[object]:
    """What no parameter takes for a number."""
    return st.sampled_from([
        None, "", "1", "abc", b"1", "x" * 1000, True, False, np.bool_(True), math.nan, np.float64("nan"), 1j,
        [], [1], (), {}, {1}, object(), len, np.array([1]), np.array(1.0), np.arange(300),
    ])


def not_counts(least: int) -> st.SearchStrategy[object]:
    """What is no whole number >= ``least``."""
    return st.one_of(
        not_numbers(),
        st.just(least - 1),  # the nearest one, in every run
        st.integers(max_value=least - 1),
        st.sampled_from([math.inf, -math.inf, -0.5, 2.5]),
        st.floats(min_value=least, max_value=1e6).filter(lambda x: x != int(x)),
    )


def not_positive() -> st.SearchStrategy[object]:
    """What is no finite number > 0."""
    others = st.sampled_from([math.inf, 0, -1, np.float32(-2), -(10**30)])
    return st.one_of(not_numbers(), st.floats(max_value=0), others)


def not_inside_unit() -> st.SearchStrategy[object]:
    """What is no number in (0, 1)."""
    others = st.sampled_from([0, 1, 2, -1])
    return st.one_of(not_numbers(), st.floats(max_value=0), st.floats(min_value=1), others)


def not_flags() -> st.SearchStrategy[object]:
    """What is neither True nor False."""
    return st.sampled_from([None, 0, 1, 0.0, "no", "True", [], np.array([True]), math.nan])


# --- contracts ---------------------------------------------------------------------------------------------------


def rejects(contract: type, **overrides: object) -> set[str]:
    """Names of the tests of ``contract`` that fail when its attributes are overridden: what a twin trips over."""
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
    """Fingerprint of the numbers of an environment to twelve decimals, and of what else it is made of."""
    if not isinstance(mdp, TabularMDP):  # every field, by name
        seen = hashlib.sha256()
        for field in dataclasses.fields(mdp):
            value = getattr(mdp, field.name)
            number = isinstance(value, (float, np.ndarray))
            said = (np.round(value, 12) + 0.0).tobytes() if number else repr(value).encode()
            seen.update(field.name.encode() + said)
        return seen.hexdigest()[:16]
    seen = hashlib.sha256(f"{mdp.transitions.shape}{mdp.bernoulli}".encode())
    for numbers in (mdp.transitions, mdp.rewards, mdp.initial):
        seen.update((np.round(numbers, 12) + 0.0).tobytes())
    return seen.hexdigest()[:16]


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
        one, two = self.build(), self.build()
        assert one.name == two.name
        assert one.bernoulli is two.bernoulli
        for part in ("transitions", "rewards", "initial"):
            assert getattr(one, part).tobytes() == getattr(two, part).tobytes()

    def test_is_frozen(self) -> None:
        mdp = self.build()
        for part in ("transitions", "rewards", "initial"):
            numbers = getattr(mdp, part)
            assert not numbers.flags.writeable
            assert numbers.dtype == np.float64
        for part in (field.name for field in dataclasses.fields(mdp)):
            try:
                setattr(mdp, part, getattr(mdp, part))
            except dataclasses.FrozenInstanceError:
                continue
            raise AssertionError(f"{part} can be replaced")

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
        for policy in (planning.uniform_policy(mdp), *(planning.constant_policy(mdp, a) for a in range(mdp.actions))):
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
    """For environments whose steps are all alike: with more steps to go there is no less to earn."""

    def test_every_step_is_alike(self) -> None:
        mdp = self.build()
        assert (mdp.transitions == mdp.transitions[0]).all()
        assert (mdp.rewards == mdp.rewards[0]).all()

    def test_values_fall_as_the_episode_ends(self) -> None:
        best, _ = planning.optimal(self.build())
        assert (np.diff(best, axis=0) <= EXACT).all()


class StreamContract:
    """What every counter keeps to, noise or none."""

    law: str = "laplace"

    def build(self, width: int, releases: int, seed: int, scale: float = 1.0) -> Counter:
        raise NotImplementedError

    def sums(self, width: int, releases: int, seed: int) -> np.ndarray:
        """The whole stream in one block, shape (releases, width)."""
        return self.build(width, releases, seed).block(releases).copy()

    def test_shapes(self) -> None:
        counter = self.build(5, 100, seed=1)
        for rows in (1, 30, 2, 67):
            block = counter.block(rows)
            assert block.shape == (rows, 5)
            assert block.dtype == np.float64
        assert (counter.width, counter.releases, counter.released, counter.law) == (5, 100, 100, self.law)

    def test_same_seed_same_noise(self) -> None:
        assert self.sums(70, 300, seed=2).tobytes() == self.sums(70, 300, seed=2).tobytes()

    def test_the_cut_into_blocks_does_not_matter(self) -> None:
        @settings(max_examples=30, report_multiple_bugs=False, phases=[Phase.generate])  # a twin need not be shrunk
        @given(st.integers(1, 140), st.lists(st.integers(1, 40), min_size=1, max_size=8), st.integers(0, 2**32))
        def check(width: int, cuts: list[int], seed: int) -> None:
            counter = self.build(width, sum(cuts), seed)
            parts = [counter.block(rows).copy() for rows in cuts]
            assert np.vstack(parts).tobytes() == self.sums(width, sum(cuts), seed).tobytes()

        check()

    def test_it_stops_after_the_last_release(self) -> None:
        counter = self.build(2, 10, seed=3)
        counter.block(7)
        message = refused(lambda: counter.block(4))
        assert message == "a counter serves no more releases than it was made for, got releases=10, asked=11"
        assert counter.block(3).shape == (3, 2)  # a refused request has used nothing up
        refused(lambda: counter.block(1))


class CounterContract(StreamContract):
    """What every counter with noise keeps to: independent draws of the law, the right number in every release.

    The distance to a distribution function is bounded by Massart's form of the DKW inequality, signs and halves are
    counted against exact binomials. Variances may stray by 8 standard errors; the skewness of squares (6.6 for Laplace
    draws, the worst here) lifts the tail of 8 deviations over 8000 columns to some 1e-12 a release.
    """

    columns = 8000
    times = 63

    def draws(self, sums: np.ndarray) -> np.ndarray:
        """What was drawn for each release, recovered from the sums alone."""
        raise NotImplementedError

    def terms(self, time: int) -> int:
        """How many independent draws make up the noise of release ``time``."""
        raise NotImplementedError

    def test_another_seed_gives_other_noise(self) -> None:
        assert not (self.sums(70, 50, seed=1) == self.sums(70, 50, seed=2)).any()

    def test_scale_is_a_factor(self) -> None:
        assert np.array_equal(self.build(9, 40, 5, scale=0.25).block(40) * 4, self.sums(9, 40, seed=5))

    def test_draws_follow_the_law(self) -> None:
        found = np.sort(self.draws(self.sums(self.columns, self.times, seed=6)), axis=None)
        law = stats.laplace if self.law == "laplace" else stats.norm
        steps = np.arange(found.size + 1) / found.size
        distance = max(np.abs(law.cdf(found) - steps[1:]).max(), np.abs(law.cdf(found) - steps[:-1]).max())
        assert distance <= math.sqrt(math.log(2 / FALSE_ALARM) / 2 / found.size)

    def test_draws_are_independent(self) -> None:
        found = self.draws(self.sums(self.columns, self.times, seed=7))
        median = math.log(2) if self.law == "laplace" else stats.norm.ppf(0.75)
        for coins in (found > 0, np.abs(found) > median):
            for axis, lag in ((0, 1), (0, 2), (0, 32), (1, 1), (1, 64)):  # 64 columns share a word of sign bits
                turned = np.moveaxis(coins, axis, 0)
                agreeing = int((turned[lag:] == turned[:-lag]).sum())
                assert stats.binomtest(agreeing, turned[lag:].size).pvalue > FALSE_ALARM

    def test_every_release_has_its_variance(self) -> None:
        noise = self.sums(self.columns, self.times, seed=8)
        single = 2.0 if self.law == "laplace" else 1.0
        for time in range(1, self.times + 1):
            variance = self.terms(time) * single
            excess = 3 / self.terms(time) if self.law == "laplace" else 0.0  # fourth cumulant over variance squared
            error = variance * math.sqrt((2 + excess) / self.columns)
            assert abs(float((noise[time - 1] ** 2).mean()) - variance) <= 8 * error


class AgentContract:
    """What every tabular agent keeps to: the verbs, and the bookkeeping of a run."""

    mdp: TabularMDP
    reads_noise = True
    planned = 5000

    def build(self) -> Agent:
        raise NotImplementedError

    def blocks(self, rows: int, seed: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Noise, coins and ties of the first ``rows`` episodes."""
        rng = np.random.default_rng(seed)
        counter = self.build().noise(self.mdp, self.planned, rng)
        noise = np.vstack([np.zeros((1, counter.width)), counter.block(rows - 1)])
        return noise, rng.random((rows, 1 + 2 * self.mdp.horizon)), rng.random((rows, self.mdp.horizon))

    def counts(self, learner: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The exact counts n (H, SA), r (H, SA), m (H, S, SA) of a learner."""
        horizon, states, actions = self.mdp.rewards.shape
        pairs = states * actions
        n, r, m = np.split(learner.state.statistics, [horizon * pairs, 2 * horizon * pairs])
        return n.reshape(horizon, pairs), r.reshape(horizon, pairs), m.reshape(horizon, states, pairs)

    def test_verbs(self) -> None:
        agent = self.build()
        assert isinstance(agent, Agent)
        assert (agent.counter == "none") == (not self.reads_noise)
        assert agent == self.build()
        assert hash(agent) == hash(self.build())
        for part in ("beta", "unheard_of"):
            with pytest.raises((dataclasses.FrozenInstanceError, TypeError)):
                setattr(agent, part, 0.5)
        assert all(type(value) is float for value in (agent.epsilon, agent.delta))

    def test_the_noise_serves_every_later_episode_and_follows_its_generator(self) -> None:
        width = self.mdp.states * self.mdp.actions * self.mdp.horizon * (2 + self.mdp.states)
        streams = [self.build().noise(self.mdp, 50, np.random.default_rng(seed)) for seed in (1, 1, 2)]
        one, same, other = (stream.block(49).copy() for stream in streams)
        assert one.shape[1] in ((width,) if self.reads_noise else (1, width))
        assert one.tobytes() == same.tobytes()
        assert bool((one == other).any()) != self.reads_noise
        refused(lambda: streams[0].block(1))

    def test_a_learner_begins_with_nothing(self) -> None:
        first, second = (self.build().start(self.mdp, self.planned, np.array([1, 5])) for _ in range(2))
        first.advance(*self.blocks(5))
        assert not second.state.statistics.any()
        assert not second.state.regret.any()
        assert first.state.regret.shape == (2,)

    def test_the_cut_into_blocks_does_not_matter_and_nothing_given_is_changed(self) -> None:
        given_blocks = self.blocks(600)
        before = [block.copy() for block in given_blocks]
        marks = np.array([1, 10, 599, 600])
        whole, parts = (self.build().start(self.mdp, self.planned, marks) for _ in range(2))
        whole.advance(*given_blocks)
        for start, stop in ((0, 1), (1, 17), (17, 600)):
            parts.advance(*(block[start:stop] for block in given_blocks))
        assert whole.state.regret.tobytes() == parts.state.regret.tobytes()
        assert all(np.array_equal(now, then) for now, then in zip(given_blocks, before, strict=True))
        assert np.array_equal(marks, [1, 10, 599, 600])

    def test_every_step_is_counted_once(self) -> None:
        learner = self.build().start(self.mdp, self.planned, np.array([400]))
        learner.advance(*self.blocks(400))
        n, r, m = self.counts(learner)
        assert (n.sum(axis=1) == 400).all()
        assert np.array_equal(m.sum(axis=1), n)
        assert (r <= n + EXACT * 400).all()
        assert (r >= 0).all()
        if not self.mdp.bernoulli:
            assert np.abs(r - n * self.mdp.rewards.reshape(n.shape)).max() <= EXACT * 400
        # what is impossible is never counted
        assert not m[np.moveaxis(self.mdp.transitions.reshape(*n.shape, -1), 2, 1) == 0].any()

    def test_the_environment_follows_its_distributions(self) -> None:
        """Next states and coins of all cells together, against exact binomials."""
        rows = 4000
        learner = self.build().start(self.mdp, self.planned, np.array([rows]))
        learner.advance(*self.blocks(rows, seed=17))
        n, r, m = self.counts(learner)
        chances = np.moveaxis(self.mdp.transitions.reshape(*n.shape, -1), 2, 1)
        level = FALSE_ALARM / m.size
        for seen, chance, all_ in zip(m.flat, chances.flat, np.broadcast_to(n[:, None], m.shape).flat, strict=True):
            if all_ > 0:
                assert stats.binomtest(int(seen), int(all_), float(chance)).pvalue > level
        if self.mdp.bernoulli:
            for seen, chance, all_ in zip(r.flat, self.mdp.rewards.flat, n.flat, strict=True):
                if all_ > 0:
                    assert stats.binomtest(int(seen), int(all_), float(chance)).pvalue > level

    def test_regret_is_between_nothing_and_everything(self) -> None:
        learner = self.build().start(self.mdp, self.planned, np.arange(1, 301))
        learner.advance(*self.blocks(300))
        best = float(self.mdp.initial @ planning.optimal(self.mdp)[0][0])
        steps = np.diff(learner.state.regret, prepend=0.0)
        assert (steps >= -EXACT * 300).all()
        assert (steps <= best + EXACT * 300).all()

    def test_blocks_that_do_not_fit_are_refused(self) -> None:
        learner = self.build().start(self.mdp, self.planned, np.array([5]))
        noise, coins, ties = self.blocks(4)
        for bad in (None, "noise", noise.tolist(), noise[0], noise[:0], noise.astype(np.float32), noise + math.nan,
                    noise - math.inf, *([noise[:, 1:], np.hstack([noise, noise])] if self.reads_noise else [])):
            assert refused(lambda bad=bad: learner.advance(bad, coins, ties)).startswith("noise must ")
        for bad in (None, coins[:3], coins[:, 1:], coins + 1, coins * math.nan, -coins, coins.astype(int)):
            assert refused(lambda bad=bad: learner.advance(noise, bad, ties)).startswith("coins must be")
        for bad in (None, ties[:3], ties[:, :0], np.ones_like(ties), ties * math.nan, -ties, ties.astype(int)):
            assert refused(lambda bad=bad: learner.advance(noise, coins, bad)).startswith("ties must be")
        assert not learner.state.statistics.any()
