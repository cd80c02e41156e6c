"""vietri2020: Laplace noise of trees on counts, algorithm 5."""

import math

import numpy as np

from privrl.privacy import accounting, sensitivity
from privrl.privacy.levels import levels
from privrl.privacy.noise_scales.paper import EPSILONS, Change, Noise, PaperNoise, Scale, Setting
from privrl.types import FloatArray


def printed_vietri2020(epsilon: float, horizon: int, episodes: int) -> float:
    """Laplace scale of algorithm 5, (3H/epsilon) log T with the natural logarithm."""
    return 3 * horizon / epsilon * math.log(episodes)


def printed_width_vietri2020(
    epsilon: float, horizon: int, episodes: int, counters: int, share: float
) -> float:
    """E_epsilon, (3/epsilon) H ln(N/beta') ln(T)^(5/2) of N ``counters`` at beta' = ``share``
    (vietri2020/equation-e-epsilon)."""
    logarithm = math.log(counters / share)
    return float(3 / epsilon * horizon * logarithm * math.log(episodes) ** 2.5)


def noise(setting: Setting) -> Noise:
    """Printed and smallest noise."""
    releases = setting.episodes - 1
    printed = printed_vietri2020(setting.epsilon, setting.horizon, setting.episodes)
    change = sensitivity.vietri2020(
        "all", setting.horizon, setting.adjacency, states=setting.states
    ).value
    real = accounting.laplace_family_epsilon(printed, change, releases)
    smallest = accounting.laplace_family_scale(setting.epsilon, change, releases)
    return Noise(
        "vietri2020",
        setting,
        (Scale("b", "laplace", printed, smallest),),
        real,
        smallest / printed,
        f"counters n, r, m together, l1 change {change:g}, {levels(releases)} levels; log read "
        f"as natural; "
        "pure differential privacy, whatever delta",
    )


def change(setting: Setting, scales: dict[str, float]) -> Change:
    """What one user changes, in units of the printed noise."""
    first, second = _users(setting)
    return (second - first) / scales["b"], first / scales["b"], 1 / scales["b"]


def _users(setting: Setting) -> tuple[FloatArray, FloatArray]:
    pair = sensitivity.vietri2020("all", setting.horizon, states=setting.states)
    shape = (setting.states, setting.actions)

    def sums(user: tuple[FloatArray, ...]) -> FloatArray:
        states, actions, rewards = user
        return np.concatenate(
            [
                stream.ravel()
                for stream in sensitivity.tabular_streams(states, actions, rewards, shape)
            ]
        )

    return sums(pair.first), sums(pair.second)


PAPER = PaperNoise(
    id="vietri2020",
    defaults=Setting(1.0, 0.0, 3, 10**6, 3, 2, 1, 1.0),
    counter="tree",
    noise=noise,
    change=change,
    pure=True,
    audited="vietri2020/riverswim-2-relabelled",
    tabulated={"epsilon": EPSILONS, "horizon": (3, 10, 20), "episodes": (10**4, 10**6, 10**8)},
    proviso="the released counters, natural logarithm",
)
