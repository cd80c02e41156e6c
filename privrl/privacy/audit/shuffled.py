"""What a server sees behind a shuffler, attacked: a lower confidence bound on epsilon of a batch.

All users of a batch of n contribute nothing but one, who in world 1 moves her message as far as two
users can differ. The server sees messages of unit noise in random order, and counts on hers being
there. Each statistic is drawn by its own law, which takes no batch of a million numbers: the sum of
the batch, its largest message, and the one that came first. One of them and a threshold are chosen
on a first part of the trials (:func:`privrl.privacy.audit.events.choose`), and the bound is
Clopper-Pearson's on the rest.

| fault | what goes wrong |
| --- | --- |
| in-order | messages come to the server as they were sent, hers first |
| alone | all others of the batch tell the server their messages |
| little-noise | devices draw an eighth of the noise |
"""

import math

import numpy as np
from scipy.special import ndtri

from privrl.checks import choice, count, probability
from privrl.privacy import accounting
from privrl.privacy.audit import events
from privrl.privacy.counters import shuffle
from privrl.types import FloatArray

SHUFFLED_FAULTS = ("in-order", "alone", "little-noise")
STATISTICS = ("sum", "largest", "first")


def attack(
    fault: str | None,
    epsilon: float,
    delta: float,
    batch: int,
    rng: np.random.Generator,
    trials: int = 100_000,
    alpha: float = 1e-9,
) -> float:
    """Epsilon at ``delta`` of what the server sees is at least this, with probability 1 - alpha;
    messages are made for (epsilon, delta) of a batch."""
    if fault is not None:
        choice("fault", fault, SHUFFLED_FAULTS)
    message = shuffle.message(epsilon, delta, batch)
    mu = accounting.gaussian_mu(message.epsilon, message.delta)
    if fault == "little-noise":
        mu *= 8
    trials, share = events.known_trials(trials), probability("alpha", alpha) / 2
    training = trials // 4
    zero, unit = (_seen(fault, moved, batch, trials, rng) for moved in (0.0, mu))
    ((name, sign, threshold),) = events.choose(
        zero[:, :training], unit[:, :training], list(STATISTICS), share, delta, curve=False
    )
    row, rest = STATISTICS.index(name), trials - training
    hits, alarms = (
        int((sign * values[row, training:] > threshold).sum()) for values in (unit, zero)
    )
    low = events.proportion_below(hits, rest, share)
    high = events.proportion_above(alarms, rest, share)
    return float(events.event_epsilon(low, high, delta))


def _seen(
    fault: str | None, moved: float, batch: int, trials: int, rng: np.random.Generator
) -> FloatArray:
    """(statistics, trials) of a batch in which one message is moved so far."""
    others = 0 if fault == "alone" else count("batch", batch, 2) - 1
    hers = rng.standard_normal((len(STATISTICS), trials)) + moved
    if not others:
        return hers
    total = hers[0] + math.sqrt(others) * rng.standard_normal(trials)
    most = ndtri(rng.random(trials) ** (1 / others))
    first = rng.standard_normal(trials)
    if fault == "in-order":
        first = hers[2]
    else:
        came_first = rng.random(trials) < 1 / (others + 1)
        first[came_first] = hers[2, came_first]
    return np.array([total, np.maximum(hers[1], most), first])
