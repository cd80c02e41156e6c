"""No planner reaches exact sums or the world: by the types of its arguments, by what it refers to, and in memory."""

import inspect
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any, get_type_hints

import numpy as np
import pytest
from numba import njit
from numba.core.errors import TypingError

from privrl.agents.tabular import dp_ucbvi, kernels, private_ucbvi, pucb, ubev
from privrl.agents.tabular.dp_ucbvi import DPUCBVI
from privrl.agents.tabular.learner import views
from privrl.agents.tabular.private_ucbvi import PrivateUCBVI
from privrl.agents.tabular.pucb import PUCB
from privrl.agents.tabular.records import Plan, Released, Sums, World
from privrl.environments import random_mdp
from privrl.types import FloatArray

MDP = random_mdp(3, 4, 2, seed=5)
MODULES = (pucb, ubev, private_ucbvi, dp_ucbvi)
BONUSES = (ubev.Widths, pucb.Widths, pucb.Confidence, private_ucbvi.Bonus, dp_ucbvi.Bonus, float, FloatArray)
PRIVATE = (PUCB(1e4, calibration="tight"), PrivateUCBVI(1e3), DPUCBVI(1e4))


def refusal(plan: Any) -> str:
    """What keeps a function from being a planner over released statistics; empty where nothing does."""
    function = getattr(plan, "py_func", plan)
    hints = {name: kind for name, kind in get_type_hints(function).items() if name != "return"}
    first, *others = (name for name in inspect.signature(function).parameters if hints.get(name) is not int)
    for name in (first, *others):
        allowed = (Released,) if name == first else (Plan, *BONUSES)
        if hints.get(name) not in allowed:
            return f"argument {name}"
    names = inspect.getclosurevars(function)
    if names.nonlocals:
        return f"closure over {', '.join(names.nonlocals)}"
    for name, value in names.globals.items():
        called = getattr(value, "py_func", value)
        if isinstance(called, FunctionType):
            if {World, Sums} & set(get_type_hints(called).values()):
                return f"calls {name}"
        elif not isinstance(value, ModuleType):
            return f"reads {name}"
    return ""


PLANS = [step for module in MODULES for step in (module.plan, getattr(module, "plan_step", None)) if step]


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.__module__.rpartition(".")[2] + "." + plan.__name__)
def test_plans_are_given_released_statistics_and_nothing_else(plan: Any) -> None:
    assert refusal(plan) == ""


HIDDEN = World(*(np.ones(1) for _ in range(6)), 1.0, False)  # type: ignore[call-arg,arg-type,misc]


def from_the_world(released: Released, world: World, made: Plan) -> None:
    made.values[0, 0] = world.optimum


def from_a_global(released: Released, made: Plan) -> None:
    made.values[0, 0] = HIDDEN.optimum


def from_a_helper(released: Released, made: Plan) -> None:
    kernels.tally.py_func(HIDDEN, made.greedy, made)


def by_a_call(released: Released, made: Plan) -> None:
    exact(released, made)  # type: ignore[arg-type]


def exact(sums: Sums, made: Plan) -> None:
    made.values[0, 0] = sums.every[0]


def without_a_type(released, made: Plan) -> None:  # type: ignore[no-untyped-def]
    made.values[0, 0] = released.every[0]


def enclosed() -> Callable[..., None]:
    sums = np.ones(3)

    def plan(released: Released, made: Plan) -> None:
        made.values[0, 0] = sums[0]

    return plan


@pytest.mark.parametrize(("planted", "why"), [
    (from_the_world, "argument world"), (exact, "argument sums"), (from_a_global, "reads HIDDEN"),
    (from_a_helper, "reads HIDDEN"), (by_a_call, "calls exact"), (without_a_type, "argument released"),
    (enclosed(), "closure over sums")])
def test_a_planted_plan_is_refused(planted: Any, why: str) -> None:
    assert refusal(planted) == why


def test_what_is_released_has_no_transitions() -> None:
    """The compiler's own refusal."""
    state = PUCB(1.0).start(MDP, 10, np.array([1])).state

    @njit
    def planted(released: Any, made: Any) -> None:
        made.values[0, 0] = released.transitions[0, 0, 0, 0]

    with pytest.raises(TypingError, match="transitions"):
        planted(state.released, state.plan)


@pytest.mark.parametrize("agent", PRIVATE, ids=lambda agent: agent.name)
def test_plans_share_no_memory_with_sums_or_world(agent: Any) -> None:
    state = agent.start(MDP, 10, np.array([1])).state
    hidden = [one for one in (*state.sums, *state.world) if isinstance(one, np.ndarray)]
    assert not any(np.shares_memory(one, other) for one in (*state.released, *state.plan) for other in hidden)
    for one in state.world:
        assert not isinstance(one, np.ndarray) or not one.flags.writeable


def test_equal_releases_give_equal_plans() -> None:
    """Other sums whose noise hides the difference, in another world: the same plan; shown, they give another."""
    found = []
    for mdp, shift, shown in ((MDP, 0.0, False), (random_mdp(3, 4, 2, seed=6), 9.0, False), (MDP, 9.0, True)):
        learner, rng = PUCB(1e7).start(mdp, 1000, np.array([1])), np.random.default_rng(1)
        change = shift * rng.integers(-1, 2, size=learner.state.statistics.size)
        learner.state.sums.every[:] = rng.integers(100, 10**4, size=change.size) + change
        learner.advance(-change[None] * (not shown), rng.random((1, 5)), rng.random((1, 2)))
        found.append(learner.state.plan.values.copy())
    np.testing.assert_array_equal(found[1], found[0])
    assert np.abs(found[2] - found[0]).max() > 1e-6


def test_rewards_and_successors_are_released_from_the_least_count_on() -> None:
    state = PUCB(1.0).start(MDP, 10, np.array([1])).state
    state.sums.every[:] = 1.0
    state.sums.visits[1, 3] = 5.0  # of two steps, the later one has a count that is large enough, just so
    noise = np.linspace(0.5, 0.6, state.sums.every.size)[None]
    least = state.sums.visits[1, 3] + noise[0].reshape(-1, MDP.rewards[0].size)[1, 3]
    for h in range(MDP.horizon):
        kernels.release_step(h, state.sums, noise, 0, least, state.released)
    expected = Released(*views(state.sums.every + noise[0], MDP))
    for part, other in zip(state.released[1:], expected[1:], strict=True):
        np.testing.assert_array_equal(part[1], other[1])
    np.testing.assert_array_equal(state.released.visits, expected.visits)
    assert not state.released.rewards[0].any()
    assert not state.released.successors[0].any()
