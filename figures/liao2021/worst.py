"""Where K^(3/4) shows: the largest regret over a family of mixtures, one plan for every K."""

from math import inf

import numpy as np

from figures import linear_runs as lr
from figures import style
from figures.kinds.lines import Figure, draw_line, draw_marks, legend_below, single
from figures.kinds.tables import TABLES, Path, Tables, frame
from figures.linear_runs import Direct
from privrl.agents.linear.ldp_ucrl_vtr import LDPUCRLVTR
from privrl.agents.linear.ucrl_vtr import UCRLVTR
from privrl.environments.mixtures import mixture

ID = "liao2021_worst"
GAPS = (0.4, 0.2, 0.1, 0.05, 0.025, 0.0125)  # weight of the right base model minus 1/2
NAMED = 0.1  # the gap whose play without an agent is drawn
EPISODES = (10**3, 10**4, 10**5, 10**6)
EPSILON, DELTA, ALPHA = 100.0, 0.1, 0.01
REPLICATES = 32
MESSAGE = "The power 3/4 is for the worst MDP at each K; on one MDP regret slows down"
CAPTION = """The power 3/4 of theorem 5.2 is for the worst MDP at each K; on one MDP regret grows
ever more slowly. Regret at the planned end K of LDP-UCRL-VTR (tight, epsilon = 100, delta = 0.1) on
mixtures whose right base model has weight 1/2 + g: thin lines, one g each; thick: the largest over
the g tried, with the 95 % t interval of that setting. On one MDP a gap decides, towards the slope
1/2 that a bonus of order k^(1/4) allows. Dashed black: the same for UCRL-VTR with widths that
cover; at the largest K its worst gap is smaller than those tried. Grey: play without an agent at g
= 0.1."""
ALT = """Log-log plot of regret against planned episodes from a thousand to a million: thin lines
for six gaps bend downwards; their upper envelope runs parallel to a guide of slope three quarters;
the base's envelope lies far below and is flatter."""


def sources() -> list[Direct]:
    """Every run: agent by K by gap."""
    sources_ = []
    for planned in EPISODES:
        for gap in GAPS:
            mdp = mixture(scaled=True, weight=0.5 + gap)
            private = LDPUCRLVTR(epsilon=EPSILON, delta=DELTA, alpha=ALPHA, calibration="tight")
            sources_ += [
                Direct(mdp, agent, planned, REPLICATES)
                for agent in (private, UCRLVTR(alpha=ALPHA, calibration="tight"))
            ]
    return sources_


def recompute(path: Path, jobs: int = 1) -> None:
    """Run again: some five minutes."""
    lr.recompute(sources(), path, jobs, EPISODES)


def tables(folder: Path = TABLES) -> Tables:
    """``runs``: regret at the planned end; ``worst``: its largest over gaps; ``lines``; ``slopes``,
    per decade."""
    rows, gaps = [], {mixture(scaled=True, weight=0.5 + gap).name: gap for gap in GAPS}
    for label, setting_rows in lr.settings(lr.read(ID, folder)):
        rows.append(
            (
                label["agent"],
                gaps[str(label["id"])],
                label["planned"],
                *style.spread(setting_rows[str(label["planned"])]),
            )
        )
    runs = frame(rows, "agent gap planned regret low high")
    worst = runs.loc[runs.groupby(["agent", "planned"])["regret"].idxmax()].sort_values(
        ["agent", "planned"]
    )
    slopes = []
    for agent, setting_rows in worst.groupby("agent"):
        values = setting_rows["regret"].to_numpy()
        slopes += [
            (agent, inf, end, float(np.log10(values[i + 1] / values[i])))
            for i, end in enumerate(setting_rows["planned"].iloc[1:])
        ]
    for (agent, gap), setting_rows in runs.groupby(["agent", "gap"]):
        values = setting_rows.sort_values("planned")["regret"].to_numpy()
        slopes.append((agent, gap, EPISODES[-1], float(np.log10(values[-1] / values[-2]))))
    rates = lr.without_agent(mixture(scaled=True, weight=0.5 + NAMED).tabular())
    lines = [
        (name, mark, rates[name] * mark)
        for name in ("uniform", "constant", "blind")
        for mark in EPISODES
    ]
    return {
        "runs": runs,
        "worst": worst.reset_index(drop=True),
        "lines": frame(lines, "line planned regret"),
        "slopes": frame(slopes, "agent gap planned slope"),
    }


def draw(tables: Tables) -> Figure:
    figure, axes = single(4.0)
    colours = {"ldp-ucrl-vtr": style.COLOURS["tight"], "ucrl-vtr": style.COLOURS["base"]}
    words = {
        "ldp-ucrl-vtr": f"LDP-UCRL-VTR, tight, ε = {EPSILON:g}",
        "ucrl-vtr": "UCRL-VTR, tight widths",
    }
    for (agent, gap), rows in tables["runs"].sort_values("planned").groupby(["agent", "gap"]):
        draw_line(axes, rows, "planned", "regret", colours[agent], linewidth=0.6, alpha=0.7)
        if agent == "ldp-ucrl-vtr":
            axes.annotate(
                f"g = {gap:g}",
                (rows["planned"].iloc[0], rows["regret"].iloc[0]),
                (-4, {0.4: 6, 0.2: -1, 0.1: -2}.get(float(gap), 0)),
                textcoords="offset points",
                fontsize=7,
                ha="right",
                color=colours[agent],
                va="center",
            )
    for agent, rows in tables["worst"].groupby("agent"):
        draw_marks(
            axes,
            rows["planned"],
            rows,
            "regret",
            colours[agent],
            fmt="",
            linewidth=2,
            elinewidth=2,
            capsize=2,
            linestyle="-" if agent == "ldp-ucrl-vtr" else (0, (5, 1.5)),
            label=f"{words[agent]}, worst g",
        )
    for name, rows in tables["lines"].groupby("line", sort=False):
        draw_line(
            axes,
            rows,
            "planned",
            "regret",
            style.GREY,
            lr.REFERENCES[name],
            f"{lr.WORDS[name]}, g = {NAMED:g}",
            linewidth=0.9,
        )
    style.guide(axes, 0.75, (1.1e5, 380.0), 5e5, "slope 3/4")
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="K, planned and played",
        ylabel="regret at K",
        xlim=(3.2e2, 1.5e6),
    )
    return legend_below(figure, axes, 2)
