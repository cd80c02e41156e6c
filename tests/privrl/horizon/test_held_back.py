"""Answers "enough" of ``privrl advise`` on worlds that it has not seen: how many are wrong, and
that runs say so."""

import dataclasses
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from privrl.environments import planning
from privrl.horizon import scaling, tried
from privrl.horizon.held_back import HELD_BACK, HeldBack
from privrl.horizon.held_back_corners import HELD_BACK_CORNER_GAPS, HELD_BACK_CORNERS
from privrl.horizon.held_back_gaps import HELD_BACK_GAPS
from privrl.horizon.held_back_graded import GRADED_GAPS, GRADED_SECURE, GRADED_SUPPORTS
from privrl.horizon.held_back_supports import HELD_BACK_SUPPORTS
from privrl.horizon.held_back_trust import HELD_BACK_SECURE
from privrl.horizon.scaling import MEASURED_SCALING
from tests.privrl.cli.calls import answer

ALL = (
    *HELD_BACK,
    *HELD_BACK_CORNERS,
    *HELD_BACK_GAPS,
    *HELD_BACK_CORNER_GAPS,
    *HELD_BACK_SUPPORTS,
)


@pytest.mark.slow
def test_of_the_answers_enough_on_worlds_held_back_one_in_twenty_is_wrong_at_most() -> None:
    sizes = {(row.states, row.actions, row.horizon, row.epsilon) for row in MEASURED_SCALING}
    seen = [row for row in HELD_BACK if row.kind == "one" and row[2:6] in sizes]
    assert len(HELD_BACK) > 250 and len(seen) < len(HELD_BACK) / 10
    assert 0 not in {row.seed for row in HELD_BACK}
    groups = Counter((row.kind, row.counter, row.multiplier) for row in HELD_BACK)
    wrong = Counter(
        (row.kind, row.counter, row.multiplier) for row in HELD_BACK if row.first > row.users
    )
    assert {kind for kind, _, _ in groups} == {"one", "several", "few"} and len(groups) == 12
    for group, number in groups.items():
        assert number >= 15 and wrong[group] <= number / 20
    assert [row for row in HELD_BACK if row.enough != row.users] == []


@pytest.mark.slow
def test_of_the_answers_enough_over_a_grid_of_gaps_one_in_twenty_is_wrong_at_most() -> None:
    groups = Counter((row.gap, row.multiplier) for row in HELD_BACK_GAPS)
    assert {gap for gap, _ in groups} == {0.1, 0.2, 0.5, 1.0} and len(groups) == 8
    assert min(groups.values()) >= 6 and len(HELD_BACK_GAPS) >= 80
    assert {row.kind for row in HELD_BACK_GAPS} == {"one", "several", "few", "uneven"}
    assert sum(row.first > row.users for row in HELD_BACK_GAPS) <= len(HELD_BACK_GAPS) / 20
    assert [row for row in HELD_BACK_GAPS if row.enough != row.users] == []


@pytest.mark.slow
def test_of_the_answers_enough_where_few_states_follow_one_in_twenty_is_wrong_at_most() -> None:
    rows = HELD_BACK_SUPPORTS
    groups = Counter((row.follow == 1, row.follow == 2, row.multiplier) for row in rows)
    assert len(groups) == 6 and min(groups.values()) >= 4 and len(rows) >= 50
    assert {row.kind for row in rows} == {"one", "several", "few", "uneven"}
    assert {row.gap for row in rows} == {0.2, 0.5, 1.0}
    assert sum(row.first > row.users for row in rows) <= len(rows) / 20
    assert [row for row in rows if row.enough != row.users] == []
    page = (Path(__file__).parents[3] / "docs" / "your-problem.md").read_text("utf-8")
    words, spent = " ".join(page.split()), [row.first / row.users for row in rows]
    assert max(spent) <= 1 and f'of {len(rows)} answers "enough" in worlds where' in words
    assert f"after {min(spent):.0%} to {max(spent):.0%} of their users".replace("%", " %") in words


