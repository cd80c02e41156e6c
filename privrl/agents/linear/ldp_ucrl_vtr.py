"""LDP-UCRL-VTR (liao2021/algorithm-1): linear mixture MDP with known rewards, local privacy by
Gaussian noise.

Deviations from the printed pseudo-code, and what it leaves open:

- The shift r of line 19 is not given in our copy. It is 2 Gamma_k, Gamma_k = sigma sqrt(k) (4
  sqrt(d) + sqrt(8 ln(8KH/alpha))), the bound that zhou2022/theorem-6.5 uses for the same sum;
  Lambda begins with lambda I (line 4), so lambda stays in it.
- Line 6 clips Q from above only. The estimate carries Gaussian noise, so V has no lower bound,
  phi_V no bound and the message no finite sensitivity (liao2021/theorem-5.1). ``printed`` and
  ``tuned`` follow the paper; ``corrected`` and ``tight`` clip to [0, H - h + 1].
- Line 1 has epsilon inside the root of sigma, and so has ``printed``; section 6.2 recalls it
  outside, as the derivation has it (liao2021/algorithm-1-sigma). A run of ``printed`` at epsilon
  has the noise of that other reading at the root of epsilon.
- beta_h of theorem-5.2 hides a constant: ``printed`` takes c = 1 and natural logarithms in
  beta = c d^(3/4) (H-h+1)^(3/2) k^(1/4) ln(dT/alpha) ln((H-h+1)/delta)^(1/4) / sqrt(epsilon). That
  this covers is not claimed.
- The proof is not in our copy; the widths of ``corrected`` and ``tight`` are zhou2022/lemma-3.1
  with local noise.
- Where a noisy Gram matrix is not positive definite (a bad event), every value up to the cap is
  possible: Q = H - h +
  1.
- The sums are of phi_{V_k} with the value function that user k was sent, as lines 12 and 13 say; so
  what the counter sums is fixed once it is sent.
- A user of local privacy speaks alone, so no counter but ``local`` is open to her. The other
  counters are for a server that is trusted with the sums: the same algorithm, jointly private.
- The paper's rewards lie in [0, 1]. Its experiment divides them by H and then has |Q| <= 1: where
  the largest known reward r_max is smaller than 1, all calibrations but ``printed`` clip at (H - h
  + 1) r_max.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privrl.agents.kind import agent
from privrl.agents.linear import widths as lw
from privrl.agents.linear.layout import parts
from privrl.agents.linear.records import OF_EPISODES, Widths
from privrl.agents.linear.value_iteration import MixtureAgent
from privrl.agents.linear.widths import LinearCalibration
from privrl.agents.settings import check
from privrl.checks import count, instance, require
from privrl.environments.linear_mixture import LinearMixtureMDP
from privrl.environments.problems import KNOWN_REWARDS
from privrl.privacy.noise_scales.liao2021 import (
    experiments_liao2021,
    printed_beta_liao2021,
    printed_liao2021,
)


@agent(
    "ldp-ucrl-vtr",
    title="UCRL-VTR",
    rank=1,
    paper="liao2021",
    counter="local",
    plays=KNOWN_REWARDS,
)
@dataclass(frozen=True)
class LDPUCRLVTR(MixtureAgent):
    """LDP-UCRL-VTR over any counter; ``ValueError`` for a combination that no calibration defines.

    Parameters
    ----------
    epsilon, delta : privacy parameters, > 0 and in (0, 1)
    alpha : failure probability, in (0, 1)
    counter : ``local`` (the paper's), ``none``, or a counter of a trusted server, which gives joint
        privacy: ``tree``, ``honaker``, ``smooth``, ``sqrt`` or ``blt`` (with ``corrected`` and
        ``tight``)
    calibration : ``printed`` (sigma = 4 H^3 sqrt(2 ln(2.5H/delta)/epsilon), epsilon inside the
        root as line 1 prints it, beta of theorem-5.2),
        ``tuned`` (section
        6.2: sigma = 4H sqrt(2 ln(2.5H/delta))/epsilon, beta = c d^(3/4) (H-h+1)^(3/2) k^(1/4)),
        ``corrected`` (noise that makes the message (epsilon, delta)-private for the features in
        use, one sigma for all of it, and widths that cover), ``tight`` (noise spread over steps and
        statistics, certified norms, released by blocks)
    constant : c of ``printed`` and ``tuned``
    regulariser : lambda
    by_blocks : release Gram matrices block by block (see :mod:`privrl.agents.linear.layout`); None:
        for ``tight`` only
    multiplier : of the bonus, > 0; noise, shift and privacy stay. Only 1 keeps what is proved of
        regret
    """

    epsilon: float = math.inf
    delta: float = 0.1
    alpha: float = 0.01
    counter: str = "local"
    calibration: str = "printed"
    constant: float = 1.0
    regulariser: float = 1.0
    by_blocks: bool | None = None
    multiplier: float = 1.0
    name: ClassVar[str] = "ldp-ucrl-vtr"
    calibrations: ClassVar[tuple[str, ...]] = ("printed", "tuned", "corrected", "tight")

    def __post_init__(self) -> None:
        check(self, counter=lw.COUNTERS, calibration=self.calibrations)
        stated = {"printed": ("local",), "tuned": ("local", "none")}.get(
            self.calibration, lw.COUNTERS
        )
        require(
            self.counter in stated,
            f"calibration {self.calibration} exists for the local counter",
            counter=self.counter,
        )

    def calibrate(self, mdp: LinearMixtureMDP, planned: int) -> LinearCalibration:
        """Noise scales, shifts, widths and caps for ``planned`` episodes (at least 2 with a
        counter)."""
        instance("mdp", mdp, LinearMixtureMDP)
        planned = count("episodes", planned, 1 if self.counter == "none" else 2)
        blocks = self.calibration == "tight" if self.by_blocks is None else self.by_blocks
        growth = lw.terms_of(self.counter, planned, fixed=False)
        largest = 1.0 if self.calibration == "printed" else largest_reward(mdp)
        if self.calibration in ("printed", "tuned"):
            widths = lw.multiplied(self._stated(mdp, planned, blocks), self.multiplier)
            return LinearCalibration(
                widths, lw.widths(mdp.horizon), lw.caps(mdp, largest), -math.inf, growth, blocks
            )
        (widths,) = lw.covering(
            self, [lw.transitions(mdp, blocks, largest)], [(1.0, 1.0)], planned, growth
        )
        return LinearCalibration(
            widths, lw.widths(mdp.horizon), lw.caps(mdp, largest), 0.0, growth, blocks
        )

    def _stated(self, mdp: LinearMixtureMDP, planned: int, by_blocks: bool) -> Widths:
        """The formulas of the paper: algorithm 1 with theorem-5.2, or section 6.2."""
        d, horizon = mdp.psi.shape[3], mdp.horizon
        rest = np.arange(horizon, 0, -1, dtype=np.float64)  # H - h + 1
        widths = lw.widths(horizon)
        sigma = 0.0
        if self.counter != "none":
            sigma = (
                printed_liao2021(self.epsilon, self.delta, horizon)
                if self.calibration == "printed"
                else experiments_liao2021(self.epsilon, self.delta, horizon)
            )
        widths.gram[:] = widths.vector[:] = sigma
        size = max(block.size for block in parts(mdp.psi, by_blocks))
        level = lw.Level(self.alpha / 4, horizon, planned)
        gamma = sigma * level.gram_factor(size, 1, sharp=False)
        widths.shift[:] = self.regulariser, 2 * gamma
        if self.calibration == "printed":
            widths.bonus[:, OF_EPISODES] = printed_beta_liao2021(
                self.constant, d, rest, planned * horizon, self.epsilon, self.delta, self.alpha
            )
        else:
            widths.bonus[:, OF_EPISODES] = self.constant * d**0.75 * rest**1.5
        return widths


def largest_reward(mdp: LinearMixtureMDP) -> float:
    """The largest mean reward of the MDP, known to the agent where rewards are known; 1 where all
    are 0."""
    largest = float(mdp.tabular().rewards.max())
    return largest if largest > 0 else 1.0
