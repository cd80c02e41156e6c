"""Sessions: equal to the simulation, refusals, restarts, late and repeated users, and what the noise really gives."""

import dataclasses
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privrl import DPUCBVI, PUCB, UBEV, PrivateUCBVI, online
from privrl.environments import random_mdp
from privrl.environments.episode import FiniteEpisode
from privrl.privacy import accounting
from privrl.privacy.counters import mechanisms
from privrl.run import simulate
from tests.contracts import refused
from tests.privrl.agents.acting import played

MDP = random_mdp(2, 2, 3, seed=5)
UNKNOWN = online.tabular(states=2, actions=2, horizon=3)
USERS = 60
STILL = ([0, 1, 0, 1], [0, 1, 0], [0.0, 0.25, 1.0])
AGENTS = [UBEV(), PUCB(1e4, calibration="tight"), PrivateUCBVI(1e3, 1e-6, counter="tree"), PrivateUCBVI(1e3),
          DPUCBVI(1e3, 1e-6, counter="blt")]


def opened(agent: Any = AGENTS[1], users: int = USERS, **settings: Any) -> online.Session:
    return online.Session(agent, UNKNOWN, users, **{"noise": "simulated", "seed": 3} | settings)


@pytest.mark.parametrize("agent", AGENTS, ids=lambda one: f"{one.name}-{one.delta}")
def test_a_session_is_the_simulation(agent: Any) -> None:
    noise, coins, ties = simulate.streams(MDP, agent, USERS, None, 3, 0)
    simulation = agent.start(MDP, USERS, np.array([USERS]))
    session = opened(agent)
    made, world = getattr(session.learner.calibration, "scale", 1.0), FiniteEpisode(MDP)  # scale: in the agent's stream
    for user in range(USERS):
        assert session.observe(played(lambda step, state, _: session.act(step, state), world, coins[user]), user=user)
        simulation.advance(noise[user : user + 1], coins[user : user + 1], ties[user : user + 1])
        assert np.array_equal(session.learner.state.statistics, simulation.state.statistics)  # so the same actions
        if user < USERS - 1 and agent.counter != "none":
            drawn = noise[user + 1] * session.learner.noise_scales() / made
            ahead = simulation.state.statistics[-drawn.size :] + drawn
            assert np.allclose(session.learner.state.released.every[-drawn.size :], ahead, rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("noise", ["exact", "simulated"])
@pytest.mark.parametrize(("epsilon", "delta", "counter", "users", "every"), [
    *((*one, 10_000, every) for every in (1, 50) for one in (
        (1.0, 0.0, "tree"), (1.0, 1e-6, "tree"), (2.0, 1e-9, "smooth"), (1.0, 1e-20, "smooth"), (1.0, 1e-6, "local"),
        (0.5, 0.0, "local"))),
    (1.0, 1e-6, "smooth", 71, 2)])
def test_the_noise_gives_what_is_asked_for(noise: str, epsilon: float, delta: float, counter: str, users: int,
                                           every: int) -> None:
    """The loss, computed anew from the noise of a draw and the change by one user (r and m, of steps h = 1..H).

    ``smooth`` costs less at 70 releases than at 35: what is said must be what the 35 of 71 users give.
    """
    agent = PrivateUCBVI(epsilon, delta, counter=counter)
    session = opened(agent, users=users, noise=noise, seed=3 if noise == "simulated" else None, every=every)
    scales = session.learner.noise_scales()
    r, m = scales[:12].reshape(3, 4)[:, 0], scales[12:].reshape(3, 8)[:, 0]
    releases = -(-users // every) - 1
    sensitivity = mechanisms.counter_cost(counter, releases, "gaussian" if delta else "laplace").sensitivity
    if delta:
        loss = sensitivity * np.sqrt(2 * (1 / r**2 + 1 / m**2).sum())
        by_moments = accounting.optimal_zcdp_epsilon(loss**2 / 2, delta)
        coarse = noise == "exact" and delta < 1e-19  # beside this delta no grid is fine
        found = by_moments if coarse else accounting.gaussian_epsilon(delta, loss)
        assert coarse or by_moments > 1.02 * epsilon
    else:
        found = sensitivity * 2 * (1 / r + 1 / m).sum()
    assert 0.995 * epsilon <= found <= epsilon * (1 + 1e-9)
    assert session.guarantee[1] == delta and found * (1 - 1e-9) <= session.guarantee[0] <= epsilon


def test_repeated_early_and_late_users(tmp_path: Path) -> None:
    session = opened(every=3, path=tmp_path / "state")
    for user in range(4):
        assert session.observe(STILL, user=user)
    assert (session.users, session.plan) == (4, 1)
    before = session.learner.snapshot()
    assert not session.observe(STILL, user=3) and not session.observe("no episode", user=0)
    assert refused(lambda: session.observe(STILL, user=5)) == "user must be 4, the next one, got user=5"
    assert refused(lambda: session.observe(STILL, plan=2)) == "plan must be <= 1, the one in force, got plan=2"
    assert refused(lambda: session.observe(([0, 1, 0, 2], *STILL[1:]))).startswith("states must be whole numbers in 0")
    after = session.learner.snapshot()
    assert all(np.array_equal(before[name], after[name]) for name in before)
    assert session.observe(STILL, plan=0)
    assert session.users == 5 and session.learner.state.sums.visits[0, 0] == 5
    session.learner.__class__ = type("Blind", (type(session.learner),), {"any_plan": False})
    assert refused(lambda: session.observe(STILL, plan=0)).startswith("plan must be 1, the one in force, for an agent")
    assert session.observe(STILL, plan=1)


def test_no_more_users_than_the_noise_was_made_for() -> None:
    session = opened(users=4)
    assert [session.observe(STILL) for _ in range(4)] == [True] * 4
    assert (session.users, session.plan) == (4, 3)
    assert refused(lambda: session.observe(STILL)) == "users must be <= 4, what the noise was made for, got users=5"
    assert session.act(0, 0) in (0, 1)


@pytest.mark.parametrize("noise", ["exact", "simulated"])
@pytest.mark.parametrize("agent", [PUCB(1.0, calibration="tight"), PrivateUCBVI(1.0, 1e-6, counter="tree"), UBEV()],
                         ids=lambda one: one.name)
def test_a_session_goes_on_where_its_file_stands(agent: Any, noise: str, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"noise": noise, "seed": 3 if noise == "simulated" else None, "path": tmp_path / "state"}
    session, released = opened(agent, **settings), []
    for _ in range(9):
        session.observe(STILL)
        released.append(session.learner.state.released.every.copy())
    kept = session.learner.snapshot()
    again = opened(agent, **settings)
    assert (again.users, again.plan) == (9, 9)
    assert all(np.array_equal(value, kept[name]) for name, value in again.learner.snapshot().items())
    sums = again.learner.state.statistics
    if agent.counter == "tree":  # the nodes that are live from 9 on are those of 8, which were drawn before
        again.observe(STILL)
        at = -again.learner.noise_scales().size
        node = again.learner.state.released.every[at:] - sums[at:]
        eighth = released[7][at:] - 8 * sums[at:] / 10
        assert np.abs(node - eighth).max() < 1e4 and not np.array_equal(node, eighth)
        whole = opened(agent, **settings | {"path": None})
        for _ in range(10):
            whole.observe(STILL)
        same = np.array_equal(whole.learner.state.released.every, again.learner.state.released.every)
        assert same == (noise == "simulated")
        with pytest.raises(RuntimeError, match="snapshot"):  # a second one goes on
            session.observe(STILL)
        with pytest.raises(RuntimeError, match="a session that failed while it counted must be opened anew"):
            session.act(0, 0)


def test_a_file_of_another_session_or_a_damaged_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "state"
    opened(path=path)
    for other in ({"seed": 4}, {"users": USERS + 1}, {"every": 2}, {"agent": AGENTS[3]},
                  {"agent": dataclasses.replace(AGENTS[1], epsilon=9.0)}):
        message = refused(lambda other=other: opened(path=path, **other))
        assert message.startswith("path must be of a session with the same agent, problem and settings")
    whole = path.read_bytes()
    for damaged in (whole[:-1], whole[:99] + bytes([whole[99] ^ 1]) + whole[100:], b"", whole[1:]):
        path.write_bytes(damaged)
        assert refused(lambda: opened(path=path)).startswith("a snapshot must be whole")


def test_what_could_not_be_kept_is_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = opened(path=tmp_path / "state")
    session.observe(STILL)
    shown = session.learner.state.plan.q.copy()

    def full(*arguments: Any) -> None:
        raise OSError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr("privrl.privacy.snapshot.write", full)
        with pytest.raises(OSError, match="disk"):
            session.observe(STILL)
    assert (session.users, session.plan) == (1, 1) and np.array_equal(session.learner.state.plan.q, shown)
    for call in (lambda: session.act(0, 0), lambda: session.observe(STILL)):
        with pytest.raises(RuntimeError, match="a session that failed while it counted"):
            call()
    assert opened(path=tmp_path / "state").users == 1


@pytest.mark.parametrize(("settings", "message"), [
    ({"noise": "exact"}, "exact noise is drawn by the system: seed must be None, got seed=3"),
    ({"seed": None}, "simulated noise must have a seed, got seed=None"),
    ({"noise": "real"}, "noise must be one of exact, simulated, got noise='real'"),
    ({"agent": PUCB(1.0)}, ("calibration must be corrected or tight, whose noise gives what is asked for, "
                            "got calibration='printed'")),
    ({"agent": AGENTS[4], "noise": "exact", "seed": None}, (
        "exact noise has the counters local, tree, smooth, signed; this one weighs draws by real numbers and is for "
        "simulation only, got counter='blt'")),
    ({"users": 1}, "users must be >= 2, got users=1"),
    ({"every": USERS}, f"every must be < users, or no plan is made, got every={USERS}, users={USERS}"),
    ({"every": 0}, "every must be >= 1, got every=0"),
    ({"agent": PrivateUCBVI(1.0, every=2)}, "every must be told to the session, not to the agent, got every=2"),
])
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any], message: str) -> None:
    assert refused(lambda: opened(**settings)) == message


