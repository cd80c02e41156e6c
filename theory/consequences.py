"""The errata of all four papers by what follows from them; statements, examples and repairs are the ledger's.

Only the class of each claim is written here. Every claim with a record that fails stands in exactly one class.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from theory import errata
from theory.errata import Erratum
from theory.ledger import Row
from theory.numbering import papers

PAPERS: dict[str, Any] = {paper: import_module(f"theory.papers.{paper}.errata") for paper in papers()
                          if find_spec(f"theory.papers.{paper}.errata")}
CLASSES: dict[str, dict[str, tuple[str, ...]]] = {
    "Privacy is not what is claimed": {
        "vietri2020": ("theorem-1", "claim-1", "theorem-12", "algorithm-2"),
        "chowdhury2021": ("theorem-2", "lemma-2"),
        "liao2021": ("theorem-5.1", "equation-3.1", "example-3.3"),
        "zhou2022": ("theorem-6.4",),
    },
    "A statement about regret, PAC or optimism is false": {
        "vietri2020": ("algorithm-3", "theorem-14", "lemma-15", "lemma-16", "lemma-17", "lemma-18", "equation-5",
                       "theorem-5", "lemma-10", "lemma-9", "equation-42", "theorem-6"),
        "chowdhury2021": ("equation-4", "lemma-6", "equation-9"),
        "liao2021": ("theorem-5.2", "lemma-5.4", "lemma-5.5", "theorem-5.6"),
        "zhou2022": ("lemma-3.1", "theorem-5.1"),
    },
    "A constant or a probability is off": {
        "vietri2020": ("equation-e-epsilon", "lemma-13", "theorem-4", "equation-15", "equation-17", "theorem-3",
                       "lemma-20", "lemma-7", "lemma-8", "lemma-23"),
        "chowdhury2021": ("sensitivity", "lemma-1", "claim-1", "claim-2", "lemma-7", "theorem-1", "theorem-3"),
        "liao2021": ("algorithm-1-sigma", "section-6.2-sigma"),
        "zhou2022": ("theorem-4.1", "theorem-6.5"),
    },
    "A step of a proof is false, the statement is not": {
        "vietri2020": ("lemma-11", "lemma-21"),
        "chowdhury2021": ("lemma-3",),
        "zhou2022": ("lemma-7.2",),
    },
    "Wording, or something left open": {
        "vietri2020": ("example-jdp", "section-2.3", "algorithm-5", "lemma-19"),
        "chowdhury2021": ("lemma-9",),
        "liao2021": ("example-3.4", "equation-5.1", "section-6.2-beta"),
        "zhou2022": ("algorithm-1", "algorithm-2", "lemma-6.1", "lemma-B.1"),
    },
}
MOST = 330  # characters of a cell: what is longer ends with a sentence, and the ledger has the rest


@dataclass(frozen=True)
class Slip:
    """One claim with its decisive failing record and what stands.

    Parameters
    ----------
    claim : id with the paper
    printed : the statement that fails; ``of`` says whether it is the printed one, a reading or a step
    example : where it fails
    stands : the corrected statement, or that the printed one stands
    """

    claim: str
    of: str
    printed: str
    example: str
    stands: str
    rigor: str


def slips(rows: Sequence[Row], consequence: str) -> list[Slip]:
    """All claims of a class, in the order of papers and of importance."""
    found = []
    for paper, claims in CLASSES[consequence].items():
        for claim in claims:
            row = next(row for row in rows if row["id"] == f"{paper}/{claim}")
            fails = _failing(paper, rows, claim)[0]
            found.append(Slip(row["id"], fails["of"], fails["statement"] or row["statement"], fails["domain"],
                              _stands(paper, claim, row), fails["rigor"]))
    return found


def _failing(paper: str, rows: Sequence[Row], claim: str) -> list[dict[str, Any]]:
    first = getattr(PAPERS[paper], "FIRST", {}).get(claim, "")
    return errata.failing(paper, rows, claim, first)


def _stands(paper: str, claim: str, row: Row) -> str:
    """The record that the paper's errata name for the claim; else the first corrected one; else the printed one."""
    records = {record["of"]: record for record in row["records"] if record["verdict"] == "holds"}
    named = [of for _, erratum in errata.groups(PAPERS[paper].PARTS) for one, of in erratum.stands if one == claim]
    chosen = [*(of for of in named if of in records), *(of for of in records if of.startswith("corrected")), *records]
    if not chosen:
        return "nothing beside it"
    if chosen[0] == "printed":
        return f"the printed statement ({records['printed']['rigor']})"
    return f"{records[chosen[0]]['statement']} ({records[chosen[0]]['rigor']})"


def covered() -> set[str]:
    """Ids of all claims in a class."""
    return {f"{paper}/{claim}" for parts in CLASSES.values() for paper, claims in parts.items() for claim in claims}


def counts(consequence: str) -> dict[str, int]:
    """Claims of a class by paper."""
    return {paper: len(CLASSES[consequence].get(paper, ())) for paper in PAPERS}


def worst(paper: str) -> Erratum:
    """The first erratum of a paper: its errata stand in the order of their consequence."""
    return next(iter(errata.groups(PAPERS[paper].PARTS)))[1]


def short(text: str, most: int = MOST) -> str:
    """The text, cut at the end of a clause where it is longer than ``most`` characters."""
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    cut = max(text.rfind(mark, 0, most) for mark in (". ", "; ", ", "))
    return text[: cut if cut > most // 2 else text.rfind(" ", 0, most)].rstrip(".;, ") + " ..."


def markdown(rows: Sequence[Row], consequence: str) -> str:
    """A table of a class for reading: claim, what fails, the smallest example, what stands."""
    return "\n".join(_lines(slips(rows, consequence)))


def _lines(found: Sequence[Slip]) -> Iterator[str]:
    yield "| claim | fails | where, smallest example | what holds |"
    yield "| --- | --- | --- | --- |"
    for slip in found:
        of = "" if slip.of == "printed" else f" *({_cell(slip.of, 90)})*"
        yield (f"| `{slip.claim}` | {_cell(slip.printed)}{of} | {_cell(slip.example)} ({slip.rigor}) | "
               f"{_cell(slip.stands)} |")


def _cell(text: str, most: int = MOST) -> str:
    """For a Markdown table: no bars, and nothing that Markdown or MathJax would take for markup."""
    cut = short(text, most)
    for mark in ("\\", "|", "*", "_", "~", "<", "$"):
        cut = cut.replace(mark, {"|": "&#124;", "<": "&lt;"}.get(mark, "\\" + mark))
    return cut
