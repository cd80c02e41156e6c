"""Problems of unknown truth: valid, and refused where there is no honest placeholder."""

from typing import Any

import numpy as np

from privrl.environments import lq_instance, one_hot, random_mdp
from privrl.environments.mixtures import hard_mixture, mixture, random_mixture
from privrl.online import problems
from tests.contracts import refused


def test_features_of_every_family_have_a_placeholder():
    for env in (
        mixture(3, 2),
        mixture(scaled=True),
        random_mixture(3, 3, 2, 2, seed=1),
        hard_mixture(3, 3),
        one_hot(random_mdp(3, 2, 2, seed=1)),
    ):
        problem = problems.mixture(psi=env.psi, varphi=env.varphi, horizon=env.horizon)
        assert not problem.known_rewards and not np.allclose(problem.theta_p, env.theta_p)
        assert (problem.theta_p_bound, problem.initial.min()) == (
            env.psi.shape[3] ** 0.5,
            1 / env.states,
        )


def test_features_without_one_ask_for_a_reference():
    # rows (theta_0 + 3 theta_1, theta_2) and (theta_0, theta_1 + theta_2): the shortest solution is
    # not >= 0
    psi = np.zeros((2, 2, 2, 3))
    psi[0, :, 0], psi[0, :, 1] = [1, 3, 0], [0, 0, 1]
    psi[1, :, 0], psi[1, :, 1] = [1, 0, -2], [0, 1, 3]
    rewards = np.full((2, 2, 2), 0.5)
    message = refused(lambda: problems.mixture(psi=psi, rewards=rewards, horizon=2))
    assert message.startswith(
        "reference must be given: the shortest parameter gives no probabilities, got smallest=-"
    )
    problem = problems.mixture(
        psi=psi, rewards=rewards, horizon=2, reference=np.array([1.0, 0.0, 0.0])
    )
    assert problem.known_rewards and np.array_equal(problem.tabular().rewards, rewards)
    message = refused(lambda: problems.mixture(psi=psi, horizon=2))
    assert message == "one of varphi and rewards must be given, and not both, got given=0"
    assert refused(
        lambda: problems.mixture(
            psi=mixture().psi,
            varphi=mixture().varphi,
            horizon=2,
            initial=[0, 0],  # type: ignore[arg-type]
        )
    ).startswith("initial must be >= 0")


def test_an_lq_problem_keeps_what_the_agent_is_told():
    for true in (lq_instance(1, 1), lq_instance(2, 1), lq_instance(4, 2)):
        settings: dict[str, Any] = {
            "Q": true.Q,
            "R": true.R,
            "start": true.start,
            "horizon": 5,
            "gamma": true.gamma,
            "c_w": true.c_w,
        }
        problem = problems.lq(**settings)
        assert (problem.variance, problem.states, problem.controls) == (
            true.variance,
            true.states,
            true.controls,
        )
        assert not np.allclose(problem.A, true.A)
        np.testing.assert_allclose(problems.lq(**settings, variance=1e-3).variance, 1e-3)
    assert refused(lambda: problems.lq(**settings, variance=1.0)).startswith(
        "assumption 1 (d): the noise must stay within"
    )
