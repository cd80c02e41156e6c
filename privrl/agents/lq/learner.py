"""A run in progress of an LQ agent: its records, and the episode's kernels (chowdhury2021, section
III-A).

Both agents are OFU under changing regularisers: they read V_k = Z'Z + H_k and U_k = Z'X_next + L_k,
and differ in what H_k and L_k are. The agents know Q, R, H, C_w, gamma, x_1 and, because J_1^* of
equation 9 and 5 depends on it, E[w w'].
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privrl.agents.acting import Acting, known_choice
from privrl.agents.blocks import Blocks, Tallied, account, check_blocks
from privrl.agents.compiled import inlined, kernel
from privrl.agents.lq.dynamics import clip_gains, cost, disturbance, loss, riccati
from privrl.agents.lq.general import general_step
from privrl.agents.lq.optimism import STILL, ScalarCosts, scalar_step
from privrl.agents.lq.records import (
    NOT_READ,
    BeforeNoise,
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
from privrl.agents.steps import count_episode
from privrl.agents.sums import Exact, Noisy
from privrl.agents.trajectory import Trajectory
from privrl.checks import array, instance, planned_episodes, require
from privrl.environments import planning
from privrl.environments.lq import NOISES, ROUNDING, LQSystem
from privrl.privacy.counters import mechanisms
from privrl.privacy.counters.stream import Counter
from privrl.types import FloatArray, IntArray

PLANNERS = ("optimistic", "certainty-equivalent")
# outcomes of the optimistic step, in the order of lq_optimism's numbers
OUTCOMES = (
    "lost",
    "still",
    "found",
    "empty",
)
# that a state or control may be off in an unknown world, where many round to single precision
NEAR = 1e-6


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
    n, d, horizon = system.states, system.controls, system.horizon
    p = n + d
    costs, best = planning.riccati(system.A, system.B, system.Q, system.R, horizon)
    known = LQKnown(
        system.Q,
        system.R,
        system.start,
        system.variance,
        calibration.sigma_gram,
        calibration.sigma_cross,
        calibration.eta,
        calibration.lambda_min,
        calibration.logarithm,
        calibration.clip,
        calibration.multiplier * system.c_w,
        calibration.multiplier * (math.sqrt(calibration.lambda_max) + calibration.nu),
        planner == "optimistic",
    )
    world = LQWorld(
        system.A,
        system.B,
        system.start,
        system.variance,
        NOISES.index(system.noise),
        float(system.radius or 0.0),
        system.coins_per_step,
        best,
        system.R + system.B.T @ costs[1:] @ system.B,
    )
    plan = LQPlan(
        np.zeros((p, n)),
        np.zeros((p, n)),
        np.zeros((horizon + 1, n, n)),
        np.zeros((horizon, d, n)),
        np.zeros(1),
        np.zeros(1),
        np.zeros(1, dtype=np.int64),
        np.zeros(6, dtype=np.int64),
    )
    path = LQPath(np.zeros((horizon + 1, p)), np.zeros(n))
    scratch = LQScratch(
        np.zeros((8, p, n)),
        np.zeros((3, p, p)),
        np.zeros((p, n)),
        np.zeros((d, p)),
        Moments(np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))),
        LQReleased(Noisy(np.zeros((p, p))), Noisy(np.zeros((p, n)))),
    )
    every = Exact(np.zeros(width(system)))
    sums = LQSums(every, every if calibration.exact and known.optimistic else Exact(np.zeros(0)))
    return LQState(world, known, sums, plan, LQTally(*account(checkpoints)), path, scratch)


@dataclass(eq=False)
class LQLearner(Acting):
    """A run of OFU-RL or Private-OFU-RL in progress."""

    state: LQState
    calibration: LQCalibration
    system: LQSystem

    def advance(self, noise: FloatArray, coins: FloatArray, ties: FloatArray) -> None:
        state, system = self.state, self.system
        blocks = check_blocks(
            noise, coins, ties, (state.statistics.size, system.coins, system.ties)
        )
        advance(
            blocks,
            state.world,
            state.known,
            state.sums,
            state.plan,
            state.tally,
            state.path,
            state.scratch,
        )

    def noise_scales(self) -> FloatArray:
        (p, n), known = self.state.plan.theta.shape, self.state.known
        return np.repeat([known.sigma_gram, known.sigma_cross], [p * (p + 1) // 2, p * n])

    def renew(self, noise: FloatArray, scaled: bool) -> None:
        state = self.state
        require(
            state.sums.before_noise.size == 0,
            "the printed radius reads sums before noise, which only a simulation "
            "may: choose another calibration",
            calibration="printed",
        )
        known = state.known._replace(sigma_gram=1.0, sigma_cross=1.0) if scaled else state.known
        release(state.sums, noise[0], known, state.scratch.released)
        plan(state.scratch.released, state.known, NOT_READ, state.plan, state.scratch)

    def choose(self, step: int, state: FloatArray, uniform: float) -> FloatArray:
        gains = self.state.gains
        at, x = (
            known_choice(step, gains.shape[0], uniform),
            array("state", state, (gains.shape[2],)),
        )
        return np.asarray((gains[at] * x).cumsum(axis=1)[:, -1])  # summed in the order of `play`

    def contribution(self, trajectory: Trajectory) -> FloatArray:
        """As the base class says, of the plan's own controls at the trajectory's states.

        Where there is noise, it is made for states of norm at most 1 and controls of norm at most
        gamma.
        """
        require(
            isinstance(trajectory, tuple) and len(trajectory) == 3,
            "a trajectory must be (states, actions, rewards)",
            type=type(trajectory).__name__,
        )
        state, system, (horizon, d, n) = self.state, self.system, self.state.gains.shape
        visited, applied = (
            array("states", trajectory[0], (horizon + 1, n)),
            array("actions", trajectory[1], (horizon, d)),
        )
        apart = float(np.abs(visited[0] - system.start).max())
        require(apart <= NEAR, "the first state must be the start of the system", distance=apart)
        lengths = np.linalg.norm(visited, axis=1, keepdims=True)
        private, longest = state.known.sigma_gram > 0, float(lengths.max())
        require(not private or longest <= 1 + NEAR, "states must have norm <= 1", largest=longest)
        path = LQPath(np.zeros((horizon + 1, n + d)), np.zeros(n))
        path.steps[:, :n] = visited / np.maximum(lengths, 1.0) if private else visited
        path.steps[0, :n] = system.start
        for h in range(horizon):
            path.steps[h, n:] = self.choose(h, path.steps[h, :n], 0.0)
        controls = path.steps[:-1, n:]
        apart = float(np.abs(applied - controls).max())
        require(apart <= NEAR, "controls must be those of the plan in force", distance=apart)
        longest = float(np.linalg.norm(controls, axis=1).max())
        require(
            not private or longest <= system.gamma * (1 + ROUNDING),
            "controls must have norm <= gamma",
            largest=longest,
            gamma=system.gamma,
        )
        # over `local` the plan comes from a server that is not trusted
        longest = float(np.linalg.norm(state.gains, 2, axis=(1, 2)).max())
        require(
            not private or (longest <= system.gamma + NEAR and not state.gains[-1].any()),
            "gains must have norm <= gamma, and be 0 at the last step: the noise is made for those",
            largest=longest,
            gamma=system.gamma,
        )
        added = np.zeros(state.statistics.size)
        observe(path, LQSums(Exact(added), Exact(added[:0])))
        return added


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


@kernel
def log_det(M: FloatArray) -> float:
    """ln det of a positive definite matrix, by elimination in place; 0 where it is not."""
    p = M.shape[0]
    product, total = 1.0, 0.0
    for i in range(p):
        pivot = M[i, i]
        if not pivot > 0:
            return 0.0
        product *= pivot
        if product > 1e200 or product < 1e-200:
            total += math.log(product)
            product = 1.0
        for k in range(i + 1, p):
            factor = M[k, i] / pivot
            for j in range(i + 1, p):
                M[k, j] -= factor * M[i, j]
    return total + math.log(product)


@kernel
def release(sums: LQSums, noise: FloatArray, known: LQKnown, out: LQReleased) -> None:
    """Line 3: private statistics; V_k = T_1 + eta I, U_k = T_2."""
    exact, at = sums.every, 0
    p, n = out.cross.shape
    for i in range(p):
        for j in range(i, p):
            released = exact[at] + known.sigma_gram * noise[at]
            out.gram[i, j] = out.gram[j, i] = released + (known.eta if i == j else 0.0)
            at += 1
    for i in range(p):
        for j in range(n):
            out.cross[i, j] = exact[at] + known.sigma_cross * noise[at]
            at += 1


@kernel
def log_det_before_noise(sums: LQSums, known: LQKnown, G: FloatArray) -> BeforeNoise:
    """ln det(I + Z'Z / lambda_min) of the exact sums, which lemma-1 prints: the first erratum of
    chowdhury2021.

    ``G`` (p, p) : scratch.
    """
    exact, p, at = sums.before_noise, G.shape[0], 0
    for i in range(p):
        for j in range(i, p):
            G[i, j] = G[j, i] = exact[at] / known.lambda_min + (1.0 if i == j else 0.0)
            at += 1
    return log_det(G)  # type: ignore[return-value]  # a plain number to numba


@inlined
def radius(c_w: float, logarithm: float, n: int, logs: float, offset: float) -> float:
    """beta_k = C_w sqrt(2 ln(./alpha) + n ln det) + sqrt(lambda_max) + nu (lemma-1)."""
    return c_w * math.sqrt(max(0.0, logarithm + n * logs)) + offset


@kernel
def plan(
    released: LQReleased,
    known: LQKnown,
    before_noise: BeforeNoise,
    agent_plan: LQPlan,
    scratch: LQScratch,
) -> None:
    """Lines 4 and 5: the radius of lemma-1 and the optimistic step; everything is read from what is
    released.

    ``before_noise`` is the one exception: the printed radius reads :func:`log_det_before_noise`.
    NaN elsewhere, and then the radius reads ln det(V_k / lambda_min).
    """
    p, n = agent_plan.theta.shape
    # line 4: the radius beta_k of lemma-1
    beta = -1.0
    if known.optimistic:
        logs: float = before_noise
        if math.isnan(before_noise):
            G = scratch.square[0]
            for i in range(p):
                for j in range(p):
                    G[i, j] = released.gram[i, j] / known.lambda_min
            logs = log_det(G)
        beta = radius(known.c_w, known.logarithm, n, logs, known.offset)
    # line 5: equation 9
    if p == 2:
        scalar = ScalarCosts(
            known.Q[0, 0],
            known.R[0, 0],
            known.start[0] ** 2,
            known.variance,
            agent_plan.gains.shape[0],
        )
        outcome = scalar_step(released.gram, released.cross, beta, scalar, agent_plan.theta)
    else:
        outcome = general_step(released, beta, known, agent_plan, scratch)
    agent_plan.moved[0] = 0
    if outcome != STILL or agent_plan.outcomes[5] != STILL:  # after u = 0 again u = 0
        riccati(
            agent_plan.theta,
            known.Q,
            known.R,
            agent_plan.costs,
            agent_plan.gains,
            scratch.pa,
            scratch.gd,
        )
        if clip_gains(
            agent_plan.gains, known.clip, (scratch.moments.moment, scratch.moments.closed)
        ):
            agent_plan.outcomes[4] += 1
        agent_plan.moved[0] = 1
    agent_plan.radius[0], agent_plan.cost[0] = (
        beta,
        cost(agent_plan.costs, known.start, known.variance),
    )
    agent_plan.outcomes[outcome] += 1
    agent_plan.outcomes[5] = outcome


@kernel
def play(world: LQWorld, gains: FloatArray, blocks: Blocks, row: int, path: LQPath) -> None:
    """Lines 6 to 8: one episode under the gains."""
    horizon, d, n = gains.shape
    for i in range(n):
        path.steps[0, i] = world.start[i]
    for h in range(horizon):
        z = path.steps[h]
        for i in range(d):
            total = 0.0
            for j in range(n):
                total += gains[h, i, j] * z[j]
            z[n + i] = total
        disturbance(world.law, world.radius, blocks.coins, row, h * world.per_step, path.noise)
        for i in range(n):
            total = path.noise[i]
            for j in range(n):
                total += world.A[i, j] * z[j]
            for j in range(d):
                total += world.B[i, j] * z[n + j]
            path.steps[h + 1, i] = total


@kernel
def observe(path: LQPath, sums: LQSums) -> None:
    """Line 9: the episode's statistics."""
    exact, n, p = sums.every, path.noise.size, path.steps.shape[1]
    for h in range(path.steps.shape[0] - 1):
        at = 0
        for i in range(p):
            for j in range(i, p):
                exact[at] += path.steps[h, i] * path.steps[h, j]
                at += 1
        for i in range(p):
            for j in range(n):
                exact[at] += path.steps[h, i] * path.steps[h + 1, j]
                at += 1


@kernel
def tally(world: LQWorld, agent_plan: LQPlan, record: LQTally, moments: Moments) -> None:
    """Count the episode and its exact regret, also at a checkpoint."""
    if agent_plan.moved[0]:
        record.totals[1] = loss(agent_plan.gains, world, moments)
    count_episode(record.clock, record.totals, record.checkpoints, record.regret)


@kernel
def advance(
    blocks: Blocks,
    world: LQWorld,
    known: LQKnown,
    sums: LQSums,
    agent_plan: LQPlan,
    record: LQTally,
    path: LQPath,
    scratch: LQScratch,
) -> None:
    """Release, plan, play, observe and tally, for the episodes of some blocks."""
    released, G = scratch.released, scratch.square[0]
    for row in range(blocks.noise.shape[0]):
        release(sums, blocks.noise[row], known, released)
        before_noise = (
            log_det_before_noise(sums, known, G) if sums.before_noise.size > 0 else NOT_READ
        )
        plan(released, known, before_noise, agent_plan, scratch)
        play(world, agent_plan.gains, blocks, row, path)
        observe(path, sums)
        tally(world, agent_plan, record, scratch.moments)
