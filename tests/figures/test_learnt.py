"""Users of the long runs, counted on more replicates: the same runs, none of which forgets."""

import dataclasses
import re

import numpy as np
import pandas as pd
import pytest

from figures import instances, learnt, linear_runs, measured, registry, style
from figures import users as advice
from figures.across import found_users, successors_regret, tuned_training
from figures.chowdhury2021 import counters as chowdhury2021_counters
from figures.chowdhury2021 import regret as chowdhury2021_regret
from figures.liao2021 import joint as liao2021_joint
from figures.liao2021 import learning as liao2021_learning
from figures.vietri2020 import counters as vietri2020_counters
from figures.vietri2020 import regret as vietri2020_regret
from figures.zhou2022 import counters as zhou2022_counters
from figures.zhou2022 import local as zhou2022_local
from figures.zhou2022 import regret as zhou2022_regret
from privrl.environments import suite
from privrl.run import measure
from privrl.types import Run

LONG = {
    "vietri2020": (vietri2020_regret.ID, vietri2020_counters.ID, successors_regret.ID),
    "zhou2022": (zhou2022_regret.ID, zhou2022_counters.ID, zhou2022_local.ID),
    "chowdhury2021": (chowdhury2021_regret.ID, chowdhury2021_counters.ID),
    "liao2021": (liao2021_learning.ID, liao2021_joint.ID),
}
PAPERS = tuple(LONG)


def long_run(paper: str, setting: measured.MeasuredRuns) -> Run:
    """The long run of the same kind."""
    key = tuple(setting.labels[name] for name in learnt.KEY)
    (run,) = (
        run
        for name in LONG[paper]
        for run in linear_runs.read_runs(name)
        if run.id == setting.world and tuple(getattr(run, part) for part in learnt.KEY) == key
    )
    return run


