"""Linear mixture MDPs: tables as one, the papers' examples, a small one that tells learners apart,
random ones, and a family that is hard to learn."""

import math

import numpy as np

from privrl.checks import array, count, flag, instance, positive, probability, real, require
from privrl.environments.linear_mixture import LinearMixtureMDP
from privrl.types import FloatArray, TabularMDP


def one_hot(mdp: TabularMDP, *, scaled: bool = True) -> LinearMixtureMDP:
    """A tabular MDP as a linear mixture with d1 = S A S, d2 = S A (liao2021/example-3.3).

    ``scaled`` divides the features by sqrt(S) and multiplies theta_p by it: then ||phi_V|| <= H,
    which the plain one-hot features of the example break by sqrt(S), and still ||theta|| <=
    sqrt(d1). Rows of probabilities have norm at most 1, so ||theta_p[h]|| <= sqrt(SA), and that is
    what the agent is told (times sqrt(S) when scaled).

    >>> from privrl.environments import chain
    >>> one_hot(chain(3)).norms().phi, one_hot(chain(3), scaled=False).norms().phi ** 2
    (1.0, 2.9999999999999996)
    """
    instance("mdp", mdp, TabularMDP)
    scale = math.sqrt(mdp.states) if flag("scaled", scaled) else 1.0
    pairs, states = mdp.states * mdp.actions, mdp.states
    psi = np.eye(pairs * states).reshape(states, mdp.actions, states, pairs * states) / scale
    varphi = np.eye(pairs).reshape(states, mdp.actions, pairs)
    name = f"{mdp.name}-onehot" + ("-scaled" if scaled else "")
    return LinearMixtureMDP(
        name,
        psi,
        varphi,
        mdp.transitions.reshape(mdp.horizon, -1) * scale,
        mdp.rewards.reshape(mdp.horizon, -1),
        mdp.initial,
        mdp.bernoulli,
        theta_p_bound=math.sqrt(pairs) * scale,
        block_bound=scale,
    )


def embedding(
    name: str,
    phi: FloatArray,
    mu: FloatArray,
    cores: FloatArray,
    rewards: FloatArray,
    initial: FloatArray,
    *,
    bernoulli: bool = True,
) -> LinearMixtureMDP:
    """P_h(s'|s, a) = phi(s, a)' M_h mu(s') as a linear mixture with d1 = p q
    (liao2021/example-3.4).

    psi(s, a, s') holds phi_i mu_j at position (i, j), and theta_h the entries of M_h in the same
    order.

    Parameters
    ----------
    phi : (S, A, p), mu : (S, q), cores : (H, p, q)
    rewards : (H, S, A), carried by one-hot features, d2 = S A
    """
    phi = array("phi", phi, (None, None, None))
    states, actions, features = phi.shape
    mu = array("mu", mu, (states, None))
    cores = array("cores", cores, (None, features, mu.shape[1]))
    rewards = array("rewards", rewards, (cores.shape[0], states, actions))
    psi = np.einsum("xyi,zj->xyzij", phi, mu).reshape(states, actions, states, -1)
    theta = cores.reshape(cores.shape[0], -1)
    bound = max(math.sqrt(theta.shape[1]), float(np.linalg.norm(theta, axis=1).max()))
    return LinearMixtureMDP(
        name,
        psi,
        np.eye(states * actions).reshape(states, actions, -1),
        theta,
        rewards.reshape(cores.shape[0], -1),
        initial,
        bernoulli,
        theta_p_bound=bound,
    )


def mixture(
    d: int = 2, horizon: int = 2, *, scaled: bool = False, weight: float = 0.9
) -> LinearMixtureMDP:
    """d base models with d actions on two states, "out" (0) and "in" (1): the smallest that is
    discriminating learning.

    In base model i action i leads in and every other one out. Step h mixes them with ``weight`` on
    model h mod d and the rest spread evenly. Inside, action a pays a coin with mean <e_a,
    theta_r[h]>, again ``weight`` on h mod d; outside nothing is paid. So the action h mod d is
    right at step h, and no constant action is right for long. This is ours.

    Features: psi(s, a, s') = (P_1(s'|s, a), ..., P_d(s'|s, a)), so ||phi_V|| is up to sqrt(d) H:
    zhou2022/assumption-1 holds with equality, liao2021 (3.1) fails; ``scaled`` divides by sqrt(d)
    (and theta grows), and both hold. theta_p is a point of the simplex, of norm at most 1 (sqrt(d)
    when scaled), which is what the agent is told.

    >>> from privrl import planning
    >>> float(planning.optimal(mixture().tabular())[0][0, 0])
    0.81
    """
    d, horizon, weight = count("d", d, 2), count("horizon", horizon), probability("weight", weight)
    scale = math.sqrt(d) if flag("scaled", scaled) else 1.0
    psi = np.zeros((2, d, 2, d))
    psi[:, :, 1] = np.eye(d)
    psi[:, :, 0] = 1 - np.eye(d)
    varphi = np.stack((np.zeros((d, d)), np.eye(d)))
    theta = np.full((horizon, d), (1 - weight) / (d - 1))
    theta[np.arange(horizon), np.arange(horizon) % d] = weight
    name = f"mixture-{d}" + (f"-h{horizon}" if horizon != 2 else "") + ("-scaled" if scaled else "")
    name += f"-weight{weight!r}" if weight != 0.9 else ""
    return LinearMixtureMDP(
        name,
        psi / scale,
        varphi,
        theta * scale,
        theta,
        np.array([1.0, 0.0]),
        theta_p_bound=scale,
        theta_r_bound=1.0,
    )


