"""Lower bounds on hard MDPs of growing n, m and H: regret and PAC counts of UBEV and PUCB above the
explicit bounds."""

from functools import cache, partial
from math import inf
from typing import cast

import numpy as np

from figures import counting, linear_runs, style
from figures.counting import CountedRun
from figures.kinds.lines import Axes, Legend, panels
from figures.kinds.tables import TABLES, Path, Tables, frame, where
from figures.vietri2020 import pac
from privrl.agents.tabular.pucb import PUCB
from privrl.agents.tabular.ubev import UBEV
from privrl.environments import hard_mdp
from privrl.types import TabularMDP
from theory.papers.vietri2020.bounds import stated as bounds

Size = tuple[int, int, int]  # n, m, H: S = n + 2, A = m + 1
ID = "vietri2020_lower"
GAP = 0.2  # alpha'
BETA = 0.1
PLANNED = 10**6
REPLICATES = 3
EPSILONS = (0.01, 100.0)  # so small that privacy decides the bound, and so large that PUCB learns
BASE: Size = (2, 2, 3)  # the suite's hard-2-2
GROWING: dict[str, tuple[int, ...]] = {"n": (1, 2, 4, 8), "m": (1, 2, 4, 8), "H": (1, 2, 3, 4, 8)}
MESSAGE = "Every agent lies above its lower bound, and the bounds say little"
CAPTION = """Every agent lies above its lower bound, and the bounds say little. UBEV and PUCB
(corrected) on hard MDPs, alpha' = 0.2, best arms I_s = s mod (m + 1), T = 10^6; one of n = 2, m =
2, H = 3 grows. Above: regret; below: episodes that lose more than alpha = H alpha'/20; means of 3
replicates with the 95 % t interval. Dotted: theorems 6 and 5 as corrected, for agents whose
policies together are private at epsilon = 0.01 (they bind PUCB) and without privacy (at epsilon =
100 the same). Dashed, below: the last line of theorem 5's proof. At n = m = 2, H = 3 the corrected
count is below one episode without privacy. Where n = 1 the best constant action is optimal and its
line missing."""
ALT = """Two rows of three log-log panels, over n, m and H. Regret and counts of PUCB at epsilon
0.01 coincide with uniform play's; those of PUCB at epsilon 100 lie up to a factor of ten below and
approach them as the size grows; UBEV is lowest. The dotted lower bounds lie below their agents, by
factors from ten to some hundred thousand."""


def sizes(which: str) -> list[Size]:
    """Sizes of a column of the figure: n, m or H grows."""
    return [
        cast(
            Size,
            tuple(
                value if letter == which else fixed
                for letter, fixed in zip("nmH", BASE, strict=True)
            ),
        )
        for value in GROWING[which]
    ]


def all_sizes() -> list[Size]:
    """Every size once."""
    return list(dict.fromkeys(size for which in GROWING for size in sizes(which)))


def name(size: Size) -> str:
    """``n-m-H``, as the table calls a size."""
    return "-".join(map(str, size))


@cache
def instance(size: Size) -> TabularMDP:
    """The hard MDP with best arms I_s = s mod (m + 1), s = 1..n: no arm is best in all states where
    n, m > 1."""
    n, m, horizon = size
    return hard_mdp(n, m, GAP, [s % (m + 1) for s in range(1, n + 1)], horizon)


def alpha_of(horizon: int) -> float:
    """The alpha at which `lower_count` speaks of MDPs with gap alpha': H alpha'/20, a tenth of the
    states wrong."""
    return horizon * GAP / 20


def cases() -> list[CountedRun]:
    agents: list[counting.CountingAgent] = [UBEV(BETA)]
    agents += [PUCB(epsilon, 0.0, BETA, "tree", "corrected") for epsilon in EPSILONS]
    return [
        CountedRun(
            name(size), instance(size), agent, PLANNED, replicate, (alpha_of(size[2]) * 1.0000001,)
        )
        for size in all_sizes()
        for agent in agents
        for replicate in range(REPLICATES)
    ]


recompute = partial(counting.recompute, cases)  # ten minutes; resumable


def without_agent(size: Size) -> dict[str, tuple[float, float]]:
    """(regret, episodes that lose more than alpha) of uniform play and of the best constant
    action."""
    return {
        who: (max(loss, 0.0) * PLANNED, float(PLANNED * (loss > alpha_of(size[2]) * 1.0000001)))
        for who, loss in linear_runs.without_agent(instance(size)).items()
        if who in ("uniform", "constant")
    }


