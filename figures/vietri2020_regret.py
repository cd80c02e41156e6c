"""Long-run exact regret of PUCB and UBEV against theorem 4 of vietri2020 and against what needs no agent."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from figures import runs, style
from figures.runs import TABLES
from privrl import learning, planning, suite
from privrl.sweep import Plan
from privrl.types import Run
from theory import bounds

ID = "vietri2020_regret"
ENTRY = "vietri2020/riverswim-3-relabelled"
PLANNED = 10**8
EPSILONS = (1.0, 10.0, 100.0)
CALIBRATIONS = ("printed", "corrected", "tight")
REPLICATES = 4
BETA = suite.entry(ENTRY).beta
PLANS: list[Plan] = [
    *(
        Plan(ENTRY, calibration=calibration, epsilon=epsilon, episodes=PLANNED, replicates=REPLICATES)
        for epsilon in EPSILONS
        for calibration in CALIBRATIONS
    ),
    Plan(ENTRY, agent="ubev", counter="none", episodes=PLANNED, replicates=REPLICATES),
]
CAPTION = (
    "Exact cumulative regret on riverswim-3-relabelled (S = 3, A = 2, H = 3), planned for T = 10^8 episodes, beta = "
    "0.1; mean of 4 replicates with the 95 % t interval (narrower than the lines where it is not seen). The bound "
    "is the sum at the end of Appendix B.2, symbol by symbol as printed, for a run planned for as many episodes as "
    "the abscissa says: a run of 10^8 is to be compared with its right end. Above H T (shaded) a bound is vacuous, "
    "since no agent can lose more. Theorem 6 leaves the constant of its lower bound open, so there is nothing to "
    "draw."
)
ALT = (
    "Three log-log panels, epsilon 1, 10 and 100, of regret against episodes. The private runs follow uniform play, "
    "a line of slope 1, and then bend below it, earlier for larger epsilon and for tighter calibration; the base "
    "without privacy runs far below. Theorem 4's sum lies above H T for all T up to 10^8 at epsilon 1, and crosses "
    "H T at about 5 times 10^7 and 3 times 10^6 at epsilon 10 and 100; it stays above uniform play throughout."
)


def recompute(folder: Path, jobs: int = 1) -> None:
    """Make ``folder/vietri2020_regret.csv`` again: every plan, resumable."""
    runs.recompute(PLANS, folder / f"{ID}.csv", jobs)


def long_runs(folder: Path = TABLES) -> tuple[Run, ...]:
    """The runs behind this figure, in the order of ``PLANS``."""
    return runs.read(ID, folder)


@cache
def references() -> dict[str, float]:
    """Regret of one episode without any agent: uniform play, the best constant action, and H, which nothing exceeds."""
    mdp = suite.tabular(ENTRY)
    optimum = float(mdp.initial @ planning.optimal(mdp)[0][0])
    return {
        "uniform": learning.uniform_regret(mdp),
        "constant": optimum - planning.best_constant_action(mdp)[1],
        "trivial": float(mdp.horizon),
    }


@cache
def vacuous_until(epsilon: float) -> int:
    """The smallest T at which theorem 4's printed sum falls below H T."""
    mdp = suite.tabular(ENTRY)
    return bounds.vacuity_horizon(mdp.states, mdp.actions, mdp.horizon, epsilon, BETA)


def theorem_4(episodes: int, epsilon: float) -> float:
    """The printed sum for a run planned for ``episodes``."""
    mdp = suite.tabular(ENTRY)
    return bounds.theorem_4_bound(mdp.states, mdp.actions, mdp.horizon, episodes, epsilon, BETA)


