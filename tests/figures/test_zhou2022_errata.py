"""Errata and the analysis on runs."""

from __future__ import annotations

import pytest

from figures import errata_zhou2022 as errata
from figures import zhou2022_diagnosis, zhou2022_regularisers
from theory import ledger

ROWS = [row for row in ledger.recorded() if row["id"].startswith("zhou2022/")]


def test_every_claim_with_a_failing_record_stands_in_one_group() -> None:
    named = [claim for _, erratum in errata.groups() for claim in erratum.claims]
    failing = {row["id"].split("/")[1] for row in ROWS if any(r["verdict"] == "fails" for r in row.get("records", ()))}
    assert len(named) == len(set(named)) and set(named) == failing
    assert next(iter(errata.PARTS)) == "Privacy"


def test_what_stands_holds_in_the_ledger_and_has_a_mutant() -> None:
    for _, erratum in errata.groups():
        assert erratum.stands and erratum.practice.endswith(".")
        for claim, of in erratum.stands:
            record = errata.record_of(ROWS, claim, of)
            assert record["verdict"] == "holds" and record["mutant_rejected"] and record["statement"]
        text = errata.text(ROWS, erratum)
        assert all(claim in text for claim in erratum.claims) and "in practice" in text
        assert max(map(len, text.splitlines())) <= 220


def test_a_record_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match=r"got claim='theorem-6\.4', of='nothing'"):
        errata.record_of(ROWS, "theorem-6.4", "nothing")


def test_every_run_stays_on_the_good_event_and_the_broken_twin_is_noticed() -> None:
    made = zhou2022_diagnosis.tables()
    checks = made["checks"].set_index("agent")
    whole, twin = checks.drop(index="narrow"), checks.loc["narrow"]
    assert (whole["good"] == zhou2022_diagnosis.RUNS).all() and twin["good"] == 0
    assert (checks["defect"] < 1e-9).all() and (whole["iota_high"] <= 1e-9).all() and twin["iota_high"] > 0.05
    terms = made["terms"]
    assert set(terms["term"]) == {"T1", "T2", "T3", "(i)", "(ii)", "(iii)"}
    assert (terms["largest"] < terms["proved"]).all() and (terms["proved"] < terms["displayed"]).all()


def test_the_regularisers_stay_inside_theorem_6_5s_constants() -> None:
    made = zhou2022_regularisers.tables()
    run, quantiles = made["run"], made["quantiles"]
    assert run["low"].min() > 1 and run["high"].max() < 3 and run["nu"].max() < 1
    assert (quantiles["high_end"] < 1).all() and (quantiles["low_end"] > 0.15).all()
