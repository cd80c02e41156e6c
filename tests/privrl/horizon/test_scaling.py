"""The scaling of users: its factors are what runs of this package need, measured again."""

import math
from pathlib import Path

import numpy as np
import pytest

import privrl
from privrl.environments import planning
from privrl.horizon import scaling
from privrl.horizon.scaling import GAPS, MEASURED_SCALING
from privrl.run import measure, simulate


@pytest.mark.slow
@pytest.mark.parametrize(
    "row",
    [
        pytest.param(
            row,
            id=str(row),
            marks=()
            if row.states <= 3 and row.planned <= 10**5 and row.epsilon == 10
            else pytest.mark.long,
        )
        for row in (*MEASURED_SCALING, *GAPS)
    ],
)
def test_all_rows_are_measured_again(row: scaling.Measured) -> None:
    """The long ones take minutes."""
    users = row.measure()
    assert (users.median, *users.interval()) == pytest.approx(
        (row.users, row.low, row.high),
        rel=0,
        abs=0.006,  # two decimals
    )
    assert users.never == 0


def test_the_factor_of_even_worlds_hardly_depends_on_sizes() -> None:
    low, high = scaling.factors("even")
    assert 0.5 < low < high < 0.9 < scaling.factors("river")[0]
    assert scaling.factors("even", scaling.NARROW)[1] < low / 3
    sizes = {
        (row.states, row.actions, row.horizon) for row in MEASURED_SCALING if row.world == "even"
    }
    assert len(sizes) >= 4
    assert all(measure.is_discriminating(row.mdp) for row in MEASURED_SCALING)
    # a mutant: without H the factors differ by more than their sizes allow
    flat = [
        row.factor * row.horizon
        for row in MEASURED_SCALING
        if row.world == "even" and row.multiplier == 1
    ]
    assert max(flat) / min(flat) > 4 and high / low < 1.6


@pytest.mark.parametrize("counter", ["blt", "local"])
def test_needed_is_where_a_run_planned_for_so_many_has_just_learnt(counter: str) -> None:
    agent, mdp = privrl.PrivateUCBVI(2.0, 1e-6, counter=counter), scaling.even(3, 2, 3)
    users = scaling.needed(agent, mdp, 0.7)
    assert users == pytest.approx(0.7 * scaling.unit(agent, mdp, math.ceil(users)), rel=2e-3)
    assert 0.7 * scaling.unit(agent, mdp, math.ceil(users / 2)) > users / 2
    assert scaling.needed(agent, mdp, 1e30) == math.inf


@pytest.mark.parametrize("every", [1, 100, 1000])
def test_what_a_program_takes_is_of_its_plan_and_of_whole_batches(every: int) -> None:
    agent = privrl.PrivateUCBVI(10.0, 1e-6, counter="blt", calibration="pruned", every=every)
    mdp, planned = scaling.even(3, 2, 3), 10**4 * every
    for factor in scaling.factors("even"):
        users = scaling.until_learnt(agent, mdp, planned, factor)
        visits = factor * scaling.unit(agent, mdp, planned)
        assert users % every == 0 and users >= every
        assert users - every < visits <= users <= planned
        # too few users are planned for: those of a plan that suffices
        few = math.ceil(scaling.needed(agent, mdp, factor) / 2)
        more = scaling.until_learnt(agent, mdp, few, factor)
        assert more >= scaling.needed(agent, mdp, factor) > few
    assert scaling.until_learnt(agent, mdp, planned, 1e30) == math.inf


@pytest.mark.parametrize(
    ("calibration", "every", "planned"),
    [("tight", 1, 10**6), ("pruned", 100, 10**6), ("pruned", 1000, 10**7)],
)
def test_a_run_of_the_plan_learns_within_the_range(
    calibration: str, every: int, planned: int
) -> None:
    """And not within the range of a run that is planned for as many users as it takes, which leaves
    out how many there are to a plan."""
    mdp = scaling.even(3, 2, 3)
    agent = privrl.PrivateUCBVI(10.0, 1e-6, counter="blt", calibration=calibration, every=every)
    last = 4000
    marks = measure.marks(planned)
    marks = marks[marks <= last]
    regret = [
        simulate.replicate(mdp, agent, planned, last, 7, index, marks=marks) for index in range(3)
    ]
    lost = measure.reference(mdp, agent.name)
    users = measure.Users(measure.first_users(marks, np.array(regret), lost)).median
    low, high = (
        scaling.until_learnt(agent, mdp, planned, factor) for factor in scaling.factors("even")
    )
    # dated at a mark, and the plan is of the users before it
    assert low / measure.STEP <= users <= high * measure.STEP + 1
    assert users > scaling.needed(agent, mdp, scaling.factors("even")[1])


def test_visits_are_those_at_which_a_bonus_is_below_what_is_left() -> None:
    agent, mdp = privrl.PrivateUCBVI(2.0, 1e-6, counter="blt"), scaling.even(4, 3, 5)
    calibration, n = agent.calibrate(mdp, 10**5), scaling.visits(agent, mdp, 10**5)

    def best(visits: float) -> float:
        return min(
            (width + factor * math.sqrt(visits + calibration.surplus)) / visits
            for width, factor in zip(calibration.widths, calibration.factors, strict=True)
        )

    assert best(n * 1.001) < 1 < best(n * 0.999)


