"""What is released of tabular sums, and that nothing else is in it."""

from typing import Any

import numpy as np
import pytest
from numba import njit
from numba.core.errors import TypingError

from privrl.agents.tabular import kernels
from privrl.agents.tabular.learner import released_sums
from privrl.agents.tabular.pucb import PUCB
from privrl.environments import random_mdp

MDP = random_mdp(3, 4, 2, seed=5)


def test_what_is_released_has_no_transitions() -> None:
    """The compiler's own refusal."""
    state = PUCB(1.0).start(MDP, 10, np.array([1])).state

    @njit
    def planted(released: Any, plan: Any) -> None:
        plan.values[0, 0] = released.transitions[0, 0, 0, 0]

    with pytest.raises(TypingError, match="transitions"):
        planted(state.released, state.plan)


def test_rewards_and_successors_are_released_from_the_least_count_on() -> None:
    state = PUCB(1.0).start(MDP, 10, np.array([1])).state
    state.sums.every[:] = 1.0
    state.sums.visits[1, 3] = (
        5.0  # of two steps, the later one has a count that is large enough, just so
    )
    noise = np.linspace(0.5, 0.6, state.sums.every.size)[None]
    least = state.sums.visits[1, 3] + noise[0].reshape(-1, MDP.rewards[0].size)[1, 3]
    for h in range(MDP.horizon):
        kernels.release_step(h, state.sums, noise, 0, least, state.released)
    expected = released_sums(state.sums.every + noise[0], MDP)
    for array, expected_array in zip(state.released[1:], expected[1:], strict=True):
        np.testing.assert_array_equal(array[1], expected_array[1])
    np.testing.assert_array_equal(state.released.visits, expected.visits)
    assert not state.released.rewards[0].any()
    assert not state.released.successors[0].any()
