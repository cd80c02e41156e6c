"""Every public entry point of the package, found by walking it, is offered what it cannot take.

A value of the wrong kind is refused with one sentence of ours that shows it; a value that is out of range is refused in
the same way, or taken. No other exception leaves the package.
"""

from __future__ import annotations

import importlib
import inspect
import math
import pkgutil
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privrl
from privrl import PUCB, UBEV, simulate, suite
from privrl.environments import random_mdp
from privrl.privacy import noise
from privrl.store import Store
from privrl.sweep import Plan
from privrl.types import Adjacency, Run
from tests.contracts import refused

MDP = random_mdp(2, 2, 2, seed=0)
RUN = simulate.run("vietri2020/chain-3", random_mdp(3, 3, 2, 1), UBEV(), episodes=200, replicates=2)
LONG = suite.environment("vietri2020/riverswim-3-relabelled")
PLAYED = simulate.run("vietri2020/riverswim-3-relabelled", LONG, UBEV(), episodes=200, replicates=2)


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


# name below privrl -> arguments that are taken; each is then replaced, one at a time, by what cannot be
TAKEN: dict[str, Callable[[], dict[str, Any]]] = {
    "agents.pucb.PUCB": lambda: {"epsilon": 1.0, "delta": 1e-6, "beta": 0.1, "counter": "tree", "calibration": "tight"},
    "agents.pucb.PUCB.calibrate": lambda: {"self": PUCB(1.0), "mdp": MDP, "planned": 100},
    "agents.pucb.PUCB.noise": lambda: {"self": PUCB(1.0), "mdp": MDP, "planned": 100, "rng": rng()},
    "agents.pucb.PUCB.start": lambda: {"self": PUCB(1.0), "mdp": MDP, "planned": 100, "checkpoints": [1, 9]},
    "agents.pucb.chernoff_width": lambda: {"beta": 0.1, "terms": 3},
    "agents.tabular.width": lambda: {"mdp": MDP},
    "agents.tabular.learner": lambda: {"mdp": MDP, "checkpoints": [1, 9]},
    "agents.ubev.UBEV": lambda: {"beta": 0.1},
    "agents.ubev.UBEV.noise": lambda: {"self": UBEV(), "mdp": MDP, "planned": 100, "rng": rng()},
    "agents.ubev.UBEV.start": lambda: {"self": UBEV(), "mdp": MDP, "planned": 100, "checkpoints": [1, 9]},
    "environments.chain.chain": lambda: {"states": 3, "horizon": 4},
    "environments.hard.hard_mdp": lambda: {"n": 2, "m": 2, "alpha": 0.2, "instance": (1, 2), "horizon": 3,
                                           "entry_reward": True},
    "environments.random_mdp.random_mdp": lambda: {"states": 2, "actions": 2, "horizon": 2, "seed": 0},
    "environments.riverswim.riverswim": lambda: {"states": 3, "horizon": 3, "inhomogeneous": True, "relabelled": True,
                                                 "normalised": True, "bernoulli": True, "seed": 1},
    "horizon.bonus": lambda: {"agent": PUCB(1e5), "mdp": MDP, "planned": 100, "released": 1e3},
    "horizon.start": lambda: {"agent": PUCB(1e5), "states": 2, "actions": 2, "horizon": 2},
    "horizon.starts": lambda: {"epsilon": 1e5, "delta": 0.0, "states": 2, "actions": 2, "horizon": 2, "beta": 0.1},
    "learning.windows": lambda: {"episodes": PLAYED.episodes, "regret": PLAYED.regret, "planned": 200},
    "learning.interval": lambda: {"values": [[1.0, 2.0], [3.0, 4.0]], "level": 0.9},
    "learning.uniform_regret": lambda: {"mdp": MDP},
    "learning.tells": lambda: {"mdp": MDP},
    "learning.learns": lambda: {"run": PLAYED, "mdp": LONG},
    "learning.burn_in": lambda: {"run": PLAYED, "mdp": LONG},
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
    "privacy.sensitivity.norm_of": lambda: {"change": [[1.0]], "norm": "l1"},
    "simulate.checkpoints": lambda: {"planned": 9},
    "simulate.last_episode": lambda: {"planned": 9, "stop_after": 3},
    "simulate.replicate": lambda: {"mdp": MDP, "agent": UBEV(), "planned": 9, "stop_after": 5, "seed": 0, "index": 0},
    "simulate.run": lambda: {"identifier": "x", "mdp": MDP, "agent": UBEV(), "episodes": 9, "stop_after": 5,
                             "replicates": 1, "seed": 0, "jobs": 1},
    "store.Store": lambda: {"folder": Path("nowhere")},
    "store.Store.save": lambda: {"self": Store(Path("nowhere")), "settings": {}, "regret": None},
    "suite.entry": lambda: {"identifier": "vietri2020/chain-3"},
    "suite.environment": lambda: {"identifier": "vietri2020/chain-3"},
    "sweep.Plan": lambda: {"id": "vietri2020/chain-3", "agent": "pucb", "counter": "tree", "calibration": "tight",
                           "epsilon": 1.0, "delta": 1e-6, "beta": 0.1, "episodes": 9, "stop_after": 5, "replicates": 1,
                           "seed": 0},
    "sweep.table": lambda: {"result": RUN},
    "sweep.code_hash": lambda: {"agent": "pucb"},
    "sweep.environment_hash": lambda: {"identifier": "vietri2020/chain-3"},
    "types.Budget": lambda: {"epsilon": 1.0, "delta": 1e-6},
    "types.TabularMDP": lambda: {"name": "x", "transitions": np.ones((1, 1, 1, 1)), "rewards": np.ones((1, 1, 1)),
                                 "initial": np.ones(1), "bernoulli": True},
    "types.Run": lambda: {"id": "x", "agent": "pucb", "counter": "tree", "calibration": "tight", "epsilon": 1.0,
                          "delta": 0.0, "planned": 9, "seed": 0, "episodes": [1, 2], "regret": [[1.0, 2.0]]},
}
