"""Errata and the analysis on runs."""

from __future__ import annotations

from figures import zhou2022_diagnosis, zhou2022_regularisers
from theory import ledger

ROWS = [row for row in ledger.recorded() if row["id"].startswith("zhou2022/")]


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
