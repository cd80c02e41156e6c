"""Exponents of users before learning: comparable worlds, runs that come out again, slopes that are
the table's."""

from math import log

import numpy as np
import pytest

from figures import exponents, measured, runs
from privrl.environments import planning
from privrl.run import learning
from tests.figures import drawn


@pytest.mark.parametrize(("states", "actions", "horizon"), [(2, 2, 1), (4, 2, 2), (9, 3, 2)])
def test_contexts_are_balanced_and_cost_the_same_at_every_size(
    states: int, actions: int, horizon: int
) -> None:
    world = exponents.contexts(states, actions, horizon)
    assert planning.smallest_gap(world) == pytest.approx(1)
    lost = learning.uniform_regret(world)
    assert lost == pytest.approx(horizon * (1 - 1 / actions))
    right = world.rewards.argmax(axis=-1).ravel()
    shares = np.bincount(right, minlength=actions)
    assert shares.max() - shares.min() <= horizon


@pytest.mark.parametrize("paper", exponents.STUDIES)
def test_five_sizes_at_least_and_one_plan(paper: str) -> None:
    study = exponents.STUDIES[paper]
    assert all(len(lengths) >= 5 for lengths in study.lengths.values())
    for axis, lengths in study.lengths.items():
        assert study.base[axis.replace("1/", "")] in lengths
    assert {runs_.planned for runs_ in exponents.settings(paper)} == {exponents.PLANNED}


@pytest.mark.parametrize("paper", exponents.STUDIES)
def test_a_replicate_comes_out_again(paper: str) -> None:
    table = runs.table(exponents.table_name(paper), exponents.COLUMNS)
    setting = min(exponents.settings(paper), key=lambda runs_: runs_.played)
    committed = measured.rows_of(table, setting)
    assert len(committed) == setting.replicates
    fresh = exponents._row((setting, 1))
    before = committed[committed["replicate"] == 1].iloc[0]
    np.testing.assert_allclose(
        np.array(fresh[-2:], dtype=float), before[["users", "regret"]].astype(float), rtol=1e-9
    )


@pytest.mark.parametrize("paper", exponents.STUDIES)
def test_slopes_are_those_of_the_users(paper: str) -> None:
    users, slopes = (drawn(exponents.table_name(paper), name) for name in ("users", "slopes"))
    at = users.set_index(["axis", "value"])["users"]
    for row in slopes.itertuples():
        first, second = at[row.axis, row.first], at[row.axis, row.second]
        if not np.isfinite(first + second):
            continue
        sign = -1 if row.axis == "1/epsilon" else 1
        slope = sign * log(second / first) / log(row.second / row.first)
        assert row.slope == pytest.approx(slope, rel=1e-4)
        assert row.low <= row.slope <= row.high
    lines = exponents.markdown().splitlines()[2:]
    assert len(lines) == sum(len(study.lengths) for study in exponents.STUDIES.values())
    assert learning.LEVEL == 0.95
