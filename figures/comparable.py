"""Worlds that stay comparable from one size to the next, and what the bounds say at each size.

In every family a wrong action costs the same at all sizes, so that what grows is the number of
users alone.
"""

from collections.abc import Mapping
from functools import cache
from math import inf
from typing import Any

import numpy as np

from privrl.checks import count
from privrl.environments.linear_mixture import LinearMixtureMDP
from privrl.environments.lq import LQSystem
from privrl.environments.mixtures import mixture
from privrl.types import Calibration, Environment, TabularMDP
from theory.papers.chowdhury2021 import bounds as chowdhury
from theory.papers.liao2021 import bounds as liao
from theory.papers.vietri2020.bounds import proved, stated
from theory.papers.zhou2022 import bounds as zhou

SIZES = Mapping[str, float]  # by axis, and epsilon
DRIFT, CONTROL, COST = 0.6, 0.5, 0.3  # a, b and q of the scalar system
GAMMA, NOISE = 0.5, 0.15
SMALL = 1e-9  # the epsilon at which exponents of lower bounds are taken


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


def linear_contexts(contexts: int, horizon: int) -> LinearMixtureMDP:
    """Parallel linear contexts with balanced labels: S = contexts + 2, A = 2, d = contexts + 1.

    At odd steps the state is a context c, each equally likely. One of the two actions leads "in",
    the other out: psi(c, +-, in) = (e_0 +- e_c)/2, psi(c, +-, out) = (e_0 -+ e_c)/2, and theta_h =
    (1, +-1, .., +-1), signs alternating from context to context and from one odd step to the next.
    "In" pays 1, and both lead to the contexts again. ||phi_V|| <= 1 for V in [0, 1]^S and
    ||theta_h|| = sqrt(d): liao2021/definition-3.1 holds with equality.
    """
    n, H = count("contexts", contexts, 2), count("horizon", horizon)
    psi = np.zeros((n + 2, 2, n + 2, n + 1))
    psi[:n, :, n:, 0] = 0.5
    half = 0.5 * np.array([[1, -1], [-1, 1]])  # by action and whether in (0) or out (1)
    for context in range(n):
        psi[context, :, n:, context + 1] = half
    psi[n:, :, :n, 0] = 1 / n
    signs = 1.0 - 2 * ((np.arange(n) + np.arange(H)[:, None] // 2) % 2)
    pays = np.zeros((n + 2, 2, 1))
    pays[n] = 1
    return LinearMixtureMDP(
        f"linear-contexts-{n}-h{H}",
        psi,
        pays,
        np.concatenate((np.ones((H, 1)), signs), axis=1),
        np.ones((H, 1)),
        np.concatenate((np.full(n, 1 / n), [0.0, 0.0])),
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
        return linear_contexts(whole["d"] - 1, whole["H"])
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


@cache
def printed_lower(paper: str) -> tuple[Any, Any] | None:
    """The private term of the printed lower bound of the regret, without its constant, and the
    trivial bound, as sympy expressions of S, A, d, H, K users and epsilon; None: there is no such
    bound.

    vietri2020/theorem-6: S A H ln(K)/epsilon, K its T. liao2021/theorem-5.6: d H sqrt(T)/(min(2,
    e^epsilon)(e^epsilon - 1)), T = H K.
    """
    import sympy

    S, A, d, H, K, epsilon = sympy.symbols("S A d H K epsilon", positive=True)
    grown = sympy.exp(epsilon)
    terms = {
        "vietri2020": S * A * H * sympy.log(K) / epsilon,
        "liao2021": d * H * sympy.sqrt(H * K) / (sympy.Min(2, grown) * (grown - 1)),
    }
    return (terms[paper], H * K) if paper in terms else None


@cache
def lower_exponent(paper: str, axis: str) -> float | None:
    """With which power of a size (S, A, d, H or 1/epsilon) the users grow at which the private term
    of the printed lower bound falls below the trivial bound, logarithms of K left out; epsilon
    tends to 0.

    With F the logarithm of term over trivial bound it is -(dF/dln x)/(dF/dln K).
    """
    import sympy

    terms = printed_lower(paper)
    if terms is None:
        return None
    K, name = sympy.Symbol("K", positive=True), axis.removeprefix("1/")
    size = sympy.Symbol(name, positive=True)
    share = sympy.log(terms[0].subs(sympy.log(K), 1)) - sympy.log(terms[1])
    power = -size * sympy.diff(share, size) / (K * sympy.diff(share, K))
    at = power.subs(
        {symbol: SMALL if symbol.name == "epsilon" else 2 for symbol in power.free_symbols}
    )
    return round(float(at), 6) * (-1 if axis.startswith("1/") else 1)
