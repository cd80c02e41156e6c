"""Which runs stand behind the tables of docs/advice.md: its rows, the agents that were chosen for
them elsewhere, and how many users and replicates each has.

Agents and multipliers are those that lost least on training instances
(:mod:`figures.across.tuned_training`); nothing is chosen on what is reported.
"""

from dataclasses import dataclass
from typing import Any

from figures.measured import MeasuredRuns
from privrl.agents import registry
from privrl.environments import suite

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
# replicates by what they cost; FEW where none learns in time; figures.replicates holds them to that
MANY, SOME, FEW = 32, 16, 8
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
    UserCase(RIVER, "joint", 0.1, 10 * M, (0, M, M), (0, MANY, MANY)),
    UserCase(RIVER, "joint", 1.0, 10 * M, (10 * M, M // 2, M // 3), (FEW, MANY, MANY)),
    UserCase(RIVER, "joint", 10.0, 10 * M, (10 * M, M // 10, M // 10), (SOME, MANY, MANY)),
    UserCase(RIVER, "joint", 100.0, 10 * M, (3 * M, M // 10, M // 10)),
    UserCase(RIVER, "local", 1.0, 10 * M, (0, 10 * M, 10 * M), (0, FEW, SOME)),
    UserCase(RIVER, "local", 10.0, 10 * M, (0, 5 * M, M // 2), (0, SOME, MANY)),
    UserCase(RIVER, "local", 100.0, 10 * M, (0, M, M // 10), (0, MANY, MANY)),
    UserCase(
        "vietri2020/random-3-2", "joint", 10.0, 10 * M, (10 * M, M // 10, M // 10), (FEW, 32, 32)
    ),
    UserCase(
        "vietri2020/hard-2-2", "joint", 10.0, 10 * M, (10 * M, M // 10, M // 10), (FEW, 32, 32)
    ),
    UserCase(MIXTURE, "joint", 0.1, M, (M, M // 2, M // 10)),
    UserCase(MIXTURE, "joint", 1.0, M, (M, M // 10, M // 10)),
    UserCase(MIXTURE, "joint", 10.0, M, (M // 3, M // 10, M // 10)),
    UserCase(MIXTURE, "joint", 100.0, M, (M // 10, M // 10, M // 10)),
    UserCase(MIXTURE, "local", 1.0, 10 * M, (0, 10 * M, 2 * M), (0, FEW, SOME)),
    UserCase(MIXTURE, "local", 10.0, M, (M, M // 3, M // 10)),
    UserCase(MIXTURE, "local", 100.0, M, (M, M // 10, M // 10)),
    UserCase(KNOWN, "local", 1.0, M, (M, M // 2, M // 10)),
    UserCase(KNOWN, "local", 10.0, M, (M, M // 10, M // 10)),
    UserCase(LQ, "joint", 100.0, 3 * M, (M // 2, M // 10, M // 10)),
    UserCase(LQ, "joint", 10.0, 3 * M, (0, M // 2, M // 2), (0, SOME, SOME)),
)


def settings() -> list[MeasuredRuns]:
    """Every run, each once."""
    every: dict[tuple[Any, ...], MeasuredRuns] = {}
    for case in CASES:
        for runs in case.runs.values():
            every.setdefault(tuple(runs.labels.values()), runs)
    return list(every.values())
