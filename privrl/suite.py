"""The suite: permanent ids, frozen settings. Every list of settings is derived from here.

An id is ``paper/environment-size[-variant]``, for instance ``vietri2020/riverswim-3-relabelled``.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from privrl.environments import chain, hard_mdp, random_mdp, riverswim
from privrl.types import Environment, TabularMDP, require


@dataclass(frozen=True)
class Entry:
    """One entry of the suite.

    Parameters
    ----------
    id : permanent
    make : builds the environment
    agents : agents that run on it, the paper's own first
    episodes : planned number of episodes where none is asked for
    epsilon, delta : privacy parameters where none are asked for
    beta : failure probability of the agents
    note : what the entry is for
    """

    id: str
    make: Callable[[], Environment]
    agents: tuple[str, ...]
    episodes: int
    epsilon: float
    beta: float
    note: str
    delta: float = 0.0

    @property
    def paper(self) -> str:
        """The paper's id, e.g. ``vietri2020``."""
        return self.id.split("/")[0]


_TABULAR = ("pucb", "ubev")
_ENTRIES = (
    Entry("vietri2020/riverswim-2-relabelled", lambda: riverswim(2, relabelled=True), _TABULAR, 10**8, 1.0, 0.1,
          "the smallest river: the regret bounds say something within a run"),
    Entry("vietri2020/riverswim-3", lambda: riverswim(3), _TABULAR, 10**6, 1.0, 0.1,
          "always-right loses 2 % of V*: says nothing of learning"),
    Entry("vietri2020/riverswim-3-relabelled", lambda: riverswim(3, relabelled=True), _TABULAR, 10**8, 1.0, 0.1,
          "no constant action is good: a falling curve is learning"),
    Entry("vietri2020/riverswim-3-inhomogeneous", lambda: riverswim(3, inhomogeneous=True), _TABULAR, 10**6, 1.0, 0.1,
          "transition probabilities drawn per step"),
    Entry("vietri2020/riverswim-6-h20", lambda: riverswim(6, 20), _TABULAR, 10**5, 1.0, 0.1,
          "the size on which peers are timed"),
    Entry("vietri2020/riverswim-6-h20-relabelled", lambda: riverswim(6, 20, relabelled=True), _TABULAR, 10**5, 1.0, 0.1,
          "the same, without a good constant action"),
    Entry("vietri2020/chain-3", lambda: chain(3, 3), _TABULAR, 10**8, 1.0, 0.1, "a combination lock of three steps"),
    Entry("vietri2020/random-3-2", lambda: random_mdp(3, 2, 3, 0), _TABULAR, 10**6, 1.0, 0.1, "drawn rows and rewards"),
    Entry("vietri2020/hard-2-2", lambda: hard_mdp(2, 2, 0.2, (1, 2), 3), _TABULAR, 10**6, 1.0, 0.1,
          "figure 2 with n = m = 2, alpha' = 0.2, I = (1, 2)"),
)
ENTRIES: dict[str, Entry] = {entry.id: entry for entry in _ENTRIES}


def entry(identifier: str) -> Entry:
    """The entry of that id, or ``ValueError`` that names the nearest known ids."""
    if not isinstance(identifier, str) or identifier not in ENTRIES:
        near = difflib.get_close_matches(str(identifier)[:200], ENTRIES, n=3, cutoff=0.3) or sorted(ENTRIES)[:3]
        require(False, f"id must be one of the suite's (nearest: {', '.join(near)})", id=identifier)
    return ENTRIES[identifier]


def environment(identifier: str) -> Environment:
    """The environment of that id."""
    return entry(identifier).make()


def tabular(identifier: str) -> TabularMDP:
    """The tabular MDP of that id: the environment itself, or the tables of a linear mixture.

    Raises
    ------
    ValueError
        An unknown id, or an environment without tables.
    """
    made = environment(identifier)
    tables = made if isinstance(made, TabularMDP) else getattr(made, "tabular", lambda: None)()
    require(isinstance(tables, TabularMDP), "id must be of an environment with finitely many states", id=identifier)
    return cast(TabularMDP, tables)


def ids() -> tuple[str, ...]:
    """All ids, in the order of declaration."""
    return tuple(ENTRIES)
