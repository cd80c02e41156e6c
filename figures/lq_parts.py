"""What an episode of the LQ agent consists of, in units of its floor: recorded by
``python -m figures.benchmarks``, and the paragraph of docs/speed.md on it.

The floor of :mod:`privrl.bench.lq` is drawing alone: normal and uniform numbers. Beside it stand
here the counter, the uniforms, and each kernel of the episode by itself, called in a compiled loop,
while A = 0 is possible.
"""

import functools
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

from figures import runs, style
from figures.runs import TABLES
from privrl.agents.blocks import Blocks
from privrl.agents.lq.kernels import observe, plan, play, release, tally
from privrl.agents.lq.private_ofu_rl import PrivateOFURL
from privrl.agents.lq.records import (
    NOT_READ,
    LQKnown,
    LQPath,
    LQPlan,
    LQScratch,
    LQSums,
    LQTally,
    LQWorld,
)
from privrl.bench import lq as bench
from privrl.environments import lq_instance
from privrl.run import simulate

ID = "bench_lq_parts"
KERNELS = ("release", "plan", "play", "observe", "tally")
COLUMNS = ("size", "counter", "coins", *KERNELS, "advance")


@njit(cache=True)
def _repeat(
    kernel: int,
    rows: int,
    blocks: Blocks,
    records: tuple[LQWorld, LQKnown, LQSums, LQPlan, LQTally],
    path: LQPath,
    scratch: LQScratch,
) -> None:
    world, known, sums, agent_plan, record = records
    for row in range(rows):
        if kernel == 0:
            release(sums, blocks.noise[row], known, scratch.released)
        elif kernel == 1:
            plan(scratch.released, known, NOT_READ, agent_plan, scratch)
        elif kernel == 2:
            play(world, agent_plan.gains, blocks, row, path)
        elif kernel == 3:
            observe(path, sums)
        else:
            tally(world, agent_plan, record, scratch.moments)


def measure(quick: bool = False) -> list[dict[str, Any]]:
    """A row per (n, d), H = 5: CPU time of each part over that of the floor, medians of turns."""
    rows, turns = (200, 3) if quick else (1000, 25)
    table = []
    for n, d in bench.SHAPES:
        system, agent = lq_instance(n, d), PrivateOFURL(1.0, calibration="tight")
        rng = np.random.Generator(np.random.SFC64(1))
        learner = agent.start(system, bench.PLANNED, simulate.checkpoints(bench.PLANNED))
        counter, state = agent.noise(system, bench.PLANNED, rng), learner.state
        noise, coins = counter.block(rows).copy(), rng.random((rows, system.coins))
        ties = rng.random((rows, system.ties))
        learner.advance(noise, coins, ties)
        sums = state.statistics.copy()
        records = state.world, state.known, state.sums, state.plan, state.tally
        arguments = (Blocks(noise, coins, ties), records, state.path, state.scratch)
        parts: dict[str, Callable[[], Any]] = {
            "floor": bench.floor(system, rows),
            "counter": functools.partial(counter.block, rows),
            "coins": functools.partial(rng.random, (rows, system.coins)),
            "advance": functools.partial(learner.advance, noise, coins, ties),
        }
        for place, kernel in enumerate(KERNELS):
            parts[kernel] = functools.partial(_repeat, place, rows, *arguments)
        times: dict[str, list[float]] = {name: [] for name in parts}
        for turn in range(turns + 1):
            for name, call in parts.items():
                begin = time.process_time()
                call()
                if turn:  # the first one compiles
                    times[name].append(time.process_time() - begin)
                state.statistics[:] = sums
        medians = {name: statistics.median(values) for name, values in times.items()}
        shares = {name: medians[name] / medians["floor"] for name in COLUMNS[1:]}
        table.append({"size": f"{n}, {d}", **shares})
    return table


def paragraph(folder: Path = TABLES) -> str:
    """Why the LQ agent is not within three floors."""
    table = runs.table(ID, COLUMNS, folder)
    whole = table["advance"] + table["counter"] + table["coins"]
    episode, planning = table["play"] + table["observe"], table["plan"]
    rest = whole - planning
    spans = [
        f"{style.number(float(values.min()), 2)} to {style.number(float(values.max()), 2)}"
        for values in (whole, episode, planning, rest)
    ]
    return (
        f"Private-OFU-RL takes {spans[0]} floors, and not three, for two reasons. Its floor is "
        "drawing alone, where that of the linear agents has the algebra of a plan in it; but "
        "playing five steps of a continuous system and adding up their products takes "
        f"{spans[1]} floors by itself. And the plan takes {spans[2]}: while little is known it is "
        "one question, whether the confidence set holds a system with A = 0, which is answered "
        "in the eigenbasis of V (Jacobi's method, by hand, since decisions hang on last bits). "
        f"With a plan for nothing {spans[3]} would be left. (Sizes n, d = 1, 1 to 4, 2; CPU time "
        "of each kernel by itself.)"
    )
