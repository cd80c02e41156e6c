"""No planner shares memory with exact sums or the world, and equal releases give equal plans."""

from typing import Any

import numpy as np
import pytest
from numba import njit
from numba.core.errors import TypingError

from privrl.agents.tabular import kernels
from privrl.agents.tabular.dp_ucbvi import DPUCBVI
from privrl.agents.tabular.learner import views
from privrl.agents.tabular.private_ucbvi import PrivateUCBVI
from privrl.agents.tabular.pucb import PUCB
from privrl.agents.tabular.records import Released
from privrl.environments import random_mdp

MDP = random_mdp(3, 4, 2, seed=5)
PRIVATE = (PUCB(1e4, calibration="tight"), PrivateUCBVI(1e3), DPUCBVI(1e4))


def test_what_is_released_has_no_transitions() -> None:
    """The compiler's own refusal."""
    state = PUCB(1.0).start(MDP, 10, np.array([1])).state

    @njit
    def planted(released: Any, made: Any) -> None:
        made.values[0, 0] = released.transitions[0, 0, 0, 0]

    with pytest.raises(TypingError, match="transitions"):
        planted(state.released, state.plan)


@pytest.mark.parametrize("agent", PRIVATE, ids=lambda agent: agent.name)
def test_plans_share_no_memory_with_sums_or_world(agent: Any) -> None:
    state = agent.start(MDP, 10, np.array([1])).state
    hidden = [one for one in (*state.sums, *state.world) if isinstance(one, np.ndarray)]
    assert not any(np.shares_memory(one, other) for one in (*state.released, *state.plan) for other in hidden)
    for one in state.world:
        assert not isinstance(one, np.ndarray) or not one.flags.writeable


def test_equal_releases_give_equal_plans() -> None:
    """Other sums whose noise hides the difference, in another world: the same plan; shown, they give another."""
    found = []
    for mdp, shift, shown in ((MDP, 0.0, False), (random_mdp(3, 4, 2, seed=6), 9.0, False), (MDP, 9.0, True)):
        learner, rng = PUCB(1e7).start(mdp, 1000, np.array([1])), np.random.default_rng(1)
        change = shift * rng.integers(-1, 2, size=learner.state.statistics.size)
        learner.state.sums.every[:] = rng.integers(100, 10**4, size=change.size) + change
        learner.advance(-change[None] * (not shown), rng.random((1, 5)), rng.random((1, 2)))
        found.append(learner.state.plan.values.copy())
    np.testing.assert_array_equal(found[1], found[0])
    assert np.abs(found[2] - found[0]).max() > 1e-6


def test_rewards_and_successors_are_released_from_the_least_count_on() -> None:
    state = PUCB(1.0).start(MDP, 10, np.array([1])).state
    state.sums.every[:] = 1.0
    state.sums.visits[1, 3] = 5.0  # of two steps, the later one has a count that is large enough, just so
    noise = np.linspace(0.5, 0.6, state.sums.every.size)[None]
    least = state.sums.visits[1, 3] + noise[0].reshape(-1, MDP.rewards[0].size)[1, 3]
    for h in range(MDP.horizon):
        kernels.release_step(h, state.sums, noise, 0, least, state.released)
    expected = Released(*views(state.sums.every + noise[0], MDP))
    for part, other in zip(state.released[1:], expected[1:], strict=True):
        np.testing.assert_array_equal(part[1], other[1])
    np.testing.assert_array_equal(state.released.visits, expected.visits)
    assert not state.released.rewards[0].any()
    assert not state.released.successors[0].any()
