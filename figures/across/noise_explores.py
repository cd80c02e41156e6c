"""The noise explores, measured: greedy play on released sums, over epsilon, gap and multiplier,
beside posterior sampling and RLSVI."""

from itertools import product
from math import inf, nan, sqrt
from typing import Any

import numpy as np
import pandas as pd

from figures import profiles, runs, sampling, style
from figures.kinds.lines import Figure, draw_line, legend_below
from figures.kinds.tables import TABLES, Path, Tables, frame, where
from figures.style import markdown as markdown_table
from figures.style import number
from privrl import PrivateUCBVI
from privrl.environments import planning, suite
from privrl.privacy.counters import mechanisms
from privrl.run import measure, simulate, sweep
from privrl.types import FloatArray, TabularMDP
from theory.lemmas import greedy_noise
from theory.rigor.sampling import clopper_pearson

ID = "noise_explores"
RIVER = "vietri2020/riverswim-3-relabelled"
DELTA, NARROW = 1e-6, 1e-6  # NARROW: a multiplier that leaves no width
GAPS = (0.05, 0.1, 0.2, 0.4)
EPSILONS = (1.0, 10.0, 30.0, 100.0, 300.0, 1e3, 3e3, 1e4, 1e5)
WIDTHS = (1.0, 0.1, 0.01)
GAP = 0.2  # of the coins whose widths are varied, at these epsilons
VARIED = (1.0, 100.0, 1e4)
ANEW = (0.1, 0.4)  # gaps at which the noise is drawn anew, too
EPISODES = {"coins": 10_000, "river": 10_000}
REPLICATES = {"coins": 100, "river": 32}
NOISES = ("counter", "anew")
SAMPLERS = {"psrl": sampling.psrl, "rlsvi": sampling.rlsvi}
COLUMNS = ("noise", "world", "gap", "epsilon", "multiplier", "replicate", "late", "regret")
CELL = list(COLUMNS[:5])
MESSAGE = "The noise explores down to about a tenth of 1/gap"
CAPTION = """Private UCBVI over blt at delta = 10^-6, without widths (times 10^-6), on two coins and
on riverswim-3-relabelled (dashed), over the deviation of the noise on a released sum times the gap.
10,000 users, 100 runs (river: 32); epsilon falls from 10^5 to 1 from left to right. Left: share of
runs that have not learnt at their end (docs/measure.md), with 95 % intervals. Right: mean regret
over that of posterior sampling (PSRL) on the same problem. Dotted: as much noise, drawn anew for
each plan, for which regret is bounded by a theorem; it keeps no epsilon."""
ALT = """Two panels over the deviation of the noise times the gap, from a thousandth to tens. Left:
a share of runs that falls to zero where the product is about a tenth to one. Right: regret over
PSRL's, with a valley near the same place, rising to both sides."""


def coins(gap: float) -> TabularMDP:
    """Two arms that are coins, one state, one step; the worse one pays less by ``gap``."""
    return TabularMDP(
        f"coins-{gap:g}",
        np.ones((1, 2, 1)),
        np.array([[0.5 + gap / 2, 0.5 - gap / 2]]),
        np.ones(1),
        horizon=1,
    )


def world(name: str, gap: float) -> TabularMDP:
    """The coins of that gap, or the river."""
    return coins(gap) if name == "coins" else suite.tabular(RIVER)


def agent(epsilon: float, multiplier: float) -> PrivateUCBVI:
    """Private UCBVI over blt."""
    return PrivateUCBVI(epsilon, DELTA, counter="blt", multiplier=multiplier)


def deviation(name: str, gap: float, epsilon: float) -> float:
    """Standard deviation of the noise on a released sum, where it is largest."""
    planned = EPISODES[name]
    cost = mechanisms.counter_cost("blt", planned - 1)
    scale = agent(epsilon, NARROW).calibrate(world(name, gap), planned).scale
    return scale * sqrt(cost.largest)


def settings() -> list[tuple[str, str, float, float, float]]:
    """Noise, world, gap, epsilon and multiplier of every cell that private UCBVI plays."""
    river_gap = planning.smallest_gap(suite.tabular(RIVER))
    return [
        *(
            (noise, "coins", gap, epsilon, NARROW)
            for noise, gaps in zip(NOISES, (GAPS, ANEW), strict=True)
            for gap, epsilon in product(gaps, EPSILONS)
        ),
        *(("counter", "coins", GAP, *cell) for cell in product(VARIED, WIDTHS)),
        *(("counter", "river", river_gap, epsilon, NARROW) for epsilon in EPSILONS),
    ]


