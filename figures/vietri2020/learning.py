"""When PUCB starts to learn: mean regret per episode, window by window, against uniform play's."""

import numpy as np
import pandas as pd

from figures import style
from figures.kinds.lines import Axes, Figure, draw_curve, legend_below
from figures.kinds.tables import TABLES, Path, Tables, growing_ratio, numbers, where
from figures.vietri2020.regret import CALIBRATIONS, ENTRY, EPSILONS, PLANNED, long_runs, vacuous_until
from privrl.environments import suite
from privrl.run import learning
from privrl.types import Run

CAPTION = """Mean regret per episode, divided by uniform play's, over the last tenth of what has been played (the last
fifth where checkpoints are sparse), for the runs of vietri2020_regret; bands are 95 % t intervals of the mean of 4
replicates. An agent has learnt from the window on whose interval, and every later one, lies at or below one half: a
triangle marks where that window begins. Where the sum behind theorem 4 is vacuous at 10^8 it says nothing about these
runs."""
ALT = """Three panels, epsilon 1, 10 and 100: the ratio to uniform play's regret falls from 1 towards 0, for tight
before corrected before printed, and earlier for larger epsilon; the base without privacy falls long before all of
them."""
FIRST = 10**2  # left end of the panels


def burn_ins(folder: Path = TABLES, *, growing: bool = False) -> list[tuple[Run, learning.BurnIn]]:
    """Every long run with its burn-in."""
    mdp = suite.tabular(ENTRY)
    return [(run, learning.burn_in(run, mdp, growing=growing)) for run in long_runs(folder)]


def tables(folder: Path = TABLES) -> Tables:
    """``windows``: ratio to uniform play per growing window; ``burn_in``: by growing and by fixed windows."""
    uniform = learning.uniform_regret(suite.tabular(ENTRY))
    marks = []
    for kind in ("growing", "fixed"):
        for run, burn in burn_ins(folder, growing=kind == "growing"):
            marks.append((run.agent, run.calibration, run.epsilon, kind, *numbers(burn)))
    found = [growing_ratio(run, uniform, "agent calibration epsilon") for run in long_runs(folder)]
    columns = ["agent", "calibration", "epsilon", "window", "burn_in", "central", "earliest"]
    return {"windows": pd.concat(found, ignore_index=True), "burn_in": pd.DataFrame(marks, columns=columns)}


def draw(tables: Tables) -> Figure:
    """A panel per epsilon."""
    figure, grid = style.figure(3.1, 1, len(EPSILONS), sharex=True, sharey=True)
    for axes, epsilon in zip(grid[0], EPSILONS, strict=True):
        _panel(axes, tables, epsilon)
    grid[0, 0].set_ylabel("regret / uniform play's")
    grid[0, 1].set_xlabel("window begins after episode")
    return legend_below(figure, grid[0, 0], 4)


def _panel(axes: Axes, tables: Tables, epsilon: float) -> None:
    axes.axhline(learning.SHARE, color=style.GREY, linewidth=0.8, linestyle=(0, (3, 2)), zorder=1)
    axes.axhline(1.0, color=style.GREY, linewidth=0.8, linestyle=style.LINES["uniform"], zorder=1)
    shown = [("pucb", name, epsilon, style.COLOURS[name], style.LINES["pucb"], f"PUCB, {name}")
             for name in CALIBRATIONS]
    shown.append(("ubev", "printed", np.inf, style.COLOURS["base"], style.LINES["ubev"], "UBEV, no privacy"))
    growing = where(tables["burn_in"], window="growing")
    for agent, calibration, at, colour, dash, label in shown:
        chosen = pd.Series({"agent": agent, "calibration": calibration, "epsilon": at})
        rows, marks = (table[(table[list(chosen.index)] == chosen).all(axis=1)]
                       for table in (tables["windows"], growing))
        rows = rows[rows["start"] > 0]
        draw_curve(axes, rows, "start", "ratio", colour, dash, label)
        reached = marks[np.isfinite(marks["burn_in"]) & (marks["burn_in"] >= FIRST)]
        axes.plot(reached["burn_in"], np.full(len(reached), learning.SHARE), "v", color=colour, markersize=5, zorder=4)
    words = f"theorem 4 is vacuous\nup to {style.tex(vacuous_until(epsilon))}"
    axes.text(0.99, 1.0, words, transform=axes.transAxes, fontsize=6.5, ha="right", va="top",
              color=style.COLOURS["bound"])
    if epsilon == EPSILONS[0]:
        axes.text(8e3, 0.48, "at or below ½:\nlearnt", va="top", fontsize=6.5, color=style.GREY)
    axes.set(xscale="log", xlim=(FIRST, PLANNED), ylim=(0, 1.3), yticks=[0, 0.25, 0.5, 0.75, 1],
             title=f"ε = {epsilon:g}")
    axes.set_xticks([1e2, 1e4, 1e6, 1e8])
