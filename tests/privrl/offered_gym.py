"""Arguments that the evaluation and the gymnasium environments take; test_public replaces each by what cannot be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from privrl import evaluate
from privrl.environments import lq_scalar, random_mdp
from privrl.types import Run

MDP = random_mdp(2, 2, 2, seed=0)
POLICY = [[0, 1], [1, 0]]
RUN = Run("x", "mine", "none", "external", float("inf"), 0.0, 9, 0, [1, 2], [[1.0, 2.0]])  # type: ignore[arg-type]


def recorder() -> evaluate.Recorder:
    return evaluate.Recorder(MDP, agent="mine", episodes=9)


TAKEN: dict[str, Callable[[], dict[str, Any]]] = {
    "evaluate.Affine": lambda: {"gains": [[0.1]], "offsets": [0.1]},
    "evaluate.optimum": lambda: {"environment": MDP},
    "evaluate.value": lambda: {"environment": MDP, "policy": POLICY},
    "evaluate.regret": lambda: {"environment": MDP, "policy": POLICY},
    "evaluate.table": lambda: {"environment": MDP, "policy": POLICY},
    "evaluate.estimate": lambda: {"environment": MDP, "policy": POLICY, "episodes": 2, "seed": 0, "alpha": 0.1},
    "evaluate.Recorder": lambda: {"environment": MDP, "agent": "mine", "episodes": 9, "identifier": "x", "epsilon": 1.0,
                                  "delta": 1e-6, "counter": "none", "calibration": "external", "seed": 0},
    "evaluate.Recorder.record": lambda: {"self": recorder(), "policy": POLICY},
    "evaluate.stack": lambda: {"runs": [RUN, RUN]},
    "gymnasium_envs.FiniteEnv": lambda: {"mdp": MDP, "observation": "flat"},
    "gymnasium_envs.LQEnv": lambda: {"system": lq_scalar(), "observation": "flat"},
    "gymnasium_envs.Gaps": lambda: {"env": _env()},
    "gymnasium_envs.river_swim": lambda: {
        "states": 3, "horizon": 3, "inhomogeneous": True, "relabelled": True, "normalised": True, "bernoulli": True,
        "seed": 0, "observation": "flat"},
    "gymnasium_envs.hard": lambda: {"n": 2, "m": 2, "alpha": 0.2, "instance": (1, 2), "horizon": 3,
                                    "entry_reward": True, "observation": "flat"},
    "gymnasium_envs.linear_mixture": lambda: {"d": 2, "horizon": 2, "scaled": True, "weight": 0.9,
                                              "observation": "flat"},
    "gymnasium_envs.lq": lambda: {"states": 2, "controls": 1, "horizon": 5, "noise": "ball", "observation": "flat"},
    "gymnasium_envs.entry": lambda: {"entry": "vietri2020/chain-3", "observation": "flat"},
}

# a parameter whose type says less than it takes
KIND = {"evaluate.Recorder.epsilon": "float or infinity", "gymnasium_envs.hard.instance": "arrays"}
FREE_TEXT = {"evaluate.Recorder.agent", "evaluate.Recorder.identifier", "evaluate.Recorder.counter",
             "evaluate.Recorder.calibration"}


def _env() -> Any:
    from privrl.gymnasium_envs import FiniteEnv

    return FiniteEnv(MDP)
