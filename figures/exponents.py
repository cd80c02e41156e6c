"""Users before learning over one size at a time, on worlds that stay comparable
(:mod:`figures.comparable`): what theory says they grow like, and what runs measure.

Users are counted as docs/measure.md says; a local slope is log ratio of users over log ratio of
sizes, with the interval of the ratio.
"""

from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from math import inf, log, nan
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from figures import comparable, left_out, measured, profiles, style
from figures.kinds.lines import Axes, Figure, legend_below
from figures.kinds.tables import TABLES, Tables, frame, where
from figures.measured import MeasuredRuns
from figures.studies import STUDIES, settings
from privrl.run import measure, sweep
from privrl.run.engines import Engine, Failure
from privrl.types import FloatArray, IntArray

LEVEL = 0.9  # of the intervals of slopes
MULTIPLE = 2  # regret is compared after so many times the users before learning
COLUMNS = (*measured.KIND, "replicate", "users", "regret")
DIGITS = 7  # of regret at a checkpoint; users and regret are counted from what the table has
AXES = ("S", "A", "d", "H", "1/epsilon")


def counted(marks: IntArray, regret: FloatArray, planned_for: MeasuredRuns) -> tuple[float, float]:
    """Of one replicate's regret at its checkpoints: first user, and regret up to ``MULTIPLE`` times
    as many over that of play that learns nothing: infinite and missing where it is not reached."""
    lost = measure.reference(planned_for.made, planned_for.agent.name)
    first = float(measure.first_users(marks, regret[None], lost)[0])
    upto = MULTIPLE * first
    at = float(np.interp(upto, marks, regret)) / lost if upto <= marks[-1] else np.nan
    return first, at


def marks_of(played: int, planned: int) -> IntArray:
    """The checkpoints of a run."""
    marks = measure.marks(planned)
    return marks[marks <= played]


def _row(case: tuple[MeasuredRuns, int], folder: Path | None = None) -> dict[str, Any]:
    """What ran, :func:`counted`, and regret at each checkpoint, to ``DIGITS`` digits."""
    runs, replicate = case
    marks = marks_of(runs.played, runs.planned)
    regret = np.array(
        [float(f"{value:.{DIGITS}g}") for value in runs.regret(replicate, folder).tolist()]
    )
    values = (*runs.labels.values(), replicate, *counted(marks, regret, runs))
    return dict(zip((*COLUMNS, *map(str, marks)), (*values, *regret.tolist()), strict=True))


def recompute(paper: str, path: Path, jobs: int = 1) -> None:
    """Run a paper's study, some minutes; finished replicates are kept beside the table."""
    every = settings(paper)
    cases = [
        (runs, replicate)
        for runs in every
        for replicate in range(runs.replicates)
        if profiles.current().has(runs.played, replicate)
    ]
    if not cases:
        return
    rows: dict[int, dict[str, Any]] = {}
    folder = path.parent / "replicates"
    folder.mkdir(parents=True, exist_ok=True)
    for position, row in Engine(jobs=jobs).each(partial(_row, folder=folder), cases):
        if isinstance(row, Failure):
            raise RuntimeError(f"{path.stem}: {cases[position][0].labels} {row.reason}")
        rows[position] = row
    marks = sorted({mark for runs in every for mark in marks_of(runs.played, runs.planned)})
    table = pd.DataFrame(
        [rows[position] for position in range(len(cases))], columns=[*COLUMNS, *map(str, marks)]
    )
    facts = {
        "environments": {runs.world: measured._hash(runs.made) for runs in every},
        "agents": sorted({repr(runs.agent) for runs in every}),
        "planned": sorted({runs.planned for runs in every}),
        "replicates": sorted({runs.replicates for runs in every}),
    }
    sweep.write_table(path, table, facts)


def table_name(paper: str) -> str:
    """Of the committed runs."""
    return f"{paper}_exponents"


def tables_of(paper: str, folder: Path = TABLES) -> Tables:
    """``users``: by agent, axis and value the median, its interval, failures, mean regret at the
    multiple, and what the bounds say; ``slopes``: local ones, from each value to the next, and
    ``ends``: from the first to the last."""
    from figures import runs as long_runs

    table = long_runs.table(table_name(paper), COLUMNS, folder)
    rows, slopes, ends = [], [], []
    for study in STUDIES[paper]:
        for axis, lengths in study.lengths.items():
            label, points = (study.agent, axis), []
            for value in lengths:
                point = study.at(axis, value)
                mine = measured.rows_of(table, study.runs(point))
                users, bounds = measured.users(mine), study.horizons(point)
                regret = _median(mine["regret"])
                points.append(Point(value, users, regret, bounds))
                facts = users.median, *users.interval(), users.never, len(mine)
                rows.append((*label, value, *facts, regret, *bounds))
            slopes += [(*label, *_slope(axis, *pair)) for pair in pairwise(points)]
            reached = [point for point in points if point.users.median < inf]
            ends.append((*label, len(reached), *_slope(axis, reached[0], reached[-1])))
    columns = "first second slope low high regret printed proved"
    return {
        "users": frame(rows, "agent axis value users low high never runs regret printed proved"),
        "slopes": frame(slopes, f"agent axis {columns}"),
        "ends": frame(ends, f"agent axis sizes {columns}"),
    }


