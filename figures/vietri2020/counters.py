"""What PUCB gains from better counters: noise, width, burn-in, regret, and where its bound begins
to say something."""

from functools import cache, partial

import numpy as np
import pandas as pd

from figures import learnt, runs, style
from figures.kinds.lines import Axes, Figure, draw_lines, legend_below, name_lines
from figures.kinds.tables import TABLES, Path, Tables, curve, decades, frame, where
from figures.linear_runs import references
from figures.vietri2020 import regret as vietri2020_regret
from figures.vietri2020.regret import ENTRY, PLANNED, REPLICATES
from privrl.agents.tabular.pucb import PUCB
from privrl.checks import require
from privrl.environments import suite
from privrl.horizon import pucb as horizon
from privrl.privacy.counters import mechanisms
from privrl.run.sweep import RunPlan
from privrl.types import Run
from theory.papers.vietri2020.bounds import counters as bounds_counters

ID = "vietri2020_counters"
DELTA = 1e-6
BETA = suite.entry(ENTRY).beta
MESSAGE = "Better counters and tight constants bring learning to far fewer users"
CAPTION = """Better counters and tight constants bring PUCB's burn-in down, at epsilon = 10 and T =
10^7 for all about 58 (50 to 64) times (`found_users`). PUCB on riverswim-3-relabelled (S = 3, A =
2, H = 3), epsilon = 1, beta = 0.1, Gaussian counters at delta = 1e-6; tight where nothing else is
named. Above: standard deviation of the noisiest release, width E, episodes before which no plan can
differ from uniform play, burn-in (docs/measure.md; median of 32 replicates, of 8 where a run takes
more than two seconds), users from which on the proved bound is below H T (printed: 1.6e8; best:
signed 8.3e6, blt 1.0e6). Each setting has a planned T of its own, at least 200 times its start;
open marks and the left panel below: T = 10^8. Below: exact regret, 4 replicates, 8 as printed,
against uniform play, each constant action, and exact counts. The printed noise gives 2.9 times the
claimed epsilon."""
ALT = """Above, nine rows of marks on a logarithmic axis: from the printed tree down to the blt
counter all marks move left, noise from 1,200 to 98 counts, burn-in from 41 million to 0.28 million
episodes. The tree with the noise that privacy needs has more noise than printed and still a smaller
width. Below, two log-log panels: all regret curves follow uniform play, a line of slope 1, and bend
below it, blt first, then the Gaussian tree, the signed counter, the Laplace tree and the printed
tree; PUCB without noise leaves it before all of them."""
CounterSetting = tuple[str, float, str]
NAMES = "counter delta calibration"
PRINTED: CounterSetting = ("tree", 0.0, "printed")
PURE: CounterSetting = ("signed", 0.0, "tight")
BEST: CounterSetting = ("blt", DELTA, "tight")
# planned episodes over the predicted start: runs learnt at 74 to 109 times theirs,
# the printed tree at epsilon = 10 at 178 times
ROOM = 200
# of each the planned episodes of its own: the smallest power of ten that is at least ROOM times the
# predicted start
OWN: dict[CounterSetting, int] = {
    PRINTED: 10**8,
    ("tree", 0.0, "corrected"): 10**8,
    ("tree", 0.0, "tight"): 10**8,
    ("smooth", 0.0, "tight"): 10**7,
    PURE: 10**7,
    ("tree", DELTA, "tight"): 10**7,
    ("smooth", DELTA, "tight"): 10**7,
    ("honaker", DELTA, "tight"): 10**7,
    BEST: 10**6,
}
SHOWN = (PRINTED, PURE, BEST)  # before, and the best after: without and with delta
STOP = 10**7  # of the runs at equal planned T: all have learnt long before
EQUAL: tuple[CounterSetting, ...] = (PURE, ("tree", DELTA, "tight"), BEST)
WEAKER = {PURE: 10**6, BEST: 10**5}  # planned episodes at epsilon = 10, by the same rule


def plan(setting: CounterSetting, epsilon: float, planned: int, last: int | None = None) -> RunPlan:
    counter, delta, calibration = setting
    return RunPlan(
        ENTRY,
        None,
        counter,
        calibration,
        epsilon,
        delta,
        episodes=planned,
        stop_after=last,
        replicates=REPLICATES,
    )


# what the table of vietri2020_regret has not
PLANS: list[RunPlan] = [
    *(plan(setting, 1.0, planned) for setting, planned in OWN.items() if planned < PLANNED),
    *(plan(setting, 10.0, planned) for setting, planned in WEAKER.items()),
    *(plan(setting, 1.0, PLANNED, STOP) for setting in EQUAL),
]
recompute = partial(runs.recompute, PLANS)  # every plan, resumable


