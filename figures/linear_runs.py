"""What the figures of the linear mixture papers share: wide tables of runs, what needs no agent,
lines and bands.

A table is wide, as those of :mod:`figures.runs`, with what ran in other columns (``KEYS``) and
regret at the checkpoints that are kept.
"""

import dataclasses
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from figures import profiles, runs, style
from figures.kinds.lines import Axes, draw_levels
from figures.runs import TABLES, wide
from privrl.checks import require
from privrl.environments import planning, suite
from privrl.run import simulate, sweep
from privrl.run.engines import Engine
from privrl.run.simulate import Agent
from privrl.run.sweep import RunPlan
from privrl.types import Environment, FloatArray, Run, TabularMDP
from theory.compare import near

KEYS = (
    "id",
    "agent",
    "counter",
    "calibration",
    "epsilon",
    "delta",
    "constant",
    "planned",
    "seed",
    "replicate",
)
KIND = KEYS[:-1]


@dataclass(frozen=True, eq=False)
class Direct:
    """A run on an environment that is not in the suite; its id is the environment's name."""

    mdp: Environment
    agent: Agent
    planned: int
    replicates: int
    seed: int = 0


Source = RunPlan | Direct


def agent_of(source: Source) -> Agent:
    """The agent with its parameters."""
    return source.build_agent() if isinstance(source, RunPlan) else source.agent


def name_of(source: Source) -> str:
    """The suite's id, or the environment's name."""
    return source.id if isinstance(source, RunPlan) else source.mdp.name


def constant_of(agent: Agent) -> float:
    """c where the calibration has one, else NaN."""
    return (
        float(getattr(agent, "constant", np.nan))
        if agent.calibration in ("printed", "tuned")
        else np.nan
    )


def _hash(mdp: Environment) -> str:
    digest = hashlib.sha256()
    for array in vars(mdp).values():
        if isinstance(array, np.ndarray):
            digest.update(array.tobytes())
    return digest.hexdigest()[:16]


def recompute(
    sources: Sequence[Source], path: Path, jobs: int = 1, marks: Sequence[int] | None = None
) -> None:
    """Run everything and write the table; replicates of plans are kept beside it, so that it can be
    interrupted.

    Parameters
    ----------
    marks : checkpoints to keep; all of them by default

    A row is a whole run, so a shorter profile (see :mod:`figures.profiles`) has the runs that are
    planned for no more.
    """
    columns = _columns(sources, marks)
    short = profiles.current()
    sources = [
        dataclasses.replace(
            source, replicates=min(source.replicates, short.replicates or source.replicates)
        )
        for source in sources
        if short.has(source.planned, 0)
    ]
    if not sources:
        return
    plans = [source for source in sources if isinstance(source, RunPlan)]
    results = dict(
        zip(
            map(id, plans),
            sweep.run_all(plans, path.parent / "replicates", Engine(jobs=jobs)),
            strict=True,
        )
    )
    for source in sources:
        if isinstance(source, Direct):
            results[id(source)] = simulate.run(
                source.mdp.name,
                source.mdp,
                source.agent,
                episodes=source.planned,
                replicates=source.replicates,
                seed=source.seed,
                jobs=jobs,
            )
    write(sources, [results[id(source)] for source in sources], path, columns)


def _columns(sources: Sequence[Source], marks: Sequence[int] | None) -> list[int]:
    """The checkpoints that a table of all these runs has."""
    known: set[int] = set()
    for source in sources:
        last = source.last if isinstance(source, RunPlan) else source.planned
        known |= {int(mark) for mark in simulate.checkpoints(source.planned) if mark <= last}
    return sorted(known if marks is None else known & set(marks))


