"""One finished episode, as an agent in an unknown world is handed it."""

from typing import NamedTuple

from privrl.types import FloatArray, IntArray


class Trajectory(NamedTuple):
    """What one user did and met.

    Parameters
    ----------
    states : (H + 1,) whole numbers in 0..S - 1, or vectors (H + 1, n); the last is where the last step led
    actions : (H,) whole numbers in 0..A - 1, or controls (H, d)
    rewards : (H,) in [0, 1]; an LQ agent, which knows the costs, reads none
    """

    states: IntArray | FloatArray
    actions: IntArray | FloatArray
    rewards: FloatArray
