"""lambda_min, lambda_max and nu of theorem 6.5 against the regularisers that trees really give."""

from functools import cache
from math import sqrt

import numpy as np

from figures import style
from figures.kinds.lines import Figure, draw_marks
from figures.kinds.tables import TABLES, Path, Tables, frame, where
from figures.zhou2022.regret import environment
from privrl.agents.linear.linopt_vi import LinOptVI
from privrl.diagnose.linear import LinearDiagnosis, diagnose
from theory.papers.zhou2022 import bounds
from theory.papers.zhou2022.private_regret import tree_norms

EPISODES, EPSILON = 1000, 1.0
DIMENSIONS = (1, 2, 4, 8, 16)
RELEASES, SAMPLES, ALPHA, SEED = 31, 200, 0.1, 66
MESSAGE = "The noise stays well inside the papers' bounds: less shift would do"
CAPTION = """The noise stays well inside the papers' bounds, so that less shift would do. Left: the
eigenvalues of every regulariser Z_k of one run (transitions and rewards, both steps, printed
constants, epsilon = 1, 1000 planned episodes on mixture-2), over the run's Sigma; assumption 2 asks
for 1 to 3 (dashed). Right: largest ||N_k|| and ||z_k|| over all releases of a tree, quantile at 1 -
alpha/4 of 200 trees of 31 releases (alpha = 0.1, H = 1), over the bound of theorem
6.5, per dimension, with the 95 % interval. The operator norm bound of lemma B.4 is larger than
needed by a factor that falls with d; the sharper one, for d = 1 exact, stays above the sampled
quantile too."""
ALT = """Left: eigenvalues against the episode, all between 1.8 and 2.3, between dashed lines at 1
and 3. Right: three lines of ratios against the dimension 1 to 16, between 0.2 and 0.8, all below 1:
the matrix bound as printed lowest, the sharp one above it, at d = 1 the highest of all, from 2 on
below the vector bound."""


@cache
def replayed() -> LinearDiagnosis:
    return diagnose(environment(), LinOptVI(EPSILON, 1e-6), EPISODES, seed=SEED)


def quantile(values: np.ndarray, level: float) -> tuple[float, float, float]:
    """A sample's quantile and the 95 % interval by order statistics."""
    ordered, n = np.sort(values), values.size
    half = 1.96 * sqrt(n * level * (1 - level))
    low, high = int(max(0, n * level - half)), int(min(n - 1, n * level + half))
    return float(np.quantile(values, level)), float(ordered[low]), float(ordered[high])


def tables(folder: Path = TABLES) -> Tables:
    """``run``: extreme eigenvalues over Sigma and the ratio of ||z|| to nu; ``quantiles`` by
    dimension."""
    replay = replayed()
    marks = np.unique(np.geomspace(1, EPISODES, 60).astype(int)) - 1
    rows = []
    for which, name in enumerate(("transitions", "rewards")):
        for step in range(environment().horizon):
            sigma, nu = replay.limits[which, :, step, 0], replay.limits[which, :, step, 2]
            low, high, length = (replay.regular[which, :, step, i] for i in range(3))
            rows += [
                (
                    name,
                    step + 1,
                    int(k) + 1,
                    low[k] / sigma[k],
                    high[k] / sigma[k],
                    length[k] / nu[k],
                )
                for k in marks
            ]
    width_rows = []
    root = sqrt(RELEASES.bit_length())
    for d in DIMENSIONS:
        norms = dict(zip(("matrix", "vector"), tree_norms(d, RELEASES, SAMPLES, SEED), strict=True))
        for name, norm, calibration in (
            ("matrix, printed", "matrix", "printed"),
            ("matrix, sharp", "matrix", "tight"),
            ("vector", "vector", "printed"),
        ):
            bound = bounds.matrix_norm if norm == "matrix" else bounds.vector_norm
            limit = root * bound(d, RELEASES + 1, 1, ALPHA, calibration)  # type: ignore[arg-type]
            middle_axes, low_end, high_end = quantile(norms[norm] / limit, 1 - ALPHA / 4)
            width_rows.append(
                (name, d, middle_axes, low_end, high_end, float((norms[norm] / limit).max()))
            )
    return {
        "run": frame(rows, "regression step episode low high nu"),
        "quantiles": frame(width_rows, "bound dimension ratio low_end high_end largest"),
    }


def draw(tables: Tables) -> Figure:
    figure, ((left_axes, right_axes),) = style.figure(3.0, 1, 2)
    for name, colour in (
        ("transitions", style.COLOURS["printed"]),
        ("rewards", style.COLOURS["corrected"]),
    ):
        rows = where(tables["run"], regression=name)
        for kind, shape in (("low", "v"), ("high", "^")):
            left_axes.plot(
                rows["episode"],
                rows[kind],
                shape,
                color=colour,
                markersize=2.5,
                label=f"{name}, {'least' if kind == 'low' else 'largest'}",
            )
    for level in (1.0, 3.0):
        left_axes.axhline(
            level, color=style.COLOURS["bound"], linestyle=style.LINES["bound"], linewidth=0.9
        )
    left_axes.set(
        xscale="log", ylim=(0.8, 3.2), xlabel="episode k", ylabel=r"eigenvalues of $Z_k$ / Σ"
    )
    left_axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.22), ncols=2, fontsize=7)
    for name, colour, shape in (
        ("matrix, printed", "printed", "o"),
        ("matrix, sharp", "tight", "D"),
        ("vector", "other", "s"),
    ):
        rows = where(tables["quantiles"], bound=name)
        draw_marks(
            right_axes,
            rows["dimension"],
            rows,
            "ratio",
            style.COLOURS[colour],
            "low_end",
            "high_end",
            fmt=shape,
            linestyle="-",
            markersize=3.5,
            elinewidth=0.8,
            capsize=2,
            label=name,
        )
    right_axes.axhline(
        1, color=style.COLOURS["bound"], linestyle=style.LINES["bound"], linewidth=0.9
    )
    right_axes.set(xscale="log", ylim=(0, 1.1), xlabel="d", ylabel="sampled quantile / bound")
    right_axes.set_xticks(DIMENSIONS, [str(d) for d in DIMENSIONS])
    right_axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.22), ncols=3, fontsize=7)
    return figure
