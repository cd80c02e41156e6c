"""What an agent says of itself, where its class stands."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from privrl import types

ClassT = TypeVar("ClassT", bound=type[Any])

#: How noise and widths are chosen; which of these an agent has is ``calibrations`` of its class.
AGENT_CALIBRATIONS = (*types.CALIBRATIONS, "pruned", "tuned")


@dataclass(frozen=True)
class Kind:
    """One algorithm; its class has the attributes ``calibrations`` too."""

    name: str  #: as on the command line
    title: str  #: as in sentences: the algorithm, whatever adds the noise
    agent_class: type[Any]
    paper: str  #: whose small setting it has: its own, or that of the paper that it follows
    counter: str  #: that its paper runs it over
    plays: str  #: the problems of this kind (:mod:`privrl.environments.problems`)
    calibration: str  #: where none is asked for
    fixed: tuple[tuple[str, str], ...]  #: fields that make this algorithm out of the class
    rank: int  #: its place among those of its family
    advised: bool  #: first on a problem of a reader's own

    @property
    def family(self) -> str:
        """The folder that it stands in."""
        return str(self.agent_class.__module__).split(".")[-2]

    @property
    def calibrations(self) -> tuple[str, ...]:
        """Those that it has."""
        calibrations: tuple[str, ...] = self.agent_class.calibrations
        return calibrations


def agent(
    name: str,
    *,
    title: str = "",
    paper: str,
    counter: str,
    plays: str,
    calibration: str = "printed",
    fixed: tuple[tuple[str, str], ...] = (),
    rank: int = 100,
    advised: bool = False,
) -> Callable[[ClassT], ClassT]:
    """Declare the class below as an agent of this name; fields as of :class:`Kind`.

    A class that is several algorithms is declared several times, and a subclass anew.
    """

    def declare(agent_class: ClassT) -> ClassT:
        kind = Kind(
            name=name,
            title=title or name,
            agent_class=agent_class,
            paper=paper,
            counter=counter,
            plays=plays,
            calibration=calibration,
            fixed=fixed,
            rank=rank,
            advised=advised,
        )
        agent_class.kinds = (kind, *vars(agent_class).get("kinds", ()))
        return agent_class

    return declare