def random_mixture(
    d: int, states: int, actions: int, horizon: int, seed: int, *, scaled: bool = True
) -> LinearMixtureMDP:
    """d random base models mixed with random weights per step, and d random reward tables mixed
    likewise: for tests.

    Rows of the base models, weights and the initial distribution are uniform on their simplices.
    Reward features are uniform on [0, 1]^d over sqrt(d), weights a point of the simplex times
    sqrt(d): ||varphi|| <= 1, ||theta_r|| <= sqrt(d).
    """
    d, states, actions = count("d", d), count("states", states), count("actions", actions)
    horizon, seed = count("horizon", horizon), count("seed", seed, 0)
    rng = np.random.default_rng(seed)
    scale = math.sqrt(d) if flag("scaled", scaled) else 1.0
    psi = np.moveaxis(rng.dirichlet(np.ones(states), size=(d, states, actions)), 0, -1) / scale
    theta_p = rng.dirichlet(np.ones(d), size=horizon) * scale
    varphi = rng.random((states, actions, d)) / math.sqrt(d)
    theta_r = rng.dirichlet(np.ones(d), size=horizon) * math.sqrt(d)
    name = f"random-mixture-{d}-{states}x{actions}-h{horizon}-seed{seed}" + (
        "-scaled" if scaled else ""
    )
    return LinearMixtureMDP(
        name, psi, varphi, theta_p, theta_r, rng.dirichlet(np.ones(states)), theta_p_bound=scale
    )


def hard_mixture(
    d: int = 5, horizon: int = 6, episodes: int = 10_000, *, gap: float = 0.0, seed: int = 0
) -> LinearMixtureMDP:
    """The hard-to-learn family of Zhou, Gu and Szepesvari (2021), which liao2021/theorem-5.6 uses;
    S = H + 2, A = 2^(d-1).

    A row of states x_1, ..., x_{H+1} and a goal, the last state, which pays 1 a step; both ends
    absorb. Action a is a point of {-1, 1}^(d-1), bit by bit, the last bit fastest; in x_1 .. x_H it
    leads to the goal with probability 1/H + <mu_h, a> and else one state on. Coordinates of mu_h
    are +gap or -gap, coins of ``seed``.

    Parameters
    ----------
    d, horizon : dimension and H, both >= 2
    episodes : K, which enters gap = sqrt(1/(H K)) / (4 sqrt 2), the setting of the authors'
        released code (d = 5, H = 6)
    gap : another gap in its place, where learning is to be seen, at most 1 / (H (d - 1)), or 1/H +
        <mu_h, a> is no probability; 0 for the formula
    """
    d, horizon, episodes = (
        count("d", d, 2),
        count("horizon", horizon, 2),
        count("episodes", episodes),
    )
    require(d <= 13, "d must be <= 13: there are 2^(d-1) actions", d=d)
    base = 1 / horizon
    delta = positive("gap", real("gap", gap) or math.sqrt(base / episodes) / (4 * math.sqrt(2)))
    require((d - 1) * delta <= base, "(d - 1) gap must be <= 1/H", d=d, gap=delta)
    alpha = math.sqrt(1 / (1 + delta * (d - 1)))
    beta = math.sqrt(delta / (1 + delta * (d - 1)))
    moves = 1.0 - 2.0 * (((np.arange(2 ** (d - 1))[:, None] >> np.arange(d - 2, -1, -1)) & 1) == 0)
    states, actions = horizon + 2, moves.shape[0]
    psi = np.zeros((states, actions, states, d))
    for state in range(horizon):
        psi[state, :, state + 1, 0], psi[state, :, -1, 0] = alpha * (1 - base), alpha * base
        psi[state, :, state + 1, 1:], psi[state, :, -1, 1:] = -beta * moves, beta * moves
    for state in (horizon, horizon + 1):
        psi[state, :, state, 0] = alpha
    signs = np.random.default_rng(count("seed", seed, 0)).choice([-1.0, 1.0], size=(horizon, d - 1))
    theta = np.concatenate((np.full((horizon, 1), 1 / alpha), delta * signs / beta), axis=1)
    varphi = np.zeros((states, actions, 1))
    varphi[-1] = 1.0
    size = f"k{episodes}" if not gap else f"gap{gap!r}"
    name = f"hard-mixture-{d}-h{horizon}-{size}" + (f"-seed{seed}" if seed else "")
    return LinearMixtureMDP(
        name,
        psi,
        varphi,
        theta,
        np.ones((horizon, 1)),
        np.eye(states)[0],
        bernoulli=False,
        theta_p_bound=max(math.sqrt(d), 1 + delta * (d - 1)),
    )
