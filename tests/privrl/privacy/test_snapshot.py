"""Snapshots: whole, damaged and recognised, replaced by their writer alone."""

import os
from pathlib import Path

import numpy as np
import pytest

from privrl.privacy import snapshot

ARRAYS = {"sums": np.array([1.5, -2.0]), "plan": np.array("{}"), "clock": np.array(3)}


def test_arrays_come_back_and_only_this_user_may_read_them(tmp_path: Path) -> None:
    path = tmp_path / "a"
    checksum = snapshot.write(path, ARRAYS)
    arrays, found = snapshot.read(path)
    assert found == checksum and arrays.keys() == ARRAYS.keys()
    assert all(np.array_equal(arrays[name], ARRAYS[name]) and arrays[name].dtype == ARRAYS[name].dtype
               for name in ARRAYS)  # fmt: skip
    assert os.name == "nt" or path.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize("damage", [lambda body: body[:-1], lambda body: body + b" ", lambda body: b"",
                                    lambda body: body[:200] + bytes([body[200] ^ 1]) + body[201:]])
def test_damage_is_seen(tmp_path: Path, damage) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "a"
    snapshot.write(path, ARRAYS)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ValueError, match="a snapshot must be whole"):
        snapshot.read(path)


def test_only_the_writer_of_the_last_snapshot_replaces_it(tmp_path: Path) -> None:
    path = tmp_path / "a"
    first = snapshot.write(path, ARRAYS)
    second = snapshot.write(path, ARRAYS | {"clock": np.array(4)}, first)
    before = path.read_bytes()
    for known in (None, first):
        with pytest.raises(ValueError, match="by the one process that wrote it"):
            snapshot.write(path, ARRAYS, known)
    assert path.read_bytes() == before
    path.unlink()
    with pytest.raises(ValueError, match="by the one process that wrote it"):
        snapshot.write(path, ARRAYS, second)


def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    checksum = snapshot.write(path, ARRAYS)

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        snapshot.write(path, {}, checksum)
    assert snapshot.read(path)[1] == checksum and len(list(tmp_path.iterdir())) == 1
