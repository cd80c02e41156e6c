"""What an agent knows of an unknown world: a problem whose truth is a placeholder that no plan reads."""

import numpy as np

from privrl.types import TabularMDP, count


def tabular(states: int, actions: int, horizon: int, name: str = "unknown") -> TabularMDP:
    """A world of which only the sizes S, A and H are known: every transition and reward is as likely as any other."""
    S, A, H = count("states", states), count("actions", actions), count("horizon", horizon)
    return TabularMDP(name, np.full((H, S, A, S), 1 / S), np.full((H, S, A), 0.5), np.full(S, 1 / S))
