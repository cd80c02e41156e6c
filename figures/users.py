"""What should I run, and how many users do I need? The runs behind both tables of docs/advice.md.

A row of the tables is a *case*: a problem, who adds the noise, an epsilon, and the number of users
that every run of it is planned for. Of each case are run: the paper's algorithm as printed; the
agent with proved widths (``tight``) that lost least on training instances; the agent with narrowed
widths that lost least there, and its twin with proved ones; and the best agents without privacy.
Nothing is chosen on what is reported. Users are counted as docs/measure.md says.
"""

from dataclasses import dataclass
from functools import cache
from math import inf
from pathlib import Path
from typing import Any

import pandas as pd

from figures import measured
from figures.kinds.tables import frame
from figures.measured import MeasuredRuns
from figures.runs import TABLES
from figures.style import markdown as markdown_table
from figures.style import number
from privrl.agents import registry
from privrl.agents.tabular.private_ucbvi import PrivateUCBVI
from privrl.agents.tabular.pucb import PUCB
from privrl.environments import suite
from privrl.horizon import pucb as horizon
from privrl.horizon import successors as horizon_successors
from privrl.run import measure

ID = "tuned_users"  # the table of the runs
RIVER, MIXTURE, KNOWN, LQ = (
    "vietri2020/riverswim-3-relabelled",
    "zhou2022/mixture-2",
    "liao2021/mixture-2",
    "chowdhury2021/scalar",
)
WORDS = {  # problem -> words
    RIVER: "tabular, S = 3, A = 2, H = 3",
    "vietri2020/random-3-2": "the same sizes, random",
    "vietri2020/hard-2-2": "tabular, S = 4, A = 3, H = 3, hard",
    MIXTURE: "linear mixture, d = 2, H = 2",
    KNOWN: "linear mixture, d = 2, H = 2, rewards known, delta = 0.1",
    LQ: "LQ system, n = d = 1, H = 5",
}
TRUST = {"joint": "trusted server", "local": "no trusted server"}
MOST_DELTA = 1e-6
MANY, SOME, FEW = 32, 16, 8  # replicates by what they cost; FEW where none learns in time
RUN_KINDS = ("printed", "tight", "tuned", "twin", "base", "tuned base")
# agent and counter that lost least on training instances (figures.across.tuned_training), with
# proved widths and narrowed ones, by problem and trust; None: without privacy
TIGHT: dict[tuple[str, str], tuple[str, str]] = {
    ("tabular", "joint"): ("private-ucbvi", "blt"),
    ("tabular", "local"): ("ldp-ucbvi", "local"),
    ("tabular", "none"): ("ucbvi", "none"),
    ("linear", "joint"): ("linopt-vi", "blt"),
    ("linear", "local"): ("linopt-vi", "local"),
    ("linear", "none"): ("linopt-vi", "none"),
    ("known", "local"): ("ldp-ucrl-vtr", "local"),
    ("known", "none"): ("ucrl-vtr", "none"),
    ("lq", "joint"): ("private-ofu-rl", "blt"),
    ("lq", "local"): ("private-ofu-rl", "local"),
    ("lq", "none"): ("ofu-rl", "none"),
}
TUNED = {**TIGHT, ("tabular", "joint"): ("dp-ucbvi", "blt")}
PRINTED = {  # agent, counter, delta of the paper
    ("tabular", "joint"): ("pucb", "tree", 0.0),
    ("linear", "joint"): ("linopt-vi", "tree", MOST_DELTA),
    ("linear", "local"): ("linopt-vi", "local", MOST_DELTA),
    ("known", "local"): ("ldp-ucrl-vtr", "local", 0.1),
    ("lq", "joint"): ("private-ofu-rl", "tree", MOST_DELTA),
    ("lq", "local"): ("private-ofu-rl", "local", MOST_DELTA),
}
# agent, counter -> the multiplier that figures.across.tuned_training finds
MULTIPLIERS = {
    ("private-ucbvi", "blt"): 0.01,
    ("pucb", "blt"): 0.001,
    ("dp-ucbvi", "blt"): 0.003,
    ("ldp-ucbvi", "local"): 0.03,
    ("ubev", "none"): 0.01,
    ("ucbvi", "none"): 0.03,
    ("linopt-vi", "blt"): 0.3,
    ("linopt-po", "blt"): 0.3,
    ("linopt-vi", "local"): 0.3,
    ("linopt-po", "local"): 0.3,
    ("linopt-vi", "none"): 0.1,
    ("linopt-po", "none"): 0.3,
    ("ldp-ucrl-vtr", "local"): 0.3,
    ("ucrl-vtr", "none"): 0.1,
    ("private-ofu-rl", "blt"): 0.3,
    ("private-ofu-rl", "local"): 0.3,
    ("ofu-rl", "none"): 0.3,
}
SHORT = 20_000  # users of the runs without privacy


