"""Names say what they hold: those that fit anything are rare in every package, and a name of a
class or of a constant means one thing."""

import re
from pathlib import Path

import pytest

from reproduce.making import ROOT
from tests import sources
from tests.sources import PACKAGES

# what could stand for anything; ``values`` are V where they are those of states
VAGUE = {
    "made",
    "one",
    "found",
    "part",
    "kept",
    "shown",
    "given",
    "told",
    "own",
    "other",
    "values",
    "data",
    "got",
    "off",
    "extra",
    "thing",
    "stuff",
}
MOST = 0.01  # of the names that a package binds, all of them together


def share(folder: Path) -> float:
    """Vague names among those that a folder's files bind."""
    names = [name for path in sorted(folder.rglob("*.py")) for name in sources.read(path).bound]
    return sum(name in VAGUE for name in names) / len(names)


@pytest.mark.parametrize("package", PACKAGES)
def test_vague_names_are_rare(package: str) -> None:
    assert share(ROOT / package) <= MOST


def test_vague_names_are_seen(tmp_path: Path) -> None:
    source = "def f(data, *, scale):\n    one, (two, *kept) = data\n    return [x for other in one]"
    (tmp_path / "planted.py").write_text(source)
    assert sorted(sources.facts(source).bound) == ["data", "kept", "one", "other", "scale", "two"]
    assert share(tmp_path) == pytest.approx(4 / 6)


ROLES = {"PAPER", "PURE", "READS", "RECORDED"}  # each says the same of its paper, of its family


def bound_by_modules(folder: Path, packages: tuple[str, ...]) -> dict[str, set[str]]:
    """The modules of some packages by the names that they declare."""
    modules: dict[str, set[str]] = {}
    for package in packages:
        for path in sorted((folder / package).rglob("*.py")):
            for name in sources.read(path).declared:
                modules.setdefault(name, set()).add(path.relative_to(folder).as_posix())
    return modules


def several(modules: dict[str, set[str]], of: str) -> dict[str, set[str]]:
    """Those names of a form that more than one module binds."""
    return {
        name: paths
        for name, paths in modules.items()
        if len(paths) > 1 and re.fullmatch(of, name) and name not in ROLES
    }


CLASS = r"[A-Z]\w*[a-z]\w*"  # and aliases of types
CONSTANT = r"_?[A-Z][A-Z0-9_]*"


@pytest.mark.slow
def test_a_class_has_a_name_of_its_own() -> None:
    """Over the whole repository."""
    assert several(bound_by_modules(ROOT, PACKAGES), CLASS) == {}


def test_a_constant_of_the_package_has_a_name_of_its_own() -> None:
    """But for the settings of a measurement, which each module of ``bench`` states for itself; and
    what says which agents, counters or calibrations there are, over the whole repository."""
    modules = bound_by_modules(ROOT, ("privrl",))
    outside = {
        name: {path for path in paths if not path.startswith("privrl/bench/")}
        for name, paths in modules.items()
    }
    assert several(outside, CONSTANT) == {}
    every = bound_by_modules(ROOT, PACKAGES)
    assert len(every["CALIBRATIONS"]) == 1 and not every.get("KINDS")


def test_a_name_with_two_meanings_is_seen(tmp_path: Path) -> None:
    for name, source in {
        "first": "class Plan: ...\nMOST = 1\nPURE = True",
        "second": "Plan = int\nMOST: int = 2\nPURE = False\ndef plan():\n    Local = 3",
        "third": "from first import Plan\nLocal = Plan",
    }.items():
        (tmp_path / "package").mkdir(exist_ok=True)
        (tmp_path / "package" / f"{name}.py").write_text(source)
    modules = bound_by_modules(tmp_path, ("package",))
    paths = {"package/first.py", "package/second.py"}
    assert several(modules, CLASS) == {"Plan": paths}
    assert several(modules, CONSTANT) == {"MOST": paths}
