"""A plan for every so many users: what is simulated, how many releases are drawn for it, and that
privacy stays."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from privrl import DPUCBVI, PUCB, LinOptPO, LinOptVI, PrivateUCBVI
from privrl.agents.linear.kernels import terms
from privrl.environments import SparseMDP, mixture, random_mdp, riverswim
from privrl.privacy import accounting
from privrl.privacy.counters import mechanisms
from privrl.run import simulate
from tests.contracts import refused

MDP, RIVER = random_mdp(3, 2, 3, seed=2), SparseMDP.of(riverswim(4, 3, relabelled=True))
RUNS = [
    (PrivateUCBVI(1e3, 1e-6, counter="blt", every=7), MDP),
    (PrivateUCBVI(1e3, every=7), RIVER),
    (PUCB(1e5, calibration="tight", multiplier=0.1, every=7), MDP),
    (PUCB(counter="none", multiplier=0.1, every=7), MDP),
    (DPUCBVI(1e5, every=7), MDP),
    *(
        (LinOptVI(1e4, counter=counter, calibration="tight", every=7), mixture())
        for counter in ("blt", "tree")
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("agent", "mdp"), RUNS, ids=lambda param: param.name)
def test_a_plan_serves_so_many_users_and_reads_the_sums_before_them(agent: Any, mdp: Any) -> None:
    """Against a loop that is handed the whole streams; 100 users are 15 plans, and the last is for
    two of them."""
    regret = simulate.replicate(mdp, agent, 100, None, 0, 0)
    noise, coins, ties = simulate.streams(mdp, agent, 100, None, 0, 0)
    learner, plans = agent.start(mdp, 100, simulate.checkpoints(100)), set()
    for user in range(100):
        if user % 7 == 0:
            before = learner.state.statistics.copy()
            learner.renew(noise[user : user + 1], scaled=False)
            assert np.array_equal(before, learner.state.statistics)
        learner.follow(coins[user : user + 1], ties[user : user + 1])
        plans.add(learner.state.greedy.tobytes())
        assert np.array_equal(noise[user], noise[user // 7 * 7])
    assert np.array_equal(regret, learner.state.regret) and 1 < len(plans) <= 15
    if agent.counter != "none":
        assert not noise[:7].any() and len({row.tobytes() for row in noise}) == 15
    every_user_regret = simulate.replicate(
        mdp, dataclasses.replace(agent, every=1), 100, None, 0, 0
    )
    assert not np.array_equal(regret, every_user_regret)  # the mutant: a plan for each of them


@pytest.mark.parametrize("kind", [PrivateUCBVI, DPUCBVI, PUCB])
@pytest.mark.parametrize(("delta", "counter"), [(1e-6, "blt"), (0.0, "tree")])
def test_the_noise_is_that_of_a_counter_with_fewer_releases(
    kind: Any, delta: float, counter: str
) -> None:
    """Exactly that of an agent for as many users as there are plans, and less than for a release a
    user."""
    agent, every_user_agent = (
        kind(0.7, delta, 0.1, counter, "tight", every=every) for every in (100, 1)
    )
    assert agent.noise(MDP, 10_000, np.random.default_rng(0)).releases == 99
    assert agent.noise(MDP, 10_001, np.random.default_rng(0)).releases == 100
    calibration, few = agent.calibrate(MDP, 10_000), every_user_agent.calibrate(MDP, 100)
    assert calibration.scale == few.scale < 0.9 * every_user_agent.calibrate(MDP, 10_000).scale
    cost = mechanisms.counter_cost(counter, 99, calibration.law)
    if kind is PUCB and delta:  # a user moves 6H sums by 1
        size = np.sqrt(6 * MDP.horizon) * cost.sensitivity / calibration.scale
        assert accounting.gaussian_epsilon(delta, size) == pytest.approx(0.7, rel=1e-8)


@pytest.mark.parametrize("counter", ["blt", "tree", "honaker"])
def test_a_linear_plan_reckons_with_the_noise_of_its_own_release(counter: str) -> None:
    """As in a run of as many users as there are plans; the mutant reckons with the release after 60
    users."""
    agent = LinOptVI(1.0, counter=counter, calibration="tight", every=10)
    calibration, few = (
        agent.calibrate(mixture(), 1000),
        dataclasses.replace(agent, every=1).calibrate(mixture(), 100),
    )
    assert agent.noise(mixture(), 1000, np.random.default_rng(0)).releases == 99
    assert np.array_equal(calibration.transitions.gram, few.transitions.gram)
    assert terms(calibration.growth, 60) == terms(few.growth, 6) != terms(few.growth, 60)


def test_batches_are_refused_where_they_do_not_fit() -> None:
    assert "every must be 1 over the counter" in refused(
        lambda: PrivateUCBVI(1.0, counter="local", every=2)
    )
    assert "every must be 1 for calibration printed" in refused(lambda: PUCB(1.0, every=2))
    assert "every must be 1 over the counters local" in refused(
        lambda: LinOptVI(1.0, counter="local", every=2)
    )
    assert "every must be 1 for linopt-po" in refused(
        lambda: LinOptPO(1.0, calibration="tight", every=2)
    )
    assert "every must be >= 1" in refused(lambda: PUCB(counter="none", every=0))


@pytest.mark.parametrize(
    "agent", [PrivateUCBVI(1e3, 1e-6, counter="blt"), PrivateUCBVI(1e3)], ids=["blt", "tree"]
)
def test_wide_releases_are_drawn_in_short_blocks_of_the_same_numbers(
    agent: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert simulate.block_rows(MDP, 10) == simulate.BLOCK // (10 + 7 + 3)
    assert simulate.block_rows(MDP, 100_000) == 16 and simulate.block_rows(MDP, 4_020_000) == 1
    regret = simulate.replicate(MDP, agent, 100, None, 0, 0)
    monkeypatch.setattr(simulate, "MOST_BLOCK", 1)
    rows: list[int] = []
    assert np.array_equal(regret, simulate.replicate(MDP, agent, 100, None, 0, 0, rows.append))
    assert rows == list(range(1, 101))
