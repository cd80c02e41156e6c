"""Problems of which only the sizes are known, and the noise that an agent puts on their sums: before there is a world.

A calibration of the tabular and the LQ agents reads sizes alone. One of the linear agents reads the norms of the
features too; here these are the largest that the agent's paper allows (||phi_V|| <= H of liao2021, sqrt(d) H of
zhou2022), and the noise for features of one's own is at most this.
"""

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from privrl.agents import registry
from privrl.environments.linear_mixture import mixture
from privrl.environments.lq import LQSystem
from privrl.privacy.counters import mechanisms
from privrl.types import TabularMDP, count, planned_episodes, positive, require

_PAPERS = {"ldp-ucrl-vtr": "liao2021", "ucrl-vtr": "liao2021"}
_FAMILIES = {"tabular": "vietri2020", "linear": "zhou2022", "lq": "chowdhury2021"}


@dataclass(frozen=True)
class Draw:
    """The noise of one kind of sum."""

    sums: str  #: which
    law: str  #: ``laplace`` or ``gaussian``
    least: float  #: scale (Laplace) or standard deviation of a draw, over the steps
    most: float
    released: float  #: standard deviation of the noisiest release


def family(agent: str) -> str:
    """``tabular``, ``linear`` or ``lq``, of an agent of the registry."""
    return registry.kind(agent).module.split(".")[2]


def paper(agent: str) -> str:
    """Whose small setting an agent has: its paper's, a successor that of the paper that it follows."""
    return _PAPERS.get(agent, _FAMILIES[family(agent)])


def tabular(states: int, actions: int, horizon: int) -> TabularMDP:
    """Every next state equally likely, every reward a coin."""
    S, A, H = count("states", states), count("actions", actions), count("horizon", horizon)
    require(H * S**2 * A <= 10**8, "horizon * states^2 * actions must be <= 10^8", states=S, actions=A, horizon=H)
    return TabularMDP("sizes", np.full((S, A, S), 1 / S), np.full((S, A), 0.5), np.full(S, 1 / S), horizon=H)


def lq(states: int, controls: int, horizon: int, gamma: float, noise: float = 0.1) -> LQSystem:
    """A chain of states within assumption 1 of chowdhury2021, Q and R the identity, C_w = ``noise``."""
    n, d = count("states", states), count("controls", controls)
    require(max(n, d) <= 100, "states and controls of an LQ system must be <= 100", states=n, controls=d)
    small = 0.3 / math.sqrt(n) / max(1.0, positive("gamma", gamma))
    return LQSystem("sizes", np.eye(n, k=-d) * 0.5 / math.sqrt(n), np.eye(n, d) * small, np.eye(n), np.eye(d),
                    np.zeros(n), count("horizon", horizon), gamma, noise)


def problem(agent: str, *, states: int, actions: int, horizon: int, dimension: int, gamma: float) -> Any:
    """A problem of these sizes for an agent of the registry, which reads those that its family has."""
    kind = family(agent)
    if kind == "tabular":
        return tabular(states, actions, horizon)
    if kind == "lq":
        return lq(states, actions, horizon, gamma)
    d = count("dim", dimension, 2)
    require(d <= 100, "dim must be <= 100", dim=d)
    made = mixture(d, count("horizon", horizon), scaled=agent in ("ldp-ucrl-vtr", "ucrl-vtr"))
    return dataclasses.replace(made, theta_p_bound=math.sqrt(d), theta_r_bound=math.sqrt(d), block_bound=math.sqrt(d))


def draws(agent: Any, made: Any, planned: int) -> tuple[Draw, ...]:
    """The noise of an agent on a problem, for ``planned`` users; empty without noise."""
    planned = planned_episodes(planned)
    if agent.counter == "none":
        return ()
    found = agent.calibrate(made, planned)
    law = getattr(found, "law", "gaussian")
    cost = mechanisms.counter_cost(agent.counter, planned - 1, law)
    grown = math.sqrt(cost.largest * (2 if law == "laplace" else 1))
    return tuple(Draw(sums, law, float(np.min(scales)), float(np.max(scales)), float(np.max(scales)) * grown)
                 for sums, scales in _scales(found).items())


def _scales(found: Any) -> dict[str, Any]:
    """Scales of a draw by the sums that they are put on, as each family's calibration has them; 0 is no release."""
    if hasattr(found, "ratios"):
        return {"rewards": found.scale * np.array(found.ratios), "visits by next state": found.scale}
    if hasattr(found, "scale"):
        return {"visits, rewards, visits by next state": found.scale}
    if hasattr(found, "sigma_gram"):
        return {"Z'Z": found.sigma_gram, "Z'X": found.sigma_cross}
    every = {"phi phi'": found.transitions.gram, "phi V": found.transitions.vector, "varphi varphi'":
             found.rewards.gram, "varphi r": found.rewards.vector}
    return {sums: scales[scales > 0] for sums, scales in every.items() if (scales > 0).any()}
