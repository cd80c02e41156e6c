"""LQ runs replayed episode by episode, with what the analysis of chowdhury2021 speaks of recorded.

The kernels keep regret only. A replay hands the compiled agent one episode at a time, and reads its
plan and the episode that it played.

>>> from privrl.agents.lq.ofu_rl import OFURL
>>> from privrl.environments import lq_scalar
>>> run = diagnose(lq_scalar(), OFURL(), 20)
>>> run.gap.shape, bool(run.good), bool((run.shortfall <= 1e-9).all())
((20,), True, True)
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privrl.agents.lq.ofu_rl import OFURL
from privrl.agents.lq.private_ofu_rl import PrivateOFURL
from privrl.agents.lq.state import OUTCOMES, LQCalibration
from privrl.checks import instance, require
from privrl.environments import planning
from privrl.environments.lq import LQSystem
from privrl.run import simulate
from privrl.types import BoolArray, FloatArray


@dataclass(frozen=True, eq=False)
class LQDiagnosis:
    """What happened on every episode k of one run; p = n + d."""

    system: LQSystem  #: what was run
    calibration: LQCalibration
    gap: FloatArray  #: (K,), expected cost of the policy in force minus J*
    optimistic: FloatArray  #: (K,), J_1^*(Theta~_k, x_1)
    radius: FloatArray  #: (K,), beta_k; -1 for the certainty-equivalent planner
    outcome: NDArray[np.int64]  #: (K,), index into ``privrl.agents.lq.state.OUTCOMES``
    theta: FloatArray  #: (K, p, n), Theta~_k
    gains: FloatArray  #: (K, H, d, n), the policy in force
    gram: FloatArray  #: (K, p, p), Z_k'Z_k
    cross: FloatArray  #: (K, p, n), Z_k'X_k^next; both before noise
    noise_gram: FloatArray  #: (K, p, p), N_k
    noise_cross: FloatArray  #: (K, p, n), L_k
    states: FloatArray  #: (K, H + 1, n)
    controls: FloatArray  #: (K, H, d)

    @property
    def regulariser(self) -> FloatArray:
        """(K, p, p), H_k = N_k + eta I."""
        return self.noise_gram + self.calibration.eta * np.eye(self.gram.shape[1])

    @property
    def design(self) -> FloatArray:
        """(K, p, p), V_k = Z_k'Z_k + H_k."""
        return self.gram + self.regulariser

    @cached_property
    def estimate(self) -> FloatArray:
        """(K, p, n), Theta^_k of equation 7."""
        return np.asarray(
            np.linalg.solve(self.design, self.cross + self.noise_cross), dtype=np.float64
        )

    @cached_property
    def distance(self) -> FloatArray:
        """(K,), ||Theta_* - Theta^_k|| in the norm of V_k; NaN where V_k is not positive
        definite."""
        apart = self.system.theta - self.estimate
        squares = np.einsum("kij,kil,klj->k", apart, self.design, apart)
        definite = np.linalg.eigvalsh(self.design)[:, 0] > 0
        return np.where(definite, np.sqrt(np.maximum(squares, 0.0)), math.nan)

    @property
    def covered(self) -> BoolArray:
        """(K,), whether Theta_* lies in C_k (equation 8)."""
        return np.asarray(self.distance <= self.radius)

    @property
    def good(self) -> bool:
        """Whether Theta_* lies in every C_k: the good event of theorem-1."""
        return bool(self.covered.all())

    @cached_property
    def regular(self) -> BoolArray:
        """(K,), whether H_k and L_k are as assumption 2 has them."""
        calibration = self.calibration
        values = np.linalg.eigvalsh(self.regulariser)
        slack = 1e-12 * calibration.lambda_max
        inside = (values[:, 0] >= calibration.lambda_min - slack) & (
            values[:, -1] <= calibration.lambda_max + slack
        )
        scaled = np.linalg.solve(self.regulariser, self.noise_cross)
        norms = np.sqrt(np.maximum(np.einsum("kij,kij->k", self.noise_cross, scaled), 0.0))
        return np.asarray(inside & (norms <= calibration.nu * (1 + 1e-12)))

    @property
    def shortfall(self) -> FloatArray:
        """(K,), J_1^*(Theta~_k) - J_1^*(Theta_*): at most 0 where the plan is optimistic."""
        return self.optimistic - planning.lq_optimum(self.system)

    @property
    def gain_norm(self) -> float:
        """Largest operator norm of a gain that was played; lemma-2 has it at most gamma."""
        return float(np.linalg.norm(self.gains, 2, axis=(2, 3)).max())

    @property
    def outcomes(self) -> dict[str, int]:
        """Episodes by outcome of the optimistic step."""
        return {kind: int((self.outcome == index).sum()) for index, kind in enumerate(OUTCOMES)}


def diagnose(
    system: LQSystem,
    agent: OFURL | PrivateOFURL,
    planned: int,
    *,
    episodes: int | None = None,
    seed: int = 0,
    index: int = 0,
) -> LQDiagnosis:
    """Replay replicate ``index`` of the run that ``simulate.run`` makes with the same numbers.

    ``episodes`` : how many are replayed (default: all, ``planned``); memory grows with them
    """
    instance("system", system, LQSystem)
    require(
        isinstance(agent, (OFURL, PrivateOFURL)),
        "agent must be OFURL or PrivateOFURL",
        agent=type(agent).__name__,
    )
    return replay(
        system, agent, planned, simulate.streams(system, agent, planned, episodes, seed, index)
    )


def replay(
    system: LQSystem,
    agent: OFURL | PrivateOFURL,
    planned: int,
    drawn: tuple[FloatArray, FloatArray, FloatArray],
) -> LQDiagnosis:
    """Play the given streams and record: noise (K, W) in units of the sigmas, coins (K,
    system.coins), ties (K, 1)."""
    learner = agent.start(system, planned, np.array([planned]))
    state, calibration, n = learner.state, learner.calibration, system.states
    rows: list[tuple[FloatArray | float, ...]] = []
    for row, two, three in zip(*drawn, strict=True):
        before = state.statistics.copy()
        learner.advance(row[None].copy(), two[None].copy(), three[None].copy())
        plan, steps = state.plan, state.path.steps
        rows.append(
            (
                state.tally.totals[1],
                plan.cost[0],
                plan.radius[0],
                float(plan.outcomes[5]),
                plan.theta.copy(),
                plan.gains.copy(),
                before,
                steps[:, :n].copy(),
                steps[:-1, n:].copy(),
            )
        )
    gap, optimistic, radius, outcome, theta, gains, sums, states, controls = (
        np.array(column) for column in zip(*rows, strict=True)
    )
    gram, cross = unpack(system, sums)
    noise_gram, noise_cross = unpack(system, drawn[0])
    return LQDiagnosis(
        system,
        calibration,
        gap,
        optimistic,
        radius,
        outcome.astype(np.int64),
        theta,
        gains,
        gram,
        cross,
        calibration.sigma_gram * noise_gram,
        calibration.sigma_cross * noise_cross,
        states,
        controls,
    )


def unpack(system: LQSystem, sums: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Running sums (K, W) as symmetric matrices (K, p, p) and (K, p, n)."""
    n, p = system.states, system.states + system.controls
    upper = np.triu_indices(p)
    gram = np.zeros((len(sums), p, p))
    gram[:, upper[0], upper[1]] = gram[:, upper[1], upper[0]] = sums[:, : len(upper[0])]
    return gram, sums[:, len(upper[0]) :].reshape(-1, p, n)
