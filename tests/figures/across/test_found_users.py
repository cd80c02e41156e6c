"""The findings' runs: chosen on training instances, replayed, and measured by other seeds."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from figures import measured
from figures.across import found_users
from privrl.run import measure
from tests.figures import drawn


def test_training_instances_choose_and_none_of_them_is_reported() -> None:
    training = drawn(found_users.ID, "training")
    for name, rows in training.groupby("comparison"):
        best = rows.loc[rows["share"].idxmin()]
        assert (best["calibration"], best["counter"]) == found_users.CHOSEN[str(name)]
        assert best["chosen"] and rows["chosen"].sum() == 1
        comparison = found_users.COMPARISONS[str(name)]
        hashes = {measured._hash(instance) for instance in comparison.training}
        assert measured._hash(comparison.printed().made) not in hashes


@pytest.mark.slow
def test_a_replicate_comes_out_again() -> None:
    table = measured.read(found_users.ID)
    for name in ("zhou2022", "liao2021"):
        comparison = found_users.COMPARISONS[name]
        for setting in (comparison.printed(), comparison.other(*found_users.CHOSEN[name])):
            committed = measured.rows_of(table, setting)
            assert len(committed) == setting.replicates
            fresh = setting.row(3)
            before = committed[committed["replicate"] == 3].iloc[0]
            np.testing.assert_allclose(fresh[9:], before.to_numpy()[9:].astype(float), rtol=1e-9)
    other = dataclasses.replace(setting, seed=9).row(3)
    assert other[11] != pytest.approx(fresh[11], rel=1e-9)


def test_caption_says_the_replicates_and_plans() -> None:
    words, users = " ".join(found_users.CAPTION.split()), drawn(found_users.ID, "users")
    for row in users.itertuples():
        paper = str(row.comparison).partition(",")[0]
        assert row.replicates in (found_users.MANY, found_users.FEW) and paper in words
        assert row.low <= row.median <= row.high and row.least <= row.median <= row.most
    few = set(users[users["replicates"] == found_users.FEW]["comparison"])
    assert few == {"chowdhury2021", "vietri2020", "vietri2020, delta = 0"}


def test_a_setting_comes_from_its_store_as_it_was_played(tmp_path: Path) -> None:
    setting = dataclasses.replace(found_users.COMPARISONS["zhou2022"].printed(), planned=1000)
    fresh = setting.regret(0)
    tmp_path.joinpath("store").mkdir()
    for _ in range(2):
        assert (setting.regret(0, tmp_path / "store") == fresh).all()
    assert len(list(tmp_path.joinpath("store").iterdir())) == 1
    assert fresh.size == measure.marks(1000).size
