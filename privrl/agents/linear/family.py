"""What holds for every agent of linear mixtures: problems, noise, and the contract's pairs."""

import dataclasses
import math
from typing import Any

import numpy as np

from privrl.agents.linear.value_iteration import MixtureAgent
from privrl.checks import count, require
from privrl.environments.linear_mixture import LinearMixtureMDP
from privrl.environments.mixtures import mixture, random_mixture

PURE = False  #: whether delta = 0 is Laplace noise
READS = ("dimension",)  #: sizes that the noise depends on, beside the horizon
#: the smallest entry of the suite that there are committed runs on
RECORDED = "zhou2022/mixture-2"


def alike(agent: Any) -> list[tuple[LinearMixtureMDP, LinearMixtureMDP]]:
    """Pairs of problems that agree in all that the agent is told, and differ in what it has to
    learn."""
    problems = [mixture(2, 3, scaled=True), random_mixture(2, 3, 2, 3, seed=1)]
    return [(problem, _turned(problem, agent.known_rewards)) for problem in problems]


def _turned(mdp: LinearMixtureMDP, known_rewards: bool) -> LinearMixtureMDP:
    """The same features; the weights of the base models change places, those of the rewards where
    they are unknown."""
    theta_r = mdp.theta_r if known_rewards else np.roll(mdp.theta_r, 1, axis=1)
    return dataclasses.replace(mdp, theta_p=np.roll(mdp.theta_p, 1, axis=1), theta_r=theta_r)


def problem(
    agent: type[MixtureAgent], *, dimension: int, horizon: int, **_: float
) -> LinearMixtureMDP:
    """Features of the largest norms that the agent's paper allows."""
    d = count("dim", dimension, 2)
    require(d <= 100, "dim must be <= 100", dim=d)
    # liao2021, whose rewards are known, has ||phi_V|| <= H; zhou2022 sqrt(d) H
    features = mixture(d, count("horizon", horizon), scaled=agent.known_rewards)
    return dataclasses.replace(
        features, theta_p_bound=math.sqrt(d), theta_r_bound=math.sqrt(d), block_bound=math.sqrt(d)
    )


def scales(calibration: Any) -> dict[str, Any]:
    """Scales of a draw by the sums that they are put on; 0 is no release."""
    every = {
        "phi phi'": calibration.transitions.gram,
        "phi V": calibration.transitions.vector,
        "varphi varphi'": calibration.rewards.gram,
        "varphi r": calibration.rewards.vector,
    }
    return {sums: scales[scales > 0] for sums, scales in every.items() if (scales > 0).any()}
