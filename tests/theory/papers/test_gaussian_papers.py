"""The privacy claims of chowdhury2021, liao2021 and zhou2022: verdicts, and numbers derived
independently."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from theory import derive_noise
from theory.lemmas.tree import levels, live_nodes, touched
from theory.papers import tree_levels
from theory.papers.chowdhury2021 import privacy as chowdhury
from theory.papers.chowdhury2021 import sensitivity


@pytest.mark.slow
@given(st.integers(2, 1500))
def test_counts_by_paths(episodes: int) -> None:
    row, releases = tree_levels.counts()[episodes - 1], episodes - 1
    assert (
        row.used_blocks
        == max(len(touched(t, releases)) for t in range(1, releases + 1))
        == levels(releases)
    )
    assert row.in_release == max(len(live_nodes(t)) for t in range(1, releases + 1))
    assert row.all_blocks == row.used_blocks == tree_levels.base_two(episodes)


@pytest.mark.parametrize(
    "system", [sensitivity.TURNING, sensitivity.CROSSING, chowdhury.ALONE, chowdhury.JOINT]
)
def test_users_obey_the_system(system: sensitivity.Instance) -> None:
    """The noise that the two trajectories need under any gains of norm gamma stays within C_w = 1 -
    C_A - gamma C_B."""
    assert sensitivity.admissible(system)
    limit = 1 - system.small * (1 + system.gamma)
    for states in sensitivity.trajectories(system):
        assert np.linalg.norm(states, axis=1).max() <= 1
        for sign in (-1.0, 0.0, 1.0):
            drift = system.small * (1 + sign * system.gamma) * states[:-1]
            assert np.linalg.norm(states[1:] - drift, axis=1).max() <= limit + 1e-12


def test_the_message_by_the_algorithm() -> None:
    """First episode, rewards 1, bonus 1: V_{h+1} = H - h by the recursion, and the squared change
    is the weight."""
    horizon, states = 4, 2
    following, total = np.zeros(states), 0.0
    for h in range(horizon, 0, -1):
        phi = np.diag(following)  # states that stay, phi_V(s) = V(s) e_s
        gram = np.outer(phi[0], phi[0]) - np.outer(phi[1], phi[1])
        vector = phi[0] * following[0] - phi[1] * following[1]
        total += float((np.triu(gram) ** 2).sum() + (vector**2).sum())
        following = np.minimum(horizon - h + 1, 1 + np.linalg.norm(phi, axis=1))
        assert np.allclose(following, horizon - h + 1)
    assert total / horizon**4 == pytest.approx(
        derive_noise.mixture_weight(horizon, features="orthogonal")
    )
