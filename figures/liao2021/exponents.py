"""What users before learning of UCRL-VTR grow like, over one size at a time, against its bounds."""

from functools import partial

from figures import exponents
from figures.exponents import draw
from figures.kinds.tables import TABLES, Path, Tables

PAPER = "liao2021"
ID = exponents.table_name(PAPER)
MESSAGE = "With H users grow more slowly than the bounds; the rest is within error"
CAPTION = """Users before LDP-UCRL-VTR as printed has learnt, over one size at a time, against the
slope of its bounds. Scaled mixtures of d models with d actions, d = H = 2 and epsilon = 100 where
the axis is another; own noise, delta = 0.1, all runs planned for 10^7 users; median of 16
replicates of the first user from which on regret per user stays at most half of that of play that
knows the rewards and learns nothing (docs/measure.md), with its 95 % interval. Dashed: from how
many users on the printed and the proved bound are below H K, moved to the first mark: their slopes
alone are compared. Titles: slope from the first to the last mark, and the printed bound's."""
ALT = """Three log-log panels of users over d, H and epsilon. The measured marks have long intervals
and rise far more slowly than the dashed lines of the bounds."""

__all__ = ["ALT", "CAPTION", "ID", "MESSAGE", "PAPER", "draw", "recompute", "tables"]


def tables(folder: Path = TABLES) -> Tables:
    """See :func:`figures.exponents.tables_of`."""
    return exponents.tables_of(PAPER, folder)


recompute = partial(exponents.recompute, PAPER)
