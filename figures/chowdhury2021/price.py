"""What privacy costs in the scalar system as a function of epsilon, beside the predicted power
-1/2."""

from functools import partial
from itertools import pairwise
from math import sqrt

import numpy as np
from scipy.stats import t as student

from figures import runs, style
from figures.chowdhury2021.regret import ALPHA, BASE, DELTA, ENTRY, problem, references
from figures.chowdhury2021.regret import long_runs as other_runs
from figures.kinds.lines import Figure, draw_levels, draw_line, draw_marks, legend_below
from figures.kinds.tables import TABLES, Path, Tables, frame
from privrl.run.sweep import RunPlan
from privrl.types import Calibration, FloatArray
from theory.papers.chowdhury2021 import bounds

ID = "chowdhury2021_price"
PLANNED, REPLICATES = 5 * 10**5, 3
EPSILONS = tuple(float(f"{10 ** (power / 2):.4g}") for power in range(3, 10))
DRAWN_CALIBRATIONS: tuple[Calibration, ...] = ("printed", "corrected")
PLANS = [
    RunPlan(ENTRY, calibration=name, epsilon=epsilon, episodes=PLANNED, replicates=REPLICATES)
    for epsilon in EPSILONS
    for name in DRAWN_CALIBRATIONS
]
MESSAGE = "The cost of privacy falls with ε, but not by the predicted power -1/2"
CAPTION = """The cost of privacy falls with epsilon, though not by the one power that the paper
predicts. Left: regret of Private-OFU-RL less that of OFU-RL in the scalar system at K = 5 10^5 (3
replicates each, 95 % t interval), and the part of theorem 3's proved bound that comes from the
noise. Right: the power of epsilon between neighbouring points, of both; the paper predicts -1/2.
Printed noise goes like 1/epsilon throughout (and is not private above 37.5 here); the measured
power is nearer 0 where little is learnt and steeper where much is. Noise that is really private
goes like epsilon^(-1/2) well above ln(1/delta) = 14, and the cost nearly like epsilon^(-1/4).
Epsilons as large as these protect little."""
ALT = """Two panels against epsilon from 31.62 to 31,620. Left, log-log: the cost falls from below
the dotted line of u = 0 by a decade and a half for the printed noise and by nearly one for the
corrected one; the parts of the bounds fall similarly, more than two orders of magnitude higher.
Right: the power falls from about -0.4 to -0.7 for the printed noise, and stays between -0.3 and
-0.25 for the corrected one, with the bound's beside it."""


recompute = partial(runs.recompute, PLANS)  # every plan, resumable


def without(folder: Path = TABLES) -> FloatArray:
    """Regret of OFU-RL after as many episodes, one number per replicate."""
    run = next(run for run in other_runs(folder) if run.agent == BASE.algorithm)
    return np.asarray(run.regret[:, int(np.searchsorted(run.episodes, PLANNED))])


def privacy_part(epsilon: float, calibration: Calibration) -> float:
    """The part of theorem 3's proved bound from sqrt(lambda_max) + nu, less theorem 1's at lambda =
    1."""
    problem_ = problem()
    regular = bounds.regularity(problem_, PLANNED, epsilon, DELTA, ALPHA, calibration)
    plain = bounds.regret_terms(
        problem_, PLANNED, ALPHA, bounds.LQRegularity(1.0, 1.0, 0.0)
    ).regulariser
    return bounds.regret_terms(problem_, PLANNED, ALPHA, regular).regulariser - plain


def slope(cost: list[FloatArray], epsilons: list[float]) -> tuple[float, float, float]:
    """Least-squares power of the mean cost in epsilon, and its 95 % interval by the replicates'
    spread (Welch)."""
    x = np.log(np.asarray(epsilons))
    weights = (x - x.mean()) / ((x - x.mean()) ** 2).sum()
    means = np.array([costs_.mean() for costs_ in cost])
    shares = weights**2 * np.array([costs_.var(ddof=1) / costs_.size for costs_ in cost]) / means**2
    value, spread = float(weights @ np.log(means)), float(shares.sum())
    freedom = spread**2 / float((shares**2 / np.array([costs_.size - 1 for costs_ in cost])).sum())
    half = float(student.ppf(0.975, freedom)) * sqrt(spread)
    return value, value - half, value + half


