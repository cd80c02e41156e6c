"""Exponents of users before learning: comparable worlds, runs that come out again, slopes that are
the table's."""

from math import log

import numpy as np
import pytest

from figures import comparable, exponents, measured, registry, runs
from privrl.environments import planning
from tests.figures import drawn

STUDIES = [
    pytest.param(study, id=f"{paper} {study.agent}")
    for paper, studies in exponents.STUDIES.items()
    for study in studies
]


@pytest.mark.parametrize(("states", "actions", "horizon"), [(2, 2, 1), (4, 2, 2), (9, 3, 2)])
def test_contexts_are_balanced_and_cost_the_same_at_every_size(
    states: int, actions: int, horizon: int
) -> None:
    world = comparable.contexts(states, actions, horizon)
    assert planning.smallest_gap(world) == pytest.approx(1)
    lost = planning.uniform_regret(world)
    assert lost == pytest.approx(horizon * (1 - 1 / actions))
    right = world.rewards.argmax(axis=-1).ravel()
    shares = np.bincount(right, minlength=actions)
    assert shares.max() - shares.min() <= horizon


def test_the_scalar_system_keeps_its_gains_at_every_horizon() -> None:
    for horizon in range(2, 7):
        world = comparable.scalar(horizon)
        assert planning.lq_gain_bound(world) <= world.gamma
    assert planning.lq_gain_bound(comparable.scalar(7)) > comparable.GAMMA


@pytest.mark.parametrize("study", STUDIES)
def test_five_sizes_at_least_and_one_plan(study: exponents.Study) -> None:
    for axis, lengths in study.lengths.items():
        assert len(lengths) >= 5 or (study.agent, axis) == ("linopt-po", "H")
    for axis, lengths in study.lengths.items():
        assert study.base[axis.replace("1/", "")] in lengths
    mine = [runs_ for runs_ in exponents.settings(study.paper) if runs_.agent.name == study.agent]
    assert {runs_.planned for runs_ in mine} == {study.planned}
    assert study.replicates >= (6 if study.paper == "vietri2020" else 8)


@pytest.mark.parametrize("study", STUDIES)
def test_a_replicate_comes_out_again(study: exponents.Study) -> None:
    table = runs.table(exponents.table_name(study.paper), exponents.COLUMNS)
    settings = [
        runs_ for runs_ in exponents.settings(study.paper) if runs_.agent.name == study.agent
    ]
    for setting in settings:
        assert len(measured.rows_of(table, setting)) == setting.replicates
    setting = min(settings, key=lambda runs_: runs_.played)
    committed = measured.rows_of(table, setting)
    fresh = exponents._row((setting, 1))
    before = committed[committed["replicate"] == 1].iloc[0]
    np.testing.assert_allclose(
        np.array(fresh[-2:], dtype=float), before[["users", "regret"]].astype(float), rtol=1e-9
    )


@pytest.mark.parametrize("paper", exponents.STUDIES)
def test_slopes_are_those_of_the_users_and_of_the_bounds(paper: str) -> None:
    users, slopes = (drawn(exponents.table_name(paper), name) for name in ("users", "slopes"))
    at = users.set_index(["agent", "axis", "value"])
    for row in slopes.itertuples():
        first, second = (at.loc[row.agent, row.axis, value] for value in (row.first, row.second))
        span = log(row.second / row.first) * (-1 if row.axis == "1/epsilon" else 1)
        for kind, slope in (
            ("users", row.slope),
            ("printed", row.printed),
            ("proved", row.proved),
        ):
            if np.isfinite(first[kind] + second[kind]):
                expected = log(second[kind] / first[kind]) / span
                assert slope == pytest.approx(expected, rel=1e-4, abs=1e-4)
        if np.isfinite(row.slope):
            assert row.low <= row.slope <= row.high
    ends = drawn(exponents.table_name(paper), "ends")
    assert (ends["low"] <= ends["slope"]).all() and (ends["slope"] <= ends["high"]).all()


def test_the_table_has_a_row_for_every_algorithm_and_size() -> None:
    lines = exponents.markdown().splitlines()[2:]
    every = [study for studies in exponents.STUDIES.values() for study in studies]
    assert len(lines) == sum(len(study.lengths) for study in every)
    for paper, exponents_ in comparable.LOWER.items():
        assert {*exponents_} == {*exponents.STUDIES[paper][0].lengths}


@pytest.mark.parametrize("paper", exponents.STUDIES)
def test_a_title_says_what_the_powers_say(paper: str) -> None:
    """Powers that differ differ beyond the interval."""
    message = registry.figure(exponents.table_name(paper)).message
    ends = exponents.tables_of(paper)["ends"]
    over = {(row.agent, row.axis) for row in ends.itertuples() if row.low > row.printed}
    under = {(row.agent, row.axis) for row in ends.itertuples() if row.high < row.printed}
    within = {(row.agent, row.axis) for row in ends.itertuples()} - over - under
    said = {
        "vietri2020": (
            (ends["low"] <= ends["proved"]).all(),
            "as the proved bound says or more slowly",
        ),
        "chowdhury2021": (
            {axis for _, axis in under} == {"H"} and {axis for _, axis in within} == {"1/epsilon"},
            "With H users grow far more slowly than the bounds, with 1/ε as printed",
        ),
        "liao2021": (
            {axis for _, axis in under} == {"H"} and over == set(),
            "With H users grow more slowly than the bounds; the rest is within error",
        ),
        "zhou2022": (
            over == {("linopt-vi", "H")} and len(ends) == 6,
            "Of six powers one exceeds the printed bound's: value iteration's in H",
        ),
    }
    true, words = said[paper]
    assert true
    assert message.endswith(words)
