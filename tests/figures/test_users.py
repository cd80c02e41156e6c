"""The runs behind the advice: chosen elsewhere, planned alike, and measured again by the command
beside them."""

import re
from math import inf
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import nhypergeom

from figures import measured, user_cases, user_ratios
from figures import users as advice
from figures.across import advice_users, cheapest_users, found_users, tuned_training
from figures.kinds.tables import where
from privrl.cli import main
from privrl.run import measure
from tests.figures import drawn


def _kinds(family: str, trust: str) -> list[str]:
    """The kinds of training runs of a family's agents that can be advised."""
    environments = {
        "tabular": tuned_training.TABULAR,
        "linear": tuned_training.LINEAR,
        "known": tuned_training.SCALED,
        "lq": tuned_training.LQ,
    }[family]
    counters = {"joint": "blt", "local": "local", "none": "none"}
    return [
        kind
        for kind, made in tuned_training.TUNED_AGENTS.items()
        if made.environments is environments and made.make(1.0, 1.0).counter == counters[trust]
    ]


@pytest.mark.parametrize("place", user_cases.TIGHT, ids=str)
def test_agents_are_those_that_lost_least_on_training_instances(place: tuple[str, str]) -> None:
    scores = drawn(tuned_training.ID, "scores").set_index(["kind", "multiplier"])["share"]
    chosen = drawn(tuned_training.ID, "chosen").set_index("kind")["multiplier"]
    names = _kinds(*place)
    for table, multiplier in (
        (user_cases.TIGHT, dict.fromkeys(names, 1.0)),
        (user_cases.TUNED, chosen),
    ):
        best = min(names, key=lambda kind: scores[kind, multiplier[kind]])
        agent = tuned_training.TUNED_AGENTS[best].make(1.0, 1.0)
        assert (agent.name, agent.counter) == table[place]


def test_the_counter_is_the_one_that_training_chose() -> None:
    for name in ("zhou2022", "vietri2020", "chowdhury2021"):
        assert found_users.CHOSEN[name] == ("tight", "blt")
    assert {
        counter for (_, trust), (_, counter) in user_cases.TIGHT.items() if trust == "joint"
    } == {"blt"}


@pytest.mark.slow
def test_a_replicate_comes_out_again() -> None:
    table = measured.read(advice.ID)
    for place in (1, 10):
        runs = user_cases.CASES[place].runs["tuned"]
        committed = measured.rows_of(table, runs)
        assert len(committed) == runs.replicates
        before = committed[committed["replicate"] == 3].iloc[0]
        np.testing.assert_allclose(runs.row(3)[9:], before.to_numpy()[9:].astype(float), rtol=1e-9)


def test_every_row_says_its_interval_and_its_failures() -> None:
    for kinds in advice.counted().values():
        for runs in kinds.values():
            size = runs.users.first.size
            assert runs.setting.replicates == size
            low, high = runs.ends
            if runs.users.median == inf:
                assert runs.words.startswith("more than") and f"{runs.users.never} of" in runs.words
                continue
            assert low <= runs.users.median <= high
            assert (f"{runs.users.never} of {size} never" in runs.words) == (runs.users.never > 0)
    for kind in ("tight", "tuned"):
        rows = where(advice.frame_of(), kind=kind)
        assert (rows["replicates"] >= user_cases.SOME).sum() >= len(rows) - 2


@pytest.mark.slow
@pytest.mark.parametrize(("place", "seed"), [(10, 0), (12, 901)])
def test_the_printed_command_gives_a_number_inside(place: int, seed: int, tmp_path: Path) -> None:
    case = user_cases.CASES[place]
    runs = advice.counted()[case]["tuned"]
    line = advice.command(runs.setting)
    assert line in advice.commands().splitlines()
    words = line.replace("--seed 1", f"--seed {seed}").split()[1:]
    result = CliRunner().invoke(main, [*words, "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    found = re.search(r"has learnt from user ([\d,]+) on", result.output)
    assert found is not None, result.output
    users = float(found[1].replace(",", ""))
    low, high = runs.again
    assert low <= users <= high
    if seed == 0:  # that of the table
        assert users == round(runs.users.median)


def test_the_advice_is_no_run_with_narrowed_widths() -> None:
    lines, narrow = (drawn(advice_users.ID, name) for name in ("lines", "narrow"))
    assert set(lines["kind"]) == {"printed", "tight"} and set(narrow["kind"]) == {"tuned"}
    assert not lines["calibration"].str.contains("*", regex=False).any()
    assert narrow["calibration"].str.startswith("tight*").all()


def test_a_ratio_has_one_plan_an_interval_or_a_bound() -> None:
    counted = advice.counted()
    river, never, longer = (counted[user_cases.CASES[place]] for place in (2, 1, 16))
    more, fewer = river["printed"], river["tight"]
    ratio, low, high = measure.ratio(more.users, fewer.users)
    words = user_ratios.times_more(more, fewer)
    middle, least, most = (float(end) for end in re.findall(r"[\d.]+(?:e\d+)?", words))
    assert middle == pytest.approx(ratio, rel=0.5 * 10.0 ** (1 - measured.digits(low, high)))
    assert least <= low and high <= most < 1.2 * high
    assert never["printed"].users.median == inf
    bound = float(user_ratios.times_more(never["printed"], never["tight"]).split()[-1])
    exact = never["printed"].setting.played / never["tight"].users.interval()[1]
    assert exact * 0.9 < bound <= exact
    with pytest.raises(ValueError, match="planned for as many"):
        user_ratios.times_more(longer["tight"], fewer)


def test_all_rows_of_a_table_run_again_are_inside_together() -> None:
    """docs/measure.md: 399 times of 400 each, and with at least 95 % all that have 16 replicates or
    more, for each of the three tables; 8 replicates have their range, 12 times of 13. Every row has
    a command with as many replicates as it has."""
    assert measure.AGAIN == 399 / 400
    counted = advice.counted()
    tables = (
        [counted[case]["tight"] for case in advice.advised()],
        [kinds["tuned"] for kinds in counted.values()],
        cheapest_users.counted(),
    )
    for rows in tables:
        outside = 0.0
        for runs in rows:
            size = runs.users.first.size
            assert size == runs.setting.replicates
            low, _ = measure.again_ranks(size, size)
            missed = 2 * float(nhypergeom(2 * size, size, max(low, 1)).sf((size + 1) // 2 - 1))
            if size == user_cases.FEW:
                assert missed == pytest.approx(1 / 13)
                assert runs.ends == (runs.users.first[0], runs.users.first[-1])
                continue
            assert low > 0 and runs.ends == runs.again
            outside += missed
        assert outside <= 0.05
    for line, runs in zip(
        [line for line in advice.commands().splitlines() if line.startswith("privrl")],
        [*tables[0], *tables[1]],
        strict=True,
    ):
        assert f"--replicates {runs.users.first.size} " in line


@pytest.mark.parametrize(
    ("ratio", "words"),
    [
        ((3.14, 2.71, 3.62), "3.1 (2.7 to 3.7)"),
        ((3.14, 1.9, 5.6), "3 (1.9 to 5.6)"),
        ((50.0, 7.95, 174.0), "7.9 to 180"),
        ((3.14, 2.71, inf), "at least 2.7"),
    ],
)
def test_a_ratio_has_as_many_digits_as_its_interval_lets_it(
    ratio: tuple[float, float, float], words: str
) -> None:
    assert measured.ratio_words(ratio) == words
