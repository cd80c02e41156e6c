"""Worlds that stay comparable from one size to the next, and what the bounds say at each size.

In every family a wrong action costs the same at all sizes, so that what grows is the number of
users alone.
"""

from collections.abc import Mapping
from math import inf

import numpy as np

from privrl.checks import count
from privrl.environments.linear_mixture import mixture
from privrl.environments.lq import LQSystem
from privrl.types import Calibration, Environment, TabularMDP
from theory.papers.chowdhury2021 import bounds as chowdhury
from theory.papers.liao2021 import bounds as liao
from theory.papers.vietri2020.bounds import proved, stated
from theory.papers.zhou2022 import bounds as zhou

SIZES = Mapping[str, float]  # by axis, and epsilon
DRIFT, CONTROL, COST = 0.6, 0.5, 0.3  # a, b and q of the scalar system
GAMMA, NOISE = 0.5, 0.15
# exponents of the private term of the printed lower bounds, read off their formulas: S A / epsilon,
# d^2 H / epsilon^2; the other two papers have none
LOWER: dict[str, dict[str, float]] = {
    "vietri2020": {"S": 1, "A": 1, "H": 0, "1/epsilon": 1},
    "liao2021": {"d": 2, "H": 1, "1/epsilon": 2},
}


def contexts(states: int, actions: int, horizon: int) -> TabularMDP:
    """Parallel contexts with balanced labels: every state equally likely next whatever is done;
    action (s + h) mod A pays 1 in state s of step h, the others nothing."""
    S, A, H = count("states", states), count("actions", actions, 2), count("horizon", horizon)
    right = (np.arange(S) + np.arange(H)[:, None]) % A
    return TabularMDP(
        f"contexts-{S}x{A}-h{H}",
        np.full((S, A, S), 1 / S),
        np.eye(A)[right],
        np.full(S, 1 / S),
        horizon=H,
    )


def scalar(horizon: int) -> LQSystem:
    """One scalar system at every horizon up to 6: a, b and q are the same, and with this q every
    gain on S stays within gamma."""
    return LQSystem(
        f"scalar-h{horizon}",
        np.array([[DRIFT]]),
        np.array([[CONTROL]]),
        np.array([[COST]]),
        np.eye(1),
        np.ones(1),
        horizon,
        GAMMA,
        NOISE,
    )


def world(paper: str, sizes: SIZES) -> Environment:
    """What is played at these sizes."""
    whole = {name: int(size) for name, size in sizes.items()}
    if paper == "vietri2020":
        return contexts(whole["S"], whole["A"], whole["H"])
    if paper == "liao2021":
        return mixture(whole["d"], whole["H"], scaled=True)
    if paper == "zhou2022":
        return mixture(whole["d"], whole["H"])
    return scalar(whole["H"])


def horizons(
    paper: str, agent: str, sizes: SIZES, delta: float, beta: float
) -> tuple[float, float]:
    """From how many users on the printed and the proved bound are below the trivial one."""
    H, epsilon = int(sizes["H"]), sizes["epsilon"]
    if paper == "vietri2020":
        S, A = int(sizes["S"]), int(sizes["A"])
        return (
            float(stated.vacuity_horizon(S, A, H, epsilon, beta)),
            float(proved.regret_horizon(S, A, H, epsilon, beta)),
        )
    if paper == "chowdhury2021":
        problem = chowdhury.Problem(1, 1, H, GAMMA, COST, 1.0, NOISE)
        setting = problem, beta, epsilon, delta
        return (
            float(chowdhury.vacuity_horizon(*setting, "printed", "printed")),
            float(chowdhury.vacuity_horizon(*setting, "corrected", "proved")),
        )
    d = int(sizes["d"])
    if paper == "liao2021":
        rows = liao.horizons(d, H, epsilon, delta, beta, counters=("local",))
        found = {row.calibration: row for row in rows if row.counter == "local"}
        printed, sure = (found[name].below_trivial or inf for name in ("printed", "corrected"))
        return float(printed), float(sure)
    actions = d if agent == "linopt-po" else None

    def crossing(calibration: Calibration) -> float:
        terms = zhou.displayed_terms if calibration == "printed" else zhou.regret_terms

        def share(K: int) -> float:
            constants = zhou.constants(d, d, H, K, epsilon, delta, beta, calibration, "tree")
            return terms(constants, actions).total / (H * K)

        return float(zhou.crossing(share, "tree", H * d * (d + 3)) or inf)

    return crossing("printed"), crossing("corrected")
