"""The suite: permanent ids, frozen settings. Every list of settings is derived from here.

An id is ``paper/environment-size[-variant]``, for instance ``vietri2020/riverswim-3-relabelled``;
or the name of a file with an MDP of a reader's own (:mod:`privrl.environments.files`), which is in
no list.
"""

import difflib
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from privrl.checks import require
from privrl.environments import (
    all_or_nothing,
    chain,
    files,
    hard_mdp,
    lq_instance,
    lq_scalar,
    random_mdp,
    riverswim,
)
from privrl.environments.linear_mixture import LinearMixtureMDP
from privrl.environments.mixtures import hard_mixture, mixture, one_hot
from privrl.environments.problems import KNOWN_REWARDS, LQ, TABULAR, UNKNOWN_REWARDS
from privrl.types import Environment, TabularMDP


@dataclass(frozen=True)
class Entry:
    """One entry of the suite."""

    id: str  #: permanent
    make: Callable[[], Environment]  #: builds the environment
    problem: str  #: its kind (:mod:`privrl.environments.problems`); agents say which they play
    episodes: int  #: planned number of episodes where none is asked for
    epsilon: float  #: privacy parameter where none is asked for
    beta: float  #: failure probability of the agents (alpha where the paper writes so)
    note: str  #: what the entry is for
    delta: float = 0.0  #: privacy parameter, as epsilon
    of_file: bool = False  #: a reader's own

    @property
    def paper(self) -> str:
        """The paper's id, e.g. ``vietri2020``."""
        return self.id.split("/")[0]


def _river(*, inhomogeneous: bool = False, relabelled: bool = False) -> LinearMixtureMDP:
    """liao2021, section 6.1: S = 3, H = 2S, rewards divided by H, one-hot features over sqrt(S)."""
    return one_hot(
        riverswim(3, 6, normalised=True, inhomogeneous=inhomogeneous, relabelled=relabelled)
    )


