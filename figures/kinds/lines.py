"""Lines of tables with and without their bands, marks with their intervals, panels, the legend
below all panels."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure, FigureBase
from matplotlib.lines import Line2D

from figures import style
from figures.kinds.tables import Tables, pick

__all__ = [
    "Axes",
    "Figure",
    "Look",
    "draw_bounds",
    "draw_curve",
    "draw_levels",
    "draw_line",
    "draw_lines",
    "draw_marks",
    "draw_vacuous",
    "legend_below",
    "name_lines",
    "named_rows",
    "note",
    "outer_labels",
    "panels",
    "proxy",
    "single",
]
Look = tuple[str, Any, str | None]  # colour, dash, label
AnyFigure = TypeVar("AnyFigure", bound=FigureBase)


def single(height: float) -> tuple[Figure, Axes]:
    """An empty figure of one panel."""
    figure, grid = style.figure(height)
    return figure, grid[0, 0]


def draw_line(
    axes: Axes,
    rows: pd.DataFrame,
    x: str,
    y: str,
    colour: str,
    dash: Any = "-",
    label: str | None = None,
    **options: Any,
) -> None:
    """Column ``y`` over column ``x``."""
    axes.plot(rows[x], rows[y], color=colour, linestyle=dash, label=label, **options)


def draw_curve(
    axes: Axes,
    rows: pd.DataFrame,
    x: str,
    y: str,
    colour: str,
    dash: Any = "-",
    label: str | None = None,
    *,
    unit: Any = None,
    **options: Any,
) -> None:
    """Column ``y`` over column ``x``, and the band between ``low`` and ``high``, all three over
    ``unit``."""
    middle, low, high = (
        rows[name] if unit is None else rows[name] / unit for name in (y, "low", "high")
    )
    axes.plot(rows[x], middle, color=colour, linestyle=dash, label=label, **options)
    style.draw_band(axes, rows[x], low, high, colour)


def legend_below(
    figure: AnyFigure,
    axes: Axes | Sequence[Axes],
    columns: int,
    order: Iterable[str] = (),
    **options: Any,
) -> AnyFigure:
    """The figure, with the legend of these axes below all panels; each label once, in ``order``
    where there is one."""
    handles = {
        label: handle
        for axis in ([axes] if isinstance(axes, Axes) else axes)
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)
    }
    labels = [label for label in order or handles if label in handles]
    figure.legend(
        [handles[label] for label in labels],
        labels,
        loc="outside lower center",
        ncols=columns,
        **options,
    )
    return figure


def outer_labels(grid: Any, xlabel: str, ylabel: str = "") -> None:
    """Label the left panels of every row and the lowest of every column; an empty ``ylabel``
    changes none."""
    for axes in grid[-1]:
        axes.set_xlabel(xlabel)
    for axes in grid[:, 0] if ylabel else ():
        axes.set_ylabel(ylabel)


def proxy(axes: Axes, label: str, **look: Any) -> None:
    """An entry of the legend that is drawn nowhere."""
    axes.plot([], [], label=label, **{"color": style.COLOURS["base"], "linestyle": "none", **look})


def draw_lines(
    axes: Axes,
    table: pd.DataFrame,
    keys: str,
    x: str,
    y: str,
    looks: Mapping[Any, Look],
    *,
    band: bool = False,
    **options: Any,
) -> None:
    """A :func:`draw_line`, or with its band a :func:`draw_curve`, for all rows that have a key of
    ``looks``.

    ``keys`` are names of columns, which spaces part; a key has the value of each, of one column the
    value alone.
    """
    for key, look in looks.items():
        (draw_curve if band else draw_line)(axes, pick(table, keys, key), x, y, *look, **options)


def draw_levels(
    axes: Axes, levels: Iterable[tuple[float, Any, str | None]], **options: Any
) -> None:
    """Grey horizontal lines: height, dash, label."""
    for height, dash, label in levels:
        axes.axhline(
            height, linestyle=dash, label=label, **{"color": style.GREY, "linewidth": 1, **options}
        )


def named_rows(axes: Axes, names: Sequence[str], **options: Any) -> None:
    """Names of rows at 0, 1, .. from above."""
    axes.set_yticks(range(len(names)), names, **options)
    axes.invert_yaxis()


def note(axes: Axes, x: float, y: float, text: str, **options: Any) -> None:
    """Small text whose upper left corner is at this share of the panel's width and height."""
    axes.text(x, y, text, transform=axes.transAxes, **{"va": "top", "fontsize": 7, **options})


def draw_marks(
    axes: Axes,
    x: Any,
    rows: pd.DataFrame,
    y: str,
    colour: str,
    low: str = "low",
    high: str = "high",
    **options: Any,
) -> None:
    """Column ``y`` over ``x``, with bars from column ``low`` to column ``high``; ``high`` may be
    ``y`` itself."""
    spread = np.maximum(np.array([rows[y] - rows[low], rows[high] - rows[y]]), 0.0)
    axes.errorbar(
        x, rows[y], yerr=spread, color=colour, **{"fmt": "o", "elinewidth": 0.9, **options}
    )


