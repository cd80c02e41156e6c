"""Tabular learners, one user at a time: decision by decision what the simulation does, and refusals."""

from typing import Any

import numpy as np
import pytest

from privrl.agents.tabular.dp_ucbvi import DPUCBVI
from privrl.agents.tabular.private_ucbvi import PrivateUCBVI
from privrl.agents.tabular.pucb import PUCB
from privrl.agents.tabular.ubev import UBEV
from privrl.agents.trajectory import Trajectory
from privrl.environments import random_mdp
from privrl.environments.episode import FiniteEpisode
from privrl.run import simulate
from privrl.types import TabularMDP
from tests.contracts import refused
from tests.privrl.agents.acting import played

MDP = random_mdp(2, 2, 3, seed=5)
UNKNOWN = TabularMDP("unknown", np.full((3, 2, 2, 2), 0.5), np.full((3, 2, 2), 0.5), np.full(2, 0.5))
USERS = 200
# privacy so weak that plans change within the few episodes of a test
AGENTS = [UBEV(), PUCB(counter="none"), PUCB(1e4), PUCB(1e4, 1e-6, calibration="tight", counter="blt"),
          PrivateUCBVI(1e3), PrivateUCBVI(1e3, 1e-6, counter="tree", calibration="corrected"),
          PrivateUCBVI(1e4, 1e-6, counter="local"), PrivateUCBVI(counter="none"), DPUCBVI(1e4), DPUCBVI(counter="none")]


@pytest.mark.parametrize("agent", AGENTS, ids=lambda one: f"{one.name}-{one.counter}-{one.delta}")
@pytest.mark.parametrize("scaled", [False, True])
def test_one_user_at_a_time_is_the_simulation(agent: Any, scaled: bool) -> None:
    noise, coins, ties = simulate.streams(MDP, agent, USERS, None, 3, 0)
    simulation = agent.start(MDP, USERS, np.array([USERS]))
    learner = agent.start(UNKNOWN, USERS, np.array([USERS]))
    scales = learner.noise_scales()
    unit = np.where(scales > 0, scales, 1.0) / (getattr(learner.calibration, "scale", 0.0) or 1.0)
    plans = set()
    for user in range(USERS):
        row = noise[user] * unit if scaled else noise[user] + 0 * scales
        learner.prepare(row, scaled=scaled)
        learner.absorb(learner.contribution(played(learner, FiniteEpisode(MDP), coins[user], ties[user])))
        simulation.advance(noise[user : user + 1], coins[user : user + 1], ties[user : user + 1])
        for one in ("q", "values", "greedy"):
            assert np.array_equal(getattr(learner.state.plan, one), getattr(simulation.state.plan, one))
        plans.add(learner.state.greedy.tobytes())
        assert np.array_equal(learner.state.statistics, simulation.state.statistics)
    assert len(plans) > 1 and learner.state.finished == USERS


@pytest.mark.parametrize("agent", [PUCB(1e4), PrivateUCBVI(1e4), UBEV(), DPUCBVI(1e4)], ids=lambda one: one.name)
def test_a_restart_goes_on_as_if_nothing_had_happened(agent: Any) -> None:
    noise, coins, ties = simulate.streams(UNKNOWN, agent, USERS, None, 4, 0)
    first, again = (agent.start(UNKNOWN, USERS, np.array([USERS])) for _ in range(2))
    for user in range(20):
        first.prepare(noise[user] + 0 * first.noise_scales())
        first.absorb(first.contribution(played(first, FiniteEpisode(MDP), coins[user], ties[user])))
    again.restore(first.snapshot())
    assert again.state.finished == 20 and np.array_equal(again.state.plan.q, first.state.plan.q)
    for learner in (first, again):
        learner.prepare(noise[20] + 0 * first.noise_scales())
    assert np.array_equal(again.state.plan.q, first.state.plan.q)
    kept = first.snapshot()
    first.absorb(first.contribution(played(first, FiniteEpisode(MDP), coins[20], ties[20])))
    assert kept["clock"] == 20  # a snapshot is a copy
    kept["q"] = kept["q"][:1]
    assert refused(lambda: again.restore(kept)).startswith("a snapshot must be of an agent and a problem like these")


@pytest.mark.parametrize(("part", "value", "message"), [
    ("states", [0, 1, 1], "states must have shape (4), got shape=(3,)"),
    ("states", [0, 1, 3, 0], "states must be whole numbers in 0..1, got first=3.0"),
    ("states", [0, 1, 0.5, 0], "states must be whole numbers in 0..1, got first=0.5"),
    ("actions", [0, -1, 0], "actions must be whole numbers in 0..1, got first=-1.0"),
    ("actions", ["0", "1", "0"], "actions must be an array of real numbers, got actions of type list"),
    ("rewards", [0.0, 0.0, 1.1], "rewards must be in [0, 1], got first=1.1"),
    ("rewards", [0.0, np.nan, 0.0], "rewards must be finite, got rewards='NaN or infinity'"),
])
def test_a_bad_trajectory_is_refused_whole(part: str, value: Any, message: str) -> None:
    learner = PrivateUCBVI(1.0).start(UNKNOWN, USERS, np.array([USERS]))
    good = Trajectory(np.zeros(4, dtype=int), np.zeros(3, dtype=int), np.zeros(3))
    assert refused(lambda: learner.contribution(good._replace(**{part: value}))) == message
    assert not learner.state.statistics.any() and learner.state.finished == 0
    assert refused(lambda: learner.contribution(good[:2])).startswith("a trajectory must be")


def test_choices_out_of_range_are_refused() -> None:
    learner = PUCB(1.0).start(UNKNOWN, USERS, np.array([USERS]))
    assert refused(lambda: learner.choose(0, 0, 0.5)) == "prepare must come before the first choice, got step=0"
    learner.prepare(np.zeros(learner.noise_scales().size))
    assert refused(lambda: learner.choose(3, 0, 0.5)) == "step must be < 3, the horizon, got step=3"
    assert refused(lambda: learner.choose(0, 2, 0.5)) == "state must be < 2, got state=2"
    assert refused(lambda: learner.choose(0, 0, 1.0)) == "uniform must be in [0, 1), got uniform=1.0"
    assert {learner.choose(0, 0, uniform) for uniform in (0.0, 0.99)} == {0, 1}
