"""Stored replicates: one file each, under the hash of what it was made of, written atomically with
a checksum.

A store is a folder. Nothing else is kept beside the files, so any number of processes and machines
that share the folder may read and write at once: a file appears whole or not at all, and whoever
computes a replicate writes the same bytes under the same name.
"""

import contextlib
import errno
import hashlib
import json
import os
import re
import stat
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from privrl.checks import require
from privrl.durable import keep_names, part_of
from privrl.types import FloatArray

Warn = Callable[[str], None]
FULL = (errno.ENOSPC, errno.EDQUOT)
UNWRITABLE = (*FULL, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO)
# names of replicates, and of their parts
OWN = re.compile(r"(\.)?[0-9a-f]{24}\.json(?(1)\.[0-9a-f]{16}\.part)")
ABANDONED = 3600.0  # seconds after which a part is taken for one that its writer has left


class UnwritableError(OSError):
    """A folder takes no more files: its disk is full, read-only, forbidden or broken. The next file
    would fail too."""


def _unwritable(error: OSError, folder: Path) -> OSError:
    """The same error in a sentence, where it is one that the next file would meet too."""
    if error.errno not in UNWRITABLE:
        return error
    if error.errno in FULL:
        sentence = (
            "the disk is full; what was finished is kept, make room and start again to continue"
        )
    else:
        sentence = (
            f"the folder must be writable ({os.strerror(error.errno)}); what was finished is kept"
        )
    return UnwritableError(error.errno, sentence, str(folder))


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it appears whole or not at all, also when the process or the machine
    stops.

    Raises
    ------
    UnwritableError, OSError
        What stood under that name before is untouched.
    """
    temporary = part_of(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("x", encoding="utf-8", newline="") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except OSError as error:
        raise _unwritable(error, path.parent) from None
    finally:
        with contextlib.suppress(OSError):  # a folder that cannot be written
            temporary.unlink(missing_ok=True)
    keep_names(path.parent)


@dataclass(frozen=True)
class Stored:
    """One file of a store; ``settings`` is None where it cannot be trusted."""

    path: Path
    settings: dict[str, Any] | None
    regret: tuple[str, ...] = ()


class Store:
    """A folder of replicates.

    A file holds the settings and the regrets of one replicate, with a SHA-256 of the regrets. A
    file that cannot be read or whose checksum differs is reported through ``warn`` and counts as
    missing.
    """

    def __init__(self, folder: Path, warn: Warn | None = None) -> None:
        require(
            isinstance(folder, (Path, str)) and str(folder) != "",
            "folder must be a path",
            folder=folder,
        )
        self.folder = Path(folder)
        self.warn = warn or (lambda message: None)

    @staticmethod
    def key(settings: Mapping[str, Any]) -> str:
        """SHA-256 of the settings in canonical form (24 hex digits)."""
        return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:24]

    def path(self, settings: Mapping[str, Any]) -> Path:
        """Where the replicate with these settings is kept."""
        return self.folder / f"{self.key(settings)}.json"

    def load(self, settings: Mapping[str, Any]) -> FloatArray | None:
        """The stored regrets, or None where there are none that can be trusted."""
        path = self.path(settings)
        stored = _read(path)
        if stored is None:
            return None
        if stored.settings != dict(settings):
            self.warn(f"the stored replicate {path.name} is damaged and is computed again")
            return None
        return np.array([float.fromhex(value) for value in stored.regret])

    def save(self, settings: Mapping[str, Any], regret: FloatArray) -> None:
        """Write one replicate: to a temporary file first, which then takes the final name.

        Raises
        ------
        UnwritableError, OSError
            The store stays as it was.
        """
        digits = [float(value).hex() for value in regret]
        row = {"settings": dict(settings), "regret": digits, "sha256": _checksum(digits)}
        write_whole(self.path(settings), json.dumps(row))

    def probe(self) -> None:
        """Write to the folder, so that an :class:`UnwritableError` comes before the first
        replicate."""
        try:
            with tempfile.TemporaryFile(dir=self.folder) as file:
                file.write(bytes(4096))
        except OSError as error:
            raise _unwritable(error, self.folder) from None

    def _own(self, hidden: bool) -> list[Path]:
        """Regular files with the names of replicates, or those of their parts; whatever else is
        there is not ours."""
        return [
            path
            for path in sorted(self.folder.iterdir())
            if path.name.startswith(".") == hidden
            and OWN.fullmatch(path.name)
            and path.is_file()
            and not path.is_symlink()
        ]

    def listing(self) -> Iterator[Stored]:
        """Every stored replicate, by name; a damaged one has no settings."""
        require(
            self.folder.is_dir(), "folder must be a store of replicates", folder=str(self.folder)
        )
        for path in self._own(hidden=False):
            stored = _read(path)
            if stored is not None:
                misplaced = stored.settings is not None and path.stem != self.key(stored.settings)
                yield Stored(path, None) if misplaced else stored

    def abandoned(self, age: float = ABANDONED) -> list[Path]:
        """What killed writers have left: parts that are older than ``age`` seconds."""
        then = time.time() - age
        return [path for path in self._own(hidden=True) if _modified(path) < then]

    def remove(self, path: Path) -> bool:
        """Take a damaged replicate out of the store; False where another process has just written a
        sound one."""
        aside = part_of(path)
        try:
            path.replace(aside)
        except FileNotFoundError:
            return False
        stored = _read(aside)
        sound = (
            stored is not None
            and stored.settings is not None
            and self.key(stored.settings) == path.stem
        )
        if sound:
            aside.replace(path)
        else:
            aside.unlink(missing_ok=True)
        return not sound


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:  # its writer has just finished
        return float("inf")


def _read(path: Path) -> Stored | None:
    """A file of the store, without settings where it cannot be trusted; None where there is no
    file."""
    try:
        regular = stat.S_ISREG(path.stat().st_mode)  # reading a pipe would wait for ever
        row = json.loads(path.read_text(encoding="utf-8") if regular else "")
        settings, digits = row["settings"], row["regret"]
        for value in digits:
            float.fromhex(value)
        sound = (
            isinstance(settings, dict)
            and isinstance(digits, list)
            and row["sha256"] == _checksum(digits)
        )
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return Stored(path, None)
    return Stored(path, settings, tuple(digits)) if sound else Stored(path, None)


def _checksum(digits: list[str]) -> str:
    return hashlib.sha256("\n".join(digits).encode()).hexdigest()
