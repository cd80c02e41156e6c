"""Private-OFU-RL (chowdhury2021/algorithm-1): optimistic control of LQ systems, joint privacy by
Gaussian counters.

N_k is one symmetric noise for Z'Z, L_k one for Z'X_next; H_k = N_k + eta I with eta = 2 Lambda. The
paper's counters are two binary trees. Any counter with Gaussian draws does
(``privrl.privacy.counters.mechanisms``): privacy asks for nothing but how far one user moves its
draws in l2, and assumption 2 for nothing but the variance of each release.

Deviations of ``corrected`` and ``tight`` from the printed algorithm, each decided in the ledger:

- beta_k of lemma-1 reads det(I + Z'Z / lambda_min), the Gram matrix before noise: with it the
  policy is no function of the released sums, and theorem-2 has nothing to stand on. Here beta_k
  reads det(V_k / lambda_min), which is at least as large where ||N_k|| <= Lambda.
- Lemma-2 (|u| <= gamma) does not follow from assumption 1, and the sensitivities rest on it. Here a
  gain above gamma in operator norm is scaled down to gamma. The policy stays linear, so its regret
  stays exact. Where ``planning.lq_gain_bound(system) <= gamma`` this never happens.
- The noise is what (epsilon, delta) of both trees together needs when one user is replaced.
- Assumption 2 and the self-normalised bound share alpha, alpha/2 each; theorem-3 hands all of alpha
  to the former.
- ``printed`` and ``corrected`` take every release for as noisy as the noisiest. ``tight`` takes
  each with its own variance and sharp tails, over every counter (:mod:`privrl.agents.lq.widths`).
"""

import math
from dataclasses import dataclass
from typing import ClassVar

from privrl.agents.kind import agent
from privrl.agents.lq.agent import PLANNERS, LQAgent, logarithm
from privrl.agents.lq.state import LQCalibration, width
from privrl.agents.lq.widths import norm_widths, printed_norm_widths
from privrl.agents.settings import check
from privrl.checks import count, instance, require
from privrl.environments.lq import LQSystem
from privrl.environments.problems import LQ
from privrl.privacy import accounting, sensitivity
from privrl.privacy.counters import mechanisms
from privrl.privacy.counters import stream as counters
from privrl.privacy.noise_scales.chowdhury2021 import (
    printed_chowdhury2021,
    printed_sizes_chowdhury2021,
)


