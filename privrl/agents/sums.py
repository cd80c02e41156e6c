"""Two kinds of arrays that look alike, and two marks of records: what a planner may read, and what
it may not.

At run time an :data:`Exact` and a :data:`Noisy` array are plain arrays. The type checker alone sees
which is which: a record of released sums that is made of exact ones is refused, as is a planner
that is handed the record of exact sums.

A record says at its declaration whether a planner may take it. One without a mark is refused like a
secret one.
"""

from typing import NewType, TypeVar

from privrl.types import FloatArray

Exact = NewType("Exact", FloatArray)  #: running sums of what users did; no planner reads them
Noisy = NewType("Noisy", FloatArray)  #: the same with a counter's noise

RecordT = TypeVar("RecordT", bound=type)
PUBLIC: set[type] = set()  #: records that follow from releases and from what is known beforehand
SECRET: set[type] = set()  #: records of the world, of exact sums, or of single episodes


def public(record: RecordT) -> RecordT:
    """A planner may take it."""
    PUBLIC.add(record)
    return record


def secret(record: RecordT) -> RecordT:
    """No planner may take it."""
    SECRET.add(record)
    return record
