"""A deterministic chain that opens like a combination lock."""

import numpy as np

from privrl.checks import count, require
from privrl.types import TabularMDP


def chain(states: int, horizon: int | None = None) -> TabularMDP:
    """S states in a row; the right action alternates along the row, the other one falls back to the
    start.

    State s answers to action s mod 2: it moves on to s + 1, and in the last state stays there and
    pays 1. Any other action leads back to state 0 and pays nothing. So V* = H - (S - 1), while a
    constant action never passes two states in a row and earns nothing: an agent has to learn an
    action for each state. This is ours, not one of the papers'.

    Parameters
    ----------
    states : S >= 2
    horizon : H >= S, so that the end can be reached and paid for; S by default

    >>> chain(3).rewards[0].tolist()
    [[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]]
    """
    states = count("states", states, 2)
    horizon = states if horizon is None else count("horizon", horizon)
    require(
        horizon >= states,
        "horizon must be >= states, or nothing can be earned",
        horizon=horizon,
        states=states,
    )
    transitions = np.zeros((states, 2, states))
    rewards = np.zeros((states, 2))
    for state in range(states):
        transitions[state, state % 2, min(state + 1, states - 1)] = 1.0
        transitions[state, 1 - state % 2, 0] = 1.0
    rewards[-1, (states - 1) % 2] = 1.0
    initial = np.eye(states)[0]
    name = f"chain-{states}" + (f"-h{horizon}" if horizon != states else "")
    return TabularMDP(
        name,
        np.tile(transitions, (horizon, 1, 1, 1)),
        np.tile(rewards, (horizon, 1, 1)),
        initial,
        bernoulli=False,
    )
