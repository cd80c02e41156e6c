"""Profiles: a shorter one makes rows of the committed table and nothing else, and a changed digit
is seen."""

import dataclasses
from pathlib import Path

import pytest

from figures import linear_runs, profiles, runs
from privrl.agents.linear.linopt_vi import LinOptVI
from privrl.environments import mixture
from privrl.run.sweep import RunPlan
from tests.contracts import refused

PLAN = RunPlan(
    "vietri2020/riverswim-3-relabelled",
    calibration="tight",
    epsilon=100.0,
    episodes=2000,
    replicates=3,
)
SHORT = profiles.Profile("short", 300, 2)


def test_a_profile_ends_runs_earlier_and_plans_them_the_same() -> None:
    cut = SHORT.cut(PLAN)
    assert (cut.planned, cut.last, cut.replicates, cut.build_agent()) == (
        2000,
        300,
        2,
        PLAN.build_agent(),
    )
    assert profiles.PROFILES["full"].cut(PLAN) == dataclasses.replace(PLAN, stop_after=2000)
    assert profiles.PROFILES["paper"].cut(PLAN).replicates == 3
    assert [SHORT.has(planned, index) for planned, index in ((300, 1), (301, 0), (1, 2))] == [
        True,
        False,
        False,
    ]
    assert profiles.PROFILES["full"].has(10**12, 10**6)
    assert profiles.current().name == "full"
    assert (
        refused(lambda: profiles.profile("fast"))
        == "profile must be one of quick, paper, full, got profile='fast'"
    )


@pytest.fixture
def tables(tmp_path: Path) -> tuple[Path, Path]:
    """The whole table, and its beginning."""
    complete, short = tmp_path / "whole.csv", tmp_path / "short.csv"
    runs.recompute([PLAN], complete)
    with profiles.using(SHORT):
        runs.recompute([PLAN], short)
    return complete, short


def test_a_short_table_is_the_beginning_of_the_whole_one(tables: tuple[Path, Path]) -> None:
    complete, short = tables
    full = profiles.PROFILES["full"]
    few, many = (path.read_text("utf-8").splitlines() for path in tables[::-1])
    assert (len(few), len(many)) == (1 + 2, 1 + 3)
    assert 10 < few[0].count(",") < many[0].count(",")
    assert (
        profiles.difference(short, complete, SHORT)
        == profiles.difference(complete, complete, full)
        == ""
    )
    assert profiles.difference(short, complete, full).startswith("line ")
    assert profiles.difference(complete, short, SHORT).startswith("line ")
    assert (
        profiles.difference(short, short.with_name("none.csv"), SHORT) == "made, but not committed"
    )
    lines = short.read_text("utf-8").splitlines(keepends=True)
    digit = lines[-1][-2]
    for number, changed in (
        (len(lines), [*lines[:-1], lines[-1][:-2] + str((int(digit) + 1) % 10) + "\n"]),
        (3, [lines[0], lines[2], lines[1], *lines[3:]]),
    ):
        short.write_text("".join(changed), "utf-8")
        assert profiles.difference(short, complete, SHORT).startswith(
            f"line {number} is not in the committed table"
        )
    whole_lines = complete.read_text("utf-8").splitlines(keepends=True)
    short.write_text("".join(whole_lines[:-1]), "utf-8")
    assert (
        profiles.difference(short, complete, full)
        == f"{len(whole_lines)} lines committed, {len(whole_lines) - 1} made"
    )


def test_a_wide_table_has_the_whole_runs_of_a_short_profile(tmp_path: Path) -> None:
    """Its rows are runs, and its columns those of the longest: so what is short enough is made
    whole."""
    sources = [linear_runs.Direct(mixture(), LinOptVI(1.0), planned, 3) for planned in (50, 400)]
    complete, short, none = (tmp_path / f"{name}.csv" for name in ("whole", "short", "none"))
    linear_runs.recompute(sources, complete)
    with profiles.using(SHORT):
        linear_runs.recompute(sources, short)
        linear_runs.recompute(sources[1:], none)
        assert (
            linear_runs.read("liao2021_grid", tmp_path).shape
            == linear_runs.read("liao2021_grid").shape
        )
    assert profiles.difference(short, complete, SHORT) == ""
    lines, complete_lines = (path.read_text("utf-8").splitlines() for path in (short, complete))
    assert (
        len(lines) == 1 + 2
        and len(complete_lines) == 1 + 6
        and lines[0] == complete_lines[0]
        and not none.exists()
    )
