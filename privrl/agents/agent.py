"""What every algorithm offers to whatever runs it."""

from typing import Any, Protocol

import numpy as np

from privrl.privacy.counters.stream import Counter
from privrl.types import FloatArray, IntArray


class AgentLearner(Protocol):
    """A run in progress; ``state.regret`` fills as checkpoints pass."""

    @property
    def state(self) -> Any: ...
    def advance(self, noise: FloatArray, coins: FloatArray, ties: FloatArray) -> None: ...


class Agent(Protocol):
    """What an algorithm offers: the same verbs in the same order."""

    @property
    def name(self) -> str: ...
    @property
    def counter(self) -> str: ...
    @property
    def calibration(self) -> str: ...
    @property
    def epsilon(self) -> float: ...
    @property
    def delta(self) -> float: ...
    def noise(self, mdp: Any, planned: int, rng: np.random.Generator, /) -> Counter: ...
    def start(self, mdp: Any, planned: int, checkpoints: IntArray, /) -> AgentLearner: ...
