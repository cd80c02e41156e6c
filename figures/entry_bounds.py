"""The bounds that notebooks draw beside a reader's own run: for its size, budget and counter, or
none.

A lower bound is of the worst MDP or system of the entry's size, so one run may lie below it; which
agents it binds stands in its name. An upper bound is drawn for the calibrations and counters for
which it is proved.
"""

from math import inf
from typing import cast

import numpy as np

from figures.yours import Bounds
from privrl.agents.linear.ldp_ucrl_vtr import LDPUCRLVTR
from privrl.agents.lq.private_ofu_rl import PrivateOFURL
from privrl.agents.tabular.pucb import PUCB
from privrl.checks import instance
from privrl.environments import suite
from privrl.environments.linear_mixture import LinearMixtureMDP
from privrl.environments.lq import LQSystem
from privrl.types import Calibration
from theory.papers.chowdhury2021 import bounds as chowdhury2021
from theory.papers.liao2021 import bounds as liao2021
from theory.papers.vietri2020.bounds import counters, stated

PRIVATE = "lower bound, worst MDP, private agents"
ANY = "lower bound, worst MDP, any agent"
PROVED = ("corrected", "tight")  # calibrations whose widths cover


def of_vietri2020(entry: str, agent: PUCB) -> Bounds:
    """Theorem 4's sum as printed, the bound proved for this agent, theorem 6 corrected.

    The hard MDPs have at least three states. Privacy raises theorem 6 for agents whose policies
    are private without a delta, as those of ``printed`` are not known to be.
    """
    mdp = suite.tabular(entry)
    size = (mdp.states, mdp.actions, mdp.horizon)
    drawn = {
        "the sum behind theorem 4": lambda T: stated.theorem_4_bound(
            *size, T, agent.epsilon, agent.beta
        ),
        "upper bound, proved": lambda T: counters.regret_bound(agent, *size, T),
    }
    if mdp.states > 2:
        private = not agent.delta and agent.calibration != "printed"
        epsilon = agent.epsilon if private else inf
        drawn[PRIVATE if private else ANY] = lambda T: stated.lower_regret(*size, T, epsilon)
    return drawn


def problem_of(system: LQSystem) -> chowdhury2021.Problem:
    """What the bounds know of a system."""
    return chowdhury2021.Problem(
        system.states,
        system.controls,
        system.horizon,
        system.gamma,
        float(np.linalg.norm(system.Q, 2)),
        float(np.linalg.norm(system.R, 2)),
        system.c_w,
    )


def of_chowdhury2021(entry: str, agent: PrivateOFURL) -> Bounds:
    """Theorem 3 with the constants that the agent has over its own counter, and van Trees' bound.

    The latter is of scalar systems with this a and any b, whose noise is smooth.
    """
    system = instance("entry", suite.environment(entry), LQSystem)
    problem = problem_of(system)

    def upper(episodes: int, form: chowdhury2021.RadiusForm) -> float:
        calibration = agent.calibrate(system, episodes)
        regular = chowdhury2021.LQRegularity(
            calibration.lambda_min,
            calibration.lambda_max,
            calibration.nu,
            calibration.sigma_gram,
            calibration.sigma_cross,
        )
        return chowdhury2021.regret_terms(problem, episodes, agent.alpha, regular, form).total

    drawn: Bounds = {
        "upper bound, printed lines": lambda K: upper(K, "printed"),
        "upper bound, proved": lambda K: upper(K, "proved"),
    }
    if problem.states == problem.controls == 1:
        drawn = {
            **drawn,
            "lower bound, worst b, smooth noise": lambda K: chowdhury2021.lower_regret(
                K,
                problem.horizon,
                problem.state_cost,
                problem.control_cost,
                float(system.A[0, 0]),
                problem.noise,
            ),
        }
    return drawn


def of_liao2021(entry: str, agent: LDPUCRLVTR) -> Bounds:
    """Theorem 5.2's sum as printed, the bound proved for this agent, theorem 5.6 corrected.

    The hard family begins at three steps, d = 2; it binds agents that see users through
    (epsilon, delta)-LDP messages, and with less any agent.
    """
    mdp = instance("entry", suite.environment(entry), LinearMixtureMDP)
    d, horizon, epsilon, delta = mdp.norms().dimension_p, mdp.horizon, agent.epsilon, agent.delta
    constants = (epsilon, delta, agent.alpha)
    drawn: Bounds = {
        "theorem 5.2's sum": lambda K: (
            liao2021.displayed_terms(liao2021.constants(d, horizon, K, *constants)).total
        )
    }
    if agent.calibration in PROVED:
        calibration, counter = (
            cast(Calibration, agent.calibration),
            agent.counter,
        )
        drawn = {
            **drawn,
            "upper bound, proved": lambda K: (
                liao2021.regret_terms(
                    liao2021.constants(d, horizon, K, *constants, calibration, counter)
                ).total
            ),
        }
    if d >= 2 and horizon >= 3:
        private = agent.counter == "local"
        budget = (epsilon, delta) if private else (inf, 0.0)
        drawn = {
            **drawn,
            PRIVATE if private else ANY: lambda K: liao2021.lower_mixture(d, horizon, K, *budget),
        }
    return drawn
