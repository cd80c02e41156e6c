"""Sessions over ``secure``: the server adds up what has the noise of its users, who alone draw
it."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privrl import LinOptVI, PrivateUCBVI, online
from privrl.environments import LinearMixtureMDP, suite
from privrl.privacy import accounting, exact
from privrl.privacy.counters import mechanisms, secure
from privrl.privacy.secure_sums import SecureSums, SharedTree
from privrl.types import Guarantee, Simulated
from tests.contracts import refused

UNKNOWN = online.tabular(states=2, actions=2, horizon=3)
AGENT = PrivateUCBVI(1.0, 1e-6, counter="secure")
USERS = 40
STILL = ([0, 1, 0, 1], [0, 1, 0], [0.0, 0.25, 1.0])
MOVING = ([1, 1, 0, 0], [1, 1, 0], [1.0, 0.5, 0.0])


def opened(agent: Any = AGENT, users: int = USERS, **settings: Any) -> online.Session:
    return online.Session(agent, UNKNOWN, users, **{"noise": "exact"} | settings)


def episode(user: int) -> tuple[list[int], list[int], list[float]]:
    return MOVING if user % 3 else STILL


def turn(
    session: online.Session, sums: SecureSums, user: int, trajectory: Any = None
) -> np.ndarray | None:
    """The sum of the node that ends with that user, who hands in her message."""
    message = session.sharing_device(user).message(trajectory or episode(user))
    return sums.turn(user + 1, message) if message else None


def released(session: online.Session) -> np.ndarray:
    """(W',), the sums that the plan in force was made of."""
    noisy = session._protection.noisy
    return np.asarray(session.learner.state.released.every[-noisy.size :][noisy])


def without_noise(law: str, scale: float, number: int) -> np.ndarray:
    return np.zeros(number)


@pytest.mark.slow
def test_the_server_adds_up_what_its_users_did(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without noise the sums are exact: of all who did not drop out, whatever node it was of."""
    monkeypatch.setattr(exact, "sample", without_noise)
    session = opened()
    sums, learner = SecureSums(session.sharing), session.learner
    expected = np.zeros(released(session).size)
    for user in range(USERS):
        there = user % 7 != 5
        trajectory = episode(user)
        total = turn(session, sums, user) if there or user == USERS - 1 else sums.turn(user + 1, {})
        if there:
            expected += learner.contribution(online.device.finished(trajectory))[
                session._protection.noisy
            ]
        assert session.receive_total(total, user=user)
        if user < USERS - 1:
            assert np.array_equal(released(session), expected)
            # the mutant: without those of the others it is another
            assert expected.any()
    assert session.users == USERS and session.plan == USERS - 1
    # the server holds nothing else
    assert not learner.released_sums.any()
    assert not session.receive_total(None, user=3)


@pytest.mark.slow
def test_a_plan_is_that_of_the_same_sums_in_a_session_with_a_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Both without noise; the same agent, so the same widths."""
    monkeypatch.setattr(exact, "sample", without_noise)
    monkeypatch.setattr(
        mechanisms.COUNTER_CLASSES["secure"],
        "_sums",
        lambda counter, rows: np.zeros((rows, counter.width)),
    )
    shared, trusted = opened(), opened(noise="simulated", seed=1)
    # the simulated session's epsilon has no slack for a grid: as much noise for both
    trusted.terms.__dict__["nominal"] = shared.terms.nominal
    trusted.learner = trusted.terms.start()
    sums = SecureSums(shared.sharing)
    for user in range(USERS - 1):
        shared.receive_total(turn(shared, sums, user))
        trusted.observe(episode(user))
        plans = [session.learner.state.plan for session in (shared, trusted)]
        assert np.array_equal(plans[0].q, plans[1].q)
        assert np.array_equal(plans[0].greedy, plans[1].greedy)


@pytest.mark.slow
def test_the_noise_is_that_of_the_counter() -> None:
    """Its variance over sums, columns and sessions, as nobody drops out."""
    rows = []
    for _ in range(30):
        session = opened(users=8)
        sums, exactly = SecureSums(session.sharing), 0.0
        noise = []
        for user in range(7):
            exactly = exactly + session.learner.contribution(online.device.finished(episode(user)))
            session.receive_total(turn(session, sums, user))
            noise.append((released(session) - exactly) / session.sharing.scale)
        rows.append(noise)
    squares = np.square(rows)  # (sessions, users, W)
    seen = squares.mean(axis=(0, 2))
    # 2 shares for 1 in a node of two users, 4 for 3 in one of four
    expected = np.array([1, 2, 3, 4 / 3, 7 / 3, 10 / 3, 13 / 3])
    error = 6 * math.sqrt(2 / (squares.shape[0] * squares.shape[2]))
    assert (np.abs(seen / expected - 1) <= error).all() and error < 0.35
    assert (expected <= secure.SecureCounter.variance(np.arange(1, 8), 7) * (1 + 1e-9)).all()


@pytest.mark.parametrize("epsilon", [0.5, 3.0])
@pytest.mark.parametrize("users", [40, 10**6])
def test_the_guarantee_is_real_and_is_what_the_noise_gives(epsilon: float, users: int) -> None:
    session = opened(PrivateUCBVI(epsilon, 1e-6, counter="secure"), users=users)
    scales = session.learner.noise_scales()
    r, m = scales[:12].reshape(3, 4)[:, 0], scales[12:].reshape(3, 8)[:, 0]
    # of all nodes that a user is in
    sensitivity = math.sqrt((users - 1).bit_length())
    loss = sensitivity * math.sqrt(float((2 / r**2 + 2 / m**2).sum()))
    guarantee = session.guarantee
    assert isinstance(guarantee, Guarantee) and guarantee.delta == 1e-6
    assert accounting.gaussian_epsilon(1e-6, loss) <= guarantee.epsilon <= epsilon
    # a hundredth less noise does not give it
    assert accounting.gaussian_epsilon(1e-6, 1.01 * loss) > epsilon
    assert np.array_equal(session.sharing.scale, scales)
    simulated = opened(PrivateUCBVI(epsilon, 1e-6, counter="secure"), noise="simulated", seed=1)
    assert isinstance(simulated.guarantee, Simulated)


def test_rounding_is_in_the_guarantee() -> None:
    """Linear agents' contributions are real numbers."""
    mdp = suite.environment("zhou2022/mixture-2")
    assert isinstance(mdp, LinearMixtureMDP)
    known = online.mixture(psi=mdp.psi, varphi=mdp.varphi, horizon=mdp.horizon)
    agent = LinOptVI(1.0, 1e-6, counter="secure", calibration="tight")
    session = online.Session(agent, known, 1000, noise="exact")
    sharing = session.sharing
    size = accounting.gaussian_mu(session.terms.nominal, 1e-6)
    moved = math.sqrt(float(((sharing.grid / sharing.scale) ** 2).sum()))
    # in each of the ten nodes that a user is in
    assert sharing.rounding == pytest.approx(math.sqrt(10) * moved, rel=1e-9, abs=0.0)
    least = accounting.gaussian_epsilon(1e-6, size + sharing.rounding)
    assert isinstance(session.guarantee, Guarantee) and least <= session.guarantee.epsilon <= 1.0
    device = session.sharing_device()
    states, actions = [int(np.flatnonzero(mdp.initial)[0])], []
    for step in range(mdp.horizon):
        actions.append(device.act(step, states[-1]))
        states.append(int(mdp.tabular().transitions[step, states[-1], actions[-1]].argmax()))
    message = device.message((states, actions, [0.5] * mdp.horizon))
    assert session.receive_total(SecureSums(sharing).turn(1, message))


@pytest.mark.slow
def test_a_session_goes_on_where_its_file_stands(tmp_path: Path) -> None:
    path = tmp_path / "state"
    session = opened(path=path)
    sums, tree = SecureSums(session.sharing), SharedTree(session.sharing)
    for user in range(USERS):
        total = turn(session, sums, user)
        session = opened(path=path, must_exist=True)  # between two users
        assert session.users == user
        assert session.receive_total(total, user=user)
        assert not session.receive_total(total, user=user)
        if total is not None:
            assert np.array_equal(released(session), tree.take(total))
    again = opened(path=path)
    for name, array in session.learner.snapshot().items():
        assert np.array_equal(array, again.learner.snapshot()[name])
    assert refused(lambda: opened(users=USERS + 1, path=path)).startswith("path must be of a")
    assert refused(lambda: opened(noise="simulated", seed=1, path=path))


@pytest.mark.slow
def test_below_the_honest_share_the_tree_ends() -> None:
    session = opened()
    sums = SecureSums(session.sharing)
    most = secure.tolerated(8, USERS - 1)
    assert 0 < most < 8
    for user in range(7):
        message = session.sharing_device(user).message(STILL)
        if user < most:  # dropped out of the node of eight
            message.pop(3)
        session.receive_total(sums.turn(user + 1, message))
    assert session.sharing.handed_out(8, most) <= secure.PARTS
    with pytest.raises(RuntimeError, match=f"at most {most} drop-outs of 8"):
        session.sharing.handed_out(8, most + 1)
    last = session.sharing_device(7).message(STILL)
    last.pop(3)
    with pytest.raises(RuntimeError, match=f"at most {most} drop-outs of 8"):
        sums.turn(8, last)
    assert session.users == 7


def test_a_message_is_made_once_and_holds_whole_numbers() -> None:
    session = opened()
    device = session.sharing_device(2)
    assert device.act(0, 1) in (0, 1)
    first, second = device.message(STILL), device.message(MOVING)
    assert first.keys() == second.keys() == {0, 2, 3, 4, 5}
    for level, parts in first.items():
        assert parts.dtype == np.int64 and np.array_equal(parts, second[level])
    other = session.sharing_device(2).message(STILL)
    assert (other[0] != first[0]).mean() > 0.9
    assert session.sharing_device(USERS - 1).message(STILL) == {}


def test_what_does_not_belong_together_is_refused() -> None:
    session = opened()
    total = np.zeros(released(session).size, dtype=np.int64)
    assert refused(lambda: session.observe(STILL)).startswith(
        "over the counter secure users share noise"
    )
    assert "for the counter local" in refused(session.device)
    assert "for the counter local" in refused(lambda: session.receive(released(session)))
    for wrong in (total[1:], total * 1.0, total + 2**60):
        assert "total must be" in refused(lambda wrong=wrong: session.receive_total(wrong))
    assert refused(lambda: session.receive_total(None)).startswith("a total must be there")
    assert refused(lambda: session.receive_total(total, user=1)).startswith("user must be 0")
    assert session.users == 0 and session.receive_total(total)
    assert "every must be 1 over the counter secure" in refused(lambda: opened(every=2))
    assert refused(lambda: session.sharing_device(USERS)).startswith(f"user must be < {USERS}")
    for other in (
        opened(noise="simulated", seed=1),
        opened(PrivateUCBVI(1.0, 1e-6, counter="tree")),
    ):
        assert refused(lambda other=other: other.sharing).startswith("users must share noise")
        assert refused(lambda other=other: other.receive_total(total))
        assert refused(other.sharing_device).startswith("a sharing device is for")
