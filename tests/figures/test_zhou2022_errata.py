"""Errata and the analysis on runs."""

from figures import style
from figures.zhou2022 import diagnosis, learning, regret, regularisers
from tests.figures import drawn
from theory import errata
from theory.papers.zhou2022 import bounds


def test_every_run_stays_on_the_good_event_and_the_broken_twin_is_noticed() -> None:
    made = diagnosis.tables()
    checks = made["checks"].set_index("agent")
    whole, twin = checks.drop(index="narrow"), checks.loc["narrow"]
    assert (whole["good"] == diagnosis.RUNS).all() and twin["good"] == 0
    assert (checks["defect"] < 1e-9).all() and (whole["iota_high"] <= 1e-9).all() and twin["iota_high"] > 0.05
    terms = made["terms"]
    assert set(terms["term"]) == {"T1", "T2", "T3", "(i)", "(ii)", "(iii)"}
    assert (terms["largest"] < terms["proved"]).all() and (terms["proved"] < terms["displayed"]).all()


def test_the_regularisers_stay_inside_theorem_6_5s_constants() -> None:
    made = regularisers.tables()
    run, quantiles = made["run"], made["quantiles"]
    assert run["low"].min() > 1 and run["high"].max() < 3 and run["nu"].max() < 1
    assert (quantiles["high_end"] < 1).all() and (quantiles["low_end"] > 0.15).all()


def test_the_errata_have_the_numbers_of_the_runs_and_of_the_bounds() -> None:
    practice = {erratum.claims[0]: erratum.practice for _, erratum in errata.groups("zhou2022")}
    burn = drawn(learning.ID, "burn_in").query("window == 'growing' and counter == 'tree'")
    users = burn.pivot_table(index=["agent", "epsilon"], columns="calibration", values="burn_in")
    fewer = users["printed"] / users["corrected"]
    assert f"from {style.number(fewer.min(), 2)} to {style.number(fewer.max(), 2)} times" in practice["theorem-6.4"]
    made = [regret.constants(10**6, epsilon) for epsilon in regret.EPSILONS]
    over = [bounds.displayed_terms(one, many).total / bounds.regret_terms(one, many).total
            for one in made for many in (None, 2)]
    assert f"are {round(min(over))} to {round(max(over))} times" in practice["theorem-4.1"]
