"""Numba's disk cache, in a folder named after a hash of all sources that a kernel may be made of.

Numba checks only the file of the compiled function: an edited callee in another file leaves the caller stale. A folder
per state of the sources cannot be stale.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path


def source_hash(folder: Path | None = None) -> str:
    """First 16 hex digits of the SHA-256 of every Python file below ``folder`` (default: this package), by name."""
    root = Path(__file__).parent if folder is None else folder
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """The folder for compiled kernels: the user's cache if it can be written to, else the temporary folder."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    try:
        (base / "privrl").mkdir(parents=True, exist_ok=True)
        writable = os.access(base / "privrl", os.W_OK)
    except OSError:
        writable = False
    return (base if writable else Path(tempfile.gettempdir())) / "privrl" / f"numba-{source_hash()}"


os.environ.setdefault("NUMBA_CACHE_DIR", str(cache_folder()))
