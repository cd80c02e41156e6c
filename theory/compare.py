"""One comparison of what is committed with what is made: text exactly, numbers as numbers.

Processors differ in the last bits of a number. So a number with a fraction or an exponent agrees
with the committed one within ``RELATIVE`` of it, and a committed zero with what rounding leaves in
its place, up to ``ZERO`` of the largest number of the column (in running text: of the line, or of 1
where that is smaller). Whole numbers, words, versions and hashes must be equal. One unit of the
last of up to ``DIGITS`` significant digits is always more than ``RELATIVE``.
"""

import csv
import re
from collections.abc import Sequence
from itertools import zip_longest

RELATIVE = 1e-9
ZERO = 1e-14
DIGITS = 8
# not a part of 3.11.7, 0x1f or a hash
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d*\.?\d+(?:[eE][-+]?\d+)?(?!\w|\.\d)")


def agree(committed: str, fresh: str, scale: float) -> bool:
    """Whether two texts are the same but for the rounding of their numbers; ``scale`` is what a
    zero is held to."""
    if committed == fresh:
        return True
    before, now = _NUMBER.findall(committed), _NUMBER.findall(fresh)
    same = _NUMBER.split(committed) == _NUMBER.split(fresh)
    return same and all(
        _alike(committed_number, fresh_number, scale)
        for committed_number, fresh_number in zip(before, now, strict=True)
    )


def _alike(committed: str, fresh: str, scale: float) -> bool:
    if committed.lstrip("+-").isdigit() and fresh.lstrip("+-").isdigit():
        return int(committed) == int(fresh)
    zero = not committed.strip("+-.eE0")  # 0, 0.00 and 0e+00 are; 0e-20 is a changed digit
    return near(float(committed), float(fresh), scale if zero else 0.0)


def near(committed: float, fresh: float, scale: float = 0.0) -> bool:
    """Whether two numbers are the same but for rounding; ``scale`` is what a committed zero is held
    to."""
    return abs(fresh - committed) <= (RELATIVE * abs(committed) if committed else ZERO * scale)


def _largest(cells: Sequence[str]) -> float:
    return max(
        (abs(float(number)) for cell in cells for number in _NUMBER.findall(cell)), default=0.0
    )


def difference(committed: str, fresh: str, *, table: bool = False) -> str:
    """The first line in which two texts differ, as a sentence; empty when they agree. A ``table``
    is CSV."""
    if committed == fresh:
        return ""
    before, now = committed.split("\n"), fresh.split("\n")
    left_side, right = (
        (list(csv.reader(lines)) if table else [[line] for line in lines])
        for lines in (before, now)
    )
    columns = (
        [_largest(column) for column in zip_longest(*left_side, fillvalue="")] if table else []
    )
    for number, (committed_row, fresh_row) in enumerate(zip(left_side, right, strict=False)):
        scales = columns if table else [min(1.0, _largest(committed_row))]
        if len(committed_row) != len(fresh_row) or not all(
            map(agree, committed_row, fresh_row, scales)
        ):
            return (
                f"line {number + 1}: committed {before[number][:160]!r}, made {now[number][:160]!r}"
            )
    return (
        ""
        if len(left_side) == len(right)
        else f"{len(left_side)} lines committed, {len(right)} made"
    )
