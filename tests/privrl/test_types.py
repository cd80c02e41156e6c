"""The records and their validation: what is kept, what is refused, and with which words."""

import dataclasses
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as nps

from privrl import checks
from privrl.types import Budget, Run, TabularMDP
from tests.contracts import refused

finite = st.floats(allow_nan=False, allow_infinity=False)


def test_require_says_the_requirement_then_the_values() -> None:
    checks.require(True, "x must be > 0", x=-1)
    assert (
        refused(lambda: checks.require(False, "x must be > 0", x=-1.0, y=None))
        == "x must be > 0, got x=-1.0, y=None"
    )
    assert (
        refused(lambda: checks.require(False, "x must be > 0", x=np.float64(-1)))
        == "x must be > 0, got x=-1.0"
    )
    with pytest.raises(ValueError, match=r"^nothing is known$"):
        checks.require(False, "nothing is known")


@pytest.mark.parametrize(
    "value",
    [np.arange(10**4).reshape(100, 100), "x\n" * 500, list(range(10**4)), 10**5000],
    ids=lambda x: type(x).__name__,
)
def test_a_long_value_is_shortened(value: Any) -> None:
    assert len(refused(lambda: checks.require(False, "x must be short", x=value))) < 150


@given(st.floats(min_value=0, exclude_min=True, allow_infinity=False) | st.integers(1, 10**300))
def test_positive_keeps_what_is(value: float) -> None:
    assert checks.positive("x", value) == float(value)
    assert isinstance(checks.positive("x", value), float)


@pytest.mark.parametrize(
    "value",
    [1, 2.5, -math.inf, np.float32(0.5), np.int8(3), Fraction(1, 4), Decimal("0.25")],
    ids=str,
)
def test_real_keeps_numbers_of_any_kind(value: Any) -> None:
    assert checks.real("x", value) == float(value)


@given(st.booleans(), st.booleans(), finite | st.sampled_from([0, 1, 0.0, 1.0, 0.5]))
@example(True, True, 1.0)
@example(True, True, 0.0)
@example(False, False, 1.0)
@example(False, False, 0.0)
def test_probability_knows_its_ends(zero: bool, unit: bool, value: float) -> None:
    inside = 0 < value < 1 or (zero and value == 0) or (unit and value == 1)
    if inside:
        assert checks.probability("p", value, zero=zero, one=unit) == value
    else:
        interval = f"{'[' if zero else '('}0, 1{']' if unit else ')'}"
        message = refused(lambda: checks.probability("p", value, zero=zero, one=unit))
        assert message == f"p must be in {interval}, got p={value!r}"


@given(st.integers(-5, 5), st.integers(0, 10**15))
def test_count_keeps_whole_numbers(least: int, above: int) -> None:
    forms: list[Any] = [int, float, np.int64, np.float64]
    for value in (form(least + above) for form in forms):
        counted = checks.count("n", value, least)
        assert counted == least + above
        assert type(counted) is int


shapes = nps.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)


@given(shapes.flatmap(lambda shape: nps.arrays(np.float64, shape, elements=finite)))
def test_array_is_a_read_only_copy(given_array: np.ndarray) -> None:
    copied = checks.array("x", given_array, given_array.shape)
    assert np.array_equal(copied, given_array)
    assert copied.dtype == np.float64
    assert not copied.flags.writeable
    assert not np.shares_memory(copied, given_array)


@given(shapes, shapes)
def test_array_holds_to_the_shape(have: tuple[int, ...], want: tuple[int, ...]) -> None:
    if have == want:
        assert checks.array("x", np.ones(have), want).shape == want
    else:
        assert refused(lambda: checks.array("x", np.ones(have), want)).startswith(
            "x must have shape ("
        )


@given(shapes)
def test_a_free_length_is_at_least_one(have: tuple[int, ...]) -> None:
    free = (None,) * len(have)
    if 0 in have:
        refused(lambda: checks.array("x", np.ones(have), free))
    else:
        assert checks.array("x", np.ones(have), free).shape == have
    refused(lambda: checks.array("x", np.ones(have), (*free, None)))


