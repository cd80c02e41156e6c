"""How many users before an algorithm has learnt, by problem, trust and epsilon: printed, tight,
better counters."""

from math import inf
from typing import Any

from figures import style
from figures import users as advice
from figures.kinds.lines import Axes, Legend, draw_levels, draw_marks, panels, proxy
from figures.kinds.tables import TABLES, Path, Tables, frame, where

MESSAGE = "Tight noise and better counters bring learning to fewer users"
CAPTION = """Tight noise and better counters bring learning to fewer users. At epsilon = 1 (tabular)
the printed algorithm, planned for 10^8 users, takes forty million; the best tight one, planned for
10^6, takes twenty-five thousand; plans differ, so their quotient is no gain. Burn-in (the number of
users from which on mean regret per episode is at most half of uniform play's, 95 % interval
included) of the best run of each kind, over epsilon, down to the lower end of its interval.
Tabular: the relabelled RiverSwim, S = 3, A = 2, H = 3; linear: the smallest mixture, d = H = 2.
`Printed` noise does not always have the epsilon of the abscissa (`privacy_all`); all others have it
exactly, at delta of at most 10^-6. Planned numbers of users differ and are in the data. Agents that
are told the rewards are left out."""
ALT = """Four log-log panels of users against epsilon. The lines fall; the printed line is on top,
below it the tight one with the paper's counter, lowest the tight one with a better counter or of a
successor. Local privacy needs more users than joint privacy; open triangles at the top mark what
was not learnt. A dashed line at 500 users (tabular) and 20 (linear) is learning without privacy."""
SUCCESSORS = ("private-ucbvi", "ldp-ucbvi", "dp-ucbvi")
KINDS: dict[str, dict[str, Any]] = {
    "printed": {"colour": style.COLOURS["printed"], "fmt": "o", "label": "printed"},
    "tight": {"colour": style.COLOURS["tight"], "fmt": "D", "label": "tight, the paper's counter"},
    "counter": {
        "colour": style.PALETTE[3],
        "fmt": "*",
        "markersize": 8,
        "label": "tight, better counter",
    },
    "successor": {"colour": style.PALETTE[4], "fmt": "s", "label": "successor, tight"},
}


def kind_of(row: Any) -> str:
    """Which line a run belongs to; empty: none."""
    if row.calibration == "printed":
        return "printed"
    if row.calibration not in advice.HONEST or row.delta > advice.MOST_DELTA:
        return ""
    if row.agent in SUCCESSORS:
        return "successor"
    return "tight" if row.counter in ("tree", "local") else "counter"


def tables(folder: Path = TABLES) -> Tables:
    every = advice.table(folder)
    every = every[~every["agent"].isin(advice.KNOWN)]
    private = every[every["trust"] != "none"].copy()
    private["kind"] = [kind_of(row) for row in private.itertuples()]
    rows = []
    for (problem, trust, kind, epsilon), cell_rows in private[private["kind"] != ""].groupby(
        ["problem", "trust", "kind", "epsilon"], sort=True
    ):
        best = cell_rows.sort_values(["burn_in", "central"], kind="stable").iloc[0]
        rows.append(
            (
                problem,
                trust,
                kind,
                epsilon,
                best["agent"],
                best["counter"],
                best["calibration"],
                best["delta"],
                best["planned"],
                best["burn_in"],
                best["earliest"],
                cell_rows["played"].max(),
            )
        )
    bases = where(every, trust="none").groupby("problem")["burn_in"].min().reset_index()
    return {
        "lines": frame(
            rows,
            "problem trust kind epsilon agent counter calibration delta planned burn_in earliest "
            "tried",
        ),
        "bases": bases,
    }


def _panel(tables: Tables, axes: Axes, problem: str, trust: str) -> None:
    for place, (kind, look) in enumerate(KINDS.items()):
        mine = where(tables["lines"], problem=problem, trust=trust, kind=kind).sort_values(
            "epsilon"
        )
        shift = 1.06 ** (place - 1.5)
        reached, beyond = mine[mine["burn_in"] < inf], mine[~(mine["burn_in"] < inf)]
        if len(reached):
            draw_marks(
                axes,
                reached["epsilon"] * shift,
                reached.assign(earliest=reached["earliest"].clip(lower=1.0)),
                "burn_in",
                low="earliest",
                high="burn_in",
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
        title=f"{advice.WORDS[problem].split(',')[0]}, {advice.TRUST[trust]}",
    )


draw = panels(
    _panel,
    5.0,
    [tuple(advice.PROBLEMS), tuple(advice.TRUST)],
    ["users before it has learnt"] * 2,
    "ε",
    Legend(of=range(4)),
    sharey="row",
)
