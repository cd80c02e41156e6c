"""Signed digits for Laplace noise: B and C from the definition, by enumeration of the digit
vectors.

The releases are the vectors of digits from zero on; a block on level i lies between two vectors
that agree in the first i - 1 digits, differ by one in digit i, and are zero after it. B says which
blocks a release adds (+1) or takes away (-1), C which items lie in a block; B C must be the matrix
A of running sums, and the l1 norm of a column of C is what one user costs
(:mod:`privrl.privacy.counters.matrix`, adaptive inputs included, although C is not lower
triangular).
"""

import itertools

import numpy as np
from numpy.typing import NDArray

from privrl.privacy.counters import mechanisms
from theory.claim import Records, Rigor, Trial

Signs = NDArray[np.int64]
Block = tuple[int, tuple[int, ...], int]
# h, w, releases: all that there are, or fewer
CASES = (
    (1, 3, 3),
    (2, 4, 20),
    (2, 10, 99),
    (3, 5, 115),
    (4, 3, 64),
)


def vectors(levels: int, allowance: int) -> list[tuple[int, ...]]:
    """All digit vectors from zero on, in lexicographic order."""
    sizes = itertools.product(range(-allowance, allowance + 1), repeat=levels)
    return [
        digits for digits in sizes if sum(map(abs, digits)) <= allowance and digits >= (0,) * levels
    ]


def factors(levels: int, allowance: int, releases: int) -> tuple[Signs, Signs]:
    """B (R, blocks) and C (blocks, R)."""
    every = vectors(levels, allowance)
    places = {digits: place for place, digits in enumerate(every)}
    rows: list[dict[Block, int]] = []
    for digits in every[1 : releases + 1]:
        read = {}
        for level, digit in enumerate(digits):
            for start in range(min(0, digit), max(0, digit)):
                read[level, digits[:level], start] = 1 if digit > 0 else -1
        rows.append(read)
    blocks = sorted({block for row in rows for block in row})
    noise = np.array([[row.get(block, 0) for block in blocks] for row in rows])
    items = np.zeros((len(blocks), releases), dtype=np.int64)
    for row, (level, before, start) in enumerate(blocks):
        zeros = (0,) * (levels - 1 - level)
        ends = [min(places[(*before, digit, *zeros)], releases) for digit in (start, start + 1)]
        items[row, ends[0] : ends[1]] = 1
    return noise, items


def private(sensitivity_less: int) -> bool:
    """Whether B C = A, and h less that much covers every column, for all cases."""
    for levels, allowance, releases in CASES:
        noise, items = factors(levels, allowance, releases)
        if not np.array_equal(
            noise @ items, np.tril(np.ones((releases, releases), dtype=np.int64))
        ):
            return False
        if (
            items.sum(axis=0).max() > levels - sensitivity_less
            or np.abs(noise).sum(axis=1).max() > allowance
        ):
            return False
    return True


def records() -> Records:
    """What is decided, with its nearest false neighbour."""
    power = 6  # of ten releases
    signed, smooth, tree = (
        mechanisms.counter_cost(name, 10**power, "laplace").product
        for name in ("signed", "smooth", "tree")
    )
    yield Trial(
        private,
        at=0,
        mutant_at=1,
        mutant="h - 1 blocks",
    ).holds(
        "step: signed digits",
        Rigor.EXACT,
        statement="an item lies in at most h blocks, a release reads at most w, and what lies "
        "after it cancels",
        domain="h = 1..4, up to 115 releases, by enumeration",
        evidence=f"largest variance times squared sensitivity at 10^{power} releases, in variances "
        f"of a draw: signed {signed:.0f}, smooth {smooth:.0f}, tree {tree:.0f}",
    )
