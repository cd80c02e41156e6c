"""What an extra brings, and the sentence where it is missing.

``pip install`` of this package alone brings what agents, sessions and mechanisms need; tables,
figures, the ledger's checks, exact noise, clusters and the site are extras of ``pyproject.toml``.
"""

import contextlib
import functools
import importlib.metadata
import importlib.util
import re
from collections.abc import Iterator

#: where a library is imported under another name than it is installed
INSTALLED_AS = {"PIL": "pillow", "flint": "python-flint", "yaml": "PyYAML", "z3": "z3-solver"}
LINE = re.compile(r"""^(?P<name>[\w.-]+)(?P<of>\[.*\])?(?P<bounds>[^;]*);.*extra == ['"](\w+)""")


class MissingExtraError(ModuleNotFoundError):
    """A library that is not installed, as it belongs to an extra; the message says what to
    install."""


@functools.cache
def requirements() -> dict[str, dict[str, str]]:
    """Extra -> library, in small letters -> requirement, as ``pyproject.toml`` had them when this
    package was installed; without ``dev``."""
    lines_of: dict[str, dict[str, str]] = {}
    for line in importlib.metadata.requires("privrl") or ():
        if (parsed := LINE.match(line)) and parsed["name"] != "privrl" and parsed[4] != "dev":
            requirement = parsed["name"] + parsed["bounds"].strip()
            lines_of.setdefault(parsed[4], {})[_same(parsed["name"])] = requirement
    return lines_of


def sentence(module: str, purpose: str) -> str | None:
    """What to install where ``module`` is missing; None for what no extra brings."""
    library = INSTALLED_AS.get(top := module.partition(".")[0], top)
    extras = [name for name, lines in requirements().items() if _same(library) in lines]
    if not extras:
        return None
    extra = min(extras, key=lambda name: len(requirements()[name]))  # others hold it too
    install = " ".join(f"'{line}'" for line in requirements()[extra].values())
    return (
        f"{purpose} needs {library}, of the extra {extra}, which is not installed: "
        f"pip install {install}"
    )


def installed(module: str, purpose: str) -> None:
    """Ask that a library is there, without importing it; errors as :func:`needed`."""
    with needed(purpose):
        if importlib.util.find_spec(module) is None:
            raise ModuleNotFoundError(f"No module named {module!r}", name=module)


@contextlib.contextmanager
def needed(purpose: str) -> Iterator[None]:
    """Around imports of what an extra brings.

    Raises
    ------
    MissingExtraError
        It is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        words = sentence(error.name or "", purpose)
        if words is None or isinstance(error, MissingExtraError):
            raise
        raise MissingExtraError(words, name=error.name) from None


def _same(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
