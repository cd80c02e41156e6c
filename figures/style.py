"""One look for all figures: colours, widths, bands, guides, and one way to print and to store
numbers.

Colour says the calibration, line style the agent, and both are the same in every figure; the
palette (seaborn's ``colorblind``) survives the common kinds of colour blindness, and lines differ
in style as well. Sizes are those of a JMLR column: 6 in wide, text of 10 pt.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple, ParamSpec, TypeVar

import matplotlib as mpl
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from privrl.checks import array, probability, require
from privrl.types import FloatArray

P = ParamSpec("P")
R = TypeVar("R")

COLUMN = 6.0  # inches
TITLE = 0.25  # inches
DPI = 200
PLACES = (("data", "csv"), ("rendered", "png"))
LEVEL = 0.95  # of the bands
RESAMPLED = 10_000  # samples of a bootstrap
DIGITS = 6  # significant digits of the data behind a figure
PALETTE: tuple[str, ...] = tuple(str(colour) for colour in sns.color_palette("colorblind").as_hex())
COLOURS: Mapping[str, str] = {
    "printed": PALETTE[0],
    "corrected": PALETTE[1],
    "tight": PALETTE[2],
    "bound": PALETTE[3],
    "other": PALETTE[4],
    "base": "#000000",  # the agent without privacy
    # what no agent is needed for: uniform play, one action, the trivial bound
    "reference": "#767676",
}
LINES: Mapping[str, Any] = {
    "pucb": "-",
    "ubev": (0, (5, 1.5)),
    "uniform": (0, (1, 1.5)),
    "constant": (0, (4, 1.5, 1, 1.5)),
    "trivial": "-",
    # bounds in every figure: as a paper states it, proved here, from below
    "bound": (0, (7, 2)),
    "proved": (0, (3, 1, 1, 1)),
    "lower": (0, (1, 1)),
}
GREY = COLOURS["reference"]
RC: Any = {
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same on every machine
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.labelsize": 9,
    "figure.titlesize": 10,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "legend.handlelength": 2.2,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.5,
    "axes.axisbelow": True,
    "lines.linewidth": 1.3,
    "lines.markersize": 4,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "xtick.minor.size": 0,
    "ytick.minor.size": 0,
    "figure.dpi": 110,
    "savefig.dpi": DPI,
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "mathtext.fontset": "dejavusans",
    "path.simplify": False,
}


def styled(function: Callable[P, R]) -> Callable[P, R]:
    """``function`` drawing in this style alone, whatever the process or the user's settings say."""

    @wraps(function)
    def inside(*args: P.args, **kwargs: P.kwargs) -> R:
        with mpl.rc_context():
            mpl.rcdefaults()
            mpl.rcParams.update(RC)
            figure_ = function(*args, **kwargs)
            if isinstance(figure_, Figure):
                _without_unseen_ticks(figure_)
            return figure_

    return inside


def _without_unseen_ticks(figure: Figure) -> None:
    """Drop minor ticks without labels: without length too, they would take a third of the time that
    a picture takes."""
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            labels = axis.get_minor_formatter().format_ticks(list(axis.get_minorticklocs()))
            if axis.get_scale() != "linear" and not any(labels):
                axis.set_minor_locator(NullLocator())


def figure(height: float, rows: int = 1, columns: int = 1, **options: Any) -> tuple[Figure, Any]:
    """An empty figure of the column's width and its axes, an array (rows, columns), without
    pyplot's registry."""
    figure_ = Figure(figsize=(COLUMN, height), layout="constrained")
    return figure_, figure_.subplots(rows, columns, squeeze=False, **options)


def entitled(figure: Figure, message: str) -> Figure:
    """The figure with what it shows as its title, and higher by the title's line where it had
    none."""
    if not figure.get_suptitle():
        figure.set_figheight(figure.get_figheight() + TITLE)
    figure.suptitle(message)
    return figure


def number(value: float, digits: int = 3) -> str:
    """A number for a reader: three significant digits, thousands set apart, powers of ten beyond a
    million.

    >>> number(18203.125), number(785_000_000), number(0.98062), number(0.1)
    ('18,200', '7.85e8', '0.981', '0.1')
    """
    if value == 0 or not math.isfinite(value):
        return f"{value:.0f}" if value == 0 else f"{value}"
    mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
    exponent = int(power)
    if -4 <= exponent < 6:
        text = f"{float(f'{mantissa}e{exponent}'):,.{max(digits - 1 - exponent, 0)}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    return f"{mantissa.rstrip('0').rstrip('.')}e{exponent}"


def tex(value: float, digits: int = 3) -> str:
    """:func:`number` as mathtext: ``$7.85\\cdot 10^{8}$``."""
    mantissa, _, power = number(value, digits).partition("e")
    if not power:
        return mantissa
    return f"$10^{{{power}}}$" if mantissa == "1" else rf"${mantissa}\cdot 10^{{{power}}}$"


class Band(NamedTuple):
    """A line (C,) with what is known of its place."""

    mean: FloatArray
    low: FloatArray
    high: FloatArray


