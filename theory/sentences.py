r"""Numbers that are typed into the sentences of the ledger, and the list that each of them is on.

What a check computed comes into its sentence by a format string. What remains typed stands in
``typed_numbers.csv`` too, by file, place, field and reason, and so do the numbers in the code of a
check: of its witness, of what it runs at, of what its sentences are filled in with. Nothing writes
that list but a person, and the ledger is not written while text and list disagree: no number of a
sentence can be edited alone.

    python -m theory.sentences      print the list as the texts have it; read the difference
"""

import ast
import csv
import functools
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from theory.fields import blanked

FOLDER = Path(__file__).resolve().parent
LIST = "typed_numbers.csv"
COLUMNS = ("file", "place", "field", "reason", "numbers")
REASONS = {
    "stated": "of the statement that is decided, its domain, its mutant, its instance, its theorem",
    "formula": "a coefficient, an exponent or an index inside a formula",
    "reference": "of a theorem, a section, a line, a year",
    "setting": "stands in the module as a number too: the check runs at it",
    "edge": "0, 1 or 2: the end of a range, a base, one more",
    "run": "in the code of a check: of a witness, of what it runs at, of what fills a sentence in",
    "recorded": "of an erratum or a summary: tests find it in the ledger's rows",
    "prose": "of a page for readers or of a written proof, outside of derived sections and code",
    "by hand": "none of these: a person answers for it",
}
STATED = ("statement", "domain", "mutant", "of", "tighter")
VERBS = ("holds", "fails", "undecided")  # of a trial
PAGES = ("README.md", "docs/found.md")
SUMMED = ("short", "title", "practice", "known")
NAMED = ("id", "label", "where", "aliases")
NUMBER = re.compile(r"\d+(?:\.\d+)?")
ITEM_WORDS = (
    "theorem|lemma|section|remark|equation|algorithm|definition|assumption|example|appendix|"
    "notebook|claim|line|proposition|erratum|arXiv|figure"
)
REFERENCE = re.compile(
    rf"(?i)\b(?:{ITEM_WORDS})s?[ ~-][A-Z]?\.?\d+(?:\.\d+)?(?:(?:,| and| to) \d+(?:\.\d+)?)*"
    r"|\(\d+(?:\.\d+)?\)|(?:vietri|chowdhury|liao|zhou)20\d\d|\b(?:19|20)\d\d\b|\d{4}\.\d{5}"
)
FORMULA = re.compile(r"\$[^$]*\$")
# $H = 5$: the value of a symbol
BASE = re.compile(r"\b10(?=\^)")  # of a power of ten, whose exponent is told
VALUE = re.compile(r"\$[^=<>$]*(?:=|\\le|\\ge|<|>) ?-?[\d.,^{} \\dot/-]+\$")

Listing = dict[tuple[str, str, str, str], str]


def typed(text: str) -> dict[str, list[str]]:
    """The numbers of a sentence by what they are: ``reference``, ``formula`` or ``typed``."""
    numbers: dict[str, list[str]] = {"reference": [], "formula": [], "typed": []}

    def reference(match: re.Match[str]) -> str:
        numbers["reference"] += NUMBER.findall(match[0])
        return " "

    def formula(match: re.Match[str]) -> str:
        value = VALUE.fullmatch(match[0]) is not None
        for number in NUMBER.findall(match[0]):
            numbers["typed" if value or "." in number else "formula"].append(number)
        return " "

    numbers["formula"] += BASE.findall(text)
    rest = FORMULA.sub(formula, REFERENCE.sub(reference, BASE.sub("", text)))
    numbers["typed"] += NUMBER.findall(rest)
    return numbers


@functools.lru_cache(maxsize=1)  # each file is asked for its sentences, its settings and its code
def _tree(source: str) -> ast.Module:
    return ast.parse(source)


def _docstrings(tree: ast.AST) -> set[int]:
    return {
        id(statement.value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef))
        for statement in node.body
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    }


def _texts(node: ast.AST, field: str, skipped: set[int]) -> Iterator[tuple[str, str]]:
    """(field, text) of the strings below a node; what a format string fills in is a blank."""
    if id(node) in skipped:
        return
    if isinstance(node, ast.keyword) and node.arg in (*STATED, "evidence"):
        field = node.arg
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Witness", "Formal"):
        field = "witness"
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in VERBS:
        for argument in node.args:  # the name of the record
            yield from _texts(argument, "of", skipped)
        for keyword in node.keywords:
            yield from _texts(keyword, field, skipped)
        yield from _texts(node.func, field, skipped)
        return
    if isinstance(node, ast.JoinedStr):
        pieces = [
            str(value.value) if isinstance(value, ast.Constant) else "\0" for value in node.values
        ]
        yield field, "".join(pieces)
        for value in node.values:
            if isinstance(value, ast.FormattedValue):
                yield from _texts(value.value, field, skipped)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield field, node.value
    else:
        for inner in ast.iter_child_nodes(node):
            yield from _texts(inner, field, skipped)


