"""Policies in all the forms that :mod:`privrl.environments.evaluate` takes, brought to one form
each, and what follows from it."""

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from privrl.checks import array, count, require, settle
from privrl.environments import planning
from privrl.environments.linear_mixture import LinearMixtureMDP
from privrl.environments.lq import LQSystem
from privrl.types import FloatArray, TabularMDP

POLICY_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Affine:
    """u_h = K_h x_h + k_h, a policy of an LQ system; it may be called with (step, state)."""

    gains: FloatArray  #: (H, d, n), or (d, n) for every step
    offsets: FloatArray  #: (H, d), or (d,) for every step

    def __post_init__(self) -> None:
        gains = array("gains", self.gains, (None,) * (2 if depth(self.gains) == 2 else 3))
        offsets = array("offsets", self.offsets, (None,) * (1 if depth(self.offsets) == 1 else 2))
        require(
            offsets.shape[-1] == gains.shape[-2],
            "gains and offsets must be for as many controls",
            gains=gains.shape,
            offsets=offsets.shape,
        )
        settle(self, gains=gains, offsets=offsets)

    def __call__(self, step: int, state: FloatArray) -> FloatArray:
        gain = self.gains if self.gains.ndim == 2 else self.gains[step]
        offset = self.offsets if self.offsets.ndim == 1 else self.offsets[step]
        return np.asarray(gain @ state + offset)


def known(environment: Any) -> tuple[TabularMDP | LQSystem, bool]:
    """What is evaluated, and whether it shortens controls (the gymnasium environments do)."""
    inner = getattr(environment, "unwrapped", environment)
    model = getattr(inner, "model", inner)
    if isinstance(model, LinearMixtureMDP):
        model = model.tabular()
    require(
        isinstance(model, (TabularMDP, LQSystem)),
        "environment must be a TabularMDP, a LinearMixtureMDP, an LQSystem or a gymnasium "
        "environment of privrl",
        type=type(environment).__name__,
    )
    return model, model is not environment


def span(model: TabularMDP | LQSystem) -> tuple[float, float]:
    """The smallest and the largest return of an episode."""
    if isinstance(model, LQSystem):  # ||x|| <= 1 and ||u|| <= gamma, by assumption 1
        worst = np.linalg.norm(model.Q, 2) + np.linalg.norm(model.R, 2) * model.gamma**2
        return -float(worst) * model.horizon, 0.0
    if model.bernoulli:
        return 0.0, float((model.rewards > 0).any(axis=(1, 2)).sum())
    return float(model.rewards.min(axis=(1, 2)).sum()), float(model.rewards.max(axis=(1, 2)).sum())


def table_regret(mdp: TabularMDP, gaps: FloatArray, probabilities: FloatArray) -> float:
    """The expected sum of ``gaps`` (H, S, A), V* - Q*, along an episode."""
    return float(np.sum(planning.occupancy(mdp, probabilities) * gaps))


def table_of(mdp: TabularMDP, policy: Any) -> FloatArray:
    """``policy`` as probabilities (H, S, A), or ``ValueError``."""
    horizon, states, actions = mdp.rewards.shape
    if callable(policy):
        act = asked(policy)
        rows = np.empty(mdp.rewards.shape)
        for h in range(horizon):
            for s in range(states):
                rows[h, s] = row(mdp, act(h, s))
                require(
                    np.array_equal(rows[h, s], row(mdp, act(h, s))),
                    "policy must give the same answer when it is asked again; estimate takes one "
                    "that does not",
                    step=h,
                    state=s,
                )
        return rows
    shape = shape_of(policy)
    shapes = ((horizon, states), (states,), (horizon, states, actions))
    require(
        shape in shapes,
        f"policy must be a callable of (step, state) or have shape {shapes[0]}, {shapes[1]} or "
        f"{shapes[2]}",
        policy=policy if shape is None else shape,
    )
    if shape == (states,):
        policy = np.broadcast_to(array("policy", policy, shape), (horizon, states))
    return planning.probabilities(mdp, policy)


def row(mdp: TabularMDP, answer: Any) -> FloatArray:
    """What a callable answers, an action or probabilities, as probabilities (A,)."""
    if depth(answer) == 0 or shape_of(answer) == (1,) != (mdp.actions,):
        plain = answer.item() if isinstance(answer, np.ndarray) and answer.size == 1 else answer
        action = count("action of policy", plain, 0)
        require(
            action < mdp.actions,
            f"an action of policy must be in 0..{mdp.actions - 1}",
            action=action,
        )
        return np.asarray(np.eye(mdp.actions)[action])
    chances = array("answer of policy", answer, (mdp.actions,))
    total = float(chances.sum())
    require(
        bool((chances >= 0).all()) and abs(total - 1) <= 1e-9,
        "probabilities of policy must be >= 0 and sum to 1",
        smallest=float(chances.min()),
        sum=total,
    )
    return chances


def drawn(mdp: TabularMDP, answer: Any, rng: np.random.Generator) -> int:
    """The action that a callable answers, or one from the probabilities that it answers."""
    sums = np.cumsum(row(mdp, answer))
    return int(np.searchsorted(sums[:-1], rng.random() * sums[-1], side="right"))


