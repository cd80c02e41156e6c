"""Contracts of streams of noise and of the agents that read it, to be inherited as
``tests.contracts`` says."""

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from scipy import stats

from privrl.checks import provides
from privrl.environments import LQSystem, evaluate, lq_scalar, random_mdp
from privrl.privacy.counters.stream import Counter
from privrl.run import simulate
from privrl.run.simulate import Agent
from privrl.types import TabularMDP
from tests.contracts import EXACT, FALSE_ALARM, refused


def follows(draws: np.ndarray, law: Any) -> bool:
    """Whether the distance of (n,) draws to a law's distribution function is within Massart's form
    of the DKW bound."""
    return bool(
        stats.ks_1samp(draws, law.cdf).statistic
        <= math.sqrt(math.log(2 / FALSE_ALARM) / 2 / draws.size)
    )


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
        assert (counter.width, counter.releases, counter.released, counter.law) == (
            5,
            100,
            100,
            self.law,
        )

    def test_same_seed_same_noise(self) -> None:
        assert np.array_equal(self.sums(70, 300, seed=2), self.sums(70, 300, seed=2))

    def test_the_cut_into_blocks_does_not_matter(self) -> None:
        @settings(
            max_examples=30, report_multiple_bugs=False, phases=[Phase.generate]
        )  # a twin need not be shrunk
        @given(
            st.integers(1, 140),
            st.lists(st.integers(1, 40), min_size=1, max_size=8),
            st.integers(0, 2**32),
        )
        def check(width: int, cuts: list[int], seed: int) -> None:
            counter = self.build(width, sum(cuts), seed)
            parts = [counter.block(rows).copy() for rows in cuts]
            assert np.array_equal(np.vstack(parts), self.sums(width, sum(cuts), seed))

        check()

    def test_it_stops_after_the_last_release(self) -> None:
        counter = self.build(2, 10, seed=3)
        counter.block(7)
        message = refused(lambda: counter.block(4))
        assert (
            message
            == "a counter serves no more releases than it was made for, got releases=10, asked=11"
        )
        assert counter.block(3).shape == (3, 2)  # a refused request has used nothing up
        refused(lambda: counter.block(1))


def spoilt(kind: type[Counter], spoil: Callable[[Any], object]) -> type[Counter]:
    """A twin of a counter whose arrays are spoilt before every block."""
    return type(
        "Spoilt", (kind,), {"_sums": lambda self, rows: (spoil(self), kind._sums(self, rows))[1]}
    )


