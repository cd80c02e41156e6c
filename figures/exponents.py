"""Users before learning over one size at a time, on worlds that stay comparable: what theory says
they grow like, and what runs measure.

Tabular: *parallel contexts*, every state equally likely next whatever is done; in each state and
step one action pays 1 and the others nothing, and the right actions go round, so that every action
is right equally often. Linear: mixtures of d models with d actions. A wrong action costs the same
at all sizes, so that what grows is the number of users alone. Users are counted as docs/measure.md
says; a local slope is log ratio of users over log ratio of sizes, with the interval of the ratio.
"""

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import inf, log
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from figures import measured, profiles, style
from figures.kinds.lines import Axes, Figure, legend_below
from figures.kinds.tables import TABLES, Tables, frame, where
from figures.measured import MeasuredRuns
from privrl.agents import registry
from privrl.checks import count
from privrl.environments.linear_mixture import mixture
from privrl.run import measure, sweep
from privrl.run.engines import Engine, Failure
from privrl.types import TabularMDP
from theory.papers.liao2021 import bounds as liao
from theory.papers.vietri2020.bounds import proved, stated

PLANNED = 10**7  # of all runs, the same
LEVEL = 0.9  # of the intervals of slopes: 6 replicates have no more
MULTIPLE = 2  # regret is compared after so many times the users before learning
COLUMNS = (*measured.KIND, "replicate", "users", "regret")
AXES = ("S", "A", "d", "H", "1/epsilon")


def contexts(states: int, actions: int, horizon: int) -> TabularMDP:
    """Parallel contexts with balanced labels: action (s + h) mod A is right in state s of step
    h."""
    S, A, H = count("states", states), count("actions", actions, 2), count("horizon", horizon)
    right = (np.arange(S) + np.arange(H)[:, None]) % A
    return TabularMDP(
        f"contexts-{S}x{A}-h{H}",
        np.full((S, A, S), 1 / S),
        np.eye(A)[right],
        np.full(S, 1 / S),
        horizon=H,
    )


@dataclass(frozen=True)
class Study:
    """An algorithm as printed at one point of its sizes, and along each of them.

    Parameters
    ----------
    base : the sizes and epsilon from which one at a time is changed
    lengths : by axis its values, at least five
    users : about what the base takes; powers : by axis, about how that grows: a run lasts ``room``
        times as long
    lower : exponents of the paper's lower bound
    """

    paper: str
    agent: str
    counter: str
    delta: float
    beta: float
    base: dict[str, float]
    lengths: dict[str, tuple[float, ...]]
    users: float
    powers: dict[str, float]
    room: float
    replicates: int
    lower: dict[str, float]

    def at(self, axis: str, value: float) -> dict[str, float]:
        """The point at which ``axis`` has this value."""
        return {**self.base, axis.replace("1/", ""): value}

    def runs(self, point: dict[str, float]) -> MeasuredRuns:
        """The runs at a point."""
        epsilon, sizes = point["epsilon"], {name: int(size) for name, size in point.items()}
        world: Any
        if self.paper == "vietri2020":
            world = contexts(sizes["S"], sizes["A"], sizes["H"])
        else:
            world = mixture(sizes["d"], sizes["H"], scaled=True)
        expected = self.users
        for axis, power in self.powers.items():
            name = axis.replace("1/", "")
            growth = point[name] / self.base[name]
            expected *= growth ** (-power if axis.startswith("1/") else power)
        agent = registry.make(
            self.agent,
            epsilon=epsilon,
            delta=self.delta,
            beta=self.beta,
            counter=self.counter,
            calibration="printed",
        )
        last = min(PLANNED, int(self.room * expected))
        return MeasuredRuns(world.name, agent, PLANNED, self.replicates, last, environment=world)

    def horizons(self, point: dict[str, float]) -> tuple[float, float]:
        """From how many users on the printed and the proved bound are below H K."""
        H, epsilon = int(point["H"]), point["epsilon"]
        if self.paper == "vietri2020":
            S, A = int(point["S"]), int(point["A"])
            return (
                float(stated.vacuity_horizon(S, A, H, epsilon, self.beta)),
                float(proved.regret_horizon(S, A, H, epsilon, self.beta)),
            )
        d = int(point["d"])
        rows = liao.horizons(d, H, epsilon, self.delta, self.beta, counters=("local",))
        found = {row.calibration: row for row in rows if row.counter == self.counter}
        return tuple(  # type: ignore[return-value]  # of two
            float(found[name].below_trivial or inf) for name in ("printed", "corrected")
        )


