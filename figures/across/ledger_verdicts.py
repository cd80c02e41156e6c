"""The ledger at one look: every claim a mark, by paper, kind and verdict; and how its records were
decided."""

from typing import Any

import numpy as np
import pandas as pd

from figures import style
from figures.kinds.lines import Axes, Figure, legend_below
from figures.kinds.tables import TABLES, Path, Tables, frame, where
from theory import ledger

MESSAGE = "Most claims hold as printed or after a correction that is stated"
CAPTION = (
    "All claims of the four papers. Top: one mark per claim, by kind; its shape and colour are "
    "the verdict on the printed statement in its most natural reading. *Corrected* claims fail "
    "as printed, and a corrected statement stands beside them: what they need is a word, a "
    "constant, a hypothesis or a range (domain), or a new statement (substance). *Open*: the "
    "printed proof fails, and nobody knows whether the statement is true. *Unspecified*: it "
    "hides constants, and its order is decided. Bottom: how the records behind the verdicts were "
    "decided, those that hold (corrected statements included) and those that fail (readings and "
    "steps of printed proofs included)."
)
ALT = (
    "Top: four rows, one per paper, of marks in five groups: theorems, lemmas, equations, "
    "algorithms, others. Filled circles are claims that hold; diamonds in four colours are "
    "claims that need a correction, from a word to a new statement; open squares hide constants. "
    "Bottom: two panels of stacked bars, records that hold and records that fail, by how they "
    "were decided; nearly all that fail do so by counterexample."
)
ITEM_GROUPS: dict[str, tuple[str, ...]] = {
    "theorems": ("theorem", "corollary", "proposition"),
    "lemmas": ("lemma", "claim"),
    "equations": ("equation",),
    "algorithms": ("algorithm",),
}
OTHER = "other"  # examples, remarks, and whatever else a paper numbers
MARKS: dict[str, dict[str, Any]] = {
    "holds": {"marker": "o", "color": style.PALETTE[2]},
    "corrected: wording": {"marker": "D", "color": style.PALETTE[2], "markerfacecolor": "white"},
    "corrected: constant": {"marker": "D", "color": style.PALETTE[4]},
    "corrected: domain": {"marker": "D", "color": style.PALETTE[0]},
    "corrected: substance": {"marker": "D", "color": style.PALETTE[1]},
    "unspecified": {"marker": "s", "color": style.PALETTE[0], "markerfacecolor": "white"},
    "vacuous": {"marker": "v", "color": style.PALETTE[4], "markerfacecolor": "white"},
    "fails": {"marker": "X", "color": style.PALETTE[3]},
    "open": {"marker": "_", "color": style.GREY},
}
RIGORS: dict[str, tuple[str, str]] = {
    "kernel": ("#222222", ""),
    "proved": (style.PALETTE[0], ""),
    "certified": (style.PALETTE[2], "////"),
    "derived": (style.PALETTE[3], "++++"),
    "exact": (style.PALETTE[4], "...."),
    "counterexample": (style.PALETTE[1], "xxxx"),
    "statistical": ("#bbbbbb", ""),
    "cited": ("#bbbbbb", ""),
}
RARE = dict.fromkeys(("statistical", "cited"), "statistical, cited")  # named together
PER_ROW, GAP = 9, 1.6  # marks of one line of a group, space between groups


def tables(folder: Path = TABLES) -> Tables:
    rows = [row for row in ledger.recorded() if "verdict" in row]
    group = {kind: name for name, kinds in ITEM_GROUPS.items() for kind in kinds}
    claims = frame(
        [
            (row["id"].split("/")[0], group.get(row["kind"], OTHER), ledger.state(row))
            for row in rows
        ],
        "paper kind verdict",
    )
    records = frame(
        [
            (row["id"].split("/")[0], record["verdict"], record["rigor"])
            for row in rows
            for record in row["records"]
        ],
        "paper verdict rigor",
    )
    orders = {
        "paper": ledger.PAPERS,
        "kind": (*ITEM_GROUPS, OTHER),
        "verdict": MARKS,
        "rigor": RIGORS,
    }
    tables_ = {}
    for name, table in (("claims", claims), ("records", records)):
        ranked = table.apply(lambda column: pd.Categorical(column, list(orders[str(column.name)])))
        counted = ranked.groupby(list(table), observed=True).size().reset_index(name="count")
        tables_[name] = counted.astype(dict.fromkeys(table, object))
    return tables_


