"""How many replicates stand behind each committed table of runs, by what a run takes.

The rule: ``ENOUGH`` where a run takes at most ``SECONDS``, else ``LEAST`` and more. A table that
has fewer stands in ``FEWER`` with the reason; what more would take is counted from the recorded
costs (:mod:`figures.costs`). docs/measure.md says both.
"""

import textwrap
from collections.abc import Iterable
from functools import cache
from math import inf
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from figures import costs, instances, learnt, linear_runs, runs
from figures import left_out as left_out_sizes
from figures.runs import TABLES
from figures.style import markdown as markdown_table
from figures.style import number
from figures.user_cases import CASES, TRUST, UserCase
from figures.users import title

ENOUGH, LEAST, SECONDS = 32, 8, 2.0
RIVER = "vietri2020/riverswim-3-relabelled"

DATED = "curves, dated by others"
CURVES = "curves, means"
CHOICE = "choice"
#: tables that have fewer than the rule asks for, and what they are for
FEWER = {
    "vietri2020_regret": DATED,
    "vietri2020_counters": DATED,
    "successors_regret": DATED,
    "chowdhury2021_regret": DATED,
    "chowdhury2021_counters": DATED,
    "zhou2022_regret": DATED,
    "zhou2022_counters": DATED,
    "zhou2022_local": DATED,
    "vietri2020_price": CURVES,
    "vietri2020_lower": CURVES,
    "vietri2020_nonvacuous": CURVES,
    "vietri2020_pac": CURVES,
    "chowdhury2021_price": CURVES,
    "liao2021_grid": CHOICE,
    "common_environment": CURVES,
    "tuned_training": CHOICE,
    "found_users": CHOICE,
    "tuned_noise": CURVES,
}
_SPECIAL = {  # tables whose columns do not name world, agent and counter: what all rows are
    "tuned_noise": (RIVER, "private-ucbvi", "blt", 30_000),
    "noise_explores": (RIVER, "private-ucbvi", "blt", 10_000),
    "five_lines": (RIVER, "ubev", "none", 300_000),
}
_COORDINATES = {
    *("replicate", "episode", "episodes", "regret", "users", "alpha"),
    *("late", "before", "share"),
}


class RunKind(NamedTuple):
    """Runs of a table that differ in their replicate alone."""

    table: str
    world: str
    agent: str
    counter: str
    played: int
    replicates: int

    @property
    def seconds(self) -> float:
        """What one of them takes."""
        return costs.seconds(self.world, self.agent, self.played, self.counter)

    @property
    def wanted(self) -> int:
        """How many the rule asks for."""
        return ENOUGH if self.seconds <= SECONDS else LEAST

    @property
    def enough(self) -> bool:
        """Whether it has as many as the rule asks for; nothing is timed where there are many."""
        return self.replicates >= ENOUGH or self.replicates >= self.wanted


def kinds_of(table: pd.DataFrame, name: str) -> list[RunKind]:
    """Every kind of run in a table."""
    labels = [
        column for column in table.columns if column not in _COORDINATES and not column.isdigit()
    ]
    kinds = []
    for _, rows in table.groupby(labels, sort=False, dropna=False):
        first, replicates = rows.iloc[0], int(rows["replicate"].nunique())
        if name in _SPECIAL:
            kinds.append(RunKind(name, *_SPECIAL[name], replicates))
            continue
        world = next(str(first[key]) for key in ("id", "world", "setting") if key in labels)
        counter = first.get("counter", "tree" if first["epsilon"] < inf else "none")
        kinds.append(
            RunKind(name, world, str(first["agent"]), str(counter), _played(rows), replicates)
        )
    return kinds


def _played(rows: pd.DataFrame) -> int:
    """Users of a run, as its table says."""
    if "played" in rows:
        return int(rows["played"].iloc[0])
    if "episode" in rows:
        return int(rows["episode"].max())
    marks = [int(name) for name in rows if name.isdigit() and rows[name].notna().any()]
    return max(marks, default=int(rows["planned"].iloc[0]))


def table_names(folder: Path = TABLES) -> list[str]:
    """Every committed table that has replicates."""
    names = (path.stem for path in folder.glob("*.csv"))
    return sorted(
        name
        for name in names
        if name != left_out_sizes.ID and "replicate" in runs.table(name).columns
    )


@cache
def every(folder: Path = TABLES) -> list[RunKind]:
    """Every kind of every table."""
    return [kind for name in table_names(folder) for kind in kinds_of(runs.table(name), name)]


def too_few(kinds: Iterable[RunKind]) -> list[RunKind]:
    """Those with fewer than the rule asks for, in whatever table."""
    return [kind for kind in kinds if not kind.enough]


def broken(kinds: Iterable[RunKind]) -> list[str]:
    """Tables with too few that give no reason, and reasons of tables that have enough."""
    few = {kind.table for kind in too_few(kinds)}
    return sorted(few ^ set(FEWER))


HEAD = (
    "tables",
    "what they are",
    "kinds of run",
    "replicates",
    "seconds a run",
    "minutes for as many as the rule asks",
)


