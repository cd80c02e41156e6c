"""Performance of the linear mixture agents as ratios of times measured in one run.

The *floor* of a private episode is what no plain implementation of the pseudo-code can leave out:
drawing its noise, and per step one Cholesky factor and one linear solve of the size of the Gram
matrix by LAPACK, called from compiled code; two of each where the rewards are estimated too. Beside
it stands the same without the solve. Every contestant gets short turns in rotation, and the median
over turns of the ratio within a turn is reported.
"""

import functools
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from privrl.agents.linear.ldp_ucrl_vtr import LDPUCRLVTR
from privrl.agents.linear.linopt_po import LinOptPO
from privrl.agents.linear.linopt_vi import LinOptVI
from privrl.agents.linear.ucrl_vtr import UCRLVTR
from privrl.environments import LinearMixtureMDP, hard_mixture, one_hot, random_mixture, riverswim
from privrl.run import simulate
from privrl.types import Environment, FloatArray

PLANNED = 10**8
TURN = 0.02  # seconds, about


def environments() -> dict[str, LinearMixtureMDP]:
    """The sizes (d, H) that are timed."""
    return {
        "5, 6": hard_mixture(gap=0.02),
        "18, 6": one_hot(riverswim(3, 6, normalised=True, relabelled=True)),
        "50, 10": random_mixture(50, 5, 3, 10, seed=0),
    }


@njit(cache=True, nogil=True)
def _lapack(gram: FloatArray, vector: FloatArray, times: int) -> float:
    total = 0.0
    for _ in range(times):
        total += np.linalg.cholesky(gram)[0, 0] + np.linalg.solve(gram, vector)[0]
    return total


@njit(cache=True, nogil=True)
def _factor(gram: FloatArray, times: int) -> float:
    total = 0.0
    for _ in range(times):
        total += np.linalg.cholesky(gram)[0, 0]
    return total


