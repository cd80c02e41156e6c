"""Proofs by z3: the negation of the claim is unsatisfiable under hypotheses that are satisfiable.

Two traps are closed here. A contradiction among the hypotheses proves everything, so
:meth:`Proof.shows` first asks for a model of them. And z3 lets ``x / 0`` be any number, so a
quotient is a fresh variable whose denominator was first shown to differ from zero.
"""

from typing import Any

import z3

from theory.rigor import UndecidedError

TIMEOUT_MILLISECONDS = (
    600_000  # proofs take a tenth of a second; an emulated processor took more than 20
)


class Proof:
    """Hypotheses, and what follows from them.

    Examples
    --------
    >>> x, y = z3.Reals("x y")
    >>> proof = Proof(y > 0, x >= 2 * y)
    >>> proof.shows(proof.quotient(1, x - y) <= proof.quotient(1, x) + proof.quotient(2 * y, x * x))
    True
    >>> proof.shows(x > 2 * y)
    False
    """

    def __init__(self, *hypotheses: Any) -> None:
        self._hypotheses: list[Any] = list(hypotheses)
        self._fresh = 0
        if self._check() != z3.sat:
            raise ValueError(f"the hypotheses must have a model, got {hypotheses}")

    def _check(self, *extra: Any) -> z3.CheckSatResult:
        solver = z3.Solver()
        solver.set("timeout", TIMEOUT_MILLISECONDS)
        solver.add(*self._hypotheses, *extra)
        outcome = solver.check()
        if outcome == z3.unknown:
            raise UndecidedError(f"z3 could not decide: {solver.reason_unknown()}")
        return outcome

    def quotient(self, numerator: Any, denominator: Any) -> z3.ArithRef:
        """A variable q with ``q * denominator == numerator``, after the denominator was shown not
        to vanish.

        Raises
        ------
        ValueError
            The hypotheses allow a denominator of zero.
        """
        if self._check(denominator == 0) != z3.unsat:
            raise ValueError(
                f"the denominator must not vanish under the hypotheses, got {denominator}"
            )
        self._fresh += 1
        value = z3.Real(f"quotient_{self._fresh}")
        self._hypotheses.append(value * denominator == numerator)
        return value

    def shows(self, claim: Any) -> bool:
        """Whether the claim holds in every model of the hypotheses (the negation is
        unsatisfiable)."""
        return bool(self._check(z3.Not(claim)) == z3.unsat)

    def allows(self, statement: Any) -> bool:
        """Whether some model of the hypotheses satisfies the statement: the control beside
        :meth:`shows`."""
        return bool(self._check(statement) == z3.sat)
