"""Simulation: exact regret, checkpoints, independence of workers, blocks and early ends, flat memory."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privrl import PUCB, UBEV
from privrl.environments import planning, random_mdp, riverswim
from privrl.run import simulate
from privrl.run.simulate import Agent
from privrl.types import TabularMDP
from tests.contracts import refused

SMALL = random_mdp(2, 3, 2, seed=4)
AGENTS = (UBEV(), PUCB(1e6), PUCB(1e6, calibration="tight"), PUCB(1e5, 1e-6, counter="local", calibration="corrected"),
          PUCB(counter="none"))


def name(agent: Agent) -> str:
    return f"{agent.name}-{agent.counter}-{agent.calibration}"


def play(agent: Agent, mdp: TabularMDP = SMALL, episodes: int = 3000, **more: Any) -> np.ndarray:
    return simulate.run("test", mdp, agent, episodes=episodes, **more).regret


class Spy:
    """An agent that plays as another one, and tells what it was given and which policy was in force."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.blocks: list[tuple[np.ndarray, ...]] = []
        self.policies: list[np.ndarray] = []

    def __getattr__(self, attribute: str) -> Any:
        return getattr(self.agent, attribute)

    def start(self, mdp: TabularMDP, planned: int, checkpoints: np.ndarray) -> Any:
        learner, spy = self.agent.start(mdp, planned, checkpoints), self

        class Watched:
            state = learner.state

            def advance(self, noise: np.ndarray, coins: np.ndarray, ties: np.ndarray) -> None:
                spy.blocks.append((noise.copy(), coins.copy(), ties.copy()))
                for row in range(noise.shape[0]):
                    learner.advance(*(block[row : row + 1] for block in (noise, coins, ties)))
                    spy.policies.append(learner.state.greedy.copy())

        return Watched()


@pytest.mark.parametrize("agent", AGENTS, ids=name)
def test_regret_is_what_planning_says_of_the_policies_in_force(agent: Agent) -> None:
    spy = Spy(agent)
    found = play(spy, episodes=1500)[0]
    best = float(SMALL.initial @ planning.optimal(SMALL)[0][0])
    losses = []
    for greedy in spy.policies:
        among = (greedy[..., None] >> np.arange(SMALL.actions)) & 1
        losses.append(best - planning.value(SMALL, among / among.sum(axis=-1, keepdims=True)))
    marks = simulate.checkpoints(1500)
    np.testing.assert_allclose(found, np.cumsum(losses)[marks - 1], rtol=1e-11)
    assert len(set(losses)) > 3  # the policy moved
    # a policy that is one episode late is told apart
    late = np.cumsum([losses[0], *losses[:-1]])[marks - 1]
    assert not np.allclose(found, late, rtol=1e-11)


def test_the_first_plan_reads_no_noise_and_the_next_ones_the_counter_in_order() -> None:
    agent = PUCB(1e6)
    spy = Spy(agent)
    play(spy, episodes=2500, seed=6)
    noise = np.vstack([block[0] for block in spy.blocks])
    assert not noise[0].any()
    streams = np.random.SeedSequence(6, spawn_key=(0,)).spawn(3)
    counter = agent.noise(SMALL, 2500, np.random.Generator(np.random.SFC64(streams[0])))
    assert counter.releases == 2499
    np.testing.assert_array_equal(noise[1:], counter.block(2499))
    # noise, environment and ties have generators of their own
    coins, ties = (np.random.Generator(np.random.SFC64(stream)) for stream in streams[1:])
    np.testing.assert_array_equal(np.vstack([block[1] for block in spy.blocks]), coins.random((2500, 5)))
    np.testing.assert_array_equal(np.vstack([block[2] for block in spy.blocks]), ties.random((2500, 2)))


