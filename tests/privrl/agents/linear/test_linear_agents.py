"""Agents of linear mixture MDPs: the contract, naive transcriptions, blocks against the dense path,
sensitivities."""

import dataclasses
import math

import numpy as np
import pytest

from privrl.agents.linear import widths as linear_widths
from privrl.agents.linear.ldp_ucrl_vtr import LDPUCRLVTR, largest_reward
from privrl.agents.linear.linopt_po import LinOptPO
from privrl.agents.linear.linopt_vi import LinOptVI
from privrl.agents.linear.ucrl_vtr import UCRLVTR
from privrl.agents.linear.value_iteration import begin
from privrl.environments import hard_mixture, mixture, one_hot, random_mdp, random_mixture
from privrl.privacy.counters import mechanisms
from tests.contracts_agents import AgentContract, under
from tests.privrl.agents.linear import oracle
from tests.privrl.agents.linear.runs import EPISODES, RIVER, K, agrees, given_blocks, tight_rule

CASES = [
    mixture(),
    mixture(3, 4, scaled=True),
    RIVER,
    one_hot(random_mdp(2, 2, 3, seed=3), scaled=False),
    hard_mixture(3, 3, gap=0.1),
    random_mixture(4, 3, 2, 3, seed=2),
]

TestUCRLVTR = under(AgentContract, RIVER, UCRLVTR(calibration="tight"))
TestCorrectedLDPUCRLVTR = under(AgentContract, RIVER, LDPUCRLVTR(1.0, calibration="corrected"))
TestTightLDPUCRLVTR = under(AgentContract, RIVER, LDPUCRLVTR(2.0, calibration="tight"))
TestLinOptVI = under(AgentContract, RIVER, LinOptVI(1.0))
TestLocalLinOptVI = under(AgentContract, RIVER, LinOptVI(3.0, counter="local", calibration="tight"))
TestBLTLinOptVI = under(AgentContract, RIVER, LinOptVI(1.0, counter="blt", calibration="tight"))
TestLinOptPO = under(AgentContract, RIVER, LinOptPO(1.0, calibration="corrected"))
TestHonakerLinOptPO = under(
    AgentContract, RIVER, LinOptPO(1.0, counter="honaker", calibration="tight")
)


@pytest.mark.parametrize("env", CASES, ids=lambda env: env.name)
class TestTranscription:
    @pytest.mark.parametrize("tuned", [False, True])
    def test_ucrl_vtr(self, env, tuned):
        agent = UCRLVTR(calibration="tuned" if tuned else "printed", constant=0.3)
        rule = oracle.ucrl_vtr_rule(env, K, 0.3, tuned=tuned, largest=largest_reward(env))
        agrees(agent, env, rule, known=True)

    @pytest.mark.parametrize("tuned", [False, True])
    def test_ldp_ucrl_vtr(self, env, tuned):
        agent = LDPUCRLVTR(1e5, calibration="tuned" if tuned else "printed", constant=0.01)
        rule = oracle.ldp_rule(
            env, K, 0.01, 1e5, 0.1, 0.01, tuned=tuned, largest=largest_reward(env)
        )
        agrees(agent, env, rule, known=True)

    @pytest.mark.parametrize(
        ("counter", "epsilon"), [("none", math.inf), ("tree", 1e6), ("tree", 10.0), ("local", 1e7)]
    )
    def test_linopt(self, env, counter, epsilon):
        rule = oracle.linopt_rule(env, K, epsilon, 1e-6, 0.1, counter)
        agrees(LinOptVI(epsilon, counter=counter), env, rule, known=False)
        eta = math.sqrt(2 * math.log(env.actions) / (env.horizon * K * env.horizon))
        agrees(LinOptPO(epsilon, counter=counter), env, rule, known=False, eta=eta)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("counter", "calibration"), [("local", "corrected"), ("local", "tight"), ("blt", "tight")]
    )
    def test_other_widths_and_growing_shifts(self, env, counter, calibration):
        """The formulas of width and shift written out, with the counter's own variances;
        coefficients of the agent."""
        agent = LinOptVI(1e5, counter=counter, calibration=calibration, by_blocks=False)
        variances = mechanisms.counter_variance(counter, np.arange(1, K), K - 1)

        def variance(k):
            if calibration == "corrected":
                return K - 1
            return variances[k - 2] if k > 1 else 0.0

        rule = tight_rule(agent.calibrate(env, K), variance)
        agrees(agent, env, rule, known=False)


def test_a_transcription_of_something_else_does_not_agree():
    env = mixture()
    for epsilon, counter in ((1.1e6, "tree"), (1e6, "none")):
        wrong = oracle.linopt_rule(env, K, epsilon, 1e-6, 0.1, counter)
        with pytest.raises(AssertionError):
            agrees(LinOptVI(1e6), env, wrong, known=False)
    agent = LinOptVI(1e4, counter="blt", calibration="tight", by_blocks=False)
    with pytest.raises(AssertionError):  # the variance of a tree
        agrees(
            agent,
            env,
            tight_rule(agent.calibrate(env, K), lambda k: (k - 1).bit_count()),
            known=False,
        )


