"""Events in two worlds: the choice of one, and what its two rates say of epsilon and of mu.

Statistic and threshold are chosen on a first part of the trials. On the rest, which the choice has
not seen, the two rates get one-sided Clopper-Pearson bounds, p1 <= P1(event) and P0(event) <= p0,
and with probability >= 1 - alpha

    epsilon >= ln((p1 - delta)/p0), ln((1 - p0 - delta)/(1 - p1))   (any mechanism),
    mu >= Phi^-1(p1) - Phi^-1(p0)      (if it is mu-GDP), and epsilon by the exact curve.

The second refutes a claim of Gaussian noise with that mu; only the first refutes (epsilon, delta)
whatever the noise.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, ndtri

from privrl.checks import count
from privrl.privacy import accounting
from privrl.types import FloatArray

MOST_TRIALS = 10**8
QUANTILES = np.concatenate(
    [
        [0.0],
        np.geomspace(1e-5, 0.02, 16),
        np.linspace(0.03, 0.97, 95),
        1 - np.geomspace(0.02, 1e-5, 16),
        [1.0],
    ]
)


@dataclass(frozen=True)
class Event:
    """How often the chosen event happened in the two worlds, on the trials that did not choose
    it."""

    statistic: str  #: the event is statistic > threshold
    threshold: float
    hits: int  #: how often in world 1
    alarms: int  #: and in world 0
    trials: int  #: in each of the worlds
    low: float  #: bound of the rate in world 1 from below
    high: float  #: and in world 0 from above

    def epsilon(self, delta: float) -> float:
        """What these two bounds say of epsilon at delta; 0 where they say nothing."""
        return float(event_epsilon(self.low, self.high, delta))

    @property
    def mu(self) -> float:
        """What they say of mu, if the mechanism is mu-GDP; 0 where they say nothing."""
        return float(event_mu(self.low, self.high))


@dataclass(frozen=True)
class Attack:
    """What one attack found."""

    exact: float  #: epsilon of the attacked pair under the noise that is claimed, at delta
    lower: float  #: the largest of the bounds below
    rates: float  #: lower bound by Clopper-Pearson alone, valid for whatever noise
    curve: float  #: lower bound through the Gaussian trade-off curve; 0 for Laplace noise
    mu: float  #: lower bound on mu behind ``curve``
    delta: float
    alpha: float  #: the bounds are wrong with at most this probability
    events: tuple[Event, ...]  #: that of ``rates``, and of ``curve``

    @property
    def refuted(self) -> bool:
        """Whether the noise is not what was claimed."""
        return self.lower > self.exact


def proportion_below(hits: ArrayLike, trials: float, alpha: float) -> FloatArray:
    """Clopper-Pearson: below the true rate with probability at least 1 - alpha."""
    k = np.asarray(hits, dtype=np.float64)
    return np.asarray(np.where(k > 0, betaincinv(np.maximum(k, 0.5), trials - k + 1, alpha), 0.0))


def proportion_above(hits: ArrayLike, trials: float, alpha: float) -> FloatArray:
    """Clopper-Pearson: above the true rate with probability at least 1 - alpha."""
    return np.asarray(
        1 - proportion_below(trials - np.asarray(hits, dtype=np.float64), trials, alpha)
    )


def event_epsilon(low: ArrayLike, high: ArrayLike, delta: float) -> FloatArray:
    """Epsilon from P1(event) >= low and P0(event) <= high, both directions; at least 0."""
    p1, p0 = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        first = np.log(np.maximum(p1 - delta, 0) / p0)
        second = np.log(np.maximum(1 - p0 - delta, 0) / (1 - p1))
    return np.asarray(np.fmax(np.fmax(first, second), 0.0))


def event_mu(low: ArrayLike, high: ArrayLike) -> FloatArray:
    """mu from the same, for a mechanism that is mu-GDP; at least 0."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.fmax(ndtri(np.asarray(low)) - ndtri(np.asarray(high)), 0.0))


def known_trials(trials: int) -> int:
    """``trials`` as a number of runs in 100..10^8, or ``ValueError``."""
    return count("trials", trials, 100, MOST_TRIALS)


def choose(
    zero: FloatArray, unit: FloatArray, names: list[str], share: float, delta: float, curve: bool
) -> list[tuple[str, float, float]]:
    """(name, sign, threshold) of the events with the best bounds on these values: by rates and,
    asked for, by curve.

    The bounds are those of so many trials as are given here, which keeps the choice away from tails
    that few trials have seen.

    Parameters
    ----------
    zero, unit : (statistics, n), values in the two worlds
    share : error level of one bound
    """
    best = [(-1.0, names[0], 1.0, 0.0)] * (2 if curve else 1)
    trials = zero.shape[1]
    for name, first, second in zip(names, zero, unit, strict=True):
        sign = 1.0 if second.mean() >= first.mean() else -1.0
        low, high = np.sort(sign * first), np.sort(sign * second)
        marks = np.unique(np.quantile(np.concatenate((low, high)), QUANTILES))
        slack = 1e-9 * max(abs(marks[0]), abs(marks[-1]))  # the ends can be atoms
        marks = np.concatenate((marks, [marks[-1] - slack, marks[0] + slack]))
        alarms = trials - np.searchsorted(low, marks, side="right")
        hits = trials - np.searchsorted(high, marks, side="right")
        p1, p0 = proportion_below(hits, trials, share), proportion_above(alarms, trials, share)
        # where no bound says anything, the clearest difference
        middle = (hits + alarms + 1) / (2 * trials + 2)
        clear = 1e-9 * (hits - alarms) / np.sqrt(trials * middle * (1 - middle))
        for kind in range(len(best)):
            values = (event_mu(p1, p0) if kind else event_epsilon(p1, p0, delta)) + clear
            at = int(values.argmax())
            if values[at] > best[kind][0]:
                best[kind] = (float(values[at]), name, sign, float(marks[at]))
    return [(name, sign, mark) for _, name, sign, mark in best]


def conclude(
    chosen: list[tuple[str, float, float]],
    hits: list[int],
    alarms: list[int],
    trials: int,
    share: float,
    exact: float,
    delta: float,
    alpha: float,
) -> Attack:
    """The bounds from the counts of the chosen events, each bound at error level ``share``."""
    events = tuple(
        Event(
            name if sign > 0 else f"-({name})",
            mark,
            name_,
            zero,
            trials,
            float(proportion_below(name_, trials, share)),
            float(proportion_above(zero, trials, share)),
        )
        for (name, sign, mark), name_, zero in zip(chosen, hits, alarms, strict=True)
    )
    rates = events[0].epsilon(delta)
    mu = events[1].mu if len(events) > 1 else 0.0
    # the curve's epsilon is rounded up, by far less than this
    curve = accounting.gaussian_epsilon(delta, mu) * (1 - 1e-9) if mu > 0 else 0.0
    return Attack(exact, max(rates, curve), rates, curve, mu, delta, alpha, events)
