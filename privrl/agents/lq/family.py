"""What holds for every LQ agent: systems of given sizes, noise, and the contract's pairs."""

import dataclasses
import math
from typing import Any

import numpy as np

from privrl.checks import count, positive, require
from privrl.environments.lq import LQSystem, lq_instance, lq_scalar

PURE = False  #: whether delta = 0 is Laplace noise
READS = ("states", "actions", "gamma")  #: sizes that the noise depends on, beside the horizon
#: the smallest entry of the suite that there are committed runs on
RECORDED = "chowdhury2021/scalar"


def alike(agent: Any) -> list[tuple[LQSystem, LQSystem]]:
    """Pairs of problems that agree in all that the agent is told, and differ in what it has to
    learn."""
    return [
        (system, dataclasses.replace(system, A=-0.8 * system.A, B=0.9 * system.B))
        for system in (lq_scalar(), lq_instance(2, 1))
    ]


def problem(
    agent: type[Any], *, states: int, actions: int, horizon: int, gamma: float, **_: float
) -> LQSystem:
    """A system of these sizes; ``actions`` are its controls."""
    return system(states, actions, horizon, gamma)


def system(states: int, controls: int, horizon: int, gamma: float, noise: float = 0.1) -> LQSystem:
    """A chain of states within assumption 1 of chowdhury2021, Q and R the identity, C_w =
    ``noise``."""
    n, d = count("states", states), count("controls", controls)
    require(
        max(n, d) <= 100, "states and controls of an LQ system must be <= 100", states=n, controls=d
    )
    small = 0.3 / math.sqrt(n) / max(1.0, positive("gamma", gamma))
    return LQSystem(
        "sizes",
        np.eye(n, k=-d) * 0.5 / math.sqrt(n),
        np.eye(n, d) * small,
        np.eye(n),
        np.eye(d),
        np.zeros(n),
        count("horizon", horizon),
        gamma,
        noise,
    )


def scales(calibration: Any) -> dict[str, Any]:
    """Scales of a draw by the sums that they are put on."""
    return {"Z'Z": calibration.sigma_gram, "Z'X": calibration.sigma_cross}
