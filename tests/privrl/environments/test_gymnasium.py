"""The gymnasium environments: gymnasium's own check, seeds, episodes, and sampled returns against
exact values.

A check that samples is run on broken twins as well, and must reject them.
"""

import copy
import math
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env

from privrl.environments import evaluate, lq_instance, planning, random_mdp, riverswim, suite
from privrl.environments.episode import LQEpisode
from privrl.environments.gymnasium import (
    OBSERVATIONS,
    REGISTERED,
    EpisodicEnv,
    FiniteEnv,
    Gaps,
    LQEnv,
)
from privrl.environments.lq import NOISES, LQSystem, disturbances
from privrl.types import FloatArray
from tests.contracts import FALSE_ALARM, refused

pytestmark = pytest.mark.filterwarnings("error")
MDP = random_mdp(3, 2, 4, seed=1)
KWARGS: dict[str, dict[str, Any]] = {
    "privrl/RiverSwim-v0": {
        "states": 4,
        "horizon": 5,
        "relabelled": True,
        "bernoulli": True,
        "seed": 3,
    },
    "privrl/HardMDP-v0": {
        "n": 1,
        "m": 1,
        "alpha": 0.3,
        "instance": [1],
        "horizon": 2,
        "entry_reward": False,
    },
    "privrl/LinearMixture-v0": {"d": 3, "horizon": 4, "scaled": True, "weight": 0.8},
    "privrl/LQ-v0": {"states": 2, "controls": 2, "horizon": 3, "noise": "sphere"},
    "privrl/Suite-v0": {"entry": "chowdhury2021/lq-4-2"},
}


def played(
    env: Any, act: Callable[[int, Any], Any], seed: int | None = None
) -> list[tuple[Any, ...]]:
    """What is seen in an episode of actions ``act(step, observation)``: the reset's answer, then
    those of the steps."""
    steps: list[tuple[Any, ...]] = [env.reset(seed=seed)]
    while len(steps) == 1 or not steps[-1][2]:
        steps.append(env.step(act(len(steps) - 1, steps[-1][0])))
    return steps


def same(first: Any, second: Any) -> bool:
    if isinstance(first, (tuple, list)):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(same(first[key], second[key]) for key in first)
    return bool(np.array_equal(first, second))


@pytest.mark.parametrize("name", REGISTERED)
@pytest.mark.parametrize("observation", OBSERVATIONS)
def test_gymnasium_has_nothing_to_say(name: str, observation: str) -> None:
    for kwargs in ({}, KWARGS[name]):
        # with its passive checker around it
        env = gymnasium.make(name, observation=observation, **kwargs)
        check_env(env.unwrapped)
        env.action_space.seed(0)
        steps = played(env, lambda h, _, env=env: env.action_space.sample(), 0)
        horizon = env.unwrapped.horizon
        assert [step[4]["step"] for step in steps[1:]] == list(range(1, horizon + 1)) and steps[0][
            1
        ]["step"] == 0
        assert [step[2] for step in steps[1:]] == [False] * (horizon - 1) + [True]
        assert not any(step[3] for step in steps[1:])
        with pytest.raises(gymnasium.error.ResetNeeded, match="call reset first"):
            env.unwrapped.step(env.action_space.sample())
        # settings survive being written down
        again = gymnasium.make(EnvSpec.from_json(env.spec.to_json()))
        assert again.unwrapped.model.name == env.unwrapped.model.name


