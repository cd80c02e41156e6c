"""Linear learners, one user at a time: decision by decision what the simulation does, and refusals."""

import numpy as np
import pytest

from privrl.agents.linear.ldp_ucrl_vtr import LDPUCRLVTR
from privrl.agents.linear.linopt_po import LinOptPO
from privrl.agents.linear.linopt_vi import LinOptVI
from privrl.agents.linear.ucrl_vtr import UCRLVTR
from privrl.agents.trajectory import Trajectory
from privrl.environments.episode import FiniteEpisode
from privrl.environments.linear_mixture import mixture
from privrl.online import problems
from privrl.run import simulate
from tests.contracts import refused
from tests.privrl.agents.acting import played
from tests.privrl.agents.linear.runs import RIVER

USERS = 60
# privacy so weak that plans change within the few episodes of a test
TIGHT, TUNED = {"calibration": "tight"}, {"calibration": "tuned", "constant": 1e-3}
AGENTS = [UCRLVTR(**TIGHT), LDPUCRLVTR(1e6, **TIGHT), LDPUCRLVTR(1e3, **TUNED), LDPUCRLVTR(counter="none", **TUNED),
          LinOptVI(1e6, counter="blt", **TIGHT), LinOptVI(1e12, calibration="corrected"),
          LinOptPO(1e6, counter="blt", **TIGHT), LinOptPO(counter="none")]


def unknown(env, agent):
    known = {"rewards": env.tabular().rewards} if "vtr" in agent.name else {"varphi": env.varphi}
    return problems.mixture(psi=env.psi, horizon=env.horizon, initial=env.initial, theta_p_bound=env.theta_p_bound,
                            theta_r_bound=env.theta_r_bound, block_bound=env.block_bound, **known)


@pytest.mark.parametrize("agent", AGENTS, ids=lambda one: f"{one.name}-{one.calibration}-{one.counter}")
@pytest.mark.parametrize(("env", "scaled"), [(mixture(), False), (mixture(), True), (RIVER, False)])
def test_one_user_at_a_time_is_the_simulation(env, agent, scaled):
    noise, coins, ties = simulate.streams(env, agent, USERS, None, 3, 0)
    simulation = agent.start(env, USERS, np.array([USERS]))
    learner = agent.start(unknown(env, agent), USERS, np.array([USERS]))
    scales = learner.noise_scales()
    assert scales.any() == (agent.counter != "none")
    plans = set()
    for user in range(USERS):
        if user == USERS // 2:  # a restart
            kept = learner.snapshot()
            learner = agent.start(unknown(env, agent), USERS, np.array([USERS]))
            learner.restore(kept)
        learner.prepare(noise[user] * scales if scaled else noise[user], scaled=scaled)
        added = learner.contribution(played(learner, FiniteEpisode(env.tabular()), coins[user], ties[user]))
        assert np.array_equal(learner.state.statistics, simulation.state.statistics)  # nothing was changed
        learner.absorb(added)
        simulation.advance(noise[user : user + 1], coins[user : user + 1], ties[user : user + 1])
        plan, expected = learner.state.plan, simulation.state.plan
        assert all(np.array_equal(own, expected[place]) for place, own in enumerate(plan))
        plans.add(plan.q.tobytes())
        assert np.array_equal(learner.state.statistics, simulation.state.statistics)
    assert (len(plans) > 1 or env is RIVER) and learner.state.finished == USERS


def test_noise_in_the_wrong_unit_is_another_run():
    """The equality above sees it."""
    agent, env = AGENTS[4], mixture()
    noise, _, _ = simulate.streams(env, agent, USERS, 3, 3, 0)
    q = []
    for scaled in (False, True):
        learner = agent.start(unknown(env, agent), USERS, np.array([USERS]))
        learner.absorb(np.full(noise.shape[1], 1e3))
        learner.prepare(noise[1], scaled=scaled)
        q.append(learner.state.plan.q)
    assert not np.array_equal(*q)


@pytest.mark.parametrize(("part", "value", "message"), [
    ("states", [0, 1], "states must have shape (3), got shape=(2,)"),
    ("states", [0, 1, 2], "states must be whole numbers in 0..1, got first=2.0"),
    ("states", [1, 1, 1], "the first state must have probability > 0, got state=1"),
    ("states", [0, 0, 1], "the features must allow every step, got step=1, state=0, action=1, next=1"),
    ("actions", [0, 2], "actions must be whole numbers in 0..1, got first=2.0"),
    ("rewards", [0.0, 1.1], "rewards must be in [0, 1], got first=1.1"),
    ("rewards", [0.0, np.nan], "rewards must be finite, got rewards='NaN or infinity'"),
])
def test_a_bad_trajectory_is_refused_whole(part, value, message):
    psi = mixture().psi.copy()
    psi[0, 1] = [[1, 1], [0, 0]]  # out, and never in
    problem = problems.mixture(psi=psi, varphi=mixture().varphi, horizon=2, initial=[1.0, 0.0])
    learner = LinOptVI(1e6).start(problem, USERS, np.array([USERS]))
    learner.prepare(np.zeros(learner.noise_scales().size))
    good = Trajectory(np.array([0, 0, 0]), np.array([0, 1]), np.zeros(2))
    assert learner.contribution(good).any()
    assert refused(lambda: learner.contribution(good._replace(**{part: value}))) == message
    assert not learner.state.statistics.any() and learner.state.finished == 0


def test_choices_out_of_range_are_refused():
    learner = LinOptVI(1e6).start(unknown(mixture(), LinOptVI(1.0)), USERS, np.array([USERS]))
    assert refused(lambda: learner.choose(0, 0, 0.5)) == "prepare must come before the first choice, got step=0"
    learner.prepare(np.zeros(learner.noise_scales().size))
    assert refused(lambda: learner.choose(0, 1, 0.5)) == (
        "the features must allow to reach the state at the step, got step=0, state=1")
    assert refused(lambda: learner.choose(0, 2, 0.5)) == "state must be < 2, got state=2"
    assert refused(lambda: learner.choose(2, 0, 0.5)) == "step must be < 2, the horizon, got step=2"
    assert {learner.choose(0, 0, uniform) for uniform in (0.0, 0.99)} == {0, 1}


def test_an_agent_of_known_rewards_is_not_started_without_them():
    problem = unknown(mixture(), LinOptVI(1.0))
    message = "the agent must be told the mean rewards, got mdp='unknown-mixture'"
    assert refused(lambda: UCRLVTR().start(problem, 9, np.array([9]))) == message
    assert refused(lambda: LDPUCRLVTR(1.0).start(problem, 9, np.array([9]))) == message
