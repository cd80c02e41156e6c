"""What the errata share, on rows of their own; then the errata of every paper against the recorded ledger."""

from typing import Any

import pytest

from theory import errata, ledger
from theory.errata import Erratum
from theory.numbering import papers

ROWS = ledger.recorded()


def record(of: str, verdict: str, statement: str = "") -> dict[str, Any]:
    return {"of": of, "verdict": verdict, "rigor": "exact", "statement": statement, "domain": f"domain of {of}",
            "mutant": "a neighbour", "latex": {}, "witness": None}  # fmt: skip


ROW: dict[str, Any] = {"id": "paper/one", "role": "claim", "verdict": "corrected", "severity": "domain", "latex": {},
                       "statement": "The statement of one.", "records": [
    record("step: a", "fails"), record("printed", "fails"), record("reading: b", "fails", "b in words"),
    record("corrected", "holds", "one mended")]}  # fmt: skip
ONE = Erratum("reason", "a slip", ("one",), (("one", "corrected"),), "nothing.", (("one", "reading: b"),))


@pytest.fixture
def one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errata, "parts", lambda paper: {"Part": (ONE,)} if paper == "paper" else {})


@pytest.mark.usefixtures("one")
def test_an_erratum_says_what_fails_what_stands_and_what_it_changes() -> None:
    text = errata.markdown("paper", [ROW])
    assert "### Part" in text and "**1. A slip.**" in text
    assert "- `paper/one` (corrected: domain); printed fails: The statement of one." in text
    assert "reading: b fails: B in words." in text and "Also: step: a." in text
    assert "- *What stands* (`paper/one`, exact): One mended." in text and "- *In practice*: Nothing." in text


def test_the_printed_statement_comes_first_and_steps_last() -> None:
    assert [found["of"] for found in errata.failing(ROW)] == ["printed", "reading: b", "step: a"]


@pytest.mark.parametrize(("verdict", "severity", "need"), [
    ("corrected", "domain", "corrected: domain"), ("open", None, "open"), ("unspecified", None, ""),
    ("holds", None, "")])  # fmt: skip
def test_what_a_claim_needs(verdict: str, severity: str | None, need: str) -> None:
    assert errata.needs({**ROW, "verdict": verdict, "severity": severity}) == need
    assert errata.needs({**ROW, "records": ROW["records"][-1:]}) is None


def test_a_record_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="got id='paper/one', of='nothing'"):
        errata.record_of(ROW, "nothing")


def test_long_text_is_cut_at_a_clause_and_never_in_a_formula() -> None:
    assert errata.short("a short one") == "a short one"
    assert errata.short("one clause, another; " + "x" * 400, 40) == "one clause, another ..."
    assert errata.short("some words before $a, b; c$ and after", 26) == "some words before ..."


@pytest.mark.parametrize("paper", papers())
def test_every_claim_with_a_failing_record_stands_in_one_erratum(paper: str) -> None:
    named = [claim for _, erratum in errata.groups(paper) for claim in erratum.claims]
    failing = {row["id"].split("/")[1] for row in ROWS if row["id"].startswith(f"{paper}/") and errata.failing(row)}
    assert len(named) == len(set(named)) and set(named) == failing
    causes = [erratum.cause for _, erratum in errata.groups(paper)]
    assert len(causes) == len(set(causes))


@pytest.mark.parametrize("paper", papers())
def test_what_stands_holds_in_the_ledger_and_has_a_mutant(paper: str) -> None:
    rows = {row["id"].split("/")[1]: row for row in ROWS if row["id"].startswith(f"{paper}/")}
    for _, erratum in errata.groups(paper):
        assert erratum.stands and erratum.practice.endswith(".")
        for claim, of in erratum.stands:
            found = errata.record_of(rows[claim], of)
            assert found["verdict"] == "holds" and found["mutant_rejected"]


@pytest.mark.parametrize("need", errata.NEEDS)
def test_a_list_has_a_line_per_claim_and_leaves_formulas_whole(need: str) -> None:
    found = errata.listed(ROWS, need)
    assert len(found.splitlines()) == sum(errata.counts(ROWS)[need].values())
    assert "\\\\vert" not in found and found.count("$") % 2 == 0
