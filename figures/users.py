"""What should I run, and how many users do I need? The runs behind both tables of docs/advice.md.

A row of the tables is a *case* (:mod:`figures.user_cases`): a problem, who adds the noise, an
epsilon, and the number of users that every run of it is planned for. Of each case are run: the
paper's algorithm as printed; the agent with proved widths (``tight``) that lost least on training
instances; the agent with narrowed widths that lost least there, and its twin with proved ones; and
the best agents without privacy.
Nothing is chosen on what is reported. Users are counted as docs/measure.md says.
"""

from dataclasses import dataclass
from functools import cache
from math import inf
from pathlib import Path

import pandas as pd

from figures import measured
from figures.kinds.tables import frame
from figures.measured import MeasuredRuns
from figures.runs import TABLES
from figures.style import markdown as markdown_table
from figures.style import number
from figures.user_cases import CASES, FEW, MOST_DELTA, TRUST, WORDS, UserCase, settings
from privrl.agents import registry
from privrl.agents.tabular.private_ucbvi import PrivateUCBVI
from privrl.agents.tabular.pucb import PUCB
from privrl.horizon import pucb as horizon
from privrl.horizon import successors as horizon_successors
from privrl.run import measure

ID = "tuned_users"  # the table of the runs


def title(agent: str) -> str:
    """An agent in words."""
    told = " (rewards known)" if measure.knows_rewards(agent) else ""
    return registry.kind(agent).title + told


def recompute(path: Path, jobs: int = 1) -> None:
    """Play everything again: half an hour."""
    measured.recompute(settings, path, jobs)


@dataclass(frozen=True, eq=False)
class CountedRuns:
    """Runs of one kind of a case, measured."""

    setting: MeasuredRuns
    users: measure.Users
    rows: pd.DataFrame  #: of the table

    @classmethod
    def of(cls, setting: MeasuredRuns, table: pd.DataFrame) -> "CountedRuns":
        """The setting's runs in a table."""
        rows = measured.rows_of(table, setting)
        return cls(setting, measured.users(rows), rows)

    def share(self, at: int) -> float:
        """Mean regret up to user ``at``, a power of ten, over that of play with the same
        information that learns nothing."""
        setting = self.setting
        lost = measure.reference(setting.made, setting.agent.name)
        return measured.share(self.rows, lost, at)

    @property
    def again(self) -> tuple[float, float]:
        """Where the median of the command's replicates falls for 399 of 400 seeds: it has as many
        as were run."""
        return self.users.again(self.users.first.size)

    @property
    def ends(self) -> tuple[float, float]:
        """:attr:`again`; the range of the runs where they are too few for it."""
        if self.users.first.size <= FEW:
            return float(self.users.first[0]), float(self.users.first[-1])
        return self.again

    @property
    def words(self) -> str:
        """The median, where another seed's falls, and the replicates that had not learnt."""
        size, never, median = self.users.first.size, self.users.never, self.users.median
        fails = f"; {never} of {size} never" if never else ""
        if median == inf:
            return f"more than {number(self.setting.played, 2)} ({never} of {size} never)"
        few = f"{size} runs: " if size <= FEW else ""
        return f"{number(median, 2)} ({few}{measured.ends_words(*self.ends)}{fails})"


@cache
def counted(folder: Path = TABLES) -> dict[UserCase, dict[str, CountedRuns]]:
    """Every case with its runs, by kind."""
    table = measured.read(ID, folder)
    return {
        case: {kind: CountedRuns.of(runs, table) for kind, runs in case.runs.items()}
        for case in CASES
    }


def frame_of(folder: Path = TABLES) -> pd.DataFrame:
    """A row per case and kind; infinity: not within the users played."""
    rows = []
    for case, kinds in counted(folder).items():
        for kind, runs in kinds.items():
            labels, users = runs.setting.labels, runs.users
            rows.append(
                (
                    case.problem,
                    case.trust,
                    case.epsilon,
                    kind,
                    *(
                        labels[name]
                        for name in ("agent", "counter", "calibration", "delta", "planned")
                    ),
                    getattr(runs.setting.agent, "multiplier", 1.0),
                    labels["played"],
                    users.first.size,
                    users.median,
                    *runs.ends,
                    *users.interval(),
                    users.never,
                )
            )
    return frame(
        rows,
        "problem trust epsilon kind agent counter calibration delta planned multiplier played "
        "replicates users again_low again_high low high never",
    )


def shares(*kinds: CountedRuns) -> tuple[tuple[float, ...], int]:
    """Regret of each up to the same user, over that of play that learns nothing, and that user:
    the largest power of ten that all were played for."""
    last = min(runs.setting.played for runs in kinds)
    at = max(mark for mark in measured.DECADES if mark <= last)
    return tuple(runs.share(at) for runs in kinds), at