class AgentContract:
    """What every agent keeps to: the verbs, and the bookkeeping of a run in ``env``."""

    env: Any
    planned = 5000

    def build(self) -> Agent:
        raise NotImplementedError

    def blocks(self, rows: int, seed: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Noise, coins and ties of the first ``rows`` episodes."""
        return simulate.streams(self.env, self.build(), self.planned, rows, seed, 0)

    def test_verbs(self) -> None:
        agent = self.build()
        provides("agent", agent, Agent)  # type: ignore[type-abstract]
        assert agent == self.build()
        assert hash(agent) == hash(self.build())
        for attribute in ("beta", "alpha", "unheard_of"):
            with pytest.raises((dataclasses.FrozenInstanceError, TypeError)):
                setattr(agent, attribute, 0.5)
        assert all(type(value) is float for value in (agent.epsilon, agent.delta))

    def test_the_noise_serves_every_later_episode_and_follows_its_generator(self) -> None:
        streams = [
            self.build().noise(self.env, 50, np.random.default_rng(seed)) for seed in (1, 1, 2)
        ]
        first, same, different = (stream.block(49).copy() for stream in streams)
        assert np.array_equal(first, same)
        assert bool((first == different).any()) == (self.build().counter == "none")
        refused(lambda: streams[0].block(1))

    def test_a_learner_begins_with_nothing(self) -> None:
        first, second = (
            self.build().start(self.env, self.planned, np.array([1, 5])) for _ in range(2)
        )
        first.advance(*self.blocks(5))
        assert not second.state.statistics.any()
        assert not second.state.regret.any()
        assert first.state.regret.shape == (2,)

    def test_the_cut_into_blocks_does_not_matter_and_nothing_given_is_changed(self) -> None:
        given_blocks = self.blocks(300)
        before = [block.copy() for block in given_blocks]
        marks = np.array([1, 10, 299, 300])
        uncut, parts = (self.build().start(self.env, self.planned, marks) for _ in range(2))
        uncut.advance(*given_blocks)
        for start, stop in ((0, 1), (1, 17), (17, 300)):
            parts.advance(*(block[start:stop] for block in given_blocks))
        assert np.array_equal(uncut.state.regret, parts.state.regret)
        assert np.array_equal(uncut.state.statistics, parts.state.statistics)
        assert uncut.state.finished == 300
        assert all(
            np.array_equal(now, then) for now, then in zip(given_blocks, before, strict=True)
        )
        assert np.array_equal(marks, [1, 10, 299, 300])

    def test_no_episode_gains_on_the_optimum_nor_loses_more_than_all(self) -> None:
        learner = self.build().start(self.env, self.planned, np.arange(1, 301))
        learner.advance(*self.blocks(300))
        steps = np.diff(learner.state.regret, prepend=0.0)
        assert (steps >= -EXACT * 300).all()
        if not isinstance(self.env, LQSystem):  # a reward is at most 1
            assert (steps <= evaluate.optimum(self.env) + EXACT * 300).all()

    def test_blocks_that_do_not_fit_are_refused(self) -> None:
        learner = self.build().start(self.env, self.planned, np.array([5]))
        noise, coins, ties = self.blocks(4)
        read = [noise[:, 1:], np.hstack([noise, noise]), noise + math.nan, noise - math.inf]
        for bad in (
            None,
            "noise",
            noise.tolist(),
            noise[0],
            noise[:0],
            noise.astype(np.float32),
            *(read if self.build().counter != "none" else []),
        ):
            assert refused(lambda bad=bad: learner.advance(bad, coins, ties)).startswith(
                "noise must "
            )
        for bad in (
            None,
            coins[:3],
            coins[:, 1:],
            coins + 1,
            coins * math.nan,
            -coins,
            coins.astype(int),
        ):
            assert refused(lambda bad=bad: learner.advance(noise, bad, ties)).startswith(
                "coins must be"
            )
        for bad in (
            None,
            ties[:3],
            np.ones((4, ties.shape[1] + 1)),
            ties.astype(int),
            *([np.ones_like(ties), ties * math.nan, -ties] if ties.size else []),
        ):
            assert refused(lambda bad=bad: learner.advance(noise, coins, bad)).startswith(
                "ties must be"
            )
        assert not learner.state.statistics.any()

    def test_another_kind_of_environment_is_refused(self) -> None:
        foreign = random_mdp(2, 2, 2, 0) if isinstance(self.env, LQSystem) else lq_scalar()
        for wrong in (foreign, None):
            refused(lambda wrong=wrong: self.build().start(wrong, self.planned, np.array([5])))
            refused(
                lambda wrong=wrong: self.build().noise(
                    wrong, self.planned, np.random.default_rng(0)
                )
            )

    def test_a_run_has_an_end_that_makes_sense(self) -> None:
        for marks in ([], [0], [1, 1], [2, 1], [1.5], [math.nan], [[1]], [2**60], ["1"], None):
            assert refused(lambda marks=marks: self.build().start(self.env, 10, marks)).startswith(
                "checkpoints must "
            )
        for planned in (0, -1, 2.5, None, 2**60):
            assert refused(
                lambda planned=planned: self.build().start(self.env, planned, [1])  # type: ignore[arg-type]
            ).startswith("episodes ")


class TabularContract(AgentContract):
    """What every tabular agent keeps to besides: its counts are those of the environment that it
    played."""

    env: TabularMDP
    families = (
        2  # of sums of one number per (h, s, a) that are released, beside those of the next states
    )
    unread = 0  # sums of next states that are not released, as no plan reads them

    def counts(self, learner: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The exact counts n (H, SA), r (H, SA), m (H, S, SA) of a learner."""
        horizon, states, actions = self.env.rewards.shape
        pairs = states * actions
        n, r, m = np.split(learner.state.statistics, [horizon * pairs, 2 * horizon * pairs])
        return (
            n.reshape(horizon, pairs),
            r.reshape(horizon, pairs),
            m.reshape(horizon, states, pairs),
        )

    def test_every_sum_has_its_noise(self) -> None:
        width = self.env.rewards.size * (self.families + self.env.states) - self.unread
        noise_width = self.build().noise(self.env, 50, np.random.default_rng(0)).width
        assert noise_width in ((width,) if self.build().counter != "none" else (1, width))

    def test_every_step_is_counted_once(self) -> None:
        learner = self.build().start(self.env, self.planned, np.array([400]))
        learner.advance(*self.blocks(400))
        n, r, m = self.counts(learner)
        assert (n.sum(axis=1) == 400).all()
        assert np.array_equal(m.sum(axis=1), n)
        assert (r <= n + EXACT * 400).all()
        assert (r >= 0).all()
        if not self.env.bernoulli:
            assert np.abs(r - n * self.env.rewards.reshape(n.shape)).max() <= EXACT * 400
        # what is impossible is never counted
        assert not m[np.moveaxis(self.env.transitions.reshape(*n.shape, -1), 2, 1) == 0].any()

    def test_the_environment_follows_its_distributions(self) -> None:
        """Next states and coins of all cells together, against exact binomials."""
        rows = 4000
        learner = self.build().start(self.env, self.planned, np.array([rows]))
        learner.advance(*self.blocks(rows, seed=17))
        n, r, m = self.counts(learner)
        chances = np.moveaxis(self.env.transitions.reshape(*n.shape, -1), 2, 1)
        laws = [(m, chances, np.broadcast_to(n[:, None], m.shape))]
        laws += [(r, self.env.rewards, n)] if self.env.bernoulli else []
        for law in laws:
            for successes, chance, trials in zip(*(array.flat for array in law), strict=True):
                if trials > 0:
                    pvalue = stats.binomtest(int(successes), int(trials), float(chance)).pvalue
                    assert pvalue > FALSE_ALARM / m.size


def under(contract: type[AgentContract], env: Any, agent: Agent, **more: Any) -> type:
    """The tests of a contract on this agent in this environment."""
    return type("TestAgent", (contract,), {"env": env, "build": lambda self: agent, **more})
