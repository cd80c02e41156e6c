"""Every docstring of the reference becomes a page. `make test` builds a sample of these pages; what
a reader would stumble over on the others is looked for here, in all docstrings."""

import ast
import re
from collections.abc import Iterator

import pytest
from docutils.core import publish_doctree

from theory.ledger import ROOT
from website import reference

DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
# what has a structure of its own, which docutils has to read
STRUCTURE = re.compile(r"^(?:\.\. (?!rubric|role)|=|>>>|- )", re.MULTILINE)
LITERAL = re.compile(r"^::\n\n(?: {4}.*\n)+", re.MULTILINE)
# what has become words: an example, the rule of a table or of a title, a directive, a role, a
# literal or bold word without its end, the quotes of a string that is no string
LEFT = re.compile(
    r"\\\" \\\"\w|\\>\\>\\>|\\=\\=\\=|\\-\\-\\-|\\\.\\\. \w+\\:\\:|``:\w+:`|\\`|(?<!\w)\\\*\\\*\w"
)


def docstrings(source: str) -> Iterator[str]:
    """The docstrings of a module's public names, and its comments of attributes."""
    module = ast.parse(source)
    classes = [node for node in module.body if isinstance(node, ast.ClassDef)]
    for node in (module, *module.body, *(name for class_ in classes for name in class_.body)):
        if isinstance(node, DOCUMENTED) and not getattr(node, "name", "").startswith("_"):
            yield ast.get_docstring(node) or ""
    yield from re.findall(r"#: (.*)", source)


def faults(words: str) -> list[str]:
    """What of a docstring does not render, a sentence each."""
    restructured = "\n".join(reference.docstring(words.splitlines()))
    lines = LITERAL.sub("", restructured).splitlines()
    left = [line for line in lines if LEFT.search(line) and not line.startswith((">>>", "="))]
    if not STRUCTURE.search(restructured):
        return left
    document = publish_doctree(restructured, settings_overrides={"report_level": 5})
    return left + [message.astext() for message in document.parse_messages]


@pytest.mark.slow
def test_every_docstring_renders() -> None:
    wrong = {
        f"{name}: {words}": sentences
        for name in reference.modules(ROOT)
        for words in docstrings(reference._file(ROOT, name).read_text(encoding="utf-8"))
        if (sentences := faults(words))
    }
    assert wrong == {}


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ("words\n>>> 1", r"\>\>\> 1"),
        ("Title\n=====\n\nwords", r"\=\=\="),
        ("===  ===\na    b\n=== ===", r"\=\=\="),
        ("===  ===\na bbbbbbb\n===  ===", "Malformed table"),
        (".. mathematics:: x", r"\.\. mathematics"),
        ("So :math:`x` and :maths:`y`.", ":maths:`y`"),
        ("Parameters\n----------\nx : in `words", r"\`words"),
        ("- so **bold", r"\*\*bold"),
        ('so "\n"that', 'so \\" \\"that'),
    ],
)
def test_a_docstring_that_does_not_render_is_found(words: str, fault: str) -> None:
    assert any(fault in sentence for sentence in faults(words))


def test_an_example_and_a_table_that_docutils_knows_stay_as_they_are() -> None:
    example = ["Examples", "--------", ">>> 1 + 1", "2"]
    table = ["===  ===", "a    b", "===  ==="]
    assert reference.docstring(example) == [".. rubric:: Examples", "", *example[2:], ""]
    assert reference.docstring(table) == [*table, ""]
    assert faults("\n".join([*example, "", *table])) == []
