"""Certificates by ball arithmetic (Arb through python-flint): a real number is a midpoint and a
radius, never a rounding gap.

An inequality is certified on a box by bisection: every leaf's ball lies above zero. Strict
inequalities only: where two sides meet, divide by what vanishes, or prove it by algebra.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from flint import arb, ctx

from theory.rigor import UndecidedError

Interval = tuple[float | int | str, float | int | str]


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Work with ``bits`` of precision inside the block; the precision of python-flint is a global
    of the process."""
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def above(
    function: Callable[..., arb], box: Sequence[Interval], *, budget: int = 100_000, bits: int = 128
) -> bool:
    """Whether ``function > 0`` on the whole closed box, decided by bisection.

    True: certified, each leaf's ball is positive. False: refuted, at some point of the box the ball
    is below zero.

    Parameters
    ----------
    function : takes one ball per side of the box and returns a ball
    box : the sides as (low, high); strings are read exactly as decimals

    Raises
    ------
    ValueError
        A side with low > high.
    UndecidedError
        Neither, within ``budget`` boxes (for example when the function touches zero).
    """
    with precision(bits):
        sides = [(arb(low), arb(high)) for low, high in box]
        for low, high in sides:
            if low > high:
                raise ValueError(
                    f"a side of the box must have low <= high, got low={low}, high={high}"
                )
        leaves = [sides]
        for _ in range(budget):
            if not leaves:
                return True
            leaf = leaves.pop()
            if function(*(low.union(high) for low, high in leaf)) > 0:
                continue
            if function(*((low + high) / 2 for low, high in leaf)) < 0:
                return False
            widest = max(range(len(leaf)), key=lambda i: float((leaf[i][1] - leaf[i][0]).mid()))
            low, high = leaf[widest]
            middle = ((low + high) / 2).mid()
            for half in ((low, middle), (middle, high)):
                leaves.append([*leaf[:widest], half, *leaf[widest + 1 :]])
    raise UndecidedError(f"{budget} boxes did not decide the inequality")


def positive_beyond(coefficients: Sequence[arb | int], start: arb | int) -> bool:
    """Whether the polynomial (constant term first) is certified > 0 at every x >= ``start``.

    All its coefficients in x - start are > 0: sufficient, not necessary, so False proves nothing.
    """
    shifted = [arb(value) for value in coefficients]
    degree = len(shifted) - 1
    for done in range(degree):  # Horner's scheme, repeated: the Taylor shift
        for index in range(degree - 1, done - 1, -1):
            shifted[index] += arb(start) * shifted[index + 1]
    return all(bool(value > 0) for value in shifted)
