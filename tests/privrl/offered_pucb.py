"""Arguments that the counters' and the horizon's entry points take; test_public replaces each by what cannot be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from privrl.agents.pucb import PUCB
from privrl.environments import random_mdp

TAKEN: dict[str, Callable[[], dict[str, Any]]] = {
    "agents.pucb.PUCB.logarithm": lambda: {"self": PUCB(1.0), "planned": 9},
    "horizon.crossing": lambda: {"agent": PUCB(1e5), "mdp": random_mdp(2, 2, 2, 0),
                                 "holds": lambda planned, width: planned > width},
    "horizon.limit": lambda: {"agent": PUCB(1e5), "mdp": random_mdp(2, 2, 2, 0)},
    "privacy.mechanisms.most_releases": lambda: {"name": "sqrt", "width": 9},
}
