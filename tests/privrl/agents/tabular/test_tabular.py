"""The compiled agents against naive transcriptions: same noise, same uniforms, equal to the last decision."""

import numpy as np
import pytest

from privrl.agents.tabular.pucb import PUCB
from privrl.agents.tabular.ubev import UBEV
from privrl.environments import chain, hard_mdp, random_mdp, riverswim
from tests.privrl.agents.tabular import oracle

CASES = [riverswim(3), riverswim(4, 5, relabelled=True, inhomogeneous=True), random_mdp(3, 4, 2, seed=5), chain(3, 3),
         hard_mdp(2, 2, 0.3, (1, 2), 3), random_mdp(1, 2, 1, seed=0), random_mdp(2, 17, 3, seed=1)]


def blocks(mdp, agent, episodes, seed):
    rng = np.random.default_rng(seed)
    counter = agent.noise(mdp, 10**6, rng)
    noise = np.vstack([np.zeros((1, counter.width)), counter.block(episodes - 1).copy()])
    return noise, rng.random((episodes, 1 + 2 * mdp.horizon)), rng.random((episodes, mdp.horizon))


def compare(mdp, agent, plan, noise, coins, ties, episodes):
    learner = agent.start(mdp, 10**6, np.arange(1, episodes + 1))
    learner.advance(noise[:5], coins[:5], ties[:5])
    learner.advance(noise[5:], coins[5:], ties[5:])
    if noise.shape[1] == 1:  # UBEV reads no noise
        noise = np.zeros((episodes, learner.state.statistics.size))
    _, regrets, (n, r, m) = oracle.play(mdp, plan, noise, coins, ties)
    H, S, A = mdp.rewards.shape
    have = learner.state.statistics
    np.testing.assert_array_equal(have[: H * S * A].reshape(H, S, A), n)
    np.testing.assert_allclose(have[H * S * A : 2 * H * S * A].reshape(H, S, A), r, atol=1e-9)
    np.testing.assert_array_equal(have[2 * H * S * A :].reshape(H, S, S * A).transpose(0, 2, 1).reshape(H, S, A, S), m)
    np.testing.assert_allclose(learner.state.regret, np.cumsum(regrets), rtol=1e-10, atol=1e-9)


@pytest.mark.parametrize("mdp", CASES, ids=lambda mdp: mdp.name)
@pytest.mark.parametrize("epsilon", [1.0, 1e4, 1e7])
def test_pucb_equals_the_pseudo_code(mdp, epsilon):
    # the larger epsilon, the sooner n~ >= 2E: bonuses, signs of noise and ties all come into play
    agent = PUCB(epsilon=epsilon, beta=0.3)
    episodes = 400
    noise, coins, ties = blocks(mdp, agent, episodes, seed=11)
    H, S, A = mdp.rewards.shape
    plan = oracle.pucb_plan(agent.calibrate(mdp, 10**6).e_epsilon, 10**6, 0.3, H, S, A)
    compare(mdp, agent, plan, noise, coins, ties, episodes)


@pytest.mark.parametrize("mdp", CASES, ids=lambda mdp: mdp.name)
def test_pucb_without_noise_and_ubev_equal_the_pseudo_code(mdp):
    episodes = 400
    H, S, A = mdp.rewards.shape
    for agent, plan in ((PUCB(counter="none"), oracle.pucb_plan(0.0, 10**6, 0.1, H, S, A)),
                        (UBEV(beta=0.1), oracle.ubev_plan(0.1, H, S, A))):
        noise, coins, ties = blocks(mdp, agent, episodes, seed=3)
        compare(mdp, agent, plan, noise, coins, ties, episodes)


@pytest.mark.parametrize("mutant", ["E_epsilon twice as large", "ties broken otherwise", "another beta"])
def test_the_comparison_rejects(mutant):
    mdp, agent, episodes = random_mdp(3, 4, 2, seed=5), PUCB(epsilon=1e6, beta=0.3), 1500
    noise, coins, ties = blocks(mdp, agent, episodes, seed=11)
    E = agent.calibrate(mdp, 10**6).e_epsilon * (2 if mutant.startswith("E_") else 1)
    plan = oracle.pucb_plan(E, 10**6, 0.9 if mutant == "another beta" else 0.3, 2, 3, 4)
    learner_ties = 1 - 1e-12 - ties if mutant.startswith("ties") else ties
    learner = agent.start(mdp, 10**6, np.arange(1, episodes + 1))
    learner.advance(noise, coins, learner_ties)
    _, _, (n, _, _) = oracle.play(mdp, plan, noise, coins, ties)
    assert not np.array_equal(learner.state.statistics[: n.size], n.ravel())
