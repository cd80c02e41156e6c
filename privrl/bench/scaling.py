"""How cost grows with T, S, A, H and d: exponents fitted on logarithmic scales, with their
intervals; and peak memory.

Three quantities are measured: the time of an ``episode`` against the size of the environment, the
time of a whole ``run`` against its number of episodes T, and the peak ``memory`` of a run against
T. The sizes of one axis take short turns in rotation, since the machine's speed drifts, and each
size is its median turn, in CPU time. Memory is that of a fresh process for each size, interpreter
and libraries included.

An exponent is the slope of the least-squares line through (log size, log cost), with its 95 % t
interval. What is no pure power (a sum of S^2 and S, a fixed part) shows in the width of the
interval, and in the slope ``at the end``, between the two largest sizes. Beside a time stands the
exponent of the numbers that the counter draws for an episode, the same fit on their exact count.
"""

import functools
import math
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from privrl.agents.linear.ldp_ucrl_vtr import LDPUCRLVTR
from privrl.agents.linear.linopt_po import LinOptPO
from privrl.agents.linear.linopt_vi import LinOptVI
from privrl.agents.lq.private_ofu_rl import PrivateOFURL
from privrl.agents.tabular.pucb import PUCB
from privrl.agents.tabular.ubev import UBEV
from privrl.bench.linear import player, printed
from privrl.checks import flag
from privrl.environments import random_lq, random_mdp, random_mixture, suite
from privrl.run import simulate
from privrl.run.sweep import RunPlan

TURN, TURNS, RUN_TURNS = 0.05, 15, 5  # seconds, about; turns of each size
WARM = 1000  # episodes that have been played before a turn
KNOWN = 1e6  # an epsilon at which planning has something to say from the start
SIZES = (4, 8, 16, 32, 64)
RUNS = (10**4, 3 * 10**4, 10**5, 3 * 10**5, 10**6)
MEMORY = (10**5, 10**6, 10**7)
WHOLE: dict[str, str] = {  # agents whose runs are timed whole, and where
    "pucb": "vietri2020/riverswim-3-relabelled",
    "ubev": "vietri2020/riverswim-3-relabelled",
    "private-ofu-rl": "chowdhury2021/scalar",
    "ldp-ucrl-vtr": "liao2021/mixture-2",
    "linopt-vi": "zhou2022/mixture-2",
    "linopt-po": "zhou2022/mixture-2",
}


@dataclass(frozen=True)
class _Axis:
    """One letter of an environment's size, the others held."""

    letter: str
    sizes: tuple[int, ...]
    make: Callable[[int], Any]


