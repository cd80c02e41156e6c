"""What users before LinOpt-VI learns grow like, over one size at a time, against its bounds."""

from functools import partial

from figures import exponents
from figures.exponents import draw
from figures.kinds.tables import TABLES, Path, Tables

PAPER = "zhou2022"
ID = exponents.table_name(PAPER)
CAPTION = """Users before Private-LinOpt-VI as printed has learnt, over one size at a time, against
the slope of its bounds. Mixtures of d models with d actions (`mixture`), d = H = 2 and epsilon =
100 where the axis is another; over the tree, delta = 10^-6, all runs planned for 10^7 users; median
of 8 replicates of the first user from which on regret per user stays at most half of uniform play's
(docs/measure.md), with its 95 % interval. Dashed: from how many users on the printed and the proved
bound are below H K, moved to the first mark: their slopes alone are compared. Titles: slope from
the first to the last mark, and the printed bound's."""
ALT = """Three log-log panels of users over d, H and epsilon. The measured line rises with d and H
and falls with epsilon, beside the dashed lines of the bounds."""

__all__ = ["ALT", "CAPTION", "ID", "PAPER", "draw", "recompute", "tables"]


def tables(folder: Path = TABLES) -> Tables:
    """See :func:`figures.exponents.tables_of`."""
    return exponents.tables_of(PAPER, folder)


recompute = partial(exponents.recompute, PAPER)
