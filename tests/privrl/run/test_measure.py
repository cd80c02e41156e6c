"""Users before learning: learners whose answer is known, and intervals that cover."""

import math

import numpy as np
import pytest
from scipy.stats import binom, nhypergeom

from privrl.checkpoints import A_DECADE
from privrl.environments import LQSystem, planning, suite
from privrl.run import measure
from privrl.types import FloatArray, Run

PLANNED = 10**5
MARKS = measure.marks(PLANNED)
RIVER = suite.tabular("vietri2020/riverswim-3-relabelled")
FALSE_ALARM = 1e-7


def _regret(rates: FloatArray) -> FloatArray:
    """Cumulative regret at the checkpoints, of users that lose ``rates`` (R, planned)."""
    return np.cumsum(np.atleast_2d(rates), axis=1)[:, MARKS - 1]


def _first(rates: FloatArray, lost: float = 1.0) -> list[float]:
    return measure.first_users(MARKS, _regret(rates), lost).tolist()


USERS = np.arange(1, PLANNED + 1)


@pytest.mark.parametrize("change", [1, 2, 7, 100, 631, 5_000, 50_000, 89_000])
def test_a_learner_that_changes_at_a_user_is_dated_there(change: int) -> None:
    (first,) = _first(np.where(change <= USERS, 0.0, 1.0))
    assert change <= first <= max(change + 1, 1.07 * change)


def test_a_window_that_loses_exactly_half_is_there_however_its_sums_were_rounded() -> None:
    """Two processors sum regret otherwise by a last bit, and date the same run alike."""
    marks = measure.marks(1000)
    half = np.minimum(marks, 100) + 0.5 * np.maximum(marks - 100, 0.0)  # a user loses 1, then half
    users = [measure.first_users(marks, [half * (1 + last)], 1.0)[0] for last in (-1e-15, 0, 1e-15)]
    assert users[0] == users[1] == users[2] < 150
    assert math.isinf(measure.first_users(marks, [half * (1 + 1e-8)], 1.0)[0])


def test_one_that_never_learns_is_infinite() -> None:
    late = np.where(USERS > 0.95 * PLANNED, 0.0, 1.0)  # too late: most of the last fifth is lost
    assert _first(np.stack([np.ones(PLANNED), np.full(PLANNED, 0.51), late])) == [math.inf] * 3
    assert _first(np.full(PLANNED, 0.499)) == [1.0]


def test_one_that_forgets_is_dated_by_what_stays() -> None:
    forgets = np.where((USERS > 100) & (USERS <= 10_000), 0.0, 1.0)
    again = np.where((USERS > 100) & (USERS <= 10_000) | (USERS > 20_000), 0.0, 1.0)
    first = _first(np.stack([forgets, again]))
    assert first[0] == math.inf and 20_000 < first[1] <= 21_400


def test_an_agent_that_knows_the_rewards_is_held_against_play_that_does() -> None:
    mixture = suite.environment("liao2021/mixture-2")
    table = mixture.tabular()
    known, unknown = (measure.reference(mixture, name) for name in ("ldp-ucrl-vtr", "linopt-vi"))
    assert unknown == planning.uniform_regret(table)
    best = float(table.initial @ planning.optimal(table)[0][0])
    assert known == best - planning.value(table, planning.blind_policy(table))
    assert known / unknown > 1.2 or known / unknown < 0.8  # here it matters
    # half-way between the halves of both: learnt by the one measure and not by the other
    rate = (known + unknown) / 4
    regret = rate * MARKS[None].astype(np.float64)
    for agent, lost in (("ldp-ucrl-vtr", known), ("linopt-vi", unknown)):
        run = Run("made", agent, "none", "tight", math.inf, 0.1, PLANNED, 0, MARKS, regret)
        assert (measure.users(run, mixture).median == 1) == (rate <= lost / 2)
    scalar = suite.environment("chowdhury2021/scalar")
    assert isinstance(scalar, LQSystem)
    assert measure.reference(scalar, "ofu-rl") == planning.lq_regret(
        scalar, planning.lq_zero(scalar)
    )


