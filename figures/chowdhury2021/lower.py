"""The derived lower bound where its conditions hold: smooth noise, a known, b drawn from its prior
(van Trees)."""

import dataclasses
from bisect import bisect_left
from functools import cache
from math import pi

import numpy as np
import pandas as pd

from figures import style
from figures.chowdhury2021.regret import ALPHA
from figures.kinds.lines import Figure, draw_line, draw_marks, legend_below
from figures.kinds.tables import TABLES, Path, Tables, frame
from privrl.agents.lq.ofu_rl import OFURL
from privrl.environments import planning
from privrl.environments.lq import lq_scalar
from privrl.run import simulate
from privrl.types import FloatArray
from theory.papers.chowdhury2021 import bounds

EPISODES = (100, 316, 1000, 3162, 10_000)
DRAWS = 20
MESSAGE = "Some system costs every agent a regret of order √K, private or not"
CAPTION = """Some system costs every agent a regret of order sqrt(K), private or not; what privacy
costs it does not show. The paper states no lower bound; this one is the ledger's (van Trees; H = 5,
a = 0.6, known, q = 0.4, r = 1, noise with the density cos^2(pi w/0.3)/0.15 on [-0.15, 0.15]), on
the mean over b drawn from a prior on [-t, t]. Left: the bound, and the mean regret over 20 equally
likely b of doing nothing and of OFU-RL, which does not know a. Right: the half-width t of the worst
prior, falling like K^(-1/4): of one fixed b it says nothing. It needs noise of finite Fisher
information, which uniform and two-valued noise do not have."""
ALT = """Left, log-log: the bound rises with slope one half, the regret of doing nothing above it by
a factor of four to five, and that of OFU-RL about two orders of magnitude above it. Right: the
half-width falls with slope minus one quarter after a flat beginning."""


def bound(episodes: int, widest: float | None = None) -> float:
    """The lower bound at the scalar system's sizes."""
    system = lq_scalar(noise="cosine")
    return bounds.lower_regret(
        episodes,
        system.horizon,
        float(system.Q[0, 0]),
        float(system.R[0, 0]),
        float(system.A[0, 0]),
        system.c_w,
        widest=widest,
    )


@cache
def worst_width(episodes: int) -> float:
    """The half-width of the prior that gives the bound, from the grid (quarter powers of two) that
    it is taken over."""
    top, best = 0.5 * float(np.sqrt(1 - 0.6**2)), bound(episodes)
    # the bound over all narrower priors stays the same until the best one is left out
    last = bisect_left(
        range(1, 120), True, key=lambda at: bound(episodes, top / 2 ** (at / 4)) < best * (1 - 1e-9)
    )
    return top / float(2 ** (last / 4))


def prior(width: float, draws: int = DRAWS) -> FloatArray:
    """Equally likely b: the midpoints of the prior's quantiles, density cos^2(pi b/(2t))/t on [-t,
    t]."""
    grid = np.linspace(-1, 1, 20_001)
    shares = (1 + grid + np.sin(pi * grid) / pi) / 2
    return np.asarray(width * np.interp((np.arange(draws) + 0.5) / draws, shares, grid))


@cache
def means() -> pd.DataFrame:
    """Mean regret over the prior: u = 0 exactly, OFU-RL one run for each b, with its 95 % t
    interval."""
    rows = []
    for place, K in enumerate(EPISODES):
        systems = [
            dataclasses.replace(
                lq_scalar(noise="cosine"), name="lq-1-1-near-zero", B=np.array([[b]]), c_b=None
            )
            for b in prior(worst_width(K))
        ]
        zero = (
            np.mean([planning.lq_regret(system, planning.lq_zero(system)) for system in systems])
            * K
        )
        played = np.array(
            [
                simulate.replicate(system, OFURL(ALPHA), K, None, place, index)[-1]
                for index, system in enumerate(systems)
            ]
        )
        rows.append((K, float(zero), *style.spread(played), bound(K)))
    return frame(rows, "episodes zero ofu low high bound")


def tables(folder: Path = TABLES) -> Tables:
    """``means`` over the prior; ``bound`` and the worst half-width up to 10^8."""
    marks = [round(10 ** (k / 2)) for k in range(2, 17)]
    return {
        "means": means(),
        "bound": frame(
            [(mark, bound(mark), worst_width(mark)) for mark in marks], "episodes bound width"
        ),
    }


def draw(tables: Tables) -> Figure:
    figure, ((left_axes, right_axes),) = style.figure(3.2, 1, 2)
    rows, line = tables["means"], tables["bound"]
    draw_line(
        left_axes,
        line,
        "episodes",
        "bound",
        style.COLOURS["other"],
        style.LINES["lower"],
        "lower bound",
    )
    left_axes.plot(rows["episodes"], rows["zero"], "s", color=style.GREY, label="u = 0")
    draw_marks(
        left_axes,
        rows["episodes"],
        rows,
        "ofu",
        style.COLOURS["base"],
        elinewidth=0.8,
        label="OFU-RL",
    )
    style.guide(left_axes, 0.5, (1e4, 4.0), 2e5, "slope 1/2")
    left_axes.set(
        xscale="log",
        yscale="log",
        xlabel="K",
        ylabel="mean regret over the prior",
        xlim=(10, 2e6),
        ylim=(1e-3, 1e3),
    )
    draw_line(right_axes, line, "episodes", "width", style.COLOURS["other"])
    style.guide(right_axes, -0.25, (1e4, 0.2), 1e6, "slope -1/4")
    right_axes.set(xscale="log", yscale="log", xlabel="K", ylabel="half-width t of the worst prior")
    return legend_below(figure, left_axes, 3)
