"""The confidence set's size against the number of users: beta_K and its half-width along b
(chowdhury2021/lemma-1)."""

from math import inf
from typing import Any

import numpy as np

from figures import style
from figures.chowdhury2021 import regret as runs
from figures.kinds.lines import Figure, Look, draw_levels, draw_lines, legend_below, proxy
from figures.kinds.tables import TABLES, Path, Tables, frame

MESSAGE = "The smaller ε is, the more users it takes until the sign of b is known"
CAPTION = """The smaller epsilon is, the more users it takes until the sign of b is known, printed
by about a decade for each tenth of it. Scalar system, delta = 10^-6, alpha = 0.1, agents planned
for K episodes; solid: printed, dotted: tight. Left: the radius beta_K of lemma 1 at its largest,
which grows only like a power of ln K. Right: the half-width of the last confidence set along b, a
held fixed, had the optimal policy been played; its controls are small, so they teach little. Where
it falls below b = 0.5 (horizontal) the sign of b is known: the predicted horizon (dots, printed), a
heuristic from which the plans' K are taken. Above 1 the set says nothing about b."""
ALT = """Two log-log panels against K from 100 to 10^9. Left: nearly flat lines, one per epsilon, a
factor of the root of ten apart, the one without privacy lowest. Right: lines that are flat at first
and then fall with slope minus one half, crossing b = 0.5 about one decade further right for each
tenth of epsilon."""
SHADES = dict(zip((*runs.EPSILONS, inf), (*style.PALETTE[:4], style.COLOURS["base"]), strict=True))


def tables(folder: Path = TABLES) -> Tables:
    marks = sorted({round(10 ** (k / 4)) for k in range(8, 37)})
    rows = [
        (
            epsilon,
            name,
            mark,
            runs.radius(mark, runs.regularity(mark, epsilon, name)),
            runs.half_axis(mark, epsilon, name),
        )
        for epsilon in (*runs.EPSILONS, inf)
        for name in runs.DRAWN_CALIBRATIONS
        if epsilon < inf or name == "printed"
        for mark in marks
    ]
    ends = [
        (epsilon, name, runs.horizon_of(epsilon, name))
        for epsilon in runs.EPSILONS
        for name in runs.DRAWN_CALIBRATIONS
    ]
    ends.append((inf, "printed", runs.horizon_of(inf, "printed")))
    return {
        "sets": frame(rows, "epsilon calibration episodes radius half_axis"),
        "horizons": frame(ends, "epsilon calibration episodes"),
    }


def draw(tables: Tables) -> Figure:
    figure, grid = style.figure(3.6, 1, 2)
    size = abs(float(runs.environment().B[0, 0]))
    looks: dict[Any, Look] = {}
    for epsilon, colour in SHADES.items():
        looks["printed", epsilon] = (
            colour,
            "-",
            "no privacy" if epsilon == inf else f"ε = {epsilon:g}",
        )
        looks["tight", epsilon] = (colour, (0, (1, 1.5)), None)
    for axes, name, label in zip(
        grid[0], ("radius", "half_axis"), ("$\\beta_K$", "half-width along b"), strict=True
    ):
        draw_lines(axes, tables["sets"], "calibration epsilon", "episodes", name, looks)
        axes.set(xscale="log", yscale="log", xlabel="K", ylabel=label, xlim=(100, 1e9))
        axes.set_xticks(10.0 ** np.arange(2, 10, 2))
    for words, dash in (("printed", "-"), ("tight", (0, (1, 1.5)))):
        proxy(grid[0, 0], words, color=style.GREY, linestyle=dash)
    draw_levels(grid[0, 1], [(size, style.LINES["bound"], None), (1, "-", None)])
    for row in tables["horizons"].query("calibration == 'printed'").itertuples():
        grid[0, 1].plot(
            [row.episodes], [size], "o", color=SHADES[float(str(row.epsilon))], markersize=4
        )
    return legend_below(figure, grid[0, 0], 4)
