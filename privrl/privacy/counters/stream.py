"""Counters: streams of noise for running sums, which never look at the data.

A counter is asked for blocks of shape (rows, width), however it suits the caller; row i is the
noise of the next release:

    released statistics after episode t = exact running sums after episode t + noise of release t.

Every other module of this folder whose name is that of a mechanism holds one counter, and says
there all that there is to know of it: stream, laws, cost, variance, how its variance grows, whether
it has an exact form and whether an audit can attack it. :mod:`privrl.privacy.counters.mechanisms`
finds them.
"""

import abc
import math
from typing import ClassVar, Literal

import numpy as np
from numba import njit
from numpy.typing import NDArray

from privrl.checks import choice, count, instance, positive, require
from privrl.privacy.counters.matrix import MOST_RELEASES, VARIANCE_SLACK, Cost, union_quantile
from privrl.privacy.levels import levels
from privrl.privacy.trust import Trust
from privrl.types import FloatArray, IntArray

__all__ = [
    "LAWS",
    "MOST_SUMS",
    "Counter",
    "VarianceGrowth",
    "levels",
]
LAWS = ("laplace", "gaussian")
MOST_SUMS = 2**31
#: How the variance of release t is known to the widths of the linear agents: there is none; its
#: largest value alone; it is t; the sum of one weight for each set bit of t; a series of
#: exponentials in t.
VarianceGrowth = Literal["none", "fixed", "each", "bits", "series"]


@njit(cache=True, nogil=True)
def _sign_rows(block: FloatArray, words: NDArray[np.uint64], scale: float) -> None:
    """Exponential draws to Laplace draws, in place: a fair sign each, from one bit each; whole
    words per row."""
    rows, width = block.shape
    position = 0
    for row in range(rows):
        for first in range(0, width, 64):
            bits = words[position]
            position += 1
            for offset in range(min(64, width - first)):
                sign = 1.0 - 2.0 * np.float64((bits >> np.uint64(offset)) & np.uint64(1))
                block[row, first + offset] *= sign * scale


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

    name: ClassVar[str]  #: as on the command line
    summary: ClassVar[str]  #: in a few words
    rank: ClassVar[int]  #: place in lists
    laws: ClassVar[tuple[str, ...]] = LAWS  #: that the draws may have
    #: how its variance grows; no default, so that none is taken for another's
    growth: ClassVar[VarianceGrowth]
    #: relative rounding error of its variances; 0: whole numbers
    slack: ClassVar[float] = VARIANCE_SLACK
    trust: ClassVar[Trust] = "server"  #: that it takes
    #: whether every user adds noise of her own, which no batch shares: a plan is for one user
    each_user: ClassVar[bool] = False
    of_the_papers: ClassVar[bool] = False  #: whether the four papers run over it
    exact: ClassVar[bool] = (
        False  #: whether its matrices are whole, so that noise on a grid stays there
    )
    #: whether exact noise is put on filtered sums (:mod:`privrl.privacy.filtered`)
    filtered: ClassVar[bool] = False
    #: whether an audit can attack it: one draw a release, which the releases determine
    audited: ClassVar[bool]
    #: whether the draw of release t belongs to the dyadic interval that ends at t
    dyadic: ClassVar[bool] = False
    #: whether a release has the noise of all users that it is made of, which hide each other
    batched: ClassVar[bool] = False
    few_rows: ClassVar[bool] = True  #: whether memory grows more slowly than the number of releases

    def __init__(
        self,
        width: int,
        releases: int,
        scale: float,
        rng: np.random.Generator,
        law: str | None = None,
    ) -> None:
        self.width = count("width", width, 1, MOST_SUMS)
        self.releases = count("releases", releases)
        self.scale = positive("scale", scale)
        self.law = self.known_law(self.laws[0] if law is None else law)
        self.rng = instance("rng", rng, np.random.Generator)
        # signs have a generator of their own, so that the stream does not depend on how it is cut
        # into blocks
        self._signs = rng.spawn(1)[0].bit_generator
        self.released = 0
        self._buffer = np.empty((0, self.width))
        self._begin()

    @staticmethod
    def cost(releases: int, law: str) -> Cost:
        """Sensitivity, variances, memory and time of a counter that serves so many releases."""
        raise NotImplementedError("a stream of noise that declares no cost")

    @staticmethod
    def variance(times: NDArray[np.int64], releases: int, law: str) -> FloatArray:
        """Variance of each release in ``times``, in units of the variance of a draw."""
        raise NotImplementedError("a stream of noise that declares no variance")

    @classmethod
    def quantile(cls, beta: float, releases: int, law: str) -> float:
        """An x with P(some release of one sum beyond x) <= beta, in units of the scale of a draw.

        By the union over releases, unless a counter knows better.
        """
        return union_quantile(cls.cost(releases, law), beta)

    @classmethod
    def most_releases(cls, width: int) -> int:
        """How many releases of ``width`` sums it can serve."""
        return MOST_RELEASES

    @classmethod
    def largest_variance(cls, releases: int) -> float:
        """A bound of the variance of every release of Gaussian noise."""
        return cls.cost(releases, "gaussian").largest * (1 + cls.slack)

    @classmethod
    def node_sensitivity(cls, releases: int) -> float:
        """How far (l2) one user moves the Gaussian draws, in units of the change of the sums."""
        if cls.of_the_papers:
            return math.sqrt(cls.nodes(releases))
        return cls.cost(releases, "gaussian").sensitivity

    @classmethod
    def nodes(cls, releases: int) -> int:
        """Draws that one user's data are part of, of a counter in which all of them weigh one."""
        raise NotImplementedError(f"the draws of {cls.name} have weights of their own")

    @classmethod
    def series(cls, releases: int) -> tuple[FloatArray, FloatArray]:
        """Weights and rates of the variance, of a counter whose growth is a ``series``."""
        raise NotImplementedError(f"the variance of {cls.name} is no series")

    @classmethod
    def known_law(cls, law: str) -> str:
        """``law`` where the draws may have it, or ``ValueError``."""
        require(
            choice("law", law, LAWS) in cls.laws,
            f"law must be {cls.laws[0]} for the counter {cls.name}",
            law=law,
        )
        return law

    def _begin(self) -> None:  # noqa: B027  # not all keep something
        """Make what is kept between two releases."""

    def place(self, released: int) -> dict[str, IntArray]:
        """The counter's own whole numbers after so many releases, by names of attributes."""
        return {}

    def block(self, rows: int) -> FloatArray:
        """Noise of the next releases, shape (rows, width); valid until the next call, which
        overwrites it."""
        rows = count("rows", rows)
        require(
            self.released + rows <= self.releases,
            "a counter serves no more releases than it was made for",
            releases=self.releases,
            asked=self.released + rows,
        )
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
