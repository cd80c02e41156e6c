"""Exact values against planning, enumeration and sampling; a recorded curve against that of a run
of our own."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privrl import UBEV
from privrl.environments import (
    LQSystem,
    evaluate,
    lq_instance,
    lq_scalar,
    mixture,
    planning,
    random_lq,
    random_mdp,
    suite,
)
from privrl.run import measure, simulate, sweep
from privrl.types import TabularMDP
from tests.contracts import EXACT, FALSE_ALARM, refused
from tests.privrl.environments.test_planning import some_policy

MDP = random_mdp(3, 2, 4, seed=1)
RIVER = suite.tabular("vietri2020/riverswim-3-relabelled")
tabular = st.builds(
    random_mdp, st.integers(1, 4), st.integers(1, 3), st.integers(1, 4), st.integers(0, 10**6)
)
systems = st.sampled_from([(n, d) for n in (1, 2, 3) for d in (1, 2)]).flatmap(
    lambda shape: st.builds(
        random_lq, st.just(shape[0]), st.just(shape[1]), st.integers(1, 4), st.integers(0, 10**6)
    )
)


@given(tabular, st.integers(0, 99))
@settings(max_examples=15)
def test_values_and_regrets_are_those_of_planning(mdp: TabularMDP, seed: int) -> None:
    values, action_values = planning.optimal(mdp)
    best = float(mdp.initial @ values[0])
    assert evaluate.optimum(mdp) == best
    assert evaluate.regret(mdp, action_values.argmax(axis=-1)) == 0
    for policy in (
        some_policy(mdp, seed),
        planning.uniform_policy(mdp),
        planning.constant_policy(mdp, 0),
    ):
        assert evaluate.value(mdp, policy) == pytest.approx(planning.value(mdp, policy), abs=EXACT)
        assert evaluate.regret(mdp, policy) == pytest.approx(
            best - planning.value(mdp, policy), abs=EXACT
        )
    assert evaluate.regret(mdp, planning.uniform_policy(mdp)) == pytest.approx(
        planning.uniform_regret(mdp), abs=EXACT
    )


def test_every_form_of_a_policy_has_the_same_value() -> None:
    actions = np.array([0, 1, 1])
    full = np.tile(actions, (4, 1))
    rows = np.eye(2)[full]
    forms: list[Any] = [
        actions,
        actions.tolist(),
        full,
        full.astype(float),
        rows,
        lambda h, s: actions[s],
        lambda h, s: int(full[h, s]),
        lambda h, s: rows[h, s],
        lambda h, s: np.array([actions[s]]),
    ]
    expected = planning.value(MDP, full)
    assert [evaluate.value(MDP, form) for form in forms] == [expected] * len(forms)
    assert all(np.array_equal(evaluate.table(MDP, form), rows) for form in forms)
    soft = some_policy(MDP, 3)
    assert evaluate.value(MDP, lambda h, s: soft[h, s]) == planning.value(MDP, soft)


def test_a_linear_mixture_is_evaluated_through_its_tables() -> None:
    mdp = mixture(3, 4)
    assert evaluate.optimum(mdp) == evaluate.optimum(mdp.tabular())
    assert evaluate.regret(mdp, lambda h, s: h % 3) == 0
    assert evaluate.regret(mdp, [0, 0]) > 0.1


def test_bad_policies_are_refused_in_a_sentence() -> None:
    good = planning.uniform_policy(MDP)
    stateful = iter(range(1000))
    for policy in (
        None,
        3,
        "right",
        [],
        {},
        len,
        lambda s: 0,
        [0, 1],
        [0, 1, 2],
        [0, 1, -1],
        [0, 0.5, 1],
        good[:-1],
        good * 2,
        good - [0.6, -0.6],
        [[0, 1], [0]],
        [math.nan] * 3,
        lambda h, s: 2,
        lambda h, s: -1,
        lambda h, s: 0.5,
        lambda h, s: "0",
        lambda h, s: None,
        lambda h, s: [0.5, 0.6],
        lambda h, s: [1.5, -0.5],
        lambda h, s: [[1, 0]],
        lambda h, s: [[1], [0, 1]],
        lambda h, s: next(stateful) % 2,
    ):
        refused(lambda policy=policy: evaluate.value(MDP, policy))
    assert "same answer" in refused(lambda: evaluate.regret(MDP, lambda h, s: next(stateful) % 2))
    assert "(4, 3) or (4, 3, 2)" in refused(lambda: planning.value(MDP, [0, 1, 1]))
    assert "(4, 3), (3,) or (4, 3, 2)" in refused(lambda: evaluate.table(MDP, good[0, 0]))
    for environment in (None, "vietri2020/chain-3", object(), MDP.transitions, suite):
        assert refused(lambda environment=environment: evaluate.optimum(environment)).startswith(
            "environment must be"
        )


def affine(system: LQSystem, seed: int) -> evaluate.Affine:
    rng = np.random.default_rng(seed)
    n, d, horizon = system.states, system.controls, system.horizon
    return evaluate.Affine(rng.normal(0, 0.3, (horizon, d, n)), rng.normal(0, 0.1, (horizon, d)))


@given(systems, st.integers(0, 99))
@settings(max_examples=15)
def test_lq_values_and_regrets_are_those_of_planning(system: LQSystem, seed: int) -> None:
    gains = affine(system, seed).gains
    assert evaluate.value(system, gains) == pytest.approx(
        -planning.lq_cost(system, gains), rel=1e-12
    )
    assert evaluate.regret(system, gains) == pytest.approx(
        planning.lq_regret(system, gains), rel=1e-12
    )
    assert evaluate.regret(system, planning.lq_gains(system)) == 0
    assert evaluate.value(system, planning.lq_gains(system)) == pytest.approx(
        evaluate.optimum(system), rel=1e-12
    )
    still = np.zeros(system.controls)
    assert evaluate.value(system, evaluate.Affine(gains, still)) == evaluate.value(system, gains)
    policy = affine(system, seed)
    gap = evaluate.optimum(system) - evaluate.value(system, policy)
    assert evaluate.regret(system, policy) == pytest.approx(gap, abs=1e-12) and gap >= -1e-12
    assert evaluate.value(system, gains[0]) == evaluate.value(system, [gains[0]] * system.horizon)


def test_an_affine_policy_is_valued_as_by_going_through_all_noises() -> None:
    system = lq_scalar(4, "rademacher")
    policy = affine(system, 0)
    side, costs = float(system.radius or 0), []
    for signs in itertools.product((-side, side), repeat=system.horizon):
        x, cost = system.start, 0.0
        for h, noise in enumerate(signs):
            u = policy(h, x)
            cost += float(x @ system.Q @ x + u @ system.R @ u)
            x = system.A @ x + system.B @ u + noise
        costs.append(cost)
    assert evaluate.value(system, policy) == pytest.approx(-np.mean(costs), rel=1e-12)
    flat = evaluate.Affine(policy.gains[0], policy.offsets[0])
    full = evaluate.Affine(np.tile(flat.gains, (4, 1, 1)), np.tile(flat.offsets, (4, 1)))
    assert evaluate.value(system, flat) == evaluate.value(system, full)


def test_bad_policies_of_a_system_are_refused_in_a_sentence() -> None:
    system = lq_instance(2, 1)
    for policy in (
        None,
        1.0,
        "x",
        [],
        {},
        [[0.1]],
        np.zeros((4, 1, 2)),
        np.zeros((1, 2, 1)),
        [[math.nan, 0]],
        evaluate.Affine(np.zeros((1, 3)), np.zeros(1)),
        evaluate.Affine(np.zeros((1, 2)), np.zeros((3, 1))),
    ):
        refused(lambda policy=policy: evaluate.value(system, policy))
    assert "evaluate.estimate" in refused(lambda: evaluate.value(system, lambda h, x: 0.1 * x[:1]))
    assert "finitely many" in refused(lambda: evaluate.table(system, [[0.1, 0.1]]))
    refused(lambda: evaluate.Affine(np.zeros((2, 1)), np.zeros(1)))
    refused(lambda: evaluate.Affine(np.zeros(2), np.zeros(1)))


def test_a_cost_beyond_floating_point_is_refused() -> None:
    for call in (evaluate.regret, evaluate.value):
        for gain in (1e150, 1e200, 1e308):
            says = refused(lambda call=call, gain=gain: call(lq_scalar(), [[gain]]))
            assert says.startswith("the cost of a policy must stay within floating point")


@pytest.mark.slow
@pytest.mark.parametrize(
    "model", [MDP, RIVER, mixture(), lq_scalar(), lq_instance(2, 2)], ids=lambda model: model.name
)
def test_an_estimate_holds_the_exact_value(model: Any) -> None:
    if isinstance(model, LQSystem):
        policy: Any = 0.5 * planning.lq_gains(model)[0]
        called: Any = lambda h, x: policy @ x  # noqa: E731
    else:
        policy = some_policy(model if isinstance(model, TabularMDP) else model.tabular(), 5)
        rng = np.random.default_rng(0)
        called = lambda h, s: rng.choice(model.actions, p=policy[h, s])  # noqa: E731  # tosses coins of its own
    exact = evaluate.value(model, policy)
    for form in (policy, called):
        estimate = evaluate.estimate(model, form, episodes=600, seed=3, alpha=FALSE_ALARM)
        assert (
            estimate.low <= exact <= estimate.high and estimate.low < estimate.mean < estimate.high
        )
    fewer = evaluate.estimate(model, policy, episodes=200, seed=3, alpha=FALSE_ALARM)
    assert fewer.high - fewer.low >= estimate.high - estimate.low
    assert fewer == evaluate.estimate(model, policy, episodes=200, seed=3, alpha=FALSE_ALARM)


@pytest.mark.slow
def test_an_estimate_tells_a_wrong_value() -> None:
    policy = planning.uniform_policy(MDP)
    longer = random_mdp(3, 2, 5, seed=1)
    wrong = TabularMDP("shorter", MDP.transitions[:-1], MDP.rewards[:-1], MDP.initial)
    estimate = evaluate.estimate(MDP, policy, episodes=2500, alpha=FALSE_ALARM)
    for altered in (longer, wrong):  # a step more, a step less
        assert (
            not estimate.low
            <= evaluate.value(altered, planning.uniform_policy(altered))
            <= estimate.high
        )
    refused(lambda: evaluate.estimate(MDP, policy, episodes=1))
    refused(lambda: evaluate.estimate(MDP, lambda h, s: 7, episodes=2))
    refused(lambda: evaluate.estimate(lq_scalar(), lambda h, x: [math.nan], episodes=2))


def test_a_recorded_curve_is_the_curve_of_the_run() -> None:
    """UBEV, played by its kernel an episode at a time: its policies, recorded from outside, give
    its own curve."""
    mdp, episodes = RIVER, 300
    marks = simulate.checkpoints(episodes)
    learner = UBEV().start(mdp, episodes, marks)
    rng = np.random.default_rng(0)
    recorder = evaluate.Recorder(mdp, agent="ubev", episodes=episodes, calibration="printed")
    for _ in range(episodes):
        learner.advance(np.zeros((1, 1)), rng.random((1, mdp.coins)), rng.random((1, mdp.ties)))
        greedy = (
            learner.state.greedy[..., None] >> np.arange(mdp.actions)
        ) & 1  # uniform among the greedy actions
        recorder.record(greedy / greedy.sum(axis=-1, keepdims=True))
    run = recorder.run()
    assert (run.episodes == marks).all()
    np.testing.assert_allclose(run.regret[0], learner.state.regret, rtol=1e-9)
    assert recorder.regret == run.regret[0, -1] and recorder.finished == episodes


def test_a_recorded_run_stands_in_the_tables_and_can_be_asked_whether_it_learns() -> None:
    best = planning.optimal(RIVER)[1].argmax(axis=-1)
    runs = []
    for seed, from_then in enumerate((40, 50)):
        recorder = evaluate.Recorder(
            RIVER,
            agent="mine",
            episodes=200,
            identifier="vietri2020/riverswim-3-relabelled",
            epsilon=1.0,
            delta=1e-6,
            counter="own",
            seed=seed,
        )
        for k in range(200):
            recorder.record(best if k >= from_then else planning.uniform_policy(RIVER))
        runs.append(recorder.run())
    run = evaluate.stack(runs)
    uniform = planning.uniform_regret(RIVER)
    np.testing.assert_allclose(run.regret[:, -1], [40 * uniform, 50 * uniform], rtol=1e-12)
    assert measure.users(run, RIVER).never == 0
    rows = sweep.table(run)
    assert tuple(rows.columns) == sweep.COLUMNS and len(rows) == run.regret.size
    assert (
        set(rows.agent) == {"mine"}
        and set(rows.replicate) == {0, 1}
        and set(rows.calibration) == {"external"}
    )


def test_a_run_may_end_early_and_takes_no_more_than_planned() -> None:
    recorder = evaluate.Recorder(lq_scalar(), agent="mine", episodes=3)
    refused(recorder.run)
    episode_regret = recorder.record([[-0.1]])
    assert episode_regret == evaluate.regret(lq_scalar(), [[-0.1]]) > 0
    assert recorder.run().regret.tolist() == [[episode_regret]] and recorder.run().id == "lq-1-1"
    recorder.record(evaluate.Affine([[-0.1]], [0.0]))  # type: ignore[arg-type]
    refused(lambda: recorder.record([[0.1, 0.1]]))
    recorder.record([[-0.1]])
    assert recorder.run().regret.tolist() == [
        [episode_regret, 2 * episode_regret, pytest.approx(3 * episode_regret)]
    ]
    assert "planned" in refused(lambda: recorder.record([[-0.1]]))
    foreign_recorder = evaluate.Recorder(lq_scalar(), agent="other", episodes=3)
    foreign_recorder.record([[-0.1]])
    assert "agree in agent" in refused(
        lambda: evaluate.stack([recorder.run(), foreign_recorder.run()])
    )
    for runs in ((), None, "x", [1]):
        refused(lambda runs=runs: evaluate.stack(runs))
    short = evaluate.Recorder(lq_scalar(), agent="mine", episodes=3)
    short.record([[-0.1]])
    assert "checkpoints" in refused(lambda: evaluate.stack([recorder.run(), short.run()]))
