"""Snapshots: whole, damaged and recognised, replaced by their writer alone."""

import hashlib
import io
import os
import stat
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import pytest

from privrl.privacy import snapshot

POSIX = pytest.mark.skipif(os.name != "posix", reason="Windows has no modes, pipes and forks")
ARRAYS = {"sums": np.array([1.5, -2.0]), "plan": np.array("{}"), "clock": np.array(3)}


def test_arrays_come_back_and_only_this_user_may_read_them(tmp_path: Path) -> None:
    path = tmp_path / "a"
    checksum = snapshot.write(path, ARRAYS)
    arrays, stored_checksum = snapshot.read(path)
    assert stored_checksum == checksum and arrays.keys() == ARRAYS.keys()
    assert all(
        np.array_equal(arrays[name], ARRAYS[name]) and arrays[name].dtype == ARRAYS[name].dtype
        for name in ARRAYS
    )
    assert os.name == "nt" or path.stat().st_mode & 0o777 == 0o600
    assert {entry.name for entry in tmp_path.iterdir()} <= {"a", ".a.lock"}


@pytest.mark.parametrize(
    "damage",
    [
        lambda body: body[:-1],
        lambda body: body + b" ",
        lambda body: b"",
        lambda body: body[:200] + bytes([body[200] ^ 1]) + body[201:],
    ],
)
def test_damage_is_seen(tmp_path: Path, damage) -> None:
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
    for known, says in (
        (None, "must not replace one that is there"),
        (first, "another process has gone on from it"),
    ):
        with pytest.raises(ValueError, match=says):
            snapshot.write(path, ARRAYS, known)
    assert path.read_bytes() == before
    path.unlink()
    with pytest.raises(ValueError, match="or it was removed"):
        snapshot.write(path, ARRAYS, second)


def test_a_write_that_fails_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    checksum = snapshot.write(path, ARRAYS)

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RuntimeError, match=r"on the disk before anything is shown.*No space"):
        snapshot.write(path, {}, checksum)
    assert snapshot.read(path)[1] == checksum and not list(tmp_path.glob(".*.part"))


