"""What to run instead of PUCB: exact regret of private UCBVI and DP-UCBVI at epsilon = 1, joint and
local."""

from functools import cache, partial
from math import inf
from typing import Any

import pandas as pd

from figures import learnt, runs, style
from figures.kinds.lines import Figure, Look, draw_lines, legend_below, name_lines
from figures.kinds.tables import (
    TABLES,
    Path,
    Tables,
    curves,
    decades,
    frame,
    growing_ratio,
)
from figures.linear_runs import draw_references, references
from privrl.agents.tabular.dp_ucbvi import DPUCBVI
from privrl.agents.tabular.private_ucbvi import PrivateUCBVI
from privrl.agents.tabular.pucb import PUCB
from privrl.environments import suite
from privrl.horizon import pucb as horizon
from privrl.horizon import successors as horizon_successors
from privrl.run import measure
from privrl.run.sweep import RunPlan
from privrl.types import Run
from theory.papers.vietri2020.bounds import successors as bounds_successors

ID = "successors_regret"
ENTRY = "vietri2020/riverswim-3-relabelled"
SIZE = (3, 2, 3)  # S, A, H
PLANNED = 10**8
DELTA = 1e-6
BETA = suite.entry(ENTRY).beta
REPLICATES = 4


def _plan(
    agent: str,
    counter: str,
    delta: float,
    last: int = 10**7,
    epsilon: float = 1.0,
    replicates: int = REPLICATES,
) -> RunPlan:
    return RunPlan(
        ENTRY,
        agent,
        counter,
        "tight",
        epsilon,
        delta,
        episodes=PLANNED,
        stop_after=last,
        replicates=replicates,
    )


PLANS: list[RunPlan] = [
    _plan("private-ucbvi", "blt", DELTA),
    _plan("private-ucbvi", "tree", DELTA),
    _plan("private-ucbvi", "tree", 0.0),
    _plan("dp-ucbvi", "blt", DELTA),
    _plan("ldp-ucbvi", "local", DELTA, 5 * 10**7, replicates=learnt.FEW),
    _plan("ucbvi", "none", 0.0),
    # not drawn, in the table alone
    *(
        _plan(*kind, epsilon=epsilon)
        for epsilon in (10.0, 100.0)
        for kind in (
            ("private-ucbvi", "blt", DELTA),
            ("private-ucbvi", "tree", 0.0),
            ("ldp-ucbvi", "local", DELTA),
        )
    ),
]
NAMES = "agent counter delta"
AGENT_LOOKS: dict[tuple[str, str, float], Look] = {
    ("pucb", "tree", 0.0): (style.COLOURS["printed"], "-", "PUCB as printed, tree"),
    ("private-ucbvi", "blt", DELTA): (style.PALETTE[2], "-", "private UCBVI, blt"),
    ("private-ucbvi", "tree", DELTA): (style.PALETTE[1], "-", "private UCBVI, tree, Gaussian"),
    ("private-ucbvi", "tree", 0.0): (style.PALETTE[3], "-", "private UCBVI, tree, Laplace"),
    ("dp-ucbvi", "blt", DELTA): (style.PALETTE[4], (0, (5, 1.5)), "DP-UCBVI, blt"),
    ("ldp-ucbvi", "local", DELTA): (
        style.PALETTE[5],
        (0, (3, 1, 1, 1)),
        "private UCBVI, own noise (local)",
    ),
    ("ucbvi", "none", 0.0): (style.COLOURS["base"], "-", "UCBVI, no privacy"),
}
MESSAGE = "Private UCBVI over blt learns long before PUCB as printed"
CAPTION = """Private UCBVI over blt learns after about 36,000 users (95 %: 32,000 to 38,000, 32
replicates), PUCB as printed after tens of millions. Exact regret at epsilon = 1 on
riverswim-3-relabelled (S = 3, A = 2, H = 3), all planned for T = 10^8 episodes, beta = 0.1, mean of
4 replicates (PUCB and local: 8) with the 95 % t interval. Left: cumulative, against uniform play
and the best constant action. Right: per user over the last fifth of what has been played, median
and range, in units of uniform play's; learnt: below one half (docs/measure.md); users before it has
learnt are in the data, of 32 runs, of these two of 8. PUCB's printed noise gives 2.9 times its
epsilon; the successors' gives it for the replacement of a whole episode, at delta = 10^-6. Their
bonuses and constants are ours. The local run was ended at 5 10^7 episodes, the others, but for
PUCB, at 10^7."""
ALT = """Two panels over episodes, logarithmic. Left: regret of all private agents follows uniform
play and then bends: private UCBVI over blt first, at some 4 times 10^4 episodes, then DP-UCBVI over
blt and private UCBVI over the tree, with Gaussian and later with Laplace noise, the local one at
some 2 times 10^7, PUCB as printed last. UCBVI without privacy bends at about 500. Right: the same
as shares of uniform play's regret, falling from 1 towards 0."""
recompute = partial(runs.recompute, PLANS)  # every plan, resumable


