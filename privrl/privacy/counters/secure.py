"""The binary mechanism whose noise its users share: nobody is trusted with the sums, and a secure
sum adds up each node.

A node of the tree is the sum over its n = 2^j users, and a secure sum hands out that sum alone. So
each user adds a share of the node's noise to what she hands in, and the node holds as much noise as
its honest users have put there. Of what can go wrong:

- **dishonest users** put no noise, or know it. ``HONEST_OF_NODE``, here h, is assumed of every
  node: of its n users at least floor(h n) add their shares and tell nobody. Who can send many users
  one after another breaks it;
- **drop-outs** take their contribution and their share along. How many there are is seen, and
  beyond :func:`tolerated` of them the node is aborted: its sum is not handed out, and the stream
  ends with a ``RuntimeError``. At a rate of ``DROPOUTS``, independently, no node of a stream is
  aborted but with probability ``ABORTED``.

Where d have dropped out, max(1, floor(h n) - d) honest shares are left: the user who is to be
protected adds hers wherever she is in the sum. Shares that are made for as many drop-outs as are
tolerated would have too much noise where fewer drop out, so **a share comes in parts**
(:class:`Rung`): the parts up to the k-th have the variance scale^2 / m_k together, where m_k honest
shares are left of a node with d_k drop-outs. The secure sum adds up, beside the contributions, the
first parts only: up to the first k with d <= d_k. So the noise that nobody knows has the variance
of a tree's node at least: the privacy is the tree's. The noise of the node has (n - d) / m_k times
that. (Kairouz, Liu and Steinke 2021 share noise under a secure sum; Jiang, Wang and Chen 2024,
*Dordis*, take off what is too much when the drop-outs are known.)

A stream draws twice a release: what is counted on, of variance 1, and what those add who are there
beside. Its exact form are the devices of :mod:`privrl.privacy.shares`. Gaussian draws only.
"""

import functools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privrl.checks import count
from privrl.privacy.counters import bits
from privrl.privacy.counters.matrix import Cost
from privrl.privacy.counters.stream import Counter, levels
from privrl.privacy.counters.tree import add_nodes
from privrl.privacy.rounding import UNIT, up
from privrl.types import FloatArray

HONEST_OF_NODE = 0.9  # of the users of every node
DROPOUTS = 0.05  # of the users of a node, on average
ABORTED = 1e-6  # probability that some node of a stream is aborted at that rate
PARTS = 9  # of a share, at most


class Rung(NamedTuple):
    """What a node's noise is made for: so many drop-outs, and the honest shares that are left."""

    dropped: int  #: d_k, at most
    shares: int  #: m_k, counted on