def write(
    sources: Sequence[Source], runs: Sequence[Run], path: Path, marks: Sequence[int] | None = None
) -> None:
    """The wide table and, beside it, what it was made of."""
    labelled = []
    for source, run in zip(sources, runs, strict=True):
        kept = np.isin(run.episodes, run.episodes if marks is None else list(marks))
        labels = {
            "id": run.id,
            "agent": run.agent,
            "counter": run.counter,
            "calibration": run.calibration,
            "epsilon": run.epsilon,
            "delta": run.delta,
            "constant": constant_of(agent_of(source)),
            "planned": run.planned,
            "seed": source.seed,
        }
        sparse = dataclasses.replace(run, episodes=run.episodes[kept], regret=run.regret[:, kept])
        labelled.append((labels, sparse))
    together = wide(labelled)
    if marks is not None:
        together = together.reindex(columns=[*KEYS, *map(str, marks)])
    environments = {
        name_of(source): sweep.environment_hash(source.id)
        if isinstance(source, RunPlan)
        else _hash(source.mdp)
        for source in sources
    }
    facts = {
        "environments": environments,
        "agents": sorted({repr(agent_of(source)) for source in sources}),
        "planned": sorted({run.planned for run in runs}),
        "seeds": sorted({source.seed for source in sources}),
        "replicates": sorted({int(run.regret.shape[0]) for run in runs}),
    }
    sweep.write_table(path, together, facts)


def read(name: str, folder: Path = TABLES) -> pd.DataFrame:
    """The wide table of that name, see :func:`figures.runs.table`."""
    return runs.table(name, KEYS, folder)


def read_runs(name: str, folder: Path = TABLES) -> tuple[Run, ...]:
    """All runs of a table, with a constant or without, in the file's order."""
    if "constant" in runs.table(name, (), folder, nrows=0).columns:
        return tuple(run_of(rows) for _, rows in settings(read(name, folder)))
    return runs.read(name, folder)


def regret_of(rows: pd.DataFrame) -> tuple[FloatArray, FloatArray]:
    """Checkpoints (C,) and regret (R, C) of the rows of one setting."""
    marks = [name for name in rows.columns if name not in KEYS and rows[name].notna().all()]
    return np.array(marks, dtype=np.float64), rows[marks].to_numpy(dtype=np.float64)


def run_of(rows: pd.DataFrame) -> Run:
    """The rows of one setting as a run."""
    first = rows.iloc[0]
    marks, regret = regret_of(rows)
    return Run(
        str(first["id"]),
        str(first["agent"]),
        str(first["counter"]),
        str(first["calibration"]),
        float(first["epsilon"]),
        float(first["delta"]),
        int(first["planned"]),
        int(first["seed"]),
        marks.astype(np.int64),
        regret,
    )


def settings(table: pd.DataFrame) -> list[tuple[dict[str, Any], pd.DataFrame]]:
    """(labels, rows) of every setting, in the order of the file."""
    groups = table.groupby(list(KIND), sort=False, dropna=False)
    return [(dict(zip(KIND, key, strict=True)), rows) for key, rows in groups]


def agrees(source: Source, table: pd.DataFrame, last: int, index: int = 0) -> int:
    """Play one replicate up to ``last`` again and compare it with the table; the number of
    checkpoints compared.

    Raises
    ------
    ValueError
        The table has another number, or no row for it.
    """
    agent = agent_of(source)
    mdp = source.mdp if isinstance(source, Direct) else suite.environment(source.id)
    fresh = simulate.replicate(mdp, agent, source.planned, last, source.seed, index)
    labels = {
        "id": name_of(source),
        "agent": agent.name,
        "planned": source.planned,
        "seed": source.seed,
        "replicate": index,
        **{name: getattr(agent, name) for name in ("counter", "calibration", "epsilon")},
    }
    rows = table[
        (table[[*labels]] == pd.Series(labels)).all(axis=1)
        & np.isclose(table["constant"], constant_of(agent), equal_nan=True)
    ]
    require(
        len(rows) == 1,
        "the table must have one row for a replicate",
        id=name_of(source),
        rows=len(rows),
    )
    marks = rows.iloc[0].dropna()
    pairs = [
        (mark, value)
        for mark, value in zip(
            simulate.checkpoints(source.planned)[: fresh.size].tolist(), fresh, strict=True
        )
        if str(mark) in marks
    ]
    for mark, value in pairs:
        require(
            near(float(marks[str(mark)]), float(value)),
            "a recomputed checkpoint must equal the table's",
            id=name_of(source),
            episode=mark,
        )
    return len(pairs)


