"""What a client of a service sends: a finished episode, as JSON."""

import json
from typing import Any, NamedTuple

from privrl.checks import require

LONGEST = 10**5  #: bytes of a submission
MOST_DIGITS = 310  # signs included: Python reads no more than some thousands
LARGEST = 2**1000  # of its numbers: what floats hold, and products of some of them
FIELDS = ("user", "plan", "states", "actions", "rewards")
Column = list[int | float] | list[list[int | float]]


class Submission(NamedTuple):
    """The arguments of :meth:`privrl.online.Session.observe`, in its order."""

    trajectory: tuple[Column, Column, Column]  #: states, actions, rewards
    user: int
    plan: int


def parse(text: bytes | str) -> Submission:
    """A submission that somebody sent who may be anybody.

    Parameters
    ----------
    text : a JSON object with ``user`` and ``plan``, whole numbers, and ``states``, ``actions`` and
        ``rewards``, lists of numbers, or of vectors; whatever else it has is not read. No name
        comes twice. At most ``LONGEST`` bytes

    Raises
    ------
    ValueError
        Anything else, in one sentence. Nothing is interpreted by way of a float: 0.5 is no user,
        and 1e999 no number.
    """
    require(isinstance(text, bytes | str), "a submission must be bytes or text", text=text)
    require(
        len(text) <= LONGEST, f"a submission must have at most {LONGEST} bytes", bytes=len(text)
    )
    try:
        content = json.loads(
            text, parse_constant=_no_number, parse_int=_whole, object_pairs_hook=_object
        )
    except RecursionError:
        raise ValueError("a submission must be JSON of few levels") from None
    except ValueError as error:  # no JSON, or no UTF-8
        raise ValueError(f"a submission must be JSON: {error}") from None
    require(
        isinstance(content, dict),
        f"a submission must be an object of {', '.join(FIELDS)}",
        **_shown("submission", content),
    )
    missing = ", ".join(name for name in FIELDS if name not in content)
    require(not missing, f"a submission must have {', '.join(FIELDS)}", missing=missing)
    for name in ("user", "plan"):
        require(
            type(content[name]) is int,
            f"{name} must be a whole number",
            **_shown(name, content[name]),
        )
    for name in ("states", "actions", "rewards"):
        value = content[name]
        require(
            _numbers(value)
            or (isinstance(value, list) and all(_numbers(vector) for vector in value)),
            f"{name} must be a list of finite numbers, or of vectors of them",
            **_shown(name, value),
        )
    trajectory = content["states"], content["actions"], content["rewards"]
    return Submission(trajectory, content["user"], content["plan"])


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of two values under one name Python would take the last, and another reader the first."""
    fields: dict[str, Any] = {}
    for name, value in pairs:
        require(name not in fields, "an object must have each name once", name=name)
        fields[name] = value
    return fields


def _whole(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"a whole number must have at most {MOST_DIGITS} digits")
    return int(digits)


def _no_number(constant: str) -> float:
    raise ValueError(f"{constant} is no number")


def _numbers(value: Any) -> bool:
    """Whether it is a list of numbers that a float can hold."""
    return isinstance(value, list) and all(
        type(number) in (int, float) and abs(number) <= LARGEST for number in value
    )


def _shown(name: str, value: Any) -> dict[str, Any]:
    """For a message: a number or a text, or of what kind it is in JSON's words."""
    kind = {dict: "object", list: "list", type(None): "null"}.get(type(value))
    return {name: value} if kind is None else {"kind": kind}
