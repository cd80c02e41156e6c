"""Snapshots of arrays: a file that is whole or not there, and has one writer and one name.

Whoever releases noisy sums must remember the noise: were it drawn again for the same release, its
mean would tell more than was promised. So the state is written before a release is shown, and a
process whose file was replaced by another process stops. Symbolic links are followed to the file
that they name; a file with a second name (a hard link) is refused, since that name would go on to
hold an old copy. What cannot be seen from here is a folder that was put back from an old copy: do
not do that.

A file is its first line (SHA-256 and length of what follows), the arrays as numpy's ``npz``, large
ones compressed, and records that came after them (:mod:`privrl.privacy.journal`). Its *mark* is
what no two states of it share: the SHA-256, the file's size and its last 32 bytes.

Beside the file NAME there is ``.NAME.lock``, of length 0, readable by this user alone, which a
process holds for the moment in which it replaces the file. Who else can open it (the same user, or
somebody who made it before, in a folder where everybody may) can hold it, and a write then waits
until it is given back: releases stop, and nothing that is secret is shown.
"""

import contextlib
import glob
import hashlib
import io
import os
import re
import stat
import warnings
import zipfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privrl.checks import require
from privrl.durable import keep_names, part_of
from privrl.paths import regular

LENGTH = 64  # of a SHA-256 in hexadecimal digits, the first word of the file
TAIL = 32  # bytes of a file's end that are part of its mark
LARGE = 2**16  # bytes of an array: smaller ones are not worth the time of compressing them
COMPRESSION = 1  # zlib's level, the quickest: on noise the others take much longer and save little
HEADER = re.compile(rb"([0-9a-f]{64}) ([0-9]{1,18})\n")
CLOSE = 1e-9  # relative; another processor or version computes the same numbers to far less


def place(path: str | Path) -> Path:
    """Where a snapshot can be, links resolved: a file of one name, there or not, in a folder.

    Everything else is refused; a folder in which everybody may write is warned of.
    """
    require(isinstance(path, (str, Path)), "path must be a path", path=path)
    require("\0" not in str(path), "path must be a path", path=str(path))
    resolved = Path(os.path.realpath(path))
    require(
        resolved.parent.is_dir() and not resolved.is_dir() and not resolved.is_symlink(),
        "a snapshot must be a file in a folder that exists",
        path=str(path),
    )
    one_name(resolved)
    if os.name == "posix" and resolved.parent.stat().st_mode & stat.S_IWOTH:
        warnings.warn(
            f"everybody may write in {str(resolved.parent)!r}, the folder of a snapshot, and so "
            "make releases wait or put a snapshot there: keep it in a folder of your own",
            stacklevel=3,
        )
    return resolved


def write(path: Path, arrays: dict[str, NDArray[Any]], before: str | None = None) -> str:
    """Replace the snapshot at ``path``, readable by this user alone, and return its mark; records
    are gone.

    A process that is killed while it writes leaves its part of a file, ``.NAME.<16 hexadecimal
    digits>.part``, beside the snapshot, as secret as that: the next write of the same snapshot that
    succeeds removes it.

    Parameters
    ----------
    path : as :func:`place` returns it
    before : mark of the snapshot that is there, as far as the caller knows; None: there is none

    Raises
    ------
    ValueError
        There is one already, or it is not the caller's last one: another process has gone on; or it
        has a second name, or is a pipe or a device by now. Nothing is written.
    RuntimeError
        It could not be written, for instance as the disk is full; what was there is there.
    """
    for name, value in arrays.items():
        require(not value.dtype.hasobject, "arrays must hold numbers or text", name=name)
    body = _npz(arrays)
    content = f"{hashlib.sha256(body).hexdigest()} {len(body)}\n".encode() + body
    try:
        _replace(path, content, before)
    except OSError as error:
        raise unwritten(path, error) from error
    return mark_of(content)


def _npz(arrays: dict[str, NDArray[Any]]) -> bytes:
    """As ``numpy.savez`` writes it, but for large arrays, which are compressed: most sums are small
    whole numbers, and noise on a grid does not use all bits of its floats."""
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as archive:
        for name, value in arrays.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, value, allow_pickle=False)
            archive.writestr(
                zipfile.ZipInfo(f"{name}.npy"),
                content.getvalue(),
                zipfile.ZIP_DEFLATED if value.nbytes >= LARGE else zipfile.ZIP_STORED,
                COMPRESSION,
            )
    return body.getvalue()


def unwritten(path: Path, error: OSError) -> RuntimeError:
    """What could not be written, and why."""
    return RuntimeError(
        f"a snapshot must be on the disk before anything is shown, got {path.name}: "
        f"{error.strerror or error}"
    )


def _replace(path: Path, content: bytes, before: str | None) -> None:
    partial = part_of(path)
    with turn(path):  # every other part is one that was left behind
        try:
            with os.fdopen(
                os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb"
            ) as stream:
                if os.name == "posix":
                    os.fchmod(stream.fileno(), 0o600)  # whatever the umask
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            as_left(path, before)
            one_name(path)
            partial.replace(path)
        finally:
            with contextlib.suppress(OSError):
                partial.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            for stale in path.parent.glob(f".{glob.escape(path.name)}.{'[0-9a-f]' * 16}.part"):
                stale.unlink(missing_ok=True)
    keep_names(path.parent)


