"""An episode in the true world, one user at a time."""

from collections.abc import Callable
from typing import Any

import numpy as np

from privrl.agents.trajectory import Trajectory


def played(
    choose: Callable[..., Any], world: Any, coins: np.ndarray, ties: np.ndarray | None = None
) -> Trajectory:
    """An episode of ``world`` with actions ``choose(step, state, uniform)``; without ``ties`` (H,)
    none is drawn."""
    world.begin(coins)
    states, actions, rewards = [world.state], [], []
    for step in range(world.horizon):
        actions.append(choose(step, states[-1], 0.0 if ties is None else ties[step]))
        rewards.append(world.act(actions[-1]))
        states.append(world.state)
    return Trajectory(np.array(states), np.array(actions), np.array(rewards))
