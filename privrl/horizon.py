"""How many users an algorithm needs before it can start to learn, per counter and calibration.

PUCB's optimistic values stay at their cap H, and every action ties, until some count is so large that its bonus is
below H. While all noise stays within E_epsilon, a count after t episodes is at most t + E_epsilon. So no plan differs
from uniform play before the first T at which

    (H + 1) phi(T + E) + psi(T + E) < H        (vietri2020/algorithm-3, planned for T episodes).

That is necessary, not sufficient: burn-ins of real runs are longer.
"""

from __future__ import annotations

import bisect
import math
from dataclasses import dataclass

from privrl.agents.pucb import CALIBRATIONS, PUCB
from privrl.environments import random_mdp
from privrl.privacy import quantiles
from privrl.privacy.counters import COUNTERS
from privrl.types import Budget, TabularMDP, count, instance, real, require

LIMIT = 10**18


@dataclass(frozen=True)
class Start:
    """The first number of episodes at which learning is possible; ``episodes`` is None above ``searched``."""

    counter: str
    calibration: str
    episodes: int | None
    e_epsilon: float
    searched: int


def bonus(agent: PUCB, mdp: TabularMDP, planned: int, released: float) -> float:
    """(H + 1) phi~ + psi~ at a released count, for ``planned`` episodes; infinite where algorithm 3 has H."""
    made = instance("agent", agent, PUCB).calibrate(mdp, planned)
    released = real("released", released)
    require(math.isfinite(released), "released must be finite", released=released)
    if released < 2 * made.e_epsilon or released <= 0:
        return math.inf
    ratio = made.e_epsilon / released
    phi = math.sqrt(made.logarithm / max(released - made.e_epsilon, 1.0))
    return (mdp.horizon + 1) * phi + (1 + mdp.states * mdp.horizon) * (3 * ratio + 2 * ratio**2)


def start(agent: PUCB, states: int, actions: int, horizon: int) -> Start:
    """First T from which the largest possible count brings the bonus below H, by bisection.

    Rounded up by less than a thousandth.
    """
    instance("agent", agent, PUCB)
    # the certified quantile of a random walk ends where quantiles.MOST_TERMS says
    local = agent.counter == "local" and agent.calibration == "tight" and agent.delta == 0
    limit = quantiles.MOST_TERMS + 1 if local else LIMIT
    mdp = random_mdp(count("states", states), count("actions", actions), count("horizon", horizon), 0)

    def possible(planned: int) -> bool:
        width = agent.calibrate(mdp, planned).e_epsilon
        return bonus(agent, mdp, planned, planned + width) < mdp.horizon

    # a width is dear to compute, and the dearer the more releases: growing steps over the powers of two, then bisection
    powers = [*(2**k for k in range(1, limit.bit_length()) if 2**k < limit), limit]
    low, high = 0, 0
    while high < len(powers) and not possible(powers[high]):
        low, high = high + 1, 2 * high + 1
    first = bisect.bisect_left(powers, True, low, min(high, len(powers)), key=possible)
    if first == len(powers):
        return Start(agent.counter, agent.calibration, None, agent.calibrate(mdp, limit).e_epsilon, limit)
    high = powers[first]
    low = max(high // 2, 2)
    while high - low > max(1, high // 1000):
        middle = (low + high) // 2
        low, high = (low, middle) if possible(middle) else (middle, high)
    return Start(agent.counter, agent.calibration, high, agent.calibrate(mdp, high).e_epsilon, limit)


def starts(epsilon: float, delta: float, states: int, actions: int, horizon: int, beta: float) -> tuple[Start, ...]:
    """:func:`start` for every counter and calibration that is defined at (epsilon, delta)."""
    Budget(epsilon, delta)
    rows = []
    for counter in COUNTERS:
        for calibration in CALIBRATIONS if counter != "none" else ("printed",):
            if calibration == "printed" and (counter == "local" or (counter == "tree" and delta > 0)):
                continue
            rows.append(start(PUCB(math.inf if counter == "none" else epsilon, delta, beta, counter, calibration),
                              states, actions, horizon))
    return tuple(rows)