def test_the_arguments_are_those_of_the_families() -> None:
    names = [gymnasium.make(name, **kwargs).unwrapped.model.name for name, kwargs in KWARGS.items()]
    assert names == [
        "riverswim-4-h5-relabelled-coins-seed3",
        "hard-1x1-h2-alpha0.3-i1-late",
        "mixture-3-h4-scaled-weight0.8",
        "lq-2-2-h3-sphere",
        "lq-4-2",
    ]
    default = [gymnasium.make(name).unwrapped.model.name for name in REGISTERED]
    assert default == [
        "riverswim-6-h20",
        "hard-2x2-h3-alpha0.2-i1.2",
        "mixture-2",
        "lq-1-1",
        "riverswim-3",
    ]
    for entry in suite.ids():
        env = gymnasium.make("privrl/Suite-v0", entry=entry)
        assert evaluate.optimum(env) == evaluate.optimum(suite.environment(entry))
    assert (
        gymnasium.make(
            "privrl.environments.gymnasium:privrl/RiverSwim-v0", states=3
        ).unwrapped.model.states
        == 3
    )
    for name, kwargs in (
        ("RiverSwim", {"states": 1}),
        ("Suite", {"entry": "x"}),
        ("LQ", {"noise": "loud"}),
        ("HardMDP", {"observation": "none"}),
    ):
        refused(lambda name=name, kwargs=kwargs: gymnasium.make(f"privrl/{name}-v0", **kwargs))
    for wrong in (None, "x", lq_instance(1, 1)):
        refused(lambda wrong=wrong: FiniteEnv(wrong))
        refused(lambda wrong=wrong: LQEnv(MDP if isinstance(wrong, LQSystem) else wrong))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", REGISTERED)
def test_the_same_seed_gives_the_same_episode_and_instances_do_not_meet(name: str) -> None:
    first_env, second_env = (gymnasium.make(name, **KWARGS[name]) for _ in range(2))
    first_env.action_space.seed(0)
    moves = [first_env.action_space.sample() for _ in range(50)]

    def move(step: int, _: Any) -> Any:
        return moves[step]

    first = [played(first_env, move, 7 if k == 0 else None) for k in range(4)]
    second_env.reset(seed=8)
    second_env.step(moves[0])
    second = []
    for k in range(4):
        second.append(played(second_env, move, 7 if k == 0 else None))
        first_env.reset()  # in between, and with another stream by now
        first_env.step(moves[0])
    assert same(first, second)
    assert not same(first, [played(second_env, move, 9 if k == 0 else None) for k in range(4)])
    first_env.reset(seed=3)
    twin = copy.deepcopy(first_env)
    assert same(played(first_env, move), played(twin, move))


@pytest.mark.parametrize("noise", NOISES)
def test_a_system_moves_by_the_noise_of_the_replay_of_a_run(noise: str) -> None:
    system, control = lq_instance(4, 2, noise=noise), np.array([0.2, -0.1])
    coins, state = np.random.default_rng(0).random((1, system.coins)), system.start
    episode = LQEpisode(system)
    episode.begin(coins[0])
    for w in disturbances(system, coins)[0]:
        np.testing.assert_allclose(episode.state, state, atol=1e-14)
        cost = state @ system.Q @ state + control @ system.R @ control
        assert episode.act(control) == pytest.approx(-cost, rel=1e-12)
        state = system.A @ state + system.B @ control + w


def test_what_is_seen_holds_step_and_state() -> None:
    env = FiniteEnv(MDP)
    codes = [env.encode(h, s) for h in range(MDP.horizon + 1) for s in range(MDP.states)]
    assert codes == list(range(env.observation_space.n))
    policy = np.random.default_rng(0).dirichlet(np.ones(2), size=(4, 3))
    assert np.array_equal(env.table(lambda observation: policy.reshape(-1, 2)[observation]), policy)
    by_name = FiniteEnv(MDP, observation="dict").table(
        lambda observation: policy[observation["step"], observation["state"]]
    )
    assert np.array_equal(by_name, policy)
    blind = FiniteEnv(MDP, observation="state").table(lambda s: s % 2)
    assert np.array_equal(blind, evaluate.table(MDP, [0, 1, 0]))
    refused(lambda: env.table([0, 1]))  # type: ignore[arg-type]


