"""When an agent has learnt: regret per episode over that of play without an agent, window by window, with burn-ins."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from figures import style
from figures.kinds.lines import Axes, draw_curve
from figures.kinds.tables import Tables, frame, growing_ratio, numbers, where
from privrl.run import learning
from privrl.types import Run, TabularMDP

Shown = tuple[dict[str, Any], str, Any, str]  # values of the tables' columns, colour, dash, label


def tables(found: Iterable[Run], mdp: TabularMDP, names: str) -> Tables:
    """``windows``: ratio to uniform play per growing window; ``burn_in``: by growing and by fixed windows."""
    found, uniform = tuple(found), learning.uniform_regret(mdp)
    marks = [(*(getattr(run, name) for name in names.split()), kind,
              *numbers(learning.burn_in(run, mdp, growing=kind == "growing")))
             for kind in ("growing", "fixed") for run in found]
    return {"windows": pd.concat([growing_ratio(run, uniform, names) for run in found], ignore_index=True),
            "burn_in": frame(marks, f"{names} window burn_in central earliest")}


def draw(axes: Axes, tables: Tables, levels: Mapping[float, Any], shown: Sequence[Shown], first: int,
         last: int) -> None:
    """Ratios with their bands, grey ``levels`` by height and dash, triangles where burn-ins from ``first`` on begin."""
    for level, dash in {learning.SHARE: (0, (3, 2)), **levels}.items():
        axes.axhline(level, color=style.GREY, linewidth=0.8, linestyle=dash, zorder=1)
    growing = where(tables["burn_in"], window="growing")
    for values, colour, dash, label in shown:
        rows, marks = (where(table, **values) for table in (tables["windows"], growing))
        draw_curve(axes, rows[rows["start"] > 0], "start", "ratio", colour, dash, label)
        reached = marks[np.isfinite(marks["burn_in"]) & (marks["burn_in"] >= first)]
        axes.plot(reached["burn_in"], np.full(len(reached), learning.SHARE), "v", color=colour, markersize=5, zorder=4)
    axes.set(xscale="log", xlim=(first, last), ylim=(0, 1.3), yticks=[0, 0.25, 0.5, 0.75, 1])
