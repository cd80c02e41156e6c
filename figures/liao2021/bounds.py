"""Regret on the smallest mixture below its upper bounds (theorem 5.2 with explicit constants)."""

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np

from figures import linear_runs as lr
from figures import style
from figures.kinds.lines import (
    Axes,
    Legend,
    Look,
    draw_bounds,
    draw_lines,
    panels,
)
from figures.kinds.tables import (
    TABLES,
    Path,
    Tables,
    curves,
    frame,
    over_trivial,
)
from figures.liao2021.learning import (
    ALPHA,
    DELTA,
    DRAWN_CALIBRATIONS,
    ENTRY,
    KEYS,
    PLANNED,
    SIZE,
    long_runs,
    looks,
    starts,
)
from theory.papers.liao2021 import bounds

ID = "liao2021_bounds"
EPSILONS = (1.0, 100.0)
MESSAGE = "The printed bound is vacuous for a million users; made tight, not at ε = 100"
CAPTION = """As printed the bound says nothing for 10^6 users; with tight noise and widths it does
at epsilon = 100. Regret on mixture-2 (mean of 32 replicates planned for 10^6 episodes, 95 % t
interval) against theorem 5.2 with explicit constants, each abscissa a plan of its own: the printed
reading (epsilon inside the root of sigma, as line 1), and the sharper sum with accounted noise
(corrected) and sharp norms besides (tight). The theorem hides its constants, and its proof is not
in our copy: the analysis of zhou2022 stands in its place, and printed runs, with beta's constant 1,
are not covered by it. Above H K (shaded) a bound is vacuous. No lower bound is drawn: the family
behind theorem 5.6 begins at H = 3, and here H = 2."""
ALT = """Two log-log panels, epsilon 1 and 100. The printed bound lies above the trivial line
throughout. The corrected and tight bounds cross it at 5.9 and 2.6 million episodes on the left, at
30 and 14 thousand on the right. The runs lie below all upper bounds."""
FIRST, LAST = 10**3, 10**9
BOUNDS: dict[str, Look] = {
    name: (
        style.COLOURS[name],
        style.LINES["bound" if name == "printed" else "proved"],
        f"bound, {name}{' reading' if name == 'printed' else ''}",
    )
    for name in DRAWN_CALIBRATIONS
}


def upper(calibration: str) -> Callable[[int, float], float]:
    """(K, epsilon) -> the bound: the displayed sum for ``printed``, the sharper one for the
    others."""
    terms = bounds.displayed_terms if calibration == "printed" else bounds.regret_terms
    name: Any = calibration
    return lambda episodes, epsilon: (
        terms(bounds.constants(*SIZE, episodes, epsilon, DELTA, ALPHA, name)).total
    )


def tables(folder: Path = TABLES) -> Tables:
    """``runs``; ``lines``: bounds and what needs no agent; ``vacuity``: first K below H K,
    ratios."""
    marks = sorted({round(10 ** (k / 8)) for k in range(24, 73)})
    lines = [
        (name, epsilon, mark, value(mark, epsilon))
        for epsilon in EPSILONS
        for mark in marks
        for name, value in ((name, upper(name)) for name in DRAWN_CALIBRATIONS)
    ]
    reference = {**lr.references(ENTRY), "trivial": float(SIZE[1])}
    lines += [
        (name, inf, mark, reference[name] * mark)
        for name in ("uniform", "constant", "blind", "trivial")
        for mark in marks
    ]
    runs = [run for run in long_runs(folder) if run.epsilon in (*EPSILONS, inf)]
    vacuity = []
    for run in runs:
        if run.agent == "ldp-ucrl-vtr":
            bound = upper(run.calibration)(PLANNED, run.epsilon)
            vacuity.append(
                (
                    run.calibration,
                    run.epsilon,
                    starts(run.epsilon)[run.calibration][1],
                    bound / (SIZE[1] * PLANNED),
                    bound / style.band(run.regret).mean[-1],
                    float(run.regret[:, -1].max()) / bound,
                )
            )
    return {
        "runs": curves(runs, [round(10 ** (k / 10)) for k in range(20, 61)], KEYS),
        "lines": frame(lines, "line epsilon episodes regret"),
        "vacuity": frame(
            vacuity,
            "calibration epsilon below_trivial bound_over_trivial bound_over_regret "
            "largest_over_bound",
        ),
    }


def _panel(tables: Tables, axes: Axes, epsilon: float) -> None:
    lines, runs = over_trivial(tables["lines"], tables["runs"])
    top = 1e3
    references = {
        name: (lr.REFERENCES[name], "play without an agent" if name == "blind" else None)
        for name in ("uniform", "constant", "blind")
    }
    draw_bounds(
        axes,
        lines[lines["epsilon"].isin((epsilon, inf))],
        top,
        {"trivial": ("-", "H K, which nothing exceeds"), **references},
        BOUNDS,
    )
    draw_lines(
        axes,
        runs.assign(low=np.maximum(runs["low"], 1e-9)),
        KEYS,
        "episodes",
        "regret",
        looks(epsilon),
        band=True,
    )
    axes.set(xlim=(FIRST, LAST), ylim=(1e-6, top), title=f"ε = {epsilon:g}")
    axes.set_xticks([1e3, 1e5, 1e7, 1e9])


draw = panels(
    _panel,
    height=4.0,
    keys=[EPSILONS],
    ylabels=["regret / H K"],
    xlabel="episodes",
    legend=Legend(
        names={
            "H K, which nothing exceeds": (1, 3e6, 1),
            "play without an agent": (0, 3e7, -1),
        }
    ),
)
