"""Runs on linear mixtures replayed episode by episode, with what the analysis of zhou2022 speaks of
recorded.

The kernels keep regret only. A replay hands the compiled agent one episode at a time, and reads its
plan and the episode that it played; what the analysis speaks of is computed from these in plain
NumPy. With the model's error iota = r + P V_{h+1} - Q_h (the true r and P, the plan's V and Q),
every episode satisfies, whatever the plan (zhou2022, sections 7.1 and 8),

    V*_1(s_1) - V^pi_1(s_1) = mirror + ahead + martingale + error,

- mirror: sum over h of E[<Q_h(s_h, .), pi*_h - pi_h>] along the optimal policy, (i) of section 8;
  at most 0 for a greedy plan;
- ahead: the expected sum of iota along the optimal policy; at most 0 where the plan is optimistic;
- martingale: T3 of section 7.1, (ii) of section 8;
- error: minus the sum of iota along the trajectory; on the good event at most the two sums of
  bonuses, T1 and T2.

>>> from privrl.agents.linear.linopt_vi import LinOptVI
>>> from privrl.environments.mixtures import mixture
>>> run = diagnose(mixture(), LinOptVI(counter="none"), 20)
>>> run.gap.shape, run.good, bool((run.shortfall <= 1e-9).all())
((20,), True, True)
"""

from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np

from privrl.agents.linear.kernels import terms
from privrl.agents.linear.layout import parts
from privrl.agents.linear.ldp_ucrl_vtr import LDPUCRLVTR
from privrl.agents.linear.learner import LinearState
from privrl.agents.linear.linopt_po import PolicyPlan
from privrl.agents.linear.linopt_vi import LinOpt
from privrl.agents.linear.ucrl_vtr import UCRLVTR
from privrl.agents.linear.widths import LinearCalibration
from privrl.checks import instance, require
from privrl.diagnose.regressions import (
    DIAGNOSIS_SLACK,
    MixtureAgents,
    ReplayedRegression,
    limits_of,
    no_regression,
    regression_terms,
)
from privrl.environments import planning
from privrl.environments.linear_mixture import LinearMixtureMDP
from privrl.run import simulate
from privrl.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class LinearDiagnosis:
    """What happened on every episode k of one run. Index 0 of a pair is the transitions, 1 the
    rewards.

    ``distance`` is infinite where Lambda is not positive definite, 0 where nothing is estimated; nu
    of ``limits`` is infinite where the calibration has none.
    """

    mdp: LinearMixtureMDP  #: what was run
    calibration: LinearCalibration
    gap: FloatArray  #: (K,), V*_1(s_1) - V^pi_1(s_1), exact
    optimistic: FloatArray  #: (K,), V_1(s_1) of the plan
    #: (K,), largest Q*_h - Q_h over the cells that the agent plans for; at most 0 by lemma-7.2
    shortfall: FloatArray
    iota_high: FloatArray  #: (K,), largest iota over these cells; at most 0 on the good event
    #: (K,), largest -iota - 2 (Gamma_p + Gamma_r) there; at most 0 on the good event (equation-3)
    iota_low: FloatArray
    #: (2, K, H), ||theta - theta^|| in the norm of Lambda over the width, largest over blocks
    distance: FloatArray
    radius: FloatArray  #: (2, K, H), the width, largest over the blocks
    least: FloatArray  #: (2, K, H), least eigenvalue of Lambda
    #: (2, K, H, 3), regulariser: least and largest eigenvalue, ||z|| in the norm of the inverse
    regular: FloatArray
    limits: FloatArray  #: (2, K, H, 3), lambda_min, lambda_max and nu of the calibration
    mirror: FloatArray  #: (K,), this and the three below: see the module
    ahead: FloatArray
    martingale: FloatArray
    error: FloatArray
    #: (2, K), sums over h of min(H - h + 1, 2 Gamma) along the trajectory, Gamma_p and Gamma_r
    #: apart
    bonus: FloatArray
    states: IntArray  #: (K, H + 1)
    actions: IntArray  #: (K, H)

    @property
    def covered(self) -> BoolArray:
        """(2, K, H), whether theta lies in the ellipsoid of lemma-3.1 around its estimate."""
        return np.asarray(self.distance <= 1)

    @property
    def good(self) -> bool:
        """Whether both parameters lie in their ellipsoids in every episode and step: the good
        event."""
        return bool(self.covered.all())

    @property
    def definite(self) -> BoolArray:
        """(2, K, H), whether Lambda is positive definite."""
        return np.asarray(self.least > 0)

    @property
    def assumed(self) -> BoolArray:
        """(2, K, H), whether the regularisers are as assumption-2 has them."""
        low, high, nu = (self.regular[..., i] for i in range(3))
        slack = DIAGNOSIS_SLACK * self.limits[..., 1]
        return np.asarray(
            (low >= self.limits[..., 0] - slack)
            & (high <= self.limits[..., 1] + slack)
            & (nu <= self.limits[..., 2] * (1 + DIAGNOSIS_SLACK))
        )


