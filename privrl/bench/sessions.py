"""What a session with a file and exact noise costs for a user: bytes that are written, CPU time.

Between two plans a user's contribution is appended and synced. Their *floor* is what cannot be left
out: to open a file, append as many bytes, sync and close it; measured after every user, and the
ratio is that of the medians. With a plan, noise is drawn for all sums, the plan is made, and all of
the state is written; its floor is the same number of exact draws by themselves, measured after
every plan. Times are the least of some turns, or plans: what else runs on the machine makes others
longer.

A state grows until every sum has been met and every row of noise is in use, which would take hours
of exact draws. So before plans are measured all of it is filled with floating-point numbers of that
size, and a plan then writes as much as it ever does, or more.
"""

import math
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from privrl.agents.tabular.private_ucbvi import PrivateUCBVI
from privrl.agents.trajectory import Trajectory
from privrl.checks import flag
from privrl.online.problems import tabular
from privrl.online.session import Session
from privrl.privacy import exact
from privrl.types import FloatArray

# S, A, H and the counter
SESSIONS = (((5, 2, 5), "blt"), ((50, 4, 10), "blt"), ((50, 4, 10), "tree"))
SESSION_BATCH = 1000  # users to a plan
PLANNED = 1_000_000
TURN = 3  # users
BUDGET = 1.0  # milliseconds of CPU that a user may take, all in all


def measure(quick: bool = False) -> list[dict[str, Any]]:
    """One row per size and counter."""
    users, plans = (50, 1) if flag("quick", quick) else (900, 3)
    return [_row(sizes, counter, users, plans) for sizes, counter in SESSIONS]


def _row(sizes: tuple[int, int, int], counter: str, users: int, plans: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="privrl-") as folder:
        path = Path(folder) / "session"
        session = opened(sizes, counter, path)
        row = between(session, path.with_name("floor"), users)
        row |= plan(session, plans)
    left = BUDGET - row["CPU ms a user"]
    return {
        "counter": counter,
        "S, A, H": ", ".join(map(str, sizes)),
        "users to a plan": SESSION_BATCH,
        **row,
        f"users to a plan for {BUDGET:g} ms": row["CPU ms a plan"] / left if left > 0 else math.inf,
    }


def opened(sizes: tuple[int, int, int], counter: str, path: Path) -> Session:
    """A session of these sizes S, A, H, whose file is at ``path``."""
    agent = PrivateUCBVI(epsilon=2.0, delta=1e-6, counter=counter)
    return Session(agent, tabular(*sizes), PLANNED, every=SESSION_BATCH, path=path)


def between(session: Session, beside: Path, users: int) -> dict[str, float]:
    """What the next ``users`` cost, none of whom brings a plan.

    ``beside`` : file of the floor, which is made
    """
    beside.touch()
    whole, spent, floors = session.written, [], []
    for episode in _episodes(session, users):
        before, begun = session.written, _now()
        session.observe(episode)
        spent.append(_now() - begun)
        content = bytes(session.written - before)
        begun = _now()
        _append(beside, content)
        floors.append(_now() - begun)
    turns = np.array(spent)[: users - users % TURN].reshape(-1, TURN, 2)
    cpu, wall = turns.mean(axis=1).min(axis=0).tolist()
    ratio = np.median(np.array(spent)[:, 0]) / np.median(np.array(floors)[:, 0])
    return {
        "bytes a user": (session.written - whole) / users,
        "CPU ms a user": cpu * 1e3,
        "CPU / floor": float(ratio),
        "ms a user": wall * 1e3,
    }


def plan(session: Session, plans: int) -> dict[str, float]:
    """What the users cost who bring the next plans, in a file of full size."""
    noise = session._protection.noise
    fill(session)
    spent, floors = [], []
    for _ in range(plans):
        following = session.terms.every - session.users % session.terms.every
        *others, last = _episodes(session, following)
        for episode in others:
            session.observe(episode)
        before, begun = session.written, _now()
        session.observe(last)
        spent.append((_now() - begun)[0])
        size = session.written - before
        begun = _now()
        exact.drawn(session.terms.law, noise.scale, noise.grid, 1, exact.MOST_GRID_STEPS)
        floors.append((_now() - begun)[0])
    return {
        "bytes a plan": size,
        "CPU ms a plan": float(min(spent)) * 1e3,
        "plan / its draws": float(min(spent) / min(floors)),
    }


def fill(session: Session) -> None:
    """Sums as after many users, and in every row of noise numbers as large as a draw."""
    rng = np.random.Generator(np.random.SFC64(0))
    noise = session._protection.noise
    session.learner.released_sums[...] += rng.poisson(50, session.learner.released_sums.size)
    state = noise.state()
    for name, rows in state.items():
        if name == "_rest":  # of sums that were rounded to the grid
            rows[...] = noise.grid * (rng.random(rows.shape) - 0.5)
        elif rows.dtype.kind == "f":
            numbers = noise.scale * rng.standard_normal(rows.shape)
            # those of ``blt`` are weighed by real numbers
            rows[...] = numbers if name == "_buffers" else exact.on_grid(numbers, noise.grid)
    noise.restore(state)


def _episodes(session: Session, number: int) -> list[Trajectory]:
    problem = session.terms.problem
    horizon, states, actions = problem.rewards.shape
    rng = np.random.default_rng(session.users)
    return [
        Trajectory(
            rng.integers(states, size=horizon + 1),
            rng.integers(actions, size=horizon),
            rng.integers(2, size=horizon).astype(float),
        )
        for _ in range(number)
    ]


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
