"""Mutants of a module's formulas, made from its syntax tree.

Three kinds, one change each: what a function returns is scaled by a hundredth towards the unsafe
side; a numeric constant is halved; a factor or a summand of what stands under a logarithm or a
root is dropped. A mutant is put into a running process by exchanging a function's code, so that
whoever has imported the function has it.
"""

import ast
import builtins
import copy
import dataclasses
import functools
import importlib
import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

ROOTS = ("log", "log1p", "log2", "sqrt")
NO_FORMULA = (  # what these are handed is no part of a formula
    "require",
    "count",
    "choice",
    "positive",
    "probability",
    "instance",
    "parameter",
    "real",
    "flag",
    "array",
    "range",
    "zeros",
    "ones",
    "full",
    "reshape",
    "errstate",
    "lru_cache",
)
NUMBERS = ("float", "int", "FloatArray", "Binding")
SCALED, WATCHED = "_scaled_by_a_mutant", "_watched_for_mutants"  # names in builtins


@dataclass(frozen=True)
class Mutant:
    """One change of one function."""

    module: str
    function: str  #: its qualified name
    change: str  #: in words, the same as long as the formula is
    number: int  #: among the function's mutants, for those that read the same
    factor: float  #: 0.99, or 1.01 where more is unsafe

    @property
    def name(self) -> str:
        """The function's whole name."""
        return f"{self.module}.{self.function}"


