"""Collusion (vietri2020, section 2.2): one draw of noise is broken by users t-1 and t+1, the tree
is not.

The colluders know every bit but u_t. **One draw** for all running sums: the releases t-1 and t+1
share it, and their difference is u_t. **The tree**, node noise of scale b = levels(T)/epsilon: the
two releases differ by the nodes in one of them alone; at best (t = 5) that is one. All others
together see at most levels(T) - 1 nodes that contain item t, each moved by u_t, and for t = 1
exactly these, one by one (``theory.papers.vietri2020.joint_privacy``). So the best test of all
others is that of k = levels(T) - 1 Laplace draws.

**Its error curve.** One draw's loss L = (|x - 1| - |x|)/b under u_t = 0 has an atom 1/2 at 1/b, an
atom e^(-1/b)/2 at
-1/b, and P(L <= l) = e^(-(1/b - l)/2)/2 between. The sum Z of k losses is convolved on a grid with
every loss rounded up, and again rounded down; E (1 - e^(-Z))^+ rises with Z, so the two enclose the
total variation.
"""

from functools import cache
from math import exp
from typing import Any

import numpy as np
import pandas as pd
from scipy.signal import fftconvolve

from figures import style
from figures.kinds.lines import Axes, Figure, Look, draw_lines, draw_marks, legend_below
from figures.kinds.tables import TABLES, Path, Tables, frame, where
from privrl.checks import count, positive
from privrl.privacy.counters.tree import TreeCounter
from privrl.types import FloatArray
from theory.lemmas.tree import levels
from theory.papers.vietri2020.joint_privacy import guess
from theory.rigor.sampling import clopper_pearson

RELEASES = 1023
ATTACKED = 5  # releases 4 and 6 differ by one node: no t is easier
EPSILONS = tuple(float(f"{10 ** (power / 8):.6g}") for power in range(-8, 21))
SIMULATED = (0.1, 1.0, 10.0, 100.0)
SHOWN = (10.0, 1.0)  # epsilon of the left panel, and of the right one
TRIALS = 4000
CELLS = 4000  # of the grid between -1/b and 1/b
SEED = 5
MESSAGE = "One shared draw of noise gives a user's bit away; the tree does not"
CAPTION = """One shared draw of noise gives a user's bit away to her neighbours; the tree does not.
Others try to find out the bit of user t from noisy running sums, T = 1023. Left: what users t - 1
and t + 1 recover at epsilon = 10, in cells of 1/4: with one draw for all sums the bit itself, in
each of 4000 trials (spikes go on to 1); with the tree (levels(T)/epsilon, t = 5, the easiest) the
bit plus noise. Middle: probability of guessing a fair bit; lines are exact, marks simulated attacks
with 95 % Clopper-Pearson intervals. Right: hits against false alarms at epsilon = 1. 'All others'
is the best test of everybody but user t; it stays below e^epsilon/(1 + e^epsilon), what privacy
allows."""
ALT = """Three panels. Left: two spikes at 0 and 1 for one draw of noise, two broad overlapping
histograms around 0 and 1 for the tree. Middle: probability of a right guess against epsilon, 1
throughout for one draw; for the tree rising from one half, lowest for users t - 1 and t + 1, higher
for all others, below the limit of differential privacy. Right: the corner (0, 1) for one draw, and
curves near the diagonal below the limit's two straight lines for the tree."""
LOOKS: dict[str, Look] = {
    "one-draw": (style.COLOURS["bound"], "-", "one draw, users t ± 1"),
    "tree-neighbours": (style.COLOURS["tight"], style.LINES["ubev"], "tree, users t ± 1"),
    "tree-others": (style.COLOURS["printed"], "-", "tree, all others"),
    "limit": (style.GREY, (0, (1, 1.5)), "limit of ε-DP"),
}
COLOURS = {who: colour for who, (colour, *_) in LOOKS.items()}