_TABULAR = (
    _Axis("S", SIZES, lambda size: random_mdp(size, 4, 10, 0)),
    _Axis("A", (2, *SIZES[:4]), lambda size: random_mdp(8, size, 10, 0)),  # at most 62 actions
    _Axis("H", SIZES, lambda size: random_mdp(8, 4, size, 0)),
)
_LINEAR = (
    _Axis("S", SIZES, lambda size: random_mixture(16, size, 3, 6, 0)),
    _Axis("A", (2, *SIZES[:4]), lambda size: random_mixture(16, 5, size, 6, 0)),
    _Axis("H", SIZES, lambda size: random_mixture(16, 5, 3, size, 0)),
    _Axis("d", (*SIZES, 128), lambda size: random_mixture(size, 5, 3, 6, 0)),
)
_LQ = (
    _Axis("H", SIZES, lambda size: random_lq(2, 1, size, 0)),
    _Axis(
        "d", (2, 4, 6, 8), lambda size: random_lq(size // 2, size // 2, 5, 0)
    ),  # states and controls
)
_AGENTS: tuple[tuple[Any, tuple[_Axis, ...]], ...] = (
    (PUCB(KNOWN), _TABULAR),
    (UBEV(), _TABULAR),
    (PrivateOFURL(1.0, calibration="tight"), _LQ),
    (LDPUCRLVTR(1.0, calibration="corrected"), _LINEAR),
    (LinOptVI(1.0, calibration="corrected"), _LINEAR),
    (LinOptPO(1.0, calibration="corrected"), _LINEAR),
)


def exponent(sizes: Any, values: Any) -> tuple[float, float, float]:
    """Slope of the least-squares line through (log size, log value), and its 95 % t interval.

    ``sizes``, ``values`` : (n,), > 0, at least three, not all sizes equal

    Examples
    --------
    >>> [round(bound, 9) for bound in exponent([1, 2, 4, 8], [3, 12, 48, 192])]
    [2.0, 2.0, 2.0]
    """
    (slope, _), spread = np.polyfit(np.log(sizes), np.log(values), 1, cov=True)
    half = float(stats.t.ppf(0.975, len(sizes) - 2)) * math.sqrt(spread[0, 0])
    # no growth is exponent 0, not a last bit of it
    slope, half = (
        round(float(slope), 12) + 0.0,
        round(half, 12),
    )
    return slope, slope - half, slope + half


def _seconds(call: Callable[[], Any]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def _rotation(calls: Sequence[Callable[[], float]], turns: int) -> list[float]:
    """Median over turns of what each call says that it took."""
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(turns):
        for call, durations in zip(calls, times, strict=True):
            durations.append(call())
    return [statistics.median(durations) for durations in times]


def episodes(agent: Any, axis: _Axis, quick: bool = False) -> list[dict[str, Any]]:
    """Time of an episode by size, over that of the smallest size, and the numbers drawn for it."""
    calls, widths = [], []
    for size in axis.sizes:
        environment = axis.make(size)
        play, width = player(environment, agent)
        rows = simulate.block_rows(environment, width)
        play(1)  # compiles
        each = _seconds(functools.partial(play, 16)) / 16
        rows = min(rows, max(16, round(TURN / max(each, 1e-7))))
        for _ in range(0 if quick else WARM // rows):
            play(rows)
        blocks = 1 if quick else max(1, round(TURN / max(each * rows, 1e-5)))

        def turn(
            play: Callable[[int], None] = play, blocks: int = blocks, rows: int = rows
        ) -> float:
            start = time.process_time()
            for _ in range(blocks):
                play(rows)
            return (time.process_time() - start) / blocks / rows

        calls.append(turn)
        widths.append(width if agent.counter != "none" else 0)
    times = _rotation(calls, 3 if quick else TURNS)
    return [
        {
            "quantity": "episode",
            "agent": agent.name,
            "axis": axis.letter,
            "size": size,
            "value": duration / times[0],
            "draws": width,
        }
        for size, duration, width in zip(axis.sizes, times, widths, strict=True)
    ]


def _plan(agent: str, planned: int) -> RunPlan:
    calibration = "printed" if agent in ("pucb", "ubev") else "tight"
    return RunPlan(WHOLE[agent], agent, calibration=calibration, episodes=planned)


def runs(agent: str, quick: bool = False) -> list[dict[str, Any]]:
    """Time of a whole run by its number of episodes, over that of the shortest; the set-up is part
    of it."""
    sizes = tuple(size // 100 for size in RUNS) if quick else RUNS

    def turn(planned: int) -> Callable[[], float]:
        plan, environment = _plan(agent, planned), _environment(agent)
        return lambda: _seconds(
            lambda: simulate.replicate(environment, plan.build_agent(), planned, None, 0, 0)
        )

    calls = [turn(size) for size in sizes]
    calls[0]()  # compiles
    times = _rotation(calls, 3 if quick else RUN_TURNS)
    return [
        {
            "quantity": "run",
            "agent": agent,
            "axis": "T",
            "size": size,
            "value": duration / times[0],
            "draws": 0,
        }
        for size, duration in zip(sizes, times, strict=True)
    ]


def _environment(agent: str) -> Any:
    return suite.environment(WHOLE[agent])


_PEAK = """
import sys
from privrl.bench import scaling
from privrl.run import simulate
name, planned = sys.argv[1], int(sys.argv[2])
agent = scaling._plan(name, planned).build_agent()
simulate.replicate(scaling._environment(name), agent, planned, None, 0, 0)
print(scaling._peak())
"""


def _peak() -> float:
    """Largest resident memory of this process so far, in MiB.

    Where there is ``/proc`` it is read there: a child inherits what ``getrusage`` says of its
    parent.
    """
    try:
        lines = Path("/proc/self/status").read_text("ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
    except (OSError, StopIteration):
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
            2**20 if sys.platform == "darwin" else 1024
        )


def memory(agent: str, quick: bool = False) -> list[dict[str, Any]]:
    """Peak memory (MiB) of a process that makes one run, by its number of episodes."""
    sizes = tuple(size // 1000 for size in MEMORY) if quick else MEMORY
    return [
        {
            "quantity": "memory",
            "agent": agent,
            "axis": "T",
            "size": size,
            "value": float(printed(_PEAK, agent, size)),
            "draws": 0,
        }
        for size in sizes
    ]


def points(
    quick: bool = False, say: Callable[[str], None] = lambda line: None
) -> list[dict[str, Any]]:
    """Everything that is measured: quantity, agent, axis, size, value, draws; a row for each
    size."""
    flag("quick", quick)
    out: list[dict[str, Any]] = []
    for agent, axes in _AGENTS:
        for axis in axes:
            say(f"{agent.name}: an episode by {axis.letter}")
            out += episodes(agent, axis, quick)
    for name in WHOLE:
        say(f"{name}: a run and its memory by T")
        out += runs(name, quick) + memory(name, quick)
    return out


def measure(quick: bool = False) -> list[dict[str, Any]]:
    """The exponents of what is measured now."""
    return exponents(points(quick))


def exponents(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A fitted row for every quantity, agent and axis of :func:`points`, in their order."""
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["quantity"], row["agent"], row["axis"]), []).append(row)
    out = []
    for (quantity, agent, axis), these in groups.items():
        sizes, measured, draws = (
            [row[name] for row in these] for name in ("size", "value", "draws")
        )
        slope, low, high = exponent(sizes, measured)
        end = math.log(measured[-1] / measured[-2]) / math.log(sizes[-1] / sizes[-2])
        out.append(
            {
                "quantity": quantity,
                "agent": agent,
                "axis": axis,
                "sizes": f"{sizes[0]} to {sizes[-1]}",
                "exponent": slope,
                "low": low,
                "high": high,
                "at the end": end,
                "of the draws": exponent(sizes, draws)[0] if min(draws) > 1 else "-",
                "largest / smallest": measured[-1] / measured[0],
            }
        )
    return out
