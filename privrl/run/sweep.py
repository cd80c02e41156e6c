"""Run entries of the suite: replicates in parallel, each stored as it finishes, collected into one
table.

A sweep is a list of plans. What is stored is taken, what is missing is computed by an engine (this
process, worker processes, a cluster), and the table is the same to the bit however it came.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from privrl._cache import code_hash
from privrl.agents import registry
from privrl.checkpoints import recorded
from privrl.checks import choice, count, instance, planned_episodes, require
from privrl.environments import suite
from privrl.extras import needed
from privrl.run import simulate
from privrl.run.engines import Engine, Failure
from privrl.run.progress import Progress
from privrl.run.simulate import Agent
from privrl.run.store import Store, write_whole
from privrl.types import FloatArray, IntArray, Run

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    "id",
    "agent",
    "counter",
    "calibration",
    "epsilon",
    "delta",
    "planned",
    "episode",
    "replicate",
    "regret",
)
LIBRARIES = ("numpy", "numba", "scipy")
Finished = Callable[[int, int], None]


@dataclass(frozen=True)
class RunPlan:
    """What to run: an entry of the suite and one setting of every axis (None: the entry's or the
    agent's own).

    Raises
    ------
    ValueError
        An unknown id, a setting out of range (also where the agent has no use for it), a
        combination that no calibration defines.
    """

    id: str
    agent: str | None = None
    counter: str | None = None
    calibration: str | None = None
    epsilon: float | None = None
    delta: float | None = None
    beta: float | None = None
    constant: float | None = None
    episodes: int | None = None
    stop_after: int | None = None
    replicates: int = 1
    seed: int = 0
    multiplier: float = 1.0
    every: int = 1

    def __post_init__(self) -> None:
        if self.calibration is None:
            object.__setattr__(self, "calibration", registry.kind(self.algorithm).calibration)
        self.build_agent()  # refused now, where something is out of range
        last = simulate.last_episode(self.planned, self.stop_after)
        require(
            self.every == 1 or self.every < last,
            "every must be < the episodes that are played, or no plan reads anything",
            every=self.every,
            episodes=last,
        )
        count("replicates", self.replicates)
        count("seed", self.seed, 0)

    def __getstate__(self) -> dict[str, Any]:
        """The fields alone: another process looks the entry up and builds the agent itself."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    def build_agent(self) -> Agent:
        """The agent, its parameters checked; built once, since agents are frozen."""
        return self._agent

    @functools.cached_property
    def _agent(self) -> Agent:
        return registry.make(
            self.algorithm,
            calibration=cast(str, self.calibration),
            epsilon=self.entry.epsilon if self.epsilon is None else self.epsilon,
            delta=self.entry.delta if self.delta is None else self.delta,
            beta=self.entry.beta if self.beta is None else self.beta,
            constant=self.constant,
            multiplier=self.multiplier,
            every=self.every,
            counter=registry.kind(self.algorithm).counter if self.counter is None else self.counter,
        )

    @functools.cached_property
    def entry(self) -> suite.Entry:
        """The entry of the suite, as it is when it is first asked for."""
        return suite.entry(self.id)

    @functools.cached_property
    def algorithm(self) -> str:
        """Name of the agent, checked: the entry's first where none is asked for."""
        agents = registry.playing(self.entry)
        return agents[0] if self.agent is None else choice("agent", self.agent, agents)

    @property
    def planned(self) -> int:
        """Planned number of episodes, checked."""
        return planned_episodes(self.entry.episodes if self.episodes is None else self.episodes)

    @property
    def last(self) -> int:
        """Episodes that are really played, checked."""
        return simulate.last_episode(self.planned, self.stop_after)

    def settings(self, replicate: int) -> dict[str, Any]:
        """All that a replicate's numbers depend on, the code included."""
        agent = self.build_agent()
        return {
            "id": self.id,
            "agent": agent.name,
            "counter": agent.counter,
            "calibration": agent.calibration,
            "epsilon": repr(agent.epsilon),
            "delta": repr(agent.delta),
            "fields": fields_of(agent),
            "planned": self.planned,
            "stop_after": self.last,
            "seed": count("seed", self.seed, 0),
            "replicate": count("replicate", replicate, 0),
            "environment": _environment_hash(self.entry),
            "code": code_hash(),
            "versions": versions(),
        }


def fields_of(agent: Agent) -> dict[str, str]:
    """Every parameter of an agent, as text."""
    return {
        field.name: repr(getattr(agent, field.name))
        for field in dataclasses.fields(cast(Any, agent))
    }


def environment_hash(identifier: str) -> str:
    """Hash of the numbers of an entry's environment (16 hex digits)."""
    return _environment_hash(suite.entry(identifier))


@functools.cache
def _environment_hash(entry: suite.Entry) -> str:
    world: Any = entry.make()
    facts = [
        getattr(world, field.name)
        for field in dataclasses.fields(world)
        if field.name != "name" and field.compare
    ]
    numbers = [value for value in facts if isinstance(value, np.ndarray)]
    others = [str(value) for value in facts if not isinstance(value, np.ndarray)]
    digest = hashlib.sha256(" ".join([str(numbers[0].shape), *others]).encode())
    for array in numbers:
        digest.update(array.tobytes())
    return digest.hexdigest()[:16]


@functools.cache
def versions() -> dict[str, str]:
    """Versions of the libraries that draw and compute."""
    return {name: metadata.version(name) for name in LIBRARIES}


def _path(name: str, value: Path | str) -> Path:
    require(
        isinstance(value, (Path, str)) and str(value) != "",
        f"{name} must be a path",
        **{name: value},
    )
    return Path(value)


class UnfinishedError(RuntimeError):
    """Replicates that failed while all others finished and are stored."""

    def __init__(self, failed: Sequence[tuple[str, Failure]], total: int) -> None:
        reasons = "; ".join(f"{name} {failure.reason}" for name, failure in failed[:5])
        more = f"; and {len(failed) - 5} more" if len(failed) > 5 else ""
        super().__init__(
            f"{len(failed)} of {total} replicates failed, the others are stored: {reasons}{more}"
        )
        self.failed = tuple(failed)


@dataclass(frozen=True)
class Job:
    """One replicate to be computed, as an engine hands it to a worker."""

    plan: RunPlan
    index: int
    key: str  #: under which it is stored
    folder: str  #: of the store

    @property
    def name(self) -> str:
        """The replicate for a reader: its entry, every axis, its seed and its number."""
        agent = self.plan.build_agent()
        return (
            f"{self.plan.id} {agent.name} counter={agent.counter} "
            f"calibration={simulate.calibration_of(agent)} epsilon={agent.epsilon:g} "
            f"planned={self.plan.planned} seed={self.plan.seed} replicate={self.index}"
        )


def compute(job: Job) -> FloatArray:
    """The regret of one replicate, stored before it is returned; what every engine runs.

    A folder that this machine does not have is left to the process that asks. A replicate that has
    been stored in the meantime, by another sweep or before a worker was lost, is taken.

    Raises
    ------
    ValueError
        This process runs other code or other versions than the one that asks.
    """
    plan, store = job.plan, Store(Path(job.folder))
    settings = plan.settings(job.index)
    same = Store.key(settings) == job.key
    require(
        same,
        "every worker must run the code and versions with which the sweep began",
        replicate=job.name,
    )
    stored = store.load(settings)
    if stored is not None and stored.size == _marks(plan).size:
        return stored
    environment, agent = plan.entry.make(), plan.build_agent()
    regret = simulate.replicate(
        environment, agent, plan.planned, plan.last, plan.seed, job.index, marks=_marks(plan)
    )
    if store.folder.is_dir():
        store.save(settings, regret)
    return regret


def _marks(plan: RunPlan) -> IntArray:
    marks = recorded(plan.planned)
    return marks[marks <= plan.last]


def fill(
    plans: Sequence[RunPlan],
    folder: Path,
    engine: Engine | None = None,
    *,
    shard: tuple[int, int] = (1, 1),
    finished: Finished | Progress | None = None,
    warn: Callable[[str], None] | None = None,
    work: Callable[[Job], FloatArray] = compute,
) -> dict[str, FloatArray]:
    """Compute what the store has not of several plans; all their regrets by key, each replicate
    once.

    Parameters
    ----------
    folder : the store; an interrupted sweep continues there
    shard : (i, n) with 1 <= i <= n: only every n-th replicate, from the i-th on; the n shards
        together are the sweep
    finished : called with (replicates done, replicates in all) as they finish
    warn : told of damaged stored replicates, and of a replicate that fails
    work : what a worker does; it stores what it returns

    Raises
    ------
    UnfinishedError
        Some replicates failed; all others are computed and stored.
    ValueError, OSError
        A request that makes no sense, a store that cannot be written, a scheduler that does not
        answer.
    """
    engine, (number, shards) = (
        Engine() if engine is None else instance("engine", engine, Engine),
        shard,
    )
    require(
        count("n", shards) >= count("i", number), "shard must be i/n with 1 <= i <= n", shard=shard
    )
    folder = _path("folder", folder)
    folder.mkdir(parents=True, exist_ok=True)  # refused now, and not after the first replicate
    store = Store(folder, warn)
    jobs: dict[str, tuple[Job, dict[str, Any]]] = {}
    for plan in plans:
        common = instance("plan", plan, RunPlan).settings(0)
        for index in range(plan.replicates):
            settings = {**common, "replicate": index}
            key = Store.key(settings)
            jobs.setdefault(key, (Job(plan, index, key, str(folder.resolve())), settings))
    share = list(jobs.values())[number - 1 :: shards]
    rows: dict[str, FloatArray] = {}
    for job, settings in share:
        stored = store.load(settings)
        if stored is not None and stored.size == _marks(job.plan).size:
            rows[job.key] = stored
    missing = [task for task in share if task[0].key not in rows]
    if missing:
        store.probe()
    failed: list[tuple[str, Failure]] = []
    if isinstance(finished, Progress):
        finished.begin(len(rows), len(share))
    try:
        for position, regret in engine.each(work, [job for job, _ in missing]):
            job, settings = missing[position]
            if isinstance(regret, Failure):
                failed.append((job.name, regret))
                store.warn(f"{job.name} {regret.reason}")
                continue
            if not store.path(settings).exists():  # the worker does not share the folder
                store.save(settings, regret)
            rows[job.key] = regret
            if finished is not None:
                finished(len(rows), len(share))
    finally:
        if isinstance(finished, Progress):
            finished.close()
    if failed:
        raise UnfinishedError(failed, len(share))
    return rows


def run_all(
    plans: Sequence[RunPlan],
    folder: Path,
    engine: Engine | None = None,
    *,
    finished: Finished | Progress | None = None,
    warn: Callable[[str], None] | None = None,
    work: Callable[[Job], FloatArray] = compute,
) -> tuple[Run, ...]:
    """A run for every plan, over one set of workers; arguments and errors as for :func:`fill`."""
    return assemble(plans, fill(plans, folder, engine, finished=finished, warn=warn, work=work))


def assemble(plans: Sequence[RunPlan], rows: Mapping[str, FloatArray]) -> tuple[Run, ...]:
    """A run for every plan, from regrets by key as :func:`fill` returns them."""
    runs = []
    for plan in plans:
        agent, common = plan.build_agent(), plan.settings(0)
        regret = [
            rows[Store.key({**common, "replicate": index})] for index in range(plan.replicates)
        ]
        runs.append(
            Run(
                plan.id,
                agent.name,
                agent.counter,
                simulate.calibration_of(agent),
                agent.epsilon,
                agent.delta,
                plan.planned,
                plan.seed,
                _marks(plan),
                np.stack(regret),
            )
        )
    return tuple(runs)


def run(
    plan: RunPlan,
    folder: Path,
    jobs: int = 1,
    finished: Finished | Progress | None = None,
    warn: Callable[[str], None] | None = None,
    engine: Engine | None = None,
) -> Run:
    """Compute what is missing of a plan and return all of it; other arguments as for :func:`fill`.

    ``jobs`` : worker processes, where no engine is given; the result depends on neither
    """
    engine = Engine(jobs=jobs) if engine is None else engine
    return run_all([plan], folder, engine, finished=finished, warn=warn)[0]


def table(result: Run) -> pd.DataFrame:
    """One row per replicate and checkpoint, columns as in ``COLUMNS``."""
    with needed("a table of runs"):  # slow to import, and no worker needs it
        import pandas as pd

    instance("result", result, Run)
    replicates, marks = result.regret.shape
    return pd.DataFrame(
        {
            "id": result.id,
            "agent": result.agent,
            "counter": result.counter,
            "calibration": result.calibration,
            "epsilon": result.epsilon,
            "delta": result.delta,
            "planned": result.planned,
            "episode": np.tile(result.episodes, replicates),
            "replicate": np.repeat(np.arange(replicates), marks),
            "regret": result.regret.ravel(),
        },
        columns=list(COLUMNS),
    )


def tables(runs: Sequence[Run], plans: Sequence[RunPlan] = ()) -> pd.DataFrame:
    """The tables of several runs below one another.

    What differs among the plans and has no column of its own (seed, beta, constant, stop_after,
    every) gets one, before ``replicate``: no two rows of a table are told apart by their place
    alone.
    """
    with needed("a table of runs"):
        import pandas as pd

    tables_ = [table(run) for run in runs]
    for name, values in varying(plans, ("seed", "beta", "constant", "stop_after", "every")).items():
        for rows, value in zip(tables_, values, strict=True):
            rows.insert(list(rows.columns).index("replicate"), name, value)
    return pd.concat(tables_, ignore_index=True)


def varying(plans: Sequence[RunPlan], names: Sequence[str]) -> dict[str, list[Any]]:
    """A value for every plan of those axes on which plans differ; the entry's own where it is left
    open."""
    values = {name: [_value(plan, name) for plan in plans] for name in names}
    return {name: values for name, values in values.items() if len(set(values)) > 1}


def _value(plan: RunPlan, name: str) -> Any:
    renamed = {"planned": plan.planned, "stop_after": plan.last}
    value = renamed[name] if name in renamed else getattr(plan, name)
    return getattr(plan.entry, name) if value is None and name in ("beta", "delta") else value


def write(result: Run | Sequence[Run], path: Path, plans: Sequence[RunPlan] = ()) -> None:
    """Write the table as CSV (regret to ten significant digits) and its provenance as JSON beside
    it.

    Parameters
    ----------
    result : a run, or several for one table
    plans : of the runs; their settings are then part of the provenance, and of the table where they
        differ
    """
    runs = tuple(result) if isinstance(result, (list, tuple)) and result else (result,)
    rows = tables([instance("result", run, Run) for run in runs], plans)
    path = _path("path", path)
    plan_list: Sequence[RunPlan | None] = plans or [None] * len(runs)
    facts = [_facts(run, plan) for run, plan in zip(runs, plan_list, strict=True)]
    together = facts[0] if len(facts) == 1 else {"runs": facts}
    write_table(path, rows, {"columns": list(rows.columns), **together})


def write_table(
    path: Path, table: pd.DataFrame, facts: Mapping[str, Any], digits: int = 10
) -> None:
    """Write ``table`` as CSV and beside it its provenance as JSON: ``facts``, checksum, code and
    versions."""
    text = table.to_csv(index=False, float_format=f"%.{digits}g", lineterminator="\n")
    write_whole(path, text)
    provenance = {
        **facts,
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "code": code_hash(),
        "python": platform.python_version(),
        "versions": versions(),
    }
    write_whole(path.with_suffix(".json"), json.dumps(provenance, indent=2) + "\n")


def _facts(run: Run, plan: RunPlan | None) -> dict[str, Any]:
    """What a run is made of."""
    facts = {
        "id": run.id,
        "agent": run.agent,
        "counter": run.counter,
        "calibration": run.calibration,
        "epsilon": repr(run.epsilon),
        "delta": run.delta,
        "planned": run.planned,
        "last": int(run.episodes[-1]),
        "replicates": int(run.regret.shape[0]),
        "seed": run.seed,
        "environment": environment_hash(run.id) if run.id in suite.ids() else None,
    }
    return facts if plan is None else {**facts, "fields": fields_of(plan.build_agent())}
