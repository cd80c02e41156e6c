"""Records at the end of a snapshot: on the disk before they count, in one order, and told from what
a cut-off append leaves."""

import os
import stat
from pathlib import Path

import numpy as np
import pytest

from privrl.privacy import journal, snapshot
from privrl.types import Entries

ARRAYS = {"sums": np.array([1.5, -2.0])}
ROWS = [np.array([0.0, 2.5, 0.0, 0.0, 0.0, -1.0]), np.zeros(6), np.arange(1.0, 7.0)]
PAYLOADS = [journal.packed(Entries.of(row)) for row in ROWS]


def written(path: Path, payloads: list[bytes]) -> str:
    mark = snapshot.write(path, ARRAYS)
    for payload in payloads:
        mark = journal.append(path, payload, mark)
    return mark


def test_rows_come_back_in_order_and_are_small_where_they_are_sparse(tmp_path: Path) -> None:
    mark = written(tmp_path / "a", PAYLOADS)
    arrays, records, read_mark, torn = journal.read(tmp_path / "a", "x", ("sums",))
    assert not torn and read_mark == mark and np.array_equal(arrays["sums"], ARRAYS["sums"])
    for row, record in zip(ROWS, records, strict=True):
        assert journal.unpacked(record, 6).tobytes() == row.tobytes()
    assert len(PAYLOADS[0]) == 1 + 2 * 12 and len(PAYLOADS[2]) == 1 + 6 * 8
    with pytest.raises(ValueError, match="a snapshot must be whole"):
        snapshot.read(tmp_path / "a")  # who knows of no records
    mark = snapshot.write(tmp_path / "a", ARRAYS, mark)
    assert journal.read(tmp_path / "a")[1:] == ([], mark, False)


def test_an_append_that_is_cut_off_anywhere_is_told_and_leaves_what_was_before(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a"
    written(path, PAYLOADS[:2])
    before, mark = path.read_bytes(), journal.read(path)[2]
    journal.append(path, PAYLOADS[2], mark)
    whole = path.read_bytes()
    # cut by a kill or a full disk; or its length there, and nothing or a part of its content
    ends = [whole[:size] for size in range(len(before) + 1, len(whole))]
    zeros = [end + bytes(len(whole) - len(end)) for end in (before, whole[: -journal.DIGEST])]
    for content in (*ends, *zeros, before + bytes(1000)):
        path.write_bytes(content)
        _, records, torn_mark, torn = journal.read(path)
        assert torn and records == PAYLOADS[:2] and torn_mark == snapshot.mark_of(content)
    path.write_bytes(whole)
    assert journal.read(path)[1:] == (PAYLOADS, snapshot.mark_of(whole), False)


def test_every_other_damage_is_refused(tmp_path: Path) -> None:
    """A bit that is not as it was written, and records in another order or file."""
    path = tmp_path / "a"
    written(path, PAYLOADS)
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(ValueError, match="a snapshot must be whole"):
            journal.read(path)
    sizes = [journal.size(payload) for payload in PAYLOADS]
    start = len(whole) - sum(sizes)
    first, second = whole[start : start + sizes[0]], whole[start + sizes[0] :][: sizes[1]]
    snapshot.write(tmp_path / "b", {"sums": np.array([1.5, -3.0])})
    for content in (
        whole[:start] + second + first,
        whole[:start] + first + first,
        whole[:start] + second,
        (tmp_path / "b").read_bytes() + first,
    ):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="a snapshot must be whole"):
            journal.read(path)


def test_without_the_chain_another_order_would_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "mark", lambda *parts: "the same for all.0.0")
    written(tmp_path / "a", PAYLOADS[:1] * 2)
    whole = (tmp_path / "a").read_bytes()
    size = journal.size(PAYLOADS[0])
    (tmp_path / "a").write_bytes(whole + whole[-size:])
    assert len(journal.read(tmp_path / "a")[1]) == 3


def test_only_the_last_to_have_written_appends(tmp_path: Path) -> None:
    path = tmp_path / "a"
    first = written(path, [])
    second = journal.append(path, PAYLOADS[0], first)
    content = path.read_bytes()
    for call in (
        lambda: journal.append(path, PAYLOADS[0], first),
        lambda: snapshot.write(path, ARRAYS, first),
    ):
        with pytest.raises(ValueError, match="another process has gone on from it"):
            call()
    assert path.read_bytes() == content
    (tmp_path / "hard").hardlink_to(path)
    with pytest.raises(ValueError, match="a snapshot must have one name"):
        journal.append(path, PAYLOADS[0], second)
    (tmp_path / "hard").unlink()
    path.write_bytes(content + b"torn")
    with pytest.raises(ValueError, match="another process has gone on from it"):
        journal.append(path, PAYLOADS[0], second)
    path.unlink()
    with pytest.raises(ValueError, match="or it was removed"):
        journal.append(path, PAYLOADS[0], second)
    assert not path.exists()


def test_a_record_is_on_the_disk_in_its_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    done: list[object] = []
    mark = written(path, [])
    fsync, turn = os.fsync, snapshot.turn

    def synced(handle: int) -> None:
        assert stat.S_ISREG(os.fstat(handle).st_mode)
        done.append(os.fstat(handle).st_size)
        fsync(handle)

    def taken(at: Path) -> object:
        done.append("turn")
        return turn(at)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(snapshot, "turn", taken)
    mark = journal.append(path, PAYLOADS[0], mark)
    assert done == ["turn", path.stat().st_size]
    assert snapshot.size_of(mark) == path.stat().st_size


@pytest.mark.parametrize("short", [True, False])
def test_a_full_disk_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, short: bool
) -> None:
    """The system takes a part of the record and no more; or all of it, and cannot keep it."""
    path = tmp_path / "a"
    mark = written(path, PAYLOADS[:1])
    content = path.read_bytes()
    write = os.write

    def full(handle: int, more: bytes = b"") -> int:
        if short and len(more) > 20:
            return write(handle, more[:20])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "write" if short else "fsync", full)
        with pytest.raises(RuntimeError, match=r"on the disk before anything is shown.*No space"):
            journal.append(path, PAYLOADS[2], mark)
    assert path.read_bytes() == content
    journal.append(path, PAYLOADS[2], mark)
    assert journal.read(path)[1] == [PAYLOADS[0], PAYLOADS[2]]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no links that every user may make")
def test_no_link_is_followed(tmp_path: Path) -> None:
    path, target = tmp_path / "a", tmp_path / "target"
    mark = written(target, [])
    path.symlink_to(target)
    content = target.read_bytes()
    with pytest.raises((ValueError, RuntimeError)):
        journal.append(path, PAYLOADS[0], mark)
    assert target.read_bytes() == content


def record(places: list[int], numbers: list[float]) -> bytes:
    return b"s" + np.array(places, "<u4").tobytes() + np.array(numbers, "<f8").tobytes()


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"x",
        PAYLOADS[0][:-1],
        PAYLOADS[2][:-8],
        record([3, 3], [1.0, 1.0]),
        record([4, 3], [1.0, 1.0]),
        record([6], [1.0]),
        record([2], [np.nan]),
        b"d" + np.full(6, np.inf).tobytes(),
    ],
)
def test_what_is_no_row_is_refused(payload: bytes) -> None:
    with pytest.raises(ValueError, match="record"):
        journal.unpacked(payload, 6)
