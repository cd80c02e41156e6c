"""PAC counts, lower bounds and the runs in which an upper bound says something."""

import json
from collections.abc import Callable
from math import inf
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from figures import counting, linear_runs
from figures.vietri2020 import lower, nonvacuous
from figures.vietri2020 import pac as vietri2020_pac
from privrl.agents.tabular.pucb import PUCB
from privrl.agents.tabular.ubev import UBEV
from privrl.diagnose import tabular as diagnose
from privrl.environments import planning, suite
from tests.figures import checksum
from theory.papers.vietri2020.bounds import proved
from theory.papers.vietri2020.bounds import stated as bounds

TABLES = (lower, nonvacuous, vietri2020_pac)
HARD = suite.tabular("vietri2020/hard-2-2")
ALPHAS = (0.01, 0.1, 0.2, 0.35)


def test_counts_are_those_of_the_gaps_that_are_kept() -> None:
    agent = PUCB(epsilon=1e4, calibration="tight")
    gaps = diagnose.gaps(HARD, agent, 20_000, seed=3, index=1)
    counts, regret = counting.counts(HARD, agent, 20_000, ALPHAS, 3, 1)
    assert counts.tolist() == [int((gaps > alpha).sum()) for alpha in ALPHAS]
    assert 0 < counts[2] < counts[0] < 20_000 and regret == pytest.approx(gaps.sum(), rel=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: counting.counts(HARD, UBEV(0.1), 10, (0.0,)), "alphas must be > 0"),
        (lambda: counting.counts(HARD, UBEV(0.1), 0, ALPHAS), "episodes must be >= 1"),
        (lambda: counting.read("vietri2020_regret"), "columns must begin with setting, agent"),
    ],
)
def test_what_cannot_be_counted_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_a_table_is_written_once_and_read_back(tmp_path: Path) -> None:
    cases = [
        counting.CountedRun("hard-2-2", HARD, UBEV(0.1), 300, index, ALPHAS) for index in (0, 1)
    ]
    counting.recompute(lambda: cases, tmp_path / "small.csv")
    table, stored = counting.read("small", tmp_path), sorted((tmp_path / "replicates").iterdir())
    times = [path.stat().st_mtime_ns for path in stored]
    assert table["episodes"].tolist() == [
        int(value)
        for index in (0, 1)
        for value in counting.counts(HARD, UBEV(0.1), 300, ALPHAS, 0, index)[0]
    ]
    facts = json.loads((tmp_path / "small.json").read_text("utf-8"))
    assert facts["sha256"] == checksum(tmp_path / "small.csv") and facts["replicates"] == 2
    counting.recompute(lambda: cases, tmp_path / "small.csv")
    assert len(stored) == 2 and [path.stat().st_mtime_ns for path in stored] == times


@pytest.mark.parametrize("module", TABLES)
def test_the_table_holds_the_cases(module: object) -> None:
    cases, table = module.cases(), counting.read(module.ID)
    keys = ["setting", "agent", "calibration", "epsilon", "planned", "replicate"]
    expected_keys = [
        (c.setting, c.agent.name, c.agent.calibration, c.agent.epsilon, c.planned, c.replicate)
        for c in cases
    ]
    assert list(table[keys].drop_duplicates().itertuples(index=False, name=None)) == expected_keys
    assert len(table) == sum(len(case.alphas) for case in cases)
    assert ((table["episodes"] >= 0) & (table["episodes"] <= table["planned"])).all()
    episodes_by_case = table.groupby(keys)["episodes"]
    assert (
        episodes_by_case.diff().dropna() <= 0
    ).all()  # more episodes lose more than a smaller alpha
    assert (table["regret"] >= table["alpha"] * table["episodes"] - 1e-6).all()


