"""Bounds made of named terms: sums in the order of their fields, and maxima that say what binds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import inf

from privrl.checks import require


@dataclass(frozen=True)
class BoundTerms:
    """A bound, term by term: what a paper's sums inherit; every field is a number."""

    @property
    def total(self) -> float:
        """The bound."""
        return float(sum(vars(self).values()))

    def as_dict(self) -> dict[str, float]:
        """The terms and their sum."""
        return {**vars(self), "total": self.total}


@dataclass(frozen=True)
class Binding:
    """The value of a bound that is the largest or the least of several terms, and which of them
    it is."""

    value: float
    term: str

    def times(self, factor: float) -> "Binding":
        """The same term in another unit."""
        return replace(self, value=self.value * factor)


def largest(terms: Mapping[str, float]) -> Binding:
    """The maximum of named terms; the first of those that are equal."""
    term = max(terms, key=terms.__getitem__)
    return Binding(terms[term], term)


def least(terms: Mapping[str, float]) -> Binding:
    """The minimum of named terms; the first of those that are equal."""
    term = min(terms, key=terms.__getitem__)
    return Binding(terms[term], term)


def illustrated(bound: Callable[[float], Binding], epsilon: float, factor: float = 2.0) -> Binding:
    """``bound(epsilon)`` as an example of what privacy costs: without privacy it must be less by
    ``factor``.

    Raises
    ------
    ValueError
        ``bound(inf)`` is more than ``bound(epsilon) / factor``: then the example is not about
        privacy.
    """
    private, free = bound(epsilon), bound(inf)
    require(
        private.value >= factor * free.value,
        f"an example of a privacy bound must be at least {factor:g} times the bound without "
        f"privacy",
        epsilon=epsilon,
        private=private.value,
        free=free.value,
        term=private.term,
    )
    return private


def example_text(bound: Callable[[float], Binding], epsilon: float, at: str, unit: str) -> str:
    """An :func:`illustrated` lower bound in a sentence: the term that binds, and what it says
    without privacy."""
    binding, free = illustrated(bound, epsilon), bound(inf)
    return (
        rf"{at}, $\varepsilon = {epsilon:g}$ it says {binding.value:.4g} {unit} (what binds: "
        f"{binding.term}); without privacy it would say {free.value:.4g}."
    )
