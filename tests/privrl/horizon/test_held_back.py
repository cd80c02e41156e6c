"""Answers "enough" of ``privrl advise`` on worlds that it has not seen: how many are wrong, and
that runs say so."""

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from privrl.environments import planning
from privrl.horizon import scaling
from privrl.horizon.held_back import HELD_BACK, HeldBack
from privrl.horizon.scaling import MEASURED_SCALING
from tests.privrl.cli.calls import answer


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


def test_each_held_back_world_is_of_the_kind_that_is_said() -> None:
    for row in HELD_BACK[:: len(HELD_BACK) // 40]:
        pays = np.asarray(row.mdp.rewards).sum(axis=-1)
        assert planning.smallest_gap(row.mdp) == pytest.approx(1, rel=1e-12)
        assert np.array_equal(
            row.mdp.transitions, np.full_like(row.mdp.transitions, 1 / row.states)
        )
        if row.kind == "several":
            assert (pays >= 1).all() and (pays < row.actions).all()
        else:
            assert (pays <= 1).all() and (pays.all() or row.kind == "few")


@pytest.mark.parametrize(
    "row", [row for row in HELD_BACK if row.users <= 3000 and row.seed % 3 == 1], ids=str
)
def test_held_back_worlds_are_played_again(row: HeldBack) -> None:
    assert row.measure() == row.first


@pytest.mark.long
@pytest.mark.parametrize("row", [row for row in HELD_BACK if row.users > 3000], ids=str)
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


@pytest.mark.parametrize("kind", ["one", "several", "few"])
def test_the_command_says_enough_for_the_users_of_a_row_and_not_for_fewer(
    tmp_path: Path, kind: str
) -> None:
    row = next(
        row for row in HELD_BACK if (row.kind, row.counter, row.multiplier) == (kind, "blt", 1)
    )
    world, path = row.mdp, tmp_path / "world.npz"
    arrays = {name: getattr(world, name) for name in ("transitions", "rewards", "initial")}
    np.savez(path, **arrays)
    line = ["advise", str(path), "--epsilon", f"{row.epsilon:g}", "--users"]
    enough, fewer = (
        answer(*line, str(users))["enough"]["1"] for users in (row.users, row.users * 9 // 10)
    )
    assert (enough, fewer) == ("yes", "perhaps")
    # the same world with one state that comes up more often: nothing of the kind was measured
    arrays["initial"] = np.append(2.0, np.ones(row.states - 1)) / (row.states + 1)
    np.savez(path, **arrays)
    assert answer(*line, str(row.users))["enough"] is None


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
