"""Lines of tables with and without their bands, a figure of one panel, the legend below all panels."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from figures import style

__all__ = ["Axes", "Figure", "draw_curve", "draw_line", "draw_lines", "legend_below", "single"]


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


def draw_lines(axes: Axes, table: pd.DataFrame, key: str, x: str, y: str, looks: Mapping[Any, tuple[str, Any, str]],
               **options: Any) -> None:
    """Column ``y`` over column ``x``, a line for each value of ``key`` in ``looks``: colour, dash, label."""
    for name, (colour, dash, label) in looks.items():
        draw_line(axes, table[table[key] == name], x, y, colour, dash, label, **options)
