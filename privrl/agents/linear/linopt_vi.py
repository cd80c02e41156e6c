"""Private-LinOpt-VI (zhou2022/algorithm-1 with definition-6.2): value iteration, unknown random
rewards, 4H counters.

With counter ``none`` it is LinOpt-VI-Reg with the fixed regulariser lambda I, with ``local`` the
variant of remark-6.9. Deviations from the printed pseudo-code, and what it leaves open:

- Line 1 starts with Lambda = 0, which lines 5 and 6 invert. Assumption-2 asks for a regulariser in
  every episode, the first included: the shift is there from the start.
- Section 3 and line 7 have phi_h^k, of the current value function, in sums over earlier episodes j
  < k; the counters of section 6.1 sum phi_h^j, fixed when episode j ends. A counter cannot
  re-weight what it has summed, so the sums hold phi_h^j, as in the definition of the P-sums (and in
  the bound of the proof).
- m = ceil(log K) is read to base 2 (as releases: the levels of a tree with K - 1 releases); Sigma_p
  has d for d_1. The theorem's constants are those of its proof: gamma = 2 Sigma, lambda_max = 3
  Sigma, lambda_min = Sigma. For ``local`` the same proof with m replaced by 1 in sigma, and by K -
  1, the noise terms at the end, in the three constants.
- Where a noisy Gram matrix is not positive definite (outside assumption-2), every value up to the
  cap is possible: Q = H - h + 1.
- Ties are broken uniformly at random.

``corrected``: the smallest common multiple of the printed noise that gives (epsilon, delta) for all
4H counters together (exact curve, one user replaced, the features' true norms), widths of lemma-3.1
with the true ranges; the failure probability is alpha for everything together, where the paper has
4 alpha. ``tight``: see
:mod:`privrl.agents.linear.widths`. Both run over any counter with Gaussian draws
(:mod:`privrl.privacy.counters.mechanisms`), at its sensitivity and the variance of its releases;
``blt`` needs the least noise in a few rows of memory.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

from privrl.agents.kind import agent
from privrl.agents.linear import widths as lw
from privrl.agents.linear.layout import parts
from privrl.agents.linear.records import BASE, OF_ROOT, ROOT_FIXED, Widths
from privrl.agents.linear.value_iteration import MixtureAgent
from privrl.agents.linear.widths import LinearCalibration
from privrl.agents.settings import check
from privrl.checks import count, instance, require
from privrl.environments.linear_mixture import LinearMixtureMDP
from privrl.environments.problems import UNKNOWN_REWARDS
from privrl.privacy.counters import mechanisms
from privrl.privacy.noise_scales.zhou2022 import printed_sizes_zhou2022, printed_zhou2022

PRINTED = ("none", "local", "tree")  # counters that the paper has


@dataclass(frozen=True)
class LinOpt(MixtureAgent):
    """What the two agents of zhou2022 share; ``ValueError`` for a combination that no calibration
    defines.

    Parameters
    ----------
    epsilon, delta : privacy parameters, > 0 and in (0, 1)
    alpha : failure probability, in (0, 1); the paper's, which it spends 4 times, for ``printed``
    counter : ``tree`` (the paper's), ``local`` (remark-6.9), ``none``; with ``corrected`` and
        ``tight`` also ``honaker``, ``smooth``, ``sqrt`` (few episodes: it keeps every draw) or
        ``blt``
    calibration : ``printed``, ``corrected`` or ``tight``
    regulariser : lambda, without noise, and for ``corrected`` and ``tight``
    by_blocks : release Gram matrices block by block (see :mod:`privrl.agents.linear.layout`); None:
        for ``tight`` only
    every : users to a release and its plan, as for
        :class:`privrl.agents.tabular.settings.CounterAgent`
    multiplier : of the bonus, > 0; noise, shift and privacy stay. Only 1 keeps what is proved of
        regret
    """

    epsilon: float = math.inf
    delta: float = 1e-6
    alpha: float = 0.1
    counter: str = "tree"
    calibration: str = "printed"
    regulariser: float = 1.0
    by_blocks: bool | None = None
    multiplier: float = 1.0
    every: int = 1
    known_rewards: ClassVar[bool] = False
    calibrations: ClassVar[tuple[str, ...]] = ("printed", "corrected", "tight")

    def __post_init__(self) -> None:
        check(self, counter=lw.COUNTERS, calibration=self.calibrations)
        require(
            self.calibration != "printed" or self.counter in PRINTED,
            f"calibration printed exists for the counters {', '.join(PRINTED)}",
            counter=self.counter,
        )
        batched = self.counter == "none" or (
            not mechanisms.COUNTER_CLASSES[self.counter].each_user and self.calibration != "printed"
        )
        require(
            self.every == 1 or batched,
            "every must be 1 over the counters local and secure and for calibration printed",
            every=self.every,
            counter=self.counter,
            calibration=self.calibration,
        )

    def calibrate(self, mdp: LinearMixtureMDP, planned: int) -> LinearCalibration:
        """Noise scales, shifts, widths and caps for ``planned`` episodes (at least 2 with a
        counter)."""
        instance("mdp", mdp, LinearMixtureMDP)
        planned = count("episodes", planned, 1 if self.counter == "none" else 2)
        tight, plans, horizon, d = (
            self.calibration == "tight",
            self.plans(planned),
            mdp.horizon,
            mdp.psi.shape[3],
        )
        blocks = tight if self.by_blocks is None else self.by_blocks
        growth = lw.terms_of(self.counter, plans, fixed=not tight)._replace(every=self.every)
        if self.calibration == "printed":
            regressions = [
                lw.multiplied(regression, self.multiplier)
                for regression in self._printed(mdp, planned, blocks, growth.fixed)
            ]
        else:
            regressions = lw.covering(
                self,
                [lw.transitions(mdp, blocks), lw.rewards(mdp, blocks)],
                [printed_sizes_zhou2022(d, horizon), (1.0, 1.0)],
                plans,
                growth,
            )
        return LinearCalibration(
            regressions[0], regressions[1], lw.caps(mdp, 1.0), 0.0, growth, blocks
        )

    def plans(self, planned: int) -> int:
        return -(-planned // self.every)

    def _printed(
        self, mdp: LinearMixtureMDP, planned: int, by_blocks: bool, fixed: float
    ) -> list[Widths]:
        """theorem-6.4's noise, theorem-6.5's constants, lemma-3.1's widths."""
        horizon = mdp.horizon
        out: list[Widths] = []
        d1 = mdp.psi.shape[3]
        root = 0.0
        if self.counter != "none":
            levels = lw.nodes(self.counter, planned)
            root = printed_zhou2022(self.epsilon, self.delta, horizon, levels)
        for features, change, value in (
            (mdp.psi, printed_sizes_zhou2022(d1, horizon), float(horizon)),
            (mdp.varphi, (1.0, 1.0), 1.0),
        ):
            d = features.shape[-1]
            widths = lw.widths(horizon)
            gram, vector = root * change[0], root * change[1]
            widths.gram[:], widths.vector[:] = gram, vector
            size = max(block.size for block in parts(features, by_blocks))
            # theorem-6.5: each of the four at alpha/4, over H steps and K episodes
            level = lw.Level(self.alpha / 4, horizon, planned)
            unit = gram * level.gram_factor(size, 1, sharp=False)
            sigma = unit * math.sqrt(fixed)  # Sigma of theorem-6.5
            least, most, nu = self.regulariser, self.regulariser, 0.0
            widths.shift[:, 0] = self.regulariser
            if self.counter != "none":
                least, most = sigma, 3 * sigma
                widths.shift[:] = 0.0, 2 * unit
                tail = level.vector_factor(d, 1, sharp=False)
                nu = vector * math.sqrt(fixed / sigma) * tail
            inside = planned * horizon**2 / least if features is mdp.psi else planned / (d * least)
            widths.bonus[:, BASE] = math.sqrt(d * most) + nu
            widths.bonus[:, OF_ROOT] = value / 2
            widths.bonus[:, ROOT_FIXED] = lw.under_root(horizon, self.alpha, d, inside)
            out.append(widths)
        return out


@agent(
    "linopt-vi",
    title="LinOpt-VI",
    rank=3,
    paper="zhou2022",
    counter="tree",
    plays=UNKNOWN_REWARDS,
)
@dataclass(frozen=True)
class LinOptVI(LinOpt):
    """Private-LinOpt-VI over any counter; parameters as for :class:`LinOpt`."""

    name: ClassVar[str] = "linopt-vi"
