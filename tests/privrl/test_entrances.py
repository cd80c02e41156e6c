"""The entrances of the package (constructors, simulate, evaluate, accounting) are offered what they
cannot take.

A value of the wrong kind is refused with one sentence of ours that shows it; a value that is out of
range is refused in the same way, or taken. No other exception leaves the package.
"""

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import privrl
from privrl import checks
from privrl import environments as envs
from privrl.environments import evaluate, mixtures, planning, suite
from privrl.online.terms import Terms
from privrl.privacy import accounting, gaussian_norms, noise, quantiles, sensitivity
from privrl.privacy.counters import mechanisms, stream
from privrl.privacy.secure_sums import SecureSums
from privrl.privacy.shares import SharedPlan
from privrl.run import simulate, sweep
from privrl.run.engines import Engine
from privrl.types import Adjacency, Budget
from tests.contracts import refused

MDP = envs.random_mdp(2, 2, 2, seed=0)
POLICY = [[0, 1], [1, 0]]
SYSTEM = envs.lq_scalar()
GAINS = [[[0.1]]] * 5
BUDGET: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-6}
COUNTED = {**BUDGET, "beta": 0.1, "counter": "tree", "calibration": "tight", "multiplier": 0.5}
LINEAR = {
    **BUDGET,
    "alpha": 0.1,
    "counter": "tree",
    "calibration": "tight",
    "regulariser": 1.0,
    "by_blocks": True,
    "multiplier": 0.5,
}
STREAM = {
    "width": 2,
    "releases": 9,
    "scale": 1.0,
    "rng": np.random.default_rng(0),
    "law": "gaussian",
}
SETTING = {
    **BUDGET,
    "horizon": 3,
    "episodes": 9,
    "states": 2,
    "actions": 2,
    "dimension": 3,
    "gamma": 1.0,
    "adjacency": Adjacency.REPLACE,
}


def alike(
    *entrances: Callable[..., Any], **arguments: Any
) -> dict[Callable[..., Any], dict[str, Any]]:
    """Entrances that take the same arguments."""
    return dict.fromkeys(entrances, arguments)