@pytest.mark.parametrize("name", ["a", "a[1]"])
def test_parts_that_a_killed_process_left_are_removed_by_the_next_write(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, digits = tmp_path / name, "0123456789abcdef"
    checksum = snapshot.write(path, ARRAYS)
    with monkeypatch.context() as killed:
        killed.setattr(Path, "unlink", lambda *arguments, **named: None)
        with pytest.raises(ValueError, match="must not replace"):
            snapshot.write(path, ARRAYS)
    (leftover,) = tmp_path.glob(".*.part")
    unrelated = [
        tmp_path / file_name
        for file_name in (
            f".{name}.b.{digits}.part",
            f".b.{digits}.part",
            f"{name}.{digits}.part",
            f".{name}.more.part",
            f".a1.{digits}.part",
        )
    ]
    for file in unrelated:
        file.touch()
    with pytest.raises(ValueError, match="must not replace"):
        snapshot.write(path, ARRAYS)
    assert leftover.exists()
    snapshot.write(path, ARRAYS, checksum)
    assert not leftover.exists() and all(file.exists() for file in unrelated)


def test_a_snapshot_of_something_else_is_refused(tmp_path: Path) -> None:
    snapshot.write(tmp_path / "a", ARRAYS)
    assert snapshot.read(tmp_path / "a", "mechanism", ("plan", "sums"))[0].keys() == ARRAYS.keys()
    with pytest.raises(ValueError, match="a snapshot must be of a session, got path='a'"):
        snapshot.read(tmp_path / "a", "session", ("terms",))


def test_of_two_that_write_at_once_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both come to the door together, and whoever looks takes a while."""
    path = tmp_path / "a"
    checksum = snapshot.write(path, ARRAYS)
    door, look, turn = threading.Barrier(2), snapshot._mark, snapshot.turn

    def slowly(path: Path) -> str | None:
        current = look(path)
        time.sleep(0.05)
        return current

    def together(path: Path) -> AbstractContextManager[None]:
        door.wait(10)
        return turn(path)

    monkeypatch.setattr(snapshot, "_mark", slowly)
    monkeypatch.setattr(snapshot, "turn", together)
    with ThreadPoolExecutor(2) as pool:
        writes = [
            pool.submit(snapshot.write, path, ARRAYS | {"clock": np.array(n)}, checksum)
            for n in (4, 5)
        ]
    refused = [write.exception() for write in writes if write.exception()]
    assert len(refused) == 1 and "another process has gone on from it" in str(refused[0])


def test_every_name_of_a_file_is_the_same_place(tmp_path: Path) -> None:
    """Or it is refused: two names would meet two locks, and replacing a link leave the file."""
    folder, data = tmp_path / "data", tmp_path / "data" / "a"
    folder.mkdir()
    (tmp_path / "same").symlink_to(folder)
    (tmp_path / "link").symlink_to(data)  # before there is a file
    names = [data, tmp_path / "same" / "a", tmp_path / "link"]
    assert {snapshot.place(name) for name in names} == {data}
    checksum = snapshot.write(snapshot.place(names[2]), ARRAYS)
    assert snapshot.read(data)[1] == checksum and (tmp_path / "link").is_symlink()
    assert [entry.name for entry in tmp_path.glob(".*")] == []
    with pytest.raises(ValueError, match="must not replace one that is there"):
        snapshot.write(snapshot.place(names[1]), ARRAYS)
    (tmp_path / "hard").hardlink_to(data)
    for name in (*names, tmp_path / "hard"):
        with pytest.raises(ValueError, match="a snapshot must have one name"):
            snapshot.place(name)
    before = data.read_bytes()
    with pytest.raises(ValueError, match="a snapshot must have one name"):
        snapshot.write(data, ARRAYS, checksum)  # the link was made after it was opened
    assert data.read_bytes() == before
    (tmp_path / "hard").unlink()
    assert snapshot.place(names[1]) == data


@POSIX
def test_what_cannot_be_a_file_is_no_place(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "unmounted").symlink_to(tmp_path / "volume" / "a")
    os.mkfifo(tmp_path / "pipe")
    for name in ("loop", "unmounted", "pipe", "a\0b"):
        with pytest.raises(ValueError, match="must be a"):
            snapshot.place(tmp_path / name if "\0" not in name else name)


PIPES = """
import os, sys
from pathlib import Path
from privrl.privacy import snapshot
from privrl.privacy.mechanism import Mechanism

pipe, path = Path("pipe"), Path("a")
os.mkfifo(pipe)
checksum = snapshot.write(path, {})
path.unlink()
os.mkfifo(path)  # since it was opened
for call in (
    lambda: Mechanism.restore(pipe),
    lambda: snapshot.read(pipe),
    lambda: snapshot.write(path, {}, checksum),
):
    try:
        call()
    except ValueError as error:
        print(error)
"""


@pytest.mark.slow
@POSIX
def test_a_pipe_is_refused_unopened(tmp_path: Path) -> None:
    """In a process of its own: whoever opens one waits for ever, and no test should."""
    run = subprocess.run(
        [sys.executable, "-c", PIPES],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=60,
    )
    place, *opened = run.stdout.splitlines()
    assert place.startswith("a snapshot must be a file in a folder that exists, got path=")
    regular = "what is read must be a regular file, no pipe, device or folder, got path="
    assert opened == [f"{regular}'pipe'", f"{regular}'a'"]


@POSIX
def test_the_lock_follows_no_link_and_is_for_this_user_alone(tmp_path: Path) -> None:
    path, lock, target = tmp_path / "a", tmp_path / ".a.lock", tmp_path / "target"
    lock.symlink_to(target)
    with pytest.raises(RuntimeError, match="on the disk before anything is shown"):
        snapshot.write(path, ARRAYS)
    assert not target.exists() and not path.exists()
    lock.unlink()
    umask = os.umask(0)
    try:
        checksum = snapshot.write(path, ARRAYS)
        modes = [stat.S_IMODE(entry.stat().st_mode) for entry in (path, lock)]
        lock.chmod(0o666)  # as an earlier version left it
        os.umask(0o777)
        snapshot.write(path, ARRAYS, checksum)
        modes += [stat.S_IMODE(entry.stat().st_mode) for entry in (path, lock)]
    finally:
        os.umask(umask)
    assert modes == [0o600] * 4


@POSIX
def test_a_fork_in_the_middle_of_a_write_does_not_keep_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, children = tmp_path / "a", []
    look = snapshot._mark

    def forked(path: Path) -> str | None:
        if not children:
            children.append(os.fork())
            if not children[0]:
                time.sleep(60)
                os._exit(0)
        return look(path)

    monkeypatch.setattr(snapshot, "_mark", forked)
    try:
        checksum = snapshot.write(path, ARRAYS)
        with ThreadPoolExecutor(1) as pool:
            pool.submit(snapshot.write, path, ARRAYS, checksum).result(20)
    finally:
        os.kill(children[0], 9)
        os.waitpid(children[0], 0)


@POSIX
def test_the_folder_keeps_the_name_before_a_write_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a loss of power too: the content, then the name, then the folder that holds it."""
    done: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def kept(handle: int) -> None:
        done.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        fsync(handle)

    def renamed(path: Path, target: Path) -> Path:
        done.append("name")
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", kept)
    monkeypatch.setattr(Path, "replace", renamed)
    snapshot.write(tmp_path / "a", ARRAYS)
    assert done == ["file", "name", "folder"]


@POSIX
def test_a_folder_in_which_everybody_may_write_is_warned_of(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    with pytest.warns(UserWarning, match="everybody may write in"):
        snapshot.place(tmp_path / "a")
    tmp_path.chmod(0o700)
    snapshot.place(tmp_path / "a")


def test_objects_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="arrays must hold numbers or text"):
        snapshot.write(tmp_path / "b", {"one": np.array([None])})


def test_large_arrays_are_compressed_and_those_of_earlier_versions_read(tmp_path: Path) -> None:
    """They were written by ``numpy.savez``."""
    rng = np.random.default_rng(0)
    numbers = np.rint(2.0**30 * rng.normal(size=(3, snapshot.LARGE))) / 2**20
    arrays = {"noise": numbers, "small": np.zeros(9), **ARRAYS}
    snapshot.write(tmp_path / "now", arrays)
    body = io.BytesIO()
    np.savez(body, **arrays)  # type: ignore[arg-type]  # no array has the name of its own argument
    content = body.getvalue()
    first = f"{hashlib.sha256(content).hexdigest()} {len(content)}\n".encode()
    (tmp_path / "before").write_bytes(first + content)
    for name, least, most in (("now", 0.5, 0.9), ("before", 1.0, 1.1)):
        assert least < (tmp_path / name).stat().st_size / numbers.nbytes < most
        read = snapshot.read(tmp_path / name)[0]
        assert read.keys() == arrays.keys()
        assert all(read[key].tobytes() == value.tobytes() for key, value in arrays.items())


def test_numbers_are_close_but_for_last_bits() -> None:
    numbers = np.array([1.0, np.inf, 0.0])
    assert snapshot.close(numbers * (1 + 1e-14), numbers)
    assert not any(snapshot.close(numbers * factor, numbers) for factor in (1 + 1e-8, 0.25, np.nan))
    assert not snapshot.close(numbers[:2], numbers) and not snapshot.close(
        numbers.astype(np.float32), numbers
    )
