"""Users by whom they trust: the measured rows are what their first replicates give again, and the
page says them."""

import math
from pathlib import Path

import pytest

from figures import users as advice
from figures.style import number
from privrl.horizon import held_back, scaling, trust
from privrl.privacy.counters import mechanisms, secure
from privrl.run import measure

PAGE = Path(__file__).parents[3] / "docs" / "trust.md"
OWN_NOISE = (advice.RIVER, "local", trust.EPSILON)
ROWS = {(row.counter, row.every): row for row in trust.MEASURED_USERS}


@pytest.mark.parametrize("row", [trust.MEASURED_USERS[1]], ids=lambda row: row.counter)
def test_a_replicate_played_again_is_near_the_median(row: trust.Trusted) -> None:
    (first,) = row.measure(1).first
    # between the least and the most of nine replicates, by a checkpoint either way
    assert row.low / measure.STEP**2 <= first <= row.high * measure.STEP**2


def test_what_less_trust_costs_is_said_on_the_page() -> None:
    words = " ".join(PAGE.read_text("utf-8").split())
    for row in trust.MEASURED_USERS:
        low, high = measure.outward(row.low, row.high)
        assert f"{float(f'{row.median:.2g}'):,.0f} ({low:,.0f} to {high:,.0f})" in words
    tree, secure = ROWS["tree", 1], ROWS["secure", 1]
    assert secure.planned == tree.planned and f"{secure.median / tree.median:.1f} times" in words
    assert secure.low > tree.high  # apart, at 95 %
    ends = secure.low / tree.high, secure.high / tree.low
    assert f"({ends[0]:.1f} to {ends[1]:.1f} between the ends of the two intervals)" in words
    assert ROWS["shuffle", 10**5].high < ROWS["shuffle", 10**4].low


def test_what_own_noise_takes_is_the_advice_s() -> None:
    words = " ".join(PAGE.read_text("utf-8").split())
    (case,) = (
        case for case in advice.CASES if (case.problem, case.trust, case.epsilon) == OWN_NOISE
    )
    runs = advice.counted()[case]["tight"]
    assert runs.setting.made.name == trust.WORLD.name
    size, never = runs.users.first.size, runs.users.never
    assert (
        f"Own noise takes {number(runs.users.median, 2)}, planned for "
        f"{number(case.planned, 2)}, and {never} of {size} runs had not learnt" in words
    )


def test_what_small_nodes_cost_is_said_on_the_page() -> None:
    words, users = " ".join(PAGE.read_text("utf-8").split()), 10**6
    few, many = secure.shares(16, users), secure.shares(1024, users)
    assert f"of 16 users {secure.tolerated(16, users)} drop-outs must be tolerated" in words
    assert few == 2 and f"of 1,024 users {many}." in words
    assert f"{16 / few:g} times at n = 16 and {1024 / many:.2f} times at n = 1,024" in words
    honest = secure.HONEST_OF_NODE - secure.DROPOUTS
    assert (
        math.floor(16 * secure.DROPOUTS) == 0 and f"were {100 * honest:.0f} of 100 shares" in words
    )
    assert f"the noise would be {1 / math.sqrt(honest):.2f} times a trusted tree's" in words
    assert f"{1 - (1 - secure.DROPOUTS) ** 16:.0%} of such".replace("%", " %") in words
    more = mechanisms.counter_error("secure", users) / mechanisms.counter_error("tree", users)
    assert f"about {more:.1f} times the standard deviation" in words


def test_the_held_back_answers_are_counted_where_they_are_told() -> None:
    words = " ".join((PAGE.parent / "your-problem.md").read_text("utf-8").split())
    rows = held_back.HELD_BACK
    (wrong,) = [row for row in rows if row.first > row.users]
    over = {
        counter: [row for row in rows if row.counter == counter] for counter in ("blt", "smooth")
    }
    assert (
        f"of {len(over['blt'])} such answers over `blt`, on worlds with other seeds and kinds, "
        f"exactly at that number, none was wrong, and of {len(over['smooth'])} over `smooth` one"
    ) in words
    assert wrong.counter == "smooth" and len(rows) == sum(map(len, over.values()))
    assert f"from {scaling.SAFE:g} times the most" in words