def tables(folder: Path = TABLES) -> dict[str, pd.DataFrame]:
    """``runs``: mean and band at ten checkpoints a decade; ``lines``: what they are compared with; ``vacuity``."""
    marks = np.array(sorted({round(10 ** (k / 10)) for k in range(81)}))
    found = []
    for run in long_runs(folder):
        band = style.band(run.regret)
        chosen = np.isin(run.episodes, marks)
        found.append(
            pd.DataFrame(
                {
                    "agent": run.agent,
                    "calibration": run.calibration,
                    "epsilon": run.epsilon,
                    "episodes": run.episodes[chosen],
                    "regret": band.mean[chosen],
                    "low": band.low[chosen],
                    "high": band.high[chosen],
                }
            )
        )
    lines = [(name, np.inf, int(mark), rate * mark) for name, rate in references().items() for mark in marks]
    lines += [
        ("theorem-4", epsilon, int(mark), theorem_4(int(mark), epsilon))
        for epsilon in EPSILONS
        for mark in marks
        if mark > 1
    ]
    vacuity = [
        (
            epsilon,
            vacuous_until(epsilon),
            theorem_4(PLANNED, epsilon) / (references()["trivial"] * PLANNED),
            theorem_4(PLANNED, epsilon) / (references()["uniform"] * PLANNED),
        )
        for epsilon in EPSILONS
    ]
    return {
        "runs": pd.concat(found, ignore_index=True),
        "lines": pd.DataFrame(lines, columns=["line", "epsilon", "episodes", "regret"]),
        "vacuity": pd.DataFrame(
            vacuity, columns=["epsilon", "below_trivial_from", "bound_over_trivial", "bound_over_uniform"]
        ),
    }


FIRST = 10**3  # left end of the panels
TOP = 3e10


@style.styled
def draw(tables: dict[str, pd.DataFrame]) -> Figure:
    """A panel per epsilon."""
    figure, grid = style.figure(3.9, 1, len(EPSILONS), sharex=True, sharey=True)
    for axes, epsilon in zip(grid[0], EPSILONS, strict=True):
        _panel(axes, tables, epsilon)
    grid[0, 0].set_ylabel("regret after as many episodes")
    grid[0, 1].set_xlabel("episodes")
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure


def _panel(axes: Axes, tables: dict[str, pd.DataFrame], epsilon: float) -> None:
    found, lines, vacuity = tables["runs"], tables["lines"], tables["vacuity"].set_index("epsilon")
    trivial = lines[lines["line"] == "trivial"]
    axes.fill_between(
        trivial["episodes"], trivial["regret"], TOP, color=style.COLOURS["reference"], alpha=0.12, linewidth=0
    )
    for name, label in {
        "trivial": "H T, which nothing exceeds",
        "uniform": "uniform play",
        "constant": "best constant action",
    }.items():
        rows = lines[lines["line"] == name]
        axes.plot(
            rows["episodes"],
            rows["regret"],
            color=style.COLOURS["reference"],
            linestyle=style.LINES[name],
            label=label,
            linewidth=1.0,
        )
    rows = lines[(lines["line"] == "theorem-4") & (lines["epsilon"] == epsilon)]
    axes.plot(
        rows["episodes"],
        rows["regret"],
        color=style.COLOURS["bound"],
        linestyle=style.LINES["bound"],
        label="theorem 4, sum as printed",
    )
    for calibration in CALIBRATIONS:
        part = found[(found["calibration"] == calibration) & (found["epsilon"] == epsilon) & (found["agent"] == "pucb")]
        _line(axes, part, style.COLOURS[calibration], style.LINES["pucb"], f"PUCB, {calibration}")
    _line(axes, found[found["agent"] == "ubev"], style.COLOURS["base"], style.LINES["ubev"], "UBEV, no privacy")
    style.guide(axes, 1.0, (2e5, 1.5e3), 2e6, "slope 1")
    style.guide(axes, 0.5, (2e5, 2e2), 2e7, "½")
    row = vacuity.loc[epsilon]
    start = row["below_trivial_from"]
    words = f"vacuous up to\nT = {style.tex(start)}"
    if start <= PLANNED:
        words += f";\nat $10^8$ still {style.number(row['bound_over_uniform'], 2)} times\nuniform play"
    else:
        words += f":\n{style.number(row['bound_over_trivial'], 2)} H T at $10^8$"
    axes.text(
        0.04,
        0.98,
        f"theorem 4 is {words}",
        transform=axes.transAxes,
        va="top",
        fontsize=7,
        color=style.COLOURS["bound"],
    )
    axes.set(xscale="log", yscale="log", xlim=(FIRST, PLANNED), ylim=(20, TOP), title=f"ε = {epsilon:g}")
    axes.set_xticks([1e4, 1e6, 1e8])


def _line(axes: Axes, rows: pd.DataFrame, colour: str, dash: object, label: str) -> None:
    axes.plot(rows["episodes"], rows["regret"], color=colour, linestyle=dash, label=label)
    style.draw_band(axes, rows["episodes"], rows["low"], rows["high"], colour)
