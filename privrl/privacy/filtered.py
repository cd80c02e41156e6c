"""Exact noise for ``blt``, whose matrices are real: noise on filtered sums, which lie on the grid.

The whole counters of :mod:`privrl.privacy.exact` release A x + B z, and all of it stays on the grid
g. For ``blt`` neither B z nor C x does. So the noise is put where it protects: with x_t what was
added between releases t - 1 and t, released is a function of

    v_t = u_t + z_t,    u_t = C x up to t, in columns, rounded to the grid,

z exact draws of the discrete Gaussian on the grid, and that function is B: (B v)_t, computed in
floating point, since what is computed from private numbers is as private as they. B u is A x but
for roundings of some g, and the noise B z is that of the simulated counter.

**Sensitivity.** c_i = sum_j share_j p_j^i for i >= 1, so u_t is x_t and sum_j share_j p_j s_j, with
buffers s_j that become p_j s_j + x_t. A buffer is kept as a multiple of the grid and a remainder of
at most g/2. With r = 1 - p the product p s is s - r s, and in doubles r s errs by r g / 4 at most,
since s is below 2^51 g (:func:`privrl.privacy.exact.finest_grid`), and by g/8 more where p < 1/2
and r was rounded; the remainder's own roundings are below 2^-51 g. All steps together err by less
than g, and the remainder that is left out of u by another g/2. Shares are positive and sum to less
than 1. Their d products and sums, of terms below 2^51 g, err by d g / 4, and the last rounding by
g/2. So u, in each of two runs, errs by less than (d/4 + 2) g, whatever the inputs were.

Let one user move x_t by d, a multiple of the grid. Before t both runs have the same u; given the
same v so far, u at release r differs by C[r, t] d and at most

    E g,    E = :func:`apart_by` = d / 2 + 4,

in every column that d moves, exactly by d at t itself, and not at all in the others. So draw r is
moved by a multiple of the grid of length at most |C[r, t]| |d / s| + E |g / s|, the latter over the
columns of d alone, which is fixed at time t, and by Minkowski's inequality all draws together by

    mu <= ||C[:, t]||_2 |d / s|_2 + sqrt(R) E |g / s|_2.

:func:`quantisation` is the second term, a small share of the loss, which ``SLACK`` leaves. The rest
is the argument of :mod:`privrl.privacy.exact` for Gaussian draws: moments and, on a fine grid, the
curve.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privrl.checks import array, count, require
from privrl.privacy import exact
from privrl.privacy.counters import blt
from privrl.privacy.counters.mechanisms import FILTERED, counter_cost
from privrl.privacy.rounding import UNIT, up
from privrl.types import FloatArray

MOST_FILTERED_RELEASES = 10**7  # beyond, the grid is too coarse beside one user
SLACK = 2.0**-7  # of the loss, left for the grid under the sums and under the filtered ones


class FilteredNoise(exact.DrawnNoise):
    """The noise of ``blt``, drawn exactly and once, for sums on the grid.

    Parameters
    ----------
    width, releases : W, R; at most ``MOST_FILTERED_RELEASES``
    scale : standard deviation of a draw, one for all sums or (W,)
    grid : g, a power of two, as :func:`privrl.privacy.exact.finest_grid` says for the sum of the
        sizes of all that is ever added to one sum

    Raises
    ------
    ValueError
        A grid so fine that noise would leave 2^52 of it.
    ImportError
        OpenDP is not installed.
    """

    def __init__(self, width: int, releases: int, scale: float | ArrayLike, grid: float) -> None:
        super().__init__()
        self.width, self.releases = count("width", width), most_releases(releases)
        self.scale = exact.scales(scale, self.width)
        self.grid = exact.power_of_two("grid", grid)
        largest = counter_cost("blt", self.releases).largest
        require(
            exact.TAIL_SCALES * float(self.scale.max()) * largest
            <= exact.MOST_GRID_STEPS * self.grid,
            "grid must be >= finest_grid(..)",
            grid=grid,
            scale=float(self.scale.max()),
        )
        exact.opendp()  # before anybody counts on noise that cannot be drawn
        self._design = blt.design(self.releases)
        rows = self._design.buffers
        self._released = 0
        self._before = np.zeros(self.width)  # the sums at the last release
        self._whole = np.zeros((rows, self.width))  # p_j s_j: multiples of the grid
        self._rest = np.zeros((rows, self.width))  # and what is missing, at most g/2
        self._buffers = np.zeros((rows + 1, self.width))  # of B

    @property
    def released(self) -> int:
        return self._released

    def row(self, sums: FloatArray) -> FloatArray:
        """(W,), the noise of the next release: what is added to ``sums``, on the grid, to give what
        is released."""
        with self._alone():
            require(
                self.released < self.releases,
                "a counter serves no more releases than it was made for",
                releases=self.releases,
                asked=self.released + 1,
            )
            # before anything is changed; independent of the data, so that stopping here tells
            # nothing
            draws = exact.drawn("gaussian", self.scale, self.grid, 1, exact.MOST_GRID_STEPS)[0]
            noisy = (self._filtered(array("sums", sums, (self.width,))) + draws)[None]
            design = self._design
            # a release: from here on nothing but what was noisy is read
            blt.noise_rows(noisy, self._buffers, design)
            released = exact.on_grid(noisy[0], self.grid)
            require(
                bool((np.abs(released) <= exact.MOST_GRID_STEPS * self.grid).all()),
                "a release must stay on the grid",
                grid=self.grid,
            )
            self._released += 1
            return np.asarray(released - sums)  # exact: multiples of the grid below 2^53 of it

    def _filtered(self, sums: FloatArray) -> FloatArray:
        """u of the next release, (W,)."""
        fresh, poles = sums - self._before, self._design.poles[:, None]
        total = (self._design.shares[:, None] * self._whole).sum(axis=0)
        self._whole += fresh  # s_j, after this release
        lost = (1 - poles) * self._whole
        lost_whole = exact.on_grid(lost, self.grid)
        self._rest = self._rest * poles + (lost_whole - lost)
        carried = exact.on_grid(self._rest, self.grid)
        self._whole += carried - lost_whole
        self._rest -= carried
        self._before = sums.copy()
        return fresh + exact.on_grid(total, self.grid)

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Go on where :meth:`state` was taken.

        Raises
        ------
        ValueError
            What cannot be the state of such a counter; nothing is changed.
        """
        with self._alone():
            arrays = self._kept()
            released = exact.released_of(
                state, arrays, self.releases, self.grid, loose=("_rest", "_buffers")
            )
            require(
                bool((np.abs(state["_rest"]) <= self.grid / 2).all()),
                "a snapshot's _rest must be below half of the grid",
                grid=self.grid,
            )
            for name, into in arrays.items():
                into[...] = state[name]
            self._released = released

    def _kept(self) -> dict[str, FloatArray]:
        return {
            name: value
            for name, value in vars(self).items()
            if isinstance(value, np.ndarray) and name.startswith("_")
        }


