"""docs/adding-a-paper.md, done: a paper of one claim, one agent and one figure in a copy of the
repository."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from reproduce.making import ROOT

PAPER = """
title = "A toy"
authors = "Nobody"
algorithm = "Toy"
notebook = "05_toy2027"
numbered = ["theorem"]

[[item]]
id = "toy2027/theorem-1"
kind = "theorem"
where = "Section 1"
statement = "Two and two are four."
role = "claim"
"""
CHECK = '''
"""The theorem of the toy paper."""

from theory.claim import Records, Rigor, Trial, claim


@claim("toy2027/theorem-1")
def theorem_1() -> Records:
    """Addition."""
    yield Trial(lambda total: 2 + 2 == total, at=4, mutant_at=5, mutant="5").holds(
        "printed", Rigor.PROVED, domain="all", evidence="2 + 2 = 4"
    )
'''
AGENT = """
from typing import ClassVar

from privrl.agents.kind import agent
from privrl.agents.tabular.ubev import UBEV


@agent("toy", paper="toy2027", counter="none", plays="toy river")
class Toy(UBEV):
    name: ClassVar[str] = "toy"
"""
ENTRY = (
    '    Entry("toy2027/river-2", lambda: riverswim(2), "toy river", 1000, 1.0, 0.1, "a toy"),\n'
)
FIGURE = '''
"""A line."""

import pandas as pd

from figures import style
from figures.runs import TABLES

CAPTION = "A line that rises, and nothing else: the figure of a toy paper."
ALT = "One line from the lower left to the upper right."


def tables(folder=TABLES):
    return {"line": pd.DataFrame({"x": [0.0, 1.0], "y": [0.0, 1.0]})}


def draw(tables):
    figure, grid = style.figure(2.0)
    grid[0, 0].plot(tables["line"]["x"], tables["line"]["y"])
    return figure
'''
NOTEBOOK = """# %% [markdown]
# # Toy
#
# Theorem 1 holds.

# %%
from figures.reading import show
from theory import ledger

drawn = show("toy2027_line")
print(ledger.run("toy2027")[0]["verdict"], len(drawn["line"]))
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository with the paper added; nothing that exists is edited but the suite."""
    root = tmp_path_factory.mktemp("added") / "copy"
    shutil.copytree(
        ROOT,
        root,
        ignore=shutil.ignore_patterns(".*", "__pycache__", "build", "out", "runs", "*.pdf"),
    )
    shutil.copytree(
        ROOT / "figures" / "data" / "runs",
        root / "figures" / "data" / "runs",
        ignore=shutil.ignore_patterns("replicates"),
    )
    for name, text in {
        "theory/papers/toy2027/paper.toml": PAPER,
        "theory/papers/toy2027/__init__.py": "",
        "theory/papers/toy2027/checks.py": CHECK,
        "privrl/agents/toy/__init__.py": "",
        "privrl/agents/toy/toy.py": AGENT,
        "figures/toy2027/__init__.py": "",
        "figures/toy2027/line.py": FIGURE,
        "notebooks/05_toy2027.py": NOTEBOOK,
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    suite = root / "privrl" / "environments" / "suite.py"
    text = suite.read_text(encoding="utf-8")
    assert text.count("_ENTRIES = (\n") == 1
    suite.write_text(text.replace("_ENTRIES = (\n", f"_ENTRIES = (\n{ENTRY}"), encoding="utf-8")
    return root


def python(root: Path, *words: str) -> str:
    """What a process prints whose packages are the copy's."""
    surroundings = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run(
        [sys.executable, *words],
        cwd=root,
        env=surroundings,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


RECORD = """
from pathlib import Path
from reproduce import notebooks
from figures import registry
from theory import ledger
ledger.write(rows=[*ledger.recorded(), *ledger.run("toy2027")])
registry.render("toy2027_line", Path("figures"))
notebook = notebooks.execute(Path("notebooks/05_toy2027.py").resolve())
notebooks.write(notebook, Path("notebooks/05_toy2027.ipynb"))
"""


def test_a_paper_is_found_by_its_folders(copy: Path) -> None:
    python(copy, "-c", RECORD)
    (row,) = [
        row
        for row in json.loads(python(copy, "-m", "privrl", "papers", "--json"))
        if row["paper"] == "toy2027"
    ]
    assert (
        row["claims"] == row["verdicts"]["holds"] == 1
        and row["notebook"] == "notebooks/05_toy2027.ipynb"
    )
    (checked,) = json.loads(python(copy, "-m", "privrl", "check", "toy2027", "--json"))
    assert (checked["id"], checked["verdict"]) == ("toy2027/theorem-1", "holds")
    page = (copy / "theory" / "ledger" / "toy2027.md").read_text("utf-8")
    assert "## theorem-1\n\n**holds**, " in page
    tables = python(
        copy,
        "-c",
        "from reproduce import found; from theory import ledger; "
        "print(ledger.summary_markdown(), found.markdown(), found.sentences())",
    )
    assert "| toy2027 | 1 | 1 |" in tables
    assert "| toy2027 | not known | not known | - | not reached | not reached | none |" in tables
    assert (copy / "figures" / "rendered" / "toy2027_line.png").is_file()
    assert "holds 2" in (copy / "notebooks" / "05_toy2027.ipynb").read_text("utf-8")
    python(copy, "-m", "privrl", "run", "toy2027/river-2", "--out", str(copy / "out"))
    assert ",toy,none," in (copy / "out" / "toy2027" / "river-2.csv").read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("sigma toy", "an agent's folder must have family.py with "),
        ("sigma toy2027", "paper must be one of "),
        ("horizon toy2027", "paper must be one of "),
        ("audit toy2027/river-2", "paper must be one of "),
    ],
)
def test_what_a_paper_does_not_have_yet_is_said_in_a_sentence(
    copy: Path, words: str, says: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "privrl", *words.split()],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith(f"privrl: {says}") and done.stderr.count("\n") == 1


def test_the_site_has_a_page_for_it(copy: Path) -> None:
    pages = python(
        copy,
        "-c",
        "from pathlib import Path; from website import build; "
        "print(*build.sources(Path('.').resolve()), sep='\\n')",
    )
    assert "claims/toy2027.rst" in pages.split()
