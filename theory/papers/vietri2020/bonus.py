"""The bonus of algorithm 3, for floats, arrays and balls: what the checks of optimism, of the gap,
of the sum of the bonuses and of what policies tell have in common.

That it is the planner's is checked in :func:`theory.papers.vietri2020.gap.bonuses_of_the_agent`.
"""

from math import sqrt
from typing import Any


def confidence(states: int, horizon: int, phi: Any, share: Any) -> Any:
    """conf~ = (H + 1) phi~ + psi~ with psi~ = (1 + SH) (3 E/n~ + 2 (E/n~)^2), at ``share`` =
    E/n~."""
    return (horizon + 1) * phi + (1 + states * horizon) * (3 * share + 2 * share**2)


def bonus(states: int, horizon: int, n: float, width: float, logarithm: float) -> float:
    """conf~ of a released count n~ with E = ``width`` and phi~ = sqrt(``logarithm``/max(n~ - E,
    1)); algorithm 3 gives it where n~ >= 2E."""
    phi = sqrt(logarithm / max(n - width, 1))
    return float(confidence(states, horizon, phi, width / n))
