"""Coq's theorems: what is committed is in step, and no statement survives an altered constant."""

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from theory import ledger
from theory.claim import Basis, Rigor, Trial
from theory.rigor import kernel

RECORDS = [
    (f"{row['id']}: {record['of']}", record)
    for row in ledger.recorded()
    for record in row.get("records", ())
    if "formal" in record
]
needs_coq = pytest.mark.skipif(not kernel.prover(), reason="Coq and its libraries: docs/proofs.md")
TEXT = """(* Why: because it is so. *)
Require Import finite.
(* Theorem commented : out. *)
Theorem first (n : nat) : n = n.
Proof. reflexivity. Qed.

Lemma step : True.
Proof. exact I. Qed.

Theorem second : forall n : nat,
  n = n.
Proof. reflexivity. Qed.
"""


@pytest.mark.parametrize("name", kernel.files())
def test_what_is_committed_is_in_step_with_the_sources(name: str) -> None:
    kernel.in_step(name)
    text = kernel.source(name)
    assert len(kernel.argument(text)) > 60  # the argument in words comes first
    for hole in ("Admitted", "admit.", "Axiom", "Conjecture"):  # the axioms printed show the rest
        assert hole not in text


def test_a_changed_source_is_not_in_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = kernel.files()[0]
    monkeypatch.setattr(kernel, "source", lambda name, folder=tmp_path: "Theorem a : True.\nProof.")
    with pytest.raises(ValueError, match="in step with the proofs"):
        kernel.in_step(name)


def _decide(rigor: Rigor, formal: kernel.Formal | None) -> None:
    Trial(
        lambda x: x > 0,
        at=1,
        mutant_at=0,
        mutant="",
    ).holds(
        "printed",
        rigor,
        domain="",
        evidence="",
        basis=Basis(formal=formal),
    )


def test_the_rigor_is_kernel_exactly_where_a_theorem_stands_in_its_file() -> None:
    good = kernel.Formal("vietri2020_claim_1", "claim_1", "claim_1_not_H", ("2 * INR H", "INR H"))
    _decide(Rigor.KERNEL, good)
    for rigor, formal in ((Rigor.KERNEL, None), (Rigor.PROVED, good)):
        with pytest.raises(ValueError, match="kernel exactly where a theorem is named"):
            _decide(rigor, formal)
    for field, value, words in (
        ("theorem", "claim_9", "a theorem must stand in its file"),
        ("mutant", "claim_9", "a theorem must stand in its file"),
        ("file", "claim_9", "a proof must stand in theory/proofs"),
        ("altered", ("3 * INR H", ""), "the statement must have the words"),
    ):
        changed: Any = {field: value}
        with pytest.raises(ValueError, match=words):
            _decide(Rigor.KERNEL, replace(good, **changed))


def test_statements_are_cut_out_of_the_text() -> None:
    assert kernel.statements(TEXT) == {
        "first": "(n : nat) : n = n",
        "second": ": forall n : nat,\n  n = n",
    }
    assert kernel.argument(TEXT) == "Why: because it is so."
    assert kernel.needs(TEXT, ["finite", "other"]) == ["finite"]


def test_axioms_are_those_of_the_reals_and_no_other() -> None:
    real = "ClassicalDedekindReals.sig_forall_dec"
    assert kernel.foreign([real]) == []
    assert kernel.foreign([real, "Uint63.add_spec", "mine"]) == ["Uint63.add_spec", "mine"]


@pytest.mark.parametrize(("name", "record"), RECORDS, ids=[name for name, _ in RECORDS])
def test_a_record_shows_the_theorem_of_its_file(name: str, record: dict[str, Any]) -> None:
    formal = record["formal"]
    assert record["rigor"] == Rigor.KERNEL
    theorems = kernel.statements(kernel.source(Path(formal["file"]).stem))
    stated = f"Theorem {formal['theorem']} {theorems[formal['theorem']]}."
    assert formal["statement"].startswith(stated)
    assert formal["mutant"] in {f"Theorem {key} {words}." for key, words in theorems.items()}


def test_the_page_has_the_table_of_the_ledger() -> None:
    text = kernel.PAGE.read_text(encoding="utf-8")
    assert kernel.page(text, ledger.recorded()) == text


@needs_coq
def test_a_small_proof_compiles_and_a_false_one_does_not(tmp_path: Path) -> None:
    good = "Theorem a : 1 + 1 = 2.\nProof. reflexivity. Qed.\n"
    compiler = kernel.prover()
    assert kernel.compiles("good", good, compiler, tmp_path) == ""
    assert "Unable to unify" in kernel.compiles(
        "bad", good.replace("= 2", "= 3"), compiler, tmp_path
    )


@pytest.mark.long
@needs_coq
def test_every_proof_compiles_from_nothing() -> None:
    assert kernel.compare(kernel.compile_all()) == []


@pytest.mark.long
@needs_coq
@pytest.mark.parametrize(("name", "record"), RECORDS, ids=[name for name, _ in RECORDS])
def test_no_statement_survives_an_altered_constant(name: str, record: dict[str, Any]) -> None:
    formal = record["formal"]
    file = Path(formal["file"]).stem
    words = (formal["altered"][0], formal["altered"][1])
    text = kernel.altered(file, formal["theorem"], words)
    with tempfile.TemporaryDirectory() as scratch:
        kernel.prepare([file], kernel.prover(), Path(scratch))
        assert kernel.compiles(file, text, kernel.prover(), Path(scratch)) != ""
