"""No function has more than eight parameters, in any package."""

from pathlib import Path

from reproduce.making import ROOT
from tests import sources
from tests.sources import PACKAGES

MOST = 8
#: why a function may have more, and how many it has
LONGER = {
    # options of a command, or settings of an agent, a session or a run: each is named where it is
    # set, most are left at their defaults, and a record of them would only be unpacked again
    ("privrl/agents/audit.py", "audit_agent"): 12,
    ("privrl/agents/kind.py", "agent"): 9,
    ("privrl/agents/registry.py", "make"): 9,
    ("privrl/environments/evaluate.py", "__init__"): 9,
    ("privrl/online/problems.py", "mixture"): 9,
    ("privrl/privacy/audit/entries.py", "audit"): 11,
    ("privrl/privacy/mechanism.py", "make"): 11,
    # symbols of a statement, as its paper has them in one line
    ("privrl/privacy/sensitivity.py", "chowdhury2021"): 9,
    ("privrl/privacy/sensitivity.py", "chowdhury2021_joint"): 10,
    ("theory/papers/zhou2022/bounds.py", "constants"): 12,
}
STATEMENTS = {"chowdhury2021", "chowdhury2021_joint", "constants"}


def longer(path: Path) -> list[tuple[str, int, int]]:
    """Functions of a file with more parameters, how many, and how many of them by their place;
    ``self`` and ``cls`` are none."""
    return [function for function in sources.read(path).functions if function[1] > MOST]


def test_no_function_has_more_than_eight_parameters() -> None:
    """But for those that are named, each with its number: one that has fewer is named no more."""
    functions = {
        (path.relative_to(ROOT).as_posix(), name): (number, by_place)
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        for name, number, by_place in longer(path)
    }
    assert {function: number for function, (number, _) in functions.items()} == LONGER
    # options come by their names, behind what they are options of
    assert {name for (_, name), (_, by_place) in functions.items() if by_place > 1} == STATEMENTS


def test_one_too_many_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "planted.py"
    path.write_text(
        "def f(self, a, b, c, d, /, e, f, g, *, h): ...\nlambda a, b, c, d, e, f, g, h, i: 0"
    )
    assert longer(path) == [("lambda", 9, 9)]