def draw(tables: Tables) -> Figure:
    figure = Figure(figsize=(style.COLUMN, 4.9), layout="constrained")
    upper, lower = figure.subfigures(2, 1, height_ratios=[1.75, 1])  # type: ignore[misc]
    axes = upper.subplots()
    _marks(axes, tables["claims"])
    legend_below(upper, axes, 4, MARKS)
    left_axes, right_axes = lower.subplots(1, 2, sharey=True)
    _bars(left_axes, tables["records"], "holds", "records that hold, by rigor")
    _bars(right_axes, tables["records"], "fails", "records that fail, by rigor")
    most = tables["records"].groupby(["paper", "verdict"])["count"].sum().max()
    for axes_ in (left_axes, right_axes):  # the longest bar ends within both panels
        axes_.set_xlim(0, 1.1 * float(most))
    named = dict.fromkeys(RARE.get(rigor, rigor) for rigor in RIGORS)
    legend_below(lower, (left_axes, right_axes), 4, named)
    return figure


def _marks(axes: Axes, claims: pd.DataFrame) -> None:
    edge = 0.0
    height = -(-int(claims.groupby(["paper", "kind"])["count"].sum().max()) // PER_ROW)
    pitch = height + 1.0
    for kind in (*ITEM_GROUPS, OTHER):
        rows = where(claims, kind=kind)
        widest = min(PER_ROW, int(rows.groupby("paper")["count"].sum().max()))
        axes.text(edge + (widest - 1) / 2, -1.3, kind, ha="center", fontsize=8)
        for line, paper in enumerate(ledger.PAPERS):
            mine = where(rows, paper=paper)
            verdicts = [
                verdict
                for verdict in MARKS
                for _ in range(int(mine.loc[mine["verdict"] == verdict, "count"].sum()))
            ]
            for verdict, look in MARKS.items():
                at = np.flatnonzero([claim_verdict == verdict for claim_verdict in verdicts])
                axes.plot(
                    edge + at % PER_ROW,
                    line * pitch + at // PER_ROW,
                    linestyle="none",
                    markersize=5.5,
                    label=verdict if at.size else "_",
                    **look,
                )
        edge += widest + GAP
    for line, paper in enumerate(ledger.PAPERS):
        count = int(claims.loc[claims["paper"] == paper, "count"].sum())
        axes.text(
            -1.2, line * pitch, f"{paper}\n{count} claims", ha="right", va="center", fontsize=8
        )
    axes.set(xlim=(-1, edge - GAP), ylim=(len(ledger.PAPERS) * pitch - 1.0, -1.8))
    axes.axis("off")


def _bars(axes: Axes, records: pd.DataFrame, verdict: str, title: str) -> None:
    start = np.zeros(len(ledger.PAPERS))
    for rigor, (colour, hatch) in RIGORS.items():
        rows = where(records, verdict=verdict, rigor=rigor).set_index("paper")["count"]
        counts = np.array([float(rows.get(paper, 0)) for paper in ledger.PAPERS])
        if counts.any():
            axes.barh(
                ledger.PAPERS,
                counts,
                left=start,
                color=colour,
                hatch=hatch,
                edgecolor="white",
                linewidth=0.5,
                height=0.7,
                label=RARE.get(rigor, rigor),
            )
        start += counts
    for line, total in enumerate(start):
        axes.text(total + 1, line, f"{total:.0f}", va="center", fontsize=7.5)
    axes.set(title=title)
    axes.invert_yaxis() if not axes.yaxis_inverted() else None
    axes.grid(visible=False, axis="y")
