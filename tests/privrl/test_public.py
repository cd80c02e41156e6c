"""The entrances of the package (constructors, simulate, evaluate, accounting) are offered what they cannot take.

A value of the wrong kind is refused with one sentence of ours that shows it; a value that is out of range is refused in
the same way, or taken. No other exception leaves the package.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import math
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import privrl
from privrl.privacy import noise
from tests.contracts import refused

# one module a subject: what is taken, by name below privrl
PATHS = sorted(Path(__file__).parent.glob("offered_*.py"))
OFFERED = [importlib.import_module(f"tests.privrl.{path.stem}") for path in PATHS]
TAKEN: dict[str, Callable[[], dict[str, Any]]] = {
    name: arguments for module in OFFERED for name, arguments in module.TAKEN.items()}


@functools.cache
def find(name: str) -> Callable[..., Any]:
    """The function, class or method of that name below privrl."""
    known = {info.name for info in pkgutil.walk_packages(privrl.__path__, "privrl.")}
    parts = ["privrl", *name.split(".")]
    depth = max(i for i in range(2, len(parts)) if ".".join(parts[:i]) in known)
    return functools.reduce(getattr, parts[depth:], importlib.import_module(".".join(parts[:depth])))


@pytest.mark.parametrize("name", TAKEN)
def test_what_is_said_to_be_taken_is_taken(name: str) -> None:
    arguments = TAKEN[name]()
    find(name)(**arguments)
    for parameter in inspect.signature(find(name)).parameters.values():
        if parameter.kind is not parameter.VAR_KEYWORD and parameter.name not in ("progress", "rng", "warn"):
            assert parameter.name in arguments, parameter.name


# --- bad input -----------------------------------------------------------------------------------------------------

THINGS = (object(), len, 1j, {}, {1}, math.nan, np.float64("nan"))
ARRAYS = (np.arange(300), np.zeros((0, 0)), np.array([[math.nan]]), np.array(["a"]))
WRONG: dict[str, tuple[Any, ...]] = {  # annotation -> what no such parameter may take
    "float": (*THINGS, *ARRAYS, "1", b"1", "", "x" * 1000, [1.0], True, np.bool_(True), math.inf, -math.inf),
    "int": (*THINGS, *ARRAYS, "1", b"1", "", "x" * 1000, [1], True, 0.5, math.inf, -math.inf, -1),
    "bool": (*THINGS, *ARRAYS, 0, 1, "no", "True", 0.0, [], [True]),
    "str": (*THINGS, *ARRAYS, 1, b"tree", [], ("tree",), True),
    "name": ("", "Tree", "tree ", "x" * 1000, "tree\nnone"),  # a str that chooses
    "MDP": (*THINGS, *ARRAYS, "vietri2020/chain-3", 3, [], True),
}
WRONG |= dict.fromkeys(("Adjacency", "LQSystem", "LinearMixtureMDP", "TabularMDP", "Agent", "PUCB", "Run", "Setting",
                        "Generator"), WRONG["MDP"])
WRONG["float or infinity"] = WRONG["float"][:-2]
WRONG["arrays"] = (*THINGS, "x", b"x", "1", True, 3, [], [["a"]], [1j], [math.nan], np.zeros((1, 2, 3, 4, 5)))
WRONG["Path"] = (*THINGS, *ARRAYS, 3, [], True, "")
RANGES: dict[str, tuple[Any, ...]] = {  # what may be out of range: refused as well, or taken
    "float": (-1.0, 0.0, -0.0, 1.0, 1e-320, 1e-12, 1e12, 1e308, -5, np.float32(0.5), 2),
    "int": (0, 1, 1.0, np.int64(2), 3.0),
}
FREE_TEXT: set[str] = set().union(*(getattr(module, "FREE_TEXT", ()) for module in OFFERED))
KIND: dict[str, str] = {name: kind for module in OFFERED for name, kind in getattr(module, "KIND", {}).items()}


@dataclass(frozen=True)
class Case:
    """One parameter of one entry point."""

    name: str
    parameter: str
    kind: str
    optional: bool

    def call(self, value: Any) -> object:
        arguments = TAKEN[self.name]()
        return find(self.name)(**{**arguments, self.parameter: value})


def cases() -> list[Case]:
    found = []
    for name, arguments in TAKEN.items():
        parameters = inspect.signature(find(name)).parameters
        for parameter in arguments():
            if parameter == "self":
                continue
            says = str(parameters[parameter].annotation) if parameter in parameters else noise_kind(parameter)
            bare = says.removesuffix(" | None").rpartition(".")[2]
            kind = KIND.get(f"{name}.{parameter}") or (bare if bare in WRONG else "arrays")
            if kind == "str" and f"{name}.{parameter}" not in FREE_TEXT:
                kind = "name"
            found.append(Case(name, parameter, kind, says.endswith("| None") or name == "privacy.noise.setting"))
    return found


def noise_kind(parameter: str) -> str:
    """The type of a setting's field, which :func:`noise.setting` takes by name."""
    return str(inspect.signature(noise.Setting).parameters[parameter].annotation)


CASES = cases()


def test_every_kind_of_parameter_is_met() -> None:
    assert len(CASES) > 200
    assert {case.kind for case in CASES} >= {"float", "int", "bool", "str", "name", "arrays", "TabularMDP", "Adjacency"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.name}.{case.parameter}")
def test_the_wrong_kind_of_value_is_refused(case: Case) -> None:
    wrong = [*WRONG[case.kind], *(WRONG["str"] if case.kind == "name" else ()), *(() if case.optional else (None,))]
    if case.name == "privacy.noise.setting" and case.parameter == "adjacency":
        wrong = [value for value in wrong if value is not None]
    for value in wrong:
        try:
            refused(lambda value=value: case.call(value))
        except BaseException as error:
            error.add_note(f"{case.name}({case.parameter}={value!r})")
            raise


@pytest.mark.parametrize("case", [case for case in CASES if case.kind in RANGES],
                         ids=lambda case: f"{case.name}.{case.parameter}")
def test_a_value_out_of_range_is_refused_or_taken(case: Case) -> None:
    for value in RANGES[case.kind]:
        if case.name in ("horizon.starts", "horizon_successors.starts") and value > 0:
            continue  # answered, but only after a second or more each
        try:
            case.call(value)
        except ValueError:
            refused(lambda value=value: case.call(value))
        except BaseException as error:
            error.add_note(f"{case.name}({case.parameter}={value!r})")
            raise