def test_actions_that_make_no_sense_are_refused_and_long_controls_shortened() -> None:
    env = FiniteEnv(MDP)
    refused(lambda: env.reset(options={"state": 1}))
    for action in (-1, 2, 0.5, "0", None, math.nan, [0], np.array([0, 1])):
        env.reset(seed=0)
        refused(lambda action=action: env.step(action))
    for action in (1, np.int64(1), np.array(1), np.array([1]), 1.0):  # type: ignore[assignment]
        env.reset(seed=0)
        env.step(action)
    linear = LQEnv(lq_instance(2, 2))
    for action in (0.1, [0.1], None, [math.nan, 0], ["a", "b"]):  # type: ignore[assignment]
        linear.reset(seed=0)
        refused(lambda action=action: linear.step(action))
    system = linear.model
    corner = linear.action_space.high
    ends = []
    for control in (corner, corner * 5, corner / math.sqrt(2)):  # the last one has norm gamma
        linear.reset(seed=0)
        ends.append(linear.step(control)[:2])
    assert same(ends[0][1], pytest.approx(ends[2][1])) and same(
        ends[1][1], pytest.approx(ends[2][1])
    )
    np.testing.assert_allclose([end[0] for end in ends], [ends[2][0]] * 3, rtol=1e-12)
    gains = np.full((2, 2), 0.5)
    assert "gamma" in refused(lambda: evaluate.value(linear, gains))
    # of the system itself, nothing is shortened
    assert math.isfinite(evaluate.value(system, gains))


def returns(env: EpisodicEnv, act: Callable[[int, Any], Any], episodes: int) -> FloatArray:
    """(episodes,) total rewards, after a reset with seed 0."""
    env.reset(seed=0)
    return np.array([sum(step[1] for step in played(env, act)[1:]) for _ in range(episodes)])


def near(samples: FloatArray, exact: float, width: float) -> bool:
    """Whether the mean is within the empirical Bernstein bound, at level FALSE_ALARM, of the exact
    value.

    ``width`` is the largest that can be seen less the smallest.
    """
    logarithm = math.log(4 / FALSE_ALARM)
    half = math.sqrt(2 * samples.var(ddof=1) * logarithm / samples.size) + 7 * width * logarithm / (
        3 * (samples.size - 1)
    )
    return bool(abs(samples.mean() - exact) <= half)


def spoilt(kind: type[Any], reward: Callable[..., float]) -> type[Any]:
    """A broken twin with other rewards: ``reward(env, state before, action, answer of the
    step)``."""

    def step(env: Any, action: Any) -> tuple[Any, ...]:
        before = np.copy(env._episode.state)
        answer = kind.step(env, action)
        return answer[0], reward(env, before, action, answer), *answer[2:]

    return type("Spoilt", (kind,), {"step": step})


# a step early there is no more reward; the last reward comes twice; that of the next state in place
# of the present one
SHORTER = spoilt(
    FiniteEnv, lambda env, before, action, answer: answer[1] * (answer[4]["step"] < env.horizon)
)
LONGER = spoilt(FiniteEnv, lambda env, before, action, answer: answer[1] * (1 + answer[2]))
AHEAD = spoilt(
    FiniteEnv,
    lambda env, before, action, answer: float(
        env.model.rewards[answer[4]["step"] - 1, answer[4]["state"], action]
    ),
)


class Stuck(FiniteEnv):
    """Shows the step before."""

    def encode(self, step: int, state: Any) -> Any:
        return super().encode(max(step - 1, 0), state)


RIVER = riverswim(3, 4, relabelled=True, inhomogeneous=True, seed=1)
# pays at every step: a river pays too seldom to tell one twin from another
DENSE = random_mdp(4, 4, 5, seed=2)
BEST = planning.optimal(DENSE)[1].argmax(axis=-1).ravel()


