"""The cache of compiled kernels: never stale, in place before numba is imported, never where others can write."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from privrl import _cache

PACKAGE = Path(_cache.__file__).parent

# a kernel in a file of its own that calls one of the package's: what numba's own check of the caller's file misses
CALLER = """
import numpy as np
from numba import njit
from privrl.agents.tabular import draw_first

@njit(cache=True)
def call(uniform):
    return draw_first(np.array([0.25, 0.5, 1.0]), uniform)

def ask():
    value = call(0.3)
    print(value, sum(call.stats.cache_hits.values()), sum(call.stats.cache_misses.values()))
"""

SPY = """
import os, sys

class Spy:
    def find_spec(self, name, path=None, target=None):
        if name == "numba":
            print(os.environ.get("NUMBA_CACHE_DIR"))

sys.meta_path.insert(0, Spy())
import privrl.agents.pucb
import numba
print(numba.config.CACHE_DIR)
"""


def scratch(folder: Path) -> Path:
    """A copy of the package with the caller added; quick to import, since its public names are left out."""
    copy = folder / "privrl"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "__init__.py").write_text("from privrl import _cache as _cache\n", encoding="utf-8")
    (copy / "caller.py").write_text(CALLER, encoding="utf-8")
    return copy


def fresh(folder: Path, script: str) -> list[str]:
    """Words printed by a new process in ``folder``, whose packages come first."""
    inherited = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    surroundings = {**inherited, "XDG_CACHE_HOME": str(folder / "cache"), "PYTHONPATH": ""}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=folder, env=surroundings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def edit(copy: Path) -> None:
    """The callee answers with the next state."""
    callee = copy / "agents" / "tabular.py"
    text = callee.read_text(encoding="utf-8")
    old = "    state = 0\n    while uniform >= first[state]"
    assert text.count(old) == 1
    callee.write_text(text.replace(old, old.replace("state = 0", "state = 2")), encoding="utf-8")


ASK = "from privrl import caller; caller.ask()"


def test_an_edited_callee_is_seen(tmp_path: Path) -> None:
    copy = scratch(tmp_path)
    assert fresh(tmp_path, ASK) == ["1", "0", "1"]
    assert fresh(tmp_path, ASK) == ["1", "1", "0"]  # read from the cache
    edit(copy)
    assert fresh(tmp_path, ASK) == ["2", "0", "1"]


def test_one_folder_for_all_sources_would_be_stale(tmp_path: Path) -> None:
    """The broken twin: a cache whose name does not follow the sources goes on with the old callee."""
    copy = scratch(tmp_path)
    module = copy / "_cache.py"
    text = module.read_text(encoding="utf-8")
    assert text.count("{known_hash(home)}") == 1
    module.write_text(text.replace("{known_hash(home)}", "constant"), encoding="utf-8")
    assert fresh(tmp_path, ASK)[0] == "1"
    edit(copy)
    assert fresh(tmp_path, ASK)[0] == "1"


def test_the_folder_is_set_before_numba_is_imported(tmp_path: Path) -> None:
    at_import, in_force = fresh(tmp_path, SPY)
    assert at_import == in_force
    assert in_force == f"{tmp_path}/cache/privrl/numba-{_cache.source_hash()}"


def test_numba_that_was_there_first_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import numba

    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(numba.config, "CACHE_DIR", "somewhere else")
    _cache.settle()
    found = numba.config.CACHE_DIR
    assert found == os.environ["NUMBA_CACHE_DIR"]
    assert Path(found).is_relative_to(tmp_path)


def test_the_folder_follows_the_user_and_then_the_sources(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    name = f"numba-{_cache.source_hash()}"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    assert _cache.cache_folder() == tmp_path / "xdg" / "privrl" / name
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "own"))
    assert _cache.cache_folder() == tmp_path / "own" / "privrl" / name
    # a parent process that ran on other sources has left its folder behind
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "parent" / "privrl" / "numba-0123456789abcdef"))
    assert _cache.cache_folder() == tmp_path / "parent" / "privrl" / name
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert _cache.cache_folder() == tmp_path / "home" / ".cache" / "privrl" / name


def test_where_nothing_can_be_written_a_new_private_folder_is_made(monkeypatch: pytest.MonkeyPatch,
                                                                   tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(_cache.tempfile, "tempdir", str(tmp_path))
    folders = [_cache.cache_folder() for _ in range(2)]
    assert folders[0] != folders[1]
    for folder in folders:
        base = folder.parent.parent
        assert base.parent == tmp_path
        assert base.stat().st_mode & 0o077 == 0


def test_the_hash_follows_names_and_contents_of_all_that_kernels_are_made_of(tmp_path: Path) -> None:
    package = tmp_path / "privrl"
    seen = set()
    for name, text in (("a.py", "import numba\nx = 1\n"), ("a.py", "import numba\nx = 2\n"),
                       ("b.py", "from numba import njit\n"), ("inner/c.py", "if True:\n    import numba as nb\n"),
                       ("inner/d.py", "import numba.core\nfrom privrl import plain\n"), ("plain.py", "y = 1\n"),
                       ("plain.py", "y = 2\n")):
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        seen.add(_cache.source_hash(package))
    assert len(seen) == 7
    before = _cache.source_hash(package)
    (package / "notes.txt").touch()
    (package / "other.py").write_text("numba = 'a word in a file without kernels'\n", encoding="utf-8")
    assert _cache.source_hash(package) == before
    (package / "b.py").rename(package / "e.py")
    assert _cache.source_hash(package) != before


def test_the_hash_is_remembered_until_a_file_is_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package, home = tmp_path / "privrl", tmp_path / "home"
    package.mkdir()
    home.mkdir()
    path = package / "a.py"
    path.write_text("import numba\nx = 1\n", encoding="utf-8")
    read: list[Path] = []
    original = _cache.source_hash
    monkeypatch.setattr(_cache, "source_hash", lambda folder: read.append(folder) or original(folder))
    first = _cache.known_hash(home, package)
    assert first == original(package) and not list(home.iterdir())  # the file is too young to be known by its times
    monkeypatch.setattr(_cache, "COARSE", -1.0)
    for _ in range(3):
        assert _cache.known_hash(home, package) == first
    assert len(read) == 2  # once more, and then the note
    (note,) = home.iterdir()
    note.write_text("damaged", encoding="utf-8")
    assert _cache.known_hash(home, package) == first and len(read) == 3
    times = path.stat()
    path.write_text("import numba\nx = 2\n", encoding="utf-8")  # as long as before, and given the same times
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert _cache.known_hash(home, package) == original(package) != first
    os.utime(note, (0, 0))
    _cache.prune(home)
    assert not note.exists() and len(list(home.iterdir())) == 1
    assert _cache.known_hash(tmp_path / "none", package) == original(package)  # nowhere to keep it


# --- folders that nobody uses any more --------------------------------------------------------------------------------


def folders(base: Path, *, marked: bool, number: int, age: float) -> list[Path]:
    """Folders of kernels, the first used ``age`` seconds ago and each other one a second later."""
    made = []
    for index in range(number):
        path = base / f"{_cache.MARK}{index:016x}{'' if marked else 'f'}"
        (path / "agents").mkdir(parents=True)
        (path / "agents" / "kernel.nbc").write_bytes(b"compiled")
        parts = [path / "agents", path]
        if marked:
            (path / _cache.HELD).touch()
            parts = [path / _cache.HELD]
        for part in parts:
            os.utime(part, (time.time() - age + index,) * 2)
        made.append(path)
    return made


def test_old_folders_are_removed_but_the_newest_few_and_those_that_are_held(tmp_path: Path) -> None:
    """The holder is a process of its own; when it is killed the folder goes too."""
    old = folders(tmp_path, marked=True, number=6, age=2 * _cache.HOUR)
    (young,) = folders(tmp_path / "young", marked=True, number=1, age=_cache.HOUR / 2)
    young = young.rename(tmp_path / "numba-young")
    (tmp_path / f"{_cache.GONE}numba-left").mkdir()
    (tmp_path / "other").mkdir()
    script = ("import sys, pathlib; from privrl import _cache; "
              "print(_cache.hold(pathlib.Path(sys.argv[1])), flush=True); sys.stdin.read()")
    holder = subprocess.Popen([sys.executable, "-c", script, str(old[1])], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)  # fmt: skip
    assert holder.stdout is not None and holder.stdout.readline() == "False\n"  # it was there before
    for folder in old:  # as if it had been used long ago
        os.utime(folder / _cache.HELD, (time.time() - 2 * _cache.HOUR + old.index(folder),) * 2)
    assert _cache.prune(tmp_path, kept=3) == 3  # of the old: 0, 2, 3; 1 is held, 4 and 5 and the young are the newest
    assert [folder.exists() for folder in old] == [False, True, False, False, True, True]
    assert young.exists() and (tmp_path / "other").exists()
    assert not list(tmp_path.glob(f"{_cache.GONE}*"))
    assert _cache.prune(tmp_path, kept=0) == 2
    assert old[1].exists() and (old[1] / "agents" / "kernel.nbc").read_bytes() == b"compiled"
    holder.kill()
    holder.communicate()
    assert _cache.prune(tmp_path, kept=0) == 1
    assert young.exists() and not old[1].exists()


def test_a_folder_without_a_mark_stays_for_a_week(tmp_path: Path) -> None:
    folders(tmp_path, marked=False, number=2, age=_cache.WEEK - 60)
    assert _cache.prune(tmp_path, kept=0) == 0
    assert _cache.prune(tmp_path / "none") == 0
    for path in tmp_path.glob("*"):
        for part in (path / "agents", path):
            os.utime(part, (time.time() - _cache.WEEK - 60,) * 2)
    assert _cache.prune(tmp_path, kept=1) == 1
    assert len(list(tmp_path.iterdir())) == 1


def test_a_new_folder_is_held_and_made_once(tmp_path: Path) -> None:
    path = tmp_path / "privrl" / "numba-new"
    assert _cache.hold(path)
    assert not _cache.hold(path)
    os.utime(path / _cache.HELD, (0, 0))
    assert _cache.prune(path.parent, kept=0) == 0 and path.exists()  # by this process


def test_where_nothing_can_be_locked_nothing_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    def refuse(handle: int, how: int) -> None:
        raise OSError(37, "no locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    (path,) = folders(tmp_path, marked=True, number=1, age=2 * _cache.HOUR)
    assert not _cache.hold(tmp_path / "numba-new")
    assert _cache.prune(tmp_path, kept=0) == 0 and path.exists()
    (tmp_path / "file").touch()
    assert not _cache.hold(tmp_path / "file" / "numba-new")