STUDIES = {
    study.paper: study
    for study in (
        Study(
            "vietri2020",
            "pucb",
            "tree",
            0.0,
            0.1,
            {"S": 4, "A": 2, "H": 2, "epsilon": 100.0},
            {
                "S": (2, 3, 4, 6, 9),
                "A": (2, 3, 4, 5, 7),
                "H": (1, 2, 3, 4, 5),
                "1/epsilon": (30.0, 100.0, 300.0, 1000.0, 3000.0),
            },
            2.2e5,
            {"S": 1.8, "A": 1.2, "H": 1.7, "1/epsilon": 0.8},
            2.5,
            6,
            {"S": 1, "A": 1, "H": 0, "1/epsilon": 1},
        ),
        Study(
            "liao2021",
            "ldp-ucrl-vtr",
            "local",
            0.1,
            0.01,
            {"d": 2, "H": 2, "epsilon": 100.0},
            {
                "d": (2, 3, 4, 5, 6),
                "H": (2, 3, 4, 5, 6),
                "1/epsilon": (10.0, 30.0, 100.0, 300.0, 1000.0),
            },
            2e3,
            {"d": 1.5, "H": 1.5, "1/epsilon": 1.0},
            30.0,
            16,
            {"d": 2, "H": 1, "1/epsilon": 2},
        ),
    )
}


def settings(paper: str) -> list[MeasuredRuns]:
    """Every run of a paper's study, each once."""
    study = STUDIES[paper]
    every: dict[tuple[Any, ...], MeasuredRuns] = {}
    for axis, lengths in study.lengths.items():
        for value in lengths:
            runs = study.runs(study.at(axis, value))
            every.setdefault(tuple(runs.labels.values()), runs)
    return list(every.values())


def _row(case: tuple[MeasuredRuns, int]) -> tuple[Any, ...]:
    """First user, and regret up to ``MULTIPLE`` times as many over that of play that learns
    nothing: infinite and missing where it is not reached."""
    runs, replicate = case
    marks = measure.marks(runs.planned)
    marks = marks[marks <= runs.played]
    regret = runs.regret(replicate)
    lost = measure.reference(runs.made, runs.agent.name)
    first = float(measure.first_users(marks, regret[None], lost)[0])
    upto = MULTIPLE * first
    at = float(np.interp(upto, marks, regret)) / lost if upto <= marks[-1] else np.nan
    return (*runs.labels.values(), replicate, first, at)


def recompute(paper: str, path: Path, jobs: int = 1) -> None:
    """Run a paper's study: some minutes."""
    every = settings(paper)
    cases = [
        (runs, replicate)
        for runs in every
        for replicate in range(runs.replicates)
        if profiles.current().has(runs.played, replicate)
    ]
    if not cases:
        return
    rows: dict[int, tuple[Any, ...]] = {}
    for position, row in Engine(jobs=jobs).each(_row, cases):
        if isinstance(row, Failure):
            raise RuntimeError(f"{path.stem}: {cases[position][0].labels} {row.reason}")
        rows[position] = row
    table = pd.DataFrame([rows[position] for position in range(len(cases))], columns=[*COLUMNS])
    facts = {
        "environments": {runs.world: measured._hash(runs.made) for runs in every},
        "agents": sorted({repr(runs.agent) for runs in every}),
        "planned": [PLANNED],
        "replicates": sorted({runs.replicates for runs in every}),
    }
    sweep.write_table(path, table, facts)


def table_name(paper: str) -> str:
    """Of the committed runs."""
    return f"{paper}_exponents"


