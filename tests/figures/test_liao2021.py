"""What the figures of the third paper say; the beginnings of their tables computed again."""

from itertools import product
from math import inf
from pathlib import Path

import numpy as np
import pytest

from figures import linear_runs, registry, style
from figures.liao2021 import bounds as liao2021_bounds
from figures.liao2021 import divergence, joint, learning, regret, relabelled, riverswim, worst
from figures.linear_runs import Direct, Source
from privrl.agents.linear.ldp_ucrl_vtr import LDPUCRLVTR
from privrl.environments import planning, suite
from privrl.environments.mixtures import mixture
from privrl.privacy.counters import mechanisms
from privrl.run.sweep import RunPlan
from tests.figures import drawn
from theory.papers.liao2021 import bounds


def test_a_table_comes_back_as_it_was_written(tmp_path: Path) -> None:
    mdp = mixture(scaled=True, weight=0.7)
    sources: list[Source] = [
        Direct(mdp, LDPUCRLVTR(100.0, calibration="tuned", constant=0.3), 200, 3),
        RunPlan(
            "liao2021/mixture-2", calibration="tight", epsilon=10.0, episodes=300, replicates=2
        ),
    ]
    linear_runs.recompute(sources, tmp_path / "small.csv")
    table = linear_runs.read("small", tmp_path)
    assert [len(rows) for _, rows in linear_runs.settings(table)] == [3, 2]
    assert table["constant"].isna().tolist() == [False] * 3 + [True] * 2
    for source in sources:
        assert linear_runs.agrees(source, table, 200, 1) > 20
    with pytest.raises(ValueError, match="one row for a replicate"):
        linear_runs.agrees(sources[0], table, 200, 7)
    run = linear_runs.run_of(linear_runs.settings(table)[0][1])
    assert run.planned == 200 and run.regret.shape[0] == 3


def test_what_needs_no_agent_by_enumeration() -> None:
    """Mixture-2: every deterministic policy; blind play is the mean over the first step with the
    last step right."""
    mdp = suite.tabular("liao2021/mixture-2")
    optimum = float(mdp.initial @ planning.optimal(mdp)[0][0])
    values = {}
    for first, second in product(range(2), repeat=2):
        policy = np.zeros((2, 2, 2))
        policy[0, :, first] = policy[1, :, second] = 1.0
        values[first, second] = planning.value(mdp, policy)
    baselines = linear_runs.without_agent(mdp)
    assert optimum == pytest.approx(max(values.values()))
    assert baselines["uniform"] == pytest.approx(optimum - sum(values.values()) / 4)
    assert baselines["constant"] == pytest.approx(optimum - max(values[0, 0], values[1, 1]))
    assert baselines["blind"] == pytest.approx(optimum - (values[0, 1] + values[1, 1]) / 2)


def test_corrected_widths_leave_known_rewards_alone_on_the_rivers() -> None:
    for label, rows in linear_runs.settings(linear_runs.read(relabelled.ID)):
        if label["calibration"] == "corrected":
            blind = linear_runs.without_agent(suite.tabular(label["id"]))["blind"]
            np.testing.assert_allclose(rows["10000"], 10_000 * blind, rtol=1e-8)


def test_the_river_is_drawn_with_all_its_probability() -> None:
    edges = riverswim.tables()["edges"]
    plain = edges[edges["entry"] == regret.ENTRIES[0]]
    assert (plain["least"] == plain["largest"]).all()
    np.testing.assert_allclose(plain.groupby(["state", "action"])["least"].sum(), 1.0)
    assert sorted(plain.loc[plain["reward"] > 0, "reward"].unique()) == pytest.approx(
        [0.005 / 6, 1 / 6]
    )