def loss_law(scale: float, cells: int, up: bool) -> FloatArray:
    """(cells + 1,) law under u_t = 0 of one draw's loss on the grid from -1/scale to 1/scale,
    rounded up or down."""
    top = 1 / positive("scale", scale)
    grid = np.linspace(-top, top, count("cells", cells) + 1)
    below = np.exp(-(top - grid) / 2) / 2  # P(L <= l) left of the atom at 1/scale
    between = np.diff(below)
    law = np.zeros(cells + 1)
    law[0], law[-1] = below[0], 0.5
    law[slice(1, None) if up else slice(None, -1)] += between
    return law


def sum_law(
    draws: int, scale: float, cells: int = CELLS, up: bool = True
) -> tuple[FloatArray, FloatArray]:
    """(values, probabilities) of the sum of independent losses, in increasing order."""
    single = loss_law(scale, cells, up)
    law = single
    for _ in range(count("draws", draws) - 1):
        law = np.maximum(fftconvolve(law, single), 0.0)
    return np.linspace(-draws / scale, draws / scale, law.size), law


def total_variation(draws: int, scale: float, cells: int = CELLS) -> tuple[float, float]:
    """Lower and upper bound of the total variation between ``draws`` Laplace variables around 0 and
    around 1."""
    bounds = []
    for up in (False, True):
        values, law = sum_law(draws, scale, cells, up)
        gains = values > 0
        bounds.append(float(law[gains] @ -np.expm1(-values[gains])))
    return bounds[0], min(bounds[1], 1.0)


def error_curve(draws: int, scale: float) -> tuple[FloatArray, FloatArray]:
    """False alarms P(Z <= z | u_t = 0) and hits P(Z <= z | u_t = 1) of the best tests, both
    increasing."""
    values, law = sum_law(draws, scale)
    hits = np.cumsum(law * np.exp(-values))
    return np.concatenate(([0.0], np.cumsum(law))), np.concatenate(([0.0], hits / hits[-1]))


@cache
def success(who: str, epsilon: float) -> float:
    """Probability that they guess a fair u_t: exact, for all others the upper bound."""
    scale = levels(RELEASES) / epsilon
    if who == "limit":
        return 1 / (1 + exp(-epsilon))
    if who == "tree-others":
        return (1 + total_variation(levels(RELEASES) - 1, scale)[1]) / 2
    return 1.0 if who == "one-draw" else guess(ATTACKED, RELEASES, epsilon)


def recovered(
    who: str, epsilon: float, trials: int = TRIALS, seed: int = SEED
) -> tuple[FloatArray, FloatArray]:
    """Fair bits of user t, (trials,), and what users t - 1 and t + 1 make of their releases; all
    other bits are 1."""
    rng = np.random.default_rng([seed, round(1000 * epsilon), who == "one-draw"])
    bits = rng.integers(0, 2, trials).astype(np.float64)
    if who == "one-draw":
        noise = np.tile(rng.laplace(0.0, 1 / epsilon, trials), (ATTACKED + 1, 1))
    else:
        noise = TreeCounter(trials, RELEASES, levels(RELEASES) / epsilon, rng).block(ATTACKED + 1)
    items = np.ones((ATTACKED + 1, trials))
    items[ATTACKED - 1] = bits
    released = items.cumsum(axis=0) + noise  # row i: release i + 1
    return bits, released[ATTACKED] - items[ATTACKED] - released[ATTACKED - 2]


