"""The noise of ``secure`` as an attacker sees it, and what goes wrong where users share it.

The attacker knows all shares but those that are counted on, in nodes with as many drop-outs as are
tolerated: of each node m of unit variance together, and the tree's attack
(:func:`privrl.privacy.audit.counters.attack`, a pair over ``tree``) is hers. A fault is another
number of shares in a node:

| fault | what goes wrong |
| --- | --- |
| no-shares | devices add no share to the largest nodes |
| all-counted-on | shares as if all were honest and there: of variance 1/n, not 1/m |
| no-abort | sums are handed out whoever has dropped out: one share in eight is there, and hers |
| drop-outs-denied | of the noise as much is taken off as if nobody had dropped out |
| counted-twice | what a user hands in is added twice, and her shares with it |
"""

import math

import numpy as np

from privrl.checks import choice, count
from privrl.privacy.audit.faults import level, with_draws
from privrl.privacy.counters import secure
from privrl.privacy.counters.mechanisms import COUNTER_CLASSES
from privrl.privacy.counters.stream import Counter, levels
from privrl.types import FloatArray

SHARED_FAULTS = ("no-shares", "all-counted-on", "no-abort", "drop-outs-denied", "counted-twice")


def seen(fault: str | None, width: int, releases: int, rng: np.random.Generator) -> Counter:
    """The noise that nobody but the honest users knows, unit scale, with that fault; ``None`` for
    the right one."""
    releases = count("releases", releases)
    if fault is not None:
        choice("fault", fault, SHARED_FAULTS)
    spreads = np.array([_spread(fault, height, releases) for height in range(levels(releases))])

    def draw(counter: Counter, rows: int) -> FloatArray:
        block = COUNTER_CLASSES["tree"]._draws(counter, rows)
        times = range(counter.released + 1, counter.released + rows + 1)
        return np.asarray(block * spreads[[level(time) for time in times]][:, None])

    return with_draws("tree", draw)(width, releases, 1.0, rng, "gaussian")


def _spread(fault: str | None, height: int, releases: int) -> float:
    """Standard deviation of a node's noise of that level."""
    users = 2**height
    ladder = secure.rungs(users, releases)
    counted_on = ladder[-1].shares
    if fault == "no-shares":
        return 0.0 if height == levels(releases) - 1 else 1.0
    if fault == "all-counted-on":
        return math.sqrt(counted_on / users)
    if fault == "no-abort":
        return math.sqrt(max(counted_on // 8, 1) / counted_on)
    if fault == "drop-outs-denied":
        return math.sqrt(counted_on / ladder[0].shares)
    # what she adds weighs two beside noise that weighs one
    return 0.5 if fault == "counted-twice" else 1.0