def diagnose(
    mdp: LinearMixtureMDP,
    agent: MixtureAgents,
    planned: int,
    *,
    episodes: int | None = None,
    seed: int = 0,
    index: int = 0,
) -> LinearDiagnosis:
    """Replay replicate ``index`` of the run that ``simulate.run`` makes with the same numbers.

    ``episodes`` : how many are replayed (default: all, ``planned``); memory grows with them
    """
    instance("mdp", mdp, LinearMixtureMDP)
    require(
        isinstance(agent, (LinOpt, LDPUCRLVTR, UCRLVTR)),
        "agent must be one for linear mixtures",
        agent=type(agent).__name__,
    )
    return replay(
        mdp,
        agent,
        planned,
        simulate.streams(mdp, cast(Any, agent), planned, episodes, seed, index),
    )


def replay(
    mdp: LinearMixtureMDP,
    agent: MixtureAgents,
    planned: int,
    drawn: tuple[FloatArray, FloatArray, FloatArray],
) -> LinearDiagnosis:
    """Play the given streams and record: noise (K, W) before scaling, coins (K, 1 + 2H), ties (K,
    H)."""
    learner = cast(Any, agent).start(mdp, planned, np.array([planned]))
    state, calibration = learner.state, learner.calibration
    plan, path = state.plan, state.path
    rows = []
    for row, two, three in zip(*drawn, strict=True):
        before = state.statistics.copy()
        followed = plan.policy.copy() if isinstance(plan, PolicyPlan) else None
        learner.advance(row[None].copy(), two[None].copy(), three[None].copy())
        if followed is None:
            followed = _uniform_on(plan.greedy, state.actions)
        rows.append(
            (
                before,
                plan.values.copy(),
                plan.q.copy(),
                followed,
                state.tally.values.copy(),
                path.states.copy(),
                path.pairs % state.actions,
            )
        )
    sums, values, q, policy, played, *trajectories = (
        np.array(column) for column in zip(*rows, strict=True)
    )
    n = np.array([terms(calibration.growth, k) for k in range(len(sums))])
    kinds = [(mdp.psi, state.known.transitions)]
    if not agent.known_rewards:
        kinds.append((mdp.varphi[:, :, None], state.known.rewards))
    regressions = []
    for which, (features, estimator) in enumerate(kinds):
        ahead = values if which == 0 else np.ones((*values.shape[:2], 1))
        theta = mdp.theta_p if which == 0 else mdp.theta_r
        known = limits_of(mdp, agent, planned, estimator.widths, which)
        regressions.append(
            regression_terms(
                ReplayedRegression(
                    features,
                    parts(features, calibration.by_blocks),
                    theta,
                    ahead,
                    estimator,
                    known,
                    moves=which == 0,
                ),
                sums,
                drawn[0],
                n,
            )
        )
    while len(regressions) < 2:
        regressions.append(no_regression(regressions[0]))
    distance, radius, least, regular, limits, gamma = (
        np.stack(pair) for pair in zip(*regressions, strict=True)
    )
    return _terms(
        mdp,
        state,
        calibration,
        Plans(values, q, policy, played, trajectories),
        gamma,
        {
            "distance": distance,
            "radius": radius,
            "least": least,
            "regular": regular,
            "limits": limits,
        },
    )


