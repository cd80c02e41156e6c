"""Exact planning in a known tabular MDP: optimal values, value and occupancy of a policy
(vietri2020, section 2.1).

>>> from privrl.environments import chain
>>> mdp = chain(3)
>>> value(mdp, uniform_policy(mdp))
0.125

Step h of the paper (1 to H) is row h - 1 here; V has one row more, of zeros, for the end of the
episode. A policy is an array: integers (H, S), the action taken, or probabilities (H, S, A).
Nothing is sampled and no argument is changed.

Linear quadratic systems (chowdhury2021, section II) stand below: Riccati recursion, exact expected
cost of every time-varying linear policy, and the bounds over the set S of assumption 1.
"""

import math
from typing import Any

import numpy as np

from privrl.checks import array, count, instance, require, rows_sum
from privrl.environments.lq import LQSystem
from privrl.types import FloatArray, IntArray, TabularMDP


def optimal(mdp: TabularMDP) -> tuple[FloatArray, FloatArray]:
    """V* of shape (H+1, S) and Q* of shape (H, S, A), by backward induction.

    The maximum over deterministic policies (section 2.1) is attained step by step: no policy has
    more at any (h, s).
    """
    instance("mdp", mdp, TabularMDP)
    values = np.zeros((mdp.horizon + 1, mdp.states))
    action_values = np.empty((mdp.horizon, mdp.states, mdp.actions))
    for h in reversed(range(mdp.horizon)):
        action_values[h] = mdp.rewards[h] + mdp.transitions[h] @ values[h + 1]
        values[h] = action_values[h].max(axis=-1)
    return values, action_values


def policy_values(mdp: TabularMDP, policy: Any) -> FloatArray:
    """V of a policy, shape (H+1, S): the Bellman equation of section 2.1.

    ``policy`` : integers (H, S) in [0, A), or probabilities (H, S, A)
    """
    steps, rewards = _followed(mdp, probabilities(mdp, policy))
    values = np.zeros((mdp.horizon + 1, mdp.states))
    for h in reversed(range(mdp.horizon)):
        values[h] = rewards[h] + steps[h] @ values[h + 1]
    return values


def value(mdp: TabularMDP, policy: Any) -> float:
    """Expected total reward of an episode under ``policy`` (the paper's rho: initial distribution
    times V_1)."""
    values = policy_values(mdp, policy)
    return float(mdp.initial @ values[0])


def occupancy(mdp: TabularMDP, policy: Any) -> FloatArray:
    """Probability (H, S, A) of being in s and taking a at each step; every step sums to one.

    The value of the policy is the sum of occupancy times mean reward.
    """
    chances = probabilities(mdp, policy)
    steps, _ = _followed(mdp, chances)
    states = np.empty((mdp.horizon, mdp.states))
    states[0] = mdp.initial
    for h in range(mdp.horizon - 1):
        states[h + 1] = states[h] @ steps[h]
    return np.asarray(states[:, :, None] * chances)


def most_likely(mdp: TabularMDP) -> FloatArray:
    """(H, S), how probable a state is at a step under the policy that is best for it."""
    instance("mdp", mdp, TabularMDP)
    chances = np.empty((mdp.horizon, mdp.states))
    chances[0] = mdp.initial
    for step in range(1, mdp.horizon):
        reached = np.eye(mdp.states)  # (S, S), from a state to each one at ``step``
        for h in reversed(range(step)):
            reached = (mdp.transitions[h] @ reached).max(axis=1)
        chances[step] = mdp.initial @ reached
    return chances


def uniform_policy(mdp: TabularMDP) -> FloatArray:
    """Every action with probability 1/A, shape (H, S, A): what an agent that knows nothing
    plays."""
    instance("mdp", mdp, TabularMDP)
    return np.full((mdp.horizon, mdp.states, mdp.actions), 1.0 / mdp.actions)


def uniform_regret(mdp: TabularMDP) -> float:
    """Regret of an episode of uniform play: V* minus its value."""
    values, _ = optimal(mdp)
    return float(mdp.initial @ values[0]) - value(mdp, uniform_policy(mdp))


def blind_policy(mdp: TabularMDP) -> FloatArray:
    """What an agent plays that knows the rewards and nothing else, shape (H, S, A): uniform but in
    the last step, where the reward alone decides."""
    policy = uniform_policy(mdp)
    top = np.isclose(mdp.rewards[-1], mdp.rewards[-1].max(axis=1, keepdims=True))
    policy[-1] = top / top.sum(axis=1, keepdims=True)
    return policy


def constant_policy(mdp: TabularMDP, action: int) -> IntArray:
    """The same action everywhere, shape (H, S)."""
    instance("mdp", mdp, TabularMDP)
    action = count("action", action, 0)
    require(
        action < mdp.actions,
        f"action must be < {mdp.actions}, the number of actions",
        action=action,
    )
    return np.full((mdp.horizon, mdp.states), action, dtype=np.int64)


