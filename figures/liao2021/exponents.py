"""What users before learning of UCRL-VTR grow like, over one size at a time, against its bounds."""

from functools import partial

from figures import exponents
from figures.exponents import draw
from figures.kinds.tables import TABLES, Path, Tables

PAPER = "liao2021"
ID = exponents.table_name(PAPER)
MESSAGE = "UCRL-VTR's users grow with d and 1/ε; the printed slopes lie within the errors"
CAPTION = """Users before LDP-UCRL-VTR as printed (epsilon inside the root of sigma) has learnt,
over one size at a time, against the slope of its bounds. Parallel linear contexts with balanced
labels: d - 1 contexts, equally likely, in each of which one of two actions pays; d = 11, H = 2 and
epsilon = 3000 where the axis is another; own noise, delta = 0.1, all runs planned for 10^7 users;
median of 32 replicates of the first user from which on regret per user stays at most half of that
of play that knows the rewards and learns nothing (docs/measure.md), with its 95 % interval. Dashed:
from how many users on the printed and the proved bound are below H K, moved to the first mark:
their slopes alone are compared. Titles: slope from the first to the last mark, and the printed
bound's. Left out: H (docs/measure.md says why)."""
ALT = """Two log-log panels of users over d and epsilon. The measured marks rise with d and fall
with epsilon, and have long intervals beside the dashed lines of the bounds."""

__all__ = ["ALT", "CAPTION", "ID", "MESSAGE", "PAPER", "draw", "recompute", "tables"]


def tables(folder: Path = TABLES) -> Tables:
    """See :func:`figures.exponents.tables_of`."""
    return exponents.tables_of(PAPER, folder)


recompute = partial(exponents.recompute, PAPER)