@pytest.mark.slow
@pytest.mark.parametrize("module", TABLES)
def test_the_shortest_runs_of_each_agent_are_recomputed(module: object) -> None:
    """A replicate of every agent where it is short, and the first 20,000 episodes' worth of nothing
    else."""
    table = counting.read(module.ID)
    done = set()
    for case in module.cases():
        key = (case.agent.name, case.agent.calibration, case.agent.epsilon)
        size = case.mdp.rewards.size * case.planned
        if key in done or size > 2.5e7 or case.replicate != len(done) % 3:
            continue
        done.add(key)
        counts, regret = counting.counts(
            case.mdp, case.agent, case.planned, case.alphas, case.seed, case.replicate
        )
        chosen = table[
            (table["setting"] == case.setting)
            & (table["agent"] == key[0])
            & (table["calibration"] == key[1])
            & (table["epsilon"] == key[2])
            & (table["planned"] == case.planned)
            & (table["replicate"] == case.replicate)
        ]
        assert chosen["episodes"].tolist() == counts.tolist()
        assert f"{regret:.10g}" == f"{chosen['regret'].iloc[0]:.10g}"
    assert done or module is vietri2020_pac


@pytest.mark.slow
def test_one_long_count_is_recomputed() -> None:
    case = next(
        c
        for c in vietri2020_pac.cases()
        if c.setting == "riverswim-2-relabelled" and c.agent.epsilon == 1e4
    )
    table = counting.read(vietri2020_pac.ID)
    chosen = table[
        (table["setting"] == case.setting)
        & (table["epsilon"] == 1e4)
        & (table["calibration"] == "printed")
        & (table["replicate"] == 0)
    ]
    counts, _ = counting.counts(case.mdp, case.agent, case.planned, case.alphas)
    assert chosen["episodes"].tolist() == counts.tolist()


@pytest.fixture(scope="module")
def pac() -> dict[str, pd.DataFrame]:
    return vietri2020_pac.tables()


def test_no_alpha_is_the_gap_of_a_policy() -> None:
    """Gaps of deterministic policies, and with ties in a state between any of its actions."""
    for setting in vietri2020_pac.SETTINGS:
        gaps = {round(float(gap), 12) for gap in _gaps(setting)}
        assert min(abs(gap - alpha) for gap in gaps for alpha in vietri2020_pac.ALPHAS) > 1e-7


def _gaps(setting: str) -> list[float]:
    mdp = vietri2020_pac.environment(setting)
    H, S, A = mdp.rewards.shape
    rng = np.random.default_rng(0)
    optimum = float(mdp.initial @ planning.optimal(mdp)[0][0])
    policy_gaps = []
    for _ in range(500):
        policy = rng.integers(0, 2, size=(H, S, A)).astype(float)
        policy[policy.sum(axis=-1) == 0] = 1.0
        policy_gaps.append(
            optimum - planning.value(mdp, policy / policy.sum(axis=-1, keepdims=True))
        )
    return policy_gaps


def test_the_largest_loss_is_that_of_the_worst_policy() -> None:
    for setting in vietri2020_pac.SETTINGS:
        most = vietri2020_pac.largest_loss(vietri2020_pac.environment(setting))
        assert max(_gaps(setting)) <= most + 1e-12
    assert vietri2020_pac.largest_loss(HARD) == pytest.approx(3 * 0.2)  # a wrong arm loses alpha' H


@pytest.mark.slow
def test_the_proved_line_is_pac_bound_from_the_other_side() -> None:
    size = (2, 2, 2)
    for alpha, m in vietri2020_pac.proved_line(size, 100.0)[::7]:
        assert abs(proved.pac_bound(*size, vietri2020_pac.PLANNED, 100.0, 0.1, alpha) - m) <= max(
            2, 1e-6 * m
        )