ONLINE: dict[str, Any] = {"users": 9, "noise": "simulated", "seed": 0, "every": 1}
LOCAL = privrl.PrivateUCBVI(1.0, counter="local")
RUN = {"mdp": MDP, "agent": privrl.UBEV(), "stop_after": 5, "seed": 0}
# what is called -> arguments that it takes; each is then replaced, one at a time, by what cannot be
# taken
TAKEN: dict[Callable[..., Any], dict[str, Any]] = {
    Budget: BUDGET,
    privrl.PUCB: COUNTED,
    privrl.PrivateUCBVI: COUNTED,
    privrl.DPUCBVI: COUNTED,
    privrl.UBEV: {"beta": 0.1, "multiplier": 0.5},
    privrl.LinOptVI: LINEAR,
    privrl.LinOptPO: LINEAR,
    privrl.LDPUCRLVTR: {**LINEAR, "counter": "local", "calibration": "tuned", "constant": 0.5},
    privrl.UCRLVTR: {
        "alpha": 0.1,
        "calibration": "tuned",
        "constant": 0.5,
        "regulariser": 1.0,
        "by_blocks": True,
        "multiplier": 0.5,
    },
    privrl.OFURL: {"alpha": 0.1, "regulariser": 1.0, "planner": "optimistic", "multiplier": 0.5},
    privrl.PrivateOFURL: {
        **BUDGET,
        "alpha": 0.1,
        "counter": "tree",
        "calibration": "tight",
        "regulariser": 1.0,
        "planner": "optimistic",
        "multiplier": 0.5,
    },
    envs.chain: {"states": 3, "horizon": 4},
    envs.random_mdp: {"states": 2, "actions": 2, "horizon": 2, "seed": 0},
    envs.hard_mdp: {"n": 2, "m": 2, "alpha": 0.2, "horizon": 3, "entry_reward": True},
    envs.riverswim: {
        "states": 3,
        "horizon": 3,
        "inhomogeneous": True,
        "relabelled": True,
        "normalised": True,
        "bernoulli": True,
        "seed": 0,
    },
    mixtures.mixture: {"d": 2, "horizon": 2, "scaled": True, "weight": 0.9},
    mixtures.one_hot: {"mdp": MDP, "scaled": True},
    envs.lq_scalar: {"horizon": 5, "noise": "ball"},
    envs.lq_instance: {"states": 2, "controls": 1, "horizon": 5, "noise": "ball"},
    privrl.LQSystem: {
        "A": [[0.5]],
        "B": [[0.4]],
        "Q": [[1.0]],
        "R": [[1.0]],
        "start": [1.0],
        "horizon": 3,
        "gamma": 0.5,
        "c_w": 0.1,
        "c_a": 0.5,
        "c_b": 0.5,
        "c": 1.0,
        "noise": "ball",
        "radius": 0.1,
    },
    suite.entry: {"identifier": "vietri2020/chain-3"},
    envs.random_lq: {"states": 2, "controls": 1, "horizon": 3, "seed": 0},
    mixtures.hard_mixture: {"d": 3, "horizon": 2, "episodes": 9, "seed": 0},
    mixtures.random_mixture: {
        "d": 2,
        "states": 2,
        "actions": 2,
        "horizon": 2,
        "seed": 0,
        "scaled": True,
    },
    **alike(planning.optimal, planning.uniform_policy, planning.best_constant_action, mdp=MDP),
    **alike(planning.policy_values, planning.value, planning.occupancy, mdp=MDP, policy=POLICY),
    planning.constant_policy: {"mdp": MDP, "action": 0},
    planning.riccati: {"A": [[0.5]], "B": [[0.4]], "Q": [[1.0]], "R": [[1.0]], "horizon": 3},
    **alike(
        planning.lq_optimum,
        planning.lq_gains,
        planning.lq_zero,
        planning.lq_best_constant_gain,
        system=SYSTEM,
    ),
    **alike(planning.lq_cost, planning.lq_regret, system=SYSTEM, gains=GAINS),
    **alike(planning.lq_cost_bound, planning.lq_gain_bound, system=SYSTEM, step=1),
    sweep.RunPlan: {
        **COUNTED,
        "id": "vietri2020/chain-3",
        "agent": "pucb",
        "episodes": 9,
        "stop_after": 5,
        "replicates": 1,
        "seed": 0,
    },
    Engine: {"kind": "loky", "jobs": 1},
    simulate.checkpoints: {"planned": 9},
    simulate.replicate: {**RUN, "planned": 9, "index": 0},
    simulate.run: {**RUN, "episodes": 9, "replicates": 1, "jobs": 1},
    evaluate.optimum: {"environment": MDP},
    evaluate.value: {"environment": MDP, "policy": POLICY},
    evaluate.regret: {"environment": MDP, "policy": POLICY},
    evaluate.estimate: {
        "environment": MDP,
        "policy": POLICY,
        "episodes": 2,
        "seed": 0,
        "alpha": 0.1,
    },
    evaluate.Recorder: {"environment": MDP, "episodes": 9, "delta": 1e-6, "seed": 0},
    accounting.laplace_family_epsilon: {"scale": 2.0, "l1_sensitivity": 1.0, "releases": 9},
    accounting.laplace_family_scale: {"epsilon": 1.0, "l1_sensitivity": 1.0, "releases": 9},
    accounting.gaussian_delta: {"epsilon": 1.0, "mu": 0.5},
    accounting.gaussian_epsilon: {"delta": 1e-6, "mu": 0.5},
    accounting.gaussian_mu: BUDGET,
    **alike(accounting.bun_steinke_epsilon, accounting.optimal_zcdp_epsilon, rho=0.5, delta=1e-6),
    **alike(
        quantiles.tree_tail,
        quantiles.tree_tail_lower,
        quantiles.tree_tail_gaussian,
        x=1.0,
        releases=5,
    ),
    **alike(
        quantiles.tree_quantile,
        quantiles.tree_quantile_gaussian,
        quantiles.local_quantile,
        quantiles.local_quantile_gaussian,
        beta=0.1,
        releases=5,
    ),
    quantiles.laplace_sum_tail: {"x": 1.0, "terms": 5},
    **alike(
        gaussian_norms.norm_quantile, gaussian_norms.operator_quantile, dimension=3, failure=0.1
    ),
    gaussian_norms.mean_norm: {"dimension": 3},
    stream.levels: {"releases": 9},
    mechanisms.make: {"name": "blt", **STREAM},
    mechanisms.counter_cost: {"name": "blt", "releases": 9, "law": "gaussian"},
    mechanisms.counter_quantile: {"name": "blt", "releases": 9, "beta": 0.1, "law": "gaussian"},
    noise.Setting: SETTING,
    noise.noise: {"paper": "zhou2022", "setting": noise.setting("zhou2022")},
    sensitivity.vietri2020: {
        "family": "n",
        "horizon": 3,
        "adjacency": Adjacency.REPLACE,
        "states": 2,
        "norm": "l2",
    },
    sensitivity.chowdhury2021: {
        "statistic": "gram",
        "horizon": 3,
        "gamma": 1.0,
        "states": 2,
        "controls": 1,
    },
    sensitivity.chowdhury2021_joint: {
        "horizon": 3,
        "gamma": 1.0,
        "sigma_gram": 1.0,
        "sigma_cross": 1.0,
    },
    sensitivity.features_joint: {"size": 1.0, "bound": 1.0, "sigma_gram": 1.0, "sigma_cross": 1.0},
    sensitivity.liao2021: {"statistic": "gram", "horizon": 3, "one_hot_states": 2},
    sensitivity.zhou2022: {"counter": "p1", "horizon": 3, "dimension": 4, "step": 1},
    privrl.online.tabular: {"states": 2, "actions": 2, "horizon": 2},
    privrl.online.mixture: {
        "psi": mixtures.mixture().psi.tolist(),
        "horizon": 2,
        "varphi": mixtures.mixture().varphi.tolist(),
        "theta_p_bound": 1.5,
        "theta_r_bound": 1.0,
        "block_bound": 1.5,
    },
    privrl.online.lq: {
        "Q": [[1.0]],
        "R": [[1.0]],
        "start": [1.0],
        "horizon": 3,
        "gamma": 0.5,
        "c_w": 0.1,
        "variance": 1e-3,
    },
    privrl.online.Session: {"agent": LOCAL, "problem": MDP, **ONLINE},
    privrl.online.Device: {"terms": Terms(LOCAL, MDP, **ONLINE), "users": 2},
    Terms: {"agent": LOCAL, **ONLINE},
    sensitivity.features: {
        "statistic": "gram",
        "size": 1.0,
        "bound": 1.0,
        "adjacency": Adjacency.REPLACE,
    },
}
# for want of others
FREE = {
    "identifier": "x",
    "name": "x",
    "agent": "mine",
    "instance": (1, 2),
    "problem": MDP,
}
THINGS = (object(), len, 1j, {}, {1}, math.nan, np.float64("nan"))
ARRAYS = (np.arange(300), np.zeros((0, 0)), np.array([[math.nan]]), np.array(["a"]))
OTHERS = (*THINGS, *ARRAYS, "vietri2020/chain-3", 3, [], True)
WRONG: dict[
    str, tuple[Any, ...]
] = {  # annotation -> what no such parameter may take; for any other: OTHERS
    "float": (
        *THINGS,
        *ARRAYS,
        "1",
        b"1",
        "",
        "x" * 1000,
        [1.0],
        True,
        np.bool_(True),
        math.inf,
        -math.inf,
    ),
    "int": (*THINGS, *ARRAYS, "1", b"1", "", "x" * 1000, [1], True, 0.5, math.inf, -math.inf, -1),
    "bool": (*THINGS, *ARRAYS, 0, 1, "no", "True", 0.0, [], [True]),
    "str": (
        *THINGS,
        *ARRAYS,
        1,
        b"tree",
        [],
        ("tree",),
        True,
        "",
        "Tree",
        "tree ",
        "x" * 1000,
        "tree\nnone",
    ),
    "arrays": (
        *THINGS,
        "x",
        b"x",
        "1",
        True,
        3,
        [],
        [["a"]],
        [1j],
        [math.nan],
        np.zeros((1, 2, 3, 4, 5)),
    ),
}
RANGES: dict[str, tuple[Any, ...]] = {  # what may be out of range: refused as well, or taken
    "float": (-1.0, 0.0, -0.0, 1.0, 1e-320, 1e-12, 1e12, 1e308, -5, np.float32(0.5), 2),
    "int": (0, 1, 1.0, np.int64(2), 3.0),
}