def agent(setting: CounterSetting, epsilon: float = 1.0) -> PUCB:
    counter, delta, calibration = setting
    return PUCB(epsilon, delta, BETA, counter, calibration)


@cache
def start(setting: CounterSetting, epsilon: float = 1.0) -> int:
    """The number of episodes before which no plan can differ from uniform play (``privrl
    horizon``)."""
    mdp = suite.tabular(ENTRY)
    horizon_ = horizon.start(agent(setting, epsilon), mdp.states, mdp.actions, mdp.horizon).episodes
    require(horizon_ is not None, "a start must be predicted", counter=setting[0])
    return int(horizon_ or 0)


@cache
def below_trivial(setting: CounterSetting, form: str = "proved", epsilon: float = 1.0) -> int:
    """From how many users on the bound with this counter's width is below H T: proved, or theorem
    4's printed sum."""
    mdp = suite.tabular(ENTRY)
    horizon_ = bounds_counters.regret_horizon(
        agent(setting, epsilon), mdp.states, mdp.actions, mdp.horizon, form
    )
    require(horizon_ is not None, "a bound must come below H T", counter=setting[0])
    return int(horizon_ or 0)


def noise(setting: CounterSetting, planned: int, epsilon: float = 1.0) -> float:
    """Standard deviation of the noisiest release, in counts."""
    calibration = agent(setting, epsilon).calibrate(suite.tabular(ENTRY), planned)
    largest = mechanisms.counter_cost(setting[0], planned - 1, calibration.law).largest
    return calibration.scale * float(np.sqrt(largest * (2 if calibration.law == "laplace" else 1)))


def long_runs(folder: Path = TABLES) -> dict[tuple[CounterSetting, float, int], Run]:
    """Every run over a private counter, by setting, epsilon and planned episodes."""
    runs_ = (*vietri2020_regret.long_runs(folder), *runs.read(ID, folder))
    return {
        ((run.counter, run.delta, run.calibration), run.epsilon, run.planned): run
        for run in runs_
        if run.agent == "pucb"
    }


def rows(folder: Path = TABLES) -> pd.DataFrame:
    """A row per setting, epsilon and planned T that was run; ``theorem_4`` for those of ``SHOWN``
    alone."""
    mdp, run_rows = suite.tabular(ENTRY), []
    for (setting, epsilon, planned), run in long_runs(folder).items():
        if epsilon not in (1.0, 10.0) or (epsilon == 10.0 and setting not in SHOWN):
            continue
        run_rows.append(
            (
                *setting,
                epsilon,
                planned,
                int(run.episodes[-1]),
                noise(setting, planned, epsilon),
                agent(setting, epsilon).calibrate(mdp, planned).e_epsilon,
                start(setting, epsilon),
                below_trivial(setting, "proved", epsilon),
                below_trivial(setting, "printed", epsilon) if setting in SHOWN else np.nan,
                *learnt.numbers(run, folder),
            )
        )
    return frame(
        run_rows,
        f"{NAMES} epsilon planned last noise width start proved theorem_4 {learnt.COLUMNS}",
    )


def tables(folder: Path = TABLES) -> Tables:
    """``settings``: :func:`rows`; ``curves``: mean regret and band at epsilon = 1; ``lines``: play
    without an agent."""
    curves = []
    plain = vietri2020_regret.run_without_noise(folder)
    for (setting, epsilon, planned), run in [
        *long_runs(folder).items(),
        ((("none", 0.0, ""), 1.0, PLANNED), plain),
    ]:
        if epsilon == 1.0:
            curves.append(
                curve(
                    run,
                    np.isin(run.episodes, decades(8)),
                    "",
                    **dict(zip(NAMES.split(), setting, strict=True)),
                    planned=planned,
                )
            )
    lines = [
        (name.replace("action ", "constant-"), references(ENTRY)[name])
        for name in ("uniform", "action 0", "action 1")
    ]
    return {
        "settings": rows(folder),
        "curves": pd.concat(curves, ignore_index=True),
        "lines": frame(lines, "line regret_per_episode"),
    }


def name(setting: CounterSetting) -> str:
    """Counter, law and calibration for a reader."""
    law = "Gaussian" if setting[1] > 0 else "Laplace"
    return f"{setting[0]}, {law}" + ("" if setting[2] == "tight" else f", {setting[2]}")


