"""The errata: per paper in the order of their consequence, and of all papers by what each claim
needs.

The statements, instances and checks are the ledger's; a paper's ``errata.toml`` has only the order,
the causes and what they change in practice, its numbers as fields (:mod:`theory.fields`).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from theory import errata_groups, ledger
from theory.errata_groups import Erratum
from theory.fields import collected, filled
from theory.ledger import Row
from theory.numbering import CLAIM, papers

__all__ = ["Erratum", "groups", "of_claim"]

MOST = 600  # characters of a cell: what is longer ends with a clause, and the ledger has the rest
NEEDS = {  # what a claim needs, with the title of its table
    "corrected: substance": "The order, the privacy or the conclusion changes",
    "open": "The printed proof fails, and nobody knows whether the statement is true",
    "corrected: domain": "A hypothesis or a range is missing",
    "corrected: constant": "A constant or a logarithm is off; the conclusion stands",
    "corrected: wording": "A word, an index or a convention is missing",
    "": "The statement stands or hides constants; a line of its proof, or another reading, fails",
}


def groups(paper: str, rows: Sequence[Row] | None = None) -> Iterator[tuple[str, Erratum]]:
    """(part, erratum) in order, the gravest first, the fields filled in from the numbers of the
    paper's records, by default those of the stored ledger."""
    rows = ledger.recorded() if rows is None else rows
    numbers = collected(
        record
        for row in rows
        if row["id"].startswith(f"{paper}/")
        for record in row.get("records", ())
    )
    for heading, erratum in errata_groups.groups(paper):
        texts = (erratum.title, erratum.practice, erratum.known)
        title, practice, known = (filled(text, numbers) for text in texts)
        yield heading, replace(erratum, title=title, practice=practice, known=known)


def of_claim(paper: str, claim: str, rows: Sequence[Row] | None = None) -> Erratum | None:
    """The erratum in which a claim stands, filled in from these rows as :func:`groups` does."""
    return next((erratum for _, erratum in groups(paper, rows) if claim in erratum.claims), None)


def failing(row: Row) -> list[Row]:
    """The records of a claim that fail (or are printed and open: what is known stands in the
    evidence), the printed statement first, then readings, then steps of the proof."""
    kinds = ("printed", "reading", "step")
    failing_records = [
        record
        for record in row.get("records", ())
        if record["verdict"] == "fails" or (record["verdict"], record["of"]) == ("open", "printed")
    ]
    return sorted(failing_records, key=lambda record: kinds.index(record["of"].split(":")[0]))


def record_of(row: Row, of: str) -> Row:
    """The record of a claim whose ``of`` is that.

    Raises
    ------
    ValueError
        There is none.
    """
    ledger_record = next((record for record in row.get("records", ()) if record["of"] == of), None)
    if ledger_record is None:
        raise ValueError(f"the ledger must have the record, got id={row['id']!r}, of={of!r}")
    return dict(ledger_record)


def _sentence(text: str) -> str:
    text = text.strip().rstrip(".")
    return text[:1].upper() + text[1:] + "."


def _said(row: Row, record: Row) -> str:
    return _sentence(
        ledger.words(record, "statement") if record["statement"] else ledger.words(row, "statement")
    )


def outside(text: str, transform: Callable[[str], str]) -> str:
    """The text with everything but its formulas and its code made anew."""
    pieces = re.split(r"(\$[^$]+\$|`[^`]+`)", text)
    return "".join(transform(piece) if at % 2 == 0 else piece for at, piece in enumerate(pieces))


def _escaped(text: str) -> str:
    """Words for Markdown: what it would take for markup is escaped, but for formulas and code."""

    def made(piece: str) -> str:
        for mark in ("\\", "|", "*", "_", "~", "<"):
            piece = piece.replace(mark, {"|": "&#124;", "<": "&lt;"}.get(mark, "\\" + mark))
        return piece

    return outside(text, made)


