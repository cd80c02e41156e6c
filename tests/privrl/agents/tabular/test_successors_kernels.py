"""The successors' kernels against naive transcriptions: same noise, same uniforms, equal to the last decision."""

import dataclasses

import numpy as np
import pytest

from privrl.agents.tabular.dp_ucbvi import DPUCBVI
from privrl.agents.tabular.private_ucbvi import PrivateUCBVI
from privrl.environments import chain, hard_mdp, random_mdp, riverswim
from tests.privrl.agents.tabular import oracle, oracle_successors

PLANNED = 10**6
CASES = [riverswim(4, 5, relabelled=True, inhomogeneous=True), random_mdp(3, 4, 2, seed=5), chain(3, 3),
         hard_mdp(2, 2, 0.3, (1, 2), 3), random_mdp(1, 2, 1, seed=0)]
PLANS = {PrivateUCBVI: oracle_successors.private_ucbvi_plan, DPUCBVI: oracle_successors.dp_ucbvi_plan}


def blocks(mdp, agent, episodes, seed):
    rng = np.random.default_rng(seed)
    counter = agent.noise(mdp, PLANNED, rng)
    noise = np.vstack([np.zeros((1, counter.width)), counter.block(episodes - 1).copy()])
    return noise, rng.random((episodes, 1 + 2 * mdp.horizon)), rng.random((episodes, mdp.horizon))


def released(mdp, made, noise):
    """Noise of n, r and m as the transcriptions read it."""
    if isinstance(made.__dict__.get("ratios"), tuple):
        cells = mdp.rewards.size
        stretched = noise[:, :cells] * np.repeat(made.ratios, cells // mdp.horizon)
        return np.hstack([np.zeros((noise.shape[0], cells)), stretched, noise[:, cells:]])
    return noise


def compare(mdp, agent, episodes, seed, made=None):
    """The kernel's statistics and regret, and those of the transcription with calibration ``made``."""
    noise, coins, ties = blocks(mdp, agent, episodes, seed)
    learner = agent.start(mdp, PLANNED, np.arange(1, episodes + 1))
    learner.advance(noise[:5], coins[:5], ties[:5])
    learner.advance(noise[5:], coins[5:], ties[5:])
    made = learner.calibration if made is None else made
    plan = PLANS[type(agent)](made, mdp.horizon, mdp.states, mdp.actions)
    _, regrets, (n, r, m) = oracle.play(mdp, plan, released(mdp, made, noise), coins, ties)
    H, S, A = mdp.rewards.shape
    m = m.reshape(H, S * A, S).transpose(0, 2, 1)
    return learner.state, np.concatenate([n.ravel(), r.ravel(), m.ravel()]), np.cumsum(regrets)


@pytest.mark.parametrize("mdp", CASES, ids=lambda mdp: mdp.name)
@pytest.mark.parametrize(("kind", "settings"), [
    (PrivateUCBVI, (3e3, 0.0, 0.3)), (PrivateUCBVI, (300.0, 1e-3, 0.3, "blt")),
    (PrivateUCBVI, (1e5, 0.0, 0.3, "local")),
    (PrivateUCBVI, (float("inf"), 0.0, 0.3, "none")), (DPUCBVI, (3e4, 0.0, 0.3)), (DPUCBVI, (3e3, 1e-3, 0.3, "blt")),
    (DPUCBVI, (float("inf"), 0.0, 0.3, "none"))])
def test_the_kernels_equal_the_transcriptions(mdp, kind, settings):
    # privacy so weak that within these episodes bonuses, signs of the noise and ties all come into play
    state, statistics, regret = compare(mdp, kind(*settings), 300, seed=11)
    np.testing.assert_allclose(state.statistics, statistics, rtol=0, atol=1e-9)
    np.testing.assert_allclose(state.regret, regret, rtol=1e-10, atol=1e-9)


@pytest.mark.parametrize(("kind", "change"), [
    (PrivateUCBVI, lambda made: {"widths": tuple(1.3 * width for width in made.widths)}),
    (PrivateUCBVI, lambda made: {"surplus": 3 * made.surplus}),
    (PrivateUCBVI, lambda made: {"ratios": (1.0,) * len(made.ratios)}),
    (PrivateUCBVI, lambda made: {"factors": tuple(1.2 * factor for factor in made.factors)}),
    (DPUCBVI, lambda made: {"error": 1.2 * made.error}),
    (DPUCBVI, lambda made: {"reward": 1.3 * made.reward}),
    (DPUCBVI, lambda made: {"deviation": 1.2 * made.deviation}),
    (DPUCBVI, lambda made: {"constant": 1.2 * made.constant})],
    ids=["W", "N", "rho", "L", "e", "L_0", "a", "B"])
def test_the_comparison_rejects(kind, change):
    mdp, agent = chain(3, 3), kind(1e3 if kind is PrivateUCBVI else 1e4, 0.0, 0.3)
    made = agent.calibrate(mdp, PLANNED)
    state, statistics, _ = compare(mdp, agent, 500, 11, dataclasses.replace(made, **change(made)))
    assert not np.array_equal(state.statistics, statistics)


@pytest.mark.parametrize(("kind", "families"), [(PrivateUCBVI, 0), (DPUCBVI, 1)])
def test_no_value_is_negative_however_negative_the_noise_in_the_rewards(kind, families):
    """``families``: released before the rewards. The induction of optimism needs V >= 0."""
    mdp, agent = chain(3, 3), kind(1e5, 0.0, 0.3)
    cells, episodes = mdp.rewards.size, 3
    noise, coins, ties = blocks(mdp, agent, episodes, 0)
    noise[:] = 1e6  # visits: seen, and often
    noise[:, families * cells : (families + 1) * cells] = -1e9
    learner = agent.start(mdp, PLANNED, np.arange(1, episodes + 1))
    learner.advance(noise, coins, ties)
    assert (learner.state.plan.values == 0).all() and (learner.state.plan.q == 0).all()
