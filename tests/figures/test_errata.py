"""What the errata share, on rows of its own."""

from __future__ import annotations

from typing import Any

import pytest

from figures import errata
from figures.errata import Erratum
from theory.ledger import Row


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