def asked(policy: Any) -> Callable[[Any, Any], Any]:
    """``policy``, when it can be asked with a step and a state."""
    try:
        inspect.signature(policy).bind(0, 0)
    except TypeError:
        require(False, "a policy that is called must take a step and a state", policy=policy)
    except ValueError:  # built in, without a signature to look at
        pass
    return policy  # type: ignore[no-any-return]


def shape_of(value: Any) -> tuple[int, ...] | None:
    """Shape of an array of numbers, None where there is none."""
    try:
        return tuple(np.shape(value)) or None
    except ValueError:  # ragged
        return None


def depth(value: Any) -> int:
    return len(shape_of(value) or ())


def affine_of(system: LQSystem, policy: Any, bounded: bool) -> tuple[FloatArray, FloatArray]:
    """Gains (H, d, n) and offsets (H, d), or ``ValueError``; ``bounded``: also where a control may
    be above gamma."""
    horizon, d, n = system.horizon, system.controls, system.states
    offsets = np.zeros(d)
    gains = policy
    if isinstance(policy, Affine):
        gains, offsets = policy.gains, policy.offsets
    require(
        not callable(gains),
        "policy of an LQ system must be gains or an Affine: other callables have no exact "
        "value, and evaluate.estimate samples it",
        policy=policy,
    )
    shape = shape_of(gains)
    require(
        shape in ((horizon, d, n), (d, n)),
        f"gains must have shape {(horizon, d, n)} or {(d, n)}",
        gains=gains if shape is None else shape,
    )
    require(
        offsets.shape in ((horizon, d), (d,)),
        f"offsets must have shape {(horizon, d)} or {(d,)}",
        offsets=offsets.shape,
    )
    full = np.broadcast_to(array("gains", gains, shape or ()), (horizon, d, n))
    shifts = np.broadcast_to(offsets, (horizon, d))
    if bounded:
        longest = _longest(system, full, shifts)
        require(
            longest <= system.gamma + POLICY_ROUNDING,
            "controls must stay within gamma: this environment shortens longer "
            "ones, and what is then played has no exact value",
            longest=longest,
            gamma=system.gamma,
        )
    return full, shifts


def _longest(system: LQSystem, gains: FloatArray, offsets: FloatArray) -> float:
    """A bound on ||u_h||: its mean, and for each past disturbance the radius times the norm of its
    effect."""
    mean, effects, longest = system.start, np.zeros((0, system.states, system.states)), 0.0
    for gain, offset in zip(gains, offsets, strict=True):
        spread = (
            float(np.linalg.norm(gain @ effects, 2, axis=(1, 2)).sum()) if len(effects) else 0.0
        )
        longest = max(
            longest,
            float(np.linalg.norm(gain @ mean + offset)) + float(system.radius or 0.0) * spread,
        )
        closed = system.A + system.B @ gain
        mean = closed @ mean + system.B @ offset
        effects = np.concatenate((closed @ effects, np.eye(system.states)[None]))
    return longest


def finite(cost: float) -> float:
    """``cost``, or ``ValueError`` where it has left floating point."""
    require(math.isfinite(cost), "the cost of a policy must stay within floating point", cost=cost)
    return cost


def square(
    weight: FloatArray, gain: FloatArray, offset: FloatArray, mean: FloatArray, moment: FloatArray
) -> float:
    """E[(K x + k)' W (K x + k)] from E[x] and E[x x']."""
    return float(
        np.sum((gain.T @ weight @ gain) * moment)
        + 2 * (offset @ weight @ gain @ mean)
        + offset @ weight @ offset
    )


def ahead(
    system: LQSystem, gain: FloatArray, offset: FloatArray, mean: FloatArray, moment: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """E[x] and E[x x'] one step on; every law of the noise has mean zero and covariance
    ``system.variance`` I."""
    closed, push = system.A + system.B @ gain, system.B @ offset
    cross = np.outer(closed @ mean, push)
    noise = system.variance * np.eye(system.states)
    return closed @ mean + push, closed @ moment @ closed.T + cross + cross.T + np.outer(
        push, push
    ) + noise


@np.errstate(over="ignore", invalid="ignore")  # seen in the total
def affine_regret(system: LQSystem, gains: FloatArray, offsets: FloatArray) -> float:
    """The sum over h of E[(u_h - K*_h x_h)' G_h (u_h - K*_h x_h)], G_h = R + B'P_{h+1}B, as
    planning.lq_regret."""
    costs, best = planning.riccati(system.A, system.B, system.Q, system.R, system.horizon)
    mean, moment, total = system.start, np.outer(system.start, system.start), 0.0
    for h, (gain, offset) in enumerate(zip(gains, offsets, strict=True)):
        weight = system.R + system.B.T @ costs[h + 1] @ system.B
        total += square(weight, gain - best[h], offset, mean, moment)
        mean, moment = ahead(system, gain, offset, mean, moment)
    return finite(total)
