"""Variances that are a sum of one weight for each set bit of the time: how many releases have at
most which."""

import numpy as np
from numpy.typing import NDArray

from privrl.privacy.counters.matrix import VARIANCE_SLACK
from privrl.privacy.quantiles import live_node_counts
from privrl.types import FloatArray

LOW = 10  # levels whose variances are told apart when releases are grouped


def variances(times: NDArray[np.int64], each: FloatArray) -> FloatArray:
    """Of each release in ``times``, from the weight of each bit, (L,)."""
    bits = (np.asarray(times)[..., None] >> np.arange(each.size)) & 1
    return np.asarray(bits @ each)


def largest(releases: int, each: FloatArray) -> float:
    """Of the noisiest release: R, or R with one set bit lowered and all below it raised."""
    ends = [releases] + [
        (releases >> bit << bit) - 1 for bit in range(1, each.size) if releases >> bit & 1
    ]
    return max(float(variances(np.array([end]), each)[0]) for end in ends if end > 0)


def with_bit(releases: int, level: int) -> int:
    """How many of the times 1..R have that bit set."""
    full_blocks, rest = divmod(releases + 1, 2 << level)
    return (full_blocks << level) + max(0, rest - (1 << level))


def groups(releases: int, each: FloatArray) -> tuple[FloatArray, NDArray[np.float64]]:
    """(G,) variances and how many releases have at most that much; bits from 10 on weigh as much
    as the heaviest of them."""
    low = min(LOW, each.size)
    inner = variances(np.arange(1 << low), each[:low])
    above, rest = releases >> low, releases & ((1 << low) - 1)
    bound = float(each[low:].max()) if low < each.size else 0.0
    grouped, numbers = [inner[: rest + 1] + above.bit_count() * bound], [np.ones(rest + 1)]
    if above:  # upper halves below that of R meet every lower half
        counts = [1, *live_node_counts(above)[1:]]
        counts[above.bit_count()] -= 1
        for bits, number in enumerate(counts):
            if number:
                grouped.append(inner + bits * bound)
                numbers.append(np.full(1 << low, float(number)))
    together, sizes = np.concatenate(grouped), np.concatenate(numbers)
    return together[together > 0] * (1 + VARIANCE_SLACK), sizes[together > 0]