def dense_noise(env, row_blocks, known):
    """Noise by blocks as noise of whole matrices that is zero outside the blocks; coordinates are
    in order already."""
    S, A = env.states, env.actions
    out = []
    for row in row_blocks:
        at, parts = 0, []
        for _ in range(env.horizon):
            for count, m in [(S * A, S)] if known else [(S * A, S), (S * A, 1)]:
                dense = np.zeros((count * m, count * m))
                for b in range(count):
                    i, j = np.triu_indices(m)
                    dense[b * m + i, b * m + j] = row[at : at + i.size]
                    at += i.size
                parts += [dense[np.triu_indices(count * m)], row[at : at + count * m]]
                at += count * m
        assert at == row.size
        out.append(np.concatenate(parts))
    return np.array(out)


@pytest.mark.slow
@pytest.mark.parametrize(
    "agent",
    [
        LDPUCRLVTR(1e3, calibration="tight"),
        LinOptVI(1e3, calibration="tight"),
        UCRLVTR(calibration="corrected"),
    ],
)
def test_blocks_give_what_the_dense_matrices_give(agent):
    known = not isinstance(agent, LinOptVI)
    calibration = agent.calibrate(RIVER, K)
    assert calibration.by_blocks
    blocks = given_blocks(RIVER, agent)
    marks = np.arange(1, EPISODES + 1)
    blockwise = agent.start(RIVER, K, marks)
    two = begin(
        RIVER, marks, dataclasses.replace(calibration, by_blocks=False), known_rewards=known
    )
    blockwise.advance(*blocks)
    two.advance(dense_noise(RIVER, blocks[0], known), *blocks[1:])
    assert blockwise.state.regret.tobytes() == two.state.regret.tobytes()
    np.testing.assert_allclose(blockwise.state.plan.values, two.state.plan.values, atol=1e-9)
    assert blockwise.state.statistics.size < two.state.statistics.size


def test_a_matrix_that_is_not_positive_definite_leaves_the_cap():
    env = mixture()
    agent = LinOptVI(1.0)
    noise, coins, ties = given_blocks(env, agent, 3)
    noise[1] = 0.0
    noise[1, 0] = -1e9  # the first entry of the first Gram matrix
    learner = agent.start(env, K, np.array([3]))
    learner.advance(noise[:2], coins[:2], ties[:2])
    assert learner.state.plan.failed[0] == 1
    assert learner.state.plan.values[0, 0] == env.horizon


def test_no_user_moves_the_sums_by_more_than_the_change_says():
    """Pairs of users with values drawn and at the corners: the largest change found is below the
    bound."""
    rng = np.random.default_rng(8)
    for env in (
        mixture(2, 3),
        RIVER,
        hard_mixture(3, 3, gap=0.1),
        random_mixture(4, 3, 2, 3, seed=2),
    ):
        known = linear_widths.transitions(env, by_blocks=False)
        bound = known.bounds[0]
        worst, psi = 0.0, np.array(env.psi).reshape(-1, env.states, env.psi.shape[3])
        upper = np.triu_indices(psi.shape[2])
        for trial in range(300):
            values = bound * (
                rng.random(env.states) if trial % 2 else rng.integers(0, 2, env.states)
            )
            first, two = (psi[i].T @ values for i in rng.integers(0, psi.shape[0], 2))
            targets = values[rng.integers(0, env.states, 2)]
            gram = (np.outer(first, first) - np.outer(two, two))[upper]
            worst = max(
                worst,
                (gram**2).sum() / 4 + ((first * targets[0] - two * targets[1]) ** 2).sum() / 9,
            )
        assert worst <= known.change(0, 2.0, 3.0) ** 2 * (1 + 1e-12)
        assert worst >= 0.05 * known.change(0, 2.0, 3.0) ** 2


@pytest.mark.parametrize("kind", [LinOptVI, LinOptPO])
def test_no_value_is_below_zero_whatever_the_noise(kind):
    """Noise that says that nothing is ever gained: estimates are far below 0, the bonus small.

    The kernel is that of LDP-UCRL-VTR too, whose noise is enough for values in [0, H - h] alone.
    """
    agent = kind(1.0, 1e-3, calibration="printed", multiplier=1e-6)
    learner = agent.start(mixture(), 100, np.array([100]))
    known, row = learner.state.known, np.zeros(learner.noise_scales().size)
    for layout in (known.transitions.layout, known.rewards.layout):
        for start, size in zip(layout.vectors, layout.sizes, strict=True):
            for h in range(known.caps.size):
                row[h * known.transitions.segment + start :][:size] = -1e30
    learner.prepare(row, scaled=True)
    assert (learner.state.plan.q == 0.0).all() and (learner.state.plan.values == 0.0).all()
    tight = LDPUCRLVTR(1.0, 1e-3, calibration="tight").start(mixture(), 100, np.array([100]))
    assert tight.state.known.floor == known.floor == 0.0