def best_constant_action(mdp: TabularMDP) -> tuple[int, float]:
    """The action that is worth most when always taken, and its value; the lowest index where
    several are.

    What learning is measured against: an environment on which this comes near V* shows nothing
    about learning.
    """
    instance("mdp", mdp, TabularMDP)
    worths = [value(mdp, constant_policy(mdp, action)) for action in range(mdp.actions)]
    best = int(np.argmax(worths))
    return best, worths[best]


def smallest_gap(mdp: TabularMDP) -> float:
    """The smallest amount by which an action is worth less than the best one, where a policy can
    get; infinite where all are best. Below 10^-12 of the horizon a difference is rounding."""
    values, action_values = optimal(mdp)
    losses = values[:-1, :, None] - action_values
    smallest, states = math.inf, mdp.initial > 0
    for loss, transitions in zip(losses, mdp.transitions, strict=True):
        matter = loss[states]
        matter = matter[matter > 1e-12 * mdp.horizon]
        smallest = min(smallest, float(matter.min(initial=math.inf)))
        states = (transitions[states] > 0).any(axis=(0, 1))
    return smallest


def probabilities(mdp: TabularMDP, policy: Any) -> FloatArray:
    """``policy`` as probabilities (H, S, A), or ``ValueError``."""
    instance("mdp", mdp, TabularMDP)
    shape = (mdp.horizon, mdp.states, mdp.actions)
    try:
        dimensions: tuple[int, ...] = np.shape(policy)
    except ValueError:
        dimensions = ()  # ragged
    require(
        dimensions in (shape[:2], shape),
        f"policy must have shape {shape[:2]} or {shape}",
        shape=dimensions,
    )
    table = array("policy", policy, dimensions)
    if len(dimensions) == 2:
        low, high = float(table.min()), float(table.max())
        require(
            low >= 0 and high < mdp.actions,
            f"policy must hold actions in 0..{mdp.actions - 1}",
            smallest=low,
            largest=high,
        )
        actions = table.astype(np.int64)
        broken = actions != table
        first = float(table.flat[int(broken.argmax())])
        require(not broken.any(), "a policy of shape (H, S) must hold whole numbers", first=first)
        return np.eye(mdp.actions)[actions]
    rows_sum("policy", table)
    return table


