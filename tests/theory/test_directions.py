"""A number behind "at most", "from .. on" and the like is rounded to the side that is said, by
:func:`theory.formulas.upwards` or :func:`theory.formulas.downwards`: a walk over all format
strings of checks, summaries and errata."""

import ast
import functools
import importlib
import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pytest

from tests.theory.test_errata import numbers_of, texts
from theory import sentences
from theory.fields import FIELD

# what may stand between the word and its number: "up to $\varepsilon = ", "at most $e^{-"
BETWEEN = (
    r"[\s$~({]*(?:(?!about|nearly)[a-z]+ )?(?:the |a )?(?:factor )?"
    r"(?:\$?[^$=<>\0,.]{1,45} ?= ?)?[\s$~{]*"
)
POWER = r"(?:(?:10|e)\^\{-?)?$"
WORDS = {
    "upwards": r"\b(?:at most|within)",
    "downwards": r"\b(?:at least|exceeds?)",
    # one way in a conclusion, the other way in a condition: a person decides which
    "either": r"(?:\b(?:above|below|beyond|up to|from|between|until|(?:more|less|fewer) than)"
    r"|\\[lg]eq?|[<>]=?|\bin \$?[\[(])",
}
BEFORE = {name: re.compile(f"(?i){words}{BETWEEN}{POWER}") for name, words in WORDS.items()}
TO, AND = (rf"[%$]? {word} \$?" for word in ("to", "and"))  # between the numbers of a range
LOOK = 160  # letters before and after a number that are looked at
ROUNDED = re.compile(r"\d?[efg%]$")
Names = Mapping[str, ast.expr]  # of a function, by what they are set to


class Field(NamedTuple):
    """A number that a format string fills in."""

    value: ast.expr
    spec: str


class Place(NamedTuple):
    """A number behind a word that says a side."""

    field: Field
    side: str
    words: str


