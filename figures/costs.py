"""What a user of the long runs costs: the reason why some have few replicates.

Times belong to a machine, so the table is recorded, as the bench's are, and no profile makes it:

    python -m figures.costs

writes it, in half a minute. Microseconds are of processor time, on a machine that did other work
as well, and from the first user on, compiled.
"""

import time

import pandas as pd

from figures import learnt, runs
from figures.learnt import LearningRuns, M
from figures.runs import TABLES
from privrl.run import simulate, sweep

ID = "run_costs"
COLUMNS = ("world", "agent", "counter", "epsilon", "planned", "played", "microseconds")
# one of each agent and kind of counter, and as many users as show what the later ones cost, too
COSTLY = (
    ("vietri2020", LearningRuns("pucb", "tree", "printed", 1.0, 100 * M, 10**6, delta=0.0)),
    ("vietri2020", LearningRuns("pucb", "blt", "tight", 1.0, 100 * M, 10**6)),
    ("vietri2020", LearningRuns("ldp-ucbvi", "local", "tight", 1.0, 100 * M, 10**6)),
    ("zhou2022", LearningRuns("linopt-vi", "tree", "printed", 1.0, M, M // 2)),
    ("zhou2022", LearningRuns("linopt-po", "local", "tight", 1.0, M, M // 2)),
    ("chowdhury2021", LearningRuns("private-ofu-rl", "tree", "tight", 1000.0, 10 * M, M // 5)),
    ("chowdhury2021", LearningRuns("private-ce", "tree", "tight", 1000.0, 10 * M, M // 5)),
    ("liao2021", LearningRuns("ldp-ucrl-vtr", "local", "tight", 1.0, M, M // 2, delta=0.1)),
)


def record() -> pd.DataFrame:
    """Play one replicate of each."""
    rows = []
    for paper, kind in COSTLY:
        setting = kind.runs(learnt.WORLDS[paper])
        world, agent, planned = setting.made, setting.agent, setting.planned
        simulate.replicate(world, agent, planned, 2000, 0, 0)  # compiles
        begin = time.process_time()
        simulate.replicate(world, agent, planned, setting.played, 0, 1)
        each = (time.process_time() - begin) / setting.played * 1e6
        rows.append(
            (
                *(setting.labels[name] for name in COLUMNS[:5]),
                setting.played,
                float(f"{each:.3g}"),
            )
        )
    return pd.DataFrame(rows, columns=[*COLUMNS])


def read() -> pd.DataFrame:
    """The committed table."""
    return runs.table(ID, COLUMNS)


def seconds(agent: str, users: float) -> tuple[float, float]:
    """What a run of so many users takes: least and most over the recorded kinds of this agent."""
    each = read().query("agent == @agent")["microseconds"]
    least, most = float(each.min()), float(each.max())
    return least * users / 1e6, most * users / 1e6


if __name__ == "__main__":
    sweep.write_table(TABLES / f"{ID}.csv", record(), {"seed": 0}, digits=6)
