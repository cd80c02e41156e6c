"""Errata, analysis on runs, and the bounds of the regret figure."""

from math import inf

import pytest

from figures.vietri2020 import diagnosis, horizon, pac, price, regret
from privrl.diagnose.tabular import FAMILIES
from theory import errata
from theory.papers.vietri2020.bounds import proved
from theory.papers.vietri2020.bounds import stated as bounds


def test_the_good_event_holds_often_enough_and_the_broken_twin_is_noticed() -> None:
    made = diagnosis.tables()
    families = made["families"].set_index(["width", "family"])
    assert families.loc[("E", "any"), "high"] < diagnosis.BETA < families.loc[("E/16", "any"), "low"]
    assert set(families.loc["E"].index) == {*FAMILIES, "any"}
    assert (made["ratios"]["gap_over_corrected"] < 1).all() and (made["ratios"]["least_surplus"] > 0).all()
    rows = made["episodes"]
    assert (rows["gap"] <= rows["largest_gap"] + 1e-12).all()


def test_each_runs_own_proved_bound_lies_between_it_and_the_printed_sum() -> None:
    made = regret.tables()
    lines = made["lines"].set_index(["line", "epsilon", "episodes"])["regret"]
    for epsilon in regret.EPSILONS:
        for mark in (10**4, 10**6, 10**8):
            names = ("lower", "proved-tight", "proved-corrected", "proved-printed", "theorem-4")
            above = [lines.loc[(name, epsilon, mark)] for name in names]
            assert above == sorted(above)
        last = made["runs"][(made["runs"]["episodes"] == 10**8) & (made["runs"]["epsilon"] == epsilon)]
        assert len(last) == 3
        for row in last.itertuples():
            own = lines.loc[(f"proved-{row.calibration}", epsilon, 10**8)]
            assert lines.loc[("lower", epsilon, 10**8)] < row.low <= row.high < own
            start = regret.proved_from(epsilon, row.calibration)
            assert regret.proved_bound(start, epsilon, row.calibration) < 3 * start
            assert regret.proved_bound(start - 1, epsilon, row.calibration) >= 3 * (start - 1)
            assert start < regret.vacuous_until(epsilon)


def test_privacys_share_of_the_bounds_and_of_the_runs() -> None:
    """The crossings by the terms themselves; noise costs regret, at epsilon = 100 less than the bonus."""
    made = price.tables()
    for row in made["crossings"].itertuples():
        after, before = (price.privacy_over_rest(row.line, T, row.epsilon)
                         for T in (row.episodes, row.episodes // 2))
        assert after < 1 < before
    terms = bounds.theorem_4_terms(3, 2, 3, 10**8, 100.0, 0.1)
    direct = (terms.noise + terms.start) / (terms.sampling + terms.martingale)
    assert price.privacy_over_rest("theorem-4", 10**8, 100.0) == pytest.approx(direct)
    rows = made["runs"][made["runs"]["episodes"] == 10**8].set_index(["agent", "counter", "epsilon"])["regret"]
    order = [rows["ubev", "none", inf], rows["pucb", "none", inf],
             *(rows["pucb", "tree", epsilon] for epsilon in (100.0, 10.0, 1.0))]
    assert order == sorted(order) and order[2] / order[1] < 2 < order[1] / order[0]


def test_how_much_later_theorem_4_speaks_is_said_right() -> None:
    """4.4 to 4.9 times as many users as the bound for the same noise, 12 to 24 times as for enough noise."""
    practice = {erratum.claims[0]: erratum.practice for _, erratum in errata.groups("vietri2020")}["theorem-4"]
    later = {name: [bounds.vacuity_horizon(*size, 1.0, 0.1) / proved.regret_horizon(*size, 1.0, 0.1, name)
                    for size in horizon.SIZES] for name in ("printed", "corrected")}
    assert f"from {min(later['printed']):.1f} to {max(later['printed']):.1f} times" in practice
    assert f"{min(later['corrected']):.0f} to {max(later['corrected']):.0f} times" in practice


@pytest.mark.parametrize(("size", "epsilon", "alpha", "noise", "times"),
                         [((2, 2, 2), 1.0, 10**-2.4, "printed", "100 to"),
                          ((4, 3, 3), 1.0, 10**-0.3, "corrected", "to 430 times"),
                          ((2, 2, 2), 1.0, 10**-2.7, "corrected", "(190 and more")])
def test_how_much_smaller_the_pac_bound_is(size: tuple[int, int, int], epsilon: float, alpha: float,
                                           noise: proved.Calibration, times: str) -> None:
    """The ends of the range over all panels and every alpha that a policy loses."""
    practice = {erratum.claims[0]: erratum.practice for _, erratum in errata.groups("vietri2020")}["theorem-3"]
    bound = proved.pac_bound(*size, pac.PLANNED, epsilon, pac.BETA, alpha, noise)
    found = pac.theorem_3(size, epsilon, alpha) / bound
    assert round(found, -1) == int("".join(filter(str.isdigit, times))) and times in practice
