"""Exact regret of Private-OFU-RL in the scalar system, K chosen per epsilon, against theorems 1 and
3 and what needs no agent."""

from collections.abc import Iterable
from functools import cache, partial
from math import inf
from typing import Any, cast

import numpy as np

from figures import runs, style
from figures.kinds.lines import (
    Axes,
    Legend,
    Look,
    draw_bounds,
    draw_levels,
    draw_lines,
    panels,
)
from figures.kinds.tables import TABLES, Path, Tables, curves, frame
from privrl.checks import require
from privrl.environments import planning, suite
from privrl.environments.lq import LQSystem
from privrl.run.sweep import RunPlan
from privrl.types import Calibration
from theory.papers.chowdhury2021 import bounds
from theory.papers.vietri2020.bounds.proved import last_crossing

ID = "chowdhury2021_regret"
ENTRY = "chowdhury2021/scalar"
DRAWN_CALIBRATIONS: tuple[Calibration, ...] = ("printed", "corrected", "tight")
EPSILONS = (1.0, 10.0, 100.0, 1000.0)
ALPHA, DELTA = suite.entry(ENTRY).beta, suite.entry(ENTRY).delta
REPLICATES = 3
# at epsilon = 1 one calibration, ended before what is planned
LONG, LONG_END, LONG_REPLICATES = (
    1.0,
    2 * 10**7,
    8,
)
PLANNED = {1.0: 5 * 10**7, 10.0: 5 * 10**6, 100.0: 10**6, 1000.0: 2 * 10**5}  # see horizon_of
WITHOUT = 5 * 10**6
MESSAGE = "Private agents first lose what doing nothing loses, and most then learn"
CAPTION = """Private agents first lose as much as doing nothing (u = 0); most then learn, after ten
thousand to several million episodes; upper bounds lie above u = 0. Top: exact regret so far over
that of u = 0, in the scalar system (n = d = 1, H = 5), delta = 10^-6, alpha = 0.1; K is at least
five times the predicted horizon of `tight`. Mean of 3 replicates, of 8 at epsilon = 1 (`tight`
noise alone, ended at 2 10^7), 95 % t interval. From epsilon = 37.5 on the printed noise is not
private enough, hence its lead. Corrected runs and bounds are in the data. Bottom: bounds, in the
same unit: 'printed lines' multiplies out the appendix; 'proved' is theorem 3 as proved. Above the
trivial K (H-1)(||Q|| + gamma^2 ||R||) (shaded) a bound is vacuous; u = 0 loses 66 times less. The
lower bound is for another, smooth law of noise and the worst b."""
ALT = """Two rows of four panels, epsilon 1, 10, 100 and 1000. Top: regret so far over that of u = 0
against episodes. The private runs stay at 1, some rise a little above it, and then fall; OFU-RL
without privacy falls within the first thousand episodes. Bottom, log-log: the printed lines lie in
the shaded part throughout, the proved bounds cross into the other part near the right end and stay
above u = 0. The best constant gain lies a hundred times below u = 0, the lower bound below
everything."""


def plans(epsilon: float) -> list[RunPlan]:
    """The runs of Private-OFU-RL at one epsilon, and of the certainty-equivalent controller on the
    same statistics."""
    last, replicates = (LONG_END, LONG_REPLICATES) if epsilon == LONG else (None, REPLICATES)
    kinds = [
        ("private-ofu-rl", name)
        for name in DRAWN_CALIBRATIONS
        if epsilon != LONG or name == "tight"
    ]
    return [
        RunPlan(
            ENTRY,
            agent,
            calibration=name,
            epsilon=epsilon,
            episodes=PLANNED[epsilon],
            stop_after=last,
            replicates=replicates,
        )
        for agent, name in (*kinds, ("private-ce", "tight"))
    ]


BASE = RunPlan(ENTRY, agent="ofu-rl", counter="none", episodes=WITHOUT, replicates=REPLICATES)
PLANS: list[RunPlan] = [*(plan for epsilon in EPSILONS for plan in plans(epsilon)), BASE]
recompute = partial(runs.recompute, PLANS)  # every plan, resumable
long_runs = partial(runs.read, ID)  # The runs behind this figure, in the order of ``PLANS``


@cache
def environment() -> LQSystem:
    return cast(LQSystem, suite.environment(ENTRY))