def tables(folder: Path = TABLES) -> Tables:
    """``guess``: exact success; ``attack``: simulated; ``curve``: hits over false alarms; ``seen``:
    histograms."""
    exact = [(who, epsilon, success(who, epsilon)) for who in LOOKS for epsilon in EPSILONS]
    attacks, recoveries = [], []
    edges = np.linspace(-4.125, 5.125, 38)
    for who in ("one-draw", "tree-neighbours"):
        for epsilon in SIMULATED:
            bits, value = recovered(who, epsilon)
            hits = int(((value > 0.5) == bits).sum())
            attacks.append((who, epsilon, hits / TRIALS, *clopper_pearson(hits, TRIALS, 0.05)))
            if epsilon == SHOWN[0]:
                for bit in (0, 1):
                    mine = value[bits == bit]
                    share = np.histogram(mine, edges)[0] / mine.size
                    middle_axes = (edges[1:] + edges[:-1]) / 2
                    recoveries += [
                        (who, bit, float(x), float(y))
                        for x, y in zip(middle_axes, share, strict=True)
                    ]
    scale = levels(RELEASES) / SHOWN[1]
    curves = {
        "one-draw": (np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0])),
        "tree-neighbours": error_curve(1, scale),
        "tree-others": error_curve(levels(RELEASES) - 1, scale),
    }
    alarms = np.linspace(0, 1, 101)
    rise = exp(SHOWN[1])
    curves["limit"] = (alarms, np.minimum(rise * alarms, 1 - (1 - alarms) / rise))
    points = []
    for who, (x, y) in curves.items():
        at, height = (alarms, np.interp(alarms, x, y)) if x.size > alarms.size else (x, y)
        points += [(who, float(a), float(b)) for a, b in zip(at, height, strict=True)]
    return {
        "guess": frame(exact, "who epsilon success"),
        "attack": frame(attacks, "who epsilon success low high"),
        "curve": frame(points, "who false_alarms hits"),
        "seen": frame(recoveries, "who bit recovered share"),
    }


def draw(tables: Tables) -> Figure:
    figure, ((left_axes, middle_axes, right_axes),) = style.figure(2.9, 1, 3)
    _recovered(left_axes, tables["seen"])
    draw_lines(middle_axes, tables["guess"], "who", "epsilon", "success", LOOKS)
    for who, shape in (("one-draw", "s"), ("tree-neighbours", "o")):
        rows = where(tables["attack"], who=who)
        draw_marks(
            middle_axes,
            rows["epsilon"],
            rows,
            "success",
            COLOURS[who],
            fmt=shape,
            markersize=3.5,
            elinewidth=1,
            capsize=2,
        )
    middle_axes.set(
        xscale="log",
        ylim=(0.48, 1.03),
        xticks=[0.1, 1, 10, 100],
        yticks=[0.5, 0.75, 1],
        xlabel="ε",
        ylabel="guess is right",
    )
    draw_lines(right_axes, tables["curve"], "who", "false_alarms", "hits", LOOKS, clip_on=False)
    right_axes.plot([0, 1], [0, 1], color="#c0c0c0", linewidth=0.7, zorder=1)
    right_axes.set(
        xlim=(0, 1),
        ylim=(0, 1),
        xticks=[0, 0.5, 1],
        yticks=[0, 0.5, 1],
        xlabel="false alarms",
        ylabel="hits",
        title=f"ε = {SHOWN[1]:g}",
    )
    return legend_below(figure, middle_axes, 4, columnspacing=1.2)


def _recovered(axes: Axes, recovered: pd.DataFrame) -> None:
    for who in ("one-draw", "tree-neighbours"):
        for bit, dash in ((0, "-"), (1, (0, (2, 1)))):
            rows = where(recovered, who=who, bit=bit)
            options: dict[str, Any] = {"color": COLOURS[who], "linestyle": dash, "linewidth": 1.1}
            if who == "one-draw":
                at = rows.loc[rows["share"].idxmax(), "recovered"]
                axes.plot([at, at], [0, 0.2], **options)
                axes.text(
                    at, 0.203, f"$u_t = {bit}$", ha="right" if bit == 0 else "left", fontsize=7
                )
            else:
                axes.step(rows["recovered"], rows["share"], where="mid", **options)
    axes.text(1.15, 0.185, "every trial", fontsize=7, color=COLOURS["one-draw"], va="center")
    axes.set(
        xlim=(-4, 5),
        ylim=(0, 0.22),
        xticks=[-4, -2, 0, 1, 3, 5],
        yticks=[0, 0.05, 0.1, 0.15, 0.2],
        xlabel="recovered by users t ± 1",
        ylabel="share of trials",
        title=f"ε = {SHOWN[0]:g}",
    )
