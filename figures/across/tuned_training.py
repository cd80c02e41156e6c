"""How far the confidence widths of each agent can be narrowed: regret on training instances, over
the multiplier."""

from collections.abc import Callable
from functools import cache
from math import inf
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from figures import linear_runs as lr
from figures import style
from figures.kinds.lines import Figure, draw_line, outer_labels
from figures.kinds.tables import TABLES, Path, Tables, frame, where
from figures.linear_runs import Direct
from privrl import (
    DPUCBVI,
    LDPUCRLVTR,
    OFURL,
    PUCB,
    UBEV,
    UCRLVTR,
    LinOptPO,
    LinOptVI,
    PrivateOFURL,
    PrivateUCBVI,
)
from privrl.environments import random_lq, random_mdp, riverswim
from privrl.environments.mixtures import mixture, random_mixture
from privrl.run import measure
from privrl.types import Environment

ID = "tuned_training"
MESSAGE = "Widths that are narrower than the proved ones lose least"
CAPTION = """Widths of 0.3 (linear, LQ) to 0.001 times (tabular) those that are proved lose least.
Regret over that of play with the same information that learns nothing (docs/measure.md), mean over
training instances and epsilon, over the multiplier of all confidence widths; 8 runs each, whose
noise does not depend on the multiplier, and lengths by which tight widths have hardly learnt.
Stars: the widest multiplier within 5 % of the least, used from then on (PUCB's is the end of the
grid). Training instances are none that is reported on: rivers of other sizes and labels and a
random MDP; mixtures of other sizes and weights; random LQ systems. Tabular agents with noise need
no widths at all; all others get stuck without."""
ALT = """Four panels of relative regret against the multiplier from 0.001 to 1, both logarithmic.
Tabular private lines fall from the right and stay flat to the left. Those of linear mixtures have a
minimum at 0.3 and those of LQ systems too; without privacy there are minima between 0.01 and 0.3,
and the lines rise to both sides."""
GRID = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001)
NEAR = 1.05  # of the least regret: the widest multiplier within it is chosen
REPLICATES = 8
TABULAR: tuple[Environment, ...] = (
    riverswim(2, 3, relabelled=True, seed=3),
    riverswim(3, 4, relabelled=True, seed=1),
    riverswim(4, relabelled=True, seed=1),
    random_mdp(3, 2, 3, 1),
)
LINEAR: tuple[Environment, ...] = (
    mixture(2, 3),
    mixture(3, 2),
    mixture(2, 2, weight=0.75),
    random_mixture(2, 3, 2, 3, 1, scaled=False),
)
SCALED: tuple[Environment, ...] = (
    mixture(2, 3, scaled=True),
    mixture(3, 2, scaled=True),
    mixture(2, 2, weight=0.75, scaled=True),
    random_mixture(2, 3, 2, 3, 1),
)
LQ: tuple[Environment, ...] = tuple(random_lq(1, 1, horizon, 1) for horizon in (3, 5, 8))
DELTA = 1e-6
KNOWN: dict[str, Any] = {"alpha": 0.01, "calibration": "tight"}  # the entries of liao2021


class TunedAgent(NamedTuple):
    """An agent to be tuned."""

    make: Callable[[float, float], Any]  # from (epsilon, multiplier)
    environments: tuple[Environment, ...]
    # by epsilon: episodes of a run, about as many as the agent takes to learn with ``tight``
    lengths: dict[float, int]


def _over(kind: Any, counter: str) -> Callable[[float, float], Any]:
    return lambda epsilon, multiplier: kind(
        epsilon, DELTA, 0.1, counter, "tight", multiplier=multiplier
    )