@cache
def problem() -> bounds.Problem:
    """What the bounds know of it."""
    system = environment()
    q, r = (float(np.linalg.norm(matrix, 2)) for matrix in (system.Q, system.R))
    problem_ = bounds.Problem(
        system.states, system.controls, system.horizon, system.gamma, q, r, system.c_w
    )
    require(
        problem_ == bounds.SCALAR, "the bounds must be for the system that is run", problem=problem_
    )
    return problem_


@cache
def references() -> dict[str, float]:
    """Regret of an episode without any agent: u = 0, the best constant gain, and the trivial
    bound."""
    system = environment()
    return {
        "zero": planning.lq_regret(system, planning.lq_zero(system)),
        "constant": planning.lq_best_constant_gain(system)[1],
        "trivial": bounds.trivial_regret(problem(), 1),
    }


@cache
def energy() -> float:
    """E of the sum of u_h^2 in an episode of the optimal policy (n = d = 1)."""
    system = environment()
    a, b, square, total = (
        float(system.A[0, 0]),
        float(system.B[0, 0]),
        float(system.start[0] ** 2),
        0.0,
    )
    for gain in planning.lq_gains(system)[:, 0, 0]:
        total += float(gain**2) * square
        square = (a + b * float(gain)) ** 2 * square + system.variance
    return total


def regularity(episodes: int, epsilon: float, calibration: Calibration) -> bounds.LQRegularity:
    """What assumption 2 speaks of; epsilon inf: OFU-RL."""
    return (
        bounds.LQRegularity(1.0, 1.0, 0.0)
        if epsilon == inf
        else bounds.regularity(problem(), episodes, epsilon, DELTA, ALPHA, calibration)
    )


def radius(episodes: int, regular: bounds.LQRegularity) -> float:
    """beta_K at its largest."""
    problem_ = problem()
    return bounds.radius(
        problem_,
        ALPHA,
        regular,
        bounds.released_ratio(problem_, (episodes - 1) * problem_.horizon, regular),
    )


def half_axis(episodes: int, epsilon: float, calibration: Calibration) -> float:
    """Half-width of the last confidence set along b, a held fixed, if the optimal policy had been
    played throughout.

    beta_K/sqrt(2 Lambda + K E sum u^2), in a run planned for that many episodes; epsilon inf:
    OFU-RL, H_k = I.
    """
    regular = regularity(episodes, epsilon, calibration)
    shift = 1.0 if epsilon == inf else 2 * regular.least
    return float(radius(episodes, regular) / np.sqrt(shift + episodes * energy()))


@cache
def horizon_of(epsilon: float, calibration: Calibration) -> int:
    """The predicted horizon: the smallest planned K from which on :func:`half_axis` stays below b;
    a heuristic."""
    size = abs(float(environment().B[0, 0]))
    return last_crossing(lambda K: half_axis(K, epsilon, calibration) / size)


def chosen(epsilon: float) -> int:
    """Five times the predicted horizon of ``tight``, rounded up to 1, 2 or 5 times a power of
    ten."""
    target = 5 * horizon_of(epsilon, "tight")
    steps = (step * int(10**power) for power in range(20) for step in (1, 2, 5))
    return next(number for number in steps if number >= target)


def upper(episodes: int, epsilon: float, line: str) -> float:
    """Theorem 3, explicit, for a run planned for ``episodes``: a calibration's as proved, or the
    printed ``lines``."""
    forms: Any = ("printed", "printed") if line == "lines" else (line,)
    return bounds.regret_bound(problem(), episodes, ALPHA, epsilon, DELTA, *forms)


@cache
def below_trivial(epsilon: float, line: str) -> int:
    """The smallest K from which on :func:`upper` stays below the trivial bound."""
    if epsilon == inf:
        return last_crossing(lambda K: upper(K, inf, line) / bounds.trivial_regret(problem(), K))
    return bounds.horizons(problem(), ALPHA, epsilon, DELTA)[line]


def lower(episodes: int) -> float:
    """What some b costs every agent at this a, q, r, H and C_w where the noise is smooth
    (theorem-1, corrected)."""
    problem_, system = problem(), environment()
    return bounds.lower_regret(
        episodes,
        problem_.horizon,
        problem_.state_cost,
        problem_.control_cost,
        float(system.A[0, 0]),
        problem_.noise,
    )


