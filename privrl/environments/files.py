"""An MDP of a reader's own from a file: arrays in an npz, or TOML for a small one.

    np.savez("mdp.npz", transitions=P, rewards=R, initial=rho)  # P (H, S, A, S), R (H, S, A)
    # P (S, A, S), R (S, A): the same at every step
    np.savez("mdp.npz", transitions=P, rewards=R, initial=rho, horizon=10)

A TOML file has the same names, arrays as lists of lists.
"""

import os
import tomllib
import zipfile
import zlib
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from privrl.checks import LARGEST_SIZES, MOST_NUMBERS, count, require
from privrl.paths import regular
from privrl.types import TabularMDP

NEEDED = ("transitions", "rewards", "initial")
OPTIONAL = ("horizon", "bernoulli")
HEADER_BYTES = 2**16  # bytes before the numbers of an array in a file: never more
LARGEST_ARRAYS = {  # bytes of the numbers of an array
    "transitions": 8 * MOST_NUMBERS,
    "rewards": 8 * MOST_NUMBERS,
    "initial": 8 * LARGEST_SIZES["states"],
    "horizon": 8,
    "bernoulli": 8,
}
DAMAGED = (  # what zipfile and numpy raise on a file that is not whole
    ValueError,
    KeyError,
    EOFError,
    TypeError,
    AttributeError,
    NotImplementedError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
)


def is_name(identifier: Any) -> bool:
    """Whether this is how a file with an MDP may be called: ``.npz`` or ``.toml`` at the end."""
    return isinstance(identifier, str) and Path(identifier).suffix in (".npz", ".toml")


def stamp(path: str) -> tuple[int, int]:
    """When a file was last written, and its size."""
    status = Path(path).stat()
    return status.st_mtime_ns, status.st_size


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
    require(isinstance(path, str | os.PathLike), "path must be a path", path=path)
    path = Path(path)
    require(is_name(path.name), "a file with an MDP must end in .npz or .toml", path=path.name)
    content = _toml(path) if path.suffix == ".toml" else _npz(path)
    _hold(path, list(content))
    try:
        if "horizon" in content:  # 0 is the record's own word for none
            count("horizon", content["horizon"])
        return TabularMDP(path.stem, **content)
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from None


def _hold(path: Path, names: Collection[str]) -> None:
    """Refuse a file that does not hold the arrays of an MDP, each once, or holds others."""
    fits = set(NEEDED) <= set(names) <= {*NEEDED, *OPTIONAL} and len(set(names)) == len(names)
    require(
        fits,
        f"{path.name} must hold {', '.join(NEEDED)}, and may hold {' and '.join(OPTIONAL)}",
        names=", ".join(names),
    )


def _npz(path: Path) -> dict[str, Any]:
    """The arrays; names and sizes, which stand at the end of the file, are looked at before one is
    unpacked."""
    members: list[zipfile.ZipInfo] = []
    arrays: dict[str, Any] = {}
    path = regular(path)
    try:
        with zipfile.ZipFile(path) as directory:
            members = directory.infolist()
    except DAMAGED as error:
        raise _damaged(path, error) from None
    sizes = [(member.filename.removesuffix(".npy"), member.file_size) for member in members]
    _hold(path, [name for name, _ in sizes])
    for name, size in sizes:
        most = LARGEST_ARRAYS[name] + HEADER_BYTES
        require(size <= most, f"{path.name}: {name} must take at most {most} bytes", bytes=size)
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name, _ in sizes}
    except DAMAGED as error:
        raise _damaged(path, error) from None
    for name, value in arrays.items():
        require(
            isinstance(value, np.ndarray), f"{path.name}: {name} must be an array", **{name: value}
        )
    return {name: value.item() if value.ndim == 0 else value for name, value in arrays.items()}


def _damaged(path: Path, error: Exception) -> ValueError:
    words = str(error).partition(". ")[0]
    if "allow_pickle" in words:  # an argument that nobody here can set, or should
        words = "pickled Python objects"
    return ValueError(
        f"{path.name} must be a whole npz of numbers, as numpy.savez writes, got {words}"
    )


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(regular(path).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{path.name} must be TOML, got {error}") from None
