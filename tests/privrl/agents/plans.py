"""The contract of every planner: its plan follows from what is released, and from nothing else of
data or world.

Two runs of an agent, in two worlds that agree in all that the agent is told, with other sums, other
users, and noise that makes the same releases of both: the same plans, to the last bit. With another
release, another plan. Sums are on a grid, and what the noise hides of one is a small share of it,
so that adding the noise gives back the same bits.

A run is two calls of two episodes each, early and late: what an agent carries from an episode to a
later plan, in a variable, an array or an attribute, would move it. Between the calls the sums of
one run double, and those of the other do not. An agent that cheats on other settings alone, or
after another number of users, is not seen: the contract is a test, not a proof.
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
PLAYED = (7, 10**5)  # episodes that are over before each call
GROWTH = (1.0, 1.75)  # of what is released
HIDDEN = (1 / 8, -1 / 8)  # of a release, that the noise hides: those sums grow by more than 2
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
    """The plans that an agent makes of these sums and these releases, after each call."""

    agent: Any
    problem: Any
    sums: list[np.ndarray]  #: (W',), exact, before each call
    releases: list[np.ndarray]  #: (W,), of every episode of a call, in the unit of the sums
    seed: int  #: of everything else: what these users do, and what users before did

    def plans(self, verb: str) -> list[list[bytes]]:
        """Every array of the plan, made by ``advance`` (a simulation) or by ``prepare`` (a
        service)."""
        start, rng = self.agent.start, np.random.default_rng(self.seed)
        learner, ahead = (start(self.problem, PLANNED, np.array([PLANNED])) for _ in range(2))
        plans = []
        for sums, release, played in zip(self.sums, self.releases, PLAYED, strict=True):
            seed = int(rng.integers(2**32))
            for run in (learner, ahead):
                begin(run, sums, played, np.random.default_rng(seed))
            if verb == "prepare":
                learner.prepare(release - sums[learner.places], scaled=True)
                plans.append([array.tobytes() for array in arrays(learner.state.plan)])
                learner.absorb(rng.random(release.size))
            else:
                blocks = self.blocks(ahead, release, rng)
                learner.advance(*blocks)
                plans.append([array.tobytes() for array in arrays(learner.state.plan)])
        return plans

    def blocks(
        self, ahead: Any, release: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Episodes with this release, two where there is noise; ``ahead`` plays them one by one,
        and so tells the sums that the noise has to hide."""
        stream = self.agent.noise(self.problem, PLANNED, rng)
        unit, rows = factors(ahead, stream), 2 if factors(ahead, stream).size else 1
        noise = np.zeros((rows, stream.width))
        coins = rng.random((rows, self.problem.coins))
        ties = rng.random((rows, self.problem.ties))
        for row in range(rows):
            if unit.size:
                exact = ahead.released_sums
                np.divide(release - exact, unit, out=noise[row], where=unit > 0)
                assert (exact + unit * noise[row] == release).all()
            ahead.advance(*(block[row : row + 1] for block in (noise, coins, ties)))
        return noise, coins, ties


def begin(learner: Any, sums: np.ndarray, played: int, rng: np.random.Generator) -> None:
    """So many episodes are over, with these exact sums and a last user at random."""
    state = learner.state
    state.statistics[...] = sums
    state.tally.clock[0] = played
    for before in (state.tally.totals, *arrays(getattr(state, "path", ()))):
        if before.dtype == np.float64:
            before[...] = rng.random(before.shape)


def factors(learner: Any, stream: Any) -> np.ndarray:
    """(W,), what a unit of the stream adds to a released sum; empty where no noise is read."""
    scales = learner.noise_scales()
    return scales / stream.scale if scales.any() else np.zeros(0)


def follows_from_the_release(agent: Any) -> list[str]:
    """What is wrong with an agent's plans; empty where nothing is."""
    faults = []
    for problem, twin in alike(agent):
        learner = agent.start(problem, PLANNED, np.array([PLANNED]))
        rng, places = np.random.default_rng(7), learner.places
        noisy = learner.noise_scales().any()
        sums = [plausible(agent, problem) * growth for growth in GROWTH]
        releases = [array[places] for array in sums]
        steps = [array * rng.integers(-2, 3, size=array.size) / 64 for array in sums]
        fewer = [array - step for array, step in zip(sums, steps, strict=True)]
        moved = [array[places] + step[places] for array, step in zip(sums, steps, strict=True)]
        # what no counter releases of the sums may be anything; what is released without noise may
        # not
        hidden = [(1 - share) * array for array, share in zip(fewer, HIDDEN, strict=True)]
        if not noisy:
            for array, release in zip(hidden, releases, strict=True):
                array[places] = release
        plain = Contender(agent, problem, sums, releases, 1)
        concealed = Contender(agent, twin, hidden, releases, 2)
        of_sums = Contender(agent, problem, fewer, [array[places] for array in fewer], 1)
        of_noise = Contender(agent, problem, sums, moved, 1)
        for verb in ("advance", "prepare") if not reads_before_noise(learner) else ("advance",):
            plans = plain.plans(verb)
            if concealed.plans(verb) != plans:
                faults.append(f"{verb}: another plan of the same release ({problem.name})")
            if alike_somewhere(of_sums.plans(verb), plans):
                faults.append(f"{verb}: the same plan of other sums ({problem.name})")
            if noisy and alike_somewhere(of_noise.plans(verb), plans):
                faults.append(f"{verb}: the same plan of another noise ({problem.name})")
    return faults


def alike_somewhere(first: list[list[bytes]], second: list[list[bytes]]) -> bool:
    """Whether a call ends with the same plan in both."""
    return any(mine == yours for mine, yours in zip(first, second, strict=True))


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
