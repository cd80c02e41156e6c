"""What a user costs in every kind of run that a table has: the reason why some have few replicates.

Times belong to a machine, so the table is recorded, as the bench's are, and no profile makes it:

    python -m figures.costs

writes it, in some minutes. Microseconds are of processor time, on a machine that did other work as
well, and from the first user on, compiled.
"""

import time
from functools import cache

import pandas as pd

from figures import plans, runs
from figures.plans import PlannedRun
from figures.runs import TABLES
from privrl.run import simulate, sweep

ID = "run_costs"
COLUMNS = ("world", "agent", "counter", "planned", "played", "microseconds")
FIRST, SECONDS = 5000, 0.3  # users that say how many more take about so long


def _seconds(run: PlannedRun, users: int) -> float:
    begin = time.process_time()
    simulate.replicate(run.environment, run.agent, run.planned, users, 0, 1)
    return time.process_time() - begin


def record() -> pd.DataFrame:
    """Play the beginning of one replicate for each world, agent and counter, of the longest run."""
    longest: dict[tuple[str, str, str], PlannedRun] = {}
    for name in plans.names():
        for run in plans.of_table(name):
            key = run.world, run.agent.name, run.agent.counter
            if key not in longest or longest[key].played < run.played:
                longest[key] = run
    rows = []
    for key, run in longest.items():
        users = min(run.played, FIRST)
        _seconds(run, min(users, 500))  # compiles
        each = _seconds(run, users) / users
        users = max(users, min(run.played, round(SECONDS / each)))
        each = _seconds(run, users) / users * 1e6
        rows.append((*key, run.planned, users, float(f"{each:.3g}")))
    return pd.DataFrame(rows, columns=[*COLUMNS])


@cache
def read() -> pd.DataFrame:
    """The committed table."""
    return runs.table(ID, COLUMNS)


def seconds(world: str, agent: str, users: float, counter: str | None = None) -> float:
    """What a run of so many users takes: over the counter, or the least of the recorded ones.

    Raises
    ------
    KeyError
        No such run was timed.
    """
    table = read()
    mine = table[(table["world"] == world) & (table["agent"] == agent)]
    mine = mine if counter is None else mine[mine["counter"] == counter]
    if mine.empty:
        raise KeyError(f"{world} {agent} {counter or ''}: not timed, see python -m figures.costs")
    return float(mine["microseconds"].min()) * users / 1e6


if __name__ == "__main__":
    sweep.write_table(TABLES / f"{ID}.csv", record(), {"seed": 0}, digits=6)
