"""The packages' public names from their docstrings, a page per module, and the sources, a line an
anchor.

Docstrings are written for reading in a terminal: formulas as they are typed, ``|x|`` a size and
``*`` a product.
:func:`docstring` keeps these words and gives structure to what has one: paragraphs, lists,
parameters, examples.
"""

import ast
import html
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from theory.typed import STRESSED, powers
from website import markup, places

PACKAGES = {
    "privrl": "What runs: environments, planning, counters, agents, simulation.",
    "theory": "What is claimed: numbering, bounds, shared lemmas, noise scales, the ledger.",
}
# the checks: they stand with their claims
LEFT_OUT = re.compile(r"theory\.papers\b(?!\.\w+\.bounds)")
TITLES = ("Parameters", "Returns", "Raises", "Attributes", "Yields", "Notes", "Examples")
_ROLE = re.compile(r":(?:func|class|meth|mod|attr|data|exc):`~?([^`]+)`")
_RULE = re.compile(r"=+( +=+)+")
_RAISED = re.compile(r"(<su[pb]>(?:[^<]|<su[pb]>[^<]*</su[pb]>)*</su[pb]>)")
_SPAN = re.compile(
    r"(``[^`]+``|:\w+:`[^`]+`|`[^`]+`|(?<![\w*])\*\*(?=[A-Za-z])[^*`]+\*\*(?![\w*])|"
    + STRESSED.replace("([", "(?:[")
    + ")"
)


def modules(root: Path) -> list[str]:
    """The public modules of both packages, in alphabetical order, that are not empty."""
    modules_ = []
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            private = any(word.startswith("_") for word in name.split("."))
            if path.stat().st_size and not private and not LEFT_OUT.match(name):
                modules_.append(name)
    return sorted(modules_)


def index(root: Path) -> str:
    """The list of modules, each with the first sentence of its docstring; a package's unfolds."""
    parts = [markup.heading("Reference")]
    for package, words in PACKAGES.items():
        modules_ = [name for name in modules(root) if name.split(".")[0] == package]
        cells = [
            (f'<a href="{name}.html"><code>{name}</code></a>', _first(root, name))
            for name in modules_
        ]
        title = markup.heading(package, "-")
        table = markup.table(words, ["module", "says"], cells)
        summary = f"<summary>{len(cells)} modules</summary>"
        parts.append(title + markup.raw(f'<details class="fold">{summary}{table}</details>'))
    return "".join(parts)


def _first(root: Path, name: str) -> str:
    doc = ast.get_docstring(ast.parse(_file(root, name).read_text(encoding="utf-8"))) or ""
    words = " ".join(_ROLE.sub(r"\1", doc).split("\n\n")[0].replace("``", "`").split())
    return markup.text(words)


def _file(root: Path, name: str) -> Path:
    base = root.joinpath(*name.split("."))
    return base.with_suffix(".py") if base.with_suffix(".py").is_file() else base / "__init__.py"


def page(root: Path, name: str) -> str:
    """The page of one module; of a package only what it says of itself, its names stand with their
    modules."""
    members = (
        "" if _file(root, name).name == "__init__.py" else "   :members:\n   :show-inheritance:\n"
    )
    return f":orphan:\n{markup.heading(name)}\n.. automodule:: {name}\n{members}"


def link(info: dict[str, str], root: Path) -> str | None:
    """Where a documented name stands in the sources, seen from a page of the reference."""
    path = _file(root, info["module"])
    if not path.is_file():
        return None
    name = path.relative_to(root).with_suffix("").as_posix()
    last = info["fullname"].split(".")[-1]
    pattern = re.compile(rf"^ *(?:def|class) {re.escape(last)}\b|^ *{re.escape(last)}\b *[:=]")
    lines = path.read_text(encoding="utf-8").splitlines()
    number = next((at for at, line in enumerate(lines, 1) if pattern.match(line)), 1)
    return f"../source/{name}.html#L-{number}"


def inline(words: str) -> str:
    """One paragraph: code and references as code, what is bold as bold, all else word by word."""
    parts = _SPAN.split(" ".join(words.split()))
    pieces = []
    for number, piece in enumerate(parts):
        if number % 2 == 0:
            pieces.append(_joined(piece, number > 0, number < len(parts) - 1))
        elif piece.startswith(":math:"):
            pieces.append(piece)
        elif role := _ROLE.fullmatch(piece):
            pieces.append(f"``{role[1]}``")
        elif piece.startswith("**"):
            pieces.append(f"**{markup.rst(piece.strip('*'))}**")
        elif piece.startswith("*"):
            pieces.append(f"*{markup.rst(piece.strip('*'))}*")
        else:
            pieces.append(f"``{piece.strip('`')}``")
    return "".join(pieces)


def _joined(words: str, after: bool, before: bool) -> str:
    """Words beside code: an escaped space where no space or sign parts them, as reStructuredText
    asks."""
    if not words:
        return "\\ " if after and before else ""
    start = "\\ " if after and words[0].isalnum() else ""
    end = "\\ " if before and (words[-1].isalnum() or not words[-1].isspace()) else ""
    margins = words[: len(words) - len(words.lstrip())], words[len(words.rstrip()) :]
    return (
        start
        + ("" if not margins[0] else " ")
        + _formulas(words)
        + (" " if margins[1] and words.strip() else "")
        + end
    )


def _formulas(words: str) -> str:
    """Words word by word, the powers and indices of typed formulas raised and lowered."""
    parts = _RAISED.split(powers(html.escape(words.strip(), quote=False)))
    parts[::2] = [
        " ".join(map(markup.rst, html.unescape(piece).split(" "))) for piece in parts[::2]
    ]
    parts[1::2] = [rf"\ :html:`{piece}`\ " for piece in parts[1::2]]
    return "".join(parts)


