"""Snapshots of arrays: a file that is whole or not there, knows when it is damaged, and has one writer.

Whoever releases noisy sums must remember the noise: were it drawn again for the same release, its mean would tell more
than was promised. So the state is written before a release is shown, and a process whose file was replaced by another
process stops. What cannot be seen from here is a folder that was put back from an old copy: do not do that.
"""

import contextlib
import glob
import hashlib
import io
import os
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privrl.run.store import keep_names, part_of
from privrl.types import require

LENGTH = 64  # of a SHA-256 in hexadecimal digits, the file's first line


def place(path: str | Path) -> Path:
    """Where a snapshot can be; what is no path, a folder, and a file in a folder that is not there are refused."""
    require(isinstance(path, (str, Path)), "path must be a path", path=path)
    made = Path(path)
    require(made.parent.is_dir() and not made.is_dir(), "a snapshot must be a file in a folder that exists",
            path=str(path))
    return made


def write(path: Path, arrays: dict[str, NDArray[Any]], before: str | None = None) -> str:
    """Replace the snapshot at ``path``, readable by this user alone, and return its checksum.

    A process that is killed while it writes leaves its part of a file, ``.NAME.<16 hexadecimal digits>.part``, beside
    the snapshot, as secret as that: the next write of the same snapshot that succeeds removes it.

    ``before`` : checksum of the snapshot that is there, as far as the caller knows; None: there is none

    Raises
    ------
    ValueError
        There is one already, or it is not the caller's last one: another process has gone on. Nothing is written.
    """
    content = io.BytesIO()
    np.savez(content, allow_pickle=False, **arrays)
    checksum = hashlib.sha256(content.getvalue()).hexdigest()
    part = part_of(path)
    with _turn(path):  # every other part is one that was left behind
        try:
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
                stream.write(f"{checksum}\n".encode() + content.getvalue())
                stream.flush()
                os.fsync(stream.fileno())
            there = _first_line(path)
            require(before is not None or there is None, "a new snapshot must not replace one that is there: open that "
                    "one, or choose another path", path=path.name)
            require(there == before, "a snapshot must be as this process left it: another process has gone on from it, "
                    "or it was removed; open it anew", path=path.name)
            part.replace(path)
        finally:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            for left in path.parent.glob(f".{glob.escape(path.name)}.{'[0-9a-f]' * 16}.part"):
                left.unlink(missing_ok=True)
    keep_names(path.parent)
    return checksum


def read(path: Path, of: str = "snapshot", names: Collection[str] = ()) -> tuple[dict[str, NDArray[Any]], str]:
    """The arrays of a snapshot, and its checksum.

    ``of``, ``names`` : whose snapshot it must be, and arrays that every such one has

    Raises
    ------
    ValueError
        The file is damaged, or is of something else.
    FileNotFoundError
        There is none.
    """
    content = path.read_bytes()
    checksum, body = content[:LENGTH], content[LENGTH + 1 :]
    require(hashlib.sha256(body).hexdigest().encode() == checksum, "a snapshot must be whole", path=path.name)
    with np.load(io.BytesIO(body), allow_pickle=False) as arrays:
        require(set(names) <= set(arrays.files), f"a snapshot must be of a {of}", path=path.name)
        return {name: arrays[name] for name in arrays.files}, checksum.decode()


@contextlib.contextmanager
def _turn(path: Path) -> Iterator[None]:
    """One process at a time; the system lets go of the lock when a process ends, however it ends."""
    try:
        import fcntl
    except ImportError:  # Windows: two processes that write in the same microseconds are not told apart
        yield
        return
    with path.with_name(f".{path.name}.lock").open("ab") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _first_line(path: Path) -> str | None:
    try:
        with path.open("rb") as stream:
            return stream.read(LENGTH).decode(errors="replace")
    except FileNotFoundError:
        return None
