"""``privrl plot``: the regret of stored runs against play without an agent."""

from pathlib import Path

import click

MOST_COLOURS = 10  # colours that are told apart
SETTING = (
    "agent",
    "counter",
    "calibration",
    "epsilon",
    "delta",
    "planned",
    "beta",
    "constant",
    "stop_after",
    "every",
)


@click.command(epilog="Example: privrl plot out/vietri2020/riverswim-3-relabelled.csv")
@click.argument(
    "table", metavar="TABLE.csv", type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The picture, .png, .pdf or .svg. Default: TABLE.png beside the table.",
)
def plot(table: Path, out: Path | None) -> None:
    """Draw a table that `privrl run` wrote: regret against uniform play, the best constant action,
    the trivial bound.

    A line is the mean over seeds and replicates, its band their range.
    """
    import pandas as pd

    from figures import yours
    from privrl.checks import require
    from privrl.paths import regular
    from privrl.run import grids, sweep
    from privrl.types import Run

    try:
        rows = pd.read_csv(regular(table))
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError):
        rows = pd.DataFrame()
    missing = [name for name in sweep.COLUMNS if name not in rows]
    require(
        not missing and len(rows) > 0,
        "the table must be one that `privrl run` wrote",
        table=table.name,
    )
    for name in sweep.COLUMNS:
        column, text = rows[name], name in grids.TEXT_COLUMNS
        fits = (
            column.map(lambda cell: isinstance(cell, str)).all()
            if text
            else pd.api.types.is_numeric_dtype(column) and column.notna().all()
        )
        require(
            bool(fits),
            f"every {name} of a table must be {'text' if text else 'a number'}",
            table=table.name,
        )
    ids = list(rows["id"].unique())
    require(len(ids) == 1, "a table must have runs of one environment to be drawn", ids=ids)
    kinds = [name for name in SETTING if name in rows]
    curves, varying = {}, [name for name in kinds if rows[name].nunique(dropna=False) > 1]
    for key, same in rows.groupby(kinds, sort=False, dropna=False):
        kind = dict(zip(kinds, key, strict=True))
        grid = same.pivot_table(
            index=[name for name in ("seed", "replicate") if name in same],
            columns="episode",
            values="regret",
        ).dropna(axis=1)
        label = ", ".join(
            [kind["agent"], *(f"{name} {kind[name]}" for name in varying if name != "agent")]
        )
        curves[label.replace("$", r"\$")] = Run(  # a dollar is one, and no formula's beginning
            ids[0],
            kind["agent"],
            kind["counter"],
            kind["calibration"],
            float(kind["epsilon"]),
            float(kind["delta"]),
            int(kind["planned"]),
            0,
            grid.columns.to_numpy(),
            grid.to_numpy(),
        )
    require(
        len(curves) <= MOST_COLOURS,
        f"a table must have at most {MOST_COLOURS} settings to be drawn",
        settings=len(curves),
    )
    figure, _ = yours.between(curves, {}, trivial(ids[0]))
    path = out or table.with_suffix(".png")
    figure.savefig(path, bbox_inches="tight")
    click.echo(str(path))


def trivial(identifier: str) -> float:
    """The regret of an episode that no policy exceeds."""
    import numpy as np

    from privrl.environments import suite
    from privrl.environments.lq import LQSystem
    from theory.papers.chowdhury2021 import bounds

    environment = suite.environment(identifier)
    if not isinstance(environment, LQSystem):
        tables = suite.tabular(identifier)
        return float(tables.horizon * tables.rewards.max())
    costs = float(np.linalg.norm(environment.Q, 2)), float(np.linalg.norm(environment.R, 2))
    return bounds.trivial_regret(
        bounds.Problem(
            environment.states,
            environment.controls,
            environment.horizon,
            environment.gamma,
            *costs,
            environment.c_w,
        ),
        1,
    )
