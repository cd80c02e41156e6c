"""Of every agent's kernels: none takes more than eight arguments, and no planner a record of the world or of the data.

What a planner's arguments share in memory, and that its plan follows from them alone, stands with each family. A global
or a closure is no way around a signature: numba reads it once, when it compiles, before there is a sum.
"""

import importlib
import pkgutil
from typing import Any, NamedTuple

import pytest

from privrl import agents
from privrl.agents.linear import linopt_po, value_iteration
from privrl.agents.linear import records as linear
from privrl.agents.lq import learner as lq_learner
from privrl.agents.lq import records as lq
from privrl.agents.tabular import dp_ucbvi, private_ucbvi, pucb, ubev
from privrl.agents.tabular import records as tabular
from tests.privrl.agents.reach import kernels_of, records_of

SECRET = {tabular.World, tabular.Sums, tabular.Tally, linear.World, linear.Path, linear.Tally, lq.World, lq.Sums,
          lq.Path, lq.Tally}
PLANS = [*(module.plan for module in (ubev, dp_ucbvi, value_iteration, linopt_po, lq_learner)),
         *(plan for module in (pucb, private_ucbvi) for plan in (module.plan, module.plan_step))]


def test_kernels_take_at_most_eight_arguments() -> None:
    modules = [importlib.import_module(one.name) for one in pkgutil.walk_packages(agents.__path__, "privrl.agents.")]
    taken = {(module.__name__, name): len(parameters) for module in modules
             for name, parameters in kernels_of(module).items()}
    assert len(taken) > 100 and not [name for name, number in taken.items() if number > 8]


class Leak(NamedTuple):
    world: linear.World


def leaking(released: linear.Released, leak: Leak) -> None:
    """A planner in one of whose records the world is hidden."""


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.__module__.rpartition(".")[2] + "." + plan.__name__)
def test_plans_take_no_record_of_the_world_or_of_the_data(plan: Any) -> None:
    given = records_of(plan)
    assert given & {tabular.Released, linear.Released, lq.Released} and not given & SECRET
    assert records_of(leaking) & SECRET and records_of(importlib.import_module(plan.__module__).advance) & SECRET
