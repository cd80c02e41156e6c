"""What a counter's stream costs beside the drawing of its noise, and in plain Python: ratios
measured in one run."""

import functools
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from privrl.bench import tabular as bench
from privrl.bench.linear import printed, ratio, turns
from privrl.checks import flag
from privrl.privacy.counters import mechanisms
from privrl.privacy.counters.stream import Counter

WIDTHS = (32, 200, 1500)  # running sums
RELEASES = 10**6
NUMBERS = 2**15  # a block: what stays near the processor


def measure(quick: bool = False) -> list[dict[str, Any]]:
    """One row per width, law and counter: median over turns of its time over that of the draws
    alone, the fastest way.

    ``plain Python / compiled`` is the same code with the compiler switched off, in a process of its
    own.
    """
    script = (
        "import json; from privrl.bench import counters; "
        f"print(json.dumps(counters._timed({4 if quick else 16})))"
    )
    plain = json.loads(printed(script, NUMBA_DISABLE_JIT="1"))
    rows_out: list[dict[str, Any]] = []
    for width in WIDTHS:
        rows = max(16, NUMBERS // width)
        rng = np.random.Generator(np.random.SFC64(0))
        routes = bench.laplace_routes(rng, rows, width)
        draws: dict[str, Callable[[], Any]] = {
            f"laplace by {name}": call for name, call in routes.items()
        }
        draws["gaussian"] = functools.partial(rng.standard_normal, out=np.empty((rows, width)))
        streams = {f"{name} {law}": _stream(name, width, law) for name, law in _kinds()}
        calls = draws | {
            name: functools.partial(stream.block, rows) for name, stream in streams.items()
        }
        times = turns(calls, 6 if flag("quick", quick) else 100)
        middle = {name: statistics.median(values) for name, values in times.items()}
        fastest = {
            law: min((name for name in draws if name.startswith(law)), key=middle.__getitem__)
            for law in ("laplace", "gaussian")
        }
        for name, law in _kinds():
            stream = f"{name} {law}"
            rows_out.append(
                {
                    "sums": width,
                    "counter": name,
                    "law": law,
                    "stream / draws": ratio(times, stream, fastest[law]),
                    "plain Python / compiled": plain[f"{width} {stream}"] / (middle[stream] / rows),
                }
            )
    return rows_out


def _stream(name: str, width: int, law: str) -> Counter:
    return mechanisms.make(name, width, RELEASES, 1.0, np.random.Generator(np.random.SFC64(1)), law)


def _timed(rows: int) -> dict[str, float]:
    """Seconds a release by width, counter and law, from one block each."""
    seconds = {}
    for width in WIDTHS:
        for name, law in _kinds():
            stream = _stream(name, width, law)
            start = time.process_time()
            stream.block(rows)
            seconds[f"{width} {name} {law}"] = (time.process_time() - start) / rows
    return seconds


def _kinds() -> list[tuple[str, str]]:
    """Counters in few rows, with each law that they can have."""
    return [
        (name, law)
        for name in mechanisms.PRIVATE
        if mechanisms.COUNTER_CLASSES[name].few_rows
        for law in mechanisms.laws(name)
    ]
