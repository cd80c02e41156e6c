"""When an agent has learnt: regret per episode over that of play without an agent, window by
window, with burn-ins."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from figures import learnt
from figures.kinds.lines import Axes, Look, draw_levels, draw_lines
from figures.kinds.tables import TABLES, Path, Tables, frame, growing_ratio, pick
from privrl.environments import planning
from privrl.run import measure
from privrl.types import Run, TabularMDP


def tables(runs: Iterable[Run], mdp: TabularMDP, names: str, folder: Path = TABLES) -> Tables:
    """``windows``: ratio to uniform play in the last fifth of what has been played; ``burn_in``:
    users before it has learnt (:mod:`figures.learnt`)."""
    runs, uniform = tuple(runs), planning.uniform_regret(mdp)
    marks = [
        (*(getattr(run, name) for name in names.split()), *learnt.numbers(run, folder))
        for run in runs
    ]
    return {
        "windows": pd.concat(
            [growing_ratio(run, uniform, names) for run in runs], ignore_index=True
        ),
        "burn_in": frame(marks, f"{names} {learnt.COLUMNS}"),
    }


def draw(
    axes: Axes,
    tables: Tables,
    levels: Mapping[float, Any],
    names: str,
    looks: Mapping[Any, Look],
    first: int,
    last: int,
) -> None:
    """Ratios with their bands, grey ``levels`` by height and dash, triangles at burn-ins from
    ``first`` on and bars over their intervals.

    ``names`` and ``looks`` as the keys and looks of :func:`figures.kinds.lines.draw_lines`.
    """
    draw_levels(
        axes,
        [(level, dash, None) for level, dash in {measure.SHARE: (0, (3, 2)), **levels}.items()],
        linewidth=0.8,
        zorder=1,
    )
    windows = tables["windows"]
    draw_lines(axes, windows, names, "user", "ratio", looks, band=True)
    growing = tables["burn_in"]
    reached = growing[np.isfinite(growing["burn_in"]) & (growing["burn_in"] >= first)]
    draw_lines(
        axes,
        reached.assign(share=measure.SHARE),
        names,
        "burn_in",
        "share",
        {key: (colour, "none", None) for key, (colour, *_) in looks.items()},
        marker="v",
        markersize=5,
        zorder=4,
    )
    draw_intervals(axes, growing, names, {key: colour for key, (colour, *_) in looks.items()})
    axes.set(xscale="log", xlim=(first, last), ylim=(0, 1.3), yticks=[0, 0.25, 0.5, 0.75, 1])


def draw_intervals(axes: Axes, rows: pd.DataFrame, names: str, colours: Mapping[Any, str]) -> None:
    """The 95 % intervals of burn-ins that were reached, at the height of the level."""
    for key, colour in colours.items():
        for row in pick(rows, names, key).itertuples():
            if np.isfinite(row.burn_in) and np.isfinite(row.burn_in_high):
                axes.plot(
                    [row.burn_in_low, row.burn_in_high],
                    [measure.SHARE] * 2,
                    color=colour,
                    linewidth=2.4,
                    solid_capstyle="butt",
                    zorder=3,
                )
