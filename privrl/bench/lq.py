"""Performance of the LQ agents as ratios of times measured in one run.

The *floor* of a private episode is drawing its noise and its uniforms, which no implementation can
leave out. Beside it stands an episode while A = 0 is possible, where the optimistic step is a
formula, and one after that, where it is a search. Turns are as in :mod:`privrl.bench.tabular`.
"""

import functools
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np

from privrl.agents.lq import state as lq
from privrl.agents.lq.ofu_rl import OFURL
from privrl.agents.lq.private_ofu_rl import PrivateOFURL
from privrl.bench import tabular as bench
from privrl.bench.linear import playing, ratio, turns
from privrl.environments import LQSystem, lq_instance

PLANNED = 10**6
SHAPES = ((1, 1), (2, 1), (2, 2), (4, 2))
PLAIN = 20  # episodes of plain Python
KNOWN = 1e3  # an epsilon at which A = 0 is soon excluded


def floor(system: LQSystem, rows: int) -> Callable[[], None]:
    """Noise and uniforms of ``rows`` private episodes, and nothing else."""
    rng = np.random.Generator(np.random.SFC64(0))
    noise, coins = np.empty((rows, lq.width(system))), np.empty((rows, system.coins))

    def run() -> None:
        rng.standard_normal(out=noise)
        rng.random(out=coins)

    return run


def measure(
    quick: bool = False, shapes: tuple[tuple[int, int], ...] = SHAPES
) -> list[dict[str, Any]]:
    """One row per (n, d), H = 5: private episodes over the floor, and microseconds of the slowest
    kind.

    ``still``: A = 0 is possible; ``search``: it is not; ``exact``: OFU-RL, no noise; plain Python
    plays ``still``.
    """
    rounds, rows = (5, 200) if quick else (40, 1000)
    out: list[dict[str, Any]] = []
    for n, d in shapes:
        system = lq_instance(n, d)
        known = PrivateOFURL(KNOWN, calibration="tight")
        played = functools.partial(playing, system, rows=rows, planned=PLANNED)
        contestants: dict[str, Callable[[], Any]] = {
            "floor": floor(system, rows),
            "still": played(PrivateOFURL(1.0, calibration="tight")),
            "search": played(known, 2_000 if quick else 20_000),
            "estimate": played(
                PrivateOFURL(KNOWN, calibration="tight", planner="certainty-equivalent")
            ),
            "exact": played(OFURL(), 2_000),
        }
        times = turns(contestants, rounds)
        block = (
            f"playing(lq_instance({n}, {d}), PrivateOFURL(1.0, calibration='tight'), "
            f"rows={PLAIN}, planned=PLANNED)"
        )
        plain = bench.plain_seconds("lq", block, PLAIN)
        out.append(
            {
                "n, d": f"{n}, {d}",
                "still / floor": ratio(times, "still", "floor"),
                "search / floor": ratio(times, "search", "floor"),
                "certainty-equivalent / floor": ratio(times, "estimate", "floor"),
                "exact / floor": ratio(times, "exact", "floor"),
                "search, microseconds": statistics.median(times["search"]) / rows * 1e6,
                "still, microseconds": statistics.median(times["still"]) / rows * 1e6,
                "plain Python / compiled": plain / (statistics.median(times["still"]) / rows),
            }
        )
    return out
