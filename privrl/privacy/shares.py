"""Exact noise for ``secure``: the shares of users, and what their sum guarantees.

All are multiples of a grid g = 2^-k (:mod:`privrl.privacy.exact`), so that a secure sum, which adds
whole numbers modulo one that is larger than any sum, loses nothing. Each part of a share is an
exact draw of the discrete Gaussian, and the parts up to the k-th have the variance scale^2 / m_k
together, m_k honest shares being counted on (:mod:`privrl.privacy.counters.secure`).

**The law of a sum of draws.** Of discrete Gaussians X, Y with variances a, b, in units of g,

    P(X + Y = z) ~ exp(-z^2 / (2(a + b))) sum_x exp(-(x - c)^2 / (2 v)), v = ab / (a + b),

with c = az / (a + b), and by Poisson summation the sum over x is sqrt(2 pi v) (1 + r), |r| <=
theta = 2 sum_(i >= 1) exp(-2 pi^2 v i^2), whatever c is. So the law is that of one discrete
Gaussian of variance a + b, but for factors within (1 + theta) / (1 - theta) of one. As v is at
least half of the smaller variance, every draw that is added has v >= s^2 / 2 with s the least
deviation of a draw, and the logarithms add up over draws, sums and nodes (:func:`distance`); more
noise, of more shares, is post-processing. With s of 4 grid units and more it is below 1e-60, and it
is accounted: the total variation that it allows is added to that of
:func:`privrl.privacy.exact.apart`.
"""

import itertools
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privrl.checks import count, positive, require, settle
from privrl.privacy import accounting, exact
from privrl.privacy.counters import secure
from privrl.privacy.counters.mechanisms import counter_cost
from privrl.privacy.rounding import UNIT, down, up
from privrl.types import Budget, FloatArray, Guarantee, IntArray

COUNTER = "secure"
#: Level of a node -> (P, W), the parts of a share of noise in grid units, the first with the
#: contribution.
Message = dict[int, IntArray]


@dataclass(frozen=True, eq=False)
class Sharing:
    """What devices, secure sums and server agree on.

    Parameters
    ----------
    users : each is followed by a release
    scale : (W,), standard deviations of a node's noise, as far as it is counted on
    grid : g; the noise of all users, and what they hand in, stay below 2^52 of it
        (:func:`finest_grid`)
    norm : the largest entry of a contribution, in absolute value
    """

    users: int
    scale: FloatArray
    grid: float
    norm: float

    @property
    def width(self) -> int:
        """W, sums that are kept."""
        return self.scale.size

    @property
    def levels(self) -> int:
        """L, of the tree."""
        return self.users.bit_length()

    def parts(self, level: int) -> FloatArray:
        """(P, W), standard deviations of the parts of a user's share in a node of that level."""
        return np.outer(_deviations(level, self.users) * (1 + 16 * UNIT), self.scale)

    def handed_out(self, user: int, dropped: int) -> int:
        """How many parts of the shares a secure sum adds up in the node that ends with user 1, 2,
        .., of whose users so many have dropped out; ``RuntimeError`` where they are too many."""
        size = user & -user
        return secure.handed_out(size, count("dropped", dropped, 0), self.users)

    @property
    def rounding(self) -> float:
        """What rounding of contributions adds to mu, rounded up."""
        steps = self.grid / self.scale
        return up(sensitivity(self.users) * math.sqrt(math.fsum(steps**2)), 64 * UNIT)

    @property
    def apart(self) -> float:
        """Total variation between all noise that is counted on and rounded continuous noise,
        rounded up."""
        grained = exact.apart(self.users, self.scale, self.grid, self.width)
        summed = math.expm1(min(self.distance, 1.0)) if self.distance < 1 else 1.0
        return min(1.0, up(grained + summed, 64 * UNIT))

    @cached_property
    def distance(self) -> float:
        """How far the logarithms of the two laws are apart, draws of all nodes together."""
        return math.fsum(
            (self.users >> level)
            * self.width
            * distance(_summands(level, self.users), float(self.parts(level).min()) / self.grid)
            for level in range(self.levels)
        ) * (1 + 64 * UNIT)


