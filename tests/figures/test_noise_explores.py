"""The noise explores: rows played again, what the page says, and the theorem against what was
played."""

import numpy as np
import pytest

from figures import runs, style
from figures.across import noise_explores as study
from figures.kinds.tables import where
from reproduce.making import ROOT
from tests.figures import drawn
from theory.lemmas.greedy_noise import plays_at_most
from theory.rigor.sampling import clopper_pearson


def cells() -> list[tuple[str, str, float, float, float]]:
    """One of each kind."""
    kinds = {}
    for setting in study.settings():
        kinds.setdefault((setting[0], setting[1], setting[4] == study.NARROW), setting)
    return list(kinds.values())


@pytest.mark.parametrize("cell", cells())
@pytest.mark.parametrize("index", [0, 7])
def test_a_row_is_played_again(cell: tuple[str, str, float, float, float], index: int) -> None:
    table = runs.table(study.ID, study.COLUMNS)
    (row,) = where(table, **dict(zip(study.CELL, cell, strict=True)), replicate=index).itertuples()
    marks, regret = study.play(cell, index)
    late = (regret[-1] - regret[marks == marks[-1] // 5 * 4][0]) / (marks[-1] // 5)
    assert float(f"{regret[-1]:.6g}") == row.regret
    assert late == pytest.approx(row.late, rel=1e-5, abs=1e-9)


def test_the_table_has_every_replicate_once() -> None:
    table = runs.table(study.ID, study.COLUMNS)
    assert not table.duplicated([*study.CELL, "replicate"]).any()
    for cell, rows in table.groupby(study.CELL):
        assert len(rows) == study.REPLICATES[str(cell[1])]
    places = len(study.GAPS) + 1
    assert len(table.groupby(study.CELL)) == len(study.settings()) + places * len(study.SAMPLERS)


def test_failures_are_counted_by_hand() -> None:
    rows = runs.table(study.ID, study.COLUMNS).head(3).assign(late=[0.09, 0.5, 0.51])
    assert study.failed(rows, 1.0) == 1  # of uniform play, which loses 1 each


def test_no_interval_leaves_what_was_lost() -> None:
    """The t interval of the same runs does: the twin that must fail."""
    table = runs.table(study.ID, study.COLUMNS)
    least = table.groupby(study.CELL, sort=False)["regret"].min()
    cells = drawn(study.ID, "cells")
    assert (cells["low"].to_numpy() >= least.to_numpy() * (1 - 1e-5)).all()
    assert (cells["low"] <= cells["regret"]).all() and (cells["regret"] <= cells["high"]).all()
    lost = table.groupby(study.CELL, sort=False)["regret"]
    assert any(style.spread(values)[1] < 0 for _, values in lost)
    assert not any(style.resampled(values)[1] < 0 for _, values in list(lost)[:3])


def test_intervals_are_exact() -> None:
    for row in drawn(study.ID, "cells").itertuples():
        low, high = clopper_pearson(int(row.failed), int(row.runs), 0.05)
        assert (row.least, row.most) == pytest.approx((low, high), rel=1e-5, abs=1e-9)


@pytest.mark.slow
def test_the_theorem_holds_for_what_was_played() -> None:
    """Noise drawn anew: mean regret is below the bound by more than its interval. A bound that
    forgets to be misjudged (half of the first sum alone) is not: the twin that must fail."""
    data = drawn(study.ID, "cells")
    gap = study.ANEW[-1]
    users = study.EPISODES["coins"]
    for row in where(data, noise="anew", gap=gap).itertuples():
        spread = study.deviation("coins", gap, row.epsilon)
        bound = gap * plays_at_most(0.5 + gap / 2, gap, spread, users, 0.5)
        assert row.high <= bound
    stuck = where(data, noise="anew", gap=gap, epsilon=max(study.EPSILONS))["regret"].iloc[0]
    assert stuck > gap * plays_at_most(0.5 + gap / 2, gap, 5.0, users, 0.5)  # other noise's bound


def test_there_is_a_transition() -> None:
    """With a deviation of 1/gap or more hardly anybody fails; with a hundredth of it some do."""
    data = where(drawn(study.ID, "cells"), noise="counter", world="coins", multiplier=study.NARROW)
    enough = data[data["product"] >= 1]
    assert enough["failed"].sum() == 1
    words = " ".join((ROOT / "docs/noise-explores.md").read_text("utf-8").split())
    assert f"1 of {enough['runs'].sum()} runs of the coins had not learnt" in words
    assert (data[data["product"] <= 0.01]["failed"] > 0).all()
    assert np.isfinite(data["over"]).all()


@pytest.mark.slow
def test_the_page_has_its_picture_and_its_tables() -> None:
    words = (ROOT / "docs/noise-explores.md").read_text("utf-8")
    for maker in (study.markdown, study.widths_markdown, study.law_markdown):
        assert maker().strip() in words
    assert f"everybody plays {study.EPISODES['coins']:,} users" in words.lower()
    for name, replicates in (("coins", "coins 100 times"), ("river", "32 times")):
        assert str(study.REPLICATES[name]) in replicates and replicates in " ".join(words.split())