def pieces(node: ast.expr, names: Names) -> list[str | Field]:
    """A sentence in its order, with what is joined from a list of sentences of its own."""
    if isinstance(node, ast.Constant):
        return [str(node.value)]
    if isinstance(node, ast.JoinedStr):
        return [piece for value in node.values for piece in pieces(value, names)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [*pieces(node.left, names), *pieces(node.right, names)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr == "join":
            return pieces(node.args[0], names)
        return pieces(node.func.value, names) if node.func.attr == "replace" else ["\0"]
    if isinstance(node, (ast.GeneratorExp, ast.ListComp)):
        return pieces(node.elt, names)
    if not isinstance(node, ast.FormattedValue):
        return ["\0"]
    spec = "" if node.format_spec is None else ast.unparse(node.format_spec)[2:-1]
    name = node.value.id if isinstance(node.value, ast.Name) and not spec else ""
    if any(isinstance(inner, ast.JoinedStr) for inner in ast.walk(names.get(name, ast.Pass()))):
        return pieces(names[name], {key: names[key] for key in names if key != name})
    return [Field(node.value, spec)]


def side(before: str, after: str) -> str:
    r"""The side to which the number between these words is to be rounded, "" where they say none;
    \0 stands for a number."""
    if re.search(rf"\0{TO}$|\bbetween\b[^\0]*\0{AND}$", before):
        return "upwards"
    if re.match(rf"{TO}\0|\$? (?:or|and) more\b", after):
        return "downwards"
    if re.search(rf"\bbetween{BETWEEN}$", before) and re.match(rf"{AND}\0", after):
        return "downwards"
    said = next((name for name, words in BEFORE.items() if words.search(before)), "")
    opposite = {"upwards": "downwards", "downwards": "upwards"}
    return opposite.get(said, said) if before.endswith("^{-") else said


def places(sentence: list[str | Field]) -> Iterator[Place]:
    """The numbers of a sentence that are rounded and stand at a word that says a side."""
    words = ["\0" if isinstance(piece, Field) else piece for piece in sentence]
    for index, piece in enumerate(sentence):
        before, after = "".join(words[:index])[-LOOK:], "".join(words[index + 1 :])[:LOOK]
        if isinstance(piece, Field) and ROUNDED.search(piece.spec) and side(before, after):
            yield Place(piece, side(before, after), before[-40:].replace("\0", ".."))


def exact(field: Field, names: Names, scope: Mapping[str, Any]) -> bool:
    """Whether the number is one that a person chose, which its format writes in full."""
    calls = [node for node in ast.walk(field.value) if isinstance(node, ast.Call)]
    if any(getattr(call.func, "id", "") != "float" for call in calls):
        return False
    used = {node.id for node in ast.walk(field.value) if isinstance(node, ast.Name)} & set(names)
    try:
        constants = {name: ast.literal_eval(names[name]) for name in used}
        code = compile(ast.Expression(field.value), "<field>", "eval")
        number = eval(code, {**scope, **constants})
        return float(format(number, field.spec)) == float(number)
    except (ValueError, NameError, TypeError):
        return False


def directed(field: Field, said: str, names: Names) -> bool:
    """Whether it is rounded by the function of its side, where it stands or where it got its name,
    and formatted with no fewer digits."""
    call = field.value
    if isinstance(call, ast.Name):
        call = names.get(call.id, call)
    function = getattr(call.func, "id", "") if isinstance(call, ast.Call) else ""
    if function not in (("upwards", "downwards") if said == "either" else (said,)):
        return False
    digits = ast.literal_eval(call.args[1])
    written = re.fullmatch(r"(?:\.(\d+))?([eg])", field.spec)
    return written is not None and digits <= int(written[1] or 6) + (written[2] == "e")


def assigned(nodes: list[ast.AST]) -> dict[str, ast.expr]:
    """What the names of a function are set to, but for those that are set twice."""
    names: dict[str, list[ast.expr]] = {}
    for node in nodes:
        if not isinstance(node, ast.Assign):
            continue
        target, value = node.targets[0], node.value
        pairs = [(target, value)]
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs = list(zip(target.elts, value.elts, strict=False))
        for variable, setting in pairs:
            if isinstance(variable, ast.Name):
                names.setdefault(variable.id, []).append(setting)
    return {name: settings[0] for name, settings in names.items() if len(settings) == 1}


class DirectionWalk(NamedTuple):
    """What the walk over a module found."""

    loose: list[str]  #: its numbers that may stand on the unsafe side of their word
    #: names of the numbers for summaries and errata that are rounded to a side, or settings
    safe: set[str]


def walk(source: str, scope: Mapping[str, Any]) -> DirectionWalk:
    """The walk over a module; ``scope`` has its constants."""
    lines: dict[tuple[int, int], str] = {}
    safe, written = set(), source.splitlines()
    for statement in ast.parse(source).body:
        if not any("{" in line for line in written[statement.lineno - 1 : statement.end_lineno]):
            continue  # nothing is filled in
        nodes = list(ast.walk(statement))
        names = assigned(nodes)
        for node in nodes:
            if isinstance(node, (ast.JoinedStr, ast.BinOp)):
                for field, said, words in places(pieces(node, names)):
                    if not directed(field, said, names) and not exact(field, names, scope):
                        value = f"{{{ast.unparse(field.value)}:{field.spec}}}"
                        at = field.value.lineno, field.value.col_offset
                        lines[at] = f"line {at[0]}: {words!r} {value} is to be rounded: {said}"
            elif isinstance(node, ast.keyword) and node.arg == "numbers":
                rows = node.value if isinstance(node.value, ast.Dict) else ast.Dict([], [])
                for key, number in zip(rows.keys, rows.values, strict=True):
                    field = Field(number, "g")
                    if directed(field, "either", names) or exact(field, names, scope):
                        safe.add(getattr(key, "value", ""))
    return DirectionWalk([line for _, line in sorted(lines.items())], safe)


def unsafe_fields(text: str, numbers: Mapping[str, float], safe: set[str]) -> list[str]:
    """The fields of a summary or an erratum that may stand on the unsafe side of their word: a
    number that is not rounded to a side where it is handed over, or that its format rounds."""
    unsafe = []
    for field in FIELD.finditer(text):
        before, after = (FIELD.sub("\0", text[part]) for part in _around(field))
        number = numbers[field[1]]
        whole = isinstance(number, int) or field[1] in safe
        if side(before, after) and not (whole and float(format(number, field[2])) == number):
            unsafe.append(f"{before[-40:]!r} {field[0]} of {number}")
    return unsafe


def _around(match: re.Match[str]) -> tuple[slice, slice]:
    return slice(0, match.start()), slice(match.end(), None)


@functools.cache
def walks() -> dict[str, DirectionWalk]:
    """The walk over every module of checks."""
    walked = {}
    for pattern in ("papers/**/*.py", "lemmas/*.py"):
        for path in sorted(sentences.FOLDER.glob(pattern)):
            name = ".".join(path.relative_to(sentences.FOLDER.parent).with_suffix("").parts)
            scope = vars(importlib.import_module(name))
            walked[name] = walk(path.read_text(encoding="utf-8"), scope)
    return walked


def test_numbers_of_checks_are_rounded_to_their_side() -> None:
    assert {name: module.loose for name, module in walks().items() if module.loose} == {}


def test_numbers_of_summaries_and_errata_are_rounded_to_their_side() -> None:
    safe = {name for module in walks().values() for name in module.safe}
    unsafe = {
        name: lines
        for name, text, claims in texts()
        if (lines := unsafe_fields(text, numbers_of(claims[0].split("/")[0]), safe))
    }
    assert unsafe == {}


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ('f"at most {worst:.2f} times"', "upwards"),
        ('f"at most {downwards(worst, 3):g} times"', "upwards"),
        ('f"at most {upwards(worst, 3):.2g} times"', "upwards"),
        (r'rf"at least $e^{{-{loss:.0f}}}$"', "upwards"),
        (r'rf"the supremum is at least $1/\ln 2 = {log(2):.3f}$"', "downwards"),
        ('f"{min(q):.2f} to {upwards(max(q), 3):g}"', "downwards"),
        ('f"lies between {upwards(low, 3):g} and {upwards(high, 3):g}"', "downwards"),
        ('f"{share:.3f} or more of them"', "downwards"),
        (r'rf"fails up to $\varepsilon = {edge:.3f}$"', "either"),
        ('f"is below it from {words} on"', "either"),
        ('"at least " + ", ".join(f"{q:.2f} at {n}" for q in rows)', "downwards"),
        ('f"at least {HALF:.0f} of it"', "downwards"),
        ('f"at most {near:g} times"', "upwards"),
    ],
)
def test_a_number_on_the_unsafe_side_is_refused(expression: str, said: str) -> None:
    source = (
        'words = ", ".join(f"{x:.2e} ({n})" for x in rows)\nnear = downwards(x, 3)\n'
        f"sentence = {expression}\n"
    )
    unsafe = walk(f"def check():\n{textwrap.indent(source, '    ')}", {"HALF": 0.5}).loose
    assert [line.split(": ")[-1] for line in unsafe] == [said]


