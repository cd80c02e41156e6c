"""What the errata of the papers share: groups of slips, and their text from the ledger's records.

The statements, instances and checks are the ledger's; a paper's module writes the order and the consequences only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any

from theory.ledger import Row

Parts = Mapping[str, tuple["Erratum", ...]]


def paragraph(text: str) -> str:
    """Wrapped, indented text."""
    return fill(" ".join(text.split()), 110, initial_indent="    ", subsequent_indent="    ")


@dataclass(frozen=True)
class Erratum:
    """One group of slips with one consequence.

    Parameters
    ----------
    cause : the one reason, as a name for counting; every claim that needs a correction names the erratum's
    title : what is wrong, in a line
    claims : ids without the paper, the decisive one first
    stands : (claim, record) of the ledger that say what is true instead
    practice : what it changes for one who uses the algorithm or the bound
    fails : (claim, record) that fail and are told in full beside the first of each claim
    """

    cause: str
    title: str
    claims: tuple[str, ...]
    stands: tuple[tuple[str, str], ...]
    practice: str
    fails: tuple[tuple[str, str], ...] = ()


def groups(parts: Parts) -> Iterator[tuple[str, Erratum]]:
    """(part, erratum) in order."""
    for part, found in parts.items():
        for erratum in found:
            yield part, erratum


def record_of(paper: str, rows: Sequence[Row], claim: str, of: str) -> dict[str, Any]:
    """The record of that claim of the paper whose ``of`` is that.

    Raises
    ------
    ValueError
        There is none.
    """
    for row in rows:
        if row["id"] == f"{paper}/{claim}":
            for record in row.get("records", ()):
                if record["of"] == of:
                    return dict(record)
    raise ValueError(f"the ledger must have the record, got claim={claim!r}, of={of!r}")


def failing(paper: str, rows: Sequence[Row], claim: str, first: str = "") -> list[dict[str, Any]]:
    """Records of a claim that fail: the one named ``first``, the printed statement and its readings, then steps."""
    found = [record for row in rows if row["id"] == f"{paper}/{claim}" for record in row.get("records", ())
             if record["verdict"] == "fails"]
    return sorted(found, key=lambda record: (record["of"] != first, record["of"].startswith("step")))


def text(paper: str, rows: Sequence[Row], erratum: Erratum, decisive: Mapping[str, str] | None = None) -> str:
    """What fails (the first record of each claim, ``decisive`` or as :func:`failing` has them, and those named in
    ``fails``; the others by name), what stands, and what it changes."""
    lines = []
    printed = {row["id"]: row["statement"] for row in rows}
    for claim in erratum.claims:
        first, *others = failing(paper, rows, claim, (decisive or {}).get(claim, ""))
        whole = [first, *(record for record in others if (claim, record["of"]) in erratum.fails)]
        for record in whole:
            lines.append(f"  {claim} fails, {record['of']} ({record['rigor']})")
            lines.append(paragraph(record["statement"] or printed[f"{paper}/{claim}"]))
            lines.append(paragraph(f"Where: {record['domain']}."))
        if named := [record["of"] for record in others if record not in whole]:
            lines.append(paragraph("Also: " + "; ".join(named) + "."))
    for claim, of in erratum.stands:
        record = record_of(paper, rows, claim, of)
        lines.append(f"  {claim} stands, {of} ({record['rigor']})")
        lines.append(paragraph(f"{record['statement']}."))
        lines.append(paragraph(f"Checked against: {record['mutant']} (rejected)."))
    lines.append("  in practice")
    lines.append(paragraph(erratum.practice))
    return "\n".join(lines)
