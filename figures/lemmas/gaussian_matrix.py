"""Operator norms of Gaussian matrices: as printed, as sharp as is known, exact or sampled.

Sources: chowdhury2021/lemma-11, lemma-12 (also lemma-4), zhou2022/lemma-B.3, lemma-B.4.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.stats import beta as beta_law

from figures import style
from figures.kinds.lines import Axes, Figure, draw_line, draw_marks
from figures.kinds.tables import TABLES, Path, Tables, frame, where
from privrl.privacy import gaussian_norms
from privrl.types import FloatArray
from theory.lemmas import gaussian_matrix

MESSAGE = "The printed norm bounds hold; the symmetric one is more than twice the norm"
CAPTION = """The printed bounds on Gaussian matrices hold; the symmetric one is more than twice as
large as the norm. The size that the operator norm of a Gaussian matrix exceeds with probability at
most 0.05, divided by the square root of the dimension. Left: symmetric n x n, entries on and above
the diagonal independent with variance one. Printed: 4 sqrt(n) + 2t. Proved at the same probability:
2 sqrt(n) + sqrt(2) t, and what its proof gives before rounding. Right: 2n x n, all entries
independent; the printed sqrt(2n) + sqrt(n) + t and its form before rounding. Points: the sampled
quantile of 2000 matrices with its 95 % interval; rings: the exact quantile."""
ALT = """Bounds fall with n, truths stay nearly level. Left, n from 1 to 64: sampled and exact
quantiles lie at 2 to
2.2, the printed bound falls from 9.4 to 4.7, the proved one from 5.8 to 2.5. Right, n from 1 to 32:
quantiles at about
2.5, the printed bound from 4.9 to 2.8, its form before rounding slightly below."""
FAILURE = 0.05
SIZES = (1, 2, 4, 8, 16, 32, 64)
REPLICATES = 2000
SEED = 20210315


def order_interval(
    values: FloatArray, failure: float, level: float = 0.05
) -> tuple[float, float, float]:
    """(quantile, low, high) of a sample (R,): the upper ``failure`` quantile, its exact interval by
    order statistics.

    The i-th smallest of R values lies below the quantile with probability P(Beta(i, R + 1 - i) < 1
    - failure).
    """
    ordered = np.sort(values)
    size = ordered.size
    ranks = np.arange(1, size + 1)
    below = beta_law.cdf(1 - failure, ranks, size + 1 - ranks)  # decreases in the rank
    low = int(ranks[below >= 1 - level / 2][-1])
    high = int(ranks[below <= level / 2][0])
    return (
        float(ordered[math.ceil((1 - failure) * size) - 1]),
        float(ordered[low - 1]),
        float(ordered[high - 1]),
    )


def exact(n: int, known: int, exceedance: Callable[[int, float], float]) -> float:
    """The exact quantile where the law is known, for n up to ``known``; not a number beyond."""
    return (
        math.nan
        if n > known
        else float(brentq(lambda x: exceedance(n, x) - FAILURE, 0.5, 20.0, xtol=1e-13))
    )


def tables(folder: Path = TABLES) -> Tables:
    """Columns: shape, n, printed, sharp, sharpest, exact, sampled, low, high (quantiles at FAILURE,
    sigma = 1)."""
    rng = np.random.default_rng(SEED)
    t_two, t_one = (math.sqrt(2 * math.log(sides / FAILURE)) for sides in (2, 1))
    rows = []
    for n in SIZES:
        interval = order_interval(gaussian_matrix.sample_norms(n, REPLICATES, rng), FAILURE)
        rows.append(
            (
                "symmetric",
                n,
                gaussian_matrix.printed_symmetric(n, t_two),
                gaussian_matrix.sharp_symmetric(n, t_two),
                gaussian_matrix.sharpest_symmetric(n, t_two),
                exact(n, 2, gaussian_matrix.exact_exceedance),
                *interval,
            )
        )
    for n in SIZES[:-1]:
        entries = rng.standard_normal((REPLICATES, 2 * n, n))
        interval = order_interval(
            np.sqrt(np.linalg.eigvalsh(np.swapaxes(entries, 1, 2) @ entries)[:, -1]), FAILURE
        )
        unrounded = gaussian_norms.mean_norm(2 * n) + gaussian_norms.mean_norm(n) + t_one
        rows.append(
            (
                "rectangular",
                n,
                gaussian_matrix.rectangular(2 * n, n, t_one),
                math.nan,
                unrounded,
                exact(n, 1, lambda n, x: gaussian_matrix.rectangular_exceedance(2 * n, x)),
                *interval,
            )
        )
    return {"norms": frame(rows, "shape n printed sharp sharpest exact sampled low high")}


def _panel(axes: Axes, table: pd.DataFrame, words: dict[str, str]) -> None:
    looks: dict[str, tuple[str, Any]] = {
        "printed": (style.COLOURS["printed"], "-"),
        "sharp": (style.COLOURS["corrected"], (0, (5, 1.5))),
        "sharpest": (style.COLOURS["tight"], (0, (1.5, 1.2))),
    }
    rows = table.drop(columns=["shape", "n"]).div(np.sqrt(table["n"]), axis=0).assign(n=table["n"])
    for name, text in words.items():
        draw_line(axes, rows, "n", name, *looks[name], text)
    draw_marks(
        axes,
        rows["n"],
        rows,
        "sampled",
        "black",
        markersize=3,
        capsize=2,
        label="sampled, 95 % interval",
    )
    draw_line(
        axes,
        rows,
        "n",
        "exact",
        style.COLOURS["bound"],
        "none",
        "exact",
        marker="o",
        markersize=8,
        markerfacecolor="none",
    )
    axes.set(xscale="log", xlabel="n")
    axes.set_xticks(rows["n"], [str(n) for n in rows["n"]])
    axes.set_ylim(0, 1.3 * axes.get_ylim()[1])  # room for the legend
    axes.legend(loc="upper right")


def draw(tables: Tables) -> Figure:
    table = tables["norms"]
    figure, ((left_axes, right_axes),) = style.figure(3.2, 1, 2)
    _panel(
        left_axes,
        where(table, shape="symmetric"),
        {
            "printed": "printed: 4√n + 2t",
            "sharp": "proved: 2√n + √2 t",
            "sharpest": "proved, before rounding",
        },
    )
    _panel(
        right_axes,
        where(table, shape="rectangular"),
        {"printed": "printed: √(2n) + √n + t", "sharpest": "before rounding"},
    )
    left_axes.set(ylabel="95 % quantile of the norm / √n", title="symmetric, n by n")
    right_axes.set(title="rectangular, 2n by n")
    return figure
