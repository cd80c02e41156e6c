"""Whether privacy is a lower-order term: PUCB with and without noise, and the shares of both regret
bounds."""

from functools import partial
from typing import Any

import numpy as np

from figures import runs, style
from figures.kinds.lines import Figure, Look, draw_lines, legend_below, name_lines
from figures.kinds.tables import TABLES, Path, Tables, curves, frame
from figures.linear_runs import references
from figures.vietri2020 import regret
from theory.papers.vietri2020.bounds import proved
from theory.papers.vietri2020.bounds import stated as bounds

ID = "vietri2020_price"
MESSAGE = "Within 10⁸ episodes privacy is the larger part of all bounds but one"
CAPTION = """Within 10^8 episodes privacy is the larger part of every bound but the proved one at
epsilon = 100. Left: exact regret on riverswim-3-relabelled (H = 3), runs planned for 10^8 episodes,
mean of 4 replicates with the 95 % t interval: PUCB without noise (exact counts, E = 0), with noise
(tight, the darker the larger epsilon), and UBEV, whose bonuses are smaller. Right: for a run
planned for T episodes of an MDP of this size (S = 3, A = 2, H = 3, beta = 0.1), the terms of a
regret bound that are privacy's (noise and start) over all others, in the same shades, for the sum
behind theorem 4 and for the proved bound (corrected). Below 1 privacy is the smaller part; the line
at 10^8 is where the runs end."""
ALT = """Two log-log panels. Left, regret against episodes: PUCB at epsilon 1, 10 and 100 from top
to bottom, each following uniform play and then bending below it; PUCB without noise below them, and
UBEV lowest. Right, six falling lines, three for theorem 4's sum and three lower ones for the proved
bound: at T = 10^8 all are above 1 but the proved one at epsilon 100; theirs cross 1 between 2 times
10^7 and 6 times 10^13."""
SHADES = dict(zip(regret.EPSILONS, ("#8fd9c3", style.COLOURS["tight"], "#014d38"), strict=True))
FIRST = 10**3
PLANS = [regret.WITHOUT_NOISE]
recompute = partial(runs.recompute, PLANS)  # a quarter of an hour, resumable


def privacy_over_rest(line: str, episodes: int, epsilon: float) -> float:
    """Noise and start over all other terms, in theorem 4's sum or in the proved bound (noise of
    ``corrected``)."""
    if line == "theorem-4":
        terms = bounds.theorem_4_terms(*regret.SIZE, episodes, epsilon, regret.BETA).as_dict()
    else:
        width = proved.width(*regret.SIZE, episodes, epsilon, regret.BETA)
        terms = proved.best_regret_terms(*regret.SIZE, episodes, width, regret.BETA)[0].as_dict()
    private = terms["noise"] + terms["start"]
    return private / (terms["total"] - private)


def tables(folder: Path = TABLES) -> Tables:
    """``runs``: mean and band; ``shares``: privacy's terms over the rest, by T; ``crossings``:
    where it is 1."""
    marks = np.array(sorted({round(10 ** (k / 10)) for k in range(30, 81)}))
    private = [
        run for run in regret.long_runs(folder) if run.agent == "ubev" or run.calibration == "tight"
    ]
    cases = [(line, epsilon) for line in ("theorem-4", "proved") for epsilon in regret.EPSILONS]
    shares = [
        (line, epsilon, 10.0 ** (k / 4), privacy_over_rest(line, round(10 ** (k / 4)), epsilon))
        for line, epsilon in cases
        for k in range(12, 65)
    ]
    return {
        "runs": curves(
            (*private, regret.run_without_noise(folder)), marks, "agent counter epsilon"
        ),
        "shares": frame(shares, "line epsilon episodes ratio"),
        "crossings": frame(
            [
                (
                    line,
                    epsilon,
                    proved.last_crossing(partial(privacy_over_rest, line, epsilon=epsilon)),
                )
                for line, epsilon in cases
            ],
            "line epsilon episodes",
        ),
    }


def draw(tables: Tables) -> Figure:
    figure, ((left_axes, right_axes),) = style.figure(3.5, 1, 2)
    marks = np.array([FIRST, regret.PLANNED])
    left_axes.plot(
        marks,
        marks * references(regret.ENTRY)["uniform"],
        color=style.GREY,
        linestyle=style.LINES["uniform"],
        label="uniform play",
        linewidth=1,
    )
    looks: dict[Any, Look] = {
        ("pucb", "tree", epsilon): (shade, "-", f"PUCB, ε = {epsilon:g}")
        for epsilon, shade in SHADES.items()
    }
    looks |= {
        ("pucb", "none", np.inf): (style.COLOURS["base"], "-", "PUCB, no noise"),
        ("ubev", "none", np.inf): (style.COLOURS["base"], style.LINES["ubev"], "UBEV, no privacy"),
    }
    draw_lines(
        left_axes, tables["runs"], "agent counter epsilon", "episodes", "regret", looks, band=True
    )
    left_axes.set(
        xscale="log",
        yscale="log",
        xlim=(FIRST, regret.PLANNED),
        ylim=(1e2, 3e7),
        xlabel="episodes",
        ylabel="regret",
    )
    right_axes.axhline(1, color=style.GREY, linewidth=0.8)
    right_axes.axvline(regret.PLANNED, color=style.GREY, linewidth=0.8, linestyle=(0, (2, 2)))
    kinds = {
        "theorem-4": (style.LINES["bound"], "the sum behind theorem 4"),
        "proved": (style.LINES["proved"], "proved bound"),
    }
    looks = {
        (line, epsilon): (shade, dash, word if epsilon == regret.EPSILONS[-1] else None)
        for line, (dash, word) in kinds.items()
        for epsilon, shade in SHADES.items()
    }
    draw_lines(
        right_axes, tables["shares"], "line epsilon", "episodes", "ratio", looks, linewidth=1.1
    )
    right_axes.set(
        xscale="log",
        yscale="log",
        xlim=(FIRST, 1e16),
        ylim=(1e-4, 1e5),
        xlabel="T, planned episodes",
        ylabel="privacy's terms / all others",
        xticks=[1e4, 1e8, 1e12, 1e16],
    )
    name_lines(left_axes, {"uniform play": (3e5, 26)})
    return legend_below(figure, [left_axes, right_axes], 3)