@given(st.integers(1, 2**53))
def test_checkpoints(planned: int) -> None:
    marks = simulate.checkpoints(planned)
    assert marks.dtype == np.int64
    assert marks[0] == 1
    assert marks[-1] == planned
    assert (np.diff(marks) > 0).all()
    assert marks.size <= 100 + 10 * 17
    for hundredth in (1, 37, 99):
        assert max(1, planned * hundredth // 100) in marks
    # ten a decade: from 8 on, no gap is longer than a factor 10^(1/10), but for rounding to whole numbers
    wide = marks[:-1] >= 8
    assert (marks[1:][wide] <= marks[:-1][wide] * 10**0.1 + 1.2).all()


@pytest.mark.parametrize("agent", AGENTS, ids=name)
def test_an_early_end_leaves_the_beginning_unchanged(agent: Agent) -> None:
    whole = simulate.run("test", SMALL, agent, episodes=5000, replicates=2, seed=1)
    for stop in (1, 2, 777, 4999):
        part = simulate.run("test", SMALL, agent, episodes=5000, stop_after=stop, replicates=2, seed=1)
        assert part.planned == 5000
        assert part.episodes[-1] == max(mark for mark in whole.episodes if mark <= stop)
        assert part.regret.tobytes() == whole.regret[:, : part.episodes.size].tobytes()


def test_planned_episodes_do_change_the_algorithm() -> None:
    for agent in AGENTS[1:]:
        short, long = play(agent, episodes=1000), play(agent, episodes=10**6, stop_after=1000)
        assert short[0, -1] != long[0, -1]  # both are the regret of 1000 episodes


def test_the_number_of_workers_does_not_matter() -> None:
    agent = PUCB(1e6)
    alone = play(agent, replicates=3, seed=5, jobs=1)
    assert play(agent, replicates=3, seed=5, jobs=2).tobytes() == alone.tobytes()
    # and each replicate is what it is alone
    assert simulate.replicate(SMALL, agent, 3000, 3000, 5, 2).tobytes() == alone[2].tobytes()


@pytest.mark.parametrize("agent", AGENTS, ids=name)
def test_the_size_of_blocks_does_not_matter(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = play(agent, replicates=2)
    for size in (1, 977, 1 << 20):
        monkeypatch.setattr(simulate, "BLOCK", size)
        assert play(agent, replicates=2).tobytes() == usual.tobytes()


def test_seeds_and_replicates_differ() -> None:
    agent = UBEV()
    found = np.vstack([play(agent, replicates=10, seed=seed) for seed in (0, 1)])
    assert len({row.tobytes() for row in found}) == 20
    assert play(agent, replicates=10, seed=1).tobytes() == found[10:].tobytes()


def test_progress_is_told_after_each_block() -> None:
    told: list[int] = []
    simulate.replicate(SMALL, UBEV(), 20000, 15000, 0, 0, told.append)
    assert told[0] == 1
    assert told[-1] == 15000
    assert told == sorted(set(told))


def peak(agent: Agent, episodes: int) -> int:
    mdp = riverswim(3)
    simulate.replicate(mdp, agent, 10**6, 3, 0, 0)  # compiled and loaded before anything is measured
    tracemalloc.start()
    try:
        simulate.replicate(mdp, agent, 10**6, episodes, 0, 0)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("agent", [PUCB(1e5), PUCB(1.0), UBEV()], ids=["known", "burn-in", "ubev"])
def test_memory_does_not_grow_with_episodes(agent: Agent) -> None:
    short, long = peak(agent, 10**4), peak(agent, 10**5)
    assert long < short + 200_000  # bytes; a number per episode would be 720,000, collections come and go
    assert long < 5_000_000


def test_growth_would_be_seen() -> None:
    mdp = riverswim(2)
    sizes = []
    for episodes in (100, 1000):
        tracemalloc.start()
        simulate.replicate(mdp, Spy(UBEV()), 10**6, episodes, 0, 0)  # a spy hoards what it is given
        sizes.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert sizes[1] > sizes[0] + 20_000


def test_what_an_agent_or_environment_lacks_is_said() -> None:
    class Half:
        name, coins = "half", 1

        def start(self) -> None: ...

    missing = "(missing: counter, calibration, epsilon, delta, noise), got agent=<"
    assert missing in refused(lambda: play(Half()))  # type: ignore[arg-type]
    assert "type Environment (missing: ties), got mdp=<" in refused(lambda: play(UBEV(), Half()))  # type: ignore[arg-type]


def test_an_end_after_the_end_is_refused() -> None:
    says = "stop_after must be <= episodes, got stop_after=11, episodes=10"
    assert refused(lambda: play(UBEV(), episodes=10, stop_after=11)) == says
    assert refused(lambda: simulate.replicate(SMALL, UBEV(), 10, 11, 0, 0)) == says
    assert "episodes must be <= 9007199254740992" in refused(lambda: play(UBEV(), episodes=10**30))
