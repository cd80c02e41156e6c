"""Long-run exact regret of PUCB and UBEV against theorem 4 of vietri2020 and against what needs no
agent."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from typing import Any

import numpy as np

from figures import runs, style
from figures.kinds.lines import (
    Axes,
    Legend,
    Look,
    draw_bounds,
    draw_lines,
    note,
    panels,
)
from figures.kinds.tables import (
    TABLES,
    Path,
    Tables,
    curves,
    decades,
    frame,
    over_trivial,
    where,
)
from figures.linear_runs import references
from privrl.environments import suite
from privrl.run.sweep import RunPlan
from privrl.types import Calibration, Run
from theory.papers.vietri2020.bounds import proved
from theory.papers.vietri2020.bounds import stated as bounds

ID = "vietri2020_regret"
ENTRY = "vietri2020/riverswim-3-relabelled"
SIZE = (3, 2, 3)  # S, A, H
PLANNED = 10**8
EPSILONS = (1.0, 10.0, 100.0)
DRAWN_CALIBRATIONS: tuple[Calibration, ...] = ("printed", "corrected", "tight")
REPLICATES, LONGEST = 4, 8  # the latter of the one that learns last
BETA = suite.entry(ENTRY).beta
PLANS: list[RunPlan] = [
    *(
        RunPlan(
            ENTRY,
            calibration=calibration,
            epsilon=epsilon,
            episodes=PLANNED,
            replicates=LONGEST if (epsilon, calibration) == (1.0, "printed") else REPLICATES,
        )
        for epsilon in EPSILONS
        for calibration in DRAWN_CALIBRATIONS
    ),
    RunPlan(ENTRY, agent="ubev", counter="none", episodes=PLANNED, replicates=REPLICATES),
]
# table of vietri2020_price
WITHOUT_NOISE = RunPlan(ENTRY, counter="none", episodes=PLANNED, replicates=REPLICATES)
MESSAGE = "PUCB plays like uniform play for long and then learns; its bound speaks later"
CAPTION = """Private agents play like uniform play for 10^5 to 10^7 episodes and then learn; the
paper's bound says nothing until later. Exact regret over H T on riverswim-3-relabelled (S = 3, A =
2, H = 3), planned for T = 10^8 episodes, beta = 0.1; mean of 4 replicates, of 8 of `printed` at
epsilon = 1, with the 95 % t interval; corrected calibration lies between the two and is in the
data. 'PUCB, no noise' is PUCB on exact counts: what lies between it and UBEV is no price of
privacy. Theorem 4 is the sum behind it (Appendix B.2); 'proved' the best bound proved here. Bounds
are for a run planned for as many episodes as the abscissa says; above H T (shaded) they are
vacuous. The lower bound is theorem 6 corrected, for some MDP of this size; privacy adds nothing to
it here."""
ALT = """Three log-log panels, epsilon 1, 10 and 100, of regret against episodes. The private runs
follow uniform play, a line of slope 1, and then bend below it, earlier for larger epsilon and for
tighter calibration; PUCB without noise runs below them, by a factor of 1.5 at the end at epsilon
100, and UBEV well below that. Theorem 4's sum lies above H T for all T up to 10^8 at epsilon 1, and
crosses H T at about 5 times 10^7 and 3 times 10^6 at epsilon 10 and 100; it stays above uniform
play throughout. The proved bounds lie below it, printed above tight; at epsilon 1 that for the
printed noise does not cross H T. The lower bound is a line of slope one half far below the private
runs."""
recompute = partial(runs.recompute, PLANS)  # every plan, resumable
long_runs = partial(runs.read, ID)  # The runs behind this figure, in the order of ``PLANS``


def run_without_noise(folder: Path = TABLES) -> Run:
    """PUCB on exact counts, planned for as many episodes."""
    (run,) = runs.read("vietri2020_price", folder)
    return run


@cache
def vacuous_until(epsilon: float) -> int:
    """The smallest T from which on the sum behind theorem 4 stays below H T."""
    return bounds.vacuity_horizon(*SIZE, epsilon, BETA)


@cache
def proved_from(epsilon: float, calibration: Calibration) -> int:
    """The smallest T from which on the bound proved for this calibration stays below H T."""
    return proved.regret_horizon(*SIZE, epsilon, BETA, calibration)


def tables(folder: Path = TABLES) -> Tables:
    marks = decades(8)
    runs_ = (*long_runs(folder), run_without_noise(folder))
    lines = [
        (name, np.inf, int(mark), references(ENTRY)[name] * mark)
        for name in ("uniform", "constant", "trivial")
        for mark in marks
    ]
    theorem_4, proved_bound = (
        partial(bound, *SIZE, beta=BETA) for bound in (bounds.theorem_4_bound, proved.regret_bound)
    )
    # theorem 6, corrected
    line_of: dict[str, Callable[[int, float], float]] = {
        "theorem-4": theorem_4,
        **{
            f"proved-{name}": partial(proved_bound, calibration=name) for name in DRAWN_CALIBRATIONS
        },
        "lower": partial(bounds.lower_regret, *SIZE),
    }
    lines += [
        (name, epsilon, int(mark), bound(int(mark), epsilon))
        for name, bound in line_of.items()
        for epsilon in EPSILONS
        for mark in marks
        if mark >= 10
    ]
    vacuity = []
    for epsilon in EPSILONS:
        above = [("theorem-4", vacuous_until(epsilon), theorem_4(PLANNED, epsilon))]
        above += [
            (
                f"proved-{name}",
                proved_from(epsilon, name),
                proved_bound(PLANNED, epsilon, calibration=name),
            )
            for name in DRAWN_CALIBRATIONS
        ]
        vacuity += [
            (
                epsilon,
                line,
                start,
                *(value / (references(ENTRY)[level] * PLANNED) for level in ("trivial", "uniform")),
            )
            for line, start, value in above
        ]
    return {
        "runs": curves(runs_, marks, "agent counter calibration epsilon"),
        "lines": frame(lines, "line epsilon episodes regret"),
        "vacuity": frame(
            vacuity, "epsilon line below_trivial_from bound_over_trivial bound_over_uniform"
        ),
    }


SHOWN: tuple[Calibration, ...] = ("printed", "tight")  # corrected lies between them
BOUNDS: dict[str, Look] = {
    "theorem-4": (style.COLOURS["bound"], style.LINES["bound"], "the sum behind theorem 4"),
    **{
        f"proved-{name}": (style.COLOURS[name], style.LINES["proved"], f"proved bound, {name}")
        for name in SHOWN
    },
    "lower": (style.COLOURS["other"], style.LINES["lower"], "lower bound,\nworst MDP"),
}
REFERENCES = {
    "trivial": ("-", "trivial bound H T"),
    "uniform": (style.LINES["uniform"], "uniform play, one action"),
    "constant": (style.LINES["constant"], None),
}
FIRST = 10**3  # left end of the panels
TOP = 1e8
KEYS = "agent calibration epsilon"


def looks(
    epsilon: float, names: Iterable[str], more: Mapping[Any, Look] | None = None
) -> dict[Any, Look]:
    """Lines by ``KEYS``: PUCB at this epsilon with these calibrations, then ``more``, then UBEV."""
    return {
        **{
            ("pucb", name, epsilon): (style.COLOURS[name], style.LINES["pucb"], f"PUCB, {name}")
            for name in names
        },
        **(more or {}),
        ("ubev", "printed", np.inf): (
            style.COLOURS["base"],
            style.LINES["ubev"],
            "UBEV, no privacy",
        ),
    }


def _panel(tables: Tables, axes: Axes, epsilon: float) -> None:
    lines, played = over_trivial(tables["lines"], tables["runs"])
    draw_bounds(axes, lines[lines["epsilon"].isin((epsilon, np.inf))], TOP, REFERENCES, BOUNDS)
    plain = {
        ("pucb", "printed", np.inf): (style.COLOURS["base"], style.LINES["pucb"], "PUCB, no noise")
    }
    draw_lines(axes, played, KEYS, "episodes", "regret", looks(epsilon, SHOWN, plain), band=True)
    rows = where(tables["vacuity"], epsilon=epsilon).set_index("line")
    words = (
        f"{style.tex(rows.loc[line, 'below_trivial_from'], 2)} ({label})"
        for line, label in (
            ("theorem-4", "theorem 4"),
            ("proved-printed", "proved, printed"),
            ("proved-tight", "proved, tight"),
        )
    )
    note(axes, 0.04, 0.985, "\n".join(("below H T from", *words)))
    axes.set(
        xlim=(FIRST, PLANNED),
        ylim=(1e-5, TOP),
        title=f"H = 3, ε = {epsilon:g}",
        xticks=[1e4, 1e6, 1e8],
    )


draw = panels(
    _panel,
    height=4.4,
    keys=[EPSILONS],
    ylabels=["regret / H T"],
    xlabel="episodes",
    legend=Legend(
        names={
            "trivial bound H T": (0, 3e4, 1),
            "uniform play, one action": (0, 2e5, 1),
            "lower bound,\nworst MDP": (0, 2e4, -11),
        }
    ),
)
