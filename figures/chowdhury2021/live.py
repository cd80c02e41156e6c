"""Private-OFU-RL, OFU-RL and the certainty-equivalent controllers live: the first 10^5 episodes of
the long runs."""

from functools import cache
from math import inf

from figures import style
from figures.chowdhury2021.regret import ENTRY, PLANS, environment, references
from figures.kinds.lines import Figure, draw_levels, draw_lines, legend_below, name_lines, single
from figures.kinds.tables import TABLES, Path, Tables, curves, decades, frame
from privrl.agents.lq.ofu_rl import OFURL
from privrl.run import simulate
from privrl.types import Run

EPISODES = 10**5
MESSAGE = "Within 100,000 episodes the private agent at ε = 1 plays nothing but 0"
CAPTION = """Within 10^5 episodes the private agent at epsilon = 1 has played nothing but 0. Exact
regret over the first 10^5 episodes of the long runs in the scalar system, as a share of what u = 0
loses; one replicate each, planned as in `chowdhury2021_regret`. Without noise the
certainty-equivalent controller stays at u = 0: the first estimate is 0, and a control of 0 teaches
nothing about b. With noise the counters move it. Agents may lose more than u = 0 for a while:
optimism, or the noise, acts on a wrong sign of b."""
ALT = """One panel of regret over that of u = 0 against episodes up to 10^5 on a log axis. The
certainty-equivalent controller and the private agent at epsilon 1 are the line 1. The private
agents at epsilon 100 and 1000 rise a little above 1 and then fall, the latter to about 0.3; OFU-RL
rises for a moment after twenty episodes and falls to 0.03. The private certainty-equivalent run at
epsilon 10 stays near 1; the one at 1000 falls to two thirds at the end."""


@cache
def live_runs() -> tuple[Run, ...]:
    """The first 10^5 episodes of every plan shown, first replicate, and the certainty-equivalent
    base; seconds."""
    system = environment()
    plans = {(plan.algorithm, plan.calibration, plan.build_agent().epsilon): plan for plan in PLANS}
    runs = [
        simulate.run(
            ENTRY,
            system,
            plan.build_agent(),
            episodes=plan.planned,
            stop_after=EPISODES,
            seed=plan.seed,
        )
        for plan in (plans[kind] for kind in SHOWN if kind in plans)
    ]
    certain = OFURL(planner="certainty-equivalent")
    return (*runs, simulate.run(ENTRY, system, certain, episodes=EPISODES))


def tables(folder: Path = TABLES) -> Tables:
    """``runs``: regret at some forty checkpoints; ``lines``: without an agent, at the end."""
    marks = decades(5, *range(EPISODES // 5, EPISODES + 1, EPISODES // 5))
    lines = [(name, EPISODES, references()[name] * EPISODES) for name in ("zero", "constant")]
    curves_ = curves(live_runs(), marks, "agent calibration epsilon").drop(columns=["low", "high"])
    return {"runs": curves_, "lines": frame(lines, "line episodes regret")}


SHOWN = {
    ("private-ofu-rl", "tight", 1.0): (style.COLOURS["tight"], "-", "private, tight, ε = 1"),
    ("private-ofu-rl", "printed", 100.0): (
        style.COLOURS["printed"],
        (0, (2, 1)),
        "private, printed, ε = 100",
    ),
    ("private-ofu-rl", "printed", 1000.0): (
        style.COLOURS["printed"],
        "-",
        "private, printed, ε = 1000",
    ),
    ("private-ce", "tight", 10.0): (style.PALETTE[5], (0, (2, 1)), "private CE, tight, ε = 10"),
    ("private-ce", "tight", 1000.0): (style.PALETTE[5], "-", "private CE, tight, ε = 1000"),
    ("ce", "printed", inf): (style.COLOURS["other"], (0, (5, 2)), "CE, no privacy"),
    ("ofu-rl", "printed", inf): (style.COLOURS["base"], style.LINES["ubev"], "OFU-RL, no privacy"),
}


def draw(tables: Tables) -> Figure:
    figure, axes = single(3.9)
    ends = tables["lines"].set_index("line")["regret"]
    draw_levels(axes, [(1, style.LINES["uniform"], "u = 0")], linewidth=2.4)
    draw_levels(
        axes,
        [(float(ends["constant"] / ends["zero"]), style.LINES["constant"], "best constant gain")],
    )
    runs = tables["runs"]
    draw_lines(
        axes,
        runs.assign(share=runs["regret"] / (runs["episodes"] * float(ends["zero"]) / EPISODES)),
        "agent calibration epsilon",
        "episodes",
        "share",
        SHOWN,
    )
    axes.set(
        xscale="log",
        xlabel="episodes",
        ylabel="regret / regret of u = 0",
        xlim=(1, EPISODES),
        ylim=(0, 1.4),
    )
    name_lines(axes, {"u = 0": (4, 4), "best constant gain": (4, 2)})
    return legend_below(figure, axes, 2)
