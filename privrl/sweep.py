"""Run entries of the suite: replicates in parallel, each stored as it finishes, collected into one table."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import platform
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from privrl import _sources, simulate, suite
from privrl.agents import registry
from privrl.simulate import Agent
from privrl.store import Store
from privrl.types import FloatArray, Run, choice, count, instance, planned_episodes, require

COLUMNS = ("id", "agent", "counter", "calibration", "epsilon", "delta", "planned", "episode", "replicate", "regret")
LIBRARIES = ("numpy", "numba", "scipy")
Finished = Callable[[int, int], None]


@dataclass(frozen=True)
class Plan:
    """What to run: an entry of the suite and one setting of every axis (None: the entry's or the agent's own).

    Raises
    ------
    ValueError
        An unknown id, a setting out of range (also where the agent has no use for it), a combination that no
        calibration defines.
    """

    id: str
    agent: str | None = None
    counter: str | None = None
    calibration: str = "printed"
    epsilon: float | None = None
    delta: float | None = None
    beta: float | None = None
    episodes: int | None = None
    stop_after: int | None = None
    replicates: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        self.made()
        simulate.last_episode(self.planned, self.stop_after)
        count("replicates", self.replicates)
        count("seed", self.seed, 0)

    def made(self) -> Agent:
        """The agent, its parameters checked."""
        entry = suite.entry(self.id)
        return registry.make(
            self.algorithm, calibration=self.calibration,
            epsilon=entry.epsilon if self.epsilon is None else self.epsilon,
            delta=entry.delta if self.delta is None else self.delta,
            beta=entry.beta if self.beta is None else self.beta,
            counter=registry.kind(self.algorithm).counter if self.counter is None else self.counter)

    @property
    def algorithm(self) -> str:
        """Name of the agent, checked: the entry's first where none is asked for."""
        agents = suite.entry(self.id).agents
        return agents[0] if self.agent is None else choice("agent", self.agent, agents)

    @property
    def planned(self) -> int:
        """Planned number of episodes, checked."""
        return planned_episodes(suite.entry(self.id).episodes if self.episodes is None else self.episodes)

    @property
    def last(self) -> int:
        """Episodes that are really played, checked."""
        return simulate.last_episode(self.planned, self.stop_after)

    def settings(self, replicate: int) -> dict[str, Any]:
        """All that a replicate's numbers depend on, the code included."""
        agent = self.made()
        return {
            "id": self.id, "agent": agent.name, "counter": agent.counter, "calibration": agent.calibration,
            "epsilon": repr(agent.epsilon), "delta": repr(agent.delta), "beta": repr(getattr(agent, "beta", None)),
            "planned": self.planned, "stop_after": self.last, "seed": count("seed", self.seed, 0),
            "replicate": count("replicate", replicate, 0), "environment": environment_hash(self.id),
            "code": code_hash(self.algorithm), "versions": versions(),
        }


def code_hash(agent: str) -> str:
    """Hash of the sources that a replicate of this agent runs through (16 hex digits), as they were at the first call.

    The environment is not among them: its numbers are, see :func:`environment_hash`.
    """
    return _code_hash(registry.kind(agent).name)


@functools.cache
def _code_hash(agent: str) -> str:
    return _sources.source_hash(("privrl.simulate", registry.kind(agent).module))


def environment_hash(identifier: str) -> str:
    """Hash of the numbers of an entry's environment (16 hex digits)."""
    return _environment_hash(suite.entry(identifier).id)


@functools.cache
def _environment_hash(identifier: str) -> str:
    made: Any = suite.environment(identifier)
    values = [getattr(made, field.name) for field in dataclasses.fields(made) if field.name != "name"]
    numbers = [value for value in values if isinstance(value, np.ndarray)]
    others = [str(value) for value in values if not isinstance(value, np.ndarray)]
    digest = hashlib.sha256(" ".join([str(numbers[0].shape), *others]).encode())
    for part in numbers:
        digest.update(part.tobytes())
    return digest.hexdigest()[:16]


