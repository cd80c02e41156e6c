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

from figures import measured
from figures.kinds.tables import TABLES
from figures.measured import MeasuredRuns
from privrl.agents import registry
from privrl.environments import suite
from privrl.run import measure
from privrl.types import Environment, Run

MANY, FEW = 32, 8  # replicates: of runs of seconds, of runs of half a minute and more
DELTA = 1e-6
COLUMNS = "burn_in burn_in_low burn_in_high least most never runs"
M = 10**6
TREE, SIGNED, SMOOTH, BLT, LOCAL = "tree", "signed", "smooth", "blt", "local"


@dataclass(frozen=True)
class Counted:
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


_pucb = partial(Counted, "pucb")
_vi, _po = partial(Counted, "linopt-vi"), partial(Counted, "linopt-po")
_ofu, _ce = partial(Counted, "private-ofu-rl"), partial(Counted, "private-ce")
_vtr = partial(Counted, "ldp-ucrl-vtr", delta=0.1)
WORLDS = {
    "vietri2020": "vietri2020/riverswim-3-relabelled",
    "zhou2022": "zhou2022/mixture-2",
    "chowdhury2021": "chowdhury2021/scalar",
    "liao2021": "liao2021/mixture-2",
}
KINDS: dict[str, tuple[Counted, ...]] = {
    "vietri2020": (
        _pucb(TREE, "printed", 1.0, 100 * M, 50 * M, FEW, 0.0),
        _pucb(TREE, "corrected", 1.0, 100 * M, 20 * M, FEW, 0.0),
        _pucb(TREE, "tight", 1.0, 100 * M, 15 * M, FEW, 0.0),
        _pucb(TREE, "printed", 10.0, 100 * M, 8 * M, FEW, 0.0),
        _pucb(TREE, "corrected", 10.0, 100 * M, 4 * M, MANY, 0.0),
        _pucb(TREE, "tight", 10.0, 100 * M, 5 * M // 2, MANY, 0.0),
        _pucb(TREE, "printed", 100.0, 100 * M, M, MANY, 0.0),
        _pucb(TREE, "corrected", 100.0, 100 * M, M // 2, MANY, 0.0),
        _pucb(TREE, "tight", 100.0, 100 * M, M // 2, MANY, 0.0),
        Counted("ubev", "none", "printed", inf, 100 * M, 20_000, MANY, 0.0),
        _pucb(SMOOTH, "tight", 1.0, 10 * M, 6 * M, FEW, 0.0),
        _pucb(SIGNED, "tight", 1.0, 10 * M, 5 * M, FEW, 0.0),
        _pucb(TREE, "tight", 1.0, 10 * M, 2 * M),
        _pucb(SMOOTH, "tight", 1.0, 10 * M, 3 * M // 2),
        _pucb("honaker", "tight", 1.0, 10 * M, 3 * M // 2),
        _pucb(BLT, "tight", 1.0, M, M * 3 // 5),
        _pucb(SIGNED, "tight", 10.0, M, M // 2, MANY, 0.0),
        _pucb(BLT, "tight", 10.0, M // 10, M // 10),
        _pucb(SIGNED, "tight", 1.0, 100 * M, 8 * M, FEW, 0.0),
        _pucb(TREE, "tight", 1.0, 100 * M, 5 * M // 2),
        _pucb(BLT, "tight", 1.0, 100 * M, M),
        Counted("private-ucbvi", BLT, "tight", 1.0, 100 * M, M // 5),
        Counted("private-ucbvi", TREE, "tight", 1.0, 100 * M, M // 2),
        Counted("private-ucbvi", TREE, "tight", 1.0, 100 * M, 2 * M, MANY, 0.0),
        Counted("dp-ucbvi", BLT, "tight", 1.0, 100 * M, M // 2),
        Counted("ldp-ucbvi", LOCAL, "tight", 1.0, 100 * M, 40 * M, FEW),
        Counted("ucbvi", "none", "tight", inf, 100 * M, 20_000, MANY, 0.0),
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
        _vi("none", "printed", inf, M, 20_000),
        _po("none", "printed", inf, M, 20_000),
        *(
            agent(BLT, "tight", epsilon, M, last)
            for agent in (_vi, _po)
            for epsilon, last in ((1.0, M // 10), (10.0, M // 20), (100.0, M // 20))
        ),
        _vi("honaker", "tight", 1.0, M, M // 10),
        _vi(SMOOTH, "tight", 1.0, M, M // 10),
        _vi(BLT, "corrected", 1.0, M, M // 10),
        *(
            agent(LOCAL, calibration, epsilon, M, last, replicates)
            for agent in (_vi, _po)
            for calibration, epsilon, last, replicates in (
                ("printed", 1.0, M, FEW),  # never: all runs lose as much as uniform play
                ("tight", 1.0, M, FEW),
                ("printed", 10.0, M, FEW),
                ("tight", 10.0, M // 5, MANY),
                ("printed", 100.0, M, MANY),
                ("tight", 100.0, M // 20, MANY),
            )
        ),
    ),
    "chowdhury2021": (
        _ofu(TREE, "tight", 1.0, 50 * M, 8 * M, FEW),
        _ofu(BLT, "tight", 1.0, 50 * M, 3 * M, FEW),
        _ofu(TREE, "printed", 1.0, 50 * M, 10 * M, FEW),
        _ofu(TREE, "printed", 10.0, 5 * M, 5 * M // 2, FEW),
        _ofu(TREE, "corrected", 10.0, 5 * M, 2 * M, FEW),
        _ofu(TREE, "tight", 10.0, 5 * M, M, MANY),
        _ofu(BLT, "tight", 10.0, 5 * M, M * 2 // 5, MANY),
        _ce(TREE, "tight", 10.0, 5 * M, 5 * M, FEW),
        _ofu(TREE, "printed", 100.0, M, M * 3 // 10),
        _ofu(TREE, "corrected", 100.0, M, M * 2 // 5),
        _ofu(TREE, "tight", 100.0, M, M // 5),
        _ce(TREE, "tight", 100.0, M, M),
        _ofu(TREE, "printed", 1000.0, M // 5, M // 20),
        _ofu(TREE, "corrected", 1000.0, M // 5, M // 5),
        _ofu(TREE, "tight", 1000.0, M // 5, M // 10),
        _ce(TREE, "tight", 1000.0, M // 5, M // 5),
        Counted("ofu-rl", "none", "printed", inf, 5 * M, 20_000),
    ),
    "liao2021": (
        *(
            _vtr(LOCAL, calibration, epsilon, M, M if epsilon == 1 else M // 5)
            for epsilon in (1.0, 100.0, 10_000.0)
            for calibration in ("printed", "corrected", "tight")
        ),
        *(
            Counted("ucrl-vtr", "none", calibration, inf, M, M // 5, MANY, 0.1)
            for calibration in ("printed", "tight")
        ),
        *(
            _vtr(BLT, "tight", epsilon, M, M if epsilon == 1 else M // 5)
            for epsilon in (1.0, 100.0, 10_000.0)
        ),
    ),
}


def table_name(paper: str) -> str:
    """Of the committed runs: the figure's whose ``recompute`` makes them."""
    return f"{paper}_horizon" if paper == "liao2021" else f"{paper}_learning"


@cache
def settings(paper: str) -> tuple[MeasuredRuns, ...]:
    """Every kind of run of a paper."""
    return tuple(kind.runs(WORLDS[paper]) for kind in KINDS[paper])


def recompute(paper: str, path: Path, jobs: int = 1) -> None:
    """Play everything again: some minutes to half an hour."""
    measured.recompute(partial(settings, paper), path, jobs)


@cache
def every(paper: str, folder: Path = TABLES) -> dict[tuple[object, ...], measure.Users]:
    """The measured users by what was run: agent, counter, calibration, epsilon, delta, planned."""
    table = measured.read(table_name(paper), folder)
    return {
        (
            *(runs.labels[name] for name in ("agent", "counter", "calibration", "epsilon")),
            *(runs.labels[name] for name in ("delta", "planned")),
        ): measured.users(measured.rows_of(table, runs))
        for runs in settings(paper)
    }


def users(run: Run, folder: Path = TABLES, world: Environment | None = None) -> measure.Users:
    """Of a long run: from the paper's table where that has its kind, else from its own replicates.

    Parameters
    ----------
    world : where the run's id is not in the suite
    """
    paper = run.id.partition("/")[0]
    key = run.agent, run.counter, run.calibration, run.epsilon, run.delta, run.planned
    if WORLDS.get(paper) == run.id and key in (counted := every(paper, folder)):
        return counted[key]
    return measure.users(run, suite.environment(run.id) if world is None else world)


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
