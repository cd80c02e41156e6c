"""Lemma 5.4 of liao2021 over (epsilon, theta_1, theta_2): how much of a divergence survives an
epsilon-LDP channel."""

import numpy as np
import pandas as pd

from figures import style
from figures.kinds.lines import Figure, draw_line
from figures.kinds.tables import TABLES, Path, Tables, frame, where
from privrl.types import FloatArray
from theory.papers.liao2021 import divergence

ID = "liao2021_divergence"
EPSILONS = tuple(float(epsilon) for epsilon in np.geomspace(0.02, 8, 53))
MEANS = tuple(float(mean) for mean in np.linspace(0.02, 0.98, 49))
AT = (0.3, 1.0, 3.0)
DRAWN, OUTPUTS, SEED = 400, 3, 54
MESSAGE = "Privacy multiplies divergences by tanh²(ε/2) at most, far below what is printed"
CAPTION = """Privacy shrinks divergences by tanh^2(epsilon/2) at least; the printed factor is at
least eight times as large, and below 1 it is false as printed. Lemma 5.4: KL of the privatised over
KL of the raw Bernoulli rewards with means theta_1 and theta_2. Left, over epsilon: the largest over
a grid of pairs for randomised response (every epsilon-LDP channel of a bit is a post-processing of
it), and for 400 drawn channels with three outputs (dots). In the shaded part, epsilon < 0.391, the
printed factor is below 1. Right: the ratio over tanh^2(epsilon/2) for randomised response at
epsilon = 1; it comes near 1 where both means are near one half."""
ALT = """Left: a log-log plot in which the grid's largest ratio lies on the curve tanh squared, dots
lie below it, and the printed factor crosses 1 at 0.391 and grows far above. Right: a map over the
two means, brightest in the middle, dark at the corners."""


def bernoulli(p: FloatArray, q: FloatArray) -> FloatArray:
    """KL of Bernoulli(p) from Bernoulli(q), all in (0, 1)."""
    return np.asarray(p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q)))


def ratios(epsilon: float) -> FloatArray:
    """KL(privatised)/KL(raw) for randomised response, (49, 49) over theta_1, theta_2; NaN on the
    diagonal."""
    first, second = np.meshgrid(np.array(MEANS), np.array(MEANS), indexing="ij")
    keep = 1 / (1 + np.exp(-epsilon))
    probabilities = [keep * mean + (1 - keep) * (1 - mean) for mean in (first, second)]
    apart = first != second
    out = np.full(first.shape, np.nan)
    out[apart] = bernoulli(probabilities[0][apart], probabilities[1][apart]) / bernoulli(
        first[apart], second[apart]
    )
    return out


def drawn(epsilon: float) -> FloatArray:
    """Ratios of drawn epsilon-LDP channels from a bit to three outputs, for drawn pairs of
    means."""
    rng = np.random.default_rng(SEED)
    ratios_ = []
    for _ in range(DRAWN):
        tilt = np.exp(rng.uniform(-epsilon / 2, epsilon / 2, size=(2, OUTPUTS)))
        channel = rng.dirichlet(np.ones(OUTPUTS)) * tilt
        channel /= channel.sum(axis=1, keepdims=True)
        if np.abs(np.log(channel[0] / channel[1])).max() > epsilon:
            continue
        means = rng.uniform(0.05, 0.95, size=2)
        laws = np.stack((means, 1 - means), axis=1) @ channel
        raw = float(bernoulli(means[:1], means[1:])[0])
        ratios_.append(float((laws[0] * np.log(laws[0] / laws[1])).sum()) / raw)
    return np.array(ratios_)


def tables(folder: Path = TABLES) -> Tables:
    """``constant``: over epsilon; ``channels``: drawn ones; ``map``: the ratio over
    tanh^2(epsilon/2) at three epsilons."""
    rows = [
        (
            epsilon,
            float(np.nanmax(ratios(epsilon))),
            float(np.tanh(epsilon / 2) ** 2),
            float(divergence.printed_factor(epsilon)),
        )
        for epsilon in EPSILONS
    ]
    dots = [
        (epsilon, float(values.max()), float(np.quantile(values, 0.5)))
        for epsilon in EPSILONS[::4]
        for values in (drawn(epsilon),)
    ]
    cells = []
    for epsilon in AT:
        values = ratios(epsilon)[::4, ::4] / np.tanh(epsilon / 2) ** 2
        for i, first in enumerate(MEANS[::4]):
            cells += [
                (epsilon, first, second, float(values[i, j])) for j, second in enumerate(MEANS[::4])
            ]
    return {
        "constant": frame(rows, "epsilon largest sharp printed"),
        "channels": frame(dots, "epsilon largest median"),
        "map": frame(cells, "epsilon theta_1 theta_2 share"),
        "crossing": pd.DataFrame({"epsilon": [divergence.crossing()]}),
    }


def draw(tables: Tables) -> Figure:
    figure, grid = style.figure(3.5, 1, 2, width_ratios=(1.25, 1))
    axes, rows, dots = grid[0, 0], tables["constant"], tables["channels"]
    crossing = float(tables["crossing"]["epsilon"].iloc[0])
    axes.axvspan(EPSILONS[0], crossing, color=style.COLOURS["bound"], alpha=0.1, linewidth=0)
    axes.axhline(1, color=style.GREY, linewidth=0.8)
    draw_line(
        axes,
        rows,
        "epsilon",
        "printed",
        style.COLOURS["bound"],
        style.LINES["bound"],
        "printed factor",
    )
    draw_line(axes, rows, "epsilon", "sharp", style.COLOURS["corrected"], label="tanh²(ε/2), best")
    axes.plot(
        rows["epsilon"][::3],
        rows["largest"][::3],
        "o",
        color=style.COLOURS["printed"],
        markersize=3,
        label="randomised response, largest",
    )
    axes.plot(
        dots["epsilon"],
        dots["largest"],
        "x",
        color=style.COLOURS["tight"],
        markersize=4,
        label="drawn channels, largest",
    )
    axes.set(
        xscale="log",
        yscale="log",
        xlim=(EPSILONS[0], EPSILONS[-1]),
        ylim=(3e-5, 1e4),
        xlabel="ε",
        ylabel="KL privatised / KL raw",
    )
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    axes = grid[0, 1]
    cells = where(tables["map"], epsilon=1.0).pivot_table(
        index="theta_2", columns="theta_1", values="share"
    )
    mesh = axes.pcolormesh(
        cells.columns,
        cells.index,
        cells.to_numpy(),
        cmap="viridis",
        vmin=0,
        vmax=1,
        shading="nearest",
        rasterized=True,
    )
    bar = figure.colorbar(mesh, ax=axes, location="right", shrink=0.8)
    bar.set_label("ratio / tanh²(1/2)")
    axes.set(xlabel="θ₁", ylabel="θ₂", title="randomised response, ε = 1", aspect="equal")
    axes.grid(visible=False)
    return figure
