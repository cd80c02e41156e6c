"""Exact value and exact regret of any policy in a known environment, whoever made the policy.

>>> from privrl import evaluate
>>> from privrl.environments import lq_scalar, riverswim
>>> evaluate.regret(riverswim(3), lambda h, s: 1) < 0.01 < evaluate.regret(riverswim(3), [0, 0, 0])
True
>>> round(evaluate.regret(lq_scalar(), [[-0.2]]), 3)
0.004

Every function takes a :class:`TabularMDP`, a :class:`LinearMixtureMDP` (through its tables), a
:class:`LQSystem`, or a gymnasium environment of :mod:`privrl.environments.gymnasium`, wrapped or
not; wrappers are not looked at. Nothing is sampled, except by :func:`estimate`. Step h of the
papers (1 to H) is step h - 1 here.

A policy of a **tabular** environment is one of

- integers (H, S), the action taken at each step and state, or (S,) where it does not depend on the
  step,
- probabilities (H, S, A),
- a callable of (step, state), which returns an action or probabilities (A,) and gives the same
  answer when asked again.

A policy of an **LQ** system is gains (H, d, n), or (d, n) where they do not depend on the step, for
u_h = K_h x_h; or
:class:`Affine` for u_h = K_h x_h + k_h. No other callable has a value in closed form;
:func:`estimate` samples it.

The value is the expected total reward of an episode, for an LQ system minus its expected cost.
"""

import dataclasses
import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from privrl.checkpoints import checkpoints
from privrl.checks import count, instance, planned_episodes, probability, require
from privrl.environments import episode as _episode
from privrl.environments import planning
from privrl.environments import policies as _policies
from privrl.environments.lq import LQSystem
from privrl.environments.policies import Affine
from privrl.types import FloatArray, Run, TabularMDP

__all__ = [
    "Affine",
    "Estimate",
    "Recorder",
    "estimate",
    "optimum",
    "regret",
    "stack",
    "table",
    "value",
]


@dataclass(frozen=True)
class Estimate:
    """A sampled mean and its interval, which misses the value with probability at most
    ``alpha``."""

    mean: float
    low: float
    high: float
    episodes: int
    alpha: float


def optimum(environment: Any) -> float:
    """V*: the largest value of any policy; for an LQ system minus J_1^*
    (chowdhury2021/equation-5)."""
    model, _ = _policies.known(environment)
    if isinstance(model, LQSystem):
        return -planning.lq_optimum(model)
    return float(model.initial @ planning.optimal(model)[0][0])


@np.errstate(over="ignore", invalid="ignore")  # seen in the cost
def value(environment: Any, policy: Any) -> float:
    """Exact expected total reward of an episode under ``policy``.

    Raises
    ------
    ValueError
        An environment that is not of this package; a policy of another form than the module says;
        in a gymnasium environment, an LQ policy whose controls it might shorten.
    """
    model, bounded = _policies.known(environment)
    if not isinstance(model, LQSystem):
        return planning.value(model, _policies.table_of(model, policy))
    gains, offsets = _policies.affine_of(model, policy, bounded)
    mean, moment = model.start, np.outer(model.start, model.start)
    cost = 0.0
    for gain, offset in zip(gains, offsets, strict=True):
        cost += float(np.sum(model.Q * moment)) + _policies.square(
            model.R, gain, offset, mean, moment
        )
        mean, moment = _policies.ahead(model, gain, offset, mean, moment)
    return -_policies.finite(cost)


def regret(environment: Any, policy: Any) -> float:
    """Exact regret of an episode under ``policy``: V* minus its value, summed gap by gap, so
    without cancellation.

    A gap is V* - Q* of an action where it is taken; the sum of the expected gaps is the regret, and
    none is negative.
    """
    model, bounded = _policies.known(environment)
    if isinstance(model, LQSystem):
        return _policies.affine_regret(model, *_policies.affine_of(model, policy, bounded))
    values, action_values = planning.optimal(model)
    return _policies.table_regret(
        model, values[:-1, :, None] - action_values, _policies.table_of(model, policy)
    )


def table(environment: Any, policy: Any) -> FloatArray:
    """``policy`` as probabilities (H, S, A), of an environment with finitely many states."""
    model, _ = _policies.known(environment)
    require(
        isinstance(model, TabularMDP),
        "environment must have finitely many states",
        environment=model.name,
    )
    assert isinstance(model, TabularMDP)
    return _policies.table_of(model, policy)


