"""Counters: streams of noise for running sums, which never look at the data.

A counter is asked for blocks of shape (rows, width), however it suits the caller; row i is the noise of the next
release:

    released statistics after episode t = exact running sums after episode t + noise of release t.

``none`` is the zero stream. ``local`` is a random walk: every user adds fresh noise to the own contribution. ``tree``
is the binary mechanism (vietri2020/algorithm-5, as meant): at time t one node is drawn, for the dyadic interval that
ends at t and has the length of the lowest set bit of t, and the noise of the release is the sum of the live nodes, one
per set bit of t. The sum without the node just drawn is the release at t with its lowest set bit cleared, so one
addition a release is enough, and log2(releases) rows of memory.
"""

import abc

import numpy as np
from numba import njit

from privrl.types import FloatArray, choice, count, instance, positive, require

LAWS = ("laplace", "gaussian")
COUNTERS = ("none", "local", "tree")
MOST_SUMS = 2**31


def levels(releases: int) -> int:
    """Nodes that one item can touch, and live nodes at most, in a tree with that many releases: floor(log2) + 1."""
    return count("releases", releases).bit_length()


@njit(cache=True, nogil=True)
def _sign_rows(block, words, scale):  # type: ignore[no-untyped-def]  # numba infers the types
    """Exponential draws to Laplace draws, in place: a fair sign each, from one bit each; whole words per row."""
    rows, width = block.shape
    position = 0
    for row in range(rows):
        for first in range(0, width, 64):
            bits = words[position]
            position += 1
            for offset in range(min(64, width - first)):
                sign = 1.0 - 2.0 * np.float64((bits >> np.uint64(offset)) & np.uint64(1))
                block[row, first + offset] *= sign * scale


@njit(cache=True, nogil=True)
def _tree_rows(block, stack, start):  # type: ignore[no-untyped-def]
    """Node draws to noise of releases start, start + 1, ..; ``stack[j]`` is the release that ended at level j."""
    rows, width = block.shape
    for row in range(rows):
        time = start + row
        low = 0
        while not (time >> low) & 1:
            low += 1
        above = low + 1
        while above < stack.shape[0] - 1 and not (time >> above) & 1:
            above += 1
        # the last row of the stack stays zero: it stands for "no set bit above"
        parent = above if (time >> above) & 1 == 1 else stack.shape[0] - 1
        if parent < stack.shape[0] - 1:
            for column in range(width):
                block[row, column] += stack[parent, column]
        if low > 0:  # level 0 is never the parent of a later release
            for column in range(width):
                stack[low, column] = block[row, column]


@njit(cache=True, nogil=True)
def _walk_rows(block, last):  # type: ignore[no-untyped-def]
    """Fresh draws to their running sums, in place."""
    rows, width = block.shape
    for row in range(rows):
        for column in range(width):
            last[column] += block[row, column]
            block[row, column] = last[column]


class Counter(abc.ABC):
    """A stream of noise for ``width`` running sums.

    Parameters
    ----------
    width : number of running sums
    releases : number of releases that the stream must serve
    scale : Laplace scale, or standard deviation of the Gaussian, of one draw
    rng : generator, consumed
    law : ``laplace`` or ``gaussian``; by default the first that the counter can have
    """

    name: str
    laws: tuple[str, ...] = LAWS  #: that the draws may have

    def __init__(self, width: int, releases: int, scale: float, rng: np.random.Generator,
                 law: str | None = None) -> None:
        self.width = count("width", width, 1, MOST_SUMS)
        self.releases = count("releases", releases)
        self.scale = positive("scale", scale)
        self.law = self.known_law(self.laws[0] if law is None else law)
        self.rng = instance("rng", rng, np.random.Generator)
        # signs have a generator of their own, so that the stream does not depend on how it is cut into blocks
        self._signs = rng.spawn(1)[0].bit_generator
        self.released = 0
        self._buffer = np.empty((0, self.width))
        self._begin()

    @classmethod
    def known_law(cls, law: str) -> str:
        """``law`` where the draws may have it, or ``ValueError``."""
        require(choice("law", law, LAWS) in cls.laws, f"law must be {cls.laws[0]} for the counter {cls.name}", law=law)
        return law

    def _begin(self) -> None:  # noqa: B027  # not all keep something
        """Make what is kept between two releases."""

    def block(self, rows: int) -> FloatArray:
        """Noise of the next releases, shape (rows, width); valid until the next call, which overwrites it."""
        rows = count("rows", rows)
        require(self.released + rows <= self.releases, "a counter serves no more releases than it was made for",
                releases=self.releases, asked=self.released + rows)
        block = self._sums(rows)
        self.released += rows
        return block

    def _draws(self, rows: int) -> FloatArray:
        if self._buffer.shape[0] < rows:
            self._buffer = np.empty((rows, self.width))
        block = self._buffer[:rows]
        if self.law == "laplace":
            self.rng.standard_exponential(out=block)
            _sign_rows(block, self._signs.random_raw(rows * -(-self.width // 64)), self.scale)
        else:
            self.rng.standard_normal(out=block)
            block *= self.scale
        return block

    @abc.abstractmethod
    def _sums(self, rows: int) -> FloatArray: ...


class NoneCounter(Counter):
    """No noise: the base agents run on exact sums."""

    name = "none"

    def _sums(self, rows: int) -> FloatArray:
        if self._buffer.shape[0] < rows:
            self._buffer = np.zeros((rows, self.width))
        return self._buffer[:rows]


class LocalCounter(Counter):
    """A random walk: the noise that every user has added so far."""

    name = "local"

    def _begin(self) -> None:
        self._last = np.zeros(self.width)

    def _sums(self, rows: int) -> FloatArray:
        block = self._draws(rows)
        _walk_rows(block, self._last)
        return block


class TreeCounter(Counter):
    """The binary mechanism: one new node a release, one live node per set bit of the time."""

    name = "tree"

    def _begin(self) -> None:
        self._stack = np.zeros((levels(self.releases) + 1, self.width))

    def _sums(self, rows: int) -> FloatArray:
        block = self._draws(rows)
        _tree_rows(block, self._stack, self.released + 1)
        return block
