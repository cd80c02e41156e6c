"""What the figures of the first paper say, by roads of their own."""

from math import log

import numpy as np
import pytest

from figures.vietri2020 import counter_error as vietri2020_counter_error
from figures.vietri2020 import hard_mdp as vietri2020_hard_mdp
from figures.vietri2020 import privacy as vietri2020_privacy
from figures.vietri2020 import regret as vietri2020_regret
from privrl.environments import suite
from privrl.run import simulate
from privrl.types import Adjacency, Run

MARKS = simulate.checkpoints(vietri2020_regret.PLANNED)


@pytest.fixture(scope="module")
def long_runs() -> tuple[Run, ...]:
    return vietri2020_regret.long_runs()


def test_the_long_runs_are_the_plans(long_runs: tuple[Run, ...]) -> None:
    for plan, run in zip(vietri2020_regret.PLANS, long_runs, strict=True):
        agent = plan.build_agent()
        assert (run.id, run.agent, run.counter, run.calibration, run.epsilon, run.delta, run.planned) == (
            plan.id, agent.name, agent.counter, agent.calibration, agent.epsilon, 0.0, plan.planned)
        assert run.regret.shape == (vietri2020_regret.REPLICATES, MARKS.size) and (run.episodes == MARKS).all()
        assert (np.diff(run.regret, axis=1) >= -1e-3).all()  # exact regret of an episode is never negative
        assert (run.regret <= 3 * MARKS).all()
        assert len({tuple(row) for row in run.regret}) == vietri2020_regret.REPLICATES  # no replicate twice


def test_a_label_takes_the_integers_of_a_table() -> None:
    """NumPy's have no ``bit_length``; older versions of pandas hand them on as the keys of groups."""
    assert vietri2020_counter_error._power(np.int64(1024)) == "$2^{10}$"  # type: ignore[arg-type]


@pytest.mark.parametrize("index", range(len(vietri2020_regret.PLANS)))
def test_the_first_episodes_of_a_long_run_are_recomputed(index: int, long_runs: tuple[Run, ...]) -> None:
    """One replicate of each (calibration, epsilon), a different one from plan to plan."""
    plan, run = vietri2020_regret.PLANS[index], long_runs[index]
    which = index % plan.replicates
    fresh = simulate.replicate(suite.tabular(plan.id), plan.build_agent(), plan.planned, 10**5, plan.seed, which)
    table = run.regret[which, : fresh.size]
    assert [f"{value:.10g}" for value in table] == [f"{value:.10g}" for value in fresh]


def test_the_run_without_noise_is_its_plan_and_begins_as_it_is_played_now() -> None:
    plan, run = vietri2020_regret.WITHOUT_NOISE, vietri2020_regret.run_without_noise()
    agent = plan.build_agent()
    assert (run.id, run.agent, run.counter, run.epsilon, run.planned) == (
        plan.id, agent.name, agent.counter, agent.epsilon, plan.planned)
    assert run.regret.shape == (vietri2020_regret.REPLICATES, MARKS.size) and (np.diff(run.regret, axis=1) >= 0).all()
    fresh = simulate.replicate(suite.tabular(plan.id), agent, plan.planned, 10**5, plan.seed, 2)
    assert [f"{value:.10g}" for value in run.regret[2, : fresh.size]] == [f"{value:.10g}" for value in fresh]


def test_the_comparison_would_see_another_seed_or_another_plan(long_runs: tuple[Run, ...]) -> None:
    """A mutant: at epsilon 100 the first 10^5 episodes depend on the seed and on the planned number."""
    index = next(i for i, plan in enumerate(vietri2020_regret.PLANS)
                 if (plan.calibration, plan.epsilon) == ("tight", 100.0))
    plan, run = vietri2020_regret.PLANS[index], long_runs[index]
    mdp = suite.tabular(plan.id)
    for planned, seed in ((plan.planned, plan.seed + 1), (plan.planned // 10, plan.seed)):
        fresh = simulate.replicate(mdp, plan.build_agent(), planned, 10**5, seed, 0)
        assert f"{fresh[-1]:.10g}" not in {f"{value:.10g}" for value in run.regret[0]}


def test_the_loss_of_the_counters_in_closed_form() -> None:
    """2 levels/log T under replacement, half of that under removal, and 1 for the corrected scale."""
    table = vietri2020_privacy.tables()["loss"]
    for row in table.itertuples():
        levels = (row.episodes - 1).bit_length()
        unit = {"printed-e": log(row.episodes), "printed-2": log(row.episodes, 2), "corrected": 2 * levels}[row.noise]
        assert row.loss == pytest.approx(levels / unit * (2 if row.adjacency == "replace" else 1), rel=1e-12)
    replaced = table[(table["adjacency"] == "replace") & (table["noise"] != "corrected")]
    assert replaced["loss"].min() >= 2
    assert vietri2020_privacy.loss(1024, Adjacency.REPLACE, 9 * log(1024)) == pytest.approx(2 * 10 / log(1024))


def test_the_simulated_counters_agree_with_the_law() -> None:
    table = vietri2020_counter_error.tables()["error"]
    seen = table.dropna(subset=["simulated"])
    assert len(seen) == 2 * len(vietri2020_counter_error.SIMULATED)
    assert ((seen["low"] <= seen["quantile"]) & (seen["quantile"] <= seen["high"])).all()
    assert not ((seen["low"] <= 1.1 * seen["quantile"]) & (1.1 * seen["quantile"] <= seen["high"])).all()


def test_the_hard_mdp_is_drawn_as_figure_2_prints_it() -> None:
    """1/2 + alpha'/2 for arm 0, 1/2 + alpha' for the best arm, 1/2 for the others; + and - loop."""
    edges = vietri2020_hard_mdp.tables()["edges"]
    enter = edges[edges["next"] == "+"].set_index(["state", "action"])["probability"]
    alpha, best = 0.2, {"1": "1", "2": "2"}
    for state, arm in best.items():
        for action in ("0", "1", "2"):
            expected = 0.5 + alpha / 2 if action == "0" else 0.5 + alpha * (action == arm)
            assert enter[state, action] == pytest.approx(expected)
    loops = edges[edges["state"].isin(["+", "-"])]
    assert (loops["state"] == loops["next"]).all() and (loops["probability"] == 1).all()
    assert dict(zip(loops["state"], loops["mean_reward"], strict=True)) == {"+": 1.0, "-": 0.0}


def test_theorem_4_is_vacuous_before_its_horizon_and_not_from_it_on() -> None:
    for epsilon in vietri2020_regret.EPSILONS:
        first = vietri2020_regret.vacuous_until(epsilon)
        assert vietri2020_regret.theorem_4(first, epsilon) < 3 * first
        assert vietri2020_regret.theorem_4(first - 1, epsilon) >= 3 * (first - 1)
