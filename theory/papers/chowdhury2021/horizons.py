"""chowdhury2021: how many users its algorithms need (:mod:`theory.horizons`)."""

from dataclasses import replace
from typing import Any, cast

from privrl.agents.lq import family as lq_family
from privrl.agents.lq import state as lq
from privrl.agents.lq.private_ofu_rl import PrivateOFURL
from privrl.checks import MOST_EPISODES
from privrl.horizon import pucb as tabular
from privrl.privacy.counters import mechanisms
from privrl.types import CALIBRATIONS
from theory.horizon_row import HorizonRow
from theory.papers.chowdhury2021 import bounds as bounds_chowdhury2021

READ = ("states", "actions", "horizon", "gamma")
MEANS = "no learning before episode"
#: settings of the stored tables
TABULATED: list[dict[str, tuple[float, ...]]] = [{"epsilon": (1, 10, 100), "states": (1,)}]
LEAST = {"horizon": 2}
# sums over the steps and bounds of norms are evaluated thousands of times: more takes minutes
MOST = {"horizon": 100, "states": 10, "actions": 10}


def rows_of(parameters: dict[str, float]) -> tuple[list[HorizonRow], str]:
    """The rows of this setting, and what they rest on."""
    problem = replace(
        bounds_chowdhury2021.SCALAR,
        states=int(parameters["states"]),
        controls=int(parameters["actions"]),
        horizon=int(parameters["horizon"]),
        gamma=parameters["gamma"],
    )
    rows = []
    for name in CALIBRATIONS:
        calibration = cast(Any, name)
        options = (
            problem,
            parameters["beta"],
            parameters["epsilon"],
            parameters["delta"],
            calibration,
        )
        rows.append(
            HorizonRow(
                "private-ofu-rl",
                "tree",
                name,
                bounds_chowdhury2021.start_horizon(*options),
                bounds_chowdhury2021.vacuity_horizon(*options),
            )
        )
    lines = bounds_chowdhury2021.vacuity_horizon(
        problem,
        parameters["beta"],
        parameters["epsilon"],
        parameters["delta"],
        "printed",
        "printed",
    )
    rows += _lq_counters(problem, parameters)
    return rows, (
        f"||Q|| = {problem.state_cost:g}, ||R|| = {problem.control_cost:g}, C_w = "
        f"{problem.noise:g}; "
        "before the start every control is 0; the bound is Theorem 3's with proved constants. "
        f"Theorem 3's printed lines fall below the trivial bound at {lines:.3g}. The other "
        "counters are not the paper's: the same bound, with the noise and the norm bounds that "
        "they have."
    )


def _lq_counters(
    problem: bounds_chowdhury2021.Problem, parameters: dict[str, float]
) -> list[HorizonRow]:
    """Private-OFU-RL over the counters that the paper does not have; both answers up to a
    thousandth."""
    beta = parameters["beta"]
    system = lq_family.system(
        problem.states, problem.controls, problem.horizon, problem.gamma, problem.noise
    )
    rows = []
    for counter in mechanisms.PRIVATE:
        if counter == "tree" or "gaussian" not in mechanisms.laws(counter):
            continue
        for name in CALIBRATIONS[1:]:
            agent = PrivateOFURL(parameters["epsilon"], parameters["delta"], beta, counter, name)

            def regular(
                planned: int, agent: PrivateOFURL = agent
            ) -> bounds_chowdhury2021.LQRegularity:
                calibration = agent.calibrate(system, planned)
                return bounds_chowdhury2021.LQRegularity(
                    calibration.lambda_min, calibration.lambda_max, calibration.nu
                )

            def start(planned: int, regular: Any = regular) -> float:
                return bounds_chowdhury2021.first_episode(problem, beta, regular(planned)) / (
                    planned + 0.5
                )

            def below(planned: int, regular: Any = regular) -> float:
                bound = bounds_chowdhury2021.regret_terms(
                    problem, planned, beta, regular(planned)
                ).total
                return bound / bounds_chowdhury2021.trivial_regret(problem, planned)

            most = min(MOST_EPISODES, mechanisms.most_releases(counter, lq.width(system)) + 1)
            first = tabular.below_one(start, most)
            rows.append(
                HorizonRow(
                    agent.name, counter, name, first, tabular.below_one(below, most, 1 << 20, -0.6)
                )
            )
    return rows
