"""LQ learners, one user at a time: decision by decision what the simulation does, and refusals."""

import numpy as np
import pytest

from privrl import OFURL, PrivateOFURL
from privrl.agents.trajectory import Trajectory
from privrl.environments import lq_instance, lq_scalar
from privrl.environments.episode import LQEpisode
from privrl.online import problems
from privrl.run import simulate
from tests.contracts import refused
from tests.privrl.agents.acting import played

USERS, CERTAIN = 40, "certainty-equivalent"
AGENTS = [
    OFURL(),
    OFURL(planner=CERTAIN),
    PrivateOFURL(1e6, counter="blt", calibration="tight"),
    PrivateOFURL(1e6, calibration="corrected"),
    PrivateOFURL(1e8, planner=CERTAIN),
    PrivateOFURL(1e8, counter="local", calibration="tight", planner=CERTAIN),
]


def unknown(system):
    return problems.lq(
        Q=system.Q,
        R=system.R,
        start=system.start,
        horizon=system.horizon,
        gamma=system.gamma,
        c_w=system.c_w,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "agent", AGENTS, ids=lambda agent: f"{agent.name}-{agent.calibration}-{agent.counter}"
)
@pytest.mark.parametrize(
    ("system", "scaled"), [(lq_scalar(), False), (lq_scalar(), True), (lq_instance(2, 1), False)]
)
def test_one_user_at_a_time_is_the_simulation(system, agent, scaled):
    """From the same sums the same plan, to the last bit; the episode's sums agree up to the order
    of additions."""
    noise, coins, ties = simulate.streams(system, agent, USERS, None, 3, 0)
    simulation, alone = (agent.start(system, USERS, np.array([USERS])) for _ in range(2))
    learner = agent.start(unknown(system), USERS, np.array([USERS]))
    scales = learner.noise_scales()
    assert scales.any() == (agent.counter != "none")
    plans = set()
    for user in range(USERS):
        if user == USERS // 2:  # a restart
            snapshot = learner.snapshot()
            learner = agent.start(unknown(system), USERS, np.array([USERS]))
            learner.restore(snapshot)
        row = noise[user] * scales if scaled else noise[user]
        alone.prepare(row, scaled=scaled)
        alone.absorb(alone.contribution(played(alone.choose, LQEpisode(system), coins[user])))
        learner.state.statistics[:] = simulation.state.statistics
        learner.prepare(row, scaled=scaled)
        trajectory = played(learner.choose, LQEpisode(system), coins[user])
        added = learner.contribution(trajectory)
        # nothing was changed
        assert np.array_equal(learner.state.statistics, simulation.state.statistics)
        learner.absorb(added)
        simulation.advance(noise[user : user + 1], coins[user : user + 1], ties[user : user + 1])
        plan, expected = learner.state.plan, simulation.state.plan
        assert all(np.array_equal(array, expected[place]) for place, array in enumerate(plan))
        steps = simulation.state.path.steps
        np.testing.assert_allclose(
            np.vstack(trajectory.states),  # type: ignore[call-overload]
            steps[:, : system.states],
            atol=1e-14,
        )
        np.testing.assert_allclose(
            np.vstack(trajectory.actions),  # type: ignore[call-overload]
            steps[:-1, system.states :],
            atol=1e-14,
        )
        np.testing.assert_allclose(
            learner.state.statistics, simulation.state.statistics, rtol=0, atol=1e-12
        )
        if (
            agent.counter != "none"
        ):  # by itself; without noise b and -b are equally good at first, and bits decide
            np.testing.assert_allclose(alone.state.plan.gains, expected.gains, rtol=0, atol=1e-6)
            np.testing.assert_allclose(
                alone.state.statistics, simulation.state.statistics, rtol=0, atol=1e-5
            )
        plans.add(plan.gains.tobytes())
    assert (
        len(plans) > 1 or agent.name == "ce"
    ) and learner.state.finished == alone.state.finished == USERS


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("states", [[1.0], [0.5]], "states must have shape (4, 1), got shape=(2, 1)"),
        (
            "states",
            [[0.9], [0.5], [0.5], [0.5]],
            "the first state must be the start of the system, got distance=0.0999",
        ),
        ("states", [[1.0], [0.5], [0.5], [-1.01]], "states must have norm <= 1, got largest=1.01"),
        (
            "states",
            [[1.0], [0.5], [np.inf], [0.5]],
            "states must be finite, got states='NaN or infinity'",
        ),
        ("actions", [[0.0], [0.0]], "actions must have shape (3, 1), got shape=(2, 1)"),
        (
            "actions",
            [[0.0], [0.1], [0.0]],
            "controls must be those of the plan in force, got distance=0.1",
        ),
        (
            "actions",
            [[0.0], [np.nan], [0.0]],
            "actions must be finite, got actions='NaN or infinity'",
        ),
    ],
)
def test_a_bad_trajectory_is_refused_whole(field, value, message):
    agent = PrivateOFURL(1.0, counter="blt", calibration="tight")
    learner = agent.start(unknown(lq_scalar(3)), USERS, np.array([USERS]))
    learner.prepare(np.zeros(5))
    good = Trajectory(np.array([[1.0], [0.5], [0.5], [0.5]]), np.zeros((3, 1)), np.zeros(3))
    assert learner.contribution(good).any()
    assert refused(
        lambda: learner.contribution(good._replace(**{field: np.array(value)}))
    ).startswith(message)
    assert not learner.state.statistics.any() and learner.state.finished == 0


def test_controls_that_the_noise_does_not_cover_are_refused():
    """The printed calibration does not shorten gains; without noise nothing has to be covered."""
    for agent, must_refuse in (
        (PrivateOFURL(1.0, planner=CERTAIN), True),
        (OFURL(planner=CERTAIN), False),
    ):
        learner = agent.start(unknown(lq_scalar(3)), USERS, np.array([USERS]))
        learner.prepare(np.zeros(5))
        learner.state.plan.gains[:] = 0.6
        trajectory = Trajectory(
            np.array([[1.0], [0.5], [0.5], [0.5]]), np.array([[0.6], [0.3], [0.3]]), np.zeros(3)
        )
        if must_refuse:
            message = "controls must have norm <= gamma, got largest=0.6, gamma=0.5"
            assert refused(lambda: learner.contribution(trajectory)) == message  # noqa: B023
        else:
            assert learner.contribution(trajectory).any()


def test_single_precision_is_taken_and_kept_within_the_bounds():
    agent = PrivateOFURL(1e6, counter="blt", calibration="tight")
    learner = agent.start(unknown(lq_scalar(2)), USERS, np.array([USERS]))
    learner.prepare(np.zeros(5))
    exact = Trajectory(np.ones((3, 1)), np.zeros((2, 1)), np.zeros(2))
    rough = exact._replace(states=np.full((3, 1), 1 + 9e-7))
    assert np.array_equal(learner.contribution(rough), learner.contribution(exact))


def test_the_printed_radius_is_for_simulation_only():
    learner = PrivateOFURL(1.0).start(unknown(lq_scalar()), USERS, np.array([USERS]))
    assert refused(lambda: learner.prepare(np.zeros(5))) == (
        "the printed radius reads sums before noise, which only a simulation may: choose another "
        "calibration, got calibration='printed'"
    )