def title(agent: str) -> str:
    """An agent in words."""
    told = " (rewards known)" if measure.knows_rewards(agent) else ""
    return registry.kind(agent).title + told


@dataclass(frozen=True)
class UserCase:
    """A row of the tables.

    Parameters
    ----------
    lasts : users that are played of the printed, the tight and the tuned run; at most ``planned``,
        several times what they take to learn
    counts : replicates of these; 0: not run
    """

    problem: str
    trust: str
    epsilon: float
    planned: int
    lasts: tuple[int, int, int]
    counts: tuple[int, int, int] = (MANY, MANY, MANY)

    @property
    def family(self) -> str:
        """By which agents are chosen."""
        if self.problem == LQ:
            return "lq"
        if self.problem == KNOWN:
            return "known"
        return "tabular" if self.problem.startswith("vietri2020") else "linear"

    @property
    def delta(self) -> float:
        """Of all runs but the paper's own."""
        return 0.1 if self.problem == KNOWN else MOST_DELTA

    def _runs(
        self,
        chosen: tuple[str, str],
        last: int,
        count: int,
        calibration: str = "tight",
        multiplier: float = 1.0,
        delta: float | None = None,
    ) -> MeasuredRuns:
        name, counter = chosen
        private = counter != "none"
        if name in ("ubev", "ofu-rl"):  # these have no other
            calibration = "printed"
        delta = self.delta if delta is None else delta
        agent = registry.make(
            name,
            epsilon=self.epsilon if private else 1.0,
            delta=delta if private or self.family != "tabular" else 0.0,
            beta=suite.entry(self.problem).beta,
            counter=counter,
            calibration=calibration,
            multiplier=multiplier,
        )
        return MeasuredRuns(self.problem, agent, self.planned, count, min(last, self.planned))

    @property
    def runs(self) -> dict[str, MeasuredRuns]:
        """The runs of each of ``RUN_KINDS`` that there are."""
        place = self.family, self.trust
        tight, tuned = TIGHT[place], TUNED[place]
        free, narrow = TIGHT[self.family, "none"], TUNED[self.family, "none"]
        result: dict[str, MeasuredRuns] = {}
        if place in PRINTED and self.counts[0]:
            *printed, delta = PRINTED[place]
            chosen = str(printed[0]), str(printed[1])
            result["printed"] = self._runs(
                chosen, self.lasts[0], self.counts[0], "printed", delta=float(delta)
            )
        if self.counts[1]:
            result["tight"] = self._runs(tight, self.lasts[1], self.counts[1])
            result["twin"] = self._runs(tuned, self.lasts[1], self.counts[1])
        result["tuned"] = self._runs(
            tuned, self.lasts[2], self.counts[2], multiplier=MULTIPLIERS[tuned]
        )
        result["base"] = self._runs(free, SHORT, MANY)
        result["tuned base"] = self._runs(narrow, SHORT, MANY, multiplier=MULTIPLIERS[narrow])
        return result


