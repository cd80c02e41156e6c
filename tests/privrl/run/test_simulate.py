"""Simulation: checkpoints, streams, independence of workers, blocks and early ends, flat memory."""

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privrl import PUCB, UBEV
from privrl.environments import random_mdp, riverswim
from privrl.run import simulate
from privrl.run.simulate import Agent
from privrl.types import TabularMDP
from tests.contracts import refused

SMALL = random_mdp(2, 3, 2, seed=4)
AGENTS = (
    UBEV(),
    PUCB(1e6),
    PUCB(1e6, calibration="tight"),
    PUCB(1e5, 1e-6, counter="local", calibration="corrected"),
    PUCB(counter="none"),
)


def name(agent: Agent) -> str:
    return f"{agent.name}-{agent.counter}-{agent.calibration}"


def play(agent: Agent, mdp: TabularMDP = SMALL, episodes: int = 3000, **more: Any) -> np.ndarray:
    return simulate.run("test", mdp, agent, episodes=episodes, **more).regret


def test_the_first_plan_reads_no_noise_and_the_next_ones_the_counter_in_order() -> None:
    """Of the streams from which ``test_every`` replays runs."""
    agent = PUCB(1e6)
    noise, coins, ties = simulate.streams(SMALL, agent, 2500, None, 6, 0)
    assert not noise[0].any()
    streams = np.random.SeedSequence(6, spawn_key=(0,)).spawn(3)
    counter = agent.noise(SMALL, 2500, np.random.Generator(np.random.SFC64(streams[0])))
    assert counter.releases == 2499
    np.testing.assert_array_equal(noise[1:], counter.block(2499))
    # noise, environment and ties have generators of their own
    for uniforms, stream, width in zip((coins, ties), streams[1:], (5, 2), strict=True):
        np.testing.assert_array_equal(
            uniforms, np.random.Generator(np.random.SFC64(stream)).random((2500, width))
        )


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
    # ten a decade: from 8 on, no gap is longer than a factor 10^(1/10), but for rounding to whole
    # numbers
    wide = marks[:-1] >= 8
    assert (marks[1:][wide] <= marks[:-1][wide] * 10**0.1 + 1.2).all()


@pytest.mark.parametrize("agent", AGENTS, ids=name)
def test_an_early_end_leaves_the_beginning_unchanged(agent: Agent) -> None:
    full = simulate.run("test", SMALL, agent, episodes=5000, replicates=2, seed=1)
    for stop in (1, 2, 777, 4999):
        prefix = simulate.run(
            "test", SMALL, agent, episodes=5000, stop_after=stop, replicates=2, seed=1
        )
        assert prefix.planned == 5000
        assert prefix.episodes[-1] == max(mark for mark in full.episodes if mark <= stop)
        assert prefix.regret.tobytes() == full.regret[:, : prefix.episodes.size].tobytes()


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


@pytest.mark.slow
@pytest.mark.parametrize("agent", AGENTS, ids=name)
def test_the_size_of_blocks_does_not_matter(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = play(agent, replicates=2)
    for size in (1, 977, 1 << 20):
        monkeypatch.setattr(simulate, "BLOCK", size)
        assert play(agent, replicates=2).tobytes() == usual.tobytes()


def test_seeds_and_replicates_differ() -> None:
    agent = UBEV()
    regrets = np.vstack([play(agent, replicates=10, seed=seed) for seed in (0, 1)])
    assert len({row.tobytes() for row in regrets}) == 20
    assert play(agent, replicates=10, seed=1).tobytes() == regrets[10:].tobytes()


def test_progress_is_told_after_each_block() -> None:
    reports: list[int] = []
    simulate.replicate(SMALL, UBEV(), 20000, 15000, 0, 0, reports.append)
    assert reports[0] == 1
    assert reports[-1] == 15000
    assert reports == sorted(set(reports))


def peak(agent: Agent, episodes: int, report: Callable[[int], object] | None = None) -> int:
    mdp = riverswim(3)
    # compiled and loaded before anything is measured
    simulate.replicate(mdp, agent, 10**6, 3, 0, 0)
    tracemalloc.start()
    try:
        simulate.replicate(mdp, agent, 10**6, episodes, 0, 0, report)  # type: ignore[arg-type]
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
@pytest.mark.parametrize("agent", [PUCB(1e5), PUCB(1.0), UBEV()], ids=["known", "burn-in", "ubev"])
def test_memory_does_not_grow_with_episodes(agent: Agent) -> None:
    short, long = peak(agent, 10**4), peak(agent, 10**5)
    # bytes; a number per episode would be 720,000, collections come and go
    assert long < short + 200_000
    assert long < 5_000_000


def test_growth_would_be_seen() -> None:
    hoard: list[np.ndarray] = []
    short, long = (
        peak(UBEV(), episodes, lambda done: hoard.append(np.ones(done)))
        for episodes in (10**4, 10**5)
    )
    assert long > short + 200_000


def test_what_an_agent_or_environment_lacks_is_said() -> None:
    class Half:
        name, coins = "half", 1

        def start(self) -> None: ...

    missing = "(missing: counter, calibration, epsilon, delta, noise), got agent=<"
    assert missing in refused(lambda: play(Half()))  # type: ignore[arg-type]
    assert "type Environment (missing: ties), got mdp=<" in refused(lambda: play(UBEV(), Half()))  # type: ignore[arg-type]


def test_an_agent_may_hand_on_what_it_lacks() -> None:
    """From Python 3.12 on ``isinstance`` against a protocol does not see what ``__getattr__`` hands
    on."""

    class Wrapper:
        def __getattr__(self, name: str) -> Any:
            return getattr(UBEV(), name)

    assert (play(Wrapper(), episodes=50) == play(UBEV(), episodes=50)).all()


def test_an_end_after_the_end_is_refused() -> None:
    says = "stop_after must be <= episodes, got stop_after=11, episodes=10"
    assert refused(lambda: play(UBEV(), episodes=10, stop_after=11)) == says
    assert refused(lambda: simulate.replicate(SMALL, UBEV(), 10, 11, 0, 0)) == says
    assert "episodes must be <= 9007199254740992" in refused(lambda: play(UBEV(), episodes=10**30))
