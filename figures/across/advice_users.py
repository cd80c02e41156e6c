"""How many users before an algorithm has learnt, by problem, trust and epsilon: printed, tight,
with narrowed widths."""

from math import inf
from typing import Any

from figures import instances, style, user_cases
from figures import users as advice
from figures.kinds.lines import Axes, Legend, draw_levels, draw_marks, panels, proxy
from figures.kinds.tables import TABLES, Path, Tables, frame, where

ID = instances.ID
recompute = instances.recompute  # further instances of docs/tuned.md, resumable
MESSAGE = "Tight noise and better counters bring learning to fewer users"
CAPTION = """Noise that keeps the guarantee, a better counter and a later algorithm bring learning
to fewer users than as printed; narrowed widths to fewer still. Median over replicates of the first
user from which on regret per user stays at most half of uniform play's (docs/measure.md), over
epsilon; bars: where the median of another seed falls, 399 times of 400. Tabular: the relabelled
RiverSwim, S = 3, A = 2, H = 3, all planned for 10^7 users; linear: the smallest mixture, d = H = 2,
all planned for 10^6, without a server at epsilon = 1 for 10^7. Agent, counter and multiplier were
chosen on other instances. Triangles: not learnt within as many. `Printed` noise does not always
have the epsilon of the abscissa (`privacy_all`); all others have it exactly, at delta = 10^-6.
Agents that are told the rewards are left out."""
ALT = """Four log-log panels of users against epsilon. The lines fall; the printed line is on top,
below it the tight one, lowest the one with narrowed widths. Local privacy needs more users than
joint privacy; open triangles mark what was not learnt. A dashed line is learning without
privacy."""
PROBLEM_LOOKS: dict[str, dict[str, Any]] = {
    "printed": {"colour": style.COLOURS["printed"], "fmt": "o", "label": "printed"},
    "tight": {"colour": style.COLOURS["tight"], "fmt": "D", "label": "tight"},
    "tuned": {"colour": style.PALETTE[4], "fmt": "s", "label": "tight, narrowed widths"},
}
PROBLEMS = {"tabular": user_cases.RIVER, "linear": user_cases.MIXTURE}


def tables(folder: Path = TABLES) -> Tables:
    """``lines``: a row per run of the two problems, ``narrow``: with narrowed widths; ``bases``:
    without privacy, widths as proved, of the largest plan."""
    every, rows, bases = advice.frame_of(folder), [], []
    for problem, entry in PROBLEMS.items():
        mine = where(every, problem=entry)
        base = where(mine, kind="base").sort_values("planned", kind="stable").iloc[-1]
        bases.append((problem, base["users"], base["planned"]))
        rows += [
            (
                problem,
                row.trust,
                row.kind,
                row.epsilon,
                row.agent,
                row.counter,
                row.calibration,
                row.delta,
                row.planned,
                row.users,
                row.again_low,
                row.again_high,
                row.never,
                row.replicates,
                row.played,
            )
            for row in mine.itertuples()
            if row.kind in PROBLEM_LOOKS
        ]
    lines = frame(
        rows,
        "problem trust kind epsilon agent counter calibration delta planned burn_in low high "
        "never runs tried",
    )
    return {
        "lines": lines[lines["kind"] != "tuned"].reset_index(drop=True),
        "narrow": where(lines, kind="tuned").reset_index(drop=True),
        "bases": frame(bases, "problem burn_in planned"),
    }


def _panel(tables: Tables, axes: Axes, problem: str, trust: str) -> None:
    for place, (kind, look) in enumerate(PROBLEM_LOOKS.items()):
        lines = tables["narrow" if kind == "tuned" else "lines"]
        mine = where(lines, problem=problem, trust=trust, kind=kind)
        if mine.empty:
            continue
        mine = mine.sort_values("epsilon")
        shift = 1.06 ** (place - 1)
        reached, beyond = mine[mine["burn_in"] < inf], mine[~(mine["burn_in"] < inf)]
        if len(reached):
            draw_marks(
                axes,
                reached["epsilon"] * shift,
                reached.assign(high=reached["high"].clip(upper=reached["tried"])),
                "burn_in",
                low="low",
                high="high",
                linestyle="-",
                linewidth=1.0,
                elinewidth=1.0,
                **look,
            )
        axes.plot(
            beyond["epsilon"] * shift,
            beyond["tried"],
            "^",
            color=look["colour"],
            markerfacecolor="white",
            markersize=6,
        )
    base = float(where(tables["bases"], problem=problem)["burn_in"].iloc[0])
    draw_levels(axes, [(base, style.LINES["ubev"], "no privacy")], color=style.COLOURS["base"])
    if (problem, trust) == ("tabular", "joint"):
        proxy(axes, "not learnt within as many", marker="^", markerfacecolor="white")
    axes.set(
        xscale="log",
        yscale="log",
        title=f"{user_cases.WORDS[PROBLEMS[problem]].split(',')[0]}, {user_cases.TRUST[trust]}",
    )


draw = panels(
    _panel,
    height=5.0,
    keys=[tuple(PROBLEMS), tuple(user_cases.TRUST)],
    ylabels=["users before it has learnt"] * 2,
    xlabel="ε",
    legend=Legend(of=range(4)),
    sharey="row",
)
