"""Every figure by its id; the list is derived from the folders: one per paper, and ``across`` for what spans them.

A figure is a module with

    ID        PAPER_NAME for ``PAPER/NAME.py``, NAME for ``across/NAME.py``
    CAPTION   what is drawn, in full sentences
    ALT       what the picture shows, for those who do not see it
    tables(folder) -> dict of DataFrames, the data that are drawn; ``folder`` may have tables of long runs
    draw(tables) -> Figure, from these data alone

and, where it rests on long runs, ``recompute(folder, jobs)``, which makes their table again.
"""

from __future__ import annotations

import difflib
import functools
import importlib
import pkgutil
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, cast

import pandas as pd
from matplotlib.figure import Figure

from figures import profiles, style
from figures.runs import TABLES
from theory import numbering

FOLDER = Path(__file__).resolve().parent
DATA, RENDERED = FOLDER / "data", FOLDER / "rendered"
ACROSS = "across"


class FigureModule(Protocol):
    """What a figure's module offers."""

    ID: str
    CAPTION: str
    ALT: str

    def tables(self, folder: Path = TABLES) -> dict[str, pd.DataFrame]: ...
    def draw(self, tables: dict[str, pd.DataFrame]) -> Figure: ...


def ids() -> tuple[str, ...]:
    """All ids, in alphabetical order."""
    return tuple(sorted(places()))


@functools.cache
def places() -> dict[str, str]:
    """The module of each figure, by id."""
    folders = {ACROSS: "", **{paper: f"{paper}_" for paper in numbering.papers()}}
    return {f"{prefix}{found.name}": f"figures.{folder}.{found.name}" for folder, prefix in folders.items()
            for found in pkgutil.iter_modules([str(FOLDER / folder)])}


def module(identifier: str) -> FigureModule:
    """The figure of that id, or ``ValueError`` that names the nearest."""
    known = ids()
    if identifier not in known:
        near = difflib.get_close_matches(str(identifier), known, n=3, cutoff=0.3) or known[:3]
        raise ValueError(f"id must be one of the figures' (nearest: {', '.join(near)}), got id={identifier!r}")
    return cast(FigureModule, importlib.import_module(places()[identifier]))


def render(identifier: str, folder: Path) -> list[Path]:
    """Write ``data/ID.csv``, ``rendered/ID.pdf`` and ``rendered/ID.png`` into ``folder``.

    The table of a long run is the one in ``folder/data/runs`` if :func:`recompute` has put it there, else the
    committed.
    """
    chosen = module(identifier)
    data = style.rounded(chosen.tables(Path(folder) / "data" / "runs"))
    return style.save(chosen.draw(data), Path(folder), chosen.ID, data, chosen.ALT)


def render_all(folder: Path) -> list[Path]:
    """:func:`render` every figure."""
    return [path for identifier in ids() for path in render(identifier, folder)]


def recompute(identifier: str, folder: Path, jobs: int = 1, profile: str = "full") -> str | None:
    """Make the table of the long runs that a figure rests on again, resumable, and hold it against the committed one.

    The whole runs (``full``) take hours and go to ``folder/data/runs``, where :func:`render` finds them; a shorter
    profile (see :mod:`figures.profiles`) goes to ``folder/data/runs-PROFILE``.

    Returns
    -------
    Where the table differs from the committed one, empty where it does not; None for a figure without long runs, or
    without any that is this short.
    """
    chosen = profiles.profile(profile)
    make: Any = getattr(cast(ModuleType, module(identifier)), "recompute", None)
    if make is None:
        return None
    target = chosen.folder(Path(folder))
    with profiles.using(chosen):
        make(target, jobs)
    made = target / f"{identifier}.csv"
    return profiles.difference(made, TABLES / made.name, chosen) if made.is_file() else None
