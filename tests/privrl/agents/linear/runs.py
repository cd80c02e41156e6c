"""Linear agents on given noise, coins and ties, held against a transcription; and what one user
changes of the sums."""

import math

import numpy as np

from privrl.agents.linear import widths as linear_widths
from privrl.agents.linear.ldp_ucrl_vtr import largest_reward
from privrl.environments import one_hot, riverswim
from privrl.run import simulate
from tests.privrl.agents.linear import oracle

RIVER = one_hot(riverswim(3, 4, normalised=True, relabelled=True))
K, EPISODES = 5000, 120


def given_blocks(env, agent, episodes=EPISODES, seed=1):
    return simulate.streams(env, agent, K, episodes, seed, 0)


def played(agent, env, blocks):
    episodes = blocks[0].shape[0]
    learner = agent.start(env, K, np.arange(1, episodes + 1))
    learner.advance(*(block[:5] for block in blocks))
    learner.advance(*(block[5:] for block in blocks))
    return learner


def agrees(agent, env, rule, *, known, eta=None, seed=1):
    blocks = given_blocks(env, agent, seed=seed)
    learner = played(agent, env, blocks)
    regrets, plans, (G, U, Gr, Ur) = oracle.play(env, rule, *blocks, known=known, policy_steps=eta)
    parts, upper = [], np.triu_indices(G.shape[1])
    for h in range(env.horizon):
        parts += [G[h][upper], U[h]]
        if not known:
            parts += [Gr[h][np.triu_indices(Gr.shape[1])], Ur[h]]
    have = learner.state
    # equal sums: the same states, actions and value functions in every episode
    np.testing.assert_allclose(have.statistics, np.concatenate(parts), rtol=1e-9, atol=1e-7)
    np.testing.assert_allclose(np.diff(have.regret, prepend=0.0), regrets, atol=1e-9)
    cells = np.vstack([have.known.reachable, np.zeros((1, env.states), dtype=bool)])
    np.testing.assert_allclose(have.plan.values[cells], plans[-1][cells], atol=1e-7)


def tight_rule(calibration, terms):
    """The rule of the oracle with the formulas of shift and width written out; ``terms(k)``: of a
    release's noise."""

    def rule(k):
        n, out = terms(k), []
        for w in (calibration.transitions, calibration.rewards):

            def width(h, _, w=w):
                b = w.bonus[h]
                return (
                    b[0]
                    + b[2] * n**0.25
                    + b[3] * math.sqrt(b[4] + b[5] * math.log(1 + b[6] * (k - 1)))
                )

            out.append(
                {
                    "gram": w.gram,
                    "vector": w.vector,
                    "shift": w.shift[:, 0] + w.shift[:, 1] * math.sqrt(n),
                    "width": width,
                }
            )
        return *out, calibration.caps, 0.0

    return rule


def total_mu(agent, env):
    """One user's change over all sums, in units of the noise, with the sensitivities of the
    library."""
    calibration = agent.calibrate(env, K)
    kinds = [
        linear_widths.transitions(
            env, calibration.by_blocks, largest_reward(env) if "vtr" in agent.name else 1.0
        )
    ]
    if "vtr" not in agent.name:
        kinds.append(linear_widths.rewards(env, calibration.by_blocks))
    squares = [
        kind.change(h, w.gram[h], w.vector[h]) ** 2
        for kind, w in zip(kinds, (calibration.transitions, calibration.rewards), strict=False)
        for h in range(env.horizon)
        if kind.sizes[h] * kind.bounds[h] > 0
    ]
    return linear_widths.sensitivity(agent.counter, K) * math.sqrt(math.fsum(squares))