def play(cell: tuple[str, str, float, float, float], index: int) -> tuple[Any, FloatArray]:
    """Checkpoints and exact regret of one replicate of a cell of :func:`settings`."""
    noise, name, gap, epsilon, multiplier = cell
    mdp, planned, player = world(name, gap), EPISODES[name], agent(epsilon, multiplier)
    marks = simulate.checkpoints(planned)
    if noise == "counter":
        return marks, simulate.replicate(mdp, player, planned, None, 0, index)
    stream, uniforms, ties = simulate.streams(mdp, player, planned, None, 0, index)
    draws = np.random.default_rng((1, index)).standard_normal(stream[1:].shape)
    stream[1:] = deviation(name, gap, epsilon) * draws
    learner = player.start(mdp, planned, marks)
    learner.advance(stream, uniforms, ties)
    return marks, learner.state.regret


def sampled(name: str, gap: float, sampler: str) -> tuple[Any, FloatArray]:
    """Checkpoints and exact regret (R, C) of a sampler, all replicates."""
    return sampling.many(
        world(name, gap), SAMPLERS[sampler], EPISODES[name], REPLICATES[name], seed=0
    )


def recompute(path: Path, jobs: int = 1) -> None:
    """Run again: a minute of one core."""
    rows: list[tuple[Any, ...]] = []

    def note(cell: tuple[Any, ...], index: int, marks: Any, regret: FloatArray) -> None:
        late = measure.windows(marks, regret[None])[1][0, -1]
        rows.append((*cell, index, *(f"{value:.6g}" for value in (late, regret[-1]))))

    for cell in settings():
        for index in range(REPLICATES[cell[1]]):
            if profiles.current().has(EPISODES[cell[1]], index):
                note(cell, index, *play(cell, index))
    places = (*(("coins", gap) for gap in GAPS), ("river", settings()[-1][2]))
    for sampler, (name, gap) in product(SAMPLERS, places):
        if profiles.current().has(EPISODES[name], REPLICATES[name] - 1):  # side by side, or not
            marks, regrets = sampled(name, gap, sampler)
            for index, regret in enumerate(regrets):
                note((sampler, name, gap, inf, 1.0), index, marks, regret)
    if rows:
        sweep.write_table(
            path,
            frame(rows, " ".join(COLUMNS)),
            {
                "environments": {RIVER: sweep.environment_hash(RIVER)},
                "planned": EPISODES,
                "replicates": REPLICATES,
            },
        )


def failed(rows: pd.DataFrame, uniform: float) -> int:
    """How many have not learnt at their end (docs/measure.md): ``late`` is the mean regret per user
    over the last fifth."""
    return int((~measure.at_most_half(rows["late"], uniform)).sum())


def tables(folder: Path = TABLES) -> Tables:
    """``cells``: by noise, world, gap, epsilon and multiplier the deviation of the noise, its
    product with the gap, mean regret with its 95 % bootstrap interval, the same over PSRL's mean,
    and the
    runs that do not learn with the 95 % interval of their share."""
    table, rows = runs.table(ID, COLUMNS, folder), []
    means = table.groupby(["noise", "world", "gap"])["regret"].mean()
    for (noise, name, gap, epsilon, multiplier), cell in table.groupby(CELL, sort=False):
        private = noise not in SAMPLERS
        stuck = failed(cell, planning.uniform_regret(world(name, gap)))
        spread = deviation(name, gap, epsilon) if private else nan
        mean, low, high = style.resampled(cell["regret"])
        base = means["psrl", name, gap]
        shares = clopper_pearson(stuck, len(cell), 0.05)
        rows.append(
            (
                *(noise, name, gap, epsilon, multiplier, spread, spread * gap, mean, low, high),
                *(mean / base, low / base, high / base),
                *(stuck, len(cell), stuck / len(cell), *shares),
            )
        )
    return {
        "cells": frame(
            rows,
            "noise world gap epsilon multiplier deviation product regret low high over over_low "
            "over_high failed runs share least most",
        )
    }


def line(tables: Tables, noise: str, name: str, gap: float) -> pd.DataFrame:
    """The cells without widths of one noise and gap, over epsilon."""
    return where(tables["cells"], noise=noise, world=name, gap=gap, multiplier=NARROW)


