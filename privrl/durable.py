"""Files that appear whole or not at all, also when the process or the machine stops."""

import contextlib
import os
import secrets
from pathlib import Path


def part_of(path: Path) -> Path:
    """The name under which a file is written before it takes its own."""
    return path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")


def keep_names(folder: Path) -> None:
    """Ask the file system to keep the names in a folder too; some cannot, and lose at most the
    newest."""
    with contextlib.suppress(OSError):  # Windows cannot open a folder; it keeps names by itself
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
