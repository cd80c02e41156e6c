"""The tuned agents on further instances: with those of the advice at least three of a family.

Multipliers and agents are those of :mod:`figures.user_cases`, chosen on the training instances of
:mod:`figures.across.tuned_training`; the instances here are none of these. Each row has the tuned
agent and the same agent with its proved widths, planned for the same number of users.
"""

from dataclasses import dataclass
from functools import cache, partial
from math import inf
from pathlib import Path

from figures import measured
from figures.kinds.tables import TABLES
from figures.measured import MeasuredRuns
from figures.style import markdown as markdown_table
from figures.style import number
from figures.user_cases import FEW, MANY, MOST_DELTA, MULTIPLIERS, TRUST, TUNED
from figures.users import CountedRuns, regret_words, title
from privrl.agents import registry
from privrl.environments import lq_scalar, random_lq, suite
from privrl.environments.mixtures import mixture
from privrl.run import measure
from privrl.types import Environment

ID = "advice_users"  # the figure whose ``recompute`` makes the runs
M = 10**6
RANDOM, HARD = (suite.tabular(f"vietri2020/{name}") for name in ("random-3-2", "hard-2-2"))
# random_mixture(2, 3, 2, 3, 2) was played, too: there the first plan with narrowed widths is the
# best one, which shows no learning
LINEAR: tuple[Environment, ...] = (mixture(3, 3), mixture(2, 4))
KNOWN: tuple[Environment, ...] = (mixture(3, 3, scaled=True), mixture(2, 4, scaled=True))
SYSTEMS: tuple[Environment, ...] = (lq_scalar(4), random_lq(1, 1, 5, 2))
BETA = {"known": 0.01}  # as the entries of the suite have it; else 0.1


@dataclass(frozen=True, eq=False)
class FurtherInstance:
    """A row: an instance, who adds the noise, epsilon, the planned number of users, and with proved
    and with narrowed widths how many users are played, and replicates."""

    family: str
    trust: str
    world: Environment
    epsilon: float
    planned: int
    lasts: tuple[int, int]
    counts: tuple[int, int] = (MANY, MANY)

    def runs(self, multiplier: float, last: int, replicates: int) -> MeasuredRuns:
        """Of the tuned agent, with this multiplier of its widths."""
        name, counter = TUNED[self.family, self.trust]
        agent = registry.make(
            name,
            epsilon=self.epsilon,
            delta=0.1 if self.family == "known" else MOST_DELTA,
            beta=BETA.get(self.family, 0.1),
            counter=counter,
            calibration="tight",
            multiplier=multiplier,
        )
        world = self.world
        return MeasuredRuns(world.name, agent, self.planned, replicates, last, environment=world)

    @property
    def kinds(self) -> dict[str, MeasuredRuns]:
        """``tuned``, and ``twin`` with proved widths."""
        tuned = MULTIPLIERS[TUNED[self.family, self.trust]]
        (twin, narrow), (some, many) = self.lasts, self.counts
        return {"tuned": self.runs(tuned, narrow, many), "twin": self.runs(1.0, twin, some)}


_tabular, _linear = partial(FurtherInstance, "tabular"), partial(FurtherInstance, "linear")
_known, _lq = partial(FurtherInstance, "known"), partial(FurtherInstance, "lq")
SOME = (FEW, MANY)  # proved widths take seconds a run
INSTANCES = (
    *(_tabular("joint", world, 0.1, 10 * M, (2 * M, M // 5), SOME) for world in (RANDOM, HARD)),
    *(
        _tabular("joint", world, epsilon, 10 * M, lasts)
        for epsilon, lasts in ((1.0, (2 * M // 5, M // 20)), (100.0, (M // 20, M // 50)))
        for world in (RANDOM, HARD)
    ),
    *(
        _tabular("local", world, 1.0, 10 * M, (10 * M, 10 * M), (FEW, FEW))
        for world in (RANDOM, HARD)
    ),
    *(_tabular("local", world, 10.0, 10 * M, (3 * M, M // 2), SOME) for world in (RANDOM, HARD)),
    *(_tabular("local", world, 100.0, 10 * M, (M // 2, M // 20)) for world in (RANDOM, HARD)),
    *(
        _linear("joint", world, epsilon, M, lasts)
        for epsilon, lasts in (
            (0.1, (M // 2, M // 10)),
            (1.0, (M // 4, M // 20)),
            (10.0, (M // 20, M // 50)),
            (100.0, (M // 50, M // 50)),
        )
        for world in LINEAR
    ),
    *(_linear("local", world, 1.0, 10 * M, (10 * M, 2 * M), (FEW, FEW)) for world in LINEAR),
    *(
        _linear("local", world, epsilon, M, lasts)
        for epsilon, lasts in ((10.0, (M // 2, M // 10)), (100.0, (M // 10, M // 50)))
        for world in LINEAR
    ),
    *(_known("local", world, 1.0, M, (M // 2, M // 10)) for world in KNOWN),
    *(_known("local", world, 10.0, M, (M // 5, M // 20)) for world in KNOWN),
    *(
        _lq("joint", world, epsilon, 3 * M, lasts)
        for epsilon, lasts in ((10.0, (M // 4, M // 4)), (100.0, (M // 10, M // 20)))
        for world in SYSTEMS
    ),
)


def settings() -> list[MeasuredRuns]:
    """Every run."""
    return [runs for instance in INSTANCES for runs in instance.kinds.values()]


recompute = partial(measured.recompute, settings)


@cache
def counted(folder: Path = TABLES) -> list[tuple[FurtherInstance, dict[str, CountedRuns]]]:
    """Every row with its runs, measured."""
    table = measured.read(ID, folder)
    return [
        (
            instance,
            {kind: CountedRuns.of(runs, table) for kind, runs in instance.kinds.items()},
        )
        for instance in INSTANCES
    ]


HEAD = (
    "instance",
    "who adds the noise",
    "epsilon",
    "planned for",
    "run",
    "users before it has learnt",
    "with `tight`",
    "fewer than with `tight`",
    "regret of both up to so many, over play that learns nothing",
)


def words(runs: CountedRuns) -> str:
    """The median, its 95 % interval, and the replicates that had not learnt."""
    users = runs.users
    fails = f"{users.never} of {users.first.size} never"
    if users.median == inf:
        return f"more than {number(float(runs.setting.played), 2)} ({fails})"
    ends = measured.ends_words(*users.interval())
    return f"{number(users.median, 2)} ({ends}{f'; {fails}' if users.never else ''})"


def markdown(folder: Path = TABLES) -> str:
    """A row per instance."""
    rows = []
    for instance, kinds in counted(folder):
        tuned, twin = kinds["tuned"], kinds["twin"]
        name, counter = TUNED[instance.family, instance.trust]
        over = "own noise" if counter == "local" else f"over `{counter}`"
        gain = measure.ratio(twin.users, tuned.users)
        reached = twin.users.median < inf and tuned.users.median < inf
        rows.append(
            (
                instance.world.name,
                TRUST[instance.trust],
                f"{instance.epsilon:g}",
                number(float(instance.planned), 2),
                f"{title(name)}, {over}, widths times {MULTIPLIERS[name, counter]:g}",
                words(tuned),
                words(twin),
                measured.ratio_words(gain) if reached else "-",
                regret_words(tuned, twin),
            )
        )
    return markdown_table(HEAD, rows)
