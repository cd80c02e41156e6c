"""Directed rounding: a number that is certainly not below, or not above, what its rounded
computation stands for."""

import math

UNIT = 2.0**-53  # unit roundoff of a double


def up(value: float, relative: float = 8 * UNIT) -> float:
    """``value`` > 0 and a little more; the default is more than four roundings."""
    return math.nextafter(value * (1 + relative), math.inf)


def down(value: float, relative: float = 8 * UNIT) -> float:
    """``value`` > 0 and a little less."""
    return math.nextafter(value * (1 - relative), 0.0)
