"""How many users it took in committed runs."""

from __future__ import annotations

import csv
import importlib
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privrl.cli.advice.asked import Asked


def words(asked: Asked) -> list[str]:
    """What committed runs say."""
    if asked.between:
        return _between_trusts(asked)
    if not asked.delta:
        return ["no run with delta 0 is recorded whose noise suffices"]
    recorded = _best(asked.family, asked.trust == "none", asked.epsilon)
    return [f"At {_sizes(asked)}, delta 1e-6: {recorded}"]


def _between_trusts(asked: Asked) -> list[str]:
    """The best of the runs between a server and none, with no more epsilon than is asked for."""
    from privrl.horizon import trust

    rows = [
        row
        for row in trust.MEASURED_USERS
        if row.counter == asked.trust and trust.AGENTS[row.problem] == asked.name
    ]
    within = [row for row in rows if row.epsilon <= asked.epsilon]
    if not rows:
        return []
    if not within:
        least = min(row.epsilon for row in rows)
        return [f"nothing was run with epsilon below {least:g} (docs/trust.md)"]
    row = min(within, key=lambda row: row.median)
    text = (
        f"{row.median:,} on {Path(row.problem).name}, epsilon {row.epsilon:g}, of "
        f"{row.planned:,} planned (docs/trust.md)"
    )
    return [text]


def _entry(family: str) -> str:
    """The smallest of the suite that the agents of a family have committed runs on."""
    entry: str = importlib.import_module(f"privrl.agents.{family}.family").RECORDED
    return entry


def _sizes(asked: Asked) -> str:
    """Of that entry, named as the options are."""
    from privrl.privacy.audit import entries

    sizes = entries.setting(_entry(asked.family), 1)
    fields = {"dim": "dimension", "controls": "actions"}
    return ", ".join(f"{name} {getattr(sizes, fields.get(name, name))}" for name in asked.sizes)


def _best(family: str, local: bool, epsilon: float) -> str:
    """The best of the committed runs with noise that the guarantee needs, on the smallest problem
    of a family."""
    name, table = (
        ("chowdhury2021_counters", "facts") if family == "lq" else ("advice_users", "lines")
    )
    rows = [
        row
        for row in _table(name)
        if row["table"] == table
        and row["calibration"] != "printed"
        and (row["counter"] == "local") == local
        and float(row["epsilon"]) <= epsilon
        and row.get("problem", "lq") == family
    ]
    reached = [row for row in rows if row["burn_in"] not in ("", "inf")]
    if not rows:
        return f"nothing was run with so little epsilon{_tuned(family, local, epsilon)}"
    if not reached:
        most = max(float(row["tried"]) for row in rows)
        return f"nothing has learnt within {most:,.0f} users{_tuned(family, local, epsilon)}"
    best = min(reached, key=lambda row: float(row["burn_in"]))
    users, entry = float(best["burn_in"]), Path(_entry(family)).name
    return (
        f"{users:,.0f} on {entry}: {best['agent']}, {best['calibration']}, {best['counter']}, "
        f"epsilon {best['epsilon']} ({name}.csv){_tuned(family, local, epsilon)}"
    )


def _tuned(family: str, local: bool, epsilon: float) -> str:
    """The best of the committed runs whose widths were narrowed by a multiplier that other
    instances chose, and its twin with proved widths."""
    rows = [
        row
        for row in _table("tuned_users")
        if row["entry"] == _entry(family)
        and row["counter"] != "none"
        and (row["counter"] == "local") == local
        and float(row["epsilon"]) <= epsilon
    ]
    reached = [row for row in rows if row["kind"] == "tuned" and row["burn_in"] != "inf"]
    if not reached:
        return ""
    best = min(reached, key=lambda row: float(row["burn_in"]))
    twin = next(
        (
            f", {float(row['burn_in']):,.0f} without"
            for row in rows
            if row["burn_in"] != "inf"
            and [row[key] for key in ("kind", "agent", "epsilon")]
            == ["tight", best["agent"], best["epsilon"]]
        ),
        "",
    )
    return (
        f"; {float(best['burn_in']):,.0f} with {best['agent']} and "
        f"multiplier={best['multiplier']} at epsilon {best['epsilon']}{twin}; {best['failed']} "
        f"of {best['runs']} failed (tuned_users.csv)"
    )


def _table(name: str) -> list[dict[str, str]]:
    """Rows of a committed table of the figures; their own reader loads pandas, which is slow to
    import."""
    with (resources.files("figures") / "data" / f"{name}.csv").open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))
