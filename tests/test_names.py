"""Names say what they hold: those that fit anything are rare in every package."""

import ast
from pathlib import Path

import pytest

from reproduce.making import ROOT

PACKAGES = ("privrl", "theory", "figures", "reproduce", "website", "tests")
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


def bound(source: str) -> list[str]:
    """Every name that is assigned, looped over or a parameter, as often as it is bound."""
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.append(node.id)
        elif isinstance(node, ast.arg):
            names.append(node.arg)
    return names


def share(folder: Path) -> float:
    """Vague names among those that a folder's files bind."""
    names = [
        name for path in sorted(folder.rglob("*.py")) for name in bound(path.read_text("utf-8"))
    ]
    return sum(name in VAGUE for name in names) / len(names)


@pytest.mark.parametrize("package", PACKAGES)
def test_vague_names_are_rare(package: str) -> None:
    assert share(ROOT / package) <= MOST


def test_vague_names_are_seen(tmp_path: Path) -> None:
    source = "def f(data, *, scale):\n    one, (two, *kept) = data\n    return [x for other in one]"
    (tmp_path / "planted.py").write_text(source)
    assert sorted(bound(source)) == ["data", "kept", "one", "other", "scale", "two"]
    assert share(tmp_path) == pytest.approx(4 / 6)
