"""What test_public offers to tabular agents, privacy, sweeps and audit.

``TAKEN``: name below privrl -> arguments that are taken; each is then replaced, one at a time, by what cannot be.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from privrl import PUCB, UBEV, simulate, suite
from privrl.environments import random_mdp
from privrl.privacy import noise
from privrl.privacy.audit import Pair
from privrl.types import Adjacency

MDP = random_mdp(2, 2, 2, seed=0)
RUN = simulate.run("vietri2020/chain-3", random_mdp(3, 3, 2, 1), UBEV(), episodes=200, replicates=2)
LONG = suite.tabular("vietri2020/riverswim-3-relabelled")
PLAYED = simulate.run("vietri2020/riverswim-3-relabelled", LONG, UBEV(), episodes=200, replicates=2)


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


# name below privrl -> arguments that are taken; each is then replaced, one at a time, by what cannot be
TAKEN: dict[str, Callable[[], dict[str, Any]]] = {
    "audit.audit": lambda: {
        "identifier": "zhou2022/mixture-2", "counter": "tree", "calibration": "tight", "epsilon": 1.0, "delta": 1e-6,
        "releases": 2, "user": 1, "trials": 100, "seed": 0, "alpha": 0.1, "fault": "shared"},
    "audit.setting": lambda: {"identifier": "chowdhury2021/scalar", "releases": 3, "epsilon": 1.0, "delta": 1e-6},
    "audit.target": lambda: {"identifier": "vietri2020/riverswim-3", "counter": "tree", "calibration": "tight",
                             "epsilon": 1.0, "delta": 0.0, "releases": 2, "user": 1},
    "audit_agents.audit_agent": lambda: {
        "identifier": "zhou2022/mixture-2", "agent": "linopt-vi", "counter": "tree", "calibration": "tight",
        "epsilon": 1.0, "delta": 1e-6, "releases": 2, "user": 1, "trials": 100, "seed": 0, "alpha": 0.1,
        "fault": "shared"},
    "audit_printed.shortfalls": lambda: {"trials": 100, "seed": 0, "alpha": 0.1},
    "privacy.audit.Pair": lambda: {"counter": "tree", "law": "gaussian", "change": [1.0], "releases": 3, "user": 1},
    "privacy.audit.Pair.exact": lambda: {"self": Pair("tree", "gaussian", np.ones(1), 3), "delta": 1e-6},
    "privacy.audit.attack": lambda: {"pair": Pair("tree", "gaussian", np.ones(1), 3), "rng": rng(), "trials": 100,
                                     "delta": 1e-6, "alpha": 0.1, "fault": "shared", "ratio": 0.5},
    "privacy.audit.known_trials": lambda: {"trials": 100},
    "privacy.audit.matrix": lambda: {"name": "tree", "releases": 3, "law": "laplace"},
    "privacy.faults.plant": lambda: {"fault": "shared", "name": "tree", "width": 2, "releases": 3, "rng": rng(),
                                     "law": "laplace", "group": 2, "ratio": 0.5},
    "agents.tabular.pucb.PUCB": lambda: {"epsilon": 1.0, "delta": 1e-6, "beta": 0.1, "counter": "tree",
                                         "calibration": "tight"},
    "agents.tabular.pucb.PUCB.calibrate": lambda: {"self": PUCB(1.0), "mdp": MDP, "planned": 100},
    "agents.tabular.pucb.PUCB.noise": lambda: {"self": PUCB(1.0), "mdp": MDP, "planned": 100, "rng": rng()},
    "agents.tabular.pucb.PUCB.start": lambda: {"self": PUCB(1.0), "mdp": MDP, "planned": 100, "checkpoints": [1, 9]},
    "agents.tabular.widths.chernoff_width": lambda: {"beta": 0.1, "terms": 3},
    "agents.registry.kind": lambda: {"name": "pucb"},
    "agents.registry.make": lambda: {"name": "ldp-ucrl-vtr", "epsilon": 1.0, "delta": 1e-6, "beta": 0.1,
                                     "counter": "local", "calibration": "tuned", "constant": 0.5},
    "agents.tabular.learner.width": lambda: {"mdp": MDP},
    "agents.tabular.ubev.UBEV": lambda: {"beta": 0.1},
    "agents.tabular.ubev.UBEV.noise": lambda: {"self": UBEV(), "mdp": MDP, "planned": 100, "rng": rng()},
    "agents.tabular.ubev.UBEV.start": lambda: {"self": UBEV(), "mdp": MDP, "planned": 100, "checkpoints": [1, 9]},
    "environments.chain.chain": lambda: {"states": 3, "horizon": 4},
    "environments.hard.hard_mdp": lambda: {"n": 2, "m": 2, "alpha": 0.2, "instance": (1, 2), "horizon": 3,
                                           "entry_reward": True},
    "environments.random_mdp.random_mdp": lambda: {"states": 2, "actions": 2, "horizon": 2, "seed": 0},
    "environments.riverswim.riverswim": lambda: {"states": 3, "horizon": 3, "inhomogeneous": True, "relabelled": True,
                                                 "normalised": True, "bernoulli": True, "seed": 1},
    "horizon.bonus": lambda: {"agent": PUCB(1e5), "mdp": MDP, "planned": 100, "released": 1e3},
    "horizon.start": lambda: {"agent": PUCB(1e5), "states": 2, "actions": 2, "horizon": 2},
    "horizon.starts": lambda: {"epsilon": 1e9, "delta": 0.0, "states": 2, "actions": 2, "horizon": 2, "beta": 0.1},
    "learning.windows": lambda: {"episodes": PLAYED.episodes, "regret": PLAYED.regret, "planned": 200,
                                 "growing": False},
    "learning.interval": lambda: {"values": [[1.0, 2.0], [3.0, 4.0]], "level": 0.9},
    "learning.uniform_regret": lambda: {"mdp": MDP},
    "learning.tells": lambda: {"mdp": MDP},
    "learning.learns": lambda: {"run": PLAYED, "mdp": LONG},
    "learning.burn_in": lambda: {"run": PLAYED, "mdp": LONG, "growing": False},
    "planning.optimal": lambda: {"mdp": MDP},
    "planning.policy_values": lambda: {"mdp": MDP, "policy": [[0, 1], [1, 0]]},
    "planning.value": lambda: {"mdp": MDP, "policy": [[0, 1], [1, 0]]},
    "planning.occupancy": lambda: {"mdp": MDP, "policy": [[0, 1], [1, 0]]},
    "planning.uniform_policy": lambda: {"mdp": MDP},
    "planning.constant_policy": lambda: {"mdp": MDP, "action": 1},
    "planning.best_constant_action": lambda: {"mdp": MDP},
    "privacy.accounting.laplace_tree_levels": lambda: {"releases": 9},
    "privacy.accounting.laplace_family_epsilon": lambda: {"scale": 2.0, "l1_sensitivity": 1.0, "releases": 9},
    "privacy.accounting.laplace_family_scale": lambda: {"epsilon": 1.0, "l1_sensitivity": 1.0, "releases": 9},
    "privacy.accounting.gaussian_tree_mu": lambda: {"sigma": 2.0, "l2_sensitivity": 1.0, "releases": 9},
    "privacy.accounting.gaussian_tree_sigma": lambda: {"epsilon": 1.0, "delta": 1e-6, "l2_sensitivity": 1.0,
                                                       "releases": 9},
    "privacy.accounting.gaussian_composition": lambda: {"mus": [0.5, 1.0]},
    "privacy.accounting.gaussian_delta": lambda: {"epsilon": 1.0, "mu": 0.5},
    "privacy.accounting.gaussian_epsilon": lambda: {"delta": 1e-6, "mu": 0.5},
    "privacy.accounting.gaussian_mu": lambda: {"epsilon": 1.0, "delta": 1e-6},
    "privacy.accounting.gaussian_sigma": lambda: {"epsilon": 1.0, "delta": 1e-6, "l2_sensitivity": 1.0},
    "privacy.accounting.classical_gaussian_sigma": lambda: {"epsilon": 1.0, "delta": 1e-6, "l2_sensitivity": 1.0},
    "privacy.accounting.gaussian_rho": lambda: {"mu": 0.5},
    "privacy.accounting.bun_steinke_epsilon": lambda: {"rho": 0.5, "delta": 1e-6},
    "privacy.accounting.bun_steinke_rho": lambda: {"epsilon": 0.5, "delta": 1e-6},
    "privacy.accounting.optimal_zcdp_epsilon": lambda: {"rho": 0.5, "delta": 1e-6},
    "privacy.accounting.optimal_zcdp_rho": lambda: {"epsilon": 0.5, "delta": 1e-6},
    "privacy.counters.levels": lambda: {"releases": 9},
    "privacy.counters.NoneCounter": lambda: {"width": 2, "releases": 9, "scale": 1.0, "law": "laplace"},
    "privacy.counters.LocalCounter": lambda: {"width": 2, "releases": 9, "scale": 1.0, "rng": rng(), "law": "gaussian"},
    "privacy.counters.TreeCounter": lambda: {"width": 2, "releases": 9, "scale": 1.0, "rng": rng(), "law": "laplace"},
    "privacy.counters.make": lambda: {"name": "tree", "width": 2, "releases": 9, "scale": 1.0, "rng": rng(),
                                      "law": "laplace"},
    "privacy.blt.design": lambda: {"releases": 9, "buffers": 2},
    "privacy.blt.BLTCounter": lambda: {"width": 2, "releases": 9, "scale": 1.0, "rng": rng(), "law": "gaussian",
                                       "buffers": 2},
    "privacy.honaker.HonakerCounter": lambda: {"width": 2, "releases": 9, "scale": 1.0, "rng": rng(),
                                               "law": "gaussian"},
    "privacy.signed_digits.SignedCounter": lambda: {"width": 2, "releases": 9, "scale": 1.0, "rng": rng(),
                                                    "law": "laplace"},
    "privacy.smooth_binary.SmoothCounter": lambda: {"width": 2, "releases": 9, "scale": 1.0, "rng": rng(),
                                                    "law": "laplace"},
    "privacy.toeplitz.SqrtCounter": lambda: {"width": 2, "releases": 9, "scale": 1.0, "rng": rng(), "law": "gaussian"},
    "privacy.matrix.lower_bound": lambda: {"releases": 9},
    "privacy.mechanisms.make": lambda: {"name": "blt", "width": 2, "releases": 9, "scale": 1.0, "rng": rng(),
                                        "law": "gaussian"},
    "privacy.mechanisms.laws": lambda: {"name": "blt"},
    "privacy.mechanisms.best": lambda: {"releases": 9, "law": "gaussian"},
    "privacy.mechanisms.counter_cost": lambda: {"name": "blt", "releases": 9, "law": "gaussian"},
    "privacy.mechanisms.counter_error": lambda: {"name": "smooth", "releases": 9, "law": "laplace"},
    "privacy.mechanisms.counter_quantile": lambda: {"name": "blt", "releases": 9, "beta": 0.1, "law": "gaussian"},
    "privacy.mechanisms.counter_variance": lambda: {"name": "blt", "times": [1, 9], "releases": 9, "law": "gaussian"},
    "privacy.noise.setting": lambda: {"paper": "zhou2022", "epsilon": 1.0, "delta": 1e-6, "horizon": 3, "episodes": 9,
                                      "states": 2, "actions": 2, "dimension": 3, "gamma": 1.0,
                                      "adjacency": Adjacency.REPLACE},
    "privacy.noise.Setting": lambda: {"epsilon": 1.0, "delta": 1e-6, "horizon": 3, "episodes": 9, "states": 2,
                                      "actions": 2, "dimension": 3, "gamma": 1.0, "adjacency": Adjacency.REPLACE},
    "privacy.noise.noise": lambda: {"paper": "zhou2022", "made": noise.setting("zhou2022")},
    "privacy.quantiles.tree_tail": lambda: {"x": 3.0, "releases": 9, "cells": 99},
    "privacy.quantiles.tree_tail_lower": lambda: {"x": 3.0, "releases": 9, "cells": 99},
    "privacy.quantiles.tree_quantile": lambda: {"beta": 0.1, "releases": 9},
    "privacy.quantiles.tree_tail_gaussian": lambda: {"x": 3.0, "releases": 9, "cells": 99},
    "privacy.quantiles.tree_quantile_gaussian": lambda: {"beta": 0.1, "releases": 9},
    "privacy.quantiles.laplace_sum_tail": lambda: {"x": 3.0, "terms": 9},
    "privacy.quantiles.laplace_sum_quantile": lambda: {"beta": 0.1, "terms": 9},
    "privacy.quantiles.local_quantile": lambda: {"beta": 0.1, "releases": 9},
    "privacy.quantiles.local_quantile_gaussian": lambda: {"beta": 0.1, "releases": 9},
    "privacy.quantiles.live_node_counts": lambda: {"releases": 9},
    "privacy.sensitivity.vietri2020": lambda: {"family": "n", "horizon": 3, "adjacency": Adjacency.REPLACE, "states": 2,
                                               "norm": "l2"},
    "privacy.sensitivity.chowdhury2021": lambda: {
        "statistic": "gram", "horizon": 3, "gamma": 1.0, "adjacency": Adjacency.REPLACE, "states": 2, "controls": 2,
        "norm": "released", "common_start": False, "last_control": True},
    "privacy.sensitivity.chowdhury2021_joint": lambda: {
        "horizon": 3, "gamma": 1.0, "sigma_gram": 1.0, "sigma_cross": 1.0, "adjacency": Adjacency.REPLACE, "states": 2,
        "controls": 2, "norm": "released", "common_start": False, "last_control": True},
    "privacy.sensitivity.features": lambda: {"statistic": "gram", "size": 1.0, "bound": 1.0,
                                             "adjacency": Adjacency.REPLACE},
    "privacy.sensitivity.features_joint": lambda: {"size": 1.0, "bound": 1.0, "sigma_gram": 1.0, "sigma_cross": 1.0,
                                                   "adjacency": Adjacency.REPLACE},
    "privacy.sensitivity.stage_bounds": lambda: {"horizon": 3, "stage_values": True},
    "privacy.sensitivity.liao2021": lambda: {"statistic": "gram", "horizon": 3, "adjacency": Adjacency.REPLACE,
                                             "one_hot_states": 2, "norm": "released", "stage_values": True},
    "privacy.sensitivity.zhou2022": lambda: {"counter": "p1", "horizon": 3, "dimension": 2,
                                             "adjacency": Adjacency.REPLACE, "step": 1, "common_start": False},
    "privacy.sensitivity.zhou2022_joint": lambda: {
        "horizon": 3, "dimension": 2, "sigmas": {"p1": 1.0, "p2": 1.0, "r1": 1.0, "r2": 1.0},
        "adjacency": Adjacency.REPLACE, "stage_values": True, "common_start": False},
    "simulate.checkpoints": lambda: {"planned": 9},
    "simulate.last_episode": lambda: {"planned": 9, "stop_after": 3},
    "simulate.replicate": lambda: {"mdp": MDP, "agent": UBEV(), "planned": 9, "stop_after": 5, "seed": 0, "index": 0},
    "simulate.run": lambda: {"identifier": "x", "mdp": MDP, "agent": UBEV(), "episodes": 9, "stop_after": 5,
                             "replicates": 1, "seed": 0, "jobs": 1},
    "diagnose.diagnose": lambda: {"mdp": MDP, "agent": PUCB(1e5), "planned": 9, "episodes": 5, "replicates": 1,
                                  "seed": 0, "growth": 1.0, "slack": 0.0},
    "diagnose.gaps": lambda: {"mdp": MDP, "agent": PUCB(1e5), "planned": 9, "seed": 0, "index": 0},
    "store.Store": lambda: {"folder": Path("nowhere")},
    "suite.entry": lambda: {"identifier": "vietri2020/chain-3"},
    "suite.tabular": lambda: {"identifier": "vietri2020/chain-3"},
    "suite.environment": lambda: {"identifier": "vietri2020/chain-3"},
    "sweep.Plan": lambda: {"id": "liao2021/mixture-2", "agent": "ldp-ucrl-vtr", "counter": "local",
                           "calibration": "tuned", "epsilon": 1.0, "delta": 1e-6, "beta": 0.1, "constant": 0.5,
                           "episodes": 9, "stop_after": 5, "replicates": 1,
                           "seed": 0},
    "sweep.table": lambda: {"result": RUN},
    "sweep.environment_hash": lambda: {"identifier": "vietri2020/chain-3"},
    "types.Budget": lambda: {"epsilon": 1.0, "delta": 1e-6},
    "types.TabularMDP": lambda: {"name": "x", "transitions": np.ones((1, 1, 1, 1)), "rewards": np.ones((1, 1, 1)),
                                 "initial": np.ones(1), "bernoulli": True},
    "types.Run": lambda: {"id": "x", "agent": "pucb", "counter": "tree", "calibration": "tight", "epsilon": 1.0,
                          "delta": 0.0, "planned": 9, "seed": 0, "episodes": [1, 2], "regret": [[1.0, 2.0]]},
}

# public in name, and why nothing is asked of them here

FREE_TEXT = {"types.TabularMDP.name", "types.Run.id", "types.Run.agent", "types.Run.counter", "types.Run.calibration",
             "simulate.run.identifier"}  # fmt: skip

# a parameter whose type says less than it takes
KIND = {
    "environments.hard.hard_mdp.instance": "arrays", "privacy.accounting.gaussian_composition.mus": "arrays",
    "privacy.sensitivity.zhou2022_joint.sigmas": "MDP", "types.Run.epsilon": "float or infinity",
}
