"""Tables of users before learning: one row per replicate, what ran and its first user by the
measure (docs/measure.md).

Runs are recorded at fifty checkpoints a decade. Of these a table keeps the first user from which on
the replicate has learnt, and the regret after 10, 100, .. users and at the end.
"""

import functools
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from figures import profiles, runs
from figures.runs import TABLES
from figures.style import number
from privrl._cache import code_hash
from privrl.checkpoints import A_DECADE
from privrl.environments import suite
from privrl.run import measure, simulate, sweep
from privrl.run.engines import Engine, Failure
from privrl.run.simulate import Agent
from privrl.run.store import Store
from privrl.types import Environment, FloatArray

DECADES = tuple(10**power for power in range(1, 9))
KIND = ("world", "agent", "counter", "calibration", "epsilon", "delta", "planned", "played", "seed")
COLUMNS = (*KIND, "replicate", "users", "regret", *map(str, DECADES))


@dataclass(frozen=True, eq=False)
class MeasuredRuns:
    """Runs to be measured; ``world`` is an id of the suite, or the name of ``environment``.

    Parameters
    ----------
    planned : users that the agent is told of
    last : users that are played; all by default
    """

    world: str
    agent: Agent
    planned: int
    replicates: int
    last: int | None = None
    environment: Environment | None = None
    seed: int = 0

    @property
    def played(self) -> int:
        return simulate.last_episode(self.planned, self.last)

    @property
    def made(self) -> Environment:
        """What is played."""
        return suite.environment(self.world) if self.environment is None else self.environment

    @property
    def labels(self) -> dict[str, Any]:
        """The columns ``KIND``."""
        agent = self.agent
        return {
            "world": self.world,
            "agent": agent.name,
            "counter": agent.counter,
            "calibration": simulate.calibration_of(agent),
            "epsilon": agent.epsilon,
            "delta": agent.delta,
            "planned": self.planned,
            "played": self.played,
            "seed": self.seed,
        }

    def facts(self, replicate: int) -> dict[str, Any]:
        """All that a replicate's numbers depend on, the code included."""
        return {
            **{name: str(value) for name, value in self.labels.items()},
            "fields": sweep.fields_of(self.agent),
            "environment": _hash(self.made),
            "replicate": replicate,
            "decade": A_DECADE,
            "code": code_hash(),
            "versions": sweep.versions(),
        }

    def regret(self, replicate: int, folder: Path | None = None) -> FloatArray:
        """At the checkpoints of :func:`privrl.run.measure.marks`; taken from ``folder`` where it
        has been computed."""
        marks = measure.marks(self.planned)
        if folder is None:
            return self._play(replicate, marks)
        store, facts = Store(folder), self.facts(replicate)
        stored = store.load(facts)
        if stored is None:
            stored = self._play(replicate, marks)
            store.save(facts, stored)
        return stored

    def _play(self, replicate: int, marks: Any) -> FloatArray:
        return simulate.replicate(
            self.made, self.agent, self.planned, self.played, self.seed, replicate, marks=marks
        )

    def row(self, replicate: int, folder: Path | None = None) -> tuple[Any, ...]:
        """The columns ``COLUMNS`` of one replicate."""
        marks = measure.marks(self.planned)
        marks = marks[marks <= self.played]
        regret = self.regret(replicate, folder)
        first = measure.first_users(
            marks, regret[None], measure.reference(self.made, self.agent.name)
        )
        at = dict(zip(marks.tolist(), regret.tolist(), strict=True))
        return (
            *self.labels.values(),
            replicate,
            float(first[0]),
            float(regret[-1]),
            *(at.get(mark, np.nan) for mark in DECADES),
        )


def _hash(environment: Environment) -> str:
    digest = hashlib.sha256()
    for name, value in sorted(vars(environment).items()):
        if isinstance(value, np.ndarray):
            digest.update(f"{name} {value.shape}".encode() + value.tobytes())
    return digest.hexdigest()[:16]


def _work(case: tuple[MeasuredRuns, int], folder: Path) -> tuple[Any, ...]:
    return case[0].row(case[1], folder)


def recompute(make: Callable[[], Sequence[MeasuredRuns]], path: Path, jobs: int = 1) -> None:
    """Run the settings of ``make()`` and write the table and its provenance; finished replicates
    are kept beside it.

    A shorter profile has the replicates that are played for no longer.
    """
    settings = list(make())
    cases = [
        (setting, replicate)
        for setting in settings
        for replicate in range(setting.replicates)
        if profiles.current().has(setting.played, replicate)
    ]
    if not cases:
        return
    rows: dict[int, tuple[Any, ...]] = {}
    folder = path.parent / "replicates"
    folder.mkdir(parents=True, exist_ok=True)
    for position, row in Engine(jobs=jobs).each(functools.partial(_work, folder=folder), cases):
        if isinstance(row, Failure):
            raise RuntimeError(f"{path.stem}: {cases[position][0].labels} {row.reason}")
        rows[position] = row
    table = pd.DataFrame([rows[position] for position in range(len(cases))], columns=[*COLUMNS])
    facts = {
        "environments": {setting.world: _hash(setting.made) for setting in settings},
        "agents": sorted({repr(setting.agent) for setting in settings}),
        "planned": sorted({setting.planned for setting in settings}),
        "seeds": sorted({setting.seed for setting in settings}),
        "replicates": sorted({setting.replicates for setting in settings}),
        "checkpoints a decade": A_DECADE,
    }
    sweep.write_table(path, table, facts)


def read(name: str, folder: Path = TABLES) -> pd.DataFrame:
    """The table of that name, a row per replicate."""
    return runs.table(name, COLUMNS, folder)


def rows_of(table: pd.DataFrame, setting: MeasuredRuns) -> pd.DataFrame:
    """The replicates of a setting."""
    mask = np.logical_and.reduce([table[name] == value for name, value in setting.labels.items()])
    return table[mask]


def users(rows: pd.DataFrame) -> measure.Users:
    """The measure of the replicates of one setting."""
    return measure.Users(rows["users"].to_numpy(dtype=np.float64), measure.STEP)


def share(rows: pd.DataFrame, lost: float, at: int | None = None) -> float:
    """Mean regret up to user ``at`` (a power of ten; the end by default) over that of play that
    learns nothing, which loses ``lost`` a user."""
    column, episodes = ("regret", int(rows["played"].iloc[0])) if at is None else (str(at), at)
    return float(rows[column].mean()) / (lost * episodes)


TWO_DIGITS = 1.5  # a ratio whose ends differ by less is said with two digits
WIDE = 10.0  # one whose ends differ by more has no digit to say: its ends alone


def digits(low: float, high: float) -> int:
    """Of a ratio with such an interval; 0: none, the ends alone are said."""
    if high > WIDE * low:
        return 0
    return 2 if high < TWO_DIGITS * low else 1


def ends_words(low: float, high: float) -> str:
    """The ends of an interval of users, rounded outwards."""
    least, most = measure.outward(low, high)
    return f"{number(least, 2)} to {'never' if np.isinf(most) else number(most, 2)}"


def ratio_words(ratio: tuple[float, float, float]) -> str:
    """A ratio of users and its 95 % interval, rounded outwards, as docs/measure.md says."""
    middle, low, high = ratio
    least, most = (number(end, 2) for end in measure.outward(low, high))
    if np.isinf(high):
        return f"at least {least}"
    if not digits(low, high):
        return f"{least} to {most}"
    return f"{number(middle, digits(low, high))} ({least} to {most})"