def costs(calibration: str, folder: Path = TABLES) -> dict[float, FloatArray]:
    """Cost of privacy by epsilon, one number per replicate; the mean of OFU-RL is taken off (its
    spread is smaller)."""
    base = float(without(folder).mean())
    return {
        run.epsilon: run.regret[:, -1] - base
        for run in runs.read(ID, folder)
        if run.calibration == calibration
    }


def learnt(calibration: str, folder: Path = TABLES) -> list[float]:
    """The epsilons at which the whole run cost at most half of u = 0: where a slope means
    something."""
    level = references()["zero"] * PLANNED / 2
    return [epsilon for epsilon, cost in costs(calibration, folder).items() if cost.mean() <= level]


def tables(folder: Path = TABLES) -> Tables:
    """``cost`` by epsilon and calibration; ``slopes``: local, and overall where something is
    learnt; ``levels``."""
    cost, slopes = [], []
    for name in DRAWN_CALIBRATIONS:
        costs_ = costs(name, folder)
        for epsilon, values in costs_.items():
            cost.append((name, epsilon, *style.spread(values), privacy_part(epsilon, name)))
        for kind, group in [
            *(("local", [*pair]) for pair in pairwise(EPSILONS)),
            ("learnt", learnt(name, folder)),
        ]:
            fit = slope([costs_[epsilon] for epsilon in group], group)
            bound = np.polyfit(
                np.log(group), np.log([privacy_part(epsilon, name) for epsilon in group]), 1
            )[0]
            slopes.append(
                (name, kind, group[0], group[-1], sqrt(group[0] * group[-1]), *fit, float(bound))
            )
    return {
        "cost": frame(cost, "calibration epsilon cost low high bound"),
        "slopes": frame(slopes, "calibration kind first last epsilon slope low high bound"),
        "levels": frame(
            [
                ("zero", references()["zero"] * PLANNED),
                ("base", float(without(folder).mean())),
                ("trivial", references()["trivial"] * PLANNED),
            ],
            "line regret",
        ),
    }


def draw(tables: Tables) -> Figure:
    figure, ((left_axes, right_axes),) = style.figure(3.5, 1, 2, width_ratios=(1.15, 1))
    levels = tables["levels"].set_index("line")["regret"]
    draw_levels(
        left_axes,
        [
            (levels["zero"], style.LINES["uniform"], "u = 0"),
            (levels["trivial"], "-", "trivial bound"),
        ],
    )
    draw_levels(
        left_axes,
        [(levels["base"], style.LINES["ubev"], "all of OFU-RL's regret")],
        color=style.COLOURS["base"],
    )
    for name in DRAWN_CALIBRATIONS:
        colour, rows = style.COLOURS[name], tables["cost"].query("calibration == @name")
        draw_marks(
            left_axes,
            rows["epsilon"],
            rows,
            "cost",
            colour,
            fmt="-o",
            markersize=3,
            elinewidth=0.8,
            label=f"cost, {name}",
        )
        draw_line(
            left_axes,
            rows,
            "epsilon",
            "bound",
            colour,
            style.LINES["bound"],
            f"in the proved bound, {name}",
            linewidth=1,
        )
        rows = tables["slopes"].query("calibration == @name and kind == 'local'")
        draw_marks(
            right_axes,
            rows["epsilon"],
            rows,
            "slope",
            colour,
            fmt="-o",
            markersize=3,
            elinewidth=0.8,
        )
        draw_line(right_axes, rows, "epsilon", "bound", colour, style.LINES["bound"], linewidth=1)
    printed = tables["cost"].query("calibration == 'printed'").set_index("epsilon")["cost"]
    start = float(printed.index[0])
    for power, text in ((-0.5, "slope -1/2"), (-0.25, "slope -1/4")):
        style.guide(left_axes, power, (start, float(printed.iloc[0]) / 8), 10 * start, text)
        right_axes.axhline(power, color=style.GREY, linewidth=0.8, linestyle=(0, (2, 2)))
    left_axes.set(
        xscale="log", yscale="log", xlabel="ε", ylabel="cost of privacy, K = $5\\cdot 10^5$"
    )
    right_axes.set(xscale="log", xlabel="ε", ylabel="power of ε", ylim=(-1, 0))
    return legend_below(figure, left_axes, 3)