@pytest.mark.slow
@pytest.mark.parametrize("env_class", [FiniteEnv, SHORTER, LONGER, AHEAD, Stuck])
def test_returns_agree_with_the_exact_value_and_broken_twins_do_not(
    env_class: type[FiniteEnv],
) -> None:
    env = env_class(DENSE)
    totals = returns(env, lambda _, observation: BEST[observation], 1000)
    assert near(totals, evaluate.optimum(env), width=5) == (env_class is FiniteEnv)


class Quiet(LQEnv):
    """Without the noise."""

    def reset(self, **more: Any) -> tuple[Any, dict[str, Any]]:
        outcome = super().reset(**more)
        self._episode._noise *= 0
        return outcome


NEXT = spoilt(
    LQEnv,
    lambda env, before, action, answer: (
        answer[1]
        + float(  # the cost of the next state
            before @ env.model.Q @ before - answer[4]["state"] @ env.model.Q @ answer[4]["state"]
        )
    ),
)


@pytest.mark.slow
@pytest.mark.parametrize("env_class", [LQEnv, Quiet, NEXT])
def test_costs_agree_with_the_exact_value_and_broken_twins_do_not(env_class: type[LQEnv]) -> None:
    env = env_class(lq_instance(2, 2, noise="rademacher"))
    gain = 0.5 * planning.lq_gains(lq_instance(2, 2))[0]
    system = env.model
    span = system.horizon * (
        np.linalg.norm(system.Q, 2) + np.linalg.norm(system.R, 2) * system.gamma**2
    )
    costs = returns(env, lambda _, observation: gain @ observation[1:], 1000)
    # the noise moves the mean cost by little: for the quiet twin, the variance is what tells
    assert (near(costs, evaluate.value(env, gain), float(span)) and np.ptp(costs) > 1e-9) == (
        env_class is LQEnv
    )


@pytest.mark.slow
@pytest.mark.parametrize("model", [RIVER, lq_instance(2, 1)], ids=lambda model: model.name)
def test_the_mean_of_the_gaps_is_the_exact_regret(model: Any) -> None:
    if isinstance(model, LQSystem):
        inner: EpisodicEnv = LQEnv(model)
        policy: Any = evaluate.Affine([[-0.1, 0.05]], [0.02])  # type: ignore[arg-type]
        act = lambda _, observation: policy(0, observation[1:])  # noqa: E731
        width = 1.0
    else:
        inner = FiniteEnv(model)
        policy = np.array([1, 0, 1])
        act = lambda _, observation: policy[observation % 3]  # noqa: E731
        width = model.horizon
    env = Gaps(gymnasium.wrappers.OrderEnforcing(inner))
    returns(env, act, 500)  # type: ignore[arg-type]
    gaps: FloatArray = env.gaps
    assert gaps.shape == (500,) and (gaps >= 0).all() and gaps.var() > 0
    assert near(gaps, evaluate.regret(inner, policy), width)


def test_gaps_count_finished_episodes_only() -> None:
    env = Gaps(FiniteEnv(RIVER))
    played(env, lambda h, _: 1, 0)
    env.reset()
    env.step(0)
    played(env, lambda h, _: 0)
    assert env.gaps.size == 2 and env.abandoned == 1
    refused(lambda: Gaps(gymnasium.make("CartPole-v1")))
    refused(lambda: Gaps(MDP))  # type: ignore[arg-type]


ALONE = """
import sys, privrl
from privrl import evaluate
assert not [name for name in sys.modules if name.startswith("gymnasium")]
sys.modules["gymnasium"] = None
try:
    import privrl.environments.gymnasium
except ModuleNotFoundError as error:
    print(error)
"""


@pytest.mark.slow
def test_the_package_does_without_gymnasium_and_says_what_to_install() -> None:
    result = subprocess.run(
        [sys.executable, "-c", ALONE], capture_output=True, text=True, check=True
    )
    assert result.stdout == (
        "this module needs gymnasium, of the extra gymnasium, which is not installed: "
        "pip install 'gymnasium>=0.29'\n"
    )
