"""Every kernel against its floor and against plain code: recorded ratios of times measured in one
run."""

import pandas as pd
from matplotlib.ticker import NullLocator

from figures import benchmarks, style
from figures.kinds.lines import Axes, Figure, legend_below, named_rows, proxy
from figures.kinds.tables import TABLES, Path, Tables

ID = "bench_floor"
MESSAGE = "All kernels but the LQ agents' run near their floor, far faster than plain code"
CAPTION = """Counters, tabular and linear kernels run at the speed of what cannot be left out, tens
to some hundreds of times faster than plain code. Left: time of an episode over its floor, the draws
of the noise and, for the linear agents, a Cholesky factor and a solve by LAPACK for each regression
and step; below one, the kernels do with less. Tabular agents in the burn-in (epsilon = 1) and with
all counts known (10^6), linear agents with the corrected and the tight noise and without any, LQ
agents while A = 0 is possible and after; a counter's stream over its draws. Right: the same work
with the compiler switched off, and the linear plans in NumPy as the pseudo-code reads. Medians of
turns in rotation; recorded, not made again by `make reproduce`."""
ALT = """Left: dots on a logarithmic scale for each kernel and size, in a row for each family;
counters, tabular and linear kernels lie between half and three times their floor, the search of the
LQ agents far above theirs. Right: plain code takes tens to some hundreds of times as long as the
compiled kernels."""
PLAIN = ("plain Python / compiled", "naive NumPy / private")
LEFT_OUT = ("later / earlier", "pucb known / ubev", "private / (noise and factor)")
WORDS = {
    "lq": "LQ agents",
    "peers": "other packages",
    "linear": "linear agents",
    "tabular": "tabular agents",
}
COLOURS = {
    "tabular": style.COLOURS["printed"],
    "linear": style.COLOURS["tight"],
    "lq": style.COLOURS["other"],
    "counters": style.COLOURS["corrected"],
    "peers": style.COLOURS["base"],
}


def tables(folder: Path = TABLES) -> Tables:
    return {"ratios": benchmarks.read(ID, folder)}


def draw(tables: Tables) -> Figure:
    table = tables["ratios"]
    floors = table[~table["ratio"].isin([*PLAIN, *LEFT_OUT]) & (table["family"] != "peers")]
    plain = table[table["ratio"].isin(PLAIN) | (table["family"] == "peers")]
    figure, ((left_axes, right_axes),) = style.figure(2.8, 1, 2)
    _dots(left_axes, floors, "times its floor", "time of an episode")
    left_axes.axvline(1, color=style.GREY, linewidth=0.8)
    _dots(right_axes, plain, "times ours", "time of plain code")
    proxy(left_axes, "one kernel at one size", marker="o", markerfacecolor="white")
    proxy(left_axes, "larger problem", marker="o", markersize=7, markerfacecolor="white")
    return legend_below(figure, left_axes, 2)


def _dots(axes: Axes, table: pd.DataFrame, label: str, title: str) -> None:
    """A row for each family; its kernels from above to below."""
    families = table.groupby("family", sort=False)
    for place, (family, mine) in enumerate(families):
        kernels = mine.groupby(["agent", "ratio"], sort=False)
        for number, (_, rows) in enumerate(kernels):
            height = place + 0.6 * ((number + 0.5) / kernels.ngroups - 0.5)
            for order, value in enumerate(rows["value"]):
                axes.plot(
                    value,
                    height,
                    "o",
                    color=COLOURS[str(family)],
                    markersize=2.5 + 1.2 * order,
                    markerfacecolor="white",
                )
    named_rows(axes, [WORDS.get(str(family), str(family)) for family, _ in families])
    axes.set(xscale="log", xlabel=label, title=title)
    axes.xaxis.set_minor_locator(NullLocator())