def without_agent(mdp: TabularMDP) -> dict[str, float]:
    """Regret of an episode: uniform play, every constant action, the best of them, blind play, and
    H r_max.

    *Blind* play knows the rewards and nothing else: uniform but in the last step, where the reward
    alone decides. That is what an agent with known rewards does while every bonus exceeds its cap.
    """
    optimum = float(mdp.initial @ planning.optimal(mdp)[0][0])
    H, _, A = mdp.rewards.shape
    constant = {
        f"action {a}": optimum - planning.value(mdp, planning.constant_policy(mdp, a))
        for a in range(A)
    }
    return {
        "uniform": planning.uniform_regret(mdp),
        "constant": min(constant.values()),
        **constant,
        "blind": optimum - planning.value(mdp, planning.blind_policy(mdp)),
        "trivial": float(H * mdp.rewards.max()),
    }


@cache
def references(entry: str) -> dict[str, float]:
    return without_agent(suite.tabular(entry))


# by epsilon
SHADES = {
    1.0: style.PALETTE[0],
    10.0: style.PALETTE[2],
    100.0: style.PALETTE[1],
    1000.0: style.PALETTE[3],
    10_000.0: style.PALETTE[4],
    inf: style.COLOURS["base"],
}
DASHES: dict[float, Any] = {
    1.0: "-",
    10.0: (0, (6, 1)),
    100.0: (0, (4, 1.2)),
    1000.0: (0, (2.5, 1)),
    10_000.0: (0, (1.5, 1)),
    inf: (0, (5, 1.5)),
}
# of liao2021, with the labels
LOOKS = {
    epsilon: (
        SHADES[epsilon],
        DASHES[epsilon],
        f"LDP-UCRL-VTR, ε = {epsilon:g}" if epsilon < inf else "UCRL-VTR, no privacy",
    )
    for epsilon in (1.0, 10.0, 100.0, 1000.0, inf)
}
WORDS = {
    "uniform": "uniform play",
    "constant": "best constant action",
    "other": "the other constant action",
    "blind": "known rewards, nothing learnt",
    "trivial": "the largest regret there is",
}
REFERENCES: dict[str, Any] = {
    "uniform": style.LINES["uniform"],
    "constant": style.LINES["constant"],
    "other": (0, (6, 1, 1, 1, 1, 1)),
    "blind": (0, (2, 1)),
    "trivial": "-",
}


def draw_references(
    axes: Axes,
    rates: Any,
    names: Sequence[str],
    unit: float = 1.0,
    *,
    labels: bool = True,
    **options: Any,
) -> None:
    """Grey levels of play without an agent over ``unit``; of single actions as of the best constant
    one."""
    draw_levels(
        axes,
        [
            (
                rates[name] / unit,
                REFERENCES["constant" if name.startswith("action") else name],
                WORDS[name] if labels else None,
            )
            for name in names
        ],
        **options,
    )


def reference_lines(axes: Axes, ends: dict[str, float], upto: float) -> None:
    """Straight lines from 0 to the regret after ``upto`` episodes; ``other``: the worst constant
    action."""
    ends = {
        **ends,
        "other": max(
            (end for name, end in ends.items() if name.startswith("action ")), default=0.0
        ),
    }
    for name in ("uniform", "constant", "other", "blind"):
        axes.plot(
            [0, upto],
            [0, ends[name] * upto],
            color=style.COLOURS["reference"],
            linewidth=1.0,
            linestyle=REFERENCES[name],
            label=WORDS[name],
            zorder=1.6,
        )
