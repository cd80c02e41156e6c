"""UCRL-VTR (Jia et al. 2020), time-inhomogeneous: the base of LDP-UCRL-VTR, without privacy
(liao2021, section 6).

It is LDP-UCRL-VTR without noise and without shift: Sigma = lambda I + sum of phi phi'. Deviations
and readings:

- Section 6.2 prints sqrt(beta) = c sqrt(d_1) + (H - h + 1) sqrt(2 log(1/K) + log det M) with d_1 =
  S A. As log(1/K) < 0 the root has no value at the start; it is read as 2 ln K.
- ``tuned`` has c before the whole width and the largest value (H - h + 1) r_max in place of H - h +
  1: with rewards divided by H the second term alone, which the printed c leaves as it is, is H
  times wider than any value.
- ``corrected`` and ``tight`` are widths that cover with probability 1 - alpha: (H - h)/2 r_max
  sqrt(2 ln(H/alpha) + D) + sqrt(lambda) ||theta||, D the bound d ln(1 + k L^2/(d lambda)) of the
  log-determinant, or (``tight``) the determinant itself, block by block.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

from privrl.agents.kind import agent
from privrl.agents.linear import widths as lw
from privrl.agents.linear.ldp_ucrl_vtr import largest_reward
from privrl.agents.linear.records import BASE, OF_ROOT, ROOT_DETERMINANT, ROOT_FIXED
from privrl.agents.linear.value_iteration import MixtureAgent
from privrl.agents.linear.widths import LinearCalibration
from privrl.agents.settings import check
from privrl.checks import instance, planned_episodes
from privrl.environments.linear_mixture import LinearMixtureMDP
from privrl.environments.problems import KNOWN_REWARDS


@agent(
    "ucrl-vtr",
    title="UCRL-VTR",
    rank=2,
    paper="liao2021",
    counter="none",
    plays=KNOWN_REWARDS,
)
@dataclass(frozen=True)
class UCRLVTR(MixtureAgent):
    """UCRL-VTR; it has no counter and no privacy. Other parameters as for
    :class:`privrl.agents.linear.ldp_ucrl_vtr.LDPUCRLVTR`.

    Parameters
    ----------
    calibration : ``printed`` (section 6.2), ``tuned`` (a constant before the width), ``corrected``,
        ``tight``
    by_blocks : solve block by block, which makes the widths smaller; None: for ``corrected`` and
        ``tight``
    """

    alpha: float = 0.01
    calibration: str = "printed"
    constant: float = 1.0
    regulariser: float = 1.0
    by_blocks: bool | None = None
    multiplier: float = 1.0
    name: ClassVar[str] = "ucrl-vtr"
    calibrations: ClassVar[tuple[str, ...]] = ("printed", "tuned", "corrected", "tight")
    counter: ClassVar[str] = "none"  # type: ignore[misc]  # and no setting
    epsilon: ClassVar[float] = math.inf
    delta: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        check(self, calibration=self.calibrations)

    def calibrate(self, mdp: LinearMixtureMDP, planned: int) -> LinearCalibration:
        """Widths and caps for ``planned`` episodes."""
        instance("mdp", mdp, LinearMixtureMDP)
        stated = self.calibration in ("printed", "tuned")
        blocks = not stated if self.by_blocks is None else self.by_blocks
        largest = 1.0 if self.calibration == "printed" else largest_reward(mdp)
        caps = lw.caps(mdp, largest)
        if stated:
            widths = lw.widths(mdp.horizon)
            widths.shift[:, 0] = self.regulariser
            widths.bonus[:, BASE] = self.constant * math.sqrt(mdp.states * mdp.actions)
            widths.bonus[:, OF_ROOT] = (
                caps if self.calibration == "printed" else self.constant * caps
            )
            widths.bonus[:, ROOT_FIXED] = 2 * math.log(planned_episodes(planned))
            widths.bonus[:, ROOT_DETERMINANT] = 1.0
            lw.multiplied(widths, self.multiplier)
        else:
            known = [lw.transitions(mdp, blocks, largest)]
            (widths,) = lw.covering(self, known, [(1.0, 1.0)], planned, lw.SILENT, events=1)
        return LinearCalibration(
            widths, lw.widths(mdp.horizon), caps, -math.inf if stated else 0.0, lw.SILENT, blocks
        )
