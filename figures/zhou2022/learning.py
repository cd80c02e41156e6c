"""When Private-LinOpt-VI and -PO start to learn: mean regret per episode, window by window, against
uniform play's."""

from collections.abc import Callable
from functools import partial
from typing import Any

from figures import learnt, style
from figures.kinds import learning as kind
from figures.kinds.lines import Axes, Figure, Legend, Look, panels, proxy
from figures.kinds.tables import TABLES, Path, Tables, where
from figures.zhou2022.regret import (
    AGENTS,
    ENTRY,
    EPSILONS,
    KEYS,
    PLANNED,
    SHORT,
    long_runs,
    looks,
    references,
)
from privrl.environments import suite
from privrl.run import measure
from privrl.types import Run

PAPER = "zhou2022"
ID = learnt.table_name(PAPER)
MESSAGE = "All private runs learn, but rest where only the rewards are known"
CAPTION = """All private runs learn but rest on the way, where the rewards are known and no
transition is. Mean regret per user, divided by uniform play's, over the last fifth of what has been
played, at the user in its middle (docs/measure.md): median and range of the 4 replicates of
`zhou2022_regret`. A replicate has learnt from the user on from which its share stays at or below
one half: triangles mark the median of 32 replicates that end once they have learnt, bars its 95 %
interval. The dotted line at 0.64 is play that knows the rewards of the last step and no transition:
private runs rest there, because the noise of the rewards is smaller."""
ALT = """Six panels, value iteration above policy optimisation, epsilon 1, 10 and 100: the ratio to
uniform play's regret falls from 1, rests for a while near two thirds, and falls towards 0; tight
first, then corrected, then printed, and earlier for larger epsilon. The bases fall long before."""
FIRST = 10
recompute = partial(learnt.recompute, PAPER)  # users before learning, resumable


def tables_of(runs: tuple[Run, ...], folder: Path = TABLES) -> Tables:
    return kind.tables(runs, suite.tabular(ENTRY), "agent counter calibration epsilon", folder)


def tables(folder: Path = TABLES) -> Tables:
    return tables_of(long_runs(folder), folder)


def rows(
    looks: Callable[[float], dict[Any, Look]], first: int = FIRST
) -> Callable[[Tables], Figure]:
    """``draw`` with a row per agent and a panel per epsilon, in each the lines that ``shown`` gives
    by ``KEYS``."""

    def panel(tables: Tables, axes: Axes, agent: str, epsilon: float) -> None:
        levels = {
            1.0: style.LINES["uniform"],
            references()["blind"] / references()["uniform"]: (0, (1, 2)),
        }
        kind.draw(
            axes,
            {name: where(table, agent=agent) for name, table in tables.items()},
            levels,
            KEYS,
            looks(epsilon),
            first,
            PLANNED,
        )
        axes.set_xticks([tick for tick in (1e2, 1e4, 1e6) if tick >= first])
        if (agent, epsilon) == (AGENTS[1], EPSILONS[0]):
            proxy(axes, "learnt from here on", marker="v", color=style.GREY)
            words = ("uniform play", "rewards known", "half: learns")
            for level, name in zip((*levels, measure.SHARE), words, strict=True):
                above = 1 if name == "uniform play" else -1
                axes.annotate(
                    name,
                    (0.008, level),
                    (0, above),
                    xycoords=axes.get_yaxis_transform(),
                    textcoords="offset points",
                    va="bottom" if above > 0 else "top",
                    fontsize=7,
                    color=style.GREY,
                )
        if agent == AGENTS[0]:
            axes.set_title(f"ε = {epsilon:g}")

    labels = [f"{SHORT[agent]}: regret / uniform play's" for agent in AGENTS]
    return panels(
        panel,
        height=4.6,
        keys=[AGENTS, EPSILONS],
        ylabels=labels,
        xlabel="user",
        legend=Legend(3, (3,)),
    )


draw = rows(looks)
