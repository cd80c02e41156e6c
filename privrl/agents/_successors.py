"""What the two successors of PUCB share: parameters, noise at exact cost, and widths over any counter."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from privrl.agents.pucb import chernoff_width
from privrl.privacy import accounting, counters, mechanisms, quantiles
from privrl.privacy.matrix import Cost, union_quantile
from privrl.types import Budget, choice, planned_episodes, probability, real, require

CALIBRATIONS = ("corrected", "tight")
BLOCKS = (1.02, 1.05, 1.1, 1.15, 1.2, 1.3, 1.5)  # growth of the blocks of visits, the best of these


def known(agent: Any) -> None:
    """Check epsilon, delta, beta, counter and calibration of a frozen agent, and store the numbers as floats."""
    choice("counter", agent.counter, mechanisms.MECHANISMS)
    choice("calibration", agent.calibration, CALIBRATIONS)
    object.__setattr__(agent, "beta", probability("beta", agent.beta))
    endless = agent.counter == "none" and real("epsilon", agent.epsilon) == math.inf
    budget = Budget(1.0 if endless else agent.epsilon, agent.delta)
    object.__setattr__(agent, "epsilon", math.inf if endless else budget.epsilon)
    object.__setattr__(agent, "delta", budget.delta)
    if agent.counter != "none":
        laws = mechanisms.laws(agent.counter)
        require(law_of(agent) in laws, f"the counter {agent.counter} must have {' or '.join(laws)} noise "
                "(laplace: delta = 0, gaussian: delta > 0)", delta=agent.delta)


def law_of(agent: Any) -> str:
    """Of the draws: ``laplace`` at delta = 0, ``gaussian`` above."""
    return "gaussian" if agent.delta > 0 else "laplace"


def cost_of(agent: Any, planned: int, sums: int) -> Cost:
    """What the counter costs that serves the planned - 1 releases of a run, of so many sums."""
    most = mechanisms.most_releases(agent.counter, sums)
    require(planned - 1 <= most, f"episodes must be <= {most + 1} over the counter {agent.counter}", episodes=planned)
    return mechanisms.counter_cost(agent.counter, planned - 1, law_of(agent))


def scale_of(agent: Any, cost: Cost, l1: float, l2: float) -> float:
    """Scale of a draw that gives (epsilon, delta) when a user changes all sums together by l1, or in l2 by l2."""
    if cost.law == "gaussian":
        return l2 * cost.sensitivity / accounting.gaussian_mu(agent.epsilon, agent.delta)
    return l1 * cost.sensitivity / float(agent.epsilon)


def elementary(cost: Cost, releases: int, level: float) -> float:
    """What the noise of one sum exceeds at some release with probability ``level`` at most, in closed form."""
    if cost.law == "gaussian":
        return math.sqrt(2 * cost.largest * math.log(2 * releases / level))
    return chernoff_width(level / releases, round(cost.largest))


def several(counter: str, cost: Cost, number: int, releases: int, level: float) -> float:
    """The same of ``number`` independent sums added up, Laplace draws, certified.

    ``local``: a walk with so many draws a step, by Levy's inequality. Else by the union over releases.
    """
    if counter == "local":
        return quantiles.local_quantile(level, releases * number)
    return union_quantile(dataclasses.replace(cost, variances=cost.variances * number), level)


def blocks(number: int, visits: int, level: float) -> tuple[float, float]:
    """(eta, l) of least product: ``number`` processes fail within ``visits`` steps with probability ``level`` at most.

    An inequality with failure probability exp(-l) that covers the first j sums at once is used at j = floor(eta^i),
    i = 0, 1, ..: it covers every number n of steps, with j < eta n.
    """
    found = []
    for eta in BLOCKS:
        ends = math.ceil(math.log(visits) / math.log(eta)) + 2
        found.append((eta, math.log(number * ends / level)))
    return min(found, key=lambda one: one[0] * one[1])


def hoeffding(number: int, visits: int, level: float, tight: bool) -> float:
    """L: each of ``number`` sums of n terms in [0, 1] stays above its mean - sqrt(n L/2) for n <= visits."""
    single = math.log(number * visits / level)
    return min(single, math.prod(blocks(number, visits, level))) if tight else single


def stream(agent: Any, planned: int, sums: int, scale: float, rng: np.random.Generator) -> counters.Counter:
    """The counter's stream for a run of ``planned`` episodes."""
    releases = max(planned_episodes(planned) - 1, 1)
    return mechanisms.make(agent.counter, sums, releases, scale or 1.0, rng, law_of(agent))
