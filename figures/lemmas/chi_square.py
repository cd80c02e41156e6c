"""The chi-square tail and the norms drawn from it: as printed, as sharp as is known, exact.

Sources: chowdhury2021/lemma-13 (also lemma-5) and zhou2022/lemma-B.5; the norm bounds stand in
chowdhury2021/theorem-3 and in the proof of zhou2022/theorem-6.5.
"""

import math

import numpy as np
from scipy.optimize import brentq
from scipy.stats import chi2

from figures import style
from figures.kinds.lines import Figure
from figures.kinds.tables import TABLES, Path, Tables, frame
from theory.lemmas import chi_square

MESSAGE = "The printed tail is nearly Chernoff's; one printed norm bound is √2 too large"
CAPTION = """The printed tail holds and is nearly Chernoff's; of the two printed bounds on the norm
one is needlessly larger by the root of two. Left: thresholds that a chi-square variable with D
degrees of freedom exceeds with probability at most exp(-x), divided by the exact quantile. Printed:
D + 2 sqrt(D x) + 2x, proved for every D and x. Sharper: the best Chernoff exponent. Right: bounds
on the norm of D standard normals at failure probability 0.001, divided by the exact quantile: the
two that the papers print, sqrt(D) + sqrt(2x) and sqrt(2) times that, the square root of the lemma's
threshold, and that of the Chernoff threshold."""
ALT = """Left: ratios over x from 1 to 100 for D = 1, 10 and 100; they fall from about 6 for D = 1,
1.7 for D = 10 and
1.2 for D = 100 towards 1, the printed one always slightly above the Chernoff one. Right: four
falling lines over D from 1 to 1000; the bound of chowdhury2021 from 2.03 to 1.48, the one of
zhou2022 from 1.43 to 1.04, the other two below it."""
FREEDOMS = (1, 10, 100)
POINTS = tuple(float(x) for x in np.geomspace(1, 100, 29))
SIZES = tuple(sorted({round(d) for d in np.geomspace(1, 1000, 28)}))
FAILURE = 1e-3


def exact(freedom: int, x: float) -> float:
    """The u with P(U >= u) = exp(-x)."""
    return float(chi2.isf(math.exp(-x), freedom))


def chernoff_threshold(freedom: int, x: float) -> float:
    """The u at which the best Chernoff bound is exp(-x)."""
    top = chi_square.quantile_bound(freedom, x)
    return float(
        brentq(
            lambda u: chi_square.chernoff(freedom, u) + x, freedom, top * (1 + 1e-12), xtol=1e-12
        )
    )


def tables(folder: Path = TABLES) -> Tables:
    """``tail``: thresholds over x for each D. ``norm``: bounds on the norm over D at one failure
    probability."""
    tail = [
        (d, x, chi_square.quantile_bound(d, x), chernoff_threshold(d, x), exact(d, x))
        for d in FREEDOMS
        for x in POINTS
    ]
    x = -math.log(FAILURE)
    norm = []
    for d in SIZES:
        row = chi_square.norm_bounds(d, x)
        norm.append(
            (
                d,
                row.doubled,
                row.triangle,
                row.sharp,
                math.sqrt(chernoff_threshold(d, x)),
                math.sqrt(exact(d, x)),
            )
        )
    return {
        "tail": frame(tail, "freedom x printed chernoff exact"),
        "norm": frame(norm, "freedom doubled triangle sharp chernoff exact"),
    }


def draw(tables: Tables) -> Figure:
    figure, ((left_axes, right_axes),) = style.figure(3.1, 1, 2)
    dashes = dict(zip(FREEDOMS, ["-", (0, (5, 1.5)), (0, (1.5, 1.2))], strict=True))
    for freedom, rows in tables["tail"].groupby("freedom", sort=False):
        for name, colour, words in (
            ("printed", style.COLOURS["printed"], "printed"),
            ("chernoff", style.COLOURS["tight"], "best Chernoff"),
        ):
            left_axes.plot(
                rows["x"],
                rows[name] / rows["exact"],
                color=colour,
                linestyle=dashes[freedom],
                label=f"{words}, D = {freedom}",
            )
    left_axes.set(
        xscale="log",
        yscale="log",
        xlabel="x, for the probability exp(-x)",
        ylabel="threshold / exact quantile",
        title="chi-square tail",
    )
    left_axes.set_yticks([1, 1.5, 2, 3, 4, 6], ["1", "1.5", "2", "3", "4", "6"])
    left_axes.minorticks_off()
    norm = tables["norm"]
    looks = {
        "doubled": (style.COLOURS["printed"], "-", "chowdhury2021: √(2D) + √(4x)"),
        "triangle": (style.COLOURS["other"], (0, (5, 1.5)), "zhou2022: √D + √(2x)"),
        "sharp": (style.COLOURS["corrected"], (0, (1.5, 1.2)), "lemma: √(D + 2√(Dx) + 2x)"),
        "chernoff": (style.COLOURS["tight"], "-", "√ of the Chernoff threshold"),
    }
    for name, (colour, dash, words) in looks.items():
        right_axes.plot(
            norm["freedom"], norm[name] / norm["exact"], color=colour, linestyle=dash, label=words
        )
    right_axes.set(
        xscale="log",
        xlabel="dimension D",
        ylabel="bound / exact quantile",
        title="norm, failure probability 0.001",
        ylim=(0.97, 2.5),
    )
    for axes in (left_axes, right_axes):
        axes.legend()
        axes.axhline(1.0, color="black", linewidth=0.7, zorder=1)
    return figure
