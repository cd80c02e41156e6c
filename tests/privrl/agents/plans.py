"""The contract of every planner: its plan follows from what is released, and from nothing else of
data or world.

Two runs of an agent, in two worlds that agree in all that the agent is told, with other sums, other
users, and noise that makes the same release of both: the same plan, to the last bit. With another
release, another plan. Sums are on a grid, and what the noise hides of one is a small share of it,
so that adding the noise gives back the same bits.
"""

import contextlib
import dataclasses
import importlib
import inspect
import itertools
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, get_type_hints

import numpy as np

from privrl.agents import registry
from privrl.agents.lq.records import BeforeNoise
from privrl.agents.sums import PUBLIC, SECRET
from privrl.environments import LQSystem
from privrl.run import simulate
from tests.privrl.agents.reach import arrays, records_of

PLANNED = 10**6
PLAYED = 7  # episodes that are over when the plan is made
USERS = 200
GRID = 2.0**-20
MANY = 2.0**10  # users with the data of each of those that were played


def agent_of(name: str, calibration: str, multiplier: float = 1.0, epsilon: float = 1e7) -> Any:
    """The agent over its own counter."""
    kind = registry.kind(name)
    return registry.make(
        name,
        epsilon=epsilon,
        delta=0.0 if registry.family(name).PURE else 1e-6,
        beta=0.1,
        counter=kind.counter,
        calibration=calibration,
        multiplier=multiplier,
    )


def defined(names: tuple[str, ...] | None = None) -> Iterator[tuple[str, str]]:
    """Every registered agent with every calibration that it has."""
    for name, calibration in itertools.product(
        registry.names() if names is None else names, registry.AGENT_CALIBRATIONS
    ):
        with contextlib.suppress(ValueError):
            agent_of(name, calibration)
            yield name, calibration


def plausible(agent: Any, problem: Any) -> np.ndarray:
    """Sums of many users, on the grid."""
    learner = agent.start(problem, PLANNED, np.array([PLANNED]))
    if isinstance(
        problem, LQSystem
    ):  # whose users would all answer alike: states and controls at random
        p = sum(problem.B.shape)
        rows = np.random.default_rng(3).normal(size=(2 * USERS, p))
        gram = (rows.T @ rows)[np.triu_indices(p)]
        sums = np.concatenate([gram, (rows.T @ rows @ problem.theta).ravel()])
    else:
        learner.advance(*simulate.streams(problem, agent, PLANNED, USERS, 5, 0))
        sums = learner.state.statistics
    return np.asarray(np.rint(sums * MANY / GRID) * GRID)


@dataclasses.dataclass
class Contender:
    """A plan that an agent makes of these sums and this noise."""

    agent: Any
    problem: Any
    sums: np.ndarray  #: (W',), exact
    noise: np.ndarray  #: (W,), in the unit of the sums
    seed: int  #: of everything else: what the user of this episode does, and what users before did

    def plan(self, verb: str) -> list[bytes]:
        """Every array of the plan, made by ``advance`` (a simulation) or by ``prepare`` (a
        service)."""
        learner = self.agent.start(self.problem, PLANNED, np.array([PLANNED]))
        state, rng = learner.state, np.random.default_rng(self.seed)
        state.statistics[...] = self.sums
        state.tally.clock[0] = PLAYED
        for before in (state.tally.totals, *arrays(getattr(state, "path", ()))):
            if before.dtype == np.float64:
                before[...] = rng.random(before.shape)
        if verb == "prepare":
            learner.prepare(self.noise, scaled=True)
        else:
            stream = self.agent.noise(self.problem, PLANNED, rng)
            unit, row = factors(learner, stream), np.zeros((1, stream.width))
            if unit.size:
                np.divide(self.noise, unit, out=row[0], where=unit > 0)
            coins, ties = rng.random((1, self.problem.coins)), rng.random((1, self.problem.ties))
            learner.advance(row, coins, ties)
        return [array.tobytes() for array in arrays(state.plan)]


def factors(learner: Any, stream: Any) -> np.ndarray:
    """(W,), what a unit of the stream adds to a released sum; empty where no noise is read."""
    scales = learner.noise_scales()
    return scales / stream.scale if scales.any() else np.zeros(0)


def follows_from_the_release(agent: Any) -> list[str]:
    """What is wrong with an agent's plans; empty where nothing is."""
    faults = []
    for problem, twin in alike(agent):
        learner = agent.start(problem, PLANNED, np.array([PLANNED]))
        released, rng = plausible(agent, problem), np.random.default_rng(7)
        moved = released * rng.integers(-2, 3, size=released.size) / 64
        columns, places = learner.noise_scales().size, learner.places
        noisy = learner.noise_scales().any()
        # what no counter releases of the sums may be anything; what is released without noise may
        # not
        hidden = moved.copy()
        if not noisy:
            hidden[places] = 0
        noise = hidden[places]
        assert not noisy or ((released - hidden)[places] + noise == released[places]).all()
        for verb in ("advance", "prepare") if not reads_before_noise(learner) else ("advance",):
            quiet = np.zeros(columns)
            plan = Contender(agent, problem, released, quiet, 1).plan(verb)
            if Contender(agent, twin, released - hidden, noise, 2).plan(verb) != plan:
                faults.append(f"{verb}: another plan of the same release ({problem.name})")
            if Contender(agent, problem, released - moved, quiet, 1).plan(verb) == plan:
                faults.append(f"{verb}: the same plan of other sums ({problem.name})")
            if noisy and Contender(agent, problem, released, moved[places], 1).plan(verb) == plan:
                faults.append(f"{verb}: the same plan of another noise ({problem.name})")
    return faults


def alike(agent: Any) -> list[tuple[Any, Any]]:
    """Pairs of problems that agree in all that the agent is told, as its family declares them."""
    pairs: list[tuple[Any, Any]] = registry.family_of(agent).alike(agent)
    return pairs


def reads_before_noise(learner: Any) -> bool:
    """Whether the run says that its plan reads sums before noise; such a one serves no people."""
    sums = getattr(learner.state, "sums", ())
    return bool(getattr(sums, "before_noise", np.zeros(0)).size)


def planners(agent: Any) -> dict[str, Callable[..., Any]]:
    """The compiled planners of an agent, ``plan`` and ``plan_...``, of the modules that its runs
    are made of."""
    functions: dict[str, Callable[..., Any]] = {}
    for problem, _ in alike(agent):
        learner = agent.start(problem, PLANNED, np.array([PLANNED]))
        for base in type(learner).__mro__:
            if base.__module__.startswith("privrl.agents."):
                functions |= _plans_of(importlib.import_module(base.__module__))
    return functions


def _plans_of(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """Those that a module defines, or takes from another one."""
    plain = {
        name: getattr(function, "py_func", function) for name, function in vars(module).items()
    }
    return {
        f"{function.__module__}.{name}": function
        for name, function in plain.items()
        if inspect.isfunction(function)
        and function.__module__.startswith("privrl.agents.")
        and (name == "plan" or name.startswith("plan_"))
    }


def strangers(planner: Callable[..., Any]) -> list[str]:
    """A planner's arguments that are no public record: untyped ones, bare arrays and numbers (but
    steps) too.

    The one number is that of chowdhury2021's printed radius, which has a type of its own.
    """
    kinds = get_type_hints(planner)
    allowed = PUBLIC | {int, BeforeNoise}
    wrong = [
        name for name in inspect.signature(planner).parameters if kinds.get(name) not in allowed
    ]
    return wrong + [record.__name__ for record in records_of(planner) & SECRET]
