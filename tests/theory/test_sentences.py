"""Decimals typed into the evidence of a record: each occurs in what is beside it, or is listed.

A number that a check computed comes into its sentence by a format string; one that is typed must
at least stand elsewhere in the same function, as a parameter, a witness or the statement. Those
that do not are listed in ``typed_numbers.csv``, which may only become shorter.
"""

import ast
import csv
import re
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
THEORY = HERE.parent.parent / "theory"
DECIMAL = re.compile(r"(?<![\w.])\d+\.\d+")
NUMBERED_ITEMS = (
    "theorem|lemma|section|remark|equation|algorithm|definition|assumption|example|appendix"
)
REFERENCE = re.compile(rf"(?i)\b(?:{NUMBERED_ITEMS})s?[ ~-]\d+\.\d+(?:(?:,| and| to) \d+\.\d+)*")
NUMBER = re.compile(r"\d+(?:\.\d+)?")
SENTENCES = ("evidence",)


def texts(node: ast.AST) -> Iterator[str]:
    """What is typed: strings and the fixed parts of format strings, without numbers of theorems."""
    if isinstance(node, ast.FormattedValue):
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield REFERENCE.sub("", node.value)
    for inner in ast.iter_child_nodes(node):
        yield from texts(inner)


def unheld(source: str) -> list[tuple[str, str]]:
    """(function, number) of the typed decimals that stand nowhere else in the function."""
    missing = []
    for function in ast.parse(source).body:
        if not isinstance(function, ast.FunctionDef):
            continue
        sentences = [
            keyword
            for call in ast.walk(function)
            if isinstance(call, ast.Call)
            for keyword in call.keywords
            if keyword.arg in SENTENCES
        ]
        inside = {id(inner) for sentence in sentences for inner in ast.walk(sentence)}
        beside = {
            number
            for inner in ast.walk(function)
            if id(inner) not in inside and isinstance(inner, ast.Constant)
            for number in NUMBER.findall(str(inner.value))
        }
        for sentence in sentences:
            for text in texts(sentence):
                missing += [
                    (function.name, number)
                    for number in DECIMAL.findall(text)
                    if number not in beside
                ]
    return missing


def every() -> list[tuple[str, str, str]]:
    """(module, function, number) over the whole of theory."""
    return [
        (path.relative_to(THEORY).as_posix(), *row)
        for path in sorted(THEORY.rglob("*.py"))
        for row in unheld(path.read_text(encoding="utf-8"))
    ]


def test_typed_decimals_are_held_or_listed() -> None:
    with (HERE / "typed_numbers.csv").open(encoding="utf-8", newline="") as stream:
        listed = sorted(tuple(row) for row in csv.reader(stream))
    assert sorted(every()) == listed


def test_a_typed_number_is_seen() -> None:
    typed = 'def check():\n    decide(at=0.25, evidence=f"It is {x} and 2.59 of 0.25.")\n'
    assert unheld(typed) == [("check", "2.59")]
    assert unheld(typed.replace("2.59", "{x:.2f}")) == []
