"""Users by whom they trust: the measured rows are what their first replicates give again, and the
page says them."""

import collections
import contextlib
import io
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from figures import between_users, user_cases
from figures import users as advice
from figures.style import number
from privrl import PrivateUCBVI
from privrl.environments import suite
from privrl.horizon import held_back, scaling, trust
from privrl.privacy.counters import mechanisms, secure, shuffle
from privrl.run import measure
from privrl.types import Guarantee

PAGE = Path(__file__).parents[3] / "docs" / "trust.md"
OWN_NOISE = (trust.RIVER, "local", 1.0)
PAIRS = [row for row in trust.MEASURED_USERS if row.counter == "secure"]
PLANNED = 10**6


@pytest.mark.slow
@pytest.mark.parametrize("row", [PAIRS[1]], ids=lambda row: row.counter)
def test_a_replicate_played_again_is_near_the_median(row: trust.Trusted) -> None:
    (first,) = row.measure(1).first
    # a draw of 32 is within half and twice their median: the widest are 1.3 apart
    assert row.median / 2 <= first <= row.median * 2


@pytest.mark.long
@pytest.mark.parametrize("row", PAIRS, ids=lambda row: f"{row.problem}-{row.epsilon:g}")
def test_rows_played_again_are_what_is_written(row: trust.Trusted) -> None:
    for again in (row, between_users.twin(row)):
        assert again is not None
        users = again.measure()
        low, high = users.interval()
        assert (again.median, again.low, again.high) == (
            round(users.median),
            math.floor(low),
            math.ceil(high),
        )


def test_a_secure_sum_takes_little_more_than_a_trusted_tree() -> None:
    words = " ".join(PAGE.read_text("utf-8").split())
    first = between_users.ratio(PAIRS[0])
    assert first is not None
    least, most = measure.outward(*first[1:])
    assert f", {first[0]:.1f} times as many ({least:g} to {most:g}). The rows below" in words
    assert PAIRS[0].problem == trust.MEASURED_USERS[0].problem == OWN_NOISE[0]
    for row in PAIRS:
        times = between_users.ratio(row)
        assert times is not None and times[1] <= times[0] <= times[2]
        # noise is 1.08 times the tree's and widths 1.15: less than the square of both
        assert 1 < times[0] < (1.08 * 1.15) ** 2
    by_batch = {row.every: row for row in trust.MEASURED_USERS if row.counter == "shuffle"}
    assert by_batch[10**5].high < by_batch[10**4].low
    assert all(between_users.ratio(row) is None for row in by_batch.values())


def test_what_own_noise_takes_is_the_advice_s() -> None:
    words = " ".join(PAGE.read_text("utf-8").split())
    (case,) = (
        case for case in user_cases.CASES if (case.problem, case.trust, case.epsilon) == OWN_NOISE
    )
    runs = advice.counted()[case]["tight"]
    assert runs.setting.world == trust.RIVER
    size, never = runs.users.first.size, runs.users.never
    assert (
        f"own noise takes {number(runs.users.median, 2)}: the median of {size} runs that were "
        f"planned for {number(case.planned, 2)}, of which {never} had not learnt" in words
    )
    # of another plan: by the visits that one needs
    agent = PrivateUCBVI(case.epsilon, scaling.DELTA, counter="local")
    world: Any = suite.environment(runs.setting.world)
    now, later = (scaling.visits(agent, world, case.planned * times) for times in (1, 10))
    assert (
        f"planned for {number(10 * case.planned, 2)} it is {later / now:.1f} times as many "
        f"(`privrl.horizon.scaling.visits`), which makes "
        f"{number(runs.users.median * later / now, 2)} of {number(runs.users.median, 2)}" in words
    )


def test_one_problem_is_compared_under_all_four() -> None:
    words = " ".join(PAGE.read_text("utf-8").split())
    rows, own = between_users.by_problem()[0]
    assert {row.counter for row in rows} == {"tree", "secure", "shuffle"} and own is not None
    assert {(row.problem, row.epsilon) for row in rows} == {(trust.RIVER, 1.0)}
    assert own.setting.world == trust.RIVER and own.setting.labels["epsilon"] == 1.0
    assert f"at epsilon 1 (`{trust.RIVER}`, the first rows)" in words
    tree, shared, mixed = rows[:3]
    assert tree.planned == shared.planned and mixed.planned == own.setting.planned
    ends = {row: measure.outward(row.low, row.high) for row in rows}
    low, high = ends[tree]
    assert (
        f"Planned for {number(float(tree.planned), 2)} users, a trusted tree takes "
        f"{number(low, 2)} to {number(high, 2)}, and a secure sum of which "
        f"{secure.HONEST_OF_NODE:.0%} are counted on to be honest and {secure.DROPOUTS:.0%} drop "
        "out ".replace("%", " %")
        + "{} to {} (each".format(*(number(x, 2) for x in ends[shared]))
        in words
    )
    low, high = ends[mixed]
    assert (
        f"planned for {number(float(mixed.planned), 2)}, batches of {mixed.every:,} behind a "
        f"shuffler take {number(low, 2)} to {number(high, 2)}, and own noise" in words
    )
    table = between_users.markdown().splitlines()[2:]
    assert len(table) == len(between_users.commands().splitlines()) - 2
    assert sum("own noise" in line for line in table) == 3
    for line, command in zip(table, between_users.commands().splitlines()[1:-1], strict=True):
        assert ("own noise" in line) == ("--counter local" in command)


