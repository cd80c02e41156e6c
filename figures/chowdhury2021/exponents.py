"""What users before learning of Private-OFU-RL grow like, over one size at a time, against its
bounds."""

from functools import partial

from figures import exponents
from figures.exponents import draw
from figures.kinds.tables import TABLES, Path, Tables

PAPER = "chowdhury2021"
ID = exponents.table_name(PAPER)
MESSAGE = "With H users grow far more slowly than the bounds, with 1/ε as printed"
CAPTION = """Users before Private-OFU-RL as printed has learnt, over the horizon and epsilon,
against the slope of its bounds. One scalar system (a = 0.6, b = 0.5, q = 0.3), H = 4 and epsilon =
1000 where the axis is another; trees, delta = 10^-6, all runs planned for 10^7 users; median of 32
replicates of the first user from which on regret per user stays at most half of that of no control
(docs/measure.md), with its 95 % interval. Dashed: from how many users on the printed and the proved
bound are below the trivial one, moved to the first mark: their slopes alone are compared. Titles:
slope from the first to the last mark, and the printed bound's. Left out: n and d (docs/measure.md
says why)."""
ALT = """Two log-log panels of users over H and epsilon. The measured line rises a little with H and
falls with epsilon."""

__all__ = ["ALT", "CAPTION", "ID", "MESSAGE", "PAPER", "draw", "recompute", "tables"]


def tables(folder: Path = TABLES) -> Tables:
    """See :func:`figures.exponents.tables_of`."""
    return exponents.tables_of(PAPER, folder)


recompute = partial(exponents.recompute, PAPER)
