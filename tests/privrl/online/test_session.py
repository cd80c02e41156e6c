"""Sessions: equal to the simulation, refusals, restarts, late and repeated users, and what the
noise really gives."""

import copy
import dataclasses
import errno
import math
import os
import pickle
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privrl import DPUCBVI, PUCB, UBEV, LinOptVI, PrivateUCBVI, online
from privrl.environments import random_mdp
from privrl.environments.episode import FiniteEpisode
from privrl.online.terms import Terms, alike, fingerprint
from privrl.privacy import accounting, exact, snapshot
from privrl.privacy.counters import mechanisms
from privrl.run import simulate
from privrl.types import Entries, Simulated
from tests.contracts import refused
from tests.privrl.agents.acting import played

MDP = random_mdp(2, 2, 3, seed=5)
UNKNOWN = online.tabular(states=2, actions=2, horizon=3)
USERS = 60
STILL = ([0, 1, 0, 1], [0, 1, 0], [0.0, 0.25, 1.0])
AGENTS = [
    UBEV(),
    PUCB(1e4, calibration="tight"),
    PrivateUCBVI(1e3, 1e-6, counter="tree"),
    PrivateUCBVI(1e3),
    DPUCBVI(1e3, 1e-6, counter="blt"),
]


def opened(agent: Any = AGENTS[1], users: int = USERS, **settings: Any) -> online.Session:
    chosen: dict[str, Any] = {"noise": "simulated", "seed": 3}
    return online.Session(agent, UNKNOWN, users, **chosen | settings)


@pytest.mark.slow
@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: f"{agent.name}-{agent.delta}")
def test_a_session_is_the_simulation(agent: Any) -> None:
    noise, coins, ties = simulate.streams(MDP, agent, USERS, None, 3, 0)
    simulation = agent.start(MDP, USERS, np.array([USERS]))
    session = opened(agent)
    # scale: in the agent's stream
    noise_scale, world = (
        getattr(session.learner.calibration, "scale", 1.0),
        FiniteEpisode(MDP),
    )
    for user in range(USERS):
        assert session.observe(
            played(lambda step, state, _: session.act(step, state), world, coins[user]), user=user
        )
        simulation.advance(noise[user : user + 1], coins[user : user + 1], ties[user : user + 1])
        # so the same actions
        assert np.array_equal(session.learner.state.statistics, simulation.state.statistics)
        if user < USERS - 1 and agent.counter != "none":
            drawn = noise[user + 1] * session.learner.noise_scales() / noise_scale
            ahead = simulation.state.statistics[-drawn.size :] + drawn
            assert np.allclose(
                session.learner.state.released.every[-drawn.size :], ahead, rtol=1e-12, atol=1e-9
            )


