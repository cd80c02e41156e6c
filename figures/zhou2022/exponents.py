"""What users before learning of LinOpt-VI and LinOpt-PO grow like, over one size at a time, against
their bounds."""

from functools import partial

from figures import exponents
from figures.exponents import draw
from figures.kinds.tables import TABLES, Path, Tables

PAPER = "zhou2022"
ID = exponents.table_name(PAPER)
MESSAGE = "Of six powers one exceeds the printed bound's: value iteration's in H"
CAPTION = """Users before Private-LinOpt-VI and -PO as printed have learnt, over one size at a time,
against the slope of their bounds. Mixtures of d models with d actions, d = H = 2 and epsilon = 300
where the axis is another; trees, delta = 10^-6, all runs planned for 10^6 users, which policy
optimisation's step size reads too; median of 32 replicates of the first user from which on regret
per user stays at most half of uniform play's (docs/measure.md), with its 95 % interval. Dashed:
from how many users on the printed and the proved bound are below H K, moved to the first mark:
their slopes alone are compared. Titles: slope from the first to the last mark, and the printed
bound's."""
ALT = """Two rows of three log-log panels of users over d, H and epsilon: value iteration above,
policy optimisation below. Measured lines rise with d and H and fall with epsilon."""

__all__ = ["ALT", "CAPTION", "ID", "MESSAGE", "PAPER", "draw", "recompute", "tables"]


def tables(folder: Path = TABLES) -> Tables:
    """See :func:`figures.exponents.tables_of`."""
    return exponents.tables_of(PAPER, folder)


recompute = partial(exponents.recompute, PAPER)
