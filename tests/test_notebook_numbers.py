"""Every number in a notebook's text stands in its own section's cells, or in a named record."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from figures import replicates
from figures.chowdhury2021 import regret as chowdhury2021_regret
from privrl.run import measure
from reproduce import found, notebooks
from reproduce.making import ROOT
from tests import numerals
from theory import ledger, sentences

STRUCTURE = {0.0, 1.0, 2.0}  # ends of a range, an index, a square
PAIRS = notebooks.pairs(ROOT / "notebooks")


def bare(text: str) -> str:
    """Words without links, code, references, spaces in numbers and powers of ten in words."""
    words = re.sub(r"```.*?```|\]\([^)]*\)", " ", text, flags=re.DOTALL)
    words = " ".join(re.sub(r"(?m)^#+ \d+\.", " ", words).split())
    words = re.sub(
        r"(?<![\d,])\d{1,3}(?:(?:,|\\,)\d{3})+(?![\d,]\d)",
        lambda match: re.sub(r"\D", "", match[0]),
        sentences.REFERENCE.sub(" ", words),
    )
    return re.sub(r"(\d+(?:\.\d+)?) million", lambda match: f"{float(match[1]) * 1e6:g}", words)


@cache
def sources() -> dict[str, set[float]]:
    """Numbers that a text may take from elsewhere, by the name of what has them: a row of the
    ledger, what was found of users, the figures' tables, the measure."""
    words = " ".join((found.fewer_users(), *map(" ".join, map(found.users, ledger.PAPERS))))
    lq = chowdhury2021_regret.references()
    tables = {path.stem: path for path in (ROOT / "figures" / "data").glob("*.csv")}
    return {
        **{row["id"]: numerals.numbers(json.dumps(row)) for row in ledger.recorded()},
        **{
            name: numerals.numbers(path.read_text("utf-8").replace(",", " "))
            for name, path in tables.items()
        },
        "found": numerals.numbers(bare(words)),
        "trivial over zero": {float(round(lq["trivial"] / lq["zero"]))},
        "measure": {100 * measure.LEVEL, float(replicates.ENOUGH)},
    }


FORMULA = "formula"  # a coefficient, an exponent, a setting: a person answers for it
#: what stands in no cell of its section: notebook, words, and what has their numbers
ELSEWHERE = (
    ("00", "95 % interval", "measure"),
    ("00", "features of dimension 18 cost", FORMULA),
    ("00", "its noise really gives 36", "vietri2020_privacy"),
    ("00", "PUCB: really 2.9 times", "vietri2020_privacy"),
    ("01", r"until $7.9 \cdot 10^8$ users", "vietri2020_regret"),
    ("01", r"\beta' = \beta/4", FORMULA),
    ("01", r"\log(T)^{5/2}", FORMULA),
    ("01", r"SAH^4/\alpha^2 + S^2AH^4/", FORMULA),
    ("01", "have $10^8$ episodes", FORMULA),
    ("01", "planned for $10^8$ and", FORMULA),
    ("01", "between 2.1 and 3.73", "vietri2020/theorem-1"),
    ("01", "between 1.45 and 2.59", "vietri2020/theorem-1"),
    ("01", "95 % interval", "measure"),
    ("01", "(95 %:", "measure"),
    ("01", "from about 58 times fewer", "found"),
    ("01", "50 to 64", "found"),
    ("01", "9.9 to 13", "found"),
    ("01", "at $10^{-12}$ a plan", FORMULA),
    ("01", "can differ 1.6 times later", FORMULA),
    ("02", "100,000 to 190,000", "found"),
    ("02", r"8.9 \cdot 10^6", "chowdhury2021_regret"),
    ("02", "32 replicates", "measure"),
    ("02", r"up to $2 \cdot 10^7$", "chowdhury2021_regret"),
    ("02", "loses 66 times less", "trivial over zero"),
    ("03", r"$4.2\cdot10^{12}$", "liao2021_bounds"),
    ("03", "0.9 against 0.1", FORMULA),
    ("03", r"\ln(1.25/\delta)", FORMULA),
    ("03", r"\frac{9}{2}", FORMULA),
    ("03", "32H^6", FORMULA),
    ("03", r"\ln(2.5H/\delta)", FORMULA),
    ("03", "last 800 episodes", "liao2021_regret"),
    ("03", "K^{3/4}", FORMULA),
    ("04", "0.9 to 0.1", FORMULA),
    ("04", "32H^2", FORMULA),
    ("04", "95 % interval", "measure"),
    ("04", "within $10^7$", FORMULA),
    ("04", "330,000 users", "found"),
    ("04", r"$7.6\cdot 10^8$", "zhou2022_regret"),
    ("04", "from 2.8 million on", "zhou2022_regret"),
)


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
    exact = numerals.numbers(text) | numerals.numbers(bare(text))
    return exact | {float(round(value)) for value in exact if value >= 10}


