"""Statistical checks with an error level and a power, for what cannot be decided otherwise.

The suite's budget of false alarms is 10^-6 for a whole run; :data:`LEVEL` is the share of one check
when there are at most :data:`CHECKS` of them. A check must state its power at its mutant: a test
that would not notice has tested nothing.
"""

import bisect

from scipy import stats

from privrl.checks import count, probability, require
from privrl.privacy.audit.events import proportion_above, proportion_below

BUDGET = 1e-6
CHECKS = 1_000
LEVEL = BUDGET / CHECKS


def clopper_pearson(successes: int, trials: int, level: float = LEVEL) -> tuple[float, float]:
    """The exact two-sided interval for a probability: it misses the truth with probability at most
    ``level``.

    Raises
    ------
    ValueError
        successes outside 0..trials, trials < 1, level outside (0, 1).
    """
    trials = count("trials", trials)
    successes = count("successes", successes, 0)
    require(successes <= trials, "successes must be <= trials", successes=successes, trials=trials)
    half = probability("level", level) / 2
    return float(proportion_below(successes, trials, half)), float(
        proportion_above(successes, trials, half)
    )


def refutes_at_most(successes: int, trials: int, claimed: float, level: float = LEVEL) -> bool:
    """Whether the sample refutes "the probability is at most ``claimed``" (false alarm at most
    ``level`` / 2)."""
    return clopper_pearson(successes, trials, level)[0] > probability(
        "claimed", claimed, zero=True, one=True
    )


def power_at_most(trials: int, claimed: float, truth: float, level: float = LEVEL) -> float:
    """The probability that :func:`refutes_at_most` notices a true probability ``truth`` >
    ``claimed``."""
    trials = count("trials", trials)
    # the smallest number of successes that refutes; the interval moves up with it
    least = bisect.bisect_left(
        range(trials + 1), True, key=lambda k: refutes_at_most(k, trials, claimed, level)
    )
    return float(
        stats.binom.sf(least - 1, trials, probability("truth", truth, zero=True, one=True))
    )
