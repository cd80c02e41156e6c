"""Linear mixture MDPs: known features, unknown weights per step (liao2021/definition-3.1,
zhou2022/assumption-1).

    P_h(s' | s, a) = <psi(s, a, s'), theta_p[h]>,        r_h(s, a) = <varphi(s, a), theta_r[h]>.

The papers assume norms: liao2021 ||phi_V|| <= H for every V from S to [0, H] (3.1) and ||theta_h||
<= sqrt(d); zhou2022
||phi_V|| <= sqrt(d_1) H, ||varphi|| <= 1, ||theta_p|| <= sqrt(d_1), ||theta_r|| <= sqrt(d_2). Here
phi_V(s, a) = sum over s' of psi(s, a, s') V(s'). These norms are computed
(:meth:`LinearMixtureMDP.norms`), not assumed: one-hot features, and the features of d base models,
break the first of them unless they are scaled.
"""

import math
from dataclasses import dataclass

import numpy as np

from privrl.checks import array, count, flag, instance, positive, probability, real, require, settle
from privrl.types import Finite, FloatArray, IntArray, TabularMDP

MOST_CORNERS = 16  # next states of one pair up to which all corners V in {0, 1}^S are tried
MIXTURE_SLACK = 1e-9


@dataclass(frozen=True)
class Norms:
    """The norms that the papers assume, computed."""

    #: sup of ||phi_V(s, a)|| over V in [0, 1]^S and all pairs; for V in [0, B]^S it is B times that
    phi: float
    exact: bool  #: whether ``phi`` is the supremum, or an upper bound of it
    #: sup of the root of the sum of squares of the entries i <= j of phi_V phi_V', V in [0, 1]^S
    released: float
    varphi: float  #: largest ||varphi(s, a)||
    theta_p: float  #: largest norm over the steps
    theta_r: float  #: likewise
    dimension_p: int  #: d_1
    dimension_r: int  #: d_2

    @property
    def liao2021(self) -> bool:
        """Whether definition-3.1 holds: ||phi_V|| <= H and ||theta_h|| <= sqrt(d)."""
        return (
            self.phi <= 1 + MIXTURE_SLACK
            and self.theta_p <= math.sqrt(self.dimension_p) + MIXTURE_SLACK
        )

    @property
    def zhou2022(self) -> bool:
        """Whether assumption-1 holds."""
        roots = (
            math.sqrt(self.dimension_p) + MIXTURE_SLACK,
            math.sqrt(self.dimension_r) + MIXTURE_SLACK,
        )
        return (
            self.phi <= roots[0]
            and self.theta_p <= roots[0]
            and self.theta_r <= roots[1]
            and self.varphi <= 1 + MIXTURE_SLACK
        )


