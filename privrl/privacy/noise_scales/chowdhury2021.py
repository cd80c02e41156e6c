"""chowdhury2021: Gaussian noise of trees on Z'Z and Z'X."""

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
)
from privrl.types import FloatArray

COSINES = np.linspace(0, 1, 401)  # cosines at which two users of an LQ system are tried


def printed_chowdhury2021(epsilon: float, delta: float, nodes: float = 1.0) -> float:
    """sigma_i / Delta_i: sqrt(8 m ln(2/delta)) / epsilon over m ``nodes``, its "of about" read as
    equality."""
    return math.sqrt(8 * nodes * math.log(2 / delta)) / epsilon


def printed_sizes_chowdhury2021(horizon: int, gamma: float) -> tuple[float, float]:
    """Delta_1 and Delta_2 of the two counters: H (1 + gamma)^2 and H (1 + gamma)."""
    return horizon * (1 + gamma) ** 2, horizon * (1 + gamma)


def noise(setting: Setting) -> Noise:
    """Printed and smallest noise."""
    nodes = levels(setting.episodes - 1)  # ceil(log2 K), the paper's m
    root = printed_chowdhury2021(setting.epsilon, setting.delta, nodes)
    first, second = printed_sizes_chowdhury2021(setting.horizon, setting.gamma)
    gram, two = first * root, second * root
    _, change = sensitivity.chowdhury2021_joint(
        setting.horizon,
        setting.gamma,
        gram,
        two,
        setting.adjacency,
        states=setting.states,
        controls=setting.actions,
    )
    return gaussian_noise(
        "chowdhury2021",
        setting,
        {"sigma_1": gram, "sigma_2": two},
        math.sqrt(nodes) * change,
        f"both trees together, {nodes} levels; an upper bound on the joint change, which "
        f"explicit users "
        "come near; |x| <= 1 and |u| <= gamma taken for granted",
    )


def change(setting: Setting, scales: dict[str, float]) -> Change:
    """The pair of :func:`privrl.privacy.sensitivity.control_pair` that moves farthest in units of
    the noise."""
    bounds = np.full(setting.horizon, setting.gamma)

    def sums(user: tuple[FloatArray, ...]) -> FloatArray:
        gram, cross = sensitivity.control_sums(*user)
        return np.concatenate(
            (
                gram[np.triu_indices(len(gram))] / scales["sigma_1"],
                cross.ravel() / scales["sigma_2"],
            )
        )

    pairs = []
    for turn in COSINES:
        first, second = sensitivity.control_pair(
            float(turn), bounds, setting.states, setting.actions, common_start=False
        )
        pairs.append((sums(second) - sums(first), sums(first)))
    return *max(pairs, key=lambda pair: float(np.linalg.norm(pair[0]))), 0.0


PAPER = PaperNoise(
    id="chowdhury2021",
    defaults=Setting(1.0, 1e-6, 5, 10**6, 2, 1, 3, 0.5),
    counter="tree",
    noise=noise,
    change=change,
    audited="chowdhury2021/scalar",
    tabulated={"epsilon": EPSILONS, "horizon": (5, 10, 20), "episodes": (10**4, 10**6, 10**8)},
    proviso="once the radius reads no data",
)