@dataclass(frozen=True)
class SharedPlan:
    """What users and server agree on, and what it guarantees.

    Parameters
    ----------
    width : W, sums that are kept
    users : each may be followed by a release
    change : how far (l2) one user can move a contribution
    norm : the largest entry of a contribution, in absolute value
    epsilon, delta : of all releases together
    """

    width: int
    users: int
    change: float
    norm: float
    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        settle(
            self,
            **{name: count(name, getattr(self, name)) for name in ("width", "users")},
            **{name: positive(name, getattr(self, name)) for name in ("change", "norm")},
            **vars(Budget(self.epsilon, self.delta)),
        )
        require(self.delta > 0, "delta must be > 0 for Gaussian noise", delta=self.delta)
        require(
            self._moved <= self.change / 100,
            "users and width must be less: no grid holds their sums and is fine beside the change",
            users=self.users,
            width=self.width,
        )
        _fine(self.epsilon, self.delta, self.sharing.apart)

    @cached_property
    def scale(self) -> float:
        """Standard deviation of a node's noise, as far as it is counted on."""
        mu = accounting.gaussian_mu(self.epsilon, down(self.delta * (1 - exact.LOSS_SLACK)))
        return up(self._sensitivity * (self.change + self._moved) / mu, 64 * UNIT)

    @cached_property
    def grid(self) -> float:
        """g of :class:`Sharing`."""
        rough = 2 * self._sensitivity * self.change
        rough /= accounting.gaussian_mu(self.epsilon, self.delta)
        return finest_grid(self.users, rough, self.norm)

    @cached_property
    def sharing(self) -> Sharing:
        """What devices and server need of it."""
        return Sharing(self.users, np.full(self.width, self.scale), self.grid, self.norm)

    @property
    def guarantee(self) -> Guarantee:
        """For every user who follows the protocol, rounded up."""
        mu = up(self._sensitivity * (self.change + self._moved) / self.scale, 32 * UNIT)
        return Guarantee(exact_epsilon(mu, self.delta, self.sharing.apart), self.delta)

    @property
    def _sensitivity(self) -> float:
        return sensitivity(self.users)

    @property
    def _moved(self) -> float:
        """What rounding of contributions adds to a change."""
        return up(self.grid * math.sqrt(self.width))


def draws(users: int) -> float:
    """Draws of a user on a sum, parts of all her nodes, on average over users."""
    total = sum(
        ((users >> level) + 1) // 2 * 2**level * _deviations(level, users).size
        for level in range(users.bit_length())
    )
    return float(total / users)


def sensitivity(users: int) -> float:
    """How far a unit change of one user moves the draws of all nodes, in l2."""
    return float(counter_cost(COUNTER, users, "gaussian").sensitivity)


def finest_grid(users: int, scale: float, norm: float) -> float:
    """The smallest g = 2^k with the noise of all users, of that largest ``scale`` of a node, and
    their contributions of entries up to ``norm``, within 2^52 g."""
    noisy = math.fsum(
        2**level * float(_deviations(level, users).sum()) for level in range(users.bit_length())
    )
    most = users * positive("norm", norm) + exact.TAIL_SCALES * positive("scale", scale) * noisy
    return exact.power_of_two("grid", 2.0 ** math.ceil(math.log2(up(most / exact.MOST_GRID_STEPS))))


def exact_epsilon(size: float, delta: float, apart: float) -> float:
    """Epsilon of shared noise whose loss mu is ``size``, rounded up, or ``ValueError`` where a grid
    so coarse gives none.

    ``apart`` : :attr:`Sharing.apart`
    """
    epsilon = accounting.gaussian_epsilon(down(delta * (1 - exact.LOSS_SLACK)), size)
    _fine(epsilon, delta, apart)
    return epsilon


def _fine(epsilon: float, delta: float, apart: float) -> None:
    require(
        exact._near(epsilon, delta, apart),
        "users must be fewer: the grid is not fine enough for their shares",
        apart=apart,
    )


def _deviations(level: int, users: int) -> FloatArray:
    """(P,), of the parts of a share, in units of the scale: their squares up to the k-th add up to
    1 / m_k."""
    counted_on = [rung.shares for rung in secure.rungs(2**level, users)]
    later = [
        math.sqrt((more - fewer) / (more * fewer)) for more, fewer in itertools.pairwise(counted_on)
    ]
    return np.array([1 / math.sqrt(counted_on[0]), *later])


def _summands(level: int, users: int) -> int:
    """Draws that are counted on in a node of that level, at most."""
    ladder = secure.rungs(2**level, users)
    return max(parts * rung.shares for parts, rung in enumerate(ladder, start=1))


def distance(summands: int, deviation: float) -> float:
    """Bound of |ln P(sum of draws = z) - ln P(one discrete Gaussian = z)|, rounded up; infinite
    for draws of less than half a grid unit.

    ``deviation`` : of a draw at least, in units of the grid
    """
    summands, deviation = count("summands", summands), positive("deviation", deviation)
    if summands == 1:
        return 0.0
    if deviation < 0.5:
        return math.inf
    least = down((math.pi * deviation) ** 2, 16 * UNIT)  # 2 pi^2 v at v = s^2 / 2
    term = up(math.exp(-least), 16 * UNIT + 4 * UNIT * least)
    theta = up(2 * term / (1 - term))
    return up((summands - 1) * 2 * math.atanh(min(theta, 1 - 2 * UNIT)), 64 * UNIT)


def nodes(user: int, users: int) -> dict[int, int]:
    """The nodes that user 1, 2, .. is in: level -> the user after whom it is handed out."""
    ends = {}
    for level in range(users.bit_length()):
        block = (user - 1) >> level
        end = (block + 1) << level
        if block % 2 == 0 and end <= users:
            ends[level] = end
    return ends
