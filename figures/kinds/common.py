"""What every figure's module needs: its types, where its tables stand, and the shapes that many figures share.

Tables: rows under column names, rows that are chosen by values, curves of runs with their bands. Drawings: a line of a
table, the same with its band, and the legend below all panels.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from figures import style
from figures.runs import TABLES
from privrl.environments import planning
from privrl.run import learning
from privrl.types import Run, TabularMDP

__all__ = ["TABLES", "Axes", "Figure", "Path", "Tables", "curve", "draw_curve", "draw_line", "frame", "growing_ratio",
           "legend_below", "marks", "numbers", "single", "where", "without_agent"]
Tables = dict[str, pd.DataFrame]


def frame(rows: Any, columns: str) -> pd.DataFrame:
    """A table of tuples under the column names in ``columns``, which spaces part."""
    return pd.DataFrame(rows, columns=columns.split())


def where(table: pd.DataFrame, /, **values: Any) -> pd.DataFrame:
    """The rows of ``table`` that have these values in the columns of these names."""
    return table[np.logical_and.reduce([table[name] == value for name, value in values.items()])]


def marks(decades: float) -> Any:
    """Ten checkpoints a decade, from 1 to ``10**decades``."""
    return np.array(sorted({round(10 ** (k / 10)) for k in range(round(10 * decades) + 1)}))


def curve(run: Run, kept: Any, names: str, **more: Any) -> pd.DataFrame:
    """Mean regret and band of a run at the checkpoints ``kept``, a mask; before them ``more`` and ``names``."""
    band = style.band(run.regret)
    return pd.DataFrame({**more, **{name: getattr(run, name) for name in names.split()}, "episodes": run.episodes[kept],
                         "regret": band.mean[kept], "low": band.low[kept], "high": band.high[kept]})


def growing_ratio(run: Run, unit: float, names: str) -> pd.DataFrame:
    """Regret per episode over ``unit``, per growing window, after the run's own ``names``."""
    made = learning.windows(run.episodes, run.regret, run.planned, growing=True)
    mean, low, high = learning.interval(made.regret / unit)
    return pd.DataFrame({**{name: getattr(run, name) for name in names.split()}, "start": made.starts,
                         "end": made.ends, "ratio": mean, "low": low, "high": high})


def numbers(burn: learning.BurnIn) -> tuple[float, float, float]:
    """Burn-in by the upper end of the interval, by the mean, by the lower end; infinity where it is not reached."""
    first, central, earliest = (np.inf if value is None else float(value)
                                for value in (burn.episode, burn.central, burn.earliest))
    return first, central, earliest


def without_agent(mdp: TabularMDP) -> dict[str, float]:
    """Regret of an episode of uniform play and of the best constant action."""
    optimum = float(mdp.initial @ planning.optimal(mdp)[0][0])
    return {"uniform": learning.uniform_regret(mdp), "constant": optimum - planning.best_constant_action(mdp)[1]}


# --- drawing ----------------------------------------------------------------------------------------------------------


def single(height: float) -> tuple[Figure, Axes]:
    """An empty figure of one panel."""
    figure, grid = style.figure(height)
    return figure, grid[0, 0]


def draw_line(axes: Axes, rows: pd.DataFrame, x: str, y: str, colour: str, dash: Any = "-", label: str | None = None,
         **options: Any) -> None:
    """Column ``y`` over column ``x``."""
    axes.plot(rows[x], rows[y], color=colour, linestyle=dash, label=label, **options)


def draw_curve(axes: Axes, rows: pd.DataFrame, x: str, y: str, colour: str, dash: Any = "-",
                   label: str | None = None, *, unit: Any = None, **options: Any) -> None:
    """Column ``y`` over column ``x``, and the band between ``low`` and ``high``, all three over ``unit``."""
    middle, low, high = (rows[name] if unit is None else rows[name] / unit for name in (y, "low", "high"))
    axes.plot(rows[x], middle, color=colour, linestyle=dash, label=label, **options)
    style.draw_band(axes, rows[x], low, high, colour)


def legend_below(figure: Figure, axes: Axes, columns: int, **options: Any) -> Figure:
    """The figure, with the legend of these axes below all panels."""
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=columns, **options)
    return figure
