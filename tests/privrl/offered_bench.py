"""Arguments that the bench's entry points take; test_public replaces each, one at a time, by what cannot be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

TAKEN: dict[str, Callable[[], dict[str, Any]]] = {
    "bench_scaling.exponent": lambda: {"sizes": [1.0, 2.0, 4.0], "values": [1.0, 3.0, 5.0], "level": 0.9},
}
KIND = dict.fromkeys(("bench_scaling.exponent.sizes", "bench_scaling.exponent.values"), "arrays")
# public in name, and why nothing is asked of them
LEFT_OUT = {
    "measurements": {"bench.plain_seconds", "bench_scaling.episodes", "bench_scaling.exponents",
                     "bench_scaling.measure", "bench_scaling.memory", "bench_scaling.points", "bench_scaling.runs"},
}
