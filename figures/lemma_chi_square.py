"""The chi-square tail and the norms drawn from it: as printed, as sharp as is known, exact.

Sources: chowdhury2021/lemma-13 (also lemma-5) and zhou2022/lemma-B.5; the norm bounds stand in chowdhury2021/theorem-3
and in the proof of zhou2022/theorem-6.5.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy.optimize import brentq
from scipy.stats import chi2

from figures import style
from figures.runs import TABLES
from theory.lemmas import chi_square

ID = "lemma_chi_square"
CAPTION = (
    "Left: thresholds that a chi-square variable with D degrees of freedom exceeds with probability at most exp(-x), "
    "divided by the exact quantile. Printed: D + 2 sqrt(D x) + 2x, proved for every D and x. Sharper: the best "
    "Chernoff exponent. Right: bounds on the norm of D standard normals at failure probability 0.001, divided by the "
    "exact quantile: the two that the papers print, the square root of the lemma, and E||g|| + sqrt(2x), which "
    "Gaussian concentration gives."
)
ALT = (
    "Left: ratios between 1 and 1.8 over x from 0.5 to 100 for D = 1, 10, 100; the printed threshold is always above "
    "the Chernoff one, and both come down towards 1. Right: four nearly level lines over D from 1 to 1000; the bound "
    "of chowdhury2021 lies highest, near 1.4 to 1.9, and the one by concentration is the lowest from D = 2 on."
)
FREEDOMS = (1, 10, 100)
POINTS = tuple(float(x) for x in np.geomspace(0.5, 100, 31))
SIZES = tuple(sorted({int(round(d)) for d in np.geomspace(1, 1000, 28)}))
FAILURE = 1e-3


def exact(freedom: int, x: float) -> float:
    """The u with P(U >= u) = exp(-x)."""
    return float(chi2.isf(math.exp(-x), freedom))


def chernoff_threshold(freedom: int, x: float) -> float:
    """The u at which the best Chernoff bound is exp(-x)."""
    top = chi_square.quantile_bound(freedom, x)
    return float(brentq(lambda u: chi_square.chernoff(freedom, u) + x, freedom, top * (1 + 1e-12), xtol=1e-12))


def tables(folder: Path = TABLES) -> dict[str, pd.DataFrame]:
    """``tail``: thresholds over x for each D. ``norm``: bounds on the norm over D at one failure probability."""
    tail = [
        (d, x, chi_square.quantile_bound(d, x), chernoff_threshold(d, x), exact(d, x)) for d in FREEDOMS for x in POINTS
    ]
    x = -math.log(FAILURE)
    norm = [(d, *chi_square.norm_bounds(d, x), math.sqrt(exact(d, x))) for d in SIZES]
    return {
        "tail": pd.DataFrame(tail, columns=["freedom", "x", "printed", "chernoff", "exact"]),
        "norm": pd.DataFrame(norm, columns=["freedom", "sharp", "triangle", "doubled", "lipschitz", "exact"]),
    }


@style.styled
def draw(tables: dict[str, pd.DataFrame]) -> Figure:
    """Two panels of ratios to the exact quantile."""
    figure, grid = style.figure(3.1, 1, 2)
    left, right = grid[0]
    dashes = dict(zip(FREEDOMS, ["-", (0, (5, 1.5)), (0, (1.5, 1.2))], strict=True))
    for freedom, rows in tables["tail"].groupby("freedom", sort=False):
        for name, colour in (("printed", style.COLOURS["printed"]), ("chernoff", style.COLOURS["tight"])):
            words = "printed" if name == "printed" else "best Chernoff"
            left.plot(rows["x"], rows[name] / rows["exact"], color=colour, linestyle=dashes[freedom],
                      label=f"{words}, D = {freedom}")  # fmt: skip
    left.set(xscale="log", xlabel="x, for the probability exp(-x)", ylabel="threshold / exact quantile",
             title="chi-square tail")  # fmt: skip
    left.legend(ncols=1)
    norm = tables["norm"]
    looks = {
        "doubled": (style.COLOURS["printed"], "-", "chowdhury2021: √(2D) + √(4x)"),
        "triangle": (style.COLOURS["other"], (0, (5, 1.5)), "zhou2022: √D + √(2x)"),
        "sharp": (style.COLOURS["corrected"], (0, (1.5, 1.2)), "√(D + 2√(Dx) + 2x)"),
        "lipschitz": (style.COLOURS["tight"], "-", "E‖g‖ + √(2x)"),
    }
    for name, (colour, dash, words) in looks.items():
        right.plot(norm["freedom"], norm[name] / norm["exact"], color=colour, linestyle=dash, label=words)
    right.set(xscale="log", xlabel="dimension D", ylabel="bound / exact quantile",
              title="norm, failure probability 0.001", ylim=(0.97, 2.0))  # fmt: skip
    right.legend()
    for axes in (left, right):
        axes.axhline(1.0, color="black", linewidth=0.7, zorder=1)
    return figure
