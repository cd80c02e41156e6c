"""UBEV against rlberry-scool's UCBVI on the same RiverSwim (S = 6, H = 20), in one run, turn by turn.

Both are compiled and warm, and what they draw and record counts as theirs. A turn of ours is a whole run of T = 1e5
episodes by ``simulate``, from its empty start; a turn of the peer is a stretch of a longer run. Time is that of the
thread on its core, so that other processes' turns do not count. The machine's speed drifts all the same: turns
alternate, and two ratios are given, each with the same statistic on both sides: of the medians over turns, and of the
fastest turns.

Optional: the peer is installed from the package index into a folder of its own, which this package never imports from.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
import venv
from pathlib import Path
from typing import Any

import numpy as np

from privrl import simulate
from privrl.agents.ubev import UBEV
from privrl.environments import riverswim
from privrl.types import TabularMDP

PEER = "rlberry-scool==0.7.3"
EPISODES = 10**5
_SCRIPT = """
import sys, time, logging
import numpy as np
from rlberry.envs.finite_mdp import FiniteMDP
from rlberry_scool.agents.ucbvi import UCBVIAgent
logging.disable(logging.CRITICAL)
data = np.load(sys.argv[1])
agents = {}
for real_time in (False, True):
    env = FiniteMDP(data["rewards"], data["transitions"], initial_state_distribution=0)
    agents[real_time] = UCBVIAgent(env, gamma=1.0, horizon=int(data["horizon"]), stage_dependent=True,
                                   real_time_dp=real_time)
    agents[real_time].fit(budget=100)
for line in sys.stdin:
    real_time, budget = line.split()
    start = time.thread_time()
    agents[real_time == "True"].fit(budget=int(budget))
    print("seconds", (time.thread_time() - start) / int(budget), flush=True)
"""


def install(folder: Path) -> Path:
    """A virtual environment with the peer below ``folder``; returns its interpreter."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", PEER], check=True)
    return python


def measure(folder: Path, turns: int = 25, budget: int = 150) -> list[dict[str, Any]]:
    """One row per mode of the peer: how many times as long as UBEV it takes for an episode.

    Parameters
    ----------
    folder : holds the peer's environment, or will
    turns : of each contestant
    budget : episodes of the peer in a turn
    """
    python = install(Path(folder))
    mdp = riverswim(6, 20)
    data = Path(folder) / "riverswim.npz"
    np.savez(data, rewards=mdp.rewards[0], transitions=mdp.transitions[0], horizon=mdp.horizon)
    ours: list[float] = []
    theirs: dict[str, list[float]] = {"False": [], "True": []}
    _whole_run(mdp)  # compiles
    with subprocess.Popen([str(python), "-c", _SCRIPT, str(data)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True) as peer:
        for _ in range(turns):
            for real_time, found in theirs.items():
                found.append(_stretch(peer, real_time, budget))
            ours.append(_whole_run(mdp))
        assert peer.stdin is not None
        peer.stdin.close()
    return [{"peer": f"{PEER} UCBVI{', real-time' if name == 'True' else ''}",
             "peer's time an episode / ours: medians": statistics.median(found) / statistics.median(ours),
             "fastest turns": min(found) / min(ours),
             "ours, median (microseconds)": 1e6 * statistics.median(ours)} for name, found in theirs.items()]


def _whole_run(mdp: TabularMDP) -> float:
    """Seconds an episode of UBEV over a run of ``EPISODES``, its set-up included."""
    start = time.thread_time()
    simulate.replicate(mdp, UBEV(), EPISODES, None, seed=0, index=0)
    return (time.thread_time() - start) / EPISODES


def _stretch(peer: subprocess.Popen[str], real_time: str, budget: int) -> float:
    """Seconds an episode of the peer over its next ``budget`` episodes, measured by itself."""
    assert peer.stdin is not None
    assert peer.stdout is not None
    peer.stdin.write(f"{real_time} {budget}\n")
    peer.stdin.flush()
    line = ""
    while not line.startswith("seconds"):
        line = peer.stdout.readline()
        if not line:
            sys.exit("the peer stopped; see its installation")
    return float(line.split()[1])
