"""Run entries of the suite: replicates in parallel, each stored as it finishes, collected into one table."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from privrl import _cache, simulate, suite
from privrl.agents.pucb import PUCB
from privrl.agents.ubev import UBEV
from privrl.simulate import Agent
from privrl.store import Store
from privrl.types import FloatArray, Run, choice, count, require

COLUMNS = ("id", "agent", "counter", "calibration", "epsilon", "delta", "planned", "episode", "replicate", "regret")
AGENTS = ("pucb", "ubev")
Finished = Callable[[int, int], None]


@dataclass(frozen=True)
class Plan:
    """What to run: an entry of the suite and one setting of every axis (None: the entry's own)."""

    id: str
    agent: str = "pucb"
    counter: str = "tree"
    calibration: str = "printed"
    epsilon: float | None = None
    delta: float = 0.0
    beta: float | None = None
    episodes: int | None = None
    stop_after: int | None = None
    replicates: int = 1
    seed: int = 0

    def made(self) -> Agent:
        """The agent, its parameters checked."""
        entry = suite.entry(self.id)
        choice("agent", self.agent, entry.agents)
        beta = entry.beta if self.beta is None else self.beta
        if self.agent == "ubev":
            return UBEV(beta)
        epsilon = entry.epsilon if self.epsilon is None else self.epsilon
        return PUCB(math.inf if self.counter == "none" else epsilon, self.delta, beta, self.counter, self.calibration)

    @property
    def planned(self) -> int:
        """Planned number of episodes, checked."""
        return count("episodes", suite.entry(self.id).episodes if self.episodes is None else self.episodes)

    @property
    def last(self) -> int:
        """Episodes that are really played, checked."""
        last = self.planned if self.stop_after is None else count("stop_after", self.stop_after)
        require(last <= self.planned, "stop_after must be <= episodes", stop_after=last, episodes=self.planned)
        return last

    def settings(self, replicate: int) -> dict[str, Any]:
        """All that a replicate's numbers depend on, the code included."""
        agent = self.made()
        return {
            "id": self.id, "agent": agent.name, "counter": agent.counter, "calibration": agent.calibration,
            "epsilon": repr(agent.epsilon), "delta": repr(agent.delta), "beta": repr(getattr(agent, "beta", None)),
            "planned": self.planned, "stop_after": self.last, "seed": count("seed", self.seed, 0),
            "replicate": replicate, "code": code_hash(),
        }


def code_hash() -> str:
    """Hash of the sources of this package (16 hex digits)."""
    return _cache.source_hash()


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
    agent, total = plan.made(), count("replicates", plan.replicates)
    marks = simulate.checkpoints(plan.planned)
    marks = marks[marks <= plan.last]
    store = Store(folder, warn)
    rows: dict[int, FloatArray] = {}
    for index in range(total):
        stored = store.load(plan.settings(index))
        if stored is not None and stored.size == marks.size:
            rows[index] = stored
    missing = [index for index in range(total) if index not in rows]
    workers = min(count("jobs", jobs), max(len(missing), 1))
    results = Parallel(n_jobs=workers, return_as="generator")(delayed(_one)(plan, index, folder) for index in missing)
    for index, regret in zip(missing, results, strict=True):
        rows[index] = regret
        if finished is not None:
            finished(len(rows), total)
    return Run(plan.id, agent.name, agent.counter, agent.calibration, agent.epsilon, agent.delta, plan.planned,
               plan.seed, marks, np.stack([rows[index] for index in range(total)]))


def table(result: Run) -> pd.DataFrame:
    """One row per replicate and checkpoint, columns as in ``COLUMNS``."""
    replicates, marks = result.regret.shape
    return pd.DataFrame({
        "id": result.id, "agent": result.agent, "counter": result.counter, "calibration": result.calibration,
        "epsilon": result.epsilon, "delta": result.delta, "planned": result.planned,
        "episode": np.tile(result.episodes, replicates), "replicate": np.repeat(np.arange(replicates), marks),
        "regret": result.regret.ravel(),
    }, columns=list(COLUMNS))


def write(result: Run, path: Path) -> None:
    """Write the table as CSV (regret to ten significant digits) and its provenance as JSON beside it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    table(result).to_csv(path, index=False, float_format="%.10g", lineterminator="\n")
    provenance = {
        "columns": list(COLUMNS), "id": result.id, "agent": result.agent, "counter": result.counter,
        "calibration": result.calibration, "epsilon": repr(result.epsilon), "delta": result.delta,
        "planned": result.planned, "replicates": int(result.regret.shape[0]), "seed": result.seed,
        "code": code_hash(), "python": platform.python_version(),
        "versions": {name: metadata.version(name) for name in ("numpy", "numba", "scipy")},
    }
    path.with_suffix(".json").write_text(json.dumps(provenance, indent=2) + "\n", encoding="utf-8")