def regret_words(*kinds: CountedRuns) -> str:
    """:func:`shares` in words."""
    lost, at = shares(*kinds)
    return f"{', '.join(number(share, 2) for share in lost)} ({number(float(at), 2)})"


HEAD = (
    "problem",
    "who adds the noise",
    "epsilon",
    "planned for",
    "run",
    "users before it has learnt",
    "as printed",
    "regret of both up to so many, over play that learns nothing",
    "without privacy",
)


def say(runs: MeasuredRuns) -> str:
    """What to run, in words."""
    labels = runs.labels
    over = "own noise" if labels["counter"] == "local" else f"over `{labels['counter']}`"
    return f"{title(str(labels['agent']))} {labels['calibration']}, {over}"


def advised() -> list[UserCase]:
    """The cases of the first table: no agent is told the rewards."""
    return [case for case in CASES if case.family in ("tabular", "linear")]


def markdown(folder: Path = TABLES) -> str:
    """The first table of docs/advice.md."""
    rows = []
    for case in advised():
        kinds = counted(folder)[case]
        rows.append(
            (
                *labels_of(case),
                say(kinds["tight"].setting),
                kinds["tight"].words,
                kinds["printed"].words if "printed" in kinds else "not run",
                regret_words(*(kinds[kind] for kind in ("tight", "printed") if kind in kinds)),
                kinds["base"].words,
            )
        )
    return markdown_table(HEAD, rows)


def labels_of(case: UserCase) -> tuple[str, str, str, str]:
    """The first cells of a row."""
    return (
        WORDS[case.problem],
        TRUST[case.trust],
        f"{case.epsilon:g}",
        number(float(case.planned), 2),
    )


def command(runs: MeasuredRuns) -> str:
    """The line that measures a row again; ``--seed 0`` has the first of its own replicates."""
    agent, labels = runs.agent, runs.labels
    multiplier = float(getattr(agent, "multiplier", 1.0))
    words = [
        f"privrl run {runs.world} --agent {labels['agent']} --counter {labels['counter']}",
        f"--epsilon {labels['epsilon']:g} --delta {labels['delta']:g}",
        *([f"--multiplier {multiplier:g}"] if multiplier != 1 else []),
        f"--calibration tight --episodes {runs.planned} --stop-after {runs.played}",
        f"--replicates {runs.replicates} --seed 1",
    ]
    return " ".join(words)


def commands(folder: Path = TABLES) -> str:
    """Under both tables: what measures their rows again, in their order."""
    tight = [
        command(kinds["tight"].setting)
        for case, kinds in counted(folder).items()
        if case in advised()
    ]
    tuned = [command(kinds["tuned"].setting) for kinds in counted(folder).values()]
    return "\n".join(["```", *tight, "", *tuned, "```"])


SIZES = ((3, 2, 3), (6, 2, 20), (20, 5, 10))
BETA = 0.1
TABULAR = (
    ("PUCB printed, over `tree`, Laplace", "tree", 0.0, "printed"),
    ("PUCB tight, over `tree`, Laplace", "tree", 0.0, "tight"),
    ("PUCB tight, over `blt`", "blt", MOST_DELTA, "tight"),
    ("PUCB tight, own noise", "local", MOST_DELTA, "tight"),
)
SUCCESSORS = (
    ("private UCBVI tight, over `blt`", "blt"),
    ("private UCBVI tight, own noise", "local"),
)


@cache
def starts(epsilon: float = 1.0) -> pd.DataFrame:
    """Users before which no plan of a tabular agent can differ from one that knows nothing: closed
    forms, no runs.

    Columns: run, then one per size (S, A, H).
    """
    rows = [
        (
            name,
            *(
                horizon.start(PUCB(epsilon, delta, BETA, counter, calibration), *size).episodes
                for size in SIZES
            ),
        )
        for name, counter, delta, calibration in TABULAR
    ]
    for name, counter in SUCCESSORS:
        agent = PrivateUCBVI(epsilon, MOST_DELTA, BETA, counter, "tight")
        rows.append((name, *(horizon_successors.start(agent, *size).episodes for size in SIZES)))
    return pd.DataFrame(rows, columns=["run", *(", ".join(map(str, size)) for size in SIZES)])


def starts_markdown(epsilon: float = 1.0) -> str:
    starts_ = starts(epsilon)
    return markdown_table(
        ("S, A, H", *starts_.columns[1:]),
        (
            (name, *(number(float(value), 2) for value in values))
            for name, *values in starts_.itertuples(index=False)
        ),
    )
