"""The cache of compiled kernels: never stale, in place before numba is imported, never where others
can write."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from privrl import _cache

PACKAGE = Path(_cache.__file__).parent
NAME = _cache.folder_name()

# a kernel in a file of its own that calls one of the package's: what numba's own check of the
# caller's file misses
CALLER = """
import numpy as np
from numba import njit
from privrl.agents.steps import draw

@njit(cache=True)
def call(uniform):
    return draw(np.array([0.25, 0.5, 1.0]), uniform)

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
import privrl.agents.tabular.pucb
import numba
print(numba.config.CACHE_DIR)
"""


def scratch(folder: Path) -> Path:
    """A copy of the package with the caller added; quick to import, since its public names are left
    out."""
    copy = folder / "privrl"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "__init__.py").write_text("from privrl import _cache as _cache\n", encoding="utf-8")
    (copy / "caller.py").write_text(CALLER, encoding="utf-8")
    return copy


def fresh(folder: Path, script: str) -> list[str]:
    """Words printed by a new process in ``folder``, whose packages come first, then this
    repository's."""
    inherited = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    surroundings = {
        **inherited,
        "XDG_CACHE_HOME": str(folder / "cache"),
        "PYTHONPATH": str(PACKAGE.parent),
    }
    command = [sys.executable, "-c", script]
    done = subprocess.run(
        command, cwd=folder, env=surroundings, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def edit(copy: Path) -> None:
    """The callee answers with the next state."""
    callee = copy / "agents" / "steps.py"
    text = callee.read_text(encoding="utf-8")
    old = "    index = 0\n    while uniform >= cumulative[index]"
    assert text.count(old) == 1
    callee.write_text(text.replace(old, old.replace("index = 0", "index = 2")), encoding="utf-8")


ASK = "from privrl import caller; caller.ask()"


@pytest.mark.slow
def test_an_edited_callee_is_seen(tmp_path: Path) -> None:
    copy = scratch(tmp_path)
    assert fresh(tmp_path, ASK) == ["1", "0", "1"]
    assert fresh(tmp_path, ASK) == ["1", "1", "0"]  # read from the cache
    edit(copy)
    assert fresh(tmp_path, ASK) == ["2", "0", "1"]


@pytest.mark.slow
def test_one_folder_for_all_sources_would_be_stale(tmp_path: Path) -> None:
    """The broken twin: a cache whose name does not follow the sources goes on with the old
    callee."""
    copy = scratch(tmp_path)
    module = copy / "_cache.py"
    text = module.read_text(encoding="utf-8")
    assert text.count("{MARK}{code_hash()}") == 1
    module.write_text(text.replace("{MARK}{code_hash()}", "{MARK}constant"), encoding="utf-8")
    assert fresh(tmp_path, ASK)[0] == "1"
    edit(copy)
    assert fresh(tmp_path, ASK)[0] == "1"


@pytest.mark.slow
def test_the_folder_is_set_before_numba_is_imported(tmp_path: Path) -> None:
    at_import, in_force = fresh(tmp_path, SPY)
    assert at_import == in_force == f"{tmp_path}/cache/privrl/{NAME}"


def test_numba_that_was_there_first_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import numba

    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(numba.config, "CACHE_DIR", "somewhere else")
    _cache.settle()
    assert (
        numba.config.CACHE_DIR == os.environ["NUMBA_CACHE_DIR"] == str(tmp_path / "privrl" / NAME)
    )


def test_the_folder_follows_the_user_and_then_the_sources(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    assert _cache.cache_folder() == tmp_path / "xdg" / "privrl" / NAME
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "own"))
    assert _cache.cache_folder() == tmp_path / "own" / "privrl" / NAME
    # a parent process that ran on other sources has left its folder behind
    monkeypatch.setenv(
        "NUMBA_CACHE_DIR", str(tmp_path / "parent" / "privrl" / "numba-0123456789abcdef")
    )
    assert _cache.cache_folder() == tmp_path / "parent" / "privrl" / NAME
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert _cache.cache_folder() == tmp_path / "home" / ".cache" / "privrl" / NAME


def test_kernels_of_two_levels_are_apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Whatever else the variable says names no folder."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    names = {}
    for level in ("", "0", "1", "max", "../3"):
        monkeypatch.setenv("NUMBA_OPT", level)
        names[level] = _cache.cache_folder().name
    plain = f"{_cache.MARK}{_cache.code_hash()}"
    assert names == {"": plain, "0": f"{plain}-0", "1": f"{plain}-1", "max": plain, "../3": plain}


def planted(home: Path, how: str) -> None:
    """Make ``home`` something that another user may have filled."""
    if how == "a file":
        home.parent.mkdir(parents=True)
        home.touch()
    elif how == "a link":
        home.parent.mkdir(parents=True)
        (home.parent / "elsewhere").mkdir()
        home.symlink_to(home.parent / "elsewhere")
    else:
        folder = home / NAME if how.startswith("inner") else home
        folder.mkdir(parents=True, mode=0o700)
        folder.chmod(0o770 if how.endswith("group") else 0o707)


@pytest.mark.parametrize(
    "how", ["a file", "a link", "group", "others", "inner group", "inner others"]
)
def test_a_folder_that_others_can_write_to_is_not_used(
    how: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    planted(tmp_path / "xdg" / "privrl", how)
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    check_temporary(monkeypatch, tmp_path)


def test_the_folder_of_another_user_is_not_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    check_temporary(monkeypatch, tmp_path)


def check_temporary(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The folder is a new one that belongs to this user alone, and it is removed at the end."""
    removed: list[Path] = []
    monkeypatch.setattr(_cache.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(
        _cache.atexit, "register", lambda remove, path, ignore_errors: removed.append(Path(path))
    )
    folders = [_cache.cache_folder() for _ in range(2)]
    assert folders[0] != folders[1]
    assert [folder.parent.parent for folder in folders] == removed
    for folder in folders:
        assert folder.is_dir() and folder.name == NAME and folder.parent.parent.parent == tmp_path
        assert folder.parent.parent.stat().st_mode & 0o077 == 0


def test_a_temporary_folder_is_gone_after_the_process(tmp_path: Path) -> None:
    (tmp_path / "cache").touch()
    script = (
        f"import tempfile; tempfile.tempdir = {str(tmp_path)!r}; "
        "import privrl, os; print(os.environ['NUMBA_CACHE_DIR'])"
    )
    scratch(tmp_path)
    (folder,) = fresh(tmp_path, script)
    assert Path(folder).is_relative_to(tmp_path) and not Path(folder).exists()
    assert not list(tmp_path.glob("privrl-*"))


def test_the_hash_follows_every_source_but_those_of_the_command_line(tmp_path: Path) -> None:
    copy = tmp_path / "privrl"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    before = _cache.code_hash.__wrapped__(copy)
    assert before == _cache.code_hash()
    for name, counts in (
        ("agents/registry.py", True),
        ("privacy/noise.py", True),
        ("types.py", True),
        ("__main__.py", False),
        ("notes.txt", False),
    ):
        path = copy / name
        sound = path.read_bytes() if path.exists() else b""
        path.write_bytes(sound + b"# edited\n")
        assert (_cache.code_hash.__wrapped__(copy) != before) == counts, name
        path.write_bytes(sound)
    (copy / "types.py").rename(copy / "kinds.py")
    assert _cache.code_hash.__wrapped__(copy) != before
