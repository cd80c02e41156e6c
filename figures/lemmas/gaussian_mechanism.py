"""The classical Gaussian mechanism: its constant 1.25, the least that could stand there, and the
exact noise.

Source: liao2021/lemma-3.8.
"""

import math

import numpy as np

from figures import style
from figures.kinds.lines import Figure, draw_line, proxy
from figures.kinds.tables import TABLES, Path, Tables, frame
from privrl.privacy import accounting
from theory.lemmas import gaussian_mechanism

MESSAGE = "The classical noise is enough for small ε and too little for large ε"
CAPTION = """The classical noise is enough below epsilon = 1, and up to 3.78, and too small for
large epsilon. Left: the classical noise sqrt(2 ln(1.25/delta))/epsilon over the smallest that is
(epsilon, delta)-private by the exact curve, and the same with the least constant that could replace
1.25 for epsilon up to 1. Below 1 the noise is too small. The lemma is claimed for epsilon below 1
(shaded), and proved there for every delta. Right: the epsilon at which the classical noise first
fails, for each delta, and 3.78, up to which it is certified for every delta."""
ALT = """Left: for four values of delta the ratio falls with epsilon, is above 1 in the whole shaded
range and crosses 1 between epsilon 5.7 and 9.6; the lines for the least constant lie slightly
lower. Right: the first failure falls from 10.8 at delta 1e-15 to 3.8 at delta near 1 and never goes
below the certified line at 3.78."""
DELTAS = (0.1, 1e-3, 1e-6, 1e-9)
EPSILONS = tuple(float(epsilon) for epsilon in np.geomspace(0.01, 30, 40))
GRID = tuple(
    float(delta)
    for delta in [*np.geomspace(1e-15, 0.05, 22), 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9]
)
CERTIFIED = 3.78  # liao2021/lemma-3.8, second record


def tables(folder: Path = TABLES) -> Tables:
    """``noise``: sigma three ways over (epsilon, delta), unit sensitivity. ``failure``: first
    failure per delta."""
    least = gaussian_mechanism.least_constant()[0]
    noise = []
    for delta in DELTAS:
        for epsilon in EPSILONS:
            noise.append(
                (
                    delta,
                    epsilon,
                    gaussian_mechanism.classical_sigma(epsilon, delta),
                    gaussian_mechanism.classical_sigma(epsilon, delta, constant=least),
                    1 / accounting.gaussian_mu(epsilon, delta),
                )
            )
    failure = [(delta, gaussian_mechanism.first_failure(delta)) for delta in GRID]
    return {
        "noise": frame(noise, "delta epsilon printed least exact"),
        "failure": frame(failure, "delta epsilon"),
    }


def draw(tables: Tables) -> Figure:
    figure, ((left_axes, right_axes),) = style.figure(3.1, 1, 2)
    for colour, (delta, rows) in zip(
        style.PALETTE, tables["noise"].groupby("delta", sort=False), strict=False
    ):
        left_axes.plot(
            rows["epsilon"],
            rows["printed"] / rows["exact"],
            color=colour,
            label=f"δ = {style.tex(delta)}",
        )
        left_axes.plot(
            rows["epsilon"],
            rows["least"] / rows["exact"],
            color=colour,
            linestyle=(0, (2, 1.2)),
            linewidth=1.0,
        )
    proxy(left_axes, "least constant", color=style.GREY, linestyle=(0, (2, 1.2)))
    left_axes.axvspan(0.01, 1, color=style.GREY, alpha=0.1, linewidth=0)
    left_axes.axhline(1.0, color="black", linewidth=0.7, zorder=1)
    left_axes.set(
        xscale="log",
        xlabel="ε",
        ylabel=r"classical $\sigma$ / exact $\sigma$",
        xlim=(0.01, 30),
        ylim=(0, 3.0),
        title="classical noise",
    )
    left_axes.legend(loc="lower left", ncols=2, columnspacing=1.0)
    rows = tables["failure"]
    draw_line(
        right_axes, rows, "delta", "epsilon", style.COLOURS["printed"], label="first failure, exact"
    )
    right_axes.axhline(
        CERTIFIED,
        color=style.COLOURS["tight"],
        linestyle=(0, (5, 1.5)),
        label="certified for every δ",
    )
    right_axes.axhspan(0, 1, color=style.GREY, alpha=0.1, linewidth=0, label="claimed: ε < 1")
    right_axes.set(
        xscale="log",
        xlabel="δ",
        ylabel="ε",
        title="where 1.25 ceases to suffice",
        ylim=(0, math.ceil(rows["epsilon"].max() / 5) * 5),
    )
    right_axes.legend()
    return figure
