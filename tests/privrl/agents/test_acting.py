"""Learners of finite problems, one user at a time: decision by decision what the simulation does,
and refusals."""

from typing import Any

import numpy as np
import pytest

from privrl import DPUCBVI, LDPUCRLVTR, PUCB, UBEV, UCRLVTR, LinOptPO, LinOptVI, PrivateUCBVI
from privrl.agents.trajectory import Trajectory
from privrl.environments import SparseMDP, mixture, random_mdp, riverswim
from privrl.environments.episode import FiniteEpisode
from privrl.online import problems
from privrl.run import simulate
from privrl.types import TabularMDP
from tests.contracts import refused
from tests.privrl.agents.acting import played
from tests.privrl.agents.linear.runs import RIVER

MDP, SPARSE = random_mdp(2, 2, 3, seed=5), SparseMDP.of(riverswim(5, 4, relabelled=True))
UNKNOWN = TabularMDP(
    "unknown", np.full((3, 2, 2, 2), 0.5), np.full((3, 2, 2), 0.5), np.full(2, 0.5)
)
USERS = 200
# privacy so weak that plans change within the few episodes of a test
TABULAR = [
    UBEV(),
    PUCB(counter="none"),
    PUCB(1e4),
    PUCB(1e4, 1e-6, calibration="tight", counter="blt"),
    PrivateUCBVI(1e3),
    PrivateUCBVI(1e3, 1e-6, counter="tree", calibration="corrected"),
    PrivateUCBVI(1e4, 1e-6, counter="local"),
    PrivateUCBVI(counter="none"),
    DPUCBVI(1e4),
    DPUCBVI(counter="none"),
]
TIGHT: dict[str, Any] = {"calibration": "tight"}
TUNED: dict[str, Any] = {"calibration": "tuned", "constant": 1e-3}
LINEAR = [
    UCRLVTR(**TIGHT),
    LDPUCRLVTR(1e6, **TIGHT),
    LDPUCRLVTR(1e3, **TUNED),
    LDPUCRLVTR(counter="none", **TUNED),
    LinOptVI(1e6, counter="blt", **TIGHT),
    LinOptVI(1e12, calibration="corrected"),
    LinOptPO(1e6, counter="blt", **TIGHT),
    LinOptPO(counter="none"),
]
RUNS = [
    *((agent, MDP) for agent in TABULAR),
    (PrivateUCBVI(1e3, 1e-6, counter="blt"), SPARSE),
    *((agent, env) for agent in LINEAR for env in (mixture(), RIVER)),
]


def unknown(env: Any, agent: Any) -> Any:
    """The problem as an agent is told it that does not know the environment."""
    if env is MDP:
        return UNKNOWN
    if env is SPARSE:
        return SPARSE
    known = {"rewards": env.tabular().rewards} if "vtr" in agent.name else {"varphi": env.varphi}
    return problems.mixture(
        psi=env.psi,
        horizon=env.horizon,
        initial=env.initial,
        theta_p_bound=env.theta_p_bound,
        theta_r_bound=env.theta_r_bound,
        block_bound=env.block_bound,
        **known,
    )


