"""Self-normalised concentration and the elliptical potential, as the papers use them.

Sources: chowdhury2021/lemma-1 and zhou2022/lemma-3.1 (the concentration inside), claim-2 and
section 7.1 (the sums).
"""

import math

import numpy as np

from figures import style
from figures.kinds.lines import Figure, draw_line, draw_marks
from figures.kinds.tables import TABLES, Path, Tables, frame
from theory.lemmas import self_normalised
from theory.rigor.sampling import clopper_pearson

MESSAGE = "The self-normalised bound and the bound on its sums hold with room to spare"
CAPTION = """The self-normalised bound and the bound on its sums hold, with room to spare. Left: the
probability that the self-normalised bound is violated at some step, against the probability alpha
that it allows. Line: exact for dimension one, 24 fair signs and the best adaptive choice among
vectors of size 1, 2 and 3. Points: 2000 paths of 60 steps with noise on the unit circle, in
dimension three with two columns, vectors chosen against the bound; 95 % intervals. Right: sums of
min(1, squared norm in the inverse) for sequences of 400 vectors in dimension five, the papers'
bound 2 ln(det ratio) and the least factor 1/ln 2."""
ALT = """Left: all probabilities lie below the diagonal, the exact line by a factor between 2 and
12, the points far below it. Right: for three sequences of vectors the sum is 25 to 30, the bound
with the factor 1/ln 2 is 32 or 65, the papers' 44 or 90."""
ALPHAS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
STEPS, SIZES, REGULARISER = 24, (1, 2, 3), 1
PATHS, LENGTH, DIMENSION, COLUMNS = 2000, 60, 3, 2
SEED = 20110621
VECTORS, WIDTH = 400, 5
SEQUENCES = {"axes, λ = 1": 1.0, "axes, λ = 0.01": 0.01, "random, λ = 1": 1.0}


def sequence(name: str, rng: np.random.Generator) -> np.ndarray:
    """(VECTORS, WIDTH): unit vectors along the axes in turn, or in random directions."""
    if name.startswith("axes"):
        return np.eye(WIDTH)[np.arange(VECTORS) % WIDTH]
    drawn = rng.standard_normal((VECTORS, WIDTH))
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))


def tables(folder: Path = TABLES) -> Tables:
    rng = np.random.default_rng(SEED)
    traces, logs = self_normalised.sample_paths(LENGTH, DIMENSION, COLUMNS, 1.0, PATHS, rng)
    violation = []
    for alpha in ALPHAS:
        count = int((self_normalised.ratio_to_radius(traces, logs, alpha, COLUMNS) > 1).sum())
        exact = self_normalised.crossing_probability(STEPS, SIZES, REGULARISER, alpha)
        violation.append((alpha, exact, count / PATHS, *clopper_pearson(count, PATHS, 0.05)))
    potential = []
    for name, regulariser in SEQUENCES.items():
        potentials = self_normalised.potential(sequence(name, rng).tolist(), regulariser)
        potential.append(
            (name, potentials.clipped, potentials.log_ratio / math.log(2), 2 * potentials.log_ratio)
        )
    return {
        "violation": frame(violation, "alpha exact sampled low high"),
        "potential": frame(potential, "sequence sum least printed"),
    }


def draw(tables: Tables) -> Figure:
    figure, ((left_axes, right_axes),) = style.figure(3.3, 1, 2)
    rows = tables["violation"]
    draw_line(
        left_axes, rows, "alpha", "alpha", style.COLOURS["printed"], label=r"allowed: $\alpha$"
    )
    draw_line(
        left_axes,
        rows,
        "alpha",
        "exact",
        style.COLOURS["tight"],
        marker="s",
        markersize=3,
        label="exact, best adversary, p = n = 1",
    )
    draw_marks(
        left_axes,
        rows["alpha"],
        rows,
        "sampled",
        "black",
        markersize=3,
        capsize=2,
        label="sampled, p = 3, n = 2",
    )
    left_axes.set(
        xscale="log",
        xlabel=r"$\alpha$",
        ylabel="probability of a violation",
        title="self-normalised bound",
    )
    left_axes.set_yscale("symlog", linthresh=1e-3)
    left_axes.set_ylim(0, 1)
    figure.legend(*left_axes.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    rows = tables["potential"]
    place = np.arange(len(rows))
    looks = {
        "sum": ("black", "the sum"),
        "least": (style.COLOURS["tight"], "ln(det ratio)/ln 2"),
        "printed": (style.COLOURS["printed"], "papers: 2 ln(det ratio)"),
    }
    for shift, (name, (colour, words)) in enumerate(looks.items()):
        right_axes.bar(place + (shift - 1) * 0.27, rows[name], 0.25, color=colour, label=words)
    right_axes.set_xticks(place, [name.replace(", ", "\n") for name in rows["sequence"]])
    right_axes.grid(axis="x", visible=False)
    right_axes.set(
        title="elliptical potential",
        ylabel="sum over 400 vectors",
        ylim=(0, 1.4 * float(rows["printed"].max())),
    )
    right_axes.legend()
    return figure