def tolerated(users: int, releases: int) -> int:
    """The drop-outs in a node of so many users with which its sum is still handed out.

    Chernoff: P(at least k of n drop out) <= exp(-n KL(k/n, DROPOUTS)). All nodes of that size have
    an equal share of ``ABORTED``, whatever the size.
    """
    count("users", users)
    nodes = max(releases // users, 1)
    most = math.log(nodes * levels(releases)) - math.log(ABORTED)
    low, high = math.ceil(users * DROPOUTS), users
    while low < high:
        middle = (low + high) // 2
        if _surprise(middle + 1, users) >= most:
            high = middle
        else:
            low = middle + 1
    return low


def _surprise(dropped: int, users: int) -> float:
    """n KL(k/n, DROPOUTS), infinite beyond n."""
    if dropped > users:
        return math.inf
    share = dropped / users
    rest = (1 - share) * math.log((1 - share) / (1 - DROPOUTS)) if dropped < users else 0.0
    return users * (share * math.log(share / DROPOUTS) + rest)


@functools.lru_cache(maxsize=1024)
def rungs(users: int, releases: int) -> tuple[Rung, ...]:
    """One for each part of a share: drop-outs ascending to :func:`tolerated`, shares descending."""
    honest = math.floor(users * HONEST_OF_NODE * (1 - UNIT))
    most = tolerated(users, releases)
    dropped = {-(-most * step // (PARTS - 1)) for step in range(PARTS)}
    # of equal numbers of shares, the one that is made for most drop-outs
    by_shares = {max(1, honest - number): number for number in sorted(dropped)}
    return tuple(Rung(number, shares) for shares, number in by_shares.items())


def excess(users: int, releases: int) -> float:
    """Variance of the noise of a node of so many users over that of a tree's, at most."""
    fewest = 0  # drop-outs for which a rung is the first
    times = []
    for rung in rungs(users, releases):
        times.append((users - fewest) / rung.shares)
        fewest = rung.dropped + 1
    return max(times)


def _excess(releases: int) -> FloatArray:
    """(L,), of the nodes of each level."""
    return np.array([excess(2**level, releases) for level in range(levels(releases))])


class SecureCounter(Counter):
    """A tree, and beside each node what more is in it."""

    name = "secure"
    summary = "binary mechanism, noise of its users under a secure sum"
    rank = 8
    growth = "bits"
    trust = "secure"
    each_user = True
    audited = False
    dyadic = True
    laws = ("gaussian",)

    def _begin(self) -> None:
        height = levels(self.releases)
        self._stack = np.zeros((height + 1, self.width))
        # (L, P) each; the last rung again where a level has fewer than the most
        ladders = [rungs(2**level, self.releases) for level in range(height)]
        longest = max(map(len, ladders))
        ladders = [ladder + ladder[-1:] * (longest - len(ladder)) for ladder in ladders]
        self._dropped = np.array([[rung.dropped for rung in ladder] for ladder in ladders])
        self._shares = np.array([[rung.shares for rung in ladder] for ladder in ladders])
        self._there = self.rng.spawn(1)[0]  # who drops out does not depend on the cut into blocks

    def _sums(self, rows: int) -> FloatArray:
        drawn = self._draws(2 * rows)
        block = np.ascontiguousarray(drawn[::2])
        block += np.sqrt(self._beside(rows))[:, None] * drawn[1::2]
        add_nodes(block, self._stack, self.released + 1)
        return block

    def _beside(self, rows: int) -> FloatArray:
        """Shares in the next nodes beside those that are counted on, over these."""
        times = np.arange(self.released + 1, self.released + rows + 1)
        users = times & -times
        level = np.log2(users).astype(np.int64)
        dropped = self._there.binomial(users, DROPOUTS)
        for place in np.flatnonzero(dropped > self._dropped[level, -1]):
            handed_out(int(users[place]), int(dropped[place]), self.releases)
        rung = (dropped[:, None] > self._dropped[level]).sum(axis=1)
        return np.asarray(np.maximum((users - dropped) / self._shares[level, rung] - 1, 0.0))

    @staticmethod
    def variance(times: NDArray[np.int64], releases: int, law: str = "gaussian") -> FloatArray:
        """Of each release in ``times``, at most, whoever drops out."""
        return bits.variances(times, _excess(releases))

    @staticmethod
    def cost(releases: int, law: str = "gaussian") -> Cost:
        """The tree's sensitivity; variances at most, whoever drops out."""
        each, height = _excess(releases), levels(releases)
        variances, numbers = bits.groups(releases, each)
        return Cost(
            "gaussian",
            up(math.sqrt(height), 64 * UNIT),
            bits.largest(releases, each),
            math.fsum(each[j] * bits.with_bit(releases, j) for j in range(height)) / releases,
            variances,
            numbers,
            height + 1,
            3.0,
        )


def handed_out(users: int, dropped: int, releases: int) -> int:
    """How many parts of the shares stay in a node's sum when it is handed out.

    Raises
    ------
    RuntimeError
        More have dropped out than the noise was made for. One user alone who is not there has
        nothing in the sum.
    """
    ladder = rungs(users, releases)
    most = ladder[-1].dropped
    if dropped > most:
        raise RuntimeError(
            f"a secure sum must have at most {most} drop-outs of {users}, got dropped={dropped}: "
            "its sum is not handed out"
        )
    return 1 + sum(dropped > rung.dropped for rung in ladder)
