"""When Private-OFU-RL learns in the scalar system: regret per episode over growing windows, against doing nothing."""

from dataclasses import asdict
from math import inf
from typing import Any

import numpy as np
import pandas as pd

from figures import style
from figures.chowdhury2021.regret import CALIBRATIONS, EPSILONS, LONG_END, PLANNED, horizon_of, long_runs, references
from figures.kinds.lines import Axes, Figure, draw_curve, legend_below, outer_labels
from figures.kinds.tables import TABLES, Path, Tables, frame, where
from privrl.run import learning
from privrl.types import Run

CAPTION = """Private agents learn near the predicted horizon. Mean regret per episode over the last tenth (between
sparse checkpoints: the last fifth) of what has been played, over that of u = 0; runs of `chowdhury2021_regret` with the
95 % t interval (epsilon = 1: range of 2). Learning means at most half of what doing nothing loses (dashed), interval
included; burn-in is the beginning of the first window from which that holds (triangles). Thin vertical lines: the
predicted horizon, where the confidence set of an agent that plays optimally is narrower along b than b itself. Bottom
line: the best constant gain, which no agent knows."""
ALT = """Four panels of relative regret per episode against episodes on a log axis. Each curve stays at 1 or rises to at
most 1.3, then falls through one half close to its vertical line and ends between 0.1 and 0.25. OFU-RL without privacy
has fallen below one half within a thousand episodes. The private certainty-equivalent controller falls later than the
optimistic one, with replicates that differ more, and ends lower; at epsilon 1 it only begins to."""


def windows(run: Run) -> tuple[learning.Windows, style.Band]:
    """Growing windows and the band of regret per episode over that of u = 0."""
    made = learning.windows(run.episodes, run.regret, run.planned, growing=True)
    return made, style.band(made.regret / references()["zero"])


def burn_in(run: Run) -> learning.BurnIn:
    """By the three lines of the band."""
    made, band = windows(run)
    return learning.BurnIn(*(learning.from_then_on(made.starts, line <= learning.SHARE)
                             for line in (band.high, band.mean, band.low)))


def tables(folder: Path = TABLES) -> Tables:
    """``curves`` (windows that end beyond 100 episodes), ``burn_in`` with the predicted horizon, ``lines``."""
    curves, marks = [], []
    for run in long_runs(folder):
        made, band = windows(run)
        kept = made.ends >= 100
        key = {"agent": run.agent, "calibration": run.calibration, "epsilon": run.epsilon}
        curves.append(pd.DataFrame({**key, "start": made.starts[kept], "end": made.ends[kept], "share": band.mean[kept],
                                    "low": band.low[kept], "high": band.high[kept]}))
        predicted = horizon_of(run.epsilon, run.calibration) if run.agent == "private-ofu-rl" else np.nan
        marks.append({**key, **asdict(burn_in(run)), "predicted": predicted, "last_share": band.mean[-1],
                      "last_low": band.low[-1], "last_high": band.high[-1],
                      "whole": float(run.regret[:, -1].mean()) / (references()["zero"] * run.episodes[-1])})
    level = references()["constant"] / references()["zero"]
    burns = pd.DataFrame(marks).astype(dict.fromkeys(("episode", "central", "earliest"), float))
    return {"curves": pd.concat(curves, ignore_index=True), "burn_in": burns,
            "lines": frame([("constant", level)], "line share")}


def draw(tables: Tables) -> Figure:
    figure, grid = style.figure(5.2, 2, 2, sharey=True)
    for axes, epsilon in zip(grid.flat, EPSILONS, strict=True):
        _panel(axes, tables, epsilon)
    outer_labels(grid, "episodes", "regret / regret of u = 0")
    return legend_below(figure, grid.flat[1], 3)


def _panel(axes: Axes, tables: Tables, epsilon: float) -> None:
    grey = style.GREY
    axes.axhline(1, color=grey, linestyle=style.LINES["uniform"], linewidth=1, label="u = 0")
    axes.axhline(learning.SHARE, color=grey, linestyle=style.LINES["bound"], linewidth=0.8, label="half of it: learns")
    axes.axhline(float(tables["lines"]["share"].iloc[0]), color=grey, linestyle=style.LINES["constant"], linewidth=1,
                 label="best constant gain")
    shown: list[tuple[str, str, float, str, Any, str]]
    shown = [("private-ofu-rl", name, epsilon, style.COLOURS[name], "-", f"private, {name}") for name in CALIBRATIONS]
    shown += [("private-ce", "tight", epsilon, style.PALETTE[5], (0, (4, 1)), "private CE, tight"),
              ("ofu-rl", "printed", inf, style.COLOURS["base"], style.LINES["ubev"], "OFU-RL, no privacy")]
    for agent, calibration, at, colour, dash, label in shown:
        rows, found = (where(table, agent=agent, calibration=calibration, epsilon=at)
                       for table in (tables["curves"], tables["burn_in"]))
        if rows.empty:
            continue
        draw_curve(axes, rows, "end", "share", colour, dash, label)
        if np.isfinite(found["predicted"].iloc[0]):
            axes.axvline(found["predicted"].iloc[0], color=colour, linewidth=0.7)
        if np.isfinite(found["episode"].iloc[0]):
            axes.plot(found["episode"], [learning.SHARE], "v", color=colour, markersize=5, zorder=4)
    last = LONG_END if epsilon == EPSILONS[0] else PLANNED[epsilon]
    axes.set(xscale="log", xlim=(100, last), ylim=(0, 1.6), title=f"ε = {epsilon:g}")