_ENTRIES = (
    Entry(
        "vietri2020/riverswim-2-relabelled",
        lambda: riverswim(2, relabelled=True),
        TABULAR,
        10**8,
        1.0,
        0.1,
        "the smallest river: the regret bounds say something within a run",
    ),
    Entry(
        "vietri2020/riverswim-3",
        lambda: riverswim(3),
        TABULAR,
        10**6,
        1.0,
        0.1,
        "always-right loses 2 % of V*: says nothing of learning",
    ),
    Entry(
        "vietri2020/riverswim-3-relabelled",
        lambda: riverswim(3, relabelled=True),
        TABULAR,
        10**8,
        1.0,
        0.1,
        "no constant action is good: a falling curve is learning",
    ),
    Entry(
        "vietri2020/riverswim-3-inhomogeneous",
        lambda: riverswim(3, inhomogeneous=True),
        TABULAR,
        10**6,
        1.0,
        0.1,
        "transition probabilities drawn per step",
    ),
    Entry(
        "vietri2020/riverswim-6-h20",
        lambda: riverswim(6, 20),
        TABULAR,
        10**5,
        1.0,
        0.1,
        "the size on which peers are timed",
    ),
    Entry(
        "vietri2020/riverswim-6-h20-relabelled",
        lambda: riverswim(6, 20, relabelled=True),
        TABULAR,
        10**5,
        1.0,
        0.1,
        "the same, without a good constant action",
    ),
    Entry(
        "vietri2020/chain-3",
        lambda: chain(3, 3),
        TABULAR,
        10**8,
        1.0,
        0.1,
        "a combination lock of three steps",
    ),
    Entry(
        "vietri2020/random-3-2",
        lambda: random_mdp(3, 2, 3, 0),
        TABULAR,
        10**6,
        1.0,
        0.1,
        "drawn rows and rewards",
    ),
    Entry(
        "vietri2020/hard-2-2",
        lambda: hard_mdp(2, 2, 0.2, (1, 2), 3),
        TABULAR,
        10**6,
        1.0,
        0.1,
        "figure 2 with n = m = 2, alpha' = 0.2, I = (1, 2)",
    ),
    Entry(
        "vietri2020/worst-3-2",
        lambda: all_or_nothing(3, 2, 3, seed=1),
        TABULAR,
        10**5,
        1.0,
        0.1,
        "the worst for PUCB that a search found: one action pays, the other does not",
    ),
    Entry(
        "chowdhury2021/scalar",
        lq_scalar,
        LQ,
        10**6,
        1.0,
        0.1,
        "n = d = 1, H = 5: the optimistic step is certified",
        1e-6,
    ),
    Entry(
        "chowdhury2021/lq-2-1",
        lambda: lq_instance(2, 1),
        LQ,
        10**5,
        1.0,
        0.1,
        "n = 2, d = 1, H = 5",
        1e-6,
    ),
    Entry(
        "chowdhury2021/lq-2-2",
        lambda: lq_instance(2, 2),
        LQ,
        10**5,
        1.0,
        0.1,
        "n = 2, d = 2, H = 5",
        1e-6,
    ),
    Entry(
        "chowdhury2021/lq-4-2",
        lambda: lq_instance(4, 2),
        LQ,
        10**4,
        1.0,
        0.1,
        "n = 4, d = 2, H = 5",
        1e-6,
    ),
    Entry(
        "liao2021/riverswim-3",
        _river,
        KNOWN_REWARDS,
        10**4,
        1.0,
        0.01,
        "the paper's: always-right is within 2 % of optimal, so a curve says little",
        0.1,
    ),
    Entry(
        "liao2021/riverswim-3-unscaled",
        lambda: one_hot(riverswim(3, 6, normalised=True), scaled=False),
        KNOWN_REWARDS,
        10**4,
        1.0,
        0.01,
        "plain one-hot features, as section 6.1 prints them: outside equation 3.1",
        0.1,
    ),
    Entry(
        "liao2021/riverswim-3-inhomogeneous",
        lambda: _river(inhomogeneous=True),
        KNOWN_REWARDS,
        10**4,
        1.0,
        0.01,
        "the paper's second: transition probabilities drawn per step",
        0.1,
    ),
    Entry(
        "liao2021/riverswim-3-relabelled",
        lambda: _river(relabelled=True),
        KNOWN_REWARDS,
        10**4,
        1.0,
        0.01,
        "no constant action is good: a falling curve is learning",
        0.1,
    ),
    Entry(
        "liao2021/riverswim-3-inhomogeneous-relabelled",
        lambda: _river(inhomogeneous=True, relabelled=True),
        KNOWN_REWARDS,
        10**4,
        1.0,
        0.01,
        "the second, without a good constant action",
        0.1,
    ),
    Entry(
        "liao2021/hard-5-6",
        lambda: hard_mixture(5, 6, 10**4),
        KNOWN_REWARDS,
        10**4,
        1.0,
        0.01,
        "the setting of the authors' released code: d = 5, H = 6",
        0.1,
    ),
    Entry(
        "liao2021/mixture-2",
        lambda: mixture(scaled=True),
        KNOWN_REWARDS,
        10**6,
        1.0,
        0.01,
        "the smallest mixture, d = H = 2, scaled to the paper's norm assumptions",
        0.1,
    ),
    Entry(
        "zhou2022/mixture-2",
        mixture,
        UNKNOWN_REWARDS,
        10**7,
        1.0,
        0.1,
        "the smallest mixture, d = H = 2",
        1e-6,
    ),
    Entry(
        "zhou2022/riverswim-3",
        lambda: one_hot(riverswim(3, 6, normalised=True), scaled=False),
        UNKNOWN_REWARDS,
        10**5,
        1.0,
        0.1,
        "always-right is within 2 % of optimal",
        1e-6,
    ),
    Entry(
        "zhou2022/riverswim-3-relabelled",
        lambda: one_hot(riverswim(3, 6, normalised=True, relabelled=True), scaled=False),
        UNKNOWN_REWARDS,
        10**5,
        1.0,
        0.1,
        "no constant action is good",
        1e-6,
    ),
)
ENTRIES: dict[str, Entry] = {entry.id: entry for entry in _ENTRIES}


def entry(identifier: str) -> Entry:
    """The entry of that id, or ``ValueError`` that names the nearest known ids."""
    if files.is_name(identifier):
        return _own(identifier, files.stamp(identifier))
    if not isinstance(identifier, str) or identifier not in ENTRIES:
        near = (
            difflib.get_close_matches(str(identifier)[:200], ENTRIES, n=3, cutoff=0.3)
            or list(ENTRIES)[:3]
        )
        require(False, f"id must be one of the suite's (nearest: {', '.join(near)})", id=identifier)
    return ENTRIES[identifier]


@functools.lru_cache(maxsize=8)
def _own(identifier: str, stamp: tuple[int, int]) -> Entry:
    """The entry of a file as it was at that ``stamp``."""
    mdp = files.load_mdp(identifier)
    return Entry(identifier, lambda: mdp, TABULAR, 10**5, 1.0, 0.1, "of a file", 1e-6, of_file=True)


def environment(identifier: str) -> Environment:
    """The environment of that id."""
    return entry(identifier).make()


def tabular(identifier: str) -> TabularMDP:
    """The tabular MDP of that id: the environment itself, or the tables of a linear mixture."""
    world = environment(identifier)
    tables = world if isinstance(world, TabularMDP) else getattr(world, "tabular", lambda: None)()
    require(
        isinstance(tables, TabularMDP),
        "id must be of an environment with finitely many states",
        id=identifier,
    )
    return cast(TabularMDP, tables)


def ids() -> tuple[str, ...]:
    """All ids, in the order of declaration."""
    return tuple(ENTRIES)