def read(
    path: Path, of: str = "snapshot", names: Collection[str] = ()
) -> tuple[dict[str, NDArray[Any]], str]:
    """The arrays of a snapshot, and its mark.

    ``of``, ``names`` : whose snapshot it must be, and arrays that every such one has

    Raises
    ------
    ValueError
        The file is damaged, or is of something else; or it is a pipe or a device, not opened.
    FileNotFoundError
        There is none.
    """
    arrays, mark_, content, end = parts(path, of, names)
    require(end == len(content), "a snapshot must be whole", path=path.name)
    return arrays, mark_


def parts(
    path: Path, of: str, names: Collection[str]
) -> tuple[dict[str, NDArray[Any]], str, bytes, int]:
    """The arrays, the mark that the file had with them alone, all of the file, and where records
    begin."""
    content = regular(path).read_bytes()
    header = HEADER.match(content)
    start = header.end() if header else 0
    end = start + int(header[2]) if header else 0
    require(
        header is not None
        and end <= len(content)
        and hashlib.sha256(memoryview(content)[start:end]).hexdigest().encode() == header[1],
        "a snapshot must be whole",
        path=path.name,
    )
    with np.load(io.BytesIO(content[start:end]), allow_pickle=False) as arrays:
        require(set(names) <= set(arrays.files), f"a snapshot must be of a {of}", path=path.name)
        return {name: arrays[name] for name in arrays.files}, mark_of(content[:end]), content, end


def mark(checksum: str, size: int, tail: bytes) -> str:
    """The mark of a file with this SHA-256 of its arrays, size and last bytes."""
    return f"{checksum}.{size}.{tail.hex()}"


def mark_of(content: bytes) -> str:
    """The mark of a whole file."""
    return mark(content[:LENGTH].decode(errors="replace"), len(content), content[-TAIL:])


def checksum_of(mark: str) -> str:
    """The SHA-256 of a file's arrays, of its mark."""
    return mark.partition(".")[0]


def size_of(mark: str) -> int:
    """The size of a file in bytes, of its mark."""
    return int(mark.split(".")[1])


def as_left(path: Path, before: str | None) -> None:
    """Ask that the file at ``path`` has this mark, or is not there for None; in this process's
    turn."""
    stored = _mark(path)
    require(
        before is not None or stored is None,
        "a new snapshot must not replace one that is there: open that one, or choose another path",
        path=path.name,
    )
    require(
        stored == before,
        "a snapshot must be as this process left it: another process has gone on from it, "
        "or it was removed; open it anew",
        path=path.name,
    )


def close(array: NDArray[Any], expected: NDArray[Any]) -> bool:
    """Whether an array of a snapshot has these numbers but for last bits, as of another
    processor."""
    if array.dtype != expected.dtype or array.shape != expected.shape:
        return False
    with np.errstate(invalid="ignore"):  # the difference of two infinities
        near = np.abs(array - expected) <= CLOSE * np.abs(expected)
    return bool((near | (array == expected)).all())


def whole(name: str, array: NDArray[Any], most: int) -> int:
    """A number 0..most of a snapshot, or ``ValueError``."""
    require(
        array.shape == () and array.dtype.kind == "i" and 0 <= int(array) <= most,
        f"a snapshot's {name} must be a whole number in 0..{most}",
        **{name: array.item() if array.shape == () else array},
    )
    return int(array)


def finite(name: str, array: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Finite float64 of that shape of a snapshot, or ``ValueError``."""
    require(
        array.shape == shape and array.dtype == np.float64 and bool(np.isfinite(array).all()),
        f"a snapshot's {name} must be finite, of shape {shape}",
        **{name: array},
    )
    return array


def one_name(path: Path) -> None:
    """Refuse what has a second name, or is no file."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return
    require(
        stat.S_ISREG(status.st_mode),
        "a snapshot must be a file in a folder that exists",
        path=str(path),
    )
    require(
        status.st_nlink == 1,
        "a snapshot must have one name: a hard link would keep an old copy, from which noise is "
        "drawn a second time",
        path=path.name,
        names=status.st_nlink,
    )


@contextlib.contextmanager
def turn(path: Path) -> Iterator[None]:
    """One process at a time; the system lets go of the lock when a process ends, however it
    ends."""
    try:
        import fcntl
    except (
        ImportError
    ):  # Windows: two processes that write in the same microseconds are not told apart
        yield
        return
    # no link is followed, and what is no file is not waited for
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    handle = os.open(path.with_name(f".{path.name}.lock"), flags, 0o600)
    try:
        if stat.S_IMODE(os.fstat(handle).st_mode) != 0o600:  # a change would be one more to sync
            with contextlib.suppress(PermissionError):  # it is somebody else's
                os.fchmod(handle, 0o600)  # whatever an earlier version or the umask made of it
        fcntl.flock(handle, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(handle, fcntl.LOCK_UN)  # also for a fork that has the handle too
    finally:
        os.close(handle)


def _mark(path: Path) -> str | None:
    """Of the file that is there, read at its two ends alone."""
    try:
        with regular(path).open("rb", buffering=0) as stream:
            first = (stream.read(LENGTH) or b"").decode(errors="replace")
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(size - TAIL, 0))
            return mark(first, size, stream.read(TAIL) or b"")
    except FileNotFoundError:
        return None
