"""What comes between two snapshots: records at the end of a snapshot's file, each on the disk
before it counts.

Writing all of a state for every user costs what the state is large. So a user's contribution alone
is appended, and the whole is written (:func:`snapshot.write`, which ends the journal) when noise is
drawn. Nothing here draws any.

A record is

    length of the payload and a CRC-32 of it and of the file before it, 4 bytes each, little-endian,
    the payload,
    SHA-256 of the file's mark before it (:mod:`privrl.privacy.snapshot`), of these 8 bytes and
    the payload;

and that SHA-256 ends the next mark: a record fits one place in one file, and a process that is not
the last to have written is refused, as with snapshots. What an append that was cut off leaves (a
part of a record, or one whose last 32 bytes were never written) is told from a damaged file: the
length has a checksum of its own, and a whole record in which any bit differs is refused. Records
before it were synced and are read.
"""

import contextlib
import hashlib
import os
import struct
import zlib
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privrl.checks import require
from privrl.privacy import snapshot
from privrl.types import Entries, FloatArray

RECORD_HEADER = struct.Struct("<II")
DIGEST = 32  # bytes of a SHA-256
SPARSE, DENSE = b"s", b"d"
INDEX = np.dtype("<u4")
NUMBER = np.dtype("<f8")


def append(path: Path, payload: bytes, before: str) -> str:
    """Add a record to the file at ``path``, and return the file's mark; it is on the disk by then.

    Parameters
    ----------
    path : as :func:`snapshot.place` returns it
    before : the file's mark, as far as the caller knows

    Raises
    ------
    ValueError
        The file is not as the caller left it, or has a second name, or is a pipe or a device by
        now. Nothing is written.
    RuntimeError
        It could not be written, for instance as the disk is full. What was written of it is taken
        back where the system lets us; else the next reader tells that it is no whole record.
    """
    header = _header(len(payload), before)
    digest = _digest(before, header, payload)
    try:
        with snapshot.turn(path):
            snapshot.as_left(path, before)
            snapshot.one_name(path)
            _add(path, header + payload + digest)
    except OSError as error:
        raise snapshot.unwritten(path, error) from error
    return snapshot.mark(
        snapshot.checksum_of(before), snapshot.size_of(before) + size(payload), digest
    )


def read(
    path: Path, of: str = "snapshot", names: Collection[str] = ()
) -> tuple[dict[str, NDArray[Any]], list[bytes], str, bool]:
    """The arrays of a snapshot, the records after it, the file's mark, and whether it ends in a
    part of a record; otherwise as :func:`snapshot.read`."""
    arrays, mark, content, end = snapshot.parts(path, of, names)
    records: list[bytes] = []
    while end < len(content):
        rest = memoryview(content)[end:]
        if len(rest) < RECORD_HEADER.size or not any(rest):
            return arrays, records, snapshot.mark_of(content), True
        header = bytes(rest[: RECORD_HEADER.size])
        length, _ = RECORD_HEADER.unpack(header)
        payload = bytes(rest[RECORD_HEADER.size : RECORD_HEADER.size + length])
        _whole(header == _header(length, mark), path)
        digest = bytes(rest[RECORD_HEADER.size + length : RECORD_HEADER.size + length + DIGEST])
        last = len(rest) <= RECORD_HEADER.size + length + DIGEST
        if len(digest) < DIGEST or (last and not any(digest)):
            return arrays, records, snapshot.mark_of(content), True
        _whole(digest == _digest(mark, header, payload), path)
        records.append(payload)
        end += RECORD_HEADER.size + length + DIGEST
        mark = snapshot.mark(snapshot.checksum_of(mark), end, digest)
    return arrays, records, mark, False


def size(payload: bytes) -> int:
    """Bytes of the file that the record of a payload takes."""
    return RECORD_HEADER.size + len(payload) + DIGEST


def packed(entries: Entries) -> bytes:
    """A row of numbers as a payload: those that are not zero, where these are few."""
    nonzero = entries.values != 0
    places, values = entries.places[nonzero], entries.values[nonzero]
    if places.size * (INDEX.itemsize + NUMBER.itemsize) >= entries.width * NUMBER.itemsize:
        return b"".join((DENSE, entries.row().astype(NUMBER).tobytes()))
    return b"".join((SPARSE, places.astype(INDEX).tobytes(), values.astype(NUMBER).tobytes()))


def unpacked(payload: bytes, width: int) -> FloatArray:
    """The row (W,) of a payload, or ``ValueError`` for what no finite row of that width can be."""
    kind, body = payload[:1], payload[1:]
    require(kind in (SPARSE, DENSE), "a record must hold a row", kind=kind)
    if kind == DENSE:
        require(
            len(body) == width * NUMBER.itemsize,
            f"a record must hold a row of {width} numbers",
            bytes=len(body),
        )
        return snapshot.finite("record", np.frombuffer(body, NUMBER).astype(np.float64), (width,))
    number, left = divmod(len(body), INDEX.itemsize + NUMBER.itemsize)
    require(left == 0, "a record must hold places and as many numbers", bytes=len(body))
    places = np.frombuffer(body, INDEX, number).astype(np.int64)
    require(
        bool((np.diff(places) > 0).all()) and (number == 0 or int(places[-1]) < width),
        f"a record's places must increase, below {width}",
        places=places.tolist()[:10],
    )
    row = np.zeros(width)
    row[places] = np.frombuffer(body, NUMBER, number, number * INDEX.itemsize)
    return snapshot.finite("record", row, (width,))


def _header(length: int, before: str) -> bytes:
    return RECORD_HEADER.pack(length, zlib.crc32(f"{length} {before}".encode()))


def _digest(before: str, header: bytes, payload: bytes) -> bytes:
    return hashlib.sha256(before.encode() + header + payload).digest()


def _whole(condition: bool, path: Path) -> None:
    require(condition, "a snapshot must be whole", path=path.name)


def _add(path: Path, record: bytes) -> None:
    flags = os.O_WRONLY | os.O_APPEND
    for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"):  # where the system has them
        flags |= getattr(os, flag, 0)
    handle = os.open(path, flags)
    try:
        size = os.fstat(handle).st_size
        try:
            written = 0
            while written < len(record):
                written += os.write(handle, record[written:])
            os.fsync(handle)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(handle, size)
            raise
    finally:
        os.close(handle)
