"""Fields of the summaries and the errata: ``{name:format}`` stands for a number of a record.

The numbers are those that a check hands to its trials (:class:`theory.claim.Trial`), the format is
Python's. Inside a formula an exponent is a power of ten, outside it is short: ``1e-6``.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from privrl.checks import require
from theory.formulas import scientific

FIELD = re.compile(r"\{([a-z]\w*):([^{}]*)\}")
_FORMULA = re.compile(r"(\$[^$]*\$)")


def collected(records: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """The numbers of records, of which no two may say different things by one name.

    Raises
    ------
    ValueError
        They do.
    """
    numbers: dict[str, float] = {}
    for record in records:
        for name, number in record.get("numbers", {}).items():
            same = numbers.setdefault(name, number) == number
            require(same, "a name must have one number", name=name, numbers=(numbers[name], number))
    return numbers


def filled(text: str, numbers: Mapping[str, float]) -> str:
    """The text with its fields filled in.

    Raises
    ------
    ValueError
        A field is none of the numbers.
    """
    unknown = sorted({match[1] for match in FIELD.finditer(text)} - set(numbers))
    require(not unknown, "a field must be a number of a record", fields=unknown)

    def power(match: re.Match[str]) -> str:
        return scientific(numbers[match[1]], match[2])

    def short(match: re.Match[str]) -> str:
        return re.sub(r"e\+?(-?)0*(?=\d)", r"e\1", format(numbers[match[1]], match[2]))

    pieces = _FORMULA.split(text)
    return "".join(
        FIELD.sub(power if place % 2 else short, piece) for place, piece in enumerate(pieces)
    )


def blanked(text: str) -> str:
    """The text with a blank for each field."""
    return FIELD.sub("\0", text)
