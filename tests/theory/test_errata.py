"""What the errata share, on rows of its own; then the errata of every paper against the recorded ledger."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from theory import errata, ledger
from theory.errata import Erratum
from theory.ledger import Row
from theory.papers.chowdhury2021 import errata as errata_chowdhury2021
from theory.papers.liao2021 import errata as errata_liao2021
from theory.papers.vietri2020 import errata as errata_vietri2020
from theory.papers.zhou2022 import errata as errata_zhou2022

PAPERS = {"vietri2020": errata_vietri2020, "chowdhury2021": errata_chowdhury2021, "liao2021": errata_liao2021,
          "zhou2022": errata_zhou2022}


def _record(of: str, verdict: str, statement: str = "") -> dict[str, Any]:
    return {"of": of, "verdict": verdict, "rigor": "exact", "statement": statement, "domain": f"domain of {of}",
            "mutant": "a neighbour"}


ROWS: list[Row] = [
    {"id": "paper/one", "statement": "The statement of one.", "records": [
        _record("step: a", "fails"), _record("printed", "fails"), _record("reading: b", "fails", "b in words"),
        _record("corrected", "holds", "one mended")]},
    {"id": "other/one", "statement": "Another paper's.", "records": [_record("printed", "fails", "not this")]},
]
ONE = Erratum("one", ("one",), (("one", "corrected"),), "nothing.")


def test_groups_come_in_order() -> None:
    assert list(errata.groups({"first": (ONE,), "second": (ONE, ONE)})) == [
        ("first", ONE), ("second", ONE), ("second", ONE)]


def test_steps_come_last_and_other_papers_not_at_all() -> None:
    assert [record["of"] for record in errata.failing("paper", ROWS, "one")] == ["printed", "reading: b", "step: a"]


def test_the_text_tells_the_first_in_full_and_names_the_others() -> None:
    text = errata.text("paper", ROWS, ONE)
    assert "The statement of one." in text and "Also: reading: b; step: a." in text and "b in words" not in text
    assert "one mended." in text and "a neighbour (rejected)" in text and text.endswith("nothing.")


def test_a_record_that_is_asked_for_is_told_in_full_too() -> None:
    text = errata.text("paper", ROWS, Erratum("one", ("one",), (), "nothing.", (("one", "reading: b"),)))
    assert "b in words" in text and "Where: domain of reading: b." in text and "Also: step: a." in text


def test_a_record_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="got claim='one', of='nothing'"):
        errata.record_of("paper", ROWS, "one", "nothing")


def recorded(paper: str) -> list[Row]:
    return [row for row in ledger.recorded() if row["id"].startswith(f"{paper}/")]


@pytest.mark.parametrize(("paper", "made"), PAPERS.items())
def test_every_claim_with_a_failing_record_stands_in_one_group(paper: str, made: ModuleType) -> None:
    named = [claim for _, erratum in made.groups() for claim in erratum.claims]
    failing = {row["id"].split("/")[1] for row in recorded(paper)
               if any(record["verdict"] == "fails" for record in row.get("records", ()))}  # fmt: skip
    assert len(named) == len(set(named)) and set(named) == failing
    assert next(iter(made.PARTS)) == "Privacy"


@pytest.mark.parametrize(("paper", "made"), PAPERS.items())
def test_what_stands_holds_in_the_ledger_and_has_a_mutant(paper: str, made: ModuleType) -> None:
    rows = recorded(paper)
    for _, erratum in made.groups():
        assert erratum.stands and erratum.practice.endswith(".")
        for claim, of in erratum.stands:
            record = made.record_of(rows, claim, of)
            assert record["verdict"] == "holds" and record["mutant_rejected"] and record["statement"]
        text = made.text(rows, erratum)
        assert all(claim in text for claim in erratum.claims) and "in practice" in text
        assert max(map(len, text.splitlines())) <= 220
