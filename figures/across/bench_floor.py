"""Every kernel against its floor and against plain code: recorded ratios of times measured in one
run."""

import pandas as pd
from matplotlib.ticker import NullLocator

from figures import benchmarks, style
from figures.kinds.lines import Axes, Figure, legend_below, named_rows, proxy
from figures.kinds.tables import TABLES, Path, Tables

ID = "bench_floor"
CAPTION = """Counters, tabular and linear kernels run at the speed of what cannot be left out, tens
to some hundreds of times faster than plain code. Left: time of an episode over its floor, the draws
of the noise and, for the linear agents, a Cholesky factor and a solve by LAPACK for each regression
and step; below one, the kernels do with less. Tabular agents in the burn-in (epsilon = 1) and with
all counts known (10^6), linear agents with the corrected and the tight noise and without any, LQ
agents while A = 0 is possible and after; a counter's stream over its draws. Right: the same work
with the compiler switched off, and the linear plans in NumPy as the pseudo-code reads. Medians of
turns in rotation; recorded, not made again by `make reproduce`."""
ALT = """Left: dots on a logarithmic scale for each kernel and size; counters, tabular and linear
kernels lie between half and three times their floor, the search of the LQ agents far above theirs.
Right: plain code takes tens to some hundreds of times as long as the compiled kernels."""
PLAIN = ("plain Python / compiled", "naive NumPy / private")
LEFT_OUT = ("later / earlier", "pucb known / ubev", "private / (noise and factor)")
LQ = {
    "search": "private-ofu-rl, A = 0 excluded",
    "certainty-equivalent": "private-ce",
    "exact": "ofu-rl",
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
    figure, ((left_axes, right_axes),) = style.figure(5.6, 1, 2)
    _dots(left_axes, floors, "times its floor", "time of an episode")
    left_axes.axvline(1, color=style.GREY, linewidth=0.8)
    _dots(right_axes, plain, "times ours", "time of plain code")
    for family, colour in COLOURS.items():
        proxy(
            left_axes,
            {"lq": "LQ", "peers": "other packages"}.get(family, family),
            marker="o",
            color=colour,
            markerfacecolor="white",
        )
    proxy(left_axes, "larger problem", marker="o", markersize=7, markerfacecolor="white")
    return legend_below(figure, left_axes, 6)


def _dots(axes: Axes, table: pd.DataFrame, label: str, title: str) -> None:
    names = []
    for place, (key, rows) in enumerate(table.groupby(["family", "agent", "ratio"], sort=False)):
        family, agent, ratio = (str(piece) for piece in key)
        for order, value in enumerate(rows["value"]):
            axes.plot(
                value,
                place,
                "o",
                color=COLOURS[family],
                markersize=2.5 + 1.2 * order,
                markerfacecolor="white",
            )
        names.append(_name(family, agent, ratio))
    named_rows(axes, names, fontsize=7)
    axes.set(xscale="log", xlabel=label, title=title)
    axes.xaxis.set_minor_locator(NullLocator())


def _name(family: str, agent: str, ratio: str) -> str:
    quantity = ratio.partition(" / ")[0]
    if family == "tabular":
        return "pucb" if ratio in PLAIN else quantity
    if family == "lq":
        return LQ.get(quantity, "private-ofu-rl")
    if family == "linear":
        return agent + {"exact": ", no noise", "tight": ", tight"}.get(quantity, "")
    return agent if family == "counters" else quantity
