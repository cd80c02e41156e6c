"""What users before learning of PUCB grow like, over one size at a time, against its bounds."""

from functools import partial

from figures import exponents
from figures.exponents import draw
from figures.kinds.tables import TABLES, Path, Tables

PAPER = "vietri2020"
ID = exponents.table_name(PAPER)
MESSAGE = "PUCB's users grow as the proved bound says or more slowly"
CAPTION = """Users before PUCB as printed has learnt grow with the number of states as the proved
bound says, and more slowly than the printed one. Parallel contexts with balanced labels (every
state equally likely next, each action right equally often), S = 4, A = H = 2 and epsilon = 100
where the axis is another; all runs planned for 10^7 users; median of 32 replicates (8 at S = 9, A =
5 and 7, H = 4 and 5) of the first user from which on regret per user stays at most half of uniform
play's (docs/measure.md), with its 95 % interval. Dashed: from how many users on the printed and the
proved bound are below H T, moved to the first mark: their slopes alone are compared. Titles: slope
from the first to the last mark, and the printed bound's. Epsilon is 30 and more, since smaller ones
take too many users."""
ALT = """Four log-log panels of users over S, A, H and epsilon. The measured line rises with S, A
and H and falls with epsilon, along the dashed lines or below them."""

__all__ = ["ALT", "CAPTION", "ID", "MESSAGE", "PAPER", "draw", "recompute", "tables"]


def tables(folder: Path = TABLES) -> Tables:
    """See :func:`figures.exponents.tables_of`."""
    return exponents.tables_of(PAPER, folder)


recompute = partial(exponents.recompute, PAPER)
