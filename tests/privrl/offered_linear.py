"""Arguments that the linear and LQ entry points take; test_public replaces each, one at a time, by what cannot be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from privrl.agents.linear.ldp_ucrl_vtr import LDPUCRLVTR
from privrl.agents.linear.linopt_vi import LinOptVI
from privrl.agents.lq.private_ofu_rl import PrivateOFURL
from privrl.environments import lq_scalar, mixture, random_mdp

MIXTURE = mixture()
SCALAR = lq_scalar()
MIX = {"psi": MIXTURE.psi, "varphi": MIXTURE.varphi, "theta_p": MIXTURE.theta_p, "theta_r": MIXTURE.theta_r,
       "initial": MIXTURE.initial}
GAINS = np.zeros((5, 1, 1))


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


TAKEN: dict[str, Callable[[], dict[str, Any]]] = {
    "agents.linear.ldp_ucrl_vtr.LDPUCRLVTR": lambda: {
        "epsilon": 1.0, "delta": 1e-6, "alpha": 0.1, "counter": "local", "calibration": "tuned", "constant": 0.5,
        "regulariser": 1.0, "by_blocks": True},
    "agents.linear.ldp_ucrl_vtr.LDPUCRLVTR.calibrate": lambda: {"self": LDPUCRLVTR(1.0), "mdp": MIXTURE, "planned": 9},
    "agents.linear.ldp_ucrl_vtr.LDPUCRLVTR.noise": lambda: {"self": LDPUCRLVTR(1.0), "mdp": MIXTURE, "planned": 9,
                                                     "rng": rng()},
    "agents.linear.ldp_ucrl_vtr.LDPUCRLVTR.start": lambda: {"self": LDPUCRLVTR(1.0), "mdp": MIXTURE, "planned": 9,
                                                     "checkpoints": [1, 9]},
    "agents.linear.ucrl_vtr.UCRLVTR": lambda: {
        "alpha": 0.1, "calibration": "tuned", "constant": 0.5, "regulariser": 1.0, "by_blocks": True},
    "agents.linear.linopt_vi.LinOptVI": lambda: {"epsilon": 1.0, "delta": 1e-6, "alpha": 0.1, "counter": "tree",
                                          "calibration": "tight", "regulariser": 1.0, "by_blocks": True},
    "agents.linear.linopt_vi.LinOptVI.calibrate": lambda: {"self": LinOptVI(1.0), "mdp": MIXTURE, "planned": 9},
    "agents.linear.linopt_po.LinOptPO": lambda: {"epsilon": 1.0, "delta": 1e-6, "alpha": 0.1, "counter": "tree",
                                          "calibration": "tight", "regulariser": 1.0, "by_blocks": True},
    "agents.lq.ofu_rl.OFURL": lambda: {"alpha": 0.1, "regulariser": 1.0, "planner": "optimistic"},
    "agents.lq.private_ofu_rl.PrivateOFURL": lambda: {
        "epsilon": 1.0, "delta": 1e-6, "alpha": 0.1, "counter": "tree", "calibration": "tight", "regulariser": 1.0,
        "planner": "optimistic"},
    "agents.lq.private_ofu_rl.PrivateOFURL.calibrate": lambda: {
        "self": PrivateOFURL(1.0), "system": SCALAR, "planned": 9},
    "environments.linear_mixture.LinearMixtureMDP": lambda: {
        "name": "x", **MIX, "bernoulli": True, "theta_p_bound": 2.0, "theta_r_bound": 2.0, "block_bound": 2.0},
    "environments.linear_mixture.mixture": lambda: {"d": 2, "horizon": 2, "scaled": True, "weight": 0.9},
    "environments.linear_mixture.one_hot": lambda: {"mdp": random_mdp(2, 2, 2, 0), "scaled": True},
    "environments.linear_mixture.random_mixture": lambda: {"d": 2, "states": 2, "actions": 2, "horizon": 2, "seed": 0,
                                                           "scaled": True},
    "environments.linear_mixture.hard_mixture": lambda: {"d": 3, "horizon": 3, "episodes": 100, "gap": 0.01,
                                                         "seed": 0},
    "environments.linear_mixture.embedding": lambda: {
        "name": "x", "phi": np.ones((1, 1, 1)), "mu": np.ones((1, 1)), "cores": np.ones((1, 1, 1)),
        "rewards": np.ones((1, 1, 1)), "initial": np.ones(1), "bernoulli": True},
    "environments.lq.LQSystem": lambda: {
        "name": "x", "A": [[0.5]], "B": [[0.4]], "Q": [[1.0]], "R": [[1.0]], "start": [1.0], "horizon": 3,
        "gamma": 0.5, "c_w": 0.1, "c_a": 0.5, "c_b": 0.5, "c": 1.0, "noise": "ball", "radius": 0.1},
    "environments.lq.lq_scalar": lambda: {"horizon": 5, "noise": "ball"},
    "environments.lq.lq_instance": lambda: {"states": 2, "controls": 1, "horizon": 5, "noise": "ball"},
    "environments.lq.random_lq": lambda: {"states": 2, "controls": 1, "horizon": 5, "seed": 0, "noise": "ball"},
    "planning.riccati": lambda: {"A": [[0.5]], "B": [[0.4]], "Q": [[1.0]], "R": [[1.0]], "horizon": 3},
    "planning.lq_optimum": lambda: {"system": SCALAR, "theta": SCALAR.theta},
    "planning.lq_cost": lambda: {"system": SCALAR, "gains": GAINS, "theta": SCALAR.theta},
    "planning.lq_regret": lambda: {"system": SCALAR, "gains": GAINS},
    "planning.lq_gains": lambda: {"system": SCALAR, "theta": SCALAR.theta},
    "planning.lq_zero": lambda: {"system": SCALAR},
    "planning.lq_best_constant_gain": lambda: {"system": SCALAR},
    "planning.lq_cost_bound": lambda: {"system": SCALAR, "step": 1},
    "planning.lq_gain_bound": lambda: {"system": SCALAR, "step": 1},
}

# a parameter whose type says less than it takes
KIND = dict.fromkeys((
    "planning.lq_optimum.theta", "planning.lq_cost.theta", "planning.lq_gains.theta", "planning.lq_cost.gains",
    "planning.lq_regret.gains"), "arrays")
FREE_TEXT = {"environments.linear_mixture.LinearMixtureMDP.name", "environments.linear_mixture.embedding.name",
             "environments.lq.LQSystem.name"}