def docstring(lines: list[str]) -> list[str]:
    """The lines of a docstring, as reStructuredText that no parser stumbles over."""
    blocks = re.split(r"\n[ \t]*\n", "\n".join(lines).strip("\n"))
    lines_: list[str] = []
    for block in blocks:
        if block.strip():
            lines_ += [*_block(block.strip("\n")), ""]
    role = [".. role:: html(raw)", "   :format: html", ""]  # of the powers in formulas
    return [*(role if ":html:" in "".join(lines_) else ()), *lines_]


def _block(block: str) -> Iterator[str]:
    rows = block.splitlines()
    if len(rows) > 1 and rows[0].strip() in TITLES and set(rows[1].strip()) == {"-"}:
        yield from (f".. rubric:: {rows[0].strip()}", "")
        yield from rows[2:] if "".join(rows[2:]).startswith(">>>") else _entries(rows[2:])
    elif rows[0].lstrip().startswith(">>>") or (_RULE.fullmatch(rows[0]) and rows[0] == rows[-1]):
        yield from rows  # an example, or a table that docutils knows
    elif rows[0].startswith(".. math::"):  # a formula that a line's end has broken goes on indented
        yield rows[0]
        yield from (row if row.startswith("   ") else f"   {row}" for row in rows[1:])
    elif all(row.strip().startswith("|") and row.strip().endswith("|") for row in rows):
        yield from _table(rows)
    elif any(row.lstrip().startswith("- ") for row in rows):
        yield from _bullets(rows)
    elif all(row.startswith("    ") for row in rows):
        yield from (
            "::",
            "",
            *(f"    {row}" for row in textwrap.dedent("\n".join(rows)).splitlines()),
        )
    else:
        yield inline(" ".join(rows))


def _table(rows: list[str]) -> Iterator[str]:
    """A table as Markdown has it; its second row, the line below the titles, says nothing."""
    yield from (".. list-table::", "   :header-rows: 1", "")
    for row in (rows[0], *rows[2:]):
        for number, cell in enumerate(row.strip().strip("|").split("|")):
            yield f"   {'-' if number else '* -'} {inline(cell)}".replace("   - ", "     - ")


def _entries(rows: list[str]) -> Iterator[str]:
    """'name : what it is', longer lines indented; words without a colon stay words."""
    entries: list[list[str]] = []
    for row in rows:
        if entries and row.startswith(" "):
            entries[-1].append(row.strip())
        else:
            entries.append([row.strip()])
    for first, *rest in entries:
        name, colon, words = first.partition(" : ")
        if colon:
            yield from ("", f"{inline(name)}", f"    {inline(' '.join([words, *rest]))}")
        elif rest:
            yield from ("", f"{inline(first)}", f"    {inline(' '.join(rest))}")
        else:
            yield from ("", inline(first))


def _bullets(rows: list[str]) -> Iterator[str]:
    items: list[list[str]] = [[]]
    for row in rows:
        if row.lstrip().startswith("- "):
            items.append([row.lstrip()[2:]])
        else:
            items[-1].append(row.strip())
    if items[0]:
        yield from (inline(" ".join(items[0])), "")
    for item in items[1:]:
        yield f"- {inline(' '.join(item))}"


LIGHT, DARK = "a11y-high-contrast-light", "a11y-high-contrast-dark"
# names and signs, in the text's own colour
_PLAIN = re.compile(r'<span class="(?:n|nn|p|w)">([^<]*)</span>')
TEMPLATE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name}.py - privrl</title>
<link rel="stylesheet" href="{base}_static/source.css">
<script src="{base}_static/source.js"></script>
</head>
<body>
<a class="skip" href="#code">Skip to the code</a>
<nav aria-label="Site"><a href="{base}index.html">privrl</a> <a href="{base}ledger.html">Ledger</a>
<a href="{base}api/index.html">Reference</a></nav>
<main>
<h1>{name}.py</h1>
<div id="code" class="source" tabindex="0" role="region"
aria-label="{name}.py"><pre>{lines}</pre></div>
</main>
</body>
</html>
"""


def source_files(root: Path) -> list[str]:
    """Every source that has a page, below the root, without suffix: both packages, and what draws a
    figure."""
    paths = [
        path
        for folder in PACKAGES
        for path in sorted((root / folder).rglob("*.py"))
        if path.stat().st_size
    ]
    paths += [root / f"{figure.source}.py" for figure in places.figures()]
    return [
        path.relative_to(root).with_suffix("").as_posix()
        for path in paths
        if "__pycache__" not in path.parts
    ]


def source_page(root: Path, name: str) -> str:
    """The page of one source: small, so that hundreds of them cost little."""
    code = (root / f"{name}.py").read_text(encoding="utf-8")
    rows = _PLAIN.sub(
        r"\1", highlight(code, PythonLexer(stripnl=False), HtmlFormatter(nowrap=True))
    ).splitlines()
    lines = "".join(f'<span id="L-{number}">{row}\n</span>' for number, row in enumerate(rows, 1))
    base = "../" * (name.count("/") + 1)
    return TEMPLATE.format(base=base, name=name, lines=lines)


def style() -> str:
    """The colours of the code, light and dark."""
    light, dark = (
        HtmlFormatter(style=scheme).get_style_defs(".source") for scheme in (LIGHT, DARK)
    )
    chosen = re.sub(r"^\.source", 'html[data-theme="dark"] .source', dark, flags=re.MULTILINE)
    media = re.sub(r"^\.source", 'html:not([data-theme="light"]) .source', dark, flags=re.MULTILINE)
    return f"{light}\n{chosen}\n@media (prefers-color-scheme: dark) {{\n{media}\n}}\n"
