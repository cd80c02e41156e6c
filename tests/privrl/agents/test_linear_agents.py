"""Agents of linear mixture MDPs: against naive transcriptions, blocks against the dense path, privacy and coverage."""

import dataclasses
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings

from privrl import learning, planning, simulate
from privrl.agents import linear, linear_widths
from privrl.agents.ldp_ucrl_vtr import LDPUCRLVTR, largest_reward
from privrl.agents.linear_kernels import substitute, terms, width_of
from privrl.agents.linear_vi import ValueIteration
from privrl.agents.linopt_po import LinOptPO
from privrl.agents.linopt_vi import LinOptVI
from privrl.agents.ucrl_vtr import UCRLVTR
from privrl.environments import hard_mixture, mixture, one_hot, random_mdp, random_mixture, riverswim
from privrl.privacy import accounting, sensitivity
from privrl.privacy import noise as scales
from privrl.simulate import Agent
from tests.contracts import not_inside_unit, not_positive, refused
from tests.privrl.agents import oracle_linear as oracle

RIVER = one_hot(riverswim(3, 4, normalised=True, relabelled=True))
CASES = [mixture(), mixture(3, 4, scaled=True), RIVER, one_hot(random_mdp(2, 2, 3, seed=3), scaled=False),
         hard_mixture(3, 3, gap=0.1), random_mixture(4, 3, 2, 3, seed=2)]
K, EPISODES = 5000, 120
AGENTS = [UCRLVTR(calibration="tight"), LDPUCRLVTR(1.0, calibration="corrected"), LDPUCRLVTR(2.0, calibration="tight"),
          LinOptVI(1.0), LinOptVI(3.0, counter="local", calibration="tight"), LinOptPO(1.0, calibration="corrected"),
          LinOptVI(1.0, counter="blt", calibration="tight"), LinOptPO(1.0, counter="honaker", calibration="tight")]


def given_blocks(env, agent, episodes=EPISODES, seed=1):
    rng = np.random.default_rng(seed)
    counter = agent.noise(env, K, rng)
    noise = np.vstack([np.zeros((1, counter.width)), counter.block(episodes - 1).copy()])
    return noise, rng.random((episodes, env.coins)), rng.random((episodes, env.ties))


def played(agent, env, blocks):
    episodes = blocks[0].shape[0]
    learner = agent.start(env, K, np.arange(1, episodes + 1))
    learner.advance(*(block[:5] for block in blocks))
    learner.advance(*(block[5:] for block in blocks))
    return learner


def agrees(agent, env, rule, *, known, eta=None, seed=1):
    blocks = given_blocks(env, agent, seed=seed)
    learner = played(agent, env, blocks)
    _, regrets, plans, (G, U, Gr, Ur) = oracle.play(env, rule, *blocks, known=known, policy_steps=eta)
    parts, upper = [], np.triu_indices(G.shape[1])
    for h in range(env.horizon):
        parts += [G[h][upper], U[h]]
        if not known:
            parts += [Gr[h][np.triu_indices(Gr.shape[1])], Ur[h]]
    have = learner.state
    # equal sums: the same states, actions and value functions in every episode
    np.testing.assert_allclose(have.statistics, np.concatenate(parts), rtol=1e-9, atol=1e-7)
    np.testing.assert_allclose(np.diff(have.regret, prepend=0.0), regrets, atol=1e-9)
    cells = np.vstack([have.cells, np.zeros((1, env.states), dtype=bool)])
    np.testing.assert_allclose(have.values[cells], plans[-1][cells], atol=1e-7)


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
        made = agent.calibrate(env, K)

        def rule(k):
            n = k - 1 if calibration == "tight" else K - 1
            out = []
            for w in (made.transitions, made.rewards):
                def width(h, _, w=w):
                    b = w.bonus[h]
                    return b[0] + b[2] * n**0.25 + b[3] * math.sqrt(b[4] + b[5] * math.log(1 + b[6] * (k - 1)))

                out.append({"gram": w.gram, "vector": w.vector, "shift": w.shift[:, 0] + w.shift[:, 1] * math.sqrt(n),
                            "width": width})
            return *out, made.caps, 0.0

        agrees(agent, env, rule, known=False)


def test_a_transcription_of_something_else_does_not_agree():
    env = mixture()
    for epsilon, counter in ((1.1e6, "tree"), (1e6, "none")):
        wrong = oracle.linopt_rule(env, K, epsilon, 1e-6, 0.1, counter)
        with pytest.raises(AssertionError):
            agrees(LinOptVI(1e6), env, wrong, known=False)