@pytest.mark.parametrize(
    "value",
    [
        ["1.5", "2"],
        [1j, 2],
        np.array([1 + 2j, 3]),
        [None, 1.0],
        np.array(["2020-01-01"], dtype="M8[D]"),
        [[1], [1, 2]],
        [10**400],
        {1: 2},
        object(),
        (x for x in (1, 2)),
        b"12",
        [Decimal("1")],
    ],
    ids=[
        "text",
        "complex",
        "complex array",
        "None",
        "date",
        "ragged",
        "huge",
        "dict",
        "object",
        "generator",
        "bytes",
        "decimal",
    ],
)
def test_array_refuses_what_holds_no_real_numbers(value: Any) -> None:
    message = refused(lambda: checks.array("x", value, (None,)))
    assert message.startswith("x must be an array of real numbers, got x of type ")


@pytest.mark.parametrize(
    "value",
    [
        [1, 2],
        (1.0, 2.0),
        [True, 2],
        [Fraction(1), Fraction(2)],
        np.array([1, 2], dtype=np.int8),
        np.array([1.0, 2.0], dtype=np.float32),
        np.array([1, 2], dtype=object),
    ],
    ids=str,
)
def test_array_takes_real_numbers_of_any_kind(value: Any) -> None:
    assert checks.array("x", value, (2,)).tolist() == [1.0, 2.0]


@given(st.integers(0, 5), st.sampled_from([math.nan, math.inf, -math.inf]))
def test_array_refuses_nan_and_infinity(where: int, value: float) -> None:
    numbers = np.ones((2, 3))
    numbers.flat[where] = value
    assert (
        refused(lambda: checks.array("x", numbers, (2, 3)))
        == "x must be finite, got x='NaN or infinity'"
    )


def test_budget_keeps_plain_floats() -> None:
    budget = Budget(np.float32(0.5))  # type: ignore[arg-type]
    assert (budget.epsilon, budget.delta) == (0.5, 0.0)
    assert type(budget.epsilon) is float
    assert Budget(1) == Budget(1.0, 0)


def parts(horizon: int = 2, states: int = 3, actions: int = 2) -> dict[str, Any]:
    return {
        "name": "twin",
        "transitions": np.full((horizon, states, actions, states), 1 / states),
        "rewards": np.full((horizon, states, actions), 0.5),
        "initial": np.full(states, 1 / states),
        "bernoulli": True,
    }


def test_mdp_keeps_copies() -> None:
    given_parts = parts()
    mdp = TabularMDP(**given_parts)
    given_parts["rewards"][:] = 7
    assert (mdp.rewards == 0.5).all()
    assert (mdp.horizon, mdp.states, mdp.actions) == (2, 3, 2)
    with pytest.raises(ValueError, match="read-only"):
        mdp.transitions[0, 0, 0, 0] = 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        mdp.name = "other"
    assert TabularMDP(**{**parts(), "bernoulli": np.bool_(False)}).bernoulli is False


@pytest.mark.parametrize("field", ["transitions", "rewards", "initial"])
@given(shape=nps.array_shapes(min_dims=0, max_dims=5, min_side=0, max_side=4))
@settings(max_examples=25)
def test_mdp_refuses_a_shape_that_does_not_fit(field: str, shape: tuple[int, ...]) -> None:
    if shape not in (parts()[field].shape, (3, 2)):  # rewards (S, A) are the same at every step
        refused(lambda: TabularMDP(**{**parts(), field: np.ones(shape)}))


def test_what_is_the_same_at_every_step_is_given_once() -> None:
    rng = np.random.default_rng(0)
    once = {"transitions": rng.dirichlet(np.ones(3), (3, 2)), "rewards": rng.random((3, 2))}
    every = {name: np.stack([value] * 4) for name, value in once.items()}
    mdps = [
        TabularMDP(**{**parts(), **fields}, horizon=4)
        for fields in (once, every, {**every, "rewards": once["rewards"]})
    ]
    for mdp in (*mdps, dataclasses.replace(mdps[0], name="other")):
        assert mdp.horizon == 4 and mdp.transitions.flags.c_contiguous
        assert np.array_equal(mdp.transitions, every["transitions"]) and np.array_equal(
            mdp.rewards, every["rewards"]
        )
    says = "transitions that are the same at every step must come with horizon, got shape=(3, 2, 3)"
    assert refused(lambda: TabularMDP(**{**parts(), **once})) == says
    says = "horizon must be that of the transitions, got horizon=3, transitions=4"
    assert refused(lambda: TabularMDP(**{**parts(), **every}, horizon=3)) == says
    for horizon in (-1, 0.5, "4", 10**6 + 1):
        assert refused(lambda h=horizon: TabularMDP(**{**parts(), **once}, horizon=h)).startswith(
            "horizon must be "
        )
    wide = {**parts(), "transitions": np.full((40, 40, 40), 1 / 40), "rewards": np.zeros((40, 40))}
    assert "must have at most 1000000000 numbers" in refused(
        lambda: TabularMDP(**wide, horizon=10**5)
    )


