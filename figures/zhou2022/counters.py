"""What better counters and tight constants are worth to Private-LinOpt-VI and -PO: noise, widths,
regret, burn-in."""

from functools import cache, partial
from math import inf, sqrt
from typing import Any

import numpy as np
import pandas as pd

from figures import learnt, linear_runs, runs, style
from figures.kinds.lines import Axes, Figure, draw_curve, draw_line, draw_marks, legend_below, proxy
from figures.kinds.tables import (
    TABLES,
    Path,
    Tables,
    curves,
    decades,
    finite,
    frame,
    growing_ratio,
    where,
)
from figures.linear_runs import references
from figures.zhou2022 import local as zhou2022_local
from figures.zhou2022 import regret as zhou2022_regret
from figures.zhou2022.regret import (
    AGENTS,
    ALPHA,
    DELTA,
    ENTRY,
    EPSILONS,
    PLANNED,
    REPLICATES,
    environment,
)
from privrl.agents.linear.kernels import terms, width_of
from privrl.agents.linear.linopt_vi import LinOptVI
from privrl.run import measure
from privrl.run.sweep import RunPlan
from privrl.types import Run

ID = "zhou2022_counters"
RIVER = "zhou2022/riverswim-3-relabelled"
BEST = "blt"
RIVER_REPLICATES = 8  # a run takes more than ten seconds
PLANS: list[RunPlan] = [
    RunPlan(
        entry,
        agent,
        counter,
        calibration,
        epsilon,
        episodes=PLANNED,
        replicates=RIVER_REPLICATES if entry == RIVER else REPLICATES,
    )
    for entry, agent, counter, calibration, epsilon in (
        *((ENTRY, agent, BEST, "tight", epsilon) for agent in AGENTS for epsilon in EPSILONS),
        *((ENTRY, AGENTS[0], counter, "tight", 1.0) for counter in ("honaker", "smooth")),
        (ENTRY, AGENTS[0], BEST, "corrected", 1.0),
        *(
            (RIVER, AGENTS[0], counter, "tight", epsilon)
            for counter, epsilon in ((BEST, 100.0), ("tree", 100.0), (BEST, 10.0), (BEST, 1.0))
        ),
    )
]
NOISE = (
    ("tree", "printed"),
    ("tree", "corrected"),
    ("local", "tight"),
    ("tree", "tight"),
    ("honaker", "tight"),
    ("smooth", "tight"),
    ("blt", "tight"),
)
CURVES = (
    ("tree", "printed"),
    ("tree", "corrected"),
    ("local", "tight"),
    ("tree", "tight"),
    ("blt", "tight"),
)
MESSAGE = "The counter blt and tight constants need far fewer users than the printed tree"
CAPTION = """At equal privacy the counter `blt` and tight constants need about 46 (41 to 55) times
fewer users than the printed tree (value iteration, epsilon = 1). Mixture-2, K = 10^6 planned
episodes, delta = 10^-6; first four panels: epsilon = 1. Top, from formulas: standard deviation of
the noise in a Gram entry of step 1, and the widths of both regressions, at the noisiest release so
far. Middle: regret so far over uniform play's, mean of 4 replicates with the 95 % t interval; both
constant actions are at 1.29. Bottom left: burn-in (docs/measure.md), median of 32 replicates with
its 95 % interval, marks set apart sideways; local at epsilon = 1 is not within 10^6. Bottom right:
value iteration, regret per user over the last fifth of what has been played, median and range of 8.
Under local privacy every user adds her own noise, and no other counter is open to her."""
ALT = """Six panels. Noise and width against the episode: local noise grows like the square root and
is above all tight counters from some hundred episodes on, the tree's steps rise slowly, blt lies
lowest, its noise by a factor of two and more. Regret over uniform play's falls from one, blt tight
first, then tree tight, corrected, printed; local ends near 0.7. Burn-in falls with epsilon, blt
lowest. On the river the line of blt at epsilon 100 falls to 0.37 within a million episodes, the
tree's to 0.50, those of blt at epsilon 10 and 1 to 0.56 and 0.77."""
recompute = partial(runs.recompute, PLANS)  # some minutes; resumable


