"""Performance as ratios of times measured in one run: kernels against the drawing of their noise,
and against Python.

The machine's speed drifts while it is being measured, so every contestant gets short turns in
rotation, and the median over turns of the ratio within a turn is reported. Time is the processor's,
so that other processes' turns do not count.
"""

import functools
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np

from privrl.agents.tabular.learner import width as sums
from privrl.agents.tabular.pucb import PUCB
from privrl.agents.tabular.ubev import UBEV
from privrl.bench.linear import playing, printed, ratio, turns
from privrl.environments import random_mdp, riverswim
from privrl.privacy.counters.tree import TreeCounter
from privrl.run import simulate
from privrl.types import FloatArray, TabularMDP

SIZES: tuple[tuple[int, int, int], ...] = ((3, 2, 3), (6, 2, 20), (10, 4, 10))  # (S, A, H)
PLAIN = 20  # episodes of plain Python


def laplace_routes(
    rng: np.random.Generator, rows: int, width: int
) -> dict[str, Callable[[], FloatArray]]:
    """The exact ways to draw (rows, width) Laplace variables with NumPy alone."""
    block, second_block = np.empty((rows, width)), np.empty((rows, width))
    words = -(-block.size // 64)

    def direct() -> FloatArray:
        return rng.laplace(size=(rows, width))

    def difference() -> FloatArray:
        rng.standard_exponential(out=block)
        rng.standard_exponential(out=second_block)
        return np.subtract(block, second_block, out=block)

    def signed() -> FloatArray:
        rng.standard_exponential(out=block)
        bits = np.unpackbits(rng.bit_generator.random_raw(words).view(np.uint8), count=block.size)
        return np.multiply(block, (1 - 2 * bits.view(np.int8)).reshape(rows, width), out=block)

    return {
        "laplace": direct,
        "difference of exponentials": difference,
        "exponential and sign bits": signed,
    }


def _mdp(states: int, actions: int, horizon: int) -> TabularMDP:
    return riverswim(states, horizon) if actions == 2 else random_mdp(states, actions, horizon, 0)


def measure(quick: bool = False) -> list[dict[str, Any]]:
    """One row per size: each time as a multiple of the fastest NumPy route to the same Laplace
    noise.

    ``burn-in`` plans while no count has reached 2 E_epsilon (epsilon = 1); ``known`` while all have
    (epsilon = 1e6).
    """
    rounds = 15 if quick else 200
    rows_out: list[dict[str, Any]] = []
    for states, actions, horizon in SIZES:
        mdp = _mdp(states, actions, horizon)
        width = sums(mdp)
        rows = max(16, simulate.BLOCK // (width + 3 * horizon + 1))
        rng = np.random.Generator(np.random.SFC64(0))
        routes = laplace_routes(rng, rows, width)
        counter = TreeCounter(width, 10**12, 1.0, np.random.Generator(np.random.SFC64(2)))
        warm = 2_000 if quick else 100_000
        contestants: dict[str, Callable[[], Any]] = {
            **routes,
            "tree": functools.partial(counter.block, rows),
            "burn-in": playing(mdp, PUCB(1.0), warm, rows=rows),
            "known": playing(mdp, PUCB(1e6), warm, rows=rows),
            "ubev": playing(mdp, UBEV(), warm, rows=rows),
        }
        times = turns(contestants, rounds)
        block = f"playing(_mdp({states}, {actions}, {horizon}), PUCB(1e6), rows={PLAIN})"
        plain = plain_seconds("tabular", block, PLAIN)
        floor = min(routes, key=lambda name: statistics.median(times[name]))
        rows_out.append(
            {
                "S, A, H": f"{states}, {actions}, {horizon}",
                "floor": floor,
                "tree / floor": ratio(times, "tree", floor),
                "pucb burn-in / floor": ratio(times, "burn-in", floor),
                "pucb known / floor": ratio(times, "known", floor),
                "pucb known / ubev": ratio(times, "known", "ubev"),
                "plain Python / compiled": plain / (statistics.median(times["known"]) / rows),
                "ubev episodes a second": rows / statistics.median(times["ubev"]),
            }
        )
    return rows_out


_PLAIN = """
import time
from privrl.bench import {module}
block = eval({block!r}, vars({module}))
start = time.process_time()
block()
print((time.process_time() - start) / {rows})
"""


def plain_seconds(module: str, block: str, rows: int) -> float:
    """Seconds a row of one block, in a process of its own with the compiler switched off.

    Parameters
    ----------
    module : below privrl.bench, whose names ``block`` uses
    block : expression for a function without arguments that does ``rows`` rows
    """
    script = _PLAIN.format(module=module, block=block, rows=rows)
    return float(printed(script, NUMBA_DISABLE_JIT="1"))
