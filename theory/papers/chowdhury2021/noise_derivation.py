"""chowdhury2021's noise, derived: sigma_1 and sigma_2 of its two trees."""

import sympy as sp

from theory.derive_noise import (
    DELTA,
    EPSILON,
    GAMMA,
    HORIZON,
    LEVELS,
    LOG,
    NoiseScale,
    by_zcdp,
    chowdhury2021_weights,
)


def noise_scales() -> tuple[NoiseScale, ...]:
    """sigma_1 and sigma_2: shares (epsilon/2, delta/2), zero-concentrated privacy over m nodes."""
    weight = chowdhury2021_weights(GAMMA).most
    sizes = {
        "sigma_1": (HORIZON * (1 + GAMMA) ** 2, "z z', with |z| <= 1 + gamma"),
        "sigma_2": (HORIZON * (1 + GAMMA), "z x_+', with |z| <= 1 + gamma and |x_+| <= 1"),
    }
    return tuple(
        by_zcdp(
            name,
            change,
            EPSILON / 2,
            sp.log(2 / DELTA),
            sp.sqrt(8 * LEVELS * change**2 * LOG) / EPSILON,
            weight,
            (
                f"one user adds H times {of}",
                "the two counters share epsilon and delta",
                "a replaced user, both counters together, by the exact curve",
            ),
        )
        for name, (change, of) in sizes.items()
    )
