"""What nbval does not see, held for every committed notebook; and nbval itself, from any folder."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output

from figures import identifiers
from reproduce import making as reproduce
from reproduce import notebooks

FOLDER = reproduce.ROOT / "notebooks"


def test_every_notebook_is_a_pair() -> None:
    pairs = notebooks.pairs(FOLDER)
    assert pairs
    assert not [path.name for pair in pairs for path in pair if not path.exists()]


@pytest.mark.slow
def test_no_committed_notebook_has_a_fault() -> None:
    faults_by_name = {
        notebook.name: notebooks.faults(notebooks.read(source), notebooks.read(notebook))
        for source, notebook in notebooks.pairs(FOLDER)
    }
    assert not {name: faults for name, faults in faults_by_name.items() if faults}


def bounds_of_a_fixed_size(cell: str) -> list[str]:
    """Bounds with numbers for a size, in a cell that draws them beside a run of the reader's."""
    return re.findall(r"(?:lower|upper|regret)_\w+\(\s*\d", cell) if "between(" in cell else []


def test_bounds_beside_a_readers_run_are_of_the_readers_size() -> None:
    drawn = 0
    for source, _ in notebooks.pairs(FOLDER):
        for cell in notebooks.read(source).cells:
            assert not bounds_of_a_fixed_size(cell.source), source.name
            drawn += "reading.between(" in cell.source
    assert drawn >= 4
    wrong = "reading.between(mine, {'lower': lambda K: bounds.lower_mixture(2, 3, K, epsilon)})"
    assert bounds_of_a_fixed_size(wrong)


STORED = 4  # figures of others' tables; the figures page has the rest


def test_few_stored_figures_stand_in_a_notebook() -> None:
    for source, _ in notebooks.pairs(FOLDER):
        assert 1 <= source.read_text("utf-8").count("reading.show(") <= STORED, source.name


def test_a_papers_notebook_has_sliders_and_hidden_answers() -> None:
    for source, notebook in notebooks.pairs(FOLDER)[1:]:
        text = source.read_text("utf-8")
        assert text.count("reading.turn(") >= 2, source.name  # the agents, and a thing to play with
        exercises = text.partition("# ## Exercises")[2]
        asked = len(re.findall(r"^# \d+\. \*[^*]+\?\*", exercises, flags=re.MULTILINE))
        # computed where they are said, and what they compare is held in that cell
        (cell,) = (
            cell for cell in notebooks.read(notebook).cells if "reading.answers(" in cell.source
        )
        assert cell.cell_type == "code" and cell.source.count("assert ") >= asked - 1, source.name
        said = cell.outputs[0].data["text/markdown"]
        assert asked == said.count("<details><summary>answer ") >= 3, source.name


def missing_pictures(words: str) -> set[str]:
    """Figures that a text links to and that are none."""
    return {*re.findall(r"\]\(\.\./figures/rendered/(\w+)\.png\)", words)} - {*identifiers.ids()}


def test_the_pictures_that_a_notebook_links_to_are_there() -> None:
    for source, _ in notebooks.pairs(FOLDER):
        assert missing_pictures(source.read_text("utf-8")) == set(), source.name
    assert missing_pictures("[nodes](../figures/rendered/lemma_tre.png)") == {"lemma_tre"}


def broken_formulas(words: str) -> list[str]:
    """Formulas with a line that begins with an operator, which Markdown takes for a list."""
    formulas = re.findall(r"\$\$.*?\$\$|\$[^$]*\$", re.sub(r"`[^`]*`", "", words), re.DOTALL)
    return [formula for formula in formulas if re.search(r"\n[-+=#>]", formula)]


def test_a_formula_is_not_broken_before_an_operator() -> None:
    for source, _ in notebooks.pairs(FOLDER):
        for cell in notebooks.read(source).cells:
            if cell.cell_type == "markdown":
                assert not broken_formulas(cell.source), source.name
    assert broken_formulas("of $a\n= b$") and not broken_formulas("- $a$;\n- $b$")


def _executed() -> NotebookNode:
    cells = [
        new_code_cell(
            "total = 1 + 1\nprint(total)",
            execution_count=1,
            outputs=[new_output("stream", text="2\n")],
        ),
        new_code_cell(
            "draw()",
            execution_count=2,
            outputs=[
                new_output(
                    "display_data",
                    {"text/plain": "<Figure size 10x10>", "image/png": "iVBORw0KGgo="},
                )
            ],
        ),
    ]
    return notebooks.tidy(new_notebook(cells=cells))


def _set_source(notebook: NotebookNode, text: str) -> None:
    notebook.cells[0].source = text


def _shows(text: str, name: str = "stdout") -> Callable[[NotebookNode], None]:
    def change(notebook: NotebookNode) -> None:
        notebook.cells[0].outputs = [new_output("stream", name=name, text=text)]

    return change


