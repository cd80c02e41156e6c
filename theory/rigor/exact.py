"""Exact computing: fractions, exhaustion, and numbers that agree at two precisions."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import mpmath as mp

X = TypeVar("X")


def at_precision(compute: Callable[[], Any], digits: int = 50) -> mp.mpf:
    """The value of ``compute`` in mpmath, the same at ``digits`` and at twice as many digits.

    Raises
    ------
    ArithmeticError
        The two values differ in the first ``digits - 10`` digits: cancellation, or a series cut
        short.
    """
    with mp.workdps(digits):
        first = mp.mpf(compute())
    with mp.workdps(2 * digits):
        second = mp.mpf(compute())
        if abs(first - second) > mp.mpf(10) ** (10 - digits) * max(1, abs(second)):
            raise ArithmeticError(
                f"{digits} digits do not suffice, got {mp.nstr(first, 15)} and "
                f"{mp.nstr(second, 15)}"
            )
        return second


def holds_for_all(cases: Iterable[X], predicate: Callable[[X], bool], least: int = 1) -> bool:
    """Whether the predicate holds for every case; as an empty list proves nothing, there must be at
    least ``least``.

    Raises
    ------
    ValueError
        Fewer cases than ``least``.
    """
    checked = 0
    for case in cases:
        if not predicate(case):
            return False
        checked += 1
    if checked < least:
        raise ValueError(f"exhaustion must see at least {least} cases, got {checked}")
    return True
