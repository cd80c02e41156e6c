"""The setting of the authors' released code (hard-to-learn mixture, d = 5, H = 6): what is learnt,
and at which c."""

from functools import partial
from math import inf

import pandas as pd

from figures import linear_runs as lr
from figures import style
from figures.kinds.lines import (
    Axes,
    Figure,
    draw_curve,
    draw_levels,
    draw_lines,
    legend_below,
)
from figures.kinds.tables import TABLES, Path, Tables, curve, frame
from figures.liao2021.regret import PLANNED, plan

ID = "liao2021_hard"
ENTRY = "liao2021/hard-5-6"
LONG = 10**6
GRID = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 30.0)
EPSILONS = (1.0, 100.0)
REPLICATES, LONG_RUNS = 32, 8  # figures.replicates
LONG_GRID = (0.01, 0.1)
MESSAGE = "On the hard instance no private agent beats uniform play in 10,000 episodes"
CAPTION = """On the hard instance no private agent beats uniform play after 10^4 episodes; without
privacy a million are enough to learn. The hard-to-learn linear mixture (d = 5, H = 6, 16 actions,
gap for K = 10^4), on which the authors' released code runs. Left: regret after K = 10^4 episodes
against the constant c of the bonus, mean of 32 runs with the 95 % t interval. For large c every
action ties; ties are broken at random here. No lower bound is drawn: theorem 5.6 speaks of the
worst MDP of this size, with other gaps than this one has. Right: the base planned for 10^6
episodes, 8 runs, regret per episode so far over uniform play's; upright line: the K of the left."""
ALT = """Left: regret of the private agents at every c near the line of uniform play at 272, of the
base a little below it near c = 0.1; action 0 for ever lies above at 319, the best constant action
below at 184. Right: regret per episode of the base falls to about half of uniform play's within a
million episodes."""


PLANS = [
    *(
        plan(ENTRY, epsilon, constant, REPLICATES)
        for epsilon in (*EPSILONS, inf)
        for constant in GRID
    ),
    *(plan(ENTRY, inf, constant, LONG_RUNS, planned=LONG) for constant in LONG_GRID),
]
MARKS = (
    1,
    10,
    100,
    1000,
    2000,
    5000,
    10_000,
    20_000,
    50_000,
    100_000,
    200_000,
    300_000,
    400_000,
    500_000,
    600_000,
    700_000,
    800_000,
    900_000,
    LONG,
)
recompute = partial(lr.recompute, PLANS, marks=MARKS)  # a minute or two; resumable


def tables(folder: Path = TABLES) -> Tables:
    """``grid``: regret at K by (epsilon, c); ``long``: of the base along 10^6 episodes;
    ``lines``."""
    grid, long = [], []
    for label, rows in lr.settings(lr.read(ID, folder)):
        run = lr.run_of(rows)
        if run.planned == PLANNED:
            grid.append(
                (run.agent, run.epsilon, label["constant"], *style.spread(run.regret[:, -1]))
            )
        else:
            long.append(curve(run, slice(None), "", constant=label["constant"]))
    lines = [(name, rate * PLANNED) for name, rate in lr.references(ENTRY).items()]
    return {
        "grid": frame(grid, "agent epsilon constant regret low high"),
        "long": pd.concat(long, ignore_index=True),
        "lines": frame(lines, "line regret"),
    }


def draw(tables: Tables) -> Figure:
    figure, grid = style.figure(3.6, 1, 2)
    _grid(grid[0, 0], tables)
    axes = grid[0, 1]
    line = tables["lines"].set_index("line")["regret"] / PLANNED
    for name in ("uniform", "constant", "action 0"):
        draw_levels(axes, [(line[name] / line["uniform"], _dash(name), None)])
    for (constant, rows), shade in zip(
        tables["long"].groupby("constant"), (style.PALETTE[2], "#000000"), strict=True
    ):
        share = rows["episodes"] * line["uniform"]
        draw_curve(
            axes, rows, "episodes", "regret", shade, lr.DASHES[inf], f"c = {constant:g}", unit=share
        )
    axes.axvline(PLANNED, color=style.GREY, linewidth=0.8)
    axes.set(
        xscale="log",
        xlim=(100, LONG),
        ylim=(0, 1.3),
        xlabel="episodes",
        ylabel="regret so far / uniform play's",
        title="UCRL-VTR, planned for $10^6$",
    )
    axes.legend(loc="lower left")
    return legend_below(figure, grid[0, 0], 3)


def _dash(name: str) -> object:
    return (0, (3, 1, 1, 1, 1, 1)) if name == "action 0" else lr.REFERENCES[name]


def _grid(axes: Axes, tables: Tables) -> None:
    line = tables["lines"].set_index("line")["regret"]
    draw_levels(
        axes,
        [
            (line[name], _dash(name), label)
            for name, label in (
                ("uniform", "uniform play"),
                ("action 0", "action 0 for ever"),
                ("constant", "best constant action"),
            )
        ],
    )
    draw_lines(
        axes,
        tables["grid"],
        "epsilon",
        "constant",
        "regret",
        {epsilon: lr.LOOKS[epsilon] for epsilon in (*EPSILONS, inf)},
        band=True,
        marker="o",
        markersize=2.5,
    )
    axes.set(
        xscale="log",
        ylim=(0, 400),
        xlabel="c",
        ylabel="regret at K = 10,000",
        title="section 6.2, c on a grid",
    )