def test_blind_play_knows_the_rewards_of_the_last_step_and_nothing_else() -> None:
    policy = planning.blind_policy(RIVER)
    assert (policy[:-1] == 1 / RIVER.actions).all()
    assert (
        (policy[-1] > 0) <= (RIVER.rewards[-1] == RIVER.rewards[-1].max(1, keepdims=True))
    ).all()
    np.testing.assert_allclose(policy.sum(axis=-1), 1)


@pytest.mark.parametrize("replicates", [1, 2, 5, 6, 8, 10, 32, 100, 2000])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.975])
def test_ranks_have_the_level_and_no_narrower_ones_do(replicates: int, level: float) -> None:
    low, high = measure.ranks(replicates, level)
    assert low + high == replicates + 1 and low >= 0
    assert 1 - 2 * binom.cdf(low - 1, replicates, 0.5) >= level - 1e-12
    assert 1 - 2 * binom.cdf(low, replicates, 0.5) < level


def test_too_few_replicates_have_no_interval() -> None:
    assert measure.Users(np.array([3.0, 4.0, 5.0, 6.0, 7.0])).interval() == (1, math.inf)
    assert measure.Users(np.array([3.0, 4.0, 5.0, 6.0, 7.0, 8.0])).interval() == (3, 8)


@pytest.mark.parametrize("replicates", [6, 8, 10, 32])
def test_intervals_of_a_thousand_synthetic_sets_cover(replicates: int) -> None:
    """Log-normal users of which those beyond 2.5 times the median have not learnt by the end."""
    rng, median, missed, narrower = np.random.default_rng(replicates), 1000.0, 0, 0
    low, _ = measure.ranks(replicates)
    for _ in range(1000):
        users = median * np.exp(rng.standard_normal(replicates))
        summary = measure.Users(np.where(users > 2.5 * median, math.inf, np.maximum(users, 1)))
        least, most = summary.interval()
        missed += not least <= median <= most
        narrower += not summary.first[low] <= median <= summary.first[replicates - 1 - low]
    most_missed = binom.isf(FALSE_ALARM, 1000, 1 - measure.LEVEL)
    assert missed <= most_missed
    if replicates == 6:  # the mutant: an interval one rank narrower
        assert narrower > most_missed