def scaled(value: Any, factor: float, field: str = "") -> Any:
    """A number, an array, or a collection of them, times ``factor``; of a record one field."""
    if field:
        twin = copy.copy(value)
        object.__setattr__(twin, field, scaled(getattr(value, field), factor))
        return twin
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | np.integer):
        return math.floor(value * factor) if factor < 1 else math.ceil(value * factor)
    if isinstance(value, float | np.floating):
        return value * factor
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return value * factor
    if dataclasses.is_dataclass(value) and not isinstance(value, type):  # a number and its name
        return scaled(value, factor, dataclasses.fields(value)[0].name)
    if isinstance(value, dict):
        return {key: scaled(entry, factor) for key, entry in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(scaled(entry, factor) for entry in value)
    return value


@functools.cache
def tree_of(module: str) -> ast.Module:
    """The syntax tree of a module's source."""
    return ast.parse(inspect.getsource(importlib.import_module(module)))


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Functions and methods of a module, by their qualified names."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef):
                    yield f"{node.name}.{inner.name}", inner


def decorators(module: str, name: str) -> list[str]:
    """The names of a function's decorators."""
    node = dict(functions(tree_of(module)))[name]
    return [_name(getattr(entry, "func", entry)) for entry in node.decorator_list]


def public(name: str) -> bool:
    """Whether no part of a qualified name begins with a line."""
    return not any(part.startswith("_") for part in name.split("."))


def found(module: ModuleType, name: str) -> FunctionType:
    """The function behind a name, below properties, caches and compilers."""
    value: Any = module
    for part in name.split("."):
        value = inspect.getattr_static(value, part)
    for _ in range(5):
        for inside in ("fget", "__wrapped__", "py_func", "__func__", "func"):
            if not isinstance(value, FunctionType) and hasattr(value, inside):
                value = getattr(value, inside)
    while hasattr(value, "__wrapped__"):
        value = value.__wrapped__
    assert isinstance(value, FunctionType), name
    return value


def _fields(module: str, node: ast.FunctionDef) -> tuple[str, ...] | None:
    """Of a function that returns a record its fields that are numbers, ("",) where it returns
    numbers, None where neither."""
    if node.returns is None:
        return None
    told = ast.unparse(node.returns)
    record = getattr(importlib.import_module(module), told.split("[")[0].split(".")[-1], None)
    if record is None and "." in told:
        record = getattr(
            getattr(importlib.import_module(module), told.split(".")[0], None),
            told.split(".")[1],
            None,
        )
    if told.split("[")[0] not in NUMBERS and dataclasses.is_dataclass(record):
        types = {
            field.name: str(getattr(field.type, "__name__", field.type))
            for field in dataclasses.fields(record)
        }
        return tuple(
            name
            for name, kind in types.items()
            if kind.split(" ")[0] in ("float", "FloatArray") or "tuple[float" in kind
        )
    return ("",) if any(word in told for word in NUMBERS) and "Callable" not in told else None


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _constants(node: ast.AST) -> Iterator[ast.Constant]:
    """Numbers of formulas: none of a comparison, an index, a shift, a check of arguments."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, int | float) and not isinstance(node.value, bool) and node.value:
            yield node
        return
    if isinstance(node, ast.Compare | ast.Assert | ast.Raise | ast.JoinedStr | ast.arguments):
        return
    if isinstance(node, ast.Call) and _name(node.func) in NO_FORMULA:
        return
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.LShift | ast.RShift | ast.BitAnd):
        return
    for field, child in ast.iter_fields(node):
        if isinstance(node, ast.Subscript) and field == "slice":
            continue
        if isinstance(node, ast.If | ast.While | ast.IfExp) and field == "test":
            continue
        if field in ("decorator_list", "returns", "annotation", "keywords"):
            continue
        for inner in child if isinstance(child, list) else [child]:
            if isinstance(inner, ast.AST):
                yield from _constants(inner)


def _parts(node: ast.expr) -> Iterator[tuple[ast.expr, int]]:
    """Factors of a product and summands of a sum with what stands in their place: 1, 0; of
    anything else itself, for 1."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
        for side in (node.left, node.right):
            yield from _parts(side) if isinstance(side, ast.BinOp) else [(side, 1)]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        for side in (node.left, node.right):
            nested = isinstance(side, ast.BinOp)
            yield (side, 0)
            if nested and isinstance(side.op, ast.Mult | ast.Div):
                yield from _parts(side)
    elif isinstance(node, ast.UnaryOp):
        yield from _parts(node.operand)
    elif not isinstance(node, ast.Constant):
        yield (node, 1)
    # a constant alone, as in sqrt(2), is halved


def _under_roots(node: ast.AST) -> Iterator[tuple[ast.expr, int, ast.expr]]:
    """What can be dropped under logarithms and roots: a part, what stands in its place, the
    root."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call) and _name(inner.func) in ROOTS and inner.args:
            argument = inner.args[0]
        elif (
            isinstance(inner, ast.BinOp)
            and isinstance(inner.op, ast.Pow)
            and isinstance(inner.right, ast.Constant)
            and isinstance(inner.right.value, float)
        ):
            argument = inner.left
        else:
            continue
        for part, instead in _parts(argument):
            if not (isinstance(part, ast.Constant) and part.value == instead):
                yield part, instead, inner


def _short(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


NamedChange = tuple[str, Callable[[ast.FunctionDef], None]]


def _put(place: int, number: float) -> Callable[[ast.FunctionDef], None]:
    """Replace the node at a place of the walk."""

    def change(function: ast.FunctionDef) -> None:
        old = list(ast.walk(function))[place]
        for parent in ast.walk(function):
            for field, child in ast.iter_fields(parent):
                if child is old:
                    setattr(parent, field, ast.Constant(number))
                    return
                if isinstance(child, list):
                    for at, entry in enumerate(child):
                        if entry is old:
                            child[at] = ast.Constant(number)
                            return

    return change


def _scale(factor: float, field: str) -> Callable[[ast.FunctionDef], None]:
    class Returns(ast.NodeTransformer):
        def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
            return node  # what an inner function returns is not what this one does

        def visit_Return(self, node: ast.Return) -> ast.AST:
            if node.value is not None:
                arguments = [node.value, ast.Constant(factor), ast.Constant(field)]
                node.value = ast.Call(ast.Name(SCALED, ast.Load()), arguments, [])
            return node

    def change(function: ast.FunctionDef) -> None:
        function.body = [Returns().visit(statement) for statement in function.body]

    return change


def changes(module: str, node: ast.FunctionDef, factor: float) -> list[NamedChange]:
    """Every change of a function, by what it reads."""
    body = ast.Module(body=node.body, type_ignores=[])
    fields = _fields(module, node) or ()
    if not any(isinstance(inner, ast.Return) and inner.value for inner in ast.walk(node)):
        fields = ()  # it raises, or is a kernel that writes
    listed: list[NamedChange] = [
        (f"{field or 'value'} x {factor}", _scale(factor, field)) for field in fields
    ]
    parents = {child: parent for parent in ast.walk(node) for child in ast.iter_child_nodes(parent)}
    places = {inner: place for place, inner in enumerate(ast.walk(node))}
    for constant in _constants(body):
        value = constant.value
        assert isinstance(value, int | float)
        half = value / 2
        text = f"{value} halved in {_short(parents[constant])}"
        listed.append((text, _put(places[constant], half)))
    for part, instead, root in _under_roots(body):
        text = f"{_short(part)} dropped in {_short(root)}"
        listed.append((text, _put(places[part], instead)))
    return listed


def mutants(module: str, factor: Callable[[str], float], named: Sequence[str] = ()) -> list[Mutant]:
    """Every mutant of a module: of public functions that return numbers, and of those ``named``."""
    listed = []
    for name, node in functions(tree_of(module)):
        if name not in named and (not public(name) or _fields(module, node) is None):
            continue
        texts = [text for text, _ in changes(module, node, factor(name))]
        listed += [
            Mutant(module, name, text, texts[:place].count(text), factor(name))
            for place, text in enumerate(texts)
        ]
    return listed


def code(mutant: Mutant) -> CodeType:
    """The code of the broken function."""
    tree = copy.deepcopy(tree_of(mutant.module))
    node = dict(functions(tree))[mutant.function]
    alike = [
        change
        for text, change in changes(mutant.module, node, mutant.factor)
        if text == mutant.change
    ]
    alike[mutant.number](node)
    ast.fix_missing_locations(tree)
    file = str(importlib.import_module(mutant.module).__file__)
    return _inside(compile(tree, file, "exec"), mutant.function)


def _inside(outer: CodeType, name: str) -> CodeType:
    for constant in outer.co_consts:
        if isinstance(constant, CodeType):
            if constant.co_qualname == name:
                return constant
            if name.startswith(f"{constant.co_name}."):
                return _inside(constant, name)
    raise LookupError(name)


def watch(module: str, names: Sequence[str], seen: Callable[[str], None]) -> None:
    """Have functions of a module say their names when they are called."""
    tree = copy.deepcopy(tree_of(module))
    for name, node in functions(tree):
        if name in names:
            told: list[ast.expr] = [ast.Constant(f"{module}.{name}")]
            node.body.insert(0, ast.Expr(ast.Call(ast.Name(WATCHED, ast.Load()), told, [])))
    ast.fix_missing_locations(tree)
    setattr(builtins, WATCHED, seen)
    loaded = importlib.import_module(module)
    whole = compile(tree, str(loaded.__file__), "exec")
    for name in names:
        found(loaded, name).__code__ = _inside(whole, name)


def put(mutant: Mutant) -> None:
    """Exchange the function's code in this process."""
    setattr(builtins, SCALED, scaled)
    module = importlib.import_module(mutant.module)
    found(module, mutant.function).__code__ = code(mutant)
