"""What a run of an LQ agent consists of, made before the first episode."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privrl.agents.blocks import Tallied, account
from privrl.agents.lq.records import (
    LQKnown,
    LQPath,
    LQPlan,
    LQReleased,
    LQScratch,
    LQSums,
    LQTally,
    LQWorld,
    Moments,
)
from privrl.agents.sums import Exact, Noisy
from privrl.checks import instance
from privrl.environments import planning
from privrl.environments.lq import NOISES, LQSystem
from privrl.types import FloatArray, IntArray

#: outcomes of the optimistic step, in the order of the numbers of :mod:`privrl.agents.lq.optimism`
OUTCOMES = ("lost", "still", "found", "empty")


@dataclass(frozen=True)
class LQCalibration:
    """What an LQ agent derives from its parameters before the first episode.

    ``exact`` : beta_k reads det(I + Z'Z / lambda_min), as lemma-1 prints, from the statistics
        *before* noise; else det(V_k / lambda_min), which is not smaller where assumption 2 holds,
        and reads only what is released
    """

    #: fields that the multiplier of the widths moves
    multiplied: ClassVar[tuple[str, ...]] = ("multiplier",)
    sigma_gram: float  #: sigma_1, standard deviation of one draw of the first counter (0 without)
    sigma_cross: float  #: sigma_2, of the second
    eta: float  #: H_k = N_k + eta I
    lambda_min: float  #: of assumption 2: H_k is between this
    lambda_max: float  #: and this
    nu: float  #: and ||L_k||_{H_k^-1} <= nu
    logarithm: float  #: 2 ln(./alpha), the first term under the root of beta_k
    exact: bool
    clip: float  #: gains are scaled to this operator norm at most; infinity for none
    multiplier: float = 1.0  #: of the radius beta_k


@dataclass(eq=False)
class LQState(Tallied):
    """Everything that a run consists of; the kernels write into the arrays."""

    world: LQWorld
    known: LQKnown
    sums: LQSums
    plan: LQPlan
    tally: LQTally
    path: LQPath
    scratch: LQScratch

    @property
    def statistics(self) -> FloatArray:
        """(W,), the exact running sums."""
        return self.sums.every

    @property
    def gains(self) -> FloatArray:
        """(H, d, n), the policy in force."""
        return self.plan.gains

    @property
    def last(self) -> str:
        """Outcome of the last plan, one of :data:`OUTCOMES`; empty before the first."""
        return OUTCOMES[int(self.plan.outcomes[5])] if self.finished else ""


def width(system: LQSystem) -> int:
    """W, number of released sums: (n + d)(n + d + 1)/2 of the symmetric Z'Z and (n + d) n of
    Z'X_next."""
    p = instance("system", system, LQSystem).states + system.controls
    return p * (p + 1) // 2 + p * system.states


def start(
    system: LQSystem, checkpoints: IntArray, calibration: LQCalibration, planner: str
) -> LQState:
    """A state that has seen nothing; checkpoints increasing, at least 1."""
    instance("system", system, LQSystem)
    known = known_to(system, calibration, planner)
    every = Exact(np.zeros(width(system)))
    read = every if calibration.exact and known.optimistic else Exact(np.zeros(0))
    return LQState(
        world_of(system),
        known,
        LQSums(every, before_noise=read),
        no_plan(system),
        LQTally(*account(checkpoints)),
        LQPath(
            steps=np.zeros((system.horizon + 1, system.states + system.controls)),
            noise=np.zeros(system.states),
        ),
        scratch_for(system),
    )


def known_to(system: LQSystem, calibration: LQCalibration, planner: str) -> LQKnown:
    """What an agent with this calibration knows before the first episode."""
    return LQKnown(
        Q=system.Q,
        R=system.R,
        start=system.start,
        variance=system.variance,
        sigma_gram=calibration.sigma_gram,
        sigma_cross=calibration.sigma_cross,
        eta=calibration.eta,
        lambda_min=calibration.lambda_min,
        logarithm=calibration.logarithm,
        clip=calibration.clip,
        c_w=calibration.multiplier * system.c_w,
        offset=calibration.multiplier * (math.sqrt(calibration.lambda_max) + calibration.nu),
        optimistic=planner == "optimistic",
    )


def world_of(system: LQSystem) -> LQWorld:
    """The system as the kernels read it."""
    costs, best = planning.riccati(system.A, system.B, system.Q, system.R, system.horizon)
    return LQWorld(
        A=system.A,
        B=system.B,
        start=system.start,
        variance=system.variance,
        law=NOISES.index(system.noise),
        radius=float(system.radius or 0.0),
        per_step=system.coins_per_step,
        best=best,
        weights=system.R + system.B.T @ costs[1:] @ system.B,
    )


def no_plan(system: LQSystem) -> LQPlan:
    """A plan before the first episode."""
    n, d, horizon = system.states, system.controls, system.horizon
    return LQPlan(
        theta=np.zeros((n + d, n)),
        warm=np.zeros((n + d, n)),
        costs=np.zeros((horizon + 1, n, n)),
        gains=np.zeros((horizon, d, n)),
        radius=np.zeros(1),
        cost=np.zeros(1),
        moved=np.zeros(1, dtype=np.int64),
        outcomes=np.zeros(6, dtype=np.int64),
    )


def scratch_for(system: LQSystem) -> LQScratch:
    """Arrays that a planner overwrites."""
    n, d = system.states, system.controls
    p = n + d
    return LQScratch(
        wide=np.zeros((8, p, n)),
        square=np.zeros((3, p, p)),
        pa=np.zeros((p, n)),
        gd=np.zeros((d, p)),
        moments=Moments(np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))),
        released=LQReleased(Noisy(np.zeros((p, p))), Noisy(np.zeros((p, n)))),
    )
