"""Worlds that stay comparable from one size to the next, and what the bounds say at each size.

In every family a wrong action costs the same at all sizes, so that what grows is the number of
users alone.
"""

from collections.abc import Callable, Mapping
from math import inf, sqrt

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
MOST = 1e13  # users, in lower bounds
SMALLER = 1e-4  # of epsilon, in lower bounds: their private terms decide for small ones alone


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


def lower(paper: str, sizes: SIZES) -> float | None:
    """Users up to which the lower bound, as corrected here, asks for at least half as much regret
    a user as at first, where epsilon is so small that its private term decides (``SMALLER``
    times); None: no private one is known."""
    H, epsilon = int(sizes["H"]), SMALLER * sizes["epsilon"]
    if paper == "vietri2020":  # of the states of its family all but two are contexts
        S, A = int(sizes["S"]) + 2, int(sizes["A"])
        return _half(lambda K: stated.lower_regret(S, A, H, K, epsilon, gap=0.5))
    if paper == "liao2021":  # its family has three steps or more
        d = int(sizes["d"])
        return _half(lambda K: liao.lower_mixture(d, H + 1, K, epsilon))
    return None


def _half(regret: Callable[[int], float]) -> float:
    """The last number of users at which a bound is at least half of the most that it asks of a
    user; beyond, it falls."""

    def rate(users: float) -> float:
        return regret(round(users)) / round(users)

    marks = np.geomspace(1, MOST, 40)
    rates = np.array([rate(mark) for mark in marks])
    place = int(np.flatnonzero(rates >= rates.max() / 2)[-1])
    low, high = marks[place], marks[place + 1]
    while high > low * 1.001:
        middle = sqrt(low * high)
        low, high = (middle, high) if rate(middle) >= rates.max() / 2 else (low, middle)
    return float(low)
