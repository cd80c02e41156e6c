"""Every agent by its name, and what it is made with.

An agent declares itself in its own module (:func:`privrl.agents.kind.agent`), and is found there:
every module of every folder below ``privrl/agents`` is looked through when names are asked for.
"""

import dataclasses
import functools
import importlib
import importlib.util
import math
import pkgutil
from typing import Any

from privrl import agents
from privrl.agents.agent import Agent
from privrl.agents.kind import AGENT_CALIBRATIONS, Kind
from privrl.checks import choice, count, failure, parameter, require
from privrl.environments.suite import ENTRIES, Entry
from privrl.privacy.counters.mechanisms import MECHANISMS
from privrl.types import Budget

__all__ = [
    "AGENT_CALIBRATIONS",
    "Kind",
    "family",
    "family_of",
    "kind",
    "kinds",
    "make",
    "names",
    "playing",
]


FAMILY = ("PURE", "READS", "alike", "problem", "scales")  # what a family says of itself


@functools.cache
def kinds() -> dict[str, Kind]:
    """Every agent that a folder's modules declare, folder by folder in the order of their ranks.

    Raises
    ------
    TypeError
        Two of one name; an agent that is no dataclass, without ``calibrations`` or with an unknown
        one, whose default is none of them, over an unknown counter, or of a paper without an entry
        in the suite.
    """
    declared: list[Kind] = []
    for folder in pkgutil.iter_modules(agents.__path__):
        if not folder.ispkg:
            continue
        package = importlib.import_module(f"{agents.__name__}.{folder.name}")
        family: list[Kind] = []
        for module_ in pkgutil.iter_modules(package.__path__):
            module = importlib.import_module(f"{package.__name__}.{module_.name}")
            for value in vars(module).values():
                if isinstance(value, type) and value.__module__ == module.__name__:
                    family += vars(value).get("kinds", ())
        declared += sorted(family, key=lambda kind: kind.rank)
    papers = sorted({entry.paper for entry in ENTRIES.values()})
    for kind_ in declared:
        calibrations = getattr(kind_.agent_class, "calibrations", ())
        if not calibrations or not set(calibrations) <= set(AGENT_CALIBRATIONS):
            raise TypeError(
                f"an agent must have calibrations among {', '.join(AGENT_CALIBRATIONS)}, "
                f"got {kind_.name}: {calibrations}"
            )
        if kind_.calibration not in calibrations:
            raise TypeError(
                f"an agent's calibration must be one of its {', '.join(calibrations)}, "
                f"got {kind_.name}: {kind_.calibration}"
            )
        if kind_.counter not in MECHANISMS:
            raise TypeError(
                f"an agent's counter must be one of {', '.join(MECHANISMS)}, "
                f"got {kind_.name}: {kind_.counter}"
            )
        if kind_.paper not in papers:
            raise TypeError(
                f"an agent's paper must be one of {', '.join(papers)}, "
                f"got {kind_.name}: {kind_.paper}"
            )
        if not dataclasses.is_dataclass(kind_.agent_class):
            raise TypeError(f"an agent must be a dataclass, got {kind_.name}")
    every = {kind_.name: kind_ for kind_ in declared}
    if len(every) < len(declared):
        raise TypeError(f"agents must have a name each, got {[kind_.name for kind_ in declared]}")
    return every


def names() -> tuple[str, ...]:
    """All names, family by family."""
    return tuple(kinds())


def kind(name: str) -> Kind:
    """The algorithm of that name, or ``ValueError``."""
    return kinds()[choice("agent", name, names())]


def family(name: str) -> Any:
    """``family.py`` of the folder of an agent: what holds for all agents there.

    ``PURE`` (whether delta = 0 is Laplace noise), ``READS`` (sizes that the noise depends on,
    beside the horizon), ``problem(agent, ..)`` of given sizes, ``scales(calibration)`` of the noise
    by the sums that it is put on, and ``alike(agent)`` for the contract of planners.
    """
    return family_of(kind(name).agent_class)


def family_of(agent: Any) -> Any:
    """As :func:`family`, of an agent or its class."""
    agent_class = agent if isinstance(agent, type) else type(agent)
    home = agent_class.__module__.rpartition(".")[0]
    exists = importlib.util.find_spec(f"{home}.family") is not None
    require(exists, f"an agent's folder must have family.py with {', '.join(FAMILY)}", folder=home)
    module = importlib.import_module(f"{home}.family")
    missing = [fact for fact in FAMILY if not hasattr(module, fact)]
    require(not missing, f"{home}/family.py must have {', '.join(FAMILY)}", missing=missing)
    return module


def playing(entry: Entry) -> tuple[str, ...]:
    """The agents that run on an entry of the suite, the paper's own first; for a file, those that
    are advised."""
    players = [kind_ for kind_ in kinds().values() if kind_.plays == entry.problem]
    if entry.of_file:
        players.sort(key=lambda kind_: not kind_.advised)
    return tuple(kind_.name for kind_ in players)


def make(
    name: str,
    *,
    epsilon: float,
    delta: float,
    beta: float,
    counter: str,
    calibration: str,
    constant: float | None = None,
    multiplier: float = 1.0,
    every: int = 1,
) -> Agent:
    """The agent with these settings, or ``ValueError``; one that an algorithm has no use for is
    checked all the same.

    Parameters
    ----------
    epsilon, delta : privacy; ``epsilon`` is set to infinity over the counter ``none``
    beta : failure probability of the confidence widths (alpha of the papers that write it so)
    counter : one of ``mechanisms.MECHANISMS``; an agent refuses one that it is not calibrated for
    constant : c of the calibrations that have one; refused by an agent that has none
    multiplier : of the confidence widths; privacy rests on the noise alone, which stays
    every : users to a plan; above 1 refused by an agent that plans for every user
    """
    declared = kind(name)
    choice("counter", counter, MECHANISMS)
    choice("calibration", calibration, AGENT_CALIBRATIONS)
    Budget(epsilon, delta)
    failure("beta", beta)
    agent_class = declared.agent_class
    settings: dict[str, Any] = {
        "epsilon": math.inf if counter == "none" else epsilon,
        "delta": delta,
        "beta": beta,
        "alpha": beta,
        "counter": counter,
        "calibration": calibration,
        "multiplier": multiplier,
        "every": count("every", every),
    }
    fields = {field.name for field in dataclasses.fields(agent_class)}
    if constant is not None:
        settings["constant"] = parameter("constant", constant)
        require("constant" in fields, f"{name} has no constant to set", constant=constant)
    require(
        every == 1 or "every" in fields,
        f"every must be 1 for {name}, which plans for every user",
        every=every,
    )
    agent: Agent = agent_class(
        **{field: value for field, value in settings.items() if field in fields},
        **dict(declared.fixed),
    )
    return agent