@agent(
    "private-ofu-rl",
    title="Private-OFU-RL",
    rank=1,
    paper="chowdhury2021",
    counter="tree",
    plays=LQ,
)
@agent(
    "private-ce",
    title="private certainty equivalence",
    rank=3,
    paper="chowdhury2021",
    counter="tree",
    plays=LQ,
    fixed=(("planner", "certainty-equivalent"),),
)
@dataclass(frozen=True)
class PrivateOFURL(LQAgent):
    """Private-OFU-RL over any counter; ``ValueError`` for a combination that no calibration
    defines.

    Parameters
    ----------
    epsilon, delta : privacy parameters, epsilon > 0 and delta in (0, 1)
    alpha : failure probability, in (0, 1), named as in the paper, where beta is the radius
    counter : ``tree`` (the paper's), ``none`` (OFU-RL), or another of ``mechanisms.SINGLE``
        with Gaussian draws: ``local`` (every user adds noise of her own), ``honaker``, ``smooth``,
        ``sqrt``, ``blt``
    calibration : ``printed``, ``corrected`` (both trees together under replacement; widths that
        cover, at alpha), ``tight`` (the same guarantees: what this algorithm's users can really
        change, sharp norm bounds)
    regulariser : lambda, used with counter ``none`` only
    planner : ``optimistic`` (equation 9) or ``certainty-equivalent`` (the private estimate, moved
        into S)
    multiplier : of the radius beta_k, > 0; noise, regulariser and privacy stay. Only 1 keeps what
        is proved of regret
    """

    epsilon: float = math.inf
    delta: float = 1e-6
    alpha: float = 0.1
    counter: str = "tree"
    calibration: str = "printed"
    regulariser: float = 1.0
    planner: str = "optimistic"
    multiplier: float = 1.0
    names: ClassVar[tuple[str, str]] = ("private-ofu-rl", "private-ce")
    calibrations: ClassVar[tuple[str, ...]] = ("printed", "corrected", "tight")

    def __post_init__(self) -> None:
        check(
            self,
            pure=self.counter == "none",
            counter=mechanisms.SINGLE,
            calibration=self.calibrations,
            planner=PLANNERS,
        )
        require(
            self.counter == "none" or "gaussian" in mechanisms.laws(self.counter),
            "counter must be one with Gaussian draws",
            counter=self.counter,
        )
        require(
            self.calibration != "printed" or self.counter in ("tree", "none"),
            "calibration printed exists for the tree counter",
            counter=self.counter,
        )

    def calibrate(self, system: LQSystem, planned: int) -> LQCalibration:
        """Noise scales, regulariser and radius for ``planned`` episodes (at least 2 with a counter
        other than none)."""
        n = instance("system", system, LQSystem).states
        p = n + system.controls
        planned = count("episodes", planned, 1 if self.counter == "none" else 2)
        if self.counter == "none":
            # only the self-normalised bound can fail; lemma-1 keeps half of alpha for the
            # regularisers
            return self.exact(1 if self.calibration == "tight" else 2)
        releases = planned - 1
        most = mechanisms.most_releases(self.counter, width(system)) + 1
        require(
            planned <= most,
            f"episodes must be <= {most} over the counter {self.counter}",
            episodes=planned,
        )
        cost = mechanisms.counter_cost(self.counter, releases)
        # squared l2 sensitivity and variance of the noisiest release; the paper takes m = ceil(log2
        # K) for both
        nodes, live = cost.sensitivity**2, cost.largest
        if self.counter == "tree":
            nodes = live = float(counters.levels(releases))
        first, second = self.scales(system, nodes)
        root_1, root_2 = first * math.sqrt(live), second * math.sqrt(live)
        if self.calibration == "printed":
            # theorem-3: each norm at alpha / 2K
            largest, longest = printed_norm_widths(n, p, 2 * planned / self.alpha)
            bound, cross = root_1 * largest, root_2 * longest
        elif self.calibration == "corrected":
            # the printed norm bounds hold; alpha/2 over two norms of every release
            largest, longest = printed_norm_widths(n, p, 4 * releases / self.alpha)
            bound, cross = root_1 * largest, root_2 * longest
        else:
            # alpha/4 over the releases' first norms, alpha/4 over their second: each release with
            # its own variance
            largest, longest = norm_widths(cost.variances, cost.numbers, n, p, self.alpha / 4)
            bound, cross = first * largest, second * longest
        return LQCalibration(
            first,
            second,
            2 * bound,
            bound,
            3 * bound,
            cross / math.sqrt(bound),
            logarithm(2, self.alpha),
            self.calibration == "printed",
            math.inf if self.calibration == "printed" else system.gamma,
            self.multiplier,
        )

    def scales(self, system: LQSystem, nodes: float) -> tuple[float, float]:
        """sigma_1 and sigma_2 where a user moves each counter's draws by at most sqrt(nodes)
        changes in l2.

        Printed: :func:`privrl.privacy.noise_scales.chowdhury2021.printed_chowdhury2021`. Else the
        same proportion, scaled so that the l2 change of both counters, in units of the noise, is
        mu(epsilon, delta). ``tight`` also uses that users share x_1, that u_H = 0 (P_{H+1} = 0 in
        equation 3), and n and d.
        """
        H, gamma = system.horizon, system.gamma
        root = printed_chowdhury2021(self.epsilon, self.delta, nodes)
        first, second = (size * root for size in printed_sizes_chowdhury2021(H, gamma))
        if self.calibration == "printed":
            return first, second
        tight = self.calibration == "tight"
        _, change = sensitivity.chowdhury2021_joint(
            H,
            gamma,
            first,
            second,
            states=system.states,
            controls=system.controls,
            common_start=tight,
            last_control=not tight,
        )
        factor = math.sqrt(nodes) * change / accounting.gaussian_mu(self.epsilon, self.delta)
        return first * factor, second * factor