def _followed(mdp: TabularMDP, chances: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Transitions (H, S, S) and mean rewards (H, S) when the actions are drawn with these
    probabilities."""
    steps = np.einsum("hsa,hsat->hst", chances, mdp.transitions)
    return steps, (chances * mdp.rewards).sum(axis=-1)


def riccati(A: Any, B: Any, Q: Any, R: Any, horizon: int) -> tuple[FloatArray, FloatArray]:
    """P of shape (H + 1, n, n), the last one zero, and gains K of shape (H, d, n)
    (chowdhury2021/equation-3, -4).

    P_h = Q + A'P_{h+1}(A + B K_h), the recursion of equation 4; the gain of the last step is zero.
    """
    horizon = count("horizon", horizon)
    n = array("A", A, (None, None)).shape[0]
    A, B = array("A", A, (n, n)), array("B", B, (n, None))
    d = B.shape[1]
    Q, R = array("Q", Q, (n, n)), array("R", R, (d, d))
    for name, matrix in (("Q", Q), ("R", R)):
        skew = float(np.abs(matrix - matrix.T).max())
        require(
            skew <= 1e-9 * max(1.0, float(np.abs(matrix).max())),
            f"{name} must be symmetric",
            skew=skew,
        )
    least_q, least_r = (float(np.linalg.eigvalsh(matrix)[0]) for matrix in (Q, R))
    require(
        least_q >= -1e-12 * float(np.abs(Q).max()),
        "Q must be positive semidefinite",
        smallest_eigenvalue=least_q,
    )
    require(least_r > 0, "R must be positive definite", smallest_eigenvalue=least_r)
    costs, gains = np.zeros((horizon + 1, n, n)), np.zeros((horizon, d, n))
    for h in reversed(range(horizon)):
        ahead = costs[h + 1]
        gains[h] = -np.linalg.solve(R + B.T @ ahead @ B, B.T @ ahead @ A)
        now = Q + A.T @ ahead @ (A + B @ gains[h])
        costs[h] = (now + now.T) / 2
    return costs, gains


def lq_optimum(system: LQSystem, theta: Any | None = None) -> float:
    """J_1^*(Theta, x_1), the least expected cost of an episode (chowdhury2021/equation-5).

    ``theta`` : (n + d, n), dynamics in place of the system's own; cost, start and noise stay
    """
    A, B = _dynamics(system, theta)
    costs, _ = riccati(A, B, system.Q, system.R, system.horizon)
    return float(system.start @ costs[0] @ system.start) + system.variance * float(
        np.einsum("hii->", costs[1:])
    )


def lq_cost(system: LQSystem, gains: Any, theta: Any | None = None) -> float:
    """Expected cost of an episode under u_h = K_h x_h, exact: the policy's own recursion
    (chowdhury2021/equation-2).

    Parameters
    ----------
    gains : (H, d, n)
    theta : (n + d, n), dynamics in place of the system's own
    """
    A, B = _dynamics(system, theta)
    gains_ = array("gains", gains, (system.horizon, system.controls, system.states))
    ahead, total = np.zeros_like(system.Q), 0.0
    for gain in gains_[::-1]:
        total += system.variance * float(np.trace(ahead))
        closed = A + B @ gain
        ahead = system.Q + gain.T @ system.R @ gain + closed.T @ ahead @ closed
    return total + float(system.start @ ahead @ system.start)


def lq_regret(system: LQSystem, gains: Any) -> float:
    """lq_cost minus lq_optimum without cancellation: the sum over h of tr (K_h - K*_h)' G_h (K_h -
    K*_h) E[x_h x_h'].

    G_h = R + B'P_{h+1}B; completing the square in equation 4 step by step.
    """
    gains_ = array(
        "gains",
        gains,
        (instance("system", system, LQSystem).horizon, system.controls, system.states),
    )
    costs, best = riccati(system.A, system.B, system.Q, system.R, system.horizon)
    moment, total = np.outer(system.start, system.start), 0.0
    for h, gain in enumerate(gains_):
        apart = gain - best[h]
        total += float(
            np.trace(apart.T @ (system.R + system.B.T @ costs[h + 1] @ system.B) @ apart @ moment)
        )
        closed = system.A + system.B @ gain
        moment = closed @ moment @ closed.T + system.variance * np.eye(system.states)
    return total


def lq_gains(system: LQSystem, theta: Any | None = None) -> FloatArray:
    """Optimal gains (H, d, n) of the system, or of other dynamics ``theta`` (n + d, n) under its
    cost."""
    A, B = _dynamics(system, theta)
    return riccati(A, B, system.Q, system.R, system.horizon)[1]


def lq_zero(system: LQSystem) -> FloatArray:
    """The gains of the controller that does nothing, (H, d, n)."""
    return np.zeros((instance("system", system, LQSystem).horizon, system.controls, system.states))


def lq_best_constant_gain(system: LQSystem) -> tuple[FloatArray, float]:
    """The time-independent gain (d, n) of least expected cost, and its regret; what learning is
    measured against.

    Local minimisation (BFGS) from zero and from each of the optimal gains, the best of these.
    """
    from scipy.optimize import minimize  # slow to import, and seldom needed

    best = lq_gains(system)
    shape = best.shape[1:]

    def regret(flat: FloatArray) -> float:
        return lq_regret(system, np.broadcast_to(flat.reshape(shape), best.shape))

    solutions = [
        minimize(regret, gain.ravel(), method="BFGS", options={"gtol": 1e-10}) for gain in best
    ]
    least = min(solutions, key=lambda solution: float(solution.fun))
    return np.asarray(least.x).reshape(shape), float(least.fun)


def lq_cost_bound(system: LQSystem, step: int = 1) -> float:
    """Supremum of ||P_h(Theta)|| over S, (H - h + 1) ||Q||; at h = 1 it is the D of lemma-3
    (chowdhury2021).

    P_h is at most the cost of no control, the sum of A^i' Q A^i over i <= H - h, and ||A|| <=
    ||Theta||_F <= 1. With v a top eigenvector of Q, A = v v' and B = 0 attain it; controllable
    pairs with ||Theta||_F <= 1 come arbitrarily near, so the supremum over S is the same and is not
    attained for h < H. It grows with H: D is no constant.
    """
    horizon = instance("system", system, LQSystem).horizon
    step = count("step", step)
    require(step <= horizon + 1, "step must be <= horizon + 1", step=step, horizon=horizon)
    return (horizon - step + 1) * float(np.linalg.norm(system.Q, 2))


def lq_gain_bound(system: LQSystem, step: int = 1) -> float:
    """A bound on ||K_h(Theta)|| over S: D / (2 sqrt(r (r + D))) with D = (H - h) ||Q|| and r the
    least eigenvalue of R.

    With M = P^(1/2) B R^(-1/2), P = P_{h+1}: K = -R^(-1/2) (I + M'M)^(-1) M' P^(1/2) A and the
    middle has the norm s/(1 + s^2) for a singular value s <= sqrt(D/r) ||B||, so the norm is at
    most sqrt(D/r) ||A|| min(s, 1)/(1 + min(s, 1)^2); ||A||^2 + ||B||^2 <= 1, and the maximum is at
    ||B||^2 = r/(2r + D). Attained at h = H - 1 when n = d = 1. Lemma-2 (chowdhury2021) needs this
    to be at most gamma; assumption 1 does not give that.
    """
    bound = lq_cost_bound(system, count("step", step) + 1)
    least = float(np.linalg.eigvalsh(system.R)[0])
    return bound / (2 * math.sqrt(least * (least + bound)))


def _dynamics(system: LQSystem, theta: Any) -> tuple[FloatArray, FloatArray]:
    instance("system", system, LQSystem)
    if theta is None:
        return system.A, system.B
    n = system.states
    theta_ = array("theta", theta, (n + system.controls, n))
    return theta_[:n].T, theta_[n:].T
