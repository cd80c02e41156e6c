"""How far one machine goes: CPU time of a user and memory where states are in the thousands.

Tabular problems with a public sparse support, and contexts: one step, in which a state is what is
known of a user. Each size is a process of its own, twice, of which the quicker one counts; over
``blt`` at epsilon 2. Exact noise would add the time of as many draws as there are sums
(:mod:`privrl.bench.exact`) to every plan.
"""

from typing import Any

from privrl.bench import large
from privrl.bench.linear import printed
from privrl.checks import flag

#: S, A, H, next states of a pair, users to a plan
SIZES = (
    (1000, 4, 10, 10, 1),
    (1000, 4, 10, 10, 1000),
    (2000, 4, 1, 1, 1),
    (5000, 4, 1, 1, 1),
    (5000, 4, 1, 1, 1000),
)

_SCRIPT = """
import sys
from privrl.bench import large
S, A, H, B, every, turns = map(int, sys.argv[1:])
sizes = {"states": S, "actions": A, "horizon": H, "follow": B}
print(*large.episode(True, every, turns, **sizes))
"""


def sums(states: int, actions: int, horizon: int, follow: int) -> int:
    """That are released: r of every pair, m of every cell."""
    return horizon * states * actions * (1 + follow)


def measure(quick: bool = False) -> list[dict[str, Any]]:
    """One row per size; with ``quick`` the first two turns of each."""
    rows = []
    for states, actions, horizon, follow, every in SIZES:
        sizes = states, actions, horizon, follow
        turns = 2 if flag("quick", quick) else large.TURNS
        seconds, memory = min(
            tuple(map(float, printed(_SCRIPT, *sizes, every, turns).split())) for _ in range(2)
        )
        rows.append(
            {
                "S, A, H": f"{states}, {actions}, {horizon}",
                "next states": str(follow),
                "users to a plan": str(every),
                "sums": f"{sums(*sizes):,}",
                "CPU ms a user": 1e3 * seconds,
                "MiB": memory,
            }
        )
    return rows
