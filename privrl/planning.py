"""Exact planning in a known tabular MDP: optimal values, value and occupancy of a policy (vietri2020, section 2.1).

>>> from privrl.environments import chain
>>> mdp = chain(3)
>>> value(mdp, uniform_policy(mdp))
0.125

Step h of the paper (1 to H) is row h - 1 here; V has one row more, of zeros, for the end of the episode. A policy is an
array: integers (H, S), the action taken, or probabilities (H, S, A). Nothing is sampled and no argument is changed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from privrl.types import FloatArray, IntArray, TabularMDP, array, count, require


def optimal(mdp: TabularMDP) -> tuple[FloatArray, FloatArray]:
    """V* of shape (H+1, S) and Q* of shape (H, S, A), by backward induction.

    The maximum over deterministic policies (section 2.1) is attained step by step: no policy has more at any (h, s).
    """
    _checked(mdp)
    values = np.zeros((mdp.horizon + 1, mdp.states))
    action_values = np.empty((mdp.horizon, mdp.states, mdp.actions))
    for h in reversed(range(mdp.horizon)):
        action_values[h] = mdp.rewards[h] + mdp.transitions[h] @ values[h + 1]
        values[h] = action_values[h].max(axis=-1)
    return values, action_values


def policy_values(mdp: TabularMDP, policy: Any) -> FloatArray:
    """V of a policy, shape (H+1, S): the Bellman equation of section 2.1.

    Parameters
    ----------
    policy : integers (H, S) in [0, A), or probabilities (H, S, A)

    Raises
    ------
    ValueError
        Another shape, an action outside [0, A), a negative probability, a row that does not sum to one.
    """
    steps, rewards = _followed(mdp, _probabilities(mdp, policy))
    values = np.zeros((mdp.horizon + 1, mdp.states))
    for h in reversed(range(mdp.horizon)):
        values[h] = rewards[h] + steps[h] @ values[h + 1]
    return values


def value(mdp: TabularMDP, policy: Any) -> float:
    """Expected total reward of an episode under ``policy`` (the paper's rho: initial distribution times V_1)."""
    values = policy_values(mdp, policy)
    return float(mdp.initial @ values[0])


def occupancy(mdp: TabularMDP, policy: Any) -> FloatArray:
    """Probability (H, S, A) of being in s and taking a at each step; every step sums to one.

    The value of the policy is the sum of occupancy times mean reward.
    """
    probabilities = _probabilities(mdp, policy)
    steps, _ = _followed(mdp, probabilities)
    states = np.empty((mdp.horizon, mdp.states))
    states[0] = mdp.initial
    for h in range(mdp.horizon - 1):
        states[h + 1] = states[h] @ steps[h]
    return np.asarray(states[:, :, None] * probabilities)


def uniform_policy(mdp: TabularMDP) -> FloatArray:
    """Every action with probability 1/A, shape (H, S, A): what an agent that knows nothing plays."""
    _checked(mdp)
    return np.full((mdp.horizon, mdp.states, mdp.actions), 1.0 / mdp.actions)


def constant_policy(mdp: TabularMDP, action: int) -> IntArray:
    """The same action everywhere, shape (H, S)."""
    _checked(mdp)
    action = count("action", action, 0)
    require(action < mdp.actions, f"action must be < {mdp.actions}, the number of actions", action=action)
    return np.full((mdp.horizon, mdp.states), action, dtype=np.int64)


def best_constant_action(mdp: TabularMDP) -> tuple[int, float]:
    """The action that is worth most when always taken, and its value; the lowest index where several are.

    What learning is measured against: an environment on which this comes near V* shows nothing about learning.
    """
    _checked(mdp)
    worths = [value(mdp, constant_policy(mdp, action)) for action in range(mdp.actions)]
    best = int(np.argmax(worths))
    return best, worths[best]


def _checked(mdp: TabularMDP) -> None:
    require(isinstance(mdp, TabularMDP), "mdp must be a TabularMDP", type=type(mdp).__name__)


def _probabilities(mdp: TabularMDP, policy: Any) -> FloatArray:
    """``policy`` as probabilities (H, S, A), or ``ValueError``."""
    _checked(mdp)
    shape = (mdp.horizon, mdp.states, mdp.actions)
    try:
        found: tuple[int, ...] = np.shape(policy)
    except ValueError:
        found = ()  # ragged
    require(found in (shape[:2], shape), f"policy must have shape {shape[:2]} or {shape}", shape=found)
    given = array("policy", policy, found)
    if len(found) == 2:
        low, high = float(given.min()), float(given.max())
        require(low >= 0 and high < mdp.actions, f"policy must hold actions in 0..{mdp.actions - 1}",
                smallest=low, largest=high)
        actions = given.astype(np.int64)
        broken = actions != given
        first = float(given.flat[int(broken.argmax())])
        require(not broken.any(), "a policy of shape (H, S) must hold whole numbers", first=first)
        return np.eye(mdp.actions)[actions]
    require(bool((given >= 0).all()), "policy must be >= 0", smallest=float(given.min()))
    sums = given.sum(axis=-1)
    worst = float(sums.flat[int(np.abs(sums - 1).argmax())])
    require(abs(worst - 1) <= 1e-9, "every row of policy must sum to 1", sum=worst)
    return given


def _followed(mdp: TabularMDP, probabilities: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Transitions (H, S, S) and mean rewards (H, S) when the actions are drawn from ``probabilities``."""
    steps = np.einsum("hsa,hsat->hst", probabilities, mdp.transitions)
    return steps, (probabilities * mdp.rewards).sum(axis=-1)