@pytest.mark.slow
def test_counts_lie_between_the_bounds_and_the_figure_says_where(
    pac: dict[str, pd.DataFrame],
) -> None:
    counts = pac["counts"].set_index(["setting", "epsilon", "alpha"]).sort_index()
    assert len(pac["tested"]) >= 10
    for row in pac["tested"].itertuples():
        mine = counts.loc[(row.setting, row.epsilon, row.alpha)]
        assert (mine.loc[mine["calibration"] != "printed", "high"] < 0.1 * row.episodes).all()
        assert row.episodes <= vietri2020_pac.PLANNED
    for panel in pac["panels"].itertuples():
        size = vietri2020_pac.environment(panel.setting).rewards.shape
        at = (size[1], size[2], size[0], vietri2020_pac.PLANNED, panel.epsilon, 0.1)
        assert proved.pac_bound(*at, panel.proved_from * 1.001) <= vietri2020_pac.PLANNED
        assert proved.pac_bound(*at, panel.proved_from * 0.999) > vietri2020_pac.PLANNED


@pytest.mark.slow
def test_on_the_hard_mdp_the_counts_lie_above_the_lower_bound(pac: dict[str, pd.DataFrame]) -> None:
    lines = pac["bounds"]
    low = lines[(lines["setting"] == "hard-2-2") & (lines["line"] == "corrected")].set_index(
        ["epsilon", "alpha"]
    )
    counts = pac["counts"][
        (pac["counts"]["setting"] == "hard-2-2") & (pac["counts"]["agent"] == "pucb")
    ]
    pairs = [
        (row.low, low.loc[(row.epsilon, row.alpha), "episodes"])
        for row in counts.itertuples()
        if (row.epsilon, row.alpha) in low.index
    ]
    assert len(pairs) > 50 and all(count > bound for count, bound in pairs)
    assert set(lines.loc[lines["setting"] == "riverswim-2-relabelled", "line"]) == {
        "theorem-3",
        "proved",
    }


def test_every_agent_lies_above_its_lower_bounds() -> None:
    tables = lower.tables()
    lines = tables["bounds"].set_index(["line", "what", "setting"])["value"]
    for row in tables["runs"].itertuples():
        line = "lower-0.01" if row.epsilon == 0.01 else "lower-inf"
        assert row.low > lines.loc[(line, row.what, row.setting)]
        assert row.mean <= lines.loc[("trivial", row.what, row.setting)]
    blind = tables["runs"][
        (tables["runs"]["epsilon"] == 0.01) & (tables["runs"]["what"] == "regret")
    ]
    for row in blind.itertuples():
        assert row.mean == pytest.approx(lines.loc[("uniform", "regret", row.setting)], rel=1e-6)


def test_how_little_the_lower_bounds_say() -> None:
    assert lower.instance(lower.BASE).transitions.tolist() == HARD.transitions.tolist()
    size, alpha = (4, 3, 3), lower.alpha_of(3)
    assert 0.6 < vietri2020_pac.lower(size, inf, alpha) < 0.7  # of an episode
    assert vietri2020_pac.lower(size, 100.0, alpha) == vietri2020_pac.lower(size, inf, alpha)
    assert 0.002 < vietri2020_pac.theorem_5(size, 100.0, alpha) < 0.0022
    assert vietri2020_pac.theorem_5(size, 0.01, alpha) == pytest.approx(21.3, abs=0.1)
    assert lower.sizes("m")[-1] == (2, 8, 3)


@pytest.mark.slow
def test_where_the_bounds_say_something_the_runs_lie_below_them() -> None:
    tables = nonvacuous.tables()
    pucb = tables["runs"][tables["runs"]["agent"] == "pucb"]
    informative = pucb[pucb["proved"] < 1]
    assert set(informative["epsilon"]) == {1.0, 100.0} and len(informative) >= 12
    assert (10 * informative["high"] < informative["proved"]).all() and (
        pucb["high"] < pucb["proved"]
    ).all()
    printed = pucb[pucb["calibration"] == "printed"].groupby("epsilon")["theorem_4"].min()
    assert (printed < 1).all()


def test_the_proved_bound_beats_uniform_play_at_its_end() -> None:
    level = linear_runs.references("vietri2020/riverswim-2-relabelled")["uniform"] / 2
    assert (
        nonvacuous.proved_bound(10**7, 100.0) / (2 * 10**7)
        < level
        < bounds.trivial_regret(2, 1) / 2
    )
