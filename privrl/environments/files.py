"""An MDP of a reader's own from a file: arrays in an npz, or TOML for a small one.

    np.savez("mdp.npz", transitions=P, rewards=R, initial=rho)                 # P (H, S, A, S), R (H, S, A)
    np.savez("mdp.npz", transitions=P, rewards=R, initial=rho, horizon=10)     # P (S, A, S), R (S, A)

A TOML file has the same names, arrays as lists of lists.
"""

import os
import tomllib
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from privrl.types import TabularMDP, require

NEEDED = ("transitions", "rewards", "initial")
OPTIONAL = ("horizon", "bernoulli")


def is_name(identifier: Any) -> bool:
    """Whether this is how a file with an MDP may be called: ``.npz`` or ``.toml`` at the end."""
    return isinstance(identifier, str) and Path(identifier).suffix in (".npz", ".toml")


def stamp(path: str) -> tuple[int, int]:
    """When a file was last written, and its size."""
    found = Path(path).stat()
    return found.st_mtime_ns, found.st_size


def holds_mdp(path: str) -> bool:
    """Whether a file is meant as an MDP: an npz, or TOML with transitions."""
    return Path(path).suffix == ".npz" or "transitions" in _toml(Path(path))


def load_mdp(path: str | os.PathLike[str]) -> TabularMDP:
    """The MDP of a file, under the file's name.

    Raises
    ------
    ValueError
        A file that cannot be read as what its ending says, lacks an array, or holds what is no MDP.
    """
    path = Path(path)
    require(is_name(path.name), "a file with an MDP must end in .npz or .toml", path=path.name)
    found = _toml(path) if path.suffix == ".toml" else _npz(path)
    fits = set(NEEDED) <= set(found) <= {*NEEDED, *OPTIONAL}
    require(fits, f"{path.name} must hold {', '.join(NEEDED)}, and may hold {' and '.join(OPTIONAL)}",
            names=", ".join(found))
    try:
        return TabularMDP(path.stem, **found)
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from None


def _npz(path: Path) -> dict[str, Any]:
    try:
        with np.load(path, allow_pickle=False) as found:
            read = {name: found[name] for name in found.files}
    except (ValueError, KeyError, EOFError, TypeError, AttributeError, NotImplementedError, RuntimeError,
            zipfile.BadZipFile, zlib.error) as error:
        words = str(error).partition(". ")[0]
        raise ValueError(f"{path.name} must be a whole npz of numbers, as numpy.savez writes, got {words}") from None
    return {name: value.item() if value.ndim == 0 else value for name, value in read.items()}


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{path.name} must be TOML, got {error}") from None
