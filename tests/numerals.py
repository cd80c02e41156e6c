"""Numbers in a text, and whether a record has them, exact or rounded."""

import re
from collections.abc import Iterable

NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?")
POWER = re.compile(r"\s?\\cdot\s*10\^\{?(-?\d+)\}?")  # as TeX has it


def numerals(text: str) -> set[str]:
    """The numbers of a text as they are written, TeX's powers of ten with an e."""
    return set(NUMBER.findall(POWER.sub(r"e\1", text)))


def numbers(text: str) -> set[float]:
    return {float(numeral) for numeral in numerals(text)}


def rounds_to(value: float, numeral: str) -> bool:
    """Whether a numeral with a point, so of two figures at least, is what ``value`` rounds to."""
    mantissa, _, _ = numeral.partition("e")
    decimals = len(mantissa.replace(".", "").lstrip("0")) - 1
    return "." in mantissa and f"{value:.{decimals}e}" == f"{float(numeral):.{decimals}e}"


def loose(text: str, recorded: Iterable[float]) -> set[float]:
    """Numbers of a text that are none of the recorded ones, and that none rounds to."""
    known = set(recorded)
    return {
        float(numeral)
        for numeral in numerals(text)
        if float(numeral) not in known and not any(rounds_to(value, numeral) for value in known)
    }
