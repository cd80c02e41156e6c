"""Which runs stand behind the exponents (:mod:`figures.exponents`): the algorithms, the point at
which each is played, and the sizes along which it is changed; and what is left out, with its cost.
"""

from dataclasses import dataclass
from typing import Any

from figures import comparable
from figures.measured import MeasuredRuns
from privrl.agents import registry

LEAST = 1000  # users that are played
MANY, FEW = 32, 8  # replicates, by what a run takes (figures.replicates)


@dataclass(frozen=True)
class Study:
    """An algorithm as printed at one point of its sizes, and along each of them.

    Parameters
    ----------
    base : the sizes and epsilon from which one at a time is changed
    lengths : by axis its values, at least five
    planned : users, the same for all runs of an algorithm
    users : about what the base takes; powers : by axis, about how that grows: a run lasts ``room``
        times as long
    dear : the axes and values at which a run takes more than two seconds, and has ``FEW``
        replicates in place of ``MANY``
    """

    paper: str
    agent: str
    counter: str
    delta: float
    beta: float
    base: dict[str, float]
    lengths: dict[str, tuple[float, ...]]
    planned: int
    users: float
    powers: dict[str, float]
    room: float
    dear: tuple[tuple[str, float], ...] = ()

    def at(self, axis: str, value: float) -> dict[str, float]:
        """The point at which ``axis`` has this value."""
        return {**self.base, axis.replace("1/", ""): value}

    def runs(self, point: dict[str, float]) -> MeasuredRuns:
        """The runs at a point."""
        world = comparable.world(self.paper, point)
        expected = self.users
        for axis, power in self.powers.items():
            name = axis.replace("1/", "")
            growth = point[name] / self.base[name]
            expected *= growth ** (-power if axis.startswith("1/") else power)
        agent = registry.make(
            self.agent,
            epsilon=point["epsilon"],
            delta=self.delta,
            beta=self.beta,
            counter=self.counter,
            calibration="printed",
        )
        last = min(self.planned, max(LEAST, int(self.room * expected)))
        dear = any(point[axis] == value for axis, value in self.dear)
        replicates = FEW if dear else MANY
        return MeasuredRuns(world.name, agent, self.planned, replicates, last, environment=world)

    def horizons(self, point: dict[str, float]) -> tuple[float, float]:
        """From how many users on the printed and the proved bound are below the trivial one."""
        return comparable.horizons(self.paper, self.agent, point, self.delta, self.beta)


STUDIES: dict[str, tuple[Study, ...]] = {
    "vietri2020": (
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
            10**7,
            2.2e5,
            {"S": 1.8, "A": 1.2, "H": 1.7, "1/epsilon": 0.8},
            2.5,
            (("S", 9), ("A", 5), ("A", 7), ("H", 4), ("H", 5)),
        ),
    ),
    "chowdhury2021": (
        Study(
            "chowdhury2021",
            "private-ofu-rl",
            "tree",
            1e-6,
            0.1,
            {"H": 4, "epsilon": 1000.0},
            {"H": (2, 3, 4, 5, 6), "1/epsilon": (300.0, 1000.0, 3000.0, 10_000.0, 30_000.0)},
            10**7,
            2.6e4,
            {"H": 0.5, "1/epsilon": 0.75},
            2.5,
        ),
    ),
    "liao2021": (
        Study(
            "liao2021",
            "ldp-ucrl-vtr",
            "local",
            0.1,
            0.01,
            {"d": 11, "H": 2, "epsilon": 3000.0},
            {
                "d": (7, 9, 11, 13, 15),
                "1/epsilon": (1000.0, 1700.0, 3000.0, 5500.0, 10_000.0),
            },  # H takes hours, docs/measure.md
            10**7,
            9.5e3,
            {"d": 2.2, "1/epsilon": 0.85},
            3.0,
        ),
    ),
    "zhou2022": tuple(
        Study(
            "zhou2022",
            agent,
            "tree",
            1e-6,
            0.1,
            {"d": 2, "H": 2, "epsilon": 300.0},
            {
                "d": (2, 3, 4, 5, 6),
                "H": (2, 3, 4, 5, 6) if agent == "linopt-vi" else (2, 3, 4, 5),  # 6 takes minutes
                "1/epsilon": (10.0, 30.0, 100.0, 300.0, 1000.0),
            },
            10**6,
            users,
            powers,
            room,
        )
        for agent, users, powers, room in (
            ("linopt-vi", 1.4e3, {"d": 3.1, "H": 4.0, "1/epsilon": 1.0}, 4.0),
            ("linopt-po", 7.4e3, {"d": 2.8, "H": 3.0, "1/epsilon": 0.6}, 3.5),
        )
    ),
}


def settings(paper: str) -> list[MeasuredRuns]:
    """Every run of a paper's study, each once."""
    every: dict[tuple[Any, ...], MeasuredRuns] = {}
    for study in STUDIES[paper]:
        for axis, lengths in study.lengths.items():
            for value in lengths:
                runs = study.runs(study.at(axis, value))
                every.setdefault(tuple(runs.labels.values()), runs)
    return list(every.values())
