"""Blocks of randomness as kernels take them, and checkpoints; both are checked here, since a kernel
reads unchecked."""

from typing import Any, NamedTuple

import numpy as np

from privrl.agents.compiled import kernel
from privrl.checks import MOST_EPISODES, array, instance, require
from privrl.types import FloatArray, IntArray


class Blocks(NamedTuple):
    """Randomness of some episodes, a row each."""

    noise: FloatArray  #: (rows, W), of the sums that the episode plans with
    #: uniforms of the environment (of an MDP: first state, then next state and reward per step)
    coins: FloatArray
    ties: FloatArray  #: uniforms of the policy


class Tallied:
    """What the state of every run says of its tally."""

    tally: Any

    @property
    def regret(self) -> FloatArray:
        """(C,), filled as the checkpoints pass."""
        return np.asarray(self.tally.regret)

    @property
    def finished(self) -> int:
        """Episodes played so far."""
        return int(self.tally.clock[0])


def check_blocks(
    noise: FloatArray, coins: FloatArray, ties: FloatArray, columns: tuple[int | None, int, int]
) -> Blocks:
    """The blocks, or ``ValueError`` unless they have so many columns, as many rows, and values in
    range.

    ``None`` : the noise is not read; any columns of it will do.
    """
    instance("noise", noise, np.ndarray)
    rows, noise_columns = noise.shape if noise.ndim == 2 else (0, 0)
    widths = (noise_columns if columns[0] is None else columns[0], *columns[1:])
    blocks = Blocks(noise, coins, ties)
    for name, block, width in zip(Blocks._fields, blocks, widths, strict=True):
        instance(name, block, np.ndarray)
        if (
            block.shape != (rows, width) or block.dtype != np.float64 or rows == 0
        ):  # the message costs more than this
            require(
                False,
                f"{name} must be float64 of shape (rows, {width}), as many rows in every block, "
                f"at least one",
                shape=block.shape,
                dtype=block.dtype,
            )
    for name, block in (("coins", coins), ("ties", ties)):
        if not all_uniform(block.reshape(-1)):
            require(
                False,
                f"{name} must be in [0, 1)",
                smallest=float(block.min()),
                largest=float(block.max()),
            )
    require(
        columns[0] is None or all_finite(noise.reshape(-1)),
        "noise must be finite",
        noise="NaN or infinity",
    )
    return blocks


@kernel
def all_finite(flat: FloatArray) -> bool:
    """Whether no number is NaN or infinite, in half the time of NumPy, which writes what it finds
    of each."""
    others = 0
    for x in range(np.uint64(flat.size)):
        others += flat[x] - flat[x] != 0.0
    return others == 0


@kernel
def all_uniform(flat: FloatArray) -> bool:
    """Whether every number is in [0, 1)."""
    number = 0
    for x in range(np.uint64(flat.size)):
        number += (flat[x] >= 0.0) & (flat[x] < 1.0)
    return number == flat.size


def account(checkpoints: IntArray) -> tuple[IntArray, FloatArray, IntArray, FloatArray]:
    """The end of a tally: clock, totals, checkpoints (C,) and regret; checkpoints whole,
    increasing, at least 1."""
    marks = array("checkpoints", checkpoints, (None,))
    whole_numbers = bool((marks == np.floor(marks)).all() and marks[-1] <= MOST_EPISODES)
    require(
        whole_numbers and bool((np.diff(marks) > 0).all()) and marks[0] >= 1,
        f"checkpoints must be whole, increase, and be in 1..{MOST_EPISODES}",
        checkpoints=marks.tolist()[:5],
    )
    return np.zeros(2, dtype=np.int64), np.zeros(2), marks.astype(np.int64), np.zeros(marks.size)