@pytest.mark.slow
def test_of_the_answers_enough_over_a_secure_sum_one_in_twenty_is_wrong_at_most() -> None:
    rows = HELD_BACK_SECURE
    groups = Counter((row.kind, row.multiplier) for row in rows)
    assert len(groups) == 8 and min(groups.values()) >= 8 and len(rows) >= 60
    assert {row.counter for row in rows} == {"secure"}
    assert sum(row.first > row.users for row in rows) <= len(rows) / 20
    assert [row for row in rows if row.enough != row.users] == []
    for ends in tried.ranges(rows).values():
        assert ends[0] < ends[1]
    page = (Path(__file__).parents[3] / "docs" / "your-problem.md").read_text("utf-8")
    words, spent = " ".join(page.split()), [row.first / row.users for row in rows]
    assert max(spent) <= 1 and f'of {len(rows)} answers "enough" over `secure`' in words
    assert f"after {min(spent):.0%} to {max(spent):.0%} of their users".replace("%", " %") in words


@pytest.mark.slow
def test_of_the_answers_enough_at_the_corners_one_in_twenty_is_wrong_at_most() -> None:
    for rows in (HELD_BACK_CORNERS, HELD_BACK_CORNER_GAPS):
        assert sum(row.first > row.users for row in rows) <= len(rows) / 20
        assert [row for row in rows if row.enough != row.users] == []
        assert {row.kind for row in rows} >= {"one", "several", "few"} and len(rows) >= 50
        assert {row.multiplier for row in rows} == {1.0, scaling.NARROW}
    page = (Path(__file__).parents[3] / "docs" / "your-problem.md").read_text("utf-8")
    words, answers = " ".join(page.split()), (*HELD_BACK_CORNERS, *HELD_BACK_CORNER_GAPS)
    spent = [row.first / row.users for row in answers]
    assert max(spent) <= 1 and f"of {len(answers)} further answers at the corners" in words
    assert f"after {min(spent):.0%} to {max(spent):.0%} of them".replace("%", " %") in words


GRADED = (*GRADED_GAPS, *GRADED_SUPPORTS, *GRADED_SECURE)


def test_of_the_answers_enough_in_graded_worlds_one_in_twenty_is_wrong_at_most() -> None:
    """Questions within what had been tried, of another kind of world."""
    assert sum(row.kind == "graded" for row in GRADED) > len(GRADED) / 2
    for rows, counter, dense in (
        (GRADED_GAPS, "blt", True),
        (GRADED_SUPPORTS, "blt", False),
        (GRADED_SECURE, "secure", True),
    ):
        assert sum(row.first > row.users for row in rows) <= len(rows) / 20
        assert {row.counter for row in rows} == {counter}
        assert {row.follow is None for row in rows} == {dense} and len(rows) >= 8
        for row in rows:
            assert row.enough == row.users
            alike = scaling.share(row.mdp)
            table = tried.table(counter, gap=row.gap, share=alike, dense=dense)
            of_widths = [tried_row for tried_row in table if tried_row.multiplier == row.multiplier]
            point = tried.coordinates(row)._replace(share=alike)
            assert tried.outside(point, of_widths) == []
    page = (Path(__file__).parents[3] / "docs" / "your-problem.md").read_text("utf-8")
    words, spent = " ".join(page.split()), [row.first / row.users for row in GRADED]
    assert max(spent) <= 1 and (
        f"of {len(GRADED)} more, {len(GRADED_SUPPORTS)} of them where few states follow and "
        f"{len(GRADED_SECURE)} over `secure`" in words
    )
    assert f"after {min(spent):.0%} to {max(spent):.0%} of theirs".replace("%", " %") in words


