"""Records are made by running the test on claim and mutant; the verdict of a claim is computed."""

import json
from dataclasses import replace
from typing import Any

import pytest

from theory import ledger_markdown
from theory.claim import (
    REGISTRY,
    TIGHTEN,
    CheckError,
    Record,
    Rigor,
    Severity,
    Trial,
    Verdict,
    Witness,
    claim,
    overall,
)

WORDS: dict[str, Any] = {"domain": "all", "evidence": "seen"}
WITNESS = Witness({"x": 1}, ("at most", 0), ("it is", 1))


def trial(at: Any = 1, mutant_at: Any = 0, **options: Any) -> Trial[Any]:
    return Trial(lambda x: x > 0, at=at, mutant_at=mutant_at, mutant="the neighbour", **options)


def record(of: str, verdict: Verdict, sharpness: float | None = None) -> Record:
    decided = trial(sharpness=sharpness)
    if verdict == Verdict.HOLDS:
        return decided.holds(of, Rigor.PROVED, **WORDS)
    if verdict == Verdict.FAILS:
        return decided.fails(of, Rigor.PROVED, witness=WITNESS, **WORDS)
    return decided.undecided(verdict, of, Rigor.PROVED, **WORDS)


def test_a_test_that_is_false_on_the_claim_makes_no_record() -> None:
    with pytest.raises(CheckError, match="false on the claim"):
        trial(at=0, mutant_at=-1).holds("printed", Rigor.PROVED)


def test_what_holds_or_fails_is_not_undecided() -> None:
    for verdict in (Verdict.HOLDS, Verdict.FAILS, Verdict.CORRECTED):
        with pytest.raises(ValueError, match="open, unspecified or vacuous"):
            trial().undecided(verdict, "printed", Rigor.PROVED)


@pytest.mark.parametrize("mutants", [2, [0, 2]])
def test_a_test_that_accepts_a_mutant_makes_no_record(mutants: Any) -> None:
    with pytest.raises(CheckError, match="accepts the mutant: the neighbour"):
        trial(mutant_at=mutants).holds("printed", Rigor.PROVED)


def test_a_record_is_plain_data_with_four_digits() -> None:
    row = record("printed", Verdict.HOLDS, sharpness=0.123456).as_dict()
    assert row["mutant_rejected"] is True
    assert (row["verdict"], row["rigor"], row["sharpness"]) == ("holds", "proved", 0.1235)
    assert json.loads(json.dumps(row)) == row


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], Verdict.OPEN),
        ([("printed", Verdict.HOLDS)], Verdict.HOLDS),
        ([("printed", Verdict.HOLDS), ("reading: a", Verdict.FAILS)], Verdict.HOLDS),
        ([("printed", Verdict.HOLDS), ("printed", Verdict.FAILS)], Verdict.FAILS),
        ([("printed", Verdict.FAILS), ("corrected", Verdict.HOLDS)], Verdict.CORRECTED),
        ([("printed", Verdict.FAILS), ("corrected: on a part", Verdict.HOLDS)], Verdict.CORRECTED),
        ([("printed", Verdict.FAILS), ("corrected", Verdict.FAILS)], Verdict.FAILS),
        (
            [
                ("printed", Verdict.OPEN),
                ("reading: a", Verdict.FAILS),
                ("corrected", Verdict.HOLDS),
            ],
            Verdict.OPEN,
        ),
        ([("printed", Verdict.UNSPECIFIED), ("step: (17)", Verdict.FAILS)], Verdict.UNSPECIFIED),
        ([("printed", Verdict.VACUOUS), ("reading: a", Verdict.HOLDS)], Verdict.VACUOUS),
        ([("corrected", Verdict.HOLDS)], Verdict.OPEN),
        ([("step: (1)", Verdict.HOLDS)], Verdict.OPEN),
    ],
)
def test_the_verdict_is_computed_from_the_natural_reading(
    rows: list[tuple[str, Verdict]], expected: Verdict
) -> None:
    assert overall(record(of, verdict) for of, verdict in rows) == (expected, None)


def test_the_gravest_severity_counts() -> None:
    rows = [
        replace(record("printed", Verdict.FAILS), severity=severity)
        for severity in (Severity.WORDING, Severity.DOMAIN, Severity.CONSTANT)
    ]
    assert overall([*rows, record("corrected", Verdict.HOLDS)]) == (
        Verdict.CORRECTED,
        Severity.DOMAIN,
    )


def tightened(test: Any, rigor: Rigor, **options: Any) -> Record:
    token = TIGHTEN.set(True)
    try:
        return Trial(
            test,
            at=1.0,
            mutant_at=0.0,
            mutant="the neighbour",
            scale=lambda factor: factor,
            **options,
        ).holds("printed", rigor)
    finally:
        TIGHTEN.reset(token)


def test_tightening_finds_the_sharpness_and_what_is_accepted() -> None:
    tightened_record = tightened(
        lambda factor: factor >= 0.7, Rigor.PROVED, tighter={"without the logarithm": 0.1}
    )
    assert tightened_record.tightened == {
        "0.9 of the bound": True,
        "0.5 of the bound": False,
        "without the logarithm": False,
    }
    assert (
        tightened_record.sharpness == pytest.approx(0.7, rel=1e-2)
        and tightened_record.sharpness >= 0.7
    )


@pytest.mark.parametrize("most", [1.0, 1.3])
def test_a_bound_from_below_is_raised(most: float) -> None:
    token = TIGHTEN.set(True)
    try:
        raised = Trial(
            lambda factor: factor <= most,
            at=1.0,
            mutant_at=2.0,
            mutant="the neighbour",
            raised=lambda factor: factor,
        ).holds("printed", Rigor.PROVED)
    finally:
        TIGHTEN.reset(token)
    assert raised.tightened == {"1.111 times the bound": most > 1.2, "2 times the bound": False}
    assert raised.sharpness == pytest.approx(most, rel=1e-2) and raised.sharpness <= most
    sentence = ledger_markdown.sharpness(raised.as_dict())
    refused, accepted = "The test refuses 1.002 times the bound", "The test still accepts 1.2"
    assert sentence == refused if most == 1 else sentence.startswith(accepted)


@pytest.mark.parametrize(
    ("least", "words"), [(0.3, "0.5 of the bound"), (0.6, "without a premise")]
)
def test_what_accepts_a_tighter_bound_is_not_proved(least: float, words: str) -> None:
    with pytest.raises(CheckError, match=f"proved, yet the test also accepts {words}"):
        tightened(lambda factor: factor >= least, Rigor.PROVED, tighter={"without a premise": 0.6})
    assert tightened(lambda factor: factor >= least, Rigor.DERIVED).rigor == Rigor.DERIVED


def test_a_claim_has_one_check() -> None:
    def check() -> tuple[Record, ...]:
        return ()

    def elsewhere() -> tuple[Record, ...]:
        return ()

    elsewhere.__module__ = "another.module"
    try:
        claim("nowhere/claim-0")(check)
        claim("nowhere/claim-0")(check)  # the same module again, as on a reload
        with pytest.raises(
            ValueError, match="one check, got a second one for id='nowhere/claim-0'"
        ):
            claim("nowhere/claim-0")(elsewhere)
    finally:
        REGISTRY.pop("nowhere/claim-0", None)
