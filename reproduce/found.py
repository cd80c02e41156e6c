"""What was found, one row per paper: for the README's first screen and for notebook 00.

Every number comes from the ledger, the accounting or the tables of runs; only the provisos are written here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isnan
from pathlib import Path

from figures import linear_runs
from figures import users as advice
from figures.chowdhury2021 import learning as chowdhury2021_learning
from figures.runs import TABLES
from figures.style import number
from privrl.environments import suite
from privrl.privacy import noise
from privrl.run import learning
from privrl.types import Run
from theory import errata, ledger

RUNS: dict[str, tuple[str, tuple[str, ...]]] = {  # the comparison environment of each paper, and the tables with runs
    "vietri2020": ("vietri2020/riverswim-3-relabelled", ("vietri2020_regret", "vietri2020_counters")),
    "chowdhury2021": ("chowdhury2021/scalar", ("chowdhury2021_regret", "chowdhury2021_counters")),
    "liao2021": ("liao2021/mixture-2", ("liao2021_learning",)),
    "zhou2022": ("zhou2022/mixture-2", ("zhou2022_regret", "zhou2022_counters")),
}
PROVISO = {  # see their first errata
    "vietri2020": " and the natural logarithm (base 2: 2 to 2.6), of the released counters; PUCB's policies are open",
    "chowdhury2021": ", the radius aside", "liao2021": ", once values are cut at 0"
}
OWN = {"vietri2020": "pucb", "chowdhury2021": "private-ofu-rl", "liao2021": "ldp-ucrl-vtr", "zhou2022": "linopt-vi"}


@dataclass(frozen=True)
class Learnt:
    """Users before learning, at the smallest epsilon at which the printed calibration was seen to learn.

    Parameters
    ----------
    printed, best : burn-ins; ``best`` over the honest calibrations and all counters that were run
    counter, calibration, delta : of ``best``
    """

    epsilon: float
    printed: float
    best: float
    counter: str
    calibration: str
    delta: float


def learnt(paper: str, folder: Path = TABLES) -> Learnt | None:
    """From the tables of runs; None where no epsilon has a printed and an honest run that learnt."""
    identifier, names = RUNS[paper]
    found: dict[float, dict[bool, list[tuple[float, Run]]]] = {}
    measure = _lq if paper == "chowdhury2021" else _tabular(identifier)
    for name in names:
        if not any((place / f"{name}.csv").exists() for place in (folder, TABLES)):
            continue
        for run in linear_runs.read_runs(name, folder):
            if run.id == identifier and run.agent == OWN[paper] and run.counter != "none" and len(run.regret) > 1:
                kind = run.calibration == "printed"
                if kind or run.calibration in advice.HONEST:
                    found.setdefault(run.epsilon, {}).setdefault(kind, []).append((measure(run), run))
    for epsilon in sorted(found):
        both = found[epsilon]
        if len(both) == 2:
            printed = min(burn for burn, _ in both[True])
            best, run = min(both[False], key=lambda pair: pair[0])
            if max(printed, best) < inf:
                return Learnt(epsilon, printed, best, run.counter, run.calibration, run.delta)
    return None


def _lq(run: Run) -> float:
    burn = chowdhury2021_learning.burn_in(run).episode
    return inf if isnan(burn) else burn


def _tabular(identifier: str) -> Callable[[Run], float]:
    mdp = suite.tabular(identifier)

    def measure(run: Run) -> float:
        burn = learning.burn_in(run, mdp, growing=True).episode
        return inf if burn is None else float(burn)

    return measure


def bought(paper: str) -> str:
    """What the printed noise buys in the paper's default setting of ``privrl sigma``, all releases together."""
    found = noise.noise(paper, noise.DEFAULTS[paper])
    made = found.setting
    claimed = f"for {made.epsilon:g} at H = {made.horizon}" + (f", delta = {made.delta:g}" if made.delta else "")
    if found.factor > 1:
        return f"too small: really epsilon = {number(found.real_epsilon, 2)} {claimed}{PROVISO.get(paper, '')}"
    return (f"{number(1 / found.factor, 2)} times the smallest that is enough (really epsilon = "
            f"{number(found.real_epsilon, 2)} {claimed}){PROVISO.get(paper, '')}")


def users(paper: str, folder: Path = TABLES) -> str:
    """Burn-ins in words."""
    found = learnt(paper, folder)
    if found is None:
        return "not reached"
    over = "own noise" if found.counter == "local" else f"`{found.counter}`"
    return (f"{number(found.printed, 2)} to {number(found.best, 2)} ({found.calibration}, {over}; "
            f"epsilon = {found.epsilon:g})")


def markdown(folder: Path = TABLES) -> str:
    """The table of the README."""
    head = "paper | noise as printed | users before it has learnt | gravest erratum"
    lines = [f"| {head} |", "| --- " * 4 + "|"]
    for paper in ledger.PAPERS:
        gravest = next(errata.groups(paper))[1].title
        lines.append(f"| {paper} | {bought(paper)} | {users(paper, folder)} | {gravest} |")
    return "\n".join(lines) + "\n"
