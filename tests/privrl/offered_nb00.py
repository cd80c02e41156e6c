"""What the test of bad input offers to the power of the audit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from privrl.audit_power import Case

CASE = Case("power", "two sums", "tree", "gaussian", "shared", 3, 100)

TAKEN: dict[str, Callable[[], dict[str, Any]]] = {
    "audit_power.cases": lambda: {"kind": "power"},
    "audit_power.repeat": lambda: {"case": CASE, "repetitions": 2, "seed": 0, "alpha": 0.1},
    "audit_power.trials_for": lambda: {"counter": "tree", "law": "laplace", "fault": "shared"},
}
LEFT_OUT = {"plain records; a case is checked where it is attacked": {"audit_power.Case", "audit_power.Outcome"}}