@pytest.mark.slow
def test_the_contraction_is_reached_and_not_passed() -> None:
    tables = divergence.tables()
    constants = tables["constant"]
    ratio = constants["largest"] / constants["sharp"]
    assert ratio.max() <= 1 + 1e-9 and ratio.min() > 0.995
    assert not (constants["largest"] <= 0.99 * constants["sharp"]).any()
    assert (constants["printed"] >= 8 * constants["sharp"]).all()
    crossing, figure = (
        f"{tables['crossing']['epsilon'].iloc[0]:.3f}",
        registry.figure(divergence.ID),
    )
    assert crossing in figure.caption and crossing in figure.alt
    by_hand = float(divergence.bernoulli(np.array([0.5]), np.array([0.25]))[0])
    assert by_hand == pytest.approx(0.5 * np.log(2) + 0.5 * np.log(2 / 3))


@pytest.mark.slow
def test_bounds_bracket_every_long_run() -> None:
    for run in learning.long_runs():
        if run.agent == "ldp-ucrl-vtr":
            assert run.regret[:, -1].max() < liao2021_bounds.upper(run.calibration)(
                run.planned, run.epsilon
            )
    # theorem 5.6's family has three steps and more: no lower bound is drawn for two
    assert suite.tabular(learning.ENTRY).horizon == 2
    with pytest.raises(ValueError, match="horizon must be >= 3"):
        bounds.lower_mixture(2, 2, 10**6, 1.0, 0.1)
    for name in (liao2021_bounds.ID, "liao2021_hard"):
        data = registry.figure(name).tables()
        assert "lower" not in data and "lower" not in set(data["lines"]["line"])
        axes = registry.figure(name).draw(data).axes
        assert not [line for one in axes for line in one.lines if "lower" in str(line.get_label())]
    start, below = learning.starts(1.0)["tight"]
    terms = bounds.regret_terms(bounds.constants(2, 2, below, 1.0, 0.1, 0.01, "tight"))
    assert terms.total < 2 * below and start < below


def test_the_worst_line_is_the_envelope() -> None:
    tables = worst.tables()
    for (agent, planned), rows in tables["runs"].groupby(["agent", "planned"]):
        line = tables["worst"][
            (tables["worst"]["agent"] == agent) & (tables["worst"]["planned"] == planned)
        ]
        assert float(line["regret"].iloc[0]) == rows["regret"].max()
    assert set(tables["slopes"]["gap"]) == {*worst.GAPS, inf}


def test_local_noise_grows_like_the_root_of_the_users_and_a_trusted_server_s_does_not() -> None:
    """Everything else equal; and no counter but the local one is local: what it costs is the noise
    of each user."""
    for calibration in ("printed", "corrected", "tight"):
        first, last = (joint.noise("local", calibration, users) for users in (1, 10**6 - 1))
        assert last / first == pytest.approx(1000, rel=1e-3)
    for counter in ("tree", "blt"):
        first, last = (joint.noise(counter, "tight", users) for users in (1, 10**6 - 1))
        assert 1 < last / first < 6
    local, tree, blt = (
        joint.noise(counter, "tight", 10**6 - 1) for counter in ("local", "tree", "blt")
    )
    assert local > 50 * tree > 150 * blt
    for counter in ("tree", "blt"):
        noise_ratio = joint.noise(counter, "tight", 1) / joint.noise("local", "tight", 1)
        assert noise_ratio == pytest.approx(
            mechanisms.counter_cost(counter, 10**6 - 1).sensitivity, rel=1e-9
        )


def test_where_the_bounds_begin_is_said_right() -> None:
    below = drawn(liao2021_bounds.ID, "vacuity").set_index(["epsilon", "calibration"])[
        "below_trivial"
    ]
    thresholds = [
        style.number(below[epsilon, name], 2)
        for epsilon in (1, 100)
        for name in ("corrected", "tight")
    ]
    assert thresholds == ["5.9e6", "2.6e6", "30,000", "14,000"]
    alt = registry.figure(liao2021_bounds.ID).alt
    assert "at 5.9 and 2.6 million episodes on the left, at 30 and 14 thousand" in alt
