"""Backward induction against enumeration: every deterministic policy, every path, on MDPs small
enough for that."""

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privrl.environments import chain, planning, random_mdp, riverswim
from privrl.types import TabularMDP
from tests.contracts import EXACT, refused

Planner = Callable[[TabularMDP], tuple[np.ndarray, np.ndarray]]
Evaluator = Callable[[TabularMDP, np.ndarray], np.ndarray]

tiny = st.builds(
    random_mdp,
    st.integers(1, 2),
    st.integers(1, 3),
    st.integers(1, 2),
    st.integers(0, 10**6),
) | st.builds(random_mdp, st.integers(1, 3), st.integers(1, 2), st.just(2), st.integers(0, 10**6))


def paths(
    mdp: TabularMDP, first_step: int, first_state: int
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """All (states, actions) from ``first_step`` to the end of the episode."""
    length = mdp.horizon - first_step
    for rest in itertools.product(range(mdp.states), repeat=length - 1):
        for actions in itertools.product(range(mdp.actions), repeat=length):
            yield (first_state, *rest), actions


def enumerated(mdp: TabularMDP, policy: np.ndarray) -> np.ndarray:
    """V of a policy (H, S, A) as its definition says: probability of each path times its total
    reward."""
    values = np.zeros((mdp.horizon + 1, mdp.states))
    for h, s in itertools.product(range(mdp.horizon), range(mdp.states)):
        for states, actions in paths(mdp, h, s):
            chance, total = 1.0, 0.0
            for i, (state, action) in enumerate(zip(states, actions, strict=True)):
                chance *= policy[h + i, state, action]
                total += mdp.rewards[h + i, state, action]
                if i + 1 < len(states):
                    chance *= mdp.transitions[h + i, state, action, states[i + 1]]
            values[h, s] += chance * total
    return values


def best_of_all(mdp: TabularMDP) -> np.ndarray:
    """V*: the largest value at each (h, s) over all deterministic policies, each valued by
    enumeration."""
    cells = mdp.horizon * mdp.states
    best = np.full((mdp.horizon + 1, mdp.states), -math.inf)
    for actions in itertools.product(range(mdp.actions), repeat=cells):
        policy = np.zeros((cells, mdp.actions))
        policy[range(cells), actions] = 1.0
        best = np.maximum(
            best, enumerated(mdp, policy.reshape(mdp.horizon, mdp.states, mdp.actions))
        )
    return best


def some_policy(mdp: TabularMDP, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(
        np.ones(mdp.actions), size=(mdp.horizon, mdp.states)
    )


def plans(planner: Planner, mdp: TabularMDP, best: np.ndarray) -> bool:
    values, action_values = planner(mdp)
    return bool(
        values.shape == (mdp.horizon + 1, mdp.states)
        and action_values.shape == (mdp.horizon, mdp.states, mdp.actions)
        and np.abs(values - best).max() <= EXACT
        and np.abs(action_values.max(axis=-1) - best[:-1]).max() <= EXACT
    )


def evaluates(evaluator: Evaluator, mdp: TabularMDP, policy: np.ndarray, truth: np.ndarray) -> bool:
    values = evaluator(mdp, policy)
    return bool(values.shape == truth.shape and np.abs(values - truth).max() <= EXACT)


@settings(max_examples=15)
@given(tiny)
def test_optimal_is_the_best_of_all_deterministic_policies(mdp: TabularMDP) -> None:
    assert plans(planning.optimal, mdp, best_of_all(mdp))
    values, action_values = planning.optimal(mdp)
    ahead = np.einsum("hsat,ht->hsa", mdp.transitions, values[1:])
    assert np.abs(action_values - mdp.rewards - ahead).max() <= EXACT


@settings(max_examples=25)
@given(tiny, st.integers(0, 10**6))
def test_policy_values_are_sums_over_paths(mdp: TabularMDP, seed: int) -> None:
    policy = some_policy(mdp, seed)
    truth = enumerated(mdp, policy)
    assert evaluates(planning.policy_values, mdp, policy, truth)
    assert planning.value(mdp, policy) == pytest.approx(float(mdp.initial @ truth[0]), abs=EXACT)


@settings(max_examples=25)
@given(tiny, st.integers(0, 10**6))
def test_occupancy_is_a_sum_over_paths_and_prices_the_policy(mdp: TabularMDP, seed: int) -> None:
    policy = some_policy(mdp, seed)
    occupancy = planning.occupancy(mdp, policy)
    assert np.abs(occupancy.sum(axis=(1, 2)) - 1).max() <= EXACT
    assert planning.value(mdp, policy) == pytest.approx(
        float((occupancy * mdp.rewards).sum()), abs=EXACT
    )
    counted = np.zeros_like(occupancy)
    for start in range(mdp.states):
        for states, actions in paths(mdp, 0, start):
            chance = mdp.initial[start] * math.prod(
                policy[h, states[h], actions[h]] for h in range(mdp.horizon)
            )
            for h in range(mdp.horizon - 1):
                chance *= mdp.transitions[h, states[h], actions[h], states[h + 1]]
            for h in range(mdp.horizon):
                counted[h, states[h], actions[h]] += chance
    assert np.abs(occupancy - counted).max() <= EXACT


def test_best_constant_action() -> None:
    mdp = random_mdp(4, 5, 3, seed=2)
    worths = [planning.value(mdp, planning.constant_policy(mdp, action)) for action in range(5)]
    assert planning.best_constant_action(mdp) == (int(np.argmax(worths)), max(worths))
    assert planning.best_constant_action(riverswim(3))[0] == 1
    assert planning.best_constant_action(chain(3)) == (0, 0.0)  # both earn nothing: the lowest
    assert refused(lambda: planning.constant_policy(mdp, 5)).startswith("action must be < 5")


def test_nothing_is_changed_and_results_are_fresh() -> None:
    mdp, policy = random_mdp(3, 2, 4, seed=3), np.full((4, 3, 2), 0.5)
    before = [mdp.transitions.copy(), mdp.rewards.copy(), mdp.initial.copy()]
    results = [
        *planning.optimal(mdp),
        planning.policy_values(mdp, policy),
        planning.occupancy(mdp, policy),
    ]
    for result in results:
        np.add(result, 1, out=result)
    assert (policy == 0.5).all()
    assert all(
        np.array_equal(*pair)
        for pair in zip(before, (mdp.transitions, mdp.rewards, mdp.initial), strict=True)
    )
    assert (planning.optimal(mdp)[0][-1] == 0).all()


def induction(
    mdp: TabularMDP, *, combine: Any = np.max, next_row: int = 1, step: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    values, action_values = np.zeros((mdp.horizon + 1, mdp.states)), np.zeros(mdp.rewards.shape)
    for h in reversed(range(mdp.horizon)):
        kernel = mdp.transitions[(h + step) % mdp.horizon]
        action_values[h] = mdp.rewards[h] + kernel @ values[min(h + next_row, mdp.horizon)]
        values[h] = combine(action_values[h], axis=-1)
    return values, action_values


@pytest.mark.parametrize(
    "broken",
    [{"combine": np.mean}, {"combine": np.min}, {"next_row": 2}, {"step": 1}],
    ids=["mean of the actions", "worst action", "next row but one", "next step's kernel"],
)
def test_a_broken_planner_is_seen(broken: dict[str, Any]) -> None:
    mdp = random_mdp(2, 2, 2, seed=4)
    best = best_of_all(mdp)
    assert plans(induction, mdp, best)
    assert not plans(lambda m: induction(m, **broken), mdp, best)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda mdp, policy: planning.policy_values(mdp, policy.argmax(axis=-1)),
        lambda mdp, policy: planning.policy_values(mdp, policy[::-1]),
        lambda mdp, policy: planning.policy_values(mdp, policy[:, ::-1]),
        lambda mdp, policy: planning.policy_values(mdp, policy)[:-1],
        lambda mdp, policy: planning.optimal(mdp)[0],
    ],
    ids=["greedy", "time reversed", "states reversed", "a row short", "optimal"],
)
def test_a_broken_evaluation_is_seen(wrong: Evaluator) -> None:
    mdp = random_mdp(2, 2, 2, seed=5)
    policy = some_policy(mdp, 6)
    truth = enumerated(mdp, policy)
    assert evaluates(planning.policy_values, mdp, policy, truth)
    assert not evaluates(wrong, mdp, policy, truth)


def test_the_smallest_gap_is_the_least_loss_where_a_policy_can_get() -> None:
    transitions = np.zeros((2, 3, 2, 3))
    transitions[0, :, :, 1] = 1.0  # from everywhere to the second state; the third is never met
    transitions[1, :, :, 0] = 1.0
    rewards = np.array(
        [[[0.5, 0.2], [0.9, 0.8], [0.9, 0.8]], [[0.5, 0.45], [0.6, 0.6], [0.3, 0.29]]]
    )
    mdp = TabularMDP("gaps", transitions, rewards, [1.0, 0.0, 0.0])  # type: ignore[arg-type]
    assert planning.smallest_gap(mdp) == pytest.approx(0.3)  # a tie is no gap
    rewards[1, 1] = 0.6, 0.35
    assert planning.smallest_gap(TabularMDP("gaps", transitions, rewards, [1.0, 0.0, 0.0])) == (  # type: ignore[arg-type]
        pytest.approx(0.25)
    )
    gapped = TabularMDP("gaps", transitions, rewards, [0.5, 0.5, 0.0])  # type: ignore[arg-type]
    assert planning.smallest_gap(gapped) == pytest.approx(0.1)
    flat = TabularMDP("flat", transitions, np.ones((2, 3, 2)), [1.0, 0.0, 0.0])  # type: ignore[arg-type]
    assert planning.smallest_gap(flat) == math.inf


def test_most_likely_is_what_the_best_of_all_policies_reaches() -> None:
    """All 2^6 deterministic policies of a small world, by their occupancies."""
    rng = np.random.default_rng(3)
    mdp = TabularMDP(
        "small",
        rng.dirichlet(np.ones(2), size=(3, 2, 2)),
        rng.random((3, 2, 2)),
        np.array([0.3, 0.7]),
    )
    best = np.zeros((3, 2))
    for choices in itertools.product(range(2), repeat=6):
        policy = np.array(choices).reshape(3, 2)
        best = np.maximum(best, planning.occupancy(mdp, policy).sum(axis=-1))
    assert np.abs(planning.most_likely(mdp) - best).max() <= EXACT
    assert not np.allclose(best, planning.occupancy(mdp, planning.uniform_policy(mdp)).sum(axis=-1))
