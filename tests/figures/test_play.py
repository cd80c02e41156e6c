"""The tree to play with is the counter's."""

import pytest

from figures import play
from privrl import mechanisms


def test_a_release_adds_up_disjoint_blocks_that_cover_all_users() -> None:
    for time in range(1, 70):
        blocks = play.nodes(time)
        assert [user for first, last in blocks for user in range(first, last + 1)] == list(
            range(1, time + 1)
        )
        assert len(blocks) == time.bit_count()


def test_nobody_is_in_more_nodes_than_the_first_user() -> None:
    for time in range(1, 70):
        counts = [len(play.holding(user, time)) for user in range(1, time + 1)]
        assert max(counts) == counts[0] == time.bit_length()
        assert counts[0] == mechanisms.counter_cost("tree", time, "laplace").sensitivity


def test_the_title_says_what_is_drawn() -> None:
    title = play.tree(22, 1).get_suptitle()
    assert title == "After 22 users: a release adds up 3 nodes, user 1 is in 5"
    early = play.tree(1, 6).get_suptitle()
    assert early == "After 1 user: a release adds up 1 node, user 6 has not come yet"
    with pytest.raises(ValueError, match="users and times"):
        play.tree(40, 1)