def make(
    counter: str,
    width: int,
    releases: int,
    scale: float | ArrayLike,
    law: str,
    grid: float,
) -> exact.ExactNoise | FilteredNoise:
    """The exact noise of any counter that has one."""
    if exact.exact_counter(counter, law) in FILTERED:
        return FilteredNoise(width, releases, scale, grid)
    return exact.ExactNoise(counter, width, releases, scale, law, grid)


def apart_by(releases: int) -> float:
    """E: by how many g the filtered sums of two runs differ more than C says, at most."""
    return blt.design(releases).buffers / 2 + 4


def quantisation(counter: str, releases: int, scale: FloatArray, grid: float, moved: int) -> float:
    """What the grid under the filtered sums adds to mu, rounded up; nothing for whole counters.

    Parameters
    ----------
    scale : (W,), of the draws
    moved : sums that the replaced episode of one user can change, at most
    """
    if counter not in FILTERED:
        return 0.0
    scales = exact.scales(scale, np.size(scale))
    steps = exact.power_of_two("grid", grid) / np.sort(scales)[: count("moved", moved)]
    length = math.sqrt(math.fsum(steps**2))
    return up(apart_by(releases) * math.sqrt(most_releases(releases)) * length, 64 * UNIT)


def most_releases(releases: int) -> int:
    """``releases`` where a grid is fine enough for them, or ``ValueError``."""
    require(
        count("releases", releases) <= MOST_FILTERED_RELEASES,
        f"releases must be <= {MOST_FILTERED_RELEASES:,} for exact noise over blt",
        releases=releases,
    )
    return int(releases)
