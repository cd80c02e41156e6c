"""What the LQ agents share: the learner's arrays and the episode's kernel (chowdhury2021, section III-A).

Both agents are OFU under changing regularisers: they read V_k = Z'Z + H_k and U_k = Z'X_next + L_k, and differ in what
H_k and L_k are. The agents know Q, R, H, C_w, gamma, x_1 and, because J_1^* of equation 9 and 5 depends on it, E[w w'].
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit

from privrl import planning
from privrl.agents.lq.dynamics import clip_gains, cost, disturbance, loss, riccati
from privrl.agents.lq.general import general_step
from privrl.agents.lq.optimism import STILL, scalar_step
from privrl.environments.lq import NOISES, LQSystem
from privrl.types import MOST_EPISODES, FloatArray, IntArray, array, instance, require

PLANNERS = ("optimistic", "certainty-equivalent")
KINDS = ("lost", "still", "found", "empty")  # outcomes of the optimistic step, in the order of lq_optimism's numbers


@dataclass(frozen=True)
class Calibration:
    """What an LQ agent derives from its parameters before the first episode.

    Parameters
    ----------
    sigma_gram, sigma_cross : sigma_1 and sigma_2, standard deviations of one draw of the two counters (0 without)
    eta : H_k = N_k + eta I
    lambda_min, lambda_max, nu : of assumption 2; H_k between the first two, ||L_k||_{H_k^-1} <= nu
    logarithm : 2 ln(./alpha), the first term under the root of beta_k
    exact : beta_k reads det(I + Z'Z / lambda_min), as lemma-1 prints, from the statistics *before* noise; else
        det(V_k / lambda_min), which is not smaller where assumption 2 holds, and reads only what is released
    clip : gains are scaled to this operator norm at most; infinity for none
    """

    sigma_gram: float
    sigma_cross: float
    eta: float
    lambda_min: float
    lambda_max: float
    nu: float
    logarithm: float
    exact: bool
    clip: float


@dataclass(eq=False)
class Learner:
    """Everything that changes during a run, and what the simulation knows; the kernel writes into these arrays.

    Parameters
    ----------
    statistics : (W,), exact running sums: Z'Z row by row from the diagonal on, then Z'X_next (n + d, n) row by row
    theta : (n + d, n), Theta~ of the last plan
    warm : (n + d, n), the last answer of the general optimistic step
    costs : (H + 1, n, n), P_h(Theta~); gains : (H, d, n), the policy in force
    clock : (2,), finished episodes, checkpoints passed
    totals : (4,), regret so far, regret of an episode of the policy in force, beta_k, J_1^*(Theta~_k, x_1)
    outcomes : (6,), episodes by outcome of the optimistic step (:data:`KINDS`), episodes with a clipped gain, the last
        outcome
    checkpoints : (C,), numbers of finished episodes at which regret is recorded; regret : (C,), filled as they pass
    system : the environment
    best : (H, d, n), optimal gains; weights : (H, d, d), R + B'P_{h+1}B
    """

    statistics: FloatArray
    theta: FloatArray
    warm: FloatArray
    costs: FloatArray
    gains: FloatArray
    clock: IntArray
    totals: FloatArray
    outcomes: IntArray
    checkpoints: IntArray
    regret: FloatArray
    system: LQSystem
    best: FloatArray
    weights: FloatArray

    @property
    def finished(self) -> int:
        """Episodes played so far."""
        return int(self.clock[0])

    @property
    def last(self) -> str:
        """Outcome of the last plan, one of :data:`KINDS`; empty before the first."""
        return KINDS[int(self.outcomes[5])] if self.finished else ""


def width(system: LQSystem) -> int:
    """W, number of released sums: (n + d)(n + d + 1)/2 of the symmetric Z'Z and (n + d) n of Z'X_next."""
    p = instance("system", system, LQSystem).states + system.controls
    return p * (p + 1) // 2 + p * system.states


def learner(system: LQSystem, checkpoints: IntArray) -> Learner:
    """A learner that has seen nothing; checkpoints increasing, at least 1."""
    instance("system", system, LQSystem)
    given = array("checkpoints", checkpoints, (None,))
    whole = bool((given == np.floor(given)).all() and given[-1] <= MOST_EPISODES)
    require(whole and bool((np.diff(given) > 0).all()) and given[0] >= 1,
            f"checkpoints must be whole, increase, and be in 1..{MOST_EPISODES}", checkpoints=given.tolist()[:5])
    n, d, horizon = system.states, system.controls, system.horizon
    costs, best = planning.riccati(system.A, system.B, system.Q, system.R, horizon)
    return Learner(
        statistics=np.zeros(width(system)),
        theta=np.zeros((n + d, n)),
        warm=np.zeros((n + d, n)),
        costs=np.zeros((horizon + 1, n, n)),
        gains=np.zeros((horizon, d, n)),
        clock=np.zeros(2, dtype=np.int64),
        totals=np.zeros(4),
        outcomes=np.zeros(6, dtype=np.int64),
        checkpoints=given.astype(np.int64),
        regret=np.zeros(given.size),
        system=system,
        best=best,
        weights=system.R + system.B.T @ costs[1:] @ system.B,
    )


def check_blocks(state: Learner, noise: FloatArray, coins: FloatArray, ties: FloatArray) -> None:
    """``ValueError`` unless the blocks fit the learner: a kernel reads what it is given, unchecked."""
    instance("noise", noise, np.ndarray)
    rows = noise.shape[0] if noise.ndim == 2 else 0
    system = state.system
    shapes = (("noise", noise, state.statistics.size), ("coins", coins, system.coins), ("ties", ties, system.ties))
    for name, block, columns in shapes:
        instance(name, block, np.ndarray)
        require(block.shape == (rows, columns) and block.dtype == np.float64 and rows > 0,
                f"{name} must be float64 of shape (rows, {columns}), as many rows in every block, at least one",
                shape=block.shape, dtype=str(block.dtype))
    low, high = float(coins.min()), float(coins.max())
    require(low >= 0 and high < 1, "coins must be in [0, 1)", smallest=low, largest=high)
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(noise.sum())
    require(math.isfinite(total) or bool(np.isfinite(noise).all()), "noise must be finite", noise="NaN or infinity")


@dataclass(eq=False)
class LQLearner:
    """A run of OFU-RL or Private-OFU-RL in progress."""

    state: Learner
    calibration: Calibration
    planner: str

    def advance(self, noise: FloatArray, coins: FloatArray, ties: FloatArray) -> None:
        """Play ``noise.shape[0]`` episodes.

        Parameters
        ----------
        noise : (rows, W), standard normal sums that sigma_1 and sigma_2 multiply; row i is for the plan of episode i
        coins : (rows, system.coins), uniforms that the system's noise is made of
        ties : (rows, 0)
        """
        state, made = self.state, self.calibration
        check_blocks(state, noise, coins, ties)
        system = state.system
        constants = np.array([made.sigma_gram, made.sigma_cross, made.eta, made.lambda_min, made.logarithm,
                              math.sqrt(made.lambda_max) + made.nu, made.clip, system.c_w, system.radius,
                              system.variance])
        _advance(noise, coins, constants, made.exact, self.planner == "optimistic", NOISES.index(system.noise),
                 system.coins_per_step, system.A, system.B, system.Q, system.R, system.start, state.best, state.weights,
                 state.statistics, state.theta, state.warm, state.costs, state.gains, state.clock, state.totals,
                 state.outcomes, state.checkpoints, state.regret)


@njit(cache=True, nogil=True, error_model="numpy")
def log_det(M):  # type: ignore[no-untyped-def]  # numba infers the types
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


@njit(cache=True, nogil=True, error_model="numpy")
def _advance(noise, coins, constants, exact, optimistic, law, per_step,  # type: ignore[no-untyped-def]
             A, B, Q, R, start, best, weights, statistics, theta, warm, costs, gains, clock, totals, outcomes,
             checkpoints, regret):
    sigma_gram, sigma_cross, eta, lambda_min, logarithm, offset, clip, c_w, radius, variance = constants
    horizon, d, n = gains.shape
    p = n + d
    V, U, G = np.empty((p, p)), np.empty((p, n)), np.empty((p, p))
    wide, square = np.empty((8, p, n)), np.empty((3, p, p))
    pa, gd = np.empty((p, n)), np.empty((d, p))
    moment, closed, fore = np.empty((n, n)), np.empty((n, n)), np.empty((n, n))
    z, after, w = np.empty(p), np.empty(n), np.empty(n)
    for row in range(noise.shape[0]):
        # line 3: private statistics; V_k = T_1 + eta I, U_k = T_2
        at = 0
        for i in range(p):
            for j in range(i, p):
                value = statistics[at]
                released = value + sigma_gram * noise[row, at]
                V[i, j] = V[j, i] = released + (eta if i == j else 0.0)
                G[i, j] = G[j, i] = (value / lambda_min + (1.0 if i == j else 0.0)) if exact else V[i, j] / lambda_min
                at += 1
        for i in range(p):
            for j in range(n):
                U[i, j] = statistics[at] + sigma_cross * noise[row, at]
                at += 1
        # line 4: the radius beta_k of lemma-1
        beta = -1.0
        if optimistic:
            beta = c_w * math.sqrt(max(0.0, logarithm + n * log_det(G))) + offset
        # line 5: equation 9
        if p == 2:
            outcome = scalar_step(V[0, 0], V[0, 1], V[1, 1], U[0, 0], U[1, 0], beta, Q[0, 0], R[0, 0], start[0] ** 2,
                                  variance, horizon, theta)
        else:
            outcome = general_step(V, U, beta, Q, R, start, variance, theta, warm, costs, gains, wide, square)
        if outcome != STILL or outcomes[5] != STILL or clock[0] == 0:  # after u = 0 again u = 0
            riccati(theta, Q, R, costs, gains, pa, gd)
            if clip_gains(gains, clip, moment):
                outcomes[4] += 1
            totals[1] = loss(gains, best, weights, A, B, start, variance, moment, closed, fore)
        totals[2], totals[3] = beta, cost(costs, start, variance)
        outcomes[outcome] += 1
        outcomes[5] = outcome
        # lines 6 to 8: the episode
        for i in range(n):
            z[i] = start[i]
        for h in range(horizon):
            for i in range(d):
                total = 0.0
                for j in range(n):
                    total += gains[h, i, j] * z[j]
                z[n + i] = total
            disturbance(law, radius, coins, row, h * per_step, w)
            for i in range(n):
                total = w[i]
                for j in range(n):
                    total += A[i, j] * z[j]
                for j in range(d):
                    total += B[i, j] * z[n + j]
                after[i] = total
            # line 9
            at = 0
            for i in range(p):
                for j in range(i, p):
                    statistics[at] += z[i] * z[j]
                    at += 1
            for i in range(p):
                for j in range(n):
                    statistics[at] += z[i] * after[j]
                    at += 1
            for i in range(n):
                z[i] = after[i]
        clock[0] += 1
        totals[0] += totals[1]
        if clock[1] < checkpoints.size and checkpoints[clock[1]] == clock[0]:
            regret[clock[1]] = totals[0]
            clock[1] += 1
