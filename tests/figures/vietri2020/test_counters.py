"""Runs over better counters: the plans, the rule that chose their length, replays, and what the
figure says of them."""

import dataclasses
import math

import numpy as np
import pandas as pd
import pytest

from figures import runs
from figures.vietri2020 import counters as vietri2020_counters
from figures.vietri2020.counters import BEST, OWN, PLANNED, PRINTED, PURE, ROOM, SHOWN, WEAKER
from privrl.environments import planning, suite
from privrl.run import measure
from privrl.types import Run
from tests.figures import drawn


@pytest.fixture(scope="module")
def stored() -> tuple[Run, ...]:
    return runs.read(vietri2020_counters.ID)


@pytest.fixture(scope="module")
def settings() -> pd.DataFrame:
    return drawn(vietri2020_counters.ID, "settings")


@pytest.mark.slow
@pytest.mark.parametrize("setting", SHOWN)
def test_each_is_planned_for_what_the_rule_says(
    setting: vietri2020_counters.CounterSetting,
) -> None:
    for epsilon, planned in ((1.0, OWN), (10.0, WEAKER)):
        if setting in planned:
            assert (
                planned[setting] // 10
                < ROOM * vietri2020_counters.start(setting, epsilon)
                <= planned[setting]
            )


def test_the_burn_in_is_many_times_shorter(settings: pd.DataFrame) -> None:
    """At equal epsilon: at least 20 times with delta = 1e-6, at its own planned T and at the
    printed one's."""
    at = settings.set_index(["counter", "delta", "calibration", "epsilon", "planned"])["burn_in"]
    printed = at[(*PRINTED, 1.0, PLANNED)]
    for planned in (OWN[BEST], PLANNED):
        assert printed >= 20 * at[(*BEST, 1.0, planned)]
    assert printed >= 10 * at[(*PURE, 1.0, OWN[PURE])]
    assert all(at[(*setting, 1.0, planned)] <= printed for setting, planned in OWN.items())
    assert (settings["start"] < settings["least"]).all()


def test_every_run_learns_and_uniform_play_would_not(stored: tuple[Run, ...]) -> None:
    mdp = suite.tabular(vietri2020_counters.ENTRY)
    for run in stored:
        assert measure.users(run, mdp).never == 0
    lost = planning.uniform_regret(mdp)
    idle = dataclasses.replace(stored[0], regret=np.tile(stored[0].episodes * lost, (4, 1)))
    assert measure.users(idle, mdp).never == 4


def test_noise_and_width_are_the_agent_s(settings: pd.DataFrame) -> None:
    """By hand: the signed counter's noisiest release has w Laplace draws of scale 6 H levels."""
    row = settings[(settings["counter"] == "signed") & (settings["planned"] == OWN[PURE])].iloc[0]
    levels, draws = 7, 18
    assert row["noise"] == pytest.approx(18 * levels * math.sqrt(2 * draws), rel=1e-12)
    calibration = vietri2020_counters.agent(PURE).calibrate(
        suite.tabular(vietri2020_counters.ENTRY), OWN[PURE]
    )
    assert row["width"] == pytest.approx(calibration.e_epsilon, rel=1e-5)
    tight = settings[settings["calibration"] == "tight"]
    assert (
        tight["width"] > 4 * tight["noise"]
    ).all()  # covers far more than one standard deviation
