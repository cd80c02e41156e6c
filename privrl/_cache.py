"""Numba's disk cache, in a folder named by a hash of this package's sources and by how far its
kernels are optimised.

Numba checks only the file of the compiled function, so that an edited callee in another file would
leave the caller stale. A folder per state of the sources cannot be stale. Numba unpickles what it
finds: a folder that another user can write to is never used. What is compiled can be removed at any
time.
"""

import atexit
import functools
import hashlib
import os
import shutil
import stat
import sys
import tempfile
from pathlib import Path

MARK = "numba-"
COMMANDS = ("__main__.py", "cli/**/*.py")  # no number passes through the command line


@functools.cache
def code_hash(package: Path = Path(__file__).parent) -> str:
    """First 16 hex digits of the SHA-256 of every source but the command line's, as they were at
    the first call.

    A stored run and a compiled kernel belong to the code of this hash.
    """
    files = set(package.rglob("*.py")) - {
        path for pattern in COMMANDS for path in package.glob(pattern)
    }
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(
            path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes() + b"\0"
        )
    return digest.hexdigest()[:16]


def private(folder: Path) -> bool:
    """Whether a folder exists, or has been made, that this user alone can write to."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.lstat()
    except OSError:
        return False
    if not hasattr(os, "getuid"):  # Windows: the folder of a user has the user's access list
        return os.access(folder, os.W_OK)
    mine = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
    return mine and not status.st_mode & 0o022 and os.access(folder, os.W_OK)


def folder_name() -> str:
    """By the sources, and by ``NUMBA_OPT`` where it is set: kernels that were compiled in less time
    are slower, and never found by a process that asks for the others."""
    level = os.environ.get("NUMBA_OPT", "")
    return f"{MARK}{code_hash()}" + (f"-{level}" if level.isdecimal() else "")


def cache_folder() -> Path:
    """The folder for compiled kernels: below the one that was asked for, the user's cache, or a new
    temporary one."""
    requested = Path(os.environ.get("NUMBA_CACHE_DIR", ""))
    if (
        requested.name.startswith(MARK) and requested.parent.name == "privrl"
    ):  # set below, in a parent of this process
        home = requested.parent
    elif requested.name:
        home = requested / "privrl"
    else:
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "privrl"
    folder = home / folder_name()
    if private(home) and private(folder):
        return folder
    temporary = tempfile.mkdtemp(prefix="privrl-")  # readable and writable by this user alone
    atexit.register(shutil.rmtree, temporary, ignore_errors=True)
    folder = Path(temporary, "privrl", folder.name)
    folder.mkdir(mode=0o700, parents=True)
    return folder


def settle() -> None:
    """Point numba to :func:`cache_folder`, also when it has been imported already."""
    os.environ["NUMBA_CACHE_DIR"] = str(cache_folder())
    numba = sys.modules.get("numba")
    if numba is not None:
        numba.config.CACHE_DIR = os.environ["NUMBA_CACHE_DIR"]


settle()
