"""When PUCB starts to learn: mean regret per episode, window by window, against uniform play's."""

from functools import partial

from figures import learnt, style
from figures.kinds import learning as kind
from figures.kinds.lines import Axes, Legend, note, panels
from figures.kinds.tables import TABLES, Path, Tables
from figures.vietri2020.regret import (
    DRAWN_CALIBRATIONS,
    ENTRY,
    EPSILONS,
    KEYS,
    PLANNED,
    long_runs,
    looks,
    vacuous_until,
)
from privrl.environments import suite

PAPER = "vietri2020"
ID = learnt.table_name(PAPER)
MESSAGE = "All private runs learn in the end, earlier for larger ε and tighter constants"
CAPTION = """All private runs learn in the end, the earlier the larger epsilon and the tighter the
constants. Mean regret per user, divided by uniform play's, over the last fifth of what has been
played, at the user in its middle (docs/measure.md): median and range of the replicates of
`vietri2020_regret`. A replicate has learnt from the user on from which its share stays at or below
one half: triangles mark the median of 32 runs that end once they have learnt, of 8 where one takes
more than two seconds (`corrected` and `tight` at epsilon = 1, `printed` and `corrected` at 10),
bars its 95 % interval. Of `printed` at 1 they are the 8 that are drawn. Where the sum behind
theorem 4 is vacuous at 10^8 it says nothing about these runs."""
ALT = """Three panels, epsilon 1, 10 and 100: the ratio to uniform play's regret falls from 1
towards 0, for tight before corrected before printed, and earlier for larger epsilon; the base
without privacy falls long before all of them."""
FIRST = 10**2  # left end of the panels
recompute = partial(learnt.recompute, PAPER)  # users before learning, resumable


def tables(folder: Path = TABLES) -> Tables:
    return kind.tables(long_runs(folder), suite.tabular(ENTRY), KEYS, folder)


def _panel(tables: Tables, axes: Axes, epsilon: float) -> None:
    kind.draw(
        axes,
        tables,
        {1.0: style.LINES["uniform"]},
        KEYS,
        looks(epsilon, DRAWN_CALIBRATIONS),
        FIRST,
        PLANNED,
    )
    note(
        axes,
        0.99,
        1.0,
        f"theorem 4 is vacuous\nup to {style.tex(vacuous_until(epsilon))}",
        ha="right",
        color=style.COLOURS["bound"],
    )
    if epsilon == EPSILONS[0]:
        axes.text(3e3, 0.52, "at or below ½:\nlearnt", va="bottom", fontsize=7, color=style.GREY)
    axes.set_title(f"ε = {epsilon:g}")
    axes.set_xticks([1e2, 1e4, 1e6, 1e8])


draw = panels(
    _panel,
    height=3.1,
    keys=[EPSILONS],
    ylabels=["regret / uniform play's"],
    xlabel="user",
    legend=Legend(4),
)
