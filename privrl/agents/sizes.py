"""Problems of which only the sizes are known, and the noise that an agent puts on their sums:
before there is a world.

A calibration of the tabular and the LQ agents reads sizes alone. One of the linear agents reads the
norms of the features too; here these are the largest that the agent's paper allows (||phi_V|| <= H
of liao2021, sqrt(d) H of zhou2022), and the noise for features of one's own is at most this.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from privrl.agents import registry
from privrl.checks import planned_episodes
from privrl.privacy.counters import mechanisms


@dataclass(frozen=True)
class Draw:
    """The noise of one kind of sum."""

    sums: str  #: which
    law: str  #: ``laplace`` or ``gaussian``
    least: float  #: scale (Laplace) or standard deviation of a draw, over the steps
    most: float
    released: float  #: standard deviation of the noisiest release


def family(agent: str) -> str:
    """``tabular``, ``linear``, ``lq`` .., of an agent of the registry."""
    return registry.kind(agent).family


def paper(agent: str) -> str:
    """Whose small setting an agent has: its paper's, a successor that of the paper that it
    follows."""
    return registry.kind(agent).paper


def problem(
    agent: str, *, states: int, actions: int, horizon: int, dimension: int, gamma: float
) -> Any:
    """A problem of these sizes for an agent of the registry, which reads those that its family
    has."""
    return registry.family(agent).problem(
        registry.kind(agent).agent_class,
        states=states,
        actions=actions,
        horizon=horizon,
        dimension=dimension,
        gamma=gamma,
    )


def draws(agent: Any, problem: Any, planned: int) -> tuple[Draw, ...]:
    """The noise of an agent on a problem, for ``planned`` users; empty without noise."""
    planned = planned_episodes(planned)
    if agent.counter == "none":
        return ()
    calibration = agent.calibrate(problem, planned)
    law = getattr(calibration, "law", "gaussian")
    every: int = getattr(agent, "every", 1)
    cost = mechanisms.counter_cost(agent.counter, max(-(-planned // every) - 1, 1), law)
    grown = math.sqrt(cost.largest * (2 if law == "laplace" else 1))
    return tuple(
        Draw(sums, law, float(np.min(scales)), float(np.max(scales)), float(np.max(scales)) * grown)
        for sums, scales in registry.family_of(agent).scales(calibration).items()
    )
