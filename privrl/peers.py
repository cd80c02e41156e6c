"""UBEV against rlberry-scool's UCBVI on the same RiverSwim (S = 6, H = 20), in one run, turn by turn.

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

from privrl import bench
from privrl.agents.ubev import UBEV
from privrl.environments import riverswim

PEER = "rlberry-scool==0.7.3"
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
    start = time.perf_counter()
    agents[real_time == "True"].fit(budget=int(budget))
    print("seconds", (time.perf_counter() - start) / int(budget), flush=True)
"""


def install(folder: Path) -> Path:
    """A virtual environment with the peer below ``folder``; returns its interpreter."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", PEER], check=True)
    return python


def measure(folder: Path, turns: int = 5, budget: int = 300) -> list[dict[str, Any]]:
    """Median over turns of (seconds an episode of the peer) / (seconds an episode of UBEV)."""
    python = install(Path(folder))
    mdp = riverswim(6, 20)
    data = Path(folder) / "riverswim.npz"
    np.savez(data, rewards=mdp.rewards[0], transitions=mdp.transitions[0], horizon=mdp.horizon)
    rows, blocks = 1_000, 20
    block = bench._playing(mdp, UBEV(), rows, rows)
    ratios: dict[str, list[float]] = {"False": [], "True": []}
    with subprocess.Popen([str(python), "-c", _SCRIPT, str(data)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True) as peer:
        assert peer.stdin is not None and peer.stdout is not None
        for _ in range(turns):
            for real_time, found in ratios.items():
                peer.stdin.write(f"{real_time} {budget}\n")
                peer.stdin.flush()
                line = ""
                while not line.startswith("seconds"):
                    line = peer.stdout.readline()
                    if not line:
                        sys.exit("the peer stopped; see its installation")
                theirs = float(line.split()[1])
                start = time.perf_counter()
                for _ in range(blocks):
                    block()
                found.append(theirs * rows * blocks / (time.perf_counter() - start))
        peer.stdin.close()
    return [{"peer": f"{PEER} UCBVI{', real-time' if name == 'True' else ''}",
             "peer's time an episode / ours": statistics.median(found)} for name, found in ratios.items()]