def sections(cells: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The cells, parted before each heading; the introduction comes first."""
    parts: list[list[dict[str, Any]]] = [[]]
    for cell in cells:
        if cell["cell_type"] == "markdown" and re.match(r"##? ", str(cell["source"])) and parts[-1]:
            parts.append([])
        parts[-1].append(cell)
    return parts


def strange(words: str, source: str) -> set[float]:
    """Numbers of some words that their source has not."""
    return set() if source == FORMULA else numerals.loose(bare(words), sources()[source])


def roughly(text: str, known: set[float]) -> set[float]:
    """Of the numbers that a text says with "about" those to which a known one rounds."""
    said = {float(numeral) for numeral in re.findall(r"about (\d+(?:\.\d+)?)", bare(text))}
    return said & {float(f"{value:.0e}") for value in known}


def known_elsewhere(notebook: str, text: str) -> set[float]:
    """The numbers that ``ELSEWHERE`` has for a text, of the records that it names."""
    known: set[float] = set()
    for name, words, source in ELSEWHERE:
        if notebook.startswith(name) and words in " ".join(text.split()):
            known |= numerals.numbers(bare(words)) - strange(words, source)
    return known


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair[0].stem)
def test_every_number_of_the_text_is_shown_beside_it(pair: tuple[Path, Path]) -> None:
    cells = notebooks.read(pair[1])["cells"]
    remaining = {}
    for at, part in enumerate(sections(cells)):
        known = shown(part if at else cells) | STRUCTURE
        for cell in part:
            if cell["cell_type"] != "markdown":
                continue
            text = str(cell["source"])
            mine = known | known_elsewhere(pair[1].stem, text) | roughly(text, known)
            if loose := numerals.loose(bare(text), mine):
                remaining[f"section {at}: {text[:40]!r}"] = loose
    assert remaining == {}


def test_what_is_taken_from_elsewhere_stands_there_and_is_said() -> None:
    for name, words, source in ELSEWHERE:
        (path,) = (pair[1] for pair in PAIRS if pair[1].stem.startswith(name))
        texts = [" ".join(str(cell["source"]).split()) for cell in notebooks.read(path)["cells"]]
        assert any(words in text for text in texts), (name, words)
        assert strange(words, source) == set(), (name, words)


def test_a_number_that_nothing_shows_is_found() -> None:
    assert numerals.loose(bare("95 %: 89,000 to 600,000"), sources()["found"]) >= {600_000}


def test_most_other_numbers_would_be_found() -> None:
    """A number a third larger stands in no cell of its section, nine times of ten."""
    tried, found_ = 0, 0
    for _, path in PAIRS:
        for part in sections(notebooks.read(path)["cells"]):
            known = shown(part) | STRUCTURE
            for cell in part:
                if cell["cell_type"] == "markdown":
                    for number in numerals.numbers(bare(str(cell["source"]))) - STRUCTURE:
                        tried += 1
                        found_ += bool(numerals.loose(f"{1.3 * number:.3g}", known))
    assert found_ >= 0.9 * tried >= 180, (found_, tried)


def test_about_is_one_digit() -> None:
    assert roughly("about 30 times, about 4", {32.5, 3.4}) == {30.0}