@pytest.mark.slow
@pytest.mark.parametrize("noise", ["exact", "simulated"])
@pytest.mark.parametrize(
    ("epsilon", "delta", "counter", "users", "every"),
    [
        *(
            (*setting, 10_000, every)
            for every in (1, 50)
            for setting in (
                (1.0, 0.0, "tree"),
                (1.0, 1e-6, "tree"),
                (2.0, 1e-9, "smooth"),
                (1.0, 1e-6, "blt"),
                (1.0, 1e-20, "smooth"),
                (1.0, 1e-6, "local"),
                (0.5, 0.0, "local"),
            )
        ),
        (1.0, 1e-6, "smooth", 71, 2),
    ],
)
def test_the_noise_gives_what_is_asked_for(
    noise: str, epsilon: float, delta: float, counter: str, users: int, every: int
) -> None:
    """The loss, computed anew from the noise of a draw and the change by one user (r and m, of
    steps h = 1..H).

    ``smooth`` costs less at 70 releases than at 35: what is said must be what the 35 of 71 users
    give.
    """
    agent = PrivateUCBVI(epsilon, delta, counter=counter)
    session = opened(
        agent, users=users, noise=noise, seed=3 if noise == "simulated" else None, every=every
    )
    scales = session.learner.noise_scales()
    r, m = scales[:12].reshape(3, 4)[:, 0], scales[12:].reshape(3, 8)[:, 0]
    releases = -(-users // every) - 1
    sensitivity = mechanisms.counter_cost(
        counter, releases, "gaussian" if delta else "laplace"
    ).sensitivity
    if delta:
        loss = sensitivity * np.sqrt(2 * (1 / r**2 + 1 / m**2).sum())
        by_moments = accounting.optimal_zcdp_epsilon(loss**2 / 2, delta)
        coarse = noise == "exact" and delta < 1e-19  # beside this delta no grid is fine
        actual_epsilon = by_moments if coarse else accounting.gaussian_epsilon(delta, loss)
        assert coarse or by_moments > 1.02 * epsilon
    else:
        actual_epsilon = sensitivity * 2 * (1 / r + 1 / m).sum()
    # over blt more is left for the grid
    assert (0.98 if counter == "blt" else 0.995) * epsilon <= actual_epsilon <= epsilon * (1 + 1e-9)
    guarantee = session.guarantee
    assert isinstance(guarantee, Simulated) == (noise == "simulated")
    stated = guarantee.if_exact if isinstance(guarantee, Simulated) else guarantee
    assert stated.delta == delta
    assert actual_epsilon * (1 - 1e-9) <= stated.epsilon <= epsilon


def test_repeated_early_and_late_users(tmp_path: Path) -> None:
    session = opened(every=3, path=tmp_path / "state")
    for user in range(4):
        assert session.observe(STILL, user=user)
    assert (session.users, session.plan) == (4, 1)
    before = session.learner.snapshot()
    assert not session.observe(STILL, user=3) and not session.observe("no episode", user=0)
    assert (
        refused(lambda: session.observe(STILL, user=5))
        == "user must be 4, the next one, got user=5"
    )
    assert (
        refused(lambda: session.observe(STILL, plan=2))
        == "plan must be <= 1, the one in force, got plan=2"
    )
    assert refused(lambda: session.observe(([0, 1, 0, 2], *STILL[1:]))).startswith(
        "states must be whole numbers in 0"
    )
    after = session.learner.snapshot()
    assert all(np.array_equal(before[name], after[name]) for name in before)
    assert session.observe(STILL, plan=0)
    assert session.users == 5 and session.learner.state.sums.visits[0, 0] == 5
    session.learner.__class__ = type("Blind", (type(session.learner),), {"any_plan": False})
    assert refused(lambda: session.observe(STILL, plan=0)).startswith(
        "plan must be 1, the one in force, for an agent"
    )
    assert session.observe(STILL, plan=1)


def test_no_more_users_than_the_noise_was_made_for() -> None:
    session = opened(users=4)
    assert [session.observe(STILL) for _ in range(4)] == [True] * 4
    assert (session.users, session.plan) == (4, 3)
    assert (
        refused(lambda: session.observe(STILL))
        == "users must be <= 4, what the noise was made for, got users=5"
    )
    assert session.act(0, 0) in (0, 1)


@pytest.mark.slow
@pytest.mark.parametrize("noise", ["exact", "simulated"])
@pytest.mark.parametrize(
    "agent",
    [PUCB(1.0, calibration="tight"), PrivateUCBVI(1.0, 1e-6, counter="tree"), UBEV()],
    ids=lambda agent: agent.name,
)
def test_a_session_goes_on_where_its_file_stands(agent: Any, noise: str, tmp_path: Path) -> None:
    settings: dict[str, Any] = {
        "noise": noise,
        "seed": 3 if noise == "simulated" else None,
        "path": tmp_path / "state",
    }
    session, released = opened(agent, **settings), []
    for _ in range(9):
        session.observe(STILL)
        released.append(session.learner.state.released.every.copy())
    saved_arrays = session.learner.snapshot()
    again = opened(agent, **settings)
    assert (again.users, again.plan) == (9, 9)
    assert all(
        np.array_equal(value, saved_arrays[name])
        for name, value in again.learner.snapshot().items()
    )
    sums = again.learner.state.statistics
    if (
        agent.counter == "tree"
    ):  # the nodes that are live from 9 on are those of 8, which were drawn before
        again.observe(STILL)
        at = -again.learner.noise_scales().size
        node = again.learner.state.released.every[at:] - sums[at:]
        eighth = released[7][at:] - 8 * sums[at:] / 10
        assert np.abs(node - eighth).max() < 1e4 and not np.array_equal(node, eighth)
        uninterrupted = opened(agent, **settings | {"path": None})
        for _ in range(10):
            uninterrupted.observe(STILL)
        same = np.array_equal(
            uninterrupted.learner.state.released.every, again.learner.state.released.every
        )
        assert same == (noise == "simulated")
        with pytest.raises(RuntimeError, match="snapshot"):  # a second one goes on
            session.observe(STILL)
        with pytest.raises(
            RuntimeError, match="a session that failed while it counted must be opened anew"
        ):
            session.act(0, 0)


def test_a_file_of_another_session_or_a_damaged_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "state"
    opened(path=path)
    for change in (
        {"seed": 4},
        {"users": USERS + 1},
        {"every": 2},
        {"agent": AGENTS[3]},
        {"agent": dataclasses.replace(AGENTS[1], epsilon=9.0)},  # type: ignore[type-var]
    ):
        message = refused(lambda change=change: opened(path=path, **change))
        assert message.startswith(
            "path must be of a session with the same agent, problem and settings"
        )
    content = path.read_bytes()
    for damaged in (
        content[:-1],
        content[:99] + bytes([content[99] ^ 1]) + content[100:],
        b"",
        content[1:],
    ):
        path.write_bytes(damaged)
        assert refused(lambda: opened(path=path)).startswith("a snapshot must be whole")


def test_what_could_not_be_kept_is_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = opened(path=tmp_path / "state")
    session.observe(STILL)
    released_q = session.learner.state.plan.q.copy()

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(RuntimeError, match="No space left"):
            session.observe(STILL)
    assert (session.users, session.plan) == (1, 1) and np.array_equal(
        session.learner.state.plan.q, released_q
    )
    for call in (lambda: session.act(0, 0), lambda: session.observe(STILL)):
        with pytest.raises(RuntimeError, match="a session that failed while it counted"):
            call()
    assert opened(path=tmp_path / "state").users == 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"noise": "exact"}, "exact noise is drawn by the system: seed must be None, got seed=3"),
        ({"seed": None}, "simulated noise must have a seed, got seed=None"),
        ({"noise": "real"}, "noise must be one of exact, simulated, got noise='real'"),
        (
            {"agent": PUCB(1.0)},
            (
                "calibration must be corrected or tight or pruned, whose noise gives what is asked "
                "for, got calibration='printed'"
            ),
        ),
        (
            {
                "agent": PrivateUCBVI(1.0, 1e-6, counter="honaker"),
                "noise": "exact",
                "seed": None,
            },
            (
                "exact noise has the counters local, tree, smooth, signed, blt; this one is for "
                "simulation only, got counter='honaker'"
            ),
        ),
        ({"users": 1}, "users must be >= 2, got users=1"),
        (
            {"every": USERS},
            f"every must be < users, or no plan is made, got every={USERS}, users={USERS}",
        ),
        ({"every": 0}, "every must be >= 1, got every=0"),
        (
            {"agent": PrivateUCBVI(1.0, every=2)},
            "every must be told to the session, not to the agent, got every=2",
        ),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any], message: str) -> None:
    assert refused(lambda: opened(**settings)) == message


