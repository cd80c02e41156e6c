"""What agents of every family are told, checked by its name."""

import dataclasses
import math
from collections.abc import Callable
from typing import Any

from privrl.checks import choice, count, failure, flag, parameter, real, settle
from privrl.types import Budget

CHECKS: dict[str, Callable[[str, float], float]] = {
    "alpha": failure,
    "beta": failure,
    "constant": parameter,
    "regulariser": parameter,
    "multiplier": parameter,
    "every": count,
}


def check(agent: Any, *, pure: bool = False, **choices: tuple[str, ...]) -> None:
    """Check the settings of a frozen agent, and keep them as plain numbers.

    ``choices`` : what the named settings may be; ``pure`` : whether delta may be 0. Without noise,
        and only then, epsilon may be infinite.
    """
    for name, allowed in choices.items():
        choice(name, getattr(agent, name), allowed)
    settings = {field.name: getattr(agent, field.name) for field in dataclasses.fields(agent)}
    checked_settings = {
        name: checked(name, settings[name]) for name, checked in CHECKS.items() if name in settings
    }
    if settings.get("by_blocks") is not None:
        flag("by_blocks", settings["by_blocks"])
    if "epsilon" in settings:
        endless = agent.counter == "none" and real("epsilon", agent.epsilon) == math.inf
        budget = Budget(1.0 if endless else agent.epsilon, failure("delta", agent.delta, zero=pure))
        checked_settings |= {
            "epsilon": math.inf if endless else budget.epsilon,
            "delta": budget.delta,
        }
    settle(agent, **checked_settings)
