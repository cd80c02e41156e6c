"""vietri2020: how many users its algorithms need (:mod:`theory.horizons`)."""

import math
from typing import Any, cast

from privrl.agents import registry
from privrl.agents.tabular.dp_ucbvi import DPUCBVI
from privrl.agents.tabular.private_ucbvi import PrivateUCBVI
from privrl.agents.tabular.pucb import PUCB
from privrl.horizon import pucb as tabular
from privrl.horizon import successors as horizon_successors
from privrl.privacy import quantiles
from theory.formulas import downwards
from theory.horizon_row import HorizonRow
from theory.papers.vietri2020.bounds import counters as bounds_counters
from theory.papers.vietri2020.bounds import proved as bounds_vietri2020
from theory.papers.vietri2020.bounds import stated as bounds
from theory.papers.vietri2020.bounds import successors as bounds_successors

READ = ("states", "actions", "horizon")
MEANS = "no learning before episode"
#: settings of the stored tables
TABULATED: list[dict[str, tuple[float, ...]]] = [{"epsilon": (1, 10, 100), "delta": (0, 1e-6)}]


def rows_of(parameters: dict[str, float]) -> tuple[list[HorizonRow], str]:
    """The rows of this setting, and what they rest on."""
    S, A, H = (int(parameters[name]) for name in ("states", "actions", "horizon"))
    epsilon, beta = parameters["epsilon"], parameters["beta"]
    rows = []
    for start in tabular.starts(epsilon, parameters["delta"], S, A, H, beta):
        if start.counter == "none":
            below: int | None = bounds_vietri2020.regret_horizon(S, A, H, math.inf, beta)
        elif start.counter == "tree" and parameters["delta"] == 0 and start.calibration != "tight":
            below = bounds_vietri2020.regret_horizon(
                S, A, H, epsilon, beta, cast(Any, start.calibration)
            )
        else:
            agent = PUCB(epsilon, parameters["delta"], beta, start.counter, start.calibration)
            below = bounds_counters.regret_horizon(agent, S, A, H)
        rows.append(HorizonRow("pucb", start.counter, start.calibration, start.episodes, below))
    successors = _successors(parameters)
    names = ", ".join(dict.fromkeys(row.agent for row in successors))
    printed = bounds.vacuity_horizon(S, A, H, epsilon, beta)
    small = f"{TABULATED[0]['delta'][1]:.0e}".replace("e-0", "e-")
    law = (
        f"delta = 0: counters with Laplace noise; --delta {small} has those with Gaussian noise"
        if parameters["delta"] == 0
        else "delta > 0: counters with Gaussian noise"
    )
    return rows + successors, (
        f"{law}. The bound is the one proved in place of Theorem 4, with the counter's width. "
        f"Theorem 4's sum, as printed, is above the trivial H T up to episode "
        f"{downwards(printed, 3):.3g}. "
        f"Successors ({names}): their bonuses, bounds and constants are this "
        "repository's own, as those of their papers were not recovered; their start is the first "
        "at which a count without noise could be enough, PUCB's at which a count with the "
        "largest noise could."
    )


def _successors(parameters: dict[str, float]) -> list[HorizonRow]:
    S, A, H = (int(parameters[name]) for name in ("states", "actions", "horizon"))
    epsilon, delta, beta = parameters["epsilon"], parameters["delta"], parameters["beta"]
    rows = []
    for start in horizon_successors.starts(epsilon, delta, S, A, H, beta):
        kind = registry.kind(start.agent).agent_class
        free = start.counter == "none"
        agent = (
            kind(math.inf, 0.0, beta, "none")
            if free
            else kind(epsilon, delta, beta, start.counter, start.calibration)
        )
        most = start.searched
        if start.counter == "local" and delta == 0:  # where the certified quantile of a walk ends
            most = min(most, quantiles.MOST_TERMS + 1)
        guess = (start.episodes or most) * (10**4 if start.counter == "local" else 200)
        rows.append(
            HorizonRow(
                start.agent,
                start.counter,
                start.calibration,
                start.episodes,
                _bound_below(agent, S, A, H, most, guess),
            )
        )
    return rows


def _bound_below(
    agent: PrivateUCBVI | DPUCBVI, states: int, actions: int, horizon: int, most: int, guess: int
) -> int | None:
    """As :func:`bounds_successors.explicit_horizon`, up to a thousandth and the jumps of a
    counter's depth."""

    def ratio(planned: int) -> float:
        bound = bounds_successors.explicit_regret(agent, states, actions, horizon, planned)
        return bound / bounds.trivial_regret(horizon, planned)

    return tabular.below_one(ratio, most, guess, -0.6)