def _strip(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell.outputs, cell.execution_count = [], None


MUTANTS: dict[str, Callable[[NotebookNode], object]] = {
    "not executed once each": _strip,
    "no cell has an output": _strip,
    "in order": lambda notebook: notebook.cells[0].update(execution_count=3),
    "disagree: cell 1: source": lambda notebook: _set_source(notebook, "print(3)"),
    "disagree: 2 cells against 1": lambda notebook: notebook.cells.pop(),
    "without its picture": lambda notebook: notebook.cells[1].outputs[0].data.pop("image/png"),
    "writes to stderr": _shows("warning\n", "stderr"),
    "address in memory": _shows("<object at 0x7f00aa11bb22>\n"),
    "more than 8 significant digits: 0.123456789": _shows("error 0.123456789\n"),
    "ends with ValueError": lambda notebook: notebook.cells[0].outputs.append(
        new_output("error", ename="ValueError", evalue="no", traceback=[])
    ),
    "a tag hides it": lambda notebook: notebook.cells[0].metadata.update(tags=["nbval-skip"]),
    "NBVAL_SKIP keeps it": lambda notebook: _set_source(notebook, "# NBVAL_SKIP\nprint(2)"),
    "semicolon": lambda notebook: _set_source(notebook, "print(2);\n"),
    "says why": lambda notebook: _set_source(notebook, "# NBVAL_IGNORE_OUTPUT\nprint(2)"),
}


@pytest.mark.parametrize("expected", MUTANTS)
def test_a_fault_is_recognised(expected: str) -> None:
    source, notebook = _executed(), _executed()
    _strip(source)
    MUTANTS[expected](notebook)
    assert any(expected in fault for fault in notebooks.faults(source, notebook))


def test_a_progress_bar_is_neither_kept_nor_compared() -> None:
    bar = new_output("display_data", {"text/plain": "0/2", notebooks.WIDGET: {"model_id": "a"}})
    notebook = _executed()
    assert not notebooks.shown_difference(
        notebook.cells[0].outputs, [bar, *notebook.cells[0].outputs]
    )
    notebook.cells[0].outputs.insert(0, bar)
    assert notebooks.tidy(notebook).cells[0].outputs == _executed().cells[0].outputs


def test_a_good_notebook_has_no_fault() -> None:
    source, notebook = _executed(), _executed()
    _strip(source)
    for either in (source, notebook):
        _set_source(
            either, "# NBVAL_IGNORE_OUTPUT\n# because the names of the files differ\nprint(2)"
        )
    _shows("0.12345678 and 1.5e-300 and 123456789012 and 3.11.7\n")(notebook)
    assert notebooks.faults(source, notebook) == []


PRINTED = 'print("18,203.1 of 12 runs, 0.3333333333333333; gap -1.1e-17")'
CELL = 'from IPython.display import HTML\nHTML("<td>2.5e-07</td>")'
SURROUNDINGS = """import os, sys
print(sys.executable == os.environ["EXPECTED_PYTHON"], os.environ["OMP_NUM_THREADS"])
print("inline" in os.environ["MPLBACKEND"])"""
PASSING = [
    ("print(1 + 1)", "2\n"),
    (SURROUNDINGS, "True 1\nTrue\n"),
    (PRINTED, "18,203.1 of 12 runs, 0.33333333333333337; gap 0.0\n"),
    (CELL, "<td>2.5000000000001e-07</td>"),
]
FAILING = [
    ("assert 1 + 1 == 3", ""),
    ("print(1 + 1)", "3\n"),
    ("print(1 + 1)", ""),
    ("1 + 1", "2\n"),
    *(
        (PRINTED, f"{output}\n")
        for output in (
            "18,203.2 of 12 runs, 0.3333333333333333; gap 0.0",
            ("18,203.1 of 13 runs, 0.3333333333333333; gap 0.0"),
            "18,203.1 of 12 runs, 0.3333334333333333; gap 0.0",
            ("18,203.1 of 12 runs, -0.3333333333333333; gap 0.0"),
            "18,203.1 of 12 rows, 0.3333333333333333; gap 0.0",
            ("18,203.1 of 12 runs, 0.3333333333333333; gap 1.1e-16"),
        )
    ),
    (CELL, "<td>2.6e-07</td>"),
    (CELL, "<td>2.5e-06</td>"),
    (CELL, "<th>2.5e-07</th>"),
]


def _cell(source: str, output: str) -> NotebookNode:
    if source == CELL:
        data = {"text/plain": "<IPython.core.display.HTML object>", "text/html": output}
        return new_code_cell(
            source, execution_count=1, outputs=[new_output("execute_result", data)]
        )
    return new_code_cell(
        source, execution_count=1, outputs=[new_output("stream", text=output)] if output else []
    )


@pytest.mark.slow
def test_nbval_passes_and_fails_as_it_should_from_the_root_of_the_disk(tmp_path: Path) -> None:
    """A bare ``pytest --nbval FOLDER`` elsewhere finds the settings, this interpreter and our
    comparison."""
    for name in ("conftest.py", "pyproject.toml"):
        shutil.copy(reproduce.ROOT / name, tmp_path)
    folder = tmp_path / "notebooks"
    for name, cells in (("1_passing", PASSING), ("2_failing", FAILING)):
        notebook = new_notebook(cells=[_cell(source, output) for source, output in cells])
        notebooks.write(notebooks.tidy(notebook), folder / f"{name}.ipynb")
    surroundings = {
        **os.environ,
        "EXPECTED_PYTHON": sys.executable,
        "MPLBACKEND": "pdf",
        "OMP_NUM_THREADS": "2",
    }
    surroundings = {
        name: value for name, value in surroundings.items() if not name.startswith("PYTEST")
    }
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--nbval",
        str(folder),
        "-q",
        "-p",
        "no:cacheprovider",
    ]
    done = subprocess.run(
        command, cwd=tmp_path.anchor, env=surroundings, capture_output=True, text=True, check=False
    )
    failed = re.findall(r"^FAILED .*/(\w+)\.ipynb::Cell (\d+)", done.stdout, flags=re.MULTILINE)
    assert failed == [("2_failing", str(number)) for number in range(len(FAILING))], done.stdout
    assert f"{len(FAILING)} failed, {len(PASSING)} passed" in done.stdout
