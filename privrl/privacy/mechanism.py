"""The mechanism alone: running sums of users' contributions, released again and again under one
privacy guarantee.

For a system that exists already. Contributions are added one user at a time; a release is the exact
sum of all so far, plus noise of a counter, and all releases together are (epsilon,
delta)-differentially private for every user:

    mechanism = Mechanism.make("tree", width=3, releases=100, change=2.0, epsilon=1.0, delta=1e-6)
    mechanism.save("sums.snapshot")
    mechanism.add([1.0, 0.0, 0.0])
    noisy = mechanism.release()

Contributions may depend on earlier releases, and any number of users may fall between two. A user
who contributes n times has n times epsilon (pure), by group privacy. The snapshot is written before
a release is returned; after a crash ``Mechanism.restore`` goes on from it: ``last`` is the release
that may not have been shown, ``users`` says how many contributions are in, and the others are to be
added again. It holds exact sums: keep it as safe as the data.

``noise="exact"`` is :mod:`privrl.privacy.exact`. ``noise="simulated"`` makes a
:class:`SimulatedMechanism`: floating-point noise from a seed, for every counter, with which nobody
is protected.
"""

import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from privrl.checks import array, choice, count, positive, require, settle
from privrl.privacy import accounting, exact, filtered, snapshot
from privrl.privacy.counters.mechanisms import counter_cost, laws, make
from privrl.privacy.once import Once
from privrl.privacy.rounding import UNIT, down, up
from privrl.types import Budget, FloatArray, Guarantee, Simulated

NAMES = ("plan", "calibrated", "users", "sums", "last", "stream_released")  # in every snapshot


@dataclass(frozen=True)
class MechanismPlan:
    """What a mechanism is made for; the parameters are those of :meth:`Mechanism.make`."""

    counter: str
    width: int
    releases: int
    change: float
    epsilon: float
    delta: float
    norm: float
    users: int
    law: str
    seed: int | None

    def __post_init__(self) -> None:
        settle(
            self,
            **{name: count(name, getattr(self, name)) for name in ("width", "releases", "users")},
            **{name: positive(name, getattr(self, name)) for name in ("change", "norm")},
            **vars(Budget(self.epsilon, self.delta)),
        )
        choice("law", self.law, laws(self.counter))
        require(
            self.norm >= self.change / 2,
            "norm must be >= change / 2: no change is larger than twice the norm",
            norm=self.norm,
            change=self.change,
        )
        require(
            self.law == "laplace" or self.delta > 0,
            "delta must be > 0 for Gaussian noise",
            delta=self.delta,
        )

    @property
    def sensitivity(self) -> float:
        """How far a unit change moves the counter's draws."""
        return counter_cost(self.counter, self.releases, self.law).sensitivity