def interval(values: Any, level: float = LEVEL) -> Band:
    """Mean over replicates of ``values`` (R, C), at least two, and the ends of its t interval."""
    from scipy.stats import t as student  # slow to import

    rows = array("values", values, (None, None))
    replicates = rows.shape[0]
    require(replicates >= 2, "an interval needs at least 2 replicates", replicates=replicates)
    mean = rows.mean(axis=0)
    quantile = float(student.ppf((1 + probability("level", level)) / 2, replicates - 1))
    half = quantile * rows.std(axis=0, ddof=1) / math.sqrt(replicates)
    return Band(mean, mean - half, mean + half)


def band(values: Any) -> Band:
    """Mean over replicates of ``values`` (R, C) and a band: the 95 % t interval, or with fewer than
    three the range."""
    rows = array("values", values, (None, None))
    return (
        interval(rows)
        if len(rows) >= 3
        else Band(rows.mean(axis=0), rows.min(axis=0), rows.max(axis=0))
    )


def spread(values: Any) -> tuple[float, float, float]:
    """:func:`band` of one number per replicate (R,): mean, low, high."""
    mean, low, high = (
        float(line[0]) for line in band(np.asarray(values, dtype=np.float64)[:, None])
    )
    return mean, low, high


def resampled(values: Any, level: float = LEVEL) -> tuple[float, float, float]:
    """Mean of one number per replicate (R,), and the percentiles of the means of ``RESAMPLED``
    samples that are drawn from them with replacement: this interval never leaves the range of the
    values, as the t interval of a few large ones does. It cannot know what none of them shows."""
    numbers = array("values", values, (None,))
    draws = np.random.default_rng(0).integers(numbers.size, size=(RESAMPLED, numbers.size))
    tail = (1 - probability("level", level)) / 2
    low, high = np.quantile(numbers[draws].mean(axis=1), (tail, 1 - tail))
    return float(numbers.mean()), float(low), float(high)


def rounded(tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """The tables with every float at six significant digits, as they are stored: what is drawn is
    what is stored.

    Twelve digits come first, so that 0.1171875 is rounded alike wherever its last bit differs.
    """
    result = {}
    for name, table in tables.items():
        copy = table.reset_index(drop=True)
        for column in copy.columns[[kind.kind == "f" for kind in copy.dtypes]]:
            copy[column] = [float(f"{float(f'{value:.12g}'):.{DIGITS}g}") for value in copy[column]]
        result[name] = copy
    return result


def csv(tables: Mapping[str, pd.DataFrame]) -> str:
    """All tables of a figure as one CSV, told apart by the column ``table``; empty where a table
    has no such column."""
    if len(tables) == 1:
        together = next(iter(tables.values()))
    else:
        integral = [
            table.astype(
                dict.fromkeys(table.columns[[kind.kind == "i" for kind in table.dtypes]], "Int64")
            )
            for table in tables.values()
        ]
        together = pd.concat(
            [table.assign(table=name) for name, table in zip(tables, integral, strict=True)]
        )
        together = together[["table", *(name for name in together.columns if name != "table")]]
    return str(together.to_csv(index=False, float_format=f"%.{DIGITS}g", lineterminator="\n"))


def markdown(head: Sequence[Any], rows: Iterable[Sequence[Any]]) -> str:
    """A table in Markdown."""
    lines = [f"| {' | '.join(map(str, row))} |\n" for row in (head, *rows)]
    return "".join((lines[0], "| --- " * len(head), "|\n", *lines[1:]))


def guide(axes: Axes, power: float, start: tuple[float, float], end: float, label: str) -> None:
    """A thin line of slope ``power`` on log-log axes from ``start`` to the abscissa ``end``, named
    at its end."""
    x, y = start
    top = y * (end / x) ** power
    axes.plot(
        [x, end],
        [y, top],
        color=COLOURS["reference"],
        linewidth=0.8,
        linestyle=(0, (2, 2)),
        zorder=1.5,
    )
    axes.annotate(
        label,
        (end, top),
        (2, 0),
        textcoords="offset points",
        fontsize=7,
        va="center",
        color=COLOURS["reference"],
    )


def draw_band(axes: Axes, x: Any, low: Any, high: Any, colour: str) -> None:
    """The band of a line in its colour."""
    axes.fill_between(x, low, high, color=colour, alpha=0.2, linewidth=0)


@styled
def save(
    figure: Figure,
    folder: Path,
    identifier: str,
    tables: Mapping[str, pd.DataFrame],
    alt: str = "",
    *,
    pdf: bool = False,
) -> list[Path]:
    """Write ``data/ID.csv``, ``rendered/ID.png`` and, for print, ``rendered/ID.pdf`` into
    ``folder``; the same bytes for the same figure.

    ``alt`` is what the figure shows, in words; it is kept inside the PNG (Description) and the PDF
    (Subject).
    """
    paths = [folder / place / f"{identifier}.{suffix}" for place, suffix in PLACES]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
    paths[0].write_text(csv(tables), encoding="utf-8", newline="\n")
    save_png(figure, paths[1], identifier, alt)
    if pdf:
        paths.append(paths[1].with_suffix(".pdf"))
        facts = {"CreationDate": None, "Title": identifier, "Subject": alt}
        figure.savefig(paths[2], metadata=facts)
    return paths


@styled
def save_png(figure: Figure, path: Path, identifier: str, alt: str = "") -> None:
    """Write the picture alone."""
    figure.savefig(path, metadata={"Title": identifier, "Description": alt})
