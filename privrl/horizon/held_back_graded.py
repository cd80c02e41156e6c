"""Answers "enough" where rewards and next states are of another kind than before, tried as
:mod:`privrl.horizon.held_back` says.

Most are of :mod:`privrl.horizon.graded`: every action pays something of its own, and where users go
differs by step; the others are of kinds that were tried before, where few states follow or over
``secure``. Sizes, epsilon, gaps and seeds were drawn before anything was run, within what had been
tried (:mod:`privrl.horizon.tried`); left out were worlds for which "enough" is said of more than
16,000 users, and four in which a state comes up so seldom that it is not said at all.
"""

from privrl.horizon.held_back import HeldBack
from privrl.horizon.scaling import NARROW

GRADED_GAPS = (
    HeldBack("graded", "blt", 2, 2, 3, 20, 1.0, 1047, 3_284, 567.0, 0.5),
    HeldBack("graded", "blt", 2, 2, 3, 20, NARROW, 1047, 429, 57.0, 0.5),
    HeldBack("graded", "blt", 6, 4, 2, 50, 1.0, 1050, 11_075, 2_153.0, 0.5),
    HeldBack("graded", "blt", 6, 4, 2, 50, NARROW, 1050, 1_518, 237.0, 0.5),
    HeldBack("graded", "blt", 3, 4, 5, 50, 1.0, 1051, 14_441, 2_710.0, 0.5),
    HeldBack("graded", "blt", 3, 4, 5, 50, NARROW, 1051, 1_976, 143.0, 0.5),
    HeldBack("graded", "blt", 5, 2, 5, 100, 1.0, 1052, 10_503, 1_875.0, 0.5),
    HeldBack("graded", "blt", 5, 2, 5, 100, NARROW, 1052, 1_446, 108.0, 0.5),
)
GRADED_SUPPORTS = (
    HeldBack("graded", "blt", 3, 2, 4, 20, 1.0, 1007, 2_321, 1_183.0, 0.8, 1),
    HeldBack("graded", "blt", 3, 2, 4, 20, NARROW, 1007, 296, 64.0, 0.8, 1),
    HeldBack("graded", "blt", 4, 3, 2, 50, 1.0, 1010, 9_372, 984.0, 0.2, 2),
    HeldBack("graded", "blt", 4, 3, 2, 50, NARROW, 1010, 1_337, 82.0, 0.2, 2),
    HeldBack("graded", "blt", 5, 2, 3, 10, 1.0, 1012, 5_202, 2_710.0, 0.8, 2),
    HeldBack("graded", "blt", 5, 2, 3, 10, NARROW, 1012, 665, 298.0, 0.8, 2),
    HeldBack("graded", "blt", 3, 3, 4, 20, 1.0, 1014, 6_950, 2_254.0, 0.5, 1),
    HeldBack("graded", "blt", 3, 3, 4, 20, NARROW, 1014, 921, 197.0, 0.5, 1),
    HeldBack("graded", "blt", 4, 3, 3, 50, 1.0, 1016, 2_120, 1_239.0, 0.8, 2),
    HeldBack("graded", "blt", 4, 3, 3, 50, NARROW, 1016, 278, 90.0, 0.8, 2),
    HeldBack("graded", "blt", 5, 2, 2, 20, 1.0, 1018, 11_757, 1_297.0, 0.2, 4),
    HeldBack("graded", "blt", 5, 2, 2, 20, NARROW, 1018, 1_622, 131.0, 0.2, 4),
    HeldBack("graded", "blt", 5, 2, 2, 20, 1.0, 1021, 3_177, 1_297.0, 0.5, 1),
    HeldBack("graded", "blt", 5, 2, 2, 20, NARROW, 1021, 416, 216.0, 0.5, 1),
    HeldBack("graded", "blt", 5, 2, 2, 10, 1.0, 1022, 5_037, 2_056.0, 0.5, 1),
    HeldBack("graded", "blt", 5, 2, 2, 10, NARROW, 1022, 651, 237.0, 0.5, 1),
    HeldBack("one", "blt", 3, 3, 3, 50, 1.0, 1023, 2_751, 682.0, 0.5, 2),
    HeldBack("one", "blt", 3, 3, 3, 50, NARROW, 1023, 371, 72.0, 0.5, 2),
    HeldBack("one", "blt", 4, 3, 2, 10, 1.0, 1024, 5_826, 1_964.0, 0.5, 1),
    HeldBack("one", "blt", 4, 3, 2, 10, NARROW, 1024, 759, 326.0, 0.5, 1),
    HeldBack("several", "blt", 5, 2, 3, 20, 1.0, 1025, 5_880, 1_560.0, 0.5, 4),
    HeldBack("several", "blt", 5, 2, 3, 20, NARROW, 1025, 774, 216.0, 0.5, 4),
    HeldBack("several", "blt", 3, 3, 3, 50, 1.0, 1027, 11_151, 2_588.0, 0.2, 2),
    HeldBack("several", "blt", 3, 3, 3, 50, NARROW, 1027, 1_589, 206.0, 0.2, 2),
    HeldBack("few", "blt", 4, 2, 2, 20, 1.0, 1028, 8_651, 2_360.0, 0.2, 2),
    HeldBack("few", "blt", 4, 2, 2, 20, NARROW, 1028, 1_193, 248.0, 0.2, 2),
    HeldBack("few", "blt", 5, 3, 2, 10, 1.0, 1029, 3_333, 1_964.0, 1.0, 1),
    HeldBack("few", "blt", 5, 3, 2, 10, NARROW, 1029, 422, 342.0, 1.0, 1),
    HeldBack("uneven", "blt", 5, 2, 3, 20, 1.0, 1033, 4_736, 1_297.0, 1.0, 1),
    HeldBack("uneven", "blt", 5, 2, 3, 20, NARROW, 1033, 611, 119.0, 1.0, 1),
    HeldBack("uneven", "blt", 4, 2, 3, 50, 1.0, 1034, 4_743, 713.0, 0.5, 3),
    HeldBack("uneven", "blt", 4, 2, 3, 50, NARROW, 1034, 639, 63.0, 0.5, 3),
)
GRADED_SECURE = (
    HeldBack("graded", "secure", 5, 3, 2, 20, 1.0, 1063, 15_057, 4_709.0, 0.8),
    HeldBack("graded", "secure", 5, 3, 2, 20, NARROW, 1063, 1_886, 517.0, 0.8),
    HeldBack("graded", "secure", 2, 3, 3, 50, 1.0, 1066, 7_107, 1_079.0, 0.5),
    HeldBack("graded", "secure", 2, 3, 3, 50, NARROW, 1066, 899, 119.0, 0.5),
    HeldBack("graded", "secure", 3, 4, 2, 20, 1.0, 1070, 9_824, 3_258.0, 0.8),
    HeldBack("graded", "secure", 3, 4, 2, 20, NARROW, 1070, 1_215, 358.0, 0.8),
    HeldBack("graded", "secure", 4, 2, 2, 10, 1.0, 1091, 14_583, 4_497.0, 0.5),
    HeldBack("graded", "secure", 4, 2, 2, 10, NARROW, 1091, 1_814, 494.0, 0.5),
    HeldBack("graded", "secure", 6, 3, 2, 50, 1.0, 1092, 10_301, 3_572.0, 0.8),
    HeldBack("graded", "secure", 6, 3, 2, 50, NARROW, 1092, 1_292, 272.0, 0.8),
    HeldBack("one", "secure", 7, 2, 4, 50, 1.0, 1093, 9_764, 5_928.0, 1.0),
    HeldBack("one", "secure", 7, 2, 4, 50, NARROW, 1093, 1_214, 358.0, 1.0),
    HeldBack("several", "secure", 5, 2, 3, 50, 1.0, 1094, 3_698, 2_056.0, 1.0),
    HeldBack("several", "secure", 5, 2, 3, 50, NARROW, 1094, 449, 180.0, 1.0),
    HeldBack("few", "secure", 2, 2, 4, 10, 1.0, 1096, 4_850, 2_254.0, 1.0),
    HeldBack("few", "secure", 2, 2, 4, 10, NARROW, 1096, 570, 358.0, 1.0),
    HeldBack("uneven", "secure", 3, 2, 4, 50, 1.0, 1098, 12_126, 1_633.0, 0.5),
    HeldBack("uneven", "secure", 3, 2, 4, 50, NARROW, 1098, 1_602, 197.0, 0.5),
)
