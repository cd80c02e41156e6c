"""The picture that the five lines of README.md make: one problem, three algorithms, with and
without privacy."""

from typing import Any

import numpy as np
import pandas as pd

import privrl as rl
from figures import profiles, yours
from figures import runs as long_runs
from figures.kinds.lines import Figure
from figures.kinds.tables import TABLES, Path, Tables, frame
from privrl.environments import suite
from privrl.run import measure, simulate, sweep

ID = "five_lines"
ENTRY, EPISODES = "vietri2020/riverswim-3-relabelled", 300_000
REPLICATES, AGAIN = 32, 8  # of the share at the right end; the picture has two
LEVEL = 0.98  # of where the median of other replicates falls
SHARES = ("name", "replicate", "share")
MESSAGE = "After 300,000 users PUCB still plays blindly, and private UCBVI does not"
CAPTION = """After 300,000 users PUCB still plays blindly, and private UCBVI does not.
Exact regret of a user over that of uniform play, in windows of equal ratio, at epsilon = 1 on
riverswim-3-relabelled (S = 3, A = 2, H = 3), planned for the episodes shown; mean and range of two
replicates. Without privacy an algorithm (UBEV) learns within thousands of users, private UCBVI
within tens of thousands, PUCB as its paper prints it not at all yet. Private UCBVI runs over the
counter blt at delta = 10^-6, with calibration tight; PUCB has no delta, and really gives away more
than its epsilon (vietri2020/theorem-1)."""
ALT = """Regret of a user over that of uniform play, against users on a logarithmic axis. PUCB stays
at 1 to the right end. Private UCBVI falls from 1 at some ten thousand users to below a tenth;
without privacy the curve falls within hundreds to a hundredth."""


def agents() -> dict[str, Any]:
    """As README.md has them."""
    return {
        "no privacy": rl.UBEV(),
        "private UCBVI": rl.PrivateUCBVI(1.0, 1e-6, counter="blt"),
        "PUCB": rl.PUCB(1.0),
    }


def share(name: str, seed: int, index: int) -> float:
    """What a user at the right end of the picture loses, over uniform play: one replicate."""
    agent, world = agents()[name], suite.environment(ENTRY)
    regret = simulate.replicate(world, agent, EPISODES, None, seed, index)
    run = rl.Run(
        ENTRY,
        agent.name,
        agent.counter,
        agent.calibration,
        agent.epsilon,
        agent.delta,
        EPISODES,
        seed,
        simulate.checkpoints(EPISODES),
        regret[None],
    )
    return float(yours.of_uniform(run)["mean"].iloc[-1])


def recompute(path: Path, jobs: int = 1) -> None:
    """The share of every replicate, a minute; the picture itself is played whenever it is
    drawn."""
    rows = [
        (name, index, share(name, 0, index))
        for name in agents()
        for index in range(REPLICATES)
        if profiles.current().has(EPISODES, index)
    ]
    if rows:
        facts = {
            "environments": {ENTRY: sweep.environment_hash(ENTRY)},
            "planned": EPISODES,
            "replicates": REPLICATES,
        }
        sweep.write_table(path, frame(rows, " ".join(SHARES)), facts)


def shares(folder: Path = TABLES) -> dict[str, tuple[float, float, float]]:
    """By agent the median share, and where that of ``AGAIN`` other replicates falls, 98 times of
    100."""
    table = long_runs.table(ID, SHARES, folder)
    low, high = measure.again_ranks(REPLICATES, AGAIN, LEVEL)
    result = {}
    for name, rows in table.groupby("name", sort=False):
        ordered = np.sort(rows["share"].to_numpy(dtype=np.float64))
        result[str(name)] = (
            float(np.median(ordered)),
            float(ordered[low - 1]),
            float(ordered[high - 1]),
        )
    return result


def tables(folder: Path = TABLES) -> Tables:
    tables_ = yours.runs(ENTRY, agents(), episodes=EPISODES)
    return {
        "runs": pd.concat(
            [
                pd.DataFrame(
                    {"name": name, "replicate": number, "episode": run.episodes, "regret": regret}
                )
                for name, run in tables_.items()
                for number, regret in enumerate(run.regret)
            ]
        )
    }


def runs(tables: Tables) -> dict[str, rl.Run]:
    """The runs of the table, by the name of their agent."""
    runs_ = {}
    for name, rows in tables["runs"].groupby("name", sort=False):
        grid, agent = (
            rows.pivot_table(index="replicate", columns="episode", values="regret"),
            agents()[str(name)],
        )
        runs_[str(name)] = rl.Run(
            ENTRY,
            agent.name,
            agent.counter,
            agent.calibration,
            agent.epsilon,
            agent.delta,
            EPISODES,
            0,
            grid.columns.to_numpy(),
            grid.to_numpy(),
        )
    return runs_


def draw(tables: Tables) -> Figure:
    return yours.per_user(runs(tables), MESSAGE)
