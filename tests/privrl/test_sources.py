"""Which sources a stored run belongs to: all that its numbers pass through, and nothing else."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from privrl import PUCB, UBEV, _sources, simulate
from privrl.environments import riverswim
from tests.contracts import refused

ROOTS = {"pucb": ("privrl.simulate", "privrl.agents.pucb"), "ubev": ("privrl.simulate", "privrl.agents.ubev")}


def package(folder: Path, **files: str) -> Path:
    """A scratch package ``scratch``; a double underscore in a name stands for a folder."""
    for name, text in {"__init__": "", **files}.items():
        path = folder / "scratch" / (f"{name}.py" if name == "__init__" else f"{name.replace('__', '/')}.py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for inner in (folder / "scratch").rglob("*/"):
        (inner / "__init__.py").touch()
    return folder / "scratch"


@pytest.mark.parametrize(("text", "found"), [
    ("import scratch.one", {"one"}),
    ("import scratch.one as other", {"one"}),
    ("from scratch import one", {"one"}),
    ("from scratch.one import f", {"one"}),
    ("from scratch.one import f as g, h", {"one"}),
    ("from . import one", {"one"}),
    ("from .one import f", {"one"}),
    ("from scratch.inner import deep", {"inner.deep"}),
    ("from scratch.inner import f", {"inner"}),
    ("from .inner.deep import f", {"inner.deep"}),
    ("def f():\n    from scratch import one", {"one"}),
    ("if True:\n    import scratch.one", {"one"}),
    ("from scratch import two", {"two", "one"}),
    ("from scratch import up", {"up"}),
    ("import os, numpy.linalg\nfrom collections import abc", set()),
    ("", set()),
])
def test_imports_are_followed(tmp_path: Path, text: str, found: set[str]) -> None:
    folder = package(tmp_path, root=text, one="", two="from .one import f\nfrom . import root", inner__deep="",
                     up="import scratch.root", idle="import scratch.one")
    names = _sources.closure(["scratch.root"], folder)
    assert set(names) == {"scratch.root"} | {f"scratch.{name}" for name in found}


def test_relative_imports_climb(tmp_path: Path) -> None:
    folder = package(tmp_path, one="", inner__root="from ..one import f\nfrom .. import two", two="", inner__deep="")
    names = list(_sources.closure(["scratch.inner.root"], folder))
    assert names == ["scratch.inner.root", "scratch.one", "scratch.two"]


def edited(tmp_path: Path) -> Path:
    copy = tmp_path / "privrl"
    if not copy.exists():
        shutil.copytree(_sources.PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


@pytest.mark.parametrize("agent", ["pucb", "ubev"])
def test_an_edit_counts_exactly_where_numbers_pass_through(tmp_path: Path, agent: str) -> None:
    copy, roots = edited(tmp_path), ROOTS[agent]
    before = _sources.source_hash(roots, copy)
    assert before == _sources.source_hash(roots)
    passed = {path.relative_to(copy) for path in _sources.closure(roots, copy).values()}
    for path in sorted(copy.rglob("*.py")):
        sound = path.read_bytes()
        path.write_bytes(sound + b"# edited\n")
        assert (_sources.source_hash(roots, copy) != before) == (path.relative_to(copy) in passed), path.name
        path.write_bytes(sound)
    names = {path.name for path in passed}
    assert {"simulate.py", "counters.py", "tabular.py", "planning.py", f"{agent}.py"} <= names
    assert not {"__main__.py", "bench.py", "sweep.py", "store.py", "suite.py", "_cache.py", "riverswim.py"} & names
    assert ("ubev.py" in names) == (agent == "ubev")


@pytest.mark.parametrize("agent", [PUCB(1.0), PUCB(1.0, calibration="tight"), PUCB(1.0, 1e-6, calibration="tight"),
                                   PUCB(1.0, counter="local", calibration="corrected"), UBEV()],
                         ids=lambda agent: f"{agent.name}-{agent.counter}-{agent.calibration}-{agent.delta}")
def test_whatever_runs_is_among_the_sources(agent: Any) -> None:
    """Files of this package whose functions are called during a replicate, as the interpreter sees them."""
    mdp, ran = riverswim(3), set()

    def watch(frame: FrameType, event: str, argument: Any) -> None:
        ran.add(frame.f_code.co_filename)

    sys.setprofile(watch)
    try:
        simulate.replicate(mdp, agent, 1111, 20, 0, 0)
    finally:
        sys.setprofile(None)
    own = {path for path in map(Path, ran) if path.is_relative_to(_sources.PACKAGE)}
    assert _sources.PACKAGE / "simulate.py" in own
    assert own <= set(_sources.closure(ROOTS[agent.name]).values())


@pytest.mark.parametrize("name", ["privrl.nowhere", "numpy", "", "privrl.agents.pucb.PUCB", None, 3], ids=str)
def test_a_module_that_is_not_there_is_refused(name: Any) -> None:
    assert refused(lambda: _sources.closure([name])).startswith("a module must be in privrl, got name=")
