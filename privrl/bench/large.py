"""How large: an episode's time and a run's memory where the released sums are many, beside the
plain agent's.

Two things make a large problem small, alone and together: a support that is public (fewer sums),
and a plan for every so many users (fewer releases and plans). Each setting is a process of its own,
whose peak memory includes interpreter and libraries; times are CPU time per episode, the median of
some turns after a first plan. Ratios are to the setting of one release per user on all sums,
measured in the same run.
"""

import statistics
import time
from typing import Any

import numpy as np

from privrl.agents.tabular.private_ucbvi import PrivateUCBVI, width
from privrl.bench import scaling
from privrl.bench.linear import printed
from privrl.checks import count, flag
from privrl.environments import SparseMDP
from privrl.run import simulate

STATES, ACTIONS, HORIZON, NEXT = 200, 5, 20, 10
PLANNED = 10**6
LARGE_BATCH = 100
TURNS = 5
# on a public support or on all next states; users to a plan
SETTINGS = ((False, 1), (False, LARGE_BATCH), (True, 1), (True, LARGE_BATCH))


def problem(
    states: int = STATES,
    actions: int = ACTIONS,
    horizon: int = HORIZON,
    follow: int = NEXT,
    seed: int = 0,
) -> SparseMDP:
    """A random problem in which every pair leads to ``follow`` of the states."""
    S, A, H = count("states", states), count("actions", actions), count("horizon", horizon)
    B = min(count("follow", follow), S)
    rng = np.random.default_rng(seed)
    drawn = [rng.choice(S, B, replace=False) for _ in range(S * A)]  # no array of all next states
    support = np.sort(np.array(drawn).reshape(S, A, B), axis=-1)
    return SparseMDP(
        f"sparse-{S}-{A}-{H}-{B}",
        support,
        rng.dirichlet(np.ones(B), size=(H, S, A)),
        rng.random((H, S, A)),
        np.full(S, 1 / S),
    )


def episode(public: bool, every: int, turns: int = TURNS, **sizes: int) -> tuple[float, float]:
    """Seconds of an episode and peak memory (MiB) of this process; ``turns`` plans are timed, with
    all their users, or blocks where each user brings one.

    Before them one is not timed, in which compiled code is loaded and memory touched first.
    """
    sparse = problem(**sizes)
    mdp = sparse if flag("public", public) else sparse.dense()
    agent = PrivateUCBVI(2.0, 1e-6, counter="blt", every=every)
    batch = every if every > 1 else simulate.block_rows(mdp, width(mdp))
    ends: list[tuple[int, float]] = []
    simulate.replicate(
        mdp,
        agent,
        PLANNED,
        batch * (2 + turns),
        0,
        0,
        lambda finished: ends.append((finished, time.process_time())),
    )
    users, times = np.diff(ends, axis=0).T
    return statistics.median((times / users).tolist()[-turns:]), scaling._peak()


_SCRIPT = """
import sys
from privrl.bench import large
print(*large.episode(sys.argv[1] == "True", int(sys.argv[2]), int(sys.argv[3])))
"""


def measure(quick: bool = False) -> list[dict[str, Any]]:
    """One row per setting; the first is what the others are compared with."""
    rows: list[dict[str, Any]] = []
    for public, every in SETTINGS:
        seconds, memory = map(float, printed(_SCRIPT, public, every, 2 if quick else 40).split())
        first = rows[0] if rows else {"ms": 1e3 * seconds, "MiB": memory}
        rows.append(
            {
                "agent": f"private-ucbvi, "
                f"{f'public support, B = {NEXT}' if public else 'all next states'}, a plan for "
                f"{every}",
                "S, A, H": f"{STATES}, {ACTIONS}, {HORIZON}",
                "ms": 1e3 * seconds,
                "MiB": memory,
                "time / plain": 1e3 * seconds / first["ms"],
                "memory / plain": memory / first["MiB"],
            }
        )
    return rows
