"""The relabelled river for comparison: what 10^5 episodes teach the agents of zhou2022 there, private and not."""

from functools import partial

from figures import runs, style
from figures.kinds.lines import Figure, draw_curve, legend_below
from figures.kinds.tables import TABLES, Path, Tables, curves, decades, frame, where
from figures.linear_runs import references
from figures.zhou2022.regret import AGENTS, SHORT
from privrl.run import learning
from privrl.run.sweep import Plan

ID = "zhou2022_river"
ENTRY = "zhou2022/riverswim-3-relabelled"
PLANNED, REPLICATES, EPSILON = 10**5, 3, 100.0
CALIBRATIONS = ("printed", "tight")
PLANS: list[Plan] = [*(Plan(ENTRY, agent=agent, counter="tree", calibration=calibration, epsilon=EPSILON,
                            episodes=PLANNED, replicates=REPLICATES) for agent in AGENTS[:1]
                       for calibration in CALIBRATIONS),
                     *(Plan(ENTRY, agent=agent, counter="none", calibration=calibration, episodes=PLANNED,
                            replicates=REPLICATES) for agent in AGENTS for calibration in CALIBRATIONS)]
CAPTION = """Within 10^5 episodes private agents hardly learn on a river of dimension 18. Regret on
riverswim-3-relabelled (S = 3, A = 2, H = 6, one-hot features, d_1 = 18, d_2 = 6), K = 10^5 planned episodes, over that
of uniform play; mean of 3 replicates with the 95 % t interval. Without privacy tight widths learn and the printed ones
begin to; with trees at epsilon = 100 (value iteration) the tight agent begins to, and the printed one plays as if it
knew nothing. The lower dotted line is the best constant action. So the mixture of two base models is where private
learning can be watched."""
ALT = """Two panels, value iteration and policy optimisation. The printed private line stays at 1, the tight one bends
to 0.83 at the end; without privacy the tight line falls from a thousand episodes on, the printed one only near the
end."""
recompute = partial(runs.recompute, PLANS)  # a minute or two; resumable
long_runs = partial(runs.read, ID)  # The runs on the river, in the order of ``PLANS``


def tables(folder: Path = TABLES) -> Tables:
    """``runs``: cumulative regret; ``ends``: over the last tenth, over uniform play's; ``lines``."""
    found, rates = long_runs(folder), references(ENTRY)
    ends = [(run.agent, run.counter, run.calibration, run.epsilon,
             learning.windows(run.episodes, run.regret, run.planned).regret[:, -1].mean() / rates["uniform"])
            for run in found]
    return {"runs": curves(found, decades(5), "agent counter calibration epsilon"),
            "ends": frame(ends, "agent counter calibration epsilon ratio"),
            "lines": frame([(name, rates[name]) for name in ("uniform", "constant")], "line regret")}


def draw(tables: Tables) -> Figure:
    figure, grid = style.figure(2.9, 1, len(AGENTS), sharey=True)
    rates = tables["lines"].set_index("line")["regret"]
    for axes, agent in zip(grid[0], AGENTS, strict=True):
        for counter, dash in (("none", style.LINES["ubev"]), ("tree", "-")):
            for calibration in CALIBRATIONS:
                rows = where(tables["runs"], agent=agent, counter=counter, calibration=calibration)
                scale = rows["episodes"] * rates["uniform"]
                draw_curve(axes, rows, "episodes", "regret", style.COLOURS[calibration], dash,
                           f"{'no privacy' if counter == 'none' else f'ε = {EPSILON:g}'}, {calibration}", unit=scale)
        for level in (1.0, float(rates["constant"] / rates["uniform"])):
            axes.axhline(level, color=style.GREY, linewidth=0.8, linestyle=(0, (1, 1.5)), zorder=1)
        axes.set(xscale="log", xlabel="episodes", title=f"{SHORT[agent]}, river with H = 6", xlim=(10, PLANNED),
                 ylim=(0, 1.1))
    grid[0, 0].set_ylabel("regret / uniform play's")
    return legend_below(figure, grid[0, 0], 4)
