"""What it costs that each user speaks alone: LDP-UCRL-VTR with local noise, and over a trusted
server's counter."""

from functools import cache, partial
from math import inf, sqrt
from typing import Any, cast

import numpy as np
import pandas as pd

from figures import learnt, style
from figures import linear_runs as lr
from figures.kinds.lines import Figure, draw_curve, draw_lines, legend_below, note
from figures.kinds.tables import TABLES, Path, Tables, curve, frame
from figures.liao2021 import learning as liao2021_learning
from figures.liao2021.learning import ALPHA, DELTA, ENTRY, EPSILONS, PLANNED, REPLICATES, SIZE
from privrl.agents.linear.kernels import terms
from privrl.agents.linear.ldp_ucrl_vtr import LDPUCRLVTR
from privrl.environments import suite
from privrl.environments.linear_mixture import LinearMixtureMDP
from privrl.run.sweep import RunPlan
from theory.papers.liao2021 import bounds
from theory.papers.zhou2022.bounds import Horizon

ID = "liao2021_joint"
BEST = "blt"
MIXTURE = cast(LinearMixtureMDP, suite.environment(ENTRY))
PLANS: list[RunPlan] = [
    RunPlan(
        ENTRY,
        counter=BEST,
        calibration="tight",
        epsilon=epsilon,
        episodes=PLANNED,
        replicates=REPLICATES,
    )
    for epsilon in EPSILONS
]
SETTINGS = (
    ("local", "printed"),
    ("local", "corrected"),
    ("local", "tight"),
    ("tree", "tight"),
    (BEST, "tight"),
)
MESSAGE = "A trusted server's noise hardly grows with the users; local noise does, like √k"
CAPTION = """A trusted server that adds the noise itself makes the difference: local noise grows
like sqrt(k), the counter's hardly. Equal (epsilon, delta) = (1, 0.1), alpha = 0.01, mixture-2 (d =
H = 2), 10^6 planned users. Left: standard deviation of the noise in a released Gram entry of step 1
after k users, for tight the largest release so far; from formulas. Every user's message must be
private by itself, so no two noises cancel; the server uses blt in place of one noise for each user.
Right: regret so far over uniform play's, mean of 32 replicates with the 95 % t interval, and, grey,
uniform play, each constant action, and known rewards with nothing learnt."""
ALT = """Left, log-log: three parallel rising lines for local noise, printed far above corrected and
tight, and two nearly flat ones for tree and blt; at a million users blt is lower than local tight
by two orders of magnitude. Right: local printed falls slowly, with a wide band; local corrected,
local tight and joint blt fall near a thousand users, and at the end blt is lowest, then corrected,
then tight."""
recompute = partial(lr.recompute, PLANS)  # some minutes; resumable


def noise(counter: str, calibration: str, users: int, epsilon: float = 1.0) -> float:
    """Standard deviation in a Gram entry of step 1 of the noisiest release up to ``users``."""
    scales = LDPUCRLVTR(epsilon, DELTA, ALPHA, counter, calibration).calibrate(MIXTURE, PLANNED)
    ends = {users, *((1 << level) - 1 for level in range(1, (users + 1).bit_length()))}
    return float(scales.transitions.gram[0]) * sqrt(
        max(float(terms(scales.growth, end)) for end in ends)
    )


@cache
def horizons(epsilon: float) -> dict[tuple[str, str], Horizon]:
    """Bonuses below the values, and the bound below H K, by counter and calibration."""
    horizons_ = bounds.horizons(*SIZE, epsilon, DELTA, ALPHA, counters=("local", "tree", "blt"))
    return {(row.counter, row.calibration): row for row in horizons_}


def tables(folder: Path = TABLES) -> Tables:
    marks = np.unique(np.round(np.geomspace(1, PLANNED - 1, 49)).astype(np.int64))
    rows = [
        (counter, calibration, int(mark), noise(counter, calibration, int(mark)))
        for counter, calibration in SETTINGS
        for mark in marks
    ]
    curve_rows: list[Any] = []
    curves = []
    local = (run for run in liao2021_learning.long_runs(folder) if run.agent == "ldp-ucrl-vtr")
    for run in (*lr.read_runs(ID, folder), *local):
        row = horizons(run.epsilon)[run.counter, run.calibration]
        curve_rows.append(
            (
                run.counter,
                run.calibration,
                run.epsilon,
                *learnt.numbers(run, folder),
                *style.spread(run.regret[:, -1]),
                *(inf if value is None else value for value in (row.start, row.below_trivial)),
            )
        )
        if run.epsilon == 1:
            curves.append(curve(run, slice(None), "counter calibration"))
    return {
        "noise": frame(rows, "counter calibration users noise"),
        "runs": pd.concat(curves, ignore_index=True),
        "burn_in": frame(
            curve_rows,
            f"counter calibration epsilon {learnt.COLUMNS} regret low high start below_trivial",
        ),
        "lines": frame(list(lr.references(ENTRY).items()), "line regret"),
    }


DASHES: dict[str, Any] = {"local": "-", "tree": (0, (6, 1.5)), BEST: (0, (3, 1))}
TOP = 1.42  # of regret over uniform play's
ACTION = (("action 0", "one action"),)
TRUST = {"local": "local", "tree": "joint, tree", BEST: f"joint, {BEST}"}


def draw(tables: Tables) -> Figure:
    figure, ((left_axes, right_axes),) = style.figure(3.4, 1, 2)
    looks = {
        (counter, calibration): (
            style.COLOURS[calibration],
            DASHES[counter],
            f"{TRUST[counter]}, {calibration}",
        )
        for counter, calibration in SETTINGS
    }
    draw_lines(left_axes, tables["noise"], "counter calibration", "users", "noise", looks)
    left_axes.set(xscale="log", yscale="log", xlabel="users k", ylabel="noise in a Gram entry")
    rates = tables["lines"].set_index("line")["regret"]
    lr.draw_references(
        right_axes,
        rates,
        ("uniform", "action 0", "action 1", "blind"),
        rates["uniform"],
        labels=False,
        linewidth=0.9,
    )
    for name, words in (("blind", "rewards known"), ("uniform", "uniform play"), *ACTION):
        note(
            right_axes,
            0.98,
            rates[name] / rates["uniform"] / TOP + 0.01,
            words,
            ha="right",
            va="bottom",
            color=style.GREY,
        )
    for (counter, calibration), rows in tables["runs"].groupby(
        ["counter", "calibration"], sort=False
    ):
        scale, colour = rates["uniform"] * rows["episodes"], style.COLOURS[str(calibration)]
        draw_curve(right_axes, rows, "episodes", "regret", colour, DASHES[str(counter)], unit=scale)
    right_axes.set(
        xscale="log",
        xlim=(10, PLANNED),
        ylim=(0, TOP),
        xlabel="users",
        ylabel="regret so far / uniform play's",
    )
    return legend_below(figure, left_axes, 3)
