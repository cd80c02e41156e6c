"""Answers "enough" where few states can follow, tried as :mod:`privrl.horizon.held_back` says.

Each state leads to 1, 2 or all but one, and the agent is not told to which. Sizes, epsilon and
seeds were drawn before anything was run; left out were worlds for which "enough" is said of more
than 8,000 users, or 16,000 where states come up unequally often.
"""

from privrl.horizon.held_back import HeldBack
from privrl.horizon.scaling import NARROW

HELD_BACK_SUPPORTS = (
    HeldBack("one", "blt", 3, 2, 4, 20, 1.0, 400, 1_734, 1_079.0, 1.0, 1),
    HeldBack("one", "blt", 3, 2, 4, 20, NARROW, 400, 218, 69.0, 1.0, 1),
    HeldBack("several", "blt", 7, 3, 2, 50, 1.0, 401, 4_992, 1_710.0, 0.5, 1),
    HeldBack("several", "blt", 7, 3, 2, 50, NARROW, 401, 677, 226.0, 0.5, 1),
    HeldBack("few", "blt", 4, 2, 2, 50, 1.0, 403, 5_903, 1_560.0, 0.2, 1),
    HeldBack("few", "blt", 4, 2, 2, 50, NARROW, 403, 837, 104.0, 0.2, 1),
    HeldBack("one", "blt", 4, 3, 3, 50, 1.0, 404, 1_563, 1_079.0, 1.0, 2),
    HeldBack("one", "blt", 4, 3, 3, 50, NARROW, 404, 201, 82.0, 1.0, 2),
    HeldBack("several", "blt", 3, 3, 3, 10, 1.0, 410, 7_152, 1_964.0, 0.5, 2),
    HeldBack("several", "blt", 3, 3, 3, 10, NARROW, 410, 933, 226.0, 0.5, 2),
    HeldBack("few", "blt", 5, 2, 2, 50, 1.0, 430, 7_920, 1_710.0, 0.2, 2),
    HeldBack("few", "blt", 5, 2, 2, 50, NARROW, 430, 1_124, 237.0, 0.2, 2),
    HeldBack("one", "blt", 4, 2, 4, 50, 1.0, 431, 1_505, 984.0, 1.0, 3),
    HeldBack("one", "blt", 4, 2, 4, 50, NARROW, 431, 192, 46.0, 1.0, 3),
    HeldBack("several", "blt", 3, 3, 4, 50, 1.0, 432, 4_178, 1_130.0, 0.5, 2),
    HeldBack("several", "blt", 3, 3, 4, 50, NARROW, 432, 564, 119.0, 0.5, 2),
    HeldBack("few", "blt", 3, 2, 2, 50, 1.0, 446, 4_055, 898.0, 0.2, 2),
    HeldBack("few", "blt", 3, 2, 2, 50, NARROW, 446, 575, 131.0, 0.2, 2),
    HeldBack("one", "blt", 5, 2, 4, 50, 1.0, 448, 5_369, 1_490.0, 0.5, 1),
    HeldBack("one", "blt", 5, 2, 4, 50, NARROW, 448, 722, 157.0, 0.5, 1),
    HeldBack("several", "blt", 3, 3, 2, 50, 1.0, 449, 6_449, 1_560.0, 0.2, 1),
    HeldBack("several", "blt", 3, 3, 2, 50, NARROW, 449, 920, 86.0, 0.2, 1),
    HeldBack("few", "blt", 3, 3, 4, 50, 1.0, 450, 1_595, 940.0, 1.0, 1),
    HeldBack("few", "blt", 3, 3, 4, 50, NARROW, 450, 206, 72.0, 1.0, 1),
    HeldBack("one", "blt", 4, 3, 2, 50, 1.0, 451, 2_279, 747.0, 0.5, 2),
    HeldBack("one", "blt", 4, 3, 2, 50, NARROW, 451, 306, 82.0, 0.5, 2),
    HeldBack("several", "blt", 3, 2, 3, 50, 1.0, 453, 7_028, 1_490.0, 0.2, 2),
    HeldBack("several", "blt", 3, 2, 3, 50, NARROW, 453, 995, 114.0, 0.2, 2),
    HeldBack("few", "blt", 4, 2, 3, 10, 1.0, 454, 2_810, 1_297.0, 1.0, 2),
    HeldBack("few", "blt", 4, 2, 3, 10, NARROW, 454, 353, 172.0, 1.0, 2),
    HeldBack("one", "blt", 4, 2, 2, 10, 1.0, 455, 3_626, 1_183.0, 0.5, 3),
    HeldBack("one", "blt", 4, 2, 2, 10, NARROW, 455, 467, 216.0, 0.5, 3),
    HeldBack("uneven", "blt", 4, 2, 3, 20, 1.0, 500, 3_584, 984.0, 1.0, 1),
    HeldBack("uneven", "blt", 4, 2, 3, 20, NARROW, 500, 459, 79.0, 1.0, 1),
    HeldBack("uneven", "blt", 4, 2, 2, 10, 1.0, 504, 7_175, 1_183.0, 0.5, 1),
    HeldBack("uneven", "blt", 4, 2, 2, 10, NARROW, 504, 935, 180.0, 0.5, 1),
    HeldBack("uneven", "blt", 4, 2, 2, 20, 1.0, 508, 13_949, 2_360.0, 0.2, 1),
    HeldBack("uneven", "blt", 4, 2, 2, 20, NARROW, 508, 1_932, 375.0, 0.2, 1),
    HeldBack("uneven", "blt", 5, 2, 2, 50, 1.0, 509, 1_515, 542.0, 1.0, 2),
    HeldBack("uneven", "blt", 5, 2, 2, 50, NARROW, 509, 195, 42.0, 1.0, 2),
    HeldBack("uneven", "blt", 5, 2, 3, 20, 1.0, 511, 12_339, 1_183.0, 0.5, 2),
    HeldBack("uneven", "blt", 5, 2, 3, 20, NARROW, 511, 1_644, 150.0, 0.5, 2),
    HeldBack("uneven", "blt", 3, 3, 3, 50, 1.0, 518, 14_349, 2_971.0, 0.2, 2),
    HeldBack("uneven", "blt", 3, 3, 3, 50, NARROW, 518, 2_046, 226.0, 0.2, 2),
    HeldBack("uneven", "blt", 6, 2, 2, 20, 1.0, 519, 3_221, 940.0, 1.0, 5),
    HeldBack("uneven", "blt", 6, 2, 2, 20, NARROW, 519, 413, 99.0, 1.0, 5),
    HeldBack("uneven", "blt", 4, 2, 4, 20, 1.0, 521, 14_064, 1_710.0, 0.5, 3),
    HeldBack("uneven", "blt", 4, 2, 4, 20, NARROW, 521, 1_875, 216.0, 0.5, 3),
    HeldBack("uneven", "blt", 4, 2, 2, 50, 1.0, 543, 7_074, 1_490.0, 0.2, 3),
    HeldBack("uneven", "blt", 4, 2, 2, 50, NARROW, 543, 1_005, 131.0, 0.2, 3),
)
