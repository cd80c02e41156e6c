"""From how many users on LDP-UCRL-VTR learns, its bonus can guide it, and theorem 5.2 says
anything, over epsilon."""

from functools import partial

import numpy as np

from figures import learnt, style
from figures.kinds.lines import Figure, draw_line, draw_marks, legend_below, proxy, single
from figures.kinds.tables import TABLES, Path, Tables, finite, frame, where
from figures.liao2021.learning import DRAWN_CALIBRATIONS, PLANNED, long_runs, starts

EPSILONS = tuple(float(f"{10 ** (power / 2):.6g}") for power in range(-2, 9))
MESSAGE = "Up to ε = 100 runs learn before their bonuses explore, and before any bound"
CAPTION = """At epsilon = 1 runs learn three (tight) to some 300 times (printed) earlier than their
bonuses can explore, and the regret bound is later by far. The smallest mixture, d = H = 2, delta =
0.1, alpha = 0.01. Dashed: users from which on the bound with explicit constants is below the
trivial H K. Solid, a closed form: the number from which on the least bonus of step 1, when all
users before had the same features, is below the largest value of step 2. Marks: burn-in of runs of
10^6 planned episodes on mixture-2, median of 32 runs with its 95 % interval. The printed line is
for widths that cover the printed noise (epsilon inside the root of sigma, as line 1); the printed
runs have theorem 5.2's beta with the constant 1, from epsilon = 100 on a third of that and less."""
ALT = """Log-log plot of users against epsilon: three solid and three dashed falling lines, printed
far above corrected and tight. The marks of the burn-in lie below the solid line of their
calibration, but for corrected and tight at epsilon 10,000; at epsilon 1 by half an order of
magnitude (tight) to two and a half (printed)."""


recompute = partial(learnt.recompute, "liao2021")  # users before learning, a minute; resumable


def tables(folder: Path = TABLES) -> Tables:
    lines = [
        (calibration, epsilon, *starts(epsilon)[calibration])
        for epsilon in EPSILONS
        for calibration in DRAWN_CALIBRATIONS
    ]
    marks = [
        (run.calibration, run.epsilon, *learnt.numbers(run, folder))
        for run in long_runs(folder)
        if run.agent == "ldp-ucrl-vtr"
    ]
    return {
        "horizons": frame(lines, "calibration epsilon start below_trivial"),
        "burn_in": frame(marks, f"calibration epsilon {learnt.COLUMNS}"),
    }


def draw(tables: Tables) -> Figure:
    figure, axes = single(3.7)
    for calibration, shape, shift in zip(DRAWN_CALIBRATIONS, "osD", (0.9, 1.0, 1.11), strict=True):
        colour = style.COLOURS[calibration]
        rows = where(tables["horizons"], calibration=calibration)
        draw_line(
            axes,
            rows,
            "epsilon",
            "below_trivial",
            colour,
            style.LINES["bound"],
        )
        draw_line(axes, rows, "epsilon", "start", colour)
        marks = where(tables["burn_in"], calibration=calibration)
        reached, beyond = (
            marks[np.isfinite(marks["burn_in"])],
            marks[~np.isfinite(marks["burn_in"])],
        )
        draw_marks(
            axes,
            reached["epsilon"] * shift,
            finite(reached, PLANNED),
            "burn_in",
            colour,
            "burn_in_low",
            "burn_in_high",
            fmt=shape,
            markersize=4.5,
            elinewidth=1,
            capsize=2,
        )
        axes.plot(
            beyond["epsilon"] * shift,
            np.full(len(beyond), PLANNED),
            "^",
            color=colour,
            markerfacecolor="white",
        )
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="ε",
        ylabel="number of episodes (users)",
        xlim=(EPSILONS[0], 1.6 * EPSILONS[-1]),
    )
    for calibration in DRAWN_CALIBRATIONS:
        proxy(axes, calibration, marker="s", color=style.COLOURS[calibration])
    proxy(axes, "bound below H K", linestyle=style.LINES["bound"])
    proxy(axes, "bonus below values", linestyle="-")
    proxy(axes, "runs have learnt", marker="o")
    return legend_below(figure, axes, 2)