@cache
def long_runs(folder: Path = TABLES) -> tuple[Run, ...]:
    """The runs of this table at epsilon = 1 and without privacy, after that of PUCB as printed."""
    printed = [
        run
        for run in runs.read("vietri2020_regret", folder)
        if (run.agent, run.calibration, run.epsilon) == ("pucb", "printed", 1.0)
    ]
    return (
        *printed,
        *(run for run in runs.read(ID, folder) if run.epsilon == 1.0 or run.counter == "none"),
    )


@cache
def _formulas(agent: str, counter: str, calibration: str, delta: float) -> tuple[float | None, ...]:
    """Users before which no plan differs from uniform play; where our bound falls below H T, and
    over H T at 10^8."""
    kinds: dict[str, Any] = {"pucb": PUCB, "dp-ucbvi": DPUCBVI}
    agent_ = kinds.get(agent, PrivateUCBVI)(
        inf if counter == "none" else 1.0, delta, BETA, counter, calibration
    )
    if agent == "pucb":
        return horizon.start(agent_, *SIZE).episodes, None, None
    return (
        horizon_successors.start(agent_, *SIZE).episodes,
        bounds_successors.explicit_horizon(agent_, *SIZE),
        bounds_successors.explicit_regret(agent_, *SIZE, PLANNED) / (SIZE[2] * PLANNED),
    )


def tables(folder: Path = TABLES) -> Tables:
    """``runs``: mean and band; ``windows``: regret over uniform play's; ``burn_in``; ``lines``:
    without an agent."""
    uniform = references(ENTRY)["uniform"]
    marks = decades(8, 5 * 10**7)
    shares, burnt = [], []
    for run in long_runs(folder):
        share = growing_ratio(run, uniform, NAMES).drop(columns="user")
        shares.append(
            share[share["end"].isin(marks)].rename(columns={"end": "episodes", "ratio": "share"})
        )
        last = int(run.episodes[-1])
        start, below, over = _formulas(run.agent, run.counter, run.calibration, run.delta)
        burnt.append(
            {
                "agent": run.agent,
                "counter": run.counter,
                "delta": run.delta,
                "calibration": run.calibration,
                "played": last,
                **dict(zip(learnt.COLUMNS.split(), learnt.numbers(run, folder), strict=True)),
                "start": start,
                "regret_at_1e7": style.band(run.regret).mean[run.episodes == 10**7][0],
                "bound_below_trivial_from": below,
                "bound_over_trivial": over,
            }
        )
    lines = [
        (name, int(mark), references(ENTRY)[name] * mark)
        for name in ("uniform", "constant")
        for mark in marks
    ]
    return {
        "runs": curves(long_runs(folder), marks, NAMES),
        "windows": pd.concat(shares, ignore_index=True),
        "burn_in": pd.DataFrame(burnt),
        "lines": frame(lines, "line episodes regret"),
    }


def draw(tables: Tables) -> Figure:
    figure, ((left_axes, right_axes),) = style.figure(3.6, 1, 2, sharex=True)
    draw_lines(
        left_axes,
        tables["lines"],
        "line",
        "episodes",
        "regret",
        {
            "uniform": (style.GREY, style.LINES["uniform"], "uniform play, one action"),
            "constant": (style.GREY, style.LINES["constant"], None),
        },
        linewidth=1.0,
    )
    ends = tables["lines"].groupby("line")["regret"].last()
    draw_references(right_axes, ends, ("uniform", "constant"), ends["uniform"], labels=False)
    right_axes.axhline(measure.SHARE, color=style.GREY, linewidth=0.6)
    right_axes.text(1500, measure.SHARE + 0.012, "learnt", fontsize=7, color=style.GREY)
    draw_lines(left_axes, tables["runs"], NAMES, "episodes", "regret", AGENT_LOOKS, band=True)
    draw_lines(right_axes, tables["windows"], NAMES, "episodes", "share", AGENT_LOOKS, band=True)
    style.guide(left_axes, 1.0, (3e5, 60), 3e6, "slope 1")
    left_axes.set(
        xscale="log",
        yscale="log",
        xlim=(100, PLANNED),
        ylim=(20, 3e7),
        xlabel="episodes",
        ylabel="regret after as many episodes",
    )
    right_axes.set(
        xlim=(100, PLANNED),
        ylim=(0, 1.08),
        xlabel="episodes",
        ylabel="regret per episode / uniform play's",
    )
    left_axes.set_xticks([1e2, 1e4, 1e6, 1e8])
    name_lines(left_axes, {"uniform play, one action": (8e3, 55)})
    return legend_below(figure, left_axes, 2)
