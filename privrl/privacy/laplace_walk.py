"""One step of the recursion of :mod:`privrl.privacy.quantiles` for Laplace nodes, compiled; plain
form beside it.

Both forms do the same operations in the same order, so they agree to the last bit; the plain one
runs under ``NUMBA_DISABLE_JIT=1``, where a loop over cells would take minutes.
"""

from typing import NamedTuple

import numpy as np
from numba import config, njit

from privrl.types import FloatArray


class _Step(NamedTuple):
    weight: float
    shrink: float
    offset: int
    factor: float


@njit(cache=True, nogil=True, error_model="numpy")
def _compiled(
    first: FloatArray,
    values: FloatArray,
    outside: FloatArray,
    mirrored: FloatArray,
    step: _Step,
    leftward: FloatArray,
    result: FloatArray,
) -> None:
    """1 - (1 - first) (1 - T values), inflated by the factor, into ``result``; ``leftward`` is
    scratch of that shape."""
    weight, shrink, offset, factor = step
    cells = values.size - 1
    rightwards, leftwards = 0.0, 0.0
    result[0] = 0.0
    for cell in range(cells):  # two chains at once: each addition waits for the one before it
        rightwards = rightwards * shrink + weight * values[cell + offset]
        result[cell + 1] = rightwards
        mirrored_cell = cells - 1 - cell
        leftwards = leftwards * shrink + weight * values[mirrored_cell + offset]
        leftward[mirrored_cell] = leftwards
    leftward[cells] = 0.0
    for point in range(cells + 1):
        tail = ((result[point] + leftward[point]) + leftwards * mirrored[point]) / 2 + outside[
            point
        ]
        result[point] = min(min(first[point] + tail * (1 - first[point]), 1.0) * factor, 1.0)


def _plain(
    first: FloatArray, values: FloatArray, outside: FloatArray, mirrored: FloatArray, step: _Step
) -> FloatArray:
    from scipy.signal import lfilter  # slow to import, and seldom needed

    weight, shrink, offset, factor = step
    cell = values[offset : values.size - 1 + offset]
    tail = np.zeros(values.size)
    tail[1:] = lfilter([weight], [1.0, -shrink], cell)
    leftwards = lfilter([weight], [1.0, -shrink], cell[::-1])[::-1]
    tail[:-1] += leftwards
    tail += leftwards[0] * mirrored
    tail = tail / 2 + outside
    return np.asarray(np.minimum(np.minimum(first + tail * (1 - first), 1.0) * factor, 1.0))


def union_after(
    first: FloatArray,
    values: FloatArray,
    outside: FloatArray,
    mirrored: FloatArray,
    *,
    weight: float,
    shrink: float,
    upper: bool,
    factor: float,
) -> FloatArray:
    """min(1, factor (1 - (1 - first) (1 - T values))) at the grid points, each array of shape
    (cells + 1,).

    Parameters
    ----------
    first, values : D of the part before the node and of the part below it
    outside : mass of both tails beyond [-x, x], seen from each grid point
    mirrored : exp(-u) at the grid points
    weight, shrink : mass that a cell keeps and the factor from one cell to the next
    upper : take a cell by its outer end (a bound from above) or by its inner end
    factor : covers the rounding of the step
    """
    step = _Step(weight, shrink, int(upper), factor)
    if config.DISABLE_JIT:  # type: ignore[attr-defined]  # numba makes it when it starts
        return _plain(first, values, outside, mirrored, step)
    leftward, result = np.empty(values.size), np.empty(values.size)
    _compiled(first, values, outside, mirrored, step, leftward, result)
    return result
