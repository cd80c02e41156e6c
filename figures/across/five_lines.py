"""The picture that the five lines of README.md make: one problem, three algorithms, with and
without privacy."""

from typing import Any

import pandas as pd

import privrl as rl
from figures import yours
from figures.kinds.lines import Figure
from figures.kinds.tables import TABLES, Path, Tables

ENTRY, EPISODES = "vietri2020/riverswim-3-relabelled", 300_000
CAPTION = """Without privacy an algorithm learns within thousands of users, with the best private
one that was tried within tens of thousands, with PUCB as its paper prints it not at all yet. Exact
regret at epsilon = 1 on riverswim-3-relabelled (S = 3, A = 2, H = 3), planned for the episodes
shown, mean and range of two replicates; private UCBVI runs over the counter blt at delta = 10^-6,
with calibration tight."""
ALT = """Regret against episodes, both logarithmic. PUCB lies on the line of uniform play to the
right end. Private UCBVI leaves it at some ten thousand episodes and ends several times lower;
without privacy the curve leaves it within hundreds and ends lowest. The best constant action lies
just above uniform play, the trivial bound far above."""


def agents() -> dict[str, Any]:
    """As README.md has them."""
    return {
        "no privacy": rl.UBEV(),
        "private UCBVI": rl.PrivateUCBVI(1.0, 1e-6, counter="blt"),
        "PUCB": rl.PUCB(1.0),
    }


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


def draw(tables: Tables) -> Figure:
    looks = {}
    for name, rows in tables["runs"].groupby("name", sort=False):
        grid, agent = (
            rows.pivot_table(index="replicate", columns="episode", values="regret"),
            agents()[str(name)],
        )
        looks[str(name)] = rl.Run(
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
    return yours.between(looks, {}, trivial=3)[0]
