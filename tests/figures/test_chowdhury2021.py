"""What the figures of the LQ paper say."""

from math import inf

import numpy as np
import pytest

from figures.chowdhury2021 import (
    counters,
    diagnosis,
    learning,
    live,
    lower,
    noise,
    price,
    regret,
    step,
)
from privrl.environments import lq_instance, planning
from tests.figures import drawn


def test_the_yardsticks_by_costs() -> None:
    system = regret.environment()
    references, best = regret.references(), planning.lq_optimum(system)
    assert references["zero"] == pytest.approx(
        planning.lq_cost(system, planning.lq_zero(system)) - best, rel=1e-9
    )
    grid = [
        planning.lq_cost(system, np.full((5, 1, 1), gain)) - best
        for gain in np.linspace(-0.2, -0.1, 2001)
    ]
    assert references["constant"] == pytest.approx(min(grid), rel=1e-3)
    assert references["constant"] < references["zero"] / 50 < references["trivial"] / 1000


def test_the_energy_of_the_optimal_policy_against_simulation() -> None:
    system, rng = regret.environment(), np.random.default_rng(0)
    gains, x, total = planning.lq_gains(system)[:, 0, 0], np.ones(200_000), np.zeros(200_000)
    for gain in gains:
        total += (gain * x) ** 2
        x = (0.6 + 0.5 * gain) * x + rng.uniform(-0.15, 0.15, x.size)
    spread = total.std() / np.sqrt(total.size)
    assert abs(total.mean() - regret.energy()) < 6.5 * spread < 1e-3


@pytest.mark.slow
def test_the_planned_numbers_come_from_the_predicted_horizon() -> None:
    for epsilon, planned in regret.PLANNED.items():
        assert planned == regret.chosen(epsilon)
        for name in regret.DRAWN_CALIBRATIONS:
            first = regret.horizon_of(epsilon, name)
            assert regret.half_axis(first, epsilon, name) < 0.5
            assert regret.half_axis(first - 1, epsilon, name) >= 0.5


@pytest.mark.slow
def test_bounds_are_ordered() -> None:
    tables = regret.tables()
    ends = tables["horizons"].set_index(["epsilon", "line"])
    for epsilon in regret.EPSILONS:
        assert ends.loc[(epsilon, "lines"), "bound_over_trivial"] > 1
        for line in (*regret.DRAWN_CALIBRATIONS, "lines"):
            # nothing here is shown to learn by a bound
            assert ends.loc[(epsilon, line), "bound_over_zero"] > 1
    for run in regret.long_runs():
        if run.agent == "private-ofu-rl":
            assert run.regret[:, -1].max() < regret.upper(run.planned, run.epsilon, run.calibration)


def test_every_private_run_learns_and_the_burn_in_is_where_the_curve_stays_below_half() -> None:
    tables = learning.tables()
    for row in tables["burn_in"].itertuples():
        if row.agent != "private-ce":
            assert row.last_high <= 0.5 and row.least <= row.burn_in <= row.most and not row.never
            curve = tables["curves"].query(
                "agent == @row.agent and calibration == @row.calibration and "
                "epsilon == @row.epsilon"
            )
            # the last replicate to come has come where none is above half; where more than the
            # drawn ones are counted, near there
            broken = np.flatnonzero(curve["high"] > 0.5)
            last = float(curve["user"].iloc[broken[-1] + 1])
            assert last == row.most if row.runs <= 3 else row.most / 2 < last < 2 * row.most


def test_a_power_law_has_its_slope_and_the_interval_covers_it() -> None:
    rng, epsilons = np.random.default_rng(1), [10.0, 30.0, 100.0, 300.0]
    exact = [np.full(3, 7 * epsilon**-0.5) + np.array([0, 1e-9, -1e-9]) for epsilon in epsilons]
    assert price.slope(exact, epsilons)[0] == pytest.approx(-0.5, abs=1e-6)
    hits = 0
    for _ in range(400):
        noisy = [7 * epsilon**-0.5 * (1 + 0.05 * rng.standard_normal(3)) for epsilon in epsilons]
        _, low, high = price.slope(noisy, epsilons)
        hits += low <= -0.5 <= high
    assert 360 <= hits <= 398  # 95 %, six standard errors


@pytest.mark.slow
def test_the_price_is_what_privacy_adds() -> None:
    tables = price.tables()
    assert len(tables["cost"]) == len(price.PLANS)
    for name, rows in tables["cost"].groupby("calibration"):
        assert (np.diff(rows["cost"]) < 0).all() and (np.diff(rows["bound"]) < 0).all(), name
        assert (rows["high"] < rows["bound"]).all()
    slopes = tables["slopes"].query("kind == 'learnt'").set_index("calibration")
    assert slopes.loc["printed", "high"] < -0.5 < slopes.loc["printed", "bound"] < -0.4
    assert -0.35 < slopes.loc["corrected", "low"] < slopes.loc["corrected", "high"] < -0.2


@pytest.mark.slow
def test_without_noise_the_certainty_equivalent_controller_does_nothing() -> None:
    *_, certain = live.live_runs()
    expected_regret = regret.references()["zero"] * certain.episodes
    assert certain.agent == "ce" and certain.epsilon == inf
    assert np.allclose(certain.regret[0], expected_regret, rtol=1e-9)


@pytest.mark.slow
def test_over_a_tree_the_constants_are_those_of_the_regret_figure() -> None:
    for setting in (counters.PRINTED, counters.CORRECTED, counters.TREE):
        for epsilon in counters.EPSILONS:
            expected_horizon = regret.horizon_of(epsilon, setting.calibration)
            assert (
                expected_horizon
                <= counters.horizon_of(setting, epsilon)
                <= expected_horizon * 1.002
            )


