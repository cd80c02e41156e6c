"""At which episodes a run records its regret."""

import numpy as np

from privrl.checks import planned_episodes
from privrl.types import IntArray

A_DECADE = 50  # checkpoints by which users are dated


def checkpoints(planned: int) -> IntArray:
    """Episodes at which regret is recorded: ten a decade, and every hundredth of ``planned``, and
    ``planned``."""
    planned = planned_episodes(planned)
    spaced = {round(10 ** (k / 10)) for k in range(10 * len(str(planned)) + 1)}
    spaced |= {max(1, planned * percent // 100) for percent in range(1, 101)}
    return np.array(sorted(mark for mark in spaced if mark <= planned), dtype=np.int64)


def recorded(planned: int) -> IntArray:
    """Those of a sweep: fifty a decade beside them, by which users before learning are dated
    (docs/measure.md)."""
    marks = set(checkpoints(planned).tolist())
    spaced = {round(10 ** (k / A_DECADE)) for k in range(A_DECADE * len(str(planned)) + 1)}
    return np.array(sorted(marks | {m for m in spaced if m <= planned}), dtype=np.int64)
