"""Snapshots: whole, damaged and recognised, replaced by their writer alone."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
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
    assert {one.name for one in tmp_path.iterdir()} <= {"a", ".a.lock"}


@pytest.mark.parametrize("damage", [lambda body: body[:-1], lambda body: body + b" ", lambda body: b"",
                                    lambda body: body[:200] + bytes([body[200] ^ 1]) + body[201:]])
def test_damage_is_seen(tmp_path: Path, damage) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "a"
    snapshot.write(path, ARRAYS)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ValueError, match="a snapshot must be whole"):
        snapshot.read(path)


@pytest.mark.parametrize("name", [".", "missing/a"])
def test_a_place_is_a_file_in_a_folder(tmp_path: Path, name: str) -> None:
    assert snapshot.place(str(tmp_path / "a")) == tmp_path / "a"
    with pytest.raises(ValueError, match="a snapshot must be a file in a folder that exists"):
        snapshot.place(tmp_path / name)


def test_only_the_writer_of_the_last_snapshot_replaces_it(tmp_path: Path) -> None:
    path = tmp_path / "a"
    first = snapshot.write(path, ARRAYS)
    second = snapshot.write(path, ARRAYS | {"clock": np.array(4)}, first)
    before = path.read_bytes()
    for known, says in ((None, "must not replace one that is there"), (first, "another process has gone on from it")):
        with pytest.raises(ValueError, match=says):
            snapshot.write(path, ARRAYS, known)
    assert path.read_bytes() == before
    path.unlink()
    with pytest.raises(ValueError, match="or it was removed"):
        snapshot.write(path, ARRAYS, second)


def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    checksum = snapshot.write(path, ARRAYS)

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        snapshot.write(path, {}, checksum)
    assert snapshot.read(path)[1] == checksum and not list(tmp_path.glob(".*.part"))


@pytest.mark.parametrize("name", ["a", "a[1]"])
def test_parts_that_a_killed_process_left_are_removed_by_the_next_write(tmp_path: Path, name: str,
                                                                          monkeypatch: pytest.MonkeyPatch) -> None:
    path, digits = tmp_path / name, "0123456789abcdef"
    checksum = snapshot.write(path, ARRAYS)
    with monkeypatch.context() as killed:
        killed.setattr(Path, "unlink", lambda *given, **named: None)
        with pytest.raises(ValueError, match="must not replace"):
            snapshot.write(path, ARRAYS)
    (left,) = tmp_path.glob(".*.part")
    kept = [tmp_path / other for other in (f".{name}.b.{digits}.part", f".b.{digits}.part", f"{name}.{digits}.part",
                                           f".{name}.more.part", f".a1.{digits}.part")]
    for part in kept:
        part.touch()
    with pytest.raises(ValueError, match="must not replace"):
        snapshot.write(path, ARRAYS)
    assert left.exists()
    snapshot.write(path, ARRAYS, checksum)
    assert not left.exists() and all(part.exists() for part in kept)


def test_a_snapshot_of_something_else_is_refused(tmp_path: Path) -> None:
    snapshot.write(tmp_path / "a", ARRAYS)
    assert snapshot.read(tmp_path / "a", "mechanism", ("plan", "sums"))[0].keys() == ARRAYS.keys()
    with pytest.raises(ValueError, match="a snapshot must be of a session, got path='a'"):
        snapshot.read(tmp_path / "a", "session", ("terms",))


def test_of_two_that_write_at_once_one_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both come to the door together, and whoever looks takes a while."""
    path = tmp_path / "a"
    checksum = snapshot.write(path, ARRAYS)
    door, look, turn = threading.Barrier(2), snapshot._first_line, snapshot._turn

    def slowly(path: Path) -> str | None:
        there = look(path)
        time.sleep(0.05)
        return there

    def together(path: Path) -> AbstractContextManager[None]:
        door.wait(10)
        return turn(path)

    monkeypatch.setattr(snapshot, "_first_line", slowly)
    monkeypatch.setattr(snapshot, "_turn", together)
    with ThreadPoolExecutor(2) as pool:
        writes = [pool.submit(snapshot.write, path, ARRAYS | {"clock": np.array(n)}, checksum) for n in (4, 5)]
    refused = [write.exception() for write in writes if write.exception()]
    assert len(refused) == 1 and "another process has gone on from it" in str(refused[0])
