"""The binary mechanism: how many nodes hold an item, and the largest error of a Gaussian tree over
all releases.

Sources: chowdhury2021/tree-levels, equation-noise-1; zhou2022/lemma-6.1; vietri2020/algorithm-5.
The error of Laplace trees, with its certified quantiles, is drawn in ``vietri2020_counter_error``.
"""

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from figures import style
from figures.kinds.lines import Figure, draw_line, draw_marks
from figures.kinds.tables import TABLES, Path, Tables, frame
from figures.lemmas.gaussian_matrix import order_interval
from privrl.types import FloatArray
from theory.lemmas import gaussian_matrix
from theory.lemmas.tree import levels, lowbit
from theory.papers import tree_levels

MESSAGE = "A tree needs logarithms to base 2; the papers' bound on its error is loose"
CAPTION = """A tree needs logarithms to base 2, rounded up; natural ones are too small, and the
papers' bound on the error is four to five times too large. Left: the most nodes of a tree that hold
one episode, counted by exhaustion for every K up to 4096 (releases 1 to K - 1), and three formulas:
ceil(log2 K) is exact; ceil(ln K), a reading of `zhou2022/lemma-6.1`, is too small at 5 to 7 and
from 9 on; ln K, in `vietri2020/algorithm-5`, from 2 on. Right: the absolute error that one scalar
tree with standard normal nodes exceeds at some release with probability at most 0.05: the papers'
matrix bound at dimension one, the sharper matrix bound in its place, the union bound over releases
with each one's own variance, and the sampled quantile of 2000 trees with its 95 % interval."""
ALT = """Left: a staircase to 12 at K = 4096, ceil(log2 K) on it, the natural logarithms below it,
at 9 and 8.3 there. Right: all lines grow with K from 2 to 4096; the papers' matrix bound is four to
five times the sampled quantile, the sharper one about three times, the union bound lies just above
the points."""
FAILURE = 0.05
MOST = 4096
REPLICATES = 2000
SEED = 20211207


def union_bound(episodes: int) -> float:
    """The x with sum over releases 1..K-1 of P(|N(0, popcount)| > x) = FAILURE; releases with one
    popcount together."""
    bits = [time.bit_count() for time in range(1, episodes)]
    counts = {number: bits.count(number) for number in set(bits)}

    def excess(x: float) -> float:
        return (
            sum(2 * c * float(ndtr(-x / math.sqrt(number))) for number, c in counts.items())
            - FAILURE
        )

    return float(brentq(excess, 0.1, 100.0, xtol=1e-12))


def matrix_bound(episodes: int, sharp: bool) -> float:
    """equation-noise-1 at n + d = 1, sigma = 1, K - 1 releases at FAILURE together; or the sharper
    lemma in its place.

    Each release has variance at most m and fails with probability FAILURE/(K - 1) = 2 exp(-t^2/2).
    """
    t = math.sqrt(2 * math.log(2 * (episodes - 1) / FAILURE))
    bound = gaussian_matrix.sharp_symmetric if sharp else gaussian_matrix.printed_symmetric
    return math.sqrt(levels(episodes - 1)) * bound(1, t)


def sampled(sizes: tuple[int, ...], rng: np.random.Generator) -> list[FloatArray]:
    """For each K in ``sizes`` (REPLICATES,) draws of the largest |error| over releases 1..K-1; unit
    normal nodes."""
    nodes = np.zeros((levels(max(sizes) - 1), REPLICATES))
    largest, sampled_norms = np.zeros(REPLICATES), []
    for time in range(1, max(sizes)):
        level = lowbit(time).bit_length() - 1
        nodes[:level] = 0.0
        nodes[level] = rng.standard_normal(REPLICATES)
        np.maximum(largest, np.abs(nodes.sum(axis=0)), out=largest)
        if time + 1 in sizes:
            sampled_norms.append(largest.copy())
    return sampled_norms


def tables(folder: Path = TABLES) -> Tables:
    """``levels`` at both sides of every step; ``error`` at powers of two: bounds and the sampled
    quantile."""
    rows = tree_levels.counts(MOST)
    ends = {2**power for power in range(1, 13)} | {
        math.floor(math.exp(power)) for power in range(1, 9)
    }
    steps = sorted({k for end in ends for k in (end, end + 1) if k <= MOST})
    counted = [
        (
            k,
            max(rows[k - 1].used_blocks, rows[k - 1].in_release),
            tree_levels.base_two(k),
            tree_levels.natural(k),
            math.log(k),
        )
        for k in steps
    ]
    sizes = tuple(2**power for power in range(1, 13))
    norms = sampled(sizes, np.random.default_rng(SEED))
    error = [
        (
            k,
            matrix_bound(k, sharp=False),
            matrix_bound(k, sharp=True),
            union_bound(k),
            *order_interval(values, FAILURE),
        )
        for k, values in zip(sizes, norms, strict=True)
    ]
    return {
        "levels": frame(counted, "episodes counted log2 natural logarithm"),
        "error": frame(error, "episodes printed sharp union sampled low high"),
    }


def draw(tables: Tables) -> Figure:
    figure, ((left_axes, right_axes),) = style.figure(3.2, 1, 2)
    rows, error = tables["levels"], tables["error"]
    for axes, table, name, look in (
        (left_axes, rows, "log2", (style.COLOURS["tight"], "-", "⌈log₂ K⌉")),
        (left_axes, rows, "natural", (style.COLOURS["printed"], (0, (5, 1.5)), "⌈ln K⌉")),
        (left_axes, rows, "logarithm", (style.COLOURS["other"], (0, (1.5, 1.2)), "ln K")),
        (
            right_axes,
            error,
            "printed",
            (style.COLOURS["printed"], "-", "papers' matrix bound, n + d = 1"),
        ),
        (
            right_axes,
            error,
            "sharp",
            (style.COLOURS["corrected"], (0, (5, 1.5)), "sharper matrix bound"),
        ),
        (
            right_axes,
            error,
            "union",
            (style.COLOURS["tight"], (0, (1.5, 1.2)), "union bound, own variances"),
        ),
    ):
        draw_line(axes, table, "episodes", name, *look)
    left_axes.plot(
        rows["episodes"], rows["counted"], "o", color="black", markersize=3, label="counted"
    )
    left_axes.set(
        xlabel="episodes K", ylabel="nodes", title="nodes that hold one episode", ylim=(0, 15)
    )
    draw_marks(
        right_axes,
        error["episodes"],
        error,
        "sampled",
        "black",
        markersize=3,
        capsize=2,
        label="sampled, 95 % interval",
    )
    right_axes.set(
        xlabel="episodes K",
        ylabel=r"error, $\sigma = 1$",
        title="largest error, probability 0.05",
        ylim=(0, 62),
    )
    for axes in (left_axes, right_axes):
        axes.set_xscale("log", base=2)
        axes.legend(loc="upper left")
    return figure
