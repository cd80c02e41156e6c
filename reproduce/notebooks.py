"""Notebooks as pairs: ``NN_name.py`` (jupytext, py:percent) is what is written, ``NN_name.ipynb``
is its execution.

Two executions agree when their text agrees (stdout, stderr, text/plain, text/html, text/markdown
and every other text type), its numbers as numbers (:mod:`theory.compare`). Pictures must be there;
their bytes change with the version of matplotlib, and the CSV behind each figure is compared in
their place. ``make reproduce`` and nbval compare alike: the root ``conftest.py`` gives
:func:`shown_difference` to nbval.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

from theory.compare import DIGITS, difference

FORMAT = "py:percent"
# of the clock, and so of no verdict: an emulated arm64 takes its time
CELL_SECONDS, START_SECONDS = (
    1800,
    600,
)
PICTURES = ("image/", "application/pdf")
WIDGET = "application/vnd.jupyter.widget-view+json"
REASON = "# because"
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_MARKER = re.compile(r"^\s*#+\s*(NBVAL_\w+|PYTEST_VALIDATE_\w+)\s*$")
_NUMBER = re.compile(r"(?<![\w.])\d+\.\d+(?:e[+-]?\d+)?(?![\w.])")


class NotebookError(Exception):
    """A notebook whose execution stopped: says which cell and why."""


class _KernelManager(AsyncKernelManager):
    """Starts the interpreter that runs now: without folders to search, no kernel that the user
    installed is found."""

    def __init__(self, **settings: Any) -> None:
        specs = KernelSpecManager(kernel_dirs=[])
        super().__init__(kernel_spec_manager=specs, transport_encryption="auto", **settings)


def pairs(folder: Path) -> list[tuple[Path, Path]]:
    """(source, notebook) for every ``NN_name`` that exists as either, in order; the other one may
    be missing."""
    stems = sorted(
        {path.stem for pattern in ("[0-9]*.py", "[0-9]*.ipynb") for path in folder.glob(pattern)}
    )
    return [(folder / f"{stem}.py", folder / f"{stem}.ipynb") for stem in stems]


def read(path: Path) -> NotebookNode:
    """A notebook from its source (``.py``) or its execution (``.ipynb``), without what changes from
    run to run."""
    if path.suffix == ".ipynb":
        return tidy(nbformat.read(path, as_version=4))
    import jupytext

    return tidy(jupytext.read(path, fmt=FORMAT))


def tidy(notebook: NotebookNode) -> NotebookNode:
    """``notebook`` in place: fixed cell ids and metadata, no times, no version of the language, no
    progress bars."""
    notebook.metadata = NotebookNode(
        jupytext={"formats": f"ipynb,{FORMAT}"},
        kernelspec={"display_name": "Python 3", "language": "python", "name": "python3"},
        language_info={"name": "python"},
    )
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for index, cell in enumerate(notebook.cells):
        cell.id = f"cell-{index:03d}"
        cell.metadata = NotebookNode(
            {"tags": cell.metadata["tags"]} if cell.metadata.get("tags") else {}
        )
        if "outputs" in cell:
            cell.outputs = [output for output in cell.outputs if not _bar(output)]
            for output in cell.outputs:
                if "data" in output:
                    output.metadata = NotebookNode()
    return notebook


def execute(source: Path) -> NotebookNode:
    """Run the notebook of ``source`` in its folder, in a kernel of this interpreter, and return it
    tidied.

    Raises
    ------
    NotebookError
        A cell raised; the sentence names the cell (code cells counted from 1) and ends with the
        traceback.
    """
    notebook = read(source)
    client = NotebookClient(
        notebook,
        timeout=CELL_SECONDS,
        startup_timeout=START_SECONDS,
        kernel_name="python3",
        kernel_manager_class=_KernelManager,
        resources={"metadata": {"path": str(source.parent)}},
        record_timing=False,
        store_widget_state=False,
        coalesce_streams=True,  # else one cell's output is split differently from run to run
    )
    try:
        client.execute()
    except CellExecutionError as error:
        number = sum(bool(cell.get("execution_count")) for cell in notebook.cells)
        traceback = _COLOUR.sub("", error.traceback).strip()
        raise NotebookError(
            f"code cell {number} raised {error.ename}: {error.evalue}\n{traceback}"
        ) from None
    return tidy(notebook)


def write(notebook: NotebookNode, path: Path) -> None:
    """Write ``notebook`` as JSON with one byte sequence for one content."""
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)


def _bar(output: NotebookNode) -> bool:
    """Whether an output is a progress bar: a widget, of whose text the first state alone would be
    kept."""
    return WIDGET in output.get("data", {})


def shown(outputs: Iterable[NotebookNode]) -> list[tuple[str, str]]:
    """(type, text) of what a code cell shows: joined streams, then displayed data in order,
    pictures as 'present'."""
    streams: dict[str, str] = {}
    displayed: list[tuple[str, str]] = []
    for output in outputs:
        if _bar(output):
            continue
        if output.output_type == "stream":
            streams[output.name] = streams.get(output.name, "") + output.text
        elif output.output_type == "error":
            displayed.append(("error", f"{output.ename}: {output.evalue}"))
        else:
            displayed += [
                (kind, "present" if _picture(kind) else str(value))
                for kind, value in sorted(output.data.items())
            ]
    return [*sorted(streams.items()), *displayed]


def shown_difference(committed: Iterable[NotebookNode], fresh: Iterable[NotebookNode]) -> str:
    """Where the outputs of a code cell differ from the committed ones, as a sentence; empty when
    they agree."""
    before_all, right = shown(committed), shown(fresh)
    if [kind for kind, _ in before_all] != [kind for kind, _ in right]:
        return f"shows {_kinds(before_all)} when committed, {_kinds(right)} when executed"
    for (kind, before), (_, now) in zip(before_all, right, strict=True):
        if change := difference(before, now):
            return f"{kind} differs\n{change}"
    return ""


def source_difference(source: NotebookNode, right: NotebookNode) -> str:
    """The first cell in which two notebooks' sources differ, as a sentence; empty when they
    agree."""
    if len(source.cells) != len(right.cells):
        return f"{len(source.cells)} cells against {len(right.cells)}"
    for number, (source_cell, cell) in enumerate(zip(source.cells, right.cells, strict=True), 1):
        for field in ("cell_type", "source", "metadata"):
            if source_cell[field] != cell[field]:
                return f"cell {number}: {field} differs"
    return ""


def output_difference(committed: NotebookNode, fresh: NotebookNode) -> str:
    """The first code cell whose outputs differ between two executions of one source; empty when all
    agree."""
    for number, (committed_cell, fresh_cell) in enumerate(
        zip(_code(committed), _code(fresh), strict=True), 1
    ):
        if committed_cell.source.strip() and committed_cell.execution_count is None:
            return f"code cell {number}: committed without being executed"
        if change := shown_difference(committed_cell.outputs, fresh_cell.outputs):
            return f"code cell {number}: {change}"
    return ""


def faults(source: NotebookNode, notebook: NotebookNode) -> list[str]:
    """What nbval does not see in a committed notebook, a sentence each: the cells, then what they
    show."""
    faults_ = []
    if difference := source_difference(source, notebook):
        faults_.append(f"the .py and the .ipynb disagree: {difference}")
    code = _code(notebook)
    counts = [cell.execution_count for cell in code if cell.source.strip()]
    if counts != list(range(1, len(counts) + 1)):
        faults_.append(
            f"the code cells were not executed once each, in order, in one kernel: {counts}"
        )
    if not any(cell.outputs for cell in code):
        faults_.append("no cell has an output")
    for number, cell in enumerate(code, 1):
        faults_ += [
            f"code cell {number}: {fault}"
            for fault in (*_marker_faults(cell), *_output_faults(cell))
        ]
    return faults_


def _marker_faults(cell: NotebookNode) -> Iterator[str]:
    tags = [
        tag
        for tag in cell.metadata.get("tags", ())
        if tag.startswith("nbval") or tag == "raises-exception"
    ]
    if tags:
        yield f"a tag hides it from nbval: {tags}; a comment can carry its reason, a tag cannot"
    if cell.source.rstrip().endswith(";"):
        yield "its last semicolon does not mute it under nbval; bind the value to a name instead"
    lines = cell.source.splitlines()
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if match := _MARKER.match(line):
            if match[1] != "NBVAL_IGNORE_OUTPUT":
                yield f"{match[1]} keeps it from being run and compared"
            elif (
                not following.strip().startswith(REASON)
                or len(following.split()) < len(REASON.split()) + 2
            ):
                yield f"{match[1]} without a next line '{REASON} ...' that says why"


def _output_faults(cell: NotebookNode) -> Iterator[str]:
    for output in cell.outputs:
        data = output.get("data", {})
        if output.output_type == "error":
            yield f"ends with {output.ename}"
        if output.output_type == "stream" and output.name == "stderr":
            yield "writes to stderr"
        if str(data.get("text/plain", "")).startswith("<Figure") and not any(map(_picture, data)):
            yield "a figure without its picture"
        for kind, text in [
            ("stream", output.get("text", "")),
            *((k, v) for k, v in data.items() if not _picture(k)),
        ]:
            if _ADDRESS.search(str(text)):
                yield f"shows an address in memory ({kind})"
            if kind in {"stream", "text/plain", "text/markdown"} and (
                long := _long_number(str(text))
            ):
                yield f"shows more than {DIGITS} significant digits: {long}"


def _long_number(text: str) -> str:
    if "arXiv" in text:  # whose numbers of papers are names
        text = re.sub(r"\b\d{4}\.\d{5}(?!\d)", "", text)
    digits = {
        number: number.split("e")[0].replace(".", "").lstrip("0")
        for number in _NUMBER.findall(text)
    }
    return next((number for number, digits_ in digits.items() if len(digits_) > DIGITS), "")


def _picture(kind: str) -> bool:
    return kind.startswith(PICTURES)


def _code(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def _kinds(rows: list[tuple[str, str]]) -> str:
    return ", ".join(kind for kind, _ in rows) or "nothing"
