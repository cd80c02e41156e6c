"""UCRL-VTR (Jia et al. 2020), time-inhomogeneous: the base of LDP-UCRL-VTR, without privacy (liao2021, section 6).

It is LDP-UCRL-VTR without noise and without shift: Sigma = lambda I + sum of phi phi'. Deviations and readings:

- Section 6.2 prints sqrt(beta) = c sqrt(d_1) + (H - h + 1) sqrt(2 log(1/K) + log det M) with d_1 = S A. As log(1/K) < 0
  the root has no value at the start; it is read as 2 ln K.
- ``tuned`` has c before the whole width and the largest value (H - h + 1) r_max in place of H - h + 1: with rewards
  divided by H the second term alone, which the printed c leaves as it is, is H times wider than any value.
- ``corrected`` and ``tight`` are widths that cover with probability 1 - alpha: (H - h)/2 r_max sqrt(2 ln(H/alpha) + D)
  + sqrt(lambda) ||theta||, D the bound d ln(1 + k L^2/(d lambda)) of the log-determinant, or (``tight``) the
  determinant itself, block by block.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privrl.agents.linear import widths as lw
from privrl.agents.linear.layout import width
from privrl.agents.linear.ldp_ucrl_vtr import CALIBRATIONS, largest_reward
from privrl.agents.linear.learner import Learner
from privrl.agents.linear.value_iteration import begin
from privrl.agents.linear.widths import Calibration
from privrl.environments.linear_mixture import LinearMixtureMDP
from privrl.privacy.counters import stream as counters
from privrl.types import IntArray, choice, failure, flag, instance, parameter, planned_episodes


@dataclass(frozen=True)
class UCRLVTR:
    """UCRL-VTR; it has no counter and no privacy.

    Parameters
    ----------
    alpha : failure probability, in (0, 1)
    calibration : ``printed`` (section 6.2), ``tuned`` (a constant before the width), ``corrected``, ``tight``
    constant : c of ``printed`` and ``tuned``
    regulariser : lambda
    by_blocks : solve block by block, which makes the widths smaller; None: for ``corrected`` and ``tight``
    multiplier : of the bonus, > 0; Only 1 keeps what is proved of regret

    Raises
    ------
    ValueError
        A parameter out of range.
    """

    alpha: float = 0.01
    calibration: str = "printed"
    constant: float = 1.0
    regulariser: float = 1.0
    by_blocks: bool | None = None
    multiplier: float = 1.0
    name: ClassVar[str] = "ucrl-vtr"
    counter: ClassVar[str] = "none"
    epsilon: ClassVar[float] = math.inf
    delta: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        choice("calibration", self.calibration, CALIBRATIONS)
        object.__setattr__(self, "alpha", failure("alpha", self.alpha))
        for name in ("constant", "regulariser", "multiplier"):
            object.__setattr__(self, name, parameter(name, getattr(self, name)))
        if self.by_blocks is not None:
            flag("by_blocks", self.by_blocks)

    def calibrate(self, mdp: LinearMixtureMDP, planned: int) -> Calibration:
        """Widths and caps for ``planned`` episodes."""
        instance("mdp", mdp, LinearMixtureMDP)
        stated = self.calibration in ("printed", "tuned")
        blocks = not stated if self.by_blocks is None else self.by_blocks
        largest = 1.0 if self.calibration == "printed" else largest_reward(mdp)
        caps = lw.caps(mdp, largest)
        zeros = np.zeros(mdp.horizon)
        if stated:
            made = lw.widths(mdp.horizon)
            made.shift[:, 0] = self.regulariser
            made.bonus[:, 0] = self.constant * math.sqrt(mdp.states * mdp.actions)
            made.bonus[:, 3] = caps if self.calibration == "printed" else self.constant * caps
            made.bonus[:, 4] = 2 * math.log(planned_episodes(planned))
            made.bonus[:, 7] = 1.0
        else:
            known = lw.transitions(mdp, blocks, largest)
            level = lw.Level(self.alpha, mdp.horizon, max(planned - 1, 1))
            made = lw.confident(known, zeros, zeros, level, lw.SILENT, spread=1.0, sharp=self.calibration == "tight",
                                regulariser=self.regulariser)
        lw.multiplied(made, self.multiplier)
        return Calibration(made, lw.widths(mdp.horizon), caps, -math.inf if stated else 0.0, lw.SILENT, blocks)

    def noise(self, mdp: LinearMixtureMDP, planned: int, rng: np.random.Generator) -> counters.Counter:
        """An empty stream: UCRL-VTR reads no noise."""
        instance("rng", rng, np.random.Generator)
        made = self.calibrate(mdp, planned_episodes(planned))
        return counters.NoneCounter(width(mdp, made.by_blocks, known_rewards=True), max(planned - 1, 1))

    def start(self, mdp: LinearMixtureMDP, planned: int, checkpoints: IntArray) -> Learner:
        """A learner before its first episode."""
        return begin(mdp, checkpoints, self.calibrate(mdp, planned_episodes(planned)), known_rewards=True)
