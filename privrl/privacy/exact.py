"""Exact noise on a grid: draws for real people, from exact samplers and the system's generator.

Floating-point noise has gaps and last bits that tell contributions apart (Mironov 2012); it is for
simulation. Here contributions, noise and all sums are multiples of a grid g = 2^-k below 2^53 g,
where floating-point addition is exact, and draws are exact samples, without a seed, (Laplace: of
the library OpenDP; Gaussian: :mod:`privrl.privacy.discrete_gaussian`) of the discrete laws

    Laplace:   P(z) ~ exp(-|z| / s),        z in g Z,
    Gaussian:  P(z) ~ exp(-z^2 / (2 s^2)),  z in g Z,

with a scale s for every column. Here are the counters whose matrices are whole (``WHOLE``): the
releases are A x + B z = B (C x + z) as in :mod:`privrl.privacy.counters.matrix`, and with B and C
whole numbers all stays on the grid. The others weigh draws by real numbers; of them ``blt`` has
exact noise in :mod:`privrl.privacy.filtered`.

**Laplace.** Let a user move the sums by d(t) in (g Z)^W. As there, the run with draws z - C[:, t] d
releases the same; that map is one to one on the grid, and probabilities change by a factor of
exp(||C[:, t]||_1 sum_i |d_i| / s_i) at most: the very epsilon of the continuous law, adaptive
inputs included.

**Gaussian.** A shift by a multiple of the grid moves the discrete Gaussian by at most alpha d^2 /
(2 s^2) in Renyi divergence of every order alpha (Canonne, Kamath and Steinke 2020, proposition 5),
as the continuous one. EXACT Gaussian counters draw once a release, and the releases determine the
draws; given the past, draw r is moved by C[r, t] d with a d that was fixed at time t, so the
divergences add up to alpha mu^2 / 2 with mu^2 = ||C[:, t]||_2^2 sum_i (d_i / s_i)^2: it is rho-zCDP
with rho = mu^2 / 2, and epsilon is by their corollary 13.

On a fine grid less is needed. Continuous noise, rounded to the grid, is post-processing of the
continuous mechanism, since C x lies on the grid: its curve is that of the Gaussian mechanism. With
f(x) = exp(-x^2 / 2) and h = g / s <= 1, a cell of width h about x holds h f(x) but for h^3 / 24
times the largest second derivative in it; all cells together miss by at most h^2 / 24 times the
integrals of the second and, times h, of the third derivative: less than 0.26 h^2, so that the
rounded and the discrete law are at most h^2 / 9 apart in total variation. With tau the sum over all
draws (:func:`apart`), delta grows by (1 + e^epsilon) tau, for which the share ``LOSS_SLACK`` of it
is kept; a usual tau is 1e-15.

**Rounding.** Contributions are rounded to the nearest multiples of g, which moves each by g/2 at
most, and so a user's change by g in every column: ``rounding`` is what that adds to the loss.

:func:`nominal_epsilon` is what to ask of an agent that is calibrated for continuous noise,
:func:`exact_epsilon` what exact noise with the agent's scales then gives.
"""

import functools
import math
from collections.abc import Callable, Collection
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privrl.checks import array, choice, count, positive, probability, real, require
from privrl.extras import needed
from privrl.privacy import accounting, discrete_gaussian, snapshot
from privrl.privacy.counters.mechanisms import (
    COUNTER_CLASSES,
    EXACT,
    FILTERED,
    MECHANISMS,
    WHOLE,
    counter_cost,
    laws,
)
from privrl.privacy.counters.stream import Counter
from privrl.privacy.once import Once
from privrl.privacy.rounding import UNIT, down, up
from privrl.types import FloatArray

MOST_GRID_STEPS = 2.0**52  # of noise, and of sums, in units of the grid: their sum is exact
TAIL_SCALES = 128.0  # scales that no draw exceeds, but with probability 2 exp(-128)
# of the loss, left for rounding; and of delta, left for the distance from rounded continuous noise
LOSS_SLACK = 2.0**-10


class DrawnNoise(Once):
    """Exact noise of a stream, drawn once."""

    @property
    def released(self) -> int:
        """Rows handed out so far."""
        raise NotImplementedError

    def state(self) -> dict[str, NDArray[Any]]:
        """Copies of all that the next rows depend on; as secret as the data."""
        return {"released": np.array(self.released)} | {
            name: array_.copy() for name, array_ in self._kept().items()
        }

    def _kept(self) -> dict[str, NDArray[Any]]:
        """The arrays that the next rows depend on, by name."""
        raise NotImplementedError


