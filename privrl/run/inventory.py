"""What a store holds: replicates counted by sweep, what other code has computed, what is damaged,
what to remove."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privrl._cache import code_hash
from privrl.agents import registry
from privrl.checks import require
from privrl.run import sweep
from privrl.run.store import Store

INVENTORY_COLUMNS = (
    "id",
    "agent",
    "counter",
    "calibration",
    "epsilon",
    "planned",
    "last",
    "seeds",
    "replicates",
    "state",
)


@dataclass(frozen=True)
class Inventory:
    """A store at one moment.

    Parameters
    ----------
    rows : one for every sweep and state, columns as in ``INVENTORY_COLUMNS``. State is ``current``
        (a sweep of now would take it), ``other code`` (code, versions or environment have changed
        since), ``other kind`` (not a sweep's, for instance counts of a figure), or ``damaged``
    files : by state
    """

    store: Store
    rows: list[dict[str, Any]]
    files: dict[str, list[Path]]

    @property
    def total(self) -> int:
        """Number of files."""
        return sum(map(len, self.files.values()))


def _state(settings: Mapping[str, Any]) -> str:
    identifier, agent = settings.get("id"), settings.get("agent")
    if agent not in registry.names() or "replicate" not in settings:
        return "other kind"
    try:
        environment = sweep.environment_hash(str(identifier))
    except (OSError, ValueError):  # an entry or a file that is no more
        return "other code"
    now = {"environment": environment, "code": code_hash(), "versions": sweep.versions()}
    return (
        "current"
        if all(settings.get(name) == value for name, value in now.items())
        else "other code"
    )


def take(folder: Path) -> Inventory:
    """Read every file of a store."""
    store, groups, files = Store(folder), dict[str, dict[str, Any]](), dict[str, list[Path]]()
    for stored in store.listing():
        settings = stored.settings or {}
        common = {
            name: value for name, value in settings.items() if name not in ("seed", "replicate")
        }
        group = "" if stored.settings is None else json.dumps(common, sort_keys=True)
        if group not in groups:
            settings_ = {
                name: settings.get("stop_after" if name == "last" else name, "")
                for name in INVENTORY_COLUMNS
            }
            state = _state(settings) if group else "damaged"
            groups[group] = {**settings_, "seeds": set(), "replicates": 0, "state": state}
        row = groups[group]
        row["replicates"] += 1
        row["seeds"].add(settings.get("seed"))
        files.setdefault(row["state"], []).append(stored.path)
    rows = [{**row, "seeds": len(row["seeds"])} for row in groups.values()]
    return Inventory(
        store, sorted(rows, key=lambda row: [str(row[name]) for name in INVENTORY_COLUMNS]), files
    )


def prune(inventory: Inventory, *, foreign: bool = False) -> int:
    """Remove what is damaged and what killed writers have left, with ``foreign`` also what other
    code has computed.

    Returns the number of files removed. Safe while sweeps run: a replicate that is written anew
    meanwhile stays.

    Raises
    ------
    ValueError
        A folder without one sound replicate: it may be another than was meant.
    """
    damaged = inventory.files.get("damaged", [])
    require(
        len(damaged) < inventory.total,
        "folder to prune must hold a sound replicate",
        folder=str(inventory.store.folder),
    )
    removed = sum(inventory.store.remove(path) for path in damaged)
    for path in [
        *inventory.store.abandoned(),
        *(inventory.files.get("other code", []) if foreign else ()),
    ]:
        path.unlink(missing_ok=True)
        removed += 1
    return removed
