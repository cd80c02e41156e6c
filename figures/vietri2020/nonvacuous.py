"""Where a regret bound says something within a run: the smallest river, each run planned for the T
of its mark."""

from collections.abc import Callable
from functools import partial
from math import inf
from typing import Any, cast

import numpy as np

from figures import counting, style
from figures.counting import CountedRun
from figures.kinds.lines import (
    Axes,
    Legend,
    draw_lines,
    draw_marks,
    draw_vacuous,
    note,
    panels,
    proxy,
)
from figures.kinds.tables import TABLES, Path, Tables, frame, where
from figures.linear_runs import references
from figures.vietri2020.pac import environment
from figures.vietri2020.regret import looks
from privrl.agents.tabular.pucb import PUCB
from privrl.agents.tabular.ubev import UBEV
from privrl.types import CALIBRATIONS
from theory.papers.vietri2020.bounds import proved
from theory.papers.vietri2020.bounds import stated as bounds

ID = "vietri2020_nonvacuous"
SETTING = "riverswim-2-relabelled"
SIZE = (2, 2, 2)
BETA = 0.1
REPLICATES = 4
EPISODES = {
    1.0: (10**4, 10**5, 10**6, 10**7, 10**8),
    100.0: (10**4, 3 * 10**4, 10**5, 3 * 10**5, 10**6, 10**7),
}
ALPHAS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
MESSAGE = "On the smallest river every bound of PUCB says something within a run"
CAPTION = """On the smallest river every bound of PUCB says something within a run, at epsilon = 1
too. Exact regret over H T on riverswim-2-relabelled (S = A = H = 2, beta = 0.1). Each mark is the
end of runs planned for as many episodes: mean of 4 replicates with the 95 % t interval, mostly
narrower than the mark. Lines: the sum behind theorem 4, and the bound proved for noise and width of
each calibration; shaded: vacuous. Theorem 4's sum comes below H T at epsilon = 1 just before T =
10^8. At epsilon = 100 all of them come below uniform play too, and at epsilon = 1 those for noise
that is epsilon-JDP. With S = 2 there is no hard MDP, and so no lower bound to draw."""
ALT = """Two log-log panels, epsilon 1 and 100, of regret over H T against planned episodes. The
bounds fall with slope about -1 and -1/2 and cross 1: at epsilon 1 at 4.7, 7.9, 21 and 93 million
episodes (tight, corrected, printed, theorem 4), at epsilon 100 at 45.7, 75, 121 and 325 thousand.
The runs of PUCB begin at uniform play's level, 0.22, and fall to about a hundredth and less; they
stay below every bound by a factor of more than ten."""


def cases() -> list[CountedRun]:
    """Every replicate behind this figure, the short ones first."""
    mdp = environment(SETTING)
    cases_: list[tuple[counting.CountingAgent, int]] = [
        (UBEV(BETA), planned) for planned in EPISODES[1.0]
    ]
    cases_ += [
        (PUCB(epsilon, 0.0, BETA, "tree", calibration), planned)
        for epsilon, numbers in EPISODES.items()
        for calibration in CALIBRATIONS
        for planned in numbers
    ]
    cases_.sort(key=lambda pair: pair[1])
    return [
        CountedRun(SETTING, mdp, agent, planned, replicate, ALPHAS)
        for agent, planned in cases_
        for replicate in range(REPLICATES)
    ]


recompute = partial(counting.recompute, cases)  # a quarter of an hour; resumable
# the sum behind theorem 4, of (episodes, epsilon)
theorem_4 = partial(bounds.theorem_4_bound, *SIZE, beta=BETA)
# of (episodes, epsilon, calibration=..)
proved_bound = partial(proved.regret_bound, *SIZE, beta=BETA)


