"""Arguments that the successors' entry points take; test_public replaces each, one at a time, by what cannot be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from privrl.agents.tabular.dp_ucbvi import DPUCBVI
from privrl.agents.tabular.private_ucbvi import PrivateUCBVI
from privrl.environments import random_mdp

MDP = random_mdp(2, 2, 2, seed=0)


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def _verbs(name: str, agent: Any) -> dict[str, Callable[[], dict[str, Any]]]:
    return {
        name: lambda: {"epsilon": 1.0, "delta": 1e-6, "beta": 0.1, "counter": "blt", "calibration": "tight"},
        f"{name}.calibrate": lambda: {"self": agent, "mdp": MDP, "planned": 100},
        f"{name}.noise": lambda: {"self": agent, "mdp": MDP, "planned": 100, "rng": rng()},
        f"{name}.start": lambda: {"self": agent, "mdp": MDP, "planned": 100, "checkpoints": [1, 9]},
    }


TAKEN: dict[str, Callable[[], dict[str, Any]]] = {
    **_verbs("agents.tabular.private_ucbvi.PrivateUCBVI", PrivateUCBVI(1.0, 1e-6, counter="blt")),
    **_verbs("agents.tabular.dp_ucbvi.DPUCBVI", DPUCBVI(1.0, 1e-6, counter="blt")),
    "agents.tabular.private_ucbvi.width": lambda: {"mdp": MDP},
    "horizon_successors.slack": lambda: {"agent": PrivateUCBVI(1.0, 1e-6, counter="blt"), "mdp": MDP, "planned": 100},
    "horizon_successors.start": lambda: {"agent": PrivateUCBVI(50.0, 1e-3, counter="blt"), "states": 2, "actions": 2,
                                         "horizon": 2},
    "horizon_successors.starts": lambda: {"epsilon": 50.0, "delta": 1e-3, "states": 1, "actions": 2, "horizon": 1,
                                          "beta": 0.1},
}
KIND = dict.fromkeys(("horizon_successors.slack.agent", "horizon_successors.start.agent"), "MDP")
FREE_TEXT: set[str] = set()
