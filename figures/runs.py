"""Tables of long runs: many plans in one CSV, columns as in ``privrl.run.sweep.COLUMNS``, read back as runs."""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from figures import profiles
from privrl.environments import suite
from privrl.run import sweep
from privrl.run.engines import Engine
from privrl.run.progress import Progress
from privrl.run.sweep import Plan
from privrl.types import Run, require

TABLES = Path(__file__).resolve().parent / "data" / "runs"
FORMAT = "%.10g"
_ONE_RUN = ["id", "agent", "counter", "calibration", "epsilon", "delta", "planned"]


def write(runs: Sequence[Run], path: Path) -> None:
    """All runs below one another, regret to ten significant digits; no noise is ``epsilon`` inf.

    Beside the table stands its provenance (NAME.json): the settings and seeds, the hashes of code and environments, the
    versions, and the checksum of the table.
    """
    table = pd.concat([sweep.table(run) for run in runs], ignore_index=True)
    known = [run for run in runs if run.id in suite.ids()]
    facts = {"runs": [{**{name: str(getattr(run, name)) for name in _ONE_RUN}, "last": int(run.episodes[-1]),
                       "replicates": int(run.regret.shape[0]), "seed": run.seed} for run in runs],
             "environments": {run.id: sweep.environment_hash(run.id) for run in known}}
    sweep.write_table(path, table, facts)


def checksum(path: Path) -> str:
    """SHA-256 of a table's bytes: no number of a table can change unseen."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read(name: str, folder: Path = TABLES) -> tuple[Run, ...]:
    """The runs of ``folder/name.csv``, or of the committed table where the folder has none; in the file's order.

    The seed is not a column: it is given as 0.

    Raises
    ------
    ValueError
        Other columns, or replicates of one run with different checkpoints.
    """
    path = folder / f"{name}.csv"
    table = pd.read_csv(path if path.exists() else TABLES / f"{name}.csv")
    require(tuple(table.columns) == sweep.COLUMNS, f"columns must be {', '.join(sweep.COLUMNS)}",
            columns=list(table.columns))
    made = []
    for key, rows in table.groupby(_ONE_RUN, sort=False):
        grid = rows.pivot_table(index="replicate", columns="episode", values="regret")
        require(bool(np.isfinite(grid.to_numpy()).all()), "replicates of a run must share their checkpoints", run=key)
        kind = dict(zip(_ONE_RUN, key, strict=True))
        made.append(Run(kind["id"], kind["agent"], kind["counter"], kind["calibration"], float(kind["epsilon"]),
                        float(kind["delta"]), int(kind["planned"]), 0, grid.columns.to_numpy(), grid.to_numpy()))
    return tuple(made)


def recompute(plans: Sequence[Plan], path: Path, jobs: int = 1) -> None:
    """Run every plan and write the table; finished replicates are kept beside it, so that it can be interrupted.

    How much of every plan is run is the profile's to say, see :mod:`figures.profiles`.
    """
    chosen = [profiles.current().cut(plan) for plan in plans]
    progress = Progress(path.stem)
    write(sweep.run_all(chosen, path.parent / "replicates", Engine(jobs=jobs), finished=progress), path)


def maker(name: str, plans: Sequence[Plan]) -> Callable[[Path, int], None]:
    """The ``recompute(folder, jobs)`` of the figure whose table ``folder/name.csv`` these plans make; resumable."""
    return lambda folder, jobs: recompute(plans, folder / f"{name}.csv", jobs)
