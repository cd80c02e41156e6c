"""Every figure by its id; the list is derived from the folders: one per paper, ``lemmas`` for what
several papers use, and ``across`` for the rest.

Which module an id names: :mod:`figures.identifiers`. The module has

    MESSAGE   what it shows, in one line: the title
    CAPTION   what is drawn, in full sentences
    ALT       what the picture shows, for those who do not see it
    tables(folder) -> dict of DataFrames, the data that are drawn; ``folder`` may have tables of
    long runs draw(tables) -> Figure, from these data alone, in the project's style

and, where it rests on long runs, ``recompute(path, jobs)``, which makes their table again.
"""

import difflib
import importlib
import io
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from figures import profiles, style
from figures.identifiers import FOLDER, ids, places
from figures.runs import TABLES

DATA, RENDERED = FOLDER / "data", FOLDER / "rendered"


@dataclass(frozen=True)
class FigureEntry:
    """A figure: its module's texts, white space folded, and functions; ``recompute`` where it has
    long runs."""

    id: str
    doc: str
    message: str
    caption: str
    alt: str
    tables: Callable[..., dict[str, pd.DataFrame]]
    draw: Callable[[dict[str, pd.DataFrame]], Figure]
    recompute: Callable[[Path, int], None] | None


def figure(identifier: str) -> FigureEntry:
    """The figure of that id, or ``ValueError`` that names the nearest."""
    known = ids()
    if identifier not in known:
        near = difflib.get_close_matches(str(identifier), known, n=3, cutoff=0.3) or known[:3]
        raise ValueError(
            f"id must be one of the figures' (nearest: {', '.join(near)}), got id={identifier!r}"
        )
    module = importlib.import_module(places()[identifier])
    caption, alt = (" ".join(text.split()) for text in (module.CAPTION, module.ALT))
    return FigureEntry(
        identifier,
        module.__doc__ or "",
        module.MESSAGE,
        caption,
        alt,
        module.tables,
        style.styled(lambda tables: style.entitled(module.draw(tables), module.MESSAGE)),
        getattr(module, "recompute", None),
    )


def committed(identifier: str) -> dict[str, pd.DataFrame]:
    """The tables of the committed ``data/ID.csv``, by name; where it has one alone, by whatever
    name. `make reproduce` computes them again."""
    path = DATA / f"{figure(identifier).id}.csv"
    together = pd.read_csv(path, dtype=str, keep_default_na=False)
    if "table" not in together:
        table = _typed(together)
        return defaultdict(lambda: table, {identifier: table})
    return {
        str(name): _typed(rows.drop(columns="table")).dropna(axis=1, how="all")
        for name, rows in together.groupby("table", sort=False)
    }


def _typed(words: pd.DataFrame) -> pd.DataFrame:
    """A table of words with its numbers read, each column for itself; numerals that are names stay
    words."""
    text = io.StringIO(words.to_csv(index=False))
    return pd.read_csv(text, dtype={"action": str}, keep_default_na=False, na_values=[""])


def render(identifier: str, folder: Path, *, pdf: bool = False) -> list[Path]:
    """Write ``data/ID.csv``, ``rendered/ID.png`` and, for print, ``rendered/ID.pdf`` into
    ``folder``.

    The table of a long run is the one in ``folder/data/runs`` if :func:`recompute` has put it
    there, else the committed.
    """
    chosen = figure(identifier)
    data = style.rounded(chosen.tables(Path(folder) / "data" / "runs"))
    return style.save(chosen.draw(data), Path(folder), identifier, data, chosen.alt, pdf=pdf)


def render_all(folder: Path) -> list[Path]:
    """:func:`render` every figure."""
    return [path for identifier in ids() for path in render(identifier, folder)]


def recompute(identifier: str, folder: Path, jobs: int = 1, profile: str = "full") -> str | None:
    """Make the table of the long runs that a figure rests on again, resumable, and hold it against
    the committed one.

    The whole runs (``full``) take hours and go to ``folder/data/runs``, where :func:`render` finds
    them; a shorter profile (see :mod:`figures.profiles`) goes to ``folder/data/runs-PROFILE``.

    Returns
    -------
    Where the table differs from the committed one, empty where it does not; None for a figure
    without long runs, or without any that is this short.
    """
    chosen = profiles.profile(profile)
    make = figure(identifier).recompute
    if make is None:
        return None
    remade = chosen.folder(Path(folder)) / f"{identifier}.csv"
    with profiles.using(chosen):
        make(remade, jobs)
    return profiles.difference(remade, TABLES / remade.name, chosen) if remade.is_file() else None