# --- blocks ----------------------------------------------------------------------------------------------------------


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
    two = ValueIteration(linear.learner(RIVER, marks, False, known), dataclasses.replace(made, by_blocks=False), known)
    one.advance(*blocks)
    two.advance(dense_noise(RIVER, blocks[0], known), *blocks[1:])
    assert one.state.regret.tobytes() == two.state.regret.tobytes()
    np.testing.assert_allclose(one.state.values, two.state.values, atol=1e-9)
    assert one.state.statistics.size < two.state.statistics.size


def test_width_counts_triangles_and_vectors():
    assert linear.width(mixture(), False, True) == 2 * 5
    assert linear.width(mixture(), False, False) == 2 * (5 + 5)
    assert linear.width(RIVER, False, True) == 4 * (18 * 19 // 2 + 18)
    assert linear.width(RIVER, True, False) == 4 * (6 * (6 + 3) + 6 * 2)


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
    assert learner.state.clock[2] == 1
    assert learner.state.values[0, 0] == env.horizon


# --- bookkeeping -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: f"{agent.name}-{agent.counter}-{agent.calibration}")
class TestBookkeeping:
    def test_verbs(self, agent):
        assert isinstance(agent, Agent)
        assert hash(agent) == hash(dataclasses.replace(agent))
        assert type(agent.epsilon) is type(agent.delta) is float
        with pytest.raises((dataclasses.FrozenInstanceError, TypeError)):
            agent.alpha = 0.5

    def test_the_cut_does_not_matter(self, agent):
        blocks = given_blocks(RIVER, agent)
        before = [block.copy() for block in blocks]
        marks = np.array([1, 10, EPISODES])
        one, two = (agent.start(RIVER, K, marks) for _ in range(2))
        one.advance(*blocks)
        for start, stop in ((0, 1), (1, 17), (17, EPISODES)):
            two.advance(*(block[start:stop] for block in blocks))
        assert one.state.regret.tobytes() == two.state.regret.tobytes()
        assert one.state.finished == EPISODES
        assert all(np.array_equal(now, then) for now, then in zip(blocks, before, strict=True))

    def test_regret_is_between_nothing_and_everything(self, agent):
        learner = played(agent, RIVER, given_blocks(RIVER, agent))
        best = float(planning.optimal(RIVER.tabular())[0][0, 0])
        steps = np.diff(learner.state.regret, prepend=0.0)
        assert (steps >= -1e-12 * EPISODES).all() and (steps <= best + 1e-12 * EPISODES).all()

    def test_blocks_that_do_not_fit_are_refused(self, agent):
        noise, coins, ties = given_blocks(RIVER, agent, 4)
        learner = agent.start(RIVER, K, np.array([5]))
        for bad in (None, noise[0], noise[:0], noise[:, 1:], noise.astype(np.float32), noise + math.nan):
            assert refused(lambda bad=bad: learner.advance(bad, coins, ties)).startswith("noise must ")
        for bad in (None, coins[:3], coins + 1, coins * math.nan):
            assert refused(lambda bad=bad: learner.advance(noise, bad, ties)).startswith("coins must be")
        assert not learner.state.statistics.any()

    def test_other_environments_are_refused(self, agent):
        refused(lambda: agent.start(RIVER.tabular(), K, np.array([5])))
        refused(lambda: agent.noise(None, K, np.random.default_rng(0)))

    def test_simulate_runs_it(self, agent):
        one, same = (simulate.run("x", mixture(), agent, episodes=200, replicates=2, seed=4) for _ in range(2))
        assert one.regret.tobytes() == same.regret.tobytes()


def test_combinations_that_no_calibration_defines_are_refused():
    refused(lambda: LDPUCRLVTR(1.0, counter="tree"))
    refused(lambda: LDPUCRLVTR(math.inf))
    refused(lambda: LinOptVI(math.inf))
    for kind in (LDPUCRLVTR, LinOptVI, LinOptPO):
        refused(lambda kind=kind: kind(1.0, counter="forest"))
        refused(lambda kind=kind: kind(1.0, calibration="good"))
        refused(lambda kind=kind: kind(1.0, by_blocks="no"))
        refused(lambda kind=kind: kind(1.0).calibrate(mixture(), 1))
    refused(lambda: UCRLVTR(calibration="good"))


@given(not_positive())
@settings(max_examples=20)
def test_what_is_not_positive_is_refused(bad):
    refused(lambda: LDPUCRLVTR(bad))
    refused(lambda: LDPUCRLVTR(1.0, constant=bad))
    refused(lambda: LinOptVI(1.0, regulariser=bad))
    refused(lambda: UCRLVTR(regulariser=bad))


@given(not_inside_unit())
@settings(max_examples=20)
def test_what_is_no_probability_is_refused(bad):
    for name in ("alpha", "delta"):
        refused(lambda name=name: LDPUCRLVTR(1.0, **{name: bad}))
        refused(lambda name=name: LinOptPO(1.0, **{name: bad}))
    refused(lambda: UCRLVTR(alpha=bad))


def test_plain_python_gives_the_same():
    script = ("import numpy as np\nfrom tests.privrl.agents import test_linear_agents as t\n"
              "for agent in t.AGENTS:\n    blocks = t.given_blocks(t.RIVER, agent, 8)\n"
              "    print(t.played(agent, t.RIVER, blocks).state.values.sum().hex())\n")
    seen = []
    for switch in ("0", "1"):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": switch}
        done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True,
                              check=True)
        seen.append([float.fromhex(line) for line in done.stdout.split()])
    np.testing.assert_allclose(seen[0], seen[1], rtol=1e-9)


