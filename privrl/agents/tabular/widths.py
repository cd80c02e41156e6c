"""Widths over any counter, shared by PUCB and its two successors."""

import dataclasses
import math

from privrl.checks import count, probability
from privrl.privacy import quantiles
from privrl.privacy.counters.matrix import Cost, union_quantile

BLOCKS = (1.02, 1.05, 1.1, 1.15, 1.2, 1.3, 1.5)  # growth of the blocks of visits, the best of these


def chernoff_width(beta: float, terms: int) -> float:
    """A bound exceeded by |sum of ``terms`` Laplace(1)| with probability at most ``beta``.

    ln E exp(z X) = -ln(1 - z^2) <= 2 z^2 for |z| <= 1/sqrt 2; so sqrt(8 l) max(sqrt(terms),
    sqrt(l)) at l = ln(2/beta).
    """
    logarithm = math.log(2 / probability("beta", beta))
    return math.sqrt(8 * logarithm) * max(math.sqrt(count("terms", terms)), math.sqrt(logarithm))


def elementary(cost: Cost, releases: int, level: float) -> float:
    """What the noise of one sum exceeds at some release with probability ``level`` at most, in
    closed form."""
    if cost.law == "gaussian":
        return math.sqrt(2 * cost.largest * math.log(2 * releases / level))
    return chernoff_width(level / releases, round(cost.largest))


def several(counter: str, cost: Cost, number: int, releases: int, level: float) -> float:
    """The same of ``number`` independent sums added up, Laplace draws, certified.

    ``local``: a walk with so many draws a step, by Levy's inequality. Else by the union over
    releases.
    """
    if counter == "local":
        return quantiles.local_quantile(level, releases * number)
    return union_quantile(dataclasses.replace(cost, variances=cost.variances * number), level)


def blocks(number: int, visits: int, level: float) -> tuple[float, float]:
    """(eta, l) of least product: ``number`` processes fail within ``visits`` steps with probability
    ``level`` at most.

    An inequality with failure probability exp(-l) that covers the first j sums at once is used at j
    = floor(eta^i), i = 0, 1, ..: it covers every number n of steps, with j < eta n.
    """
    splits = []
    for eta in BLOCKS:
        ends = math.ceil(math.log(visits) / math.log(eta)) + 2
        splits.append((eta, math.log(number * ends / level)))
    return min(splits, key=lambda split: split[0] * split[1])


def hoeffding(number: int, visits: int, level: float, tight: bool) -> float:
    """L: each of ``number`` sums of n terms in [0, 1] stays above its mean - sqrt(n L/2) for n <=
    visits."""
    single = math.log(number * visits / level)
    return min(single, math.prod(blocks(number, visits, level))) if tight else single