@pytest.mark.parametrize("noise", ["exact", "simulated"])
def test_over_local_the_server_sees_messages_alone(noise: str) -> None:
    agent = PrivateUCBVI(1.0, counter="local")
    session = opened(agent, noise=noise, seed=3 if noise == "simulated" else None)
    assert refused(lambda: session.observe(STILL)).startswith(
        "over the counter local users send messages"
    )
    device = session.device()
    message = device.message(STILL)
    true = session.learner.contribution(STILL)
    assert np.all(message != true) or (noise == "exact" and (message != true).mean() > 0.9)
    assert refused(lambda: device.message(STILL)).startswith(
        "a counter serves no more releases than it was made for"
    )
    assert session.receive(message) and not session.receive(message, user=0)
    assert np.array_equal(session.learner.state.statistics[-message.size :], message)
    # nothing is added to it
    assert np.array_equal(session.learner.state.released.successors.ravel(), message[12:])
    # from a device that nobody knows: the session goes on
    for wrong in (message[1:], np.full(message.size, 1e300), np.full(message.size, np.nan)):
        assert "message must " in refused(lambda: session.receive(wrong))  # noqa: B023
    assert session.users == 1 and session.act(0, 0) in (0, 1)
    joint = opened()
    assert (
        refused(lambda: joint.receive(message))
        == "messages are for the counter local, got counter='tree'"
    )
    assert refused(joint.device) == "a device is for the counter local, got counter='tree'"


