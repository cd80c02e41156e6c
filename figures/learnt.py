"""Users before the papers' long runs have learnt, over more replicates than are played to the end.

The runs behind the figures ``*_regret``, ``*_counters``, ``*_local`` and ``*_joint`` go to as many
as 10^8 users, two to ten of each. Users before learning are counted on the same runs (agent, seed
and planned number), so that the first replicates are those of the long runs, but on more of them,
which end once they have learnt: after about twice as many users. That none of them forgets
afterwards is what the long runs show; a test holds both together.
"""

from dataclasses import dataclass
from functools import cache, partial
from math import inf
from pathlib import Path
from typing import Any

from figures import measured
from figures.measured import MeasuredRuns
from figures.runs import TABLES
from figures.style import number
from privrl.agents import registry
from privrl.environments import suite
from privrl.run import measure
from privrl.types import Environment, FloatArray, Run

MANY, FEW = 32, 8  # replicates, by what a run takes: figures.replicates holds them to that
DELTA = 1e-6
COARSE = 10 ** (1 / 10)  # largest ratio of neighbouring checkpoints of the long runs
COLUMNS = "burn_in burn_in_low burn_in_high least most never runs"
M = 10**6
TREE, SIGNED, SMOOTH, BLT, LOCAL = "tree", "signed", "smooth", "blt", "local"


@dataclass(frozen=True)
class LearningRuns:
    """One kind of run: users that are planned for and played, and replicates."""

    agent: str
    counter: str
    calibration: str
    epsilon: float
    planned: int
    last: int
    replicates: int = MANY
    delta: float = DELTA

    def runs(self, world: str) -> MeasuredRuns:
        """What is played."""
        agent = registry.make(
            self.agent,
            epsilon=self.epsilon if self.counter != "none" else 1.0,
            delta=self.delta,
            beta=suite.entry(world).beta,
            counter=self.counter,
            calibration=self.calibration,
        )
        return MeasuredRuns(world, agent, self.planned, self.replicates, self.last)


