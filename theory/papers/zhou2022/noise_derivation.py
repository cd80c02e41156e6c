"""zhou2022's noise, derived: the four sigmas of its 4H trees."""

import sympy as sp

from privrl.checks import require
from theory.derive_noise import (
    DELTA,
    DIMENSION,
    EPSILON,
    HORIZON,
    LEVELS,
    LOG,
    NoiseScale,
    by_zcdp,
)


def noise_scales() -> tuple[NoiseScale, ...]:
    """The four sigmas: shares (epsilon/4H, delta/4H), zero-concentrated privacy over m nodes."""
    level = sp.log(4 * HORIZON / DELTA)
    h = sp.Symbol("h", integer=True, positive=True)
    weight = sp.Rational(9, 2) * (
        HORIZON + sp.factor(sp.summation(h**4, (h, 1, HORIZON - 1))) / HORIZON**4
    )
    names = {
        "sigma_p1": (DIMENSION * HORIZON**2, "phi phi', with |phi| <= sqrt(d) H"),
        "sigma_p2": (
            sp.sqrt(DIMENSION) * HORIZON**2,
            ("phi V, with |phi| <= sqrt(d) H and V <= H"),
        ),
        "sigma_r1": (sp.Integer(1), "varphi varphi', with |varphi| <= 1"),
        "sigma_r2": (sp.Integer(1), "varphi r, with |varphi| <= 1 and r <= 1"),
    }
    rows = []
    for name, (change, of) in names.items():
        # theorem-6.4 first sets the noise for one step, then puts epsilon/H and delta/H in place of
        # epsilon and delta
        theorem = sp.sqrt(32 * LEVELS * change**2 * sp.log(4 / DELTA) / EPSILON**2)
        printed = theorem.subs(
            {EPSILON: EPSILON / HORIZON, DELTA: DELTA / HORIZON}, simultaneous=True
        )
        # as in the proof of theorem-6.5
        displayed = HORIZON * change / EPSILON * sp.sqrt(32 * LEVELS * LOG)
        require(
            sp.simplify(printed / displayed.subs(LOG, level)) == 1,
            "the two displays must agree",
            name=name,
        )
        rows.append(
            by_zcdp(
                name,
                change,
                EPSILON / (4 * HORIZON),
                level,
                displayed,
                weight,
                (
                    f"one user adds, in one step, {of}",
                    "the 4H counters share epsilon and delta",
                    "a replaced user, all 4H counters together, by the exact curve",
                ),
            )
        )
    return tuple(rows)
