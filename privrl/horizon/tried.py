"""Where "enough" may be said: no further than answers were tried on worlds that were held back.

A question is within a table of such answers if in each field, and each way, ``OFTEN`` of them at
least are at its value or beyond: sizes, epsilon, the gap, how often a state comes up, and, which
bounds these together, H S A and the users that enough is said for. Proved and narrowed widths have
answers of their own. Every table by itself keeps to one wrong answer in twenty at most.
"""

import functools
import math
from collections.abc import Iterable
from typing import NamedTuple

from privrl.horizon import held_back, held_back_corners, held_back_gaps, held_back_supports
from privrl.horizon.held_back import HeldBack
from privrl.horizon.held_back_trust import HELD_BACK_SECURE
from privrl.horizon.scaling import GAP, share

OFTEN = 4  # answers at a value or beyond
LAST_DIGITS = 1e-9  # a gap of a file, and how often its states come up, are computed

ALIKE: tuple[HeldBack, ...] = (*held_back.HELD_BACK, *held_back_corners.HELD_BACK_CORNERS)
UNLIKE: tuple[HeldBack, ...] = (
    *held_back_gaps.HELD_BACK_GAPS,
    *held_back_corners.HELD_BACK_CORNER_GAPS,
)
TABLES: tuple[tuple[HeldBack, ...], ...] = (
    ALIKE,
    UNLIKE,
    held_back_supports.HELD_BACK_SUPPORTS,
    HELD_BACK_SECURE,
)
JOINT = ("pairs", "users")  # which bound the other fields together
WORDS = {
    "states": "states was {}",
    "actions": "actions was {}",
    "horizon": "horizon was {}",
    "epsilon": "epsilon was {}",
    "gap": "the gap was {}",
    "share": "a state came up {} times as often as if all did alike",
    "pairs": "H S A was {}",
    "users": "{} users were enough",
}


class Coordinates(NamedTuple):
    """A question, or a tried answer."""

    states: float
    actions: float
    horizon: float
    epsilon: float
    gap: float  #: what a wrong action costs
    share: float  #: how often the rarest state comes up, over 1 / S
    pairs: float  #: H S A
    users: float  #: that enough is said for


def table(counter: str, *, gap: float, share: float, dense: bool) -> tuple[HeldBack, ...]:
    """The answers with which such a question is compared, none where nothing of the kind was tried;
    ``dense`` where every state can follow."""
    rows: tuple[HeldBack, ...]
    if counter == "secure":
        rows = HELD_BACK_SECURE if dense else ()
    elif not dense:
        rows = held_back_supports.HELD_BACK_SUPPORTS
    else:
        rows = ALIKE if min(gap / GAP, share) >= 1 - LAST_DIGITS else UNLIKE
    return tuple(row for row in rows if row.counter == counter)


@functools.cache
def coordinates(row: HeldBack) -> Coordinates:
    """Of a tried answer."""
    pairs = row.horizon * row.states * row.actions
    alike = share(row.mdp) if row.kind == "uneven" else 1.0
    return Coordinates(
        *(row.states, row.actions, row.horizon, row.epsilon, row.gap), alike, pairs, row.users
    )


def ranges(rows: Iterable[HeldBack]) -> dict[str, tuple[float, float]]:
    """By field the values at which, or beyond which, ``OFTEN`` answers were tried each way."""
    tried_at = [coordinates(row) for row in rows]
    columns = {
        field: sorted(getattr(place, field) for place in tried_at) for field in Coordinates._fields
    }
    return {field: (values[OFTEN - 1], values[-OFTEN]) for field, values in columns.items()}


def outside(question: Coordinates, rows: Iterable[HeldBack]) -> list[str]:
    """Fields in which a question is not within those answers, with what was tried, in words; those
    that bound the others together only where all others are."""
    away = {
        field: WORDS[field].format(span(low, high))
        for field, (low, high) in ranges(rows).items()
        if not low * (1 - LAST_DIGITS) <= getattr(question, field) <= high * (1 + LAST_DIGITS)
    }
    alone = [words for field, words in away.items() if field not in JOINT]
    return alone or [*away.values()]


def span(low: float, high: float) -> str:
    """A range in words, its ends within it."""
    low_words, high_words = (
        f"{value:,.0f}" if value == round(value) else f"{value:.2f}"
        for value in (math.ceil(low * 100 - 1e-9) / 100, math.floor(high * 100 + 1e-9) / 100)
    )
    return low_words if low_words == high_words else f"{low_words} to {high_words}"