def markdown(
    paper: str,
    rows: Sequence[Row],
    name: Callable[[str], str] = "`{}`".format,
    typed: Callable[[str], str] = _escaped,
) -> str:
    """The errata of a paper for reading: what fails, the mildest instance, what stands, what it
    changes in practice.

    ``name`` makes a claim's name, or a link to it, from its id; ``typed`` words with typed formulas
    fit for Markdown.
    """
    claim_rows = {row["id"].split("/")[1]: row for row in rows if row["id"].startswith(f"{paper}/")}
    lines, heading = [], ""
    for number, (title, erratum) in enumerate(groups(paper, rows), 1):
        lines += [f"### {title}", ""] if title != heading else []
        heading = title
        lines += [f"**{number}. {typed(_sentence(erratum.title))}**", ""]
        for claim in erratum.claims:
            row = claim_rows[claim]
            first, *others = failing(row)
            records = [
                first,
                *(record for record in others if (claim, record["of"]) in erratum.fails),
            ]
            for record in records:
                witness_words = (
                    f" {typed(ledger.witness_text(record['witness']))}"
                    if record.get("witness")
                    else ""
                )
                verb = "is open" if record["verdict"] == "open" else "fails"
                lines.append(
                    f"- {name(row['id'])} ({ledger.state(row)}); "
                    f"{typed(ledger.words(record, 'of'))} {verb}: "
                    f"{typed(_said(row, record))}{witness_words}"
                )
            also = [typed(ledger.words(record, "of")) for record in others if record not in records]
            lines += [f"  Also: {'; '.join(also)}."] if also else []
        for claim, of in erratum.stands:
            row, record = claim_rows[claim], record_of(claim_rows[claim], of)
            lines.append(
                f"- *What stands* ({name(row['id'])}, {record['rigor']}): "
                f"{typed(_said(row, record))}"
            )
        lines.append(f"- *In practice*: {typed(_sentence(erratum.practice))}")
        lines += [f"- *Known before*: {typed(_sentence(erratum.known))}"] if erratum.known else []
        lines.append("")
    return "\n".join(lines)


def folded(errata: str) -> str:
    """The Markdown of :func:`markdown` with what stands below a title folded."""
    return re.sub(
        r"^(\*\*\d+\. .*?\*\*)\n\n(.*?)(?=\n+\*\*\d+\. |\n+### |\Z)",
        r"\1\n\n<details><summary>what fails, what stands in its place, what it changes</summary>"
        r"\n\n\2\n\n</details>",
        errata,
        flags=re.MULTILINE | re.DOTALL,
    )


def needs(row: Row) -> str | None:
    """The key of :data:`NEEDS` of a claim; None where nothing of it fails."""
    if row["role"] != CLAIM or not failing(row):
        return None
    return ledger.state(row) if ledger.state(row) in NEEDS else ""


def counts(rows: Sequence[Row]) -> dict[str, dict[str, int]]:
    """Claims by what they need and by paper."""
    tallies = {key: dict.fromkeys(papers(), 0) for key in NEEDS}
    for row in rows:
        if (key := needs(row)) is not None:
            tallies[key][row["id"].split("/")[0]] += 1
    return tallies


def listed(rows: Sequence[Row], need: str, typed: Callable[[str], str] = _escaped) -> str:
    """All claims with one need, by paper and cause: the claim, what fails, the mildest instance,
    what stands. ``typed`` as in :func:`markdown`."""
    lines = []
    for paper in papers():
        rows_by_id = {
            row["id"]: row
            for row in rows
            if row["id"].startswith(f"{paper}/") and needs(row) == need
        }
        order = [
            f"{paper}/{claim}"
            for _, erratum in errata_groups.groups(paper)
            for claim in erratum.claims
        ]
        for row in sorted(
            rows_by_id.values(),
            key=lambda row: order.index(row["id"]) if row["id"] in order else len(order),
        ):
            first = failing(row)[0]
            of = (
                "Fails"
                if first["of"] == "printed"
                else f"Fails, {typed(ledger.words(first, 'of'))}"
            )
            evidence = (
                ledger.witness_text(first["witness"])
                if first.get("witness")
                else ledger.words(first, "domain")
            )
            lines.append(
                f"- **`{row['id']}`** *{of}*: {typed(short(_said(row, first)))} *Shown by*: "
                f"{typed(short(evidence))} *What holds*: {typed(short(_stands(row)))}"
            )
    return "\n".join(lines)


def _stands(row: Row) -> str:
    """The record that the errata name for the claim; else the first corrected one; else the printed
    one."""
    paper, claim = row["id"].split("/")
    erratum = errata_groups.of_claim(paper, claim)
    holding = {record["of"]: record for record in row["records"] if record["verdict"] == "holds"}
    cited = [
        of
        for standing_claim, of in (erratum.stands if erratum else ())
        if standing_claim == claim and of in holding
    ]
    chosen = [*cited, *(of for of in holding if of.startswith("corrected")), *holding]
    if not chosen:
        return f"Nothing is known beside it ({row['verdict']})."
    return f"{_said(row, holding[chosen[0]])} ({holding[chosen[0]]['rigor']})"


def short(text: str, most: int = MOST) -> str:
    """The text, cut at the end of a sentence, else of a clause, never inside a formula, where it is
    longer than ``most`` characters."""
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    cuts = [at for at in range(most // 2, most) if text.count("$", 0, at) % 2 == 0]
    if ends := [at for at in cuts if text.startswith(". ", at)]:
        return text[: ends[-1] + 1]
    for marks in (("; ", ", "), (" ",)):
        if ends := [at for at in cuts if text.startswith(marks, at)]:
            return text[: ends[-1]].rstrip(".;, ") + "; the ledger has the rest."
    return text
