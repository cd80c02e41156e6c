"""Figure 2 of liao2021 reproduced: LDP-UCRL-VTR and UCRL-VTR on two RiverSwims, K = 10^4, c by grid
search."""

from functools import cache
from math import inf

import numpy as np
import pandas as pd

from figures import linear_runs as lr
from figures import style
from figures.kinds.lines import Axes, Legend, draw_lines, panels
from figures.kinds.tables import TABLES, Path, Tables, frame, where
from privrl.run.sweep import RunPlan

ID = "liao2021_regret"
GRID_TABLE = "liao2021_grid"
ENTRIES = ("liao2021/riverswim-3", "liao2021/riverswim-3-inhomogeneous")
TITLES = dict(zip(ENTRIES, ("homogeneous", "inhomogeneous"), strict=True))
PLANNED = 10**4
EPSILONS = (1.0, 10.0, 100.0, 1000.0)
GRID = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
GRID_RUNS, GRID_SEED = 10, 1
PAPER_RUNS, REPLICATES = 10, 100
MARKS = (1, 10, 100, *range(400, PLANNED + 1, 400))
MESSAGE = "The paper's figure 2: with privacy regret is nearly a straight line"
CAPTION = """Figure 2 of liao2021 reproduced: while noise dominates epsilon hardly matters, and
always swimming right beats every agent. Exact regret on the homogeneous and the inhomogeneous
RiverSwim (S = 3, H = 6, rewards over H, one-hot features over the root of S), K = 10^4, delta =
0.1, alpha = 0.01, noise and bonus of section 6.2, c for each line from `liao2021_grid`; S and the
epsilons are ours, the paper gives neither. Top, as in the paper: mean of 10 runs with one standard
deviation. Bottom: mean of 100 runs with the 95 % t interval, and what needs no agent. epsilon = 1
and 100 have the same c times the root of epsilon, and nearly the same line: while noise dominates,
nothing else matters."""
ALT = """Four panels of regret against episodes. The base without privacy bends and ends near 200;
the private lines for epsilon 1, 10 and 100 run straight and close together, about a sixth below
uniform play, and the one for epsilon 1000 a little bent at two thirds of uniform play. The best
constant action lies on the axis."""


def plan(
    entry: str,
    epsilon: float,
    constant: float,
    replicates: int,
    seed: int = 0,
    planned: int = PLANNED,
) -> RunPlan:
    """A run with the noise and the bonus of section 6.2; epsilon = inf is UCRL-VTR."""
    private = epsilon < inf
    return RunPlan(
        entry,
        agent="ldp-ucrl-vtr" if private else "ucrl-vtr",
        counter=None if private else "none",
        calibration="tuned",
        epsilon=epsilon if private else None,
        constant=constant,
        episodes=planned,
        replicates=replicates,
        seed=seed,
    )


def grid_plans() -> list[RunPlan]:
    """The grid search, with seeds of its own."""
    return [
        plan(entry, epsilon, constant, GRID_RUNS, GRID_SEED)
        for entry in ENTRIES
        for epsilon in (*EPSILONS, inf)
        for constant in GRID
    ]


def best(table: pd.DataFrame) -> dict[tuple[str, float], float]:
    """The c with the least mean regret at K, by (entry, epsilon)."""
    means = table.groupby(["id", "epsilon", "constant"])[str(PLANNED)].mean().reset_index()
    chosen = means.loc[means.groupby(["id", "epsilon"])[str(PLANNED)].idxmin()]
    return {(str(row.id), float(row.epsilon)): float(row.constant) for row in chosen.itertuples()}


@cache
def chosen(folder: Path = TABLES) -> dict[tuple[str, float], float]:
    return best(lr.read(GRID_TABLE, folder))


def plans(folder: Path = TABLES) -> list[RunPlan]:
    return [
        plan(entry, epsilon, chosen(folder)[entry, epsilon], REPLICATES)
        for entry in ENTRIES
        for epsilon in (*EPSILONS, inf)
    ]


def recompute(path: Path, jobs: int = 1) -> None:
    """The grid first, then the runs with the c that it chose; some minutes, and resumable."""
    lr.recompute(grid_plans(), path.with_name(f"{GRID_TABLE}.csv"), jobs, (100, 1000, PLANNED))
    chosen.cache_clear()
    lr.recompute(plans(path.parent), path, jobs, MARKS)


def bands(table: pd.DataFrame) -> pd.DataFrame:
    """For every setting: mean and standard deviation of the first ten runs, mean and 95 % interval
    of all."""
    parts = []
    for label, rows in lr.settings(table):
        marks, regret = lr.regret_of(rows)
        few, band = regret[:PAPER_RUNS], style.band(regret)
        parts.append(
            pd.DataFrame(
                {
                    "entry": label["id"],
                    "agent": label["agent"],
                    "calibration": label["calibration"],
                    "epsilon": label["epsilon"],
                    "constant": label["constant"],
                    "episodes": marks.astype(np.int64),
                    "mean_10": few.mean(axis=0),
                    "deviation_10": (few - few[0]).std(
                        axis=0, ddof=1
                    ),  # exactly 0 where all are equal
                    "mean": band.mean,
                    "low": band.low,
                    "high": band.high,
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def lines(entries: tuple[str, ...]) -> pd.DataFrame:
    """What needs no agent, at K."""
    rows = [
        (entry, name, rate * PLANNED)
        for entry in entries
        for name, rate in lr.references(entry).items()
    ]
    return frame(rows, "entry line regret")


def tables(folder: Path = TABLES) -> Tables:
    return {"runs": bands(lr.read(ID, folder)), "lines": lines(ENTRIES)}


def _panel(tables: Tables, axes: Axes, many: int, entry: str) -> None:
    rows = where(tables["runs"], entry=entry)
    if many == PAPER_RUNS:
        curves(
            axes,
            rows.assign(
                mean=rows["mean_10"],
                low=rows["mean_10"] - rows["deviation_10"],
                high=rows["mean_10"] + rows["deviation_10"],
            ),
        )
    else:
        curves(axes, rows)
        references(axes, tables["lines"], entry)
    axes.set_ylim(bottom=-270)  # room for the name of what loses almost nothing
    axes.grid(visible=False, axis="x")
    axes.set_title(f"{TITLES[entry]}, {many} runs")


draw = panels(
    _panel,
    height=5.0,
    keys=[(PAPER_RUNS, REPLICATES), ENTRIES],
    ylabels=["regret"] * 2,
    xlabel="episodes",
    legend=Legend(
        of=(2,),
        names={
            "the other constant action": (2, 3300, 44),
            "best constant action": (2, 3000, -3),
        },
    ),
    sharey="col",
)


def curves(axes: Axes, rows: pd.DataFrame) -> None:
    draw_lines(axes, rows, "epsilon", "episodes", "mean", lr.LOOKS, band=True)
    axes.set(xlim=(0, PLANNED), ylim=(0, None), xticks=range(0, PLANNED + 1, 2500))


def references(axes: Axes, lines: pd.DataFrame, entry: str) -> None:
    ends = where(lines, entry=entry).set_index("line")["regret"] / PLANNED
    lr.reference_lines(axes, ends.to_dict(), PLANNED)
