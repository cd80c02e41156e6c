"""One comparison of what is committed with what is made: text exactly, numbers as numbers.

Processors differ in the last bits of a number. So a number with a fraction or an exponent agrees with the committed one
within ``RELATIVE`` of it, and a committed zero with what rounding leaves in its place, up to ``ZERO`` of the largest
number of the column (in running text: of the line, or of 1 where that is smaller). Whole numbers, words, versions and
hashes must be equal. One unit of the last of up to ``DIGITS`` significant digits is always more than ``RELATIVE``.
"""

import csv
import re
from collections.abc import Sequence
from itertools import zip_longest

RELATIVE = 1e-9
ZERO = 1e-14
DIGITS = 8
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d*\.?\d+(?:[eE][-+]?\d+)?(?!\w|\.\d)")  # not a part of 3.11.7, 0x1f or a hash


def agree(committed: str, made: str, scale: float) -> bool:
    """Whether two texts are the same but for the rounding of their numbers; ``scale`` is what a zero is held to."""
    if committed == made:
        return True
    before, now = _NUMBER.findall(committed), _NUMBER.findall(made)
    same = _NUMBER.split(committed) == _NUMBER.split(made)
    return same and all(_alike(one, other, scale) for one, other in zip(before, now, strict=True))


def _alike(committed: str, made: str, scale: float) -> bool:
    if committed.lstrip("+-").isdigit() and made.lstrip("+-").isdigit():
        return int(committed) == int(made)
    zero = not committed.strip("+-.eE0")  # 0, 0.00 and 0e+00 are; 0e-20 is a changed digit
    return near(float(committed), float(made), scale if zero else 0.0)


def near(committed: float, made: float, scale: float = 0.0) -> bool:
    """Whether two numbers are the same but for rounding; ``scale`` is what a committed zero is held to."""
    return abs(made - committed) <= (RELATIVE * abs(committed) if committed else ZERO * scale)


def _largest(cells: Sequence[str]) -> float:
    return max((abs(float(number)) for cell in cells for number in _NUMBER.findall(cell)), default=0.0)


def difference(committed: str, made: str, *, table: bool = False) -> str:
    """The first line in which two texts differ, as a sentence; empty when they agree. A ``table`` is CSV."""
    if committed == made:
        return ""
    before, now = committed.split("\n"), made.split("\n")
    left, right = ((list(csv.reader(lines)) if table else [[line] for line in lines]) for lines in (before, now))
    columns = [_largest(column) for column in zip_longest(*left, fillvalue="")] if table else []
    for number, (one, other) in enumerate(zip(left, right, strict=False)):
        scales = columns if table else [min(1.0, _largest(one))]
        if len(one) != len(other) or not all(map(agree, one, other, scales)):
            return f"line {number + 1}: committed {before[number][:160]!r}, made {now[number][:160]!r}"
    return "" if len(left) == len(right) else f"{len(left)} lines committed, {len(right)} made"
