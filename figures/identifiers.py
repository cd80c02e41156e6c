"""The ids of the figures, from the folders alone: nothing that draws is imported.

The figure PAPER_NAME is the module ``PAPER/NAME.py``, lemma_NAME is ``lemmas/NAME.py``, and NAME is
``across/NAME.py``.
"""

import functools
import pkgutil
from pathlib import Path

from theory import numbering

FOLDER = Path(__file__).resolve().parent
SHARED = {"across": "", "lemmas": "lemma_"}  # folder -> what its ids begin with


def ids() -> tuple[str, ...]:
    """All ids, in alphabetical order."""
    return tuple(sorted(places()))


@functools.cache
def places() -> dict[str, str]:
    """The module of each figure, by id."""
    folders = {**SHARED, **{paper: f"{paper}_" for paper in numbering.papers()}}
    return {
        f"{prefix}{module.name}": f"figures.{folder}.{module.name}"
        for folder, prefix in folders.items()
        for module in pkgutil.iter_modules([str(FOLDER / folder)])
    }
