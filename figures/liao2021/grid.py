"""The grid search behind figure 2 of liao2021: regret at K = 10^4 against c, and what the features'
scale changes."""

import numpy as np
import pandas as pd

from figures import linear_runs as lr
from figures.kinds.lines import Axes, Legend, draw_lines, panels
from figures.kinds.tables import TABLES, Path, Tables, where
from figures.liao2021.regret import ENTRIES, GRID, GRID_RUNS, PLANNED, TITLES, best, lines

ID = "liao2021_grid"
MESSAGE = "Without privacy one bonus is best; at small ε the noise decides, whatever c"
CAPTION = """The base has a clear best bonus; at small epsilon the noise decides, whatever the
bonus. The grid search behind `liao2021_regret`: mean regret after K = 10^4 episodes over 10 runs
(with one standard deviation) against the constant c of the bonus; a ring marks the c that is used.
The paper tunes c and gives none. For large c all actions tie but in the last step: the grey line of
known rewards. At epsilon = 1 and 10 every c lies within one standard deviation of the chosen one,
at epsilon = 100 five of eight; at epsilon = 1000 on the inhomogeneous river the least c of the grid
is taken. The runs of `liao2021_regret` have other seeds."""
ALT = """Two panels, homogeneous and inhomogeneous river, of regret against c on a log axis. The
base falls from near uniform play to about a tenth of it at c = 0.2 and rises again. The private
lines are nearly flat under wide bands, a tenth below uniform play, lower only at epsilon 1000, and
end on the line of known rewards."""


def tables(folder: Path = TABLES) -> Tables:
    table = lr.read(ID, folder)
    chosen = best(table)
    groups = table.groupby(["id", "epsilon", "constant"], sort=False)[str(PLANNED)]
    statistics = groups.agg(["mean", "std"]).reset_index()
    statistics.columns = pd.Index(["entry", "epsilon", "constant", "mean", "deviation"])
    statistics["chosen"] = [
        bool(np.isclose(chosen[row.entry, row.epsilon], row.constant))
        for row in statistics.itertuples()
    ]
    return {"grid": statistics, "lines": lines(ENTRIES)}


def _panel(tables: Tables, axes: Axes, entry: str) -> None:
    ends = where(tables["lines"], entry=entry).set_index("line")["regret"]
    lr.draw_references(axes, ends, ("uniform", "constant", "blind"))
    rows = where(tables["grid"], entry=entry)
    rows = rows.assign(low=rows["mean"] - rows["deviation"], high=rows["mean"] + rows["deviation"])
    for epsilon, look in lr.LOOKS.items():
        draw_lines(axes, rows, "epsilon", "constant", "mean", {epsilon: look}, band=True)
        chosen = where(rows, epsilon=epsilon, chosen=True)
        axes.plot(
            chosen["constant"],
            chosen["mean"],
            "o",
            color=look[0],
            markerfacecolor="white",
            zorder=4,
        )
    axes.set(xscale="log", ylim=(0, None), xlim=(min(GRID), max(GRID)), title=TITLES[entry])


draw = panels(
    _panel,
    height=3.4,
    keys=[ENTRIES],
    ylabels=[f"regret at K = 10,000, {GRID_RUNS} runs"],
    xlabel="c",
    legend=Legend(names={"uniform play": (0, 0.4, 2), "best constant action": (0, 0.065, 2)}),
    sharex=False,
    sharey=False,
)
