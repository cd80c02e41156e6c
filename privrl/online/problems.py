"""What an agent knows of a world that nobody knows: a problem whose truth is a placeholder that no
plan reads."""

import math
from dataclasses import dataclass

import numpy as np

from privrl.checks import array, count, positive, require
from privrl.environments.linear_mixture import MIXTURE_SLACK, LinearMixtureMDP
from privrl.environments.lq import LQSystem
from privrl.types import FloatArray, TabularMDP


def tabular(states: int, actions: int, horizon: int, name: str = "unknown") -> TabularMDP:
    """A world of which only the sizes S, A and H are known: every transition and reward is as
    likely as any other."""
    S, A, H = count("states", states), count("actions", actions), count("horizon", horizon)
    return TabularMDP(
        name, np.full((H, S, A, S), 1 / S), np.full((H, S, A), 0.5), np.full(S, 1 / S)
    )


@dataclass(frozen=True, eq=False)
class UnknownMixture(LinearMixtureMDP):
    """A linear mixture MDP of which the features are known.

    ``known_rewards`` : whether the mean rewards are those of the world; LDP-UCRL-VTR and UCRL-VTR
        need them
    """

    known_rewards: bool = False


def mixture(
    *,
    psi: FloatArray,
    horizon: int,
    varphi: FloatArray | None = None,
    rewards: FloatArray | None = None,
    initial: FloatArray | None = None,
    reference: FloatArray | None = None,
    theta_p_bound: float = 0.0,
    theta_r_bound: float = 0.0,
    block_bound: float = 0.0,
) -> UnknownMixture:
    """A linear mixture MDP with unknown parameters.

    Parameters
    ----------
    psi : (S, A, S, d1), features of the transitions; a step for which they are zero never happens
    varphi : (S, A, d2), features of the rewards, which are unknown; or
    rewards : (H, S, A), known mean rewards in [0, 1]
    initial : (S,), positive where an episode may begin, which is all that is read of it; everywhere
        by default
    reference : (d1,), any parameter with which ``psi`` gives probabilities; the shortest with which
        rows sum to one by default
    theta_p_bound, theta_r_bound, block_bound : of the unknown norms, as :class:`LinearMixtureMDP`
    has them

    Raises
    ------
    ValueError
        Features with which the shortest parameter gives no probabilities, and no reference.
    """
    psi, horizon = array("psi", psi, (None, None, None, None)), count("horizon", horizon)
    states, actions = psi.shape[:2]
    rewards_given = (varphi is not None) + (rewards is not None)
    require(
        rewards_given == 1,
        "one of varphi and rewards must be given, and not both",
        given=rewards_given,
    )
    if reference is None:
        pairs = psi.sum(axis=2).reshape(states * actions, -1)
        reference = np.linalg.lstsq(pairs, np.ones(len(pairs)), rcond=None)[0]
        rows = psi @ reference
        require(
            float(rows.min()) >= -MIXTURE_SLACK
            and float(np.abs(rows.sum(axis=2) - 1).max()) <= MIXTURE_SLACK,
            "reference must be given: the shortest parameter gives no probabilities",
            smallest=float(rows.min()),
        )
    theta = np.tile(array("reference", reference, psi.shape[3:]), (horizon, 1))
    if rewards is None:
        features = array("varphi", varphi, (states, actions, None))
        theta_r = np.zeros((horizon, features.shape[2]))
    else:
        theta_r = array("rewards", rewards, (horizon, states, actions)).reshape(horizon, -1)
        features = np.eye(states * actions).reshape(states, actions, -1)
    first = np.ones(states) if initial is None else array("initial", initial, (states,))
    require(
        bool((first >= 0).all() and first.any()),
        "initial must be >= 0, and > 0 somewhere",
        smallest=float(first.min()),
    )
    return UnknownMixture(
        "unknown-mixture",
        psi,
        features,
        theta,
        theta_r,
        first / first.sum(),
        theta_p_bound=theta_p_bound,
        theta_r_bound=theta_r_bound,
        block_bound=block_bound,
        known_rewards=rewards is not None,
    )


def lq(
    *,
    Q: FloatArray,
    R: FloatArray,
    start: FloatArray,
    horizon: int,
    gamma: float,
    c_w: float,
    variance: float | None = None,
) -> LQSystem:
    """A linear quadratic system with unknown dynamics, within assumption 1 of chowdhury2021.

    Parameters
    ----------
    Q, R : (n, n) and (d, d), costs, known as in the paper
    start : (n,), x_1
    gamma, c_w : bounds of the controls and of the noise
    variance : E[w w'] is this number times the identity, at most c_w^2 / n; that of the uniform law
        on the ball of radius c_w by default
    """
    first, d = array("start", start, (None,)), array("R", R, (None, None)).shape[0]
    n, gamma, c_w = first.size, positive("gamma", gamma), positive("c_w", c_w)
    require(c_w < 1, "assumption 1 (d): C_w must be < 1", c_w=c_w)
    # a chain of integrators, well within assumption 1
    size = min((1 - c_w) / (1 + gamma), 1 / math.sqrt(n + 1)) / 2
    B = np.zeros((n, d))
    B[0, 0] = size
    law, radius = "ball", None
    if variance is not None:
        law, radius = "sphere", math.sqrt(n * positive("variance", variance))
    return LQSystem(
        "unknown-lq",
        size * np.eye(n, k=-1),
        B,
        Q,
        R,
        first,
        horizon,
        gamma,
        c_w,
        noise=law,
        radius=radius,
    )