def _median(regret: pd.Series) -> float:
    """Of what the replicates lost, those that ended too early being the largest; NaN where half of
    them did."""
    middle = float(np.median(regret.fillna(inf)))
    return middle if middle < inf else nan


@dataclass(frozen=True, eq=False)
class Point:
    """What was measured at one value of an axis, and the users that the bounds say."""

    value: float
    users: measure.Users
    regret: float  #: at the multiple
    bounds: tuple[float, float]  #: printed, proved


def _slope(axis: str, first: Point, second: Point) -> tuple[float, ...]:
    """Values, slope of users with its interval, of regret at the multiple, of the bounds."""
    span = log(second.value / first.value) * (-1 if axis.startswith("1/") else 1)
    middle, low, high = measure.ratio(second.users, first.users, LEVEL)
    slopes = sorted(_power(ratio, span) for ratio in (low, high))
    return (
        first.value,
        second.value,
        _power(middle, span),
        *slopes,
        _power(second.regret / first.regret, span),
        *(
            _power(more / fewer, span)
            for fewer, more in zip(first.bounds, second.bounds, strict=True)
        ),
    )


def _power(ratio: float, span: float) -> float:
    """Of a size whose logarithm grows by ``span``."""
    if not ratio > 0:
        return -inf if span > 0 and ratio == 0 else nan
    return inf if ratio == inf else log(ratio) / span


LABELS = {"S": "states S", "A": "actions A", "d": "dimension d", "H": "steps H"}


def draw(tables: Tables) -> Figure:
    """A row per algorithm and a panel per axis: users with their intervals, and the printed and
    proved bounds' horizons scaled to the first of them."""
    agents, axes_names = (list(dict.fromkeys(tables["users"][name])) for name in ("agent", "axis"))
    figure, grid = style.figure(0.9 + 2.2 * len(agents), len(agents), len(axes_names))
    for row, agent in zip(grid, agents, strict=True):
        for axes, name in zip(row, axes_names, strict=True):
            users, ends = (where(tables[key], agent=agent, axis=name) for key in ("users", "ends"))
            _panel(axes, users, ends, name)
        which = "" if len(agents) == 1 else f"{agent_name(agent)}:\n"
        row[0].set_ylabel(f"{which}users before it has learnt")
    return legend_below(figure, grid[0][0], 3)


def _panel(axes: Axes, rows: pd.DataFrame, ends: pd.DataFrame, name: str) -> None:
    at = rows["value"].to_numpy(dtype=float)
    reached = np.isfinite(rows["users"].to_numpy(dtype=float))
    start = rows[reached].iloc[0]
    for kind, colour in (("printed", "bound"), ("proved", "corrected")):
        axes.plot(
            at,
            rows[kind] / float(start[kind]) * float(start["users"]),
            color=style.COLOURS[colour],
            linestyle=style.LINES["bound"],
            linewidth=1.0,
            label=f"{kind} bound, scaled",
        )
    low, users, high = (rows[reached][key].to_numpy(float) for key in ("low", "users", "high"))
    high = np.where(np.isfinite(high), high, users)
    axes.errorbar(
        at[reached],
        users,
        yerr=(users - low, high - users),
        color=style.COLOURS["printed"],
        marker="o",
        markersize=3,
        linewidth=1.0,
        elinewidth=1.5,
        label="measured",
    )
    slope = ends.iloc[0]
    title = f"power {slope['slope']:.2g}, printed {slope['printed']:.2g}"
    axes.set(xscale="log", yscale="log", xlabel=LABELS.get(name, "ε"))
    axes.set_title(title, fontsize=7)
    if not name.startswith("1/"):
        axes.set_xticks(at, [f"{value:g}" for value in at])
        axes.minorticks_off()


HEAD = (
    "paper",
    "algorithm",
    "size",
    "from, to",
    "measured",
    "local slopes",
    "regret at twice as many",
    "printed bound",
    "proved bound",
    "lower bound",
)


@cache
def markdown(folder: Path = TABLES) -> str:
    """The table across papers, what is left out last."""
    rows = []
    for paper in STUDIES:
        tables = tables_of(paper, folder)
        for row in tables["ends"].itertuples():
            local = where(tables["slopes"], agent=row.agent, axis=row.axis)
            rows.append(
                (
                    paper,
                    agent_name(str(row.agent)),
                    str(row.axis),
                    f"{row.first:g}, {row.second:g} ({row.sizes} values)",
                    _with_ends(row),
                    ", ".join(_with_ends(step) for step in local.itertuples()),
                    *(_two(getattr(row, name)) for name in ("regret", "printed", "proved")),
                    _lower(paper, str(row.axis)),
                )
            )
    for paper, agent, sizes, why in left_out.reasons():
        blanks = ("",) * (len(HEAD) - 4)
        rows.append((paper, agent_name(agent), sizes, why, *blanks))
    return style.markdown(HEAD, rows)


def agent_name(agent: str) -> str:
    """The algorithm for a reader."""
    from figures.users import title

    return title(agent)


def _with_ends(row: Any) -> str:
    return f"{_two(row.slope)} ({_two(row.low)} to {_two(row.high)})"


def _lower(paper: str, axis: str) -> str:
    exponent = comparable.lower_exponent(paper, axis)
    return "none printed" if exponent is None else f"{exponent:g}"


def _two(value: Any) -> str:
    return f"{float(value):.2f}" if np.isfinite(value) else "-"
