"""OFU-RL, optimistic control of LQ systems under changing regularisers (chowdhury2021, section
III-A), without privacy.

H_k = lambda I and L_k = 0, which gives the estimate of Abbasi-Yadkori and Szepesvari (2011).
Private-OFU-RL is the same kernel with H_k = N_k + eta I and L_k from its counters;
:mod:`privrl.agents.lq` has what they share.

Deviations from the printed text, each decided in the ledger:

- Equation 9 asks for a minimiser over S, which is not closed; the kernel takes it over the unit
  ball, its closure.
- Where V_k is not positive definite the confidence set says nothing, and S alone is searched: u =
  0. Where it does not meet the ball, the point of the ball nearest to the estimate in the norm of
  V_k is played. Neither happens on the good event.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

from privrl.agents.kind import agent
from privrl.agents.lq.agent import PLANNERS, LQAgent
from privrl.agents.lq.state import LQCalibration
from privrl.agents.settings import check
from privrl.checks import planned_episodes
from privrl.environments.lq import LQSystem
from privrl.environments.problems import LQ


@agent(
    "ofu-rl",
    title="OFU-RL",
    rank=2,
    paper="chowdhury2021",
    counter="none",
    plays=LQ,
)
@agent(
    "ce",
    title="certainty equivalence",
    rank=4,
    paper="chowdhury2021",
    counter="none",
    plays=LQ,
    fixed=(("planner", "certainty-equivalent"),),
)
@dataclass(frozen=True)
class OFURL(LQAgent):
    """OFU-RL with a constant regulariser.

    Parameters
    ----------
    alpha : failure probability, in (0, 1), named as in the paper, where beta is the radius
    regulariser : lambda, > 0
    planner : ``optimistic`` (equation 9) or ``certainty-equivalent`` (the estimate, moved into S)
    multiplier : of the radius beta_k, > 0; only 1 keeps what is proved of regret
    """

    alpha: float = 0.1
    regulariser: float = 1.0
    planner: str = "optimistic"
    multiplier: float = 1.0
    names: ClassVar[tuple[str, str]] = ("ofu-rl", "ce")
    counter: ClassVar[str] = "none"  # type: ignore[misc]  # and no setting
    calibration: ClassVar[str] = "printed"
    calibrations: ClassVar[tuple[str, ...]] = ("printed",)
    epsilon: ClassVar[float] = math.inf
    delta: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        check(self, planner=PLANNERS)

    def calibrate(self, system: LQSystem, planned: int) -> LQCalibration:
        """The radius of lemma-1 with lambda_min = lambda_max = lambda and nu = 0."""
        planned_episodes(planned)
        return self.exact(2)