def usual(users: int) -> float:
    """Mean of (n - d) / m over drop-outs: the variance of a node over a trusted tree's."""
    law = stats.binom(users, secure.DROPOUTS)
    spread = 12 * math.sqrt(users * secure.DROPOUTS) + 12
    most = min(users * secure.DROPOUTS + spread, users, secure.tolerated(users, PLANNED))
    numbers = np.arange(max(0, math.floor(users * secure.DROPOUTS - spread)), math.floor(most) + 1)
    ladder = secure.rungs(users, PLANNED)
    counted_on = [
        ladder[secure.handed_out(users, int(number), PLANNED) - 1].shares for number in numbers
    ]
    return float((law.pmf(numbers) * (users - numbers) / np.array(counted_on)).sum())


def test_what_small_nodes_cost_is_said_on_the_page() -> None:
    words = " ".join(PAGE.read_text("utf-8").split())
    few, many = secure.rungs(16, PLANNED), secure.rungs(1024, PLANNED)
    assert f"of 16 users {few[-1].dropped} drop-outs, after which two shares" in words
    assert few[-1].shares == 2 and f"of 1,024 users {many[-1].dropped}." in words
    sizes = [2**level for level in range(PLANNED.bit_length())]
    single = [users / secure.rungs(users, PLANNED)[-1].shares for users in sizes]
    assert f"a node of 16 users {single[4]:g} times the noise" in words
    assert f"all together {math.sqrt(np.mean(single)):.2f} times the standard deviation" in words
    assert f"add 16 / {few[0].shares} times the noise" in words
    assert max(secure.excess(users, PLANNED) for users in sizes) <= 2
    honest = secure.HONEST_OF_NODE * (1 - secure.DROPOUTS)
    noise = math.sqrt(np.mean([usual(users) for users in sizes]))
    widths = mechanisms.counter_error("secure", PLANNED) / mechanisms.counter_error("tree", PLANNED)
    assert f"is {noise:.3f} times the tree's, and {1 / math.sqrt(honest):.3f} is the least" in words
    assert f"proved for {widths:.2f} times" in words
    assert "nine at most" in words and secure.PARTS == 9


def test_the_held_back_answers_are_counted_where_they_are_told() -> None:
    words = " ".join((PAGE.parent / "your-problem.md").read_text("utf-8").split())
    rows = held_back.HELD_BACK
    wrong = collections.Counter(row.counter for row in rows if row.first > row.users)
    over = {
        counter: [row for row in rows if row.counter == counter] for counter in ("blt", "smooth")
    }
    assert (
        f"of {len(over['blt'])} such answers over `blt`, on worlds with other seeds and kinds, "
        f"exactly at that number, one was wrong, and of {len(over['smooth'])} over `smooth` one"
    ) in words
    assert wrong == {"blt": 1, "smooth": 1} and len(rows) == sum(map(len, over.values()))
    assert f"from {scaling.SAFE:g} times the most" in words


def test_the_page_says_how_many_have_to_be_honest() -> None:
    """In its table, and where it says what drop-outs leave."""
    words = PAGE.read_text("utf-8")
    shares = re.findall(r"floor\((0\.\d) n\)", words)
    assert len(shares) >= 3 and set(map(float, shares)) == {secure.HONEST_OF_NODE}
    assert f"{10 * shuffle.HONEST_OF_BATCH:g} of 10 users of a batch follow the protocol" in words


@pytest.mark.slow
def test_the_programs_of_the_page_run_as_they_stand() -> None:
    """Of the sessions what is guaranteed is real."""
    programs = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert len(programs) == 3
    for code in programs:
        namespace: dict[str, Any] = {}
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(code, namespace)
        source = namespace["session" if "session" in namespace else "plan"]
        assert isinstance(source.guarantee, Guarantee)
        # behind a shuffler it is that of a message
        most = namespace["one"].epsilon if "one" in namespace else 1.0
        assert 0.9 * most < source.guarantee.epsilon <= most
        assert "Guarantee(epsilon=" in out.getvalue()
