"""liao2021's noise, derived: sigma of one user's message."""

import sympy as sp

from theory.derive_noise import (
    DELTA,
    EPSILON,
    HORIZON,
    LOG,
    MU,
    SIGMA,
    NoiseScale,
    Step,
    classical,
    compared,
)


def noise_scales() -> tuple[NoiseScale, ...]:
    """sigma of algorithm 1: 2H releases with (epsilon/2H, delta/2H) each, change 2H^2, the
    classical mechanism."""
    change, share, delta_share = 2 * HORIZON**2, EPSILON / (2 * HORIZON), DELTA / (2 * HORIZON)
    level = sp.log(sp.Rational(5, 2) * HORIZON / DELTA)  # 1.25/part
    printed = 4 * HORIZON**3 * sp.sqrt(2 * LOG / EPSILON)
    equation, sigma = classical(change, share, delta_share)
    derived = sigma.subs(sp.log(sp.Rational(5, 4) / delta_share), LOG)
    h = sp.Symbol("h", integer=True, positive=True)
    required = sp.sqrt(sp.Rational(9, 2) * sp.factor(sp.summation(h**4, (h, 1, HORIZON - 1)))) / MU
    steps = (
        Step("one user moves a release by at most 2 H^2 in l2", sp.Eq(sp.Symbol("Delta"), change)),
        Step(
            "her message has 2H releases, which share epsilon (and delta alike)",
            sp.Eq(sp.Symbol("share"), share),
        ),
        Step("the classical Gaussian mechanism (lemma 3.8)", equation),
        Step(f"solved for the noise, with L = {level}", sp.Eq(SIGMA, derived)),
        *compared("sigma", printed, derived),
        Step("the solution over the display", sp.simplify(derived / printed)),
        Step(
            "repaired: features within (3.1), values in [0, H - h], the whole message by the "
            "exact curve",
            sp.Eq(SIGMA, required),
        ),
    )
    return (NoiseScale("sigma", level, printed, derived, required, steps),)
