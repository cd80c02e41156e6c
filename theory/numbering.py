"""The papers and their numbering as data: every ``papers/ID/paper.toml``, validated, and looked up
by id or alias.

A paper is a folder below ``theory/papers`` with a ``paper.toml``: title, authors, algorithm,
notebook and its items.
Papers stand in the order of their notebooks. ``numbered`` has the kinds of item to which the paper
gives numbers and in which it may claim something ("theorem", "corollary", "remark" ..): claims of
these kinds are counted as the paper's, all others as what was added here. An item has

    id         paper/kind-number
    kind       one of ITEM_KINDS
    where      section of the paper
    statement  in our own words, short, formulas between dollar signs
    label      what a person would call it, where that is not its kind and number ("the display of
    E_epsilon")
    short      for claims: in at most three sentences what holds and where, what does not; the
    practical range first; {name:format} is filled in with a number of its records
    role       "claim" (has a verdict) or "not a claim" (has a status: "used" or "reproduced")
    aliases    other numbers of the paper under which the same statement, or a step of its proof,
    is printed
"""

import difflib
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from privrl.checks import require

FOLDER = Path(__file__).with_name("papers")
COUNTABLE = ("theorem", "lemma", "claim", "corollary", "proposition", "remark", "example")
ITEM_KINDS = (
    *COUNTABLE,
    "equation",
    "algorithm",
    "definition",
    "assumption",
    "figure",
    "statement",
)
CLAIM, NOT_A_CLAIM = "claim", "not a claim"
STATUSES = ("used", "reproduced")


@dataclass(frozen=True)
class Item:
    """One numbered item of a paper, with the keys at the head of this file; ``aliases`` are full
    ids."""

    id: str
    kind: str
    where: str
    statement: str
    role: str
    status: str | None
    aliases: tuple[str, ...]
    label: str
    short: str = ""
    numbered: bool = False  #: whether it is of a kind that the paper numbers

    @property
    def paper(self) -> str:
        """The part of the id before the slash."""
        return self.id.split("/")[0]


def _item(row: dict[str, Any], numbered: tuple[str, ...]) -> Item:
    known = {"id", "kind", "where", "statement", "role", "status", "aliases", "label", "short"}
    require(set(row) <= known, f"an item has the keys {', '.join(sorted(known))}", keys=sorted(row))
    identifier = str(row.get("id", ""))
    paper, _, name = identifier.partition("/")
    require(bool(paper and name), "an item's id must read paper/kind-number", id=identifier)
    require(
        row.get("kind") in ITEM_KINDS,
        f"kind must be one of {', '.join(ITEM_KINDS)}",
        id=identifier,
        kind=row.get("kind"),
    )
    require(
        row.get("role") in (CLAIM, NOT_A_CLAIM),
        "role must be 'claim' or 'not a claim'",
        id=identifier,
    )
    allowed = (None,) if row["role"] == CLAIM else STATUSES
    rule = "status must be 'used' or 'reproduced' for what is not a claim, absent for claims"
    require(row.get("status") in allowed, rule, id=identifier, status=row.get("status"))
    for key in ("where", "statement"):
        require(bool(row.get(key)), f"an item must have its {key}", id=identifier)
    aliases = tuple(
        alias if "/" in alias else f"{paper}/{alias}" for alias in row.get("aliases", [])
    )
    label = called(row.get("label") or name)
    return Item(
        identifier,
        row["kind"],
        row["where"],
        row["statement"],
        row["role"],
        row.get("status"),
        aliases,
        label,
        row.get("short", ""),
        row["kind"] in numbered,
    )


def called(name: str) -> str:
    """ "Lemma B.4" of "lemma-B.4"; a label with a capital."""
    words = name if " " in name else name.replace("-", " ")
    return words[:1].upper() + words[1:]


@dataclass(frozen=True)
class Paper:
    """A paper: title, authors, algorithm, the stem of its notebook, the kinds of item that it
    numbers, and its items in its own order."""

    id: str
    title: str
    authors: str
    algorithm: str
    notebook: str
    numbered: tuple[str, ...]
    items: tuple[Item, ...]


def read(path: Path) -> Paper:
    """The paper of a ``paper.toml``, which is named by its folder.

    Raises
    ------
    ValueError
        A missing or an unknown key, an item of another paper, an unknown kind, role or status, a
        numbered kind that claims nothing.
    """
    with path.open("rb") as stream:
        document = tomllib.load(stream)
    numbered = tuple(document.get("numbered", ()))
    rows = tuple(_item(row, numbered) for row in document.pop("item", []))
    expected_keys = {"title", "authors", "algorithm", "notebook", "numbered"}
    require(
        set(document) == expected_keys,
        f"a paper has the keys {', '.join(sorted(expected_keys))}",
        paper=path.parent.name,
    )
    require(
        bool(numbered) and set(numbered) <= set(COUNTABLE),
        f"numbered must be kinds of {', '.join(COUNTABLE)}",
        numbered=numbered,
    )
    others = [row.id for row in rows if row.paper != path.parent.name]
    require(not others, "an item must stand in the folder of its paper", ids=others)
    return Paper(path.parent.name, **{**document, "numbered": numbered}, items=rows)


@cache
def load(folder: Path = FOLDER) -> dict[str, Paper]:
    """Every paper below ``folder`` by its id.

    Raises
    ------
    ValueError
        What :func:`read` refuses, or an id (or alias) given twice.
    """
    all_papers = sorted(
        (read(path) for path in folder.glob("*/paper.toml")), key=lambda paper: paper.notebook
    )
    names = [name for paper in all_papers for row in paper.items for name in (row.id, *row.aliases)]
    twice = sorted({name for name in names if names.count(name) > 1})
    require(not twice, "every id and alias must be given once", twice=twice)
    return {paper.id: paper for paper in all_papers}


def papers() -> tuple[str, ...]:
    """The ids of the papers, in the order of their notebooks."""
    return tuple(load())


def items(select: str | None = None) -> tuple[Item, ...]:
    """All items, those of one paper, or the one that an id or an alias names.

    Raises
    ------
    ValueError
        Neither a paper nor an id nor an alias.
    """
    rows = tuple(row for paper in load().values() for row in paper.items)
    if select is None:
        return rows
    chosen = tuple(row for row in rows if select in (row.paper, row.id, *row.aliases))
    if not chosen:
        names = [*papers(), *(name for row in rows for name in (row.id, *row.aliases))]
        near = difflib.get_close_matches(select[:200], names, n=3, cutoff=0.3) or names[:3]
        require(
            False,
            f"the id must name a paper or one of its claims (nearest: {', '.join(near)})",
            id=select,
        )
    return chosen
