"""When an agent has learnt: regret per episode over that of play without an agent, window by
window, with burn-ins."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from figures.kinds.lines import Axes, Look, draw_levels, draw_lines
from figures.kinds.tables import Tables, frame, growing_ratio, numbers
from privrl.environments import planning
from privrl.run import measure
from privrl.types import Run, TabularMDP


def tables(runs: Iterable[Run], mdp: TabularMDP, names: str) -> Tables:
    """``windows``: ratio to uniform play in the last fifth of what has been played; ``burn_in``:
    users before it has learnt."""
    runs, uniform = tuple(runs), planning.uniform_regret(mdp)
    marks = [(*(getattr(run, name) for name in names.split()), *numbers(run)) for run in runs]
    return {
        "windows": pd.concat(
            [growing_ratio(run, uniform, names) for run in runs], ignore_index=True
        ),
        "burn_in": frame(marks, f"{names} burn_in least most never"),
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
    """Ratios with their bands, grey ``levels`` by height and dash, triangles where burn-ins from
    ``first`` on begin.

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
    axes.set(xscale="log", xlim=(first, last), ylim=(0, 1.3), yticks=[0, 0.25, 0.5, 0.75, 1])
