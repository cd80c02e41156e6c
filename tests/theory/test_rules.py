"""What every row of the ledger must say: severity, cause, witness, chain, proof, and a bound that
was tightened."""

import importlib
import re
from pathlib import Path
from typing import Any

import pytest

from tests import numerals
from theory import ledger
from theory.claim import MILDLY_TIGHTENED, Severity
from theory.numbering import FOLDER

CLAIMS = [row for row in ledger.recorded() if row["role"] == "claim"]
RECORDS = [(row, record) for row in CLAIMS for record in row["records"]]


def name(row: dict[str, Any], record: dict[str, Any]) -> str:
    return f"{row['id']}: {record['of']}"


def test_a_claim_has_one_natural_reading() -> None:
    """Several printed records are parts of one statement, so none contradicts another without a
    severity."""
    assert [
        row["id"]
        for row in CLAIMS
        if not any(record["of"] == "printed" for record in row["records"])
    ] == []


def test_a_printed_record_that_fails_has_its_severity_and_no_other_has_one() -> None:
    wrong = [
        name(row, record)
        for row, record in RECORDS
        if (record["of"] == "printed" and record["verdict"] == "fails")
        is (record["severity"] is None)
    ]
    assert {record["severity"] for _, record in RECORDS} <= {None, *Severity}
    assert wrong == []


def test_a_claim_that_does_not_hold_names_its_cause() -> None:
    assert [
        row["id"]
        for row in CLAIMS
        if row["verdict"] in ("corrected", "fails", "open") and not row["cause"]
    ] == []


def test_a_failing_record_has_its_witness() -> None:
    failing = [(row, record) for row, record in RECORDS if record["verdict"] == "fails"]
    assert [name(row, record) for row, record in failing if not record["witness"]] == []


def test_what_is_proved_was_tightened_or_says_why_not() -> None:
    """Nothing that a test accepts at half of its bound, or without a premise, is called proved or
    certified."""
    wrong = []
    for row, record in RECORDS:
        if record["verdict"] == "holds" and record["rigor"] in ("proved", "certified"):
            tightened = record["tightened"]
            loose = (
                [
                    label
                    for label, accepted in tightened.items()
                    if accepted and label not in MILDLY_TIGHTENED
                ]
                if isinstance(tightened, dict)
                else []
            )
            wrong += [name(row, record)] if not tightened or loose else []
    assert wrong == []


def test_what_is_derived_has_its_proof_written_out() -> None:
    """The heading stands in the paper's proofs.md, and every step that a machine checked names what
    checks it."""
    for paper in ledger.PAPERS:
        path = Path(FOLDER / paper / "proofs.md")
        words = path.read_text(encoding="utf-8") if path.exists() else ""
        proofs = {
            record["proof"]
            for row, record in RECORDS
            if row["id"].startswith(f"{paper}/") and record["proof"]
        }
        assert proofs <= set(re.findall(r"^## (.+)$", words, re.MULTILINE))
        for checked in re.findall(r"\(checked: `([\w.]+)`\)", words):
            module, _, function = checked.rpartition(".")
            assert hasattr(importlib.import_module(module), function), checked
    assert [
        name(row, record)
        for row, record in RECORDS
        if record["rigor"] == "derived" and not record["proof"]
    ] == []


def test_every_chain_ends_and_holds() -> None:
    assert len(ledger.effective(CLAIMS)) == len(RECORDS)


@pytest.mark.parametrize("row", CLAIMS, ids=lambda row: row["id"])
def test_in_short_says_nothing_that_the_records_do_not(row: dict[str, Any]) -> None:
    """At most 400 characters, and every number of it stands in the statement or in a record."""
    assert row["short"] and len(row["short"]) <= 400
    words = [str(value) for record in row["records"] for value in record.values()]
    record_text = " ".join([row["statement"], row["label"], *words])
    short = ledger.words(row, "short")
    assert numerals.loose(short, numerals.numbers(record_text)) == set()


@pytest.mark.parametrize("row", CLAIMS, ids=lambda row: row["id"])
def test_formulas_are_typeset(row: dict[str, Any]) -> None:
    """No power, index or root stands outside of dollar signs, and nothing of TeX is left where
    there are none."""
    entries = [row, *row["records"]]
    typed = re.compile(
        r"\w\^|sqrt\(|\w_\w*[({]|\b(?:epsilon|delta|sigma|beta|gamma|alpha|lambda)\b"
    )
    for entry in entries:
        for key in ("statement", "short", "domain", "evidence", "mutant"):
            if key in entry:
                outside = re.sub(r"\$[^$]*\$|`[^`]*`", "", ledger.words(entry, key))
                assert not typed.search(outside), (entry.get("of"), key, outside)
                assert "\\" not in entry[key].replace(r"\|", ""), (entry.get("of"), key, entry[key])