def colour(setting: CounterSetting) -> str:
    """The calibration's for the paper's noise, one of its own for each of the others that has a
    curve, else grey."""
    if setting[:2] == ("tree", 0.0):
        return style.COLOURS[setting[2]]
    return {
        PURE: style.PALETTE[4],
        ("tree", DELTA, "tight"): style.PALETTE[9],
        BEST: style.PALETTE[5],
    }.get(setting, style.PALETTE[7])


CURVES: tuple[CounterSetting, ...] = (PRINTED, ("tree", 0.0, "tight"), *EQUAL)
MARKS = (
    ("noise", "o", 4, "full", "noise (standard deviation), in counts"),
    ("width", "s", 4, "full", "width E, in counts"),
    ("start", "|", 8, "full", "no learning before"),
    ("burn_in", "D", 5, "full", "burn-in, own T"),
    ("equal", "D", 5, "none", r"burn-in, T = $10^8$"),
    ("proved", "x", 5, "full", "proved bound below H T"),
)


def draw(tables: Tables) -> Figure:
    figure, grid = style.figure(7.0, 2, 2, height_ratios=[1.25, 1], sharey="row")
    cells = grid[0, 0].get_gridspec()
    for axes in grid[0]:
        axes.remove()
    top = figure.add_subplot(cells[0, :])
    _costs(top, tables["settings"])
    for axes, equal in zip(grid[1], (True, False), strict=True):
        _curves(axes, tables, equal)
    grid[1, 0].set_ylabel("cumulative regret")
    top.legend(
        loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=3, fontsize=7, columnspacing=1.2
    )
    return legend_below(figure, grid[1, 0], 3)


def _costs(axes: Axes, costs: pd.DataFrame) -> None:
    for place, (setting, episodes) in enumerate(OWN.items()):
        mine = where(costs, epsilon=1.0, **dict(zip(NAMES.split(), setting, strict=True)))
        at = where(mine, planned=episodes).iloc[0]
        equal = mine[(mine["planned"] == PLANNED) & (mine["planned"] != episodes)]["burn_in"]
        shade = colour(setting)
        axes.plot(
            [at["noise"], at["proved"]], [place, place], color="#dddddd", linewidth=0.8, zorder=1
        )
        for column, mark, size, fill, _ in MARKS:
            x = equal if column == "equal" else [at[column]]
            axes.plot(x, [place] * len(x), mark, color=shade, markersize=size, fillstyle=fill)
        axes.annotate(
            style.tex(at["burn_in"], 2),
            (at["burn_in"], place),
            (0, 4),
            textcoords="offset points",
            ha="center",
            va="bottom",
            fontsize=7,
            color=shade,
        )
    for _, mark, size, fill, label in MARKS:
        axes.plot([], [], mark, color=style.GREY, markersize=size, fillstyle=fill, label=label)
    axes.set(
        xscale="log",
        yticks=range(len(OWN)),
        ylim=(len(OWN) - 0.5, -0.8),
        xlabel="counts, or episodes (users)",
    )
    axes.set_yticklabels([name(setting) for setting in OWN])
    for words, setting in zip(axes.get_yticklabels(), OWN, strict=True):
        words.set_color(colour(setting))


def _curves(axes: Axes, tables: Tables, equal: bool) -> None:
    ends = np.array([1e3, 1e8])
    for line, rate in tables["lines"].set_index("line")["regret_per_episode"].items():
        kind = "uniform" if line == "uniform" else "constant"
        label = {"uniform": "uniform play", "constant-0": "each single action"}.get(str(line))
        axes.plot(
            ends,
            ends * rate,
            color=style.GREY,
            linestyle=style.LINES[kind],
            linewidth=0.9,
            label=label,
        )
    draw_lines(
        axes,
        tables["curves"],
        f"{NAMES} planned",
        "episodes",
        "regret",
        {
            (*setting, PLANNED if equal else OWN[setting]): (colour(setting), "-", name(setting))
            for setting in CURVES
        },
        band=True,
    )
    draw_lines(
        axes,
        tables["curves"],
        "counter",
        "episodes",
        "regret",
        {"none": (style.COLOURS["base"], "-", "no noise")},
    )
    name_lines(axes, {"no noise": (3e6, -6)})
    axes.set(
        xscale="log",
        yscale="log",
        xlim=(1e4, 1e8),
        ylim=(1e3, 3e7),
        xlabel="episodes",
        title=r"all planned for T = $10^8$" if equal else "each planned for a T of its own",
    )
    axes.set_xticks([1e4, 1e6, 1e8])
