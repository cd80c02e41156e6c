"""Errata, analysis on runs, and the bounds of the regret figure."""

from __future__ import annotations

from math import inf

import pytest

from figures import vietri2020_diagnosis, vietri2020_price, vietri2020_regret
from privrl.diagnose import FAMILIES
from theory import bounds, ledger

ROWS = [row for row in ledger.recorded() if row["id"].startswith("vietri2020/")]


def test_the_good_event_holds_often_enough_and_the_broken_twin_is_noticed() -> None:
    made = vietri2020_diagnosis.tables()
    families = made["families"].set_index(["width", "family"])
    assert families.loc[("E", "any"), "high"] < vietri2020_diagnosis.BETA < families.loc[("E/16", "any"), "low"]
    assert set(families.loc["E"].index) == {*FAMILIES, "any"}
    assert (made["ratios"]["gap_over_corrected"] < 1).all() and (made["ratios"]["least_surplus"] > 0).all()
    rows = made["episodes"]
    assert (rows["gap"] <= rows["largest_gap"] + 1e-12).all()


def test_each_runs_own_proved_bound_lies_between_it_and_the_printed_sum() -> None:
    made = vietri2020_regret.tables()
    lines = made["lines"].set_index(["line", "epsilon", "episodes"])["regret"]
    for epsilon in vietri2020_regret.EPSILONS:
        for mark in (10**4, 10**6, 10**8):
            names = ("lower", "proved-tight", "proved-corrected", "proved-printed", "theorem-4")
            above = [lines.loc[(name, epsilon, mark)] for name in names]
            assert above == sorted(above)
        last = made["runs"][(made["runs"]["episodes"] == 10**8) & (made["runs"]["epsilon"] == epsilon)]
        assert len(last) == 3
        for row in last.itertuples():
            own = lines.loc[(f"proved-{row.calibration}", epsilon, 10**8)]
            assert lines.loc[("lower", epsilon, 10**8)] < row.low <= row.high < own
            start = vietri2020_regret.proved_from(epsilon, row.calibration)
            assert vietri2020_regret.proved_bound(start, epsilon, row.calibration) < 3 * start
            assert vietri2020_regret.proved_bound(start - 1, epsilon, row.calibration) >= 3 * (start - 1)
            assert start < vietri2020_regret.vacuous_until(epsilon)


def test_privacys_share_of_the_bounds_and_of_the_runs() -> None:
    """The crossings by the terms themselves; noise costs regret, at epsilon = 100 less than the bonus."""
    made = vietri2020_price.tables()
    for row in made["crossings"].itertuples():
        after, before = (vietri2020_price.privacy_over_rest(row.line, T, row.epsilon)
                         for T in (row.episodes, row.episodes // 2))  # fmt: skip
        assert after < 1 < before
    terms = bounds.theorem_4_terms(3, 2, 3, 10**8, 100.0, 0.1)
    direct = (terms.noise + terms.start) / (terms.sampling + terms.martingale)
    assert vietri2020_price.privacy_over_rest("theorem-4", 10**8, 100.0) == pytest.approx(direct)
    rows = made["runs"][made["runs"]["episodes"] == 10**8].set_index(["agent", "counter", "epsilon"])["regret"]
    order = [rows["ubev", "none", inf], rows["pucb", "none", inf],
             *(rows["pucb", "tree", epsilon] for epsilon in (100.0, 10.0, 1.0))]  # fmt: skip
    assert order == sorted(order) and order[2] / order[1] < 2 < order[1] / order[0]
