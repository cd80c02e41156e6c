"""Of every agent's kernels: none takes more than eight arguments, and no planner a record of the
world or of the data.

A global or a closure is no way around a signature: numba reads it once, when it compiles, before
there is a sum.
"""

import importlib
import inspect
import pkgutil
from typing import Any, NamedTuple

import pytest

import privrl
from privrl.agents.linear import records as linear
from privrl.agents.tabular import records as tabular
from privrl.types import FloatArray
from tests.privrl.agents.plans import strangers
from tests.privrl.agents.reach import kernels_of


def test_kernels_take_at_most_eight_arguments() -> None:
    every = [
        importlib.import_module(module_info.name)
        for module_info in pkgutil.walk_packages(privrl.__path__, "privrl.")
        if not module_info.name.endswith("__main__")
    ]
    parameter_counts = {
        (module.__name__, name): len(parameters)
        for module in every
        if ".agents." in module.__name__
        for name, parameters in kernels_of(module).items()
    }
    assert len(parameter_counts) > 100 and not [
        name for name, number in parameter_counts.items() if number > 8
    ]
    compiled = [
        member.py_func
        for module in every
        for member in vars(module).values()
        if hasattr(member, "py_func")
    ]
    assert not [
        kernel.__qualname__ for kernel in compiled if len(inspect.signature(kernel).parameters) > 8
    ]


class Leak(NamedTuple):
    world: linear.LinearWorld


def leaking(released: linear.LinearReleased, leak: Leak) -> None:
    """A planner in one of whose records the world is hidden."""


@pytest.mark.parametrize(
    "kind", [None, Any, FloatArray, float, tabular.TabularWorld, tabular.TabularSums]
)
def test_a_planted_argument_is_refused(kind: Any) -> None:
    def planted(
        released: tabular.TabularReleased, agent_plan: tabular.TabularPlan, more
    ) -> None: ...

    planted.__annotations__ |= {"more": kind} if kind else {}
    assert strangers(planted)[:1] == ["more"]
    assert "LinearWorld" in strangers(leaking)