def test_noise_of_messages_is_drawn_anew_for_every_user() -> None:
    session = opened(PrivateUCBVI(1.0, counter="local"), users=1000)
    device = session.device(users=400)
    drawn = np.array([device.message(STILL) for _ in range(400)]) - session.learner.contribution(
        STILL
    )
    spread = np.abs(drawn).mean(axis=0) / session.learner.noise_scales()  # of Laplace draws: 1
    assert spread.min() > 0.8 and spread.max() < 1.25  # a walk's would be far above


def test_simulated_noise_is_another_on_another_device() -> None:
    session = opened(PrivateUCBVI(1.0, counter="local"), noise="simulated", seed=3)
    first_message, second_message = (session.device().message(STILL) for _ in range(2))
    assert not np.any(first_message == second_message)


@pytest.mark.parametrize(
    "agent", [PUCB(1.0, counter="none"), PrivateUCBVI(1.0, 1e-6, counter="none")]
)
def test_without_noise_nothing_is_guaranteed(agent: Any) -> None:
    assert opened(agent, noise="exact", seed=None).guarantee == (math.inf, 0.0)


def test_only_columns_with_noise_leave() -> None:
    session = opened()
    protection = session._protection
    protection.noisy[2] = False
    rounded = protection.rounded(Entries.of(np.ones(protection.noisy.size)))
    assert rounded.row()[:4].tolist() == [1, 1, 0, 1]


def test_what_is_no_trajectory_is_refused() -> None:
    session, local = opened(), opened(PrivateUCBVI(1.0, counter="local"))
    for wrong in (3, None, STILL[:2], "012", {"states": [0]}):
        for call in (session.observe, local.device().message):
            assert refused(partial(call, wrong)).startswith(
                "a trajectory must be (states, actions, rewards), got "
            )
    assert session.users == 0 and refused(lambda: local.device().update(3)).startswith(  # type: ignore[arg-type]
        "sent must be of type dict"
    )
    assert refused(lambda: online.drive(3, None, 1)).startswith("session must be of type Session")  # type: ignore[arg-type]


def same(first: Any, second: Any) -> bool:
    digests, floats = zip(fingerprint(first), fingerprint(second), strict=True)
    return digests[0] == digests[1] and alike(*floats)  # type: ignore[arg-type]


