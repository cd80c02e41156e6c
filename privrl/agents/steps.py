"""Compiled steps that the agents of all families share; plain Python with ``NUMBA_DISABLE_JIT=1``."""

from privrl.agents.compiled import inlined
from privrl.types import FloatArray, IntArray


@inlined
def draw(cumulative: FloatArray, uniform: float) -> int:
    """Draw an index by inversion of the cumulative distribution; ``uniform`` in [0, 1)."""
    index = 0
    while uniform >= cumulative[index]:
        index += 1
    return index


@inlined
def draw_action(greedy: int, uniform: float) -> int:
    """Draw one of the greedy actions, uniformly: ties are never broken by index."""
    ties, rest = 0, greedy
    while rest:
        rest &= rest - 1
        ties += 1
    left, action = int(uniform * ties), 0
    while left or not (greedy >> action) & 1:
        left -= (greedy >> action) & 1
        action += 1
    return action


@inlined
def count_episode(clock: IntArray, totals: FloatArray, checkpoints: IntArray, regret: FloatArray) -> None:
    """Count an episode and its regret ``totals[1]``; record the sum at a checkpoint."""
    clock[0] += 1
    totals[0] += totals[1]
    if clock[1] < checkpoints.size and checkpoints[clock[1]] == clock[0]:
        regret[clock[1]] = totals[0]
        clock[1] += 1
