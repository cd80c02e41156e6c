"""Frozen records that every other module speaks in; the shape stands beside each field and is
asserted on entry, by :mod:`privrl.checks`."""

import enum
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from privrl.checks import (
    array,
    count,
    every_step,
    failure,
    flag,
    instance,
    named,
    parameter,
    planned_episodes,
    probability,
    real,
    require,
    rows_sum,
    settle,
)

#: How noise and widths are chosen where all of it is proved.
Calibration = Literal["printed", "corrected", "tight"]
CALIBRATIONS: tuple[Calibration, ...] = get_args(Calibration)
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


class Environment(Protocol):
    """What a simulation asks of an environment: how many uniform numbers an episode takes.

    The agents know their own kind of environment, and refuse every other.
    """

    @property
    def name(self) -> str: ...
    @property
    def coins(self) -> int: ...
    @property
    def ties(self) -> int: ...


class Adjacency(enum.Enum):
    """The neighbour relation of two sequences of users."""

    REPLACE = "replace"  # one user's whole episode is replaced: what the four papers define
    ADD_REMOVE = "add-remove"  # one user's contribution is removed: there to compare


@dataclass(frozen=True)
class Budget:
    """A privacy guarantee: (epsilon, delta), delta = 0 for pure differential privacy."""

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        settle(
            self,
            epsilon=parameter("epsilon", self.epsilon),
            delta=failure("delta", self.delta, zero=True),
        )


class Guarantee(NamedTuple):
    """(epsilon, delta) that exact noise gives every user: a pair of numbers."""

    epsilon: float
    delta: float = 0.0


@dataclass(frozen=True)
class Simulated:
    """No guarantee: noise was floating point from a seed, and protects nobody.

    It is no :class:`Guarantee` to a type checker, has no epsilon of its own, and is no pair.
    """

    if_exact: Guarantee  #: of exact noise with these scales

    def __str__(self) -> str:
        epsilon, delta = self.if_exact
        return (
            f"simulated: protects nobody (exact noise of these scales: epsilon {epsilon:g}, "
            f"delta {delta:g})"
        )

    __repr__ = __str__


class Entries(NamedTuple):
    """A row of numbers (W,), by those that may be other than zero: few, of many."""

    places: IntArray  #: (n,), increasing
    values: FloatArray  #: (n,)
    width: int  #: W

    @classmethod
    def of(cls, row: FloatArray) -> "Entries":
        """Of a row (W,)."""
        places = np.flatnonzero(row != 0)  # of truth values: ten times as fast
        return cls(places, row[places], row.size)

    def row(self) -> FloatArray:
        """All of it, (W,)."""
        row = np.zeros(self.width)
        row[self.places] = self.values
        return row


class Finite:
    """An environment of finitely many states and actions: its sizes, and the uniform numbers that
    an episode takes."""

    name: str
    rewards: FloatArray  #: (H, S, A)
    bernoulli: bool

    @property
    def sizes(self) -> tuple[int, ...]:
        """(H, S, A)."""
        return self.rewards.shape

    @property
    def horizon(self) -> int:
        """H, steps in an episode."""
        return int(self.sizes[0])

    @property
    def states(self) -> int:
        """S, number of states."""
        return int(self.sizes[1])

    @property
    def actions(self) -> int:
        """A, number of actions."""
        return int(self.sizes[2])

    @property
    def coins(self) -> int:
        """Uniform numbers that an episode takes: the first state, and a next state and a reward for
        every step."""
        return 1 + 2 * self.horizon

    @property
    def ties(self) -> int:
        """Uniform numbers that an agent takes for an episode: one choice among equal actions for
        every step."""
        return self.horizon

    def _tabulate(
        self, transitions: FloatArray, rewards: FloatArray, initial: FloatArray, **more: Any
    ) -> None:
        """Check the tables of a frozen environment, its name and its coins, and keep them."""
        named(self.name)
        rows_sum("transitions", transitions)
        rows_sum("initial", initial)
        require(
            bool((rewards >= 0).all() and (rewards <= 1).all()),
            "rewards must be in [0, 1]",
            smallest=float(rewards.min()),
            largest=float(rewards.max()),
        )
        settle(
            self,
            bernoulli=flag("bernoulli", self.bernoulli),
            transitions=transitions,
            rewards=rewards,
            initial=initial,
            **more,
        )


