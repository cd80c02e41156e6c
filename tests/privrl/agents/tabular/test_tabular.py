"""The compiled agents against naive transcriptions: same noise, same uniforms, equal to the last
decision."""

import dataclasses

import numpy as np
import pytest

from privrl.agents.tabular import private_ucbvi
from privrl.agents.tabular.dp_ucbvi import DPUCBVI
from privrl.agents.tabular.private_ucbvi import PrivateUCBVI
from privrl.agents.tabular.pucb import PUCB
from privrl.agents.tabular.ubev import UBEV
from privrl.environments import chain, hard_mdp, random_mdp, riverswim
from privrl.run import simulate
from tests.privrl.agents.tabular import oracle

PLANNED = 10**6
CASES = [
    riverswim(3),
    riverswim(4, 5, relabelled=True, inhomogeneous=True),
    random_mdp(3, 4, 2, seed=5),
    chain(3, 3),
    hard_mdp(2, 2, 0.3, (1, 2), 3),
    random_mdp(1, 2, 1, seed=0),
    random_mdp(2, 17, 3, seed=1),
]
# the weaker the privacy, the sooner n~ >= 2E: bonuses, signs of noise and ties all come into play
AGENTS = [
    PUCB(1.0, beta=0.3),
    PUCB(1e4, beta=0.3),
    PUCB(1e7, beta=0.3),
    PUCB(counter="none"),
    PUCB(3e3, 1e-6, 0.3, "blt", "tight"),
    PUCB(3e3, 0.0, 0.3, "signed", "tight"),
    UBEV(beta=0.1),
    PrivateUCBVI(3e3, 0.0, 0.3),
    PrivateUCBVI(300.0, 1e-3, 0.3, "blt"),
    PrivateUCBVI(1e5, 0.0, 0.3, "local"),
    PrivateUCBVI(beta=0.3, counter="none"),
    PUCB(3e3, 1e-6, 0.3, "blt", "pruned"),
    PrivateUCBVI(3e3, 0.0, 0.3, calibration="pruned"),
    PrivateUCBVI(301.0, 1e-3, 0.3, "blt", "pruned"),
    DPUCBVI(3e4, 0.0, 0.3),
    DPUCBVI(3e3, 1e-3, 0.3, "blt"),
    DPUCBVI(beta=0.3, counter="none"),
]
PLANS = {
    PUCB: lambda agent, calibration, *shape: oracle.pucb_plan(
        calibration.e_epsilon, PLANNED, agent.beta, *shape
    ),
    UBEV: lambda agent, calibration, *shape: oracle.ubev_plan(agent.beta, *shape),
    PrivateUCBVI: lambda agent, calibration, *shape: oracle.private_ucbvi_plan(calibration, *shape),
    DPUCBVI: lambda agent, calibration, *shape: oracle.dp_ucbvi_plan(calibration, *shape),
}


def released(mdp, agent, calibration, noise):
    """Noise of n, r and m as the transcriptions read it."""
    H, S, A = mdp.rewards.shape
    if isinstance(agent, UBEV):
        return np.zeros((len(noise), H * S * A * (2 + S)))
    cells = H * S * A
    full = np.zeros((len(noise), cells * (2 + S)))
    if not isinstance(agent, PrivateUCBVI):
        full[:, : noise.shape[1]] = noise  # pruned: none beyond
        return full
    scales = np.repeat(calibration.ratios, S * A), np.repeat(calibration.stretches, S * S * A)
    stretched = noise * np.concatenate(scales)[: noise.shape[1]]
    full[:, cells : cells + noise.shape[1]] = stretched  # n is not released
    return full


def both(mdp, agent, episodes, calibration=None, turn=lambda ties: ties):
    """Sums and regret of the kernel, and of the transcription (of another ``agent``, with another
    calibration)."""
    ours, theirs = agent if isinstance(agent, tuple) else (agent, agent)
    noise, coins, ties = simulate.streams(mdp, ours, PLANNED, episodes, 11, 0)
    learner = ours.start(mdp, PLANNED, np.arange(1, episodes + 1))
    learner.advance(noise[:5], coins[:5], turn(ties[:5]))
    learner.advance(noise[5:], coins[5:], turn(ties[5:]))
    calibration = learner.calibration if calibration is None else calibration
    H, S, A = mdp.rewards.shape
    if isinstance(ours, PrivateUCBVI) and ours.calibration == "pruned":
        mdp = private_ucbvi.ending(mdp)
    plan = PLANS[type(theirs)](theirs, calibration, H, S, A)
    regrets, (n, r, m) = oracle.play(
        mdp, plan, released(mdp, ours, calibration, noise), coins, ties
    )
    m = m.reshape(H, S * A, S).transpose(0, 2, 1)
    sums = np.concatenate([n.ravel(), r.ravel(), m.ravel()])
    return (learner.state.statistics, learner.state.regret), (sums, np.cumsum(regrets))


