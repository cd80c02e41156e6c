"""Arguments that the widths of the LQ agents take; test_public replaces each, one at a time, by what cannot be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

TAKEN: dict[str, Callable[[], dict[str, Any]]] = {
    "agents.lq.widths.norm_widths": lambda: {"variances": [1.0, 2.0], "numbers": [2.0, 1.0], "states": 1,
                                             "dimension": 2, "failure": 0.025},
}
KIND = {"agents.lq.widths.norm_widths.variances": "arrays", "agents.lq.widths.norm_widths.numbers": "arrays"}