# --- noise and widths ------------------------------------------------------------------------------------------------


def total_mu(agent, env):
    """One user's change over all sums, in units of the noise, with the sensitivities of the library."""
    made = agent.calibrate(env, K)
    kinds = [linear_widths.transitions(env, made.by_blocks, largest_reward(env) if "vtr" in agent.name else 1.0)]
    if "vtr" not in agent.name:
        kinds.append(linear_widths.rewards(env, made.by_blocks))
    squares = [kind.change(h, w.gram[h], w.vector[h]) ** 2
               for kind, w in zip(kinds, (made.transitions, made.rewards), strict=False) for h in range(env.horizon)
               if kind.sizes[h] * kind.bounds[h] > 0]
    return linear_widths.sensitivity(agent.counter, K) * math.sqrt(math.fsum(squares))


@pytest.mark.parametrize("env", [mixture(), RIVER, random_mixture(4, 3, 2, 3, seed=2)], ids=lambda env: env.name)
@pytest.mark.parametrize("calibration", ["corrected", "tight"])
def test_the_noise_is_what_the_budget_allows(env, calibration):
    for agent in (LDPUCRLVTR(0.7, delta=1e-3, calibration=calibration),
                  LDPUCRLVTR(0.7, delta=1e-3, calibration=calibration, counter="tree"),
                  LinOptVI(0.7, delta=1e-3, calibration=calibration)):
        assert total_mu(agent, env) == pytest.approx(accounting.gaussian_mu(0.7, 1e-3), rel=1e-12)


def test_corrected_noise_is_the_library_s():
    # ||phi_V|| reaches sqrt(d) H and ||varphi|| reaches 1, no coordinate belongs to one pair: zhou2022's sensitivities
    turn = np.array([[1.0, 1.0], [1.0, -1.0]]) / math.sqrt(2)
    env = dataclasses.replace(mixture(), varphi=mixture().varphi @ turn, theta_r=mixture().theta_r @ turn)
    setting = scales.setting("zhou2022", epsilon=0.7, delta=1e-3, horizon=2, episodes=K, dimension=2)
    wanted = {scale.name: scale for scale in scales.noise("zhou2022", setting).scales}
    for calibration, field in (("printed", "printed"), ("corrected", "smallest")):
        made = LinOptVI(0.7, delta=1e-3, calibration=calibration).calibrate(env, K)
        have = (made.transitions.gram, made.transitions.vector, made.rewards.gram, made.rewards.vector)
        for name, got in zip(("p1", "p2", "r1", "r2"), have, strict=True):
            assert got[0] == pytest.approx(getattr(wanted[f"sigma_{name}"], field), rel=1e-9)
    # one-hot features as they stand in example-3.3, and scaled ones of a mixture, within equation-3.1
    plain = one_hot(random_mdp(3, 2, 4, seed=1), scaled=False)
    largest = largest_reward(plain) ** 2
    made = LDPUCRLVTR(0.7, delta=1e-3, calibration="corrected").calibrate(plain, K)
    wanted = sensitivity.liao2021("message", 4, one_hot_states=3).value * largest / accounting.gaussian_mu(0.7, 1e-3)
    assert made.transitions.gram[0] == pytest.approx(wanted, rel=1e-9)
    env = mixture(2, 4, scaled=True)
    made = LDPUCRLVTR(0.7, delta=1e-3, calibration="corrected").calibrate(env, K)
    wanted = sensitivity.liao2021("message", 4).value * 0.9**2 / accounting.gaussian_mu(0.7, 1e-3)
    assert made.transitions.gram[0] == pytest.approx(wanted, rel=1e-9)


