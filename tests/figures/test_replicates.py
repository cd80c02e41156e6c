"""Every committed table has as many replicates as the rule asks for, or its page says why not."""

from collections.abc import Iterable

import pandas as pd
import pytest

from figures import (
    costs,
    identifiers,
    instances,
    left_out,
    measured,
    plans,
    registry,
    replicates,
    runs,
    user_cases,
)
from figures.replicates import RunKind
from reproduce import making

PAGE = (making.ROOT / "docs" / "measure.md").read_text("utf-8")
EVERY_KIND = replicates.every()
RIVER = "vietri2020/riverswim-3-relabelled"


def test_every_table_has_as_many_replicates_as_the_rule_asks_for_or_a_reason() -> None:
    assert replicates.broken(EVERY_KIND) == []


@pytest.mark.parametrize(
    ("played", "count", "good"),
    [
        (10**6, 31, False),  # a second
        (10**6, 32, True),
        (10**7, 8, True),  # several
        (10**7, 7, False),
        (10**7, 2, False),
    ],
)
def test_a_table_with_too_few_is_refused(played: int, count: int, good: bool) -> None:
    mutant = RunKind("tuned_users", RIVER, "pucb", "tree", played, count)
    assert mutant.enough == good
    few = [kind for kind in EVERY_KIND if kind.table in replicates.FEWER]
    assert replicates.broken([*few, mutant]) == ([] if good else ["tuned_users"])


def test_a_reason_that_is_none_any_more_is_refused() -> None:
    name = next(iter(replicates.FEWER))
    more = [kind._replace(replicates=32) if kind.table == name else kind for kind in EVERY_KIND]
    assert replicates.broken(more) == [name]


def test_a_table_whose_replicates_are_cut_is_refused() -> None:
    """The walk counts the rows that there are, not what a plan says."""
    table = runs.table("tuned_users")
    cut = table[table["replicate"] < 7]
    assert replicates.broken(
        [*(kind for kind in EVERY_KIND if kind.table != "tuned_users"),
         *replicates.kinds_of(cut, "tuned_users")]
    ) == ["tuned_users"]  # fmt: skip


def test_every_committed_table_is_walked() -> None:
    walked = {kind.table for kind in EVERY_KIND}
    everything = {path.stem for path in runs.TABLES.glob("*.csv")}
    others = {name for name in everything if "replicate" not in runs.table(name).columns}
    assert walked == everything - others - {left_out.ID} and len(walked) > 30


def test_what_has_fewer_than_32_was_timed() -> None:
    for kind in EVERY_KIND:
        if kind.replicates < replicates.ENOUGH:
            assert 0 < kind.seconds < 1000
    with pytest.raises(KeyError, match="not timed"):
        costs.seconds(RIVER, "nobody", 10)


def test_the_plans_are_those_of_the_tables() -> None:
    for name in plans.MEASURED:
        counted: dict[tuple[object, ...], int] = {}
        for setting in plans.MEASURED[name]():
            key = tuple(setting.labels.values())
            counted[key] = counted.get(key, 0) + setting.replicates
        table = runs.table(name)
        rows = table.groupby([*measured.KIND], sort=False, dropna=False).size()
        assert sorted(rows.tolist()) == sorted(counted.values()), name


def said(identifier: str) -> Iterable[pd.DataFrame]:
    """The tables of a figure's data that count users over runs."""
    for table in registry.committed(identifier).values():
        if {"burn_in", "runs"} <= set(table.columns):
            yield table


def test_users_in_the_figures_come_from_eight_runs_or_the_page_names_them() -> None:
    named = replicates.left_out()
    words = " ".join(PAGE.split())
    assert " ".join(replicates.left_out_words().split()) in words
    keys = ("agent", "counter", "calibration", "epsilon", "planned")
    for identifier in identifiers.ids():
        for table in said(identifier):
            few = table[table["runs"] < replicates.LEAST]
            shared = [key for key in keys if key in few.columns]
            for row in few[shared].itertuples(index=False, name=None):
                label = dict(zip(shared, row, strict=True))
                assert any(
                    all(getattr(run, key) == value for key, value in label.items()) for run in named
                ), (identifier, label)


def test_what_is_left_out_takes_minutes() -> None:
    """Runs of which 8 are cheap have no excuse, nor have instances."""
    for run in replicates.left_out():
        assert run.minutes > 1, run
    for case, minutes in replicates.instances_left_out():
        assert minutes > 2, case


def test_every_row_of_the_advice_has_three_instances_or_the_page_says_which_have_not() -> None:
    page = " ".join((making.ROOT / "docs" / "tuned.md").read_text("utf-8").split())
    assert " ".join(replicates.instances_left_out_words().split()) in page
    worlds: dict[tuple[str, str, float], set[str]] = {}
    for row in (*user_cases.CASES, *instances.INSTANCES):
        name = row.problem if isinstance(row, user_cases.UserCase) else row.world.name
        worlds.setdefault((row.family, row.trust, row.epsilon), set()).add(name)
    few = {key for key, names in worlds.items() if len(names) < 3}
    named = {(case.family, case.trust, case.epsilon) for case, _ in replicates.instances_left_out()}
    assert few == named
