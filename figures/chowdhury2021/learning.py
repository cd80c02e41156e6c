"""When Private-OFU-RL learns in the scalar system: regret per episode over growing windows, against
doing nothing."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from figures import learnt, style
from figures.chowdhury2021.regret import (
    DRAWN_CALIBRATIONS,
    EPSILONS,
    KEYS,
    LONG_END,
    PLANNED,
    horizon_of,
    long_runs,
    looks,
    references,
)
from figures.kinds.learning import draw_intervals
from figures.kinds.lines import Axes, Legend, Look, draw_levels, draw_lines, panels, proxy
from figures.kinds.tables import TABLES, Path, Tables, frame, growing_ratio, pick
from privrl.run import measure
from privrl.types import Run

PAPER = "chowdhury2021"
ID = learnt.table_name(PAPER)
MESSAGE = "Private agents learn near the predicted horizon"
CAPTION = """Private agents learn near the predicted horizon. Mean regret per user in the last fifth
of what has been played, at the user in its middle (docs/measure.md), over that of u = 0; median and
range of the runs of `chowdhury2021_regret`. A replicate has learnt from the user on from which it
stays at or below half of what doing nothing loses (dashed); triangles: the median of 32 runs that
end once they have learnt, or of 8 at epsilon = 10, where one takes more than two seconds; bars: its
95 % interval. At epsilon = 1 they are the 8 that are drawn. Thin vertical lines: the predicted
horizon, where the confidence set of an agent that plays optimally is narrower along b than b
itself. Bottom line: the best constant gain, which no agent knows."""
ALT = """Four panels of relative regret per episode against episodes on a log axis. Each curve stays
at 1 or rises to at most 1.3, then falls through one half close to its vertical line and ends
between 0.1 and 0.25. OFU-RL without privacy has fallen below one half within a thousand episodes.
The private certainty-equivalent controller falls later than the optimistic one, with replicates
that differ more, and ends lower; at epsilon 1 it only begins to."""


recompute = partial(learnt.recompute, PAPER)  # users before learning, resumable


def shares(run: Run, names: str = KEYS) -> pd.DataFrame:
    """Regret per episode over that of u = 0, per growing window."""
    return growing_ratio(run, references()["zero"], names).rename(columns={"ratio": "share"})


def tables(folder: Path = TABLES) -> Tables:
    """``curves`` (windows that end beyond 100 episodes), ``burn_in`` with the predicted horizon,
    ``lines``."""
    curves, marks = [], []
    for run in long_runs(folder):
        shares_ = shares(run)
        curves.append(shares_[shares_["end"] >= 100])
        last = shares_.iloc[-1]
        predicted = (
            horizon_of(run.epsilon, run.calibration) if run.agent == "private-ofu-rl" else np.nan
        )
        marks.append(
            {
                **last[KEYS.split()],
                **dict(zip(learnt.COLUMNS.split(), learnt.numbers(run, folder), strict=True)),
                "predicted": predicted,
                "last_share": last["share"],
                "last_low": last["low"],
                "last_high": last["high"],
                "whole": float(run.regret[:, -1].mean())
                / (references()["zero"] * run.episodes[-1]),
            }
        )
    level = references()["constant"] / references()["zero"]
    return {
        "curves": pd.concat(curves, ignore_index=True),
        "burn_in": pd.DataFrame(marks),
        "lines": frame([("constant", level)], "line share"),
    }


def draw_halves(axes: Axes) -> None:
    """The regret of u = 0, and half of it."""
    draw_levels(axes, [(1, style.LINES["uniform"], "u = 0")])
    draw_levels(axes, [(measure.SHARE, style.LINES["bound"], "half of it: learns")], linewidth=0.8)


def draw_shares(
    axes: Axes, curves: pd.DataFrame, marks: pd.DataFrame, names: str, looks: Mapping[Any, Look]
) -> None:
    """Shares with their bands; triangles at ``burn_in`` and vertical lines at ``predicted`` of
    ``marks``."""
    for key, look in looks.items():
        draw_lines(axes, curves, names, "user", "share", {key: look}, band=True)
        for row in pick(marks, names, key).itertuples():
            if np.isfinite(row.predicted):
                axes.axvline(row.predicted, color=look[0], linewidth=0.7)
            if np.isfinite(row.burn_in):
                axes.plot(
                    [row.burn_in], [measure.SHARE], "v", color=look[0], markersize=5, zorder=4
                )
        draw_intervals(axes, marks, names, {key: look[0]})
    axes.set(xscale="log", ylim=(0, 1.6))


def _panel(tables: Tables, axes: Axes, epsilon: float) -> None:
    draw_halves(axes)
    draw_levels(
        axes,
        [(float(tables["lines"]["share"].iloc[0]), style.LINES["constant"], "best constant gain")],
    )
    draw_shares(
        axes,
        tables["curves"],
        tables["burn_in"],
        KEYS,
        looks(epsilon, DRAWN_CALIBRATIONS, "private", "private CE, tight"),
    )
    proxy(axes, "predicted horizon", color=style.GREY, linestyle="-", linewidth=0.7)
    axes.set(
        xlim=(100, LONG_END if epsilon == EPSILONS[0] else PLANNED[epsilon]),
        title=f"ε = {epsilon:g}",
    )


draw = panels(
    _panel,
    height=5.2,
    keys=[EPSILONS],
    ylabels=["regret / regret of u = 0"] * 2,
    xlabel="user",
    legend=Legend(
        of=(1,),
        names={
            "u = 0": (0, 3e4, 2),
            "half of it: learns": (0, 1e5, 2),
            "best constant gain": (0, 2e5, 2),
        },
    ),
    wrap=2,
    sharex=False,
)