class ExactNoise(DrawnNoise):
    """The stream of noise of a counter, drawn exactly and once.

    Parameters
    ----------
    counter : one of ``WHOLE``
    width, releases : W, R
    scale : Laplace scale or standard deviation of a draw, one for all sums or (W,)
    law : ``laplace`` or ``gaussian``
    grid : g, a power of two; :func:`finest_grid` knows the smallest

    Raises
    ------
    ValueError
        A counter without exact form; a law that it cannot have; a grid so fine that sums would
        leave 2^53 of it.
    ImportError
        OpenDP is not installed.
    """

    def __init__(
        self,
        counter: str,
        width: int,
        releases: int,
        scale: float | ArrayLike,
        law: str,
        grid: float,
    ) -> None:
        super().__init__()
        self.counter, self.law = exact_counter(counter, law), law
        choice("counter", counter, WHOLE)
        self.width, self.releases = count("width", width), count("releases", releases)
        self.scale = scales(scale, self.width)
        self.grid = power_of_two("grid", grid)
        self._most = math.floor(MOST_GRID_STEPS / counter_cost(counter, releases, law).largest)
        require(
            TAIL_SCALES * float(self.scale.max()) <= self._most * self.grid,
            "grid must be >= finest_grid(..)",
            grid=grid,
            scale=float(self.scale.max()),
        )
        opendp()  # before anybody counts on noise that cannot be drawn
        kind: type[Counter] = type(
            "Whole", (COUNTER_CLASSES[counter],), {"_draws": lambda stream, rows: self._draws(rows)}
        )
        # the generator is there because a simulated counter has one; nothing is drawn from it
        self._inner = kind(self.width, self.releases, 1.0, np.random.default_rng(0), law)

    def block(self, rows: int) -> FloatArray:
        """Noise of the next releases, (rows, W), multiples of the grid; valid until the next
        call."""
        with self._alone():
            return self._inner.block(rows)

    def row(self, sums: FloatArray) -> FloatArray:
        """(W,), the noise of the next release, which does not depend on the sums."""
        return np.asarray(self.block(1)[0])

    @property
    def released(self) -> int:
        return self._inner.released

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Go on where :meth:`state` was taken: rows handed out before then are not drawn again.

        Raises
        ------
        ValueError
            What cannot be the state of such a counter; nothing is changed.
        """
        with self._alone():
            arrays = self._kept()
            released = released_of(state, arrays, self.releases, self.grid)
            place = self._inner.place(released)
            for name, digits in place.items():
                require(
                    np.array_equal(state[name], digits),
                    f"a snapshot's {name} must be those of its releases",
                    released=released,
                )
            for name, into in arrays.items():
                into[...] = state[name]
            self._inner.released = released

    def _kept(self) -> dict[str, NDArray[Any]]:
        """The inner counter's own arrays, but for those that are overwritten by every block."""
        return {
            name: value
            for name, value in vars(self._inner).items()
            if isinstance(value, np.ndarray) and name not in ("_buffer", "_block")
        }

    def _draws(self, rows: int) -> FloatArray:
        return drawn(self.law, self.scale, self.grid, rows, self._most)