_pucb = partial(LearningRuns, "pucb")
_pure = partial(LearningRuns, "pucb", delta=0.0)
_ucbvi = partial(LearningRuns, "private-ucbvi")
_vi, _po = partial(LearningRuns, "linopt-vi"), partial(LearningRuns, "linopt-po")
_ofu, _ce = partial(LearningRuns, "private-ofu-rl"), partial(LearningRuns, "private-ce")
_vtr = partial(LearningRuns, "ldp-ucrl-vtr", delta=0.1)
WORLDS = {
    "vietri2020": "vietri2020/riverswim-3-relabelled",
    "zhou2022": "zhou2022/mixture-2",
    "chowdhury2021": "chowdhury2021/scalar",
    "liao2021": "liao2021/mixture-2",
}
HOME = {"liao2021": "liao2021_horizon"}  # where ``PAPER_learning`` has long runs of its own
KEY = ("agent", "counter", "calibration", "epsilon", "delta", "planned")
SHARED = ("found_users", "tuned_users")  # tables that have some of the same runs
COUNTED: dict[str, tuple[LearningRuns, ...]] = {
    "vietri2020": (
        LearningRuns("ubev", "none", "printed", inf, 100 * M, M // 50, delta=0.0),
        _pucb(BLT, "tight", 10.0, M // 10, M // 10),
        _ucbvi(BLT, "tight", 1.0, 100 * M, M // 5),
        LearningRuns("ucbvi", "none", "tight", inf, 100 * M, M // 50, delta=0.0),
        _pure(TREE, "corrected", 1.0, 100 * M, 25 * M, FEW),
        _pure(TREE, "tight", 1.0, 100 * M, 16 * M, FEW),
        _pure(TREE, "printed", 10.0, 100 * M, 8 * M, FEW),
        _pure(TREE, "corrected", 10.0, 100 * M, 4 * M, FEW),
        _pure(TREE, "tight", 10.0, 100 * M, 5 * M // 2),
        _pure(TREE, "printed", 100.0, 100 * M, 3 * M // 2),
        _pure(TREE, "corrected", 100.0, 100 * M, M // 2),
        _pure(TREE, "tight", 100.0, 100 * M, M // 2),
        _pure(SMOOTH, "tight", 1.0, 10 * M, 6 * M, FEW),
        _pure(SIGNED, "tight", 1.0, 10 * M, 6 * M, FEW),
        _pucb(TREE, "tight", 1.0, 10 * M, 2 * M),
        _pucb(SMOOTH, "tight", 1.0, 10 * M, 3 * M // 2),
        _pucb("honaker", "tight", 1.0, 10 * M, 3 * M // 2),
        _pucb(BLT, "tight", 1.0, M, M // 2),
        _pure(SIGNED, "tight", 10.0, M, M // 2),
        _pure(SIGNED, "tight", 1.0, 100 * M, 8 * M, FEW),
        _pucb(TREE, "tight", 1.0, 100 * M, 5 * M // 2),
        _pucb(BLT, "tight", 1.0, 100 * M, M),
        _ucbvi(TREE, "tight", 1.0, 100 * M, M // 4),
        _ucbvi(TREE, "tight", 1.0, 100 * M, 3 * M // 2, delta=0.0),
        LearningRuns("dp-ucbvi", BLT, "tight", 1.0, 100 * M, M // 3),
    ),
    "zhou2022": (
        _vi(TREE, "printed", 1.0, M, M),
        _vi(TREE, "corrected", 1.0, M, M // 5),
        _vi(TREE, "tight", 1.0, M, M // 10),
        _vi(TREE, "printed", 10.0, M, M // 5),
        _vi(TREE, "corrected", 10.0, M, M // 20),
        _vi(TREE, "tight", 10.0, M, M // 50),
        _vi(TREE, "printed", 100.0, M, M // 50),
        _vi(TREE, "corrected", 100.0, M, M // 100),
        _vi(TREE, "tight", 100.0, M, M // 100),
        _po(TREE, "printed", 1.0, M, M),
        _po(TREE, "corrected", 1.0, M, M // 5),
        _po(TREE, "tight", 1.0, M, M // 5),
        _po(TREE, "printed", 10.0, M, M // 5),
        _po(TREE, "corrected", 10.0, M, M // 10),
        _po(TREE, "tight", 10.0, M, M // 20),
        _po(TREE, "printed", 100.0, M, M // 10),
        _po(TREE, "corrected", 100.0, M, M // 20),
        _po(TREE, "tight", 100.0, M, M // 20),
        _vi("none", "printed", inf, M, M // 50),
        _po("none", "printed", inf, M, M // 50),
        _vi(BLT, "tight", 1.0, M, M // 10),
        _vi(BLT, "tight", 10.0, M, M // 20),
        _vi(BLT, "tight", 100.0, M, M // 20),
        _po(BLT, "tight", 1.0, M, M // 10),
        _po(BLT, "tight", 10.0, M, M // 20),
        _po(BLT, "tight", 100.0, M, M // 20),
        _vi("honaker", "tight", 1.0, M, M // 10),
        _vi(SMOOTH, "tight", 1.0, M, M // 10),
        _vi(BLT, "corrected", 1.0, M, M // 10),
        _vi(LOCAL, "tight", 10.0, M, M // 5),
        _vi(LOCAL, "printed", 100.0, M, M),
        _vi(LOCAL, "tight", 100.0, M, M // 20),
        _po(LOCAL, "tight", 10.0, M, M // 2),
        _po(LOCAL, "printed", 100.0, M, M),
        _po(LOCAL, "tight", 100.0, M, M // 20),
        *(make(LOCAL, kind, 1.0, M, M) for make in (_vi, _po) for kind in ("printed", "tight")),
        _vi(LOCAL, "printed", 10.0, M, M),
        _po(LOCAL, "printed", 10.0, M, M),
    ),
    "chowdhury2021": (
        _ofu(BLT, "tight", 1.0, 50 * M, 3 * M, FEW),
        _ofu(TREE, "printed", 1000.0, M // 5, M // 20),
        _ofu(TREE, "tight", 1000.0, M // 5, M // 10),
        LearningRuns("ofu-rl", "none", "printed", inf, 5 * M, M // 50),
        _ofu(TREE, "corrected", 1000.0, M // 5, M // 10),
        _ce(TREE, "tight", 1000.0, M // 5, M // 5),
        _ofu(TREE, "printed", 100.0, M, M // 4),
        _ofu(TREE, "corrected", 100.0, M, M // 3),
        _ofu(TREE, "tight", 100.0, M, M // 5),
        _ce(TREE, "tight", 100.0, M, M),
        _ofu(TREE, "corrected", 10.0, 5 * M, 5 * M // 2, FEW),
        _ofu(TREE, "tight", 10.0, 5 * M, M, FEW),
        _ce(TREE, "tight", 10.0, 5 * M, 5 * M, FEW),
    ),
    "liao2021": (
        *(
            _vtr(LOCAL, kind, epsilon, M, M // 5)
            for epsilon in (100.0, 10_000.0)
            for kind in ("printed", "corrected", "tight")
        ),
        *(_vtr(BLT, "tight", epsilon, M, M // 5) for epsilon in (1.0, 100.0, 10_000.0)),
        *(
            LearningRuns("ucrl-vtr", "none", kind, inf, M, M // 50, delta=0.1)
            for kind in ("printed", "tight")
        ),
    ),
}


def table_name(paper: str) -> str:
    """Of the committed runs: the figure's whose ``recompute`` makes them."""
    return HOME.get(paper, f"{paper}_learning")


@cache
def settings(paper: str) -> tuple[MeasuredRuns, ...]:
    """Every kind of run of a paper."""
    return tuple(kind.runs(WORLDS[paper]) for kind in COUNTED[paper])


def recompute(paper: str, path: Path, jobs: int = 1) -> None:
    """Play everything again: some minutes to half an hour."""
    measured.recompute(partial(settings, paper), path, jobs)


@cache
def every(paper: str, folder: Path = TABLES) -> dict[tuple[object, ...], measure.Users]:
    """The measured users by what was run, the columns ``KEY``: of the paper's table, or of those of
    the findings and of the advice where these have more replicates of the same kind."""
    counted: dict[tuple[object, ...], measure.Users] = {}
    for name in (*([table_name(paper)] if paper in COUNTED else []), *SHARED):
        table = measured.read(name, folder)
        table = table[(table["world"] == WORLDS[paper]) & (table["seed"] == 0)]
        for (*key, _), rows in table.groupby([*KEY, "played"], sort=False):
            fewer = counted.get(tuple(key))
            if fewer is None or fewer.first.size < len(rows):
                counted[tuple(key)] = measured.users(rows)
    return counted


def users(run: Run, folder: Path = TABLES, world: Environment | None = None) -> measure.Users:
    """Of a long run: from the paper's table where that has its kind, else from its own replicates.

    Parameters
    ----------
    world : where the run's id is not in the suite
    """
    paper = run.id.partition("/")[0]
    key = tuple(getattr(run, name) for name in KEY)
    if WORLDS.get(paper) == run.id and key in (counted := every(paper, folder)):
        return counted[key]
    own = measure.users(run, suite.environment(run.id) if world is None else world)
    return measure.Users(own.first, _step(run, own.first)) if own.step == 1 else own


def _step(run: Run, first: FloatArray) -> float:
    """Ratio of neighbouring checkpoints of a long run from where its first replicate was dated on,
    whose window begins at 0.8 of it or later."""
    marks = run.episodes[run.episodes >= 0.8 * first.min()]
    return min(COARSE, float((marks[1:] / marks[:-1]).max())) if marks.size > 1 else COARSE


def numbers(
    run: Run, folder: Path = TABLES, world: Environment | None = None
) -> tuple[float, float, float, float, float, int, int]:
    """The columns ``COLUMNS``: median, its 95 % interval, least and most of the middle nine tenths
    of the replicates (of fewer than 20: of all), how many never, and how many there are; infinity
    where it is not reached."""
    counted = users(run, folder, world)
    return (
        counted.median,
        *counted.interval(),
        *counted.range,
        counted.never,
        counted.first.size,
    )


def users_words(row: Any) -> str:
    """A row with the columns ``COLUMNS`` in words: the median, its 95 % interval rounded outwards,
    and how many never; where there are too few replicates for an interval, how many there are."""
    runs, never = int(row.runs), int(row.never)
    if row.burn_in == inf:
        return f"not learnt ({never} of {runs} runs)"
    if row.burn_in_high == inf and row.burn_in_low <= 1:
        return f"{number(row.burn_in, 2)} ({runs} runs)"
    ends = measured.ends_words(row.burn_in_low, row.burn_in_high)
    return f"{number(row.burn_in, 2)} ({ends}{f'; {never} of {runs} never' if never else ''})"
