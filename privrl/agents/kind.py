"""What is said of an algorithm before its module is imported."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """One algorithm."""

    name: str  #: as on the command line
    module: str  #: where its class stands
    of: str  #: name of the class
    counter: str  #: the paper's own
    fixed: tuple[tuple[str, str], ...] = ()  #: fields that make this algorithm out of the class
    calibration: str = "printed"  #: where none is asked for
