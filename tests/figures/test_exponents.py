"""Exponents of users before learning: comparable worlds, runs that come out again, slopes that are
the table's."""

import tomllib
from math import log
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from figures import comparable, exponents, left_out, measured, registry, runs, studies
from privrl.environments import planning
from privrl.run import measure
from tests.figures import drawn
from theory.papers.liao2021 import bounds as liao

PAPER = Path(comparable.__file__).parents[1] / "theory/papers/vietri2020/paper.toml"

STUDIES = [
    pytest.param(study, id=f"{paper} {study.agent}")
    for paper, studies in exponents.STUDIES.items()
    for study in studies
]


@pytest.mark.parametrize(("states", "actions", "horizon"), [(2, 2, 1), (4, 2, 2), (9, 3, 2)])
def test_contexts_are_balanced_and_cost_the_same_at_every_size(
    states: int, actions: int, horizon: int
) -> None:
    world = comparable.contexts(states, actions, horizon)
    assert planning.smallest_gap(world) == pytest.approx(1)
    lost = planning.uniform_regret(world)
    assert lost == pytest.approx(horizon * (1 - 1 / actions))
    right = world.rewards.argmax(axis=-1).ravel()
    shares = np.bincount(right, minlength=actions)
    assert shares.max() - shares.min() <= horizon


@pytest.mark.parametrize(("contexts", "horizon"), [(8, 2), (10, 4), (3, 5)])
def test_linear_contexts_are_the_papers_and_cost_the_same_at_every_size(
    contexts: int, horizon: int
) -> None:
    world = comparable.linear_contexts(contexts, horizon)
    norms = world.norms()
    assert norms.liao2021 and norms.exact and norms.dimension_p == contexts + 1
    assert norms.theta_p == pytest.approx(world.theta_p_bound)  # the paper's bound, reached
    table, decisions = world.tabular(), horizon // 2
    assert planning.smallest_gap(table) == pytest.approx(1)
    assert measure.reference(world, "ldp-ucrl-vtr") == pytest.approx(decisions / 2)
    for step in range(0, horizon, 2):
        right = table.transitions[step, :contexts, 0, contexts]
        assert abs(right.sum() - contexts / 2) <= 0.5


def test_the_scalar_system_keeps_its_gains_at_every_horizon() -> None:
    for horizon in range(2, 7):
        world = comparable.scalar(horizon)
        assert planning.lq_gain_bound(world) <= world.gamma
    assert planning.lq_gain_bound(comparable.scalar(7)) > comparable.GAMMA


@pytest.mark.parametrize("study", STUDIES)
def test_five_sizes_at_least_and_one_plan(study: studies.Study) -> None:
    for axis, lengths in study.lengths.items():
        assert len(lengths) >= 5 or (study.agent, axis) == ("linopt-po", "H")
    for axis, lengths in study.lengths.items():
        assert study.base[axis.replace("1/", "")] in lengths
    mine = [runs_ for runs_ in exponents.settings(study.paper) if runs_.agent.name == study.agent]
    assert {runs_.planned for runs_ in mine} == {study.planned}
    assert {runs_.replicates for runs_ in mine} <= {studies.MANY, studies.FEW}


@pytest.mark.slow
@pytest.mark.parametrize("study", STUDIES)
def test_a_replicate_comes_out_again(study: studies.Study) -> None:
    table = runs.table(exponents.table_name(study.paper), exponents.COLUMNS)
    settings = [
        runs_ for runs_ in exponents.settings(study.paper) if runs_.agent.name == study.agent
    ]
    for setting in settings:
        assert len(measured.rows_of(table, setting)) == setting.replicates
    setting = min(settings, key=lambda runs_: runs_.played)
    committed = measured.rows_of(table, setting)
    last = setting.replicates - 1
    fresh = exponents._row((setting, last))
    before = committed[committed["replicate"] == last].iloc[0].dropna()
    names = [name for name in before.index if name not in measured.KIND]
    np.testing.assert_allclose(
        [float(fresh[name]) for name in names], before[names].astype(float), rtol=1e-9
    )


def again(paper: str, table: pd.DataFrame, window: float = measure.WINDOW) -> pd.DataFrame:
    """``users`` and ``regret`` of every row from its checkpoints alone, over another window if one
    is asked for."""
    parts = []
    for setting in exponents.settings(paper):
        mine = measured.rows_of(table, setting)
        marks = exponents.marks_of(setting.played, setting.planned)
        regret = mine[[str(mark) for mark in marks]].to_numpy(dtype=float)
        assert np.isfinite(regret).all() and (np.diff(regret, axis=1) >= -1e-3).all()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(measure, "WINDOW", window)
            rows = [exponents.counted(marks, row, setting) for row in regret]
        parts.append(pd.DataFrame(rows, columns=["users", "regret"], index=mine.index))
    return pd.concat(parts).sort_index()