def tables(folder: Path = TABLES) -> Tables:
    """``runs``: regret and counts with bands; ``bounds``: lower bounds and baselines by size."""
    run_rows, lines = [], []
    for key, rows in counting.read(ID, folder).groupby(["setting", "agent", "epsilon"], sort=False):
        for quantity in ("regret", "episodes"):
            mean, low, high = style.spread(rows[quantity])
            run_rows.append((*key, quantity, mean, max(low, 0.0), high))
    for size in all_sizes():
        known, alpha = (size[0] + 2, size[1] + 1, size[2]), alpha_of(size[2])  # S, A, H
        for epsilon in (EPSILONS[0], inf):
            lines += [
                (
                    name(size),
                    f"lower-{epsilon:g}",
                    "regret",  # theorem 6 as corrected
                    bounds.lower_regret(*known, PLANNED, epsilon, gap=GAP),
                ),
                (name(size), f"lower-{epsilon:g}", "episodes", pac.lower(known, epsilon, alpha)),
            ]
        lines += [
            (name(size), f"theorem-5-{epsilon:g}", "episodes", pac.theorem_5(known, epsilon, alpha))
            for epsilon in EPSILONS
        ]
        alone = {
            "trivial": (bounds.trivial_regret(size[2], PLANNED), float(PLANNED)),
            **without_agent(size),
        }
        for who, (regret, episodes) in alone.items():
            lines += [(name(size), who, "regret", regret), (name(size), who, "episodes", episodes)]
    return {
        "runs": frame(run_rows, "setting agent epsilon what mean low high"),
        "bounds": frame(lines, "setting line what value"),
    }


PRIVATE, PLAIN = style.COLOURS["corrected"], style.COLOURS["base"]
AGENTS = (
    (0.01, "pucb", PRIVATE, "s", "PUCB, ε = 0.01"),
    (100.0, "pucb", style.COLOURS["tight"], "D", "PUCB, ε = 100"),
    (inf, "ubev", PLAIN, "x", "UBEV, no privacy"),
)
LINES = {
    "trivial": (style.GREY, "-", "H T, or T"),
    "uniform": (style.GREY, style.LINES["uniform"], "uniform play, one action"),
    "constant": (style.GREY, style.LINES["constant"], None),
    "lower-0.01": (PRIVATE, style.LINES["lower"], "lower bound, ε = 0.01"),
    "lower-inf": (PLAIN, style.LINES["lower"], "lower bound, no privacy (or ε = 100)"),
    "theorem-5-0.01": (PRIVATE, style.LINES["bound"], "end of theorem 5's proof, ε = 0.01"),
    "theorem-5-100": (
        style.COLOURS["tight"],
        style.LINES["bound"],
        "end of theorem 5's proof, ε = 100",
    ),
}


def _panel(tables: Tables, axes: Axes, quantity: str, which: str) -> None:
    order = [name(size) for size in sizes(which)]
    at = np.array(GROWING[which])
    for line, (colour, dash, label) in LINES.items():
        rows = where(tables["bounds"], line=line, what=quantity)
        if len(rows):
            values = rows.set_index("setting").loc[order, "value"].to_numpy()
            positive_values = np.where(values > 0, values, np.nan)
            axes.plot(at, positive_values, color=colour, linestyle=dash, label=label, linewidth=1.1)
    for epsilon, agent, colour, shape, label in AGENTS:
        rows = (
            where(tables["runs"], agent=agent, epsilon=epsilon, what=quantity)
            .set_index("setting")
            .loc[order]
        )
        axes.plot(
            at, rows["mean"], color=colour, marker=shape, markersize=3.5, linewidth=0.9, label=label
        )
        style.draw_band(axes, at, np.maximum(rows["low"], 1e-9), rows["high"], colour)
    if quantity == "episodes":
        axes.axhline(1, color="#c0c0c0", linewidth=0.7, zorder=1)
        axes.text(at[0], 1.2, "one episode", fontsize=7, color=style.GREY, va="bottom")
        axes.set_xlabel(which)
    else:
        axes.set_title(
            ", ".join(
                f"{letter} = {value}"
                for letter, value in zip("nmH", BASE, strict=True)
                if letter != which
            )
        )
    axes.set(
        xscale="log",
        yscale="log",
        xticks=at,
        ylim=(10, 3e7) if quantity == "regret" else (1e-3, 1e7),
    )
    axes.set_xticklabels([str(value) for value in at])
    axes.minorticks_off()


draw = panels(
    _panel,
    height=5.6,
    keys=[("regret", "episodes"), tuple(GROWING)],
    ylabels=["regret", "episodes that lose more than $\\alpha$"],
    legend=Legend(
        2, (3,), names={"H T, or T": (0, 2.8, 2), "uniform play, one action": (0, 2.8, 3)}
    ),
    sharex="col",
    sharey="row",
)
