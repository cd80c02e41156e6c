"""Own noise behind a shuffler: of a batch of messages nobody knows which is whose.

Users of one batch act by the same plan. Each adds noise of her own, which makes her message (eps0,
delta0)-private whoever sees it; an ideal shuffler forwards the batch in random order, and the
server adds it up. So n messages hide each of them (Feldman, McMillan and Talwar 2021, theorems 3.1
and 3.8): with

    eps0 <= ln(n / (16 ln(4/d))),
    eps = ln(1 + (e^eps0 - 1)/(e^eps0 + 1) (8 sqrt(e^eps0 ln(4/d) / n) + 8 e^eps0 / n))

the shuffled batch is (eps, d + (e^eps + 1)(1 + e^-eps0 / 2) n delta0)-private, which
:func:`amplified` rounds up. A user is in one batch, and later batches see of hers only what was
handed out. :func:`message` is the largest (eps0, delta0) that gives the (eps, delta) asked for;
without a bound that applies, as in a batch of one, it is (eps, delta) itself.

The bound is for users who follow the protocol: ``HONEST_OF_BATCH`` of a batch are counted on to
hide the others. Against a shuffler who works with the server she is left with (eps0, delta0).

A release is a batch, and a draw the noise of all its messages: the stream is that of ``local``,
with a scale of sqrt(batch) times a message's. Gaussian draws only.
"""

import functools
import math
from typing import ClassVar

from privrl.checks import count, positive, probability, require
from privrl.privacy import accounting
from privrl.privacy.counters.local import LocalCounter
from privrl.privacy.rounding import UNIT, down, up
from privrl.privacy.trust import Trust
from privrl.types import Budget

HONEST_OF_BATCH = 0.9  # of the users of every batch
MOST_EPSILON = 20.0  # of a message


def most_local(users: int, delta: float) -> float:
    """The largest eps0 for which the theorem says something of so many users; below 0: none."""
    users, delta = count("users", users), probability("delta", delta)
    return math.log(users / (16 * math.log(4 / delta))) - 16 * UNIT


def amplified(local: float, users: int, delta: float) -> float:
    """Epsilon at ``delta`` of the shuffled messages of ``users``, each ``local``-private, rounded
    up."""
    local = positive("local", local)
    require(
        local <= most_local(users, delta),
        "local must be <= ln(users / (16 ln(4/delta)))",
        local=local,
        users=users,
    )
    grown, logarithm = math.exp(local), math.log(4 / delta)
    hidden = 8 * math.sqrt(grown * logarithm / users) + 8 * grown / users
    return up(math.log1p(math.tanh(local / 2) * hidden), 64 * UNIT)


def surplus(local: float, epsilon: float, users: int) -> float:
    """What a delta0 of each message is multiplied with in the batch's delta, rounded up."""
    return up((math.exp(epsilon) + 1) * (1 + math.exp(-local) / 2) * users, 64 * UNIT)


@functools.lru_cache(maxsize=1024)
def message(epsilon: float, delta: float, batch: int) -> Budget:
    """(eps0, delta0) of each message in a batch, for (epsilon, delta) of all that is handed out.

    Parameters
    ----------
    batch : users of it; ``HONEST_OF_BATCH`` of them hide each other
    """
    whole = Budget(epsilon, delta)
    require(delta > 0, "delta must be > 0 behind a shuffler", delta=delta)
    users = max(1, math.floor(count("batch", batch) * HONEST_OF_BATCH))
    half = down(delta / 2)
    high = min(most_local(users, half), MOST_EPSILON)
    if high <= epsilon:
        return whole
    low = epsilon
    if amplified(high, users, half) <= epsilon:
        low = high
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        if amplified(middle, users, half) <= epsilon:
            low = middle
        else:
            high = middle
    if low <= epsilon:
        return whole
    message = Budget(low, down(half / surplus(low, epsilon, users)))
    # delta0 may cost more than the shuffler gives
    more = accounting.gaussian_mu(message.epsilon, message.delta)
    return message if more > accounting.gaussian_mu(epsilon, delta) else whole


class ShuffleCounter(LocalCounter):
    """A random walk of batches."""

    name = "shuffle"
    summary = "random walk of shuffled batches: every user's own noise"
    rank = 9
    growth = "each"
    trust: ClassVar[Trust] = "shuffle"
    of_the_papers = False
    each_user = False  # a batch of them shares a plan
    exact = False
    audited = False
    batched = True
    laws = ("gaussian",)
