"""What a store holds, and what pruning takes away: never a replicate that a sweep of now would
use."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from privrl.run import inventory, sweep
from privrl.run.store import Store
from privrl.run.sweep import RunPlan
from tests.contracts import refused

ID = "vietri2020/riverswim-3"
PLAN = RunPlan(ID, epsilon=1e6, episodes=50, replicates=3)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three replicates and another seed, one of other code, one of another kind, a damaged, a
    misplaced, two parts."""
    sweep.run(PLAN, tmp_path)
    sweep.run(RunPlan(ID, epsilon=1e6, episodes=50, seed=7), tmp_path)
    store = Store(tmp_path)
    store.save({**PLAN.settings(0), "code": "0" * 16}, np.ones(3))
    store.save({"agent": "PUCB(epsilon=1.0)", "planned": 7}, np.ones(3))
    (tmp_path / f"{'d' * 24}.json").write_text("{", "utf-8")
    store.path(PLAN.settings(0)).rename(tmp_path / f"{'e' * 24}.json")
    for name, age in (("0", 10**5), ("1", 0)):
        unfinished = tmp_path / f".{'d' * 24}.json.{name * 16}.part"
        unfinished.touch()
        os.utime(unfinished, (unfinished.stat().st_mtime - age,) * 2)
    return tmp_path


def test_a_listing_counts_by_sweep_and_state(folder: Path) -> None:
    listing = inventory.take(folder)
    assert listing.total == 7
    rows = {row["state"]: row for row in listing.rows}
    assert len(listing.rows) == 4 and all(
        tuple(row) == inventory.INVENTORY_COLUMNS for row in listing.rows
    )
    assert {state: row["replicates"] for state, row in rows.items()} == {
        "current": 3,
        "other code": 1,
        "other kind": 1,
        "damaged": 2,
    }
    assert (rows["current"]["id"], rows["current"]["last"], rows["current"]["seeds"]) == (ID, 50, 2)
    json.dumps(listing.rows)


def test_pruning_leaves_what_is_sound(folder: Path) -> None:
    assert inventory.prune(inventory.take(folder)) == 3  # damaged, misplaced, the old part
    remaining = inventory.take(folder)
    assert {row["state"]: row["replicates"] for row in remaining.rows} == {
        "current": 3,
        "other code": 1,
        "other kind": 1,
    }
    assert [path.name[-21:] for path in folder.glob("*.part")] == ["1" * 16 + ".part"]
    assert inventory.prune(remaining, foreign=True) == 1
    assert [row["state"] for row in inventory.take(folder).rows] == ["other kind", "current"]


def test_pruning_spares_a_replicate_that_was_written_anew_meanwhile(folder: Path) -> None:
    path = Store(folder).path(PLAN.settings(1))
    sound = path.read_bytes()
    path.write_bytes(b"")
    listing = inventory.take(folder)
    assert path in listing.files["damaged"]
    path.write_bytes(sound)
    inventory.prune(listing)
    assert path.read_bytes() == sound
    assert not Store(folder).remove(folder / "gone.json")


def test_pruning_takes_only_what_is_the_store_s_own(folder: Path) -> None:
    """Another file, a folder, a link and a pipe stay, also under names of the store."""
    (folder / "riverswim-3.json").write_text("{}", "utf-8")
    (folder / ".other.json.0123.part").touch()
    (folder / f"{'a' * 24}.json").mkdir()
    (folder / f"{'b' * 24}.json").symlink_to(folder / "riverswim-3.json")
    os.mkfifo(folder / f"{'c' * 24}.json")
    others = set(folder.iterdir()) - {stored.path for stored in Store(folder).listing()}
    for path in others:
        os.utime(path, (0, 0), follow_symlinks=False)
    assert inventory.prune(inventory.take(folder)) == 4  # both parts are old now
    assert {path for path in others if not path.name.startswith(f".{'d' * 24}")} <= set(
        folder.iterdir()
    )


def test_a_folder_without_a_sound_replicate_is_not_pruned(tmp_path: Path) -> None:
    damaged = tmp_path / f"{'d' * 24}.json"
    damaged.touch()
    with pytest.raises(ValueError, match="folder to prune must hold a sound replicate"):
        inventory.prune(inventory.take(tmp_path))
    assert damaged.exists()


def test_a_pipe_in_place_of_a_replicate_counts_as_damaged(tmp_path: Path) -> None:
    store = Store(tmp_path)
    os.mkfifo(store.path(PLAN.settings(0)))
    assert store.load(PLAN.settings(0)) is None
    store.save(PLAN.settings(0), np.ones(3))
    assert store.load(PLAN.settings(0)) is not None


def test_a_store_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert refused(lambda: inventory.take(tmp_path / "none")).startswith(
        "folder must be a store of replicates"
    )
