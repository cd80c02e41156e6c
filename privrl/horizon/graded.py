"""Worlds in which every action pays something of its own, and where users go next differs by step.

What they share with those of :mod:`privrl.horizon.held_back` is what ``privrl advise`` asks for:
the smallest gap, and that no action decides where users go.
"""

import numpy as np

from privrl.types import TabularMDP


def graded(
    states: int, actions: int, horizon: int, seed: int, gap: float, follow: int | None = None
) -> TabularMDP:
    """Mean rewards are drawn for each state, step and action; the best of them is ``gap`` above the
    second in a half of the states and steps, and in one at least, and further above it elsewhere.

    From each state users go to ``follow`` others, or to all, which differ by state and step, and to
    each with a probability of its own; every state comes up alike all the same, as the same
    probabilities belong to other states everywhere.
    """
    rng = np.random.default_rng((seed, 2))
    pairs = horizon, states
    least = np.where(rng.random(pairs) < 0.5, gap, rng.uniform(gap, 1, pairs))
    least[rng.integers(horizon), rng.integers(states)] = gap
    best = rng.uniform(least, 1)
    second = best - least
    rewards = second[..., None] * rng.random((*pairs, actions))
    first, other = np.argsort(rng.random((*pairs, actions)))[..., :2].transpose(2, 0, 1)
    np.put_along_axis(rewards, other[..., None], second[..., None], axis=-1)
    np.put_along_axis(rewards, first[..., None], best[..., None], axis=-1)
    number = states if follow is None else follow
    following = np.zeros((horizon, states, states))
    for step in following:
        chances = (1 / number + rng.dirichlet(np.ones(number))) / 2
        places, ahead = rng.permutation(states), rng.choice(states, number, replace=False)
        for state in range(states):
            step[state, places[(state + ahead) % states]] = chances
    return TabularMDP(
        f"graded-{states}x{actions}-h{horizon}",
        np.repeat(following[:, :, None], actions, axis=2),
        rewards,
        np.full(states, 1 / states),
    )
