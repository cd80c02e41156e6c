"""Compiled steps of an episode of the LQ agents, in the order of the paper's lines (chowdhury2021,
section III-A); plain Python with ``NUMBA_DISABLE_JIT=1``."""

import math

from privrl.agents.blocks import Blocks
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
from privrl.types import FloatArray


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