def test_graded_worlds_have_the_gap_that_is_asked_for_and_states_that_come_up_alike() -> None:
    for row in GRADED[::3]:
        world = row.mdp
        assert (world.transitions == world.transitions[:, :, :1]).all()
        assert planning.smallest_gap(world) == pytest.approx(row.gap, rel=1e-9)
        support = (np.asarray(world.transitions) > 0).sum(axis=-1)
        assert (support == (row.follow or row.states)).all()
        if row.kind == "graded":
            assert np.asarray(world.transitions).sum(axis=1) == pytest.approx(1, rel=1e-9)
            assert np.unique(np.asarray(world.rewards)).size > row.actions
            first, second = np.asarray(world.transitions)[:2, :, 0]
            assert row.follow == row.states - 1 or (first != second).any()


@pytest.mark.parametrize("row", [row for row in GRADED if row.users < 500], ids=str)
def test_graded_worlds_are_played_again(row: HeldBack) -> None:
    assert row.measure() == pytest.approx(row.first, rel=0.1)


@pytest.mark.long
@pytest.mark.parametrize("row", [row for row in GRADED if row.users >= 500], ids=str)
def test_all_graded_worlds_are_played_again(row: HeldBack) -> None:
    assert row.measure() == row.first


@pytest.mark.parametrize("number", [5, 11])
def test_an_answer_over_a_secure_sum_played_again_is_what_is_written(number: int) -> None:
    row = HELD_BACK_SECURE[number]
    assert row.users < 1000 and row.measure() == pytest.approx(row.first, rel=0.1)


def test_enough_over_a_secure_sum_is_said_where_it_was_tried_alone() -> None:
    row = next(row for row in HELD_BACK_SECURE if (row.gap, row.epsilon) == (1.0, 20))
    line = ["advise", *("--states", str(row.states)), *("--actions", str(row.actions))]
    line += [*("--horizon", str(row.horizon)), "--trust", "secure", "--users", str(row.users)]
    at = answer(*line, "--epsilon", "20")
    assert at["enough"]["1"] == "yes" and "you have enough for gap 1. " in at["users"][0]
    for outside, reason in (
        (["--epsilon", "1", "--users", "1e7"], "as it was tried only where epsilon was 10 to 50."),
        (
            ["--epsilon", "20", "--gap", "0.1", "--users", "1e7"],
            "as it was tried only where the gap was 0.50 to 1.",
        ),
    ):
        advice = answer(*line, *outside)
        assert advice["enough"] is None and "you have enough" not in " ".join(advice["users"])
        assert f"no verdict, {reason}" in advice["users"][0]


def test_the_command_says_enough_where_few_states_follow_but_not_where_actions_decide(
    tmp_path: Path,
) -> None:
    row = next(row for row in HELD_BACK_SUPPORTS if row.follow == 1)
    world, path = row.mdp, tmp_path / "world.npz"
    arrays = {name: getattr(world, name) for name in ("transitions", "rewards", "initial")}
    line = ["advise", str(path), "--epsilon", f"{row.epsilon:g}", "--users", str(row.users)]
    np.savez(path, **arrays)
    assert answer(*line)["enough"]["1"] == "yes"
    # every state still comes up alike, but where users go depends on the action
    arrays["transitions"] = np.array(arrays["transitions"])
    arrays["transitions"][:, :, 1] = arrays["transitions"][:, ::-1, 1]
    np.savez(path, **arrays)
    advice = answer(*line)
    assert advice["enough"] is None
    assert advice["users"][0].count("no verdict, as in your file the action decides which") == 1
    assert "come up alike" not in advice["users"][0].split("no verdict, as ")[1].split(". ")[0]


