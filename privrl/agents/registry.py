"""Every agent by its name: where it lives, and the counter that its paper runs it over."""

from __future__ import annotations

import dataclasses
import importlib
import math
from dataclasses import dataclass
from typing import Any

from privrl.privacy.counters import COUNTERS
from privrl.simulate import Agent
from privrl.types import Budget, choice, probability

CALIBRATIONS = ("printed", "corrected", "tight")


@dataclass(frozen=True)
class Kind:
    """One algorithm.

    Parameters
    ----------
    name : as on the command line
    module : where its class stands
    of : name of the class
    counter : the paper's own
    """

    name: str
    module: str
    of: str
    counter: str


_KINDS = (
    Kind("pucb", "privrl.agents.pucb", "PUCB", "tree"),
    Kind("ubev", "privrl.agents.ubev", "UBEV", "none"),
)
KINDS: dict[str, Kind] = {kind.name: kind for kind in _KINDS}


def names() -> tuple[str, ...]:
    """All names, in the order of declaration."""
    return tuple(KINDS)


def kind(name: str) -> Kind:
    """The algorithm of that name, or ``ValueError``."""
    return KINDS[choice("agent", name, names())]


def make(name: str, *, epsilon: float, delta: float, beta: float, counter: str, calibration: str) -> Agent:
    """The agent with these settings; one that an algorithm has no use for is checked all the same.

    Parameters
    ----------
    epsilon, delta : privacy; ``epsilon`` is set to infinity over the counter ``none``
    beta : failure probability of the confidence widths

    Raises
    ------
    ValueError
        An unknown name, a setting out of range, a combination that no calibration defines.
    """
    found = kind(name)
    choice("counter", counter, COUNTERS)
    choice("calibration", calibration, CALIBRATIONS)
    Budget(epsilon, delta)
    probability("beta", beta)
    made: Any = getattr(importlib.import_module(found.module), found.of)
    settings = {"epsilon": math.inf if counter == "none" else epsilon, "delta": delta, "beta": beta,
                "counter": counter, "calibration": calibration}
    taken = {field.name for field in dataclasses.fields(made)}
    agent: Agent = made(**{field: value for field, value in settings.items() if field in taken})
    return agent