@functools.cache
def versions() -> dict[str, str]:
    """Versions of the libraries that draw and compute."""
    return {name: metadata.version(name) for name in LIBRARIES}


def _path(name: str, value: Path | str) -> Path:
    require(isinstance(value, (Path, str)) and str(value) != "", f"{name} must be a path", **{name: value})
    return Path(value)


def _one(plan: Plan, index: int, folder: Path) -> FloatArray:
    regret = simulate.replicate(suite.environment(plan.id), plan.made(), plan.planned, plan.last, plan.seed, index)
    Store(folder).save(plan.settings(index), regret)
    return regret


def run(plan: Plan, folder: Path, jobs: int = 1, finished: Finished | None = None,
        warn: Callable[[str], None] | None = None) -> Run:
    """Compute what is missing of a plan and return all of it; the result does not depend on ``jobs``.

    Parameters
    ----------
    folder : where finished replicates are kept; an interrupted run continues there
    finished : called with (replicates done, replicates in all) as they finish
    warn : told of damaged stored replicates
    """
    instance("plan", plan, Plan)
    agent, total, jobs = plan.made(), plan.replicates, count("jobs", jobs)
    folder = _path("folder", folder)
    folder.mkdir(parents=True, exist_ok=True)  # refused now, and not after the first replicate
    marks = simulate.checkpoints(plan.planned)
    marks = marks[marks <= plan.last]
    store = Store(folder, warn)
    rows: dict[int, FloatArray] = {}
    for index in range(total):
        stored = store.load(plan.settings(index))
        if stored is not None and stored.size == marks.size:
            rows[index] = stored
    missing = [index for index in range(total) if index not in rows]
    workers = min(jobs, max(len(missing), 1))
    results = Parallel(n_jobs=workers, return_as="generator")(delayed(_one)(plan, index, folder) for index in missing)
    for index, regret in zip(missing, results, strict=True):
        rows[index] = regret
        if finished is not None:
            finished(len(rows), total)
    return Run(plan.id, agent.name, agent.counter, agent.calibration, agent.epsilon, agent.delta, plan.planned,
               plan.seed, marks, np.stack([rows[index] for index in range(total)]))


def table(result: Run) -> pd.DataFrame:
    """One row per replicate and checkpoint, columns as in ``COLUMNS``."""
    instance("result", result, Run)
    replicates, marks = result.regret.shape
    return pd.DataFrame({
        "id": result.id, "agent": result.agent, "counter": result.counter, "calibration": result.calibration,
        "epsilon": result.epsilon, "delta": result.delta, "planned": result.planned,
        "episode": np.tile(result.episodes, replicates), "replicate": np.repeat(np.arange(replicates), marks),
        "regret": result.regret.ravel(),
    }, columns=list(COLUMNS))


def write(result: Run, path: Path) -> None:
    """Write the table as CSV (regret to ten significant digits) and its provenance as JSON beside it."""
    rows = table(result)
    environment = environment_hash(result.id) if result.id in suite.ids() else None
    path = _path("path", path)
    path.parent.mkdir(parents=True, exist_ok=True)
    rows.to_csv(path, index=False, float_format="%.10g", lineterminator="\n")
    provenance = {
        "columns": list(COLUMNS), "id": result.id, "agent": result.agent, "counter": result.counter,
        "calibration": result.calibration, "epsilon": repr(result.epsilon), "delta": result.delta,
        "planned": result.planned, "last": int(result.episodes[-1]), "replicates": int(result.regret.shape[0]),
        "seed": result.seed, "environment": environment, "code": code_hash(result.agent),
        "python": platform.python_version(), "versions": versions(),
    }
    path.with_suffix(".json").write_text(json.dumps(provenance, indent=2) + "\n", encoding="utf-8")
