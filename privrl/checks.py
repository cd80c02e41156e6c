"""What every entrance asks of a value, and the sizes that are refused.

What a parameter's line asks for is checked at every entrance, by the functions below:
``ValueError`` says the requirement, then the value. Under *Raises* a docstring names what is
refused beyond that.
"""

import math
import numbers
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

KindT = TypeVar("KindT")
MOST_EPISODES = 2**53  # beyond, counts of episodes are no longer exact in floating point
# of a model and of a request, by the names of the arguments: lists and tables of these lengths are
# made
LARGEST_SIZES = dict.fromkeys(
    ("horizon", "states", "actions", "controls", "dimension", "dim", "d"), 10**6
)
LARGEST_SIZES |= {"replicates": 10**6, "jobs": 10**4, "trials": 10**9, "releases": 2**62}

MOST_NUMBERS = 10**9  # of one array that is made: 8 GB
# of epsilon, delta, a failure probability and a constant: with less, products leave floating point
LEAST_PARAMETER = 1e-20


def require(condition: bool, requirement: str, **values: Any) -> None:
    """Raise ``ValueError`` saying the requirement, then the values that broke it."""
    if not condition:
        values_ = ", ".join(f"{name}={_shown(value)}" for name, value in values.items())
        raise ValueError(f"{requirement}, got {values_}" if values_ else requirement)


def _shown(value: Any) -> str:
    """``value`` on one line, shortened, a NumPy scalar as the plain number: a message stays one
    sentence."""
    if isinstance(value, np.ndarray):
        return f"array of shape {value.shape}"
    try:
        text = " ".join(repr(value.item() if isinstance(value, np.generic) else value).split())
    except ValueError:  # Python refuses to print an int of more than 4300 digits
        return f"{type(value).__name__} of many digits"
    return text if len(text) <= 100 else f"{text[:97]}..."


def positive(name: str, value: float) -> float:
    """``value`` as a float that is finite and > 0, or ``ValueError``."""
    number = real(name, value)
    require(math.isfinite(number) and number > 0, f"{name} must be > 0 and finite", **{name: value})
    return number


def real(name: str, value: float) -> float:
    """``value`` as a float, or ``ValueError`` when it is no real number (bool and str are refused,
    NaN too)."""
    refused = isinstance(value, (bool, np.bool_, str, bytes, np.ndarray)) or value is None
    require(not refused, f"{name} must be a real number", **{name: value})
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} must be a real number, got {name}={_shown(value)}") from None
    require(not math.isnan(number), f"{name} must be a real number", **{name: value})
    return number


def probability(name: str, value: float, *, zero: bool = False, one: bool = False) -> float:
    """``value`` inside (0, 1), the ends included where asked, or ``ValueError``."""
    number = real(name, value)
    low = number >= 0 if zero else number > 0
    high = number <= 1 if one else number < 1
    interval = f"{'[' if zero else '('}0, 1{']' if one else ')'}"
    require(low and high, f"{name} must be in {interval}", **{name: value})
    return number


def parameter(name: str, value: float, least: float = LEAST_PARAMETER) -> float:
    """``value`` as a float from ``least`` to ``1 / least``, or ``ValueError``: an epsilon or a
    constant."""
    number = positive(name, value)
    most = float(f"{1 / least:g}")  # as the message has it: 1 / 1e-30 is the float below 1e30
    require(
        least <= number <= most,
        f"{name} must be in [{least:g}, {most:g}]",
        **{name: value},
    )
    return number


def failure(name: str, value: float, *, zero: bool = False) -> float:
    """``value`` in [``LEAST_PARAMETER``, 1), or 0 where asked, or ``ValueError``: a delta or a
    failure probability."""
    number = probability(name, value, zero=zero)
    require(
        number >= LEAST_PARAMETER or number == 0,
        f"{name} must be >= {LEAST_PARAMETER:g}{' or 0' if zero else ''}",
        **{name: value},
    )
    return number


def count(name: str, value: int | float, least: int = 1, most: float = math.inf) -> int:
    """``value`` as an int from ``least`` to ``most`` and to the name's in ``LARGEST_SIZES``.

    ``1e6`` is such an int.
    """
    number = real(name, value)
    require(
        math.isfinite(number) and number == int(number),
        f"{name} must be a whole number",
        **{name: value},
    )
    require(int(value) >= least, f"{name} must be >= {least}", **{name: value})
    most = min(most, LARGEST_SIZES.get(name, math.inf))
    require(int(value) <= most, f"{name} must be <= {most}", **{name: value})
    return int(value)


def planned_episodes(value: int, least: int = 1, name: str = "episodes") -> int:
    """``value`` as a planned number of episodes, ``least``..2^53, or ``ValueError``."""
    return count(name, value, least, MOST_EPISODES)


