"""What is planned behind each committed table of runs: what its replicates are of, by its name."""

import importlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from figures import instances, learnt, linear_runs, studies, user_cases
from figures.across import cheapest_users, common_environment, found_users, tuned_training
from figures.counting import CountedRun
from figures.identifiers import places
from figures.liao2021 import regret as liao2021_regret
from figures.liao2021 import relabelled, worst
from figures.linear_runs import Source
from figures.measured import MeasuredRuns
from privrl.environments import suite
from privrl.run.simulate import Agent
from privrl.run.sweep import RunPlan
from privrl.types import Environment

#: of the figures that rest on long runs, by id
MODULES = {
    identifier: module
    for identifier, name in places().items()
    if hasattr(module := importlib.import_module(name), "recompute")
}
#: tables of regret at checkpoints, in their order: a module's ``PLANS``, or its function where they
#: follow from other runs
SOURCES: dict[str, list[Source]] = {
    **{
        identifier: module.PLANS
        for identifier, module in MODULES.items()
        if isinstance(getattr(module, "PLANS", None), list)
    },
    worst.ID: [*worst.sources()],
    liao2021_regret.ID: [*liao2021_regret.plans()],
    liao2021_regret.GRID_TABLE: [*liao2021_regret.grid_plans()],
    relabelled.ID: [*relabelled.plans()],
    common_environment.ID: common_environment.sources(),
    tuned_training.ID: [*tuned_training.sources()],
}
#: tables of users before learning
MEASURED: dict[str, Callable[[], Sequence[MeasuredRuns]]] = {
    **{learnt.table_name(paper): partial(learnt.settings, paper) for paper in learnt.COUNTED},
    **{f"{paper}_exponents": partial(studies.settings, paper) for paper in studies.STUDIES},
    "tuned_users": user_cases.settings,
    found_users.ID: found_users.settings,
    instances.ID: instances.settings,
    cheapest_users.ID: cheapest_users.settings,
}
#: tables of episodes that lose more than alpha
COUNTED: dict[str, Callable[[], Sequence[CountedRun]]] = {
    identifier: module.cases for identifier, module in MODULES.items() if hasattr(module, "cases")
}


class PlannedRun(NamedTuple):
    """One replicate: ``world`` as the tables name it, what plays, and for how many users."""

    world: str
    environment: Environment
    agent: Agent
    planned: int
    played: int


def of_table(name: str) -> Iterator[PlannedRun]:
    """What stands in the table of that name, a kind of run after the other."""
    for source in SOURCES.get(name, ()):
        if isinstance(source, RunPlan):
            environment, last = suite.environment(source.id), source.last
        else:
            environment, last = source.mdp, source.planned
        agent = linear_runs.agent_of(source)
        yield PlannedRun(linear_runs.name_of(source), environment, agent, source.planned, last)
    for setting in MEASURED[name]() if name in MEASURED else ():
        yield PlannedRun(
            setting.world, setting.made, setting.agent, setting.planned, setting.played
        )
    for case in COUNTED[name]() if name in COUNTED else ():
        if case.replicate == 0:
            yield PlannedRun(case.setting, case.mdp, case.agent, case.planned, case.planned)


def names() -> tuple[str, ...]:
    """Every table that has plans."""
    return (*SOURCES, *MEASURED, *COUNTED)
