"""The cache of compiled kernels: never stale, in place before numba is imported, never where others can write."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
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
    assert text.count("{source_hash()}") == 1
    module.write_text(text.replace("{source_hash()}", "constant"), encoding="utf-8")
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
