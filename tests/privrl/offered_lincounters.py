"""What the linear agents over better counters are made of; see test_public."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

TAKEN: dict[str, Callable[[], dict[str, Any]]] = {}
LEFT_OUT = {
    "what the linear agents over better counters are made of; arguments come checked": {
        "agents.linear.learner.Growth", "agents.linear.widths.sensitivity"},
}
