"""What each environment promises in its own docstring: kernels, rewards, closed forms, what a
constant action earns."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privrl.environments import chain, hard_mdp, planning, random_mdp, riverswim
from privrl.types import TabularMDP
from tests.contracts import EXACT


def best(mdp: TabularMDP) -> float:
    return float(mdp.initial @ planning.optimal(mdp)[0][0])


def constant_share(mdp: TabularMDP) -> float:
    """Value of the best constant action as a share of V*."""
    return planning.best_constant_action(mdp)[1] / best(mdp)


def test_riverswim_is_the_table_of_its_docstring() -> None:
    mdp = riverswim(4, 2)
    assert mdp.transitions[0, :, 0].tolist() == [
        [1, 0, 0, 0],
        [1, 0, 0, 0],
        [0, 1, 0, 0],
        [0, 0, 1, 0],
    ]
    assert mdp.transitions[1, :, 1].tolist() == [
        [0.4, 0.6, 0, 0],
        [0.05, 0.6, 0.35, 0],
        [0, 0.05, 0.6, 0.35],
        [0, 0, 0.4, 0.6],
    ]
    assert mdp.rewards[0].tolist() == [[0.005, 0], [0, 0], [0, 0], [0, 1]]
    assert mdp.initial.tolist() == [1, 0, 0, 0]
    assert not mdp.bernoulli
    assert riverswim(4).horizon == 4


def test_the_smallest_river() -> None:
    mdp = riverswim(2, 1)
    assert mdp.transitions[0, :, 1].tolist() == [[0.4, 0.6], [0.4, 0.6]]
    assert best(mdp) == 0.005


@pytest.mark.parametrize("variant", [{}, {"inhomogeneous": True}, {"relabelled": True}], ids=str)
def test_normalised_divides_every_reward_by_the_horizon(variant: dict[str, bool]) -> None:
    plain, normalised = riverswim(5, 10, **variant), riverswim(5, 10, normalised=True, **variant)
    assert np.array_equal(plain.transitions, normalised.transitions)
    assert normalised.rewards == pytest.approx(plain.rewards / 10, abs=EXACT)
    # liao2021: 5/(1000 H) and 1/H
    assert sorted(set(normalised.rewards.flat)) == [
        0,
        5 / 10_000,
        1 / 10,
    ]


def test_each_step_has_its_own_strength_between_four_fifths_and_one() -> None:
    mdp, plain = riverswim(4, 2000, inhomogeneous=True, seed=3), riverswim(4)
    strength = mdp.transitions[:, 0, 1, 1] / 0.6
    assert strength.min() >= 0.8
    assert strength.max() <= 1
    assert len(set(strength)) == 2000
    # five standard errors of U(0.8, 1)
    assert abs(strength.mean() - 0.9) <= 5 * 0.2 / math.sqrt(12 * 2000)
    assert abs(strength.var() - 0.04 / 12) <= 0.0004
    leftward, right = plain.transitions[0, :, 0], plain.transitions[0, :, 1]
    mixed = strength[:, None, None] * right + (1 - strength[:, None, None]) * leftward
    assert np.abs(mdp.transitions[:, :, 1] - mixed).max() <= EXACT
    assert (mdp.transitions[:, :, 0] == leftward).all()
    assert np.array_equal(mdp.rewards[:4], plain.rewards)


def test_relabelling_swaps_both_actions_of_a_cell_or_none_by_a_fair_coin() -> None:
    mdp, plain = riverswim(3, 2000, relabelled=True, seed=5), riverswim(3, 2000)
    swapped = 0
    for h, s in np.ndindex(2000, 3):
        order = [0, 1] if mdp.transitions[h, s, 0, max(s - 1, 0)] == 1 else [1, 0]
        swapped += order == [1, 0]
        assert np.array_equal(mdp.transitions[h, s, order], plain.transitions[h, s])
        assert np.array_equal(mdp.rewards[h, s, order], plain.rewards[h, s])
    assert abs(swapped / 6000 - 0.5) <= 5 * 0.5 / math.sqrt(6000)


@given(st.integers(2, 6), st.integers(1, 12), st.booleans(), st.integers(0, 10**9))
@settings(max_examples=30)
def test_relabelling_changes_no_value(
    states: int, horizon: int, inhomogeneous: bool, seed: int
) -> None:
    plain = riverswim(states, horizon, inhomogeneous=inhomogeneous, seed=seed)
    # the same p_h
    mdp = riverswim(states, horizon, inhomogeneous=inhomogeneous, seed=seed, relabelled=True)
    assert planning.optimal(mdp)[0] == pytest.approx(planning.optimal(plain)[0], abs=EXACT)
    uniform = planning.uniform_policy(mdp)
    assert planning.policy_values(mdp, uniform) == pytest.approx(
        planning.policy_values(plain, uniform), abs=EXACT
    )


def test_always_right_is_nearly_optimal_until_relabelled() -> None:
    assert constant_share(riverswim(3)) == pytest.approx(0.21 / 0.21415)
    assert constant_share(riverswim(6, 20)) > 0.999
    assert all(constant_share(riverswim(3, relabelled=True, seed=seed)) < 0.1 for seed in range(4))
    assert all(
        constant_share(riverswim(6, 20, relabelled=True, seed=seed)) < 0.05 for seed in range(5)
    )


instances = st.tuples(st.integers(1, 4), st.integers(1, 3)).flatmap(
    lambda size: st.tuples(
        st.just(size[0]),
        st.just(size[1]),
        st.floats(1e-6, 0.5),
        st.lists(st.integers(0, size[1]), min_size=size[0], max_size=size[0]),
        st.integers(1, 6),
    )
)


@given(instances, st.integers(0, 10**6))
@settings(max_examples=40)
def test_hard_values_have_the_papers_closed_form(
    case: tuple[int, int, float, list[int], int], seed: int
) -> None:
    n, m, alpha, instance, horizon = case
    mdp = hard_mdp(n, m, alpha, instance, horizon)
    assert (mdp.states, mdp.actions, mdp.horizon) == (n + 2, m + 1, horizon)
    arms = np.random.default_rng(seed).integers(m + 1, size=n)

    def chance(arm: int, good: int) -> float:
        if arm == good != 0:
            return 0.5 + alpha
        return 0.5 + alpha / 2 if arm == 0 else 0.5

    policy = np.zeros((horizon, n + 2), dtype=int)
    policy[:, :n] = arms
    expected = sum(chance(arm, good) for arm, good in zip(arms, instance, strict=True)) / n
    optimum = sum(chance(good, good) for good in instance) / n
    assert planning.value(mdp, policy) == pytest.approx(horizon * expected)
    assert best(mdp) == pytest.approx(horizon * optimum)
    wrong = np.mean(arms != np.array(instance))
    # Appendix C.3
    assert best(mdp) - planning.value(mdp, policy) >= horizon * wrong * alpha / 2 - EXACT
    if horizon >= 2:
        late = hard_mdp(n, m, alpha, instance, horizon, entry_reward=False)
        assert planning.value(late, policy) == pytest.approx((horizon - 1) * expected)


def test_hard_is_drawn_as_figure_2() -> None:
    mdp = hard_mdp(3, 2, 0.25, (0, 1, 2), 3)
    plus, minus = 3, 4
    assert mdp.initial.tolist() == pytest.approx([1 / 3] * 3 + [0, 0])
    assert mdp.transitions[0, :3, :, plus].tolist() == [
        [0.625, 0.5, 0.5],
        [0.625, 0.75, 0.5],
        [0.625, 0.5, 0.75],
    ]
    assert (mdp.transitions[:, :3, :, plus] + mdp.transitions[:, :3, :, minus] == 1).all()
    assert (mdp.transitions[:, plus, :, plus] == 1).all()
    assert (mdp.transitions[:, minus, :, minus] == 1).all()
    assert (mdp.rewards[:, plus] == 1).all()
    assert (mdp.rewards[:, minus] == 0).all()
    assert np.array_equal(mdp.rewards[:, :3], mdp.transitions[:, :3, :, plus])
    assert mdp.bernoulli


def test_random_mdps_are_uniform() -> None:
    mdp = random_mdp(3, 20, 300, seed=1)
    rows = mdp.transitions.reshape(-1, 3)
    error = 5 / math.sqrt(len(rows))
    # Dirichlet(1, 1, 1): variance 1/18
    assert np.abs(rows.mean(axis=0) - 1 / 3).max() <= error * math.sqrt(1 / 18)
    # Dirichlet(2, 2, 2) would have 1/7
    assert abs((rows**2).mean() - 1 / 6) <= error * math.sqrt(1 / 15 - 1 / 36)
    assert abs(mdp.rewards.mean() - 0.5) <= error * math.sqrt(1 / 12)
    assert mdp.bernoulli
    assert len({random_mdp(3, 2, 2, seed).transitions.tobytes() for seed in range(50)}) == 50


@given(st.integers(2, 7), st.integers(0, 5))
@settings(max_examples=25)
def test_a_chain_pays_for_alternating_and_nothing_for_a_constant_action(
    states: int, more: int
) -> None:
    mdp = chain(states, states + more)
    assert best(mdp) == more + 1
    # the contract of the chain asks for a quarter lost
    assert planning.best_constant_action(mdp) == (
        0,
        0.0,
    )
    policy = np.tile(np.arange(states) % 2, (mdp.horizon, 1))
    assert planning.value(mdp, policy) == more + 1
    for state in range(states):
        slip = policy.copy()
        slip[0, state] ^= 1
        # only state 0 is met at the first step
        assert planning.value(mdp, slip) == (more + 1 if state else more)
    assert planning.value(mdp, planning.uniform_policy(mdp)) <= (more + 1) / 2**states * (1 + more)
    assert set(mdp.transitions.flat) == {0.0, 1.0}
    assert not mdp.bernoulli