# The runs made for this figure, in the order of ``PLANS``
long_runs = cache(partial(runs.read, ID))


@cache
def all_runs(folder: Path = TABLES) -> tuple[Run, ...]:
    """Every private run on the mixture: over trees, over better counters, and local."""
    runs = zhou2022_regret.long_runs(folder) + long_runs(folder) + zhou2022_local.long_runs(folder)
    return tuple(run for run in runs if run.id == ENTRY and run.epsilon < inf)


def noise_and_width(
    counter: str, calibration: str, episode: int, epsilon: float = 1.0
) -> tuple[float, float]:
    """Standard deviation in a Gram entry of step 1 of the noisiest release that the plans up to
    ``episode`` read, and the sum of both widths of step 1 at that release.

    Up to release t the noisiest one of a tree ends at t or at 2^j - 1.
    """
    scales = LinOptVI(epsilon, DELTA, ALPHA, counter, calibration).calibrate(environment(), PLANNED)
    last = episode - 1
    times = {
        last,
        *(
            (1 << level) - 1
            for level in range(1, last.bit_length() + 1)
            if (1 << level) - 1 <= last
        ),
    }
    n = max(float(terms(scales.growth, time)) for time in times)
    width = sum(
        width_of(regression.bonus[0], last, n, 0.0)
        for regression in (scales.transitions, scales.rewards)
    )
    return float(scales.transitions.gram[0]) * sqrt(n), float(width)


def burn_ins(folder: Path = TABLES) -> pd.DataFrame:
    """Burn-in and regret of every private setting on the mixture, and how many times fewer users
    than printed, with the 95 % interval: all are planned for as many."""
    rows = []
    printed = {
        (run.agent, run.epsilon): learnt.users(run, folder)
        for run in all_runs(folder)
        if (run.counter, run.calibration) == ("tree", "printed")
    }
    for run in all_runs(folder):
        fewer = measure.ratio(printed[run.agent, run.epsilon], learnt.users(run, folder))
        rows.append(
            (
                run.agent,
                run.counter,
                run.calibration,
                run.epsilon,
                *learnt.numbers(run, folder),
                *style.spread(run.regret[:, -1]),
                *fewer,
            )
        )
    return frame(
        rows,
        f"agent counter calibration epsilon {learnt.COLUMNS} regret low high fewer fewer_low "
        "fewer_high",
    )


def tables(folder: Path = TABLES) -> Tables:
    marks = np.unique(np.round(np.geomspace(2, PLANNED, 57)).astype(np.int64))
    noise = [
        (counter, calibration, int(mark), *noise_and_width(counter, calibration, int(mark)))
        for counter, calibration in NOISE
        for mark in marks
    ]
    runs = tuple(
        run
        for run in all_runs(folder)
        if run.epsilon == 1 and (run.counter, run.calibration) in CURVES
    )
    lines = [
        (entry, name, rate)
        for entry in (ENTRY, RIVER)
        for name, rate in references(entry).items()
        if name != "trivial"
    ]
    river = [
        growing_ratio(run, references(RIVER)["uniform"], "counter epsilon")
        for run in long_runs(folder)
        if run.id == RIVER
    ]
    return {
        "noise": frame(noise, "counter calibration episode noise width"),
        "runs": curves(runs, decades(6), "agent counter calibration epsilon"),
        "lines": frame(lines, "entry line regret"),
        "burn_in": burn_ins(folder),
        "river": pd.concat(river, ignore_index=True),
    }