@pytest.mark.parametrize("noise", ["exact", "simulated"])
def test_over_local_the_server_sees_messages_alone(noise: str) -> None:
    agent = PrivateUCBVI(1.0, counter="local")
    session = opened(agent, noise=noise, seed=3 if noise == "simulated" else None)
    assert refused(lambda: session.observe(STILL)).startswith("over the counter local users send messages")
    device = session.device()
    message = device.message(STILL)
    true = session.learner.contribution(STILL)  # type: ignore[arg-type]
    assert np.all(message != true) or (noise == "exact" and (message != true).mean() > 0.9)
    assert refused(lambda: device.message(STILL)).startswith("a counter serves no more releases than it was made for")
    assert session.receive(message) and not session.receive(message, user=0)
    assert np.array_equal(session.learner.state.statistics[-message.size :], message)
    assert np.array_equal(session.learner.state.released.successors.ravel(), message[12:])  # nothing is added to it
    # from a device that nobody knows: the session goes on
    for wrong in (message[1:], np.full(message.size, 1e300), np.full(message.size, np.nan)):
        assert "message must " in refused(lambda: session.receive(wrong))  # noqa: B023
    assert session.users == 1 and session.act(0, 0) in (0, 1)
    joint = opened()
    assert refused(lambda: joint.receive(message)) == "messages are for the counter local, got counter='tree'"
    assert refused(joint.device) == "a device is for the counter local, got counter='tree'"