def summary(folder: Path = TABLES) -> str:
    """How many kinds of run have how many replicates, in a sentence."""
    kinds = every(folder)
    many = sum(kind.replicates >= ENOUGH for kind in kinds)
    fewer = [kind for kind in kinds if kind.replicates < ENOUGH and kind.enough]
    few = len(kinds) - many - len(fewer)
    numbers, times = (
        _range(getattr(kind, name) for kind in fewer) for name in ("replicates", "seconds")
    )
    return (
        f"Of {len(kinds):,} kinds of run in {len(table_names(folder))} tables {many:,} have "
        f"{ENOUGH} replicates and more; {len(fewer)} have {numbers}, as one takes {times} seconds; "
        f"{few:,} have fewer than the rule asks for:"
    )


def markdown(folder: Path = TABLES) -> str:
    """The tables that have fewer than the rule asks for, for docs/measure.md."""
    rows = []
    for reason in dict.fromkeys(FEWER.values()):
        for name in (name for name, why in FEWER.items() if why == reason):
            mine = [kind for kind in too_few(every(folder)) if kind.table == name]
            more = sum((kind.wanted - kind.replicates) * kind.seconds for kind in mine) / 60
            rows.append(
                (
                    f"`{name}`",
                    reason,
                    str(len(mine)),
                    _range(kind.replicates for kind in mine),
                    _range(kind.seconds for kind in mine),
                    number(more, 2),
                )
            )
    return f"{textwrap.fill(summary(folder), 118)}\n\n{markdown_table(HEAD, rows)}"


def _range(values: Iterable[float]) -> str:
    ordered = sorted(values)
    ends = dict.fromkeys(number(end, 2) for end in (ordered[0], ordered[-1]))
    return " to ".join(ends)


class LateRun(NamedTuple):
    """A long run whose users before learning are counted on fewer than ``LEAST`` replicates."""

    table: str
    world: str
    agent: str
    counter: str
    calibration: str
    epsilon: float
    planned: int
    replicates: int
    minutes: float  #: that ``LEAST`` of them take


#: long runs of these tables that no figure dates
UNDRAWN = (("successors_regret", 10.0), ("successors_regret", 100.0))


def left_out(folder: Path = TABLES) -> list[LateRun]:
    """Of the tables whose users are counted on other runs: what was too long to be played again."""
    rows = []
    for name in (name for name, why in FEWER.items() if why == DATED):
        for run in linear_runs.read_runs(name, folder):
            if (name, run.epsilon) in UNDRAWN:
                continue
            size = learnt.users(run, folder).first.size
            if size < LEAST:
                last = int(run.episodes[-1])
                minutes = LEAST * costs.seconds(run.id, run.agent, last, run.counter) / 60
                kind = run.agent, run.counter, run.calibration, run.epsilon, run.planned
                rows.append(LateRun(name, run.id, *kind, size, minutes))
    return rows


def left_out_words(folder: Path = TABLES) -> str:
    """:func:`left_out` in a sentence, for docs/measure.md."""
    parts = [
        f"{title(row.agent)} {row.calibration} over `{row.counter}` at epsilon = {row.epsilon:g} "
        f"on `{row.world}` ({row.replicates} runs; {LEAST} take {number(row.minutes, 2)} minutes)"
        for row in left_out(folder)
    ]
    if not parts:
        return f"Every long run whose users are counted has {LEAST} replicates or more.\n"
    return textwrap.fill(f"Fewer than {LEAST} have: {'; '.join(parts)}.", 118) + "\n"


PROBLEMS = {
    "tabular": "tabular",
    "linear": "linear mixtures",
    "known": "rewards known",
    "lq": "LQ systems",
}

INSTANCES = 3  # instances of each row of the advice, its own among them


def instances_left_out() -> list[tuple[UserCase, float]]:
    """Rows of the advice with fewer instances, and the minutes that the missing ones would take at
    the cost of the row's own."""
    rows = []
    for case in CASES:
        key = case.family, case.trust, case.epsilon
        further = [
            row for row in instances.INSTANCES if (row.family, row.trust, row.epsilon) == key
        ]
        own = [row for row in CASES if (row.family, row.trust, row.epsilon) == key]
        missing = INSTANCES - len(further) - len(own)
        if missing > 0:
            seconds = sum(
                runs.replicates
                * costs.seconds(runs.world, runs.agent.name, runs.played, runs.agent.counter)
                for runs in (case.runs[kind] for kind in ("tuned", "twin") if kind in case.runs)
            )
            rows.append((case, missing * seconds / 60))
    return rows


def instances_left_out_words() -> str:
    """:func:`instances_left_out` in a sentence."""
    parts = [
        f"{PROBLEMS[case.family]}, {TRUST[case.trust]}, at epsilon = {case.epsilon:g} "
        f"({number(minutes, 2)} minutes)"
        for case, minutes in instances_left_out()
    ]
    if not parts:
        return f"Every row of the advice has {INSTANCES} instances, its own among them.\n"
    text = f"Left out, with what two further instances would take: {'; '.join(parts)}."
    return textwrap.fill(text, 118) + "\n"