NAMES = {
    ("tree", "printed"): "tree, printed",
    ("tree", "corrected"): "tree, corrected",
    ("local", "tight"): "local",
    ("tree", "tight"): "tree, tight",
    ("smooth", "tight"): "honaker, smooth",
    ("blt", "tight"): "blt",
}
COUNTER_COLOURS = {  # of other counters than the paper's, which are tight
    "local": style.PALETTE[5],
    "honaker": style.PALETTE[7],
    "smooth": style.PALETTE[7],
    BEST: style.COLOURS["other"],
}
DASHES: dict[str, Any] = {
    "tree": "-",
    "local": (0, (1, 1)),
    "honaker": (0, (6, 1.5)),
    "smooth": (0, (3, 1, 1, 1)),
    BEST: (0, (3, 1)),
}
WIDTHS = dict.fromkeys(DASHES, 1.1) | {BEST: 1.9}
SHAPES = {"tree": "o", "local": "s", "honaker": "^", "smooth": "v", "blt": "D"}


def draw(tables: Tables) -> Figure:
    figure, grid = style.figure(8.2, 3, 2)
    for axes, name, label in zip(
        grid[0], ("noise", "width"), ("noise in a Gram entry", "width, step 1"), strict=True
    ):
        for (counter, calibration), rows in tables["noise"].groupby(
            ["counter", "calibration"], sort=False
        ):
            draw_line(
                axes,
                rows,
                "episode",
                name,
                colour(str(counter), str(calibration)),
                DASHES[counter],
                linewidth=WIDTHS[counter],
            )
            if named := NAMES.get((str(counter), str(calibration))):
                axes.annotate(
                    named,
                    (PLANNED, rows[name].iloc[-1]),
                    (3, 0),
                    textcoords="offset points",
                    va="center",
                    fontsize=7,
                    color=colour(str(counter), str(calibration)),
                )
        axes.set(
            xscale="log",
            yscale="log",
            xlim=(2, 5e8),
            xlabel="episode k",
            ylabel=label,
            title=f"{name}, ε = 1",
        )
        axes.set_xticks([1e2, 1e4, 1e6])
    for axes, agent in zip(grid[1], AGENTS, strict=True):
        _regret(axes, tables, agent)
    for panel, height, words in (
        (grid[1, 1], "blind", "rewards known"),
        (grid[1, 1], "uniform", "uniform play"),
        (grid[1, 1], "action 0", "one action"),
    ):
        rates = where(tables["lines"], entry=ENTRY).set_index("line")["regret"]
        panel.annotate(
            words,
            (150, rates[height] / rates["uniform"]),
            (0, 1 if height != "blind" else -1),
            textcoords="offset points",
            va="bottom" if height != "blind" else "top",
            fontsize=7,
            color=style.GREY,
        )
    _burn_in(grid[2, 0], tables["burn_in"])
    grid[2, 0].annotate("honaker,\nsmooth", (0.06, 8e3), ha="center", va="top", fontsize=7,
                        color=style.GREY)  # fmt: skip
    _river_panel(grid[2, 1], tables)
    _legend(grid[0, 0])
    return legend_below(figure, grid[0, 0], 4, columnspacing=1.2)


def colour(counter: str, calibration: str) -> str:
    """The calibration's over the paper's tree, one of its own for each other counter."""
    return COUNTER_COLOURS.get(counter) or style.COLOURS[calibration]


def _legend(axes: Axes) -> None:
    """Colours are noises, filled marks value iteration."""
    for counter, calibration in CURVES:
        proxy(
            axes,
            f"{counter}, {calibration}",
            linestyle=DASHES[counter],
            marker=SHAPES[counter],
            linewidth=WIDTHS[counter],
            color=colour(counter, calibration),
        )
    proxy(axes, "value iteration", marker="o")
    proxy(axes, "policy optimisation", marker="o", markerfacecolor="white")


def _levels(axes: Axes, lines: pd.DataFrame, entry: str, names: tuple[str, ...]) -> None:
    rates = where(lines, entry=entry).set_index("line")["regret"]
    linear_runs.draw_references(
        axes, rates, names, rates["uniform"], labels=False, linewidth=0.9, zorder=1
    )


