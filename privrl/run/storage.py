"""What a store holds: replicates counted by sweep, what other code has computed, what is damaged, what to remove."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privrl._cache import code_hash
from privrl.agents import registry
from privrl.environments import suite
from privrl.run import sweep
from privrl.run.store import Store, Stored
from privrl.types import require

COLUMNS = ("id", "agent", "counter", "calibration", "epsilon", "planned", "last", "seeds", "replicates", "state")
_NAMES = {"last": "stop_after"}  # in the settings of a replicate


@dataclass(frozen=True)
class Listing:
    """A store at one moment.

    Parameters
    ----------
    rows : one for every sweep and state, columns as in ``COLUMNS``. State is ``current`` (a sweep of now would take
        it), ``other code`` (code, versions or environment have changed since), ``other kind`` (not a sweep's, for
        instance counts of a figure), or ``damaged``
    """

    store: Store
    rows: list[dict[str, Any]]
    total: int
    damaged: list[Path]
    other: list[Path]


def _state(settings: Mapping[str, Any]) -> str:
    identifier, agent = settings.get("id"), settings.get("agent")
    if agent not in registry.names() or "replicate" not in settings:
        return "other kind"
    if identifier not in suite.ids():
        return "other code"
    now = {"environment": sweep.environment_hash(identifier), "code": code_hash(),
           "versions": sweep.versions()}
    return "current" if all(settings.get(name) == value for name, value in now.items()) else "other code"


def listing(folder: Path) -> Listing:
    """Read every file of a store.

    Raises
    ------
    ValueError
        The folder does not exist.
    """
    store = Store(folder)
    counts: dict[str, dict[str, Any]] = {}
    states: dict[str, str] = {}
    damaged: list[Path] = []
    other: list[Path] = []
    total = 0
    for stored in store.listing():
        total += 1
        group, state = _group(stored, states)
        if state == "damaged":
            damaged.append(stored.path)
        elif state == "other code":
            other.append(stored.path)
        if group not in counts:
            settings = stored.settings or {}
            shown = {name: settings.get(_NAMES.get(name, name), "") for name in COLUMNS}
            counts[group] = {**shown, "seeds": set(), "replicates": 0, "state": state}
        counts[group]["replicates"] += 1
        counts[group]["seeds"].add((stored.settings or {}).get("seed"))
    for row in counts.values():
        row["seeds"] = len(row["seeds"])
    rows = sorted(counts.values(), key=lambda row: [str(row[name]) for name in COLUMNS])
    return Listing(store, rows, total, damaged, other)


def _group(stored: Stored, states: dict[str, str]) -> tuple[str, str]:
    """All settings but seed and replicate, and the state that belongs to them."""
    if stored.settings is None:
        return "", "damaged"
    common = {name: value for name, value in stored.settings.items() if name not in ("seed", "replicate")}
    group = json.dumps(common, sort_keys=True)
    if group not in states:
        states[group] = _state(stored.settings)
    return group, states[group]


def prune(kept: Listing, *, other: bool = False) -> int:
    """Remove what is damaged and what killed writers have left, with ``other`` also what other code has computed.

    Returns the number of files removed. Safe while sweeps run: a replicate that is written anew meanwhile stays.

    Raises
    ------
    ValueError
        A folder without one sound replicate: it may be another than was meant.
    """
    require(len(kept.damaged) < kept.total, "folder to prune must hold a sound replicate",
            folder=str(kept.store.folder))
    removed = sum(kept.store.remove(path) for path in kept.damaged)
    for path in [*kept.store.abandoned(), *(kept.other if other else ())]:
        path.unlink(missing_ok=True)
        removed += 1
    return removed
