"""The driver of ``make reproduce`` sees every difference and never writes; small scratch
repositories, real kernels."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from figures import registry, style
from reproduce import making as reproduce
from reproduce import notebooks
from reproduce.making import ARTEFACTS, Artefact, ComparedFile, Failures

LEDGER, FIGURES, README, NOTEBOOKS = ARTEFACTS
SOURCE = """# %% [markdown]
# A small notebook.

# %%
from pathlib import Path

total = int(Path("total.txt").read_text())
print(total)

# %%
assert total == 2
total
"""


def _draw(path: Path, width: int = 20, data: str = "abc", software: str = "any version") -> None:
    facts = PngInfo()
    facts.add_text("Software", software)
    facts.add_text("Data", data)
    Image.new("RGB", (width, 10)).save(path, pnginfo=facts)


DATA, PICTURE = "figures/data/one.csv", "figures/rendered/one.png"


def _figures(root: Path, scratch: Path) -> Failures:
    for name in (DATA, PICTURE):
        (scratch / name).parent.mkdir(parents=True)
    (scratch / DATA).write_text("episode,regret,gap\n1,0.5,0\n2,0.75,1\n", "utf-8")
    _draw(scratch / PICTURE)
    return {}


def _ledger(root: Path, scratch: Path) -> Failures:
    folder = scratch / "theory"
    folder.mkdir(parents=True)
    (folder / "LEDGER.md").write_text(
        "# Ledger\n\n| lemma-1 | holds | sharpness 0.3535 |\n", "utf-8"
    )
    (folder / "ledger").mkdir()
    (folder / "ledger" / "one.md").write_text("# one\n\nsharpness 0.3535\n", "utf-8")
    (folder / "ledger.json").write_text('{"verdict": "holds", "sharpness": 0.3535}\n', "utf-8")
    return {}


def _readme(root: Path, scratch: Path) -> Failures:
    text = (root / "README.md").read_text("utf-8")
    (scratch / "README.md").write_text(
        reproduce.refresh(text, {"ledger": lambda: "all holds, slope 1.92"}), "utf-8"
    )
    return {}


SMALL = (
    replace(LEDGER, produce=_ledger),
    replace(FIGURES, produce=_figures),
    replace(README, produce=_readme),
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository whose derived files are current, but for the notebook."""
    root = tmp_path / "repository"
    root.mkdir()
    (root / "README.md").write_text(
        "# x\n<!-- derived: ledger -->\nold\n<!-- end: ledger -->\ny\n", "utf-8"
    )
    assert reproduce.reproduce(SMALL, root, update=True)
    assert _differences(SMALL, root) == []
    return root


def _differences(artefacts: tuple[Artefact, ...], root: Path) -> list[ComparedFile]:
    return [row for row in reproduce.reproduce(artefacts, root) if row.difference]


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


MUTANTS: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "a changed datum": (lambda root: _edit(root / DATA, "0.75", "0.76"), DATA, "line 3"),
    "a lost last line": (lambda root: _edit(root / DATA, "2,0.75,1\n", ""), DATA, "line 3"),
    "a changed count": (lambda root: _edit(root / DATA, "2,", "3,"), DATA, "line 3"),
    "a figure of another size": (lambda root: _draw(root / PICTURE, 21), PICTURE, "(21, 10)"),
    "a figure of other data": (lambda root: _draw(root / PICTURE, data="x"), PICTURE, "'x'"),
    "a damaged figure": (lambda root: (root / PICTURE).write_bytes(b"no"), PICTURE, "cannot be"),
    "a lost figure": (lambda root: (root / PICTURE).unlink(), PICTURE, "not committed"),
    "a figure that nothing makes": (
        lambda root: _draw((root / PICTURE).with_stem("two")),
        "figures/rendered/two.png",
        "nothing makes",
    ),
    "a changed verdict": (
        lambda root: _edit(root / "theory/ledger.json", "holds", "fails"),
        "theory/ledger.json",
        "line 1",
    ),
    "a changed digit of the ledger": (
        lambda root: _edit(root / "theory/ledger.json", "535", "536"),
        "theory/ledger.json",
        "line 1",
    ),
    "a changed digit for readers": (
        lambda root: _edit(root / "theory/LEDGER.md", "535", "635"),
        "theory/LEDGER.md",
        "line 3",
    ),
    "a changed digit of a paper's page": (
        lambda root: _edit(root / "theory/ledger/one.md", "535", "635"),
        "theory/ledger/one.md",
        "line 3",
    ),
    "an edited section": (
        lambda root: _edit(root / "README.md", "all holds", "holds"),
        "README.md",
        "line 3",
    ),
    "a changed digit of a section": (
        lambda root: _edit(root / "README.md", "1.92", "1.93"),
        "README.md",
        "line 3",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTANTS)