def tables_of(paper: str, folder: Path = TABLES) -> Tables:
    """``users``: by axis and value the median, its interval, failures, mean regret at the
    multiple, and what the bounds say; ``slopes``: local ones, from each value to the next, and
    ``ends``: from the first to the last."""
    from figures import runs as long_runs

    study, table = STUDIES[paper], long_runs.table(table_name(paper), COLUMNS, folder)
    rows, slopes, ends = [], [], []
    for axis, lengths in study.lengths.items():
        points = []
        for value in lengths:
            point = study.at(axis, value)
            mine = measured.rows_of(table, study.runs(point))
            users = measured.users(mine)
            printed, sure = study.horizons(point)
            regret = float(mine["regret"].median())
            points.append((value, users, printed, sure, regret))
            ends_ = users.interval()
            facts = users.median, *ends_, users.never, len(mine)
            rows.append((axis, value, *facts, regret, printed, sure))
        slopes += [(axis, *_slope(axis, first, second)) for first, second in pairwise(points)]
        reached = [point for point in points if point[1].median < inf]
        ends.append((axis, len(reached), *_slope(axis, reached[0], reached[-1])))
    columns = "first second slope low high regret printed proved"
    return {
        "users": frame(rows, "axis value users low high never runs regret printed proved"),
        "slopes": frame(slopes, f"axis {columns}"),
        "ends": frame(ends, f"axis sizes {columns}"),
    }


def _slope(axis: str, first: Any, second: Any) -> tuple[float, ...]:
    """Values, slope of users with its interval, of regret at the multiple, of the bounds'
    horizons."""
    span = log(second[0] / first[0]) * (-1 if axis.startswith("1/") else 1)
    middle, low, high = measure.ratio(second[1], first[1], LEVEL)
    slopes = sorted(_power(ratio, span) for ratio in (low, high))
    return (
        first[0],
        second[0],
        _power(middle, span),
        *slopes,
        _power(second[4] / first[4], span),
        _power(second[2] / first[2], span),
        _power(second[3] / first[3], span),
    )


def _power(ratio: float, span: float) -> float:
    if not ratio > 0:
        return -inf if span > 0 and ratio == 0 else float("nan")
    return inf if ratio == inf else log(ratio) / span


LABELS = {"S": "states S", "A": "actions A", "d": "dimension d", "H": "steps H"}


def draw(tables: Tables) -> Figure:
    """A panel per axis: users with their intervals, and the printed and proved bounds' horizons
    scaled to the first of them."""
    axes_names = list(dict.fromkeys(tables["users"]["axis"]))
    figure, (row,) = style.figure(3.1, 1, len(axes_names))
    for axes, name in zip(row, axes_names, strict=True):
        _panel(axes, where(tables["users"], axis=name), where(tables["ends"], axis=name), name)
    row[0].set_ylabel("users before it has learnt")
    return legend_below(figure, row[0], 3)


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
    title = f"{slope['slope']:.2g} (printed {slope['printed']:.2g})"
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
    """The table across papers."""
    rows = []
    for paper, study in STUDIES.items():
        tables = tables_of(paper, folder)
        for row in tables["ends"].itertuples():
            local = where(tables["slopes"], axis=row.axis)
            rows.append(
                (
                    paper,
                    f"{registry_name(study)}, printed",
                    str(row.axis),
                    f"{row.first:g}, {row.second:g} ({row.sizes} values)",
                    f"{_two(row.slope)} ({_two(row.low)} to {_two(row.high)})",
                    ", ".join(_two(value) for value in local["slope"]),
                    _two(row.regret),
                    _two(row.printed),
                    _two(row.proved),
                    f"{study.lower[str(row.axis)]:g}" if study.lower else "none printed",
                )
            )
    return style.markdown(HEAD, rows)


def registry_name(study: Study) -> str:
    """The algorithm for a reader."""
    from figures.users import title

    return title(study.agent)


def _two(value: Any) -> str:
    return f"{float(value):.2f}" if np.isfinite(value) else "-"