def test_the_fingerprint_sees_every_setting_and_no_last_bit() -> None:
    half_rewards = dataclasses.replace(UNKNOWN, rewards=UNKNOWN.rewards * 0.5)
    parts = (
        UNKNOWN,
        half_rewards,
        PUCB(1.0),
        PUCB(2.0),
        1,
        1.0,
        "1",
        None,
        (1.0, math.inf),
        [1.0, 2],
    )
    for number, record in enumerate(parts):
        assert [same(record, value) for value in parts].index(True) == number
        assert sum(same(record, value) for value in parts) == 1
    last = dataclasses.replace(UNKNOWN, rewards=UNKNOWN.rewards * (1 + 1e-14))
    assert not np.array_equal(last.rewards, UNKNOWN.rewards) and same(last, UNKNOWN)
    swapped = UNKNOWN.transitions.copy()
    swapped[0, 0, 0] = [0.5 + 1e-6, 0.5 - 1e-6]
    assert not same(dataclasses.replace(UNKNOWN, transitions=swapped), UNKNOWN)


@pytest.mark.parametrize("factor", [1 + 1e-13, 1 - 1e-13])
def test_a_file_of_another_processor_is_opened(
    tmp_path: Path, factor: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There the last bits of the epsilon that an agent is started with are others."""
    agent, path = PrivateUCBVI(1.0, 1e-6, counter="tree"), tmp_path / "state"
    session = opened(agent, path=path, noise="exact", seed=None)
    session.observe(STILL)
    nominal = session.terms.nominal
    monkeypatch.setattr(Terms, "nominal", nominal * factor)
    again = opened(agent, path=path, noise="exact", seed=None)
    assert again.learner.noise_scales()[0] != session.learner.noise_scales()[0]
    assert again.users == 1 and again.guarantee[0] >= session.guarantee[0]
    again.observe(STILL)
    monkeypatch.undo()
    assert opened(agent, path=path, noise="exact", seed=None).users == 2


@pytest.mark.parametrize("noise", ["exact", "simulated"])
def test_a_session_resumes_with_the_scale_that_it_had(
    tmp_path: Path, noise: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings: dict[str, Any] = {"noise": noise, "seed": 3 if noise == "simulated" else None}
    session = opened(path=tmp_path / "state", **settings)
    kind, scales = type(session.learner), session.learner.noise_scales()
    monkeypatch.setattr(kind, "noise_scales", lambda _learner: scales / 4)
    assert refused(lambda: opened(path=tmp_path / "state", **settings)).startswith(
        "this version must have the scales, the grid and the guarantee of the session's file"
    )


@pytest.mark.parametrize(("counter", "users"), [("tree", 10_000), ("blt", 2 * 10**7)])
def test_the_widths_are_of_the_releases_that_are_made(counter: str, users: int) -> None:
    """As an agent has them that is told how many users there are to a plan, but for what exact
    noise takes; blt is made for no more than 1e7 releases, and here there are fewer."""
    every = users // 1000
    agent = PrivateUCBVI(1.0, 1e-6, counter=counter)
    session = opened(agent, users=users, every=every, noise="exact", seed=None)
    expected = dataclasses.replace(agent, every=every).calibrate(UNKNOWN, users)
    ratios = np.array(session.learner.bonus[0]) / expected.widths
    assert (ratios >= 1).all() and (ratios < 1.08).all()
    # a mutant, an agent that is not told, has wider ones, or none
    if counter == "tree":
        told = dataclasses.replace(agent, epsilon=session.terms.nominal).calibrate(UNKNOWN, users)
        assert (np.array(told.widths) / session.learner.bonus[0] > 1.2).all()
    assert 0 < session.guarantee.epsilon <= 1.0


def test_contributions_are_counted_on_the_grid() -> None:
    """A bit below it would tell noise from sum: thirds are on no grid."""
    session = opened(PrivateUCBVI(1.0, 1e-6, counter="tree"), noise="exact", seed=None)
    assert session.observe((STILL[0], STILL[1], [1 / 3, 1 / 3, 2 / 3]))
    width, grid = session._protection.noisy.size, session._protection.grid
    for sums in (session.learner.state.statistics, session.learner.state.released.every):
        steps = sums[-width:] / grid
        assert steps.any() and np.array_equal(steps, np.rint(steps))
    device = opened(PrivateUCBVI(1.0, counter="local"), noise="exact", seed=None).device()
    steps = device.message((STILL[0], STILL[1], [1 / 3, 1 / 3, 2 / 3])) / device._protection.grid
    assert np.array_equal(steps, np.rint(steps))


def test_rounding_is_in_the_guarantee() -> None:
    """With so many users that the grid is coarse; features are rounded to what no user has."""
    psi = np.full((2, 2, 2, 1), 0.5)
    known = online.mixture(psi=psi, varphi=np.ones((2, 2, 1)), horizon=2, theta_p_bound=1.0)
    agent = LinOptVI(1.0, 1e-6, counter="tree", calibration="tight")
    session = online.Session(agent, known, 2**34)
    protection, terms = session._protection, session.terms
    scales = session.learner.noise_scales()[protection.noisy]
    size, grid, apart = terms.on_grid(scales, terms.nominal)
    sensitivity = mechanisms.counter_cost("tree", terms.releases, "gaussian").sensitivity
    rounded = size + sensitivity * math.sqrt(math.fsum((grid / scales) ** 2))
    without, least = (exact.exact_epsilon("gaussian", mu, 1e-6, apart) for mu in (size, rounded))
    assert without * (1 + 1e-5) < least <= session.guarantee[0] * (1 + 1e-12) <= 1.0 + 1e-12


def slowly(call: Callable[..., Any]) -> Callable[..., Any]:
    def later(*arguments: Any, **named: Any) -> Any:
        time.sleep(0.01)
        return call(*arguments, **named)

    return later


@pytest.mark.parametrize("durable", [True, False])
def test_threads_count_every_user_once(tmp_path: Path, durable: bool) -> None:
    """Four threads with users of their own, and two that hand in each user at once."""
    path = tmp_path / "state" if durable else None
    session = opened(path=path)
    for name in ("add", "entries", "prepare"):
        setattr(session.learner, name, slowly(getattr(session.learner, name)))
    with ThreadPoolExecutor(4) as pool:
        calls = [pool.submit(session.observe, STILL) for _ in range(20)]
        calls += [pool.submit(session.act, 0, 0) for _ in range(8)]
    assert [call.result() for call in calls[:20]] == [True] * 20 and session.users == 20
    with ThreadPoolExecutor(2) as pool:
        for user in range(20, 30):
            twice = [pool.submit(session.observe, STILL, user) for _ in range(2)]
            assert sorted(call.result() for call in twice) == [False, True]
    assert session.users == session.plan == 30
    assert session.learner.state.sums.visits[0].sum() == 30
    assert path is None or opened(path=path).users == 30


def test_nobody_acts_by_a_plan_that_is_not_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, seen = opened(path=tmp_path / "state"), []
    write = snapshot.write

    def watched(*arguments: Any) -> str:
        """Another thread asks while the plan is made and not yet written; it has to wait."""
        calls = [pool.submit(ask) for ask in (lambda: session.users, lambda: session.act(0, 0))]
        time.sleep(0.05)
        seen.extend(call.done() for call in calls)
        return write(*arguments)

    with ThreadPoolExecutor(2) as pool:
        monkeypatch.setattr(snapshot, "write", watched)
        session.observe(STILL)
    assert seen == [False, False]


def test_threads_get_messages_with_noise_of_their_own() -> None:
    device = opened(PrivateUCBVI(1.0, counter="local"), users=1000).device(users=40)
    device._protection.row = slowly(device._protection.row)  # type: ignore[method-assign]
    with ThreadPoolExecutor(4) as pool:
        calls = [pool.submit(device.message, STILL) for _ in range(40)]
    messages = np.array([call.result() for call in calls])
    noise = messages - device._learner.contribution(STILL)
    assert np.allclose(noise.sum(axis=0), device._walked) and len({*noise[:, 0]}) == 40


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no forks")
@pytest.mark.parametrize("durable", [True, False])
def test_a_session_is_not_copied_and_not_forked(tmp_path: Path, durable: bool) -> None:
    session = opened(path=tmp_path / "state" if durable else None)
    device = opened(PrivateUCBVI(1.0, counter="local")).device()
    for twin in (session, device, session._protection):
        for call in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="must not be copied or pickled: its noise"):
                call(twin)
    with session.lock:  # of a thread that is not there any more in the fork
        child = os.fork()
        if not child:
            refusals = 0
            for use in (
                lambda: session.observe(STILL),
                lambda: session.act(0, 0),
                lambda: session.users,
                lambda: device.message(STILL),
            ):
                try:
                    use()
                except RuntimeError as error:
                    refusals += "must stay in the process that made it" in str(error)
            os._exit(refusals)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 4
    assert session.observe(STILL) and session.users == 1


def test_two_names_of_a_file_are_one_session(tmp_path: Path) -> None:
    path, link, hard = (tmp_path / name for name in ("state", "link", "hard"))
    link.symlink_to(path)
    first, second = opened(path=link), opened(path=path)
    first.observe(STILL)
    assert link.is_symlink() and opened(path=link).users == opened(path=path).users == 1
    with pytest.raises(RuntimeError, match="another process has gone on"):
        second.observe(STILL)
    hard.hardlink_to(path)
    for name in (path, link, hard):
        assert refused(lambda name=name: opened(path=name)).startswith(
            "a snapshot must have one name"
        )
    with pytest.raises(RuntimeError, match="a snapshot must have one name"):
        first.observe(STILL)


def test_a_file_that_must_exist(tmp_path: Path) -> None:
    for path in (tmp_path / "state", None):
        message = refused(lambda path=path: opened(path=path, must_exist=True))
        assert message.startswith("path must be")
    assert not any(tmp_path.iterdir())
    opened(path=tmp_path / "state").observe(STILL)
    assert opened(path=tmp_path / "state", must_exist=True).users == 1
    assert refused(lambda: opened(must_exist=1)).startswith("must_exist must be True or False")


WRONG: dict[str, list[Callable[[Any], Any]]] = {
    "learner.sums": [
        lambda array: array * np.nan,
        lambda array: array[1:],
        lambda array: array.astype(int),
    ],
    "learner.clock": [lambda array: array - 6, lambda array: array + 100, lambda array: array + 1],
    "noise.released": [lambda array: array - 2, lambda array: array - 1, lambda array: array + 99],
    "noise._stack": [lambda array: array + np.inf, lambda array: array[1:]],
    "noise.more": [lambda _array: np.zeros(1)],
    "more": [lambda _array: np.zeros(1)],
}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "number"), [(n, i) for n in WRONG for i in range(len(WRONG[n]))])
def test_a_file_that_no_session_wrote_is_refused(tmp_path: Path, name: str, number: int) -> None:
    settings: dict[str, Any] = {"noise": "exact", "seed": None}
    session = opened(path=tmp_path / "a", **settings)
    session.observe(STILL)
    arrays, _ = snapshot.read(tmp_path / "a")
    snapshot.write(tmp_path / "b", arrays)
    assert opened(path=tmp_path / "b", **settings).users == 1
    assert name in arrays or name.endswith("more")
    wrong = np.asarray(WRONG[name][number](arrays.get(name)))
    snapshot.write(tmp_path / "c", arrays | {name: wrong})
    with pytest.raises(ValueError, match=r"snapshot|state must be"):
        opened(path=tmp_path / "c", **settings)


def test_masked_values_are_refused() -> None:
    session = opened()
    masked = np.ma.MaskedArray(STILL[2], mask=[False, True, False])
    assert refused(lambda: session.observe((*STILL[:2], masked))).startswith(
        "rewards must have no masked values"
    )
    assert session.users == 0


def test_without_opendp_nothing_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exact.opendp.cache_clear()
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "opendp.prelude", None)
        with pytest.raises(ImportError, match="exact noise needs opendp, of the extra exact"):
            opened(noise="exact", seed=None, path=tmp_path / "state")
        assert not any(tmp_path.iterdir()) and opened().users == 0
    exact.opendp.cache_clear()