@pytest.mark.parametrize("field", ["transitions", "rewards", "initial"])
@given(position=st.integers(0, 10**4), value=st.floats().filter(lambda x: not 0 <= x <= 1))
@settings(max_examples=25)
def test_mdp_refuses_a_number_out_of_range(field: str, position: int, value: float) -> None:
    numbers = parts()[field]
    numbers.flat[position % numbers.size] = value
    assert refused(lambda: TabularMDP(**{**parts(), field: numbers})).startswith(
        (field, f"every row of {field}")
    )


@pytest.mark.parametrize("field", ["transitions", "initial"])
@given(position=st.integers(0, 10**4), change=st.floats(1e-8, 0.3) | st.floats(-0.3, -1e-8))
@example(position=0, change=2e-9)
@example(position=5, change=-2e-9)
@settings(max_examples=25)
def test_mdp_refuses_rows_that_do_not_sum_to_one(field: str, position: int, change: float) -> None:
    numbers = parts()[field]
    numbers.flat[position % numbers.size] += change
    message = refused(lambda: TabularMDP(**{**parts(), field: numbers}))
    assert message.startswith(f"every row of {field} must sum to 1, got sum=")


@pytest.mark.parametrize("field", ["transitions", "initial"])
@pytest.mark.parametrize("negative", [-1e-12, -0.5])
def test_mdp_refuses_a_negative_probability_in_a_row_that_sums_to_one(
    field: str, negative: float
) -> None:
    numbers = parts()[field]
    numbers[..., 0] = negative
    numbers[..., 1] = 2 / 3 - negative
    message = refused(lambda: TabularMDP(**{**parts(), field: numbers}))
    assert message == f"{field} must be >= 0, got smallest={negative!r}"


def test_mdp_takes_rows_that_sum_to_one_up_to_rounding() -> None:
    rows = np.full((1, 7, 1, 7), 1 / 7)
    assert TabularMDP("seven", rows, np.zeros((1, 7, 1)), np.full(7, 1 / 7)).states == 7


def a_run(episodes: Any, regret: Any) -> Run:
    return Run(
        "vietri2020/riverswim-3", "pucb", "tree", "printed", 1.0, 0.0, 100, 7, episodes, regret
    )


def test_run_keeps_its_table() -> None:
    run = a_run([1, 10, 100], [[0.5, 5, 50], [0.25, 2, 20]])
    assert run.episodes.dtype == np.int64
    assert run.episodes.tolist() == [1, 10, 100]
    assert run.regret.shape == (2, 3)
    assert not run.regret.flags.writeable
    assert not run.episodes.flags.writeable


@pytest.mark.parametrize(
    "episodes",
    [[], 1, [[1, 2]], [1, 1], [2, 1], [-1, 2], [0.5, 1], [1, math.nan], ["a"], None],
    ids=str,
)
def test_run_refuses_checkpoints_that_do_not_increase(episodes: Any) -> None:
    assert refused(lambda: a_run(episodes, np.zeros((1, 2)))).startswith("episodes must ")


@pytest.mark.parametrize(
    "regret", [[0.0, 0.0], np.zeros((1, 3)), np.zeros((0, 2)), [[0.0, math.nan]], None], ids=str
)
def test_run_refuses_a_table_that_does_not_fit(regret: Any) -> None:
    assert refused(lambda: a_run([1, 2], regret)).startswith("regret must ")


@pytest.mark.parametrize(("least", "most"), [(1e-30, 1e30), (1e-20, 1e20), (1e-3, 1e3)])
def test_the_ends_of_a_range_that_a_message_names_are_inside(least: float, most: float) -> None:
    for end in (least, most):
        assert checks.parameter("sigma_gram", end, least) == end
    below, above = math.nextafter(least, 0), math.nextafter(most, math.inf)
    says = f"sigma_gram must be in [{least:g}, {most:g}], got sigma_gram="
    assert refused(lambda: checks.parameter("sigma_gram", below, least)) == f"{says}{below}"
    assert refused(lambda: checks.parameter("sigma_gram", above, least)) == f"{says}{above}"