def tables(folder: Path = TABLES) -> Tables:
    """``runs``: regret over H T at the planned end, with the bounds there; ``lines``;
    ``horizons``."""
    run_rows = []
    keys = ["agent", "calibration", "epsilon", "planned"]
    horizon = SIZE[2]
    runs = counting.read(ID, folder).drop_duplicates([*keys, "replicate"])
    for key, rows in runs.groupby(keys, sort=False):
        agent, calibration, epsilon, planned = key
        uppers = (
            (
                proved_bound(planned, epsilon, calibration=calibration) / (horizon * planned),
                theorem_4(planned, epsilon) / (horizon * planned),
            )
            if agent == "pucb"
            else (np.nan, np.nan)
        )
        run_rows.append((*key, *style.spread(rows["regret"] / (horizon * planned)), *uppers))
    marks = sorted({round(10 ** (k / 10)) for k in range(40, 81)})
    upper: dict[str, Callable[[int, float], float]] = {"theorem-4": theorem_4}
    upper |= {
        f"proved-{name}": partial(proved_bound, calibration=cast(Any, name))
        for name in CALIBRATIONS
    }
    lines = [
        (name, epsilon, mark, bound(mark, epsilon) / (horizon * mark))
        for epsilon in EPISODES
        for name, bound in upper.items()
        for mark in marks
    ]
    lines += [
        (name, inf, mark, references(f"vietri2020/{SETTING}")[name] / horizon)
        for name in ("uniform", "constant")
        for mark in (marks[0], marks[-1])
    ]
    starts = [
        (
            epsilon,
            bounds.vacuity_horizon(*SIZE, epsilon, BETA),
            *(
                proved.regret_horizon(*SIZE, epsilon, BETA, cast(Any, name))
                for name in CALIBRATIONS
            ),
        )
        for epsilon in EPISODES
    ]
    return {
        "runs": frame(
            run_rows, "agent calibration epsilon planned regret low high proved theorem_4"
        ),
        "lines": frame(lines, "line epsilon planned regret"),
        "horizons": frame(starts, "epsilon theorem_4 proved_printed proved_corrected proved_tight"),
    }


BOUNDS = {
    "theorem-4": (style.COLOURS["bound"], style.LINES["bound"], "the sum behind theorem 4"),
    **{
        f"proved-{name}": (style.COLOURS[name], style.LINES["proved"], None)
        for name in CALIBRATIONS
    },
}


def _panel(tables: Tables, axes: Axes, epsilon: float) -> None:
    lines = tables["lines"]
    starts = tables["horizons"].set_index("epsilon").loc[epsilon]
    top, first = 1e5, 1e4
    draw_vacuous(axes, lines, top, "H T")
    draw_lines(
        axes, where(lines, epsilon=epsilon), "line", "planned", "regret", BOUNDS, linewidth=1.1
    )
    for shape, ((agent, calibration, at), (colour, dash, label)) in zip(
        "osDx", looks(epsilon, CALIBRATIONS).items(), strict=True
    ):
        rows = where(tables["runs"], agent=agent, calibration=calibration, epsilon=at)
        draw_marks(
            axes,
            rows["planned"],
            rows,
            "regret",
            colour,
            fmt=shape,
            linestyle=dash,
            markersize=3.5,
            elinewidth=1,
            capsize=2,
            linewidth=0.9,
            label=label,
        )
    proxy(axes, "proved bound, in its colour", linestyle=style.LINES["proved"])
    names = ("theorem 4", *(f"proved, {name}" for name in CALIBRATIONS))
    note(
        axes,
        0.97,
        0.98,
        "\n".join(
            f"{name} < H T from {style.tex(start)}"
            for name, start in zip(names, starts, strict=True)
        ),
        ha="right",
    )
    axes.set(
        xscale="log",
        yscale="log",
        xlim=(first * 0.8, max(EPISODES[epsilon]) * 1.25),
        ylim=(3e-6, top),
        title=f"ε = {epsilon:g}",
    )


draw = panels(
    _panel,
    height=3.7,
    keys=[[*EPISODES]],
    ylabels=["regret / H T"],
    xlabel="T, planned and played",
    legend=Legend(names={"H T, which nothing exceeds": (0, 1e5, -1)}),
    sharex=False,
)