def draw(tables: Tables) -> Figure:
    figure, ((left_axes, right_axes),) = style.figure(3.4, 1, 2, sharex=True)
    for place, gap in enumerate(GAPS):
        colour = style.PALETTE[place]
        rows = line(tables, "counter", "coins", gap)
        label = f"gap {gap:g}"
        draw_line(left_axes, rows, "product", "share", colour, "-", label, marker="o", markersize=3)
        left_axes.vlines(rows["product"], rows["least"], rows["most"], color=colour, linewidth=0.6)
        draw_line(right_axes, rows, "product", "over", colour, "-", marker="o", markersize=3)
        if gap in ANEW:
            anew = line(tables, "anew", "coins", gap)
            label = f"gap {gap:g}, drawn anew"
            draw_line(left_axes, anew, "product", "share", colour, ":", label)
            draw_line(right_axes, anew, "product", "over", colour, ":")
    river = tables["cells"][tables["cells"]["world"] == "river"]
    rows = river[river["noise"] == "counter"]
    draw_line(left_axes, rows, "product", "share", style.COLOURS["bound"], "--", "river")
    draw_line(right_axes, rows, "product", "over", style.COLOURS["bound"], "--")
    right_axes.axhline(1, color=style.COLOURS["bound"], linewidth=0.6)
    left_axes.set(
        xscale="log", xlabel="deviation of the noise times the gap", ylabel="runs that do not learn"
    )
    right_axes.set(
        yscale="log", xlabel="deviation of the noise times the gap", ylabel="regret / PSRL's"
    )
    return legend_below(figure, left_axes, 4)


def _regret(rows: pd.DataFrame) -> str:
    """Mean regret, its interval, and the runs that do not learn."""
    if rows.empty:
        return ""
    (row,) = rows.itertuples()
    never = f"; {row.failed} of {row.runs} never" if row.failed else ""
    return f"{number(row.regret, 2)} ({number(row.low, 2)} to {number(row.high, 2)}{never})"


def markdown(folder: Path = TABLES) -> str:
    """Regret by epsilon and gap, and of the samplers."""
    data = tables(folder)
    river = settings()[-1][2]
    worlds = (*(("coins", gap) for gap in GAPS), ("river", river))
    rows = []
    for epsilon in EPSILONS:
        cells = [
            _regret(where(line(data, "counter", name, gap), epsilon=epsilon))
            for name, gap in worlds
        ]
        size = number(deviation("coins", GAP, epsilon), 2)
        rows.append((f"{epsilon:g}", size, *cells))
    for sampler in SAMPLERS:
        cells = [
            _regret(where(data["cells"], noise=sampler, world=name, gap=gap))
            for name, gap in worlds
        ]
        rows.append((f"none: {sampler.upper()}", "", *cells))
    head = ("epsilon", "deviation, coins", *(f"gap {gap:g}" for gap in GAPS), "river")
    return markdown_table(head, rows)


def widths_markdown(folder: Path = TABLES) -> str:
    """Regret by epsilon and multiplier of the widths, at one gap."""
    cells = where(tables(folder)["cells"], noise="counter", world="coins", gap=GAP)
    multipliers = (*WIDTHS, NARROW)
    return markdown_table(
        ("epsilon", *(f"widths times {multiplier:g}" for multiplier in multipliers)),
        [
            (
                f"{epsilon:g}",
                *(
                    _regret(where(cells, epsilon=epsilon, multiplier=multiplier))
                    for multiplier in multipliers
                ),
            )
            for epsilon in VARIED
        ],
    )


def law_markdown(folder: Path = TABLES) -> str:
    """Who does not learn, with the exact 95 % interval of its probability, and what is proved."""
    data, gap, rows = tables(folder), ANEW[-1], []
    for epsilon in EPSILONS:
        noises = [where(line(data, noise, "coins", gap), epsilon=epsilon) for noise in NOISES]
        shares = [
            f"{row.failed} of {row.runs} ({row.least:.2g} to {row.most:.2g})"
            for cell in noises
            for row in cell.itertuples()
        ]
        spread = deviation("coins", gap, epsilon)
        plays = greedy_noise.plays_at_most(0.5 + gap / 2, gap, spread, EPISODES["coins"], 0.5)
        rows.append(
            (
                f"{epsilon:g}",
                number(spread * gap, 2),
                *shares,
                _regret(noises[1]).partition(";")[0].rstrip(")") + ")",
                number(min(plays, EPISODES["coins"]) * gap, 2),
            )
        )
    head = (
        "epsilon",
        f"deviation times gap {gap:g}",
        "a counter's noise: never (probability)",
        "drawn anew: never (probability)",
        "drawn anew: regret",
        "proved: at most",
    )
    return markdown_table(head, rows)
