"""The calibration ``pruned``: what no plan reads is not released, and the rest has less noise."""

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats

from privrl.agents.tabular.private_ucbvi import PrivateUCBVI, ending, shares
from privrl.agents.tabular.pucb import PUCB
from privrl.agents.trajectory import Trajectory
from privrl.environments import SparseMDP, random_mdp, riverswim
from privrl.privacy import accounting
from privrl.privacy.counters import mechanisms
from privrl.run import simulate
from tests.contracts import FALSE_ALARM
from tests.contracts_agents import TabularContract, under

SMALL = random_mdp(2, 3, 2, seed=4)
RIVER = riverswim(3, 3, relabelled=True)
SPARSE = SparseMDP.of(riverswim(5, 4, relabelled=True))
EPSILON = 0.7
S, A = SMALL.states, SMALL.actions

# of the last step of SMALL: all of m, or all but one next state
TestPrunedPUCB = under(TabularContract, SMALL, PUCB(1e6, calibration="pruned"), unread=S * S * A)
TestPrunedUCBVI = under(
    TabularContract,
    ending(SMALL),
    PrivateUCBVI(1e3, 1e-6, calibration="pruned"),
    families=1,
    unread=(S - 1) * S * A,
)


def losses(agent: Any, problem: Any, pairs: Any, share: float = 1.0) -> list[float]:
    """Exact epsilon, at the agent's delta, of all releases together for every pair of users; of the
    noise there is this share."""
    learner = agent.start(problem, 20, np.array([20]))
    cost = mechanisms.counter_cost(agent.counter, 19, learner.calibration.law)
    epsilons = []
    for pair in pairs:
        first, second = (learner.contribution(Trajectory(*map(np.array, steps))) for steps in pair)
        change = np.abs(first - second) / (learner.noise_scales() * share)
        if cost.law == "laplace":
            epsilons.append(float(change.sum()) * cost.sensitivity)
        else:
            size = float(np.linalg.norm(change)) * cost.sensitivity
            epsilons.append(accounting.gaussian_epsilon(agent.delta, size) if size else 0.0)
    return epsilons


