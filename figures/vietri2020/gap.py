"""Between the bounds: the worst MDP that a search found beside RiverSwim, and the proved bounds of
their size."""

from collections.abc import Callable
from functools import partial
from math import inf

from figures import runs, style
from figures.kinds.lines import Axes, Look, draw_lines, panels
from figures.kinds.tables import TABLES, Path, Tables, curves, decades, frame, where
from figures.linear_runs import references
from privrl.agents.tabular.private_ucbvi import PrivateUCBVI
from privrl.agents.tabular.pucb import PUCB
from privrl.run.sweep import RunPlan
from theory.papers.vietri2020.bounds import counters, stated, successors

ID = "vietri2020_gap"
ENTRIES = {
    "vietri2020/worst-3-2": "the worst found",
    "vietri2020/riverswim-3-relabelled": "RiverSwim",
}
SIZE = (3, 2, 3)  # S, A, H
PLANNED, REPLICATES = 10**5, 32
WEAK = 1000.0  # epsilon of PUCB, where its bound says something at this plan
DELTA = 1e-6
MESSAGE = "The worst MDP found lies far below the bounds, and above RiverSwim"
CAPTION = """The worst MDP that a search found for PUCB loses several times more than RiverSwim of
the same size, and both lie far below the bounds that are proved. Exact regret over H T, planned for
T = 10^5 (S = 3, A = 2, H = 3, beta = 0.1), mean of 32 replicates with the 95 % t interval. Left:
vietri2020/worst-3-2, where one action pays 1 and the other nothing, whatever the state; right:
riverswim-3-relabelled. Dash-dotted: the best bounds proved for PUCB (tight, epsilon = 1000) and for
private UCBVI (epsilon = 1, delta = 10^-6), each for a run planned for as many episodes as the
abscissa says; above H T (shaded) they are vacuous. The lower bound is theorem 6 corrected, for some
MDP of this size and any agent. Sizes and numbers of the search: docs/gap.md."""
ALT = """Two log-log panels of regret over H T against episodes. Left, the worst MDP: PUCB with and
without noise and private UCBVI follow uniform play at one half, and then bend down. Right,
RiverSwim: the same shapes, lower. In both the proved upper bounds cross H T near the end, ten
times and more above the runs, and the lower bound lies more than ten times below them."""
PLANS = [
    plan
    for entry in ENTRIES
    for plan in (
        RunPlan(entry, calibration="tight", epsilon=WEAK, episodes=PLANNED, replicates=REPLICATES),
        RunPlan(entry, counter="none", episodes=PLANNED, replicates=REPLICATES),
        RunPlan(
            entry,
            agent="private-ucbvi",
            counter="blt",
            epsilon=1.0,
            delta=DELTA,
            episodes=PLANNED,
            replicates=REPLICATES,
        ),
    )
]
recompute = partial(runs.recompute, PLANS)
FIRST = 10**2
TOP = 30.0


def tables(folder: Path = TABLES) -> Tables:
    """``runs``: mean and band; ``lines``: bounds and play that learns nothing, over H T."""
    marks = decades(5)
    played = curves(runs.read(ID, folder), marks, "id agent counter")
    unit = SIZE[2] * played["episodes"]
    played = played.assign(**{name: played[name] / unit for name in ("regret", "low", "high")})
    pucb, ucbvi = PUCB(WEAK, calibration="tight"), PrivateUCBVI(1.0, DELTA, counter="blt")
    bounds: dict[str, Callable[[int], float]] = {
        "pucb": lambda T: counters.regret_bound(pucb, *SIZE, T),
        "private-ucbvi": lambda T: successors.explicit_regret(ucbvi, *SIZE, T),
        "lower": lambda T: stated.lower_regret(*SIZE, T, inf),
    }
    lines = [
        ("all", name, int(mark), bound(int(mark)) / (SIZE[2] * mark))
        for name, bound in bounds.items()
        for mark in marks[marks >= FIRST]
    ]
    lines += [
        (entry, "uniform", int(mark), references(entry)["uniform"] / SIZE[2])
        for entry in ENTRIES
        for mark in (FIRST, PLANNED)
    ]
    return {"runs": played, "lines": frame(lines, "id line episodes regret")}


RUNS: dict[tuple[str, str], Look] = {
    ("pucb", "tree"): (style.COLOURS["tight"], "-", f"PUCB, ε = {WEAK:g}"),
    ("pucb", "none"): (style.COLOURS["base"], "-", "PUCB, no noise"),
    ("private-ucbvi", "blt"): (style.COLOURS["printed"], "-", "private UCBVI, ε = 1"),
}
BOUNDS: dict[str, Look] = {
    "pucb": (style.COLOURS["tight"], style.LINES["proved"], "proved for PUCB"),
    "private-ucbvi": (style.COLOURS["printed"], style.LINES["proved"], "proved for private UCBVI"),
    "lower": (style.COLOURS["other"], style.LINES["lower"], "lower bound, worst MDP"),
}


def _panel(tables: Tables, axes: Axes, entry: str) -> None:
    axes.axhspan(1, TOP, color=style.GREY, alpha=0.12, linewidth=0)
    lines = tables["lines"]
    draw_lines(axes, where(lines, id="all"), "line", "episodes", "regret", BOUNDS)
    level = float(where(lines, id=entry, line="uniform")["regret"].iloc[0])
    axes.axhline(
        level, color=style.GREY, linestyle=style.LINES["uniform"], label="uniform play", linewidth=1
    )
    rows = where(tables["runs"], id=entry)
    draw_lines(axes, rows, "agent counter", "episodes", "regret", RUNS, band=True)
    axes.set(
        xscale="log",
        yscale="log",
        xlim=(FIRST, PLANNED),
        ylim=(1e-4, TOP),
        title=ENTRIES[entry],
    )


draw = panels(
    _panel, height=3.6, keys=[tuple(ENTRIES)], ylabels=["regret / H T"], xlabel="episodes"
)