def started(agent: Any, problem: Any) -> Any:
    return agent.start(problem, USERS, np.array([USERS]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("agent", "env"),
    RUNS,
    ids=lambda param: "-".join(
        str(getattr(param, attribute))
        for attribute in ("name", "counter", "calibration", "delta")
        if hasattr(param, attribute)
    ),
)
@pytest.mark.parametrize("scaled", [False, True])
def test_one_user_at_a_time_is_the_simulation(agent: Any, env: Any, scaled: bool) -> None:
    noise, coins, ties = simulate.streams(env, agent, USERS, None, 3, 0)
    simulation, learner = started(agent, env), started(agent, unknown(env, agent))
    if env is SPARSE:
        mdp = env.dense()
    else:
        mdp = env if env is MDP else env.tabular()
    world = FiniteEpisode(mdp)
    scales = learner.noise_scales()
    assert scales.any() == (agent.counter != "none")
    unit = np.where(scales > 0, scales, 1.0) / (getattr(learner.calibration, "scale", 0.0) or 1.0)
    plans = set()
    for user in range(USERS):
        if user == USERS // 2:  # a restart
            snapshot, before = learner.snapshot(), learner.state.plan
            learner = started(agent, unknown(env, agent))
            learner.restore(snapshot)
            assert learner.state.finished == user and all(
                map(np.array_equal, learner.state.plan, before)
            )
        learner.prepare(noise[user] * unit if scaled else noise[user] + 0 * scales, scaled=scaled)
        added = learner.contribution(played(learner.choose, world, coins[user], ties[user]))
        # nothing was changed
        assert np.array_equal(learner.state.statistics, simulation.state.statistics)
        learner.absorb(added)
        simulation.advance(noise[user : user + 1], coins[user : user + 1], ties[user : user + 1])
        plan, expected = learner.state.plan, simulation.state.plan
        assert all(np.array_equal(array, expected[place]) for place, array in enumerate(plan))
        plans.add(plan.greedy.tobytes() if agent in TABULAR else plan.q.tobytes())
        assert np.array_equal(learner.state.statistics, simulation.state.statistics)
    assert (len(plans) > 1 or env is RIVER) and learner.state.finished == USERS


def test_noise_in_the_wrong_unit_is_another_run() -> None:
    """The equality above sees it."""
    agent, env = LINEAR[4], mixture()
    noise, _, _ = simulate.streams(env, agent, USERS, 3, 3, 0)  # type: ignore[arg-type]
    q = []
    for scaled in (False, True):
        learner = started(agent, unknown(env, agent))
        learner.absorb(np.full(noise.shape[1], 1e3))
        learner.prepare(noise[1], scaled=scaled)
        q.append(learner.state.plan.q)
    assert not np.array_equal(*q)


@pytest.mark.parametrize(
    "agent",
    [PUCB(1e4), PrivateUCBVI(1e4), UBEV(), DPUCBVI(1e4)],
    ids=lambda candidate: candidate.name,
)
def test_a_snapshot_is_a_copy_of_a_learner_like_the_one_that_takes_it(agent: Any) -> None:
    learner = started(agent, UNKNOWN)
    snapshot = learner.snapshot()
    learner.prepare(0 * learner.noise_scales())
    learner.absorb(
        learner.contribution(played(learner.choose, FiniteEpisode(MDP), np.full(7, 0.5)))
    )
    assert snapshot["clock"] == 0
    snapshot["q"] = snapshot["q"][:1]
    assert refused(lambda: learner.restore(snapshot)).startswith(
        "a snapshot must be of an agent and a problem like these"
    )


PSI = mixture().psi.copy()
PSI[0, 1] = [[1, 1], [0, 0]]  # out, and never in
PART = problems.mixture(psi=PSI, varphi=mixture().varphi, horizon=2, initial=[1.0, 0.0])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("problem", "field", "value", "message"),
    [
        (UNKNOWN, "states", [0, 1, 1], "states must have shape (4), got shape=(3,)"),
        (UNKNOWN, "states", [0, 1, 3, 0], "states must be whole numbers in 0..1, got first=3.0"),
        (UNKNOWN, "states", [0, 1, 0.5, 0], "states must be whole numbers in 0..1, got first=0.5"),
        (UNKNOWN, "actions", [0, -1, 0], "actions must be whole numbers in 0..1, got first=-1.0"),
        (
            UNKNOWN,
            "actions",
            ["0", "1", "0"],
            "actions must be an array of real numbers, got actions of type list",
        ),
        (UNKNOWN, "rewards", [0.0, 0.0, 1.1], "rewards must be in [0, 1], got first=1.1"),
        (
            UNKNOWN,
            "rewards",
            [0.0, np.nan, 0.0],
            "rewards must be finite, got rewards='NaN or infinity'",
        ),
        (PART, "states", [0, 1], "states must have shape (3), got shape=(2,)"),
        (PART, "states", [0, 1, 2], "states must be whole numbers in 0..1, got first=2.0"),
        (PART, "states", [1, 1, 1], "the first state must have probability > 0, got state=1"),
        (
            PART,
            "states",
            [0, 0, 1],
            "the features must allow every step, got step=1, state=0, action=1, next=1",
        ),
        (PART, "actions", [0, 2], "actions must be whole numbers in 0..1, got first=2.0"),
        (PART, "rewards", [0.0, 1.1], "rewards must be in [0, 1], got first=1.1"),
        (PART, "rewards", [0.0, np.nan], "rewards must be finite, got rewards='NaN or infinity'"),
    ],
)
def test_a_bad_trajectory_is_refused_whole(
    problem: Any, field: str, value: Any, message: str
) -> None:
    learner = started(PrivateUCBVI(1.0) if problem is UNKNOWN else LinOptVI(1e6), problem)
    learner.prepare(np.zeros(learner.noise_scales().size))
    good = Trajectory(
        np.zeros(problem.horizon + 1, int),
        np.arange(problem.horizon) % 2,
        np.zeros(problem.horizon),
    )
    assert learner.contribution(good).any()
    assert refused(lambda: learner.contribution(good._replace(**{field: value}))) == message
    assert refused(lambda: learner.contribution(good[:2])).startswith("a trajectory must be")
    assert not learner.state.statistics.any() and learner.state.finished == 0


@pytest.mark.parametrize("agent", [PUCB(1.0), LinOptVI(1e6)], ids=lambda candidate: candidate.name)
def test_choices_out_of_range_are_refused(agent: Any) -> None:
    problem = UNKNOWN if agent.name == "pucb" else unknown(mixture(), agent)
    learner = started(agent, problem)
    assert (
        refused(lambda: learner.choose(0, 0, 0.5))
        == "prepare must come before the first choice, got step=0"
    )
    learner.prepare(np.zeros(learner.noise_scales().size))
    step = problem.horizon
    assert (
        refused(lambda: learner.choose(step, 0, 0.5))
        == f"step must be < {step}, the horizon, got step={step}"
    )
    assert refused(lambda: learner.choose(0, 2, 0.5)) == "state must be < 2, got state=2"
    assert (
        refused(lambda: learner.choose(0, 0, 1.0)) == "uniform must be in [0, 1), got uniform=1.0"
    )
    assert {learner.choose(0, 0, uniform) for uniform in (0.0, 0.99)} == {0, 1}
    if agent.name == "linopt-vi":
        assert refused(lambda: learner.choose(0, 1, 0.5)) == (
            "the features must allow to reach the state at the step, got step=0, state=1"
        )


def test_an_agent_of_known_rewards_is_not_started_without_them() -> None:
    problem = unknown(mixture(), LinOptVI(1.0))
    for agent in (UCRLVTR(), LDPUCRLVTR(1.0)):
        assert refused(lambda agent=agent: started(agent, problem)) == (
            "the agent must be told the mean rewards, got mdp='unknown-mixture'"
        )