@pytest.mark.parametrize(
    "expression",
    [
        'f"at most {upwards(worst, 3):g} times, {mean:.2f} in the mean"',
        'f"it tends to {limit:.3f}, from about {start:.0e} on"',
        'f"at most {HALF:g} of {count} runs, {first} to {last}"',
        'f"at most {far:g} times"',
    ],
)
def test_a_number_on_its_side_passes(expression: str) -> None:
    source = f"def check():\n    far = upwards(x, 3)\n    return {expression}\n"
    assert walk(source, {"HALF": 0.5}).loose == []


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("loses at most {loss:.1f} times", True),
        ("loses at most {loss:g} times", True),  # not rounded to a side by the check
        ("loses {loss:.1f} times at least {users:d} users", False),
        ("between {low:g} and {high:g}, at least {low:.0f}", True),
        ("between {low:g} and {high:g}", False),
    ],
)
def test_a_field_on_the_unsafe_side_is_refused(text: str, refused: bool) -> None:
    numbers = {"loss": 2.00687, "users": 7, "low": 1.4, "high": 2.6}
    source = 'Trial(test, numbers={"loss": loss, "low": downwards(x, 2), "high": upwards(x, 2)})\n'
    safe = walk(source, {}).safe
    assert bool(unsafe_fields(text, numbers, safe)) == refused
