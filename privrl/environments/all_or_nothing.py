"""The plainest MDP to lose in: everywhere one action pays 1, and all others nothing."""

import numpy as np

from privrl.checks import count
from privrl.types import TabularMDP


def all_or_nothing(states: int, actions: int, horizon: int, seed: int = 0) -> TabularMDP:
    """In each state and step one action, drawn, pays 1 and all others 0; next states and the first
    one are uniform, whatever is played.

    So V* = H, and play that learns nothing loses H (1 - 1/A). Nothing is worse to an agent as long
    as it plays at random, and a search over MDPs of three states and two actions found nothing
    worse for PUCB at S = H = 3 either (docs/gap.md). This is ours, not one of the papers'.

    Parameters
    ----------
    states, actions, horizon : S, A and H, each >= 1
    seed : >= 0; which action pays

    >>> all_or_nothing(2, 2, 1).rewards.sum(axis=2).tolist()
    [[1.0, 1.0]]
    """
    states, actions, horizon = (
        count("states", states),
        count("actions", actions),
        count("horizon", horizon),
    )
    rng = np.random.default_rng(count("seed", seed, 0))
    best = rng.integers(actions, size=(horizon, states, 1))
    rewards = (np.arange(actions) == best).astype(np.float64)
    return TabularMDP(
        f"all-or-nothing-{states}x{actions}-h{horizon}-seed{seed}",
        np.full((horizon, states, actions, states), 1 / states),
        rewards,
        np.full(states, 1 / states),
    )
