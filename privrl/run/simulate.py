"""Replicates of (agent, environment, planned episodes, seed), with exact regret at checkpoints.

One seed sequence a run, spawned per replicate and then per purpose (noise, environment, ties): the
same seed gives the same numbers whatever the number of workers.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from privrl.agents.agent import Agent, AgentLearner
from privrl.checkpoints import checkpoints
from privrl.checks import count, instance, planned_episodes, provides, require
from privrl.extras import needed
from privrl.types import Environment, FloatArray, IntArray, Run

__all__ = [
    "Agent",
    "AgentLearner",
    "block_rows",
    "calibration_of",
    "checkpoints",
    "generators",
    "last_episode",
    "replicate",
    "run",
    "streams",
]
BLOCK = 1 << 16  # numbers in a block of noise: small enough to stay in the cache
MOST_BLOCK = 1 << 22  # 32 MB, where a release is so wide that 16 rows of it would be more
EpisodeCallback = Callable[[int], None]


def calibration_of(agent: Agent) -> str:
    """The calibration as tables name it: ``tight``, or ``tight*0.03`` where the widths are
    multiplied."""
    multiplier = float(getattr(agent, "multiplier", 1.0))
    return agent.calibration if multiplier == 1 else f"{agent.calibration}*{multiplier!r}"


def last_episode(planned: int, stop_after: int | None) -> int:
    """Episodes that are really played: ``planned`` where ``stop_after`` is None."""
    planned = planned_episodes(planned)
    last = planned if stop_after is None else count("stop_after", stop_after)
    require(last <= planned, "stop_after must be <= episodes", stop_after=last, episodes=planned)
    return last


def generators(
    seed: int, index: int
) -> tuple[np.random.Generator, np.random.Generator, np.random.Generator]:
    """The generators of noise, environment and ties of replicate ``index``."""
    root = np.random.SeedSequence(count("seed", seed, 0), spawn_key=(count("index", index, 0),))
    noise, coins, ties = (np.random.Generator(np.random.SFC64(child)) for child in root.spawn(3))
    return noise, coins, ties


def block_rows(mdp: Environment, width: int) -> int:
    """Episodes in a block of so many sums; no number of a run depends on how it is cut."""
    return max(1, min(max(16, BLOCK // (width + mdp.coins + mdp.ties)), MOST_BLOCK // width))


def streams(
    mdp: Environment, agent: Agent, planned: int, episodes: int | None, seed: int, index: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Noise (K, W), coins and ties of the first K ``episodes`` (None: all): those that
    :func:`replicate` draws."""
    planned = planned_episodes(planned)
    last = planned if episodes is None else count("episodes", episodes)
    require(last <= planned, "episodes must be <= planned", episodes=last, planned=planned)
    noise_rng, coin_rng, tie_rng = generators(seed, index)
    counter = agent.noise(mdp, planned, noise_rng)
    every: int = getattr(agent, "every", 1)
    noise = np.zeros((last, counter.width))
    if last > every:  # the first plan reads no release
        noise[every:] = np.repeat(counter.block(-(-last // every) - 1), every, axis=0)[
            : last - every
        ]
    return noise, coin_rng.random((last, mdp.coins)), tie_rng.random((last, mdp.ties))


def replicate(
    mdp: Environment,
    agent: Agent,
    planned: int,
    stop_after: int | None,
    seed: int,
    index: int,
    progress: EpisodeCallback | None = None,
    marks: IntArray | None = None,
) -> FloatArray:
    """Regret of one replicate, shape (C,) for the C checkpoints up to ``stop_after``, or for other
    ``marks``.

    ``progress`` is called with the number of finished episodes after each block.
    """
    provides("mdp", mdp, Environment)  # type: ignore[type-abstract]  # the protocol stands for its verbs
    provides("agent", agent, Agent)  # type: ignore[type-abstract]  # the protocol stands for its verbs
    planned = planned_episodes(planned)
    stop_after = last_episode(planned, stop_after)
    noise_rng, coin_rng, tie_rng = generators(seed, index)
    marks = checkpoints(planned) if marks is None else marks
    marks = marks[marks <= stop_after]
    # one that plans every so many users also renews and follows
    learner: Any = agent.start(mdp, planned, marks)
    counter = agent.noise(mdp, planned, noise_rng)
    every: int = getattr(agent, "every", 1)
    rows = block_rows(mdp, counter.width) if every == 1 else min(every, BLOCK)
    coins = np.empty((rows, mdp.coins))
    ties = np.empty((rows, mdp.ties))
    done = 0
    while done < stop_after:
        remaining = every - done % every  # users of the plan in force
        # the first plan reads no release: nothing has been summed yet
        size = min(rows, stop_after - done, rows if every == 1 and done else remaining)
        if remaining == every:
            noise = (
                np.zeros((1, counter.width))
                if done == 0
                else counter.block(size if every == 1 else 1)
            )
        coin_rng.random(out=coins[:size])
        tie_rng.random(out=ties[:size])
        if every == 1:
            learner.advance(noise, coins[:size], ties[:size])
        else:
            if remaining == every:
                learner.renew(noise, scaled=False)
            learner.follow(coins[:size], ties[:size])
        done += size
        if progress is not None:
            progress(done)
    return np.asarray(learner.state.regret)


def run(
    identifier: str,
    mdp: Environment,
    agent: Agent,
    *,
    episodes: int,
    stop_after: int | None = None,
    replicates: int = 1,
    seed: int = 0,
    jobs: int = 1,
) -> Run:
    """Play ``replicates`` independent runs and return their exact cumulative regret.

    Parameters
    ----------
    identifier : name under which the run is known, e.g. ``vietri2020/riverswim-3``
    episodes : planned number; enters noise, levels and bonuses
    stop_after : end early, without changing the algorithm (default: ``episodes``)
    jobs : worker processes; the result does not depend on it
    """
    instance("identifier", identifier, str)
    planned = planned_episodes(episodes)
    stop = last_episode(planned, stop_after)
    seed, jobs, total = count("seed", seed, 0), count("jobs", jobs), count("replicates", replicates)
    work = [(mdp, agent, planned, stop, seed, index) for index in range(total)]
    if min(jobs, total) > 1:
        with needed("jobs > 1"):  # slow to import, and one process does without
            from joblib import Parallel, delayed

        rows = Parallel(n_jobs=min(jobs, total))(
            delayed(replicate)(*arguments) for arguments in work
        )
    else:
        rows = [replicate(*arguments) for arguments in work]
    marks = checkpoints(planned)
    return Run(
        identifier,
        agent.name,
        agent.counter,
        calibration_of(agent),
        agent.epsilon,
        agent.delta,
        planned,
        seed,
        marks[marks <= stop],
        np.stack(rows),
    )