def tables(folder: Path = TABLES) -> Tables:
    marks = np.array(
        sorted({round(10 ** (k / 10)) for k in range(78)} | {*PLANNED.values(), LONG_END})
    )
    lines = [
        (name, inf, int(mark), rate * mark) for name, rate in references().items() for mark in marks
    ]
    lines += [("lower", inf, int(mark), lower(int(mark))) for mark in marks if mark >= 100]
    lines += [
        (name, epsilon, int(mark), upper(int(mark), epsilon, name))
        for name in (*DRAWN_CALIBRATIONS, "lines")
        for epsilon in EPSILONS
        for mark in marks
        if 100 <= mark <= PLANNED[epsilon]
    ]
    ends = [
        (
            epsilon,
            name,
            below_trivial(epsilon, name),
            *(
                upper(PLANNED[epsilon], epsilon, name) / (references()[level] * PLANNED[epsilon])
                for level in ("trivial", "zero")
            ),
        )
        for epsilon in EPSILONS
        for name in (*DRAWN_CALIBRATIONS, "lines")
    ]
    return {
        "runs": curves(long_runs(folder), marks, KEYS),
        "lines": frame(lines, "line epsilon episodes regret"),
        "horizons": frame(
            ends, "epsilon line below_trivial_from bound_over_trivial bound_over_zero"
        ),
    }


SHOWN = ("printed", "tight")  # corrected lies between or beside them
REFERENCES = {
    "trivial": ("-", "trivial bound"),
    "zero": (style.LINES["uniform"], "u = 0"),
    "constant": (style.LINES["constant"], "best gain"),
}
BOUNDS: dict[str, Look] = {
    "lines": (style.COLOURS["bound"], style.LINES["bound"], "printed lines"),
    "tight": (style.COLOURS["tight"], style.LINES["proved"], "proved, tight"),
    "lower": (style.COLOURS["other"], style.LINES["lower"], "lower bound"),
}
# a broader line below, so that the line of `tight` is seen on it where both agree
BROAD: dict[str, Look] = {"printed": (style.COLOURS["printed"], "-", "proved, printed")}
FIRST, BOTTOM, TOP = 10**2, 1e-7, 1e7
KEYS = "agent calibration epsilon"


def looks(epsilon: float, names: Iterable[str], private: str, certain: str) -> dict[Any, Look]:
    """Lines by ``KEYS``: Private-OFU-RL at this epsilon, the certainty-equivalent controller,
    OFU-RL."""
    return {
        **{
            ("private-ofu-rl", name, epsilon): (style.COLOURS[name], "-", f"{private}, {name}")
            for name in names
        },
        ("private-ce", "tight", epsilon): (style.PALETTE[5], (0, (4, 1)), certain),
        ("ofu-rl", "printed", inf): (
            style.COLOURS["base"],
            style.LINES["ubev"],
            "OFU-RL, no privacy",
        ),
    }


def _panel(tables: Tables, axes: Axes, bounds_: bool, epsilon: float) -> None:
    zero = references()["zero"]
    if bounds_:
        lines = tables["lines"]
        lines = lines.assign(regret=lines["regret"] / (zero * lines["episodes"]))
        mine = lines[lines["epsilon"].isin((epsilon, inf))]
        draw_lines(axes, mine, "line", "episodes", "regret", BROAD, linewidth=2.2, alpha=0.5)
        draw_bounds(axes, mine, TOP, REFERENCES, BOUNDS, 1.0)
        axes.set_ylim(BOTTOM, TOP)
    else:
        runs_ = tables["runs"]
        unit = zero * runs_["episodes"]
        draw_lines(
            axes,
            runs_.assign(**{name: runs_[name] / unit for name in ("regret", "low", "high")}),
            KEYS,
            "episodes",
            "regret",
            looks(epsilon, SHOWN, "Private-OFU-RL", "certainty-equivalent, private"),
            band=True,
        )
        draw_levels(axes, [(1.0, REFERENCES["zero"][0], None)])
        axes.set(ylim=(0, 1.5), xscale="log", title=f"ε = {epsilon:g}")
    axes.set(xlim=(FIRST, PLANNED[epsilon]), xticks=MARKS[epsilon])


MARKS = {1.0: [1e3, 1e5, 1e7], 10.0: [1e2, 1e4, 1e6], 100.0: [1e2, 1e4, 1e6], 1000.0: [1e3, 1e5]}
draw = panels(
    _panel,
    height=4.6,
    keys=[(False, True), EPSILONS],
    ylabels=["regret so far / that of u = 0", "bound / regret of u = 0"],
    xlabel="episodes",
    legend=Legend(
        of=(1, 5),
        names={
            "trivial bound": (7, 4e3, -1),
            "u = 0": (4, 3e5, 1),
            "best gain": (4, 4e5, 1),
            "lower bound": (7, 4e3, -10),
        },
    ),
    sharex="col",
    sharey="row",
)
