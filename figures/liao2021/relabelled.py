"""The two RiverSwims of liao2021 relabelled: the tuned agent again, and the calibrations whose privacy is accounted."""

from math import inf

import pandas as pd

from figures import linear_runs as lr
from figures import style
from figures.kinds.lines import Axes, Figure, draw_curve, draw_line, legend_below, outer_labels
from figures.kinds.tables import TABLES, Path, Tables, where
from figures.liao2021.regret import ENTRIES as PLAIN
from figures.liao2021.regret import EPSILONS, PLANNED, TITLES, bands, chosen, curves, lines, plan
from privrl.run.sweep import Plan

ID = "liao2021_relabelled"
ENTRIES = tuple(f"{entry}-relabelled" for entry in PLAIN)
HONEST = ("corrected", "tight")
REPLICATES, HONEST_RUNS = 20, 10
MARKS = (1, 10, 100, *range(400, PLANNED + 1, 400))
CAPTION = """Where no constant action is good, private agents with covering widths learn hardly anything within 10^4
episodes. The rivers of `liao2021_regret` (H = 6), each step and state with its actions permuted by a coin; mean and 95
% t interval. Top: the tuned agent, 20 runs, with the c of `liao2021_regret`. Features are one-hot and every step has
its own regression, so the law of the regret is that of the plain rivers; only the best constant action changes. Bottom:
the noise that really gives (epsilon, 0.1)-LDP, values clipped to [0, H - h + 1] over H and widths that cover, 10 runs.
corrected stays on the line of known rewards: every bonus exceeds its cap for all 10^4 episodes."""
ALT = """Four panels of regret against episodes. Top: as on the plain rivers, while the best constant action now loses
almost as much as uniform play. Bottom: corrected lies on the line of known rewards for every epsilon, tight a few per
cent below it; the base with widths that cover ends at about a third."""


def plans(folder: Path = TABLES) -> list[Plan]:
    """Tuned runs with the c found on the plain rivers, then the accounted calibrations."""
    found = []
    for plain, entry in zip(PLAIN, ENTRIES, strict=True):
        found += [plan(entry, epsilon, chosen(folder)[plain, epsilon], REPLICATES) for epsilon in (*EPSILONS, inf)]
        for calibration in HONEST:
            found += [Plan(entry, calibration=calibration, epsilon=epsilon, episodes=PLANNED, replicates=HONEST_RUNS)
                      for epsilon in EPSILONS]
        found.append(Plan(entry, agent="ucrl-vtr", counter="none", calibration="tight", episodes=PLANNED,
                          replicates=HONEST_RUNS))
    return found


def recompute(path: Path, jobs: int = 1) -> None:
    """Run again: some minutes; resumable."""
    lr.recompute(plans(path.parent), path, jobs, MARKS)


def tables(folder: Path = TABLES) -> Tables:
    """``runs``: bands at every kept checkpoint; ``lines``: without an agent."""
    return {"runs": bands(lr.read(ID, folder)), "lines": lines(ENTRIES)}


def draw(tables: Tables) -> Figure:
    figure, grid = style.figure(5.2, 2, len(ENTRIES), sharex=True, sharey="col")
    for column, (entry, plain) in enumerate(zip(ENTRIES, PLAIN, strict=True)):
        rows = where(tables["runs"], entry=entry)
        ends = (where(tables["lines"], entry=entry).set_index("line")["regret"] / PLANNED).to_dict()
        curves(grid[0, column], where(rows, calibration="tuned"), paper=False)
        lr.reference_lines(grid[0, column], ends, PLANNED)
        _honest(grid[1, column], rows)
        lr.reference_lines(grid[1, column], ends, PLANNED)
        grid[0, column].set_title(f"{TITLES[plain]}, relabelled, tuned")
        grid[1, column].set_title("noise and widths accounted")
        grid[1, column].set_xticks(range(0, PLANNED + 1, 2500))
    outer_labels(grid, "episodes", "regret")
    return legend_below(figure, grid[:, 0], 3)


def _honest(axes: Axes, rows: pd.DataFrame) -> None:
    for calibration in HONEST:
        for epsilon in EPSILONS:
            part = where(rows, calibration=calibration, epsilon=epsilon)
            part = where(part, agent="ldp-ucrl-vtr")
            label = f"{calibration}, every ε" if epsilon == EPSILONS[0] else None
            draw_curve(axes, part, "episodes", "mean", style.COLOURS[calibration], lr.DASHES[epsilon], label)
    part = where(rows, agent="ucrl-vtr", calibration="tight")
    draw_line(axes, part, "episodes", "mean", style.COLOURS["base"], (0, (1, 1)), "UCRL-VTR, tight widths")
    axes.set(xlim=(0, PLANNED), ylim=(0, None))
