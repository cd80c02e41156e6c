"""Which files of a package a module is made of, read from its imports, and a hash of them.

A stored run belongs to the code that computed it and to nothing else: an edit of the command line must not discard it,
an edit of anything that its numbers pass through must.
"""

from __future__ import annotations

import ast
import functools
import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from privrl.types import require

PACKAGE = Path(__file__).parent


def _file(name: str, package: Path) -> Path | None:
    """The file of a module below the package, ``None`` for anything else."""
    top, *rest = name.split(".")
    base = package.joinpath(*rest)
    candidates = (base / "__init__.py",) if not rest else (base.with_suffix(".py"), base / "__init__.py")
    return next((path for path in candidates if path.is_file()), None) if top == package.name else None


@functools.lru_cache(512)
def _statements(text: str) -> tuple[tuple[int, str, tuple[str, ...]], ...]:
    """(level, module, names) of every import of a source; of ``import names`` the level is -1."""
    found: list[tuple[int, str, tuple[str, ...]]] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found.append((-1, "", tuple(alias.name for alias in node.names)))
        elif isinstance(node, ast.ImportFrom):
            found.append((node.level, node.module or "", tuple(alias.name for alias in node.names)))
    return tuple(found)


def _imported(name: str, path: Path, package: Path) -> Iterator[str]:
    """Modules of the package that a file imports, those inside functions too.

    ``from package import module`` names the module alone; a package's ``__init__`` counts where a name of its own is
    taken from it.
    """
    parent = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for level, module, names in _statements(path.read_text(encoding="utf-8")):
        if level < 0:
            yield from names
            continue
        above = parent.split(".")[: len(parent.split(".")) - level + 1] if level else []
        source = ".".join([*above, *([module] if module else [])])
        for inner in (f"{source}.{each}" for each in names):
            yield inner if _file(inner, package) is not None else source


def closure(modules: Sequence[str], package: Path = PACKAGE) -> dict[str, Path]:
    """The modules and all modules of the package that they import, directly or not, by name.

    Raises
    ------
    ValueError
        A module that is not in the package.
    """
    found: dict[str, Path] = {}
    waiting = list(modules)
    for name in modules:
        known = isinstance(name, str) and _file(name, package) is not None
        require(known, f"a module must be in {package.name}", name=name)
    while waiting:
        name = waiting.pop()
        path = _file(name, package)
        if path is not None and name not in found:
            found[name] = path
            waiting.extend(_imported(name, path, package))
    return dict(sorted(found.items()))


def source_hash(modules: Sequence[str], package: Path = PACKAGE) -> str:
    """First 16 hex digits of the SHA-256 of the names and contents of :func:`closure`."""
    digest = hashlib.sha256()
    for name, path in closure(modules, package).items():
        digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
