"""Planted faults: counters that are wrong in ways that real code has been wrong, for the power of
the audit.

A fault is just another stream of noise, injected where the right counter stood:

| fault | what goes wrong |
| --- | --- |
| half-scale | every draw is half as large |
| shared | one draw for all running sums (all states) of a release |
| redrawn | every release draws all its noise anew, with the variance of the right one; no tree |
| reused | a level draws once, and its later nodes use that draw again |
| missing-level | one level has no noise: the root of a tree, the leaves of the others |
| removal | noise for a user who is taken out (H) where users are replaced (2H) |
"""

from collections.abc import Callable
from typing import cast

import numpy as np

from privrl.checks import choice, count, positive, require
from privrl.privacy.counters.mechanisms import AUDITED, COUNTER_CLASSES, make
from privrl.privacy.counters.stream import Counter
from privrl.types import FloatArray

FAULTS = ("half-scale", "shared", "redrawn", "reused", "missing-level", "removal")

FaultyDraw = Callable[[Counter, int], FloatArray]


def level(time: int) -> int:
    """The lowest set bit of a time: the level of the node that a tree draws then."""
    return (time & -time).bit_length() - 1


def with_draws(name: str, draw: FaultyDraw) -> type[Counter]:
    """The counter of that name with other draws; ``draw`` is handed the counter and the number of
    rows."""
    return cast(type[Counter], type("Other", (COUNTER_CLASSES[name],), {"_draws": draw}))


class _Shared(Counter):
    """One stream for every ``group`` neighbouring sums."""

    name = "shared"

    def __init__(self, inner: Counter, group: int) -> None:
        super().__init__(inner.width * group, inner.releases, inner.scale, inner.rng, inner.law)
        self._inner, self._group = inner, group

    def _sums(self, rows: int) -> FloatArray:
        return np.repeat(self._inner.block(rows), self._group, axis=1)


class _Redrawn(Counter):
    """Release t is the t-th of a counter of its own; for a tree that is the sum of as many draws as
    t has bits."""

    name = "redrawn"

    def __init__(
        self, of: str, width: int, releases: int, rng: np.random.Generator, law: str
    ) -> None:
        super().__init__(width, releases, 1.0, rng, law)
        self._of = of

    def _sums(self, rows: int) -> FloatArray:
        block = np.empty((rows, self.width))
        for row in range(rows):
            time = self.released + row + 1
            of, last = ("local", time.bit_count()) if self._of == "tree" else (self._of, time)
            block[row] = make(of, self.width, last, 1.0, self.rng, self.law).block(last)[-1]
        return block


def _reused(kind: type[Counter]) -> FaultyDraw:
    def draw(counter: Counter, rows: int) -> FloatArray:
        block = kind._draws(counter, rows).copy()
        nodes: dict[int, FloatArray] = counter.__dict__.setdefault("_kept", {})
        for row in range(rows):
            block[row] = nodes.setdefault(level(counter.released + row + 1), block[row].copy())
        return block

    return draw


def _missing(kind: type[Counter], bare: int) -> FaultyDraw:
    def draw(counter: Counter, rows: int) -> FloatArray:
        block = kind._draws(counter, rows)
        for row in range(rows):
            if level(counter.released + row + 1) == bare:
                block[row] = 0.0
        return block

    return draw


def plant(
    fault: str | None,
    name: str,
    width: int,
    releases: int,
    rng: np.random.Generator,
    law: str = "gaussian",
    *,
    group: int = 1,
    ratio: float = 0.5,
) -> Counter:
    """A counter with unit scale and that fault; ``None`` for the right one.

    Parameters
    ----------
    fault : one of :data:`FAULTS`
    name, width, releases, rng, law : as for :func:`privrl.privacy.counters.mechanisms.make`
    group : ``shared`` gives this many neighbouring sums the same noise; it divides ``width``
    ratio : of ``removal``: the change by a user who is taken out, over that by one who is replaced
    """
    choice("counter", name, AUDITED)
    width, group, ratio = count("width", width), count("group", group), positive("ratio", ratio)
    if fault is None:
        return make(name, width, releases, 1.0, rng, law)
    choice("fault", fault, FAULTS)
    if fault in ("half-scale", "removal"):
        return make(name, width, releases, 0.5 if fault == "half-scale" else ratio, rng, law)
    if fault == "shared":
        require(width % group == 0, "group must divide width", group=group, width=width)
        return _Shared(make(name, width // group, releases, 1.0, rng, law), group)
    if fault == "redrawn":
        return _Redrawn(name, width, releases, rng, law)
    kind = COUNTER_CLASSES[name]
    bare = count("releases", releases).bit_length() - 1 if kind.dyadic else 0
    draw = _reused(kind) if fault == "reused" else _missing(kind, bare)
    return with_draws(name, draw)(width, releases, 1.0, rng, law)
