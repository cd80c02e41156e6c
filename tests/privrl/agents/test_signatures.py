"""Of every agent's kernels: none takes more than eight arguments, and no planner a record of the world or of the data.

What a planner's arguments share in memory, and that its plan follows from them alone, stands with each family. A global
or a closure is no way around a signature: numba reads it once, when it compiles, before there is a sum.
"""

import importlib
import inspect
import pkgutil
from typing import Any, NamedTuple, get_type_hints

import pytest

import privrl
from privrl.agents.linear import linopt_po, value_iteration
from privrl.agents.linear import records as linear
from privrl.agents.lq import learner as lq_learner
from privrl.agents.lq import records as lq
from privrl.agents.tabular import dp_ucbvi, private_ucbvi, pucb, sparse, ubev
from privrl.agents.tabular import records as tabular
from privrl.types import FloatArray
from tests.privrl.agents.reach import kernels_of, records_of

SECRET = {tabular.World, tabular.Sums, tabular.Tally, linear.World, linear.Path, linear.Tally, lq.World, lq.Sums,
          lq.Path, lq.Tally, sparse.World}
PUBLIC = {tabular.Released, linear.Released, lq.Released, tabular.Plan, value_iteration.Plan, linopt_po.Plan, lq.Plan,
          linear.Known, lq.Known, linear.Scratch, lq.Scratch, ubev.Widths, pucb.Widths, pucb.Confidence,
          private_ucbvi.Bonus, dp_ucbvi.Bonus, sparse.Bonus, sparse.Cells, int}
PLANS = [*(module.plan for module in (ubev, dp_ucbvi, sparse, value_iteration, linopt_po, lq_learner)),
         *(plan for module in (pucb, private_ucbvi) for plan in (module.plan, module.plan_step))]


def test_kernels_take_at_most_eight_arguments() -> None:
    every = [importlib.import_module(one.name) for one in pkgutil.walk_packages(privrl.__path__, "privrl.")
             if not one.name.endswith("__main__")]
    taken = {(module.__name__, name): len(parameters) for module in every if ".agents." in module.__name__
             for name, parameters in kernels_of(module).items()}
    assert len(taken) > 100 and not [name for name, number in taken.items() if number > 8]
    compiled = [thing.py_func for module in every for thing in vars(module).values() if hasattr(thing, "py_func")]
    assert not [one.__qualname__ for one in compiled if len(inspect.signature(one).parameters) > 8]


def strangers(plan: Any) -> list[str]:
    """A planner's arguments of any other kind than what is public, which are untyped ones too."""
    function = getattr(plan, "py_func", plan)
    kinds = {name: get_type_hints(function).get(name) for name in inspect.signature(function).parameters}
    return [name for name, kind in kinds.items() if kind not in PUBLIC and (name, kind) != ("before_noise", float)]


class Leak(NamedTuple):
    world: linear.World


def leaking(released: linear.Released, leak: Leak) -> None:
    """A planner in one of whose records the world is hidden."""


@pytest.mark.parametrize("kind", [None, Any, FloatArray, tabular.World, tabular.Sums])
def test_a_planted_argument_is_refused(kind: Any) -> None:
    def planted(released: tabular.Released, made: tabular.Plan, more) -> None: ...  # type: ignore[no-untyped-def]

    planted.__annotations__ |= {"more": kind} if kind else {}
    assert strangers(planted) == ["more"]


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.__module__.rpartition(".")[2] + "." + plan.__name__)
def test_plans_take_no_record_of_the_world_or_of_the_data(plan: Any) -> None:
    given = records_of(plan)
    assert strangers(plan) == []
    assert given & {tabular.Released, linear.Released, lq.Released} and not given & SECRET
    assert records_of(leaking) & SECRET and records_of(importlib.import_module(plan.__module__).advance) & SECRET