def test_how_often_a_state_comes_up_is_followed_step_by_step() -> None:
    row = next(row for row in HELD_BACK_SUPPORTS if row.kind == "uneven")
    world = row.mdp
    reached, least = np.array(world.initial), 1.0
    for transitions in world.transitions:
        least = min(least, float(reached.min()))
        reached = reached @ transitions[:, 0]
    assert float(world.transitions.min()) == 0
    assert scaling.share(world) == pytest.approx(row.states * least, rel=1e-12)
    # a state that nothing leads to
    nowhere = np.zeros_like(world.transitions)
    nowhere[..., 0] = 1
    assert scaling.share(dataclasses.replace(world, transitions=nowhere)) == 0


def test_the_page_counts_the_answers_over_a_grid_of_gaps() -> None:
    page = (Path(__file__).parents[3] / "docs" / "your-problem.md").read_text("utf-8")
    words, rows = " ".join(page.split()), HELD_BACK_GAPS
    spent = [row.first / row.users for row in rows]
    assert max(spent) <= 1 and f'of {len(rows)} answers "enough" over gaps of' in words
    assert f"after {min(spent):.0%} to {max(spent):.0%} of those".replace("%", " %") in words
    uneven = sum(row.kind == "uneven" for row in rows)
    assert f"divided by that share ({uneven} of the {len(rows)})" in words


def test_without_the_gap_or_how_states_come_up_more_users_would_be_needed() -> None:
    """Planned for what is enough at gap 1, a world of gap 0.1 has not learnt; and where states come
    up unequally often more is asked for than where all do alike."""
    row = next(row for row in HELD_BACK_GAPS if (row.kind, row.gap) == ("one", scaling.LEAST_GAP))
    assert row._replace(users=row._replace(gap=scaling.GAP).enough).measure() == math.inf
    uneven = next(row for row in HELD_BACK_GAPS if row.kind == "uneven")
    assert uneven.users * scaling.share(uneven.mdp) < uneven._replace(kind="one").enough * 1.1
    assert uneven.users > uneven._replace(kind="one").enough


