"""The findings, measured again with other seeds: the committed table, and what it would say of a
number that does not survive."""

import numpy as np

from figures import measured
from figures.across import five_lines, found_users
from reproduce import found, headlines, making


def test_other_seeds_were_measured_and_are_recorded() -> None:
    rows = headlines.read(making.ROOT)
    assert rows[headlines.LABELS].to_numpy().tolist() == headlines.labels()
    assert 0 not in headlines.SEEDS
    for name, ends in five_lines.shares().items():
        mine = rows[(rows["comparison"] == headlines.README) & (rows["number"] == f"share, {name}")]
        committed = mine[["committed", "low", "high"]].to_numpy()
        np.testing.assert_allclose(committed, [ends] * len(headlines.SEEDS), rtol=1e-5)
    for name in found_users.COMPARISONS:
        pair = found_users.sides(name)
        mine = rows[rows["comparison"] == name].set_index("number")
        ratio, low, high = found_users.again(*pair)
        expected = {
            "users as printed": (pair[0].users.median, *pair[0].ends),
            "users at best": (pair[1].users.median, *pair[1].ends),
            "ratio": (ratio, low, high),
        }
        for number, ends in expected.items():
            committed = mine.loc[[number], ["committed", "low", "high"]].to_numpy()
            np.testing.assert_allclose(committed, [ends] * len(headlines.SEEDS), rtol=1e-5)
    assert headlines.outside(rows) == []


def test_a_ratio_whose_interval_is_wide_is_said_by_its_ends_alone() -> None:
    wide, narrow = found.learnt("liao2021"), found.learnt("zhou2022")
    assert wide is not None and narrow is not None
    for pair, word in ((wide, "between"), (narrow, "about")):
        _, low, high = pair.ratio
        assert found.times(pair).startswith(word) == (found.times(pair) in found.fewer_users())
        assert (high > measured.WIDE * low) == (word == "between")
    assert f"{wide.ratio[0]:.0f}" not in found.times(wide)


def test_a_number_outside_its_interval_is_said() -> None:
    rows = headlines.read(making.ROOT)
    rows.loc[0, "again"] = 2 * rows.loc[0, "high"]
    (sentence,) = headlines.outside(rows)
    assert str(rows.loc[0, "comparison"]) in sentence and "outside" in sentence
    assert len(headlines.changed(rows, headlines.read(making.ROOT))) == 1
    assert headlines.changed(rows, headlines.read(making.ROOT)[1:])[0].endswith("other rows")