def test_noise_of_messages_is_drawn_anew_for_every_user() -> None:
    session = opened(PrivateUCBVI(1.0, counter="local"), users=1000)
    device = session.device(users=400)
    drawn = np.array([device.message(STILL) for _ in range(400)]) - session.learner.contribution(STILL)  # type: ignore[arg-type]
    spread = np.abs(drawn).mean(axis=0) / session.learner.noise_scales()  # of Laplace draws: 1
    assert spread.min() > 0.8 and spread.max() < 1.25  # a walk's would be far above


def test_simulated_noise_is_another_on_another_device() -> None:
    session = opened(PrivateUCBVI(1.0, counter="local"), noise="simulated", seed=3)
    one, other = (session.device().message(STILL) for _ in range(2))
    assert not np.any(one == other)


@pytest.mark.parametrize("agent", [PUCB(1.0, counter="none"), PrivateUCBVI(1.0, 1e-6, counter="none")])
def test_without_noise_nothing_is_guaranteed(agent: Any) -> None:
    assert opened(agent, noise="exact", seed=None).guarantee == (math.inf, 0.0)


def test_only_columns_with_noise_leave() -> None:
    session = opened()
    protection = session._protection
    protection.noisy[2] = False
    assert protection.rounded(np.ones(protection.noisy.size))[:4].tolist() == [1, 1, 0, 1]


def test_what_is_no_trajectory_is_refused() -> None:
    session, local = opened(), opened(PrivateUCBVI(1.0, counter="local"))
    for wrong in (3, None, STILL[:2], "012", {"states": [0]}):
        for call in (session.observe, local.device().message):
            assert refused(lambda: call(wrong)).startswith("a trajectory must be (states, actions, rewards), got ")  # noqa: B023
    assert session.users == 0 and refused(lambda: local.device().update(3)).startswith("sent must be of type dict")
    assert refused(lambda: online.drive(3, None, 1)).startswith("session must be of type Session")  # type: ignore[arg-type]


def test_the_fingerprint_sees_every_setting() -> None:
    from privrl.online.terms import fingerprint

    problem = UNKNOWN
    other = dataclasses.replace(problem, rewards=problem.rewards * 0.5)
    assert len({fingerprint(part) for part in (problem, other, PUCB(1.0), PUCB(2.0), 1, "1", None)}) == 7