def _uniform_on(greedy: IntArray, actions: int) -> FloatArray:
    """(H, SA), uniform on the greedy sets (H, S) of bits."""
    chosen = (greedy[..., None] >> np.arange(actions)) & 1
    shares = chosen / np.maximum(chosen.sum(axis=-1, keepdims=True), 1)
    return np.asarray(shares.reshape(greedy.shape[0], -1), dtype=np.float64)


class Plans(NamedTuple):
    """The plans of K episodes, and what came of them."""

    values: FloatArray  #: (K, H + 1, S), optimistic
    q: FloatArray  #: (K, H, SA), optimistic
    policy: FloatArray  #: (K, H, SA)
    played: FloatArray  #: (K, H + 1, S), exact values of the policy
    trajectories: list[IntArray]  #: states and actions


def _terms(
    mdp: LinearMixtureMDP,
    state: LinearState[Any],
    calibration: LinearCalibration,
    plans: Plans,
    gamma: FloatArray,
    rest: dict[str, FloatArray],
) -> LinearDiagnosis:
    """Trajectories, optimism and the regret decomposition."""
    values, q, policy, played, trajectories = plans
    table = mdp.tabular()
    episodes, horizon, states, actions = len(q), mdp.horizon, mdp.states, mdp.actions
    shape = (episodes, horizon, states, actions)
    q, policy = q.reshape(shape), policy.reshape(shape)
    best_values, best_q = planning.optimal(table)
    best = best_q.argmax(axis=-1)
    # iota
    error = table.rewards + np.einsum("hxyz,khz->khxy", table.transitions, values[:, 1:]) - q
    true_q = table.rewards + np.einsum("hxyz,khz->khxy", table.transitions, played[:, 1:])
    planned_for = np.broadcast_to(state.known.reachable[None, :, :, None], shape)

    def largest(values_: FloatArray) -> FloatArray:
        return np.asarray(np.where(planned_for, values_, -np.inf).max(axis=(1, 2, 3)))

    path, chosen = trajectories
    rows = np.arange(episodes)
    first = path[:, 0]
    mirror, ahead = np.zeros(episodes), np.zeros(episodes)
    law = np.eye(states)[first]  # of s_h under the optimal policy
    drift, along = np.zeros(episodes), np.zeros(episodes)
    bonus = np.zeros((2, episodes))
    for h in range(horizon):
        go = np.eye(actions)[best[h]]
        mirror += np.einsum("kx,kxy,kxy->k", law, q[:, h], go - policy[:, h])
        ahead += np.einsum("kx,xy,kxy->k", law, go, error[:, h])
        law = np.einsum("kx,xy,xyz->kz", law, go, table.transitions[h])
        s, a, after = path[:, h], chosen[:, h], path[:, h + 1]
        surplus = values[:, h] - played[:, h]
        next_surplus = values[:, h + 1] - played[:, h + 1]
        drift += surplus[rows, s] - (q[rows, h, s, a] - true_q[rows, h, s, a])
        drift += (
            np.einsum("kz,kz->k", table.transitions[h][s, a], next_surplus)
            - next_surplus[rows, after]
        )
        along -= error[rows, h, s, a]
        bonus += np.minimum(calibration.caps[h], 2 * gamma[:, rows, h, s, a])
    return LinearDiagnosis(
        mdp,
        calibration,
        best_values[0, first] - played[rows, 0, first],
        values[rows, 0, first],
        largest(best_q - q),
        largest(error),
        largest(-error - 2 * gamma.sum(axis=0)),
        rest["distance"],
        rest["radius"],
        rest["least"],
        rest["regular"],
        rest["limits"],
        mirror,
        ahead,
        drift,
        along,
        bonus,
        path,
        chosen,
    )
