"""Tables of long runs: many plans in one CSV, read back as runs.

A table is wide: a row per replicate, with what ran (``LABELS``) and its regret at the checkpoints,
a column each. So 32 replicates take hundreds of kilobytes.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from figures import profiles
from privrl.checks import require
from privrl.environments import suite
from privrl.run import simulate, sweep
from privrl.run.engines import Engine
from privrl.run.progress import Progress
from privrl.run.sweep import RunPlan
from privrl.types import Run

TABLES = Path(__file__).resolve().parent / "data" / "runs"
_ONE_RUN = ["id", "agent", "counter", "calibration", "epsilon", "delta", "planned"]
LABELS = (*_ONE_RUN, "replicate")


def table(
    name: str, columns: Sequence[str] = (), folder: Path = TABLES, **options: Any
) -> pd.DataFrame:
    """The table ``folder/name.csv``, or the committed one where the folder has none; ``options``
    are ``read_csv``'s.

    What a shorter profile has made is a part of the committed table: while one is in force, that is
    read.

    Raises
    ------
    ValueError
        Columns that do not begin with ``columns``.
    """
    path = folder / f"{name}.csv"
    complete = profiles.current().episodes is None
    table_ = pd.read_csv(path if complete and path.exists() else TABLES / path.name, **options)
    require(
        list(table_.columns[: len(columns)]) == list(columns),
        f"columns must begin with {', '.join(columns)}",
        columns=list(table_.columns),
    )
    return table_


def wide(labelled: Sequence[tuple[Mapping[str, Any], Run]]) -> pd.DataFrame:
    """A row per replicate: its labels, then its regret at the checkpoints of all runs, increasing;
    empty where a run has none."""
    parts = []
    for labels, run in labelled:
        marks = [str(mark) for mark in run.episodes]
        label = pd.DataFrame({**labels, "replicate": np.arange(run.regret.shape[0])})
        parts.append(pd.concat([label, pd.DataFrame(run.regret, columns=marks)], axis=1))
    together = pd.concat(parts, ignore_index=True)
    names = [name for name in together.columns if not name.isdigit()]
    return together[[*names, *sorted(set(together.columns) - set(names), key=int)]]


def write(runs: Sequence[Run], path: Path) -> None:
    """All runs below one another, regret to ten significant digits; no noise is ``epsilon`` inf.
    Of the checkpoints of a sweep those of ``simulate.checkpoints`` are kept.

    Beside the table stands its provenance (NAME.json): the settings and seeds, the hashes of code
    and environments, the versions, and the checksum of the table.
    """
    runs = [_sparse(run) for run in runs]
    known = [run for run in runs if run.id in suite.ids()]
    facts = {
        "runs": [
            {
                **{name: str(getattr(run, name)) for name in _ONE_RUN},
                "last": int(run.episodes[-1]),
                "replicates": int(run.regret.shape[0]),
                "seed": run.seed,
            }
            for run in runs
        ],
        "environments": {run.id: sweep.environment_hash(run.id) for run in known},
    }
    labelled = [({name: getattr(run, name) for name in _ONE_RUN}, run) for run in runs]
    sweep.write_table(path, wide(labelled), facts)


def _sparse(run: Run) -> Run:
    mask = np.isin(run.episodes, simulate.checkpoints(run.planned))
    return dataclasses.replace(run, episodes=run.episodes[mask], regret=run.regret[:, mask])


def read(name: str, folder: Path = TABLES) -> tuple[Run, ...]:
    """The runs of :func:`table`, in the file's order. The seed is not a column: it is given as 0.

    Raises
    ------
    ValueError
        Other columns, or replicates of one run with different checkpoints.
    """
    runs = []
    for key, rows in table(name, LABELS, folder).groupby(_ONE_RUN, sort=False):
        marks = [mark for mark in rows.columns[len(LABELS) :] if rows[mark].notna().any()]
        grid = rows[marks].to_numpy(dtype=np.float64)
        require(
            bool(np.isfinite(grid).all()),
            "replicates of a run must share their checkpoints",
            run=key,
        )
        kind = dict(zip(_ONE_RUN, key, strict=True))
        runs.append(
            Run(
                kind["id"],
                kind["agent"],
                kind["counter"],
                kind["calibration"],
                float(kind["epsilon"]),
                float(kind["delta"]),
                int(kind["planned"]),
                0,
                np.array(marks, dtype=np.int64),
                grid,
            )
        )
    return tuple(runs)


def recompute(plans: Sequence[RunPlan], path: Path, jobs: int = 1) -> None:
    """Run every plan and write the table; finished replicates are kept beside it, so that it can be
    interrupted.

    How much of every plan is run is the profile's to say, see :mod:`figures.profiles`.
    """
    chosen = [profiles.current().cut(plan) for plan in plans]
    progress = Progress(path.stem)
    write(
        sweep.run_all(chosen, path.parent / "replicates", Engine(jobs=jobs), finished=progress),
        path,
    )
