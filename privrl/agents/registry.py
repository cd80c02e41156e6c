"""Every agent by its name: where it lives, and the counter that its paper runs it over."""

from __future__ import annotations

import dataclasses
import importlib
import math
from dataclasses import dataclass
from typing import Any

from privrl.privacy.mechanisms import MECHANISMS
from privrl.simulate import Agent
from privrl.types import Budget, choice, positive, probability, require

CALIBRATIONS = ("printed", "corrected", "tight", "tuned")


@dataclass(frozen=True)
class Kind:
    """One algorithm.

    Parameters
    ----------
    name : as on the command line
    module : where its class stands
    of : name of the class
    counter : the paper's own
    fixed : fields that make this algorithm out of the class
    calibration : where none is asked for
    """

    name: str
    module: str
    of: str
    counter: str
    fixed: tuple[tuple[str, str], ...] = ()
    calibration: str = "printed"


_CERTAIN = (("planner", "certainty-equivalent"),)
_KINDS = (
    Kind("pucb", "privrl.agents.tabular.pucb", "PUCB", "tree"),
    Kind("ubev", "privrl.agents.tabular.ubev", "UBEV", "none"),
    Kind("private-ucbvi", "privrl.agents.tabular.private_ucbvi", "PrivateUCBVI", "tree", calibration="tight"),
    Kind("ldp-ucbvi", "privrl.agents.tabular.private_ucbvi", "PrivateUCBVI", "local", calibration="tight"),
    Kind("ucbvi", "privrl.agents.tabular.private_ucbvi", "PrivateUCBVI", "none", calibration="tight"),
    Kind("dp-ucbvi", "privrl.agents.tabular.dp_ucbvi", "DPUCBVI", "tree", calibration="tight"),
    Kind("private-ofu-rl", "privrl.agents.lq.private_ofu_rl", "PrivateOFURL", "tree"),
    Kind("ofu-rl", "privrl.agents.lq.ofu_rl", "OFURL", "none"),
    Kind("private-ce", "privrl.agents.lq.private_ofu_rl", "PrivateOFURL", "tree", _CERTAIN),
    Kind("ce", "privrl.agents.lq.ofu_rl", "OFURL", "none", _CERTAIN),
    Kind("ldp-ucrl-vtr", "privrl.agents.linear.ldp_ucrl_vtr", "LDPUCRLVTR", "local"),
    Kind("ucrl-vtr", "privrl.agents.linear.ucrl_vtr", "UCRLVTR", "none"),
    Kind("linopt-vi", "privrl.agents.linear.linopt_vi", "LinOptVI", "tree"),
    Kind("linopt-po", "privrl.agents.linear.linopt_po", "LinOptPO", "tree"),
)
KINDS: dict[str, Kind] = {kind.name: kind for kind in _KINDS}


def names() -> tuple[str, ...]:
    """All names, in the order of declaration."""
    return tuple(KINDS)


def kind(name: str) -> Kind:
    """The algorithm of that name, or ``ValueError``."""
    return KINDS[choice("agent", name, names())]


def make(name: str, *, epsilon: float, delta: float, beta: float, counter: str, calibration: str,
         constant: float | None = None) -> Agent:
    """The agent with these settings; one that an algorithm has no use for is checked all the same.

    Parameters
    ----------
    epsilon, delta : privacy; ``epsilon`` is set to infinity over the counter ``none``
    beta : failure probability of the confidence widths (alpha of the papers that write it so)
    counter : one of ``mechanisms.MECHANISMS``; an agent refuses one that it is not calibrated for
    constant : c of the calibrations that have one; refused by an agent that has none

    Raises
    ------
    ValueError
        An unknown name, a setting out of range, a combination that no calibration defines.
    """
    found = kind(name)
    choice("counter", counter, MECHANISMS)
    choice("calibration", calibration, CALIBRATIONS)
    Budget(epsilon, delta)
    probability("beta", beta)
    made: Any = getattr(importlib.import_module(found.module), found.of)
    settings: dict[str, Any] = {"epsilon": math.inf if counter == "none" else epsilon, "delta": delta, "beta": beta,
                                "alpha": beta, "counter": counter, "calibration": calibration}
    taken = {field.name for field in dataclasses.fields(made)}
    if constant is not None:
        settings["constant"] = positive("constant", constant)
        require("constant" in taken, f"{name} has no constant to set", constant=constant)
    agent: Agent = made(**{field: value for field, value in settings.items() if field in taken},
                        **dict(found.fixed))
    return agent
