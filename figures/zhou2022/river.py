"""The relabelled river for comparison: what 10^5 episodes teach the agents of zhou2022 there,
private and not."""

from functools import partial

from figures import runs, style
from figures.kinds.lines import Axes, Legend, draw_levels, draw_lines, panels
from figures.kinds.tables import TABLES, Path, Tables, curves, decades, frame, where
from figures.linear_runs import references
from figures.zhou2022.regret import AGENTS, SHORT
from privrl.run import measure
from privrl.run.sweep import RunPlan

ID = "zhou2022_river"
ENTRY = "zhou2022/riverswim-3-relabelled"
PLANNED, REPLICATES, EPSILON = 10**5, 32, 100.0
DRAWN_CALIBRATIONS = ("printed", "tight")
PRIVATE = AGENTS[:1]
PLANS: list[RunPlan] = [
    *(
        RunPlan(
            ENTRY,
            agent=agent,
            counter="tree",
            calibration=calibration,
            epsilon=EPSILON,
            episodes=PLANNED,
            replicates=REPLICATES,
        )
        for agent in PRIVATE
        for calibration in DRAWN_CALIBRATIONS
    ),
    *(
        RunPlan(
            ENTRY,
            agent=agent,
            counter="none",
            calibration=calibration,
            episodes=PLANNED,
            replicates=REPLICATES,
        )
        for agent in AGENTS
        for calibration in DRAWN_CALIBRATIONS
    ),
]
MESSAGE = "Within 100,000 episodes private value iteration hardly learns on the river"
CAPTION = """Within 10^5 episodes private value iteration hardly learns on a river of dimension 18.
Regret on riverswim-3-relabelled (S = 3, A = 2, H = 6, one-hot features, d_1 = 18, d_2 = 6), K =
10^5 planned episodes, over that of uniform play; mean of 32 replicates with the 95 % t interval.
Without privacy tight widths learn and the printed ones begin to; with trees at epsilon = 100 (value
iteration) the tight agent begins to, and the printed one plays as if it knew nothing. Private
policy optimisation was not run. The lower dotted line is the best constant action. So the mixture
of two base models is where private learning can be watched."""
ALT = """Two panels, value iteration and policy optimisation. The printed private line stays at 1,
the tight one bends to 0.83 at the end; without privacy the tight line falls from a thousand
episodes on, the printed one only near the end."""
recompute = partial(runs.recompute, PLANS)  # a minute or two; resumable
long_runs = partial(runs.read, ID)  # The runs on the river, in the order of ``PLANS``


def tables(folder: Path = TABLES) -> Tables:
    """``runs``: cumulative regret; ``ends``: over the last fifth, over uniform play's;
    ``lines``."""
    runs, rates = long_runs(folder), references(ENTRY)
    ends = [
        (
            run.agent,
            run.counter,
            run.calibration,
            run.epsilon,
            measure.windows(run.episodes, run.regret)[1][:, -1].mean() / rates["uniform"],
        )
        for run in runs
    ]
    return {
        "runs": curves(runs, decades(5), "agent counter calibration epsilon"),
        "ends": frame(ends, "agent counter calibration epsilon ratio"),
        "lines": frame([(name, rates[name]) for name in ("uniform", "constant")], "line regret"),
    }


def _panel(tables: Tables, axes: Axes, agent: str) -> None:
    rates = tables["lines"].set_index("line")["regret"]
    rows = where(tables["runs"], agent=agent)
    share = rows[["regret", "low", "high"]].div(rows["episodes"] * rates["uniform"], axis=0)
    looks = {
        (counter, name): (style.COLOURS[name], dash, f"{words}, {name}")
        for counter, dash, words in (
            ("none", style.LINES["ubev"], "no privacy"),
            ("tree", "-", f"ε = {EPSILON:g}"),
        )
        for name in DRAWN_CALIBRATIONS
    }
    draw_lines(
        axes, rows.assign(**share), "counter calibration", "episodes", "regret", looks, band=True
    )
    draw_levels(
        axes,
        [
            (level, (0, (1, 1.5)), None)
            for level in (1.0, float(rates["constant"] / rates["uniform"]))
        ],
        linewidth=0.8,
        zorder=1,
    )
    for level, words in (
        (1.0, "uniform play"),
        (rates["constant"] / rates["uniform"], "one action"),
    ):
        axes.text(13, level - 0.015, words, va="top", fontsize=7, color=style.GREY)
    axes.set(
        xscale="log",
        title=f"{SHORT[agent]}{'' if agent in PRIVATE else ', without privacy only'}",
        xlim=(10, PLANNED),
        ylim=(0, 1.1),
    )


draw = panels(
    _panel,
    height=2.9,
    keys=[AGENTS],
    ylabels=["regret / uniform play's"],
    xlabel="episodes",
    legend=Legend(4),
    sharex=False,
)