def worst_pair(problem: Any) -> Any:
    """Two users who never share a state and are paid 1 at every step."""
    H = problem.horizon
    return [([s] * (H + 1), [1] * H, [1.0] * H) for s in (0, 1)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", [PUCB, PrivateUCBVI])
@pytest.mark.parametrize(("counter", "delta"), [("tree", 0.0), ("tree", 1e-5), ("blt", 1e-5)])
@pytest.mark.parametrize("problem", [SMALL, RIVER, random_mdp(3, 2, 1, seed=0), SPARSE])
def test_the_noise_gives_exactly_what_is_asked_for(
    kind: Any, counter: str, delta: float, problem: Any
) -> None:
    """One pair of users attains epsilon, and no other pair exceeds it; with a hundredth less noise
    the pair refutes it."""
    if kind is PUCB and problem is SPARSE:
        problem = SPARSE.dense()
    agent = kind(EPSILON, delta, 0.1, counter, "pruned")
    worst = [worst_pair(problem)]
    assert losses(agent, problem, worst) == pytest.approx([EPSILON], rel=1e-8)
    assert losses(agent, problem, worst, 0.99)[0] > 1.005 * EPSILON
    if isinstance(problem, SparseMDP):
        return
    rng, H = np.random.default_rng(5), problem.horizon
    pairs = [
        [
            (
                rng.integers(problem.states, size=H + 1),
                rng.integers(problem.actions, size=H),
                rng.random(H).round(),
            )
            for _ in range(2)
        ]
        for _ in range(30)
    ]
    assert max(losses(agent, problem, pairs)) <= EPSILON * (1 + 1e-8)


@pytest.mark.parametrize(("counter", "delta"), [("tree", 0.0), ("blt", 1e-5)])
def test_pucb_needs_the_noise_of_6h_less_2(counter: str, delta: float) -> None:
    """Less noise by the claimed 2 of 6H; the mutant takes 3, and the pair refutes it."""
    for H in (1, 2, 7):
        mdp = random_mdp(3, 2, H, seed=0)
        pruned, tight = (
            PUCB(EPSILON, delta, 0.1, counter, name).calibrate(mdp, 20).scale
            for name in ("pruned", "tight")
        )
        share = (6 * H - 2) / (6 * H)
        assert pruned / tight == pytest.approx(share if delta == 0 else math.sqrt(share))
        less = (6 * H - 3) / (6 * H - 2)
        mutant = less if delta == 0 else math.sqrt(less)
        agent = PUCB(EPSILON, delta, 0.1, counter, "pruned")
        assert losses(agent, mdp, [worst_pair(mdp)], mutant)[0] > EPSILON


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_in_the_last_step_nothing_depends_on_the_number_of_states(delta: float) -> None:
    """As many pairs, of 2 states or of 8: one calibration for H = 1. ``tight`` is the twin that
    differs."""
    for kind, alike in (("pruned", True), ("tight", False)):
        agent = PrivateUCBVI(1.0, delta, calibration=kind)
        few, many = (
            agent.calibrate(random_mdp(states, 16 // states, 1, seed=0), 1000) for states in (2, 8)
        )
        assert (few == many) is alike
    agent = PrivateUCBVI(1.0, delta, calibration="pruned")
    assert agent.released(random_mdp(8, 2, 1, seed=0)) == 2 * 16  # r and n


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(1, 2, 1), (2, 2, 1), (32, 2, 1), (3, 2, 3), (8, 2, 10)])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_widths_are_together_at_most_those_of_tight(
    sizes: tuple[int, int, int], delta: float
) -> None:
    mdp = random_mdp(*sizes, seed=0)
    for kind in (PUCB, PrivateUCBVI):
        pruned, tight = (
            kind(1.0, delta, calibration=name).calibrate(mdp, 10**4) for name in ("pruned", "tight")
        )
        if kind is PUCB:
            assert pruned.e_epsilon < tight.e_epsilon
        else:
            assert sum(pruned.widths) <= sum(tight.widths) * (1 + 1e-12)
            assert (sum(pruned.widths) < 0.999 * sum(tight.widths)) is (sizes[0] > 1)


@pytest.mark.parametrize("spreads", [[1.0], [19.0, 9.0, 1.0], [701.0, 568.0, 8.0, 1.0]])
def test_noise_is_shared_so_that_the_sum_of_widths_is_least(spreads: list[float]) -> None:
    """No stretches that a search finds are better by more than rounding; even ones are worse."""
    K = np.array(spreads)

    def product(logarithms: Any) -> float:
        t = np.exp(np.append(0.0, logarithms))
        cost = ((1 + K**-0.5) / t**2).sum()
        return float(math.sqrt(cost) * (t * np.sqrt(K**0.5 + K)).sum())

    stretches = np.array(shares(spreads))
    assert stretches[0] == 1
    ours = product(np.log(stretches[1:]))
    if K.size > 1:
        searched = optimize.minimize(product, np.zeros(K.size - 1)).fun
        assert ours <= searched * (1 + 1e-9)
        assert ours < 0.99 * product(np.zeros(K.size - 1))


def outside(shrink: float, runs: int = 4000) -> bool:
    """Whether the noise of a pair in the last step leaves W_H more often than at its level, where Q
    is 1."""
    planned = 48
    agent = PrivateUCBVI(1.0, 1e-3, counter="blt", calibration="pruned")
    calibration = agent.calibrate(RIVER, planned)
    rng = np.random.default_rng(3)
    stream = mechanisms.make("blt", 2 * runs, planned - 1, calibration.scale, rng, calibration.law)
    weights = np.array([calibration.ratios[-1], -calibration.stretches[-1]])  # of r, and of n by Q
    beyond = np.zeros(runs, dtype=bool)
    for _ in range(planned - 1):
        noise = stream.block(1).reshape(runs, 2) @ weights
        beyond |= -noise > shrink * calibration.widths[-1]
    level = agent.beta / 4 / RIVER.rewards.size
    low = stats.binomtest(int(beyond.sum()), runs).proportion_ci(1 - 2 * FALSE_ALARM, "exact").low
    return bool(low > level)


def test_the_last_width_covers_its_noise() -> None:
    assert not outside(1.0)
    assert outside(0.5)


@pytest.mark.parametrize("problem", [SMALL, RIVER, SPARSE])
def test_without_noise_decisions_are_those_of_tight(problem: Any) -> None:
    """To the bit: the states after the last step are worth nothing to anybody."""
    for agent in (PrivateUCBVI(counter="none"), PUCB(counter="none", calibration="tight")):
        if isinstance(agent, PUCB) and isinstance(problem, SparseMDP):
            continue
        runs = [
            simulate.replicate(
                problem, dataclasses.replace(agent, calibration=name), 500, None, 0, 0
            )
            for name in ("tight", "pruned")
        ]
        assert np.array_equal(runs[0], runs[1])


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_a_public_support_changes_no_decision(delta: float) -> None:
    """Dense and by cells, noise in the same order: the same plans and regret."""
    dense = random_mdp(3, 2, 3, seed=1)
    problem = SparseMDP.of(dense, np.ones((3, 2, 3)))
    agent = PrivateUCBVI(300.0, delta, counter="tree", calibration="pruned")
    learners = [agent.start(world, 150, np.array([150])) for world in (dense, problem)]
    noise, coins, ties = simulate.streams(problem, agent, 150, None, 0, 0)
    pairs, H = 6, 3
    m = noise[:, H * pairs : -pairs].reshape(150, H - 1, pairs, 3).swapaxes(2, 3)
    turned = np.hstack([noise[:, : H * pairs], m.reshape(150, -1), noise[:, -pairs:]])
    assert turned.shape == noise.shape
    learners[0].advance(turned, coins, ties)
    learners[1].advance(noise, coins, ties)
    assert np.array_equal(learners[0].state.greedy, learners[1].state.greedy)
    assert learners[0].state.regret == pytest.approx(learners[1].state.regret, rel=1e-12)
    plans = []
    for unreleased in (0.0, 1e9):
        learners[0].state.sums.successors[-1, 1:] = unreleased
        learners[0].prepare(turned[-1])
        plans.append(learners[0].state.plan.q.copy())
    assert np.array_equal(plans[0], plans[1])
    learners[0].state.sums.successors[-1, 0] += 5.0  # the twin that is read
    learners[0].prepare(turned[-1])
    assert not np.array_equal(learners[0].state.plan.q, plans[0])
