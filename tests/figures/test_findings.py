"""What notebooks 01 and 02 say of the committed figures' data beyond what their cells hold."""

import pandas as pd

from figures import style
from tests.figures import drawn


def test_pucb_learns_from_fewer_users_with_more_noise_and_a_smaller_width() -> None:
    rows = drawn("vietri2020_learning", "burn_in").query("window == 'growing' and agent == 'pucb'")
    burn = rows.pivot_table(index="epsilon", columns="calibration", values="burn_in")
    corrected, tight = burn["printed"] / burn["corrected"], burn["printed"] / burn["tight"]
    assert corrected.between(2.5, 3.5).all() and tight.between(3.5, 4.5).all()
    assert style.number(burn.loc[1.0, "printed"], 2) == "3.9e7" and burn.loc[1.0, "tight"] == 9_000_000


def test_certainty_equivalence_takes_longer_and_then_loses_less() -> None:
    rows = drawn("chowdhury2021_learning", "burn_in").query("calibration == 'tight'").set_index(["agent", "epsilon"])
    assert pd.isna(rows.loc[("private-ce", 1.0), "episode"])
    for epsilon in (10.0, 100.0, 1000.0):
        certain, optimistic = (rows.loc[(agent, epsilon)] for agent in ("private-ce", "private-ofu-rl"))
        assert certain["episode"] > optimistic["episode"] and certain["last_high"] < optimistic["last_low"]


def test_the_cost_of_the_printed_noise_is_no_power_law() -> None:
    slopes = drawn("chowdhury2021_price", "slopes")
    local = slopes[(slopes["kind"] == "local") & (slopes["calibration"] == "printed")]["slope"]
    assert local.is_monotonic_decreasing and local.iloc[0] > -0.5 > local.iloc[-1]