def differ(rows: pd.DataFrame, run: Run) -> bool:
    """Whether the replicates that both have lost otherwise up to 10, 100, .. users."""
    both = min(len(rows), len(run.regret))
    marks = [mark for mark in measured.DECADES if mark <= rows["played"].iloc[0]]
    mine = rows.head(both)[[str(mark) for mark in marks]].to_numpy(dtype=float)
    long = run.regret[:both, np.isin(run.episodes, marks)]
    return not np.allclose(mine, long, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("paper", PAPERS)
def test_the_first_replicates_are_those_of_the_long_runs(paper: str) -> None:
    table = measured.read(learnt.table_name(paper))
    assert len(table) == sum(setting.replicates for setting in learnt.settings(paper))
    for setting in learnt.settings(paper):
        rows, run = measured.rows_of(table, setting), long_run(paper, setting)
        assert len(rows) == setting.replicates
        assert not differ(rows, run)
        # the twin that must be told apart; nothing tells runs apart that play blindly throughout
        assert differ(rows.iloc[::-1], run) or np.ptp(rows["regret"]) <= 1e-8 * rows["regret"].max()


@pytest.mark.parametrize("paper", PAPERS)
def test_who_has_learnt_does_not_forget_in_the_long_run(paper: str) -> None:
    """Also by the ten checkpoints a decade of the long run it has learnt before the short one ends.
    One that plays uniformly afterwards has not: the twin that must fail."""
    table = measured.read(learnt.table_name(paper))
    for setting in learnt.settings(paper):
        rows, run = measured.rows_of(table, setting), long_run(paper, setting)
        lost = measure.reference(setting.made, setting.agent.name)
        dates = measure.first_users(run.episodes, run.regret, lost)
        if np.isinf(dates).all():  # none learns, and none is ended before the long run is
            assert setting.played == run.episodes[-1] and np.isinf(rows["users"]).all()
            continue
        assert np.isfinite(rows["users"]).all()
        assert (dates <= setting.played).all()
        later = np.clip(run.episodes - setting.played, 0, None) * lost
        forgetful = measure.first_users(run.episodes, run.regret + later, lost)
        assert run.episodes[-1] == setting.played or (forgetful > setting.played).all()


def test_a_kind_with_an_interval_has_six_replicates_or_more() -> None:
    for paper in learnt.WORLDS:
        for counted in learnt.every(paper).values():
            low, high = counted.interval()
            assert (counted.first.size >= 6 and low > 1) or counted.median < 10
            assert high >= counted.median


def test_what_is_in_no_table_is_counted_on_its_own_replicates_and_says_so() -> None:
    first = next(
        run
        for run in vietri2020_regret.long_runs()
        if (run.epsilon, run.calibration) == (1, "tight")
    )
    run = dataclasses.replace(first, delta=0.5)  # no such run was played on others
    row = pd.Series(dict(zip(learnt.COLUMNS.split(), learnt.numbers(run), strict=True)))
    assert (row["runs"], row["burn_in_low"], row["burn_in_high"]) == (4, 1, np.inf)
    assert learnt.users_words(row).endswith(" (4 runs)")
    assert learnt.users_words(row.replace(row["burn_in"], np.inf)).startswith("not learnt")
    assert learnt.users(first).first.size == learnt.FEW
    printed = next(
        run
        for run in vietri2020_regret.long_runs()
        if (run.epsilon, run.calibration) == (1, "printed")
    )
    own = learnt.users(printed)
    # a checkpoint every hundredth of what is planned, and the replicates learn after 40 of them
    assert own.first.size == len(printed.regret) == 8 and 1 / 45 < own.step - 1 < 1 / 30


@pytest.mark.slow
@pytest.mark.parametrize("paper", PAPERS)
def test_a_replicate_comes_out_again(paper: str) -> None:
    setting = min(learnt.settings(paper), key=lambda runs_: runs_.played)
    rows = measured.rows_of(measured.read(learnt.table_name(paper)), setting)
    before = rows[rows["replicate"] == setting.replicates - 1].iloc[0]
    fresh = setting.row(setting.replicates - 1)
    np.testing.assert_allclose(fresh[9:], before.to_numpy()[9:].astype(float), rtol=1e-9)


def test_regret_ranks_as_users_do_in_every_row_of_the_advice() -> None:
    for kinds in advice.counted().values():
        for first, second in (("tight", "printed"), ("tuned", "twin")):
            if first in kinds and second in kinds:
                lost, _ = advice.shares(kinds[first], kinds[second])
                users = [kinds[kind].users.median for kind in (first, second)]
                assert (lost[0] < lost[1]) == (users[0] < users[1])


def test_on_further_instances_narrowed_runs_fail_with_own_noise_alone() -> None:
    failed = {row.trust for row, kinds in instances.counted() if kinds["tuned"].users.never}
    assert failed == {"local"}


def test_further_instances_are_neither_trained_on_nor_in_the_advice() -> None:
    trained = {linear_runs._hash(source.mdp) for source in tuned_training.sources()}
    further = {linear_runs._hash(row.world): row.family for row in instances.INSTANCES}
    assert not trained & set(further)
    for family in ("linear", "known", "lq"):
        assert list(further.values()).count(family) == 2  # and the one of the advice
    assert linear_runs._hash(suite.environment("zhou2022/mixture-2")) not in further


def said(more: measure.Users, fewer: measure.Users) -> str:
    """A ratio as captions say it."""
    middle, _, ends = measured.ratio_words(measure.ratio(more, fewer)).partition(" ")
    return f"about {middle} {ends} times"


def test_captions_have_the_ratios_of_equal_plans_with_their_intervals() -> None:
    mixture, scalar = (learnt.every(paper) for paper in ("zhou2022", "chowdhury2021"))
    river = learnt.every("vietri2020")
    for module, counted, agent, sizes in (
        (zhou2022_counters, mixture, "linopt-vi", (1.0, 1e-6, 10**6)),
        (chowdhury2021_counters, scalar, "private-ofu-rl", (10.0, 1e-6, 5 * 10**6)),
    ):
        pair = (counted[agent, "tree", "printed", *sizes], counted[agent, "blt", "tight", *sizes])
        caption = " ".join(module.CAPTION.split())
        assert said(*pair) in caption and said(*pair[::-1]) not in caption
    printed = river["pucb", "tree", "printed", 10.0, 0.0, 10**7]
    tight = river["pucb", "blt", "tight", 10.0, 1e-6, 10**7]
    words = found_users.sides("vietri2020")
    assert said(words[0].users, words[1].users) in " ".join(vietri2020_counters.CAPTION.split())
    assert printed.first.size >= words[0].users.first.size and tight.first.size == 32


def test_the_caption_of_the_successors_has_the_table_s_users() -> None:
    key = ("private-ucbvi", "blt", "tight", 1.0, 1e-6, successors_regret.PLANNED)
    users = learnt.every("vietri2020")[key]
    low, high = measure.outward(*users.interval())
    caption = " ".join(successors_regret.CAPTION.split())
    assert f"about {style.number(users.median, 2)} users" in caption
    assert (
        f"(95 %: {style.number(low, 2)} to {style.number(high, 2)}, {users.first.size} replicates)"
        in caption
    )


def test_captions_say_how_many_runs_their_users_are_counted_on() -> None:
    said = {
        "vietri2020_learning",
        "vietri2020_horizon",
        "vietri2020_counters",
        "successors_regret",
        "chowdhury2021_learning",
        "chowdhury2021_counters",
        "zhou2022_learning",
        "zhou2022_counters",
        "zhou2022_local",
        "zhou2022_horizon",
        "liao2021_learning",
        "liao2021_horizon",
    }
    for identifier in said:
        caption = registry.figure(identifier).caption
        (table,) = (
            table
            for table in registry.committed(identifier).values()
            if {"burn_in", "runs"} <= set(table.columns)
        )
        for runs_ in set(table["runs"]):
            assert re.search(rf"\b{runs_:.0f}\b", caption), (identifier, runs_)
        assert not re.search(r"\b19\b", caption)  # the twin: no such number of runs
