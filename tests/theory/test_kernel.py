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
# What makes something false of every theorem that is not the first of a record: "also", mutants.
ALTERED = {
    "chi_square_tail": {
        "chernoff_step": ("threshold D x 2 2", "threshold D x 2 (19 / 10)"),
        "chernoff_mutant": ("19 / 10", "2"),
    },
    "chowdhury2021_one_state": {"one_state_mutant": ("99 / 100", "1")},
    "chowdhury2021_tree_levels": {
        "tree_levels_not_all_episodes": ("Nat.log2_up (2 ^ p)", "S (Nat.log2_up (2 ^ p))"),
        "tree_levels_not_one_less": ("Nat.log2_up K - 1", "Nat.log2_up K"),
    },
    "vietri2020_adaptivity": {
        "adaptivity_attained": ("exp (INR n / scale)", "exp (INR n / 2 / scale)"),
        "adaptivity_not_half": ("bound / 2 / scale", "bound / scale"),
    },
    "vietri2020_claim_1": {
        "claim_1_nobody_exceeds_2H": ("2 * INR H <", "INR H <"),
        "claim_1_not_H": ("<= INR H", "<= 2 * INR H"),
    },
    "vietri2020_claim_2": {
        "claim_2_mutant": ("1999 / 1000", "2000 / 1000"),
        "claim_2_sharp": ("c < 2", "c <= 2"),
    },
    "vietri2020_equation_17": {
        "equation_17_bonuses": ("INR H ^ 2", "INR H"),
        "equation_17_bonuses_mutant": ("INR nA * INR H)", "INR nA * INR H ^ 2)"),
        "equation_17_episodes": ("- 1) + 1)", "- 1))"),
        "equation_17_episodes_mutant": ("+ 1) - 1)", "+ 1))"),
        "equation_17_mutant": ("99 / 100 *", "1 *"),
        "equation_17_printed_mutant": ("3 * E * INR nS", "2 * E * INR nS"),
    },
    "vietri2020_lemma_18": {
        "equation_5_mutant": ("3 / 2", "1"),
        "equation_5_refuted": ("equation_5 1", "equation_5 (3 / 2)"),
        "lemma_18_mutant": ("3 / 2", "1"),
    },
    "vietri2020_lemma_2": {
        "lemma_2_not_half": ("epsilon / 2", "epsilon"),
        "lemma_2_not_own_output": ("differ_in i u v", "(differ_in i u v /\\ u = v)"),
    },
    "vietri2020_lemma_22": {
        "lemma_22_mutant": ("999 / 1000", "1"),
        "lemma_22_printed_mutant": ("a 1%nat / total", "a 2%nat / total"),
    },
    "vietri2020_lemma_23": {
        "lemma_23_attained": ("(exp epsilon - 1) * d", "999 / 1000 * (exp epsilon - 1) * d"),
        "lemma_23_not_0_999": ("999 / 1000 *", "1 *"),
        "lemma_23_printed_additive_fails": ("INR n / 4", "INR n / 2"),
        "lemma_23_printed_up_to_4": ("n <= 4", "n <= 5"),
    },
    "vietri2020_lemma_7": {
        "lemma_7_attained": ("(exp epsilon - 1) * d) ^ N", "(exp epsilon - 1) * d) ^ (N + 1)"),
        "lemma_7_not_another_power": ("^ (N - 1)", "^ N"),
    },
    "vietri2020_lemma_8": {
        "lemma_8_divergence": ("ln (1 / (4 * beta)) <", "101 / 100 * ln (1 / (4 * beta)) <"),
        "lemma_8_not_1_01": ("101 / 100", "1"),
    },
    "vietri2020_lemma_9": {
        "lemma_9_fails": ("private_trace epsilon g", "jointly_private epsilon g"),
        "lemma_9_mutant": ("149 / 100", "3 / 2"),
        "lemma_9_mutant_fixed_action": ("if a then 0 else 1", "1 / 2"),
    },
    "vietri2020_optimism": {
        "algorithm_3_printed_mutant": ("2 * E <= nt", "- 2 * E <= nt"),
        "lemma_15_mutant": ("(1 + INR H", "(2 + INR H"),
        "lemma_16_mutant": ("(1 / 4)", "1"),
        "lemma_17_mutant": ("+ INR H * phi", "+ (INR H + 1) * phi"),
    },
    "vietri2020_theorem_1": {"theorem_1_mutant": ("22 / 10 * epsilon", "epsilon")},
    "vietri2020_theorem_1_noise": {"theorem_1_noise_not_5_99": ("599 / 100", "6")},
    "zcdp": {
        "zcdp_closed_form": ("+ 2 * sqrt (rho * L)", "+ sqrt (rho * L)"),
        "zcdp_optimal": ("k s * exp", "99 / 100 * k s * exp"),
        "zcdp_pointwise": ("<= k s", "<= 99 / 100 * k s"),
        "zcdp_pointwise_not_0_99": ("99 / 100", "1"),
    },
    "zhou2022_lemma_6_1": {"lemma_6_1_natural_up_to_4": ("K <= 4", "K <= 5")},
    "zhou2022_mirror_descent": {
        "mirror_descent_mutant": ("1 / 4", "2"),
        "weights_regret": ("H ^ 2 / 2", "H ^ 2 / 20"),
        "weights_regret_mutant": ("H ^ 2 / 20", "H ^ 2 / 2"),
    },
    "zhou2022_theorem_6_4": {
        "printed_noise_not_7": ("7 *", "66 / 10 *"),
        "printed_noise_private": ("66 / 10", "1000"),
    },
    "zhou2022_up_to_24_8": {
        "printed_noise_up_to_24_8_private": ("248 / 10", "30"),
        "printed_noise_not_up_to_30": ("<= 30", "<= 248 / 10"),
    },
    "zhou2022_weight": {
        "pair_at_most": ("9 / 2", "4499 / 1000"),
        "pair_mutant": ("4499 / 1000", "9 / 2"),
        "weight_mutant": ("24 / 10", "54 / 10"),
    },
}
ALL_ALTERED = {
    (Path(formal["file"]).stem, str(formal["theorem"])): (
        str(formal["altered"][0]),
        str(formal["altered"][1]),
    )
    for _, record in RECORDS
    for formal in (record["formal"],)
} | {(file, theorem): words for file, of in ALTERED.items() for theorem, words in of.items()}
no_coq = "not kernel.prover()"  # asked where a test needs it, since it takes seconds
needs_coq = pytest.mark.skipif(no_coq, reason="Coq and its libraries: docs/proofs.md")
TEXT = """(* Why: because it is so. *)
Require Import finite.
(* Theorem commented : out. *)
Theorem first (n : nat) : n = n.
Proof. reflexivity. Qed.

Lemma step : True.
Proof. exact I. Qed.

Theorem second : forall n : nat,
  (* either way *)
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


def test_every_theorem_has_an_altered_constant() -> None:
    theorems = {
        (name, theorem)
        for name in kernel.files()
        for theorem in kernel.statements(kernel.source(name))
    }
    assert set(ALL_ALTERED) == theorems
    for (file, theorem), words in ALL_ALTERED.items():
        assert words[0] in kernel.statements(kernel.source(file))[theorem], theorem


def test_the_page_has_the_table_of_the_ledger() -> None:
    text = kernel.PAGE.read_text(encoding="utf-8")
    assert kernel.page(text, ledger.recorded()) == text


@pytest.mark.slow
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
@pytest.mark.parametrize("file", sorted({file for file, _ in ALL_ALTERED}))
def test_no_statement_survives_an_altered_constant(file: str) -> None:
    compiler = kernel.prover()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        kernel.prepare([file], compiler, folder)
        survivors = [
            theorem
            for (of, theorem), words in ALL_ALTERED.items()
            if of == file
            and not kernel.compiles(file, kernel.altered(file, theorem, words), compiler, folder)
        ]
    assert survivors == []
