"""Numba's disk cache, in a folder named after a hash of the sources that a kernel may be made of.

Numba checks only the file of the compiled function: an edited callee in another file leaves the caller stale. A folder
per state of the sources cannot be stale. A folder that a parent process has set is not kept, since the sources may have
changed since; one that the user has set is where the folders are made.

A process holds its folder by a shared lock for as long as it lives. Whoever makes a new folder removes old ones: none
that is held, and not the newest few.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import shutil
import sys
import tempfile
import time
from pathlib import Path

from privrl import _sources

MARK = "numba-"
HELD, GONE = "held", ".gone-"  # the file that is locked; what a folder is called while it is being removed
NOTE, COARSE = "sources-", 3.0  # names of notes; seconds after which the time of a file tells it from a later one
KEPT, HOUR, WEEK = 8, 3600.0, 7 * 86400.0  # folders that stay in any case; seconds
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
    home = (base if writable else Path(tempfile.mkdtemp(prefix="privrl-"))) / "privrl"
    return home / f"{MARK}{known_hash(home)}"


def known_hash(home: Path, folder: Path | None = None) -> str:
    """:func:`source_hash`, remembered in ``home`` for files that have not been touched since.

    Reading the imports of all sources takes a good part of the start of a worker. Files that have been touched just now
    are read: their times may be too coarse to tell the next edit.
    """
    root = Path(__file__).parent if folder is None else folder
    facts = {str(path): path.stat() for path in sorted(root.rglob("*.py"))}
    text = repr([(name, one.st_size, one.st_mtime_ns, one.st_ctime_ns, one.st_ino) for name, one in facts.items()])
    note = home / f"{NOTE}{hashlib.sha256(text.encode()).hexdigest()[:24]}"
    settled = all(max(one.st_mtime, one.st_ctime) < time.time() - COARSE for one in facts.values())
    try:
        if settled and re.fullmatch(r"[0-9a-f]{16}", found := note.read_text("ascii")):
            return found
    except (OSError, ValueError):
        pass
    found = source_hash(root)
    if settled:
        part = note.with_name(f"{note.name}.{secrets.token_hex(8)}")
        try:
            part.write_text(found, "ascii")
            part.replace(note)
        except OSError:
            part.unlink(missing_ok=True)
    return found


def hold(folder: Path) -> bool:
    """Keep a folder from being removed while this process lives; whether it has just been made.

    Without locks (no ``fcntl``, a file system that has none) nothing is held, and False returned: nothing is removed
    either.
    """
    try:
        import fcntl

        for _ in range(100):
            new = not folder.is_dir()
            folder.mkdir(parents=True, exist_ok=True)
            mark = folder / HELD
            handle = os.open(mark, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
                if os.fstat(handle).st_ino == mark.stat().st_ino:
                    os.utime(handle)
                    return new  # the handle stays open
            except (BlockingIOError, FileNotFoundError):
                pass  # somebody is just removing it
            os.close(handle)
            time.sleep(0.01)
    except (ImportError, OSError):
        pass
    return False


def prune(base: Path, kept: int = KEPT) -> int:
    """Remove folders of compiled kernels below ``base`` but the ``kept`` newest, unless a process holds them.

    A folder without the mark may belong to a process that knows of no marks: it stays for a week after it has been
    written to. Returns the number of folders removed.
    """
    for rest in base.glob(f"{GONE}*"):  # of a process that was killed here
        shutil.rmtree(rest, ignore_errors=True)
    now = time.time()
    for note in base.glob(f"{NOTE}*"):
        with contextlib.suppress(OSError):  # another process may be doing the same
            if note.stat().st_mtime + WEEK < now:
                note.unlink()
    found = sorted(((*_last_use(path), path) for path in base.glob(f"{MARK}*")), reverse=True)
    return sum(_remove(path) for used, grace, path in found[kept:] if used + grace < now)


def _last_use(path: Path) -> tuple[float, float]:
    """When a folder was used last, and for how many seconds it stays after that."""
    try:
        if (path / HELD).exists():
            return (path / HELD).stat().st_mtime, HOUR
        return max(part.stat().st_mtime for part in (path, *path.iterdir())), WEEK
    except OSError:
        return float("inf"), 0.0  # another process is removing it


def _remove(path: Path) -> bool:
    """Take a folder away that no process holds."""
    import fcntl

    try:
        handle = os.open(path / HELD, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return False
    aside = path.with_name(f"{GONE}{path.name}-{secrets.token_hex(8)}")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.rename(aside)  # who waits for the lock now sees that the mark is gone, and makes a new folder
    except OSError:
        return False
    finally:
        os.close(handle)
    shutil.rmtree(aside, ignore_errors=True)
    return True


def settle() -> None:
    """Point numba to :func:`cache_folder`, also when it has been imported already."""
    folder = cache_folder()
    os.environ["NUMBA_CACHE_DIR"] = str(folder)
    numba = sys.modules.get("numba")
    if numba is not None:
        numba.config.CACHE_DIR = os.environ["NUMBA_CACHE_DIR"]
    if hold(folder):
        prune(folder.parent)


settle()
