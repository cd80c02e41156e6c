"""What another counter and tight constants save Private-OFU-RL in the scalar system: noise, radius,
burn-in, regret."""

from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from figures import learnt, runs, style
from figures.chowdhury2021.learning import draw_halves, draw_shares, shares
from figures.chowdhury2021.regret import (
    ALPHA,
    DELTA,
    ENTRY,
    PLANNED,
    energy,
    environment,
    problem,
    radius,
    references,
)
from figures.chowdhury2021.regret import long_runs as other_runs
from figures.kinds.lines import Figure, Look, draw_levels, draw_lines, legend_below
from figures.kinds.tables import TABLES, Path, Tables, frame, where
from privrl.agents.lq.private_ofu_rl import PrivateOFURL
from privrl.privacy.counters import mechanisms
from privrl.run.sweep import RunPlan
from privrl.types import FloatArray, Run
from theory.papers.chowdhury2021 import bounds
from theory.papers.vietri2020.bounds.proved import last_crossing

ID = "chowdhury2021_counters"
EPSILONS = (1.0, 10.0)
# where runs at epsilon = 1 end; the planned number is that of chowdhury2021_regret
SHORT, UNLEARNT = (
    5 * 10**6,
    10**7,
)


class NamedAgent(NamedTuple):
    """An agent as the tables name it."""

    agent: str
    calibration: str
    counter: str


PRINTED, CORRECTED = (
    NamedAgent("private-ofu-rl", name, "tree") for name in ("printed", "corrected")
)
TREE, BLT = (NamedAgent("private-ofu-rl", "tight", name) for name in ("tree", "blt"))
CERTAIN = NamedAgent("private-ce", "tight", "tree")
SETTINGS = (PRINTED, CORRECTED, TREE, BLT, CERTAIN)
NAMES = " ".join(NamedAgent._fields)
LOOKS: dict[NamedAgent, Look] = {
    PRINTED: (style.COLOURS["printed"], "-", "printed, tree"),
    CORRECTED: (style.COLOURS["corrected"], "-", "corrected, tree"),
    TREE: (style.COLOURS["tight"], "-", "tight, tree"),
    BLT: (style.COLOURS["other"], "-", "tight, blt"),
    CERTAIN: (style.PALETTE[5], (0, (4, 1)), "certainty-equivalent, tight, tree"),
}
MESSAGE = "The counter blt with tight constants brings learning to the fewest users"
CAPTION = """Over the counter blt with tight constants Private-OFU-RL learns first, at epsilon = 10
about 9 (5 to 14) times earlier than as printed. The scalar system, delta = 10^-6, alpha = 0.1;
tight: exact accounting and sharper norm bounds, over the tree or the counter blt. Top left: largest
standard deviation of an entry of N_k up to episode k at epsilon = 1, K = 5 10^7. Top right:
half-width of the last confidence set along b, a held fixed, over b = 0.5, under optimal play; below
1 (dashed) the sign of b is known. Bottom: regret per user over the last fifth, over that of u = 0,
median and range; triangles: users before it has learnt (docs/measure.md), median of 8 replicates
with its 95 % interval. At epsilon = 1 runs end early; corrected was run at epsilon = 10 only."""
ALT = """Four panels. Noise: steps for the trees, printed the highest, a nearly flat line for blt at
a seventh of it. Half-widths: parallel falling lines, blt far left of the others. Regret at epsilon
1 and 10: blt falls below one half first, at epsilon 10 some nine times earlier than printed, which
at epsilon 1 never does before its runs end."""


def plan(
    setting: NamedAgent, epsilon: float, replicates: int, stop_after: int | None = None
) -> RunPlan:
    """A run that is planned for as many episodes as those of chowdhury2021_regret at this
    epsilon."""
    return RunPlan(
        ENTRY,
        agent=setting.agent,
        counter=setting.counter,
        calibration=setting.calibration,
        epsilon=epsilon,
        episodes=PLANNED[epsilon],
        stop_after=stop_after,
        replicates=replicates,
    )


PLANS: list[RunPlan] = [
    plan(BLT, 10.0, 3),
    plan(BLT, 1.0, 4, SHORT),
    plan(PRINTED, 1.0, 8, UNLEARNT),
]
recompute = partial(runs.recompute, PLANS)  # every plan, resumable


def long_runs(folder: Path = TABLES) -> tuple[Run, ...]:
    """The runs behind this figure: its own in the order of ``PLANS``, and those of the tree from
    the regret table."""
    settings = [(setting, epsilon) for setting in SETTINGS for epsilon in EPSILONS]
    return (*runs.read(ID, folder), *(run for run in other_runs(folder) if key_of(run) in settings))


def key_of(run: Run) -> tuple[NamedAgent, float]:
    return NamedAgent(run.agent, run.calibration, run.counter), run.epsilon


def regularity(setting: NamedAgent, epsilon: float, planned: int) -> bounds.LQRegularity:
    """The constants of assumption 2 that the agent has, and the certainty-equivalent one too."""
    calibration = PrivateOFURL(
        epsilon, DELTA, ALPHA, setting.counter, setting.calibration
    ).calibrate(environment(), planned)
    return bounds.LQRegularity(
        calibration.lambda_min,
        calibration.lambda_max,
        calibration.nu,
        calibration.sigma_gram,
        calibration.sigma_cross,
    )


def half_axis(setting: NamedAgent, epsilon: float, planned: int) -> float:
    """As ``chowdhury2021_regret.half_axis``, over any counter."""
    regular = regularity(setting, epsilon, planned)
    return float(radius(planned, regular) / np.sqrt(2 * regular.least + planned * energy()))


