"""The two RiverSwims of liao2021 relabelled: the tuned agent again, and the calibrations whose
privacy is accounted."""

from math import inf

from figures import linear_runs as lr
from figures import style
from figures.kinds.lines import Axes, Legend, draw_lines, panels
from figures.kinds.tables import TABLES, Path, Tables, where
from figures.liao2021.regret import ENTRIES as PLAIN
from figures.liao2021.regret import (
    EPSILONS,
    MARKS,
    PLANNED,
    TITLES,
    bands,
    chosen,
    curves,
    lines,
    plan,
)
from privrl.run.sweep import RunPlan

ID = "liao2021_relabelled"
ENTRIES = tuple(f"{entry}-relabelled" for entry in PLAIN)
HONEST = ("corrected", "tight")
# apart from the colours of epsilon
COLOURS = {"corrected": style.COLOURS["other"], "tight": style.PALETTE[5]}
FIRST = 100  # episodes, left of which a share says nothing
REPLICATES = 32
MESSAGE = "Where no constant action is good, agents with covering widths hardly learn"
CAPTION = """Where no constant action is good, private agents with covering widths learn hardly
anything within 10^4 episodes. The rivers of `liao2021_regret` (H = 6), each step and state with its
actions permuted by a coin; regret so far over uniform play's, mean and 95 % t interval. Top: the
tuned agent, 32 runs, with the c of `liao2021_regret`. Features are one-hot and every step has its
own regression, so the law of the regret is that of the plain rivers; only the best constant action
changes. Bottom: the noise that really gives (epsilon, 0.1)-LDP, values clipped to [0, H - h + 1]
over H and widths that cover, 32 runs. corrected stays on the line of known rewards: every bonus
exceeds its cap for all 10^4 episodes."""
ALT = """Four panels of regret over uniform play's against episodes. Top: as on the plain rivers,
while the best constant action now loses almost as much as uniform play. Bottom: corrected lies on
the line of known rewards for every epsilon, tight a few per cent below it; the base with widths
that cover ends at about a third."""


def plans(folder: Path = TABLES) -> list[RunPlan]:
    """Tuned runs with the c found on the plain rivers, then the accounted calibrations."""
    plans_ = []
    for plain, entry in zip(PLAIN, ENTRIES, strict=True):
        plans_ += [
            plan(entry, epsilon, chosen(folder)[plain, epsilon], REPLICATES)
            for epsilon in (*EPSILONS, inf)
        ]
        for calibration in HONEST:
            plans_ += [
                RunPlan(
                    entry,
                    calibration=calibration,
                    epsilon=epsilon,
                    episodes=PLANNED,
                    replicates=REPLICATES,
                )
                for epsilon in EPSILONS
            ]
        plans_.append(
            RunPlan(
                entry,
                agent="ucrl-vtr",
                counter="none",
                calibration="tight",
                episodes=PLANNED,
                replicates=REPLICATES,
            )
        )
    return plans_


def recompute(path: Path, jobs: int = 1) -> None:
    """Run again: some minutes; resumable."""
    lr.recompute(plans(path.parent), path, jobs, MARKS)


def tables(folder: Path = TABLES) -> Tables:
    return {"runs": bands(lr.read(ID, folder)), "lines": lines(ENTRIES)}


def _panel(tables: Tables, axes: Axes, tuned: bool, entry: str) -> None:
    ends = where(tables["lines"], entry=entry).set_index("line")["regret"]
    rows = where(tables["runs"], entry=entry)
    rows = rows[rows["episodes"] >= FIRST]
    unit = ends["uniform"] / PLANNED * rows["episodes"]
    rows = rows.assign(**{name: rows[name] / unit for name in ("mean", "low", "high")})
    if tuned:
        curves(axes, where(rows, calibration="tuned"))
    else:
        draw_lines(
            axes,
            rows,
            "agent calibration epsilon",
            "episodes",
            "mean",
            {
                ("ldp-ucrl-vtr", name, epsilon): (
                    COLOURS[name],
                    "-",
                    f"{name}, every ε" if epsilon == EPSILONS[0] else None,
                )
                for name in HONEST
                for epsilon in EPSILONS
            },
            band=True,
        )
        draw_lines(
            axes,
            rows,
            "agent calibration",
            "episodes",
            "mean",
            {("ucrl-vtr", "tight"): (style.COLOURS["base"], lr.DASHES[inf], None)},
        )
        axes.set(xlim=(0, PLANNED), xticks=range(0, PLANNED + 1, 2500))
    lr.draw_references(axes, ends, ("uniform", "constant", "blind"), ends["uniform"], zorder=1.6)
    axes.set_ylim(0, 1.15)
    axes.set_title(
        f"{TITLES[entry.removesuffix('-relabelled')]}: tuned bonus"
        if tuned
        else "noise and widths accounted"
    )


draw = panels(
    _panel,
    height=5.0,
    keys=[(True, False), ENTRIES],
    ylabels=["regret so far / uniform play's"] * 2,
    xlabel="episodes",
    legend=Legend(
        of=(0, 2),
        names={
            "uniform play": (0, 8000, 1),
            "best constant action": (3, 7000, -1),
            "known rewards, nothing learnt": (2, 6000, 4),
        },
    ),
)
