"""Private reinforcement learning, reproduced.

Algorithms that plan optimistically on privatised statistics.

>>> from privrl import PUCB, simulate, suite
>>> mdp = suite.environment("vietri2020/riverswim-3")
>>> agent = PUCB(epsilon=1.0)
>>> run = simulate.run("vietri2020/riverswim-3", mdp, agent, episodes=1000, replicates=2, seed=7)
>>> run.regret.shape[0]
2

Every name of ``__init__.pyi`` is loaded when it is asked for.
"""

import ast
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from privrl import _cache as _cache  # sets numba's cache folder: first, before numba is imported


def _places() -> dict[str, str]:
    """The module that each name of the stub is imported from."""
    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names}


_PLACES = _places()
__all__ = list(_PLACES)  # derived from the stub


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return version("privrl")
    if name not in _PLACES:
        raise AttributeError(f"module 'privrl' has no attribute {name!r}")
    place = _PLACES[name]
    if place != __name__ and hasattr(home := import_module(place), name):
        return getattr(home, name)
    return import_module(f"{place}.{name}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