class Running(Once):
    """Running sums under noise: what a :class:`Mechanism` and a :class:`SimulatedMechanism` have in
    common."""

    def __init__(self, plan: MechanismPlan) -> None:
        super().__init__()
        self.plan = plan
        self.users = 0
        self.last: FloatArray | None = None
        self._sums = np.zeros(plan.width)
        self._path: Path | None = None
        self._mark: str | None = None
        self._prepare()
        self._stream = self._begin()

    @property
    def released(self) -> int:
        """Releases so far."""
        return self._stream.released

    @property
    def _nominal(self) -> Guarantee:
        """What exact noise of this scale gives each user, rounded up."""
        moved = self.plan.sensitivity * self._change + self._quantised
        size = up(moved / self.scale, 32 * UNIT)
        return Guarantee(
            self._epsilon(size), self.plan.delta if self.plan.law == "gaussian" else 0.0
        )

    def add(self, contribution: ArrayLike) -> None:
        """Count one user's contribution, (W,), or refuse it whole."""
        row = array("contribution", contribution, (self.plan.width,))
        short = bool((np.abs(row) <= 2 * self.plan.norm).all())  # enough for no overflow below
        row = exact.on_grid(row, self._grid) if short and self._grid else row
        require(
            short and self._length(row) <= self.plan.norm + (self._change - self.plan.change) / 2,
            f"a contribution's {'l1' if self.plan.law == 'laplace' else 'l2'} norm must be <= norm",
            norm=self.plan.norm,
        )
        with self._alone():
            require(
                self.users < self.plan.users,
                "there must be no more contributions than users",
                users=self.plan.users,
            )
            # both or, where somebody interrupts, neither
            self._sums, self.users = self._sums + row, self.users + 1

    def release(self) -> FloatArray:
        """The sums of all contributions so far and their noise, (W,), which is on the disk by then.

        Raises
        ------
        ValueError
            No release is left, no snapshot was saved, or another process has gone on from it.
        RuntimeError
            The snapshot could not be written; nothing was released, and the release can be asked
            for again. Or this is a fork of the process that made the mechanism.
        """
        with self._alone():
            require(
                self._path is not None or not self._durable,
                "save(path) must come before the first release",
            )
            state, mark = self._stream.state(), self._mark
            try:
                noisy: FloatArray = self._sums + self._stream.row(self._sums)
                if self._path is not None:
                    self._write(self._path, noisy)
            except BaseException:
                if self._mark == mark:  # not in the snapshot, and seen by nobody
                    self._stream = self._begin()
                    self._stream.restore(state)
                else:
                    self.last = noisy
                raise
            self.last = noisy  # not earlier: what could not be written is shown to nobody
            return noisy.copy()

    def save(self, path: str | Path) -> None:
        """Write the snapshot now; each release writes it again."""
        place = snapshot.place(path)
        with self._alone():
            require(
                self._path in (None, place),
                "a mechanism must have one snapshot: two could draw noise twice",
                path=str(path),
            )
            self._write(place, self.last)

    def _write(self, path: Path, last: FloatArray | None) -> None:
        arrays: dict[str, Any] = {
            f"stream_{name}": value for name, value in self._stream.state().items()
        }
        arrays |= {
            "plan": np.array(json.dumps(asdict(self.plan))),
            "calibrated": np.array([self.scale, self._grid]),
            "users": np.array(self.users),
            "sums": self._sums,
            "last": np.empty(0) if last is None else last,
        }
        self._mark = snapshot.write(path, arrays, self._mark)
        self._path = path

    def _length(self, contribution: FloatArray) -> float:
        """The norm, rounded down by more than its computation can err."""
        exact_sum = (
            math.fsum(np.abs(contribution))
            if self.plan.law == "laplace"
            else math.sqrt(math.fsum(contribution**2))
        )
        return down(exact_sum) if exact_sum > 0 else 0.0

    # --- what differs between exact and simulated noise ---

    _durable: bool
    _stream: exact.ExactNoise | filtered.FilteredNoise | exact.SimulatedNoise
    _grid: float  #: 0 with simulated noise
    _change: float  #: by one user, what rounding adds included
    _quantised: float = 0.0  #: and of the filtered sums of all releases, by the grid under them
    scale: float  #: of a draw

    def _prepare(self) -> None:
        """Grid, change and scale."""
        raise NotImplementedError

    def _begin(self) -> exact.ExactNoise | filtered.FilteredNoise | exact.SimulatedNoise:
        """The stream of noise before its first release."""
        raise NotImplementedError

    def _epsilon(self, size: float) -> float:
        """Of a loss."""
        raise NotImplementedError


