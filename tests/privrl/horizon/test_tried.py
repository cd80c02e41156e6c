"""Where "enough" may be said: within what was tried on held-back worlds, jointly, over every table
by itself."""

import itertools
from pathlib import Path

import pytest

from figures import tried_answers
from privrl.horizon import scaling, tried
from privrl.horizon.held_back import HeldBack
from tests.privrl.cli.calls import answer

GROUPS = tried_answers.groups()


def test_over_every_table_by_itself_one_answer_in_twenty_is_wrong_at_most() -> None:
    assert len(GROUPS) == 10 and min(len(rows) for *_, rows in GROUPS) >= 20
    assert sorted(row for *_, rows in GROUPS for row in rows) == sorted(
        row for rows in tried.TABLES for row in rows
    )
    for *_, rows in GROUPS:
        assert sum(row.first > row.users for row in rows) <= len(rows) / 20


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: f"{group[0]}-{group[1]}-{group[2]:g}")
def test_at_every_end_or_beyond_it_several_answers_were_tried(
    group: tuple[str, str, float, tuple[HeldBack, ...]],
) -> None:
    rows = group[-1]
    points = [tried.coordinates(row) for row in rows]
    for field, (low, high) in tried.ranges(rows).items():
        values = [getattr(point, field) for point in points]
        assert sum(value <= low for value in values) >= tried.OFTEN
        assert sum(value >= high for value in values) >= tried.OFTEN
        # and no further: beyond an end there are fewer
        assert sum(value < low for value in values) < tried.OFTEN
        assert sum(value > high for value in values) < tried.OFTEN


def test_fields_are_not_enough_where_they_were_not_tried_together() -> None:
    """All sizes at their largest, and as little epsilon as was tried beside them."""
    rows = [row for row in tried.ALIKE if (row.counter, row.multiplier) == ("blt", 1.0)]
    ends = tried.ranges(rows)
    largest = [ends[field][1] for field in ("states", "actions", "horizon")]
    inside = tried.coordinates(next(row for row in rows if row[2:6] == (12, 4, 2, 2)))
    assert tried.outside(inside, rows) == []
    corner = inside._replace(
        **dict(zip(("states", "actions", "horizon"), largest, strict=True)),
        pairs=largest[0] * largest[1] * largest[2],
        users=1e6,
    )
    assert tried.outside(corner, rows) == [
        f"H S A was {tried.span(*ends['pairs'])}",
        f"{tried.span(*ends['users'])} users were enough",
    ]
    # a mutant that looks at each size by itself lets it pass
    alone = corner._replace(pairs=inside.pairs, users=inside.users)
    assert tried.outside(alone, rows) == []
    # of a single field nothing else is said
    assert tried.outside(corner._replace(epsilon=0.5), rows) == ["epsilon was 1 to 100"]


@pytest.mark.slow
def test_no_corner_of_the_sizes_is_told_that_it_has_enough() -> None:
    rows = [row for row in tried.ALIKE if (row.counter, row.multiplier) == ("blt", 1.0)]
    most = max(row.users for row in rows)
    for states, epsilon in itertools.product((2, 20), (1, 100)):
        line = ["--states", str(states), "--actions", "4", "--horizon", "10"]
        advice = answer("advise", *line, "--epsilon", str(epsilon), "--users", "1e7")
        pairs = 40 * states
        if pairs > tried.ranges(rows)["pairs"][1]:
            assert advice["enough"] is None and "you have enough" not in " ".join(advice["users"])
            assert "no verdict, as it was tried only where H S A was " in advice["users"][0]
        elif "1" in (advice["enough"] or {}):
            agent, mdp = scaling.PrivateUCBVI(epsilon, 1e-6, counter="blt"), scaling.even(2, 4, 10)
            needed = scaling.needed(agent, mdp, scaling.factors("even")[1])
            assert scaling.SAFE * needed <= most


def test_a_table_is_of_the_kind_that_is_asked_for() -> None:
    for *_, rows in GROUPS:
        assert len({row.counter for row in rows}) == 1
    for row in tried.table("blt", gap=1.0, share=1.0, dense=True):
        assert (row.gap, row.follow, row.kind == "uneven") == (1.0, None, False)
    for gap, share in ((0.5, 1.0), (1.0, 0.7)):
        rows = tried.table("blt", gap=gap, share=share, dense=True)
        assert rows and {row.follow for row in rows} == {None}
        assert not set(rows) & set(tried.ALIKE)
        assert tried.table("smooth", gap=gap, share=share, dense=True) == ()
    assert all(row.follow for row in tried.table("blt", gap=1.0, share=1.0, dense=False))
    for counter in ("secure", "smooth"):
        assert tried.table(counter, gap=1.0, share=1.0, dense=False) == ()
    assert tried.table("local", gap=1.0, share=1.0, dense=True) == ()


def test_a_range_in_words_is_no_wider_than_it_is() -> None:
    assert tried.span(0.5131, 1.0) == "0.52 to 1" and tried.span(0.1, 0.519) == "0.10 to 0.51"
    assert tried.span(2.0, 160.0) == "2 to 160" and tried.span(1, 1) == "1"


def test_the_page_has_the_table() -> None:
    page = (Path(__file__).parents[3] / "docs" / "your-problem.md").read_text("utf-8")
    assert tried_answers.markdown().strip() in page
