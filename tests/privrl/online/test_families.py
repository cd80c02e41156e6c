"""Sessions of the linear and LQ agents: equal to the simulation, and learning in environments that
nobody knows."""

from functools import partial
from typing import Any

import numpy as np
import pytest

from privrl import LDPUCRLVTR, LinOptPO, LinOptVI, PrivateOFURL, evaluate, online
from privrl.agents.linear.learner import LinearLearner
from privrl.agents.lq.learner import LQLearner
from privrl.environments import mixture
from privrl.environments.episode import make
from privrl.environments.gymnasium import FiniteEnv, LQEnv
from privrl.environments.lq import LQSystem
from privrl.run import simulate
from privrl.types import Guarantee, Simulated
from tests.contracts import refused
from tests.privrl.agents.acting import played

TIGHT: dict[str, Any] = {"calibration": "tight"}
# psi(s, a, "in") says which of two base models lets action a in: (a == 0, a == 1); psi(s, a, "out")
# the rest
INWARD = np.broadcast_to(np.eye(2), (2, 2, 2))
PSI = np.stack([1 - INWARD, INWARD], axis=2)
# inside, the reward of action a has a parameter of its own
VARPHI = np.stack([np.zeros((2, 2)), np.eye(2)])
REWARDS = np.array([[[0.0, 0.0], [0.9, 0.1]], [[0.0, 0.0], [0.1, 0.9]]])
MIXTURE: dict[str, Any] = {"psi": PSI, "horizon": 2, "initial": [1.0, 0.0], "theta_p_bound": 1.0}
LQ: dict[str, Any] = {
    "Q": [[2.0]],
    "R": [[1.0]],
    "start": [1.0],
    "horizon": 2,
    "gamma": 0.58,
    "c_w": 0.15,
}
TRUE = {"mixture": mixture(), "lq": LQSystem("hidden", [[0.5]], [[0.6]], **LQ)}  # type: ignore[arg-type]


def unknown(agent):
    if agent.name == "private-ofu-rl":
        return online.lq(**LQ)
    if agent.name == "ldp-ucrl-vtr":
        return online.mixture(rewards=REWARDS, **MIXTURE)
    return online.mixture(varphi=VARPHI, theta_r_bound=1.0, **MIXTURE)


def truth(agent):
    return TRUE["lq" if agent.name == "private-ofu-rl" else "mixture"]


@pytest.mark.parametrize(
    "agent",
    [
        LDPUCRLVTR(1e6, **TIGHT),
        LinOptVI(1e6, **TIGHT),
        LinOptPO(1e6, counter="local", **TIGHT),
        PrivateOFURL(1e6, counter="blt", **TIGHT),
        PrivateOFURL(1e6, counter="local", **TIGHT),
    ],
    ids=lambda agent: f"{agent.name}-{agent.counter}",
)
def test_a_session_is_the_simulation(agent):
    """The same plans and actions; over ``local`` devices add the noise, and the server sees
    messages alone."""
    world, users = (
        make(truth(agent).tabular() if hasattr(truth(agent), "tabular") else truth(agent)),
        30,
    )
    _, coins, ties = simulate.streams(truth(agent), agent, users, None, 5, 0)
    simulation = agent.start(truth(agent), users, np.array([users]))
    session = online.Session(agent, unknown(agent), users, noise="simulated", seed=5)
    local = agent.counter == "local"
    acting = session.device(users) if local else session
    scales = session.learner.noise_scales()
    noise, original_row, plans = np.zeros(scales.size), session._protection.row, set()

    def row(sums):
        noise[:] = original_row(sums)
        return noise

    session._protection.row = row  # type: ignore[method-assign]
    for user in range(users):
        if local:
            acting.update(session.learner.snapshot())
        episode = played(lambda step, state, _: acting.act(step, state), world, coins[user])
        unit = np.divide(noise, scales, out=np.zeros(scales.size), where=scales > 0)
        simulation.advance(unit[None], coins[user : user + 1], ties[user : user + 1])
        for name, plan_array in session.learner.state.plan._asdict().items():
            if name not in (
                "moved",
                "logits",
                "policy",
            ):  # policy optimisation has taken its step in the simulation
                np.testing.assert_allclose(
                    plan_array, getattr(simulation.state.plan, name), atol=1e-6
                )
        if local:
            message = acting.message(episode)
            noise += message - acting._learner.contribution(episode)
            session.receive(message)
            assert not np.allclose(
                session.learner.state.statistics, simulation.state.statistics, atol=0, rtol=1e-6
            )
            assert refused(partial(session.observe, episode)).startswith(
                "over the counter local users send messages"
            )
        else:
            session.observe(episode)
            np.testing.assert_allclose(
                session.learner.state.statistics, simulation.state.statistics, atol=1e-6
            )
        if agent.name == "linopt-po":
            np.testing.assert_allclose(
                session.learner.state.plan.policy, simulation.state.plan.policy, atol=1e-6
            )
        plans.add(
            b"".join(
                array.tobytes()
                for array in session.learner.state.plan
                if isinstance(array, np.ndarray)
            )
        )
    assert len(plans) > 1 and (session.users, session.guarantee) == (
        users,
        Simulated(Guarantee(agent.epsilon, agent.delta)),
    )


