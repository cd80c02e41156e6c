"""A bound as a sum of named terms, in the order of its fields."""

from dataclasses import dataclass


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
