"""When Private-LinOpt-VI and -PO start to learn: mean regret per episode, window by window, against uniform play's."""

from collections.abc import Sequence
from math import inf

import numpy as np
import pandas as pd

from figures import style
from figures.kinds.lines import Axes, Figure, draw_curve, legend_below
from figures.kinds.tables import TABLES, Path, Tables, growing_ratio, numbers, where
from figures.zhou2022.regret import AGENTS, CALIBRATIONS, ENTRY, EPSILONS, PLANNED, SHORT, long_runs, references
from privrl.environments import suite
from privrl.run import learning
from privrl.types import Run

ID = "zhou2022_learning"
CAPTION = """Mean regret per episode, divided by uniform play's, over the last tenth of what has been played (the last
fifth where checkpoints are sparse), for the runs of zhou2022_regret; bands are 95 % t intervals of the mean of 4
replicates. An agent has learnt from the window on whose interval, and every later one, lies at or below one half: a
triangle marks where that window begins. The dotted line at 0.64 is play that knows the rewards of the last step and no
transition: private runs rest there, because the noise of the rewards is smaller."""
ALT = """Six panels, value iteration above policy optimisation, epsilon 1, 10 and 100: the ratio to uniform play's
regret falls from 1, rests for a while near two thirds, and falls towards 0; tight first, then corrected, then printed,
and earlier for larger epsilon. The bases fall long before."""
FIRST = 10


def burn_ins(found: tuple[Run, ...], *, growing: bool = True) -> list[tuple[Run, learning.BurnIn]]:
    """Every run with its burn-in, by windows of a tenth of what has been played, or of the run."""
    mdp = suite.tabular(ENTRY)
    return [(run, learning.burn_in(run, mdp, growing=growing)) for run in found]


def ratios(found: tuple[Run, ...]) -> pd.DataFrame:
    """Regret per episode over uniform play's, per growing window."""
    uniform = learning.uniform_regret(suite.tabular(ENTRY))
    return pd.concat([growing_ratio(run, uniform, "agent counter calibration epsilon") for run in found],
                     ignore_index=True)


def marks(found: tuple[Run, ...]) -> pd.DataFrame:
    """Burn-ins of runs by both kinds of windows."""
    rows = [(run.agent, run.counter, run.calibration, run.epsilon, kind, *numbers(burn))
            for kind in ("growing", "fixed") for run, burn in burn_ins(found, growing=kind == "growing")]
    columns = ["agent", "counter", "calibration", "epsilon", "window", "burn_in", "central", "earliest"]
    return pd.DataFrame(rows, columns=columns)


def tables(folder: Path = TABLES) -> Tables:
    """``windows``: ratio to uniform play per growing window; ``burn_in``: by growing and by fixed windows."""
    found = long_runs(folder)
    return {"windows": ratios(found), "burn_in": marks(found)}


def draw(tables: Tables) -> Figure:
    """A row per agent, a panel per epsilon."""
    figure, grid = style.figure(4.6, len(AGENTS), len(EPSILONS), sharex=True, sharey=True)
    for row, agent in zip(grid, AGENTS, strict=True):
        for axes, epsilon in zip(row, EPSILONS, strict=True):
            shown = [(agent, "tree", name, epsilon, style.COLOURS[name], "-", f"private, {name}")
                     for name in CALIBRATIONS]
            shown.append((agent, "none", "printed", inf, style.COLOURS["base"], style.LINES["ubev"],
                          "no privacy, printed"))
            panel(axes, tables, shown)
            if agent == AGENTS[0]:
                axes.set_title(f"ε = {epsilon:g}")
        row[0].set_ylabel(f"{SHORT[agent]}: regret / uniform play's")
    grid[-1, 1].set_xlabel("window begins after episode")
    return legend_below(figure, grid[0, 0], 4)


def panel(axes: Axes, tables: Tables, shown: Sequence[tuple[str, str, str, float, str, object, str]]) -> None:
    """Lines of the given (agent, counter, calibration, epsilon, colour, dash, label) with their burn-ins."""
    grey = style.GREY
    axes.axhline(learning.SHARE, color=grey, linewidth=0.8, linestyle=(0, (3, 2)), zorder=1)
    axes.axhline(1.0, color=grey, linewidth=0.8, linestyle=style.LINES["uniform"], zorder=1)
    axes.axhline(references()["blind"] / references()["uniform"], color=grey, linewidth=0.8, linestyle=(0, (1, 2)),
                 zorder=1)
    growing = where(tables["burn_in"], window="growing")
    for agent, counter, calibration, epsilon, colour, dash, label in shown:
        key = {"agent": agent, "counter": counter, "calibration": calibration, "epsilon": epsilon}
        rows, reached = (table[np.logical_and.reduce([table[name] == value for name, value in key.items()])]
                         for table in (tables["windows"], growing))
        rows = rows[rows["start"] > 0]
        draw_curve(axes, rows, "start", "ratio", colour, dash, label)
        reached = reached[np.isfinite(reached["burn_in"]) & (reached["burn_in"] >= FIRST)]
        axes.plot(reached["burn_in"], np.full(len(reached), learning.SHARE), "v", color=colour, markersize=5, zorder=4)
    axes.set(xscale="log", xlim=(FIRST, PLANNED), ylim=(0, 1.3), yticks=[0, 0.25, 0.5, 0.75, 1])
    axes.set_xticks([1e2, 1e4, 1e6])