def flag(name: str, value: bool) -> bool:
    """``value`` when it is True or False, or ``ValueError``: "no" and 0.0 are not taken for
    switches."""
    require(isinstance(value, (bool, np.bool_)), f"{name} must be True or False", **{name: value})
    return bool(value)


def choice(name: str, value: str, allowed: tuple[str, ...]) -> str:
    """``value`` when it is one of ``allowed``, or ``ValueError``."""
    require(
        isinstance(value, str) and value in allowed,
        f"{name} must be one of {', '.join(allowed)}",
        **{name: value},
    )
    return value


def instance(name: str, value: Any, kind: type[KindT]) -> KindT:
    """``value`` when it is a ``kind``, or ``ValueError``."""
    if not isinstance(
        value, kind
    ):  # every block of a run is asked, and the message costs more than the question
        require(False, f"{name} must be of type {kind.__name__}", **{name: value})
    return cast(KindT, value)


def provides(name: str, value: Any, protocol: type[KindT]) -> KindT:
    """``value`` when it has every attribute of ``protocol``, also one that ``__getattr__`` hands
    on, or ``ValueError``.

    ``isinstance`` against a runtime-checkable protocol does not see what is handed on from Python
    3.12 on.
    """
    missing = [
        verb for verb in vars(protocol) if not verb.startswith("_") and not hasattr(value, verb)
    ]
    require(
        not missing,
        f"{name} must be of type {protocol.__name__} (missing: {', '.join(missing)})",
        **{name: value},
    )
    return cast(KindT, value)


def array(name: str, value: Any, shape: tuple[int | None, ...]) -> NDArray[np.float64]:
    """A read-only, finite float64 copy of ``value`` with the given shape (``None``: any length >=
    1)."""
    result: NDArray[np.float64] | None = None
    entries = value if isinstance(value, (list, tuple)) else (value,)
    masked = any(isinstance(entry, np.ndarray) and hasattr(entry, "mask") for entry in entries)
    require(not masked, f"{name} must have no masked values", **{name: "a masked array"})
    try:
        converted = np.asarray(value)
        # NumPy would read "1.5" as a number, None as NaN, a date as a count of days, and drop an
        # imaginary part
        exact = converted.dtype.kind == "O" and all(
            isinstance(entry, numbers.Real) for entry in converted.flat
        )
        if exact or converted.dtype.kind in "biuf":
            result = np.array(converted, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):  # ragged, or an int that no float holds
        pass
    if result is None:
        kind = "None" if value is None else type(value).__name__
        if isinstance(value, np.ndarray):
            kind = f"array of {value.dtype.name}"
        raise ValueError(f"{name} must be an array of real numbers, got {name} of type {kind}")
    fits = result.ndim == len(shape) and all(
        want == have if want is not None else have >= 1
        for want, have in zip(shape, result.shape, strict=True)
    )
    dimensions = "(" + ", ".join("any" if want is None else str(want) for want in shape) + ")"
    require(fits, f"{name} must have shape {dimensions}", shape=result.shape)
    require(bool(np.isfinite(result).all()), f"{name} must be finite", **{name: "NaN or infinity"})
    result.setflags(write=False)
    return result


def named(name: str) -> None:
    """Refuse a name that is no text."""
    require(
        isinstance(name, str) and bool(name.strip()), "name must be a non-empty string", name=name
    )


def rows_sum(name: str, rows: NDArray[np.float64]) -> None:
    """Refuse what is no probability distribution along the last axis."""
    require(bool((rows >= 0).all()), f"{name} must be >= 0", smallest=float(rows.min()))
    sums = rows.sum(axis=-1)
    worst = float(sums.flat[int(np.abs(sums - 1).argmax())])
    require(abs(worst - 1) <= 1e-9, f"every row of {name} must sum to 1", sum=worst)


def settle(record: Any, **values: Any) -> None:
    """Set fields of a frozen record to what has been checked."""
    for name, value in values.items():
        object.__setattr__(record, name, value)


def every_step(name: str, value: Any, axes: int, horizon: int) -> NDArray[np.float64]:
    """``value`` with a first axis of steps: where it has one axis less than asked for, the same at
    each."""
    try:
        lacks = np.ndim(value) == axes - 1
    except ValueError:  # ragged
        lacks = False
    if not lacks:
        return array(name, value, (None,) * axes)
    require(
        horizon > 0,
        f"{name} that are the same at every step must come with horizon",
        shape=np.shape(value),
    )
    table = array(name, value, (None,) * (axes - 1))
    require(
        horizon * table.size <= MOST_NUMBERS,
        f"{name} must have at most {MOST_NUMBERS} numbers over all steps",
        horizon=horizon,
        shape=table.shape,
    )
    return array(name, np.repeat(table[None], horizon, axis=0), (horizon, *table.shape))