@pytest.mark.parametrize(
    "mdp",
    [CASES[0], *(pytest.param(mdp, marks=pytest.mark.slow) for mdp in CASES[1:])],
    ids=lambda mdp: mdp.name,
)
@pytest.mark.parametrize(
    "agent", AGENTS, ids=lambda agent: f"{agent.name}-{agent.counter}-{agent.epsilon:g}"
)
def test_the_kernels_equal_the_transcriptions(mdp, agent):
    have, want = both(mdp, agent, 300)
    np.testing.assert_allclose(have[0], want[0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(have[1], want[1], rtol=1e-10, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("agent", "change"),
    [
        (PUCB(1e6, beta=0.3), lambda calibration: {"e_epsilon": 2 * calibration.e_epsilon}),
        *(
            (
                PUCB(3e3, delta, 0.3, counter, "tight"),
                lambda calibration: {"e_epsilon": 2 * calibration.e_epsilon},
            )
            for counter, delta in (("blt", 1e-6), ("signed", 0.0))
        ),
        (
            PrivateUCBVI(1e3, beta=0.3),
            lambda calibration: {"widths": tuple(1.3 * width for width in calibration.widths)},
        ),
        (PrivateUCBVI(1e3, beta=0.3), lambda calibration: {"surplus": 3 * calibration.surplus}),
        (
            PrivateUCBVI(1e3, beta=0.3),
            lambda calibration: {"ratios": (1.0,) * len(calibration.ratios)},
        ),
        (
            PrivateUCBVI(30.0, 1e-3, 0.3, "blt", "pruned"),
            lambda calibration: {"stretches": (1.0,) * len(calibration.ratios)},
        ),
        (
            PrivateUCBVI(1e3, beta=0.3),
            lambda calibration: {"factors": tuple(1.2 * factor for factor in calibration.factors)},
        ),
        (DPUCBVI(1e4, beta=0.3), lambda calibration: {"error": 1.2 * calibration.error}),
        (DPUCBVI(1e4, beta=0.3), lambda calibration: {"reward": 1.3 * calibration.reward}),
        (DPUCBVI(1e4, beta=0.3), lambda calibration: {"deviation": 1.2 * calibration.deviation}),
        (DPUCBVI(1e4, beta=0.3), lambda calibration: {"constant": 1.2 * calibration.constant}),
    ],
    ids=["E", "E of blt", "E of signed", "W", "N", "rho", "t", "L", "e", "L_0", "a", "B"],
)
def test_another_calibration_does_not_agree(agent, change):
    mdp = random_mdp(3, 4, 2, seed=5) if isinstance(agent, PUCB) else chain(3, 3)
    calibration = agent.calibrate(mdp, PLANNED)
    have, want = both(mdp, agent, 1500, dataclasses.replace(calibration, **change(calibration)))
    assert not np.array_equal(have[0], want[0])


@pytest.mark.slow
def test_another_beta_and_ties_broken_otherwise_do_not_agree():
    mdp = random_mdp(3, 4, 2, seed=5)
    for agent, turn in (
        ((PUCB(1e6, beta=0.3), PUCB(1e6, beta=0.9)), lambda ties: ties),
        (PUCB(1e6, beta=0.3), lambda ties: 1 - 1e-12 - ties),
    ):
        have, want = both(mdp, agent, 1500, turn=turn)
        assert not np.array_equal(have[0], want[0])


@pytest.mark.parametrize(
    ("agent", "families"), [(PrivateUCBVI(1e5, beta=0.3), 0), (DPUCBVI(1e5, beta=0.3), 1)]
)
def test_no_value_is_negative_however_negative_the_noise_in_the_rewards(agent, families):
    """``families``: released before the rewards. The induction of optimism needs V >= 0."""
    mdp = chain(3, 3)
    cells, episodes = mdp.rewards.size, 3
    noise, coins, ties = simulate.streams(mdp, agent, PLANNED, episodes, 0, 0)
    noise[:] = 1e6  # visits: seen, and often
    noise[:, families * cells : (families + 1) * cells] = -1e9
    learner = agent.start(mdp, PLANNED, np.arange(1, episodes + 1))
    learner.advance(noise, coins, ties)
    assert (learner.state.plan.values == 0).all() and (learner.state.plan.q == 0).all()