JOINT = {1.0: 10**5, 10.0: 3 * 10**4}
LOCAL = {10.0: 10**5, 100.0: 3 * 10**4}
TUNED_AGENTS: dict[str, TunedAgent] = {  # the words of the README's table
    "private UCBVI, over blt": TunedAgent(_over(PrivateUCBVI, "blt"), TABULAR, JOINT),
    "LinOpt-VI, over blt": TunedAgent(
        _over(LinOptVI, "blt"), LINEAR, {1.0: 3 * 10**4, 10.0: 10**4}
    ),
    "PUCB, over blt": TunedAgent(_over(PUCB, "blt"), TABULAR, JOINT),
    "UCRL-VTR (rewards known), own noise": TunedAgent(
        lambda epsilon, multiplier: LDPUCRLVTR(
            epsilon, 0.1, counter="local", multiplier=multiplier, **KNOWN
        ),
        SCALED,
        {1.0: 10**5, 10.0: 10**4},
    ),
    "UBEV": TunedAgent(lambda epsilon, multiplier: UBEV(0.1, multiplier), TABULAR, {inf: 10**4}),
    "UCBVI": TunedAgent(
        lambda epsilon, multiplier: PrivateUCBVI(counter="none", multiplier=multiplier),
        TABULAR,
        {inf: 10**4},
    ),
    "LinOpt-VI": TunedAgent(_over(LinOptVI, "none"), LINEAR, {inf: 3000}),
    "LinOpt-PO": TunedAgent(_over(LinOptPO, "none"), LINEAR, {inf: 3000}),
    "UCRL-VTR (rewards known)": TunedAgent(
        lambda epsilon, multiplier: UCRLVTR(multiplier=multiplier, **KNOWN), SCALED, {inf: 3000}
    ),
    "OFU-RL": TunedAgent(
        lambda epsilon, multiplier: OFURL(multiplier=multiplier), LQ, {inf: 10**4}
    ),
    "Private-OFU-RL, over blt": TunedAgent(
        _over(PrivateOFURL, "blt"), LQ, {10.0: 10**5, 100.0: 3 * 10**4}
    ),
    "private UCBVI, own noise": TunedAgent(
        _over(PrivateUCBVI, "local"), TABULAR, {10.0: 3 * 10**5, 100.0: 10**5}
    ),
    "LinOpt-VI, own noise": TunedAgent(_over(LinOptVI, "local"), LINEAR, LOCAL),
    "LinOpt-PO, over blt": TunedAgent(
        _over(LinOptPO, "blt"), LINEAR, {1.0: 3 * 10**4, 10.0: 10**4}
    ),
    "DP-UCBVI, over blt": TunedAgent(_over(DPUCBVI, "blt"), TABULAR, JOINT),
    "LinOpt-PO, own noise": TunedAgent(_over(LinOptPO, "local"), LINEAR, LOCAL),
    "Private-OFU-RL, own noise": TunedAgent(
        _over(PrivateOFURL, "local"), LQ, {1000.0: 10**5, 10_000.0: 10**5}
    ),
}
MARKS = sorted(
    {
        mark
        for kind in TUNED_AGENTS.values()
        for planned in kind.lengths.values()
        for mark in (planned // 10 * 9, planned)
    }
)


def sources() -> list[Direct]:
    """Every run: agent by epsilon by instance by multiplier, all of which see the same noise."""
    return [
        Direct(environment, kind.make(epsilon, multiplier), planned, REPLICATES)
        for kind in TUNED_AGENTS.values()
        for epsilon, planned in kind.lengths.items()
        for environment in kind.environments
        for multiplier in GRID
    ]


def recompute(path: Path, jobs: int = 1) -> None:
    """Run again: half an hour."""
    lr.recompute(sources(), path, jobs, MARKS)


@cache
def _reference(name: str, agent: str) -> float:
    """Regret of a user of play with the agent's information that learns nothing."""
    worlds = {world.name: world for world in (*TABULAR, *LINEAR, *SCALED, *LQ)}
    return measure.reference(worlds[name], agent)


@cache
def runs(folder: Path = TABLES) -> pd.DataFrame:
    """A row per kind, epsilon, instance and multiplier: share of the reference's regret, and runs
    that had not learnt.

    A run has not learnt where it loses more than half as much as the reference over its last tenth.
    """
    settings = [
        (name, epsilon, multiplier)
        for name, kind in TUNED_AGENTS.items()
        for epsilon in kind.lengths
        for _ in kind.environments
        for multiplier in GRID
    ]
    rows = []
    for (name, epsilon, multiplier), (label, setting_rows) in zip(
        settings, lr.settings(lr.read(ID, folder)), strict=True
    ):
        planned, reference = int(label["planned"]), _reference(str(label["id"]), label["agent"])
        total, before = (
            setting_rows[str(mark)].to_numpy(dtype=np.float64)
            for mark in (planned, planned // 10 * 9)
        )
        late = (total - before) / (planned - planned // 10 * 9) / reference
        rows.append(
            (
                name,
                epsilon,
                label["id"],
                multiplier,
                planned,
                total.mean() / planned / reference,
                late.mean(),
                int((~measure.at_most_half(late, 1.0)).sum()),
                late.size,
            )
        )
    return frame(rows, "kind epsilon instance multiplier planned share late failed runs")


def tables(folder: Path = TABLES) -> Tables:
    """``runs``; ``scores``: their means over instances and epsilons; ``chosen``: the multiplier
    that is used."""
    every = runs(folder)
    scores = (
        every.groupby(["kind", "multiplier"], sort=False)
        .agg(
            share=("share", "mean"),
            worst=("share", "max"),
            failed=("failed", "sum"),
            runs=("runs", "sum"),
        )
        .reset_index()
    )
    near = scores[scores["share"] <= NEAR * scores.groupby("kind")["share"].transform("min")]
    chosen = near.loc[near.groupby("kind", sort=False)["multiplier"].idxmax()].reset_index(
        drop=True
    )
    return {"runs": every, "scores": scores, "chosen": chosen}


PANELS = {
    "tabular": (
        "private UCBVI, over blt",
        "DP-UCBVI, over blt",
        "PUCB, over blt",
        "private UCBVI, own noise",
    ),
    "linear mixtures": (
        "LinOpt-VI, over blt",
        "LinOpt-PO, over blt",
        "LinOpt-VI, own noise",
        "LinOpt-PO, own noise",
        "UCRL-VTR (rewards known), own noise",
    ),
    "LQ systems": ("Private-OFU-RL, over blt", "Private-OFU-RL, own noise", "OFU-RL"),
    "no privacy": ("UCBVI", "UBEV", "LinOpt-VI", "LinOpt-PO", "UCRL-VTR (rewards known)"),
}


def draw(tables: Tables) -> Figure:
    figure, grid = style.figure(6.4, 2, 2, sharex=True)
    for axes, (title, names) in zip(grid.flat, PANELS.items(), strict=True):
        for place, name in enumerate(names):
            colour = style.PALETTE[place]
            rows, star = where(tables["scores"], kind=name), where(tables["chosen"], kind=name)
            draw_line(
                axes, rows, "multiplier", "share", colour, "-", name, marker="o", markersize=2.5
            )
            axes.plot(star["multiplier"], star["share"], "*", color=colour, markersize=9)
        axes.set(xscale="log", yscale="log", title=title)
        axes.margins(y=0.3)
        if len(names) > 4:
            axes.set_ylim(None, 40)  # room for the legend
        axes.legend(fontsize=7)
    outer_labels(grid, "multiplier of the widths", "regret / play that knows nothing")
    return figure
