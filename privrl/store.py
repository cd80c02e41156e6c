"""Stored replicates: one file each, under the hash of what it was made of, written atomically with a checksum."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from privrl.types import FloatArray, require

Warn = Callable[[str], None]


class Store:
    """A folder of replicates.

    A file holds the settings and the regrets of one replicate, with a SHA-256 of the regrets. A file that cannot be
    read or whose checksum differs is reported through ``warn`` and counts as missing.
    """

    def __init__(self, folder: Path, warn: Warn | None = None) -> None:
        require(isinstance(folder, (Path, str)) and str(folder) != "", "folder must be a path", folder=folder)
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
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError):
            text = ""
        try:
            row = json.loads(text)
            regret = [float.fromhex(value) for value in row["regret"]]
            sound = row["settings"] == dict(settings) and row["sha256"] == _checksum(row["regret"])
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            sound = False
        if not sound:
            self.warn(f"the stored replicate {path.name} is damaged and is computed again")
            return None
        return np.array(regret)

    def save(self, settings: Mapping[str, Any], regret: FloatArray) -> None:
        """Write one replicate: to a temporary file first, which then takes the final name."""
        self.folder.mkdir(parents=True, exist_ok=True)
        values = [float(value).hex() for value in regret]
        row = {"settings": dict(settings), "regret": values, "sha256": _checksum(values)}
        handle, name = tempfile.mkstemp(dir=self.folder, suffix=".part")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                json.dump(row, stream)
                stream.flush()
                os.fsync(stream.fileno())
            Path(name).replace(self.path(settings))
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def _checksum(values: list[str]) -> str:
    return hashlib.sha256("\n".join(values).encode()).hexdigest()
