"""Releasing less: rows played again, and what the page says."""

import numpy as np
import pytest

from figures import measured
from figures.across import cheapest_users as study
from reproduce.making import ROOT
from tests.figures import drawn


@pytest.mark.slow
@pytest.mark.parametrize("place", [1, 3, 5, 9, 11])
def test_a_replicate_is_played_again(place: int) -> None:
    """To the digit, of every agent and problem, with a plan for one user and for many."""
    setting = study.settings()[place]
    row = measured.rows_of(measured.read(study.ID), setting).iloc[3]
    again = setting.row(3)
    assert again[: len(measured.KIND)] == tuple(row[list(measured.KIND)])
    assert f"{again[-len(measured.DECADES) - 1]:.10g}" == f"{row['regret']:.10g}"
    assert float(f"{again[len(measured.KIND) + 1]:.10g}") == row["users"]


def test_runs_of_a_ratio_are_planned_alike_and_labelled_apart() -> None:
    settings = study.settings()
    assert len({tuple(setting.labels.values()) for setting in settings}) == len(settings)
    for kind in {(setting.world, setting.agent.name) for setting in settings}:
        same = [row for row in settings if (row.world, row.agent.name) == kind]
        assert len({(row.planned, row.replicates, row.played) for row in same}) == 1
        assert {row.agent.every for row in same} == {1, same[0].planned // study.PLANS}


def test_pruned_takes_fewer_users() -> None:
    rows = drawn(study.ID, "users")
    for (problem, agent), these in rows.groupby(["problem", "agent"], sort=False):
        first = these.iloc[0]
        assert (first["calibration"], first["every"]) == ("tight", 1)
        assert np.isfinite(these["users"]).all() and (these["never"] == 0).all()
        many = these[these["every"] > 1]
        assert (many["fewer_low"] > 1).all(), (problem, agent)
    (one_step,) = rows[
        (rows["problem"] == "even-32x2-h1")
        & (rows["calibration"] == "pruned")
        & (rows["every"] == 1)
    ].itertuples()
    assert one_step.fewer_low > 2


def test_the_page_has_the_table_and_commands_of_its_rows() -> None:
    words = (ROOT / "docs/advice.md").read_text("utf-8")
    assert study.markdown().strip() in words
    for setting in study.settings()[3::4]:
        agent = setting.agent
        command = (
            f"--agent {agent.name} --counter blt --epsilon {agent.epsilon:g} --delta 1e-06 "
            f"--calibration pruned --every {agent.every} --episodes {setting.planned} "
            f"--stop-after {setting.played} "
        )
        assert command in words
