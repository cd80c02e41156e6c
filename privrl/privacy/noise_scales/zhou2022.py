"""zhou2022: Gaussian noise of 4H trees on features, values and rewards, theorem-6.4."""

import math

import numpy as np

from privrl.privacy import sensitivity
from privrl.privacy.levels import levels
from privrl.privacy.noise_scales.paper import (
    EPSILONS,
    Change,
    Noise,
    PaperNoise,
    Setting,
    gaussian_noise,
    mixture_row,
)
from privrl.types import Adjacency


def printed_zhou2022(epsilon: float, delta: float, horizon: int, nodes: float = 1.0) -> float:
    """sigma / Delta of each of the 4H counters over m ``nodes`` (theorem-6.4, as in the proof of
    theorem-6.5)."""
    return horizon / epsilon * math.sqrt(32 * nodes * math.log(4 * horizon / delta))


def printed_sizes_zhou2022(dimension: int, horizon: int) -> tuple[float, float]:
    """Delta of a step's phi phi' and phi V: d H^2 and sqrt(d) H^2 (definition-6.2)."""
    return dimension * horizon**2, math.sqrt(dimension) * horizon**2


def noise(setting: Setting) -> Noise:
    """Printed and smallest noise."""
    nodes = levels(setting.episodes - 1)
    root = printed_zhou2022(setting.epsilon, setting.delta, setting.horizon, nodes)
    gram, vector = printed_sizes_zhou2022(setting.dimension, setting.horizon)
    sizes = {
        "p1": gram,
        "p2": vector,
        "r1": 1.0,
        "r2": 1.0,
    }
    printed = {name: root * size for name, size in sizes.items()}
    change = sensitivity.zhou2022_joint(
        setting.horizon, max(setting.dimension, 2), printed, setting.adjacency
    )
    return gaussian_noise(
        "zhou2022",
        setting,
        {f"sigma_{name}": value for name, value in printed.items()},
        math.sqrt(nodes) * change,
        f"all {4 * setting.horizon} trees together, {nodes} levels; log K read to base 2",
    )


def change(setting: Setting, scales: dict[str, float]) -> Change:
    """What one user changes, in units of the printed noise."""
    changes, alone = [], []
    for bound in sensitivity.stage_bounds(setting.horizon, stage_values=True):
        for kind, size, top in (
            ("p", math.sqrt(max(setting.dimension, 2)) * bound, bound),
            ("r", 1.0, 1.0),
        ):
            sigmas = scales[f"sigma_{kind}1"], scales[f"sigma_{kind}2"]
            pair = sensitivity.features_joint(size, top, *sigmas, Adjacency.REPLACE)
            first, second = (mixture_row(user, *sigmas) for user in (pair.first, pair.second))
            changes.append(second - first)
            alone.append(first)
    return np.concatenate(changes), np.concatenate(alone), 0.0


PAPER = PaperNoise(
    id="zhou2022",
    defaults=Setting(1.0, 1e-6, 10, 10**5, 3, 2, 4, 1.0),
    counter="tree",
    noise=noise,
    change=change,
    audited="zhou2022/mixture-2",
    tabulated={"epsilon": EPSILONS, "horizon": (2, 5, 10), "episodes": (10**4, 10**6, 10**8)},
)
