"""Every counter by its name, and what it costs, behind one interface.

| name    | counter                                  | draws    | memory, rows     | draws and additions a release |
| ------- | ---------------------------------------- | -------- | ---------------- | ----------------------------- |
| none    | exact sums                               |          | 0                |                               |
| local   | random walk                              | both     | 1                | 1 draw, 1 addition            |
| tree    | binary mechanism                         | both     | log2 R           | 1 draw, 1 addition            |
| honaker | tree, all complete nodes combined        | Gaussian | 2 log2 R         | 1 draw, 4                     |
| smooth  | smooth binary                            | both     | ones + 1         | 1 draw, 1 addition            |
| signed  | signed digits, blocks from both sides    | Laplace  | levels * blocks  | 1 draw, 2 additions           |
| sqrt    | square root of the matrix of ones        | Gaussian | 2 R              | 1 draw, O(log^2 R)            |
| blt     | buffered linear Toeplitz, near the root  | Gaussian | 4 to 7           | 1 draw, 4 a row               |

To use one: ``scale = change * counter_cost(name, R, law).sensitivity / mu`` (Laplace: ``/ epsilon``), with the l2 (l1)
change of one user's contribution; the noise of all releases then stays within ``scale * counter_quantile(...)``.

``MECHANISMS`` are all names; ``privrl.privacy.counters.stream.COUNTERS`` are the papers' three, which every agent knows
how to calibrate. An agent that is not calibrated for a counter refuses it.
"""

import functools
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privrl.privacy import quantiles
from privrl.privacy.counters.blt import BLTCounter
from privrl.privacy.counters.honaker import HonakerCounter
from privrl.privacy.counters.matrix import (
    MOST_RELEASES,
    Cost,
    group_times,
    grouped,
    lower_bound,
    root_mean,
    summed_cost,
    union_quantile,
)
from privrl.privacy.counters.signed_digits import SignedCounter
from privrl.privacy.counters.smooth_binary import SmoothCounter
from privrl.privacy.counters.stream import COUNTERS, LAWS, Counter, LocalCounter, NoneCounter, TreeCounter, levels
from privrl.privacy.counters.toeplitz import MOST_NUMBERS, SqrtCounter
from privrl.privacy.counters.toeplitz import MOST_RELEASES as MOST_ROOT
from privrl.privacy.rounding import UNIT, up
from privrl.types import FloatArray, array, choice, count, require

BETTER = (HonakerCounter, SmoothCounter, SignedCounter, SqrtCounter, BLTCounter)
KINDS: dict[str, type[Counter]] = {kind.name: kind for kind in (NoneCounter, LocalCounter, TreeCounter, *BETTER)}
MECHANISMS = tuple(KINDS)
PRIVATE = tuple(name for name in MECHANISMS if name != "none")

__all__ = ["BETTER", "COUNTERS", "KINDS", "MECHANISMS", "PRIVATE", "best", "counter_cost", "counter_error",
           "counter_quantile", "counter_variance", "laws", "lower_bound", "make", "most_releases"]


def make(name: str, width: int, releases: int, scale: float, rng: np.random.Generator,
         law: str = "gaussian") -> Counter:
    """The counter of that name; ``none``, ``local`` and ``tree`` are those of :mod:`privrl.privacy.counters.stream`."""
    return KINDS[choice("counter", name, MECHANISMS)](width, releases, scale, rng, choice("law", law, LAWS))


def laws(name: str) -> tuple[str, ...]:
    """The laws that a counter's draws may have."""
    return KINDS[choice("counter", name, PRIVATE)].laws


def most_releases(name: str, width: int) -> int:
    """How many releases of ``width`` sums a counter can serve: ``sqrt`` keeps every draw, the others some rows."""
    choice("counter", name, MECHANISMS)
    width = count("width", width)
    return min(MOST_ROOT, MOST_NUMBERS // width) if name == "sqrt" else MOST_RELEASES


def counter_cost(name: str, releases: int, law: str = "gaussian") -> Cost:
    """Sensitivity, variances, memory and time of a counter that serves so many releases, 1..2^53 (``sqrt``: 2^24)."""
    law = KINDS[choice("counter", name, PRIVATE)].known_law(law)
    return _cost(name, count("releases", releases, 1, MOST_RELEASES), law)


def counter_variance(name: str, times: ArrayLike, releases: int, law: str = "gaussian") -> FloatArray:
    """Variance of the releases at ``times``, (n,) in 1..R, in units of the variance of a draw.

    The noise of linear agents grows with this: their widths of episode k need the variance of release k - 1.
    """
    made = counter_cost(name, releases, law)
    asked = array("times", times, (None,))
    require(bool(((asked >= 1) & (asked <= releases) & (asked == np.floor(asked))).all()),
            "times must be whole numbers in 1..releases", first=float(asked[0]), releases=releases)
    return _VARIANCES[name](asked.astype(np.int64), int(releases), made.law)


def counter_error(name: str, releases: int, law: str = "gaussian") -> float:
    """Largest standard deviation of a release at unit change and unit privacy (mu = 1; Laplace: epsilon = 1), up."""
    return root_mean(counter_cost(name, releases, law))


def counter_quantile(name: str, releases: int, beta: float, law: str = "gaussian") -> float:
    """An x with P(some release of one sum beyond x) <= beta, certified, in units of the scale of a draw.

    ``tree`` and ``local`` by their own laws (:mod:`privrl.privacy.quantiles`), the others by the union over releases;
    beta is in [1e-100, 1).
    """
    made = counter_cost(name, releases, law)
    special = _QUANTILES.get((name, made.law))
    return union_quantile(made, beta) if special is None else special(beta, releases)


def best(releases: int, law: str = "gaussian") -> str:
    """The counter in few rows with the least noise at the noisiest release."""
    choice("law", law, LAWS)
    known = (name for name in PRIVATE if name != "sqrt" and law in laws(name))
    return min(known, key=lambda name: counter_error(name, releases, law))


def _tree(releases: int, law: str) -> Cost:
    height = levels(releases)
    sensitivity = float(height) if law == "laplace" else up(math.sqrt(height), 64 * UNIT)
    return summed_cost(law, sensitivity, quantiles.live_node_counts(releases), height + 1, 1.0)


def _local(releases: int, law: str) -> Cost:
    times = group_times(releases)
    variances, numbers = grouped(times.astype(np.float64), times)
    return Cost(law, 1.0, float(releases), (releases + 1) / 2, np.round(variances) if law == "laplace" else variances,
                numbers, 1, 1.0)


@functools.lru_cache(maxsize=256)
def _cost(name: str, releases: int, law: str) -> Cost:
    return _COSTS[name](releases, law)


_COSTS: dict[str, Callable[[int, str], Cost]] = {"tree": _tree, "local": _local}
_COSTS |= {kind.name: kind.cost for kind in BETTER}
_VARIANCES: dict[str, Callable[[NDArray[np.int64], int, str], FloatArray]] = {
    "tree": lambda times, releases, law: np.bitwise_count(times).astype(np.float64),
    "local": lambda times, releases, law: times.astype(np.float64),
}
_VARIANCES |= {kind.name: kind.variance for kind in BETTER}
_QUANTILES: dict[tuple[str, str], Callable[[float, int], float]] = {
    ("tree", "laplace"): quantiles.tree_quantile, ("tree", "gaussian"): quantiles.tree_quantile_gaussian,
    ("local", "laplace"): quantiles.local_quantile, ("local", "gaussian"): quantiles.local_quantile_gaussian,
}
