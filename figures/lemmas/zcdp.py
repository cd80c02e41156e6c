"""From zero-concentrated DP to (epsilon, delta): the papers' conversion, the optimal one, the exact
Gaussian curve.

Sources: the proofs of chowdhury2021/theorem-2 and zhou2022/theorem-6.4.
"""

import math

import numpy as np

from figures import style
from figures.kinds.lines import Figure
from figures.kinds.tables import TABLES, Path, Tables, frame, where
from privrl.privacy import accounting

MESSAGE = "Until ε is large exact accounting carries the printed noise; the papers' does not"
CAPTION = """The papers' own conversion does not carry their printed noise; exact accounting does
until epsilon is large. Left: epsilon of a Gaussian release by two conversions from
rho-zero-concentrated privacy, over its exact epsilon: rho + 2 sqrt(rho ln(1/delta)), which the
papers use, and the optimal one of Canonne, Kamath and Steinke; a line begins where the exact
epsilon is above a hundredth. Right: what the printed noise of one counter gives by either, over its
share of epsilon, at delta = 1e-6, as the papers set it (one step for zhou2022), for the printed
sensitivities. The papers' conversion gives more than the share for every epsilon; the exact curve
does so only for large epsilon."""
ALT = """Left: ratios fall towards 1 as rho grows from 1e-6 to 100; at delta = 0.001 the papers'
conversion starts near 4 and the optimal one near 1.4, at smaller delta both lie lower, the optimal
one always below. Right: for both papers the line of the conversion starts at 1 and rises with
epsilon; the exact line starts near 0.65 and crosses 1 at epsilon 17 for chowdhury2021 and 34 for
zhou2022, the optimal one lies between."""
DELTAS = (1e-3, 1e-6, 1e-12)
RHOS = tuple(float(rho) for rho in np.geomspace(1e-7, 100, 46))
SHARES = {"chowdhury2021": 2, "zhou2022": 4}
DELTA = 1e-6
EPSILONS = tuple(float(epsilon) for epsilon in np.geomspace(0.1, 200, 34))


def converted(rho: float, delta: float) -> tuple[float, float, float]:
    """The exact epsilon, the optimal conversion and the papers', each rounded towards safety."""
    return (
        accounting.gaussian_epsilon(delta, math.sqrt(2 * rho)),
        accounting.optimal_zcdp_epsilon(rho, delta),
        accounting.bun_steinke_epsilon(rho, delta),
    )


def tables(folder: Path = TABLES) -> Tables:
    """``conversion``: epsilon three ways over (rho, delta). ``share``: the same at the printed
    noise of one counter."""
    rows = [(rho, delta, *converted(rho, delta)) for rho in RHOS for delta in DELTAS]
    conversion = [row for row in rows if row[2] > 0.01]
    share = []
    for paper, shares in SHARES.items():
        for epsilon in EPSILONS:
            rho = epsilon**2 / (4 * shares**2 * math.log(shares / DELTA))
            share.append((paper, epsilon, epsilon / shares, *converted(rho, DELTA / shares)))
    return {
        "conversion": frame(conversion, "rho delta exact optimal bun_steinke"),
        "share": frame(share, "paper epsilon share exact optimal bun_steinke"),
    }


def draw(tables: Tables) -> Figure:
    figure, ((left_axes, right_axes),) = style.figure(3.2, 1, 2)
    looks = {
        "bun_steinke": (style.COLOURS["printed"], "papers'"),
        "optimal": (style.COLOURS["corrected"], "optimal"),
        "exact": (style.COLOURS["tight"], "exact"),
    }
    for delta, dash in zip(DELTAS, ("-", (0, (5, 1.5)), (0, (1.5, 1.2))), strict=True):
        rows = where(tables["conversion"], delta=delta)
        for name in ("bun_steinke", "optimal"):
            left_axes.plot(
                rows["rho"],
                rows[name] / rows["exact"],
                color=looks[name][0],
                linestyle=dash,
                label=f"{looks[name][1]}, δ = {style.tex(delta)}",
            )
    left_axes.set(
        xscale="log", xlabel=r"$\rho$", ylabel="converted ε / exact ε", title="the conversions"
    )
    for paper, dash in zip(SHARES, ("-", (0, (5, 1.5))), strict=True):
        rows = where(tables["share"], paper=paper)
        for name, (colour, words) in looks.items():
            right_axes.plot(
                rows["epsilon"],
                rows[name] / rows["share"],
                color=colour,
                linestyle=dash,
                label=f"{words}, {paper}",
            )
    right_axes.set(
        xscale="log",
        xlabel="ε of the theorem",
        ylabel="given ε / intended share",
        ylim=(0.5, 2.2),
        title="printed noise of one counter",
    )
    for axes in (left_axes, right_axes):
        axes.legend()
        axes.axhline(1.0, color="black", linewidth=0.7, zorder=1)
    return figure