def _regret(axes: Axes, tables: Tables, agent: str) -> None:
    uniform = where(tables["lines"], entry=ENTRY, line="uniform")["regret"].iloc[0]
    _levels(axes, tables["lines"], ENTRY, ("uniform", "action 0", "action 1", "blind"))
    for counter, calibration in CURVES:
        rows = where(tables["runs"], agent=agent, counter=counter, calibration=calibration)
        draw_curve(
            axes,
            rows,
            "episodes",
            "regret",
            colour(counter, calibration),
            DASHES[counter],
            unit=uniform * rows["episodes"],
            linewidth=WIDTHS[counter],
        )
    for bands in axes.collections:
        bands.set_alpha(0.1)
    axes.set(
        xscale="log",
        xlim=(100, PLANNED),
        ylim=(0, 1.35),
        xlabel="episodes",
        ylabel="regret so far / uniform's",
        title=f"{'value iteration' if agent == AGENTS[0] else 'policy optimisation'}, ε = 1",
    )


def _burn_in(axes: Axes, burn_ins: pd.DataFrame) -> None:
    settings = [
        key
        for key in NOISE
        if key in set(zip(burn_ins["counter"], burn_ins["calibration"], strict=True))
    ]
    reached = finite(burn_ins, PLANNED)
    for column, epsilon in enumerate(EPSILONS):
        for place, (counter, calibration) in enumerate(settings):
            shade = colour(counter, calibration)
            at = column + (place - len(settings) // 2) / (len(settings) + 1)
            both = where(reached, epsilon=epsilon, counter=counter, calibration=calibration)
            axes.plot([at] * len(both), both["burn_in"], color=shade, linewidth=0.6, zorder=1)
            for agent in AGENTS:
                rows = where(both, agent=agent)
                draw_marks(
                    axes,
                    [at] * len(rows),
                    rows,
                    "burn_in",
                    shade,
                    "burn_in_low",
                    "burn_in_high",
                    fmt=SHAPES[counter],
                    markersize=4,
                    markerfacecolor=shade if agent == AGENTS[0] else "white",
                    elinewidth=1.6,
                )
        if column:
            axes.axvline(column - 0.5, color=style.GREY, linewidth=0.5, zorder=0)
    axes.set(
        yscale="log",
        xlabel="ε",
        ylabel="burn-in, users",
        xlim=(-0.5, len(EPSILONS) - 0.5),
        ylim=(50, 2e6),
        title="burn-in",
    )
    axes.set_xticks(range(len(EPSILONS)), [f"{epsilon:g}" for epsilon in EPSILONS])
    axes.grid(visible=False, axis="x")


def _river_panel(axes: Axes, tables: Tables) -> None:
    _levels(axes, tables["lines"], RIVER, ("uniform", "action 0", "action 1"))
    axes.axhline(measure.SHARE, color=style.GREY, linewidth=0.8, linestyle=(0, (3, 2)), zorder=1)
    for (counter, epsilon), rows in tables["river"].groupby(["counter", "epsilon"], sort=False):
        draw_curve(
            axes,
            rows,
            "user",
            "ratio",
            colour(str(counter), "tight"),
            DASHES[str(counter)],
            linewidth=WIDTHS[str(counter)],
        )
        if counter == BEST:  # named above the place where it leaves uniform play
            at = rows["user"].iloc[int(np.argmax((rows["ratio"] < 0.93).to_numpy()))]
            axes.annotate(
                f"ε = {epsilon:g}",
                (at, 1.0),
                (0, 3),
                textcoords="offset points",
                fontsize=7,
                ha="center",
                color=colour(BEST, "tight"),
            )
    axes.set(
        xscale="log",
        xlim=(1000, PLANNED),
        ylim=(0.3, 1.3),
        xlabel="user in the middle of the window",
        ylabel="regret / uniform's",
        title="riverswim-3-relabelled, H = 6",
    )
