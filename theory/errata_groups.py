"""Which claims share one cause: what a paper's ``errata.toml`` says, without the ledger that reads
it and that fills its fields in (:mod:`theory.errata`)."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from theory.numbering import FOLDER


@dataclass(frozen=True)
class Erratum:
    """One group of slips with one cause."""

    cause: str  #: the one reason, as a name for counting
    title: str  #: what is wrong, in a line
    claims: tuple[str, ...]  #: ids without the paper, the decisive one first
    #: (claim, record) of the ledger that say what is true instead
    stands: tuple[tuple[str, str], ...]
    practice: str  #: what it changes for one who uses the algorithm or the bound
    fails: tuple[
        tuple[str, str], ...
    ] = ()  #: (claim, record) that fail and are told beside the first of each claim
    #: who noticed it before, or what was searched; where a claim needs a range or a new statement
    known: str = ""


@cache
def parts(paper: str) -> Mapping[str, tuple[Erratum, ...]]:
    """The errata of a paper by part, in the order of their consequence; empty for a paper without
    any."""
    errata_by_heading: dict[str, list[Erratum]] = {}
    path = FOLDER / paper / "errata.toml"
    for row in tomllib.loads(path.read_text(encoding="utf-8"))["erratum"] if path.exists() else ():
        stands, fails = (
            tuple((claim, of) for claim, of in row.get(name, ())) for name in ("stands", "fails")
        )
        claims, practice = tuple(row["claims"]), " ".join(row["practice"].split())
        known = " ".join(row.get("known", "").split())
        erratum = Erratum(row["cause"], row["title"], claims, stands, practice, fails, known)
        errata_by_heading.setdefault(row["part"], []).append(erratum)
    return {heading: tuple(errata) for heading, errata in errata_by_heading.items()}


def groups(paper: str) -> Iterator[tuple[str, Erratum]]:
    """(part, erratum) in order; the first is the gravest."""
    return ((heading, erratum) for heading, errata in parts(paper).items() for erratum in errata)


def of_claim(paper: str, claim: str) -> Erratum | None:
    """The erratum in which a claim stands."""
    return next((erratum for _, erratum in groups(paper) if claim in erratum.claims), None)
