"""Counters beside the binary mechanism: variance per release at equal privacy, and the bound below
all of them.

What each costs is decided in :mod:`theory.lemmas.counters`; the numbers are those of
:mod:`privrl.privacy.counters.mechanisms`.
"""

import numpy as np

from figures import style
from figures.kinds.lines import Figure, draw_line, draw_lines, legend_below
from figures.kinds.tables import TABLES, Path, Tables, frame, where
from privrl.privacy.counters import mechanisms

MESSAGE = "Buffered Toeplitz is close to the bound below all counters, the tree far above"
CAPTION = """Buffered Toeplitz has hardly more variance than the bound below every counter, the
papers' tree ten to seventeen times as much from 1,000 releases on. Variance of a release for unit
change of one user. Left:
Gaussian noise at mu = 1, the noisiest of R releases, exactly, and the nuclear-norm bound. Middle:
10,000 releases, mean (lines) and most (shaded) from each power of two to the next. Right: Laplace
noise at epsilon = 1. Rows in memory at R = 10^6, and operations per sum and release beside one
draw: tree 21 and 1; Honaker's tree 40 and 4; smooth binary 11 and 1; buffered Toeplitz 6 and 24;
signed digits 130 and 2; the square root keeps all draws, 2 million rows, and takes O(log^2 R)."""
ALT = """Left: staircases of the binary tree, of Honaker's tree at half of it and of the smooth
binary mechanism at a third rise to 700, 320 and 220 at a hundred million releases; buffered
Toeplitz and the square root lie on one line, 30 at a million, little above the bound at 26. Middle:
buffered Toeplitz rises from 4 to 16, the others reach 63 to 180. Right: the binary tree reaches
38,000, smooth binary a ninth of it, signed digits a fifteenth."""
LOOKS = {
    "tree": (style.COLOURS["printed"], "-", "binary tree"),
    "honaker": (style.PALETTE[9], (0, (5, 1.5)), "Honaker's tree"),
    "smooth": (style.COLOURS["other"], (0, (4, 1.5, 1, 1.5)), "smooth binary"),
    "sqrt": (style.COLOURS["base"], (0, (1.5, 1.2)), "square root"),
    "blt": (style.COLOURS["tight"], "-", "buffered Toeplitz"),
}
PURE = {name: LOOKS[name] for name in ("tree", "smooth")} | {
    "signed": (style.PALETTE[5], "-", "signed digits")
}
MOST, ROOT_MOST, SHOWN = 10**8, 2**22, 10**4


def tables(folder: Path = TABLES) -> Tables:
    """``largest``: by releases and counter, with the mean, memory and time; ``along``: by time, at
    SHOWN releases."""
    sizes = np.unique(np.round(np.geomspace(1, MOST, 4 * 8 + 1)).astype(np.int64)).tolist()
    rows = []
    for releases in sizes:
        for name in LOOKS:
            if name != "sqrt" or releases <= ROOT_MOST:
                cost = mechanisms.counter_cost(name, releases)
                rows.append(
                    (
                        releases,
                        "gaussian",
                        name,
                        cost.product,
                        cost.average,
                        cost.memory,
                        round(cost.steps),
                    )
                )
        for name in PURE:  # a Laplace draw has variance 2
            cost = mechanisms.counter_cost(name, releases, "laplace")
            rows.append(
                (
                    releases,
                    "laplace",
                    name,
                    2 * cost.product,
                    2 * cost.average,
                    cost.memory,
                    round(cost.steps),
                )
            )
        least = mechanisms.lower_bound(releases)
        rows.append((releases, "gaussian", "bound", least, least, 0, 0))
    starts = [2**power for power in range(SHOWN.bit_length())]
    along = []
    for name in LOOKS:
        cost = mechanisms.counter_cost(name, SHOWN)
        each = (
            mechanisms.counter_variance(name, np.arange(1, SHOWN + 1), SHOWN) * cost.sensitivity**2
        )
        for start in starts:
            window = each[start - 1 : 2 * start - 1]
            along.append((start, name, float(window.mean()), float(window.max())))
    return {
        "largest": frame(rows, "releases law counter largest mean memory steps"),
        "along": frame(along, "release counter mean most"),
    }


def draw(tables: Tables) -> Figure:
    figure, ((left_axes, right_axes, pure),) = style.figure(3.1, 1, 3)
    gaussian = where(tables["largest"], law="gaussian")
    draw_lines(
        pure, where(tables["largest"], law="laplace"), "counter", "releases", "largest", PURE
    )
    draw_lines(left_axes, gaussian, "counter", "releases", "largest", LOOKS)
    for name, (colour, dash, _) in LOOKS.items():
        rows = where(tables["along"], counter=name)
        draw_line(right_axes, rows, "release", "mean", colour, dash)
        right_axes.fill_between(
            rows["release"], rows["mean"], rows["most"], color=colour, alpha=0.15, linewidth=0
        )
    rows = where(gaussian, counter="bound")
    draw_line(
        left_axes,
        rows,
        "releases",
        "largest",
        style.COLOURS["bound"],
        style.LINES["bound"],
        "bound below all",
    )
    bound = float(rows["largest"].iloc[np.abs(rows["releases"] - SHOWN).argmin()])
    right_axes.axhline(bound, color=style.COLOURS["bound"], linestyle=style.LINES["bound"])
    left_axes.set(xlabel="releases R", ylabel="variance", title="Gaussian, noisiest")
    right_axes.set(xlabel="release", title="Gaussian, along 10,000")
    pure.set(xlabel="releases R", title="Laplace, noisiest")
    for axes in (left_axes, right_axes, pure):
        axes.set(xscale="log", yscale="log")
    return legend_below(figure, [left_axes, pure], 4)
