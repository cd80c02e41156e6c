"""How many users before the bounds say something, before the agent can start, and before it is seen
to learn."""

from typing import Any

import numpy as np

from figures import style
from figures.chowdhury2021 import learning as chowdhury2021_learning
from figures.chowdhury2021.regret import (
    ALPHA,
    DELTA,
    DRAWN_CALIBRATIONS,
    PLANNED,
    below_trivial,
    horizon_of,
    problem,
    references,
)
from figures.chowdhury2021.regret import upper as upper_bound
from figures.kinds.lines import Figure, draw_lines, draw_marks, legend_below, note, proxy
from figures.kinds.tables import TABLES, Path, Tables, finite, frame, where
from privrl.types import Calibration
from theory.papers.chowdhury2021 import bounds
from theory.papers.vietri2020.bounds.proved import last_crossing

MESSAGE = "Agents learn near the predicted horizon, before any bound says anything"
EPSILONS = tuple(float(f"{10 ** (power / 2):.4g}") for power in range(-2, 9))
CAPTION = """Agents learn near the predicted horizon, before any bound says anything: four times and
more before a proved one does. Episodes (users) in the scalar system, delta = 10^-6, alpha = 0.1;
colours are calibrations. Solid: from there on theorem 3 as proved is below the trivial bound; red:
the printed lines. Dotted: below the regret of u = 0 too, so that it shows learning. Dash-dotted:
the predicted horizon of `chowdhury2021_radius`. Dashed: below it every control is 0 on the event of
assumption 2, proved (searched from 9 on). Marks: burn-in (docs/measure.md), median and range. For
the printed noise all go like 1/epsilon, up to logarithms; noise that is (epsilon, delta)-private
falls more slowly once epsilon exceeds ln(1/delta)."""
ALT = """Log-log plot of episodes against epsilon from 0.1 to 10,000. Falling lines of slope about
minus one, flatter at large epsilon for the corrected and tight calibrations. On top the printed
lines, four orders of magnitude above where the proved bounds fall below the trivial one, and beside
them where these fall below u = 0; a factor of four and more below the proved bounds the predicted
horizons, with the marks of the runs beside them; three orders below those the numbers up to which
nothing but 0 is played."""
LINES: dict[str, tuple[Any, str]] = {
    "trivial": ("-", "theorem 3 as proved, below the trivial bound"),
    "zero": ((0, (1, 1.5)), "theorem 3 as proved, below u = 0"),
    "predicted": ((0, (4, 1.5, 1, 1.5)), "predicted horizon"),
    "start": ((0, (4, 2)), "until there every control is 0"),
}


def below_zero(epsilon: float, calibration: Calibration) -> int:
    """The smallest K from which on theorem 3 as proved stays below what u = 0 loses."""
    level = references()["zero"]
    return last_crossing(lambda K: upper_bound(K, epsilon, calibration) / (level * K))


def tables(folder: Path = TABLES) -> Tables:
    rows: list[tuple[str, str, float, int]] = []
    for epsilon in EPSILONS:
        rows.append(("lines", "printed", epsilon, below_trivial(epsilon, "lines")))
        for name in DRAWN_CALIBRATIONS:
            rows += [
                ("trivial", name, epsilon, below_trivial(epsilon, name)),
                ("zero", name, epsilon, below_zero(epsilon, name)),
                ("predicted", name, epsilon, horizon_of(epsilon, name)),
                (
                    "start",
                    name,
                    epsilon,
                    bounds.start_horizon(problem(), ALPHA, epsilon, DELTA, name),
                ),
            ]
    burn = chowdhury2021_learning.tables(folder)["burn_in"]
    return {
        "horizons": frame(rows, "line calibration epsilon episodes"),
        "burn_in": where(burn, agent="private-ofu-rl")[
            ["calibration", "epsilon", "burn_in", "least", "most"]
        ],
    }


def draw(tables: Tables) -> Figure:
    figure, grid = style.figure(4.6)
    axes, horizons = grid[0, 0], tables["horizons"]
    draw_lines(
        axes,
        horizons,
        "line",
        "epsilon",
        "episodes",
        {
            "lines": (
                style.COLOURS["bound"],
                style.LINES["bound"],
                "theorem 3, printed lines, below the trivial bound",
            )
        },
    )
    draw_lines(
        axes,
        horizons,
        "line calibration",
        "epsilon",
        "episodes",
        {
            (line, name): (style.COLOURS[name], dash, None)
            for line, (dash, _) in LINES.items()
            for name in DRAWN_CALIBRATIONS
        },
        linewidth=1.1,
    )
    for name, shift in zip(DRAWN_CALIBRATIONS, (0.93, 1.0, 1.07), strict=True):
        rows = finite(where(tables["burn_in"], calibration=name), PLANNED[1.0])
        draw_marks(
            axes,
            rows["epsilon"] * shift,
            rows,
            "burn_in",
            style.COLOURS[name],
            "least",
            "most",
            markersize=4,
            elinewidth=0.8,
            markeredgecolor="black",
            markeredgewidth=0.5,
            zorder=4,
        )
    style.guide(axes, -1.0, (0.15, 4e6), 1.5, "slope -1")
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="ε",
        ylabel="number of episodes (users)",
        xlim=(EPSILONS[0], EPSILONS[-1]),
        yticks=10.0 ** np.arange(0, 18, 3),
    )
    for dash, words in LINES.values():
        proxy(axes, words, linestyle=dash)
    proxy(axes, "seen to learn (runs)", marker="o")
    for place, name in enumerate(DRAWN_CALIBRATIONS):  # colours, where the lines end
        note(axes, 0.86, 0.97 - 0.05 * place, name, fontsize=8, color=style.COLOURS[name])
    return legend_below(figure, axes, 2)