def name_lines(
    axes: Axes | Sequence[Axes], names: Mapping[str, tuple[float, float]], **options: Any
) -> None:
    """Write labels beside their lines instead of in the legend.

    Parameters
    ----------
    axes : panels; the words stand in the first of them that has the line
    names : by label, the abscissa of the words' middle and their distance from the line in points
    """
    named: set[str] = set()
    for panel in [axes] if isinstance(axes, Axes) else axes:
        for line in panel.lines:
            label = str(line.get_label())
            if label not in names:
                continue
            line.set_label("_named")
            if label not in named:
                named.add(label)
                _name_line(panel, line, label, *names[label], **options)


def _name_line(
    axes: Axes, line: Line2D, label: str, x: float, above: float, **options: Any
) -> None:
    along, heights = (np.asarray(line.get_data(orig=False)[side]) for side in (0, 1))
    if np.unique(heights).size > 1:
        if axes.get_xscale() == "log":
            along, x_along = np.log(along), np.log(x)
        else:
            x_along = x
        log = axes.get_yscale() == "log"
        y = float(np.interp(x_along, along, np.log(heights) if log else heights))
        y = float(np.exp(y)) if log else y
    else:
        y = float(heights[0])
    axes.annotate(
        label,
        (x, y),
        (0, above),
        textcoords="offset points",
        **{
            "ha": "center",
            "va": "bottom" if above >= 0 else "top",
            "fontsize": 7,
            "color": line.get_color(),
            "zorder": 5,
            **options,
        },
    )


class Legend(NamedTuple):
    """The legend below the panels of a figure."""

    columns: int = 3
    of: Sequence[int] = (0,)  #: places of the panels whose labels it has
    fontsize: float | None = None
    #: labels that stand beside their lines: place of the panel, then as in :func:`name_lines`
    names: Mapping[str, tuple[int, float, float]] = MappingProxyType({})


BELOW = Legend()


def panels(
    panel: Callable[..., None],
    *,
    height: float,
    keys: Sequence[Sequence[Any]],
    ylabels: Sequence[str],
    xlabel: str = "",
    legend: Legend = BELOW,
    wrap: int = 0,
    **options: Any,
) -> Callable[[Tables], Figure]:
    """A figure's ``draw``: ``panel(tables, axes, key)`` for a row of ``keys``, or ``panel(tables,
    axes, row, column)``.

    Parameters
    ----------
    keys : those of the columns, or of the rows and of the columns
    ylabels : one for each row
    xlabel : below the middle column, or below both where there are two
    legend : the one below
    wrap : columns over which a single row of keys is laid
    """

    def draw(tables: Tables) -> Figure:
        rows, columns = (len(keys[0]) // wrap, wrap) if wrap else [1, *map(len, keys)][-2:]
        figure, grid = style.figure(
            height, rows, columns, **{"sharex": True, "sharey": True, **options}
        )
        for axes, key in zip(grid.flat, product(*keys), strict=True):
            panel(tables, axes, *key)
        for axes, label in zip(grid[:, 0], ylabels, strict=True):
            axes.set_ylabel(label)
        if xlabel:
            middle = slice(None) if columns == 2 else slice(columns // 2, columns // 2 + 1)
            for axes in grid[-1, middle]:
                axes.set_xlabel(xlabel)
        for label, (place, x, above) in legend.names.items():
            others = [axes for axes in grid.flat if axes is not grid.flat[place]]
            name_lines([grid.flat[place], *others], {label: (x, above)})
        named = [grid.flat[place] for place in legend.of]
        return legend_below(figure, named, legend.columns, fontsize=legend.fontsize)

    return draw


def draw_vacuous(axes: Axes, lines: pd.DataFrame, top: float, trivial: str) -> None:
    """Of regret over a trivial bound: shade where a bound is vacuous, up to ``top``, and play
    without an agent."""
    axes.axhspan(1, top, color=style.GREY, alpha=0.12, linewidth=0)
    level = lines.groupby("line")["regret"].first()
    draw_levels(
        axes,
        [
            (1, "-", f"{trivial}, which nothing exceeds"),
            (level["uniform"], style.LINES["uniform"], "uniform play, one action"),
            (level["constant"], style.LINES["constant"], None),
        ],
    )


def draw_bounds(
    axes: Axes,
    lines: pd.DataFrame,
    top: float,
    references: Mapping[str, tuple[Any, str | None]],
    bounds: Mapping[str, Look],
    width: float = 1.1,
) -> None:
    """What regret is held against, log-log: lines of play without an agent, lines of bounds, shade
    above ``trivial``.

    Parameters
    ----------
    lines : columns line, episodes, regret
    references, bounds : by line, in grey its dash and label, or colour, dash and label
    """
    trivial = lines[lines["line"] == "trivial"]
    axes.fill_between(
        trivial["episodes"], trivial["regret"], top, color=style.GREY, alpha=0.12, linewidth=0
    )
    grey = {name: (style.GREY, *look) for name, look in references.items()}
    draw_lines(axes, lines, "line", "episodes", "regret", grey, linewidth=1)
    draw_lines(axes, lines, "line", "episodes", "regret", bounds, linewidth=width)
    axes.set(xscale="log", yscale="log")
