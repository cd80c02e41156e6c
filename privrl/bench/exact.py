"""What exact noise costs: microseconds a draw, and over a floating-point draw in the same run."""

import functools
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np

from privrl.bench.linear import ratio, turns
from privrl.checks import flag
from privrl.privacy import exact

DRAWS = 1000
SCALES = (2.0**16, 2.0**26)  # standard deviations, or scales of Laplace noise, in units of the grid


def measure(quick: bool = False) -> list[dict[str, Any]]:
    """One row per law and scale: median over turns of the time of
    :func:`privrl.privacy.exact.sample`."""
    rng = np.random.Generator(np.random.SFC64(0))
    draws: dict[str, Callable[[int], Any]] = {
        "gaussian": rng.standard_normal,
        "laplace": functools.partial(rng.laplace, 0.0, 1.0),
    }
    rows = []
    for law, float_draw in draws.items():
        for scale in SCALES:
            calls: dict[str, Callable[[], Any]] = {
                "exact": functools.partial(exact.sample, law, scale, DRAWS),
                "float": functools.partial(float_draw, DRAWS),
            }
            times = turns(calls, 5 if flag("quick", quick) else 25)
            rows.append(
                {
                    "law": law,
                    "scale over grid": scale,
                    "microseconds a draw": statistics.median(times["exact"]) / DRAWS * 1e6,
                    "exact / floating point": ratio(times, "exact", "float"),
                }
            )
    return rows
