"""How a claim is decided: by algebra, by z3, by balls, by exact computing, by sampling with an
error level and a power.

Each helper refuses what would make a proof empty: hypotheses without a model, an exhaustion of no
cases, a square of a symbol that need not be real, a number that changes with the precision.
"""


class UndecidedError(RuntimeError):
    """A helper gave up within its budget: neither proved nor refuted."""