@dataclass(frozen=True, eq=False)
class LinearMixtureMDP(Finite):
    """An episodic linear mixture MDP with features that the agent knows.

    Parameters
    ----------
    name : str
    psi : (S, A, S, d1), psi(s, a, s')
    varphi : (S, A, d2)
    theta_p : (H, d1), theta_r : (H, d2), unknown to the agent (liao2021's agents know the rewards)
    initial : (S,), distribution of the first state
    bernoulli : whether a reward is a coin with the given mean (True) or the mean itself (False)
    theta_p_bound, theta_r_bound : what the agent is told about ||theta_p[h]|| and ||theta_r[h]||;
        sqrt(d1) and sqrt(d2) by default, as in the papers
    block_bound : what it is told about the norm of theta_p[h] on one block of :func:`blocks`;
        theta_p_bound by default

    Raises
    ------
    ValueError
        A wrong shape, NaN, features that give no probability vector, a mean reward outside [0, 1],
        a theta longer than its bound.
    """

    name: str
    psi: FloatArray
    varphi: FloatArray
    theta_p: FloatArray
    theta_r: FloatArray
    initial: FloatArray
    bernoulli: bool = True
    theta_p_bound: float = 0.0
    theta_r_bound: float = 0.0
    block_bound: float = 0.0

    def __post_init__(self) -> None:
        psi = array("psi", self.psi, (None, None, None, None))
        states, actions, _, d1 = psi.shape
        array("psi", psi, (states, actions, states, d1))
        varphi = array("varphi", self.varphi, (states, actions, None))
        theta_p = array("theta_p", self.theta_p, (None, d1))
        theta_r = array("theta_r", self.theta_r, (theta_p.shape[0], varphi.shape[2]))
        settle(self, psi=psi, varphi=varphi, theta_p=theta_p, theta_r=theta_r)
        rows = np.einsum("xyzi,hi->hxyz", psi, theta_p)
        require(
            bool((rows >= -MIXTURE_SLACK).all()),
            "psi and theta_p must give probabilities >= 0",
            smallest=float(rows.min()),
        )
        worst = float(rows.sum(axis=-1).flat[int(np.abs(rows.sum(axis=-1) - 1).argmax())])
        require(
            abs(worst - 1) <= MIXTURE_SLACK,
            "psi and theta_p must give rows that sum to 1",
            sum=worst,
        )
        for name, theta, size in (("theta_p", theta_p, d1), ("theta_r", theta_r, varphi.shape[2])):
            stated_bound = real(f"{name}_bound", getattr(self, f"{name}_bound"))  # 0: not told
            bound = positive(f"{name}_bound", stated_bound or math.sqrt(size))
            longest = float(np.linalg.norm(theta, axis=1).max())
            require(
                longest <= bound * (1 + MIXTURE_SLACK),
                f"{name} must have norm <= {name}_bound at every step",
                norm=longest,
                bound=bound,
            )
            settle(self, **{f"{name}_bound": bound})
        block = positive("block_bound", real("block_bound", self.block_bound) or self.theta_p_bound)
        settle(self, block_bound=block)
        longest = max(
            float(np.linalg.norm(theta_p[:, block], axis=1).max()) for block in blocks(psi)
        )
        require(
            longest <= block * (1 + MIXTURE_SLACK),
            "theta_p must have norm <= block_bound on every block of coordinates",
            norm=longest,
            bound=block,
        )
        settle(self, initial=self.tabular().initial)

    @property
    def sizes(self) -> tuple[int, ...]:
        """(H, S, A)."""
        return len(self.theta_p), *self.psi.shape[:2]

    def tabular(self) -> TabularMDP:
        """The same MDP with its transitions and mean rewards as tables: for exact planning and for
        simulation."""
        rows = np.maximum(np.einsum("xyzi,hi->hxyz", self.psi, self.theta_p), 0.0)
        rewards = np.einsum("xyi,hi->hxy", self.varphi, self.theta_r)
        inside = bool((rewards >= -MIXTURE_SLACK).all() and (rewards <= 1 + MIXTURE_SLACK).all())
        require(
            inside,
            "varphi and theta_r must give mean rewards in [0, 1]",
            smallest=float(rewards.min()),
            largest=float(rewards.max()),
        )
        return TabularMDP(
            self.name,
            rows / rows.sum(axis=-1, keepdims=True),
            np.clip(rewards, 0.0, 1.0),
            self.initial,
            self.bernoulli,
        )

    def norms(self) -> Norms:
        """The norms of the papers' assumptions.

        ||phi_V|| is convex in V, so its supremum over the cube is attained at a corner. Features
        that are nowhere negative (or nowhere positive) attain it at V = 1; otherwise the corners
        over the next states of a pair are tried, up to 2^16 of them; beyond, coordinate by
        coordinate, the sum of the entries of one sign bounds it.
        """
        phi = released = 0.0
        exact = True
        for entries in self.psi.reshape(-1, self.states, self.psi.shape[3]):
            used = entries[(entries != 0).any(axis=1)]
            if (used >= 0).all() or (used <= 0).all():
                vectors = used.sum(axis=0)[None]
            elif used.shape[0] <= MOST_CORNERS:
                corners = (np.arange(2 ** used.shape[0])[:, None] >> np.arange(used.shape[0])) & 1
                vectors = corners @ used
            else:
                exact = False
                vectors = np.maximum(
                    np.maximum(used, 0).sum(axis=0), np.maximum(-used, 0).sum(axis=0)
                )[None]
            squares = (vectors**2).sum(axis=1)
            phi = max(phi, math.sqrt(float(squares.max())))
            released = max(
                released, math.sqrt(float(((squares**2 + (vectors**4).sum(axis=1)) / 2).max()))
            )
        varphi, theta_p, theta_r = (
            float(np.linalg.norm(table, axis=-1).max())
            for table in (self.varphi, self.theta_p, self.theta_r)
        )
        return Norms(
            phi, exact, released, varphi, theta_p, theta_r, self.psi.shape[3], self.varphi.shape[2]
        )


def blocks(features: FloatArray) -> list[IntArray]:
    """The finest partition of the coordinates (last axis) such that every pair (s, a) uses
    coordinates of one part only.

    Then all Gram matrices of phi_V are block-diagonal, whatever V. One-hot features have a block
    per pair; features that every pair uses in full have a single block. Coordinates that no pair
    uses are put with the first block.
    """
    size = features.shape[-1]
    # pairs x coordinates
    used = (features.reshape(features.shape[0] * features.shape[1], -1, size) != 0).any(axis=1)
    label = np.arange(size)
    for row in used:
        hit = np.unique(label[row])
        if hit.size > 1:
            label[np.isin(label, hit)] = hit[0]
    touched = used.any(axis=0)
    if touched.any():
        label[~touched] = label[touched].min()
    return [np.flatnonzero(label == value) for value in np.unique(label)]


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
