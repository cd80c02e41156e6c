"""Numba's disk cache, in a folder named after a hash of all sources that a kernel may be made of.

Numba checks only the file of the compiled function: an edited callee in another file leaves the caller stale. A folder
per state of the sources cannot be stale. A folder that a parent process has set is not kept, since the sources may have
changed since; one that the user has set is where the folders are made.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from pathlib import Path

MARK = "numba-"


def source_hash(folder: Path | None = None) -> str:
    """First 16 hex digits of the SHA-256 of every Python file below ``folder`` (default: this package), by name."""
    root = Path(__file__).parent if folder is None else folder
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """The folder for compiled kernels: below the one that was asked for, the user's cache, or a new temporary one."""
    asked = Path(os.environ.get("NUMBA_CACHE_DIR", ""))
    if asked.name.startswith(MARK) and asked.parent.name == "privrl":  # set below, in this process or a parent of it
        base = asked.parent.parent
    elif asked.name:
        base = asked
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    try:
        (base / "privrl").mkdir(parents=True, exist_ok=True)
        writable = os.access(base / "privrl", os.W_OK)
    except OSError:
        writable = False
    # numba unpickles what it finds: no folder that another user may have made
    return (base if writable else Path(tempfile.mkdtemp(prefix="privrl-"))) / "privrl" / f"{MARK}{source_hash()}"


def settle() -> None:
    """Point numba to :func:`cache_folder`, also when it has been imported already."""
    os.environ["NUMBA_CACHE_DIR"] = str(cache_folder())
    numba = sys.modules.get("numba")
    if numba is not None:
        numba.config.CACHE_DIR = os.environ["NUMBA_CACHE_DIR"]


settle()
