"""What the errata share, on rows of their own; then the errata of every paper against the recorded
ledger."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from privrl.privacy import noise
from tests import numerals
from theory import errata, errata_groups, ledger, numbering, sentences
from theory.errata import Erratum
from theory.fields import FIELD, blanked, collected, filled
from theory.formulas import downwards
from theory.numbering import papers
from theory.typed import caption

ROWS = ledger.recorded()


def record(of: str, verdict: str, statement: str = "") -> dict[str, Any]:
    return {
        "of": of,
        "verdict": verdict,
        "rigor": "exact",
        "statement": statement,
        "domain": f"domain of {of}",
        "mutant": "a neighbour",
        "latex": {},
        "witness": None,
    }


ROW: dict[str, Any] = {
    "id": "paper/one",
    "role": "claim",
    "verdict": "corrected",
    "severity": "domain",
    "latex": {},
    "statement": "The statement of one.",
    "records": [
        record("step: a", "fails"),
        record("printed", "fails"),
        record("reading: b", "fails", "b in words"),
        record("corrected", "holds", "one mended"),
    ],
}
ONE = Erratum(
    "reason", "a slip", ("one",), (("one", "corrected"),), "nothing.", (("one", "reading: b"),)
)


@pytest.fixture
def one(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = {"paper": {"Part": (ONE,)}}
    monkeypatch.setattr(errata_groups, "parts", lambda paper: parts.get(paper, {}))


@pytest.mark.usefixtures("one")
def test_an_erratum_says_what_fails_what_stands_and_what_it_changes() -> None:
    text = errata.markdown("paper", [ROW])
    assert "### Part" in text and "**1. A slip.**" in text
    assert "- `paper/one` (corrected: domain); printed fails: The statement of one." in text
    assert "reading: b fails: B in words." in text and "Also: step: a." in text
    assert (
        "- *What stands* (`paper/one`, exact): One mended." in text
        and "- *In practice*: Nothing." in text
    )


def test_the_printed_statement_comes_first_and_steps_last() -> None:
    assert [failing_record["of"] for failing_record in errata.failing(ROW)] == [
        "printed",
        "reading: b",
        "step: a",
    ]


@pytest.mark.parametrize(
    ("verdict", "severity", "need"),
    [
        ("corrected", "domain", "corrected: domain"),
        ("open", None, "open"),
        ("unspecified", None, ""),
        ("holds", None, ""),
    ],
)
def test_what_a_claim_needs(verdict: str, severity: str | None, need: str) -> None:
    assert errata.needs({**ROW, "verdict": verdict, "severity": severity}) == need
    assert errata.needs({**ROW, "records": ROW["records"][-1:]}) is None


def test_a_record_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="got id='paper/one', of='nothing'"):
        errata.record_of(ROW, "nothing")


def test_long_text_is_cut_at_a_clause_and_never_in_a_formula() -> None:
    assert errata.short("a short one") == "a short one"
    assert (
        errata.short("one clause, another; " + "x" * 400, 40)
        == "one clause, another; the ledger has the rest."
    )
    assert errata.short("One sentence. Another one; and more", 24) == "One sentence."
    assert (
        errata.short("some words before $a, b; c$ and after", 26)
        == "some words before; the ledger has the rest."
    )


@pytest.mark.parametrize("paper", papers())
def test_every_claim_with_a_failing_record_stands_in_one_erratum(paper: str) -> None:
    named = [claim for _, erratum in errata.groups(paper) for claim in erratum.claims]
    failing = {
        row["id"].split("/")[1]
        for row in ROWS
        if row["id"].startswith(f"{paper}/") and errata.failing(row)
    }
    assert len(named) == len(set(named)) and set(named) == failing
    causes = [erratum.cause for _, erratum in errata.groups(paper)]
    assert len(causes) == len(set(causes))


@pytest.mark.parametrize("paper", papers())
def test_what_stands_holds_in_the_ledger_and_has_a_mutant(paper: str) -> None:
    rows = {row["id"].split("/")[1]: row for row in ROWS if row["id"].startswith(f"{paper}/")}
    for _, erratum in errata.groups(paper):
        assert erratum.stands and erratum.practice.endswith(".")
        for claim, of in erratum.stands:
            standing_record = errata.record_of(rows[claim], of)
            assert standing_record["verdict"] == "holds" and standing_record["mutant_rejected"]


@pytest.mark.parametrize("paper", papers())
def test_what_changes_a_statement_says_who_knew_it_before(paper: str) -> None:
    grave = {
        row["id"].split("/")[1]
        for row in ROWS
        if row["id"].startswith(f"{paper}/") and row.get("severity") in ("substance", "domain")
    }
    for _, erratum in errata.groups(paper):
        assert erratum.known or not grave & set(erratum.claims), erratum.cause


# typed numbers that no record states, and what holds them
ELSEWHERE = {
    # the number of a reference of the paper
    "gains-are-not-bounded": {"17"},
    "d-grows-with-the-horizon": {"17"},
    # exponents and coefficients of formulas
    "width-without-its-four": {"2.5"},
    "vietri2020/equation-e-epsilon": {"2.5"},
    "one-hot-features-not-scaled": {"3"},
}
SHORT = {row["id"]: item.short for row in ROWS if (item := numbering.items(row["id"])[0]).short}


def stated(claims: Iterable[str]) -> set[str]:
    """The numbers of what is decided of claims: statements, domains, the names of the records."""
    rows = [row for row in ROWS if row["id"] in claims]
    texts = [row["statement"] for row in rows] + [
        record[field]
        for row in rows
        for record in row["records"]
        for field in ("of", "statement", "domain")
    ]
    return numerals.numerals(" ".join(texts))


def loose(text: str, claims: Iterable[str], name: str) -> set[str]:
    """Numbers of a text as it is written, fields and formulas and ends of ranges apart, that the
    records do not state."""
    typed = set(sentences.typed(blanked(text))["typed"]) - {"0", "1", "2"}
    return typed - stated(claims) - ELSEWHERE.get(name, set())


def texts() -> Iterator[tuple[str, str, list[str]]]:
    """(name, text, claims) of the errata and the summaries, their fields not filled in."""
    for paper in papers():
        for _, erratum in errata_groups.groups(paper):
            claims = [f"{paper}/{claim}" for claim in erratum.claims]
            yield erratum.cause, f"{erratum.title} {erratum.practice} {erratum.known}", claims
    for claim, short in SHORT.items():
        yield claim, short, [claim]


def test_every_number_of_an_erratum_or_a_summary_is_filled_in_or_stated() -> None:
    left = {name: loose(text, claims, name) for name, text, claims in texts()}
    assert {name: numbers for name, numbers in left.items() if numbers} == {}
    assert set(ELSEWHERE) <= set(left)


def test_no_field_is_left_in_an_erratum() -> None:
    for paper in papers():
        for _, erratum in errata.groups(paper):
            assert not FIELD.search(f"{erratum.title} {erratum.practice} {erratum.known}")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("loses at most $9.59 f$", {"9.59"}),
        ("It is {lost_two:.2f} times, and 2.91 times", {"2.91"}),
        (r"By theorem 6 at most $2H$, from $T = 3$ on", set()),
    ],
)
def test_a_typed_number_is_found(text: str, left: set[str]) -> None:
    assert loose(text, ["vietri2020/theorem-1"], "") == left


def numbers_of(paper: str) -> dict[str, float]:
    rows = [row for row in ROWS if row["id"].startswith(f"{paper}/")]
    return collected(record for row in rows for record in row.get("records", ()))


def test_every_number_that_a_check_hands_over_is_used() -> None:
    for paper in papers():
        used = {
            field[1]
            for _, text, claims in texts()
            if claims[0].startswith(f"{paper}/")
            for field in FIELD.finditer(text)
        }
        assert used == set(numbers_of(paper))


def test_an_end_that_a_check_moves_moves_in_every_sentence() -> None:
    """A whole number ten times as large, any other by a tenth."""
    for _, text, claims in texts():
        numbers = numbers_of(claims[0].split("/")[0])
        for name in {field[1] for field in FIELD.finditer(text)}:
            value = numbers[name]
            moved = {**numbers, name: value * 10 if isinstance(value, int) else value * 1.1}
            assert filled(text, moved) != filled(text, numbers), name


def test_the_room_of_chowdhury2021_is_the_accountings() -> None:
    room = 1 / noise.noise("chowdhury2021", noise.DEFAULTS["chowdhury2021"]).factor
    erratum = errata.of_claim("chowdhury2021", "theorem-2")
    assert (
        erratum is not None and f"it is at least {downwards(room, 2):g} times" in erratum.practice
    )


@pytest.mark.parametrize("need", errata.NEEDS)
def test_a_list_has_a_line_per_claim_and_leaves_formulas_whole(need: str) -> None:
    listing = errata.listed(ROWS, need)
    assert len(listing.splitlines()) == sum(errata.counts(ROWS)[need].values())
    assert "\\\\vert" not in listing and listing.count("$") % 2 == 0


RAW = re.compile(r"(?<![\w.`/])[A-Za-z]\\?_\w")  # an index as typed


@pytest.mark.parametrize("typeset", [True, False])
def test_a_list_shows_indices_lowered(typeset: bool) -> None:
    found: list[str] = []

    def searched(piece: str) -> str:
        found.extend(RAW.findall(piece))
        return piece

    for need in errata.NEEDS:
        listing = errata.listed(ROWS, need, caption) if typeset else errata.listed(ROWS, need)
        errata.outside(listing, searched)
    assert (found == []) == typeset  # the ledger's witnesses have C_w and x_1