@dataclass(frozen=True, eq=False)
class TabularMDP(Finite):
    """An episodic tabular MDP with time-dependent dynamics (vietri2020, section 2.1).

    Parameters
    ----------
    name : str
    transitions : (H, S, A, S), rows sum to one; the last step's row is drawn too and counted by the
        agents; or (S, A, S), the same at every step
    rewards : (H, S, A), mean rewards in [0, 1]; or (S, A)
    initial : (S,), distribution of the first state
    bernoulli : whether a reward is a coin with the given mean (True) or the mean itself (False)
    horizon : H, which transitions (S, A, S) need beside them; 0: as their shape says

    >>> mdp = TabularMDP("coin", [[[0.5, 0.5]]] * 2, [[0.0], [1.0]], [1.0, 0.0], horizon=7)
    >>> mdp.transitions.shape
    (7, 2, 1, 2)
    """

    name: str
    transitions: FloatArray
    rewards: FloatArray
    initial: FloatArray
    bernoulli: bool = True
    horizon: int = field(default=0, compare=False)  #: no setting of its own: the arrays have it

    def __post_init__(self) -> None:
        horizon_ = count("horizon", self.horizon, 0)
        transitions = every_step("transitions", self.transitions, 4, horizon_)
        horizon, states, actions, _ = transitions.shape
        require(
            horizon_ in (0, horizon),
            "horizon must be that of the transitions",
            horizon=horizon_,
            transitions=horizon,
        )
        array("transitions", transitions, (horizon, states, actions, states))
        rewards = array(
            "rewards", every_step("rewards", self.rewards, 3, horizon), (horizon, states, actions)
        )
        self._tabulate(
            transitions, rewards, array("initial", self.initial, (states,)), horizon=horizon
        )


@dataclass(frozen=True, eq=False)
class Run:
    """Exact cumulative regret of several replicates at common checkpoints.

    Parameters
    ----------
    id, agent, counter, calibration : str, as in the suite
    epsilon : privacy parameter handed to the agent (infinity for an agent without noise)
    delta : privacy parameter (0 for pure differential privacy)
    planned : number of episodes the agent was told of; enters noise, levels and bonuses
    seed : root of the seed sequence
    episodes : (C,), checkpoints: number of finished episodes, increasing
    regret : (R, C), sum over those episodes of V* minus the value of the policy in force
    """

    id: str
    agent: str
    counter: str
    calibration: str
    epsilon: float
    delta: float
    planned: int
    seed: int
    episodes: IntArray = field(repr=False)
    regret: FloatArray = field(repr=False)

    def __post_init__(self) -> None:
        for name in ("id", "agent", "counter", "calibration"):
            instance(name, getattr(self, name), str)
        epsilon = real("epsilon", self.epsilon)
        require(epsilon > 0, "epsilon must be > 0", epsilon=self.epsilon)
        marks = array("episodes", self.episodes, (None,))
        require(
            bool((marks == np.floor(marks)).all() and marks[0] >= 0 and (np.diff(marks) > 0).all()),
            "episodes must be whole, >= 0 and increasing",
            first=float(marks[0]),
            last=float(marks[-1]),
        )
        regret = array("regret", self.regret, (None, None))
        require(
            regret.shape[1] == marks.size,
            "regret must have one column per checkpoint",
            episodes=marks.shape,
            regret=regret.shape,
        )
        episodes = marks.astype(np.int64)
        episodes.setflags(write=False)
        settle(
            self,
            epsilon=epsilon,
            delta=probability("delta", self.delta, zero=True),
            planned=planned_episodes(self.planned),
            seed=count("seed", self.seed, 0),
            episodes=episodes,
            regret=regret,
        )