@pytest.mark.parametrize(("size", "others"), [(32, 32), (16, 16), (32, 8)])
def test_medians_of_other_seeds_fall_where_they_should(size: int, others: int) -> None:
    """Continuous laws, and laws with few values: 399 of 400 at least; three ranks narrower is too
    few."""
    low, high = measure.again_ranks(size, others)
    assert low + high == size + 1 and low >= 1
    rng, total = np.random.default_rng(size), 20_000
    old = np.sort(1 + rng.exponential(size=(total, size)), axis=1)
    new = np.sort(1 + rng.exponential(size=(total, others)), axis=1)
    middle = new[:, (others + 1) // 2 - 1]
    least_missed = binom.isf(FALSE_ALARM, total, (1 - measure.AGAIN) / 2)
    assert (middle < old[:, low - 1]).sum() <= least_missed
    assert (middle < old[:, low + 2]).sum() > least_missed
    coarse = measure.Users(np.full(size, 7.0))
    assert coarse.again(others) == (7.0, 7.0)
    assert measure.Users(old[0]).again(others)[0] == old[0, low - 1]


@pytest.mark.parametrize(("size", "others"), [(32, 32), (16, 16), (32, 16), (64, 8)])
def test_ranks_of_other_medians_are_those_of_a_negative_hypergeometric_law(
    size: int, others: int
) -> None:
    """So many of the others before the l-th of the first."""
    low, _ = measure.again_ranks(size, others)

    def outside(rank: int) -> float:
        law = nhypergeom(size + others, others, rank)
        return 2 * float(law.sf((others + 1) // 2 - 1))

    assert outside(low) <= 1 - measure.AGAIN < outside(low + 1)


def test_too_few_replicates_say_nothing_of_others() -> None:
    assert measure.again_ranks(8, 8) == (0, 9)
    few = measure.Users(np.arange(2.0, 10.0), 1.25)
    assert few.again(8) == (1, math.inf) and few.whole == (1.6, 11.25)


@pytest.mark.slow
def test_the_median_does_not_move_with_the_number_of_replicates() -> None:
    rng = np.random.default_rng(7)
    law = 1000 * np.exp(rng.standard_normal(4096))
    few, many = (measure.Users(law[:count]) for count in (32, 4096))
    low, high = few.interval()
    assert low < many.median < high and many.interval()[1] / many.interval()[0] < high / low


def test_a_summary_says_the_range_and_who_never_got_there() -> None:
    summary = measure.Users(np.array([*range(1, 20), math.inf], dtype=np.float64))
    assert (summary.median, summary.range, summary.never) == (10.5, (2, 19), 1)
    half = measure.Users(np.array([2.0, 3.0, math.inf, math.inf]))
    assert half.median == math.inf and half.never == 2
    with pytest.raises(ValueError, match="first user of each replicate"):
        measure.Users(np.array([0.0]))


def test_an_interval_is_a_checkpoint_longer_at_both_ends() -> None:
    ten = np.full(10, 1000.0)
    assert measure.Users(ten).interval() == (1000, 1000)
    assert measure.Users(ten, 1.25).interval() == (800, 1250)
    assert measure.ratio(measure.Users(ten, 1.25), measure.Users(ten / 10, 1.25)) == (
        10,
        6.4,
        15.625,
    )


def test_a_ratio_of_medians_is_between_the_ends_of_both_intervals() -> None:
    more = measure.Users(np.arange(100.0, 132.0))
    fewer = measure.Users(np.arange(10.0, 42.0))
    value, low, high = measure.ratio(more, fewer)
    (a, b), (c, d) = more.interval(0.975), fewer.interval(0.975)
    assert (value, low, high) == (more.median / fewer.median, a / d, b / c)
    assert more.interval(0.975)[0] <= more.interval(0.95)[0]
    never = measure.Users(np.full(8, math.inf))
    value, low, high = measure.ratio(never, fewer)
    assert value == low == high == math.inf
    assert math.isnan(measure.ratio(never, never)[0])


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        ((123.0, 456.0), (120, 460)),
        ((1200.0, 46_000.0), (1200, 46_000)),
        ((0.0129, 9.91), (0.012, 10)),
    ],
)
def test_ends_are_rounded_outward(ends: tuple[float, float], expected: tuple[float, float]) -> None:
    assert measure.outward(*ends) == pytest.approx(expected, rel=1e-12)
    assert measure.outward(*ends)[0] <= ends[0] and measure.outward(*ends)[1] >= ends[1]


def test_marks_are_fifty_a_decade_and_the_end() -> None:
    assert MARKS[0] == 1 and MARKS[-1] == PLANNED
    assert (np.diff(np.log10(MARKS[MARKS >= 100])) < 1.3 / A_DECADE).all()
    with pytest.raises(ValueError, match="increase"):
        measure.first_users([2, 1], [[1.0, 2.0]], 1.0)


def test_every_relabelled_entry_discriminates_and_the_plain_river_does_not() -> None:
    discriminating = {
        name: measure.is_discriminating(suite.tabular(name))
        for name in suite.ids()
        if not name.startswith("chowdhury")
    }
    assert all(does for name, does in discriminating.items() if name.endswith("-relabelled"))
    assert discriminating["zhou2022/mixture-2"]
    plain = ("liao2021/riverswim-3", "zhou2022/riverswim-3", "vietri2020/riverswim-3")
    assert not any(discriminating[name] for name in (*plain, "vietri2020/hard-2-2"))


@pytest.mark.parametrize(
    ("first", "words"),
    [
        ([math.inf], "has not learnt"),
        ([math.inf, math.inf], "has not learnt in 2 of 2 runs"),
        ([1234.0], "has learnt from user 1,234 on"),
        ([10.0, 30.0], "has learnt from user 20 on (median of 2 runs)"),
        ([10.0] * 6 + [30.0], "has learnt from user 10 on (median of 7 runs; 95 %: 10 to 30)"),
        (
            [10.0] * 6 + [math.inf],
            "has learnt from user 10 on (median of 7 runs; 95 %: 10 to inf; 1 never)",
        ),
        ([10.0, math.inf, math.inf], "has not learnt in 2 of 3 runs"),
    ],
)
def test_the_words_are_those_of_the_replicates(first: list[float], words: str) -> None:
    assert measure.words(measure.Users(np.array(first))) == words
