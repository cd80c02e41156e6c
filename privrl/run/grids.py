"""Grids of settings: every combination of several values on every axis, from the command line or
from a TOML file.

epsilon = [0.5, 1, 2]          # or "0.5,1,2"
seed = "0:100"                 # 0 to 99

[[grid]]                       # with the settings above where it has none of its own
id = "vietri2020/riverswim-3"
agent = "pucb"
"""

import itertools
import json
import math
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from privrl.checks import LARGEST_SIZES, count, require
from privrl.paths import regular
from privrl.run.sweep import RunPlan

TEXT_COLUMNS = ("id", "agent", "counter", "calibration")
REALS = ("epsilon", "delta", "beta", "constant", "multiplier")
WHOLES = ("episodes", "seed", "every")
SINGLE_SETTINGS = ("stop_after", "replicates")
AXES = (*TEXT_COLUMNS, *REALS, *WHOLES)


def values(name: str, content: Any) -> tuple[Any, ...]:
    """What is asked for on an axis: one value, a list of them, or text such as ``0.5,1,2`` or
    ``0:100``.

    Examples
    --------
    >>> values("epsilon", "0.5,1"), values("seed", "2:5"), values("agent", ["pucb", "ubev"])
    ((0.5, 1.0), (2, 3, 4), ('pucb', 'ubev'))
    """
    if isinstance(content, (list, tuple)):
        require(len(content) > 0, f"{name} must have a value", **{name: content})
        nested = any(isinstance(item, (list, tuple)) for item in content)
        require(not nested, f"{name} must be a list of single values", **{name: content})
        return tuple(value for item in content for value in values(name, item))
    if not isinstance(content, str):
        return (content,)
    return tuple(value for piece in content.split(",") for value in _piece(name, piece))


def _piece(name: str, text: str) -> Sequence[Any]:
    if name in TEXT_COLUMNS:
        return (text,)
    if name in REALS:
        number = _number(text)
        require(not math.isnan(number), f"{name} must be a real number", **{name: text})
        return (number,)
    first, colon, last = text.strip().partition(":")
    if not colon:
        return (_whole(name, text, text),)
    low, high = _whole(name, first, text), _whole(name, last, text)
    require(low < high, f"{name} must be a range a:b with a < b", **{name: text})
    require(
        high - low <= LARGEST_SIZES["replicates"],
        f"{name} must have at most {LARGEST_SIZES['replicates']} values",
        **{name: text},
    )
    return range(low, high)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _whole(name: str, text: str, display: str) -> int:
    if text.lstrip("+-").isdecimal() and len(text) < 400:
        return int(text)
    number = _number(text)
    integral = math.isfinite(number) and number == int(number)
    require(
        integral,
        f"{name} must be a whole number" + (" or a range a:b" if name == "seed" else ""),
        **{name: display},
    )
    return int(number)


def grid(*grids: Mapping[str, Any]) -> tuple[RunPlan, ...]:
    """A plan for every combination of the values on all axes of each table of settings, in their
    order, each run once.

    Combinations that come to the same run are one, with the most replicates asked for: an agent
    without noise has no epsilon.

    Raises
    ------
    ValueError
        An unknown axis, several values where there can be one, a combination that no plan allows,
        or more than a million replicates.
    """
    plans: dict[str, RunPlan] = {}
    for axes, single, _ in map(_axes, grids):
        for chosen in itertools.product(*axes.values()):
            plan = RunPlan(**dict(zip(axes, chosen, strict=True)), **single)
            key = json.dumps(plan.settings(0), sort_keys=True)
            if key not in plans or plans[key].replicates < plan.replicates:
                plans[key] = plan
    return tuple(plans.values())


def size(*grids: Mapping[str, Any]) -> int:
    """Replicates of a grid, those counted twice that come to the same run."""
    return sum(_axes(settings)[2] for settings in grids)


def _named(content: Mapping[str, Any]) -> dict[str, Any]:
    """Settings by the names of a plan."""
    named = {name.replace("-", "_"): value for name, value in content.items()}
    require(
        len(named) == len(content),
        "a setting must be given once, with - or with _",
        settings=list(content),
    )
    return named


def _axes(content: Mapping[str, Any]) -> tuple[dict[str, tuple[Any, ...]], dict[str, Any], int]:
    """Values on every axis, the settings that have one, and the number of replicates."""
    named = {name: value for name, value in _named(content).items() if value is not None}
    for name in named:
        known = name in AXES or name in SINGLE_SETTINGS
        require(
            known, f"a setting must be one of {', '.join((*AXES, *SINGLE_SETTINGS))}", setting=name
        )
    require("id" in named, "a sweep must have an id", settings=list(named))
    single_values = {
        name: values(name, named.pop(name)) for name in SINGLE_SETTINGS if name in named
    }
    for name, several in single_values.items():
        require(len(several) == 1, f"{name} must be one number", **{name: several})
    axes = {name: values(name, named[name]) for name in AXES if name in named}
    single = {name: several[0] for name, several in single_values.items()}
    total = math.prod(len(several) for several in axes.values()) * count(
        "replicates", single.get("replicates", 1)
    )
    require(
        total <= LARGEST_SIZES["replicates"],
        f"a sweep must have at most {LARGEST_SIZES['replicates']} replicates",
        replicates=total,
    )
    return axes, single, total


def load(path: Path) -> list[dict[str, Any]]:
    """The settings of a TOML file, one mapping for each of its ``[[grid]]`` tables (or one for the
    file)."""
    try:
        content = tomllib.loads(regular(path).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(
            f"a file of settings must be TOML, got {Path(path).name}: {error}"
        ) from None
    grids = content.pop("grid", [{}])
    listed = (
        isinstance(grids, list) and bool(grids) and all(isinstance(grid_, dict) for grid_ in grids)
    )
    require(listed, "grid must be a list of tables: [[grid]]", grid=grids)
    return [{**_named(content), **_named(grid_)} for grid_ in grids]
