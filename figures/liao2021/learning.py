"""When a local agent learns: LDP-UCRL-VTR on the smallest mixture, a million episodes, window by
window."""

from functools import cache, partial
from math import inf
from typing import Any, cast

import numpy as np
import pandas as pd

from figures import learnt, style
from figures import linear_runs as lr
from figures.kinds.lines import Axes, Look, draw_line, panels, proxy
from figures.kinds.tables import TABLES, Path, Tables, frame, growing_ratio, pick
from privrl.environments import suite
from privrl.run import measure
from privrl.run.sweep import RunPlan
from privrl.types import Run
from theory.papers.liao2021 import bounds

ID = "liao2021_learning"
ENTRY = "liao2021/mixture-2"
PLANNED = 10**6
EPSILONS = (1.0, 100.0, 10_000.0)
DRAWN_CALIBRATIONS = ("printed", "corrected", "tight")
REPLICATES = 32
ALPHA, DELTA = suite.entry(ENTRY).beta, suite.entry(ENTRY).delta
SIZE = (2, 2)  # d, H
PLANS: list[RunPlan] = [
    *(
        RunPlan(
            ENTRY, calibration=calibration, epsilon=epsilon, episodes=PLANNED, replicates=REPLICATES
        )
        for epsilon in EPSILONS
        for calibration in DRAWN_CALIBRATIONS
    ),
    *(
        RunPlan(
            ENTRY,
            agent="ucrl-vtr",
            counter="none",
            calibration=calibration,
            episodes=PLANNED,
            replicates=REPLICATES,
        )
        for calibration in ("printed", "tight")
    ),
]
MESSAGE = "Most agents learn before their bonuses explore: they follow their estimates"
CAPTION = """Most agents learn before their bonuses explore: they follow their estimates and leave a
wrong action when the noise turns. Regret per user, over that of play that knows the rewards and
learns nothing, in the last fifth of what has been played, at the user in its middle
(docs/measure.md): the largest from there on, of the median of 32 replicates, on mixture-2 (d = H =
2; alpha = 0.01, delta = 0.1), 10^6 planned episodes. Below, a triangle marks the median, over 32
replicates that end earlier, of the users from which on a replicate stays at or below one half, a
bar its 95 % interval. A vertical line in the colour of the calibration is the closed form from
which on the least bonus of widths that cover is below the range of the values (printed runs have
epsilon inside the root of sigma and theorem 5.2's beta with constant 1). Systematic exploration
begins there and costs regret of its own."""
ALT = """Three panels, epsilon 1, 100 and 10,000: steps that only fall, of the ratio to what play
that knows the rewards loses. At epsilon 1 the printed steps fall below one half within a thousand
episodes, corrected and tight within a hundred. At larger epsilon all fall earlier. The base falls
within a hundred."""
ROWS = (-0.16, 0.11)  # of the triangles, below the curves: the first, and how far apart
KEYS = "agent calibration epsilon"
recompute = partial(lr.recompute, PLANS)  # some minutes; resumable
# The runs behind this figure, in the order of ``PLANS``
long_runs = cache(partial(lr.read_runs, ID))


@cache
def starts(epsilon: float) -> dict[str, tuple[int, int]]:
    """(least bonus below the range of the values, bound below the trivial one), by calibration of
    the local agent."""
    horizons_ = bounds.horizons(*SIZE, epsilon, DELTA, ALPHA, counters=("local",))
    # the local counter serves any number of users: both are there
    return {
        row.calibration: cast(tuple[int, int], (row.start, row.below_trivial))
        for row in horizons_
        if row.counter == "local"
    }


