"""What a counter's stream costs beside the drawing of its noise: ratios of times measured in one run."""

from __future__ import annotations

import functools
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from privrl.privacy import mechanisms
from privrl.types import flag

WIDTHS = (32, 200, 1500)  # running sums
RELEASES = 10**6
NUMBERS = 2**15  # a block: what stays near the processor


def measure(quick: bool = False) -> list[dict[str, Any]]:
    """One row per width, law and counter: median over turns of its time over that of the draws alone."""
    rows_out: list[dict[str, Any]] = []
    for width in WIDTHS:
        rows = max(16, NUMBERS // width)
        rng = np.random.Generator(np.random.SFC64(0))
        block = np.empty((rows, width))
        calls: dict[tuple[str, str], Callable[[], Any]] = {
            ("draws", "gaussian"): functools.partial(rng.standard_normal, out=block),
            ("draws", "laplace"): functools.partial(rng.laplace, size=(rows, width)),
        }
        for name in mechanisms.PRIVATE:
            for law in mechanisms.laws(name):
                if name != "sqrt":
                    made = mechanisms.make(name, width, RELEASES, 1.0, np.random.Generator(np.random.SFC64(1)), law)
                    calls[name, law] = functools.partial(made.block, rows)
        times: dict[tuple[str, str], list[float]] = {key: [] for key in calls}
        for turn in range(6 if flag("quick", quick) else 101):
            for key, call in calls.items():
                start = time.perf_counter()
                call()
                if turn:  # the first one compiles
                    times[key].append(time.perf_counter() - start)
        for name, law in calls:
            if name != "draws":
                pairs = zip(times[name, law], times["draws", law], strict=True)
                rows_out.append({"sums": width, "counter": name, "law": law,
                                 "stream / draws": statistics.median(one / two for one, two in pairs)})
    return rows_out
