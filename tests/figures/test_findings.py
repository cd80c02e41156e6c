"""What notebooks 01 and 02 say of the committed figures' data beyond what their cells hold."""

import pandas as pd

from figures import registry, style


def data(identifier: str, table: str) -> pd.DataFrame:
    """One table behind a figure, as committed."""
    whole = pd.read_csv(registry.DATA / f"{identifier}.csv", low_memory=False)
    return whole[whole["table"] == table].dropna(axis=1, how="all")


def test_pucb_learns_from_fewer_users_with_more_noise_and_a_smaller_width() -> None:
    rows = data("vietri2020_learning", "burn_in").query("window == 'growing' and agent == 'pucb'")
    burn = rows.pivot_table(index="epsilon", columns="calibration", values="burn_in")
    corrected, tight = burn["printed"] / burn["corrected"], burn["printed"] / burn["tight"]
    assert corrected.between(2.5, 3.5).all() and tight.between(3.5, 4.5).all()
    assert style.number(burn.loc[1.0, "printed"], 2) == "3.9e7" and burn.loc[1.0, "tight"] == 9_000_000


def test_no_replayed_run_left_the_good_event_and_its_broken_twin_is_noticed() -> None:
    failed = data("vietri2020_diagnosis", "families").set_index(["width", "family"])
    assert failed.loc[("E", "any"), "high"] < 0.1 < failed.loc[("E/16", "any"), "low"]
    ratios = data("vietri2020_diagnosis", "ratios")
    assert (ratios["gap_over_corrected"] < 1).all() and (ratios["least_surplus"] > 0).all()


def test_every_run_of_pucb_keeps_between_its_bounds() -> None:
    lines = data("vietri2020_regret", "lines").set_index(["line", "epsilon", "episodes"])["regret"]
    runs = data("vietri2020_regret", "runs").query("agent == 'pucb' and counter == 'tree' and episodes == 10**8")
    assert len(runs) == 9
    for row in runs.itertuples():
        lower, proved, printed = (lines[name, row.epsilon, row.episodes]
                                  for name in ("lower", f"proved-{row.calibration}", "theorem-4"))
        assert lower < row.low and row.high < proved < printed


def test_certainty_equivalence_takes_longer_and_then_loses_less() -> None:
    rows = data("chowdhury2021_learning", "burn_in").query("calibration == 'tight'").set_index(["agent", "epsilon"])
    assert pd.isna(rows.loc[("private-ce", 1.0), "episode"])
    for epsilon in (10.0, 100.0, 1000.0):
        certain, optimistic = (rows.loc[(agent, epsilon)] for agent in ("private-ce", "private-ofu-rl"))
        assert certain["episode"] > optimistic["episode"] and certain["last_high"] < optimistic["last_low"]


def test_the_cost_of_the_printed_noise_is_no_power_law() -> None:
    slopes = data("chowdhury2021_price", "slopes")
    learnt = slopes[slopes["kind"] == "learnt"].set_index("calibration")
    assert learnt.loc["printed", "high"] < -0.5 < learnt.loc["corrected", "low"] < -0.2
    local = slopes[(slopes["kind"] == "local") & (slopes["calibration"] == "printed")]["slope"]
    assert local.is_monotonic_decreasing and local.iloc[0] > -0.5 > local.iloc[-1]
