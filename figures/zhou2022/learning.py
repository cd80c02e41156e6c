"""When Private-LinOpt-VI and -PO start to learn: mean regret per episode, window by window, against uniform play's."""

from collections.abc import Callable

from figures import style
from figures.kinds import learning as kind
from figures.kinds.lines import Axes, Figure, panels
from figures.kinds.tables import TABLES, Path, Tables
from figures.zhou2022.regret import AGENTS, CALIBRATIONS, ENTRY, EPSILONS, PLANNED, SHORT, long_runs, references
from privrl.environments import suite
from privrl.types import Run

ID = "zhou2022_learning"
CAPTION = """All private runs learn but rest on the way, where the rewards are known and no transition is. Mean regret
per episode, divided by uniform play's, over the last tenth of what has been played (the last fifth where checkpoints
are sparse), for the runs of `zhou2022_regret`; bands are 95 % t intervals of the mean of 4 replicates. An agent has
learnt from the window on whose interval, and every later one, lies at or below one half: a triangle marks where that
window begins. The dotted line at 0.64 is play that knows the rewards of the last step and no transition: private runs
rest there, because the noise of the rewards is smaller."""
ALT = """Six panels, value iteration above policy optimisation, epsilon 1, 10 and 100: the ratio to uniform play's
regret falls from 1, rests for a while near two thirds, and falls towards 0; tight first, then corrected, then printed,
and earlier for larger epsilon. The bases fall long before."""
FIRST = 10


def tables_of(found: tuple[Run, ...]) -> Tables:
    """Windows and burn-ins of runs on the mixture."""
    return kind.tables(found, suite.tabular(ENTRY), "agent counter calibration epsilon")


def tables(folder: Path = TABLES) -> Tables:
    """See :func:`figures.kinds.learning.tables`."""
    return tables_of(long_runs(folder))


def draw(tables: Tables) -> Figure:
    return draw_rows(tables, lambda epsilon: [
        *(({"counter": "tree", "calibration": name, "epsilon": epsilon}, style.COLOURS[name], "-", f"private, {name}")
          for name in CALIBRATIONS),
        ({"counter": "none"}, style.COLOURS["base"], style.LINES["ubev"], "no privacy, printed")])


def draw_rows(tables: Tables, shown: Callable[[float], list[kind.Shown]]) -> Figure:
    """A row per agent with a panel per epsilon, in each the lines that ``shown`` gives."""
    levels = {1.0: style.LINES["uniform"], references()["blind"] / references()["uniform"]: (0, (1, 2))}

    def panel(axes: Axes, agent: str, epsilon: float) -> None:
        kind.draw(axes, tables, levels, [(values | {"agent": agent}, *look) for values, *look in shown(epsilon)], FIRST,
                  PLANNED)
        axes.set_xticks([1e2, 1e4, 1e6])
        if agent == AGENTS[0]:
            axes.set_title(f"ε = {epsilon:g}")

    labels = [f"{SHORT[agent]}: regret / uniform play's" for agent in AGENTS]
    return panels(panel, 4.6, [AGENTS, EPSILONS], labels, "window begins after episode", 4)
