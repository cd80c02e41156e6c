"""Proofs by algebra: identities, and inequalities from a certificate that anyone can multiply out.

Nothing here searches. A certificate is given by the author of the check, and these functions only
verify it, so a wrong certificate is refused and a false statement has none.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import sympy as sp


def identity(left_side: sp.Expr | int, right: sp.Expr | int) -> bool:
    """Whether ``left - right`` is zero for all values of its symbols (sympy's normal forms, no
    sampling).

    Examples
    --------
    >>> x = sp.Symbol("x", positive=True)
    >>> identity((x + 1) ** 2, x**2 + 2 * x + 1), identity((x + 1) ** 2, x**2 + 1)
    (True, False)
    """
    difference = sp.sympify(left_side) - sp.sympify(right)
    for form in (
        sp.expand,
        sp.cancel,
        sp.simplify,
        lambda e: sp.simplify(sp.expand_log(sp.expand(e), force=False)),
    ):
        difference = form(difference)
        if difference == 0:
            return True
    return False


@dataclass(frozen=True)
class Term:
    """``weight * base**2 * product(factors)``: not negative when the weight and every factor are
    not.

    Parameters
    ----------
    weight : a number >= 0
    base : any real expression (squared)
    factors : expressions that the statement supposes to be >= 0
    """

    weight: sp.Expr | int
    base: sp.Expr | int = 1
    factors: Sequence[sp.Expr] = field(default=())


def nonnegative(
    expression: sp.Expr, terms: Iterable[Term], hypotheses: Sequence[sp.Expr] = ()
) -> bool:
    """Whether the certificate ``terms`` proves ``expression >= 0`` wherever every expression in
    ``hypotheses`` is >= 0.

    Three things are verified: each weight is a number >= 0, each factor is one of ``hypotheses``
    (or a symbol declared nonnegative), and the terms add up to the expression.

    Raises
    ------
    ValueError
        A symbol is not declared real: a square of it need not be >= 0.
    """
    rows = list(terms)
    for symbol in sp.sympify(expression).free_symbols:
        if not symbol.is_real:
            raise ValueError(f"every symbol must be declared real, got symbol={symbol}")
    total = sp.Integer(0)
    for row in rows:
        weight = sp.sympify(row.weight)
        if not (weight.is_number and weight.is_nonnegative):
            return False
        for factor in row.factors:
            if not (
                sp.sympify(factor).is_nonnegative
                or any(identity(factor, known) for known in hypotheses)
            ):
                return False
        total += weight * sp.sympify(row.base) ** 2 * sp.prod(row.factors)
    return identity(expression, total)