def _system(d: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    half = rng.normal(size=(d, 2 * d))
    return half @ half.T, rng.normal(size=d)


def floor(
    mdp: LinearMixtureMDP, rows: int, solve: bool = True, *, rewards: bool = False
) -> Callable[[], None]:
    """Noise and LAPACK calls of ``rows`` private episodes, and nothing else; without ``solve`` the
    factor alone.

    With ``rewards`` there is a second regression for them, of dimension d2, as zhou2022's agents
    have.
    """
    rng = np.random.Generator(np.random.SFC64(0))
    sizes = [mdp.psi.shape[3], *([mdp.varphi.shape[2]] if rewards else [])]
    systems = [_system(d, rng) for d in sizes]
    block = np.empty((rows, mdp.horizon * sum(d * (d + 1) // 2 + d for d in sizes)))

    def run() -> None:
        rng.standard_normal(out=block)
        for gram, vector in systems:
            if solve:
                _lapack(gram, vector, rows * mdp.horizon)
            else:
                _factor(gram, rows * mdp.horizon)

    return run


def player(
    mdp: Environment, agent: Any, planned: int = PLANNED
) -> tuple[Callable[[int], None], int]:
    """A run in progress: a function that plays so many more episodes of it, and the columns of the
    noise."""
    rng = np.random.Generator(np.random.SFC64(1))
    learner = agent.start(mdp, planned, simulate.checkpoints(planned))
    counter = agent.noise(mdp, planned, rng)

    def play(rows: int) -> None:
        learner.advance(
            counter.block(rows), rng.random((rows, mdp.coins)), rng.random((rows, mdp.ties))
        )

    return play, counter.width


def playing(
    mdp: Environment, agent: Any, warm: int = 0, *, rows: int, planned: int = PLANNED
) -> Callable[[], None]:
    """``rows`` more episodes of a run in progress: noise, coins, plan and play; ``warm`` episodes
    have been played."""
    play, _ = player(mdp, agent, planned)
    for _ in range(-(-warm // rows)):
        play(rows)
    return functools.partial(play, rows)


def naive(mdp: LinearMixtureMDP, rows: int, agent: str = "ldp-ucrl-vtr") -> Callable[[], None]:
    """``rows`` private plans as the pseudo-code reads, in NumPy, pair by pair.

    liao2021/algorithm-1, or zhou2022/algorithm-1 (``linopt-vi``) and algorithm-2 (``linopt-po``),
    whose rewards are estimated too.
    """
    states, actions, _, d = mdp.psi.shape
    horizon, estimated = mdp.horizon, agent != "ldp-ucrl-vtr"
    rng = np.random.default_rng(0)
    rewards = mdp.tabular().rewards
    policy = np.full((horizon, states, actions), 1 / actions)

    def regression(size: int) -> tuple[FloatArray, FloatArray]:
        noise = rng.normal(size=(size, size))
        inverse: FloatArray = np.asarray(
            np.linalg.inv(1e3 * np.eye(size) + np.triu(noise) + np.triu(noise, 1).T)
        )
        return inverse, inverse @ rng.normal(size=size)

    def run() -> None:
        for _ in range(rows):
            values = np.zeros((horizon + 1, states))
            q = np.zeros((horizon, states, actions))
            for h in reversed(range(horizon)):
                inverse, theta = regression(d)
                if estimated:
                    reward_inverse, reward_theta = regression(mdp.varphi.shape[2])
                for s in range(states):
                    for a in range(actions):
                        phi: FloatArray = sum(
                            (mdp.psi[s, a, t] * values[h + 1, t] for t in range(states)),
                            np.zeros(d),
                        )
                        optimistic = float(phi @ theta + np.sqrt(phi @ inverse @ phi))
                        if estimated:
                            known = mdp.varphi[s, a]
                            optimistic += float(
                                known @ reward_theta + np.sqrt(known @ reward_inverse @ known)
                            )
                        else:
                            optimistic += float(rewards[h, s, a])
                        q[h, s, a] = min(horizon - h, optimistic)
                    values[h, s] = policy[h, s] @ q[h, s] if agent == "linopt-po" else q[h, s].max()
            if agent == "linopt-po":
                policy[:] *= np.exp(1e-3 * q)
                policy[:] /= policy.sum(axis=2, keepdims=True)

    return run


def turns(contestants: dict[str, Callable[[], Any]], count: int) -> dict[str, list[float]]:
    """CPU seconds of each contestant in each of ``count`` rounds."""
    for call in contestants.values():
        call()
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(count):
        for name, call in contestants.items():
            start = time.process_time()
            call()
            times[name].append(time.process_time() - start)
    return times


def printed(script: str, *arguments: object, **environment: str) -> str:
    """What a script prints, in a Python process of its own."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.run(
        command, env=os.environ | environment, capture_output=True, text=True, check=True
    ).stdout


def ratio(times: dict[str, list[float]], over: str, under: str) -> float:
    """Median over rounds of one contestant's time over another's."""
    return statistics.median(a / b for a, b in zip(times[over], times[under], strict=True))


# with noise, without
_AGENTS: dict[str, tuple[Any, Any]] = {
    "ldp-ucrl-vtr": (LDPUCRLVTR, UCRLVTR),
    "linopt-vi": (LinOptVI, LinOptVI),
    "linopt-po": (LinOptPO, LinOptPO),
}


def measure(quick: bool = False) -> list[dict[str, Any]]:
    """One row per agent and size: a private and an exact episode over the floor, later over
    earlier, naive over ours.

    Each agent over the counter of its paper, calibration corrected; ``tight`` releases block by
    block. The floor of ``exact`` is the private one: it draws no noise, and has the same systems to
    solve.
    """
    rounds = 7 if quick else 40
    out: list[dict[str, Any]] = []
    for name, (private, exact) in _AGENTS.items():
        estimated = name != "ldp-ucrl-vtr"
        bare = {} if not estimated else {"counter": "none"}
        for size, mdp in environments().items():
            d = mdp.psi.shape[3]
            rows = max(
                4, int(TURN / (1 + estimated) / (3e-6 + mdp.horizon * (4e-8 * d * d + 1e-6)))
            )
            corrected = private(1.0, calibration="corrected")
            contestants: dict[str, Callable[[], Any]] = {
                "floor": floor(mdp, rows, rewards=estimated),
                "factor": floor(mdp, rows, solve=False, rewards=estimated),
                "private": playing(mdp, corrected, rows=rows),
                "later": playing(mdp, corrected, 20 * rows, rows=rows),
                "exact": playing(
                    mdp, exact(calibration="corrected", by_blocks=False, **bare), rows=rows
                ),
                "tight": playing(mdp, private(1.0, calibration="tight"), rows=rows),
            }
            times = turns(contestants, rounds)
            few = max(1, rows // 2000)
            plain = statistics.median(turns({"naive": naive(mdp, few, name)}, 3)["naive"]) / few
            out.append(
                {
                    "agent": name,
                    "d, H": size,
                    "private / floor": ratio(times, "private", "floor"),
                    "private / (noise and factor)": ratio(times, "private", "factor"),
                    "later / earlier": ratio(times, "later", "private"),
                    "exact / floor": ratio(times, "exact", "floor"),
                    "tight / floor": ratio(times, "tight", "floor"),
                    "naive NumPy / private": plain / (statistics.median(times["private"]) / rows),
                    "private episodes a second": rows / statistics.median(times["private"]),
                }
            )
    return out