M = 10**6
CASES = (
    UserCase(RIVER, "joint", 0.1, 10 * M, (0, M, M), (0, SOME, SOME)),
    UserCase(RIVER, "joint", 1.0, 10 * M, (10 * M, M // 2, M // 3), (FEW, MANY, MANY)),
    UserCase(RIVER, "joint", 10.0, 10 * M, (10 * M, M // 10, M // 10), (SOME, MANY, MANY)),
    UserCase(RIVER, "joint", 100.0, 10 * M, (3 * M, M // 10, M // 10), (SOME, MANY, MANY)),
    UserCase(RIVER, "local", 1.0, 10 * M, (0, 10 * M, 10 * M), (0, FEW, SOME)),
    UserCase(RIVER, "local", 10.0, 10 * M, (0, 5 * M, M // 2), (0, SOME, MANY)),
    UserCase(RIVER, "local", 100.0, 10 * M, (0, M, M // 10), (0, MANY, MANY)),
    UserCase(
        "vietri2020/random-3-2", "joint", 10.0, 10 * M, (10 * M, M // 10, M // 10), (FEW, 32, 32)
    ),
    UserCase(
        "vietri2020/hard-2-2", "joint", 10.0, 10 * M, (10 * M, M // 10, M // 10), (FEW, 32, 32)
    ),
    UserCase(MIXTURE, "joint", 0.1, M, (M, M // 2, M // 10), (FEW, MANY, MANY)),
    UserCase(MIXTURE, "joint", 1.0, M, (M, M // 10, M // 10)),
    UserCase(MIXTURE, "joint", 10.0, M, (M // 3, M // 10, M // 10)),
    UserCase(MIXTURE, "joint", 100.0, M, (M // 10, M // 10, M // 10)),
    UserCase(MIXTURE, "local", 1.0, 10 * M, (0, 10 * M, 2 * M), (0, FEW, SOME)),
    UserCase(MIXTURE, "local", 10.0, M, (M, M // 3, M // 10), (FEW, MANY, MANY)),
    UserCase(MIXTURE, "local", 100.0, M, (M, M // 10, M // 10), (SOME, MANY, MANY)),
    UserCase(KNOWN, "local", 1.0, M, (M, M // 2, M // 10), (SOME, MANY, MANY)),
    UserCase(KNOWN, "local", 10.0, M, (M, M // 10, M // 10), (SOME, MANY, MANY)),
    UserCase(LQ, "joint", 100.0, 3 * M, (M // 2, M // 10, M // 10), (SOME, SOME, SOME)),
    UserCase(LQ, "joint", 10.0, 3 * M, (0, M // 2, M // 2), (0, SOME, SOME)),
)


def settings() -> list[MeasuredRuns]:
    """Every run, each once."""
    every: dict[tuple[Any, ...], MeasuredRuns] = {}
    for case in CASES:
        for runs in case.runs.values():
            every.setdefault(tuple(runs.labels.values()), runs)
    return list(every.values())


def recompute(path: Path, jobs: int = 1) -> None:
    """Play everything again: half an hour."""
    measured.recompute(settings, path, jobs)


@dataclass(frozen=True, eq=False)
class CountedRuns:
    """Runs of one kind of a case, measured."""

    setting: MeasuredRuns
    users: measure.Users

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
        return f"{number(median, 2)} ({few}{_span(*measure.outward(*self.ends))}{fails})"


def _span(low: float, high: float) -> str:
    return f"{number(low, 2)} to {'never' if high == inf else number(high, 2)}"


@cache
def counted(folder: Path = TABLES) -> dict[UserCase, dict[str, CountedRuns]]:
    """Every case with its runs, by kind."""
    table = measured.read(ID, folder)
    return {
        case: {
            kind: CountedRuns(runs, measured.users(measured.rows_of(table, runs)))
            for kind, runs in case.runs.items()
        }
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


HEAD = (
    "problem",
    "who adds the noise",
    "epsilon",
    "planned for",
    "run",
    "users before it has learnt",
    "as printed",
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