def test_each_held_back_world_is_of_the_kind_that_is_said() -> None:
    for row in (*HELD_BACK[:: len(HELD_BACK) // 40], *ALL[len(HELD_BACK) :: 3]):
        support = (np.asarray(row.mdp.transitions) > 0).sum(axis=-1)
        assert (support == (row.follow or row.states)).all()
        pays = np.asarray(row.mdp.rewards).sum(axis=-1) / row.gap
        assert planning.smallest_gap(row.mdp) == pytest.approx(row.gap, rel=1e-12)
        assert (row.mdp.transitions == row.mdp.transitions[:, :, :1]).all()
        if row.kind == "uneven":
            assert scaling.LEAST_SHARE <= scaling.share(row.mdp) < 1
        else:
            assert scaling.share(row.mdp) == 1
        if row.kind == "several":
            assert (pays >= 1).all() and (pays < row.actions).all()
        else:
            assert (pays <= 1).all() and (pays.all() or row.kind == "few")


# the cheap ones; the others take minutes in all
SOON = [row for row in ALL if row.users <= 3000 and row.seed % 3 == 1 and row.states <= 8]


@pytest.mark.slow
@pytest.mark.parametrize("row", SOON, ids=str)
def test_held_back_worlds_are_played_again(row: HeldBack) -> None:
    assert row.measure() == row.first


@pytest.mark.long
@pytest.mark.parametrize("row", [row for row in ALL if row.users > 3000 or row.states > 8], ids=str)
def test_all_held_back_worlds_are_played_again(row: HeldBack) -> None:
    """Minutes."""
    assert row.measure() == row.first


def test_as_many_users_as_were_measured_at_most_are_not_enough() -> None:
    """Which is why SAFE is more than 1: planned for those, a held-back run has not learnt."""
    row = next(
        row
        for row in HELD_BACK
        if (row.kind, row.counter, row.seed, row.multiplier) == ("one", "smooth", 101, 1)
    )
    fewer = row._replace(users=math.ceil(row.enough / scaling.SAFE))
    assert fewer.measure() == math.inf


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "gap"), [("one", 1.0), ("several", 1.0), ("few", 0.1), ("uneven", 0.2)]
)
def test_the_command_says_enough_for_the_users_of_a_row_and_not_for_fewer(
    tmp_path: Path, kind: str, gap: float
) -> None:
    proved = [row for row in tried.UNLIKE if row.multiplier == 1]
    row = next(  # within what was tried where states come up less alike, too
        row
        for row in (*HELD_BACK, *HELD_BACK_GAPS)
        if (row.kind, row.counter, row.multiplier, row.gap) == (kind, "blt", 1, gap)
        and tried.outside(tried.coordinates(row)._replace(users=row.users * 1.5), proved) == []
    )
    world, path = row.mdp, tmp_path / "world.npz"
    arrays = {name: getattr(world, name) for name in ("transitions", "rewards", "initial")}
    np.savez(path, **arrays)
    line = ["advise", str(path), "--epsilon", f"{row.epsilon:g}", "--users"]
    enough, fewer = (
        answer(*line, str(users))["enough"]["1"] for users in (row.users, row.users * 9 // 10)
    )
    assert (enough, fewer) == ("yes", "perhaps")
    # the same world with one state that comes up more often, and much more often: then nothing of
    # the kind was measured
    for weight in (2.0, 1e3):
        arrays["initial"] = np.append(weight, np.ones(row.states - 1)) / (row.states - 1 + weight)
        np.savez(path, **arrays)
        said = answer(*line, str(row.users))["enough"]
        assert (said is None) == (weight > 2)
        assert said is None or kind == "uneven" or said["1"] == "perhaps"


@pytest.mark.slow
def test_worlds_of_kinds_that_were_not_measured_are_never_told_that_they_have_enough(
    tmp_path: Path,
) -> None:
    """Random ones, rivers, and others in which visits or gaps differ, with users without end."""
    rng = np.random.default_rng(11)
    for number in range(12):
        S, A, H = (int(rng.integers(2, most)) for most in (8, 5, 6))
        transitions = rng.dirichlet(np.full(S, [0.1, 1, 10][number % 3]), size=(H, S, A))
        rewards = rng.random((H, S, A)) if number % 2 else rng.integers(2, size=(H, S, A))
        np.savez(
            tmp_path / "world.npz", transitions=transitions, rewards=rewards, initial=np.eye(S)[0]
        )
        advice = answer("advise", str(tmp_path / "world.npz"), "--users", "1e7", "--epsilon", "10")
        assert advice["enough"] is None and "you have enough" not in " ".join(advice["users"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--trust", "none"), "over local it was not tried on other worlds"),
        (("--cheapest",), "sums left out and a plan for many users"),
        (("--delta", "0.5"), "tried at delta 1e-06 alone"),
        (("--delta", "1e-19"), "tried at delta 1e-06 alone"),
        (("--trust", "secure", "--delta", "0.5"), "tried at delta 1e-06 alone"),
        (("--simulate", "--delta", "0"), "no run over"),
        (("--epsilon", "0.5"), "it was tried only where epsilon was 1 to 100."),
        (
            ("--horizon", "10", "--states", "20", "--users", "1e7"),
            "it was tried only where H S A was 12 to 160 and ",
        ),
        (("--gap", "0.1", "--users", "1e9"), "over smooth gaps below 1 were not tried"),
        (
            ("--gap", "0.1", "--states", "12", "--users", "1e7"),
            "it was tried only where states was 2 to 6.",
        ),
    ],
)
def test_what_no_answer_was_tried_with_gets_no_verdict(
    options: tuple[str, ...], words: str
) -> None:
    sizes = ("advise", "--states", "4", "--actions", "4", "--horizon", "2", "--epsilon", "10")
    advice = answer(*sizes, "--users", "1e9", *options)
    assert advice["enough"] is None and words in " ".join(advice["users"])
    assert "you have enough" not in " ".join(advice["users"])