def test_a_difference_is_seen_and_nothing_is_written(root: Path, name: str) -> None:
    change, file, sentence = MUTANTS[name]
    change(root)
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    differences = _differences(SMALL, root)
    assert [row.file for row in differences] == [file]
    assert sentence in differences[0].difference
    assert before == {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_text_outside_a_section_is_free_and_the_version_of_the_drawing_library_too(
    root: Path,
) -> None:
    _edit(root / "README.md", "y\n", "z\n")
    _draw(root / PICTURE, software="another version")
    assert _differences(SMALL, root) == []


def test_numbers_are_compared_as_numbers(root: Path) -> None:
    _edit(root / DATA, "0.5,0\n2,0.75", "0.49999999999,0\n2,7.5000000001e-1")
    _edit(root / DATA, ",0\n", ",0.0\n")
    _edit(root / "theory/ledger.json", "0.3535", "0.35350000000001")
    _edit(root / "theory/LEDGER.md", "0.3535", "0.35349999999999")
    _edit(root / "README.md", "1.92", "1.9200000000000002")
    assert _differences(SMALL, root) == []


def test_update_rewrites_only_what_differs(root: Path) -> None:
    _edit(root / DATA, "0.75", "0.76")
    messages: list[str] = []
    rows = reproduce.reproduce(SMALL, root, update=True, say=messages.append)
    assert not [row for row in rows if row.difference]
    assert [line for line in messages if "rewritten" in line] == [f"  rewritten: {DATA}"]
    assert _differences(SMALL, root) == []


def test_nothing_to_compare_is_a_difference(tmp_path: Path) -> None:
    (nothing,) = reproduce.compare(NOTEBOOKS, tmp_path, tmp_path, {})
    assert nothing.kind == "notebook outputs" and "nothing is committed" in nothing.difference


def test_a_producer_that_raises_is_a_difference_and_the_others_still_run(root: Path) -> None:
    def broken(root: Path, scratch: Path) -> Failures:
        raise ValueError("horizon must be >= 1, got horizon=0")

    differences = _differences((replace(SMALL[0], produce=broken), *SMALL[1:]), root)
    assert [(row.kind, row.file) for row in differences] == [("ledger", "theory/")]
    assert "could not be made: ValueError: horizon must be >= 1" in differences[0].difference


def test_a_comparison_that_writes_is_seen(root: Path) -> None:
    def writes(root: Path, scratch: Path) -> Failures:
        _edit(root / "theory/LEDGER.md", "# Ledger", "# ledger")
        return _ledger(root, scratch)

    differences = _differences((replace(LEDGER, produce=writes),), root)
    assert reproduce.UNTOUCHED in {row.kind for row in differences}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("<!-- derived: ledger -->\n", "must be closed"),
        ("<!-- derived: other -->\n<!-- end: other -->", "must be one of ledger"),
        ("no section", "must have every derived section"),
    ],
)
def test_a_section_that_cannot_be_made_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        reproduce.refresh(text, {"ledger": lambda: "x"})


@pytest.mark.slow
def test_notebooks_agree_until_something_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One repository with four notebooks, so that the kernels run side by side; then they
    change."""
    # what a user may have installed under the notebooks' name
    kernel = tmp_path / "jupyter" / "kernels" / "python3"
    kernel.mkdir(parents=True)
    (kernel / "kernel.json").write_text(
        '{"argv": ["false"], "display_name": "x", "language": "python"}', "utf-8"
    )
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    folder = tmp_path / "notebooks"
    folder.mkdir()
    (folder / "total.txt").write_text("2", "utf-8")
    for number in (1, 2, 3):
        (folder / f"{number}_same.py").write_text(SOURCE, "utf-8")
    assert not [
        row for row in reproduce.reproduce((NOTEBOOKS,), tmp_path, update=True) if row.difference
    ]
    first, second, third = (folder / f"{number}_same.ipynb" for number in (1, 2, 3))
    assert first.read_bytes() == second.read_bytes()
    assert notebooks.faults(notebooks.read(folder / "1_same.py"), notebooks.read(first)) == []
    fresh = notebooks.read(first)

    stripped = notebooks.read(first)
    for cell in stripped.cells[1:]:
        cell.outputs, cell.execution_count = [], None
    notebooks.write(stripped, second)
    assert "without being executed" in reproduce.notebook_difference(second, first)

    _edit(third, '"2\\n"', '"3\\n"')
    assert "code cell 1: stdout differs\n" in reproduce.notebook_difference(third, first)

    hidden = notebooks.read(first)
    hidden.cells[2].outputs = []
    assert "shows nothing when committed, text/plain when executed" in notebooks.output_difference(
        hidden, fresh
    )

    _edit(folder / "1_same.py", "print(total)", "print(total + 0)")
    _edit(folder / "3_same.py", "total == 2", "total == 3  # a live assertion that fails")
    (folder / "4_new.py").write_text("# %%\nprint(2)\n", "utf-8")
    differences = {
        row.file.split("/")[1]: row.difference for row in _differences((NOTEBOOKS,), tmp_path)
    }
    assert "the .py and the .ipynb disagree: cell 2: source differs" in differences["1_same.ipynb"]
    assert "without being executed" in differences["2_same.ipynb"]
    assert "code cell 2 raised AssertionError" in differences["3_same.ipynb"]
    assert differences["4_new.ipynb"] == "made, but not committed"


FEW = (  # one of every folder, the least
    "chowdhury2021_radius",
    "lemma_tree",
    "liao2021_hard",
    "vietri2020_collusion",
    "zhou2022_nonvacuous",
)


@pytest.mark.slow
def test_a_few_committed_figures_are_made_and_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real producer on real files: a figure of every folder that costs little. `make reproduce`
    compares all."""
    root, scratch = tmp_path / "root", tmp_path / "scratch"
    for place, suffix in style.PLACES:
        (root / "figures" / place).mkdir(parents=True, exist_ok=True)
        for name in FEW:
            shutil.copy(
                reproduce.ROOT / "figures" / place / f"{name}.{suffix}", root / "figures" / place
            )
    monkeypatch.setattr(registry, "ids", lambda: FEW)
    failures = reproduce.make(FIGURES, root, scratch)
    rows = reproduce.compare(FIGURES, root, scratch, failures)
    assert len(rows) == 2 * len(FEW) and not [row for row in rows if row.difference]
