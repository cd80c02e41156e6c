"""What a session with a file costs for a user: bytes that are written to it, and CPU time.

Between two plans a user's contribution is appended and synced; with a plan all of the state is
written, here not measured in time, since exact noise is most of it (:mod:`privrl.bench.exact`).
Times are the least of some turns: what else runs on the machine makes others longer. The *floor* of
a user is what cannot be left out: to open a file, append as many bytes, sync and close it. It is
measured after every user, and the ratio is that of the medians.
"""

import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from privrl.agents.tabular.private_ucbvi import PrivateUCBVI
from privrl.checks import flag
from privrl.online.problems import tabular
from privrl.online.session import Session
from privrl.types import FloatArray

SIZES = ((5, 2, 5), (50, 4, 10))  # S, A, H
SESSION_BATCH = 1000  # users to a plan
PLANNED = 100_000
TURN = 10  # users


def measure(quick: bool = False) -> list[dict[str, Any]]:
    """One row per size; no user brings a plan."""
    return [_row(*size, 50 if flag("quick", quick) else 900) for size in SIZES]


def _row(states: int, actions: int, horizon: int, users: int) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    episodes = [
        (
            rng.integers(states, size=horizon + 1),
            rng.integers(actions, size=horizon),
            rng.integers(2, size=horizon).astype(float),
        )
        for _ in range(users)
    ]
    agent = PrivateUCBVI(epsilon=2.0, delta=1e-6, counter="smooth")
    with tempfile.TemporaryDirectory(prefix="privrl-") as folder:
        path = Path(folder) / "session"
        known = tabular(states, actions, horizon)
        session = Session(
            agent, known, PLANNED, every=SESSION_BATCH, path=path, noise="simulated", seed=0
        )
        beside = Path(folder) / "floor"
        beside.touch()
        whole, spent, floors = session.written, [], []
        for episode in episodes:
            before, begun = session.written, _now()
            session.observe(episode)
            spent.append(_now() - begun)
            content = bytes(session.written - before)
            begun = _now()
            _append(beside, content)
            floors.append(_now() - begun)
        cpu, wall = np.array(spent).reshape(-1, TURN, 2).mean(axis=1).min(axis=0).tolist()
        ratio = np.median(np.array(spent)[:, 0]) / np.median(np.array(floors)[:, 0])
        return {
            "states": states,
            "actions": actions,
            "horizon": horizon,
            "users to a plan": SESSION_BATCH,
            "bytes a plan": whole,
            "bytes a user": (session.written - whole) / users,
            "CPU ms a user": cpu * 1e3,
            "CPU / floor": float(ratio),
            "ms a user": wall * 1e3,
        }


def _now() -> FloatArray:
    """Seconds of CPU and of the clock, (2,)."""
    return np.array([time.process_time(), time.perf_counter()])


def _append(path: Path, content: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_APPEND)
    try:
        os.write(handle, content)
        os.fsync(handle)
    finally:
        os.close(handle)
