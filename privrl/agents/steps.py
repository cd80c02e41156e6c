"""Compiled steps that the agents of all families share; plain Python with
``NUMBA_DISABLE_JIT=1``."""

from privrl.agents.compiled import inlined
from privrl.types import FloatArray, IntArray

MAX_ACTIONS = 62  # the set of greedy actions of a state is one 64-bit mask


@inlined
def draw(cumulative: FloatArray, uniform: float) -> int:
    """Draw an index by inversion of the cumulative distribution; ``uniform`` in [0, 1)."""
    index = 0
    while uniform >= cumulative[index]:
        index += 1
    return index


@inlined
def bits(mask: int) -> int:
    """Count the bits that are set; the compiler makes one instruction of this loop."""
    number = 0
    while mask:
        mask &= mask - 1
        number += 1
    return number


@inlined
def lowest(mask: int) -> int:
    """Index of the lowest bit that is set, without a branch to mispredict."""
    return int(bits((mask & -mask) - 1))


@inlined
def draw_action(greedy: int, uniform: float) -> int:
    """Draw one of the greedy actions, uniformly: ties are never broken by index."""
    for _ in range(int(uniform * bits(greedy))):
        greedy &= greedy - 1
    return int(lowest(greedy))


@inlined
def count_episode(
    clock: IntArray, totals: FloatArray, checkpoints: IntArray, regret: FloatArray
) -> None:
    """Count an episode and its regret ``totals[1]``; record the sum at a checkpoint."""
    clock[0] += 1
    totals[0] += totals[1]
    if clock[1] < checkpoints.size and checkpoints[clock[1]] == clock[0]:
        regret[clock[1]] = totals[0]
        clock[1] += 1
