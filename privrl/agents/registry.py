"""Every agent by its name: where it lives, and the counter that its paper runs it over."""

import dataclasses
import importlib
import math
import pkgutil
from typing import Any

from privrl import agents
from privrl.agents.kind import Kind
from privrl.privacy.counters.mechanisms import MECHANISMS
from privrl.run.simulate import Agent
from privrl.types import Budget, choice, count, failure, parameter, require

CALIBRATIONS = ("printed", "corrected", "tight", "tuned")


def _kinds() -> dict[str, Kind]:
    """The ``KINDS`` of every folder of agents; no algorithm is imported for it."""
    folders = [importlib.import_module(f"{agents.__name__}.{found.name}")
               for found in pkgutil.iter_modules(agents.__path__) if found.ispkg]
    return {kind.name: kind for folder in folders for kind in folder.KINDS}


KINDS = _kinds()


def names() -> tuple[str, ...]:
    """All names, in the order of declaration."""
    return tuple(KINDS)


def kind(name: str) -> Kind:
    """The algorithm of that name, or ``ValueError``."""
    return KINDS[choice("agent", name, names())]


def make(name: str, *, epsilon: float, delta: float, beta: float, counter: str, calibration: str,
         constant: float | None = None, multiplier: float = 1.0, every: int = 1) -> Agent:
    """The agent with these settings, or ``ValueError``; one that an algorithm has no use for is checked all the same.

    Parameters
    ----------
    epsilon, delta : privacy; ``epsilon`` is set to infinity over the counter ``none``
    beta : failure probability of the confidence widths (alpha of the papers that write it so)
    counter : one of ``mechanisms.MECHANISMS``; an agent refuses one that it is not calibrated for
    constant : c of the calibrations that have one; refused by an agent that has none
    multiplier : of the confidence widths; privacy rests on the noise alone, which stays
    every : users to a plan; above 1 refused by an agent that plans for every user
    """
    found = kind(name)
    choice("counter", counter, MECHANISMS)
    choice("calibration", calibration, CALIBRATIONS)
    Budget(epsilon, delta)
    failure("beta", beta)
    made: Any = getattr(importlib.import_module(found.module), found.of)
    settings: dict[str, Any] = {"epsilon": math.inf if counter == "none" else epsilon, "delta": delta, "beta": beta,
                                "alpha": beta, "counter": counter, "calibration": calibration,
                                "multiplier": multiplier, "every": count("every", every)}
    taken = {field.name for field in dataclasses.fields(made)}
    if constant is not None:
        settings["constant"] = parameter("constant", constant)
        require("constant" in taken, f"{name} has no constant to set", constant=constant)
    require(every == 1 or "every" in taken, f"every must be 1 for {name}, which plans for every user", every=every)
    agent: Agent = made(**{field: value for field, value in settings.items() if field in taken},
                        **dict(found.fixed))
    return agent