@pytest.mark.parametrize(
    ("agent", "name", "episode"),
    [
        (LDPUCRLVTR(1.0, **TIGHT), "values", ([0, 1, 1], [0, 1], [0, 1])),
        (
            PrivateOFURL(1.0, counter="local", **TIGHT),
            "gains",
            ([[1.0], [0.5], [0.5]], [[0.6], [0.0]], [0, 0]),
        ),
        (
            PrivateOFURL(1.0, counter="local", **TIGHT),
            "last gains",
            ([[1.0], [0.5], [0.5]], [[0.2], [0.1]], [0, 0]),
        ),
    ],
)
def test_a_device_refuses_a_plan_for_which_its_noise_is_not_made(agent, name, episode):
    """Users over ``local`` trust nobody: larger values or gains would make messages larger."""
    session = online.Session(agent, unknown(agent), 30, noise="simulated", seed=5)
    device, sent = session.device(), session.learner.snapshot()
    for step, value in enumerate(
        {"values": (0.6, 1.1), "gains": (0.6, 0.0), "last gains": (0.2, 0.2)}[name]
    ):
        sent[name.removeprefix("last ")][step] = value
    device.update(sent)
    assert refused(lambda: device.message(episode)).startswith(
        {
            "values": "the values of a plan must be",
            "gains": "controls must have norm <= gamma",
            "last gains": "gains must have norm <= gamma, and be 0 at the last step",
        }[name]
    )


def learns(agent, users):
    """Whether the last plan loses at most half of what the first one does: exactly, in the hidden
    truth.

    The first plan of value iteration and policy optimisation is uniform play, that of
    Private-OFU-RL is u = 0.
    """
    env = (LQEnv if agent.name == "private-ofu-rl" else FiniteEnv)(
        truth(agent), observation="state"
    )
    session = online.Session(agent, unknown(agent), users, noise="simulated", seed=1)

    def loss():
        plan = session.learner.state.plan
        if hasattr(plan, "gains"):
            return evaluate.regret(truth(agent), plan.gains)
        if hasattr(plan, "policy"):
            return evaluate.regret(truth(agent), plan.policy.reshape(2, 2, 2))
        chosen = (plan.greedy[:, :, None] >> np.arange(2)) & 1
        chosen[0, 1] = 1  # no episode begins inside
        return evaluate.regret(truth(agent), chosen / chosen.sum(axis=2, keepdims=True))

    first = loss()
    totals = online.drive(session, env, users, seed=2)
    assert first > 0.1 and session.users == users and totals.shape == (users,)
    return loss() <= first / 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("agent", "users"),
    [
        (LinOptVI(100.0, counter="tree", **TIGHT), 1500),
        (LinOptPO(100.0, counter="tree", **TIGHT), 1500),
        (LDPUCRLVTR(100.0, **TIGHT), 800),
        (PrivateOFURL(100.0, counter="tree", **TIGHT), 2000),
    ],
    ids=lambda param: getattr(param, "name", ""),
)
def test_it_learns_in_an_environment_without_its_transitions(agent, users, monkeypatch):
    """And not when its episodes are taken away; zeros in their place would not do, known rewards
    may point the way."""
    assert learns(agent, users)
    for learner in (LinearLearner, LQLearner):
        right = learner.contribution
        monkeypatch.setattr(
            learner,
            "contribution",
            lambda instance, episode, right=right: -right(instance, episode),
        )
    assert not learns(agent, users)
