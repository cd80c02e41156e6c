"""Episodes that lose more than alpha, counted along a run of any length; stored replicate by
replicate.

The compiled learners record regret at checkpoints. Here every episode is one, block by block, so
that the gap of each episode (V* minus the value of the policy in force) is seen and nothing has to
be kept.
"""

import functools
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from figures import profiles, runs
from figures.runs import TABLES
from privrl._cache import code_hash
from privrl.agents.tabular.pucb import PUCB
from privrl.agents.tabular.ubev import UBEV
from privrl.checks import array, planned_episodes, require
from privrl.run import simulate, sweep
from privrl.run.engines import Engine, Failure
from privrl.run.simulate import BLOCK
from privrl.run.store import Store
from privrl.types import IntArray, TabularMDP

CountingAgent = PUCB | UBEV
COLUMNS = (
    "setting",
    "agent",
    "calibration",
    "epsilon",
    "planned",
    "replicate",
    "alpha",
    "episodes",
    "regret",
)


def counts(
    mdp: TabularMDP, agent: CountingAgent, planned: int, alphas: Any, seed: int = 0, index: int = 0
) -> tuple[IntArray, float]:
    """How many episodes lose more than each of ``alphas`` (K,), and the regret of the run.

    The run is replicate ``index`` of ``simulate.run`` with the same seed. A gap is exact up to
    rounding; an alpha that equals a policy's gap has no count that could be trusted.
    """
    levels = array("alphas", alphas, (None,))
    require(bool((levels > 0).all()), "alphas must be > 0", alphas=levels.tolist()[:5])
    planned = planned_episodes(planned)
    noise_rng, coin_rng, tie_rng = simulate.generators(seed, index)
    learner = agent.start(mdp, planned, np.arange(1, 2))
    state = learner.state
    counter = agent.noise(mdp, planned, noise_rng)
    rows = max(16, BLOCK // (counter.width + mdp.coins + mdp.ties))
    totals, sums, done = np.zeros(levels.size, dtype=np.int64), [], 0
    while done < planned:
        size = 1 if done == 0 else min(rows, planned - done)  # the first plan reads no release
        noise = np.zeros((1, counter.width)) if done == 0 else counter.block(size)
        state.tally = state.tally._replace(
            checkpoints=np.arange(done + 1, done + size + 1), regret=np.zeros(size)
        )
        # sums start anew, so that differences keep their digits
        state.tally.clock[1], state.tally.totals[0] = (
            0,
            0.0,
        )
        learner.advance(noise, coin_rng.random((size, mdp.coins)), tie_rng.random((size, mdp.ties)))
        gaps = np.diff(state.regret, prepend=0.0)
        totals += (gaps[:, None] > levels).sum(axis=0)
        sums.append(float(state.regret[-1]))
        done += size
    return totals, fsum(sums)


@dataclass(frozen=True, eq=False)
class CountedRun:
    """One replicate to be counted.

    Parameters
    ----------
    setting : name of the environment in the table
    alphas : (K,), increasing
    """

    setting: str
    mdp: TabularMDP
    agent: CountingAgent
    planned: int
    replicate: int
    alphas: tuple[float, ...]
    seed: int = 0

    def settings(self) -> dict[str, Any]:
        """All that the numbers depend on, the code included."""
        digest = hashlib.sha256()
        for values in (
            self.mdp.transitions,
            self.mdp.rewards,
            self.mdp.initial,
            np.asarray(self.mdp.bernoulli),
        ):
            digest.update(values.tobytes())
        return {
            "environment": digest.hexdigest()[:16],
            "agent": repr(self.agent),
            "planned": self.planned,
            "replicate": self.replicate,
            "seed": self.seed,
            "alphas": repr(self.alphas),
            "code": code_hash(),
            "versions": sweep.versions(),
        }

    def rows(self, folder: Path) -> pd.DataFrame:
        """One row per alpha; taken from ``folder`` where it has been computed before."""
        store, settings = Store(folder), self.settings()
        stored = store.load(settings)
        if stored is None or stored.size != len(self.alphas) + 1:
            totals, regret = counts(
                self.mdp, self.agent, self.planned, self.alphas, self.seed, self.replicate
            )
            stored = np.append(totals, regret)
            store.save(settings, stored)
        agent = self.agent
        return pd.DataFrame(
            {
                "setting": self.setting,
                "agent": agent.name,
                "calibration": agent.calibration,
                "epsilon": agent.epsilon,
                "planned": self.planned,
                "replicate": self.replicate,
                "alpha": self.alphas,
                "episodes": stored[:-1].astype(np.int64),
                "regret": stored[-1],
            },
            columns=list(COLUMNS),
        )


def recompute(make: Callable[[], Sequence[CountedRun]], path: Path, jobs: int = 1) -> None:
    """Count the cases of ``make()`` and write the table and its provenance; finished replicates are
    kept beside it."""
    cases = [case for case in make() if profiles.current().has(case.planned, case.replicate)]
    if not cases:  # a short profile may have none
        return
    rows: dict[int, pd.DataFrame] = {}
    work = functools.partial(CountedRun.rows, folder=path.parent / "replicates")
    for position, result in Engine(jobs=jobs).each(work, cases):
        if isinstance(result, Failure):
            raise RuntimeError(f"{path.stem}: {cases[position]} {result.reason}")
        rows[position] = result
    table = pd.concat([rows[position] for position in range(len(cases))], ignore_index=True)
    settings = [case.settings() for case in cases]
    facts = {
        "settings": {
            case.setting: setting["environment"]
            for case, setting in zip(cases, settings, strict=True)
        },
        "agents": sorted({setting["agent"] for setting in settings}),
        "planned": sorted({case.planned for case in cases}),
        "replicates": 1 + max(case.replicate for case in cases),
        "seeds": sorted({case.seed for case in cases}),
    }
    sweep.write_table(path, table, facts)


def read(name: str, folder: Path = TABLES) -> pd.DataFrame:
    return runs.table(name, COLUMNS, folder)
