"""liao2021: Gaussian noise of every user's own on her message, algorithm 1."""

import math

import numpy as np

from privrl.privacy import sensitivity
from privrl.privacy.noise_scales.paper import (
    EPSILONS,
    Change,
    Noise,
    PaperNoise,
    Setting,
    gaussian_noise,
    mixture_row,
)
from privrl.types import FloatArray


def printed_liao2021(epsilon: float, delta: float, horizon: int) -> float:
    """sigma of algorithm 1 as its line 1 prints it, with epsilon inside the root. Section 6.2 has
    epsilon outside, as the derivation does: that is this function at epsilon^2."""
    return 4 * horizon**3 * math.sqrt(2 * math.log(2.5 * horizon / delta) / epsilon)


def experiments_liao2021(epsilon: float, delta: float, horizon: int) -> float:
    """sigma of section 6.2's experiments."""
    return 4 * horizon * math.sqrt(2 * math.log(2.5 * horizon / delta)) / epsilon


def printed_beta_liao2021(
    constant: float,
    dimension: int,
    rest: FloatArray,
    steps: int,
    epsilon: float,
    delta: float,
    alpha: float,
) -> FloatArray:
    """beta_h of theorem-5.2 over k^(1/4), with c = ``constant``, for ``rest`` = H - h + 1 and
    ``steps`` T = KH."""
    widths = constant * dimension**0.75 * rest**1.5
    widths *= math.log(dimension * steps / alpha) / math.sqrt(epsilon)
    return np.asarray(widths * np.log(rest / delta) ** 0.25)


def noise(setting: Setting) -> Noise:
    """Printed and smallest noise."""
    sigma = printed_liao2021(setting.epsilon, setting.delta, setting.horizon)
    outside = printed_liao2021(setting.epsilon**2, setting.delta, setting.horizon)
    change = sensitivity.liao2021("message", setting.horizon, setting.adjacency).value
    return gaussian_noise(
        "liao2021",
        setting,
        {"sigma": sigma},
        change / sigma,
        "one user's whole message; epsilon stands inside the root of sigma, as line 1 prints it: "
        f"outside, as section 6.2 has it, sigma is {outside:.4g}; features within equation-3.1 and "
        "0 <= V_{h+1} <= H - h, which algorithm 1 clips from above only",
    )


def outside_over_inside(setting: Setting) -> float:
    """sigma with epsilon outside the root, as the derivation has it, over line 1's."""
    meant, printed = (
        printed_liao2021(epsilon, setting.delta, setting.horizon)
        for epsilon in (setting.epsilon**2, setting.epsilon)
    )
    return meant / printed


def change(setting: Setting, scales: dict[str, float]) -> Change:
    """What one user changes, in units of the printed noise."""
    pair = sensitivity.liao2021("message", setting.horizon)
    sigma = scales["sigma"]
    sums = [mixture_row(user, sigma, sigma) for user in (pair.first, pair.second)]
    return sums[1] - sums[0], sums[0], 0.0


PAPER = PaperNoise(
    id="liao2021",
    defaults=Setting(1.0, 0.1, 6, 10**4, 3, 2, 4, 1.0),
    counter="local",
    noise=noise,
    change=change,
    audited="liao2021/mixture-2",
    tabulated={"epsilon": EPSILONS, "delta": (0.1, 1e-6), "horizon": (2, 6, 10)},
    proviso="once values are cut at 0",
    meant_over_printed=outside_over_inside,
)
