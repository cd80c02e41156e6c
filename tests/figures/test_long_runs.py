"""The committed tables of long runs: each run is the one that is planned, and begins as it is
played now."""

import dataclasses
from functools import cache

import numpy as np
import pytest

from figures import linear_runs
from figures.across import tuned_training
from figures.chowdhury2021 import counters as chowdhury2021_counters
from figures.chowdhury2021 import price as chowdhury2021_price
from figures.chowdhury2021 import regret as chowdhury2021_regret
from figures.liao2021 import learning as liao2021_learning
from figures.liao2021 import regret as liao2021_regret
from figures.liao2021 import relabelled, worst
from figures.linear_runs import Source
from figures.plans import SOURCES
from figures.vietri2020 import counters as vietri2020_counters
from figures.vietri2020 import regret as vietri2020_regret
from figures.zhou2022 import local, nonvacuous, river
from figures.zhou2022 import regret as zhou2022_regret
from privrl.environments import suite
from privrl.run import simulate
from privrl.run.sweep import RunPlan
from privrl.types import FloatArray, Run

FIRST = {
    vietri2020_regret.ID: 10**5,
    "vietri2020_price": 10**5,
    vietri2020_counters.ID: 10**5,
    liao2021_learning.ID: 20_000,
    chowdhury2021_regret.ID: 20_000,
    chowdhury2021_price.ID: 20_000,
    chowdhury2021_counters.ID: 20_000,
    zhou2022_regret.ID: 3000,
    local.ID: 3000,
    nonvacuous.ID: 3000,
    river.ID: 300,
    relabelled.ID: 400,
    tuned_training.ID: 3000,
}
# every how many sources, where there are many alike
SOME = {liao2021_regret.GRID_TABLE: 7, worst.ID: 4, tuned_training.ID: 23}
CASES = [
    (name, index)
    for name, sources in SOURCES.items()
    for index in range(0, len(sources), SOME.get(name, 1))
]


@cache
def stored(name: str) -> tuple[Run, ...]:
    return linear_runs.read_runs(name)


def replayed(name: str, source: Source, which: int) -> FloatArray:
    mdp = suite.environment(source.id) if isinstance(source, RunPlan) else source.mdp
    first = min(FIRST.get(name, 1000), source.planned)
    return simulate.replicate(
        mdp, linear_runs.agent_of(source), source.planned, first, source.seed, which
    )


@pytest.mark.slow
@pytest.mark.parametrize(("name", "index"), CASES)
def test_a_run_is_the_planned_one_and_its_first_episodes_are_played_again(
    name: str, index: int
) -> None:
    """One replicate of each source, a different one from source to source."""
    source, run = SOURCES[name][index], stored(name)[index]
    agent, which = linear_runs.agent_of(source), index % source.replicates
    assert (
        run.id,
        run.agent,
        run.counter,
        run.calibration,
        run.epsilon,
        run.delta,
        run.planned,
    ) == (
        linear_runs.name_of(source),
        agent.name,
        agent.counter,
        simulate.calibration_of(agent),
        agent.epsilon,
        agent.delta,
        source.planned,
    )
    assert len(run.regret) == source.replicates
    assert run.episodes[-1] == (source.last if isinstance(source, RunPlan) else source.planned)
    assert (
        np.diff(run.regret, axis=1) >= -1e-3
    ).all()  # exact regret of an episode is never negative
    fresh = replayed(name, source, which)
    marks = simulate.checkpoints(source.planned)[: fresh.size]
    fresh_regret, stored_regret = (
        fresh[np.isin(marks, run.episodes)],
        run.regret[which][np.isin(run.episodes, marks)],
    )
    assert fresh_regret.size and [f"{value:.10g}" for value in stored_regret] == [
        f"{value:.10g}" for value in fresh_regret
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", SOURCES)
def test_every_source_has_its_run_and_no_replicate_stands_twice(name: str) -> None:
    assert len(stored(name)) == len(SOURCES[name])
    for run in stored(name):
        # so few policies that two replicates may coincide
        few = "mixture" in run.id or "hard" in run.id
        # nothing learnt: nothing to tell them by
        blind = np.ptp(run.regret[:, -1]) <= 1e-8 * run.regret[0, -1]
        assert few or blind or len({row.tobytes() for row in run.regret}) == len(run.regret)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "calibration", "epsilon", "episodes"),
    [
        (vietri2020_regret.ID, "tight", 100.0, 10**7),
        (chowdhury2021_regret.ID, "printed", 1000.0, 10**6),
        (zhou2022_regret.ID, "tight", 100.0, 10**5),
    ],
)
def test_the_comparison_would_see_another_seed_or_another_plan(
    name: str, calibration: str, epsilon: float, episodes: int
) -> None:
    index = next(
        i
        for i, run in enumerate(stored(name))
        if (run.calibration, run.epsilon) == (calibration, epsilon)
    )
    plan, run = SOURCES[name][index], stored(name)[index]
    assert isinstance(plan, RunPlan)
    for changed_plan in (
        dataclasses.replace(plan, seed=1),
        dataclasses.replace(plan, episodes=episodes),
    ):
        assert f"{replayed(name, changed_plan, 0)[-1]:.10g}" not in {
            f"{value:.10g}" for value in run.regret[0]
        }
