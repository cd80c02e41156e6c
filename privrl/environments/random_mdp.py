"""Random MDPs: for tests, and for claims that should not hang on one environment."""

import numpy as np

from privrl.checks import count, require
from privrl.types import TabularMDP


def random_mdp(states: int, actions: int, horizon: int, seed: int) -> TabularMDP:
    """Every row of the kernel and the initial distribution uniform on the simplex, every mean
    reward uniform on [0, 1].

    Dynamics and rewards are drawn anew for each step, as section 2.1 of vietri2020 allows; a reward
    is a coin with its mean. Uniform on the simplex is Dirichlet(1, ..., 1).

    Parameters
    ----------
    states, actions, horizon : S, A and H, each >= 1
    seed : >= 0; the same seed gives the same MDP

    >>> random_mdp(3, 2, 4, seed=7).transitions.shape
    (4, 3, 2, 3)
    """
    states, actions, horizon = (
        count("states", states),
        count("actions", actions),
        count("horizon", horizon),
    )
    seed = count("seed", seed, 0)
    require(
        horizon * states**2 * actions <= 10**8,
        "horizon * states^2 * actions must be <= 10^8",
        states=states,
        actions=actions,
        horizon=horizon,
    )
    rng = np.random.default_rng(seed)
    flat = np.ones(states)
    transitions = rng.dirichlet(flat, size=(horizon, states, actions))
    rewards = rng.random((horizon, states, actions))
    return TabularMDP(
        f"random-{states}x{actions}-h{horizon}-seed{seed}",
        transitions,
        rewards,
        rng.dirichlet(flat),
    )