def called(entrance: Callable[..., Any], **arguments: Any) -> object:
    """Call the entrance with one argument replaced."""
    defaults = {
        name: text for name, text in FREE.items() if name in inspect.signature(entrance).parameters
    }
    return entrance(**{**defaults, **TAKEN[entrance], **arguments})


def annotation(entrance: Callable[..., Any], parameter: str) -> str:
    hint = inspect.signature(entrance).parameters[parameter].annotation
    return hint.__name__ if isinstance(hint, type) else str(hint)


def kind(entrance: Callable[..., Any], parameter: str) -> str:
    """What the annotation of a parameter names."""
    bare = annotation(entrance, parameter).removesuffix(" | None").rpartition(".")[2]
    if bare in WRONG:
        return bare
    return "arrays" if isinstance(TAKEN[entrance][parameter], list) else "object"


def refused_or(entrance: Callable[..., Any], parameter: str, value: Any, *, accepted: bool) -> None:
    """The value is refused with a sentence of ours, or (where it may be) taken; no other exception
    comes out."""
    try:
        if accepted:
            called(entrance, **{parameter: value})
        else:
            refused(lambda: called(entrance, **{parameter: value}))
    except ValueError:
        refused(lambda: called(entrance, **{parameter: value}))
    except BaseException as error:
        error.add_note(f"{entrance.__name__}: {parameter} = {value!r}")
        raise