def of_source(source: str) -> Iterator[tuple[str, str, str]]:
    """(function, field, text) of the sentences of a module that have a number in them."""
    tree = _tree(source)
    docstrings = _docstrings(tree)
    for statement in tree.body:
        for field, text in _texts(statement, "text", docstrings):
            if NUMBER.search(text) and re.search(r"[ $]", text.strip()):
                yield getattr(statement, "name", "module"), field, text


def _number(node: ast.AST) -> str:
    """The number of a node, also of a string that is one, such as "0.999"; "" of any other."""
    if not isinstance(node, ast.Constant) or isinstance(node.value, bool | complex):
        return ""
    text = str(node.value)
    return text if NUMBER.fullmatch(text) or isinstance(node.value, int | float) else ""


def of_checks(source: str) -> Iterator[tuple[str, list[str]]]:
    """(function, numbers) of the code of what makes records, the checks of claims and what they
    yield from."""
    for statement in _tree(source).body:
        if isinstance(statement, ast.FunctionDef):
            nodes = list(ast.walk(statement))
            names = {getattr(node.func, "id", "") for node in nodes if isinstance(node, ast.Call)}
            numbers = [number for node in nodes if (number := _number(node))]
            names |= {node.arg or "" for node in nodes if isinstance(node, ast.keyword)}
            if {"Trial", "Witness", "evidence"} & names and numbers:
                yield statement.name, numbers


def settings(source: str) -> set[float]:
    """The numbers of a module outside of its strings, and the numbers that it hands to its tests as
    strings, such as "0.999"."""
    numbers: set[float] = set()
    for node in ast.walk(_tree(source)):
        if isinstance(node, ast.Constant) and not isinstance(node.value, (bool, complex)):
            try:
                numbers.add(float(node.value))  # type: ignore[arg-type]
            except (TypeError, ValueError):
                continue
    return numbers


def of_toml(text: str) -> Iterator[tuple[str, str, str]]:
    """(id or cause, field, text) of a paper's ``paper.toml`` or ``errata.toml``."""
    tables = tomllib.loads(text)
    for row in [*tables.get("item", ()), *tables.get("erratum", ())]:
        for field in ("statement", *SUMMED, *NAMED):
            entry: str | list[str] = row.get(field, "")
            words = blanked(" ".join(entry if isinstance(entry, list) else entry.split()))
            if NUMBER.search(words):
                yield row.get("cause", row.get("id")), field, words


def of_page(text: str) -> Iterator[tuple[str, str, str]]:
    """(heading, "prose", text) of a page's paragraphs that have a number in them, without what is
    derived and without code."""
    bare = re.sub(
        r"<!-- derived: (\S+) -->.*?<!-- end: \1 -->|```.*?```", "", text, flags=re.DOTALL
    )
    heading = ""
    for paragraph in bare.split("\n\n"):
        heading = paragraph.lstrip("# ").strip() if paragraph.startswith("#") else heading
        words = re.sub(r"\]\([^)]*\)", "]", " ".join(paragraph.split()))
        if NUMBER.search(words):
            yield heading, "prose", words


READERS = {".py": of_source, ".toml": of_toml, ".md": of_page}


def _reason(field: str, kind: str, number: str, module: set[float]) -> str:
    if field in (*STATED, "witness"):
        return "stated"
    if field in NAMED:
        return "reference"
    if field == "prose" or kind != "typed":
        return field if field == "prose" else kind
    if field in SUMMED:
        return "recorded"
    if number in ("0", "1", "2"):
        return "edge"
    return "setting" if float(number) in module else "by hand"


def numbers_typed(folder: Path = FOLDER) -> Listing:
    """What is typed: the numbers in their order, by file, place, field and reason."""
    numbers: dict[tuple[str, str, str, str], list[str]] = {}
    patterns = ("papers/**/*.py", "lemmas/*.py", "papers/*/*.toml", "papers/*/proofs.md")
    paths = sorted(path for pattern in patterns for path in folder.glob(pattern))
    for path in [*paths, *(folder.parent / page for page in PAGES)]:
        name, text = path.relative_to(folder.parent).as_posix(), path.read_text(encoding="utf-8")
        module = settings(text) if path.suffix == ".py" else set()
        for place, field, sentence in READERS[path.suffix](text):
            for kind, numerals in typed(sentence).items():
                for number in numerals:
                    key = (name, place, field, _reason(field, kind, number, module))
                    numbers.setdefault(key, []).append(number)
        if path.suffix == ".py":
            numbers |= {(name, place, "code", "run"): run for place, run in of_checks(text)}
    return {key: " ".join(numerals) for key, numerals in numbers.items()}


def numbers_listed(folder: Path = FOLDER) -> Listing:
    """What the list has."""
    with (folder / LIST).open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    return {
        (row["file"], row["place"], row["field"], row["reason"]): row["numbers"] for row in rows
    }


def disagreements(typed_now: Listing, on_list: Listing) -> list[str]:
    """A sentence for each place at which text and list disagree."""
    return [
        f"{', '.join(key)}: the text has {typed_now.get(key, 'no number')!r}, "
        f"{LIST} has {on_list.get(key, 'no row')!r}"
        for key in sorted({*typed_now, *on_list})
        if typed_now.get(key) != on_list.get(key)
    ]


if __name__ == "__main__":
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([*key, numbers] for key, numbers in sorted(numbers_typed().items()))
