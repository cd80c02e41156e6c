"""What the figures of the first paper say, derived independently: tables, analysis on runs,
errata."""

from math import inf, log

import pytest

from figures import style
from figures.vietri2020 import (
    counter_error,
    diagnosis,
    hard_mdp,
    price,
    privacy,
    regret,
)
from privrl.diagnose.tabular import FAMILIES
from privrl.types import Adjacency
from tests.figures import drawn
from theory.papers.vietri2020.bounds import stated as bounds


def test_the_loss_of_the_counters_in_closed_form() -> None:
    """2 levels/log T under replacement, half of that under removal, and 1 for the corrected
    scale."""
    table = privacy.tables()["loss"]
    for row in table.itertuples():
        levels = (row.episodes - 1).bit_length()
        unit = {
            "printed-e": log(row.episodes),
            "printed-2": log(row.episodes, 2),
            "corrected": 2 * levels,
        }[row.noise]
        assert row.loss == pytest.approx(
            levels / unit * (2 if row.adjacency == "replace" else 1), rel=1e-12
        )
    replaced = table[(table["adjacency"] == "replace") & (table["noise"] != "corrected")]
    assert replaced["loss"].min() >= 2
    assert privacy.loss(1024, Adjacency.REPLACE, 9 * log(1024)) == pytest.approx(2 * 10 / log(1024))


@pytest.mark.slow
def test_the_simulated_counters_agree_with_the_law() -> None:
    table = counter_error.tables()["error"]
    simulated = table.dropna(subset=["simulated"])
    assert len(simulated) == 2 * len(counter_error.SIMULATED)
    assert (
        (simulated["low"] <= simulated["quantile"]) & (simulated["quantile"] <= simulated["high"])
    ).all()
    assert not (
        (simulated["low"] <= 1.1 * simulated["quantile"])
        & (1.1 * simulated["quantile"] <= simulated["high"])
    ).all()


def test_the_hard_mdp_is_drawn_as_figure_2_prints_it() -> None:
    """1/2 + alpha'/2 for arm 0, 1/2 + alpha' for the best arm, 1/2 for the others; + and - loop."""
    edges = hard_mdp.tables()["edges"]
    enter = edges[edges["next"] == "+"].set_index(["state", "action"])["probability"]
    alpha, best = 0.2, {"1": "1", "2": "2"}
    for state, arm in best.items():
        for action in ("0", "1", "2"):
            expected = 0.5 + alpha / 2 if action == "0" else 0.5 + alpha * (action == arm)
            assert enter[state, action] == pytest.approx(expected)
    loops = edges[edges["state"].isin(["+", "-"])]
    assert (loops["state"] == loops["next"]).all() and (loops["probability"] == 1).all()
    assert dict(zip(loops["state"], loops["mean_reward"], strict=True)) == {"+": 1.0, "-": 0.0}


def test_pucb_learns_from_fewer_users_with_more_noise_and_a_smaller_width() -> None:
    rows = drawn("vietri2020_learning", "burn_in").query("agent == 'pucb'")
    burn = rows.pivot_table(index="epsilon", columns="calibration", values="burn_in")
    corrected, tight = burn["printed"] / burn["corrected"], burn["printed"] / burn["tight"]
    assert corrected.between(2.5, 3.5).all() and tight.between(3.5, 4.5).all()
    assert [style.number(burn.loc[1.0, name], 2) for name in ("printed", "tight")] == [
        "4.1e7",
        "9.2e6",
    ]


@pytest.mark.slow
def test_the_good_event_holds_often_enough_and_the_broken_twin_is_noticed() -> None:
    tables = diagnosis.tables()
    families = tables["families"].set_index(["width", "family"])
    assert (
        families.loc[("E", "any"), "high"] < diagnosis.BETA < families.loc[("E/16", "any"), "low"]
    )
    assert set(families.loc["E"].index) == {*FAMILIES, "any"}
    assert (tables["ratios"]["gap_over_corrected"] < 1).all() and (
        tables["ratios"]["least_surplus"] > 0
    ).all()
    rows = tables["episodes"]
    assert (rows["gap"] <= rows["largest_gap"] + 1e-12).all()


@pytest.mark.slow
def test_each_runs_own_proved_bound_lies_between_it_and_the_printed_sum() -> None:
    tables = regret.tables()
    lines = tables["lines"].set_index(["line", "epsilon", "episodes"])["regret"]
    for epsilon in regret.EPSILONS:
        for mark in (10**4, 10**6, 10**8):
            names = ("lower", "proved-tight", "proved-corrected", "proved-printed", "theorem-4")
            above = [lines.loc[(name, epsilon, mark)] for name in names]
            assert above == sorted(above)
        last = tables["runs"][
            (tables["runs"]["episodes"] == 10**8) & (tables["runs"]["epsilon"] == epsilon)
        ]
        assert len(last) == 3
        for row in last.itertuples():
            proved_bound = lines.loc[(f"proved-{row.calibration}", epsilon, 10**8)]
            assert lines.loc[("lower", epsilon, 10**8)] < row.low <= row.high < proved_bound
            assert regret.proved_from(epsilon, row.calibration) < regret.vacuous_until(epsilon)


@pytest.mark.slow
def test_privacys_share_of_the_bounds_and_of_the_runs() -> None:
    """The crossings by the terms themselves; noise costs regret, at epsilon = 100 less than the
    bonus."""
    tables = price.tables()
    for row in tables["crossings"].itertuples():
        after, before = (
            price.privacy_over_rest(row.line, T, row.epsilon)
            for T in (row.episodes, row.episodes // 2)
        )
        assert after < 1 < before
    terms = bounds.theorem_4_terms(3, 2, 3, 10**8, 100.0, 0.1)
    direct = (terms.noise + terms.start) / (terms.sampling + terms.martingale)
    assert price.privacy_over_rest("theorem-4", 10**8, 100.0) == pytest.approx(direct)
    rows = tables["runs"][tables["runs"]["episodes"] == 10**8].set_index(
        ["agent", "counter", "epsilon"]
    )["regret"]
    order = [
        rows["ubev", "none", inf],
        rows["pucb", "none", inf],
        *(rows["pucb", "tree", epsilon] for epsilon in (100.0, 10.0, 1.0)),
    ]
    assert order == sorted(order) and order[2] / order[1] < 2 < order[1] / order[0]
