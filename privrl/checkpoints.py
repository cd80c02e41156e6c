"""At which episodes a run records its regret."""

import numpy as np

from privrl.checks import planned_episodes
from privrl.types import IntArray


def checkpoints(planned: int) -> IntArray:
    """Episodes at which regret is recorded: ten a decade, and every hundredth of ``planned``, and
    ``planned``."""
    planned = planned_episodes(planned)
    spaced = {round(10 ** (k / 10)) for k in range(10 * len(str(planned)) + 1)}
    spaced |= {max(1, planned * percent // 100) for percent in range(1, 101)}
    return np.array(sorted(mark for mark in spaced if mark <= planned), dtype=np.int64)