def test_the_largest_deviation_of_a_tree_so_far_by_counting() -> None:
    setting, times = counters.PRINTED, np.arange(1, 300)
    sigma = counters.regularity(setting, 1.0, 1000).sigma_gram
    most = np.maximum.accumulate([int(t).bit_count() for t in times])
    assert counters.deviations(setting, 1.0, 1000, times) == pytest.approx(sigma * np.sqrt(most))


@pytest.mark.slow
def test_blt_learns_five_times_earlier_than_printed_and_no_run_before_it_can() -> None:
    facts = counters.tables()["facts"].set_index(["calibration", "counter", "agent", "epsilon"])
    for epsilon in counters.EPSILONS:
        old, new = (
            facts.loc[(*configuration, "private-ofu-rl", epsilon)]
            for configuration in (("printed", "tree"), ("tight", "blt"))
        )
        ends = old["burn_in"] if np.isfinite(old["burn_in"]) else old["played"]
        assert ends >= 5 * new["burn_in"] and new["last_share"] < 0.5
        assert 5 < old["deviation"] / new["deviation"] < 7 and new["runs"] >= 3
        for row in (old, new):
            assert not row["burn_in"] < row["start"]
    assert facts.loc["tight", "blt", "private-ofu-rl", 1.0]["runs"] >= 4


def test_the_steps_answers_are_recomputed_and_few_starts_do_not_beat_the_table() -> None:
    """The first sets of the smallest system's table again; a reference without starts is the answer
    itself."""
    harvest, table = step.HARVESTS[0], step.measured()
    system, rng = lq_instance(harvest.states, harvest.controls), np.random.default_rng(0)
    rows = table[table["system"] == system.name].iloc[:8]
    short = harvest._replace(episodes=120)
    for confidence_set, row in zip(step.sets(short), rows.itertuples(), strict=False):
        assert (confidence_set.run, confidence_set.episode) == (row.run, row.episode)
        assert confidence_set.cost == pytest.approx(row.answer, rel=1e-9)
        best, hits = step.least(system, confidence_set, rng, 2)
        assert best >= row.least * (1 - 1e-6) and hits >= 1
        assert planning.lq_optimum(system, confidence_set.theta) == pytest.approx(
            confidence_set.cost, rel=1e-12
        )
    assert (table["gap"] >= 0).all() and (table["gap"] <= step.ASKED).all()
    assert (table["system"].value_counts() >= 400).all() and (
        table["system"] == "lq-2-2"
    ).sum() >= 1000


def test_no_release_is_above_its_bound() -> None:
    table = noise.tables()["largest"]
    assert (table["trees_above"] == 0).all() and (table["largest_over_bound"] > 0.2).all()


@pytest.mark.slow
def test_coverage_and_optimism_hold_and_the_broken_twin_is_noticed() -> None:
    run_rows = diagnosis.tables()["runs"]
    twin = run_rows["agent"] == "narrow"
    assert (run_rows.loc[~twin, "outside"] == 0).all() and (
        run_rows.loc[~twin, "pessimistic"] == 0
    ).all()
    assert (run_rows.loc[~twin, "gain"] <= 1).all() and (run_rows.loc[twin, "outside"] > 0).all()
    assert run_rows.loc[twin, "pessimistic"].sum() > 100


def test_the_prior_and_its_worst_width() -> None:
    draws = lower.prior(1.0, 4001)
    assert draws.mean() == pytest.approx(0, abs=1e-9)
    assert (draws**2).mean() == pytest.approx(1 / 3 - 2 / np.pi**2, rel=1e-3)
    for K in (100, 10**6):
        width = lower.worst_width(K)
        assert lower.bound(K, width) == pytest.approx(lower.bound(K), rel=1e-8)
        assert lower.bound(K, width / 2) < lower.bound(K)


@pytest.mark.slow
def test_no_agent_is_below_the_lower_bound() -> None:
    means = lower.tables()["means"]
    assert (means["bound"] < means["zero"]).all() and (means["bound"] < means["low"]).all()
    assert not (
        6 * means["bound"] < means["zero"]
    ).any()  # six times the bound is above what u = 0 loses


def test_certainty_equivalence_takes_longer_and_then_loses_less() -> None:
    rows = (
        drawn("chowdhury2021_learning", "burn_in")
        .query("calibration == 'tight'")
        .set_index(["agent", "epsilon"])
    )
    assert np.isinf(rows.loc[("private-ce", 1.0), "burn_in"])
    for epsilon in (10.0, 100.0, 1000.0):
        certain, optimistic = (
            rows.loc[(agent, epsilon)] for agent in ("private-ce", "private-ofu-rl")
        )
        assert (
            certain["burn_in"] > optimistic["burn_in"]
            and certain["last_high"] < optimistic["last_low"]
        )


def test_the_cost_of_the_printed_noise_is_no_power_law() -> None:
    slopes = drawn("chowdhury2021_price", "slopes")
    local = slopes[(slopes["kind"] == "local") & (slopes["calibration"] == "printed")]["slope"]
    assert local.is_monotonic_decreasing and local.iloc[0] > -0.5 > local.iloc[-1]


def test_the_regret_captions_users_are_those_of_the_private_runs() -> None:
    """From the least of them to the most that learn, in the caption's words."""
    rows = drawn("chowdhury2021_learning", "burn_in")
    learnt = rows[(rows["epsilon"] < inf) & (rows["burn_in"] < inf)]["burn_in"]
    words = " ".join(regret.CAPTION.split())
    assert "most then learn, after ten thousand to several million episodes" in words
    assert f"{learnt.min():.0e}" == "1e+04" and 2e6 < learnt.max() < 1e7
    assert len(learnt) > len(rows[rows["epsilon"] < inf]) / 2