def test_no_user_moves_the_sums_by_more_than_the_change_says():
    """Pairs of users with values drawn and at the corners: the largest change found is below the bound."""
    rng = np.random.default_rng(8)
    for env in (mixture(2, 3), RIVER, hard_mixture(3, 3, gap=0.1), random_mixture(4, 3, 2, 3, seed=2)):
        known = linear_widths.transitions(env, False)
        bound = known.bounds[0]
        worst, psi = 0.0, np.array(env.psi).reshape(-1, env.states, env.psi.shape[3])
        upper = np.triu_indices(psi.shape[2])
        for trial in range(300):
            values = bound * (rng.random(env.states) if trial % 2 else rng.integers(0, 2, env.states))
            one, two = (psi[i].T @ values for i in rng.integers(0, psi.shape[0], 2))
            targets = values[rng.integers(0, env.states, 2)]
            gram = (np.outer(one, one) - np.outer(two, two))[upper]
            worst = max(worst, (gram**2).sum() / 4 + ((one * targets[0] - two * targets[1]) ** 2).sum() / 9)
        assert worst <= known.change(0, 2.0, 3.0) ** 2 * (1 + 1e-12)
        assert worst >= 0.05 * known.change(0, 2.0, 3.0) ** 2


@pytest.mark.parametrize("calibration", ["corrected", "tight"])
@pytest.mark.parametrize("env", [mixture(), RIVER, random_mixture(4, 3, 2, 3, seed=2)], ids=lambda env: env.name)
def test_widths_cover_the_truth(env, calibration):
    """theta within the width in every episode, with failure probability 1e-9 in all; and not for want of any error."""
    worst = 0.0
    for agent in (LinOptVI(1e3, alpha=1e-9, counter="local", calibration=calibration, by_blocks=False),
                  LinOptVI(1e3, alpha=1e-9, counter="tree", calibration=calibration, by_blocks=False)):
        made = agent.calibrate(env, K)
        noise, coins, ties = given_blocks(env, agent, 60)
        learner = agent.start(env, K, np.array([60]))
        for k in range(60):
            before = learner.state.statistics.copy()
            n = terms(made.growth, k)
            matrices = oracle.unpack(noise[k], env.horizon, [env.psi.shape[3], env.varphi.shape[2]])
            sums = oracle.unpack(before, env.horizon, [env.psi.shape[3], env.varphi.shape[2]])
            for h in range(env.horizon):
                for kind, widths, theta in ((0, made.transitions, env.theta_p[h]), (1, made.rewards, env.theta_r[h])):
                    gram = sums[h][kind][0] + widths.gram[h] * matrices[h][kind][0]
                    gram = gram + (widths.shift[h, 0] + widths.shift[h, 1] * math.sqrt(n)) * np.eye(len(gram))
                    vector = sums[h][kind][1] + widths.vector[h] * matrices[h][kind][1]
                    off = np.linalg.solve(gram, vector) - theta
                    assert np.linalg.eigvalsh(gram).min() > 0
                    width = width_of(widths.bonus[h], k, n, np.linalg.slogdet(gram)[1])
                    worst = max(worst, math.sqrt(off @ gram @ off) / width)
            learner.advance(noise[k : k + 1], coins[k : k + 1], ties[k : k + 1])
    assert 0.1 < worst <= 1


def test_tight_is_narrower_than_corrected_and_corrected_than_printed():
    env = mixture()
    made = {name: LinOptVI(1.0, calibration=name).calibrate(env, 10**6) for name in ("printed", "corrected", "tight")}
    for finished in (999, 999_999):
        width = {}
        for name, calibration in made.items():
            n = terms(calibration.growth, finished)
            width[name] = sum(width_of(w.bonus[0], finished, n, 0.0)
                              for w in (calibration.transitions, calibration.rewards))
        assert width["tight"] < width["corrected"] < width["printed"]


# --- learning --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("agent", "env", "episodes"), [
    (UCRLVTR(calibration="tight"), mixture(scaled=True), 3000),
    (LinOptVI(counter="none", calibration="tight"), mixture(), 3000),
    (LinOptPO(counter="none", calibration="tight"), mixture(), 20_000),
    (LDPUCRLVTR(100.0, calibration="tight"), mixture(scaled=True), 30_000),
    (LinOptVI(100.0, calibration="tight"), mixture(), 30_000),
], ids=lambda value: getattr(value, "name", str(value)))
def test_agents_learn_where_they_should(agent, env, episodes):
    assert learning.learns(simulate.run("x", env, agent, episodes=episodes, replicates=3, seed=2), env.tabular())


def test_ties_are_broken_uniformly():
    """All actions of the hard family look alike before the first plan: 16 actions, each as often as its share."""
    env = hard_mixture(gap=0.02)
    agent = LinOptVI(1e-3)  # so much noise that Q stays at the cap
    learner = agent.start(env, 10**6, np.array([1]))
    rng = np.random.default_rng(3)
    rows = 400
    learner.advance(np.zeros((rows, learner.state.statistics.size)), rng.random((rows, env.coins)),
                    rng.random((rows, env.ties)))
    assert (learner.state.greedy[0, 0], learner.state.values[0, 0]) == (2**16 - 1, env.horizon)
    uniform = learning.uniform_regret(env.tabular())
    assert learner.state.totals[0] == pytest.approx(rows * uniform, rel=1e-12)
