"""Compile the agents' kernels into the cache, by a few episodes of each: ``python -m privrl.warm``.

It may be ended at any time: what is compiled by then is kept. Kernels that nobody has compiled are when they first run.
"""

from __future__ import annotations

from collections.abc import Iterator

from privrl import simulate, suite
from privrl.agents import registry

EPISODES = 4


def warm() -> Iterator[str]:
    """Play every algorithm on the first entry of the suite that has it, and yield its name.

    The linear-quadratic ones come last: their kernels take as long as all others together.
    """
    entries = {name: entry for entry in reversed(suite.ENTRIES.values()) for name in entry.agents}
    for name in sorted(registry.names(), key=lambda name: entries[name].paper == "chowdhury2021"):
        entry, kind = entries[name], registry.kind(name)
        agent = registry.make(name, epsilon=entry.epsilon, delta=entry.delta, beta=entry.beta, counter=kind.counter,
                              calibration=kind.calibration)
        simulate.run(entry.id, entry.make(), agent, episodes=EPISODES)
        yield name


if __name__ == "__main__":
    for _ in warm():
        pass