class SimulatedNoise:
    """The stream of a counter, times a scale, behind the same verbs: floating point, and nobody is
    protected."""

    def __init__(self, stream: Counter, scale: float | FloatArray = 1.0) -> None:
        self._stream, self._scale = stream, scale

    def block(self, rows: int) -> FloatArray:
        """Noise of the next releases, (rows, W)."""
        return np.asarray(self._stream.block(rows) * self._scale)

    def row(self, sums: FloatArray) -> FloatArray:
        """(W,), the noise of the next release, which does not depend on the sums."""
        return np.asarray(self.block(1)[0])

    @property
    def released(self) -> int:
        """Rows handed out so far."""
        return self._stream.released

    def state(self) -> dict[str, NDArray[Any]]:
        """All that the next rows depend on, beside the seed."""
        return {"released": np.array(self.released)}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Go on, from the beginning, after the rows that were handed out: they are drawn again."""
        require(
            state.keys() == {"released"} and self.released == 0,
            "state must be of simulated noise, for a stream at its beginning",
            names=sorted(state),
        )
        for _ in range(snapshot.whole("released", state["released"], self._stream.releases)):
            self._stream.block(1)


def released_of(
    state: dict[str, NDArray[Any]],
    arrays: dict[str, NDArray[Any]],
    releases: int,
    grid: float,
    loose: Collection[str] = (),
) -> int:
    """Releases of a state of noise, or ``ValueError`` where its arrays are not like ``arrays``.

    ``loose`` : those of floats that need not be on the grid
    """
    require(
        state.keys() == arrays.keys() | {"released"},
        "state must be of the same counter, width and releases",
        names=sorted(state),
    )
    released = snapshot.whole("released", state["released"], releases)
    for name, like in arrays.items():
        if like.dtype == np.float64:
            numbers = snapshot.finite(name, state[name], like.shape)
            require(
                name in loose or bool((on_grid(numbers, grid) == numbers).all()),
                f"a snapshot's {name} must be on the grid",
                grid=grid,
            )
    return released


def drawn(law: str, scale: FloatArray, grid: float, rows: int, most: float) -> FloatArray:
    """Exact draws (rows, W) on the grid, a scale for each column; none is beyond ``most`` of it,
    or ``ValueError``."""
    draws = np.empty((rows, scale.size))
    if not rows:  # ``signed`` takes none for some releases, and others in bursts
        return draws
    for size in np.unique(scale):
        columns = np.flatnonzero(scale == size)
        column_draws = sample(law, float(size) / grid, rows * columns.size)
        draws[:, columns] = column_draws.reshape(rows, columns.size)
    # before anything is added up; independent of the data, so that stopping here tells nothing
    require(bool((np.abs(draws) <= most).all()), "a draw must stay on the grid", grid=grid)
    draws *= grid
    return draws


def sample(law: str, scale: float, number: int) -> FloatArray:
    """Exact draws of the discrete Laplace or Gaussian law over the whole numbers, as floats; beyond
    2^53 rounded."""
    if law == "gaussian" and positive("scale", scale) <= discrete_gaussian.MOST_SCALE:
        return discrete_gaussian.draws(scale, number).astype(np.float64)
    draw = _sampler(choice("law", law, ("laplace", "gaussian")), positive("scale", scale))
    return np.array(draw([0] * count("number", number)), dtype=np.int64).astype(np.float64)


@functools.cache
def opendp() -> Any:
    """The library, or ``ImportError``; it takes a second, and simulations do without."""
    with needed("exact noise"):
        import opendp.prelude as dp
    # asked for by all of its mechanisms; proofs of the samplers are published
    dp.enable_features("contrib")
    return dp


@functools.lru_cache(maxsize=4096)
def _sampler(law: str, scale: float) -> Callable[[list[int]], list[int]]:
    dp = opendp()
    domain = dp.vector_domain(dp.atom_domain(T="i64"))
    draw: Callable[[list[int]], list[int]] = (
        dp.m.make_laplace(domain, dp.l1_distance(T="i64"), scale=scale)
        if law == "laplace"
        else dp.m.make_gaussian(domain, dp.l2_distance(T="f64"), scale=scale)
    )
    return draw


def exact_counter(counter: str, law: str) -> str:
    """``counter`` when it has an exact form with draws of that law, or ``ValueError``."""
    choice("counter", counter, MECHANISMS)
    require(
        counter in EXACT,
        f"exact noise has the counters {', '.join(EXACT)}; this one is for simulation only",
        counter=counter,
    )
    choice("law", law, laws(counter))
    return counter


def power_of_two(name: str, value: float) -> float:
    """``value`` when it is 2^k, k in -1000..1000, or ``ValueError``."""
    number = positive(name, value)
    require(
        math.frexp(number)[0] == 0.5 and abs(math.log2(number)) <= 1000,
        f"{name} must be a power of two",
        **{name: value},
    )
    return number


def finest_grid(counter: str, releases: int, law: str, scale: float, largest: float) -> float:
    """The smallest g = 2^k with noise of that largest scale, and sums up to ``largest``, within
    2^52 g each, or 2^51 g where they are filtered."""
    largest = positive("largest", largest) * (2 if counter in FILTERED else 1)
    most = math.floor(
        MOST_GRID_STEPS / counter_cost(exact_counter(counter, law), releases, law).largest
    )
    least = max(up(TAIL_SCALES * positive("scale", scale) / most), up(largest / MOST_GRID_STEPS))
    return power_of_two("grid", 2.0 ** math.ceil(math.log2(least) + 1e-9))


def on_grid(values: FloatArray, grid: float) -> FloatArray:
    """The nearest multiples of the grid."""
    return np.asarray(np.rint(values / grid) * grid)


def rounding(
    counter: str, releases: int, law: str, scale: float | ArrayLike, grid: float, width: int
) -> float:
    """What rounding of contributions adds to the loss (Laplace: to epsilon; Gaussian: to mu),
    rounded up."""
    sensitivity = counter_cost(exact_counter(counter, law), releases, law).sensitivity
    moved = power_of_two("grid", grid) / scales(scale, count("width", width))
    total = math.fsum(moved) if law == "laplace" else math.sqrt(math.fsum(moved**2))
    return up(sensitivity * total, 64 * UNIT)


def apart(releases: int, scale: float | ArrayLike, grid: float, width: int) -> float:
    """Total variation between exact Gaussian noise and rounded continuous noise, all draws
    together, rounded up."""
    steps = power_of_two("grid", grid) / scales(scale, count("width", width))
    return (
        min(1.0, up(count("releases", releases) * math.fsum(steps**2) / 9, 64 * UNIT))
        if steps.max() <= 1
        else 1.0
    )


def exact_epsilon(law: str, size: float, delta: float, apart: float = 1.0) -> float:
    """Epsilon of exact noise whose loss (Laplace: sum of |d|/s; Gaussian: mu) is ``size``, rounded
    up.

    ``apart`` : what :func:`apart` says; 1 knows nothing of the grid
    """
    if choice("law", law, ("laplace", "gaussian")) == "laplace":
        return positive("size", size)
    by_moments = accounting.optimal_zcdp_epsilon(up(positive("size", size) ** 2 / 2), delta)
    by_curve = accounting.gaussian_epsilon(down(delta * (1 - LOSS_SLACK)), size)
    return min(by_moments, by_curve) if _near(by_curve, delta, apart) else by_moments


def _near(epsilon: float, delta: float, apart: float) -> bool:
    return epsilon < 600 and up((1 + math.exp(epsilon)) * apart) <= delta * LOSS_SLACK


@functools.lru_cache(maxsize=4096)
def exact_size(law: str, epsilon: float, delta: float, apart: float = 1.0) -> float:
    """The largest loss with :func:`exact_epsilon` at most ``epsilon``, rounded down."""
    epsilon = positive("epsilon", epsilon)
    if choice("law", law, ("laplace", "gaussian")) == "laplace":
        return epsilon
    if _near(epsilon, delta, apart):
        return down(accounting.gaussian_mu(epsilon, down(delta * (1 - LOSS_SLACK))), 1e-12)
    low, high = 0.0, 1.0
    while exact_epsilon(law, high, delta) <= epsilon:
        low, high = high, 2 * high
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        if exact_epsilon(law, middle, delta) <= epsilon:
            low = middle
        else:
            high = middle
    require(low > 0, "epsilon must be larger at this delta", epsilon=epsilon, delta=delta)
    return low


def nominal_epsilon(
    law: str, epsilon: float, delta: float, slack: float = LOSS_SLACK, apart: float = 1.0
) -> float:
    """The largest epsilon of an agent over continuous noise whose exact noise gives (epsilon,
    delta), rounded down.

    Parameters
    ----------
    slack : share of the loss that is left for rounding: :func:`rounding` / :func:`exact_size` must
        be below
    apart : what :func:`apart` will say at most; on a fine grid the nominal epsilon is nearly the
        asked one
    """
    slack = probability("slack", slack, zero=True)
    size = down(exact_size(law, real("epsilon", epsilon), delta, apart) * (1 - slack), 64 * UNIT)
    if law == "laplace":
        return size
    epsilon_ = accounting.gaussian_epsilon(delta, size)
    while epsilon_ > 0 and accounting.gaussian_mu(epsilon_, delta) > size:
        epsilon_ = down(epsilon_, 1e-12)
    require(epsilon_ > 0, "epsilon must be larger at this delta", epsilon=epsilon, delta=delta)
    return epsilon_


def scales(scale: float | ArrayLike, width: int) -> FloatArray:
    """One for each sum, (W,), from one for all or as many, or ``ValueError``."""
    each = array("scale", np.broadcast_to(np.asarray(scale, dtype=np.float64), (width,)), (width,))
    require(bool((each > 0).all()), "scale must be > 0", least=float(each.min()))
    return each
