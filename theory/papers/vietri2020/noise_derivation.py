"""vietri2020's noise, derived: the Laplace scale of a node of its trees."""

import sympy as sp

from theory.derive_noise import (
    EPSILON,
    HORIZON,
    LEVELS,
    LOG,
    RELEASES,
    SCALE,
    NoiseScale,
    Step,
    compared,
    laplace,
)


def noise_scales() -> tuple[NoiseScale, ...]:
    """The Laplace scale of a node of the tree: three families of counters share epsilon."""
    nodes, share, printed = sp.log(RELEASES), EPSILON / 3, 3 * HORIZON * sp.log(RELEASES) / EPSILON
    equation, derived = laplace(HORIZON, nodes, share)
    mended, required = laplace(2 * HORIZON, LEVELS, share)
    steps = (
        Step(
            "one user moves a family of counters by at most H in l1 (claim 1)",
            sp.Eq(sp.Symbol("Delta"), HORIZON),
        ),
        Step(
            "each of her items stands in log T nodes of the tree (theorem 12)",
            sp.Eq(sp.Symbol("nodes"), nodes),
        ),
        Step("rewards, visits and moves share epsilon", sp.Eq(sp.Symbol("share"), share)),
        Step("what she can change in the density of all nodes, set equal to the share", equation),
        Step("solved for the scale", sp.Eq(SCALE, derived)),
        *compared("b", printed, derived),
        Step(
            "repaired: a replaced user moves them by 2H, in m = floor(log2(T - 1)) + 1 nodes",
            mended,
        ),
        Step("solved for the scale", sp.Eq(SCALE, required)),
    )
    return (
        NoiseScale(
            "b",
            sp.log(RELEASES),
            3 * HORIZON * LOG / EPSILON,
            derived.subs(sp.log(RELEASES), LOG),
            required,
            steps,
        ),
    )
