"""What a session and the devices of its users agree on: how much noise, of which kind, and what it
guarantees.

``exact`` noise protects people: an exact sampler on the system's generator, which takes no seed.
``simulated`` noise is floating point from a seed: for tests and simulations.

The agent derives its noise and its widths from epsilon by the laws of continuous noise, for a
release after every user; a tabular one is told how many users there are to a plan. A session may
need less (fewer releases, as many users are handled at once) or a little more (contributions are
rounded to the grid; the discrete Gaussian is accounted by zCDP where the grid is not fine beside
delta). So it starts the agent with another epsilon: the largest one whose noise gives the (epsilon,
delta) that was asked for. The widths are then those of the noise that is really added.
"""

import dataclasses
import hashlib
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from privrl.checks import choice, count, planned_episodes, provides, require
from privrl.privacy import accounting, exact, filtered, secure_sums, shares, snapshot
from privrl.privacy.counters import mechanisms
from privrl.privacy.once import Once
from privrl.privacy.rounding import down, up
from privrl.run import simulate
from privrl.types import Entries, FloatArray, Guarantee, Simulated

NOISE_KINDS = ("exact", "simulated")
SESSION_CALIBRATIONS = ("corrected", "tight", "pruned")


@dataclass(frozen=True, eq=False)
class Terms:
    """The terms of a session."""

    #: with a counter; a private one calibrated as one of ``SESSION_CALIBRATIONS``, so that its
    #: noise is enough
    agent: Any
    problem: Any  #: what is known of the world
    users: int  #: most users that will be counted
    noise: str  #: one of ``NOISE_KINDS``
    seed: int | None  #: of simulated noise and of ties; None with exact noise
    every: int  #: users to a plan

    def __post_init__(self) -> None:
        provides("agent", self.agent, simulate.Agent)  # type: ignore[type-abstract]  # it stands for its verbs
        choice("noise", self.noise, NOISE_KINDS)
        object.__setattr__(self, "users", planned_episodes(self.users, 2, "users"))
        object.__setattr__(self, "every", count("every", self.every))
        require(
            self.every < self.users,
            "every must be < users, or no plan is made",
            every=self.every,
            users=self.users,
        )
        # of a simulation; the session's noise would be reckoned from it twice
        period = getattr(self.agent, "every", 1)
        require(period == 1, "every must be told to the session, not to the agent", every=period)
        if self.noise == "exact":
            require(
                self.seed is None,
                "exact noise is drawn by the system: seed must be None",
                seed=self.seed,
            )
        else:
            require(self.seed is not None, "simulated noise must have a seed", seed=None)
            object.__setattr__(self, "seed", count("seed", self.seed, 0))  # type: ignore[arg-type]  # is not None
        require(
            self.counter == "none" or self.agent.calibration in SESSION_CALIBRATIONS,
            f"calibration must be {' or '.join(SESSION_CALIBRATIONS)}, "
            "whose noise gives what is asked for",
            calibration=self.agent.calibration,
        )
        require(
            not self.shared or self.every == 1,
            "every must be 1 over the counter secure",
            every=self.every,
        )

    @property
    def shared(self) -> bool:
        """Whether users draw exact noise together, under a secure sum."""
        return self.counter == shares.COUNTER and self.noise == "exact"

    @property
    def counter(self) -> str:
        return str(self.agent.counter)

    @property
    def law(self) -> str:
        return "gaussian" if self.agent.delta > 0 else "laplace"

    @property
    def releases(self) -> int:
        """Plans that read the sums: all but the first."""
        return max(-(-self.users // self.every) - 1, 1)

    @property
    def by_batch(self) -> bool:
        """Whether the agent can be told how many users there are to a plan: then its noise, and its
        widths with it, are those of the releases that are made."""
        trusted = mechanisms.COUNTER_CLASSES[self.counter].trust == "server"
        return self.every > 1 and trusted and hasattr(self.agent, "every")

    @cached_property
    def ratio(self) -> float:
        """Sensitivity of the counter that is used, over that of the agent's, which serves a release
        a user, unless it can be told."""
        if self.counter in ("none", "local") or self.by_batch:
            return 1.0
        used, planned = (
            mechanisms.counter_cost(self.counter, releases, self.law).sensitivity
            for releases in (self.releases, self.users - 1)
        )
        return up(used / planned) if self.releases < self.users - 1 else 1.0

    @cached_property
    def nominal(self) -> float:
        """Epsilon that the agent is started with."""
        if self.counter == "none" or self.noise != "exact" or self.law == "laplace":
            return self._nominal(1.0)
        # noise by zCDP is more, on as coarse a grid; by less than a factor of 4, which is squared
        # in the distance
        rough = self._nominal(0.0)  # by the curve, which no noise can be below
        scales = self._begin(rough).noise_scales()
        return self._nominal(min(1.0, 16 * self.on_grid(scales[scales > 0], rough)[2]))

    def _nominal(self, apart: float) -> float:
        epsilon, delta = self.agent.epsilon, self.agent.delta
        if self.counter == "none":
            return float(epsilon)
        if self.noise == "exact":
            slack = filtered.SLACK if self.counter in mechanisms.FILTERED else exact.LOSS_SLACK
            epsilon = exact.nominal_epsilon(self.law, epsilon, delta, slack, apart)
        if self.ratio == 1 or self.law == "laplace":
            return float(epsilon) if self.ratio == 1 else down(epsilon / self.ratio)
        size = down(accounting.gaussian_mu(epsilon, delta) / self.ratio)
        epsilon = accounting.gaussian_epsilon(delta, size)
        while accounting.gaussian_mu(epsilon, delta) > size:
            epsilon = down(epsilon, 1e-12)
        return float(epsilon)

    def on_grid(self, scales: FloatArray, nominal: float) -> tuple[float, float, float]:
        """Exact draws of these scales, made for ``nominal``: loss but for rounding, grid,
        :func:`exact.apart`."""
        size = (
            nominal if self.law == "laplace" else accounting.gaussian_mu(nominal, self.agent.delta)
        )
        size = up(size * self.ratio) if self.ratio != 1 else size
        released = self.users if self.counter == "local" else self.releases
        largest = float(scales.max())
        if self.shared:
            sharing = self.sharing(scales, size)
            return size, sharing.grid, sharing.apart
        # no sum leaves 0 by more than all users together can change it
        grid = exact.finest_grid(
            self.counter, released, self.law, largest, self.users * size * largest
        )
        return size, grid, exact.apart(released, scales, grid, scales.size)

    def sharing(self, scales: FloatArray, size: float) -> shares.Sharing:
        """Of noise of these scales, whose loss is ``size`` but for rounding."""
        largest = float(scales.max())
        norm = size * largest  # no user can change a sum by more
        grid = shares.finest_grid(self.releases, largest, norm)
        return shares.Sharing(self.releases, scales, grid, norm)

    def generators(self, device: int = 0) -> tuple[np.random.Generator, ...]:
        """Of noise, environment and ties, as a simulation's replicate has them; without a seed the
        system's."""
        if self.seed is None:
            return tuple(np.random.default_rng() for _ in range(3))
        return simulate.generators(self.seed, device)

    def start(self) -> Any:
        """A learner before its first user, which has made its first plan."""
        learner = self._begin(self.nominal)
        learner.prepare(np.zeros_like(learner.noise_scales()))
        return learner

    def _begin(self, nominal: float) -> Any:
        agent = self.agent
        if self.counter != "none":
            batch = {"every": self.every} if self.by_batch else {}
            agent = dataclasses.replace(agent, epsilon=nominal, **batch)
        return agent.start(self.problem, self.users, np.array([self.users]))


class Protection(Once):
    """The noise of a session's releases, or of messages, in the unit of the sums.

    Parameters
    ----------
    terms : of the session
    learner : started on them; a sum of which it asks no noise holds nothing, and is kept so
    rows : of noise that will be taken
    device : whose simulated noise it is
    """

    def __init__(self, terms: Terms, learner: Any, rows: int, device: int = 0) -> None:
        super().__init__()
        scales = learner.noise_scales()
        #: of exact noise with these scales
        self.nominal = Guarantee(float(terms.agent.epsilon), float(terms.agent.delta))
        self.exact = terms.noise == "exact" or terms.counter == "none"
        self.noisy, self.grid = scales > 0, 0.0
        self.noise: Any = None
        self.sharing: shares.Sharing  # where users share noise
        if terms.counter == "none":
            self.noisy, self.nominal = np.ones(scales.size, dtype=bool), Guarantee(math.inf)
            return
        used, law = scales[self.noisy], terms.law
        if terms.noise == "simulated":
            stream = mechanisms.make(
                terms.counter, used.size, rows, 1.0, terms.generators(device)[0], law
            )
            self.noise = exact.SimulatedNoise(stream, used)
            return
        released = terms.users if terms.counter == "local" else terms.releases
        size, self.grid, apart = terms.on_grid(used, terms.nominal)
        if terms.shared:
            self.sharing = terms.sharing(used, size)
        quantised = filtered.quantisation(terms.counter, released, used, self.grid, learner.moved)
        size = up(size + quantised) if quantised else size
        if learner.rounds_to_users:
            require(
                self.grid <= 1,
                "users must be fewer for sums that hold whole numbers",
                users=terms.users,
            )
        else:
            size = up(
                size
                + (
                    self.sharing.rounding
                    if terms.shared
                    else exact.rounding(terms.counter, released, law, used, self.grid, used.size)
                )
            )
        epsilon = (
            shares.exact_epsilon(size, terms.agent.delta, apart)
            if terms.shared
            else exact.exact_epsilon(law, size, terms.agent.delta, apart)
        )
        self.nominal = Guarantee(epsilon, float(terms.agent.delta))
        require(
            self.nominal.epsilon <= terms.agent.epsilon,
            "users must be fewer for what is left for rounding",
            users=terms.users,
        )
        self.noise = (
            secure_sums.SharedTree(self.sharing)
            if terms.shared
            else filtered.make(terms.counter, used.size, rows, used, law, self.grid)
        )

    @property
    def guarantee(self) -> Guarantee | Simulated:
        """What the noise gives, or would give."""
        return self.nominal if self.exact else Simulated(self.nominal)

    def rounded(self, entries: Entries) -> Entries:
        """On the grid of exact noise, and none where there is no noise."""
        noisy = self.noisy[entries.places]
        values = entries.values[noisy]
        if self.grid:
            values = exact.on_grid(values, self.grid)
        return Entries(entries.places[noisy], values, entries.width)

    def row(self, sums: FloatArray) -> FloatArray:
        """(W,), the noise of the next release, of the exact ``sums`` (W,)."""
        with self._alone():
            row = np.zeros(self.noisy.size)
            if self.noise is not None:
                row[self.noisy] = self.noise.row(sums[self.noisy])
            return row


def fingerprint(*parts: Any) -> tuple[str, FloatArray]:
    """SHA-256 of records, by their fields but without floats; and (n, 2) of their floats.

    Floats are compared by :func:`alike`: on another processor their last bits may be others. A row
    is a number and its size; an array of them has one row, a sum with fixed weights and the sum of
    their sizes.
    """
    digest, floats = hashlib.sha256(), [(0.0, 0.0)]
    for piece in parts:
        _describe(piece, digest, floats)
    return digest.hexdigest(), np.array(floats)


def alike(first: FloatArray, second: FloatArray) -> bool:
    """Whether floats of two fingerprints with the same SHA-256 are equal but for last bits."""
    if first.shape != second.shape:
        return False
    with np.errstate(invalid="ignore"):  # the difference of two infinities
        near = np.abs(first - second) <= snapshot.CLOSE * np.maximum(first, second)[:, 1:]
    return bool((near | (first == second)).all())


def _describe(value: Any, digest: Any, floats: list[tuple[float, float]]) -> None:
    inner: list[Any] = []
    if isinstance(value, float):
        text = "float"
        floats.append((float(value), abs(float(value))))
    elif isinstance(value, np.ndarray):
        text = f"array {value.dtype.kind}{value.shape}"
        if value.dtype.kind == "f":
            weights = np.random.Generator(np.random.PCG64(value.size)).random(value.shape) + 0.5
            floats.append((float((value * weights).sum()), float(np.abs(value).sum())))
        else:
            text += hashlib.sha256(value.tobytes()).hexdigest()
    elif dataclasses.is_dataclass(value):
        fields = dataclasses.fields(value)
        text = f"{type(value).__name__} {' '.join(field.name for field in fields)}"
        inner = [getattr(value, field.name) for field in fields]
    elif isinstance(value, (tuple, list)):
        text, inner = f"{type(value).__name__} {len(value)}", list(value)
    else:
        text = f"{type(value).__name__} {value!r}"
    digest.update(f"{len(text.encode())} {text}".encode())
    for entry in inner:
        _describe(entry, digest, floats)
