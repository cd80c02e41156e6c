"""Two-world attacks on counters: a lower confidence bound on epsilon, from the releases alone.

All users but user k answer the same in both worlds, so what the attacker sees is noise in world 0,
and noise plus user k's change in every release from k on in world 1. The counters of
:data:`privrl.privacy.counters.mechanisms.AUDITED` draw one
row a release, and the releases B z determine the draws z; user k shifts them by w = B^-1 1[t >= k],
times her change. (B is found by feeding a counter with unit draws.) The best test between the
worlds is their log-likelihood ratio:

- Laplace: sum over draws and sums that differ, |z| - |z - shift|. Its largest value has an event of
  its own, which attains the exact epsilon;
- Gaussian: the projection of the draws on the shift. It is N(0, 1) or N(mu, 1), and attains the
  trade-off curve of mu = |w| |change|.

A fault breaks the law for which that test is best, so there are others: the releases from k on,
averaged by their variances; every draw alone; a draw against the next one of its level; each also
with the mean over all sums taken out. How statistic and threshold are chosen,
and what the counts then bound, is in :mod:`privrl.privacy.audit.events`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from privrl.checks import array, choice, count, instance, probability, require, settle
from privrl.privacy import accounting
from privrl.privacy.audit.events import Attack, choose, conclude, known_trials
from privrl.privacy.audit.faults import level, plant, with_draws
from privrl.privacy.counters.mechanisms import AUDITED
from privrl.privacy.counters.stream import Counter
from privrl.types import FloatArray

NUMBERS_IN_MEMORY = 1 << 21  # numbers of noise in memory
MOST_ATTACKED_RELEASES = 1024
MOST_TRAINING = 100_000
MOST_ALONE = 16  # draws that get a statistic of their own


class Stream(Protocol):
    """Noise of the next releases, (rows, width): a counter, or exact noise."""

    def block(self, rows: int) -> FloatArray: ...


NoiseMaker = Callable[[int, int, np.random.Generator], Stream]  # width, releases, generator


def matrix(name: str, releases: int, law: str = "gaussian") -> FloatArray:
    """B, (R, R): the releases of a counter are B times its draws; found by feeding it unit
    draws."""
    choice("counter", name, AUDITED)
    releases = count("releases", releases, 1, MOST_ATTACKED_RELEASES)
    unit_draws = iter(np.eye(releases))
    kind = with_draws(name, lambda counter, rows: np.array([next(unit_draws) for _ in range(rows)]))
    return kind(releases, releases, 1.0, np.random.default_rng(0), law).block(releases).copy()


@dataclass(frozen=True, eq=False)
class AttackedPair:
    """Two users before a counter: what the attacker knows."""

    counter: str  #: of the noise that is claimed
    law: str
    #: (C,), what the second user adds less what the first adds, in units of the scale of a draw
    change: FloatArray
    releases: int  #: R
    user: int = 1  #: k, in 1..R

    def __post_init__(self) -> None:
        choice("counter", self.counter, AUDITED)
        choice("law", self.law, ("laplace", "gaussian"))
        change = array("change", self.change, (None,))
        change = change[change != 0]  # the other sums tell nothing
        require(change.size > 0, "change must not be zero everywhere", size=change.size)
        change.setflags(write=False)
        settle(self, change=change, releases=count("releases", self.releases))
        require(
            count("user", self.user) <= self.releases,
            "user must be <= releases",
            user=self.user,
            releases=self.releases,
        )

    def shifts(self) -> tuple[FloatArray, FloatArray]:
        """B^-1 (R, R) and w (R,)."""
        inverse: FloatArray = np.linalg.inv(matrix(self.counter, self.releases, self.law)).astype(
            np.float64
        )
        inverse[np.abs(inverse) < 1e-12] = 0.0
        w: FloatArray = inverse @ (np.arange(1, self.releases + 1) >= self.user).astype(np.float64)
        w[np.abs(w) < 1e-9] = 0.0
        return inverse, w

    def size(self) -> float:
        """Laplace: the exact loss sum |w| sum |change|. Gaussian: mu = |w| |change|."""
        _, w = self.shifts()
        if self.law == "laplace":
            return float(np.abs(w).sum() * np.abs(self.change).sum())
        return float(np.linalg.norm(w) * np.linalg.norm(self.change))

    def exact(self, delta: float) -> float:
        """Epsilon of this pair under the claimed noise, rounded up; Laplace: at delta = 0, and so
        for every delta."""
        size = self.size() * (1 + 1e-9)
        return (
            size
            if self.law == "laplace"
            else accounting.gaussian_epsilon(probability("delta", delta), size)
        )


class _Statistics:
    """The statistics of a pair, over blocks of releases (R, n, C + 1) whose last sum no user
    touches."""

    def __init__(self, pair: AttackedPair) -> None:
        self.pair = pair
        inverse, w = pair.shifts()
        times = np.arange(1, pair.releases + 1)
        live = np.flatnonzero(w)
        self._live, self._shift = inverse[live], w[live]
        variances = (np.linalg.inv(inverse) ** 2).sum(axis=1)
        rows = {"projection": inverse.T @ w, "average": (times >= pair.user) / variances}
        for draw in live[:MOST_ALONE]:
            rows[f"draw {draw + 1}"] = inverse[draw] * np.sign(w[draw])
            later = next(
                (
                    t
                    for t in range(int(draw) + 1, pair.releases)
                    if level(t + 1) == level(int(draw) + 1)
                ),
                None,
            )
            if later is not None and w[later] != w[draw]:
                rows[f"draw {draw + 1} less {later + 1}"] = (
                    inverse[draw] - inverse[later]
                ) * np.sign(w[draw])
        self._rows = np.array(list(rows.values()))
        along = np.append(pair.change, 0.0)
        contrast = along - along.mean()
        self._columns = np.stack(
            [along / np.abs(along).sum(), contrast / np.abs(contrast).sum()], axis=1
        )
        self.names = [name + tail for name in rows for tail in ("", ", mean of the sums out")]
        if pair.law == "laplace":
            self.names.append("likelihood ratio")

    def of(self, block: FloatArray, names: list[str] | None = None) -> FloatArray:
        """(statistics, n)."""
        releases, trials, sums = block.shape
        columns = (
            range(len(self.names)) if names is None else [self.names.index(name) for name in names]
        )
        used = sorted({index // 2 for index in columns if index < 2 * len(self._rows)})
        linear: dict[int, FloatArray] = {}
        if used:
            rows = (self._rows[used] @ block.reshape(releases, -1)).reshape(len(used), trials, sums)
            projected = rows @ self._columns
            linear = {
                2 * row + side: projected[place, :, side]
                for place, row in enumerate(used)
                for side in (0, 1)
            }
        ratio = 2 * len(self._rows)
        return np.array(
            [self._ratio(block) if index == ratio else linear[index] for index in columns]
        )

    def _ratio(self, block: FloatArray) -> FloatArray:
        total = np.zeros(block.shape[1])
        flat = block.reshape(block.shape[0], -1)
        for row, size in zip(self._live, self._shift, strict=True):
            draws = (row @ flat).reshape(block.shape[1:])[:, :-1]
            total += (np.abs(draws) - np.abs(draws - size * self.pair.change)).sum(axis=1)
        # the last bits of a sum tell the worlds apart (Mironov 2012), and split the atoms at both
        # ends: not the law's
        unit = 1e-9 * float(np.abs(self._shift).sum() * np.abs(self.pair.change).sum())
        return np.asarray(np.round(total / unit) * unit)


def _worlds(
    pair: AttackedPair, noise: NoiseMaker, trials: int, rng: np.random.Generator
) -> Iterator[tuple[int, FloatArray]]:
    """Blocks (R, n, C + 1) of both worlds; every trial is C + 1 neighbouring sums of one wide
    counter."""
    sums = pair.change.size + 1
    step = max(1, NUMBERS_IN_MEMORY // (pair.releases * sums))
    after = np.arange(1, pair.releases + 1) >= pair.user
    for world in (0, 1):
        for first in range(0, trials, step):
            size = min(step, trials - first)
            block = (
                noise(size * sums, pair.releases, rng)
                .block(pair.releases)
                .reshape(pair.releases, size, sums)
            )
            if world:
                block = block.copy()
                block[after, :, :-1] += pair.change
            yield world, block


def attack(
    pair: AttackedPair,
    rng: np.random.Generator,
    *,
    trials: int = 200_000,
    delta: float = 0.0,
    alpha: float = 1e-3,
    fault: str | None = None,
    ratio: float = 0.5,
    noise: NoiseMaker | None = None,
) -> Attack:
    """Attack a counter through a pair of users.

    Parameters
    ----------
    pair : the two users, and the noise that is claimed
    rng : consumed
    trials : of each world that give the bounds; as many again, at most 100,000, choose the events
    delta : at which epsilon is bounded; > 0 for Gaussian noise
    alpha : probability with which the bound may be wrong
    fault : planted in the counter, or None
    ratio : see :func:`privrl.privacy.audit.faults.plant`
    noise : what is attacked, with draws of unit scale; by default the simulated counter, with its
        fault
    """
    instance("pair", pair, AttackedPair)
    instance("rng", rng, np.random.Generator)
    trials, alpha = known_trials(trials), probability("alpha", alpha)
    gaussian = pair.law == "gaussian"
    delta = probability("delta", delta, zero=not gaussian)
    # refuses before the work begins
    plant(fault, pair.counter, 1, pair.releases, rng, pair.law, ratio=ratio)

    def planted(width: int, releases: int, source: np.random.Generator) -> Counter:
        return plant(
            fault,
            pair.counter,
            width,
            releases,
            source,
            pair.law,
            group=pair.change.size + 1,
            ratio=ratio,
        )

    noise = planted if noise is None else noise
    statistics = _Statistics(pair)
    training = min(MOST_TRAINING, trials)
    share = alpha / (4 if gaussian else 2)
    draws: tuple[list[FloatArray], list[FloatArray]] = ([], [])
    for world, block in _worlds(pair, noise, training, rng):
        draws[world].append(statistics.of(block))
    zero, unit = (np.concatenate(halves, axis=1) for halves in draws)
    chosen = choose(zero, unit, statistics.names, share, delta, gaussian)
    counts = np.zeros((2, len(chosen)), dtype=np.int64)
    for world, block in _worlds(pair, noise, trials, rng):
        values = statistics.of(block, [name for name, _, _ in chosen])
        for index, (_, sign, mark) in enumerate(chosen):
            counts[world, index] += int((sign * values[index] > mark).sum())
    alarms, hits = counts.tolist()
    return conclude(chosen, hits, alarms, trials, share, pair.exact(delta), delta, alpha)
