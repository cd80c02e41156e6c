"""What is said of an algorithm before its module is imported."""

from dataclasses import dataclass


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
