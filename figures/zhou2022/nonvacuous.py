"""Where a bound of zhou2022 says something within a run: regret over H K at the planned end, up to
K = 10^7."""

from functools import partial
from math import inf

from figures import runs, style
from figures.kinds.lines import Axes, Legend, draw_lines, draw_marks, draw_vacuous, panels
from figures.kinds.tables import TABLES, Path, Tables, frame, where
from figures.zhou2022.regret import (
    DRAWN_CALIBRATIONS,
    ENTRY,
    EPSILONS,
    SHORT,
    lower,
    references,
    upper,
)
from figures.zhou2022.regret import long_runs as million
from privrl.run.sweep import RunPlan

ID = "zhou2022_nonvacuous"
PLANNED = 10**7
SETTINGS = (("linopt-vi", "printed", 100.0), ("linopt-vi", "tight", 1.0))
PLANS: list[RunPlan] = [
    RunPlan(
        ENTRY,
        agent=agent,
        counter="tree",
        calibration=calibration,
        epsilon=epsilon,
        episodes=PLANNED,
        replicates=8,
    )
    for agent, calibration, epsilon in SETTINGS
]
MESSAGE = "With enough users the bounds say something, the proved ones much earlier"
CAPTION = """With enough users the bounds say something, those proved for tight constants long
before theorem 6.5's sum. Exact regret over H K on mixture-2 (d_1 = d_2 = H = 2, delta = 10^-6) at
the end of runs planned for as many episodes as the abscissa says: K = 10^6 (mean of 4 replicates),
and K = 10^7 for value iteration as printed at epsilon = 100 and tight at epsilon = 1 (mean of 8).
Lines: theorem 6.5's sum as displayed, and the sums proved for corrected and tight constants, for
value iteration; policy optimisation's are the same to the width of a line. In the shaded part a
bound is vacuous; below uniform play's line it says what could not be said of play that learns
nothing."""
ALT = """Three log-log panels, epsilon 1, 10 and 100, of regret over H K against K. The bounds fall
and cross 1 between 6 times 10^4 and 8 times 10^8 episodes, tight and corrected far before printed;
marks of the runs lie below all of them, by a factor between seventy and twelve hundred."""
recompute = partial(runs.recompute, PLANS)  # some minutes; resumable
long_runs = partial(runs.read, ID)  # The runs of 10^7 episodes, in the order of ``PLANS``


def tables(folder: Path = TABLES) -> Tables:
    """``runs``: regret over H K at the planned end with the bounds there; ``lines``."""
    worth = references()["trivial"]
    rows = []
    for run in (*million(folder), *long_runs(folder)):
        private = run.epsilon < inf
        bound = (
            upper(run.planned, run.epsilon, run.calibration, run.agent) / (worth * run.planned)
            if private
            else inf
        )
        rows.append(
            (
                run.agent,
                run.calibration,
                run.epsilon,
                run.planned,
                *style.spread(run.regret[:, -1] / (worth * run.planned)),
                bound,
            )
        )
    marks = [round(10 ** (k / 5)) for k in range(20, 46)]
    lines = [
        (name, epsilon, mark, upper(mark, epsilon, name) / (worth * mark))
        for name in DRAWN_CALIBRATIONS
        for epsilon in EPSILONS
        for mark in marks
    ]
    lines += [("lower", inf, mark, lower(mark) / (worth * mark)) for mark in marks]
    lines += [
        (name, inf, mark, references()[name] / worth)
        for name in ("uniform", "constant")
        for mark in (marks[0], marks[-1])
    ]
    return {
        "runs": frame(rows, "agent calibration epsilon planned regret low high bound"),
        "lines": frame(lines, "line epsilon planned regret"),
    }


def _panel(tables: Tables, axes: Axes, epsilon: float) -> None:
    lines, top = tables["lines"], 300.0
    draw_vacuous(axes, lines, top, "H K")
    draw_lines(
        axes,
        lines,
        "line",
        "planned",
        "regret",
        {"lower": (style.COLOURS["other"], style.LINES["lower"], "lower bound, worst MDP")},
        linewidth=1,
    )
    words = {
        "printed": "theorem 6.5's sum",
        "corrected": "proved, corrected",
        "tight": "proved, tight",
    }
    looks = {
        name: (style.COLOURS[name], style.LINES["bound" if name == "printed" else "proved"], label)
        for name, label in words.items()
    }
    draw_lines(
        axes, where(lines, epsilon=epsilon), "line", "planned", "regret", looks, linewidth=1.1
    )
    for agent, shape in (("linopt-vi", "o"), ("linopt-po", "s")):
        for place, name in enumerate(DRAWN_CALIBRATIONS):
            rows = where(tables["runs"], agent=agent, calibration=name, epsilon=epsilon)
            draw_marks(
                axes,
                rows["planned"] * (0.85 if agent == "linopt-vi" else 1.15),
                rows,
                "regret",
                style.COLOURS[name],
                fmt=shape,
                markersize=4,
                elinewidth=0.8,
                markerfacecolor="white" if agent == "linopt-po" else None,
                label=f"runs of {SHORT[agent]}" if place == 0 else None,
            )
    axes.set(
        xscale="log", yscale="log", xlim=(1e4, 1e9), ylim=(1e-5, top), title=f"ε = {epsilon:g}"
    )
    axes.set_xticks([1e5, 1e7, 1e9])


draw = panels(
    _panel,
    height=3.6,
    keys=[EPSILONS],
    ylabels=["regret / H K"],
    xlabel="K, planned and played",
    legend=Legend(names={"H K, which nothing exceeds": (2, 3e6, 28)}),
)
