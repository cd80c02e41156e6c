"""Tabular MDPs of which everybody knows which states can follow which: most real systems, and the
large ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from privrl.checks import array, instance, require
from privrl.types import Finite, FloatArray, IntArray, TabularMDP


@dataclass(frozen=True, eq=False)
class SparseMDP(Finite):
    """A tabular MDP with a public support: at most B next states of each pair, at every step alike.

    The support is the user's own model of the system (a queue moves by one, a part stays on its
    machine), stated before any data are seen. It is not protected; the probabilities are.

    Parameters
    ----------
    name : str
    support : (S, A, B), possible next states in increasing order, then -1 where a pair has fewer
        than B
    transitions : (H, S, A, B), their probabilities; rows sum to one, and -1 has probability 0
    rewards : (H, S, A), mean rewards in [0, 1]
    initial : (S,), distribution of the first state
    bernoulli : whether a reward is a coin with the given mean (True) or the mean itself (False)
    """

    name: str
    support: IntArray
    transitions: FloatArray
    rewards: FloatArray
    initial: FloatArray
    bernoulli: bool = True

    def __post_init__(self) -> None:
        support = array("support", self.support, (None, None, None))
        states, actions, _ = support.shape
        possible = support >= 0
        require(
            bool(
                (support == np.floor(support)).all()
                and support.max() < states
                and support.min() >= -1
            ),
            f"support must be whole numbers in 0..{states - 1}, or -1",
            largest=float(support.max()),
        )
        require(
            bool(possible[..., 0].all())
            and bool(((np.diff(support) > 0) | ~possible[..., 1:]).all())
            and bool((possible[..., :-1] | ~possible[..., 1:]).all()),
            "support must hold one state or more for each pair, in increasing order, and -1 "
            "after them",
            name=self.name,
        )
        transitions = array("transitions", self.transitions, (None, *support.shape))
        rewards = array("rewards", self.rewards, (transitions.shape[0], states, actions))
        initial = array("initial", self.initial, (states,))
        require(
            not transitions[:, ~possible].any(),
            "transitions must be 0 where the support is -1",
            name=self.name,
        )
        mask = support.astype(np.int64)
        mask.setflags(write=False)
        self._tabulate(transitions, rewards, initial, support=mask)

    @classmethod
    def of(cls, mdp: TabularMDP, possible: Any = None) -> SparseMDP:
        """The same problem with a public support (S, A, S) of truth values; None: what its own
        transitions allow."""
        instance("mdp", mdp, TabularMDP)
        shape = mdp.transitions.shape[1:]
        known = (
            (mdp.transitions > 0).any(axis=0)
            if possible is None
            else array("possible", possible, shape) > 0
        )
        require(
            not mdp.transitions[:, ~known].any(),
            "possible must hold wherever a transition has probability > 0",
            name=mdp.name,
        )
        order = np.argsort(~known, axis=-1, kind="stable")[..., : int(known.sum(axis=-1).max())]
        support = np.where(np.take_along_axis(known, order, axis=-1), order, -1)
        chance = np.take_along_axis(mdp.transitions, order[None], axis=-1)
        return cls(mdp.name, support, chance, mdp.rewards, mdp.initial, mdp.bernoulli)

    def dense(self) -> TabularMDP:
        """The same problem with its zeros written out."""
        transitions = np.zeros((self.horizon, self.states * self.actions, self.states))
        transitions[
            :, np.repeat(np.arange(self.first.size - 1), np.diff(self.first)), self.after
        ] = self.chance
        return TabularMDP(
            self.name,
            transitions.reshape(*self.rewards.shape, -1),
            self.rewards,
            self.initial,
            self.bernoulli,
        )

    @property
    def fan(self) -> int:
        """B, the most next states of a pair."""
        return int(self.support.shape[2])

    @cached_property
    def first(self) -> IntArray:
        """(SA + 1,), where the cells of a pair x = s A + a begin among the Z cells (s, a, s') that
        are possible."""
        return np.append(0, np.cumsum((self.support >= 0).sum(axis=-1).ravel())).astype(np.int64)

    @cached_property
    def after(self) -> IntArray:
        """(Z,), the next state of a cell."""
        return self.support[self.support >= 0]

    @cached_property
    def chance(self) -> FloatArray:
        """(H, Z), the probability of a cell."""
        return np.ascontiguousarray(self.transitions[:, self.support >= 0])
