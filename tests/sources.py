"""What tests of names and of parameters ask of a file of code: read once, in one walk."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

PACKAGES = ("privrl", "theory", "figures", "reproduce", "website", "tests")


class CodeFacts(NamedTuple):
    """The facts of a file."""

    bound: tuple[str, ...]  #: every name that is assigned, looped over or a parameter, each time
    declared: frozenset[str]  #: names of its classes, and those that its margin assigns
    #: each function's name, its parameters but for ``self`` and ``cls``, and those by their place
    functions: tuple[tuple[str, int, int], ...]


def facts(source: str) -> CodeFacts:
    """Of a file's text."""
    tree = ast.parse(source)
    bound: list[str] = []
    classes: set[str] = set()
    functions: list[tuple[str, int, int]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store):
                bound.append(node.id)
        elif isinstance(node, ast.arg):
            bound.append(node.arg)
        elif isinstance(node, ast.ClassDef):
            classes.add(node.name)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            every = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            number = sum(parameter.arg not in ("self", "cls") for parameter in every)
            name = getattr(node, "name", "lambda")
            functions.append((name, number, number - len(node.args.kwonlyargs)))
    return CodeFacts(tuple(bound), frozenset(classes | set(assigned(tree))), tuple(functions))


def assigned(tree: ast.Module) -> Iterator[str]:
    """Names that a module's own statements assign."""
    for statement in tree.body:
        if isinstance(statement, (ast.Assign, ast.AnnAssign)):
            for node in ast.walk(statement):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    yield node.id


@cache
def read(path: Path) -> CodeFacts:
    """Of a file."""
    return facts(path.read_text("utf-8"))
