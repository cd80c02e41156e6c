"""Linear mixture MDPs: the MDPs that they stand for, their norms, and bad input."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privrl import environments as envs
from privrl.checks import provides
from privrl.environments import planning
from privrl.environments.linear_mixture import blocks
from privrl.run import measure
from privrl.types import Environment
from tests.contracts import refused

RIVERS = [
    envs.riverswim(3, 6, normalised=True, inhomogeneous=i, relabelled=r)
    for i in (False, True)
    for r in (False, True)
]
ALL = [
    envs.mixture(),
    envs.mixture(3, 4, scaled=True),
    envs.hard_mixture(),
    envs.hard_mixture(4, 3, gap=0.1, seed=2),
    envs.random_mixture(4, 3, 2, 5, seed=1),
    envs.random_mixture(2, 3, 2, 2, seed=1, scaled=False),
    *(envs.one_hot(river) for river in RIVERS),
    envs.one_hot(envs.random_mdp(2, 3, 2, seed=1), scaled=False),
]


def turned():
    """An embedding whose features have both signs."""
    rng = np.random.default_rng(3)
    turn, _ = np.linalg.qr(rng.normal(size=(2, 2)))
    phi = rng.dirichlet(np.ones(2), size=(3, 2)) @ turn
    mu = rng.dirichlet(np.ones(3), size=2).T
    return phi, mu, np.tile(turn.T, (4, 1, 1)), envs.random_mdp(3, 2, 4, seed=2)


@pytest.mark.parametrize("env", ALL, ids=lambda env: env.name)
class TestEveryMixture:
    def test_it_is_an_environment(self, env):
        provides("env", env, Environment)  # type: ignore[type-abstract]
        assert (env.coins, env.ties) == (1 + 2 * env.horizon, env.horizon)
        with pytest.raises(dataclasses.FrozenInstanceError):
            env.psi = env.psi
        assert not any(
            array.flags.writeable
            for array in (env.psi, env.varphi, env.theta_p, env.theta_r, env.initial)
        )

    def test_its_table_is_the_inner_product(self, env):
        table = env.tabular()
        for h, theta_p, theta_r in zip(range(env.horizon), env.theta_p, env.theta_r, strict=True):
            np.testing.assert_allclose(table.transitions[h], env.psi @ theta_p, atol=1e-12)
            np.testing.assert_allclose(table.rewards[h], env.varphi @ theta_r, atol=1e-12)

    @pytest.mark.slow
    def test_no_values_exceed_the_norm(self, env):
        norms, rng = env.norms(), np.random.default_rng(4)
        largest = most = 0.0
        for trial in range(400):
            values = rng.random(env.states) if trial % 2 else rng.integers(0, 2, env.states)
            values = np.ones(env.states) if trial == 0 else values
            phi = np.einsum("xyzi,z->xyi", env.psi, values).reshape(-1, env.psi.shape[3])
            upper = np.triu_indices(phi.shape[1])
            largest = max(largest, float(np.linalg.norm(phi, axis=1).max()))
            most = max(most, *(math.sqrt((np.outer(row, row)[upper] ** 2).sum()) for row in phi))
        assert 0.9 * norms.phi <= largest <= norms.phi * (1 + 1e-12)
        assert 0.9 * norms.released <= most <= norms.released * (1 + 1e-12)
        assert norms.exact


@pytest.mark.parametrize("mdp", RIVERS, ids=lambda mdp: mdp.name)
def test_one_hot_features_are_the_tabular_mdp(mdp):
    for scaled in (False, True):
        env = envs.one_hot(mdp, scaled=scaled)
        np.testing.assert_allclose(env.tabular().transitions, mdp.transitions, atol=1e-15)
        np.testing.assert_allclose(env.tabular().rewards, mdp.rewards, atol=1e-15)
        assert env.psi.shape[3] == 18 and env.varphi.shape[2] == 6
        norms = env.norms()
        assert norms.phi == pytest.approx(1.0 if scaled else math.sqrt(3), rel=1e-12)
        assert (norms.liao2021, norms.zhou2022) == (scaled, True)
        assert [block.size for block in blocks(env.psi)] == [3] * 6
    assert measure.is_discriminating(mdp) == ("relabelled" in mdp.name)


def test_features_with_both_signs():
    phi, mu, cores, table = turned()
    env = envs.embedding("turned", phi, mu, cores, table.rewards, table.initial)
    np.testing.assert_allclose(
        env.tabular().transitions, np.einsum("xyi,hij,zj->hxyz", phi, cores, mu), atol=1e-12
    )
    every = [
        np.linalg.norm(np.einsum("xyzi,z->xyi", env.psi, [a, b, c]), axis=-1).max()
        for a in (0, 1)
        for b in (0, 1)
        for c in (0, 1)
    ]
    assert env.norms().phi == pytest.approx(max(every), rel=1e-12)
    assert len(blocks(env.psi)) == 1
    # more next states than corners are tried for: an upper bound, said to be one
    wide = envs.random_mixture(3, 20, 1, 1, seed=0)
    turn, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))
    away = dataclasses.replace(wide, psi=wide.psi @ turn, theta_p=wide.theta_p @ turn)
    assert not away.norms().exact
    assert away.norms().phi >= wide.norms().phi * (1 - 1e-12)


def test_norms_of_mixtures():
    for d in (2, 3, 5):
        assert envs.mixture(d).norms().phi == pytest.approx(math.sqrt(d))
        assert envs.mixture(d, scaled=True).norms().phi == pytest.approx(1.0)
        assert (envs.mixture(d).norms().liao2021, envs.mixture(d).norms().zhou2022) == (False, True)
        assert envs.mixture(d, scaled=True).norms().liao2021


def test_the_smallest_mixture_tells_learning():
    for d, horizon in ((2, 2), (3, 4), (4, 2)):
        assert measure.is_discriminating(envs.mixture(d, horizon).tabular())
    table = envs.mixture().tabular()
    assert float(planning.optimal(table)[0][0, 0]) == pytest.approx(0.81)
    assert planning.uniform_regret(table) == pytest.approx(0.56)


def test_the_hard_family_is_that_of_its_source():
    env = envs.hard_mixture(5, 6, 10_000)
    gap = math.sqrt(1 / 6 / 10_000) / (4 * math.sqrt(2))
    table = env.tabular()
    assert (env.states, env.actions, env.psi.shape[3]) == (8, 16, 5)
    goal = table.transitions[:, :6, :, 7]
    assert goal.min() == pytest.approx(1 / 6 - 4 * gap) and goal.max() == pytest.approx(
        1 / 6 + 4 * gap
    )
    np.testing.assert_allclose(
        goal + table.transitions[:, range(6), :, range(1, 7)].transpose(1, 0, 2), 1.0
    )
    # at every step one action is best, and its opposite is worst
    assert (goal.argmax(axis=2) + goal.argmin(axis=2) == 15).all()
    assert np.array_equal(table.rewards[:, 7], np.ones((6, 16))) and not table.rewards[:, :7].any()


def test_equal_names_mean_equal_mdps():
    many = [
        *ALL,
        envs.mixture(2, 3),
        envs.mixture(weight=0.8),
        envs.hard_mixture(episodes=10),
        envs.hard_mixture(seed=1),
    ]
    assert len({env.name for env in many}) == len(many)


def parts():
    env = envs.mixture()
    return {name: getattr(env, name) for name in ("psi", "varphi", "theta_p", "theta_r", "initial")}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"psi": np.zeros((2, 2, 2, 2))}, "rows that sum to 1"),
        ({"psi": -parts()["psi"]}, "probabilities"),
        ({"psi": np.zeros((2, 2, 3, 2))}, "psi must have shape"),
        ({"varphi": np.zeros((3, 2, 2))}, "varphi must have shape"),
        ({"varphi": 2 * parts()["varphi"]}, "mean rewards in"),
        ({"theta_p": np.zeros((2, 3))}, "theta_p must have shape"),
        ({"theta_r": np.zeros((1, 2))}, "theta_r must have shape"),
        ({"theta_p_bound": 0.5}, "theta_p must have norm"),
        ({"theta_r_bound": 0.5}, "theta_r must have norm"),
        ({"block_bound": 0.5}, "theta_p must have norm <= block_bound"),
        (
            {"psi": parts()["psi"] / 10, "theta_p": parts()["theta_p"] * 10},
            "theta_p must have norm",
        ),
        ({"theta_p_bound": -1.0}, "theta_p_bound must be"),
        ({"psi": np.full((2, 2, 2, 2), np.nan)}, "psi must be finite"),
        ({"initial": np.array([0.5, 0.6])}, "initial"),
        ({"bernoulli": "yes"}, "bernoulli"),
        ({"name": ""}, "name"),
    ],
)
def test_bad_input_is_refused(change, message):
    assert message in refused(lambda: envs.LinearMixtureMDP(**{"name": "x", **parts(), **change}))


def test_more_bad_parameters():
    # 1/6 + 4 gap would pass 1/3, and 1/6 - 4 gap would be negative
    refused(lambda: envs.hard_mixture(5, 6, gap=0.05))
    refused(lambda: envs.hard_mixture(14, 6))
    refused(lambda: envs.one_hot(envs.mixture()))  # type: ignore[arg-type]
    phi, mu, cores, table = turned()
    refused(lambda: envs.embedding("x", phi, mu[:2], cores, table.rewards, table.initial))
    refused(lambda: envs.embedding("x", phi, mu, cores[:, :1], table.rewards, table.initial))
    refused(lambda: envs.embedding("x", phi, mu, 2 * cores, table.rewards, table.initial))


@given(
    st.integers(2, 5), st.integers(2, 4), st.integers(1, 3), st.integers(1, 4), st.integers(0, 1000)
)
@settings(max_examples=25, deadline=None)
def test_random_mixtures_keep_the_assumptions(d, states, actions, horizon, seed):
    scaled = envs.random_mixture(d, states, actions, horizon, seed)
    plain = envs.random_mixture(d, states, actions, horizon, seed, scaled=False)
    assert scaled.norms().liao2021 and scaled.norms().zhou2022 and plain.norms().zhou2022
    np.testing.assert_allclose(
        scaled.tabular().transitions, plain.tabular().transitions, atol=1e-12
    )