@cache
def horizon_of(setting: NamedAgent, epsilon: float) -> int:
    """The smallest K, up to a thousandth, from which on :func:`half_axis` is below b; see
    chowdhury2021_regret."""
    size = abs(float(environment().B[0, 0]))
    if setting.counter == "tree":  # a new level makes it larger
        return last_crossing(lambda K: half_axis(setting, epsilon, K) / size)
    low, high = 100, 10**10
    while high > low * 1.001:
        middle = round((low * high) ** 0.5)
        low, high = (low, middle) if half_axis(setting, epsilon, middle) < size else (middle, high)
    return high


def deviations(setting: NamedAgent, epsilon: float, planned: int, times: Any) -> FloatArray:
    """Largest standard deviation of an entry of N_k over the releases up to each of ``times``."""
    sigma = regularity(setting, epsilon, planned).sigma_gram
    if (
        setting.counter == "tree"
    ):  # the most ones that a number up to t has: those of the largest 2^j - 1, or of t
        most = [max((int(t) + 1).bit_length() - 1, int(t).bit_count()) for t in times]
        return np.asarray(sigma * np.sqrt(most))
    return np.asarray(
        sigma * np.sqrt(mechanisms.counter_variance(setting.counter, times, planned - 1))
    )


def tables(folder: Path = TABLES) -> Tables:
    planned = PLANNED[EPSILONS[0]]
    times = np.unique(np.round(10 ** np.arange(0, np.log10(planned - 1), 0.05)).astype(np.int64))
    noise = [
        pd.DataFrame(
            {
                "calibration": setting.calibration,
                "counter": setting.counter,
                "episodes": times + 1,
                "deviation": deviations(setting, EPSILONS[0], planned, times),
            }
        )
        for setting in SETTINGS[:4]
    ]
    size = abs(float(environment().B[0, 0]))
    marks = [round(10 ** (k / 4)) for k in range(16, 33)]
    sets = [
        (
            setting.calibration,
            setting.counter,
            epsilon,
            mark,
            half_axis(setting, epsilon, mark) / size,
        )
        for setting in SETTINGS[:4]
        for epsilon in EPSILONS
        for mark in marks
    ]
    curves, facts = [], []
    for run in sorted(
        long_runs(folder), key=lambda run: (run.epsilon, SETTINGS.index(key_of(run)[0]))
    ):
        setting, epsilon = key_of(run)
        shares_ = shares(run, f"{NAMES} epsilon")
        curves.append(shares_[shares_["end"] >= 1000])
        regular = regularity(setting, epsilon, run.planned)
        optimistic = setting.agent == BLT.agent
        facts.append(
            {
                **setting._asdict(),
                "epsilon": epsilon,
                "planned": run.planned,
                "played": int(run.episodes[-1]),
                "deviation": float(deviations(setting, epsilon, run.planned, [run.planned - 1])[0]),
                "bound": regular.least,
                "nu": regular.nu,
                "start": bounds.first_episode(problem(), ALPHA, regular) if optimistic else np.nan,
                "predicted": horizon_of(setting, epsilon) if optimistic else np.nan,
                **dict(zip(learnt.COLUMNS.split(), learnt.numbers(run, folder), strict=True)),
                "regret": float(run.regret[:, -1].mean()),
                "last_share": shares_["share"].iloc[-1],
                "of_zero": float(run.regret[:, -1].mean())
                / (references()["zero"] * run.episodes[-1]),
            }
        )
    return {
        "noise": pd.concat(noise, ignore_index=True),
        "sets": frame(sets, "calibration counter epsilon episodes half_axis"),
        "curves": pd.concat(curves, ignore_index=True),
        "facts": pd.DataFrame(facts),
    }


def draw(tables: Tables) -> Figure:
    figure, grid = style.figure(5.4, 2, 2)
    drawn = {key[1:]: look for key, look in LOOKS.items() if key != CERTAIN}
    draw_lines(grid[0, 0], tables["noise"], "calibration counter", "episodes", "deviation", drawn)
    draw_lines(
        grid[0, 1],
        tables["sets"],
        "calibration counter epsilon",
        "episodes",
        "half_axis",
        {
            (*key, epsilon): look if epsilon == EPSILONS[0] else (look[0], (0, (1, 1.5)), None)
            for key, look in drawn.items()
            for epsilon in EPSILONS
        },
    )
    grid[0, 0].set(
        xscale="log",
        xlabel="episode k",
        ylabel="sd of an entry of $N_k$",
        ylim=(0, None),
        title=f"noise, ε = {EPSILONS[0]:g}",
    )
    draw_levels(grid[0, 1], [(1, style.LINES["bound"], None)], linewidth=0.9)
    grid[0, 1].set(
        xscale="log",
        yscale="log",
        xlabel="planned K",
        ylabel="half-width along b, over b",
        title="last set; ε = 1 (lines), 10 (dots)",
    )
    for axes, epsilon in zip(grid[1], EPSILONS, strict=True):
        draw_halves(axes)
        draw_shares(
            axes,
            where(tables["curves"], epsilon=epsilon),
            where(tables["facts"], epsilon=epsilon).assign(predicted=np.nan),
            NAMES,
            LOOKS,
        )
        axes.set(
            xlabel="episodes",
            ylabel="regret / regret of u = 0",
            title=f"ε = {epsilon:g}, K = {style.tex(PLANNED[epsilon])}",
        )
    return legend_below(figure, grid[1, 1], 4)