def slopes(run: Run) -> tuple[float, float]:
    """Growth of log mean regret over log episodes, over the last decade and the one before."""
    mean = run.regret.mean(axis=0)
    at = [
        float(mean[run.episodes == mark][0])
        for mark in (run.planned // 100, run.planned // 10, run.planned)
    ]
    return float(np.log10(at[2] / at[1])), float(np.log10(at[1] / at[0]))


def tables(folder: Path = TABLES) -> Tables:
    """``windows``: ratio per growing window; ``burn_in``: with start, final regret and slopes;
    ``lines``."""
    reference = lr.references(ENTRY)
    rows, marks = [], []
    for run in long_runs(folder):
        rows.append(growing_ratio(run, reference["blind"], KEYS))
        private = run.agent == "ldp-ucrl-vtr"
        start, below = starts(run.epsilon)[run.calibration] if private else (np.nan, np.nan)
        marks.append(
            (
                run.agent,
                run.calibration,
                run.epsilon,
                *learnt.numbers(run, folder),
                start,
                below,
                *style.spread(run.regret[:, -1]),
                *slopes(run),
            )
        )
    return {
        "windows": pd.concat(rows, ignore_index=True),
        "burn_in": frame(
            marks,
            f"{KEYS} {learnt.COLUMNS} start below_trivial regret low high slope slope_before",
        ),
        "lines": frame(list(reference.items()), "line regret"),
    }


def looks(epsilon: float) -> dict[Any, Look]:
    """Lines by ``KEYS``: LDP-UCRL-VTR at this epsilon, and UCRL-VTR."""
    return {
        **{
            ("ldp-ucrl-vtr", name, epsilon): (style.COLOURS[name], "-", f"LDP-UCRL-VTR, {name}")
            for name in DRAWN_CALIBRATIONS
        },
        ("ucrl-vtr", "tight", inf): (style.COLOURS["base"], (0, (5, 1.5)), "UCRL-VTR, no privacy"),
    }


def _panel(tables: Tables, axes: Axes, epsilon: float) -> None:
    line, windows = tables["lines"].set_index("line")["regret"], tables["windows"]
    levels = ("uniform", "blind")
    lr.draw_references(axes, line, levels, line["blind"], labels=False, linewidth=0.9, zorder=1)
    axes.axhline(measure.SHARE, color=style.GREY, linewidth=0.6, zorder=1)
    first, apart = ROWS
    chosen = looks(epsilon)
    for place, (key, look) in enumerate(chosen.items()):
        rows = pick(windows, KEYS, key).sort_values("user")
        still_to_come = rows.assign(ratio=rows["ratio"][::-1].cummax()[::-1])
        draw_line(axes, still_to_come, "user", "ratio", *look)
        mark = pick(tables["burn_in"], KEYS, key).iloc[0]
        height = first - apart * place
        axes.plot([mark["burn_in"]], [height], marker="v", color=look[0], zorder=5)
        axes.plot(
            [mark["burn_in_low"], mark["burn_in_high"]],
            [height] * 2,
            color=look[0],
            linewidth=2.4,
            solid_capstyle="butt",
        )
        if mark["start"] < PLANNED:
            axes.axvline(mark["start"], color=look[0], linewidth=0.8, linestyle=(0, (1, 1)))
    axes.axhline(0, color=style.COLOURS["base"], linewidth=0.7, zorder=1)
    axes.set(
        xscale="log",
        xlim=(1, PLANNED),
        ylim=(first - apart * len(chosen), 2.1),
        yticks=np.arange(0, 2.1, 0.5),
        title=f"ε = {epsilon:,.0f}",
    )
    axes.set_xticks([1, 1e2, 1e4, 1e6])
    if epsilon == EPSILONS[0]:
        proxy(axes, "learnt from here on", marker="v", color=style.GREY)
        proxy(axes, "bonuses can explore", linestyle=(0, (1, 1)), color=style.GREY)
    if epsilon == EPSILONS[1]:  # where no vertical line stands in the way
        for name, words in zip(
            levels, ("uniform play", "rewards known,\nnothing learnt"), strict=True
        ):
            axes.annotate(
                words,
                (5e5, line[name] / line["blind"]),
                (0, 1),
                textcoords="offset points",
                ha="right",
                va="bottom",
                fontsize=7,
                color=style.GREY,
            )


draw = panels(
    _panel,
    height=3.7,
    keys=[EPSILONS],
    ylabels=["regret / blind play's, largest to come"],
    xlabel="user",
)
