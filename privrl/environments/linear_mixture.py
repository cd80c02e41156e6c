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

from privrl.checks import array, positive, real, require, settle
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
