"""A row of the answer to how many users an algorithm needs."""

from dataclasses import dataclass


@dataclass(frozen=True)
class HorizonRow:
    """One agent, counter and calibration."""

    agent: str  #: its name in ``privrl.agents.registry``
    counter: str
    calibration: str
    #: the text of :mod:`theory.horizons` and ``MEANS`` of the paper; None: not before the last
    #: episode that was tried
    start: int | None
    #: from here on the regret bound says something; None: no bound is worked out
    below_trivial: int | None
