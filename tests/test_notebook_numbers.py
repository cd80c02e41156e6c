"""Every number in a notebook's text stands in a cell of that notebook, in the ledger or in the
tables of runs."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from reproduce import found, notebooks
from reproduce.making import ROOT
from tests import numerals
from theory import ledger, sentences

PAIRS = notebooks.pairs(ROOT / "notebooks")


def bare(text: str) -> str:
    """Words without links, code, references, spaces in numbers and powers of ten in words."""
    words = re.sub(r"```.*?```|\]\([^)]*\)", " ", text, flags=re.DOTALL)
    words = re.sub(
        r"(?<![\d,])\d{1,3}(?:(?:,|\\,)\d{3})+(?![\d,]\d)",
        lambda match: re.sub(r"\D", "", match[0]),
        sentences.REFERENCE.sub(" ", words),
    )
    return re.sub(r"(\d+(?:\.\d+)?) million", lambda match: f"{float(match[1]) * 1e6:g}", words)


@cache
def recorded() -> frozenset[float]:
    """The numbers of the ledger and of what was found of users."""
    words = [found.fewer_users(), *(" ".join(found.users(paper)) for paper in ledger.PAPERS)]
    rows = json.dumps(ledger.recorded(), ensure_ascii=False)
    tables = (ROOT / "figures" / "data").glob("*_regret.csv")
    lines = [line for path in tables for line in path.read_text("utf-8").splitlines()]
    # from how many users on a bound says something
    vacuity = " ".join(line for line in lines if line.startswith("vacuity,"))
    every = (rows, bare(" ".join(words)), vacuity.replace(",", " "))
    return frozenset().union(*(numerals.numbers(text) for text in every))


def shown(cells: list[dict[str, Any]]) -> set[float]:
    """The numbers that the code cells have, in their source or in what they print."""
    pieces = []
    for cell in cells:
        if cell["cell_type"] == "code":
            pieces.append(str(cell["source"]))
            for output in cell.get("outputs", ()):
                pieces.append(str(output.get("text", "")))
                mimes = output.get("data", {})
                pieces += [str(mimes[kind]) for kind in mimes if not kind.startswith("image")]
    text = " ".join(pieces)
    return numerals.numbers(text) | numerals.numbers(bare(text))


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair[0].stem)
def test_every_number_of_the_text_is_shown_or_recorded(pair: tuple[Path, Path]) -> None:
    cells = notebooks.read(pair[1])["cells"]
    known = shown(cells) | recorded()
    remaining = {
        f"{at}: {cell['source'][:40]!r}": loose
        for at, cell in enumerate(cells)
        if cell["cell_type"] == "markdown"
        and (loose := numerals.loose(bare(str(cell["source"])), known))
    }
    assert remaining == {}


def test_a_number_that_nothing_shows_is_found() -> None:
    assert numerals.loose(bare("95 %: 89,000 to 600,000"), recorded()) == {600_000}
