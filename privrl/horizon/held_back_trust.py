"""Answers "enough" over ``secure``, tried as :mod:`privrl.horizon.held_back` says.

Five in a hundred users drop out. Sizes, epsilon, gaps and seeds were drawn before anything was run;
left out were worlds for which "enough" is said of more than 20,000 users. Over ``shuffle`` no such
world was run: a batch has thousands of users.
"""

from collections import Counter

from privrl.horizon.held_back import HeldBack
from privrl.horizon.scaling import NARROW

OFTEN = 8  # answers at a size, an epsilon or a gap, for it to be an end of what was tried

HELD_BACK_SECURE = (
    HeldBack("one", "secure", 7, 2, 3, 50, 1.0, 611, 14_967, 3_917.0, 0.5),
    HeldBack("one", "secure", 7, 2, 3, 50, NARROW, 611, 1_911, 472.0, 0.5),
    HeldBack("several", "secure", 4, 4, 2, 20, 1.0, 615, 14_312, 4_709.0, 0.5),
    HeldBack("several", "secure", 4, 4, 2, 20, NARROW, 615, 1_809, 682.0, 0.5),
    HeldBack("few", "secure", 5, 2, 2, 20, 1.0, 616, 3_683, 2_153.0, 1.0),
    HeldBack("few", "secure", 5, 2, 2, 20, NARROW, 616, 440, 248.0, 1.0),
    HeldBack("uneven", "secure", 5, 3, 2, 50, 1.0, 625, 6_486, 1_710.0, 1.0),
    HeldBack("uneven", "secure", 5, 3, 2, 50, NARROW, 625, 806, 172.0, 1.0),
    HeldBack("one", "secure", 2, 4, 2, 5, 1.0, 628, 6_789, 4_295.0, 1.0),
    HeldBack("one", "secure", 2, 4, 2, 5, NARROW, 628, 815, 472.0, 1.0),
    HeldBack("several", "secure", 4, 2, 2, 20, 1.0, 632, 2_541, 1_875.0, 1.0),
    HeldBack("several", "secure", 4, 2, 2, 20, NARROW, 632, 297, 114.0, 1.0),
    HeldBack("few", "secure", 2, 4, 4, 10, 1.0, 633, 11_069, 5_163.0, 1.0),
    HeldBack("few", "secure", 2, 4, 4, 10, NARROW, 633, 1_353, 542.0, 1.0),
    HeldBack("uneven", "secure", 5, 3, 3, 50, 1.0, 636, 13_188, 3_412.0, 1.0),
    HeldBack("uneven", "secure", 5, 3, 3, 50, NARROW, 636, 1_667, 272.0, 1.0),
    HeldBack("one", "secure", 5, 2, 4, 50, 1.0, 638, 5_751, 3_412.0, 1.0),
    HeldBack("one", "secure", 5, 2, 4, 50, NARROW, 638, 699, 248.0, 1.0),
    HeldBack("several", "secure", 3, 4, 4, 20, 1.0, 641, 11_595, 5_662.0, 1.0),
    HeldBack("several", "secure", 3, 4, 4, 20, NARROW, 641, 1_428, 494.0, 1.0),
    HeldBack("few", "secure", 8, 3, 3, 50, 1.0, 648, 12_129, 6_500.0, 1.0),
    HeldBack("few", "secure", 8, 3, 3, 50, NARROW, 648, 1_517, 747.0, 1.0),
    HeldBack("uneven", "secure", 8, 2, 2, 20, 1.0, 649, 15_585, 4_931.0, 1.0),
    HeldBack("uneven", "secure", 8, 2, 2, 20, NARROW, 649, 1_943, 494.0, 1.0),
    HeldBack("one", "secure", 5, 2, 2, 20, 1.0, 650, 8_712, 2_971.0, 0.5),
    HeldBack("one", "secure", 5, 2, 2, 20, NARROW, 650, 1_080, 450.0, 0.5),
    HeldBack("several", "secure", 8, 2, 2, 50, 1.0, 653, 9_557, 3_258.0, 0.5),
    HeldBack("several", "secure", 8, 2, 2, 50, NARROW, 653, 1_208, 430.0, 0.5),
    HeldBack("few", "secure", 2, 4, 3, 50, 1.0, 655, 5_207, 1_490.0, 0.5),
    HeldBack("few", "secure", 2, 4, 3, 50, NARROW, 655, 650, 237.0, 0.5),
    HeldBack("uneven", "secure", 2, 2, 2, 20, 1.0, 662, 12_785, 2_971.0, 0.2),
    HeldBack("uneven", "secure", 2, 2, 2, 20, NARROW, 662, 1_649, 237.0, 0.2),
    HeldBack("one", "secure", 3, 3, 2, 50, 1.0, 663, 1_395, 1_079.0, 1.0),
    HeldBack("one", "secure", 3, 3, 2, 50, NARROW, 663, 161, 60.0, 1.0),
    HeldBack("several", "secure", 3, 2, 4, 20, 1.0, 668, 5_090, 2_710.0, 1.0),
    HeldBack("several", "secure", 3, 2, 4, 20, NARROW, 668, 609, 197.0, 1.0),
    HeldBack("few", "secure", 3, 4, 4, 50, 1.0, 671, 6_017, 2_971.0, 1.0),
    HeldBack("few", "secure", 3, 4, 4, 50, NARROW, 671, 735, 259.0, 1.0),
    HeldBack("uneven", "secure", 2, 2, 4, 50, 1.0, 682, 1_827, 858.0, 1.0),
    HeldBack("uneven", "secure", 2, 2, 4, 50, NARROW, 682, 216, 35.0, 1.0),
    HeldBack("one", "secure", 5, 4, 3, 20, 1.0, 685, 16_166, 9_395.0, 1.0),
    HeldBack("one", "secure", 5, 4, 3, 20, NARROW, 685, 2_024, 819.0, 1.0),
    HeldBack("several", "secure", 4, 3, 2, 50, 1.0, 686, 2_190, 1_359.0, 1.0),
    HeldBack("several", "secure", 4, 3, 2, 50, NARROW, 686, 261, 136.0, 1.0),
    HeldBack("few", "secure", 8, 3, 4, 50, 1.0, 689, 19_362, 8_972.0, 1.0),
    HeldBack("few", "secure", 8, 3, 4, 50, NARROW, 689, 2_451, 747.0, 1.0),
    HeldBack("uneven", "secure", 6, 2, 4, 50, 1.0, 691, 16_116, 4_497.0, 1.0),
    HeldBack("uneven", "secure", 6, 2, 4, 50, NARROW, 691, 2_031, 259.0, 1.0),
    HeldBack("one", "secure", 3, 3, 2, 50, 1.0, 692, 1_395, 1_079.0, 1.0),
    HeldBack("one", "secure", 3, 3, 2, 50, NARROW, 692, 161, 99.0, 1.0),
    HeldBack("several", "secure", 2, 2, 4, 20, 1.0, 694, 2_730, 1_423.0, 1.0),
    HeldBack("several", "secure", 2, 2, 4, 20, NARROW, 694, 317, 90.0, 1.0),
    HeldBack("few", "secure", 6, 2, 3, 10, 1.0, 695, 16_662, 8_569.0, 1.0),
    HeldBack("few", "secure", 6, 2, 3, 10, NARROW, 695, 2_060, 682.0, 1.0),
    HeldBack("uneven", "secure", 2, 2, 2, 10, 1.0, 697, 6_036, 1_183.0, 0.5),
    HeldBack("uneven", "secure", 2, 2, 2, 10, NARROW, 697, 719, 197.0, 0.5),
    HeldBack("one", "secure", 2, 3, 4, 10, 1.0, 698, 7_991, 3_572.0, 1.0),
    HeldBack("one", "secure", 2, 3, 4, 10, NARROW, 698, 971, 298.0, 1.0),
    HeldBack("several", "secure", 7, 2, 4, 20, 1.0, 701, 19_115, 10_787.0, 1.0),
    HeldBack("several", "secure", 7, 2, 4, 20, NARROW, 701, 2_388, 819.0, 1.0),
    HeldBack("few", "secure", 3, 2, 2, 10, 1.0, 707, 2_837, 1_560.0, 1.0),
    HeldBack("few", "secure", 3, 2, 2, 10, NARROW, 707, 326, 248.0, 1.0),
    HeldBack("uneven", "secure", 5, 2, 3, 20, 1.0, 713, 15_353, 3_917.0, 1.0),
    HeldBack("uneven", "secure", 5, 2, 3, 20, NARROW, 713, 1_911, 375.0, 1.0),
)


def ranges() -> dict[str, tuple[float, float]]:
    """By field of a row the least and the largest value at which ``OFTEN`` answers were tried."""
    counts = {
        field: Counter(float(getattr(row, field)) for row in HELD_BACK_SECURE)
        for field in ("states", "actions", "horizon", "epsilon", "gap")
    }
    often = {
        field: [value for value, number in values.items() if number >= OFTEN]
        for field, values in counts.items()
    }
    return {field: (min(values), max(values)) for field, values in often.items()}


def within(**asked: float) -> tuple[str, bool]:
    """The ranges in words, and whether what is asked for, a value for each field, is in them."""
    ends = ranges()
    words = ", ".join(f"{field} {low:g} to {high:g}" for field, (low, high) in ends.items())
    slack = 1e-9  # a gap of a file is computed
    return words, all(
        low * (1 - slack) <= asked[field] <= high * (1 + slack)
        for field, (low, high) in ends.items()
    )