def test_what_is_outside_is_said_to_be() -> None:
    assert scaling.within(scaling.even(3, 2, 3), 2.0) == (
        "states 2 to 20, actions 2 to 4, horizon 2 to 10, epsilon 1 to 100",
        [],
    )
    for sizes, epsilon, outside in (
        ((3, 2, 3), 1e4, ["epsilon"]),
        ((3, 2, 50), 2.0, ["horizon"]),
        ((30, 5, 3), 2.0, ["states", "actions"]),
    ):
        assert scaling.within(scaling.even(*sizes), epsilon)[1] == outside
    assert MEASURED_SCALING[-1].mdp.name == "riverswim-4-relabelled"


def test_the_gap_of_every_even_world_is_the_one_that_is_said() -> None:
    for row in (*MEASURED_SCALING, *GAPS):
        if row.world == "even":
            assert planning.smallest_gap(row.mdp) == pytest.approx(row.gap, rel=1e-12)
    assert {row.gap for row in MEASURED_SCALING} == {scaling.GAP} and scaling.GAP not in {
        row.gap for row in GAPS
    }


@pytest.mark.parametrize("counter", ["none", "blt", "local"])
@pytest.mark.parametrize("epsilon", [0.1, 10.0, 1e4])
def test_visits_grow_between_the_inverse_of_the_gap_and_its_square(
    counter: str, epsilon: float
) -> None:
    agent = privrl.PrivateUCBVI(epsilon, 1e-6, counter=counter)
    mdp = scaling.even(3, 2, 3)
    calibration, first = agent.calibrate(mdp, 10**5), scaling.visits(agent, mdp, 10**5)
    for gap in (0.9, 0.2, 1e-3):
        n = scaling.visits(agent, mdp, 10**5, gap)
        best = min(
            (width + factor * math.sqrt(n + calibration.surplus)) / n
            for width, factor in zip(calibration.widths, calibration.factors, strict=True)
        )
        assert best == pytest.approx(gap)
        assert first / gap * (1 - 1e-9) <= n <= first / gap**2 * (1 + 1e-9)


def test_growth_is_of_runs_that_differ_in_the_gap_alone() -> None:
    growth = scaling.growth()
    assert [*growth] == [0.5, 0.2, 0.1]
    assert growth[0.2] == (4_396 / 1_525, 569.5 / 109)
    assert growth[0.5][1] < growth[0.2][1] < growth[0.1][1]
    base = {row.setting for row in MEASURED_SCALING}
    assert all(row.setting in base for row in GAPS)


def test_the_page_says_what_was_measured() -> None:
    page = Path(__file__).parents[3] / "docs" / "your-problem.md"
    words = " ".join(page.read_text("utf-8").split())
    (low, high), (least, most) = (
        [f"{factor:.2g}" for factor in scaling.factors(world)] for world in ("even", "river")
    )
    even = [row for row in MEASURED_SCALING if row.world == "even" and row.multiplier == 1]
    sizes = ", ".join(
        f"{letter} = {min(values)} to {max(values)}"
        for letter, values in (
            ("S", [row.states for row in even]),
            ("A", [row.actions for row in even]),
            ("H", [row.horizon for row in even]),
        )
    )
    assert (
        f"The factor is {low} to {high} in worlds whose states come up alike, over {sizes}, and "
        in (words)
    )
    assert f"and {least} to {most} and growing in rivers" in words
    tight = {row.setting[:-1]: row.users for row in even}
    fewer = sorted(
        tight[row.setting[:-1]] / row.users
        for row in MEASURED_SCALING
        if row.multiplier == scaling.NARROW and row.setting[:-1] in tight
    )
    assert f"it learnt from {fewer[0]:.2g} to {fewer[-1]:.2g} times fewer users there" in words


@pytest.mark.long
def test_contexts_in_the_thousands_take_what_the_page_says() -> None:
    """Half a minute; more than the scaling says, which was measured with fewer states."""
    S, A, every, planned = 2000, 4, 1000, 10**6
    dense = scaling.even(S, A, 1)
    support = np.zeros((S, A, 1), dtype=int)  # nothing comes after the only step
    rewards, ones = np.array(dense.rewards), np.ones((1, S, A, 1))
    world = privrl.SparseMDP("contexts", support, ones, rewards, np.full(S, 1 / S))
    agent = privrl.PrivateUCBVI(2.0, 1e-6, counter="blt", multiplier=scaling.NARROW, every=every)
    marks = np.unique(np.ceil(measure.marks(planned) / every).astype(int) * every)
    regret = [
        simulate.replicate(world, agent, planned, None, 0, index, marks=marks) for index in range(2)
    ]
    users = measure.first_users(marks, np.array(regret), 1 - 1 / A)
    page = (Path(__file__).parents[3] / "docs" / "your-problem.md").read_text("utf-8")
    words = " ".join(page.split())
    assert f"had learnt after {float(f'{np.median(users):.2g}'):,.0f} users of a million" in words
    least, most = (
        float(f"{scaling.needed(agent, dense, factor):.2g}")
        for factor in scaling.factors("even", scaling.NARROW)
    )
    assert f"gives {least:,.0f} to {most:,.0f} there, too few" in words and most < min(users)
