"""Numba's disk cache, in a folder named after a hash of the sources that a kernel may be made of.

Numba checks only the file of the compiled function: an edited callee in another file leaves the caller stale. A folder
per state of the sources cannot be stale. A folder that a parent process has set is not kept, since the sources may have
changed since; one that the user has set is where the folders are made.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path

from privrl import _sources

MARK = "numba-"
NUMBA = re.compile(r"^\s*(?:from|import) numba\b", re.MULTILINE)


def kernels(folder: Path) -> list[str]:
    """Modules below ``folder`` that import numba, by name."""
    found = []
    for path in sorted(folder.rglob("*.py")):
        if NUMBA.search(path.read_text(encoding="utf-8")):
            parts = path.relative_to(folder).with_suffix("").parts
            found.append(".".join([folder.name, *(part for part in parts if part != "__init__")]))
    return found


def source_hash(folder: Path | None = None) -> str:
    """Hash of every source that a kernel can be made of: the modules that import numba, and all that these import.

    An edit elsewhere, of the command line for instance, keeps what is compiled.
    """
    root = Path(__file__).parent if folder is None else folder
    return _sources.source_hash(kernels(root), root)


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
