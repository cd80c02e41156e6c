"""What the tabular agents over a counter share: checked parameters, the cost of their noise, and
its stream."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privrl.agents.settings import check
from privrl.agents.tabular.learner import width
from privrl.checks import planned_episodes, require
from privrl.privacy import accounting
from privrl.privacy.counters import mechanisms, shuffle
from privrl.privacy.counters import stream as counters
from privrl.privacy.counters.matrix import Cost
from privrl.types import TabularMDP


@dataclass(frozen=True)
class StreamNoise:
    """What an agent's stream is made of, the beginning of its calibration."""

    law: str  #: ``laplace`` or ``gaussian``
    scale: (
        float  #: Laplace scale, or standard deviation, of a draw of the counter (0 without noise)
    )
    multiplied: ClassVar[tuple[str, ...]] = ()  #: fields that the multiplier of the widths moves


@dataclass(frozen=True)
class CounterAgent:
    """A tabular agent whose sums a counter releases; ``ValueError`` for what no calibration
    defines.

    Parameters
    ----------
    epsilon : privacy parameter, > 0
    delta : 0 for Laplace noise, > 0 for Gaussian noise at (epsilon, delta)
    beta : failure probability, in (0, 1)
    counter : ``local`` for local privacy, ``none`` for exact sums, every other of
        ``mechanisms.MECHANISMS`` for joint
    calibration : one of ``calibrations``; ``corrected`` and ``tight`` give the privacy that is
        asked for
    multiplier : of every confidence width, > 0; noise and privacy stay. Only 1 keeps what is proved
        of regret
    every : users to a release and its plan; a user is in one batch, and moves its sums as far as in
        a batch of one. Over ``shuffle`` the messages of a batch hide each other
    """

    epsilon: float = math.inf
    delta: float = 0.0
    beta: float = 0.1
    counter: str = "tree"
    calibration: str = "tight"
    multiplier: float = 1.0
    every: int = 1
    calibrations: ClassVar[tuple[str, ...]] = ("corrected", "tight")

    def __post_init__(self) -> None:
        check(self, pure=True, counter=mechanisms.MECHANISMS, calibration=self.calibrations)
        if self.counter == "none":
            return
        laws = mechanisms.laws(self.counter)
        require(
            self.every == 1 or not mechanisms.COUNTER_CLASSES[self.counter].each_user,
            f"every must be 1 over the counter {self.counter}, where each user adds noise",
            every=self.every,
        )
        require(
            self.law in laws,
            f"the counter {self.counter} must have {' or '.join(laws)} noise "
            "(laplace: delta = 0, gaussian: delta > 0)",
            delta=self.delta,
        )

    @property
    def law(self) -> str:
        """Of the draws: ``laplace`` at delta = 0, ``gaussian`` above."""
        return "gaussian" if self.delta > 0 else "laplace"

    def calibrate(self, mdp: TabularMDP, planned: int) -> StreamNoise:
        """What the agent derives from its parameters before the first episode."""
        raise NotImplementedError

    def released(self, mdp: TabularMDP) -> int:
        """Number of released sums; all of them where the agent says nothing else."""
        return width(mdp)

    def cost(self, planned: int, sums: int) -> Cost:
        """What the counter costs that serves the releases of a run, of so many sums."""
        most = mechanisms.most_releases(self.counter, sums)
        require(
            self.releases(planned) <= most,
            f"plans must be <= {most + 1} over the counter {self.counter}",
            episodes=planned,
            every=self.every,
        )
        return mechanisms.counter_cost(self.counter, self.releases(planned), self.law)

    def releases(self, planned: int) -> int:
        """Releases of a run: every plan reads one, but for the first (at least 1: a counter serves
        no fewer)."""
        return max(-(-planned // self.every) - 1, 1)

    def scale(self, cost: Cost, l1: float, l2: float) -> float:
        """Scale of a draw that gives (epsilon, delta) when a user changes all sums together by l1,
        or in l2 by l2."""
        if self.counter == "shuffle":  # a draw is the noise of a batch, each message with its own
            message = shuffle.message(self.epsilon, self.delta, self.every)
            return (
                math.sqrt(self.every) * l2 / accounting.gaussian_mu(message.epsilon, message.delta)
            )
        if cost.law == "gaussian":
            return l2 * cost.sensitivity / accounting.gaussian_mu(self.epsilon, self.delta)
        return l1 * cost.sensitivity / self.epsilon

    def noise(self, mdp: TabularMDP, planned: int, rng: np.random.Generator) -> counters.Counter:
        """The counter's stream for a run of ``planned`` episodes: a column per released sum, all of
        one scale."""
        calibration = self.calibrate(mdp, planned_episodes(planned))
        sums, releases = self.released(mdp), self.releases(planned)
        return mechanisms.make(
            self.counter, sums, releases, calibration.scale or 1.0, rng, calibration.law
        )
