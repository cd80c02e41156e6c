"""Private-LinOpt-VI, Private-LinOpt-PO and their bases live: the first 10^5 episodes of the runs of
zhou2022_regret."""

from functools import cache
from math import inf

import numpy as np
import pandas as pd

from figures import style
from figures.kinds.lines import Axes, draw_curve, panels
from figures.kinds.tables import TABLES, Path, Tables, curves, frame, pick, where
from figures.zhou2022.regret import AGENTS, ENTRY, KEYS, PLANNED, PLANS, SHORT, references
from privrl.environments import suite
from privrl.run import simulate
from privrl.types import Run

EPISODES = 10**5
REPLICATES = 2
SHOWN = {
    ("none", "printed", inf): (style.COLOURS["base"], style.LINES["ubev"], "no privacy"),
    ("tree", "printed", 1.0): (style.COLOURS["printed"], "-", "printed, ε = 1"),
    ("tree", "printed", 100.0): (style.COLOURS["printed"], (0, (2, 1)), "printed, ε = 100"),
    ("tree", "tight", 1.0): (style.COLOURS["tight"], "-", "tight, ε = 1"),
}
MESSAGE = "Within 100,000 episodes at ε = 1 tight agents learn, printed ones do not"
CAPTION = """Within 10^5 episodes at epsilon = 1 the tight agents learn and the printed ones do not.
Exact regret over the first 10^5 of 10^6 planned episodes on mixture-2, value iteration (left) and
policy optimisation (right); mean and range of 2 replicates, the first two of `zhou2022_regret`. At
epsilon = 1 the agents as printed have learnt at most the rewards of the last step by then; `tight`
ones, with the same privacy, lose less than a third of what uniform play loses by then."""
ALT = """Two panels of regret against episodes up to 10^5. The base without privacy stays near the
axis, lower for value iteration. The private run at epsilon 1 as printed stays between uniform
play's line and the line of known rewards; the run at epsilon 100 and the tight one at epsilon 1
bend away below."""


@cache
def live_runs() -> tuple[Run, ...]:
    """The first 10^5 episodes of every plan that is shown; a few seconds."""
    mdp, agents = suite.environment(ENTRY), [(plan, plan.build_agent()) for plan in PLANS]
    return tuple(
        simulate.run(
            ENTRY,
            mdp,
            agent,
            episodes=PLANNED,
            stop_after=EPISODES,
            replicates=REPLICATES,
            seed=plan.seed,
        )
        for plan, agent in agents
        if (agent.counter, plan.calibration, agent.epsilon) in SHOWN
    )


def tables(folder: Path = TABLES) -> Tables:
    """``runs``: mean and range at every tenth of a hundredth of a million; ``lines``: without an
    agent, at the end."""
    marks = np.arange(EPISODES // 10, EPISODES + 1, EPISODES // 10)
    lines = [
        (name, EPISODES, references()[name] * EPISODES) for name in ("uniform", "constant", "blind")
    ]
    return {
        "runs": curves(live_runs(), marks, "agent counter calibration epsilon"),
        "lines": frame(lines, "line episodes regret"),
    }


def _panel(tables: Tables, axes: Axes, agent: str) -> None:
    words = {
        "uniform": "uniform play",
        "constant": "best constant action",
        "blind": "rewards known, transitions not",
    }
    for row in tables["lines"].itertuples():
        dash = style.LINES.get(str(row.line), (0, (6, 1.5, 1, 1.5, 1, 1.5)))
        axes.plot(
            [0, row.episodes / 1e3],
            [0, row.regret / 1e3],
            color=style.GREY,
            linewidth=1,
            linestyle=dash,
            label=words[str(row.line)],
        )
    for key, look in SHOWN.items():
        rows = (
            pick(where(tables["runs"], agent=agent), KEYS, key)[
                ["episodes", "regret", "low", "high"]
            ]
            / 1e3
        )
        begun = pd.concat([pd.DataFrame(0.0, index=[0], columns=rows.columns), rows])
        draw_curve(axes, begun, "episodes", "regret", *look)
    axes.set(title=SHORT[agent], xlim=(0, EPISODES / 1e3), ylim=(0, None))


draw = panels(
    _panel,
    height=3.0,
    keys=[AGENTS],
    ylabels=["regret (thousands)"],
    xlabel="episodes (thousands)",
    sharex=False,
)
