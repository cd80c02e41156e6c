"""Exact noise for ``secure``: what a user hands to the secure sums of her nodes, what comes out.

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
from numpy.typing import ArrayLike

from privrl.checks import array, count, instance, positive, require, settle
from privrl.privacy import accounting, exact
from privrl.privacy.counters import secure
from privrl.privacy.counters.mechanisms import counter_cost
from privrl.privacy.once import Once
from privrl.privacy.rounding import UNIT, down, up
from privrl.types import Budget, FloatArray, Guarantee

COUNTER = "secure"
#: Level of a node -> (P, W), the parts of a share of noise, the first with the contribution.
Message = dict[int, FloatArray]


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
        require(
            exact._near(self.epsilon, self.delta, self.apart),
            "users must be fewer: the grid is not fine enough for their shares",
            users=self.users,
        )

    @cached_property
    def scale(self) -> float:
        """Standard deviation of a node's noise, as far as it is counted on."""
        mu = accounting.gaussian_mu(self.epsilon, down(self.delta * (1 - exact.LOSS_SLACK)))
        return up(self._sensitivity * (self.change + self._moved) / mu, 64 * UNIT)

    @cached_property
    def grid(self) -> float:
        """g: the noise of all users, and what they hand in, stay below 2^52 of it."""
        rough = 2 * self._sensitivity * self.change
        rough /= accounting.gaussian_mu(self.epsilon, self.delta)
        noisy = math.fsum(
            2**level * float(_deviations(level, self.users).sum())
            for level in range(self.users.bit_length())
        )
        most = self.users * self.norm + exact.TAIL_SCALES * rough * noisy
        return exact.power_of_two(
            "grid", 2.0 ** math.ceil(math.log2(up(most / exact.MOST_GRID_STEPS)))
        )

    @property
    def guarantee(self) -> Guarantee:
        """For every user who follows the protocol, rounded up."""
        mu = up(self._sensitivity * (self.change + self._moved) / self.scale, 32 * UNIT)
        share = down(self.delta * (1 - exact.LOSS_SLACK))
        return Guarantee(accounting.gaussian_epsilon(share, mu), self.delta)

    @property
    def apart(self) -> float:
        """Total variation between all noise that is counted on and rounded continuous noise,
        rounded up."""
        grained = exact.apart(self.users, self.scale, self.grid, self.width)
        summed = math.expm1(min(self.distance, 1.0)) if self.distance < 1 else 1.0
        return min(1.0, up(grained + summed, 64 * UNIT))

    @property
    def distance(self) -> float:
        """How far the logarithms of the two laws are apart, draws of all nodes together."""
        return math.fsum(
            (self.users >> level)
            * self.width
            * distance(_summands(level, self.users), float(self.parts(level).min()) / self.grid)
            for level in range(self.users.bit_length())
        ) * (1 + 64 * UNIT)

    def parts(self, level: int) -> FloatArray:
        """(P,), standard deviations of the parts of a user's share in a node of that level."""
        return np.asarray(self.scale * _deviations(level, self.users) * (1 + 16 * UNIT))

    @property
    def _sensitivity(self) -> float:
        return counter_cost(COUNTER, self.users, "gaussian").sensitivity

    @property
    def _moved(self) -> float:
        """What rounding of contributions adds to a change."""
        return up(self.grid * math.sqrt(self.width))


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


class SharedDevice(Once):
    """A user's own device: her contribution with a share of noise for each of her nodes, once."""

    def __init__(self, plan: SharedPlan, user: int) -> None:
        super().__init__()
        self.plan = instance("plan", plan, SharedPlan)
        self.user = count("user", user)
        require(user <= plan.users, "user must be <= users", user=user, users=plan.users)
        exact.opendp()
        self._sent: Message | None = None

    def message(self, contribution: ArrayLike) -> Message:
        """What is handed to the secure sums; asked for again, the same again."""
        plan = self.plan
        row = array("contribution", contribution, (plan.width,))
        require(
            bool((np.abs(row) <= plan.norm).all()),
            "a contribution's entries must be <= norm",
            norm=plan.norm,
        )
        with self._alone():
            if self._sent is None:
                hidden = exact.on_grid(row, plan.grid)
                self._sent = {level: self._parts(level) for level in nodes(self.user, plan.users)}
                for parts in self._sent.values():
                    parts[0] += hidden
            return {level: parts.copy() for level, parts in self._sent.items()}

    def _parts(self, level: int) -> FloatArray:
        """(P, W), a share of noise."""
        grid, width = self.plan.grid, self.plan.width
        deviations = self.plan.parts(level)
        draws = [exact.sample("gaussian", deviation / grid, width) for deviation in deviations]
        return grid * np.array(draws)


class SecureSums:
    """Ideal secure sums, and the tree over what they hand out: it stands for a protocol.

    Users come in order, 1, 2, ..; each node takes one share of each of its users, and its sum is
    handed out when the last of them has had her turn, with the parts of noise that the drop-outs
    call for, or never.
    """

    def __init__(self, plan: SharedPlan) -> None:
        self.plan = instance("plan", plan, SharedPlan)
        self.users = 0  #: who have had their turn
        height = plan.users.bit_length()
        self._open = [np.zeros((plan.parts(level).size, plan.width)) for level in range(height)]
        self._there = np.zeros(height, dtype=np.int64)
        self._handed_out: dict[int, FloatArray] = {}  # by level, those that a release is made of

    def turn(self, user: int, message: Message) -> FloatArray:
        """The noisy sums of all users so far, (W,), after the turn of ``user``.

        ``message`` : of her device; a node that is not in it is one that she dropped out of

        Raises
        ------
        ValueError
            Not her turn, or parts of nodes that she is not in; nothing is counted.
        RuntimeError
            A node has too few users who are there. The tree ends here.
        """
        require(
            user == self.users + 1 <= self.plan.users,
            f"user must be {self.users + 1}, the next one",
            user=user,
        )
        mine = nodes(user, self.plan.users)
        require(set(message) <= set(mine), "a message must be for her nodes", levels=list(message))
        shares = {
            level: array("message", share, self._open[level].shape)
            for level, share in message.items()
        }
        for share in shares.values():
            within = bool((np.abs(share) <= exact.MOST_GRID_STEPS * self.plan.grid).all())
            on_it = bool((exact.on_grid(share, self.plan.grid) == share).all())
            require(within and on_it, "a message must be on the grid", grid=self.plan.grid)
        for level, share in shares.items():
            self._open[level] += share
            self._there[level] += 1
        self.users = user
        level = (user & -user).bit_length() - 1  # of the node that ends here
        size = 2**level
        parts = secure.handed_out(size, size - int(self._there[level]), self.plan.users)
        total = self._open[level][:parts].sum(axis=0)
        require(
            bool((np.abs(total) <= exact.MOST_GRID_STEPS * self.plan.grid).all()),
            "a sum must stay on the grid",
            grid=self.plan.grid,
        )
        self._open[level][:] = 0.0
        self._there[level] = 0
        self._handed_out = {
            above: kept for above, kept in self._handed_out.items() if above > level
        } | {level: total}
        return np.asarray(np.sum(list(self._handed_out.values()), axis=0))
