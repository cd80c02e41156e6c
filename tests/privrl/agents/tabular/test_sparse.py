"""Private UCBVI on a public support: the dense agent's decisions, its privacy, B in place of S."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from privrl.agents.tabular.private_ucbvi import PrivateUCBVI, width
from privrl.agents.trajectory import Trajectory
from privrl.environments import SparseMDP, random_mdp, riverswim
from privrl.privacy import accounting
from privrl.privacy.counters import mechanisms
from privrl.run import simulate
from privrl.types import TabularMDP
from tests.contracts import refused

DENSE, RIVER = random_mdp(4, 3, 3, seed=1), riverswim(5, 4, relabelled=True)
AGENT = PrivateUCBVI(1e3, 1e-6, counter="blt")
USERS = 150


def cells(mdp: TabularMDP, sparse: SparseMDP) -> np.ndarray:
    """Where the dense agent keeps the sums of the sparse one."""
    pairs, blocks = mdp.states * mdp.actions, mdp.horizon
    owner = np.repeat(np.arange(pairs), np.diff(sparse.first))
    m = blocks * pairs + (np.arange(blocks)[:, None] * mdp.states + sparse.after) * pairs + owner
    return np.append(np.arange(blocks * pairs), m)


def pair_of_runs(
    mdp: TabularMDP, possible: Any, agent: PrivateUCBVI
) -> tuple[Any, Any, np.ndarray, SparseMDP]:
    """Learners of one calibration, dense and sparse, and where the sums of the second are in those
    of the first."""
    sparse = SparseMDP.of(mdp, possible)
    learners = [agent.start(problem, USERS, np.array([10, USERS])) for problem in (mdp, sparse)]
    learners[0].calibration = learners[1].calibration
    return *learners, cells(mdp, sparse), sparse  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("mdp", "possible"), [(DENSE, np.ones((4, 3, 4))), (RIVER, None)], ids=["dense", "river"]
)
@pytest.mark.parametrize(
    "agent", [AGENT, PrivateUCBVI(1e5, calibration="corrected"), PrivateUCBVI(counter="none")]
)
def test_decisions_and_sums_are_those_of_the_dense_agent(
    mdp: TabularMDP, possible: Any, agent: PrivateUCBVI
) -> None:
    """To the bit; noise in the cells that can never be counted, which the sparse agent leaves out,
    is 0 in both."""
    dense, sparse, at, problem = pair_of_runs(mdp, possible, agent)
    assert agent.calibrate(mdp, USERS) == dense.calibration or problem.fan < mdp.states
    noise, coins, ties = simulate.streams(problem, agent, USERS, None, 0, 0)
    plans = set()
    for user in range(USERS):
        rows = slice(user, user + 1)
        wide = np.zeros((1, width(mdp)))
        wide[:, at] = noise[rows]
        dense.advance(wide, coins[rows], ties[rows])
        sparse.advance(noise[rows], coins[rows], ties[rows])
        for plan_field in ("q", "values", "greedy"):
            assert np.array_equal(
                getattr(dense.state.plan, plan_field), getattr(sparse.state.plan, plan_field)
            )
        assert np.array_equal(
            dense.state.statistics[dense.state.sums.visits.size :][at], sparse.state.statistics
        )
        plans.add(sparse.state.greedy.tobytes())
    assert sparse.state.regret == pytest.approx(dense.state.regret, rel=1e-12) and len(plans) > 1


def test_noise_in_another_cell_is_another_plan() -> None:
    """The mutant of the test above: the columns of m in the dense agent's order."""
    dense, sparse, _, problem = pair_of_runs(DENSE, np.ones((4, 3, 4)), AGENT)
    noise, coins, ties = simulate.streams(problem, AGENT, USERS, None, 0, 0)
    dense.advance(noise, coins, ties)
    sparse.advance(noise, coins, ties)
    assert not np.array_equal(dense.state.plan.q, sparse.state.plan.q)


@pytest.mark.parametrize(
    "agent", [AGENT, PrivateUCBVI(1.0), PrivateUCBVI(1.0, 1e-6, calibration="corrected")]
)
def test_most_next_states_of_a_pair_stand_for_the_states(agent: PrivateUCBVI) -> None:
    """Six pairs with two next states each, of two states or of six, have the same noise and the
    same bonuses."""
    two = random_mdp(2, 3, 4, seed=0)
    six = SparseMDP(
        "six",
        [[[s, (s + 1) % 6]] if s < 5 else [[0, 5]] for s in range(6)],  # type: ignore[arg-type]
        np.full((4, 6, 1, 2), 0.5),
        np.zeros((4, 6, 1)),
        np.full(6, 1 / 6),
    )
    assert agent.calibrate(six, 1000) == agent.calibrate(two, 1000) and width(six) == width(two)
    assert agent.calibrate(six.dense(), 1000) != agent.calibrate(two, 1000)


def episode(states: Any, rewards: Any, actions: Any = (0, 0, 0, 0)) -> Trajectory:
    return Trajectory(np.array(states), np.array(actions), np.array(rewards))


def test_the_noise_gives_exactly_what_is_asked_for() -> None:
    """Two users without a common cell, both paid 1 at every step; the mutant has noise for half of
    it."""
    agent = dataclasses.replace(AGENT, epsilon=0.7)
    learner = agent.start(SparseMDP.of(riverswim(5, 4)), 100, np.array([100]))
    ones = np.ones(4)
    first_message, second_message = (
        learner.contribution(episode([s] * 5, ones, [1] * 4)) for s in (1, 2)
    )
    moved = float(np.linalg.norm((first_message - second_message) / learner.noise_scales()))
    size = moved * mechanisms.counter_cost("blt", 99).sensitivity
    assert accounting.gaussian_epsilon(1e-6, size) == pytest.approx(0.7, rel=1e-8)
    assert accounting.gaussian_epsilon(1e-6, 2 * size) > 1.4


def test_an_episode_outside_the_support_is_refused_whole() -> None:
    learner = AGENT.start(SparseMDP.of(riverswim(5, 4)), 100, np.array([100]))
    outside = episode([0, 0, 4, 4, 4], np.ones(4))
    assert "the support must allow every step" in refused(lambda: learner.contribution(outside))
    assert not learner.state.statistics.any()
