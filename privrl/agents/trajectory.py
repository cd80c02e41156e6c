"""One finished episode, as an agent in an unknown world is handed it."""

from typing import NamedTuple

from privrl.types import FloatArray, IntArray


class Trajectory(NamedTuple):
    """What one user did and met."""

    #: (H + 1,) in 0..S - 1, or vectors (H + 1, n); the last is where the last step led
    states: IntArray | FloatArray
    actions: IntArray | FloatArray  #: (H,) whole numbers in 0..A - 1, or controls (H, d)
    rewards: FloatArray  #: (H,) in [0, 1]; an LQ agent, which knows the costs, reads none
