"""Agents of linear mixture MDPs: against naive transcriptions, blocks against the dense path, and what they learn.

What they share, what they refuse, their noise and their widths are in ``test_linear_settings``.
"""

import dataclasses
import math

import numpy as np
import pytest

from privrl.agents.linear.kernels import substitute
from privrl.agents.linear.layout import width
from privrl.agents.linear.ldp_ucrl_vtr import LDPUCRLVTR, largest_reward
from privrl.agents.linear.linopt_po import LinOptPO
from privrl.agents.linear.linopt_vi import LinOptVI
from privrl.agents.linear.ucrl_vtr import UCRLVTR
from privrl.agents.linear.value_iteration import begin
from privrl.environments import hard_mixture, mixture, one_hot, random_mdp, random_mixture
from privrl.run import learning, simulate
from tests.privrl.agents.linear import oracle
from tests.privrl.agents.linear.runs import EPISODES, RIVER, K, agrees, given_blocks, tight_rule

CASES = [mixture(), mixture(3, 4, scaled=True), RIVER, one_hot(random_mdp(2, 2, 3, seed=3), scaled=False),
         hard_mixture(3, 3, gap=0.1), random_mixture(4, 3, 2, 3, seed=2)]


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
        rule = oracle.ldp_rule(env, K, 0.01, 1e5, 0.1, 0.01, tuned=tuned, largest=largest_reward(env))
        agrees(agent, env, rule, known=True)

    @pytest.mark.parametrize(("counter", "epsilon"),
                             [("none", math.inf), ("tree", 1e6), ("tree", 10.0), ("local", 1e7)])
    def test_linopt(self, env, counter, epsilon):
        rule = oracle.linopt_rule(env, K, epsilon, 1e-6, 0.1, counter)
        agrees(LinOptVI(epsilon, counter=counter), env, rule, known=False)
        eta = math.sqrt(2 * math.log(env.actions) / (env.horizon * K * env.horizon))
        agrees(LinOptPO(epsilon, counter=counter), env, rule, known=False, eta=eta)

    @pytest.mark.parametrize("calibration", ["corrected", "tight"])
    def test_other_widths_and_growing_shifts(self, env, calibration):
        """The formulas of width and number of terms written out; noise, shift and coefficients from the agent."""
        agent = LinOptVI(1e5, counter="local", calibration=calibration, by_blocks=False)
        rule = tight_rule(agent.calibrate(env, K), lambda k: k - 1 if calibration == "tight" else K - 1)
        agrees(agent, env, rule, known=False)


def test_a_transcription_of_something_else_does_not_agree():
    env = mixture()
    for epsilon, counter in ((1.1e6, "tree"), (1e6, "none")):
        wrong = oracle.linopt_rule(env, K, epsilon, 1e-6, 0.1, counter)
        with pytest.raises(AssertionError):
            agrees(LinOptVI(1e6), env, wrong, known=False)


def dense_noise(env, row_blocks, known):
    """Noise by blocks as noise of whole matrices that is zero outside the blocks; coordinates are in order already."""
    S, A = env.states, env.actions
    out = []
    for row in row_blocks:
        at, parts = 0, []
        for _ in range(env.horizon):
            for count, m in ([(S * A, S)] if known else [(S * A, S), (S * A, 1)]):
                whole = np.zeros((count * m, count * m))
                for b in range(count):
                    i, j = np.triu_indices(m)
                    whole[b * m + i, b * m + j] = row[at : at + i.size]
                    at += i.size
                parts += [whole[np.triu_indices(count * m)], row[at : at + count * m]]
                at += count * m
        assert at == row.size
        out.append(np.concatenate(parts))
    return np.array(out)


@pytest.mark.parametrize("agent", [LDPUCRLVTR(1e3, calibration="tight"), LinOptVI(1e3, calibration="tight"),
                                   UCRLVTR(calibration="corrected")])
def test_blocks_give_what_the_dense_matrices_give(agent):
    known = not isinstance(agent, LinOptVI)
    made = agent.calibrate(RIVER, K)
    assert made.by_blocks
    blocks = given_blocks(RIVER, agent)
    marks = np.arange(1, EPISODES + 1)
    one = agent.start(RIVER, K, marks)
    two = begin(RIVER, marks, dataclasses.replace(made, by_blocks=False), known_rewards=known)
    one.advance(*blocks)
    two.advance(dense_noise(RIVER, blocks[0], known), *blocks[1:])
    assert one.state.regret.tobytes() == two.state.regret.tobytes()
    np.testing.assert_allclose(one.state.plan.values, two.state.plan.values, atol=1e-9)
    assert one.state.statistics.size < two.state.statistics.size


def test_width_counts_triangles_and_vectors():
    assert width(mixture(), False, True) == 2 * 5
    assert width(mixture(), False, False) == 2 * (5 + 5)
    assert width(RIVER, False, True) == 4 * (18 * 19 // 2 + 18)
    assert width(RIVER, True, False) == 4 * (6 * (6 + 3) + 6 * 2)


def test_substitution_is_the_quadratic_form():
    rng = np.random.default_rng(5)
    for m, pairs in ((1, 1), (2, 3), (7, 4), (18, 12)):
        a = rng.normal(size=(m, 2 * m))
        gram, vector, phi = a @ a.T, rng.normal(size=m), rng.normal(size=(m, pairs))
        estimate, square = np.empty(pairs), np.empty(pairs)
        upper, rows = gram[np.triu_indices(m)].copy(), phi.ravel().copy()
        found = substitute(upper, m, vector.copy(), rows, pairs, estimate, square)
        np.testing.assert_allclose(estimate, phi.T @ np.linalg.solve(gram, vector), rtol=1e-8)
        np.testing.assert_allclose(square, np.einsum("ip,ij,jp->p", phi, np.linalg.inv(gram), phi), rtol=1e-8)
        np.testing.assert_allclose(found, np.linalg.slogdet(gram)[1], rtol=1e-8)
    broken = substitute(np.array([1.0, 2.0, 1.0]), 2, np.ones(2), np.ones(2), 1, np.empty(1), np.empty(1))
    assert math.isnan(broken)


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


@pytest.mark.parametrize(("agent", "env", "episodes"), [
    (UCRLVTR(calibration="tight"), mixture(scaled=True), 3000),
    (LinOptVI(counter="none", calibration="tight"), mixture(), 3000),
    (LinOptPO(counter="none", calibration="tight"), mixture(), 20_000),
    (LDPUCRLVTR(100.0, calibration="tight"), mixture(scaled=True), 30_000),
    (LinOptVI(100.0, calibration="tight"), mixture(), 30_000),
], ids=lambda value: getattr(value, "name", str(value)))
def test_agents_learn_where_they_should(agent, env, episodes):
    assert learning.learns(simulate.run("x", env, agent, episodes=episodes, replicates=3, seed=2), env.tabular())
