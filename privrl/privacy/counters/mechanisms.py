"""Every counter by its name, and what it costs, behind one interface.

Each declares itself in its own module (:class:`privrl.privacy.counters.stream.Counter`), and they
are found there; ``privrl list`` names them with a few words for each.

To use one: ``scale = change * counter_cost(name, R, law).sensitivity / mu`` (Laplace: ``/
epsilon``), with the l2 (l1) change of one user's contribution; the noise of all releases then stays
within ``scale * counter_quantile(...)``.

``MECHANISMS`` are all names, ``OF_THE_PAPERS`` those that every agent knows how to calibrate, and
``BETWEEN`` those that trust somebody less than a server and more than nobody. An agent that is not
calibrated for a counter refuses it.
"""

import functools
import importlib
import pkgutil
from pathlib import Path
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike

from privrl.checks import array, choice, count, require
from privrl.privacy.counters.matrix import MOST_RELEASES, Cost, lower_bound, root_mean
from privrl.privacy.counters.stream import LAWS, Counter, VarianceGrowth
from privrl.types import FloatArray

DECLARATION = ("name", "summary", "rank", "growth", "audited")


def _find() -> dict[str, type[Counter]]:
    """The counters of this folder's modules by their names, in their order.

    Raises
    ------
    TypeError
        One that leaves out what nobody can know for it, or whose variance grows in an unknown way.
    """
    kinds: list[type[Counter]] = []
    for module_ in pkgutil.iter_modules([str(Path(__file__).parent)]):
        module = importlib.import_module(f"{__package__}.{module_.name}")
        kinds += [
            kind
            for kind in vars(module).values()
            if isinstance(kind, type)
            and issubclass(kind, Counter)
            and kind.__module__ == module.__name__
            and kind is not Counter
        ]
    for kind in kinds:
        missing = [fact for fact in DECLARATION if not hasattr(kind, fact)]
        if missing:
            raise TypeError(f"a counter must declare {', '.join(missing)}, got {kind.__name__}")
        if kind.growth not in get_args(VarianceGrowth):
            raise TypeError(
                f"growth must be one of {', '.join(get_args(VarianceGrowth))}, "
                f"got {kind.__name__}: {kind.growth}"
            )
    return {kind.name: kind for kind in sorted(kinds, key=lambda kind: kind.rank)}


COUNTER_CLASSES = _find()
MECHANISMS = tuple(COUNTER_CLASSES)
NOISY = tuple(name for name in MECHANISMS if name != "none")
#: neither a server nor every user for herself: the noise of a release is no one law
BETWEEN = tuple(name for name in NOISY if COUNTER_CLASSES[name].trust in ("secure", "shuffle"))
#: one noise a release, however many users it is made of
SINGLE = tuple(name for name in MECHANISMS if not COUNTER_CLASSES[name].batched)
PRIVATE = tuple(name for name in NOISY if name not in BETWEEN)
OF_THE_PAPERS = tuple(name for name, kind in COUNTER_CLASSES.items() if kind.of_the_papers)
BETTER = tuple(name for name in PRIVATE if name not in OF_THE_PAPERS)
#: whose matrices are whole; who put noise on filtered sums; and all who can have exact noise
WHOLE = tuple(name for name, kind in COUNTER_CLASSES.items() if kind.exact)
FILTERED = tuple(name for name, kind in COUNTER_CLASSES.items() if kind.filtered)
EXACT = tuple(name for name in MECHANISMS if name in (*WHOLE, *FILTERED))
AUDITED = tuple(name for name, kind in COUNTER_CLASSES.items() if kind.audited)

__all__ = [
    "AUDITED",
    "BETTER",
    "BETWEEN",
    "EXACT",
    "FILTERED",
    "COUNTER_CLASSES",
    "MECHANISMS",
    "NOISY",
    "OF_THE_PAPERS",
    "PRIVATE",
    "SINGLE",
    "WHOLE",
    "best",
    "counter_cost",
    "counter_error",
    "counter_quantile",
    "counter_variance",
    "laws",
    "lower_bound",
    "make",
    "most_releases",
]


def make(
    name: str,
    width: int,
    releases: int,
    scale: float,
    rng: np.random.Generator,
    law: str = "gaussian",
) -> Counter:
    """The counter of that name."""
    return COUNTER_CLASSES[choice("counter", name, MECHANISMS)](
        width, releases, scale, rng, choice("law", law, LAWS)
    )


def laws(name: str) -> tuple[str, ...]:
    """The laws that a counter's draws may have."""
    return COUNTER_CLASSES[choice("counter", name, NOISY)].laws


def most_releases(name: str, width: int) -> int:
    """How many releases of ``width`` sums a counter can serve: ``sqrt`` keeps every draw, the
    others some rows."""
    choice("counter", name, MECHANISMS)
    return COUNTER_CLASSES[name].most_releases(count("width", width))


def counter_cost(name: str, releases: int, law: str = "gaussian") -> Cost:
    """Sensitivity, variances, memory and time of a counter that serves so many releases, 1..2^53
    (``sqrt``: 2^24)."""
    law = COUNTER_CLASSES[choice("counter", name, NOISY)].known_law(law)
    return _cost(name, count("releases", releases, 1, MOST_RELEASES), law)


def counter_variance(
    name: str, times: ArrayLike, releases: int, law: str = "gaussian"
) -> FloatArray:
    """Variance of the releases at ``times``, (n,) in 1..R, in units of the variance of a draw.

    The noise of linear agents grows with this: their widths of episode k need the variance of
    release k - 1.
    """
    cost = counter_cost(name, releases, law)
    moments = array("times", times, (None,))
    require(
        bool(((moments >= 1) & (moments <= releases) & (moments == np.floor(moments))).all()),
        "times must be whole numbers in 1..releases",
        first=float(moments[0]),
        releases=releases,
    )
    return COUNTER_CLASSES[name].variance(moments.astype(np.int64), int(releases), cost.law)


def counter_error(name: str, releases: int, law: str = "gaussian") -> float:
    """Largest standard deviation of a release at unit change and unit privacy (mu = 1; Laplace:
    epsilon = 1), up."""
    return root_mean(counter_cost(name, releases, law))


def counter_quantile(name: str, releases: int, beta: float, law: str = "gaussian") -> float:
    """An x with P(some release of one sum beyond x) <= beta, certified, in units of the scale of a
    draw.

    ``tree`` and ``local`` by their own laws (:mod:`privrl.privacy.quantiles`), the others by the
    union over releases; beta is in [1e-100, 1).
    """
    cost = counter_cost(name, releases, law)
    return COUNTER_CLASSES[name].quantile(beta, releases, cost.law)


def best(releases: int, law: str = "gaussian") -> str:
    """The counter in few rows with the least noise at the noisiest release."""
    choice("law", law, LAWS)
    known = (name for name in PRIVATE if COUNTER_CLASSES[name].few_rows and law in laws(name))
    return min(known, key=lambda name: counter_error(name, releases, law))


@functools.lru_cache(maxsize=256)
def _cost(name: str, releases: int, law: str) -> Cost:
    return COUNTER_CLASSES[name].cost(releases, law)