def differences(fresh: pd.DataFrame, table: pd.DataFrame) -> int:
    """In how many rows they differ."""
    same = np.isclose(fresh["users"], table["users"], rtol=1e-9)
    same &= np.isclose(fresh["regret"], table["regret"], rtol=1e-9, equal_nan=True)
    return int((~same).sum())


@pytest.mark.parametrize("paper", exponents.STUDIES)
def test_users_and_slopes_follow_from_the_committed_checkpoints(paper: str, tmp_path: Path) -> None:
    """So that measure and window can be changed without a run; another window, half as long, gives
    others: the mutant."""
    table = runs.table(exponents.table_name(paper), exponents.COLUMNS)
    fresh = again(paper, table)
    assert len(fresh) == len(table) and differences(fresh, table) == 0
    assert differences(again(paper, table, measure.WINDOW / 2), table) > len(table) / 10
    table.assign(**fresh).to_csv(tmp_path / f"{exponents.table_name(paper)}.csv", index=False)
    made, ends = (
        exponents.tables_of(paper, tmp_path)["ends"],
        drawn(exponents.table_name(paper), "ends"),
    )
    for name in ("slope", "low", "high"):
        np.testing.assert_allclose(made[name], ends[name], rtol=1e-5)


@pytest.mark.parametrize("paper", exponents.STUDIES)
def test_slopes_are_those_of_the_users_and_of_the_bounds(paper: str) -> None:
    users, slopes = (drawn(exponents.table_name(paper), name) for name in ("users", "slopes"))
    at = users.set_index(["agent", "axis", "value"])
    for row in slopes.itertuples():
        first, second = (at.loc[row.agent, row.axis, value] for value in (row.first, row.second))
        span = log(row.second / row.first) * (-1 if row.axis == "1/epsilon" else 1)
        for kind, slope in (
            ("users", row.slope),
            ("printed", row.printed),
            ("proved", row.proved),
        ):
            if np.isfinite(first[kind] + second[kind]):
                expected = log(second[kind] / first[kind]) / span
                assert slope == pytest.approx(expected, rel=1e-4, abs=1e-4)
        if np.isfinite(row.slope):
            assert row.low <= row.slope <= row.high
    ends = drawn(exponents.table_name(paper), "ends")
    assert (ends["low"] <= ends["slope"]).all() and (ends["slope"] <= ends["high"]).all()


def test_the_message_of_liao2021_is_what_the_intervals_carry() -> None:
    ends = drawn("liao2021_exponents", "ends").set_index("axis")
    assert (ends["low"] > 0).all()
    lower = {axis: comparable.lower_exponent("liao2021", axis) for axis in ends.index}
    assert ((ends["low"] < ends["printed"]) & (ends["printed"] < ends["high"])).all()
    assert ends.loc["d", "low"] < lower["d"] < ends.loc["d", "high"]
    assert ends.loc["1/epsilon", "high"] < lower["1/epsilon"]


@pytest.mark.slow
def test_the_table_has_a_row_for_every_algorithm_and_size() -> None:
    *lines, chowdhury2021, liao2021 = exponents.markdown().splitlines()[2:]
    for line, start in ((chowdhury2021, "chowdhury2021"), (liao2021, "liao2021")):
        assert line.startswith(f"| {start} |") and "| left out: " in line
    every = [study for studies in exponents.STUDIES.values() for study in studies]
    assert len(lines) == sum(len(study.lengths) for study in every)
    for line in lines:
        paper, _, axis = (cell.strip() for cell in line.strip("|").split("|")[:3])
        has = comparable.printed_lower(paper) is not None
        assert line.rstrip("| ").endswith("none printed") != has, axis


def test_exponents_of_the_lower_bound_are_those_of_the_formula() -> None:
    """liao2021: of the users K = (bound at T = H over H)^2 at which the bound, which grows like the
    root of T, is H K."""

    def users(d: int, H: int, epsilon: float) -> float:
        return (liao.stated_lower(d, H, H, epsilon) / H) ** 2

    base = users(4, 3, 1e-7)
    for axis, grown in (
        ("d", users(8, 3, 1e-7)),
        ("H", users(4, 6, 1e-7)),
        ("1/epsilon", users(4, 3, 5e-8)),
    ):
        exponent = comparable.lower_exponent("liao2021", axis)
        assert exponent == pytest.approx(log(grown / base) / log(2), abs=1e-5)
    assert comparable.lower_exponent("zhou2022", "d") is None