CASES = [(entrance, parameter) for entrance, arguments in TAKEN.items() for parameter in arguments]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("entrance", "parameter"), CASES, ids=lambda param: getattr(param, "__qualname__", param)
)
def test_the_wrong_kind_is_refused_and_what_is_out_of_range_refused_or_taken(
    entrance: Any, parameter: str
) -> None:
    called(entrance)
    optional = annotation(entrance, parameter).endswith("| None")
    for value in (*WRONG.get(kind(entrance, parameter), OTHERS), *(() if optional else (None,))):
        refused_or(entrance, parameter, value, accepted=False)
    for value in RANGES.get(kind(entrance, parameter), ()):
        refused_or(entrance, parameter, value, accepted=True)


@pytest.mark.parametrize("wrong", [None, 3, b"x", [], object()])
def test_what_has_no_line_of_its_own_above_is_refused_in_our_words(wrong: Any) -> None:
    session = privrl.online.Session(privrl.UBEV(), MDP, 9, noise="simulated", seed=0)
    plan = SharedPlan(width=1, users=9, change=1.0, norm=1.0, epsilon=1.0, delta=1e-6)
    for call, requirement in (
        (lambda: privrl.online.drive(session, wrong, 1), "env must have reset and step"),
        (lambda: privrl.load_mdp(wrong), "path must be a path"),
        (lambda: SecureSums(plan.sharing).turn(1, wrong), "a message must be of a device"),
        (lambda: checks.array("x", wrong, (2,)), "x must "),
    ):
        words = refused(call)
        assert words.startswith(requirement) and "NoneType" not in words
    dates = np.array(["2020-01-01"], dtype="datetime64[D]")
    assert refused(lambda: checks.array("x", dates, (1,))).endswith(
        "of type array of datetime64[D]"
    )
