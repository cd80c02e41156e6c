"""What OFU-RL and Private-OFU-RL share as agents: names, stream, start, and the calibration without
noise."""

import math
from typing import ClassVar

import numpy as np

from privrl.agents.lq.learner import LQLearner
from privrl.agents.lq.state import LQCalibration, start, width
from privrl.checks import planned_episodes
from privrl.environments.lq import LQSystem
from privrl.privacy.counters import mechanisms
from privrl.privacy.counters.stream import Counter
from privrl.types import IntArray

PLANNERS = ("optimistic", "certainty-equivalent")


def logarithm(share: int, alpha: float) -> float:
    """2 ln(share/alpha), the first term under the root of beta_k at failure alpha/share."""
    return 2 * math.log(share / alpha)


class LQAgent:
    """What both agents share; a name for each of :data:`PLANNERS`."""

    alpha: float
    regulariser: float
    multiplier: float
    planner: str
    counter: str
    names: ClassVar[tuple[str, str]]

    @property
    def name(self) -> str:
        """Of the algorithm with this planner."""
        return self.names[PLANNERS.index(self.planner)]

    def calibrate(self, system: LQSystem, planned: int) -> LQCalibration:
        """What the agent derives from its parameters before the first episode."""
        raise NotImplementedError

    def exact(self, share: int) -> LQCalibration:
        """Without noise, with the self-normalised bound at alpha / ``share``."""
        return LQCalibration(
            sigma_gram=0.0,
            sigma_cross=0.0,
            eta=self.regulariser,
            lambda_min=self.regulariser,
            lambda_max=self.regulariser,
            nu=0.0,
            logarithm=logarithm(share, self.alpha),
            exact=False,
            clip=math.inf,
            multiplier=self.multiplier,
        )

    def noise(self, system: LQSystem, planned: int, rng: np.random.Generator, /) -> Counter:
        """The counters' stream for a run of ``planned`` episodes, in units of sigma_1 and
        sigma_2."""
        releases = max(planned_episodes(planned) - 1, 1)
        return mechanisms.make(self.counter, width(system), releases, 1.0, rng, "gaussian")

    def start(self, system: LQSystem, planned: int, checkpoints: IntArray, /) -> LQLearner:
        """A learner before its first episode."""
        calibration = self.calibrate(system, planned_episodes(planned))
        return LQLearner(start(system, checkpoints, calibration, self.planner), calibration, system)