def test_the_lower_bound_of_vietri2020_is_the_printed_one(monkeypatch: pytest.MonkeyPatch) -> None:
    statements = {
        item["id"]: item["statement"] for item in tomllib.loads(PAPER.read_text())["item"]
    }
    assert r"SAH \log(T)/\varepsilon" in statements["vietri2020/theorem-6"]
    exact = [comparable.lower_exponent("vietri2020", axis) for axis in ("S", "A", "H", "1/epsilon")]
    assert exact == [1, 1, 0, 1]
    terms = comparable.printed_lower("vietri2020")
    assert terms is not None
    states = next(symbol for symbol in terms[0].free_symbols if symbol.name == "S")
    squared = terms[0] * states, terms[1]
    monkeypatch.setattr(comparable, "printed_lower", lambda paper: squared)  # the mutant
    assert comparable.lower_exponent.__wrapped__("vietri2020", "S") == 2


def powers_carry_the_title(paper: str, ends: pd.DataFrame) -> bool:
    """Whether the intervals of the powers say what the title says; powers that differ differ beyond
    the interval."""
    over = {(row.agent, row.axis) for row in ends.itertuples() if row.low > row.printed}
    under = {(row.agent, row.axis) for row in ends.itertuples() if row.high < row.printed}
    within = {(row.agent, row.axis) for row in ends.itertuples()} - over - under
    carried = {
        "vietri2020": (ends["low"] <= ends["proved"]).all(),
        "chowdhury2021": {axis for _, axis in under} == {"H"}
        and {axis for _, axis in within} == {"1/epsilon"},
        "liao2021": over == under == set() and (ends["low"] > 0).all(),
        "zhou2022": over == {("linopt-vi", "H")} and len(ends) == 6,
    }
    return bool(carried[paper])


TITLES = {
    "vietri2020": "as the proved bound says or more slowly",
    "chowdhury2021": "With H users grow far more slowly than the bounds, with 1/ε as printed",
    "liao2021": "grow with d and 1/ε; the printed slopes lie within the errors",
    "zhou2022": "Of six powers one exceeds the printed bound's: value iteration's in H",
}


@pytest.mark.slow
@pytest.mark.parametrize("paper", exponents.STUDIES)
def test_a_title_says_what_the_powers_say(paper: str) -> None:
    assert powers_carry_the_title(paper, exponents.tables_of(paper)["ends"])
    assert registry.figure(exponents.table_name(paper)).message.endswith(TITLES[paper])


MUTANTS = [  # a power and its interval moved by so much, the interval so many times as long
    ("vietri2020", "S", 1.0, 1),
    ("chowdhury2021", "H", 4.0, 1),
    ("chowdhury2021", "1/epsilon", 1.0, 1),
    ("liao2021", "d", -1.0, 1),
    ("liao2021", "1/epsilon", 0.0, 4),
    ("zhou2022", "H", 0.0, 8),
    ("zhou2022", "d", 3.0, 1),
]


@pytest.mark.slow
@pytest.mark.parametrize(("paper", "axis", "moved", "longer"), MUTANTS)
def test_other_powers_do_not_carry_the_title(
    paper: str, axis: str, moved: float, longer: float
) -> None:
    ends = exponents.tables_of(paper)["ends"].copy()
    chosen = ends["axis"] == axis
    for name in ("low", "high"):
        off = (ends.loc[chosen, name] - ends.loc[chosen, "slope"]) * longer
        ends.loc[chosen, name] = ends.loc[chosen, "slope"] + moved + off
    ends.loc[chosen, "slope"] += moved
    assert not powers_carry_the_title(paper, ends)


def test_runs_that_ended_too_early_count_as_the_largest() -> None:
    assert exponents._median(pd.Series([1.0, 2.0, np.nan])) == 2
    assert np.isnan(exponents._median(pd.Series([1.0, np.nan])))
    assert pd.Series([1.0, 2.0, np.nan]).median() == 1.5  # the median that leaves them out


def test_more_controls_cost_the_same_at_every_number_and_take_longer() -> None:
    lost = [
        planning.lq_regret(world, planning.lq_zero(world))
        for world in (left_out.controls(1), left_out.controls(2), left_out.controls(5))
    ]
    assert lost == pytest.approx([lost[0]] * 3)
    rows = left_out.read().query("size == 'd'").set_index("value")
    assert 50 < rows.loc[2, "seconds"] / rows.loc[1, "seconds"] < 500
    steps = left_out.read().query("size == 'H'")
    assert dict(steps.groupby("value").size()) == left_out.STEPS


def test_a_reason_says_the_recorded_runs() -> None:
    (_, _, _, controls), (_, _, _, steps) = left_out.reasons()
    assert controls.startswith("left out: with two controls a user takes ")
    table = left_out.read().query("size == 'H' and value == 6")
    never = int(np.isinf(table["users"]).sum())
    assert f"at H = 6 {never} of {len(table)} runs of 200,000 users had not learnt" in steps
