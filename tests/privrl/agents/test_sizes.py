"""What is said of noise before there is a world is what agents use in one."""

from typing import Any

import numpy as np
import pytest

from privrl.agents import registry, sizes
from privrl.environments import random_lq, random_mdp, random_mixture
from privrl.privacy import noise
from privrl.privacy.counters import mechanisms
from tests.contracts import refused

SIZES: dict[str, Any] = {"states": 3, "actions": 2, "horizon": 4, "dimension": 3, "gamma": 0.6}
PLANNED = 1000


def made(name: str, counter: str, delta: float) -> Any:
    """The agent, or None where it has no such counter or delta."""
    try:
        return registry.make(
            name, epsilon=2.0, delta=delta, beta=0.1, counter=counter, calibration="tight"
        )
    except ValueError:
        return None


@pytest.mark.slow
@pytest.mark.parametrize("name", registry.names())
def test_every_agent_has_its_noise_over_every_counter_and_delta_that_it_can_have(name: str) -> None:
    family, compared = sizes.family(name), 0
    world = {
        "tabular": lambda: random_mdp(3, 2, 4, 5),
        "lq": lambda: random_lq(3, 2, 4, 5),
        "linear": lambda: random_mixture(3, 4, 2, 4, 5),
    }.get(family, lambda: sizes.problem(name, **SIZES))()  # a new family's own
    for counter in mechanisms.MECHANISMS:
        for delta in (0.0, 1e-6):
            agent = made(name, counter, delta)
            if agent is None:
                continue
            sized_draws = sizes.draws(agent, sizes.problem(name, **SIZES), PLANNED)
            real = sizes.draws(agent, world, PLANNED)
            assert len(sized_draws) == len(real) and bool(sized_draws) == (agent.counter != "none")
            for sized, actual in zip(sized_draws, real, strict=True):
                compared += 1
                assert sized.law == actual.law == ("gaussian" if delta else "laplace")
                if family == "linear":  # features of one's own are within the bounds of the paper
                    assert actual.most < sized.most and actual.released < sized.released
                else:
                    assert sized == actual
                assert 0 < sized.least <= sized.most <= sized.released
    private = registry.kind(name).counter != "none" or (family == "tabular" and name != "ubev")
    assert (compared > 5) == private


def test_a_released_sum_is_as_noisy_as_it_is_said() -> None:
    agent = registry.make(
        "private-ucbvi", epsilon=2.0, delta=1e-6, beta=0.1, counter="blt", calibration="tight"
    )
    problem = sizes.problem("private-ucbvi", **SIZES)
    rewards, successors = sizes.draws(agent, problem, 200)
    noises = agent.noise(problem, 200, np.random.default_rng(0)).block(199)
    assert noises.std(axis=1).max() == pytest.approx(successors.released, rel=0.2)
    ratios = np.array(agent.calibrate(problem, 200).ratios)
    assert rewards.released == pytest.approx(successors.released * ratios.max())


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, kind in registry.kinds().items()
        if kind.family in ("linear", "lq") and kind.counter != "none"
    ],
)
@pytest.mark.parametrize("counter", ["local", "tree", "blt"])
def test_streams_that_kernels_scale_are_the_counter_s_in_its_unit(name: str, counter: str) -> None:
    world = sizes.problem(name, **SIZES)
    drawn = made(name, counter, 1e-6).noise(world, 200, np.random.default_rng(0)).block(199)
    unit = mechanisms.make(
        counter, drawn.shape[1], 199, 1.0, np.random.default_rng(0), "gaussian"
    ).block(199)
    assert (drawn == unit).all()


def test_sizes_beyond_sense_are_refused() -> None:
    for name, wrong, says in (
        ("pucb", {"states": 10**4}, "horizon * states^2 * actions must be <= 10^8, got "),
        ("linopt-vi", {"dimension": 1}, "dim must be >= 2, got dim=1"),
        ("linopt-vi", {"dimension": 101}, "dim must be <= 100, got "),
        ("private-ofu-rl", {"actions": 101}, "states and controls of an LQ system must be <= "),
    ):
        assert refused(lambda n=name, w=wrong: sizes.problem(n, **{**SIZES, **w})).startswith(says)
    assert {sizes.paper(name) for name in registry.names()} == set(noise.PAPERS)