def estimate(
    environment: Any, policy: Any, *, episodes: int = 1000, seed: int = 0, alpha: float = 0.05
) -> Estimate:
    """Mean return of ``episodes`` sampled ones with an interval: for policies that have no exact
    value.

    The interval is the empirical Bernstein bound of Maurer and Pontil (2009, theorem 4) on both
    sides, for returns between the smallest and the largest that are possible. Controls longer than
    gamma are shortened to it.

    Parameters
    ----------
    policy : as the module says, or any callable of (step, state), also one that tosses coins
    episodes : at least 2
    alpha : probability that the interval misses the value
    """
    model, _ = _policies.known(environment)
    episodes, alpha = count("episodes", episodes, 2), probability("alpha", alpha)
    rng = np.random.default_rng(count("seed", seed, 0))
    if callable(policy):
        act = _policies.asked(policy)
    elif isinstance(model, LQSystem):
        act = Affine(*_policies.affine_of(model, policy, bounded=False))
    else:
        act = functools.partial(lambda rows, *cell: rows[cell], _policies.table_of(model, policy))
    episode = _episode.make(model)
    returns = np.zeros(episodes)
    for k in range(episodes):
        episode.begin(rng.random(episode.coins))
        for h in range(episode.horizon):
            action = act(h, episode.state)
            if isinstance(model, TabularMDP):
                action = _policies.drawn(model, action, rng)
            returns[k] += episode.act(action)
    low, high = _policies.span(model)
    logarithm = math.log(4 / alpha)
    half = math.sqrt(2 * float(returns.var(ddof=1)) * logarithm / episodes)
    half += 7 * (high - low) * logarithm / (3 * (episodes - 1))
    mean = float(returns.mean())
    return Estimate(mean, max(mean - half, low), min(mean + half, high), episodes, alpha)


class Recorder:
    """Exact cumulative regret of a learning agent: of the policies that it plays, one an episode.

    Hand it, before each episode, the policy that is in force for that episode. What comes out is a
    :class:`Run` like those of this package's own agents, for the same tables (``sweep.table``) and
    questions (``measure.users``). An agent that changes its mind within an episode plays no
    policy in this sense;
    :class:`privrl.environments.gymnasium.Gaps` follows one that does.

    Parameters
    ----------
    environment : as the module says
    agent : name of the agent
    episodes : planned number
    identifier : id of the environment; its own name by default
    epsilon, delta : the privacy that the agent claims; none by default
    counter, calibration : what the agent calls them
    seed : of this replicate, as a note
    """

    def __init__(
        self,
        environment: Any,
        *,
        agent: str,
        episodes: int,
        identifier: str | None = None,
        epsilon: float = math.inf,
        delta: float = 0.0,
        counter: str = "none",
        calibration: str = "external",
        seed: int = 0,
    ) -> None:
        self._model, self._bounded = _policies.known(environment)
        self._planned = planned_episodes(episodes)
        self._marks = checkpoints(self._planned)
        self._totals: list[float] = []
        self._finished, self._total = 0, 0.0
        self._last: tuple[Any, float] = (None, 0.0)
        self._gaps = np.zeros(0)
        if isinstance(self._model, TabularMDP):
            values, action_values = planning.optimal(self._model)
            self._gaps = values[:-1, :, None] - action_values
        name = self._model.name if identifier is None else identifier
        # a run of its first checkpoint: what is wrong with the settings is said now, not after the
        # last episode
        self._empty = Run(
            name,
            agent,
            counter,
            calibration,
            epsilon,
            delta,
            self._planned,
            seed,
            self._marks[:1],
            np.zeros((1, 1)),
        )

    @property
    def finished(self) -> int:
        """Episodes recorded."""
        return self._finished

    @property
    def regret(self) -> float:
        """Exact regret of the episodes recorded."""
        return self._total

    def record(self, policy: Any) -> float:
        """Count an episode under ``policy``; returns its exact regret."""
        require(
            self._finished < self._planned,
            "no more episodes may be recorded than were planned",
            episodes=self._planned,
        )
        if isinstance(self._model, LQSystem):
            regret = _policies.affine_regret(
                self._model, *_policies.affine_of(self._model, policy, self._bounded)
            )
        else:
            table = _policies.table_of(self._model, policy)
            if self._last[0] is None or not np.array_equal(table, self._last[0]):
                self._last = table, _policies.table_regret(self._model, self._gaps, table)
            regret = self._last[1]
        self._finished += 1
        self._total += regret
        if self._marks[len(self._totals)] == self._finished:
            self._totals.append(self._total)
        return regret

    def run(self) -> Run:
        """The recorded episodes as a run of one replicate; at the checkpoints of
        ``checkpoints``."""
        require(self._finished > 0, "an episode must be recorded first", finished=self._finished)
        marks = self._marks[: len(self._totals)]
        return dataclasses.replace(self._empty, episodes=marks, regret=np.array([self._totals]))


def stack(runs: Sequence[Run]) -> Run:
    """Replicates of one setting as one run, whose seed is the first one's.

    Raises
    ------
    ValueError
        No run, something that is no run, or runs that differ in more than seed and regret.
    """
    require(
        isinstance(runs, (list, tuple)) and len(runs) > 0, "runs must be a list of runs", runs=runs
    )
    first = instance("run", runs[0], Run)
    for run in runs:
        instance("run", run, Run)
        for name in ("id", "agent", "counter", "calibration", "epsilon", "delta", "planned"):
            require(
                getattr(run, name) == getattr(first, name),
                f"runs must agree in {name}",
                first=getattr(first, name),
                other=getattr(run, name),
            )
        require(
            np.array_equal(run.episodes, first.episodes),
            "runs must have the same checkpoints",
            first=int(first.episodes[-1]),
            other=int(run.episodes[-1]),
        )
    return dataclasses.replace(first, regret=np.concatenate([run.regret for run in runs]))