class Mechanism(Running):
    """Running sums under exact noise; made by :meth:`make` and :meth:`restore`.

    Threads may share one. It is not copied, pickled or used in a fork, which would draw its noise
    again.
    """

    _durable = True

    @overload
    @staticmethod
    def make(
        counter: str,
        *,
        width: int,
        releases: int,
        change: float,
        epsilon: float,
        delta: float = ...,
        norm: float | None = ...,
        users: int | None = ...,
        law: str | None = ...,
        noise: Literal["exact"] = ...,
        seed: None = ...,
    ) -> "Mechanism": ...

    @overload
    @staticmethod
    def make(
        counter: str,
        *,
        width: int,
        releases: int,
        change: float,
        epsilon: float,
        delta: float = ...,
        norm: float | None = ...,
        users: int | None = ...,
        law: str | None = ...,
        noise: str,
        seed: int | None = ...,
    ) -> "Mechanism | SimulatedMechanism": ...

    @staticmethod
    def make(
        counter: str,
        *,
        width: int,
        releases: int,
        change: float,
        epsilon: float,
        delta: float = 0.0,
        norm: float | None = None,
        users: int | None = None,
        law: str | None = None,
        noise: str = "exact",
        seed: int | None = None,
    ) -> "Mechanism | SimulatedMechanism":
        """A mechanism at its beginning.

        Parameters
        ----------
        counter : ``tree``, ``smooth``, ``local``, ``blt`` (with a delta) or ``signed`` (pure);
            simulated: every one
        width : W, sums that are kept; a contribution has shape (W,)
        releases : R, how often they are released at most
        change : how far one user can move a contribution, in l1 (Laplace) or l2 (Gaussian)
        epsilon, delta : of all releases together; delta = 0 for pure privacy
        norm : largest norm of a contribution, in l1 or l2; larger ones are refused. By default
            change / 2, with which the change is right whatever two users answer; for a user added
            or removed it may be the change itself
        users : how many contributions there will be at most; by default as many as releases
        law : ``laplace`` or ``gaussian``; by default Laplace for delta = 0 only
        noise : ``exact``, or ``simulated``, which takes a seed
        """
        plan = MechanismPlan(
            counter,
            width,
            releases,
            change,
            epsilon,
            delta,
            positive("change", change) / 2 if norm is None else norm,
            releases if users is None else users,
            law or ("gaussian" if delta else "laplace"),
            seed,
        )
        if choice("noise", noise, ("exact", "simulated")) == "simulated":
            require(seed is not None, "simulated noise must have a seed")
            return SimulatedMechanism(plan)
        require(seed is None, "exact noise must come from the system, not from a seed", seed=seed)
        return Mechanism(plan)

    @property
    def guarantee(self) -> Guarantee:
        """What all releases together give each user, those to come included, rounded up."""
        return self._nominal

    @staticmethod
    def restore(path: str | Path) -> "Mechanism | SimulatedMechanism":
        """Go on from a snapshot, which must exist: nothing that was released is drawn again.

        Raises
        ------
        ValueError
            A damaged snapshot, or one of something else or of another calibration.
        FileNotFoundError
            There is none.
        """
        place = snapshot.place(path)
        arrays, mark = snapshot.read(place, "mechanism", NAMES)
        try:
            plan = MechanismPlan(**json.loads(str(arrays["plan"])))
        except (TypeError, json.JSONDecodeError):  # names that no plan has
            raise ValueError(f"a snapshot must be of a mechanism, got path={path!r}") from None
        mechanism: Mechanism | SimulatedMechanism = (
            Mechanism(plan) if plan.seed is None else SimulatedMechanism(plan)
        )
        require(
            snapshot.close(arrays["calibrated"], np.array([mechanism.scale, mechanism._grid])),
            "this version must have the snapshot's scale and grid",
        )
        # earlier noise may have been less by a last bit; the guarantee is for the least
        mechanism.scale = min(mechanism.scale, float(arrays["calibrated"][0]))
        mechanism.users = snapshot.whole("users", arrays["users"], plan.users)
        mechanism._sums = snapshot.finite("sums", arrays["sums"], (plan.width,)).copy()
        mechanism._stream.restore(
            {name[7:]: value for name, value in arrays.items() if name.startswith("stream_")}
        )
        size = (plan.width,) if mechanism.released else (0,)
        last = snapshot.finite("last", arrays["last"], size)
        mechanism.last = last if mechanism.released else None
        mechanism._path, mechanism._mark = place, mark
        return mechanism

    def _prepare(self) -> None:
        """Grid and scale.

        The scale is for the change and what rounding adds, g in every sum; the grid is as fine as
        sums and noise allow.
        """
        plan = self.plan
        exact.exact_counter(plan.counter, plan.law)
        size = exact.exact_size(plan.law, plan.epsilon, plan.delta)
        rough = 1.02 * plan.sensitivity * plan.change / size
        self._grid = exact.finest_grid(
            plan.counter, plan.releases, plan.law, rough, 1.02 * plan.users * plan.norm
        )
        moved = self._grid * (plan.width if plan.law == "laplace" else up(math.sqrt(plan.width)))
        self._quantised = filtered.quantisation(
            plan.counter, plan.releases, np.ones(plan.width), self._grid, plan.width
        )
        require(
            moved + self._quantised / plan.sensitivity <= plan.change / 100,
            "users, releases and width must be less: no grid holds their sums and is "
            "fine beside the change",
            users=plan.users,
            releases=plan.releases,
            width=plan.width,
        )
        if plan.law == "gaussian":  # on this grid less noise may be enough
            least = (
                plan.sensitivity * plan.change / accounting.gaussian_mu(plan.epsilon, plan.delta)
            )
            apart = exact.apart(plan.releases, least, self._grid, plan.width)
            size = max(size, exact.exact_size(plan.law, plan.epsilon, plan.delta, apart))
        # more than the norms of contributions are computed wrong
        self._change = up(plan.change + moved, 64 * UNIT)
        self.scale = up((plan.sensitivity * self._change + self._quantised) / size, 64 * UNIT)

    def _begin(self) -> exact.ExactNoise | filtered.FilteredNoise:
        """The stream of noise before its first release."""
        plan = self.plan
        return filtered.make(
            plan.counter, plan.width, plan.releases, self.scale, plan.law, self._grid
        )

    def _epsilon(self, size: float) -> float:
        plan = self.plan
        return exact.exact_epsilon(
            plan.law,
            size,
            plan.delta,
            exact.apart(plan.releases, self.scale, self._grid, plan.width),
        )


class SimulatedMechanism(Running):
    """Running sums under floating-point noise from a seed: for trying things out; it protects
    nobody."""

    _durable = False

    @property
    def guarantee(self) -> Simulated:
        """None: what exact noise of these scales would give."""
        return Simulated(self._nominal)

    def _prepare(self) -> None:
        plan = self.plan
        size = (
            plan.epsilon
            if plan.law == "laplace"
            else accounting.gaussian_mu(plan.epsilon, plan.delta)
        )
        self._grid, self._change = 0.0, plan.change
        self.scale = up(plan.sensitivity * plan.change / size, 64 * UNIT)

    def _begin(self) -> exact.SimulatedNoise:
        plan = self.plan
        assert plan.seed is not None
        rng = np.random.Generator(np.random.SFC64(count("seed", plan.seed, 0)))
        return exact.SimulatedNoise(
            make(plan.counter, plan.width, plan.releases, self.scale, rng, plan.law)
        )

    def _epsilon(self, size: float) -> float:
        return (
            size
            if self.plan.law == "laplace"
            else accounting.gaussian_epsilon(self.plan.delta, size)
        )
